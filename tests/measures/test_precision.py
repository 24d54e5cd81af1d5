"""Precision, recall and their relatives: one list by hand under every divisor, and means that weigh queries."""

from __future__ import annotations

import pytest

import carob

RANKED = [1, None, 0, 2, 1]
JUDGED = [1, 2, 1, 1, 1, 0]
"""Five documents are relevant; three of them are at the ranks 1, 4 and 5, and one of those has grade 2."""

VALUES = {
    "NumRet": 5,
    "NumRel": 5,
    "NumRelRet": 3,
    "NumNonRelRet": 1,
    "P@3": 1 / 3,
    "P@10": 3 / 10,
    "P(over=retrieved)@10": 3 / 5,
    "P(over=capped)@10": 3 / 5,
    "P(rel=2)@5": 1 / 5,
    "R@3": 1 / 5,
    "R(over=capped)@3": 1 / 3,
    "F@5": 3 / 5,
    # Precision 1/3 and recall 1/5: 5pq / (4p + q).
    "F(beta=2)@3": 5 / 23,
    "E@3": 3 / 4,
    "Success@1": 1,
    "Success(rel=2)@3": 0,
    "Rprec": 3 / 5,
    "Rprec(times=0.4)": 1 / 2,
    "SetP": 3 / 5,
    "SetAP": 9 / 25,
    "SetF(weight=2)": 3 / 5,
    "Utility": 3 - 2,
    "Utility(b=-0.5, c=-1, d=2, collection=10)": 3 - 2 * 0.5 - 2 + 2 * (10 + 3 - 5 - 5),
    "Unjudged@5": 1 / 5,
    "Unjudged@10": 1 / 10,
    "Judged@10": 4 / 5,
    "Judged(over=depth)@10": 4 / 10,
    "CoverageRatio(known=2)": 1,
    "NoveltyRatio(known=2)": 2 / 3,
    "RelativeRecall(wanted=4)": 3 / 4,
    "RecallEffort(wanted=2)": 2 / 4,
    "RecallEffort(wanted=4)": 0,
    "AP": (1 + 2 / 4 + 3 / 5) / 5,
    "AP(over=retrieved)": (1 + 2 / 4 + 3 / 5) / 3,
    "AP(over=capped)@4": (1 + 2 / 4) / 4,
    "AP(over=depth)@10": (1 + 2 / 4 + 3 / 5) / 10,
    "MeanP@4": (1 + 1 / 2 + 1 / 3 + 2 / 4) / 4,
    # Cumulated gains 1, 3 and 4, where the ideal list has 2, 5 and 6.
    "Q": ((1 + 1) / (1 + 2) + (2 + 3) / (4 + 5) + (3 + 4) / (5 + 6)) / 5,
    # The one judged document that is not relevant is above the last two.
    "Bpref": 1 / 5,
    "IPrec@0.2": 1,
    "IPrec@0.4": 3 / 5,
    "IPrec@0.8": 0,
}


@pytest.mark.parametrize("name", VALUES)
def test_a_list_has_the_value_of_its_divisor(name: str) -> None:
    scores = carob.evaluate_grades([RANKED], name, [JUDGED])
    assert scores[scores.labels[0]] == pytest.approx(VALUES[name], rel=1e-14)


def test_means_weigh_queries_as_their_measure_says() -> None:
    lists, pools = [[1, 0, 1], [None], [0, None]], [[1, 1, 0], [1], [1, 0]]
    for name, value in (
        ("NumRelRet", 2),  # a sum
        ("NumQ", 3),
        ("Rprec", (1 / 2 + 0 + 0) / 3),
        ("Rprec(mean=found)", 1 / 2),
        ("Judged@3", (3 / 3 + 0 + 1 / 2) / 3),
        ("Judged(mean=documents)@3", (3 + 0 + 1) / 6),
        # AP is 5/6, 0 and 0, and the geometric mean takes at least 0.00001.
        ("GMAP", (5 / 6 * 1e-10) ** (1 / 3)),
    ):
        scores = carob.evaluate_grades(lists, name, pools)
        assert scores[scores.labels[0]] == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("P(over=relevant)@5", "P(over=relevant): over must be one of depth, retrieved, capped."),
        ("SetP@5", "SetP has no depth: write SetP without '@5'."),
        ("RelativeRecall(wanted=0)", "RelativeRecall(wanted=0): wanted must be a number from 1 to 10^12."),
    ],
)
def test_what_a_measure_does_not_take_is_refused(name: str, says: str) -> None:
    with pytest.raises(carob.MeasureError) as refusal:
        carob.evaluate_grades([RANKED], name, [JUDGED])
    assert str(refusal.value) == says
