"""``carob.evaluate_collections``, the values of runs on several collections in one table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob._version import __version__
from carob.comparison.collection_notes import OnCollections
from carob.comparison.collection_scores import scored
from carob.comparison.findings import say
from carob.conventions.policy import Policy
from carob.evaluation.score_tables import (
    MISSING,
    NO_VALUE,
    conventions_of,
    document_of,
    readings,
    shown,
    with_missing,
)
from carob.evaluation.scores import Scores, ScoresByRun
from carob.inputs.names import Names
from carob.matching.match import Counts
from carob.output.document import Document, Items, Line, Section, Table
from carob.output.layout import apart, lay_out
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from carob.comparison.collection_scores import CollectionsLike, Scored
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.measures import Measure

LONGEST_NAME = 24
"""The most columns of a name in text, where tables have to fit."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectionsScores(OnCollections):
    """The values of runs on several collections. ``str(scores)`` returns a table for each measure, with footers.

    Args:
        collections: the collections.
        names: the runs.
        scores: the scores of each collection by run; empty where only means are known.
        lacking: the pairs of a run and a collection that lacks it.
        notes: what is known about the data of each run in each collection.
        measures: the measures by label.
        values: the mean of each run on each collection, by label and collection; NaN for a missing run.
        absent: how missing runs are treated, as in ``evaluate_collections``.

    Example:
        >>> import carob
        >>> values = {"web": {"a": 0.3, "b": 0.4}, "news": {"a": 0.2, "b": 0.5}}
        >>> found = carob.evaluate_collections(values, "AP")
        >>> found.means("AP"), found.values["AP"]["news"]["b"]
        ({'a': 0.25, 'b': 0.45}, 0.5)
    """

    measures: dict[str, Measure]
    values: dict[str, dict[str, dict[str, float]]]
    absent: str = "skip"

    def means(self, measure: str) -> dict[str, float]:
        """Returns the macro mean of each run over all collections; NaN for a run that one lacks.

        Args:
            measure: the label of the measure.

        Raises:
            KeyError: the measure was not evaluated.
        """
        columns = [[its[run] for its in self.values[measure].values()] for run in self.names]
        return {run: math.fsum(each) / len(each) for run, each in zip(self.names, columns, strict=True)}

    def by_collection(self) -> ScoresByRun:
        """Returns the scores of each run with collections in the place of queries, as ``carob.best`` takes them."""
        ids = Names.of_bytes(sorted(each.encode("utf-8", "surrogateescape") for each in self.collections))
        policy = Policy() if self.first is None else self.first.policy
        made = []
        for run in self.names:
            matrix = np.array(
                [[self.values[label][name][run] for label in self.measures] for name in ids.texts]
            )
            made.append(
                Scores(
                    name=run,
                    labels=tuple(self.measures),
                    measures=tuple(self.measures.values()),
                    ids=ids,
                    matrix=np.nan_to_num(matrix),
                    policy=policy,
                    counts=Counts(queries=len(ids), judged=len(ids)),
                    bounds={},
                    counted=None if not np.isnan(matrix).any() else ~np.isnan(matrix),
                )
            )
        return ScoresByRun(made)

    def without(self, collections: Collection[str]) -> CollectionsScores:
        """Returns the scores without some collections, and without what is known about their data."""
        kept = [name for name in self.collections if name not in collections]
        return replace(
            self,
            collections=tuple(kept),
            values={label: {name: its[name] for name in kept} for label, its in self.values.items()},
            scores={name: self.scores[name] for name in kept if name in self.scores},
            lacking=tuple(each for each in self.lacking if each[1] in kept),
            notes=tuple(each for each in self.notes if each.collection in kept),
        )

    # ------------------------------------------------------------ sentences

    def heading(self) -> str:
        """Returns the number of collections, runs and queries."""
        size = {"collections": len(self.collections), "runs": len(self.names)}
        if not self.scores:
            return say("collections", "heading:means", **size)
        queries = sum(max(len(each.ids) for each in its.values()) for its in self.scores.values() if its)
        return say("collections", "heading", **size, queries=queries)

    def footers(self) -> list[str]:
        """Returns the sentences about the data that are not warnings, about the means, and the policy."""
        said = [*self.remarks, say("collections", "average:macro")]
        if self.first is not None:
            parts = [conventions_of(self.first), *(each.told() for each in readings(self.first))]
            said.append(f"carob {__version__}, {' · '.join(parts)}.")
        return said

    def warnings(self) -> list[str]:
        """Returns the doubts about the data, and the missing runs."""
        key = "no mean" if self.absent == "skip" else f"absent:{self.absent}"
        return [*self.doubts, *self.lacks(key)]

    # ------------------------------------------------------------ formats

    def document(
        self, layout: str = "text", *, digits: int | None = None, per_query: bool = False
    ) -> Document:
        """Returns a table of runs and collections for each measure, and the sentences below.

        Args:
            layout: ``text``, ``markdown``, ``latex`` or ``html``.
            digits: the number of decimals; by default those of the profile.
            per_query: whether to show a table of all queries instead.
        """
        places = digits if digits is not None else 4 if self.first is None else self.first.digits
        if per_query:
            header, rows = self.rows(places, per_query=True)
            tables = [Section([Table(header, rows, 3, 3)])]
        else:
            tables = [Section([self.table(label, layout, places)], label) for label in self.measures]
        warned = [Line(each, mark="! ", tone="warning") for each in self.warnings()]
        below = Section([Items(self.footers(), "footer", hang=0)])
        size = {"runs": len(self.names), "collections": len(self.collections)}
        title = say("collections", "title", **size) if layout == "html" else ""
        return Document([Section([Line(self.heading())]), *tables, below, Section(warned)], title)

    def table(self, label: str, layout: str, digits: int) -> Table:
        """Returns the values by one measure: a row for each run, a column for each collection, and the mean."""
        names, titles = list(self.names), list(self.collections)
        if layout == "text":
            names, titles = apart(names, LONGEST_NAME), apart(titles, LONGEST_NAME)
        cell, means = self.cell(label, digits), self.means(label)
        rows = [
            [name, *(cell(self.values[label][each][run]) for each in self.collections), cell(means[run])]
            for run, name in zip(self.names, names, strict=True)
        ]
        return Table(["run", *titles, "macro\nmean"], rows, 1)

    def cell(self, label: str, digits: int | None) -> Callable[[float], str]:
        """Returns the function that writes a value of a measure."""
        kind = self.measures[label].definition.aggregate
        absent = "" if digits is None else NO_VALUE
        return lambda value: absent if math.isnan(value) else shown(value, kind, digits)

    def rows(self, digits: int | None, *, per_query: bool = False) -> tuple[list[str], list[list[str]]]:
        """Returns the header and a row for each collection and run, or for each of their queries and for all of them.

        Args:
            digits: the number of decimals; None for full precision.
            per_query: whether there is a row for each query.
        """
        exact = per_query and digits is None
        header = ["collection", "run", *["query"] * per_query, *self.measures, *[MISSING] * exact]
        cells = {label: self.cell(label, digits) for label in self.measures}
        found = []
        for name in self.collections:
            for run in self.names:
                scores, rows = self.scores.get(name, {}).get(run), []
                if per_query and scores is not None:
                    by_query = {label: scores.by_query(label) for label in self.measures}
                    rows = [
                        [query, *(cells[label](its.get(query, math.nan)) for label, its in by_query.items())]
                        for query in scores.queries
                    ]
                whole = [cells[label](its[name][run]) for label, its in self.values.items()]
                whole = [*["all"] * per_query, *whole]
                if exact:
                    rows = [[*whole, ""]] if scores is None else with_missing(scores, rows, whole)
                else:
                    rows.append(whole)
                found += [[name, run, *row] for row in rows]
        return header, found

    def separated(self, layout: str) -> str:
        """Returns CSV or TSV with a row for each query of each collection and run, and one for all, in full precision.

        Args:
            layout: ``csv`` or ``tsv``.
        """
        return lay_out(layout, *self.rows(None, per_query=True), 3)

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``collections``, with a row for each collection and run, and the table of ``notes``."""
        return {"collections": self.cell_records, "notes": self.note_records}

    def cell_records(self) -> Records:
        """Returns a row for each collection and run."""
        rows = [
            (name, run, *(its[name][run] for its in self.values.values()))
            for name in self.collections
            for run in self.names
        ]
        written = {label: self.cell(label, None) for label in self.measures}
        return Records(["collection", "run", *self.measures], rows, written)

    def contents(self, *, per_query: bool = False) -> dict[str, Any]:
        """Returns the JSON document of each collection, as that of ``carob eval``, with means over collections.

        Args:
            per_query: whether to include the per-query scores.
        """
        documents = [
            {
                "name": name,
                "runs": document_of(list(self.scores[name].values()), per_query=per_query)["runs"]
                if self.scores.get(name)
                else [
                    {"name": run, "means": {label: its[name][run] for label, its in self.values.items()}}
                    for run in self.names
                ],
            }
            for name in self.collections
        ]
        return {
            "collections": documents,
            "means": {label: self.means(label) for label in self.measures},
            "measures": {label: str(each) for label, each in self.measures.items()},
            "lacking": [{"run": run, "collection": name} for run, name in self.lacking],
            "absent": self.absent,
            **self.known(),
        }


def evaluate_collections(
    collections: CollectionsLike,
    measures: MeasuresLike = None,
    *,
    runs: Sequence[tuple[str | None, str]] = (),
    absent: str = "skip",
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> CollectionsScores:
    """Score runs on several collections: a table of runs and collections for each measure.

    Args:
        collections: as in ``carob.compare_collections``.
        measures: names or ``Measure``s. None stands for carob's default measures.
        runs: as in ``carob.compare_collections``.
        absent: how to treat a run that a collection lacks: ``skip`` leaves its value and its mean out; ``refuse``,
            ``zero``, ``drop-collections`` and ``drop-runs`` as in ``carob.compare_collections``.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Returns:
        The values, the scores of each run in each collection, and what is known about the data.

    Raises:
        DataError: invalid input, or a missing run, unless ``absent`` allows it.
        MeasureError: a measure that does not exist.
        PolicyError: ``absent`` is another word.

    Example:
        >>> import carob
        >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2.0, "d1": 1.0}}
        >>> found = carob.evaluate_collections({"web": (qrels, {"a": run}), "news": (qrels, {"a": qrels})}, "RR")
        >>> found.means("RR"), found.scores["web"]["a"].by_query("RR")
        ({'a': 0.75}, {'q1': 0.5})
    """
    return evaluated_collections(
        scored(collections, runs, measures, absent=absent, policy=policy, profile=profile, least=1), absent
    )


def evaluated_collections(found: Scored, absent: str) -> CollectionsScores:
    """Returns the values of runs on several collections, after the decision about missing runs."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    for label, its in found.values.items():
        values[label] = {}
        for name, each in zip(found.collections, its, strict=True):
            own = found.scores.get(name, {})
            values[label][name] = {
                # The mean of a run's own queries, not of those that all runs have.
                run: own[run][label] if run in own else mean
                for run, mean in zip(found.runs, each.means.tolist(), strict=True)
            }
    return CollectionsScores(
        found.collections,
        found.runs,
        found.scores,
        found.lacking,
        found.notes,
        found.measures,
        values,
        absent,
    )
