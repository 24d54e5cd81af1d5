"""Multiple comparisons: Bonferroni, Holm and Benjamini-Hochberg; Tukey's tests, the studentized range, ANOVA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.statistics.resampling import (
    RESAMPLES,
    SEED,
    Flips,
    decisive,
    monte_carlo_error,
    positive,
    sign_flip,
    stream,
)
from karat.comparison.statistics.sums import checked_pairs, matrix, on_grid, summed
from karat.comparison.statistics.t_test import quantile
from karat.output.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from karat.lists.rows import Floats, Integers

__all__ = [
    "Anova",
    "anova",
    "benjamini_hochberg",
    "bonferroni",
    "holm",
    "paired_tukey",
    "randomised_tukey",
    "range_beyond",
    "studentized_range_beyond",
]


def bonferroni(p: ArrayLike) -> Floats:
    """Bonferroni: each p times the number of comparisons; the probability of any false finding stays below α.

    Args:
        p: the p-values of one family.

    Raises:
        DataError: a p is not between 0 and 1.

    Example:
        >>> bonferroni([0.01, 0.04, 0.6]).tolist()
        [0.03, 0.12, 1.0]
    """
    family = probabilities(p)
    return np.minimum(family * len(family), 1.0)


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down p (1979): valid wherever Bonferroni is, and never larger.

    The smallest p is multiplied by the number of comparisons, the next by one less, and so on; none is below an earlier
    one.

    Args:
        p: the p-values of one family.

    Raises:
        DataError: a p is not between 0 and 1.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    family = probabilities(p)
    order = np.argsort(family, kind="stable")
    stepped = np.maximum.accumulate(family[order] * np.arange(len(family), 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's step-up p (1995): the share of false findings among all findings stays below α.

    For exploration: among many true findings it allows some false ones.

    Args:
        p: the p-values of one family.

    Raises:
        DataError: a p is not between 0 and 1.

    Example:
        >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.04, 0.04]
    """
    family = probabilities(p)
    order = np.argsort(family, kind="stable")[::-1]
    stepped = np.minimum.accumulate(family[order] * len(family) / np.arange(len(family), 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def probabilities(p: ArrayLike) -> Floats:
    """Returns the p-values as a flat array, checked.

    Raises:
        DataError: a p is not between 0 and 1.
    """
    family: Floats = np.asarray(p, np.float64).reshape(-1)
    wrong = np.flatnonzero(~((family >= 0) & (family <= 1)))
    if len(wrong):
        raise DataError(
            f"p-value number {wrong[0]} (counted from 0) is {family[wrong[0]]}, not between 0 and 1."
        )
    return family


# ---------------------------------------------------------------- all runs against all

MANY = 500
"""The number of queries from which the permutation distribution of a mean is nearly normal."""

MOST = 150_000_000
"""Scores permuted at most, which takes some seconds; beyond, the normal limit is used."""

AT_ONCE = 1 << 18
"""Scores permuted at a time: 2 MB."""

RANGES_AT_ONCE = 64
"""Values of q integrated at a time: 4 MB."""


@dataclass(frozen=True)
class Anova:
    """A two-way analysis of variance, queries by runs, without replication.

    Args:
        queries: the number of queries.
        runs: the number of runs.
        ss_runs: sum of squares between runs.
        ss_queries: between queries.
        ss_rest: the residual sum of squares.
        ms_runs: mean square between runs.
        ms_queries: between queries.
        ms_rest: the residual mean square, with ``df`` degrees of freedom.
        f_runs: ms_runs / ms_rest.
        f_queries: ms_queries / ms_rest.
        p_runs: p of the hypothesis that all runs have the same mean.
        p_queries: p of the same for queries.
    """

    queries: int
    runs: int
    ss_runs: float
    ss_queries: float
    ss_rest: float
    ms_runs: float
    ms_queries: float
    ms_rest: float
    f_runs: float
    f_queries: float
    p_runs: float
    p_queries: float

    @property
    def df(self) -> int:
        """The residual degrees of freedom."""
        return (self.queries - 1) * (self.runs - 1)

    @property
    def error(self) -> float:
        """The standard error of a run's mean, without the variance between queries."""
        return float(np.sqrt(self.ms_rest / self.queries))

    def margin(self, confidence: float = 0.95) -> float:
        """Returns half the width of the interval of every run's mean, from the residual variance."""
        return quantile(confidence, self.df) * self.error


def anova(scores: ArrayLike) -> Anova:
    """Returns the two-way analysis of variance of scores by query and run (Sakai, Laboratory Experiments in IR, 2018).

    Args:
        scores: a score for each query and run, at least two of either [queries, runs].

    Raises:
        DataError: a score is not finite, or there is only one query or run.

    Example:
        >>> table = anova([[0.7, 0.5], [0.3, 0.1], [0.2, 0.3], [0.6, 0.2]])
        >>> f"F {table.f_runs:.3f}, p {table.p_runs:.3f}"
        'F 2.882, p 0.188'
    """
    from scipy.special import fdtrc

    table = matrix(scores)
    n, m = table.shape
    if n < 2 or m < 2:
        raise DataError(f"{n} queries by {m} runs have no variance to analyse: two of either are needed.")
    by_run, by_query, mean = table.mean(axis=0), table.mean(axis=1), table.mean()
    ss_runs = float(n * ((by_run - mean) ** 2).sum())
    ss_queries = float(m * ((by_query - mean) ** 2).sum())
    ss_rest = float(((table - by_query[:, None] - by_run + mean) ** 2).sum())
    ms_runs, ms_queries, ms_rest = ss_runs / (m - 1), ss_queries / (n - 1), ss_rest / ((n - 1) * (m - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        f_runs, f_queries = (np.float64(each) / ms_rest for each in (ms_runs, ms_queries))
    df = (n - 1) * (m - 1)
    p_runs, p_queries = (float(fdtrc(own, df, F)) for own, F in ((m - 1, f_runs), (n - 1, f_queries)))
    return Anova(
        n,
        m,
        ss_runs,
        ss_queries,
        ss_rest,
        ms_runs,
        ms_queries,
        ms_rest,
        float(f_runs),
        float(f_queries),
        p_runs,
        p_queries,
    )


def paired_tukey(scores: ArrayLike, pairs: ArrayLike | None = None) -> Floats:
    """Tukey's test of all pairs, paired by query: q = |difference| / √(ms_rest / n), studentized range.

    ``scipy.stats.tukey_hsd`` differs: it treats the runs as independent samples and so detects almost nothing here.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the pairs whose p is returned [pairs, 2]; every pair once if None. The family is always all runs.

    Returns:
        p of each pair, corrected for all.

    Raises:
        DataError: a score is not finite, there is only one query or run, or a pair names no run.

    Example:
        >>> paired_tukey([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]]).round(3).tolist()
        [0.185, 0.051, 0.595]
    """
    table = matrix(scores)
    variance = anova(table)
    chosen = checked_pairs(pairs, table.shape[1])
    difference = mean_differences(table, chosen)
    if variance.error <= 1e-12 * np.abs(table).max():
        return np.where(difference <= 1e-12 * np.abs(table).max(), 1.0, 0.0)
    return studentized_range_beyond(difference / variance.error, table.shape[1], variance.df)


def randomised_tukey(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    clusters: Any = None,
    alpha: float = 0.05,
) -> Flips:
    """Returns the randomised Tukey HSD test of all pairs of runs (Carterette, TOIS 2012; Sakai, 2018).

    If all runs are equally good, each query's scores could be permuted among them. p of a pair is the share of such
    permutations in which the best and the worst mean are at least as far apart as the pair's: (b + 1) / (resamples +
    1). For two runs it is the sign-flip test. Where permuting would take minutes (``MOST`` scores, and 500 queries or
    more), p comes from the limit of that distribution, the range of as many normals, and ``limit`` is set.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the pairs whose p is returned [pairs, 2]; every pair once if None. The family is always all runs.
        resamples: random permutations.
        seed: of their stream.
        clusters: a label for each query; queries of a cluster are permuted together.
        alpha: the level of ``cut``, the half-width of the simultaneous intervals.

    Returns:
        p of each pair, corrected for all, and how it was computed.

    Raises:
        DataError: a score is not finite, or a pair names no run.

    Example:
        >>> table = [[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1], [0.4, 0.4, 0.3]]
        >>> randomised_tukey(table, resamples=1000).p.round(2).tolist()
        [0.42, 0.03, 0.72]
    """
    table = matrix(scores)
    chosen = checked_pairs(pairs, table.shape[1])
    if table.shape[1] <= 2:
        return sign_flip(table, chosen, resamples=resamples, seed=seed, clusters=clusters)
    grid = on_grid(table)
    whole = summed(grid.whole, clusters)
    exact = np.zeros(len(chosen), np.bool_)
    if whole.size * positive(resamples) > MOST and len(whole) >= MANY:
        p = normal_limit(whole, chosen)
        cut = normal_cut(whole, alpha) * grid.unit / len(table)
        return Flips(p, np.zeros(len(p)), exact, resamples, seed, limit=True, cut=cut)
    widest = np.sort(dealt_ranges(whole, resamples, seed))
    total = whole.sum(axis=0)
    least = np.abs(total[chosen[:, 0]] - total[chosen[:, 1]]) - grid.tolerance
    p = (1 + len(widest) - np.searchsorted(widest, least)) / (resamples + 1)
    cut = (decisive(widest, alpha, drawn=True) + grid.tolerance) * grid.unit / len(table)
    return Flips(p, monte_carlo_error(p, exact, resamples), exact, resamples, seed, cut=cut)


def mean_differences(table: Floats, pairs: Integers) -> Floats:
    """Returns the absolute difference of the means of each pair."""
    mean = table.mean(axis=0)
    return np.asarray(np.abs(mean[pairs[:, 0]] - mean[pairs[:, 1]]))


def dealt_ranges(whole: Floats, resamples: int, seed: int) -> Floats:
    """Returns the range of the column sums after a random permutation of each row, one for each resample.

    A row is permuted by sorting keys with random high bits and the score itself in the low bits, which needs no
    indexing. Two keys of a row share their random bits, about 28, once in 600,000 rows of 30; these two are then in the
    order of their scores. A resample takes one 64-bit word of PCG64's raw stream for each score.
    """
    rows, runs = whole.shape
    value = (whole - whole.min(axis=1, keepdims=True)).astype(np.uint64)
    below = np.uint64((1 << int(value.max()).bit_length()) - 1)
    draw = stream(seed)
    step = max(AT_ONCE // whole.size, 1)
    ranges = np.empty(resamples)
    for first in range(0, resamples, step):
        count = min(step, resamples - first)
        keys = draw.random_raw((count, rows, runs))
        keys &= ~below
        keys |= value
        keys.sort(axis=-1)
        keys &= below
        sums = keys.sum(axis=1)
        ranges[first : first + count] = sums.max(axis=1) - sums.min(axis=1)
    return ranges


def normal_limit(whole: Floats, pairs: Integers) -> Floats:
    """Returns p of each pair if the permuted sums are independent normals with the rows' variances."""
    runs, scale = whole.shape[1], deviation(whole)
    total = whole.sum(axis=0)
    reach = np.abs(total[pairs[:, 0]] - total[pairs[:, 1]])
    return range_beyond(reach / scale, runs) if scale else np.ones(len(pairs))


def deviation(whole: Floats) -> float:
    """Returns the standard deviation of a permuted sum."""
    return float(np.sqrt(whole.var(axis=1, ddof=1).sum()))


def normal_cut(whole: Floats, alpha: float) -> float:
    """Returns the range of permuted sums that is exceeded with probability alpha, if they are normal."""
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_beyond(middle, whole.shape[1]) > alpha else (low, middle)
    return high * deviation(whole)


def range_beyond(reach: ArrayLike, means: int) -> Floats:
    """Returns the probability that the range of ``means`` independent standard normals is at least ``reach``.

    1 - means · ∫ φ(z) (Φ(z) - Φ(z - reach))**(means - 1) dz, by Gauss-Legendre quadrature.

    Args:
        reach: ranges, of any shape.
        means: the number of normals.

    Example:
        >>> range_beyond([2.7718], 2).round(4).tolist()
        [0.05]
    """
    return 1 - _range_within(reach, means)


def _range_within(reach: ArrayLike, means: int) -> Floats:
    """Returns the probability that the range is below ``reach``; exactly 0 where ``reach`` is 0.

    Summed row by row, not as a matrix product: BLAS sums in an order that depends on the other rows.
    """
    from scipy.special import ndtr

    wanted = np.asarray(reach, np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(128)
    z = 8.5 * nodes
    density = 8.5 * weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    between = np.maximum(ndtr(z) - ndtr(z - wanted[..., None]), 0.0)
    between **= means - 1
    between *= density
    return np.asarray(np.clip(means * between.sum(axis=-1), 0.0, 1.0))


def studentized_range_beyond(reach: ArrayLike, means: int, freedom: float) -> Floats:
    """Returns the probability that the studentized range, Tukey's q, is at least ``reach``.

    The mean of ``range_beyond`` over the estimated standard deviation, a chi with ``freedom`` degrees; exactly 1 at 0.
    Equals ``scipy.stats.studentized_range.sf``, which takes some milliseconds per value.

    Args:
        reach: values of q [values].
        means: the number of means compared.
        freedom: degrees of freedom of the estimated standard deviation.

    Example:
        >>> studentized_range_beyond([2.26722], 3, 38).round(4).tolist()
        [0.2567]
    """
    # In u = log(s²) the density is smooth, and below e**-30 of its peak outside these ends.
    low = -(np.sqrt(120 / freedom) + 60 / freedom)
    high = min(np.sqrt(120 / freedom), np.log(60 / freedom + 10))
    nodes, weights = np.polynomial.legendre.leggauss(64 if freedom >= 20 else 128)
    u = low + (high - low) * (nodes + 1) / 2
    chance = weights * np.exp(freedom / 2 * (u - np.expm1(u)))
    chance /= chance.sum()
    q = np.asarray(reach, np.float64).reshape(-1)
    parts = [
        (
            _range_within(np.multiply.outer(q[first : first + RANGES_AT_ONCE], np.exp(u / 2)), means) * chance
        ).sum(axis=-1)
        for first in range(0, len(q), RANGES_AT_ONCE)
    ]
    # One minus the probability of a smaller range, which is exactly 0 at 0; the sum of weights may miss 1 by rounding.
    return np.asarray(np.clip(1 - np.concatenate([np.empty(0), *parts]), 0.0, 1.0))
