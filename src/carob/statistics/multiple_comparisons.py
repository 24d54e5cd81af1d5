"""Comparisons of all pairs of runs: Tukey's randomised test, the range of normals, and the analysis of variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.output.errors import DataError
from carob.statistics.estimates import matrix
from carob.statistics.resampling import ExactSums, Flips, decisive, sign_flip

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from carob.lists.rows import Floats
    from carob.statistics.resampling import Draw

__all__ = ["Anova", "anova", "randomised_tukey", "range_beyond", "range_cut"]

MANY = 500
"""The number of queries from which the permutation distribution of a mean is nearly normal."""

MOST = 150_000_000
"""The maximum number of scores to permute, which takes a few seconds. For more scores, the normal limit is used."""

NODES = 128
"""The number of quadrature nodes for the range of normals."""

AT_ONCE = 1 << 18
"""The number of scores that are permuted at a time (2 MB)."""


@dataclass(frozen=True)
class Anova:
    """A two-way (queries by runs) analysis of variance without replication.

    Args:
        queries: the number of queries.
        runs: the number of runs.
        ss_runs: the sum of squares between runs.
        ss_queries: the sum of squares between queries.
        ss_rest: the residual sum of squares.
        ms_runs: the mean square between runs.
        ms_queries: the mean square between queries.
        ms_rest: the residual mean square, with ``(queries - 1) * (runs - 1)`` degrees of freedom.
        f_runs: ms_runs / ms_rest.
        f_queries: ms_queries / ms_rest.
        p_runs: the p for the hypothesis that all runs have the same mean.
        p_queries: the p for the hypothesis that all queries have the same mean.
    """

    queries: int
    runs: int
    ss_runs: float
    ss_queries: float
    ss_rest: float
    ms_runs: float
    ms_queries: float
    ms_rest: float
    f_runs: float
    f_queries: float
    p_runs: float
    p_queries: float


def anova(scores: ArrayLike) -> Anova:
    """Returns the two-way analysis of variance of scores by query and run (Sakai, Laboratory Experiments in IR, 2018).

    Args:
        scores: a score for each query and run, with at least two queries and two runs [queries, runs].

    Raises:
        DataError: a score is not finite, or there is only one query or run.

    Example:
        >>> table = anova([[0.7, 0.5], [0.3, 0.1], [0.2, 0.3], [0.6, 0.2]])
        >>> f"F {table.f_runs:.3f}, p {table.p_runs:.3f}"
        'F 2.882, p 0.188'
    """
    from scipy.special import fdtrc

    table = matrix(scores)
    n, m = table.shape
    if n < 2 or m < 2:
        raise DataError(
            f"A table of shape {table.shape} is too small to analyse its variance: pass at least two queries and "
            "two runs."
        )
    by_run, by_query, mean = table.mean(axis=0), table.mean(axis=1), table.mean()
    degrees = (m - 1, n - 1, (n - 1) * (m - 1))
    squares = (
        float(n * ((by_run - mean) ** 2).sum()),
        float(m * ((by_query - mean) ** 2).sum()),
        float(((table - by_query[:, None] - by_run + mean) ** 2).sum()),
    )
    *effects, rest = (total / df for total, df in zip(squares, degrees, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [float(np.float64(each) / rest) for each in effects]
    chances = [float(fdtrc(df, degrees[2], ratio)) for df, ratio in zip(degrees, ratios)]
    return Anova(n, m, *[*squares, *effects, rest, *ratios, *chances])


def randomised_tukey(
    scores: ArrayLike,
    pairs: ArrayLike | None = None,
    draw: Draw | None = None,
) -> Flips:
    """Returns the randomised Tukey HSD test of all pairs of runs (Carterette, TOIS 2012; Sakai, 2018).

    If all runs are equally good, each query's scores can be permuted among the runs. The p of a pair is the share of
    permutations in which the best and the worst mean are at least as far apart as the pair's means, (b + 1) /
    (resamples + 1). For two runs, this is the sign-flip test. If permuting would take minutes (more than ``MOST``
    scores, and 500 queries or more), p comes from the limit of the permutation distribution, which is the range of as
    many normals as there are runs, and ``limit`` is set.

    Args:
        scores: a score for each query and run [queries, runs].
        pairs: the pairs whose p is returned [pairs, 2]; every pair once if None. The family is always all pairs of
            runs.
        draw: the settings of the random draw; ``Draw()`` if None.

    Returns:
        The p of each pair, corrected for all pairs, and how it was computed.

    Raises:
        DataError: a score is not finite, or a pair refers to a run that does not exist.

    Example:
        >>> from carob.statistics.resampling import Draw
        >>> table = [[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1], [0.4, 0.4, 0.3]]
        >>> randomised_tukey(table, draw=Draw(resamples=1000)).p.round(2).tolist()
        [0.42, 0.03, 0.72]
    """
    sums = ExactSums.of(scores, pairs, draw)
    whole, chosen, grid, draw = sums.whole, sums.pairs, sums.grid, sums.draw
    if whole.shape[1] <= 2:
        return sign_flip(scores, chosen, draw)
    total, exact = whole.sum(axis=0), np.zeros(len(chosen), np.bool_)
    least = np.abs(total[chosen[:, 0]] - total[chosen[:, 1]])
    if whole.size * draw.resamples > MOST and len(whole) >= MANY:
        p, cut = normal_limit(whole, least, draw.alpha)
        return Flips(p, np.zeros(len(p)), exact, limit=True, cut=cut * grid.unit / sums.queries)
    widest = np.sort(dealt_ranges(whole, draw))
    p = (1 + len(widest) - np.searchsorted(widest, least - grid.tolerance)) / (draw.resamples + 1)
    cut = decisive(widest, draw.alpha, drawn=True) + grid.tolerance
    return Flips(p, draw.error(p, exact), exact, cut=cut * grid.unit / sums.queries)


def dealt_ranges(whole: Floats, draw: Draw) -> Floats:
    """Returns, for each resample, the range of the column sums after a random permutation of each row.

    A row is permuted by sorting keys that contain random high bits and the score itself in the low bits, so no indexing
    is needed. Two keys of a row have the same random bits, of which there are about 28, in one of 600,000 rows of 30
    keys; such keys are then ordered by score. Each resample uses one 64-bit word of PCG64's raw stream per score.
    """
    rows, runs = whole.shape
    value = (whole - whole.min(axis=1, keepdims=True)).astype(np.uint64)
    below = np.uint64((1 << int(value.max()).bit_length()) - 1)
    stream, step = draw.stream, max(AT_ONCE // whole.size, 1)
    ranges = np.empty(draw.resamples)
    for first in range(0, draw.resamples, step):
        count = min(step, draw.resamples - first)
        keys = stream.random_raw((count, rows, runs))
        keys &= ~below
        keys |= value
        keys.sort(axis=-1)
        keys &= below
        sums = keys.sum(axis=1)
        ranges[first : first + count] = sums.max(axis=1) - sums.min(axis=1)
    return ranges


def normal_limit(whole: Floats, least: Floats, alpha: float) -> tuple[Floats, float]:
    """Returns the p-values of differences in the normal limit, and the difference whose p is alpha.

    In this limit, the sums of the runs are independent normals, whose variance is the sum of the rows' variances.
    """
    runs, scale = whole.shape[1], float(np.sqrt(whole.var(axis=1, ddof=1).sum()))
    cut = range_cut(alpha, runs) * scale
    return (range_beyond(least / scale, runs) if scale else np.ones(len(least))), cut


def range_cut(alpha: float, means: int) -> float:
    """Returns the range that ``means`` independent standard normals reach or exceed with probability alpha.

    Example:
        >>> round(range_cut(0.05, 4), 4)
        3.6332
    """
    low, high, nodes = 0.0, 20.0, np.polynomial.legendre.leggauss(NODES)
    for _ in range(60):
        middle = (low + high) / 2
        reached = float(range_share(np.asarray(middle), means, nodes)) > alpha
        low, high = (middle, high) if reached else (low, middle)
    return high


def range_beyond(reach: ArrayLike, means: int) -> Floats:
    """Returns the probability that the range of ``means`` independent standard normals is at least ``reach``.

    It is 1 - means · ∫ φ(z) (Φ(z) - Φ(z - reach))**(means - 1) dz, computed by Gauss-Legendre quadrature. The terms are
    added row by row instead of by a matrix product, because BLAS adds in an order that depends on the other rows.

    Args:
        reach: the ranges, as an array of any shape.
        means: the number of normals.

    Example:
        >>> range_beyond([2.7718], 2).round(4).tolist()
        [0.05]
    """
    wanted: Floats = np.asarray(reach, np.float64)
    return range_share(wanted, means, np.polynomial.legendre.leggauss(NODES))


def range_share(wanted: Floats, means: int, nodes: tuple[Floats, Floats]) -> Floats:
    """Returns the probability of ``range_beyond``, given the nodes of the quadrature and their weights."""
    from scipy.special import ndtr

    z = 8.5 * nodes[0]
    density = 8.5 * nodes[1] * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    between = np.maximum(ndtr(z) - ndtr(z - wanted[..., None]), 0.0)
    between **= means - 1
    between *= density
    return np.asarray(1 - np.clip(means * between.sum(axis=-1), 0.0, 1.0))
