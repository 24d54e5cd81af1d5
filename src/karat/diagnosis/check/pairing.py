"""A run against judgments, read leniently: what the kernel counts, and the means under alternatives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from karat.conventions.policy import Policy
from karat.diagnosis.check.finding import without_stop
from karat.diagnosis.check.judging import Judged, strictly
from karat.diagnosis.check.spelling import Spellings
from karat.evaluation.evaluate import evaluate
from karat.inputs.id_variants import pairs_of
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run
from karat.inputs.run_names import short
from karat.inputs.runs import Asked
from karat.inputs.runs.text import TextRun
from karat.matching.match import rows_of
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat import _native
    from karat.diagnosis.check.inputs import Text
    from karat.evaluation.scores import Scores
    from karat.lists.rows import JudgedRows

__all__ = ["DEPTH", "LENIENT", "Pair", "Values", "moved", "told"]

LENIENT = Policy(duplicates="first", malformed="skip", overlap="none")
"""What a check reads under, so that it can go on."""
DEPTH = 10
"""The depth to which documents are looked at for judgments."""
SEEN = 0.001
"""Means that differ by less are the same for most purposes."""

Values = dict[str, dict[str, float]]
"""Means under alternatives: ``{alternative: {measure: mean}}``."""


class ReadOnce(TextRun):
    """Text that is read once for each way of ordering it, however often it is matched with the same judgments."""

    def match(self, judgments: _native.Judgments, asked: Asked) -> _native.Matched:
        """The rows of judged documents."""
        mine = self.__dict__.setdefault("judgments", judgments)
        if judgments is not mine:
            return super().match(judgments, asked)
        key = (asked.rule, asked.float32, asked.duplicates, asked.scores)
        kept: dict[Any, _native.Matched] = self.__dict__.setdefault("kept", {})
        if key not in kept:
            kept[key] = super().match(judgments, asked)
        return kept[key]


@dataclass(eq=False)
class Pair:
    """A run with the judgments against which it is measured.

    Args:
        given: the judgments.
        text: the run's text.
        measures: what is measured.
        queries: judged queries that the run has in another writing only, and that writing.
        documents: the same for documents, with the line where it first stands.
        run: what is matched; None if there is nothing to match.
        matched: what the kernel found; None if there was nothing to find.
    """

    given: Judged
    text: Text
    measures: tuple[str, ...]
    queries: dict[bytes, bytes] = field(default_factory=dict)
    documents: dict[bytes, tuple[bytes, int]] = field(default_factory=dict)
    run: Run | None = None
    matched: _native.Matched | None = None

    def __post_init__(self) -> None:
        """Take the judgments as they are written."""
        self.judged = self.given

    @classmethod
    def of(cls, judged: Judged, text: Text, measures: tuple[str, ...]) -> Pair:
        """Read the run twice: once for what it looks like, once to rank it."""
        if judged.table is None:
            strictly(
                text, lambda given: Run.of(given).match(Qrels.of({"": {"": 0}}).judgments, Asked(Policy()))
            )
            text.read()
            return cls(judged, text, measures)
        spellings = Spellings(judged.qrels.judgments)
        strictly(text, lambda given: Run.of(given).match(judged.qrels.judgments, Asked(Policy())))
        survey = text.read(spellings)
        known = set(judged.qrels.judgments.queries)
        queries = pairs_of(
            [each for each in judged.qrels.judgments.queries if each not in survey.queries],
            [each for each in survey.queries if each not in known],
        )
        documents = spellings.pairs()
        pair = cls(judged, text, measures, queries, documents)
        if queries or documents:
            # What else is wrong shows only where queries and documents meet.
            pair.judged = Judged(judged.text, pair.spelled(queries=True, documents=True))
        if text.source is not None and survey.rows:
            pair.run = Run(short(text.name), ReadOnce(text.source))
            try:
                found = pair.run.match(pair.judged.qrels.judgments, Asked(LENIENT))
                pair.matched = cast("_native.Matched", found)  # text is the kernel's to match
            except DataError as error:
                text.refuse("refused", without_stop(error))
        return pair

    def spelled(self, *, queries: bool, documents: bool) -> Qrels:
        """The judgments with their queries, or documents, written as the run writes them."""
        tokens = {each: token for each, (token, _) in self.documents.items()} if documents else {}
        return self.given.respelled(self.queries if queries else {}, tokens)

    @property
    def name(self) -> str:
        """What findings call the run."""
        return self.text.name

    @cached_property
    def rows(self) -> JudgedRows:
        """The rows of judged documents."""
        assert self.matched is not None
        return rows_of(self.judged.qrels.judgments, self.matched)

    @cached_property
    def retrieved(self) -> NDArray[np.bool_]:
        """Which judged queries the run has."""
        assert self.matched is not None
        return np.asarray(self.matched.length >= 0)

    @cached_property
    def judged_at_depth(self) -> tuple[int, int]:
        """How many of the documents at the top of the lists are judged, and how many there are."""
        top = (self.rows.rank <= DEPTH) & (self.rows.grade >= 0)
        return int(np.count_nonzero(top)), int(np.minimum(self.rows.length, DEPTH).sum())

    def scores(
        self, *, qrels: Qrels | None = None, change: Callable[..., Any] | None = None, **axes: Any
    ) -> Scores | None:
        """The scores under other decisions, other judgments or another text; None if there are none.

        Args:
            qrels: other judgments.
            change: what is done to the lines.
            axes: axes of the policy.
        """
        if self.run is None or self.matched is None:
            return None
        run = self.run
        if change is not None:
            from karat.diagnosis.check.rewriting import rewritten

            assert self.text.source is not None
            run = Run(run.name, TextRun(rewritten(self.text.source, change)))
        try:
            found = evaluate(qrels or self.judged.qrels, run, self.measures, policy=LENIENT.changed(**axes))
        except DataError:
            return None
        return None if len(found.counts.missing) == found.counts.judged else found  # as karat eval refuses it

    def means(self, **how: Any) -> dict[str, float]:
        """The means under other decisions; nothing if there are none."""
        scores = self.scores(**how)
        return {} if scores is None else scores.means()

    def alternatives(self, **axes: dict[str, Any]) -> Values:
        """The means of several decisions, by name."""
        found = {name.replace("_", " "): self.means(**how) for name, how in axes.items()}
        return {name: means for name, means in found.items() if means}


def told(values: Values) -> str:
    """The means under alternatives, for a reader: ``AP 0.1740 in order of lines, 0.0483 by id``."""
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
    """Whether any mean differs visibly between the alternatives."""
    columns = zip(*(means.values() for means in values.values()))
    return any(max(column) - min(column) > SEEN for column in columns)
