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


def letters_of(runs: list[int], among: int) -> str:
    """The letters of several of ``among`` runs: side by side, with commas where some run has two."""
    separator = "," if among > len(ALPHABET) else ""
    return separator.join(map(letter, sorted(runs)))
