"""The data of a comparison on several collections: its settings, and its results by measure, pair and collection."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.statistics import SEED
from carob.statistics.paired import RESAMPLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.statistics.mean_ranks import Friedman


@dataclass(frozen=True)
class AcrossSettings:
    """The settings of a comparison on several collections, as in ``compare_collections``.

    Args:
        target: whether p and intervals concern collections ``similar`` to these, or ``these`` collections.
        average: ``macro`` or ``micro``.
        absent: how runs that a collection lacks are treated.
        correction: the correction for the number of pairs.
        alpha: the level of significance.
        confidence: the confidence level of the intervals.
        interval: ``t`` or ``bootstrap``.
        rope: half the width of the region of practical equivalence, or None.
        friedman_ties: ``uncorrected`` or ``corrected``.
        borda_of: ``all`` or ``present``.
        resamples: the number of resamples.
        seed: their seed.
        baseline: the run with which the others are compared; None for all pairs.
    """

    target: str = "similar"
    average: str = "macro"
    absent: str = "refuse"
    correction: str = "holm"
    alpha: float = 0.05
    confidence: float = 0.95
    interval: str = "t"
    rope: float | None = None
    friedman_ties: str = "uncorrected"
    borda_of: str = "all"
    resamples: int = RESAMPLES
    seed: int = SEED
    baseline: str | None = None


@dataclass(frozen=True)
class AcrossPair:
    """The comparison of two runs on several collections. The difference is the first run minus the second.

    Args:
        a: the index of the first run.
        b: the index of the second.
        collections: the number of collections that have both runs.
        difference: the difference of their means over these collections.
        low: the lower end of its interval.
        high: the upper end.
        p: the uncorrected p of the difference, by Student's t.
        adjusted: this p, corrected for the number of pairs.
        wins: the number of collections on which the first run is better.
        ties: the number of collections on which both have the same mean.
        losses: the number of collections on which the second run is better.
        wilcoxon: the uncorrected, exact p of Wilcoxon's signed-rank test over collections.
        wilcoxon_adjusted: this p, corrected for the number of pairs.
        nemenyi: the p of Nemenyi's test; None with fewer than two complete collections.
        p_worse: the probability that the first run is worse by more than the rope, by the Bayesian signed-rank test;
            None if it was not computed.
        p_same: the probability that the difference lies within the rope.
        p_better: the probability that the first run is better by more than the rope.
    """

    a: int
    b: int
    collections: int
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    wins: int
    ties: int
    losses: int
    wilcoxon: float
    wilcoxon_adjusted: float
    nemenyi: float | None = None
    p_worse: float | None = None
    p_same: float | None = None
    p_better: float | None = None


@dataclass(frozen=True)
class OneCollection:
    """The results of one collection by one measure. Lists are by run.

    Args:
        name: the collection.
        queries: the number of queries; None where only means are known.
        left_out: the number of queries that were left out, because a run has no value for them.
        means: the mean of each run; NaN for a missing run.
        ranks: the mid-rank of each run, where 1 is the best; NaN for a missing run.
        beaten: the indices of the runs that each run significantly outperforms on this collection; None where only
            means are known, and for more than 100 runs.
    """

    name: str
    queries: int | None
    left_out: int
    means: tuple[float, ...]
    ranks: tuple[float, ...]
    beaten: tuple[tuple[int, ...], ...] | None


@dataclass(frozen=True)
class Across:
    """The comparison of runs on several collections by one measure. Lists are by run.

    Args:
        label: the measure.
        smaller_is_better: whether a lower value is better.
        collections: the results of each collection.
        means: the mean over collections, by the chosen average.
        low: the lower end of its interval.
        high: the upper end.
        macro: the mean of the collections' means.
        micro: the mean over all queries; None where only means are known.
        counts: the number of collections that have the run.
        pairs: the pairs of runs.
        groups: the largest groups of neighbours, in the order of the means, of which no two differ significantly.
        complete: the number of collections that have all runs, on which runs are ranked.
        mean_ranks: the mean of the ranks on these collections.
        rank_low: the lower end of the interval of the run's place by its mean, over resamples.
        rank_high: the upper end.
        best: the share of resamples in which the run has the best mean.
        borda: Borda points.
        friedman: Friedman's test; None with fewer than two complete collections.
        critical_difference: Nemenyi's critical difference of mean ranks.
        rank_groups: the largest groups of runs whose mean ranks differ by less than the critical difference.
        resamples: the number of resamples.
        other_target: the number of pairs that differ significantly for the other target; None if it is unknown.
    """

    label: str
    smaller_is_better: bool
    collections: tuple[OneCollection, ...]
    means: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    macro: tuple[float, ...]
    micro: tuple[float, ...] | None
    counts: tuple[int, ...]
    pairs: tuple[AcrossPair, ...]
    groups: tuple[tuple[int, ...], ...]
    complete: int
    mean_ranks: tuple[float, ...] | None
    rank_low: tuple[int, ...] | None
    rank_high: tuple[int, ...] | None
    best: tuple[float, ...] | None
    borda: tuple[float, ...]
    friedman: Friedman | None
    critical_difference: float | None
    rank_groups: tuple[tuple[int, ...], ...]
    resamples: int
    other_target: int | None

    @cached_property
    def order(self) -> list[int]:
        """The runs with the most collections from the best to the worst mean, then all others likewise."""
        return best_first(self.means, -1.0 if self.smaller_is_better else 1.0, self.counts)

    @cached_property
    def filled(self) -> int:
        """The number of collections that have a run."""
        return sum(any(not math.isnan(mean) for mean in each.means) for each in self.collections)

    @cached_property
    def whole(self) -> list[int]:
        """The runs that all these collections have, best first: only their means are comparable."""
        return [run for run in self.order if self.counts[run] == self.filled]

    @property
    def queries(self) -> int | None:
        """The number of queries of all collections; None where only means are known."""
        known = [each.queries for each in self.collections]
        return None if None in known else sum(each or 0 for each in known)


def best_first(means: Sequence[float], sign: float, counts: Sequence[int]) -> list[int]:
    """Returns the runs with the most collections from the best to the worst mean, then all others likewise.

    Means over different collections are not comparable. Runs whose mean is NaN are last.

    Args:
        means: the mean of each run.
        sign: 1 if larger means are better, else -1.
        counts: the number of collections that have the run.
    """
    most = max(counts, default=0)
    return sorted(
        range(len(means)), key=lambda run: (math.isnan(means[run]), counts[run] < most, -sign * means[run])
    )
