"""What the tests say of each pair of runs, as arrays; nothing is corrected for the number of comparisons here."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.findings import FAMILY_WISE, Pair
from karat.comparison.statistics import (
    bayes,
    equivalence,
    max_flip,
    paired,
    randomised_tukey,
    resample_means,
    sign_flip,
    wins,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.comparison.findings import Settings
    from karat.comparison.observations import Table
    from karat.lists.rows import Floats, Integers

__all__ = ["Outcome", "margins", "outcome_of"]

AT_ONCE = 4_000_000
"""Differences that are held at the same time."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is found of all pairs, one number a pair: the fields of ``Pair``, and what else joint intervals need.

    Args:
        freedom: the degrees of freedom of the pair's t.
        cut: the largest difference that a test of all pairs at once does not find significant; NaN of other tests.
    """

    a: Integers
    b: Integers
    n: Integers
    difference: Floats
    low: Floats
    high: Floats
    d_z: Floats
    wins: Integers
    ties: Integers
    losses: Integers
    p: Floats
    adjusted: Floats
    exact: NDArray[np.bool_]
    error: Floats
    detectable: Floats
    identical: NDArray[np.bool_]
    p_equivalent: Floats
    p_worse: Floats
    p_same: Floats
    p_better: Floats
    joint_low: Floats
    joint_high: Floats
    freedom: Floats
    cut: Floats

    @classmethod
    def empty(cls, first: Integers, second: Integers) -> Outcome:
        """Nothing found yet."""
        count = len(first)
        columns: dict[str, Any] = {each.name: np.full(count, np.nan) for each in fields(cls)}
        columns |= {name: np.zeros(count, np.int64) for name in ("n", "wins", "ties", "losses")}
        columns |= {name: np.zeros(count, bool) for name in ("exact", "identical")}
        return cls(**columns | {"a": first, "b": second})

    def pairs(self, settings: Settings) -> tuple[Pair, ...]:
        """One ``Pair`` each."""
        columns = {each.name: getattr(self, each.name).tolist() for each in fields(Pair)}
        nothing = [None] * len(self.a)
        if settings.margin is None:
            columns["p_equivalent"] = nothing
        if settings.rope is None:
            columns |= dict.fromkeys(("p_worse", "p_same", "p_better"), nothing)
        return tuple(Pair(*row) for row in zip(*columns.values(), strict=True))


def outcome_of(table: Table, first: Integers, second: Integers, settings: Settings) -> tuple[Outcome, bool]:
    """Differences, intervals and the p of every pair; and whether a p is a limit taken in place of resamples."""
    outcome = Outcome.empty(first, second)
    for shared, places in table.shared(first, second):
        outcome.n[places] = len(shared.values)
        if not len(shared.values):
            continue
        seen = shared.observed()
        step = max(1, AT_ONCE // len(seen))
        for start in range(0, len(places), step):
            describe(outcome, places[start : start + step], shared, seen, settings)
        test(outcome, places, shared, seen, settings)
        if shared.geometric or settings.interval == "bootstrap":
            bootstrap(outcome, places, shared, seen, settings)
    limit = settings.test in FAMILY_WISE and test_together(outcome, table.complete(), settings)
    outcome.p[outcome.identical] = 1.0
    return outcome, limit


def describe(outcome: Outcome, places: Integers, table: Table, seen: Floats, settings: Settings) -> None:
    """Write the paired t-test of some pairs, and what else is known without resampling."""
    one, other = outcome.a[places], outcome.b[places]
    differences = seen[:, one] - seen[:, other]
    found = paired(differences, confidence=settings.confidence, clusters=table.clusters)
    outcome.difference[places], outcome.low[places], outcome.high[places] = found.mean, found.low, found.high
    outcome.d_z[places], outcome.detectable[places] = found.d_z, found.detectable
    outcome.freedom[places] = found.df
    outcome.wins[places], outcome.ties[places], outcome.losses[places] = wins(
        table.sign * (table.values[:, one] - table.values[:, other])
    )
    outcome.identical[places] = outcome.ties[places] == len(seen)
    outcome.p[places], outcome.error[places] = found.p, 0.0
    if settings.margin is not None:
        outcome.p_equivalent[places] = equivalence(differences, settings.margin, clusters=table.clusters)
    if settings.rope is not None:
        chances = bayes(differences, settings.rope, clusters=table.clusters)
        outcome.p_worse[places], outcome.p_same[places], outcome.p_better[places] = chances


def test(outcome: Outcome, places: Integers, table: Table, seen: Floats, settings: Settings) -> None:
    """Write the p of a test that looks at one pair at a time and is not the t-test."""
    couples = np.stack([outcome.a[places], outcome.b[places]], axis=1)
    if settings.test == "randomisation":
        found = sign_flip(
            seen, couples, resamples=settings.resamples, seed=settings.seed, clusters=table.clusters
        )
        outcome.p[places], outcome.exact[places], outcome.error[places] = found.p, found.exact, found.error
    elif settings.test == "sign":
        outcome.p[places] = sign_test(outcome.wins[places], outcome.losses[places])
    elif settings.test == "wilcoxon":
        outcome.p[places] = [wilcoxon(seen[:, one] - seen[:, other]) for one, other in couples]


def test_together(outcome: Outcome, table: Table, settings: Settings) -> bool:
    """Write the p of a test that looks at all pairs at once; whether it is a limit in place of resamples."""
    if not len(table.values):
        return False
    couples = np.stack([outcome.a, outcome.b], axis=1)
    statistic = randomised_tukey if settings.test == "tukey" else max_flip
    found = statistic(
        table.observed(),
        couples,
        resamples=settings.resamples,
        seed=settings.seed,
        clusters=table.clusters,
        alpha=settings.alpha * len(outcome.a) / settings.comparisons,
    )
    outcome.cut[:] = found.cut
    outcome.adjusted[:] = np.where(outcome.identical, 1.0, found.p)
    outcome.exact[:], outcome.error[:] = found.exact, found.error
    return found.limit


def sign_test(won: Integers, lost: Integers) -> Floats:
    """The two-sided sign test; equal queries are left out."""
    from scipy.special import bdtr

    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(won, lost), won + lost, 0.5)))


def wilcoxon(differences: Floats) -> float:
    """Wilcoxon's signed-rank test, two-sided; equal queries are left out."""
    from scipy.stats import wilcoxon as signed_ranks

    # Rounded, so that differences that are equal but for the last bit share a rank.
    differences = np.round(differences, 12)
    return float(signed_ranks(differences).pvalue) if differences.any() else 1.0


def bootstrap(outcome: Outcome, places: Integers, table: Table, seen: Floats, settings: Settings) -> None:
    """Write the difference of the aggregates with its percentile interval over resampled queries."""
    means = resample_means(
        seen, resamples=settings.resamples or 10_000, seed=settings.seed, clusters=table.clusters
    )
    centre = seen.mean(axis=0)
    if table.geometric:
        means, centre = np.exp(means), np.exp(centre)
    tail = (1 - settings.confidence) / 2
    step = max(1, AT_ONCE // len(means))
    for start in range(0, len(places), step):
        part = places[start : start + step]
        one, other = outcome.a[part], outcome.b[part]
        outcome.difference[part] = centre[one] - centre[other]
        ends = np.quantile(means[:, one] - means[:, other], [tail, 1 - tail], axis=0)
        outcome.low[part], outcome.high[part] = ends
        if table.geometric:  # known for logarithms only
            outcome.detectable[part] = np.nan


def margins(table: Table, settings: Settings) -> tuple[Floats, Floats]:
    """The interval of each run's own aggregate."""
    runs = np.arange(table.values.shape[1])
    low, high = np.full(len(runs), np.nan), np.full(len(runs), np.nan)
    for own, places in table.shared(runs, runs):
        if not len(own.values):
            continue
        seen = own.observed()[:, places]
        if settings.interval == "bootstrap":
            tail = (1 - settings.confidence) / 2
            means = resample_means(
                seen, resamples=settings.resamples or 10_000, seed=settings.seed, clusters=own.clusters
            )
            low[places], high[places] = np.quantile(means, [tail, 1 - tail], axis=0)
        else:
            found = paired(seen, confidence=settings.confidence, clusters=own.clusters)
            low[places], high[places] = found.low, found.high
    return (np.exp(low), np.exp(high)) if table.geometric else (low, high)
