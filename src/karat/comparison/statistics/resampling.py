"""Resampling of queries: the randomisation test (random or exact sign flips), max-T, the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.statistics.paired import (
    all_pairs,
    checked_pairs,
    cluster_codes,
    matrix,
    on_grid,
    summed,
    weighted_sums,
)
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from karat.lists.rows import Floats, Integers

__all__ = [
    "RESAMPLES",
    "SEED",
    "Draw",
    "Flips",
    "exact_p",
    "max_flip",
    "refuse_seed",
    "resample_means",
    "sign_flip",
]


PATIENCE = 0.1
"""Seconds that exact p may take in all; p of further pairs is resampled."""

SEED = 2026
"""The default seed; a table's footer prints it."""

RESAMPLES = 10_000
"""With 1,000, one pair in a hundred ends on the other side of .05; with 10,000, at most one in two hundred."""

AT_ONCE = 2048
"""Resamples compared at a time: those of thirty runs fit into a processor's cache."""

LONGEST = 50
"""The largest number of differences whose half-assignments fit into memory (2**25 sums for each half)."""


@dataclass(frozen=True, eq=False)
class Draw:
    """The settings for resampling queries.

    Args:
        resamples: the number of random resamples.
        seed: the seed of their stream, which all pairs and measures share.
        clusters: a label for each query; queries of a cluster are resampled together. None if queries are independent.
        alpha: the level of ``Flips.cut``.
        exact: whether p is counted over all sign assignments where that is cheap; else p is always resampled.

    Raises:
        DataError: the number of resamples or the seed is invalid.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    clusters: Any = None
    alpha: float = 0.05
    exact: bool = True

    def __post_init__(self) -> None:
        """Refuses an invalid number of resamples or seed."""
        refuse_seed(self.seed)
        if self.resamples < 1:
            raise DataError(f"resamples={self.resamples}: give a positive number, such as {RESAMPLES:,}.")

    @property
    def stream(self) -> np.random.PCG64:
        """Returns a new random number generator, from the start of its sequence."""
        return np.random.PCG64(int(self.seed))

    def error(self, p: Floats, exact: NDArray[np.bool_]) -> Floats:
        """Returns the standard error of p due to resampling, which is 0 where p is exact."""
        return np.asarray(np.where(exact, 0.0, np.sqrt(p * (1 - p) / self.resamples)))


@dataclass(frozen=True, eq=False)
class Flips:
    """The result of a resampling test for each pair of runs.

    Args:
        p: two-sided [pairs].
        error: the standard error of p due to resampling; 0 where p is exact [pairs].
        exact: whether all assignments were counted, so that neither error nor seed matters [pairs].
        limit: whether p comes from the normal limit of the permutation distribution, used where permuting the
            queries would take minutes (``randomised_tukey``).
        cut: for a test of all pairs at once, the largest difference of means that is not significant at ``alpha``:
            mean difference ± cut is a simultaneous interval, which excludes 0 where p is below alpha. NaN where no
            difference could be significant, and for tests of single pairs.
    """

    p: Floats
    error: Floats
    exact: NDArray[np.bool_]
    limit: bool = False
    cut: float = np.nan


def sign_flip(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    draw: Draw | None = None,
) -> Flips:
    """Returns the paired randomisation test (Fisher; Smucker, Allan and Carterette, CIKM 2007), two-sided.

    If two runs are equally good, each query's difference could as well have had the other sign. p is the share of sign
    assignments whose mean difference is at least as large as the observed one: of all assignments where counting them
    is cheap (few or coarse differences), else (b + 1) / (resamples + 1) of random ones (Phipson and Smyth, 2010). Ties
    count. The same seed gives the same p to the last digit on any machine, if the rows are in the same order: sort
    queries by id first.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the runs to compare, by index [pairs, 2]; every pair once if None.
        draw: the settings of the random draw; ``Draw()`` if None.

    Returns:
        p for each pair, and how it was computed.

    Raises:
        DataError: a score is not finite, or a pair names no run.

    Example:
        >>> a, b = [0.3, 0.5, 0.7, 0.2, 0.4], [0.1, 0.3, 0.5, 0.1, 0.4]
        >>> sign_flip(list(zip(a, b))).p.tolist()
        [0.125]
    """
    table, draw = matrix(scores), draw or Draw()
    chosen = checked_pairs(pairs, table.shape[1])
    grid = on_grid(table)
    whole = summed(grid.whole, draw.clusters)
    p, counted = np.ones(len(chosen)), np.zeros(len(chosen), np.bool_)
    patience = PATIENCE / max(len(chosen), 1)
    for place, (one, other) in enumerate(chosen if draw.exact else ()):
        difference = whole[:, one] - whole[:, other]
        if cost(difference, grid.tolerance, patience) <= patience:
            p[place], counted[place] = exact_p(difference, grid.tolerance), True
    rest = np.flatnonzero(~counted)
    if len(rest):
        least = halves(whole, chosen[rest], grid.tolerance)
        found = reached(flipped_sums(whole, draw), chosen[rest], least)
        p[rest] = (found + 1) / (draw.resamples + 1)
    return Flips(p, draw.error(p, counted), counted)


def max_flip(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    draw: Draw | None = None,
) -> Flips:
    """Returns the max-T sign-flip test, which compares each pair with the largest difference of any pair.

    Each query has one sign for all pairs; p of a pair is the share of assignments in which the largest difference of
    any pair reaches that pair's. It also holds where runs differ in variance (Westfall and Young, 1993; Boytsov, Belova
    and Westfall, CIKM 2013). It is not studentized, since the studentized test exceeds its level on real matrices.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the family [pairs, 2]; every pair once if None.
        draw: the settings of the random signs; ``Draw()`` if None. If they are no more than its
            resamples, all 2**queries assignments are used.

    Returns:
        p for each pair, corrected for the family.

    Raises:
        DataError: a score is not finite, or a pair names no run.

    Example:
        >>> max_flip([[0.3, 0.1, 0.3], [0.5, 0.3, 0.4], [0.7, 0.5, 0.6], [0.2, 0.1, 0.2]]).p.tolist()
        [0.125, 0.75, 0.25]
    """
    table, draw = matrix(scores), draw or Draw()
    chosen = checked_pairs(pairs, table.shape[1])
    family = None if np.array_equal(chosen, all_pairs(table.shape[1])) else chosen
    grid = on_grid(table)
    whole = summed(grid.whole, draw.clusters)
    exact = len(whole) < 40 and 1 << len(whole) <= draw.resamples
    blocks = every_sign(whole) if exact else flipped_sums(whole, draw)
    widest = np.sort(np.concatenate([widths(block, family) for block in blocks]))
    found = len(widest) - np.searchsorted(widest, halves(whole, chosen, grid.tolerance))
    p = found / len(widest) if exact else (found + 1) / (draw.resamples + 1)
    counted = np.full(len(chosen), exact)
    beyond = 2 * decisive(widest, draw.alpha, drawn=not exact) + grid.tolerance
    return Flips(p, draw.error(p, counted), counted, cut=beyond * grid.unit / len(table))


def decisive(widest: Floats, alpha: float, *, drawn: bool) -> float:
    """Returns the largest resampled difference that a significant one must exceed, or NaN if none can be significant.

    Args:
        widest: each resample's largest difference, ascending.
        alpha: p below it is significant.
        drawn: whether p is (b + 1) / (resamples + 1), else b divided by all assignments.
    """
    # The number of resamples that may reach a significant difference.
    most = int(np.ceil(alpha * (len(widest) + drawn))) - 1 - drawn
    return float(widest[len(widest) - 1 - most]) if 0 <= most < len(widest) else np.nan


def halves(whole: Floats, pairs: Integers, tolerance: float) -> Floats:
    """Returns, for each pair, half the sum that a flipped sum must reach, since the flipped sums are also halved."""
    total = whole.sum(axis=0)
    return np.asarray((np.abs(total[pairs[:, 0]] - total[pairs[:, 1]]) - tolerance) / 2)


def reached(blocks: Iterable[Floats], pairs: Integers, least: Floats) -> Integers:
    """Returns the number of resamples that reach each pair's bound, on either side [pairs]."""
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
    """Returns the largest difference in each resample, among these pairs or all [resamples]."""
    if pairs is None:
        return np.asarray(block.max(axis=0) - block.min(axis=0))
    widest = np.zeros(block.shape[1])
    for one, other in pairs:
        np.maximum(widest, np.abs(block[one] - block[other]), out=widest)
    return widest


def refuse_seed(seed: object) -> None:
    """Refuse an invalid seed.

    Raises:
        DataError: the seed is not a whole number from 0 on.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError(f"seed={seed!r}: give a whole number that is not negative.")


def flipped_sums(whole: Floats, draw: Draw) -> Iterator[Floats]:
    """Yields half the sum of each column under random signs of the rows, in blocks of resamples [columns, resamples].

    The difference of two columns' sums is the flipped sum of their difference, so one product of signs and scores
    serves every pair. Columns must be whole numbers whose sum is exact (see ``on_grid``): then the same seed gives the
    same sums for any number of threads, BLAS or block size. A resample takes a whole number of 64-bit words of PCG64's
    raw stream, one bit per row in the order of the rows: rows in the same order get the same signs for all measures.
    """
    words, stream = -(-len(whole) // 64), draw.stream
    for first in range(0, draw.resamples, AT_ONCE):
        count = min(AT_ONCE, draw.resamples - first)
        yield sums_under(stream.random_raw((count, words)), whole)


def every_sign(whole: Floats) -> Iterator[Floats]:
    """Like ``flipped_sums``, but for each of the 2**rows assignments of signs. It accepts at most 62 rows."""
    total = 1 << len(whole)
    for first in range(0, total, AT_ONCE):
        yield sums_under(np.arange(first, min(first + AT_ONCE, total), dtype=np.uint64)[:, None], whole)


def sums_under(words: NDArray[np.uint64], whole: Floats) -> Floats:
    """Returns half the sums of the columns under signs given as bits: 1 is plus, 0 is minus [columns, resamples]."""
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)

    def bits(part: slice) -> NDArray[np.uint8]:
        return np.unpackbits(octets[part], axis=1, count=len(whole), bitorder="little")

    sums = weighted_sums(whole, len(words), bits)
    sums -= whole.sum(axis=0)[:, None] / 2
    return sums


PER_SUM, PER_STEP, PER_CELL = 5e-8, 5e-6, 1e-9
"""Approximate seconds on one core of 2024: for a sum of a half, a step of the recurrence, and a cell of it."""


def cost(difference: Floats, tolerance: float, patience: float = np.inf) -> float:
    """Returns the approximate seconds that counting takes, or infinity if it is impossible or too slow."""
    least = np.count_nonzero(np.abs(difference) > zero(tolerance))
    if least > LONGEST and (tolerance or least * PER_STEP > patience):
        return np.inf
    return min(costs(sizes(difference, tolerance), tolerance))


def costs(size: Integers, tolerance: float) -> tuple[float, float]:
    """Returns the approximate seconds that counting takes by halves, and by recurrence."""
    halves = PER_STEP * len(size) + PER_SUM * 2.0 ** -(-len(size) // 2) if len(size) <= LONGEST else np.inf
    if tolerance or not len(size):
        return halves, np.inf
    cells = len(size) * float(size.sum()) / float(np.gcd.reduce(size))
    return halves, len(size) * PER_STEP + cells * PER_CELL


def exact_p(difference: Floats, tolerance: float) -> float:
    """Returns the share of all sign assignments whose sum is at least as far from 0 as the observed one.

    Zeros are dropped first, which changes nothing. By halves: the signed sums of one half of the differences are looked
    up among the sorted signed sums of the other (Horowitz and Sahni, 1974). By recurrence: on a coarse grid, the number
    of assignments that reach each sum is updated by one difference at a time (Pagano and Tritchler, 1983).

    Args:
        difference: the difference of each query, as whole numbers [queries].
        tolerance: the largest difference of sums that tie in exact arithmetic.

    Example:
        >>> import numpy as np
        >>> exact_p(np.array([2.0, 2.0, 2.0, 1.0, 0.0]), 0.0)
        0.125
    """
    size = sizes(difference, tolerance)
    reach = abs(int(difference.sum())) - int(tolerance)
    if reach <= 0:
        return 1.0
    by_halves, by_recurrence = costs(size, tolerance)
    return tail_of_halves(size, reach) if by_halves <= by_recurrence else tail_of_grid(size, reach)


def sizes(difference: Floats, tolerance: float) -> Integers:
    """Returns the absolute differences without zeros, in ascending order."""
    size = np.abs(difference).astype(np.int64)
    return np.sort(size[size > zero(tolerance)])


def zero(tolerance: float) -> int:
    """Returns the largest absolute difference that counts as 0: one unit where scores were rounded."""
    return 1 if tolerance else 0


def tail_of_halves(size: Integers, reach: int) -> float:
    """Returns twice the share of assignments with a sum of at least ``reach`` > 0."""
    one, other = signed_sums(size[::2]), signed_sums(size[1::2])
    other.sort()
    one.sort()
    found = len(one) * len(other) - int(np.searchsorted(other, reach - one[::-1]).sum())
    return 2.0 * found / 2.0 ** len(size)


def signed_sums(size: Integers) -> Integers:
    """Returns the sums of these numbers under every assignment of signs [2**numbers]."""
    sums = np.zeros(1, np.int64)
    for each in size:
        sums = np.concatenate([sums - each, sums + each])
    return sums


def tail_of_grid(size: Integers, reach: int) -> float:
    """Returns the share of assignments that reach the sum, by recurrence over the probabilities of sums."""
    step = int(np.gcd.reduce(size))
    steps = size // step
    total = int(steps.sum())
    chance = np.zeros(total + 1)
    chance[0], top = 1.0, 0
    for each in steps.tolist():
        half = chance[: top + 1] / 2
        chance[: top + 1] = half
        top += each
        chance[each : top + 1] += half
    least = -(-reach // step)
    return 2.0 * float(chance[: (total - least) // 2 + 1].sum())


# ---------------------------------------------------------------- the bootstrap

DRAWN_AT_ONCE = 1 << 20
"""Counts held in memory at a time: 8 MB."""


def resample_means(scores: ArrayLike, draw: Draw | None = None) -> Floats:
    """Returns the mean of each run over queries drawn with replacement (Cormack and Lynam, Sakai, SIGIR 2006).

    All runs have the same draws, so differences and ranks can be computed within a row.

    Args:
        scores: a score for each query and run [queries, runs].
        draw: the settings of the random draw; ``Draw()`` if None. Each resample has as many queries (or
            clusters) as there are.

    Returns:
        The means [resamples, runs].

    Raises:
        DataError: a score is not finite.

    Example:
        >>> resample_means([[0.0], [1.0]], Draw(resamples=4)).ravel().tolist()
        [0.5, 0.5, 0.0, 0.0]
    """
    table, draw = matrix(scores), draw or Draw()
    grid, clusters = on_grid(table), draw.clusters
    whole = summed(grid.whole, clusters)
    size = np.ones(len(table)) if clusters is None else np.bincount(cluster_codes(clusters, len(table)))
    drawn: Floats = np.column_stack([whole, size]).astype(np.float64)
    sums = [weighted_sums(drawn, len(block), block.__getitem__) for block in draws(len(whole), draw)]
    total = np.concatenate(sums, axis=1).T
    return np.asarray(total[:, :-1] / total[:, -1:] * grid.unit)


def draws(units: int, draw: Draw) -> Iterator[Integers]:
    """Yields the number of times that each unit is drawn, in blocks of resamples [resamples, units].

    Each resample takes a whole number of 64-bit words, half a word for each unit drawn; the half times the number of
    units, divided by 2**32, is the unit (Lemire, 2019, without the rejection that would remove a bias of 2**-32).
    """
    stream, step = draw.stream, max(DRAWN_AT_ONCE // units, 1)
    for first in range(0, draw.resamples, step):
        count = min(step, draw.resamples - first)
        words = stream.random_raw((count, -(-units // 2))).astype("<u8", copy=False)
        halves = words.view("<u4")[:, :units].astype(np.uint64)
        drawn = (halves * np.uint64(units) >> np.uint64(32)).astype(np.int64)
        drawn += np.arange(count)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units)
