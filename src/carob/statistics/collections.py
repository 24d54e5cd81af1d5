"""Estimates means over several collections and their differences, for these collections or for similar collections.

Columns are runs or differences between two runs, rows are collections, and NaN marks a missing cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import replace
from carob._numpy import np
from carob.statistics.estimates import NOISE, Estimates, Tested, bell_mccaffrey, quantile, t_quantile
from carob.statistics.resampling import resample_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from carob.lists.rows import Floats
    from carob.statistics.resampling import Draw

__all__ = ["expanded", "like_these", "resampled_queries", "these"]


def like_these(values: ArrayLike, size: ArrayLike | None = None, *, confidence: float = 0.95) -> Tested:
    """Estimates means over all collections, of which the given collections are a sample.

    Without sizes, this is the paired t-test over collections. With sizes, the weight of each collection is its number
    of queries, and the standard error is cluster-robust: CR2 with the degrees of freedom of Bell and McCaffrey (2002),
    as in ``paired``.

    Args:
        values: the mean of each collection; NaN for a missing one [collections, columns].
        size: the number of queries of each collection, for a micro mean; None for a macro mean [collections].
        confidence: the confidence level of the intervals.

    Example:
        >>> found = like_these([[0.2], [0.1], [0.2], [0.4], [0.0], [0.1]])
        >>> f"{found.value[0]:.3f} [{found.low[0]:.3f}, {found.high[0]:.3f}], p {found.p[0]:.3f}"
        '0.167 [0.023, 0.310], p 0.031'
    """
    table, weight = weighted(values, size)
    mean = (weight * table).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        square = ((weight * (table - mean)) ** 2 / (1 - weight)).sum(axis=0)
        df = freedom(weight)
    return student(
        mean, square, df, np.abs(table).max(axis=0), (weight > 0).sum(axis=0, dtype=float), confidence
    )


def these(
    values: ArrayLike,
    errors: ArrayLike,
    queries: ArrayLike,
    size: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> Tested:
    """Estimates means over the given collections, whose queries are a sample.

    The squared standard error is the sum of the collections' squared errors, each multiplied by the squared weight of
    its collection. Its degrees of freedom are Satterthwaite's (Biometrics 1946).

    Args:
        values: the mean of each collection; NaN for a missing one [collections, columns].
        errors: the squared standard error of each mean [collections, columns].
        queries: the number of queries from which each error was estimated [collections].
        size: the number of queries of each collection, for a micro mean; None for a macro mean [collections].
        confidence: the confidence level of the intervals.

    Example:
        >>> found = these([[0.1], [0.3]], [[0.0001], [0.0003]], [50, 200])
        >>> f"{found.value[0]:.2f} ± {found.error[0]:.3f}, {found.freedom[0]:.0f} degrees of freedom"
        '0.20 ± 0.010, 244 degrees of freedom'
    """
    table, weight = weighted(values, size)
    count: Floats = np.asarray(queries, np.float64)[:, None]
    share = weight**2 * np.where(weight > 0, np.asarray(errors, np.float64), 0.0)
    square = share.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = square**2 / (np.where(share > 0, share**2 / (count - 1), 0.0)).sum(axis=0)
    units = np.where(weight > 0, count, 0.0).sum(axis=0)
    return student((weight * table).sum(axis=0), square, df, np.abs(table).max(axis=0), units, confidence)


def freedom(weight: Floats) -> Floats:
    """Returns the degrees of freedom of each column, computed only once if all columns have the same weights."""
    if weight.strides[1] == 0:
        return np.full(weight.shape[1], bell_mccaffrey(weight[:, 0]))
    return bell_mccaffrey(weight)


def weighted(values: ArrayLike, size: ArrayLike | None) -> tuple[Floats, Floats]:
    """Returns the values with 0 in missing cells, and the weight of each cell, which is 0 for missing cells."""
    table: Floats = np.asarray(values, np.float64)
    there = ~np.isnan(table)
    own = np.ones(len(table)) if size is None else np.asarray(size, np.float64)
    if there.all():
        return table, np.broadcast_to((own / own.sum())[:, None], table.shape)
    weight = np.where(there, own[:, None], 0.0)
    with np.errstate(invalid="ignore"):
        weight /= weight.sum(axis=0)
    return np.where(there, table, 0.0), weight


def student(
    mean: Floats, square: Floats, df: Floats, largest: Floats, units: Floats, confidence: float
) -> Tested:
    """Returns the test and the interval of means with the given squared errors.

    If all values are 0, p is 1; if the error of another mean is 0, p is that of the sign-flip test, as in ``paired``.

    Args:
        mean: the means [columns].
        square: the squared standard errors of the means.
        df: the degrees of freedom.
        largest: the largest absolute value in each column.
        units: the number of independent units.
        confidence: the confidence level of the intervals.
    """
    quantile(confidence, 1)  # raises an error for a confidence outside (0, 1)
    error = np.sqrt(square)
    identical = (largest <= NOISE) & (error <= NOISE) & (units > 0)
    usual = (error > NOISE * np.maximum(largest, 1.0)) & ~identical & (df > 0)
    half = np.where(usual, half_widths(confidence, df) * error, np.where(identical, 0.0, np.nan))
    found = Estimates(mean, mean - half, mean + half, error, df, unit="collections")
    p = np.where(usual, found.two_sided_p, 2.0 ** (1 - np.maximum(units, 1)))
    p[identical] = 1.0
    p[np.isnan(square) | (units == 0)] = np.nan
    return Tested(**vars(found), p=p)


def half_widths(confidence: float, df: Floats) -> Floats:
    """Returns half the width of each interval in standard errors, computed only once if all are equal."""
    if len(df) and (df == df[0]).all():
        return np.full(len(df), t_quantile(confidence, float(df[0])))
    return t_quantile(confidence, df)


def expanded(alpha: float, units: int) -> float:
    """Returns the level at which bootstrap percentiles over few units cover as often as Student's t interval.

    The bootstrap's spread is too small by the factor √((n - 1) / n), and its quantiles are those of a normal
    distribution, although Student's t distribution is wider (Hesterberg, The American Statistician 2015, on the
    expanded percentile interval).

    Args:
        alpha: 1 minus the required confidence level.
        units: the number of units that are resampled.

    Example:
        >>> [round(expanded(0.05, n), 4) for n in (5, 13, 1000)]
        [0.0019, 0.0233, 0.0496]
    """
    from scipy.special import ndtr

    if units < 2:
        return alpha
    wide = quantile(1 - alpha, units - 1) * np.sqrt(units / (units - 1))
    return float(2 * ndtr(-wide))


def resampled_queries(tables: Sequence[Floats], weight: ArrayLike, draw: Draw) -> Floats:
    """Returns the weighted mean of each run over collections, whose queries are drawn with replacement.

    Args:
        tables: the values of each collection [queries, runs].
        weight: the weight of each collection [collections].
        draw: the number of resamples and their seed; the seed for collection number i is this seed plus i.

    Returns:
        The means [resamples, runs].

    Example:
        >>> from carob.statistics.resampling import Draw
        >>> import numpy as np
        >>> resampled_queries([np.full((3, 1), 0.2), np.full((2, 1), 0.4)], [0.5, 0.5], Draw(2)).round(3).tolist()
        [[0.3], [0.3]]
    """
    own = np.asarray(weight, np.float64)
    found = np.zeros((draw.resamples, tables[0].shape[1]))
    for place, (table, share) in enumerate(zip(tables, own.tolist(), strict=True)):
        found += share * resample_means(table, replace(draw, seed=draw.seed + place))
    return found
