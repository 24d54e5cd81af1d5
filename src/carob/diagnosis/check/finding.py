"""The findings of a check and their kinds: severity, effect on the numbers, remedy."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import field
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob.inputs.sources import called
from carob.output.errors import Worded, by_policy, command_of, reworded, worded
from carob.output.escaping import sentence
from carob.output.files import own_table
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from carob.output.errors import DataError


LENIENT = by_policy("malformed", "skip")
SEEN = 0.001
"""The largest difference between means that causes no warning."""
Values = dict[str, dict[str, float]]
"""Means under alternatives: ``{alternative: {measure: mean}}``."""
ERROR, WARNING, NOTE = "error", "warning", "note"
"""An error makes an evaluation impossible or wrong. A warning means that a number depends on a choice. A note is only
information."""


@dataclass(frozen=True)
class Kind:
    """A kind of finding.

    Args:
        code: the name of the kind.
        severity: ``error``, ``warning`` or ``note``, unless a finding says otherwise.
        meaning: the condition that the finding reports.
        effect: the effect on the numbers.
        remedy: the advice.
        what: the sentence of the kind's findings, with placeholders in braces; empty if each finding has its own
            sentence.
    """

    code: str
    severity: str
    meaning: str
    effect: str
    remedy: str
    what: str = ""


@dataclass(frozen=True)
class Finding:
    """A finding of a check.

    Args:
        code: the code of the kind, a key of ``KINDS``.
        severity: ``error``, ``warning`` or ``note``.
        subject: the file or the run.
        what: the sentence that states the problem, without its full stop.
        count: the number of occurrences.
        where: the first places where the problem occurs.
        effect: the effect on the numbers.
        remedy: the advice.
        values: the means under the alternatives, ``{alternative: {measure: mean}}``.
        collection: the collection, if several were checked; else None.
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
    collection: str | None = None

    @property
    def place(self) -> str:
        """The file or the run, preceded by the collection if several were checked."""
        return self.subject if self.collection is None else f"{self.collection}/{called(self.subject)}"

    def on_command_line(self) -> Finding:
        """Returns the finding in the wording of the command line."""
        what, effect, remedy = map(command_of, (self.what, self.effect, self.remedy))
        return replace(self, what=what, effect=effect, remedy=remedy)


def found(
    code: str,
    subject: str,
    what: str | None = None,
    *,
    count: int = 1,
    where: Iterable[str] = (),
    effect: str | None = None,
    remedy: str | None = None,
    severity: str | None = None,
    values: Values | None = None,
    **numbers: Any,
) -> Finding:
    """Returns a finding of a kind. Omitted arguments default to the texts of the kind.

    Args:
        code: the kind.
        subject: the file or the run.
        what: the sentence, without its full stop.
        count: the number of occurrences.
        where: the first places where the problem occurs.
        effect: the effect on the numbers; by default, the kind's effect with the means under the alternatives.
        remedy: the advice.
        severity: the severity.
        values: the means under the alternatives.
        numbers: the values of the placeholders in the kind's sentence, other than ``count``.
    """
    kind = KINDS[code]
    what = filled(kind.what, count=count, **numbers) if what is None else what
    if effect is None:
        effect = kind.effect if not values else f"{kind.effect} {told(values)}".strip()
    return Finding(
        code,
        severity or kind.severity,
        subject,
        reworded(what, sentence),
        count,
        tuple(map(sentence, where)),
        reworded(effect, sentence),
        remedy or kind.remedy,
        values or {},
    )


def told(values: Values) -> str:
    """Returns the means under alternatives as text, such as ``AP 0.1740 in order of lines, 0.0483 by id``."""
    if len(values) < 2:
        return ""
    measures = list(next(iter(values.values())))
    parts = []
    for measure in measures:
        shown = {name: f"{means[measure]:.4f}" for name, means in values.items() if measure in means}
        if len(set(shown.values())) == 1:
            parts.append(f"{measure} {next(iter(shown.values()))} either way")
        else:
            parts.append(f"{measure} " + ", ".join(f"{number} {name}" for name, number in shown.items()))
    return "; ".join(parts) + "."


def moved(values: Values) -> bool:
    """Returns whether any mean differs visibly between the alternatives."""
    columns = zip(*(means.values() for means in values.values()))
    return any(max(column) - min(column) > SEEN for column in columns)


def without_stop(error: DataError) -> str:
    """Returns an error's sentence without its full stop, as findings use it."""
    return reworded(error.said, lambda said: said.rstrip("."))


def refusal(code: str, subject: str, error: DataError) -> Finding:
    """Returns a finding that carob refuses an input, with the error's remedy, if any."""
    remedy, said = error.remedy, copy(error).at(remedy=None)
    return found(code, subject, without_stop(said), remedy=remedy)


def two_worded(text: str) -> str:
    """Returns a sentence of the catalogue in the wordings of Python and of the command line."""
    return worded(
        *(both_wordings(part) if part.startswith("{") else part for part in re.split(r"(\{.*?\})", text))
    )


def both_wordings(part: str) -> Worded:
    """Expands ``{axis=value|value}`` or ``{python||command}`` to the wordings for Python and for the command line."""
    python, two, command = part[1:-1].partition("||")
    if two:
        return Worded(python, command)
    axis, _, values = python.partition("=")
    return by_policy(axis, *(int(each) if each.isdecimal() else each for each in values.split("|")))


def catalogue() -> dict[str, dict[str, Kind]]:
    """Returns the kinds of findings in any file, in qrels, in a run and between runs, by their codes."""
    return {
        part: {
            code: Kind(
                code,
                **{
                    name: two_worded(text) if name in ("effect", "remedy") else text
                    for name, text in fields.items()
                },
            )
            for code, fields in kinds.items()
        }
        for part, kinds in own_table(__file__, "kinds.toml").items()
    }


KINDS = {code: kind for kinds in catalogue().values() for code, kind in kinds.items()}
"""Every kind of finding by its code."""
