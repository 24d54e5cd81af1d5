"""Values of one run per query and measure, their means, and the counts of the policy's decisions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat import _native
from karat.measures import Measure, parse_measure
from karat.output.errors import DataError, MeasureError, NotEvaluatedError
from karat.output.language import Sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from typing_extensions import Self

    from karat.conventions.policy import Policy
    from karat.inputs.sources import Provenance
    from karat.lists.rows import Floats, JudgedRows
    from karat.matching.match import Counts

GEOMETRIC_FLOOR = 1e-5
"""trec_eval's MIN_GEO_MEAN: smaller values count as this one in a geometric mean."""

sentence = Sentences(__file__)
"""Returns the sentence of an error of this package."""


@dataclass(frozen=True, eq=False, repr=False)
class Values(Mapping[str, float]):
    """The values of one run by query, with the counts of the policy's decisions."""

    name: str
    labels: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    matrix: Floats
    policy: Policy
    counts: Counts
    bounds: dict[str, tuple[float, float]]
    profile: str | None = None
    digits: int = 4
    counted: NDArray[np.bool_] | None = None
    weights: Floats | None = None
    errors: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, Provenance] = field(default_factory=dict)
    pools: dict[str, JudgedRows] = field(default_factory=dict, repr=False)
    warnings: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)

    def column(self, measure: str | Measure) -> int:
        """Returns the column of a measure, by karat's name or trec_eval's.

        Raises:
            MeasureError: the measure was not evaluated.
        """
        if measure in self.labels:
            return self.labels.index(str(measure))
        try:
            wanted = parse_measure(measure)
        except MeasureError as error:
            raise NotEvaluatedError(*error.args, remedy=error.remedy) from None
        if str(wanted) in self.labels:  # under a profile the measure itself may have parameters of its own
            return self.labels.index(str(wanted))
        if wanted not in self.measures:
            raise NotEvaluatedError(
                sentence("values", "not_evaluated", wanted=wanted, measures=", ".join(self.labels))
            )
        return self.measures.index(wanted)

    def __getitem__(self, measure: str | Measure) -> float:
        """Returns the aggregate over all queries: a mean, a sum for counts, or a geometric mean for GMAP."""
        place = self.column(measure)
        values = self.matrix[:, place]
        weights = None if self.weights is None else self.weights[:, place]
        if self.counted is not None:
            kept = self.counted[:, place]
            values, weights = values[kept], None if weights is None else weights[kept]
        return aggregate(values, self.measures[place].definition.aggregate, weights)

    def __contains__(self, measure: object) -> bool:
        """Returns whether the measure was evaluated."""
        try:
            return isinstance(measure, (str, Measure)) and self.column(measure) >= 0
        except MeasureError:
            return False

    def __iter__(self) -> Iterator[str]:
        """Returns the labels of the measures."""
        return iter(self.labels)

    def __len__(self) -> int:
        """Returns the number of measures."""
        return len(self.labels)

    def complete(self) -> Self:
        """Returns these values after checking that no measure failed.

        Raises:
            DataError: a measure has no values.
        """
        for sentence in self.failed.values():
            raise DataError(sentence)
        return self

    def means(self) -> dict[str, float]:
        """Returns the aggregate of every measure, by label."""
        return {label: self[label] for label in self.labels}

    def by_query(self, measure: str | Measure) -> dict[str, float]:
        """Returns each query's value, without queries that the measure leaves out."""
        place = self.column(measure)
        values = dict(zip(self.queries, self.matrix[:, place].tolist(), strict=True))
        if self.counted is None:
            return values
        kept = self.counted[:, place].tolist()
        return {query: value for (query, value), there in zip(values.items(), kept, strict=True) if there}


def aggregate(values: Floats, how: str, weights: Floats | None = None) -> float:
    """Returns the aggregate over queries, summed in byte order of their ids as in trec_eval.

    Weights apply to means but not to counts.
    """
    if how == "geometric":
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    if how == "sum":
        return added(values)
    whole = float(len(values)) if weights is None else added(weights)
    if whole == 0.0:
        return math.nan
    mean = added(values if weights is None else np.where(weights > 0, values * weights, 0.0)) / whole
    return math.exp(mean) if how == "geometric" else mean


def added(values: Floats) -> float:
    """Returns the sum, from the first value to the last."""
    return float(_native.total(np.ascontiguousarray(values), np.array([0, len(values)]))[0])
