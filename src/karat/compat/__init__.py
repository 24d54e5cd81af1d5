"""Other tools' own faces, on karat's kernel and formulas."""

__all__: list[str] = []
