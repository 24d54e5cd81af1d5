"""Letters that stand for runs in a table, as papers mark significance: from a to z, then aa, ab and so on."""

from __future__ import annotations

__all__ = ["letter", "letters_of"]

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letter(place: int) -> str:
    """The letter of the run at a place, counted from 0.

    Args:
        place: where the run stands.

    Example:
        >>> from karat.comparison import letter
        >>> letter(0), letter(25), letter(26), letter(702)
        ('a', 'z', 'aa', 'aaa')
    """
    place += 1
    written = ""
    while place:
        place, last = divmod(place - 1, len(ALPHABET))
        written = ALPHABET[last] + written
    return written


def letters_of(runs: list[int]) -> str:
    """The letters of several runs: side by side, with commas where one of them has two."""
    written = [letter(each) for each in sorted(runs)]
    return ("," if any(len(each) > 1 for each in written) else "").join(written)
