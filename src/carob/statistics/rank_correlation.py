"""Rank correlations: Kendall's τ and τ_AP of systems, and rank-biased overlap of ranked documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np
from carob.output.errors import DataError
from carob.statistics import correlations

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from carob.lists.rows import Floats

__all__ = ["kendall", "rbo", "tau_ap", "tau_ap_b"]


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Returns Kendall's τ_b of two lists of scores.

    τ_b is the number of concordant minus discordant pairs, divided by √(pairs not tied in x · pairs not tied in y).

    Args:
        x: a score for each system.
        y: another score for each system.

    Returns:
        A number from -1 to 1; NaN if all systems are tied in one of the lists.

    Raises:
        DataError: the lists differ in length, or a score is NaN.

    Example:
        >>> round(kendall([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4]), 4)
        0.6667
    """
    return float(correlations.tau_b(*two_scores(x, y)))


def tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """Returns τ_AP (Yilmaz, Aslam and Robertson, SIGIR 2008), which penalises swaps near the top more.

    It measures how well y reproduces the true order x, so it is not symmetric. With ties in y, it is the mean over
    all orders of the tied systems: a system in a tied group is below all systems above the group and, equally often,
    below 0, 1, 2 … other members of the group, a proportional share of which is truly better.

    Args:
        x: the true score of each system; higher is better.
        y: the estimated score of each system.

    Raises:
        DataError: the lists differ in length, or a score is NaN.

    Example:
        >>> round(tau_ap([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4]), 4)
        0.6667
    """
    return float(correlations.tau_ap(*two_scores(x, y)))


def tau_ap_b(x: ArrayLike, y: ArrayLike) -> float:
    """Returns τ_AP,b, a symmetric τ_AP in which tied systems count as equal (Urbano and Marrero, ICTIR 2017).

    Args:
        x: a score for each system; higher is better.
        y: another score for each system.

    Raises:
        DataError: the lists differ in length, or a score is NaN.

    Example:
        >>> round(tau_ap_b([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4]), 4)
        0.6667
    """
    return float(correlations.tau_ap_b(*two_scores(x, y)))


def rbo(lists: Sequence[Sequence[Hashable]], p: float = 0.9) -> Floats:
    """Returns the rank-biased overlap of each pair of ranked lists (Webber, Moffat and Zobel, TOIS 2010).

    The overlap at depth d is weighted by ``p**d``. This models a reader who continues to the next document with
    probability p and who therefore sees 1 / (1 - p) documents on average. Beyond the end of the lists, their agreement
    at the end is assumed to continue (extrapolated overlap).

    Args:
        lists: ranked lists of documents, the best first, without duplicates; they may differ in length.
        p: the probability of continuing to the next rank.

    Returns:
        A symmetric table, NaN where a list is empty [lists, lists].

    Raises:
        DataError: p is not between 0 and 1, or a document occurs twice in a list.

    Example:
        >>> rbo([["d1", "d2", "d3"], ["d1", "d3", "d2"]]).round(4).tolist()
        [[1.0, 0.955], [0.955, 1.0]]
    """
    if not 0 < p < 1:
        raise DataError(f"Rank-biased overlap needs a p between 0 and 1, not {p}.")
    length = np.array([len(each) for each in lists])
    deepest = int(length.max(initial=1))
    numbers: dict[Hashable, int] = {}
    listed = np.full((len(lists), deepest), -1)
    for place, each in enumerate(lists):
        if len(set(each)) < len(each):
            raise DataError(
                "A document occurs twice in a list: remove the duplicates, since rank-biased overlap needs lists "
                "without them."
            )
        listed[place, : len(each)] = [numbers.setdefault(document, len(numbers)) for document in each]
    # The rank of each document in each list, counted from 0. The rank of a missing document is below the end of all
    # lists. So is the last column, which is the one that the padding of short lists (-1) refers to.
    rank = np.full((len(lists), len(numbers) + 1), deepest, np.int16 if deepest < 2**15 else np.int64)
    for place, count in enumerate(length.tolist()):
        rank[place, listed[place, :count]] = np.arange(count)
    ranks, depth = np.arange(deepest, dtype=rank.dtype), np.arange(1, deepest + 1)
    found = rank[:, listed]  # the rank in one list of each document of another list
    above = found < ranks
    both = (above + above.transpose(1, 0, 2).astype(rank.dtype) + (found == ranks)).cumsum(axis=2)
    short, long = np.minimum.outer(length, length), np.maximum.outer(length, length)
    overlap, power = np.full(short.shape, np.nan), p**depth
    for s, l in {*zip(short[short > 0].tolist(), long[short > 0].tolist())}:
        pairs = (short == s) & (long == l)
        x = both[pairs][:, :l]
        x_s, x_l, below = x[:, s - 1], x[:, -1], depth[s:l]
        agreement = (x / depth[:l] * power[:l]).sum(axis=1)
        agreement += (x_s[:, None] * (below - s) / (s * below) * power[s:l]).sum(axis=1)
        overlap[pairs] = (1 - p) / p * agreement + ((x_l - x_s) / l + x_s / s) * p**l
    return overlap


def two_scores(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Returns the two lists of scores as arrays.

    Raises:
        DataError: the lists differ in length, or a score is NaN.
    """
    one, other = np.asarray(x, np.float64).reshape(-1), np.asarray(y, np.float64).reshape(-1)
    if len(one) != len(other):
        raise DataError(
            f"One list has {len(one)} scores and the other {len(other)}: give each system a score in both lists."
        )
    for scores in (one, other):
        if np.isnan(scores).any():
            raise DataError(
                f"System {int(np.isnan(scores).argmax())} (counted from 0) has no score: leave it out of both lists."
            )
    return one, other
