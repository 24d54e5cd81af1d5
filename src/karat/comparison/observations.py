"""What is compared: each measure's values by query and run, and the numbers that a test sees of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.evaluation.values import GEOMETRIC_FLOOR, aggregate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat.evaluation.scores import Scores
    from karat.lists.rows import Floats, Integers
    from karat.measures import Measure

__all__ = ["Table", "tables_of"]


@dataclass(frozen=True, eq=False)
class Table:
    """One measure's values of all runs.

    Args:
        label: what the measure is called.
        measure: the measure.
        values: NaN where a run has none [queries, runs].
        weights: what each value weighs in its mean, or None [queries, runs].
        clusters: the cluster of each query, or None [queries].
    """

    label: str
    measure: Measure
    values: Floats
    weights: Floats | None = None
    clusters: Integers | None = None

    @property
    def geometric(self) -> bool:
        """Whether the aggregate is a geometric mean, so that tests see logarithms."""
        return self.measure.definition.aggregate == "geometric"

    @property
    def sign(self) -> float:
        """1 where larger is better, else -1."""
        return -1.0 if self.measure.definition.smaller_is_better else 1.0

    @property
    def means(self) -> tuple[float, ...]:
        """Each run's aggregate."""
        how, found = self.measure.definition.aggregate, []
        for place, values in enumerate(self.values.T):
            there = ~np.isnan(values)
            weights = None if self.weights is None else self.weights[there, place]
            found.append(aggregate(values[there], how, weights))
        return tuple(found)

    def part(self, rows: Any) -> Table:
        """The table of some queries."""
        return replace(
            self,
            values=self.values[rows],
            weights=None if self.weights is None else self.weights[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
        )

    def observed(self) -> Floats:
        """Numbers whose plain mean is the aggregate (of a geometric mean its logarithm) [queries, runs]."""
        values, n = self.values, len(self.values)
        if self.measure.definition.aggregate == "sum":
            return values * n
        if self.geometric:
            values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
        if self.weights is None:
            return values
        with np.errstate(invalid="ignore", divide="ignore"):
            share: Floats = self.weights * (n / self.weights.sum(axis=0))
        return np.where(self.weights > 0, values, 0.0) * share

    def shared(self, first: Integers, second: Integers) -> Iterator[tuple[Table, Integers]]:
        """Pairs of runs that have the same queries in common: the table of these queries, and the pairs."""
        there = ~np.isnan(self.values)
        if there.all():
            yield self, np.arange(len(first))
            return
        groups: dict[bytes, list[int]] = {}
        for place, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            groups.setdefault((there[:, one] & there[:, other]).tobytes(), []).append(place)
        for mask, places in groups.items():
            yield self.part(np.frombuffer(mask, bool)), np.array(places)

    def complete(self) -> Table:
        """The table of the queries that all runs have."""
        return self.part(~np.isnan(self.values).any(axis=1))


def tables_of(scores: Sequence[Scores]) -> tuple[tuple[str, ...], list[Table]]:
    """The queries that any run has, in byte order, and each measure's values of all runs."""
    first = scores[0]
    if all(each.queries == first.queries for each in scores):
        queries = first.queries
    else:
        every = {query for each in scores for query in each.queries}
        queries = tuple(sorted(every, key=lambda query: query.encode("utf-8", "surrogateescape")))
    row = {query: place for place, query in enumerate(queries)}
    shape = (len(first.labels), len(queries), len(scores))
    values, weights = np.full(shape, np.nan), np.ones(shape)
    for place, each in enumerate(scores):
        rows = slice(None) if each.queries == queries else [row[query] for query in each.queries]
        kept = each.values if each.counted is None else np.where(each.counted, each.values, np.nan)
        values[:, rows, place] = kept.T
        if each.weights is not None:
            weights[:, rows, place] = each.weights.T
    return queries, [
        Table(label, measure, values[place], weights[place] if weighted(weights[place], measure) else None)
        for place, (label, measure) in enumerate(zip(first.labels, first.measures, strict=True))
    ]


def weighted(weights: Floats, measure: Measure) -> bool:
    """Whether queries weigh differently in the aggregate; a count is a count."""
    return measure.definition.aggregate != "sum" and bool((weights != weights[:1]).any())
