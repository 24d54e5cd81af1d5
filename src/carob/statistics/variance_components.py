"""Variance components of a complete table of queries by runs, by restricted maximum likelihood (REML)."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from carob._numpy import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.lists.rows import Floats


class Components(NamedTuple):
    """The variances of the parts of a score, where score = mean + query + run + interaction + replicate.

    Args:
        query: the variance of the queries' effects.
        run: the variance of the runs' effects.
        interaction: the variance of the interaction between queries and runs; without replicates, it includes all other
            variation within a cell.
        replicate: the variance between replicates of the same query and run; NaN without replicates.
    """

    query: float
    run: float
    interaction: float
    replicate: float = math.nan


def components_of(scores: Floats) -> Components:
    """Returns the REML estimates for a balanced table in which all effects are random.

    The mean squares of a balanced table are independent, and each is distributed as its expected value times χ²/df. The
    REML estimates are the expected values that maximise the likelihood subject to no variance being negative, which
    means that mean squares in the wrong order are pooled (Thompson 1962).

    Args:
        scores: the scores [queries, runs] or [queries, runs, replicates]. Each dimension must have at least 2 elements.

    Example:
        >>> from carob.statistics.variance_components import components_of
        >>> found = components_of(np.array([[0.1, 0.4], [0.5, 0.6], [0.3, 0.8]]))
        >>> [round(each, 4) for each in found[:3]]
        [0.02, 0.0383, 0.02]
    """
    table = scores[:, :, None] if scores.ndim == 2 else scores
    queries, runs, replicates = table.shape
    cells = table.mean(axis=2)
    by_query, by_run, mean = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    own = cells - by_query[:, None] - by_run + mean
    # The sums of squares and their degrees of freedom: query, run, interaction, replicate.
    squares = [
        runs * replicates * float(((by_query - mean) ** 2).sum()),
        queries * replicates * float(((by_run - mean) ** 2).sum()),
        replicates * float((own**2).sum()),
        float(((table - cells[:, :, None]) ** 2).sum()),
    ]
    freedom = [queries - 1, runs - 1, (queries - 1) * (runs - 1), queries * runs * (replicates - 1)]
    kinds = 3 if replicates == 1 else 4
    order = [(0, 2), (1, 2), (2, 3)][: kinds - 1]
    query, run, interaction, *within = expected(squares[:kinds], freedom[:kinds], order)
    return Components(
        (query - interaction) / (runs * replicates),
        (run - interaction) / (queries * replicates),
        (interaction - sum(within)) / replicates,
        *within,
    )


def expected(
    squares: Sequence[float], freedom: Sequence[int], order: Sequence[tuple[int, int]]
) -> tuple[float, ...]:
    """Returns the expected mean squares that maximise the likelihood under constraints on their order.

    Args:
        squares: the sums of squares.
        freedom: the degrees of freedom of the sums of squares.
        order: the constraints, as pairs of indices; the expected mean square of the first must be at least that of the
            second.
    """
    best: tuple[float, ...] = ()
    least = math.inf
    for equal in product((False, True), repeat=len(order)):
        block = list(range(len(squares)))
        for (first, second), joined in zip(order, equal, strict=True):
            if joined:
                block = [block[first] if each == block[second] else each for each in block]
        found = []
        for each in block:
            members = [place for place, other in enumerate(block) if other == each]
            found.append(sum(squares[its] for its in members) / sum(freedom[its] for its in members))
        if any(found[first] < found[second] for first, second in order):
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = [
                df * float(np.log(value)) + (square / value if value else 0.0)
                for square, df, value in zip(squares, freedom, found, strict=True)
            ]
        if not best or sum(terms) < least:
            best, least = tuple(found), sum(terms)
    return best
