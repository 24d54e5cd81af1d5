"""Resampling tests of paired scores: sign flips for one pair or for all pairs of runs, and the bootstrap.

Sums are the same on every machine, because scores are rounded to multiples of a unit and added in slices.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.output.errors import DataError
from carob.statistics import SEED
from carob.statistics.estimates import cluster_codes, matrix, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from carob.lists.rows import Floats, Integers

__all__ = ["max_flip", "resample_means", "romano_wolf", "sign_flip"]


FINEST = 36
"""The number of binary digits after the point for scores up to 1; sums of up to 2**16 such scores are exact."""

EXACT = 52
"""The number of bits of an exact sum. Double precision has 53 bits, one of which is reserved for halves."""

ROUNDING = 1e-9
"""The maximum distance from an integer at which a score times its denominator counts as an integer."""

ALONE = 1 << 18
"""The maximum number of multiplications for which OpenBLAS uses a single thread. On a busy processor, threads that wait
for each other take ten times as long as the product itself."""

LONG = 256
"""The number of rows in a slice; this many scores of thirty runs fit into the first-level cache."""

AT_ONCE = 1 << 18
"""The number of weights that are held in memory as floats at a time (2 MB)."""


FRACTIONS = (*range(1, 21), 24, 25, 30, 40, 50, 60, 100, 200, 500, 1000, 2520)
"""The denominators that are tried: those of P@k, of recall with few relevant documents, and of RR@10 (2520)."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Scores as integer multiples of a unit.

    Args:
        whole: the scores divided by the unit, which are integers stored as float64 [rows, runs].
        unit: the score that corresponds to 1 in ``whole``.
        tolerance: the largest difference, in units, between two sums that are equal in exact arithmetic.
    """

    whole: Floats
    unit: float
    tolerance: float


def on_grid(scores: Floats) -> Grid:
    """Returns scores as integer multiples of a unit, so that sums are exact in any order and for any number of threads.

    If all scores are fractions with a common small denominator (P@10, hits, counts), they become integers, so nothing
    is rounded and no tie is lost. Otherwise, scores are rounded to multiples of 2**-36 times the power of two above the
    largest score, or to coarser multiples if there are more than 65,536 rows. A difference is then off by at most one
    unit, and flipping signs changes a sum by twice the flipped differences, so sums that tie in exact arithmetic are
    within ``2 * rows`` units of each other.

    Args:
        scores: the scores, which must be finite [rows, runs].

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
    """Returns the smallest d in ``FRACTIONS`` such that every score is a multiple of 1 / d, or None."""
    some = scores[:50]
    fits = (parts for parts in FRACTIONS if whole(some * parts) and whole(scores * parts))
    return next(fits, None)


def whole(numbers: Floats) -> bool:
    """Returns whether all numbers are integers up to rounding errors."""
    return bool((np.abs(numbers - np.rint(numbers)) <= ROUNDING).all())


def all_pairs(runs: int) -> Integers:
    """Returns every pair of runs once, with the lower index first [pairs, 2]."""
    return np.stack(np.triu_indices(runs, 1), axis=1).astype(np.int64)


def checked_pairs(pairs: ArrayLike | None, runs: int) -> Integers:
    """Returns the given pairs of runs as a table [pairs, 2]; by default, every pair.

    Raises:
        DataError: a pair refers to a run that does not exist.
    """
    if pairs is None:
        return all_pairs(runs)
    table = np.asarray(pairs, np.int64).reshape(-1, 2)
    if table.size and not 0 <= table.min() <= table.max() < runs:
        raise DataError(
            f"Pairs refer to runs {table.min()} to {table.max()}: use run numbers from 0 to {runs - 1}."
        )
    return table


def weighted_sums(whole: Floats, resamples: int, weights: Callable[[slice], NDArray[Any]]) -> Floats:
    """Returns the weighted sum of each column, for each resample [columns, resamples].

    Columns must contain integers whose sums are exact (see ``on_grid``), so that the order of summation does not
    matter.

    Args:
        whole: an array of integers [rows, columns].
        resamples: the number of sets of weights.
        weights: a function that returns the weights of a slice of the resamples [resamples, rows].
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


PATIENCE = 0.1
"""The total number of seconds that exact p-values may take. If counting takes longer, p is estimated by resampling."""

RESAMPLES = 10_000
"""The default. With 1,000 resamples, p is on the wrong side of .05 for 1% of pairs; with 10,000, for at most 0.5%."""

SUMS_AT_ONCE = 1 << 16
"""The number of resampled sums that are compared at a time; 2,048 resamples of 32 runs fit into a processor's cache."""

FEWEST_AT_ONCE = 2048
"""The minimum number of resamples that are compared at a time, because each step has an overhead."""

LONGEST = 50
"""The maximum number of differences that can be counted by halves, which needs memory for 2**25 sums per half."""


@dataclass(frozen=True, eq=False)
class Draw:
    """The settings for resampling queries.

    Args:
        resamples: the number of random resamples.
        seed: the seed of the random stream, which all pairs and measures share.
        clusters: the cluster of each query; queries of a cluster are resampled together. None if queries are
            independent.
        alpha: the level of ``Flips.cut``.
        exact: whether p is computed from all sign assignments if that is cheap. Otherwise, p always comes from
            resamples.

    Raises:
        DataError: the number of resamples or the seed is invalid.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    clusters: Any = None
    alpha: float = 0.05
    exact: bool = True

    def __post_init__(self) -> None:
        """Rejects an invalid number of resamples or an invalid seed."""
        refuse_seed(self.seed)
        if self.resamples < 1:
            raise DataError(f"resamples={self.resamples}: use a positive number, such as {RESAMPLES:,}.")

    @property
    def stream(self) -> np.random.PCG64:
        """A new random number generator, at the start of its sequence."""
        return np.random.PCG64(int(self.seed))

    def error(self, p: Floats, exact: NDArray[np.bool_]) -> Floats:
        """Returns the Monte Carlo standard error of p, which is 0 where p is exact."""
        return np.asarray(np.where(exact, 0.0, np.sqrt(p * (1 - p) / self.resamples)))


@dataclass(frozen=True, eq=False)
class Flips:
    """The result of a resampling test for each pair of runs.

    Args:
        p: the two-sided p [pairs].
        error: the Monte Carlo standard error of p; 0 where p is exact [pairs].
        exact: whether all sign assignments were counted, in which case p does not depend on the seed [pairs].
        limit: whether p comes from the normal limit of the permutation distribution, which ``randomised_tukey`` uses if
            permuting would take minutes.
        cut: for a test of all pairs at once, the largest difference between means that is not significant at ``alpha``.
            Mean difference ± cut is a simultaneous interval, which excludes 0 if p is below alpha. NaN if no difference
            can be significant, and for tests of single pairs. A studentized test has a cut for each pair, and a later
            step can make p smaller than alpha even though the interval contains 0.
    """

    p: Floats
    error: Floats
    exact: NDArray[np.bool_]
    limit: bool = False
    cut: float | Floats = math.nan


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Scores whose sums are exact in any order, and the pairs of runs that a resampling test compares.

    Args:
        whole: the scores of queries, or their sums over clusters, as integer multiples of a unit [rows, runs].
        pairs: the indices of the two runs of each pair [pairs, 2].
        grid: the scores as integers, with the unit and the tolerance of sums.
        queries: the number of queries.
        draw: the settings of the resamples.
    """

    whole: Floats
    pairs: Integers
    grid: Grid
    queries: int
    draw: Draw

    @classmethod
    def of(cls, scores: ArrayLike, pairs: ArrayLike | None, draw: Draw | None) -> ExactSums:
        """Prepares a table of scores. By default, every pair is compared, and the settings are ``Draw()``.

        Raises:
            DataError: a score is not finite, or a pair refers to a run that does not exist.
        """
        table, draw = matrix(scores), draw or Draw()
        chosen, grid = checked_pairs(pairs, table.shape[1]), on_grid(table)
        return cls(summed(grid.whole, draw.clusters), chosen, grid, len(table), draw)

    @property
    def every_sign(self) -> bool:
        """Whether every assignment of signs to the rows is counted, because there are at most as many as resamples."""
        return len(self.whole) < 40 and 1 << len(self.whole) <= self.draw.resamples

    @property
    def halves(self) -> Floats:
        """Half the sum that each pair's flipped sums must reach, because flipped sums are also halved [pairs]."""
        total = self.whole.sum(axis=0)
        first, second = self.pairs.T
        return np.asarray((np.abs(total[first] - total[second]) - self.grid.tolerance) / 2)

    def flipped(self) -> Iterator[Floats]:
        """Yields half the sum of each column under random signs, or under every assignment of signs if few."""
        return every_sign(self.whole) if self.every_sign else flipped_sums(self.whole, self.draw)

    def share(self, found: Integers) -> Floats:
        """Returns p: the share of assignments that reach a bound; for random ones, (reached + 1) / (resamples + 1)."""
        if self.every_sign:
            return np.asarray(found / (1 << len(self.whole)))
        return np.asarray((found + 1) / (self.draw.resamples + 1))

    def decisive(self, widest: Floats) -> float:
        """Returns the critical difference. It is twice the threshold of ``decisive``, because ``widest`` is halved."""
        return 2 * decisive(widest, self.draw.alpha, drawn=not self.every_sign)

    def flips(self, p: Floats, cut: float | Floats) -> Flips:
        """Returns the result of a test of all pairs, given p and the cut as a sum over queries."""
        exact = np.full(len(p), self.every_sign)
        return Flips(p, self.draw.error(p, exact), exact, cut=cut * self.grid.unit / self.queries)


def sign_flip(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    draw: Draw | None = None,
) -> Flips:
    """Returns the two-sided paired randomisation test (Fisher; Smucker, Allan and Carterette, CIKM 2007).

    If two runs are equally good, each query's difference is equally likely to have the opposite sign. p is the share of
    sign assignments whose absolute mean difference is at least as large as the observed one. If counting is cheap (few
    or coarse differences), all assignments are counted; otherwise, p is (b + 1) / (resamples + 1) for random
    assignments (Phipson and Smyth, 2010). If the rows are in the same order, the same seed yields the same p to the
    last digit on any machine, so sort queries by id first.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the runs to compare, by index [pairs, 2]; every pair once if None.
        draw: the settings of the random draw; ``Draw()`` if None.

    Returns:
        The p of each pair, and how it was computed.

    Raises:
        DataError: a score is not finite, or a pair refers to a run that does not exist.

    Example:
        >>> a, b = [0.3, 0.5, 0.7, 0.2, 0.4], [0.1, 0.3, 0.5, 0.1, 0.4]
        >>> sign_flip(list(zip(a, b))).p.tolist()
        [0.125]
    """
    sums = ExactSums.of(scores, pairs, draw)
    whole, chosen, tolerance, draw = sums.whole, sums.pairs, sums.grid.tolerance, sums.draw
    p, counted = np.ones(len(chosen)), np.zeros(len(chosen), np.bool_)
    patience = PATIENCE / max(len(chosen), 1)
    for place, (one, other) in enumerate(chosen if draw.exact else ()):
        difference = whole[:, one] - whole[:, other]
        if cost(difference, tolerance, patience) <= patience:
            p[place], counted[place] = exact_p(difference, tolerance), True
    rest = np.flatnonzero(~counted)
    if len(rest):
        found = reached(flipped_sums(whole, draw), chosen[rest], sums.halves[rest])
        p[rest] = (found + 1) / (draw.resamples + 1)
    return Flips(p, draw.error(p, counted), counted)


def max_flip(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    draw: Draw | None = None,
) -> Flips:
    """Returns the max-T sign-flip test, which compares each pair's difference with the largest difference of any pair.

    Each query has the same sign for all pairs. The p of a pair is the share of assignments in which the largest
    difference of any pair reaches the observed difference of this pair. The test is also valid if runs differ in
    variance (Westfall and Young, 1993; Boytsov, Belova and Westfall, CIKM 2013). Unlike ``romano_wolf``, it is not
    studentized. A studentized test finds more differences, but too many if differences are very skewed.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the family [pairs, 2]; every pair once if None.
        draw: the settings of the random signs; ``Draw()`` if None. If there are no more
            assignments than resamples, all 2**queries assignments are used.

    Returns:
        The p of each pair, corrected for the family.

    Raises:
        DataError: a score is not finite, or a pair refers to a run that does not exist.

    Example:
        >>> max_flip([[0.3, 0.1, 0.3], [0.5, 0.3, 0.4], [0.7, 0.5, 0.6], [0.2, 0.1, 0.2]]).p.tolist()
        [0.125, 0.75, 0.25]
    """
    sums = ExactSums.of(scores, pairs, draw)
    family = None if np.array_equal(sums.pairs, all_pairs(sums.whole.shape[1])) else sums.pairs
    widest = np.sort(np.concatenate([widths(block, family) for block in sums.flipped()]))
    found = len(widest) - np.searchsorted(widest, sums.halves)
    return sums.flips(sums.share(found), sums.decisive(widest) + sums.grid.tolerance)


def decisive(widest: Floats, alpha: float, *, drawn: bool) -> float:
    """Returns the threshold that significant differences exceed, or NaN if no difference can be significant.

    Args:
        widest: the largest difference of each resample, in ascending order.
        alpha: the significance level; a difference is significant if its p is below this level.
        drawn: whether assignments are random, so that p is (b + 1) / (resamples + 1). Otherwise, p is b divided by the
            number of assignments.
    """
    # The maximum number of resamples that can reach a significant difference.
    most = int(np.ceil(alpha * (len(widest) + drawn))) - 1 - drawn
    return float(widest[len(widest) - 1 - most]) if 0 <= most < len(widest) else np.nan


def reached(blocks: Iterable[Floats], pairs: Integers, least: Floats) -> Integers:
    """Returns, for each pair, the number of resamples whose absolute difference reaches the pair's bound [pairs]."""
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
    """Returns the largest absolute difference in each resample, among the given pairs or all pairs [resamples]."""
    if pairs is None:
        return np.asarray(block.max(axis=0) - block.min(axis=0))
    widest = np.zeros(block.shape[1])
    for one, other in pairs:
        np.maximum(widest, np.abs(block[one] - block[other]), out=widest)
    return widest


def refuse_seed(seed: object) -> None:
    """Rejects an invalid seed.

    Raises:
        DataError: the seed is not a nonnegative integer.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError(f"seed={seed!r}: use a whole number that is not negative.")


def flipped_sums(whole: Floats, draw: Draw) -> Iterator[Floats]:
    """Yields half the sum of each column under random signs of the rows, in blocks of resamples [columns, resamples].

    The difference between two columns' sums is the flipped sum of the columns' difference, so one product of signs and
    scores serves every pair. Columns must contain integers whose sums are exact (see ``on_grid``), so that the same
    seed yields the same sums for any number of threads, any BLAS and any block size. A resample uses an integer number
    of 64-bit words of PCG64's raw stream, with one bit per row in the order of the rows, so rows in the same order
    receive the same signs for all measures.
    """
    words, stream, step = -(-len(whole) // 64), draw.stream, resamples_at_once(whole)
    for first in range(0, draw.resamples, step):
        count = min(step, draw.resamples - first)
        yield sums_under(stream.random_raw((count, words)), whole)


def every_sign(whole: Floats) -> Iterator[Floats]:
    """Yields the sums that ``flipped_sums`` yields, but for each of the 2**rows assignments of signs.

    There must be at most 62 rows.
    """
    total, step = 1 << len(whole), resamples_at_once(whole)
    for first in range(0, total, step):
        yield sums_under(np.arange(first, min(first + step, total), dtype=np.uint64)[:, None], whole)


def resamples_at_once(whole: Floats) -> int:
    """Returns how many resamples of the given columns are compared at a time."""
    return max(SUMS_AT_ONCE // int(whole.shape[1]), FEWEST_AT_ONCE)


def sums_under(words: NDArray[np.uint64], whole: Floats) -> Floats:
    """Returns half the column sums under signs given as bits, where 1 is plus and 0 is minus [columns, resamples]."""
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)

    def bits(part: slice) -> NDArray[np.uint8]:
        return np.unpackbits(octets[part], axis=1, count=len(whole), bitorder="little")

    sums = weighted_sums(whole, len(words), bits)
    sums -= whole.sum(axis=0)[:, None] / 2
    return sums


PER_SUM, PER_STEP, PER_CELL = 5e-8, 5e-6, 1e-9
"""Approximate seconds on one core of 2024: per sum of a half, per step of the recurrence, and per cell."""


def cost(difference: Floats, tolerance: float, patience: float = math.inf) -> float:
    """Returns approximately how many seconds counting takes, or infinity if it is impossible or too slow."""
    least = np.count_nonzero(np.abs(difference) > zero(tolerance))
    if least > LONGEST and (tolerance or least * PER_STEP > patience):
        return np.inf
    return min(costs(sizes(difference, tolerance), tolerance))


def costs(size: Integers, tolerance: float) -> tuple[float, float]:
    """Returns approximately how many seconds an exact p takes by halves and by recurrence."""
    halves = PER_STEP * len(size) + PER_SUM * 2.0 ** -(-len(size) // 2) if len(size) <= LONGEST else np.inf
    if tolerance or not len(size):
        return halves, np.inf
    cells = len(size) * float(size.sum()) / float(np.gcd.reduce(size))
    return halves, len(size) * PER_STEP + cells * PER_CELL


def exact_p(difference: Floats, tolerance: float) -> float:
    """Returns the share of all sign assignments whose sum is at least as far from 0 as the observed sum.

    Zeros are dropped first, which does not change p. The faster of two methods is used. By halves, the signed sums of
    one half of the differences are looked up among the sorted signed sums of the other half (Horowitz and Sahni, 1974).
    By recurrence, which requires a coarse grid, the share of assignments that reach each sum is updated for one
    difference at a time (Pagano and Tritchler, 1983).

    Args:
        difference: the difference of each query, as integers [queries].
        tolerance: the largest difference between two sums that tie in exact arithmetic.

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
    """Returns the largest absolute difference that counts as 0, which is one unit if scores were rounded."""
    return 1 if tolerance else 0


def tail_of_halves(size: Integers, reach: int) -> float:
    """Returns twice the share of assignments whose sum is at least ``reach``, which must be above 0."""
    one, other = signed_sums(size[::2]), signed_sums(size[1::2])
    other.sort()
    one.sort()
    found = len(one) * len(other) - int(np.searchsorted(other, reach - one[::-1]).sum())
    return 2.0 * found / 2.0 ** len(size)


def signed_sums(size: Integers) -> Integers:
    """Returns the sums of the given numbers under every assignment of signs [2**numbers]."""
    sums = np.zeros(1, np.int64)
    for each in size:
        sums = np.concatenate([sums - each, sums + each])
    return sums


def tail_of_grid(size: Integers, reach: int) -> float:
    """Returns the share of assignments whose absolute sum is at least ``reach``, by recurrence over the sums."""
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


# ---------------------------------------------------------------- step by step, studentized

SLACK = 1e-10
"""The relative rounding error up to which two studentized differences count as equal."""


def romano_wolf(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    draw: Draw | None = None,
    *,
    studentized: bool = True,
) -> Flips:
    """Returns the studentized step-down max-T test with sign flips (Romano and Wolf, Econometrica 2005).

    Each query has the same sign for all pairs. A pair's statistic is the absolute t of its differences, so each
    difference is measured in units of its own spread. The pair with the largest t is compared with the largest flipped
    t of all pairs, the next pair with the largest flipped t of all pairs except the first, and so on. No p is smaller
    than the p of a pair with a larger t. Flipping signs does not change a sum of squares, and all pairs have the same
    number of queries. Therefore t is an increasing function of the flipped sum divided by the root of the sum of
    squares, which is used instead of t.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the family [pairs, 2]; every pair once if None.
        draw: the settings of the random signs; ``Draw()`` if None. If there are no more assignments of signs
            than ``draw.resamples``, all 2**queries assignments are used.
        studentized: whether a pair's statistic is its t. Otherwise, it is the difference itself, as in ``max_flip``,
            but in the same step-down procedure (Westfall and Young, 1993).

    Returns:
        The p of each pair, corrected for the family. ``cut`` comes from the first step.

    Raises:
        DataError: a score is not finite, or a pair refers to a run that does not exist.

    Example:
        >>> table = [[0.3, 0.1, 0.3], [0.5, 0.3, 0.4], [0.7, 0.5, 0.6], [0.2, 0.1, 0.2], [0.6, 0.4, 0.7]]
        >>> romano_wolf(table).p.tolist()
        [0.0625, 1.0, 0.0625]
    """
    sums = ExactSums.of(scores, pairs, draw)
    squares, least, factor = squared(sums), sums.halves, None
    if studentized:
        with np.errstate(divide="ignore"):
            factor = np.where(squares > 0, 1 / np.sqrt(squares), 0.0)
        least *= factor * (1 - SLACK)
    order = np.argsort(least, kind="stable")
    found, widest = stepwise(sums, order, None if factor is None else factor[order], least[order])
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate(sums.share(found)[::-1])[::-1]
    p[squares == 0] = 1.0
    reach = sums.decisive(np.sort(widest))
    return sums.flips(p, reaching(reach, sums, squares) if studentized else reach)


def squared(sums: ExactSums) -> Floats:
    """Returns the sum of each pair's squared differences, which is 0 for runs that are equal on every query."""
    whole, pairs = sums.whole, sums.pairs
    squares = np.zeros(len(pairs))
    step = max(AT_ONCE // len(whole), 1)
    for first in range(0, len(pairs), step):
        part = slice(first, first + step)
        difference = whole[:, pairs[part, 0]] - whole[:, pairs[part, 1]]
        equal = (np.abs(difference) <= zero(sums.grid.tolerance)).all(axis=0)
        squares[part] = np.where(equal, 0.0, (difference**2).sum(axis=0))
    return squares


def stepwise(
    sums: ExactSums, order: Integers, weight: Floats | None, least: Floats
) -> tuple[Integers, Floats]:
    """Returns, for each pair, how many resamples reach its bound at its step, and each resample's largest statistic.

    Args:
        sums: the scores and pairs.
        order: the indices of the pairs, the least significant first [pairs].
        weight: the factor that studentizes each pair's sum; None if sums are not studentized [pairs].
        least: the bound for each pair's statistic [pairs].
    """
    tolerance = sums.grid.tolerance / 2  # the rounding error of half a sum
    found, widest, late = np.zeros(len(order), np.int64), [], 0.0
    if weight is None:  # adding the error to the largest sum only is faster
        least, late = least - tolerance, tolerance
    factors = [1.0] * len(order) if weight is None else weight.tolist()
    steps = list(zip(sums.pairs[order].tolist(), factors, least.tolist(), strict=True))
    for block in sums.flipped():
        largest = np.zeros(block.shape[1])
        flipped = np.empty_like(largest)
        for place, ((one, other), factor, bound) in enumerate(steps):
            np.subtract(block[one], block[other], out=flipped)
            np.abs(flipped, out=flipped)
            if weight is not None:
                flipped += tolerance
                flipped *= factor
            np.maximum(largest, flipped, out=largest)
            found[place] += np.count_nonzero(largest >= bound)
        widest.append(largest)
    return found, np.concatenate(widest) + late


def reaching(reach: float, sums: ExactSums, squares: Floats) -> Floats:
    """Returns half the width of each pair's simultaneous interval, on the scale of a sum over the rows.

    Args:
        reach: the critical value of a pair's sum divided by the root of its sum of squares.
        sums: the scores and pairs.
        squares: each pair's sum of squared differences.
    """
    whole, pairs = sums.whole, sums.pairs
    rows, total = len(whole), whole.sum(axis=0)
    around = squares - (total[pairs[:, 0]] - total[pairs[:, 1]]) ** 2 / rows
    around[around <= SLACK * squares] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        # t² = (n - 1) r² / (n - r²), and the squared error of a sum is n / (n - 1) times its squares around the mean.
        return np.asarray(np.sqrt(around * reach**2 * rows / (rows - reach**2)))


# ---------------------------------------------------------------- the bootstrap

DRAWN_RESAMPLES_AT_ONCE = 1 << 20
"""The number of counts that are held in memory at a time (8 MB)."""


def resample_means(scores: ArrayLike, draw: Draw | None = None) -> Floats:
    """Returns the mean of each run over queries that are drawn with replacement (Cormack and Lynam; Sakai; SIGIR 2006).

    The same queries are drawn for all runs, so differences and ranks can be computed within a row.

    Args:
        scores: a score for each query and run [queries, runs].
        draw: the settings of the random draw; ``Draw()`` if None. Each resample has as many queries (or clusters) as
            the table.

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
    """Yields how many times each unit is drawn, in blocks of resamples [resamples, units].

    Each resample uses an integer number of 64-bit words, half a word for each draw. The half-word times the number of
    units, divided by 2**32 and rounded down, is the drawn unit (Lemire, 2019, without the rejection step that would
    remove a bias of 2**-32).
    """
    stream, step = draw.stream, max(DRAWN_RESAMPLES_AT_ONCE // units, 1)
    for first in range(0, draw.resamples, step):
        count = min(step, draw.resamples - first)
        words = stream.random_raw((count, -(-units // 2))).astype("<u8", copy=False)
        halves = words.view("<u4")[:, :units].astype(np.uint64)
        drawn = (halves * np.uint64(units) >> np.uint64(32)).astype(np.int64)
        drawn += np.arange(count)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units)
