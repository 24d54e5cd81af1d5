"""evaluate_ids: dictionaries by question in place of lists."""

from __future__ import annotations

from typing import Any

import pytest

import carob
from carob.output.errors import DataError

NAMED: dict[str, Any] = {"q10": ["a", "b", "c"], "q2": ["d", "e"], "q1": []}
WANTED: dict[str, Any] = {"q10": ["b", "z"], "q2": {"e": 3.0, "x": 1.0}, "q1": ["y"]}


@pytest.mark.parametrize("measure", ["RR", "AP", "nDCG", "R@2", "Bpref"])
def test_dictionaries_by_question_equal_lists(measure: str) -> None:
    by_name = carob.evaluate_ids(NAMED, WANTED, measure)
    by_number = carob.evaluate_ids(list(NAMED.values()), list(WANTED.values()), measure).by_query(measure)
    assert by_name.by_query(measure) == {name: by_number[str(place)] for place, name in enumerate(NAMED, 1)}


def test_dictionaries_take_verdicts_weights_and_exclusions() -> None:
    verdicts = {"q10": [0, 1, None], "q2": [1, 0]}
    lists = {name: NAMED[name] for name in verdicts}
    weights = {"q10": 3.0, "q2": 1.0}
    scores = carob.evaluate_ids(
        lists, verdicts=verdicts, measures="RR", weights=weights, exclude={"q10": ["c"]}
    )
    assert scores.by_query("RR") == {"q10": 0.5, "q2": 1.0}
    assert scores["RR"] == pytest.approx((3 * 0.5 + 1.0) / 4)


def test_a_question_without_retrieved_ids_is_counted() -> None:
    scores = carob.evaluate_ids({"q2": ["e"]}, {"q2": ["e"], "q1": ["y"]}, "RR")
    assert scores.by_query("RR") == {"q1": 0.0, "q2": 1.0}
    assert scores.counts.missing == ("q1",)


def test_dictionaries_and_lists_are_not_mixed() -> None:
    with pytest.raises(DataError, match="retrieved is a dictionary by question, but reference is a list"):
        carob.evaluate_ids(NAMED, list(WANTED.values()), "RR")
    with pytest.raises(DataError, match="Question 'q1' is in retrieved, but not in reference"):
        carob.evaluate_ids(NAMED, {"q10": ["b"], "q2": ["e"]}, "RR")
