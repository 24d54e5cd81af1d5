"""Estimates with their intervals, standard errors and degrees of freedom, and the paired t-tests that compute them."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.output.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from carob.lists.rows import Floats, Integers

__all__ = [
    "NOISE",
    "Estimate",
    "Estimates",
    "Paired",
    "Tested",
    "half_width",
    "margin",
    "one_sided_quantile",
    "paired",
    "quantile",
    "t_quantile",
    "wins",
]

POWER = 0.8
"""The power: the probability with which a detectable difference is found to be significant."""

NOISE = 1e-12
"""The rounding error of equal scores: a smaller difference counts as a tie, and a smaller spread counts as 0."""


@dataclass(frozen=True)
class Estimate:
    """An estimated value with its interval.

    Args:
        value: the estimate; NaN if it is undefined.
        low: the lower end of the interval; NaN if there is none.
        high: the upper end of the interval.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def bounded(self) -> bool:
        """Whether the estimate has an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates for several series, such as runs or differences between two runs. Each array is [series].

    Tests and intervals are Student's t, unless a worst-point interval replaces Student's. An estimate whose error is 0
    is exact. An unknown error is NaN, and so is everything that is computed from it.

    Args:
        value: the estimates.
        low: the lower end of each interval; NaN if there is none.
        high: the upper end of the interval.
        error: the standard error of each estimate, excluding resampling error; NaN if unknown.
        freedom: the degrees of freedom of each standard error.
        unit: the unit of sampling: ``queries``, ``documents`` or ``collections``.
        worst_p: the two-sided p of each series with a worst-point interval, and NaN for other series; None if no series
            has a worst-point interval.

    Example:
        >>> import numpy as np
        >>> value, error, freedom = np.array([0.3]), np.array([0.1]), np.array([9.0])
        >>> half = half_width(error, freedom, 0.95)
        >>> found = Estimates(value, value - half, value + half, error, freedom)
        >>> found.two_sided_p.round(4).tolist(), round(found[0].low, 4)
        ([0.015], 0.0738)
    """

    value: Floats
    low: Floats
    high: Floats
    error: Floats
    freedom: Floats
    unit: str = field(default="queries", kw_only=True)
    worst_p: Floats | None = field(default=None, kw_only=True)

    def __getitem__(self, place: int) -> Estimate:
        """Returns the estimate of one series."""
        return Estimate(float(self.value[place]), float(self.low[place]), float(self.high[place]))

    @property
    def width(self) -> Floats:
        """The width of each interval; NaN if there is none."""
        return self.high - self.low

    @property
    def worst_point(self) -> NDArray[np.bool_]:
        """Whether the interval of each series is a worst-point interval."""
        return np.zeros(len(self.value), np.bool_) if self.worst_p is None else ~np.isnan(self.worst_p)

    @property
    def two_sided_p(self) -> Floats:
        """The two-sided p for the hypothesis that the true value is 0; NaN if the standard error is 0 or unknown."""
        student = np.where(self.error <= NOISE, np.nan, 2 * self.below(-np.abs(self.value)))
        return student if self.worst_p is None else np.where(self.worst_point, self.worst_p, student)

    def below(self, distance: Floats) -> Floats:
        """Returns the probability that Student's t, scaled by the standard error, is below a distance."""
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(stdtr(known_freedom(self.freedom), distance / self.error))

    def beyond(self, distance: Floats) -> Floats:
        """Returns the probability that the true value is beyond a bound, which is 0 or 1 if the error is 0.

        Args:
            distance: how far the estimate is beyond the bound.
        """
        return np.where(self.error <= NOISE, distance > NOISE, self.below(distance))

    def equivalence(self, margin: float) -> Floats:
        """Returns the p of an equivalence test, which is the larger p of two one-sided t-tests (Schuirmann, 1987)."""
        return np.maximum(self.beyond(-margin - self.value), self.beyond(self.value - margin))

    def bayes(self, rope: float) -> tuple[Floats, Floats, Floats]:
        """Returns the posterior probabilities that the first run is worse, practically equal, or better.

        The posterior of the mean difference is a Student's t distribution centred at the observed difference (Benavoli
        et al., JMLR 2017, without the correction for overlapping folds, because queries do not overlap).

        Args:
            rope: half the width of the region of practical equivalence, which extends from -rope to rope.
        """
        worse, better = self.beyond(-rope - self.value), self.beyond(self.value - rope)
        return worse, np.maximum(1 - worse - better, 0.0), better

    def detectable(self, confidence: float) -> Floats:
        """Returns the smallest true difference that is detected with 80% power; NaN if the error is 0 or unknown."""
        return detectable(self.error, self.freedom, t_quantile(confidence, known_freedom(self.freedom)))


@dataclass(frozen=True, eq=False)
class Tested(Estimates):
    """Estimates that were tested against 0. Each array is [series].

    Args:
        p: the two-sided p; NaN if it is undefined.
    """

    p: Floats


def detectable(error: Floats, freedom: Floats, critical: Floats) -> Floats:
    """Returns the smallest true difference that a t-test detects with 80% power; NaN if the error is 0 or unknown.

    Source: Jennett and Welch, JRSS Supplement 1939, for the quantiles of the noncentral t distribution.

    Args:
        error: the standard errors.
        freedom: the degrees of freedom of the standard errors.
        critical: the critical value of t, which a significant difference must exceed.
    """
    centre = 1 - 1 / (4 * known_freedom(freedom))  # the mean of s / σ
    spread = np.sqrt(1 + critical**2 * (1 - centre**2))
    needed = centre * critical + one_sided_quantile(POWER, np.inf) * spread
    return needed * np.where(error > NOISE, error, np.nan)


def known_freedom(freedom: Floats) -> Floats:
    """Returns the degrees of freedom, with NaN in place of values that are not positive."""
    return np.where(freedom > 0, freedom, np.nan)


def half_width(error: Floats, freedom: Floats, confidence: float) -> Floats:
    """Returns half the width of Student's t intervals: 0 if the error is 0, and NaN if the error is unknown.

    Args:
        error: the standard errors [series].
        freedom: the degrees of freedom of the standard errors [series].
        confidence: the confidence level.
    """
    return np.where(error <= 0, 0.0, t_quantile(confidence, known_freedom(freedom)) * error)


def quantile(confidence: float, freedom: float) -> float:
    """Returns half the width of a t interval, in standard errors.

    Raises:
        DataError: the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise DataError(
            f"A confidence of {confidence} is not a valid confidence level: use a number between 0 and 1, such as 0.95."
        )
    return float(t_quantile(confidence, freedom))


def t_quantile(confidence: Floats | float, freedom: Floats | float) -> Floats:
    """Returns half the width of each t interval, in standard errors."""
    return one_sided_quantile((1 + np.asarray(confidence)) / 2, freedom)


def one_sided_quantile(chance: Floats | float, freedom: Floats | float) -> Floats:
    """Returns the quantile of Student's t distribution for a probability."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(freedom, chance))


# ---------------------------------------------------------------- tables of scores and paired t-tests


def matrix(scores: ArrayLike) -> Floats:
    """Returns the scores as a float64 table [queries, runs]; a flat list becomes a single column.

    Raises:
        DataError: a score is NaN or infinite, or there are no queries.
    """
    table: Floats = np.asarray(scores, np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not table.size:
        raise DataError(
            f"Scores of shape {table.shape} cannot be compared: pass a table with a row per query and a column per run."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise DataError(
            f"The score of query {row}, run {column} (both counted from 0) is {table[row, column]}. "
            "Tests need finite scores: leave the query out, or give it a number."
        )
    return table


def cluster_codes(clusters: Any, rows: int) -> Integers:
    """Returns the number of each row's cluster; clusters are numbered in the order of their labels [rows].

    Raises:
        DataError: the number of labels differs from the number of rows.
    """
    labels: NDArray[Any] = np.asarray(clusters)
    if labels.shape != (rows,):
        raise DataError(
            f"{labels.size} cluster labels were passed for {rows} queries: pass one label per query."
        )
    return np.asarray(np.unique(labels, return_inverse=True)[1].astype(np.int64).reshape(rows))


def summed(table: Floats, clusters: Any) -> Floats:
    """Returns the sum of the rows of each cluster [clusters, runs], or the rows themselves if there are no clusters."""
    if clusters is None:
        return table
    codes = cluster_codes(clusters, len(table))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max()) + 1))
    return np.asarray(np.add.reduceat(table[order], starts, axis=0))  # several times as fast as np.add.at


@dataclass(frozen=True, eq=False)
class Paired(Tested):
    """The paired t-test of each pair of runs; the estimates are the mean differences. Arrays are [pairs].

    Args:
        n: the number of queries.
        sd: the standard deviation of the differences, with denominator n - 1.
        t: the t statistic, value / error.
        d_z: the effect size value / sd.
        identical: whether the runs have the same score on every query, in which case p is 1.
        constant: whether every query has the same difference other than 0, or there is only one query. If so, t is
            infinite, the interval is NaN, and p is that of the sign-flip test, 2 / 2**n.
    """

    n: int
    sd: Floats
    t: Floats
    d_z: Floats
    identical: NDArray[np.bool_]
    constant: NDArray[np.bool_]


def paired(
    differences: ArrayLike, *, confidence: float = 0.95, clusters: Any = None, shares: Floats | None = None
) -> Paired:
    """Returns the paired two-sided t-test of each column of differences, with its interval.

    With clusters (for example, variants of one topic or turns of one conversation), the standard error is
    cluster-robust: CR2 with the degrees of freedom of Bell and McCaffrey (2002). If each cluster contains one query,
    this is the ordinary t-test. A weighted mean is treated in the same way, as if a query with twice the weight were
    two queries of a cluster, so a few heavy queries leave few degrees of freedom.

    Args:
        differences: the first run's score minus the second's [queries] or [queries, pairs].
        confidence: the confidence level of the interval.
        clusters: a label for each query.
        shares: the weights of queries, which are 1 on average, if the differences are the linear parts of a weighted
            mean [queries].

    Returns:
        The tests, with their intervals and effect sizes.

    Raises:
        DataError: a difference is NaN or infinite, or the confidence is not between 0 and 1.

    Example:
        >>> found = paired([0.2, 0.1, 0.2, 0.4, 0.0, 0.1])
        >>> f"{found.value[0]:.3f} [{found.low[0]:.3f}, {found.high[0]:.3f}], p {found.p[0]:.3f}"
        '0.167 [0.023, 0.310], p 0.031'
    """
    table = matrix(differences)
    n, pairs = table.shape
    mean = table.mean(axis=0)
    identical = np.asarray((np.abs(table) <= NOISE).all(axis=0))
    sd = table.std(axis=0, ddof=1) if n > 1 else np.full(pairs, np.nan)
    error, freedom, units = spread(table - mean, clusters, shares)
    small = NOISE * np.maximum(np.abs(table).max(axis=0), 1.0)
    constant = np.asarray(~(error > small) & ~identical)
    usual = ~(constant | identical)
    flat = np.where(identical & (n > 1), 0.0, np.nan)
    half = np.where(usual, quantile(confidence, freedom) * error, flat)
    # The standard error of a constant difference is unknown if there is one query, and otherwise 0.
    error = np.where(usual | (n < 2), error, 0.0)
    found = Estimates(mean, mean - half, mean + half, error, np.full(pairs, freedom))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(usual, mean / error, np.where(identical, 0.0, np.copysign(np.inf, mean)))
        d_z = np.where(identical, 0.0, np.where(sd > small, mean / sd, np.copysign(np.inf, mean)))
    p = np.where(usual, found.two_sided_p, np.where(identical, 1.0, 2.0 ** (1 - units)))
    return Paired(**vars(found), p=p, n=n, sd=sd, t=t, d_z=d_z, identical=identical, constant=constant)


def spread(residuals: Floats, clusters: Any, shares: Floats | None = None) -> tuple[Floats, float, int]:
    """Returns the standard error and degrees of freedom of each column's mean, and the number of independent units."""
    n = len(residuals)
    size = summed(np.ones((n, 1)) if shares is None else shares[:, None], clusters)[:, 0]
    units = int(np.count_nonzero(size))
    if units < 2:
        return np.full(residuals.shape[1], np.nan), np.nan, units
    inflated = 1 / (1 - size / n)
    error = np.sqrt((inflated[:, None] * summed(residuals, clusters) ** 2).sum(axis=0)) / n
    if clusters is None and shares is None:
        return error, n - 1.0, units
    return error, float(bell_mccaffrey(size)), units


def bell_mccaffrey(size: Floats) -> Floats:
    """Returns the degrees of freedom of the CR2 variance of a mean, for clusters of the given sizes.

    They are (trace M)**2 / trace(M**2), where M contains the covariances of the clusters' residual sums under
    independence.

    Args:
        size: the size of each cluster, or its share of the total size [clusters] or [clusters, columns].
    """
    n = size.sum(axis=0)
    weight = 1 / (1 - size / n)
    own = (weight * size * (1 - size / n)) ** 2
    cross = (weight * size**2 / n).sum(axis=0) ** 2 - ((weight * size**2 / n) ** 2).sum(axis=0)
    return np.asarray(n**2 / (own.sum(axis=0) + cross))


def margin(scores: ArrayLike, confidence: float = 0.95, *, clusters: Any = None) -> Floats:
    """Returns half the width of the t interval for each run's mean, or NaN if there is only one query.

    Args:
        scores: a score for each query and run [queries, runs].
        confidence: the confidence level of the interval.
        clusters: a label for each query.

    Raises:
        DataError: a score is not finite.

    Example:
        >>> margin([[0.2], [0.4], [0.3], [0.5]]).round(4).tolist()
        [0.2054]
    """
    table = matrix(scores)
    error, freedom, _ = spread(table - table.mean(axis=0), clusters)
    return quantile(confidence, freedom) * error


def wins(differences: ArrayLike) -> tuple[Integers, Integers, Integers]:
    """Returns, for each pair, the numbers of queries on which the first run is better, equal and worse.

    Args:
        differences: the first run's score minus the second's [queries] or [queries, pairs].

    Raises:
        DataError: a difference is not finite.

    Example:
        >>> [each.tolist() for each in wins([0.2, 0.1, 0.0, -0.3])]
        [[2], [1], [1]]
    """
    table = matrix(differences)
    won, lost = (table > NOISE).sum(axis=0), (table < -NOISE).sum(axis=0)
    return won, len(table) - won - lost, lost
