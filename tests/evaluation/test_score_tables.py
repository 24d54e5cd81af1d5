"""Tables of scores: the order of runs, the best values, cells without a value, and what is kept to be read again."""

from __future__ import annotations

from typing import Any

import pytest

import carob
from carob.evaluation.score_tables import best_first, board

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RUNS = {
    "less": {"q1": {"a": 1.0}},
    "low": {"q1": {"x": 2.0, "a": 1.0}, "q2": {"x": 3.0, "y": 2.0, "b": 1.0}},
    "high": {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
    "equal": {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
}


def scored(measures: Any, missing: Any = "nan") -> list[carob.Scores]:
    return [*carob.evaluate(QRELS, RUNS, measures, policy=carob.Policy(missing=missing)).values()]


@pytest.mark.parametrize("measures", [["RR", "NumRet"], ["E", "RR"]])
def test_the_best_run_by_the_first_measure_comes_first_and_one_without_a_mean_last(measures: Any) -> None:
    assert [each.name for each in best_first(scored(measures))] == ["high", "equal", "low", "less"]


def test_the_best_printed_values_are_bold_but_no_counts() -> None:
    table = board(scored(["RR", "NumRet", "E"]), "terminal").splitlines()
    bold = [[part.partition("\x1b")[0] for part in line.split("\x1b[1m")[1:]] for line in table]
    assert bold == [[], [], [], ["1.0000", "0.0000"], ["1.0000", "0.0000"]]
    assert "\x1b" not in board(scored(["RR"])[1:2], "terminal")
    assert "\x1b" not in board(scored(["RR"])[:1] * 2, "terminal")  # neither has a mean


def test_data_say_which_query_a_run_lacks() -> None:
    for missing, value, mean in (("nan", "", ""), ("zero", "0.0", "0.5"), ("skip", "", "1.0")):
        assert board(scored(["RR"], missing)[:2], "csv", per_query=True).splitlines() == [
            "run,query,RR,missing",
            "less,q1,1.0,0",
            f"less,q2,{value},1",
            f"less,all,{mean},1",
            "low,q1,0.5,0",
            "low,q2,0.3333333333333333,0",
            "low,all,0.41666666666666663,0",
        ]
