"""This file is the randomisation test: signs of differences flipped, for one pair or for all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.comparison.statistics.exact import LONGEST, cost, exact_p
from karat.comparison.statistics.grid import all_pairs, checked_pairs, matrix, on_grid, summed
from karat.comparison.statistics.signs import RESAMPLES, SEED, every_sign, flipped_sums
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from karat.lists.rows import Floats, Integers

__all__ = ["Flips", "max_flip", "sign_flip"]

PATIENCE = 0.1
"""Seconds that exact p may take in all; beyond it resampling does."""


@dataclass(frozen=True, eq=False)
class Flips:
    """What a resampling test says of each pair.

    Args:
        p: two-sided [pairs].
        error: the standard error of p that comes from resampling; 0 where p is exact [pairs].
        exact: where all assignments were counted, so that there is no error and no seed [pairs].
        resamples: how many were drawn.
        seed: from which seed.
        limit: whether p is the normal limit of the permutation distribution, taken where queries are so many
            that permuting them would take minutes (``randomised_tukey``).
        cut: of a test of all pairs at once, the largest difference of means that is not significant at ``alpha``:
            mean difference ± cut are simultaneous intervals, and leave out 0 where p is below alpha. NaN where no
            difference could be significant, and of a test of single pairs.
    """

    p: Floats
    error: Floats
    exact: NDArray[np.bool_]
    resamples: int
    seed: int
    limit: bool = False
    cut: float = np.nan


def sign_flip(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    clusters: Any = None,
    exact: bool | Literal["auto"] = "auto",
) -> Flips:
    """The paired randomisation test (Fisher; Smucker, Allan and Carterette, CIKM 2007), two-sided.

    If two runs are alike, each query's difference could as well have had the other sign. p is the share of sign
    assignments whose mean difference is at least as large as the observed one: of all of them where that is cheap (few
    or coarse differences), else (b + 1) / (resamples + 1) of random ones (Phipson and Smyth, 2010). Ties count. The
    same seed gives the same p to the last digit on any machine, provided that rows stand in the same order: sort
    queries by id first.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: which runs to compare, by number [pairs, 2]; every pair once if None.
        resamples: random sign assignments.
        seed: of their stream, which all pairs and measures share.
        clusters: a label for each query; queries of a cluster flip together.
        exact: count all assignments: where cheap ("auto"), always, or never.

    Returns:
        p for each pair, and how it came about.

    Raises:
        DataError: a score is not finite, a pair names no run, or exact p is demanded of too many differences.

    Example:
        >>> a, b = [0.3, 0.5, 0.7, 0.2, 0.4], [0.1, 0.3, 0.5, 0.1, 0.4]
        >>> sign_flip(list(zip(a, b))).p.tolist()
        [0.125]
    """
    table = matrix(scores)
    chosen = checked_pairs(pairs, table.shape[1])
    grid = on_grid(table)
    whole = summed(grid.whole, clusters)
    p, counted = counted_where_cheap(whole, chosen, grid.tolerance, exact)
    rest = np.flatnonzero(~counted)
    if len(rest):
        blocks = flipped_sums(whole, positive(resamples), seed)
        found = reached(blocks, chosen[rest], halves(whole, chosen[rest], grid.tolerance))
        p[rest] = (found + 1) / (resamples + 1)
    return Flips(p, monte_carlo_error(p, counted, resamples), counted, resamples, seed)


def counted_where_cheap(
    whole: Floats, pairs: Integers, tolerance: float, exact: bool | Literal["auto"]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Exact p of the pairs that allow it, and which these are.

    Raises:
        DataError: exact p is demanded of too many differences.
    """
    p, counted = np.ones(len(pairs)), np.zeros(len(pairs), np.bool_)
    if exact is False:
        return p, counted
    patience = np.inf if exact is True else PATIENCE / max(len(pairs), 1)
    for place, (one, other) in enumerate(pairs):
        difference = whole[:, one] - whole[:, other]
        seconds = cost(difference, tolerance, patience)
        if exact is True and seconds == np.inf:
            raise DataError(
                f"Exact p of more than {LONGEST} differing queries would take too long: let it be resampled."
            )
        if seconds <= patience:
            p[place], counted[place] = exact_p(difference, tolerance), True
    return p, counted


def max_flip(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    clusters: Any = None,
    alpha: float = 0.05,
) -> Flips:
    """Sign flips with the family's largest difference as yardstick: p that hold for all pairs together (max-T).

    One sign per query for all pairs; p of a pair is the share of assignments in which the largest difference of any
    pair reaches that pair's. Holds also where runs differ in variance (Westfall and Young, 1993; Boytsov, Belova and
    Westfall, CIKM 2013); not studentized, since studentized it exceeds its level on real matrices.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the family [pairs, 2]; every pair once if None.
        resamples: random sign assignments; all 2**queries are taken where they are no more.
        seed: of their stream.
        clusters: a label for each query; queries of a cluster flip together.
        alpha: the level of ``cut``.

    Returns:
        p for each pair, corrected for the family.

    Raises:
        DataError: a score is not finite, or a pair names no run.

    Example:
        >>> max_flip([[0.3, 0.1, 0.3], [0.5, 0.3, 0.4], [0.7, 0.5, 0.6], [0.2, 0.1, 0.2]]).p.tolist()
        [0.125, 0.75, 0.25]
    """
    table = matrix(scores)
    chosen = checked_pairs(pairs, table.shape[1])
    grid = on_grid(table)
    whole = summed(grid.whole, clusters)
    exact = len(whole) < 40 and 1 << len(whole) <= positive(resamples)
    blocks = every_sign(whole) if exact else flipped_sums(whole, resamples, seed)
    everyone = len(chosen) == len(all_pairs(table.shape[1])) and bool(
        (chosen == all_pairs(table.shape[1])).all()
    )
    widest = np.sort(np.concatenate([widths(block, None if everyone else chosen) for block in blocks]))
    found = len(widest) - np.searchsorted(widest, halves(whole, chosen, grid.tolerance))
    p = found / len(widest) if exact else (found + 1) / (resamples + 1)
    counted = np.full(len(chosen), exact)
    beyond = 2 * decisive(widest, alpha, drawn=not exact) + grid.tolerance
    cut = beyond * grid.unit / len(table)
    return Flips(p, monte_carlo_error(p, counted, resamples), counted, resamples, seed, cut=cut)


def decisive(widest: Floats, alpha: float, *, drawn: bool) -> float:
    """The largest of the sorted resamples that a significant difference has to exceed; NaN if none can be significant.

    Args:
        widest: each resample's largest difference, ascending.
        alpha: p below it is significant.
        drawn: whether p is (b + 1) / (resamples + 1), or b of all assignments.
    """
    # So many resamples at most may reach what is significant.
    most = int(np.ceil(alpha * (len(widest) + drawn))) - 1 - drawn
    return float(widest[len(widest) - 1 - most]) if 0 <= most < len(widest) else np.nan


def halves(whole: Floats, pairs: Integers, tolerance: float) -> Floats:
    """Half of what a flipped sum must reach, pair by pair: sums here are halved."""
    total = whole.sum(axis=0)
    return np.asarray((np.abs(total[pairs[:, 0]] - total[pairs[:, 1]]) - tolerance) / 2)


def reached(blocks: Iterable[Floats], pairs: Integers, least: Floats) -> Integers:
    """How many resamples reach each pair's bound, on either side [pairs]."""
    found = np.zeros(len(pairs), np.int64)
    groups = [np.flatnonzero(pairs[:, 0] == one) for one in np.unique(pairs[:, 0])]
    for block in blocks:
        for group in groups:
            difference = block[pairs[group, 1]]
            difference -= block[pairs[group[0], 0]]
            np.abs(difference, out=difference)
            for place, row in zip(group, difference >= least[group, None]):
                found[place] += np.count_nonzero(row)
    return found


def widths(block: Floats, pairs: Integers | None) -> Floats:
    """The largest difference of each resample, among these pairs or all [resamples]."""
    if pairs is None:
        return np.asarray(block.max(axis=0) - block.min(axis=0))
    widest = np.zeros(block.shape[1])
    for one, other in pairs:
        np.maximum(widest, np.abs(block[one] - block[other]), out=widest)
    return widest


def monte_carlo_error(p: Floats, exact: NDArray[np.bool_], resamples: int) -> Floats:
    """The standard error that resampling gives p."""
    return np.asarray(np.where(exact, 0.0, np.sqrt(p * (1 - p) / resamples)))


def positive(resamples: int) -> int:
    """The number of resamples.

    Raises:
        DataError: it is not a positive number.
    """
    if resamples < 1:
        raise DataError(f"{resamples} resamples are none: give a positive number, such as {RESAMPLES:,}.")
    return resamples
