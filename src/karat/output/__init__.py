"""What karat says and writes: errors, tables, languages, files. Values in, text out."""

__all__: list[str] = []
