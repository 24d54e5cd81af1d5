"""Other tools' own faces, on karat's kernel and formulas."""
