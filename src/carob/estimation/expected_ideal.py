"""Computes the expected value of ideal rankings if people judged a sample of documents and a judge all documents.

Under a generous judge, the ideal ranking appears better than it is, so all values of nDCG are too low; under a strict
judge, it appears worse. For each grade of the judge, the sample shows how often people's grade reaches each level. In
each query, the number of documents that reach a level then has a Poisson binomial distribution. A gain is a sum of
steps between levels, so the expected ideal value is a sum over the levels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np
from carob.estimation.fillings import Rule
from carob.estimation.shown_documents import depth_of
from carob.estimation.sums import numerator_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.conventions.policy import Policy
    from carob.estimation.numbered_documents import Documents
    from carob.lists.rows import Floats, Integers, JudgedRows
    from carob.measures import Measure

ASSUMED = 2.0
"""The weight, as a number of judgments, of the prior assumption that people's grade equals the judge's with probability
one half, and otherwise has the distribution of the whole sample."""

RELATIVE_ERROR = 0.15
"""The standard error of the expected ideal value, as a share of this value.

Documents that no run retrieves are not sampled, and they are relevant less often than the judge's grade suggests. The
expected ideal value was a tenth above the ideal value under people's grades on TREC Deep Learning 2021 with 200
judgments, and a seventh above it on the bundled example (``examples/coffee``) with 150 judgments. Differences between
runs are too small by the same share.
"""


def scales_of(
    documents: Documents, numbered: JudgedRows, measures: Sequence[Measure], policy: Policy
) -> Floats:
    """Returns factors that correct values that were divided by the ideal value of the known grades.

    The factors are 1 for measures that are not divided by an ideal value.

    Args:
        documents: the documents and their grades.
        numbered: the lists of a run, in which the number of each document replaces its grade.
        measures: the measures.
        policy: the policy.

    Returns:
        The factors [lists, measures].
    """
    scales = np.ones((len(numbered.length), len(measures)))
    divided = [place for place, each in enumerate(measures) if numerator_of(each) is not None]
    if not divided:
        return scales
    levels = np.unique(np.concatenate([[0.0], documents.people, documents.judge]))
    number, lists = numbered.judged_grades.astype(np.int64), numbered.list_of_judgment
    certain = documents.people[:, None] >= levels[1:]
    expected = np.where(documents.judged[:, None], certain, chances(documents, levels))
    for place in divided:
        rule = Rule.of(measures[place], levels, int(np.bincount(lists, minlength=1).max()))
        weight = rule.weight[: int(min(depth_of(measures[place], policy), len(rule.weight)))]
        at_hand, ideal = (
            expected_ideals(each[number], lists, len(scales), weight, rule.steps)
            for each in (certain.astype(np.float64), expected)
        )
        scales[:, place] = np.where(
            (at_hand > 0) & (ideal > 0), at_hand / np.where(ideal > 0, ideal, 1.0), 1.0
        )
    return scales


def chances(documents: Documents, levels: Floats) -> Floats:
    """Returns the probability that people's grade of each document reaches each level, given the judge's grade.

    Args:
        documents: the documents and their grades. Each document that was sampled with probability π represents 1/π
            documents.
        levels: the grades that a document can have, ascending from 0.

    Returns:
        The probabilities of the levels above 0 [documents, levels - 1].
    """
    known, weight = documents.sampled, 1 / documents.probability
    weight = weight / weight.mean()
    reached = documents.people[known][:, None] >= levels[1:]
    usual = weight @ reached / weight.sum()
    own = np.searchsorted(levels, documents.judge)
    found = np.empty((len(levels), len(levels) - 1))
    for place, level in enumerate(levels):
        here = own[known] == place
        prior = ((level >= levels[1:]) + usual) / 2
        found[place] = (weight[here] @ reached[here] + ASSUMED * prior) / (weight[here].sum() + ASSUMED)
    return np.asarray(found[own])


def expected_ideals(chance: Floats, lists: Integers, count: int, weight: Floats, steps: Floats) -> Floats:
    """Returns the expected sum over each list's ideal ranking if the grades of documents are independent.

    Args:
        chance: the probability that the grade of each document reaches each level [documents, levels].
        lists: the list to which each document belongs, in ascending order.
        count: the number of lists.
        weight: the weight of each rank.
        steps: the gain of each level minus the gain of the level below.

    Example:
        >>> chance, one = np.array([[0.5], [0.5], [1.0]]), np.ones(1)
        >>> expected_ideals(chance, np.array([0, 0, 1]), 2, np.array([1.0, 0.5]), one).tolist()
        [0.875, 1.0]
    """
    sizes = np.bincount(lists, minlength=count)
    place = np.arange(len(lists)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    padded = np.zeros((sizes.max(initial=0), count, chance.shape[1]))
    padded[place, lists] = chance
    # The probability that each number of documents, counted up to the depth, reaches the level.
    number = np.zeros((count, chance.shape[1], len(weight) + 1))
    number[..., 0] = 1.0
    for own in padded:
        moved = own[..., None] * number
        number -= moved
        number[..., 1:] += moved[..., :-1]
        number[..., -1] += moved[..., -1]
    return np.asarray((number @ np.append(0.0, np.cumsum(weight)) * steps).sum(axis=1))
