"""What is said of values that are no numbers and of text that is no UTF-8: what they look like, and what to do."""

from __future__ import annotations

import re

__all__ = ["NO_UTF_8", "WHOLE", "WIDE", "mended", "wide_mended"]

NO_UTF_8 = (
    "is no text in UTF-8. If it comes from a spreadsheet, it may be Windows-1252 or Latin-1: save it as 'CSV UTF-8', "
    "or convert it (iconv -f WINDOWS-1252 -t UTF-8). Else it is not what its name says."
)
WIDE = "is a whole number that a double does not hold, so different ones would be equal"
WHOLE = re.compile(r"[+-]?\d+")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
LEVEL = re.compile(r"L(\d+)")


def mended(value: str, kind: str) -> str:
    """What to do about text in the place of a number.

    Args:
        value: the text.
        kind: ``qrels`` or ``run``, or what else it is in.
    """
    if DECIMAL_COMMA.fullmatch(value):
        return f"It has a decimal comma: write {value.replace(',', '.')}."
    level = LEVEL.fullmatch(value)
    if level is not None:
        return f"It is a level as NTCIR writes it: write {level[1]} (sed -E 's/L([0-9]+)$/\\1/')."
    if (
        kind == "qrels"
        and value.isalpha()
        and value.casefold() not in ("nan", "inf", "infinity", "null", "none", "na")
    ):
        return (
            "It is a word: write what it is worth as a number, such as 2 for good, 1 for fair and 0 for bad."
        )
    return "Correct it."


def wide_mended(value: str) -> str:
    """What to do about a whole number that a double does not hold."""
    return f"Subtract a constant from all of them, or write {value}.0 if equal scores are meant to tie."
