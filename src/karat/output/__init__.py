"""Errors, tables, languages and files: values in, text out."""

__all__: list[str] = []
