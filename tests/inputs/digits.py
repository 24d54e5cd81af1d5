"""Holds texts that only Python takes for numbers."""

from __future__ import annotations

ODD = ["1_0", "\u0661", "\uff11", "1\u00b2"]
"""10 and 1 for Python's float(), and for str.isdigit()."""
