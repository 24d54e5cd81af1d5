"""Every error that karat raises: a sentence that says what was found, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.output.escaping import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import Self

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
    "Worded",
    "by_policy",
    "by_reading",
    "command_of",
    "did_you_mean",
    "reworded",
    "warn",
    "worded",
]


class Worded(str):
    """Text in two wordings: it is Python's, and ``command`` the command line's.

    Args:
        python: how Python's users write what is to be done, as arguments.
        command: how it is written on the command line, as options.
    """

    __slots__ = ("command",)
    command: str

    def __new__(cls, python: str, command: str) -> Self:
        """Hold both."""
        made = super().__new__(cls, python)
        made.command = command
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Both, for another process."""
        return Worded, (str(self), self.command)


def command_of(text: str) -> str:
    """The wording for the command line, of text that may have one of its own."""
    return text.command if isinstance(text, Worded) else text


def worded(*parts: str) -> Worded:
    """Parts of a sentence in a row, each in its own wordings; an f-string would keep Python's alone."""
    return Worded("".join(parts), "".join(map(command_of, parts)))


def reworded(text: str, change: Callable[[str], str]) -> str:
    """Both wordings of a text, changed in the same way."""
    return Worded(change(str(text)), change(text.command)) if isinstance(text, Worded) else change(text)


def by_policy(axis: str, *values: str | int) -> Worded:
    """The remedy to decide an axis of the policy by one of these values."""
    quoted = [repr(each) for each in values]
    python = f"policy=karat.Policy({axis}={quoted[0]})"
    if axis == "malformed":
        return Worded(python, "--lenient")
    return Worded(one_of([python, *quoted[1:]]), f"--{axis} {one_of(list(map(str, values)))}")


def one_of(words: list[str]) -> str:
    """``a, b or c``."""
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def by_reading(kind: str, **named: object) -> Worded:
    """The remedy to say how qrels or a run are read: by columns' names, a grade for all, or what folders are.

    Args:
        kind: ``qrels`` or ``run``.
        named: the argument of ``Qrels.of`` or ``Run.of`` with its value; of several values the first is told in full,
            of ``...`` nothing.
    """
    ((name, value),) = named.items()
    shown = "…" if value is ... else value
    python = shown if value is ... else repr(value)
    colon = ":" if isinstance(value, int) else ""
    return Worded(
        f"karat.{kind.capitalize()}.of({kind}, {name}={python})",
        f"--folders {shown}" if name == "folders" else f"--{kind}-columns {name}{colon}={shown}",
    )


class KaratError(Exception):
    """The root of karat's errors; ``str(error)`` is a sentence fit for a user, whatever it quotes from a file."""

    def __str__(self) -> str:
        """The sentence on one line, with escapes for what a terminal would obey."""
        return str(self.said)

    @property
    def said(self) -> str:
        """The same in both wordings, where what to do is written otherwise on the command line."""
        text = self.args[0] if self.args and isinstance(self.args[0], Worded) else super().__str__()
        return reworded(text, sentence)

    def within(self, change: Callable[[str], str]) -> Self:
        """The error with its sentence changed, as to name the file, for who raises it again."""
        self.args = (reworded(self.said, change),)
        return self


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

    here = str(Path(__file__).parents[1])
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 -- the one way to find who called
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        level, frame = level + 1, frame.f_back
    warnings.warn(reworded(text, sentence), DataWarning, stacklevel=level)


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a sentence about a name that does not exist: the nearest ones, or ``otherwise``."""
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
