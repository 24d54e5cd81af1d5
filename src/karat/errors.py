"""Every error that karat raises: a sentence that says what was found, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.escaping import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "TOO_LARGE",
    "ColumnsOfTextError",
    "ContentError",
    "DataError",
    "DataWarning",
    "KaratError",
    "MeasureError",
    "NothingError",
    "PolicyError",
    "UncomputableError",
    "did_you_mean",
    "warn",
]


class KaratError(Exception):
    """The root of karat's errors; ``str(error)`` is a sentence fit for a user, whatever it quotes from a file."""

    def __str__(self) -> str:
        """The sentence on one line, with escapes for what a terminal would obey."""
        return sentence(super().__str__())


class DataError(KaratError, ValueError):
    """Judgments or a run that cannot be read as they are; the text names file, line, query or document."""


TOO_LARGE = "its grades give no number that can be computed with: give grades of a smaller scale."
"""What is wrong where nothing but the result tells."""


class UncomputableError(DataError):
    """A measure that has no value for a query's grades.

    Args:
        reason: what is wrong with them, after the name of the query, and what to do.
        place: which of the lists it is, from 0.
        measure: the measure, if it is known.
    """

    def __init__(self, reason: str, place: int, measure: str = "") -> None:
        """Keep the parts, so that who knows the names of the queries can say which one it is."""
        super().__init__(f"{measure + ': ' if measure else ''}query number {place + 1}: {reason}")
        self.reason, self.place, self.measure = reason, place, measure


class NothingError(DataError):
    """Judgments without a single one."""


class ContentError(DataError):
    """A file that is no text but something else, which the text names.

    Args:
        name: the file.
        what: what it is.
    """

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"{name} is {what}.")
        self.what = what


class ColumnsOfTextError(DataError):
    """What was said of a table's columns, of a file that is TREC text."""


class LineEndError(DataError):
    """A text whose lines end in a carriage return alone, so that all of it would be one line."""


class MeasureError(KaratError, ValueError):
    """A measure's name or parameter that does not exist; the text names the nearest ones."""


class PolicyError(KaratError, ValueError):
    """A policy or profile that does not exist; the text names those that do."""


class DataWarning(UserWarning):
    """Data whose numbers may say nothing, as ids do that never meet; ``python -W`` and ``warnings`` decide about it."""


def warn(text: str) -> None:
    """Warn where karat was called from, so that each place of a program is warned once."""
    import sys
    import warnings
    from pathlib import Path

    here = str(Path(__file__).parent)
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 -- the one way to find who called
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence(text), DataWarning, stacklevel=level)


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a sentence about a name that does not exist: the nearest ones, or ``otherwise``."""
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
