"""Lists in which each tied document has its tie's average: the mean over all orders, and what they refuse."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from carob import MeasureError
from carob.lists.arrays import arrays_of
from carob.lists.expected import Expected
from carob.lists.padded import Padded
from carob.measures import parse_measure

GRADES = [2.0, 0.0, 1.0, -1.0, 3.0]
SCORES = [4.0, 2.0, 2.0, 2.0, 1.0]
"""The three documents at the ranks 2 to 4 are tied; one of them is unjudged."""


def lists_of(grades: list[float]) -> Padded:
    grade = np.array([grades])
    return Padded(arrays_of(grade), grade, scores=lambda: np.array([SCORES]))


def test_hits_and_gains_are_those_of_a_tie() -> None:
    lists = Expected(lists_of(GRADES))
    for found, wanted in (
        (lists.hits(1.0), [1, 1 / 3, 1 / 3, 1 / 3, 1]),
        (lists.hits(2.0), [1, 0, 0, 0, 1]),
        (lists.misses(1.0), [0, 1 / 3, 1 / 3, 1 / 3, 0]),
        (lists.judged, [1, 2 / 3, 2 / 3, 2 / 3, 1]),
        (lists.gains("linear"), [2, 1 / 3, 1 / 3, 1 / 3, 3]),
    ):
        assert np.asarray(found)[0].tolist() == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize(
    "name", ["P@2", "P@3", "R@4", "nDCG@3", "DCG(gain=exp2)@2", "RBP(rel=1)", "Judged@2"]
)
def test_a_sum_over_documents_has_its_mean_over_all_orders(name: str) -> None:
    measure = parse_measure(name)
    orders = [[GRADES[0], *middle, GRADES[4]] for middle in permutations(GRADES[1:4])]
    each = [float(np.asarray(measure.values(lists_of(grades)))[0]) for grades in orders]
    assert (len(set(each)) == 1) == (name == "R@4")  # the whole tie is within its depth
    found = float(np.asarray(measure.values(Expected(lists_of(GRADES))))[0])
    assert found == pytest.approx(sum(each) / len(each), rel=1e-14)


def test_fewer_columns_cut_a_tie_without_changing_its_average() -> None:
    lists = Expected(lists_of(GRADES), 3)
    assert np.asarray(lists.hits(1.0))[0].tolist() == pytest.approx([1, 1 / 3, 1 / 3])


def test_the_grade_of_a_tied_document_is_refused() -> None:
    with pytest.raises(MeasureError, match="The tied documents have different grades: use 'hits' or 'gains'"):
        _ = Expected(lists_of(GRADES)).grade
