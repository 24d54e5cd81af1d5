"""The classes of carob's errors. Each error states the problem, the place and a remedy."""

from __future__ import annotations

import copyreg
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from carob.output.escaping import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from typing_extensions import Self


class Worded(str):
    """Text in two wordings: the string itself is for Python users, and ``command`` is for the command line.

    Args:
        python: the text that mentions arguments as Python users write them.
        command: the text that mentions options as they are written on the command line.
        policy: whether the text advises the user to set another policy.
    """

    __slots__ = ("command", "policy")
    command: str
    policy: bool

    def __new__(cls, python: str, command: str, *, policy: bool = False) -> Self:
        """Stores both wordings."""
        made = super().__new__(cls, python)
        made.command, made.policy = command, policy
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles both wordings for another process."""
        return partial(Worded, policy=self.policy), (str(self), self.command)


class Doubt(Worded):
    """A warning about a run that stores the sign it reports, so no code has to parse the sentence.

    Args:
        text: the sentence, the same in both wordings.
        sign: one of the signs in ``SIGNS``.
    """

    __slots__ = ("sign",)
    sign: str

    def __new__(cls, text: str, sign: str) -> Self:
        """Stores the sentence and the sign."""
        made = super().__new__(cls, text, text)
        made.command, made.sign = made, sign
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the sentence and the sign for another process."""
        return Doubt, ("".join(self), self.sign)


SIGNS = ("reversed", "spelled-otherwise", "nothing-judged")
"""The signs that a run is broken: its lists are upside down, its document ids differ from those in the judgments, or it
retrieves no judged document."""


def command_of(text: str) -> str:
    """Returns the wording for the command line, or the text itself if it has only one wording."""
    return text.command if isinstance(text, Worded) else text


def commands_of(texts: Iterable[str]) -> list[str]:
    """Returns texts in the wording for the command line."""
    return list(map(command_of, texts))


def worded(*parts: str) -> Worded:
    """Joins parts of a sentence and keeps both wordings. An f-string would lose the second wording."""
    return Worded("".join(parts), "".join(map(command_of, parts)), policy=any(map(asks_for_policy, parts)))


def asks_for_policy(text: object) -> bool:
    """Returns whether a text advises the user to set another policy."""
    return isinstance(text, Worded) and text.policy


def reworded(text: str, change: Callable[[str], str]) -> str:
    """Returns the text after applying the same change to both wordings."""
    if not isinstance(text, Worded):
        return change(text)
    return Worded(change(str(text)), change(text.command), policy=text.policy)


def by_policy(axis: str, *values: str | int) -> Worded:
    """Returns the remedy that tells the user to set the policy to one of the given values."""
    quoted = [repr(each) for each in values]
    python = f"policy=carob.Policy({axis}={quoted[0]})"
    if axis == "malformed":
        return Worded(python, "--lenient", policy=True)
    return Worded(one_of([python, *quoted[1:]]), f"--{axis} {one_of(list(map(str, values)))}", policy=True)


def one_of(words: list[str]) -> str:
    """Joins words as ``a, b or c``."""
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def by_reading(kind: str, **named: object) -> Worded:
    """Returns the remedy that tells the user to change the options for reading qrels or a run.

    Args:
        kind: ``qrels`` or ``run``.
        named: the arguments of ``Qrels.of`` or ``Run.of`` with their values; ``...`` for a value that the user must
            fill in.
    """
    python = ", ".join(f"{name}={'…' if value is ... else repr(value)}" for name, value in named.items())
    columns = ",".join(
        f"{name}{':' if isinstance(value, int) else ''}={'…' if value is ... else value}".replace("=:=", ":=")
        for name, value in named.items()
    )
    options = (
        columns.replace("folders=", "--folders ") if "folders" in named else f"--{kind}-columns {columns}"
    )
    return Worded(f"carob.{kind.capitalize()}.of({kind}, {python})", options)


class CarobError(Exception):
    """The base class of carob's errors. ``str(error)`` is always safe to print.

    The sentence is built from the fields: ``FILE, line LINE: MESSAGE REMEDY``. Calling functions can add fields with
    ``at``. No code parses messages.

    Args:
        message: the problem; without the other fields, the whole sentence.
        file: the file, or a description of another input (``<bytes>``, ``run frame``).
        line: the line, from 1.
        row: the row, from 0 as in data frames.
        column: the column's name, which also appears in the message, like the query and the document.
        query: the query's id.
        document: the document's id.
        remedy: the advice, worded for Python and for the command line (``worded``, ``by_policy``).

    Example:
        >>> import carob
        >>> error = carob.DataError("the score is NaN.", line=17, remedy="Correct the run.")
        >>> print(error.at(file="bm25.run"))
        bm25.run, line 17: the score is NaN. Correct the run.
        >>> error.as_dict()["line"]
        17
    """

    FIELDS: tuple[str, ...] = ("file", "line", "row", "column", "query", "document", "remedy")

    def __init__(
        self,
        message: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        row: int | None = None,
        column: str | None = None,
        query: str | None = None,
        document: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file, self.line, self.row, self.column = file, line, row, column
        self.query, self.document, self.remedy = query, document, remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the message and the fields for another process, whatever arguments a subclass accepts."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def __str__(self) -> str:
        """Returns the sentence on one line, with control characters escaped."""
        return str(self.said)

    @property
    def said(self) -> str:
        """The sentence in both wordings, for Python and for the command line."""
        row = None if self.row is None else f"row {self.row} (from 0)"
        line = None if self.line is None else f"line {self.line}"
        place = ", ".join(filter(None, (self.file, line, row)))
        return reworded(
            worded(
                f"{place}: " if place else "", *self.args[:1], *([" ", self.remedy] if self.remedy else [])
            ),
            sentence,
        )

    def at(self, **fields: Any) -> Self:
        """Sets further fields and returns the error, so a caller with more information can raise it again."""
        for name, value in fields.items():
            setattr(self, name, value)
        return self

    def as_dict(self, *, command: bool = False) -> dict[str, Any]:
        """Returns the name of the class as ``kind``, the sentence as ``message``, and the fields that are set.

        Args:
            command: whether remedies mention options of the command line instead of Python arguments.
        """
        fields = {name: getattr(self, name) for name in self.FIELDS}
        parts = {"kind": type(self).__name__, "message": self.said, **fields}
        chosen = command_of if command else str
        return {
            name: chosen(value) if isinstance(value, str) else value
            for name, value in parts.items()
            if value is not None
        }

    def within(self, change: Callable[[str], str]) -> Self:
        """Changes the message, for example to mention the file, and returns the error so it can be raised again."""
        self.args = (reworded(self.args[0], change),)
        return self


class DataError(CarobError, ValueError):
    """Raised for unusable judgments or runs. The sentence states the file, line, query or document."""


TOO_LARGE = "its grades are too large to compute with: use grades on a smaller scale."
"""The reason if only the result reveals that grades are too large."""


class UncomputableError(DataError):
    """Raised if a measure cannot be computed from a query's grades.

    Args:
        reason: the problem with the grades, and advice.
        place: the number of the list, counted from 0.
        measure: the measure, if it is known.
        fields: the fields that every error has.
    """

    def __init__(self, reason: str, place: int, measure: str = "", **fields: Any) -> None:
        """Stores the parts of the sentence, so a caller can add the query's name."""
        super().__init__(f"{measure + ': ' if measure else ''}query number {place + 1}: {reason}", **fields)
        self.reason, self.place, self.measure = reason, place, measure


class BaselineError(DataError):
    """Raised if a gate's baseline seems to be broken, in which case a worse run could pass.

    Args:
        message: the problem.
        baseline: the baseline.
        sign: the sign that shows this, one of ``SIGNS``.
        fields: the fields that every error has.
    """

    FIELDS = (*DataError.FIELDS, "baseline", "sign")

    def __init__(self, message: str, baseline: str, sign: str, **fields: Any) -> None:
        """Stores the baseline and the sign, which become fields in JSON."""
        super().__init__(message, **fields)
        self.baseline, self.sign = baseline, sign


class NothingError(DataError):
    """Raised if an input for judgments contains no judgments."""


class ContentError(DataError):
    """Raised if a file is not text, such as an image or an archive.

    Args:
        name: the file.
        what: the kind of file, as a noun.
        fields: the fields that every error has.
    """

    def __init__(self, name: str, what: str, **fields: Any) -> None:
        super().__init__(f"{name} is {what}.", **fields)
        self.what = what


class NoSuchColumnsError(DataError):
    """Raised if none of the given columns exists, for example in TREC text, which has no column names."""


class UnclearGradesError(DataError):
    """Raised if a list in a log could contain the grades of either the retrieved or the relevant documents."""


class LineEndError(DataError):
    """Raised if the lines of a text end only in carriage returns, so all lines would be read as one."""


class MeasureError(CarobError, ValueError):
    """Raised for an unknown measure or parameter. The sentence suggests the most similar names."""


class NotEvaluatedError(MeasureError, KeyError):
    """Raised if a result does not contain a measure."""


class NoSuchRunError(DataError, KeyError):
    """Raised if a result does not contain a run. The sentence lists the runs."""


class PolicyError(CarobError, ValueError):
    """Raised for an unknown policy or profile. The sentence lists the known policies or profiles."""


class ArgumentError(PolicyError, DataError):
    """Raised for an argument outside its range or its allowed words. The sentence states the range or the words."""


class DataWarning(UserWarning):
    """A warning that the numbers may be meaningless, which ``python -W`` and the module ``warnings`` can control."""


def warn(text: str) -> None:
    """Issues a warning at the line that called carob, so Python shows the warning once per line."""
    import sys
    import warnings
    from pathlib import Path

    here = str(Path(__file__).parents[1])
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 -- the one way to find who called
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        level, frame = level + 1, frame.f_back
    warnings.warn(reworded(text, sentence), DataWarning, stacklevel=level)


def asks_for_json(arguments: list[str]) -> bool:
    """Returns whether a command line requests JSON, in which case its errors are JSON objects as well."""
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def refuse_other(name: str, word: object, known: Sequence[str]) -> None:
    """Rejects a value of a setting that is not one of the allowed words.

    Raises:
        ArgumentError: the value is not one of them.
    """
    if word not in known:
        hint = did_you_mean(str(word), known, "")
        raise ArgumentError(
            f"There is no {name}={word!r}. {hint}{' ' * bool(hint)}The choices are {', '.join(known)}."
        )


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Returns a suggestion of the names most similar to an unknown name, or ``otherwise`` if no name is similar."""
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
