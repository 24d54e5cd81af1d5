"""Signed-rank tests of differences over collections: Wilcoxon's exact test and the Bayesian signed-rank test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np
from carob.statistics.resampling import Draw, exact_p
from carob.statistics.selection import places

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from carob.lists.rows import Floats

__all__ = ["bayesian_signed_ranks", "signed_rank_p"]

DIGITS = 12
"""The number of decimals to which differences are rounded before ranking, so that rounding errors do not break ties."""

PRIOR = 0.5
"""The weight of the prior observation, a difference of 0. Each collection has the weight 1 (Benavoli et al., 2014)."""


def signed_rank_p(differences: ArrayLike) -> Floats:
    """Returns the exact p-value of Wilcoxon's two-sided signed-rank test for each column.

    Differences of 0 are left out, and equal differences share their mean rank. All assignments of signs are counted.

    Args:
        differences: the difference of each pair on each collection; NaN if it is missing [collections, pairs].

    Example:
        >>> signed_rank_p([[0.1, 0.3], [0.2, -0.1], [0.3, 0.2], [0.4, 0.0], [0.5, float("nan")]]).tolist()
        [0.0625, 0.5]
    """
    table = np.round(np.nan_to_num(np.asarray(differences, np.float64)), DIGITS)
    size = np.abs(table)
    zeros = (size == 0).sum(axis=0)
    first, last = places(size.T)
    ranks = np.where(size > 0, (first + last).T / 2 + 1 - zeros, 0.0)
    reach = np.abs((np.sign(table) * ranks).sum(axis=0))
    units = len(table) - zeros
    ordered = np.sort(size, axis=0)
    tied = ((ordered[1:] == ordered[:-1]) & (ordered[1:] > 0)).any(axis=0)
    p = np.ones(table.shape[1])
    for count in np.unique(units[~tied & (units > 0)]).tolist():
        columns = np.flatnonzero(~tied & (units == count))
        p[columns] = tails(count)[np.rint(reach[columns]).astype(np.int64)]
    for place in np.flatnonzero(tied).tolist():
        p[place] = exact_p(np.rint(2 * np.sign(table[:, place]) * ranks[:, place]), 0.0)
    return p


def tails(count: int) -> Floats:
    """Returns the probabilities that the sum of ranks 1 to ``count`` with random signs is at least 0, 1, 2 … from 0.

    Args:
        count: the number of ranks.

    Example:
        >>> tails(2).tolist()
        [1.0, 1.0, 0.5, 0.5]
    """
    total = count * (count + 1) // 2
    positive = np.zeros(total + 1)  # the probability of each possible sum of positive ranks
    positive[0] = 1.0
    for rank in range(1, count + 1):
        end = rank * (rank + 1) // 2 + 1
        without = positive[: end - rank].copy()
        positive[rank:end] += without
        positive[:end] /= 2
    chance = np.zeros(2 * total + 1)
    chance[::2] = positive
    beyond = np.cumsum(chance[::-1])[::-1][total:]
    return np.asarray(np.minimum(1.0, np.where(np.arange(total + 1) > 0, 2 * beyond, 1.0)))


def bayesian_signed_ranks(
    differences: ArrayLike, rope: float, draw: Draw | None = None
) -> tuple[Floats, Floats, Floats]:
    """Returns, for each column, the probabilities that the first run is worse, practically equal, or better.

    The prior of the unknown distribution of differences over collections is a Dirichlet process, with weight 0.5 on a
    difference of 0. Each draw of weights from the posterior determines the probabilities that the mean of two
    differences is below the rope, within it or above it. The result is the share of draws in which each of these three
    regions is the most probable.

    Source: Benavoli, Corani, Mangili, Zaffalon and Ruggeri, ICML 2014; Benavoli, Corani, Demšar and Zaffalon, JMLR
    2017, and their package baycomp.

    Args:
        differences: the first run's mean minus the second's; NaN if a mean is missing [collections, pairs].
        rope: half the width of the region of practical equivalence.
        draw: the number of draws and their seed; ``Draw()`` if None.

    Returns:
        The three probabilities, which sum to 1.

    Example:
        >>> worse, same, better = bayesian_signed_ranks([[0.2], [0.1], [0.2], [0.4], [0.0], [0.1]], 0.01)
        >>> bool(worse[0] < 0.01 and better[0] > 0.95)
        True
    """
    table, draw = np.asarray(differences, np.float64), draw or Draw()
    weights = posterior(len(table), draw)
    found = np.zeros((3, table.shape[1]))
    for place, column in enumerate(table.T):
        there = ~np.isnan(column)
        found[:, place] = shares(column[there], rope, weights[:, np.append(True, there)])
    return found[0], found[1], found[2]


def posterior(count: int, draw: Draw) -> Floats:
    """Returns weights of the prior observation and of ``count`` other observations, unnormalised [draws, count + 1].

    The weight of an observation has a gamma distribution with shape 1. The weight of the prior observation has a gamma
    distribution with shape ``PRIOR``, which is the distribution of half the square of a standard normal.
    """
    words = draw.stream.random_raw((draw.resamples, count + 2))
    uniform = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    weights = -np.log(uniform[:, 1:])
    weights[:, 0] *= np.cos(2 * np.pi * uniform[:, 0]) ** 2
    return weights


def shares(differences: Floats, rope: float, weights: Floats) -> tuple[float, float, float]:
    """Returns the share of draws in which each of the three regions is the most probable; ties are divided equally."""
    values = np.append(0.0, differences)
    sums = np.round(values[:, None] + values, DIGITS)
    edge = round(2 * rope, DIGITS)
    above, below = ((each > edge) + 0.5 * (each == edge) for each in (sums, -sums))
    right, left = (((weights @ each) * weights).sum(axis=1) for each in (above, below))
    middle = np.maximum(weights.sum(axis=1) ** 2 - right - left, 0.0)
    if rope == 0:
        middle[:] = -1.0
    three = np.stack([left, middle, right])
    slack = 1e-9 * weights.sum(axis=1) ** 2
    most = three >= three.max(axis=0) - slack
    share = (most / most.sum(axis=0)).mean(axis=1)
    return float(share[0]), float(share[1]), float(share[2])
