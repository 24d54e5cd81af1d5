"""Kinds of findings of a check: severity, effect on the numbers, remedy."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from karat.output.errors import Worded, by_policy, command_of, reworded, worded
from karat.output.escaping import sentence
from karat.output.toml import read_toml

if TYPE_CHECKING:
    from karat.output.errors import DataError

__all__ = [
    "ERROR",
    "KINDS",
    "LENIENT",
    "NOTE",
    "WARNING",
    "Finding",
    "Kind",
    "catalogue",
    "found",
    "without_stop",
]

LENIENT = by_policy("malformed", "skip")
ERROR, WARNING, NOTE = "error", "warning", "note"
"""An error makes evaluation impossible or wrong; a warning: the number depends on a choice; a note: good to know."""


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    Args:
        code: its name.
        severity: ``error``, ``warning`` or ``note``, unless a finding says otherwise.
        meaning: what is the case.
        effect: what it does to the numbers.
        remedy: what to do.
    """

    code: str
    severity: str
    meaning: str
    effect: str
    remedy: str


@dataclass(frozen=True)
class Finding:
    """A finding of a check.

    Args:
        code: the kind, a key of ``KINDS``.
        severity: ``error``, ``warning`` or ``note``.
        subject: the file or the run.
        what: what was found, as a sentence without its full stop.
        count: how many times.
        where: the first places.
        effect: what it does to the numbers.
        remedy: what to do.
        values: means under the alternatives, ``{alternative: {measure: mean}}``.
    """

    code: str
    severity: str
    subject: str
    what: str
    count: int
    where: tuple[str, ...]
    effect: str
    remedy: str
    values: dict[str, dict[str, float]] = field(default_factory=dict)

    def on_command_line(self) -> Finding:
        """Returns the finding with a remedy for the command line."""
        what, effect, remedy = map(command_of, (self.what, self.effect, self.remedy))
        return replace(self, what=what, effect=effect, remedy=remedy)


def found(
    code: str,
    subject: str,
    what: str,
    *,
    count: int = 1,
    where: tuple[str, ...] = (),
    effect: str | None = None,
    remedy: str | None = None,
    severity: str | None = None,
    values: dict[str, dict[str, float]] | None = None,
) -> Finding:
    """Returns a finding of a kind. Omitted arguments take the kind's defaults."""
    kind = KINDS[code]
    return Finding(
        code,
        severity or kind.severity,
        subject,
        reworded(what, sentence),
        count,
        tuple(map(sentence, where)),
        reworded(kind.effect if effect is None else effect, sentence),
        remedy or kind.remedy,
        values or {},
    )


def without_stop(error: DataError) -> str:
    """Returns an error's sentence without its full stop, the form used in findings."""
    return reworded(error.said, lambda said: said.rstrip("."))


def two_worded(text: str) -> str:
    """Returns a sentence of the catalogue in the wordings of Python and of the command line."""
    return worded(
        *(both_wordings(part) if part.startswith("{") else part for part in re.split(r"(\{.*?\})", text))
    )


def both_wordings(part: str) -> Worded:
    """Returns both wordings of ``{axis=value|value}`` or ``{python||command}``."""
    python, two, command = part[1:-1].partition("||")
    if two:
        return Worded(python, command)
    axis, _, values = python.partition("=")
    return by_policy(axis, *(int(each) if each.isdecimal() else each for each in values.split("|")))


def catalogue() -> dict[str, dict[str, Kind]]:
    """Returns the kinds of findings in any file, in qrels, in a run and between runs, by their codes."""
    return {
        part: {
            code: Kind(code, **{name: two_worded(text) for name, text in fields.items()})
            for code, fields in kinds.items()
        }
        for part, kinds in read_toml(Path(__file__).with_name("kinds.toml")).items()
    }


KINDS = {code: kind for kinds in catalogue().values() for code, kind in kinds.items()}
"""Every kind of finding by its code."""
