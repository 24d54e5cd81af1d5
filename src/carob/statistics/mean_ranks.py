"""Ranks of runs over collections: Friedman's test, Nemenyi's critical difference, Borda points, groups of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from carob._numpy import np
from carob.statistics.multiple_comparisons import range_beyond, range_cut
from carob.statistics.selection import places

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from carob.lists.rows import Floats

__all__ = ["BORDA", "TIES", "Friedman", "borda", "critical_difference", "friedman", "groups", "mid_ranks"]

TIES = ("uncorrected", "corrected")
"""The variants of Friedman's χ²: as published, or divided by a factor that corrects for ties."""

BORDA = ("all", "present")
"""What Borda points are counted down from: the number of all runs, or of the runs in the collection."""

DIGITS = 12
"""The number of decimals to which values are rounded before ranking, so that rounding errors do not break ties."""


class Friedman(NamedTuple):
    """Friedman's test of the hypothesis that all runs have the same mean rank.

    Args:
        collections: the number of collections.
        runs: the number of runs.
        chi2: Friedman's χ², with ``runs - 1`` degrees of freedom.
        p: the p-value of χ².
        f: the F statistic of Iman and Davenport, with ``runs - 1`` and ``(runs - 1) * (collections - 1)`` degrees of
            freedom; infinite if all collections rank the runs identically.
        f_p: the p-value of F; NaN if F is infinite.
        ties: the variant of χ², ``uncorrected`` or ``corrected`` for ties.
    """

    collections: int
    runs: int
    chi2: float
    p: float
    f: float
    f_p: float
    ties: str


def mid_ranks(values: ArrayLike) -> Floats:
    """Returns the rank of each run in each collection. The largest value has rank 1; equal values share a mean rank.

    Args:
        values: the values, where larger is better; NaN for a missing cell, whose rank is also NaN [collections, runs].

    Example:
        >>> mid_ranks([[0.3, 0.5, 0.3], [0.1, float("nan"), 0.2]]).tolist()
        [[2.5, 1.0, 2.5], [2.0, nan, 1.0]]
    """
    table: Floats = np.asarray(np.round(np.asarray(values, np.float64), DIGITS), np.float64)
    first, last = places(-table)
    return np.where(np.isnan(table), np.nan, (first + last) / 2 + 1)


def friedman(ranks: ArrayLike, ties: str = "uncorrected") -> Friedman:
    """Returns Friedman's test, including the F statistic of Iman and Davenport.

    Source: Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 2006; Iman and Davenport,
    Communications in Statistics 1980. The factor for ties is 1 - Σ(t³ - t) / (C(k³ - k)) over the sizes t of groups of
    equal values, with C collections and k runs (Conover, Practical Nonparametric Statistics).

    Args:
        ranks: mid-ranks without missing cells [collections, runs].
        ties: ``uncorrected``, as in Demšar's paper, or ``corrected``, as SciPy does.

    Example:
        >>> found = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
        >>> round(found.chi2, 4), round(found.f, 4), round(found.f_p, 4)
        (4.5, 3.8571, 0.0837)
    """
    from scipy.special import chdtrc, fdtrc

    table = np.asarray(ranks, np.float64)
    rows, runs = table.shape
    chi2 = float(12 / (rows * runs * (runs + 1)) * ((table.sum(axis=0) - rows * (runs + 1) / 2) ** 2).sum())
    if ties == "corrected":
        # Each group of t equal values reduces the sum of squares of the ranks by (t³ - t) / 12.
        full = rows * (runs**3 - runs)
        kept = 12 * ((table - (runs + 1) / 2) ** 2).sum() / full
        chi2 = chi2 / float(kept) if kept > 0 else 0.0
    left = rows * (runs - 1) - chi2
    f = float("inf") if left < 1e-9 * rows * runs else (rows - 1) * chi2 / left
    f_p = float("nan") if np.isinf(f) else float(fdtrc(runs - 1, (runs - 1) * (rows - 1), f))
    return Friedman(rows, runs, chi2, float(chdtrc(runs - 1, chi2)), f, f_p, ties)


def critical_difference(alpha: float, runs: int, collections: int) -> float:
    """Returns the smallest difference between two mean ranks that is significant in Nemenyi's test.

    It is q / √2 · √(k(k + 1) / (6C)) for k runs and C collections, where q is the quantile of the studentized range
    with infinite degrees of freedom (Demšar, JMLR 2006).

    Example:
        >>> round(critical_difference(0.05, 4, 14), 4)
        1.2536
    """
    return range_cut(alpha, runs) * unit(runs, collections)


def nemenyi(ranks: ArrayLike, pairs: ArrayLike) -> Floats:
    """Returns the p-value of Nemenyi's test for each pair of runs.

    Args:
        ranks: mid-ranks without missing cells [collections, runs].
        pairs: the indices of the two runs of each pair [pairs, 2].

    Example:
        >>> nemenyi([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]], [[0, 2], [0, 1]]).round(4).tolist()
        [0.0855, 0.5386]
    """
    table, chosen = np.asarray(ranks, np.float64), np.asarray(pairs, np.int64)
    rows, runs = table.shape
    sums = table.sum(axis=0)
    # Sums of mid-ranks are multiples of one half, so there are few distinct differences, each of which requires one
    # integral.
    apart, place = np.unique(np.abs(sums[chosen[:, 0]] - sums[chosen[:, 1]]), return_inverse=True)
    step = 4096
    parts = [apart[first : first + step] / rows / unit(runs, rows) for first in range(0, len(apart), step)]
    p = np.concatenate([range_beyond(each, runs) for each in parts]) if parts else np.zeros(0)
    return np.asarray(p[place.reshape(-1)])


def unit(runs: int, collections: int) -> float:
    """Returns the standard deviation of a mean rank under the null hypothesis, times √(k / (k - 1)) for k runs."""
    return float(np.sqrt(runs * (runs + 1) / (12 * collections)))


def borda(ranks: ArrayLike, of: str = "all") -> Floats:
    """Returns the Borda points of each run: n - rank, summed over the collections that contain the run.

    Args:
        ranks: mid-ranks; NaN for a missing cell, which contributes no points [collections, runs].
        of: what n counts: ``all`` runs, or the runs that are ``present`` in the collection.

    Example:
        >>> nan = float("nan")
        >>> [borda([[1, 2, 3], [1, nan, 2]], of).tolist() for of in ("all", "present")]
        [[4.0, 1.0, 1.0], [3.0, 1.0, 0.0]]
    """
    table = np.asarray(ranks, np.float64)
    there = ~np.isnan(table)
    most = np.full(len(table), table.shape[1]) if of == "all" else there.sum(axis=1)
    return np.asarray(np.where(there, most[:, None] - table, 0.0).sum(axis=0))


def groups(order: ArrayLike, apart: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Returns the maximal groups of consecutive runs in an order, within which no two runs are shown to differ.

    Args:
        order: the runs, the best first [runs].
        apart: whether two runs are shown to differ [runs, runs].

    Example:
        >>> import numpy as np
        >>> far = np.abs(np.subtract.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])) > 1.5
        >>> groups([0, 1, 2], far)
        [(0, 1), (1, 2)]
    """
    places = np.asarray(order, np.int64)
    found: list[tuple[int, ...]] = []
    end = 0
    for start in range(len(places)):
        before = end
        end = max(end, start + 1)
        while end < len(places) and not apart[places[start:end], places[end]].any():
            end += 1
        if end > before and end - start > 1:
            found.append(tuple(places[start:end].tolist()))
    return found
