"""Selects the best of many runs: cross-validated selection, runs shown to be better, and ranks over resamples.

Larger scores are better throughout this module. Sums are exact, as in ``resampling``, so results do not depend on the
machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from carob._numpy import np
from carob.statistics.estimates import cluster_codes, matrix, summed
from carob.statistics.resampling import (
    Draw,
    all_pairs,
    draws,
    on_grid,
    resample_means,
    romano_wolf,
    weighted_sums,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from carob.lists.rows import Floats, Integers

__all__ = [
    "Ranks",
    "Selection",
    "cross_validated",
    "places",
    "ranks",
    "ranks_in",
    "reselected",
    "reselected_among",
    "shown_better",
]

FOLDS, REPEATS = 10, 20
"""The defaults. On TREC Deep Learning 2021, ten folds are as accurate as leaving one query out, with less variance."""

RESELECTIONS = 200
"""The number of resamples in which the selection is repeated to estimate a standard error."""


class Selection(NamedTuple):
    """The result of selecting the best run on some queries and scoring it on others.

    Args:
        scores: for each query, the mean score of the runs that were selected without the query [queries].
        chosen: the share of selections in which each run was selected; the shares sum to 1 [runs].
    """

    scores: Floats
    chosen: Floats


class Ranks(NamedTuple):
    """The ranks of the runs over resampled queries.

    Args:
        best: the share of resamples in which each run has the highest mean; a tie counts in equal parts for the tied
            runs [runs].
        low: the lower end of the interval for each run's rank, where 1 is the best rank [runs].
        high: the upper end of the interval [runs].
    """

    best: Floats
    low: Integers
    high: Integers


def cross_validated(
    scores: ArrayLike, *, folds: int = FOLDS, repeats: int = REPEATS, seed: int = 0, clusters: Any = None
) -> Selection:
    """Scores each query with the run that is selected without the query.

    The queries are divided at random into folds. For each fold, the run with the highest mean on the other folds is
    selected and scored on the fold. If several runs tie, the selection is divided equally among them. With as many
    folds as queries, one query is left out at a time, and a single division suffices.

    Args:
        scores: a score for each query and run [queries, runs].
        folds: the number of folds, at most the number of queries.
        repeats: the number of random divisions.
        seed: the seed of the divisions.
        clusters: the cluster of each query; queries of a cluster are in the same fold.

    Example:
        >>> found = cross_validated([[0.5, 0.4], [0.5, 0.4], [0.1, 0.9]], folds=3)
        >>> found.scores.tolist(), found.chosen.round(2).tolist()
        ([0.4, 0.4, 0.1], [0.33, 0.67])
    """
    table = matrix(scores)
    unit = np.arange(len(table)) if clusters is None else cluster_codes(clusters, len(table))
    units, stream = int(unit.max()) + 1, Draw(seed=seed).stream
    whole, size = on_grid(table).whole, np.bincount(unit, minlength=units)
    folds = min(folds, units)
    found, chosen = np.zeros(len(table)), np.zeros(table.shape[1])
    divisions = 1 if folds == units else repeats
    for _ in range(divisions):
        fold_of_unit = divided(units, folds, stream)
        fold = fold_of_unit[unit]
        share = shares_of_best(whole.sum(axis=0) - summed(whole, fold))
        found += (share[fold] * table).sum(axis=1)
        chosen += np.bincount(fold_of_unit, size, folds) @ share / len(table)
    return Selection(found / divisions, chosen / divisions)


def divided(units: int, folds: int, stream: np.random.PCG64) -> Integers:
    """Returns the fold of each unit. Units are divided at random and as evenly as possible."""
    fold = np.empty(units, np.int64)
    fold[np.argsort(stream.random_raw(units), kind="stable")] = np.arange(units) % min(folds, units)
    return fold


def shares_of_best(sums: Floats) -> Floats:
    """Returns 1 for the run with the largest sum and 0 for the others; tied best runs share the 1 equally."""
    winners = sums == sums.max(axis=-1, keepdims=True)
    return np.asarray(winners / winners.sum(axis=-1, keepdims=True))


def reselected(
    scores: ArrayLike, *, folds: int = FOLDS, draw: Draw | None = None, baseline: ArrayLike | None = None
) -> Floats:
    """Returns, for each resample of the queries, the apparent and the cross-validated mean of the best run.

    The selection is repeated in each resample, so the spread of the means includes the uncertainty of the selection.
    Copies of a query are in the same fold. In simulations with runs of equal and of unequal means, intervals computed
    from this spread covered the true value in 95 to 99% of cases. Intervals computed only from the spread over queries,
    which ignore that another run could have been selected, covered it in 84 to 90%.

    Args:
        scores: a score for each query and run [queries, runs].
        folds: the number of folds.
        draw: the number of resamples, the seed and the clusters; ``Draw(resamples=RESELECTIONS)`` if None.
        baseline: scores to subtract from those of the selected run [queries].

    Returns:
        The means [resamples, 2].
    """
    (found,) = reselected_among(scores, [slice(None)], folds=folds, draw=draw, baseline=baseline)
    return np.asarray(found)


def reselected_among(
    scores: ArrayLike,
    choices: Sequence[slice],
    *,
    folds: int = FOLDS,
    draw: Draw | None = None,
    baseline: ArrayLike | None = None,
) -> Floats:
    """Returns the result of ``reselected`` for several sets of columns, with the same resamples for all sets.

    Args:
        scores: a score for each query and run [queries, runs].
        choices: the sets of columns, within each of which a run is selected.
        folds: the number of folds.
        draw: as in ``reselected``.
        baseline: scores to subtract from those of the selected run [queries].

    Returns:
        The means [choices, resamples, 2].
    """
    table, draw = matrix(scores), draw or Draw(resamples=RESELECTIONS)
    rows, grid = len(table), on_grid(table)
    # The baseline has a separate grid, so that no tie between runs is lost.
    other = None if baseline is None else on_grid(matrix(baseline))
    unit = np.arange(rows) if draw.clusters is None else cluster_codes(draw.clusters, rows)
    found: list[Floats] = []
    for block in draws(int(unit.max()) + 1, draw):
        fold = np.zeros(block.shape, np.int64)
        for number, (counts, its) in enumerate(zip(block, fold, strict=True), len(found)):
            its[counts > 0] = divided(int(np.count_nonzero(counts)), folds, np.random.PCG64(number))
        drawn, fold = block[:, unit], fold[:, unit]

        def of_folds(which: slice, drawn: Integers = drawn, fold: Integers = fold) -> Integers:
            resample, its = np.divmod(np.arange(which.start, which.stop), folds)
            return np.where(fold[resample] == its[:, None], drawn[resample], 0)

        sums = weighted_sums(grid.whole, len(block) * folds, of_folds).T.reshape(len(block), folds, -1)
        both = np.array([best_means(sums[:, :, its]) for its in choices]) * grid.unit
        if other is not None:
            both -= weighted_sums(other.whole, len(block), drawn.__getitem__)[0] * other.unit
        found.append(both / drawn.sum(axis=1))
    return np.concatenate(found, axis=-1).transpose(0, 2, 1)


def best_means(sums: Floats) -> list[Floats]:
    """Returns the sum of the run that is best over all folds, and the sum of the runs selected without each fold.

    Args:
        sums: the sum of each run in each fold [resamples, folds, runs].
    """
    total = sums.sum(axis=1)
    return [total.max(axis=1), (shares_of_best(total[:, None] - sums) * sums).sum(axis=(1, 2))]


def shown_better(scores: ArrayLike, draw: Draw | None = None) -> NDArray[np.bool_]:
    """Returns whether the run of each row is shown to be better than the run of each column [runs, runs].

    Two step-down tests, each of which is valid for all pairs at once, must agree: the studentized test of Romano and
    Wolf, and the test of Westfall and Young, which is not studentized. The studentized test alone finds too many
    differences if differences are very skewed. For 12 TREC runs that were shifted to the same mean, it finds no
    difference in 73 to 97% of cases, and both tests together find none in 95 to 100%. If 2 to 8 of 12 runs have the
    same mean and the others are far below, both tests together find no difference between the equal runs in 96 to 100%
    of cases for nDCG@10 (``python -m bench.best``).

    Args:
        scores: a score for each query and run [queries, runs].
        draw: the number of resamples, the level, the seed and the clusters; ``Draw()`` if None.

    Example:
        >>> import numpy as np
        >>> noise = np.random.default_rng(0).normal(0, 0.1, (30, 3))
        >>> shown_better(noise + [0.0, 0.3, 0.31]).any(axis=0).tolist()
        [True, False, False]
    """
    table, draw = matrix(scores), draw or Draw()
    one, other = all_pairs(table.shape[1]).T
    p = [romano_wolf(table, draw=draw, studentized=each).p for each in (True, False)]
    differs = np.maximum(*p) < draw.alpha
    means = table.mean(axis=0)
    found = np.zeros((len(means), len(means)), bool)
    found[one, other] = differs & (means[one] > means[other])
    found[other, one] = differs & (means[one] < means[other])
    return found


def ranks(scores: ArrayLike, draw: Draw | None = None) -> Ranks:
    """Returns how often each run is the best over resampled queries, and the interval for its rank.

    Args:
        scores: a score for each query and run [queries, runs].
        draw: the number of resamples, the level, the seed and the clusters; ``Draw()`` if None.

    Example:
        >>> found = ranks([[0.5, 0.4, 0.1], [0.5, 0.6, 0.2]], Draw(resamples=100))
        >>> found.low.tolist(), found.high.tolist(), round(float(found.best.sum()), 9)
        ([1, 1, 3], [2, 2, 3], 1.0)
    """
    draw = draw or Draw()
    return ranks_in(resample_means(scores, draw), draw.alpha)


def ranks_in(means: Floats, alpha: float) -> Ranks:
    """Returns how often each run is the best over resampled means, and the interval for its rank.

    Args:
        means: the mean of each run in each resample; larger is better [resamples, runs].
        alpha: 1 minus the confidence level.

    Example:
        >>> import numpy as np
        >>> ranks_in(np.array([[0.3, 0.2], [0.3, 0.2], [0.1, 0.2], [0.3, 0.3]]), 0.05).best.tolist()
        [0.625, 0.375]
    """
    first, last = places(-means)
    wins = first == 0
    best = (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)
    low = np.quantile(first, alpha / 2, axis=0, method="inverted_cdf") + 1
    high = np.quantile(last, 1 - alpha / 2, axis=0, method="inverted_cdf") + 1
    return Ranks(best, low.astype(np.int64), high.astype(np.int64))


def places(values: Floats) -> tuple[Integers, Integers]:
    """Returns the first and the last place of each value in the ascending order of its row, counting from 0.

    Equal values share their places. The first and the last place of a value that occurs once are the same.

    Args:
        values: the values; NaN is sorted last [rows, columns].

    Example:
        >>> import numpy as np
        >>> [each.tolist() for each in places(np.array([[0.5, 0.1, 0.5]]))]
        [[[1, 0, 1]], [[2, 0, 2]]]
    """
    order = np.argsort(values, axis=1, kind="stable")
    rising = np.take_along_axis(values, order, axis=1)
    place = np.arange(values.shape[1])
    apart = rising[:, 1:] != rising[:, :-1]
    edge = np.ones((len(values), 1), bool)
    first = np.maximum.accumulate(np.where(np.hstack([edge, apart]), place, 0), axis=1)
    ends = np.where(np.hstack([apart, edge]), place, len(place))[:, ::-1]
    last = np.minimum.accumulate(ends, axis=1)[:, ::-1]
    found = np.empty_like(order), np.empty_like(order)
    for its, sorted_ in zip(found, (first, last), strict=True):
        np.put_along_axis(its, order, sorted_, axis=1)
    return found
