"""``carob.unjudged_bounds``, which shows in tables and sentences what judging the unjudged documents could change."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import request_of
from carob.estimation.bounds import Bounds, MeasureBounds, all_pairs, bounds_of
from carob.evaluation.engine import judgments_for
from carob.inputs.run import runs_in
from carob.output.document import Document, Documented, Items, Section, Table
from carob.output.layout import decimals
from carob.output.pictures.figures import whiskers
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.inputs.qrels import QrelsLike
    from carob.output.pictures.figures import Drawing


@dataclass(frozen=True, eq=False, repr=False)
class UnjudgedBounds(Documented):
    """The bounds of means and differences over all possible grades of the unjudged documents.

    If the result is called ``found``, ``found["nDCG@10"].runs[0]`` contains the bounds of the first run's mean, as
    ``low``, ``high`` and ``exact``, and ``found["nDCG@10"].pairs[0, 1]`` contains the bounds of the first run's mean
    minus the second's.

    Args:
        names: the names of the runs.
        measures: the bounds of each measure, by its label.
        digits: the number of decimals in tables.
        unseen: the number of documents per query that no run retrieves and whose grades are unknown.
    """

    names: tuple[str, ...]
    measures: dict[str, MeasureBounds]
    digits: int = 4
    unseen: int = 0

    def __getitem__(self, label: str) -> MeasureBounds:
        """Returns the bounds of the measure with the given label."""
        return self.measures[label]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return tuple(self.measures)

    def turning(self, label: str) -> list[tuple[int, int]]:
        """Returns the pairs in which either run could be better, depending on the missing judgments."""
        return [pair for pair, each in self.measures[label].pairs.items() if each.low < 0 < each.high]

    def cell(self, bounds: Bounds, *, sign: bool = False) -> str:
        """Returns bounds as text, with a mark if they are inner bounds."""
        low, high = (decimals(each, self.digits, sign=sign) for each in (bounds.low, bounds.high))
        return f"{low}–{high}{'' if bounds.exact else ' *'}"

    def of_difference(self, label: str, first: int, second: int) -> Bounds:
        """Returns the bounds of the first run's mean minus the second's, whichever way round the pair is stored."""
        pairs = self.measures[label].pairs
        if (first, second) in pairs:
            return pairs[first, second]
        other = pairs[second, first]
        return Bounds(-other.high, -other.low, other.exact)

    def tables(self, facing: Sequence[tuple[int, int]] | None = None) -> list[Table]:
        """Returns a table of the runs' bounds and, if there are pairs, a table of the pairs' bounds.

        Args:
            facing: the pairs in the order of another table; None for the order in which the bounds were computed.
        """
        labels = list(self.measures)
        rows = []
        for place, name in enumerate(self.names):
            row = [name]
            for label in labels:
                its = self.measures[label]
                row += [f"{its.unjudged[place]} of {its.shown[place]}", self.cell(its.runs[place])]
            rows.append(row)
        header = ["run"]
        for label in labels:
            header += ["unjudged", label]
        tables = [Table(header, rows)]
        pairs = list(self.measures[labels[0]].pairs if facing is None else facing)
        if pairs:
            tables.append(
                Table(
                    ["difference", *labels],
                    [
                        [
                            f"{self.names[a]} - {self.names[b]}",
                            *(self.cell(self.of_difference(label, a, b), sign=True) for label in labels),
                        ]
                        for a, b in pairs
                    ],
                )
            )
        return tables

    def turned_said(self) -> list[str]:
        """Returns a sentence for each measure with pairs that judgments can still reverse, which names these pairs."""
        said = []
        for label in self.measures:
            turning = [f"{self.names[a]} - {self.names[b]}" for a, b in self.turning(label)]
            if turning:
                count = len(self.measures[label].pairs)
                said.append(
                    f"Judgments can still reverse {len(turning)} of {count} differences in {label}: "
                    f"{', '.join(turning[:5])}{', …' if len(turning) > 5 else ''}."
                )
        return said

    def meaning_said(self) -> list[str]:
        """Returns sentences that explain the bounds."""
        meaning = (
            "Bounds: the least and the greatest value over all grades of the unjudged documents that any of the runs "
            f"retrieves within the depth of the measure{self.unseen_said()}. All other documents count as not relevant."
            " The column unjudged counts the documents of all queries together."
        )
        said = [meaning]
        inner = [
            label
            for label, its in self.measures.items()
            if not all(each.exact for each in (*its.runs, *its.pairs.values()))
        ]
        if inner:
            said.append(
                f"* Inner bounds: for {', '.join(inner)}, not every combination of grades was tried, so the true "
                "bounds may be wider."
            )
        return said

    def unseen_said(self) -> str:
        """Returns the clause about unseen documents, or an empty text if there are none."""
        if not self.unseen:
            return ""
        return f", and of {self.unseen} more for each query, which no run retrieves"

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the tables and the sentences as a document."""
        tables = [Section([each]) for each in self.tables()]
        return Document([*tables, Section([Items([*self.turned_said(), *self.meaning_said()], hang=0)])])

    def contents(self) -> dict[str, Any]:
        """Returns the bounds of each run and pair under each measure, as they are written to JSON."""
        return {
            label: {
                "runs": [
                    {
                        "run": name,
                        "unjudged": its.unjudged[place],
                        "shown": its.shown[place],
                        **its.runs[place]._asdict(),
                    }
                    for place, name in enumerate(self.names)
                ],
                "pairs": [
                    {
                        "a": self.names[a],
                        "b": self.names[b],
                        **each._asdict(),
                        "can_turn": each.low < 0 < each.high,
                    }
                    for (a, b), each in its.pairs.items()
                ],
            }
            for label, its in self.measures.items()
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``runs`` and ``pairs``, by name."""
        return {"runs": lambda: self.record_of("runs"), "pairs": lambda: self.record_of("pairs")}

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the bounds of each run's mean, by the name of the figure."""
        rows = [
            (f"{name}, {label}", math.nan, its.runs[place].low, its.runs[place].high)
            for label, its in self.measures.items()
            for place, name in enumerate(self.names)
        ]
        return {"runs": lambda drawn: whiskers(drawn, rows, "mean")}

    def record_of(self, what: str) -> Records:
        """Returns a row for each measure and each run, or for each measure and each pair."""
        rows = [(label, *row.values()) for label, its in self.contents().items() for row in its[what]]
        ends = Bounds._fields
        own = {"runs": ("run", "unjudged", "shown", *ends), "pairs": ("a", "b", *ends, "can_turn")}
        return Records(["measure", *own[what]], rows)

    def beside(self) -> list[str]:
        """Returns sentences that explain the bounds, which a CSV table cannot contain."""
        return self.meaning_said()


@specified
def unjudged_bounds(
    qrels: QrelsLike,
    runs: Mapping[str, Any] | Sequence[Any],
    measures: MeasuresLike = None,
    *,
    pairs: bool = True,
    max_grade: float | None = arguments.MAX_GRADE,
    unseen: int = arguments.UNSEEN_DOCUMENTS,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> UnjudgedBounds:
    """Return the lowest and the highest value that are possible once the unjudged documents are judged.

    The unjudged documents are those that at least one run retrieves within the depth of the measure. They can also be
    part of the ideal ranking of a run that does not retrieve them. All other documents count as not relevant, unless
    ``unseen`` allows for relevant documents among them.

    Args:
        qrels: the judgments.
        runs: ``{name: run}``, or a list of runs.
        measures: as in ``carob.evaluate``.
        pairs: whether to bound the differences of all pairs of runs.
        max_grade: the highest grade that judges can give; by default the highest grade in the judgments.
        unseen: the number of documents per query that no run retrieves and that judges could still find relevant. They
            only affect the ideal ranking or the number of relevant documents.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Raises:
        DataError: a measure is not a mean over queries, or an input cannot be read.
        MeasureError: a measure does not exist.
        PolicyError: the policy leaves the order of documents undetermined, or it removes documents.

    Example:
        >>> import carob
        >>> runs = {"one": {"q": {"a": 2.0, "x": 1.0}}, "two": {"q": {"y": 2.0, "a": 1.0}}}
        >>> found = carob.unjudged_bounds({"q": {"a": 1}}, runs, "RR")
        >>> found["RR"].runs[1], found["RR"].pairs[0, 1]
        (Bounds(low=0.5, high=1.0, exact=True), Bounds(low=0.0, high=0.5, exact=True))
    """
    request = request_of(measures, profile, policy)
    judged = judgments_for(runs, qrels, request.policy).complete
    given = runs_in(runs)
    found = bounds_of(
        judged,
        given,
        request.asked,
        request.policy,
        pairs=all_pairs(len(given)) if pairs else (),
        max_grade=max_grade,
        unseen=unseen,
    )
    return UnjudgedBounds(tuple(each.name for each in given), found, unseen=unseen)
