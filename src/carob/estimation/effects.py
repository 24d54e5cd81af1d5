"""Computes how unjudged documents affect a measure, and samples documents with probabilities based on their effects.

The effect of a document on a run is the change in the run's value if the document's grade changes from 0 to the highest
grade. If documents with large effects are more likely to be sampled, the difference between runs is estimated with a
smaller error. Because each document's probability is known, the estimate is unbiased for sums over documents (Horvitz
and Thompson, 1952).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.estimation.bounds import Filled, values_of_filled
from carob.estimation.fillings import Rule, relevance_levels
from carob.estimation.shown_documents import UNJUDGED, ShownDocuments, alone_at, depth_of
from carob.evaluation.values import values_of
from carob.matching.match import finished
from carob.output.errors import DataError

if TYPE_CHECKING:
    from carob.conventions.policy import Policy
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure

FOR_VALUES = 0.05
"""The weight of the squared effect on single runs in a document's size. Because of it, documents that affect no
difference have a probability above 0, so that the values of runs can also be estimated."""

FEW_KNOWN = 30
"""With fewer judged documents than this, the spread of grades is assumed instead of estimated."""

SPREAD_BY_GRADE = ((0.0, 1 / 3, 2 / 3, 1.0), (0.4, 0.8, 0.9, 0.9))
"""The judge's grades as shares of the highest grade, and for each the standard deviation of people's grades around it,
of which only the ratios matter. The values are from people and GPT-4 on the TREC 2021 Deep Learning track."""

STEPS = (0.0, 1 / 3, 2 / 3, 1.0)
PEOPLE_BY_GRADE = (
    (0.88, 0.10, 0.02, 0.00),
    (0.38, 0.42, 0.19, 0.01),
    (0.16, 0.35, 0.36, 0.13),
    (0.06, 0.25, 0.34, 0.35),
)
"""For each grade of a judge (rows), the distribution of people's grades (columns) that is assumed if there are no
documents that both judged. Grades are in ``STEPS`` of the highest grade. The values are from NIST's assessors and GPT-4
on the TREC 2021 Deep Learning track."""

RELATED = 0.7
"""The assumed correlation between the judge's and people's grades, if there are no documents that both judged."""

CELLS_AT_A_TIME = 2**21
"""The maximum number of cells of filled lists that are held in memory at a time."""


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of the unjudged documents that at least one run retrieves within the depth of the measure.

    Args:
        documents: the indices of the unjudged documents among the shown documents [candidates].
        each: the effect of each document on each run's mean [runs, candidates].
        spread: the root of the expected squared distance between people's gain for each document and the judge's, or 0
            without a judge, as a share of the highest gain [candidates].
        assumed: whether the spread is assumed instead of estimated, because too few judgments are known.
        best_rank: the best rank of each document in any run [candidates].
        predicted: the spread from which the widths of intervals are predicted [candidates].
    """

    documents: Integers
    each: Floats
    spread: Floats
    assumed: bool
    best_rank: Floats
    predicted: Floats

    @property
    def difference(self) -> Floats:
        """The root of the mean squared effect of each document on the pairs' differences, or on a single run."""
        runs = len(self.each)
        if runs == 1:
            return np.asarray(np.abs(self.each[0]))
        return np.asarray(np.sqrt(2 * self.each.var(axis=0, ddof=1)))

    @property
    def size(self) -> Floats:
        """The size of each document, to which its probability of being sampled is proportional."""
        runs = (self.each**2).mean(axis=0)
        return np.asarray(np.sqrt(self.difference**2 + FOR_VALUES * runs) * self.spread)


def effects_of(
    shown: ShownDocuments,
    measure: Measure,
    policy: Policy,
    max_grade: float | None = None,
    *,
    everywhere: bool = False,
) -> tuple[Effects, float]:
    """Returns the effects of the unjudged documents, and the highest grade.

    Args:
        shown: the documents that the runs retrieve, with their ranks and known grades.
        measure: the measure.
        policy: the policy.
        max_grade: the highest grade that judges can give; None for the highest grade in the judgments.
        everywhere: whether the candidates are all documents that the judge graded if the measure, such as AP, also
            depends on documents that no run retrieves.

    Raises:
        DataError: there is no unjudged document to sample.
    """
    depth = depth_of(measure, policy)
    ranks = np.where(shown.ranks <= depth, shown.ranks, np.inf)
    best = ranks.min(axis=0)
    places = np.flatnonzero((shown.grade == UNJUDGED) & np.isfinite(best))
    if not len(places):
        raise DataError(
            f"All documents that the runs retrieve for {measure} in queries with judgments are already judged, so no "
            "documents are left to judge."
        )
    known = shown.grade >= 0
    prior = shown.judge
    highest = max_grade or max(shown.highest(), 0.0 if prior is None else float(prior.max(initial=1.0)))
    grades = shown.grade if prior is None else np.concatenate([shown.grade, prior])
    levels = relevance_levels(highest, grades)
    deepest = int(max(shown.lengths.max(initial=1), np.diff(shown.offsets).max(initial=1)))
    rule = Rule.of(measure, levels, deepest)
    usual = float(shown.grade[known].mean()) if known.any() else highest / 4
    expected = np.where(known, shown.grade, usual if prior is None else prior)
    by_rank = rule.kind in ("linear", "ideal")
    if everywhere and shown.graded is not None and not by_rank:
        places = np.flatnonzero((shown.grade == UNJUDGED) & shown.graded)
        if not len(places):
            raise DataError(
                "People judged all documents that the judge graded, so no documents are left to judge."
            )
    queries = len(shown.offsets) - 1
    shares = np.append(0.0, np.cumsum(rule.steps)) if by_rank else levels
    shares = shares / shares[-1] if shares[-1] > 0 else shares
    if by_rank:
        weight = np.append(rule.weight, 0.0) * rule.steps.sum()
        each = weight[np.minimum(ranks[:, places] - 1, len(rule.weight)).astype(np.int64)] / queries
        if rule.kind == "ideal":
            gains = np.interp(expected, levels, shares)
            each = each / ideal_of(gains, shown, weight, depth)[shown.query[places]]
    else:
        each = finite_differences(shown, ranks, places, expected, measure, policy, levels) / queries
        single = alone_at(np.ones(len(levels)), levels, float(deepest))
        own = values_of(finished(single, policy), [measure])[:, 0]
        shares = own / own[-1] if own[-1] > 0 else shares
    spread, assumed = spread_of(shown, places, best, levels, shares, scaled=by_rank)
    predicted = spread
    if assumed and prior is not None:
        predicted = assumed_spread(prior[places] / levels[-1], levels / levels[-1], shares, scaled=by_rank)
        if not by_rank:
            spread = predicted
    return Effects(places, each, spread, assumed, best[places], predicted), highest


def ideal_of(gains: Floats, shown: ShownDocuments, weight: Floats, depth: float) -> Floats:
    """Returns the expected value of each query's ideal ranking, but at least that of a document with full gain."""
    query = shown.query
    order = np.lexsort((-gains, query))
    place = np.arange(len(order)) - np.repeat(shown.offsets[:-1], np.diff(shown.offsets))
    own = np.where(place < depth, weight[np.minimum(place, len(weight) - 1)], 0.0)
    sums = np.bincount(query[order], weights=own * gains[order], minlength=len(shown.offsets) - 1)
    return np.asarray(np.maximum(sums, weight[0]))


def finite_differences(
    shown: ShownDocuments,
    ranks: Floats,
    places: Integers,
    expected: Floats,
    measure: Measure,
    policy: Policy,
    levels: Floats,
) -> Floats:
    """Returns the effect of each document on each run's value if all other documents have their expected grades.

    Expected grades are rounded to the nearest level.
    """
    nearest = levels[np.abs(expected[:, None] - levels).argmin(axis=1)]
    query = shown.query[places]
    found = np.zeros((len(ranks), len(places)))
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    waiting: list[tuple[int, int, Filled]] = []
    cells = 0
    for start, stop in zip(starts, np.append(starts[1:], len(places))):
        own = np.arange(shown.offsets[query[start]], shown.offsets[query[start] + 1])
        filled = np.repeat(nearest[own][None], 2 * (stop - start), axis=0)
        inside = places[start:stop] - own[0]
        lists = np.arange(stop - start)
        filled[lists, inside] = levels[-1]
        filled[lists + len(lists), inside] = 0.0
        waiting.append((int(start), int(stop), Filled(int(query[start]), own, filled)))
        cells += filled.size
        if cells >= CELLS_AT_A_TIME or stop == len(places):
            for run in range(len(ranks)):
                values = values_of_filled(shown, ranks, run, [each for *_, each in waiting], measure, policy)
                before = 0
                for first, last, _ in waiting:
                    count = last - first
                    top, bottom = values[before : before + count], values[before + count : before + 2 * count]
                    found[run, first:last] = top - bottom
                    before += 2 * count
            waiting, cells = [], 0
    return found


def spread_of(
    shown: ShownDocuments, places: Integers, best: Floats, levels: Floats, shares: Floats, *, scaled: bool
) -> tuple[Floats, bool]:
    """Returns the root of the expected squared distance of people's gain from the judge's, and whether it is assumed.

    If enough judgments are known, it is estimated from judged documents to which the judge gave the same grade or,
    without a judge, from documents of similar rank. If the judge's gains are multiplied by a fitted weight
    (``scaled``), it is the distance from the weighted gain.
    """
    known = np.flatnonzero((shown.grade >= 0) & np.isfinite(best))
    people = np.interp(shown.grade[known], levels, shares)
    if shown.judge is None:
        squared = people**2
        group = np.floor(np.log2(np.where(np.isfinite(best), best, 1.0))).astype(np.int64)
        usual = 0.25
    else:
        judge = np.interp(shown.judge, levels, shares)
        squares = float((judge[known] ** 2).sum())
        weight = float((people * judge[known]).sum()) / squares if scaled and squares > 0 else 1.0
        squared = (people - weight * judge[known]) ** 2
        group = np.searchsorted(levels, shown.judge)
        usual = (1 - RELATED**2) * max(float(judge[places].var()), 0.01)
    if len(known) < FEW_KNOWN:
        shape = np.ones(len(places))
        if shown.judge is not None:
            shape = np.interp(shown.judge[places] / levels[-1], *SPREAD_BY_GRADE)
        return np.asarray(np.sqrt(usual) * shape / np.sqrt((shape**2).mean())), True
    mean = float(squared.mean())
    count = np.bincount(group[known], minlength=group.max() + 1)
    total = np.bincount(group[known], weights=squared, minlength=group.max() + 1)
    # The mean of a small group is shrunk towards the overall mean.
    spread = np.sqrt((total + FEW_KNOWN * max(mean, 0.01)) / (count + FEW_KNOWN))
    return np.asarray(spread[group[places]]), False


def assumed_spread(judge: Floats, levels: Floats, shares: Floats, *, scaled: bool) -> Floats:
    """Returns the root of the expected squared distance between people's gain and the judge's by ``PEOPLE_BY_GRADE``.

    Args:
        judge: the judge's grade of each document, as a share of the highest grade.
        levels: the possible grades, as shares of the highest grade.
        shares: the gains of these grades, as shares of the highest gain.
        scaled: whether the judge's gains are multiplied by a fitted weight.

    Example:
        >>> import numpy as np
        >>> from carob.estimation.effects import assumed_spread
        >>> binary = assumed_spread(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0]), scaled=False)
        >>> binary.round(3).tolist()
        [0.141, 0.457]
    """
    gains = np.interp(STEPS, levels, shares)
    table = np.array(PEOPLE_BY_GRADE)
    mean, square = (np.interp(judge, STEPS, table @ gains**power) for power in (1, 2))
    own = np.interp(judge, levels, shares)
    squares = float((own**2).sum())
    weight = float((mean * own).sum()) / squares if scaled and squares > 0 else 1.0
    return np.asarray(np.sqrt(np.maximum(square - 2 * weight * own * mean + (weight * own) ** 2, 0.01**2)))


def probabilities(size: Floats, budget: int) -> Floats:
    """Returns probabilities that are proportional to the sizes but at most 1, and whose sum is the budget.

    Example:
        >>> import numpy as np
        >>> probabilities(np.array([1.0, 1.0, 2.0, 8.0]), 3).tolist()
        [0.5, 0.5, 1.0, 1.0]
    """
    if budget >= len(size):
        return np.ones(len(size))
    size = np.maximum(size, size.max(initial=0.0) * 1e-6)
    if not size.any():
        size = np.ones(len(size))
    descending = np.sort(size)[::-1]
    # The k largest documents have probability 1 for the smallest k for which the next largest has at most 1.
    left = np.cumsum(descending[::-1])[::-1]
    certain = int(
        np.argmax((budget - np.arange(budget)) * descending[:budget] <= left[:budget] * (1 + 1e-12))
    )
    scale = (budget - certain) / left[certain]
    return np.asarray(np.minimum(size * scale, 1.0))


def drawn(probability: Floats, seed: int) -> Integers:
    """Draws a sample of fixed size with the given probabilities, systematically in random order, and returns indices.

    Args:
        probability: the probabilities, whose sum is an integer.
        seed: the seed of the draw.
    """
    random = np.random.default_rng(seed)
    certain = np.flatnonzero(probability >= 1)
    rest = random.permutation(np.flatnonzero(probability < 1))
    ends = np.cumsum(probability[rest])
    size = round(float(ends[-1])) if len(rest) else 0
    marks = (random.random() + np.arange(size)) * (ends[-1] / max(size, 1) if size else 0.0)
    chosen = rest[np.minimum(np.searchsorted(ends, marks, side="right"), len(rest) - 1)] if size else rest[:0]
    return np.sort(np.concatenate([certain, chosen]))


def expected_variances(effects: Effects, probability: Floats) -> tuple[Floats, Floats]:
    """Returns the expected squared error of each run's mean, and the mean expected squared error of the differences.

    Args:
        effects: the effects of the documents.
        probability: the probability with which each document is sampled.
    """
    factor = (1 - probability) / probability * effects.predicted**2
    runs = (effects.each**2) @ factor
    return runs, np.asarray(effects.difference**2 @ factor)
