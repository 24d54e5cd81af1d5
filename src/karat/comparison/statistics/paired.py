"""Paired differences: sums that are the same on every machine, the t-test, effect sizes and tests of equivalence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from karat.lists.rows import Floats, Integers

__all__ = ["Paired", "bayes", "equivalence", "margin", "paired", "wins"]


FINEST = 36
"""Bits behind the point for scores up to 1: sums of up to 2**16 of them are exact in double precision."""

EXACT = 52
"""Double precision counts to 2**53; one bit is left for halves."""

ROUNDING = 1e-9
"""The distance from a whole number up to which a score times its denominator counts as one."""

ALONE = 1 << 18
"""Multiplications up to which OpenBLAS uses one thread. On a busy processor, threads that wait for one another take ten
times as long as the product."""

LONG = 256
"""Rows in a slice: this many scores of thirty runs fit into the nearest cache."""

AT_ONCE = 1 << 18
"""Weights held in memory as floats at a time: 2 MB."""


FRACTIONS = (*range(1, 21), 24, 25, 30, 40, 50, 60, 100, 200, 500, 1000, 2520)
"""Denominators tried: those of P@k, of recall with few relevant documents, of RR@10 (2520 = lcm of 1 to 10)."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Scores as whole numbers of a unit.

    Args:
        whole: the scores divided by the unit, whole numbers as float64 [rows, runs].
        unit: the value of 1.
        tolerance: the largest difference, in units, of two sums that are equal in exact arithmetic.
    """

    whole: Floats
    unit: float
    tolerance: float


def on_grid(scores: Floats) -> Grid:
    """Returns scores on a grid, on which a sum is exact for any order, number of threads and library.

    Scores that are all fractions with one small denominator (P@10, hits, counts) become whole numbers: nothing is
    rounded and no tie is lost. All others are rounded to multiples of 2**-36 of the power of two above the largest;
    coarser above 65,536 rows. A difference is then off by at most one unit, and flipping signs moves a sum by twice the
    flipped differences, so sums that tie in exact arithmetic are within ``2 * rows`` units of each other.

    Args:
        scores: finite scores [rows, runs].

    Example:
        >>> import numpy as np
        >>> grid = on_grid(np.array([[0.3, 0.1], [0.5, 0.2]]))
        >>> grid.whole.tolist(), grid.unit, grid.tolerance
        ([[3.0, 1.0], [5.0, 2.0]], 0.1, 0.0)
    """
    rows = len(scores)
    largest = float(np.abs(scores).max(initial=0.0))
    parts = denominator(scores)
    if parts and largest * parts * rows < 2.0**EXACT:
        return Grid(np.rint(scores * parts), 1 / parts, 0.0)
    exponent = int(np.frexp(largest)[1])
    bits = min(FINEST, EXACT - (rows - 1).bit_length())
    return Grid(np.rint(np.ldexp(scores, bits - exponent)), float(np.ldexp(1.0, exponent - bits)), 2.0 * rows)


def denominator(scores: Floats) -> int | None:
    """Returns the smallest of ``FRACTIONS`` of which every score is a multiple, or None."""
    some = scores[:50]
    fits = (parts for parts in FRACTIONS if whole(some * parts) and whole(scores * parts))
    return next(fits, None)


def whole(numbers: Floats) -> bool:
    """Returns whether all numbers are whole, apart from rounding errors."""
    return bool((np.abs(numbers - np.rint(numbers)) <= ROUNDING).all())


def matrix(scores: ArrayLike) -> Floats:
    """Returns the scores as a float64 table [queries, runs]; a single column if one list is given.

    Raises:
        DataError: a score is NaN or infinite, or there is no query.
    """
    table: Floats = np.asarray(scores, np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not table.size:
        raise DataError(
            f"Scores of shape {table.shape} cannot be compared: give a table with a row per query and a column per run."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise DataError(
            f"The score of query {row}, run {column} (both counted from 0) is {table[row, column]}. "
            "Tests need finite scores: leave the query out, or give it a number."
        )
    return table


def all_pairs(runs: int) -> Integers:
    """Returns every pair of runs once, the first before the second [pairs, 2]."""
    return np.stack(np.triu_indices(runs, 1), axis=1).astype(np.int64)


def checked_pairs(pairs: ArrayLike | None, runs: int) -> Integers:
    """Returns the pairs as a table [pairs, 2]; every pair if None.

    Raises:
        DataError: a pair names a run that does not exist.
    """
    if pairs is None:
        return all_pairs(runs)
    table = np.asarray(pairs, np.int64).reshape(-1, 2)
    if table.size and not 0 <= table.min() <= table.max() < runs:
        raise DataError(
            f"Pairs refer to runs {table.min()} to {table.max()}: give numbers of runs from 0 to {runs - 1}."
        )
    return table


def cluster_codes(clusters: Any, rows: int) -> Integers:
    """Returns the number of each row's cluster. Clusters are numbered in the order of their labels [rows].

    Raises:
        DataError: there is not one label for each row.
    """
    labels: NDArray[Any] = np.asarray(clusters)
    if labels.shape != (rows,):
        raise DataError(f"{labels.size} clusters are given for {rows} queries: give one cluster per query.")
    return np.asarray(np.unique(labels, return_inverse=True)[1].astype(np.int64).reshape(rows))


def summed(table: Floats, clusters: Any) -> Floats:
    """Returns the rows added up within each cluster [clusters, runs]; unchanged without clusters."""
    if clusters is None:
        return table
    codes = cluster_codes(clusters, len(table))
    sums = np.zeros((int(codes.max()) + 1, table.shape[1]))
    np.add.at(sums, codes, table)
    return sums


def weighted_sums(whole: Floats, resamples: int, weights: Callable[[slice], NDArray[Any]]) -> Floats:
    """Returns the weighted sum of each column, for each resample [columns, resamples].

    Columns must be whole numbers whose sums are exact (see ``on_grid``): then the order of summation does not matter.

    Args:
        whole: an array of whole numbers [rows, columns].
        resamples: the number of sets of weights.
        weights: called with a slice, returns the weights of these resamples [resamples, rows].
    """
    rows, columns = whole.shape
    length = min(rows, LONG)
    slices = -(-rows // length)
    width = max(ALONE // (columns * length) // 8 * 8, 8)
    stacks = min(max(AT_ONCE // (slices * length * width), 1), -(-resamples // width))
    scores = np.zeros((slices * length, columns))
    scores[:rows] = whole
    left = np.ascontiguousarray(scores.reshape(slices, length, columns).transpose(0, 2, 1))
    held = np.zeros((stacks * width, slices * length))
    right = held.reshape(stacks, width, slices, length).transpose(0, 2, 3, 1)
    sums = np.empty((columns, resamples))
    for first in range(0, resamples, len(held)):
        last = min(first + len(held), resamples)
        held[: last - first, :rows] = weights(slice(first, last))
        found = np.matmul(left, right).sum(axis=1).transpose(1, 0, 2).reshape(columns, -1)
        sums[:, first:last] = found[:, : last - first]
    return sums


POWER = 0.8
"""The probability with which a detectable difference is found."""

NOISE = 1e-12
"""The rounding error of equal scores: a smaller difference is a tie, a smaller spread is 0."""


@dataclass(frozen=True, eq=False)
class Paired:
    """Paired t-tests, one for each pair of runs. Every field except ``n`` is an array [pairs].

    Args:
        n: queries.
        mean: the mean difference.
        sd: the standard deviation of the differences, with n - 1.
        error: the standard error of the mean.
        df: degrees of freedom: n - 1, fewer with clusters.
        t: mean / error.
        p: two-sided.
        low: the interval's lower end.
        high: its upper end.
        d_z: the effect size mean / sd.
        detectable: the smallest difference that this number of queries detects with 80 % power.
        identical: whether the runs have the same score on every query; p is 1 then.
        constant: whether every query has the same difference, or there is only one query: without a spread, t and the
            interval are NaN, and p is that of the sign-flip test, 2 / 2**n.
    """

    n: int
    mean: Floats
    sd: Floats
    error: Floats
    df: Floats
    t: Floats
    p: Floats
    low: Floats
    high: Floats
    d_z: Floats
    detectable: Floats
    identical: NDArray[np.bool_]
    constant: NDArray[np.bool_]


def paired(differences: ArrayLike, *, confidence: float = 0.95, clusters: Any = None) -> Paired:
    """Returns the paired two-sided t-test of each column of differences, with its interval.

    With clusters (variants of one topic, turns of one conversation) the error is cluster-robust: CR2 with the degrees
    of freedom of Bell and McCaffrey (2002). For clusters of one query each this is the ordinary t-test.

    Args:
        differences: the first run's score minus the second's [queries] or [queries, pairs].
        confidence: the confidence level of the interval.
        clusters: a label for each query.

    Returns:
        The test, its interval and its effect sizes.

    Raises:
        DataError: a difference is NaN or infinite, or the confidence is not between 0 and 1.

    Example:
        >>> found = paired([0.2, 0.1, 0.2, 0.4, 0.0, 0.1])
        >>> f"{found.mean[0]:.3f} [{found.low[0]:.3f}, {found.high[0]:.3f}], p {found.p[0]:.3f}"
        '0.167 [0.023, 0.310], p 0.031'
    """
    from scipy.special import stdtr

    table = matrix(differences)
    n, pairs = table.shape
    mean = table.mean(axis=0)
    identical = np.asarray((np.abs(table) <= NOISE).all(axis=0))
    sd = table.std(axis=0, ddof=1) if n > 1 else np.full(pairs, np.nan)
    error, freedom, units = spread(table - mean, clusters)
    small = NOISE * np.maximum(np.abs(table).max(axis=0), 1.0)
    constant = np.asarray(~(error > small) & ~identical)
    usual = ~(constant | identical)
    df = np.full(pairs, freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(usual, mean / error, np.where(identical, 0.0, np.copysign(np.inf, mean)))
        d_z = np.where(identical, 0.0, np.where(sd > small, mean / sd, np.copysign(np.inf, mean)))
    p = np.where(usual, 2 * stdtr(freedom, -np.abs(t)), np.where(identical, 1.0, 2.0 ** (1 - units)))
    half = np.where(usual, quantile(confidence, freedom) * error, np.where(identical, 0.0, np.nan))
    needed = quantile(confidence, freedom) + float(one_sided_quantile(POWER, freedom))
    detectable = np.where(usual, needed * error, np.nan)
    return Paired(
        n, mean, sd, error, df, t, p, mean - half, mean + half, d_z, detectable, identical, constant
    )


def spread(residuals: Floats, clusters: Any) -> tuple[Floats, float, int]:
    """Returns the standard error and degrees of freedom of each column's mean, and the number of independent units."""
    n = len(residuals)
    size = np.ones(n) if clusters is None else np.bincount(cluster_codes(clusters, n)).astype(float)
    units = len(size)
    if units < 2:
        return np.full(residuals.shape[1], np.nan), np.nan, units
    inflated = 1 / (1 - size / n)
    error = np.sqrt((inflated[:, None] * summed(residuals, clusters) ** 2).sum(axis=0)) / n
    if clusters is None:
        return error, n - 1.0, units
    return error, bell_mccaffrey(size), units


def bell_mccaffrey(size: Floats) -> float:
    """Returns the degrees of freedom of the CR2 variance of a mean over clusters of these sizes.

    (trace M)**2 / trace(M**2), where M holds the covariances of the clusters' residual sums under independence.
    """
    n = size.sum()
    weight = 1 / (1 - size / n)
    own = (weight * size * (1 - size / n)) ** 2
    cross = (weight * size**2 / n).sum() ** 2 - ((weight * size**2 / n) ** 2).sum()
    return float(n**2 / (own.sum() + cross))


def margin(scores: ArrayLike, confidence: float = 0.95, *, clusters: Any = None) -> Floats:
    """Returns half the width of the t interval of each run's mean, or NaN with one query.

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


def equivalence(differences: ArrayLike, margin: float, *, clusters: Any = None) -> Floats:
    """Returns the p of two one-sided t-tests (Schuirmann, 1987). A small p shows a difference below the margin.

    Args:
        differences: the first run's score minus the second's [queries] or [queries, pairs].
        margin: the largest difference that does not matter, above 0.
        clusters: a label for each query.

    Returns:
        p of each pair: the larger of the two tests' p.

    Raises:
        DataError: a difference is not finite, or the margin not positive.

    Example:
        >>> equivalence([0.01, -0.02, 0.0, 0.02, -0.01, 0.01], 0.05).round(4).tolist()
        [0.0002]
    """
    if not margin > 0:
        raise DataError(f"margin={margin}: give a positive number.")
    test = paired(differences, clusters=clusters)
    return np.maximum(beyond(-margin - test.mean, test), beyond(test.mean - margin, test))


def bayes(differences: ArrayLike, rope: float, *, clusters: Any = None) -> tuple[Floats, Floats, Floats]:
    """Returns the probability that the first run is worse, practically equal, or better.

    The posterior of the mean difference is Student's around the observed one, with the t-test's error and degrees of
    freedom (Benavoli et al., JMLR 2017, without the correction for overlapping folds: queries do not overlap).

    Args:
        differences: the first run's score minus the second's [queries] or [queries, pairs].
        rope: half the width of the region of practical equivalence, which is from -rope to rope.
        clusters: a label for each query.

    Returns:
        The three probabilities of each pair; they sum to 1.

    Raises:
        DataError: a difference is not finite, or the region is negative.

    Example:
        >>> worse, same, better = bayes([0.2, 0.1, 0.2, 0.4, 0.0, 0.1], 0.01)
        >>> f"{worse[0]:.3f} {same[0]:.3f} {better[0]:.3f}"
        '0.012 0.006 0.981'
    """
    if not rope >= 0:
        raise DataError(f"rope={rope}: give a region of practical equivalence of 0 or more.")
    test = paired(differences, clusters=clusters)
    worse, better = beyond(-rope - test.mean, test), beyond(test.mean - rope, test)
    return worse, np.maximum(1 - worse - better, 0.0), better


def beyond(distance: Floats, test: Paired) -> Floats:
    """Returns the probability of a value beyond a bound under Student's distribution, 0 or 1 without a spread.

    Args:
        distance: the distance by which the mean exceeds the bound.
        test: the pairs.
    """
    from scipy.special import stdtr

    spreads = ~(test.identical | test.constant)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = stdtr(test.df, distance / test.error)
    unknown = np.nan if test.n < 2 else (distance > NOISE).astype(float)
    return np.where(spreads, chance, unknown)


def wins(differences: ArrayLike) -> tuple[Integers, Integers, Integers]:
    """Returns the number of queries on which the first run is better, equal and worse, for each pair.

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


def quantile(confidence: float, freedom: float) -> float:
    """Returns half the width of an interval, in standard errors.

    Raises:
        DataError: the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise DataError(
            f"A confidence of {confidence} gives no interval: give a number between 0 and 1, such as 0.95."
        )
    return float(one_sided_quantile((1 + confidence) / 2, freedom))


def one_sided_quantile(chance: Floats | float, freedom: Floats | float) -> Floats:
    """Returns the value below which Student's t lies with this probability."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(freedom, chance))
