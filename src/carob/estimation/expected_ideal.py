"""The expected value of ideal rankings, where people judged a sample of documents and a judge all of them.

A generous judge makes the ideal ranking better than it is, so that all values of nDCG are too low, and a strict one
makes it worse. The sample shows, for each grade of the judge, how often people's grade is at least each level.
The number of documents of at least a grade then has a Poisson binomial distribution in each query, and the expected
ideal value is a sum over the grades, since a gain is a sum of steps.
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
"""The weight, as a number of judgments, of the assumption that people's grades equal the judge's or are distributed as
in the whole sample, each with probability one half."""

RELATIVE_ERROR = 0.15
"""The standard error of the expected ideal value, as a share of it.

Documents that no run retrieves are not sampled, and are less often relevant than the judge's grade suggests: the
expected ideal was a tenth above people's on TREC Deep Learning 2021 with 200 judgments, and a seventh with 150 on the
bundled example (``examples/coffee``). Differences are too small by the same share.
"""


def scales_of(
    documents: Documents, numbered: JudgedRows, measures: Sequence[Measure], policy: Policy
) -> Floats:
    """Returns the factors that correct values which were divided by the ideal value of the known grades.

    They are 1 for measures that are not divided by an ideal value.

    Args:
        documents: the documents and their grades.
        numbered: the lists of a run, whose grades are the numbers of documents.
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
    """Returns the probability that people's grade of a document is at least each level, by the judge's grade.

    Args:
        documents: the documents and their grades. Each sampled document stands for 1/π of them.
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
    """Returns the expected sum over the ideal ranking of each list, if grades are independent.

    Args:
        chance: the probability that the grade of a document is at least each level [documents, levels].
        lists: the list of each document, ascending.
        count: the number of lists.
        weight: the weight of each rank.
        steps: by how much the gain of each level is larger than that of the level below.

    Example:
        >>> chance, one = np.array([[0.5], [0.5], [1.0]]), np.ones(1)
        >>> expected_ideals(chance, np.array([0, 0, 1]), 2, np.array([1.0, 0.5]), one).tolist()
        [0.875, 1.0]
    """
    sizes = np.bincount(lists, minlength=count)
    place = np.arange(len(lists)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    padded = np.zeros((sizes.max(initial=0), count, chance.shape[1]))
    padded[place, lists] = chance
    # The probability that each number of documents, up to the depth, has a grade of at least the level.
    number = np.zeros((count, chance.shape[1], len(weight) + 1))
    number[..., 0] = 1.0
    for own in padded:
        moved = own[..., None] * number
        number -= moved
        number[..., 1:] += moved[..., :-1]
        number[..., -1] += moved[..., -1]
    return np.asarray((number @ np.append(0.0, np.cumsum(weight)) * steps).sum(axis=1))
