"""Rank correlation: Kendall's τ and τ_AP of systems, rank-biased overlap of ranked documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from karat.lists.rows import Floats

__all__ = ["Kendall", "Overlap", "TauAP", "kendall", "rbo", "tau_ap"]


class Kendall(NamedTuple):
    """Kendall's τ: ``a`` takes every pair into account, ``b`` only those not tied in one of the two."""

    a: float
    b: float


class TauAP(NamedTuple):
    """τ_AP: ``a`` with one true order, averaged over ties in the other; ``b`` symmetric, with ties in both."""

    a: float
    b: float


class Overlap(NamedTuple):
    """Rank-biased overlap: the extrapolated value, the minimum, and the most that unseen documents can add to it."""

    extrapolated: float
    least: float
    residual: float


def kendall(x: ArrayLike, y: ArrayLike) -> Kendall:
    """Kendall's rank correlation of two lists of scores: concordant minus discordant pairs.

    Args:
        x: a score for each system.
        y: another score for each system.

    Returns:
        τ_a, over all pairs, and τ_b, over √(pairs not tied in x · pairs not tied in y); NaN where there are none.

    Raises:
        DataError: the lists differ in length, or a score is NaN.

    Example:
        >>> kendall([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4])
        Kendall(a=0.6666666666666666, b=0.6666666666666666)
    """
    one, other = two_scores(x, y)
    agreed, free_one, free_other = 0.0, 0, 0
    for place in range(len(one) - 1):
        above = np.sign(one[place] - one[place + 1 :])
        below = np.sign(other[place] - other[place + 1 :])
        agreed += float(above @ below)
        free_one += int(np.count_nonzero(above))
        free_other += int(np.count_nonzero(below))
    pairs = len(one) * (len(one) - 1) // 2
    free = free_one * free_other
    return Kendall(agreed / pairs if pairs else np.nan, agreed / float(free) ** 0.5 if free else np.nan)


def tau_ap(x: ArrayLike, y: ArrayLike) -> TauAP:
    """τ_AP (Yilmaz, Aslam and Robertson, SIGIR 2008): swaps near the top cost more; ties are allowed.

    ``a`` measures how well y reproduces the true order x: it is not symmetric, and ties within y count as the mean over
    their orders. ``b`` is the mean of both directions, with ties meaning equal systems (Urbano and Marrero, ICTIR
    2017).

    Args:
        x: the true score of each system, higher is better.
        y: its estimated score.

    Raises:
        DataError: the lists differ in length, or a score is NaN.

    Example:
        >>> found = tau_ap([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.4])
        >>> f"{found.a:.4f} {found.b:.4f}"
        '0.6667 0.6667'
    """
    true, estimated = two_scores(x, y)
    return TauAP(one_true_order(true, estimated), (one_way(true, estimated) + one_way(estimated, true)) / 2)


def one_true_order(true: Floats, estimated: Floats) -> float:
    """Returns the mean of τ_AP over all orders of systems that are tied in the estimate.

    A system of a tied group comes after the systems above the group, and after 0, 1, 2 … of the group's other members
    equally often. Of these, the truly better ones are above it in proportion.
    """
    total, systems = 0.0, len(true)
    for level in np.unique(estimated):
        group, above = true[estimated == level], true[estimated > level]
        places = np.arange(len(above), len(above) + len(group))
        counted = places[places > 0]
        if not len(counted):
            continue
        right_above = float((above[None, :] > group[:, None]).sum()) / len(group)
        # Of two members, each comes first in half of the orders, and at most one is truly better.
        better = float((group[None, :] > group[:, None]).sum()) / max(len(group) * (len(group) - 1), 1)
        total += float(((right_above + better * (counted - len(above))) / counted).sum())
    return 2 * total / (systems - 1) - 1 if systems > 1 else np.nan


def one_way(true: Floats, estimated: Floats) -> float:
    """τ_AP,b in one direction: per system below the estimate's first group, those above it that are truly better."""
    total, counted = 0.0, 0
    for level in np.unique(estimated)[:-1]:
        group, above = true[estimated == level], true[estimated > level]
        sign = np.sign(above[None, :] - group[:, None])
        total += float((sign > 0).sum()) / len(above)
        counted += len(group)
    return 2 * total / counted - 1 if counted else np.nan


def rbo(a: Sequence[Hashable], b: Sequence[Hashable], p: float = 0.9) -> Overlap:
    """Rank-biased overlap of two ranked lists (Webber, Moffat and Zobel, TOIS 2010).

    The overlap at each depth, weighted by p to the depth; a reader who goes on with probability p sees 1 / (1 - p)
    documents. Beyond the lists' ends, the extrapolated value assumes that the agreement at the end continues; ``least``
    assumes no common document there, ``least + residual`` as many as possible. Lists may differ in length.

    Args:
        a: documents, the best first, without duplicates.
        b: the other list.
        p: the probability of going on to the next rank.

    Raises:
        DataError: p is not between 0 and 1, a list is empty, or a document occurs twice in a list.

    Example:
        >>> found = rbo(["d1", "d2", "d3"], ["d1", "d3", "d2"])
        >>> f"{found.extrapolated:.4f} {found.least:.4f} {found.residual:.4f}"
        '0.9550 0.4775 0.4775'
    """
    if not 0 < p < 1:
        raise DataError(f"Rank-biased overlap needs a p between 0 and 1, not {p}.")
    for each in (a, b):
        if not each or len(set(each)) < len(each):
            raise DataError("Rank-biased overlap needs lists with documents, each of them once.")
    short, long = sorted((a, b), key=len)
    s, depths = len(short), np.arange(1, len(long) + 1)
    x = shared(short, long)
    power = p**depths
    agreement = float((x / depths * power).sum())
    x_s, x_l, l = x[s - 1], x[-1], len(long)
    tail = float((x_s * (depths[s:] - s) / (s * depths[s:]) * power[s:]).sum())
    extrapolated = (1 - p) / p * (agreement + tail) + ((x_l - x_s) / l + x_s / s) * p**l
    least = (1 - p) / p * (float(((x - x_l) / depths * power).sum()) - x_l * np.log1p(-p))
    return Overlap(float(extrapolated), float(least), room(s, l, float(x_l), p))


def shared(short: Sequence[Hashable], long: Sequence[Hashable]) -> Floats:
    """Returns the number of documents that the lists share at each depth of the longer one."""
    seen: set[Hashable] = set()
    counts, both = [], 0
    for depth, document in enumerate(long):
        for each in [document, *short[depth : depth + 1]]:
            both += each in seen
            seen.add(each)
        counts.append(both)
    return np.array(counts, np.float64)


def room(s: int, l: int, x: float, p: float) -> float:
    """The most that unseen documents can add, for lists of lengths s <= l that share x documents (their equation 30).

    Down to l, the shorter list's unseen documents may all be in the longer one; below, the unseen documents of both may
    match, until at depth f all do.
    """
    f = s + l - int(x)
    depths = np.arange(1, f + 1)
    power = p**depths / depths
    until_l, until_f = slice(s, l), slice(l, f)
    certain = float((power * (depths - s))[until_l].sum() + (power * (2 * depths - s - l))[until_f].sum())
    beyond = p ** (f + 1) / (1 - p) - x * (-np.log1p(-p) - float(power.sum()))
    return float((1 - p) / p * (certain + beyond))


def two_scores(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Two scores for each system.

    Raises:
        DataError: the lists differ in length, or a score is NaN.
    """
    one, other = np.asarray(x, np.float64).reshape(-1), np.asarray(y, np.float64).reshape(-1)
    if len(one) != len(other):
        raise DataError(
            f"{len(one)} systems cannot be ordered like {len(other)}: each needs a score in both."
        )
    for scores in (one, other):
        if np.isnan(scores).any():
            raise DataError(f"System {int(np.isnan(scores).argmax())} (counted from 0) has no score (NaN).")
    return one, other
