"""Numbers in text as C's atol and atof read them: the longest prefix that is one, else 0; never an error."""

from __future__ import annotations

import re

__all__ = ["atof", "atol"]

BLANK = r"[ \t\n\v\f\r]*"
LONG = re.compile(BLANK + r"([+-]?[0-9]+)")
DOUBLE = re.compile(
    BLANK + r"([+-]?)(?:"
    r"(?P<hex>0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
    r"|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>infinity|inf|nan))",
    re.IGNORECASE,
)
LONGEST, SHORTEST = 2**63 - 1, -(2**63)


def atol(text: str) -> int:
    """The whole number at the start of ``text``, held within 64 bits; 0 if there is none."""
    found = LONG.match(text)
    return min(max(int(found[1]), SHORTEST), LONGEST) if found else 0


def atof(text: str) -> float:
    """The number at the start of ``text``: decimal, hexadecimal, inf or nan; 0 if there is none."""
    found = DOUBLE.match(text)
    if found is None:
        return 0.0
    size = from_hex(found["hex"]) if found["hex"] else float(found["decimal"] or found["word"])
    return -size if found[1] == "-" else size


def from_hex(text: str) -> float:
    """A hexadecimal number; beyond the largest double, infinity."""
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("inf")
