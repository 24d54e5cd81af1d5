"""The carrier for the CPU: trec_eval's ideal list for gains given by hand, which all queries make at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob.measures import Measure
from strategies import examples

GAINS = st.dictionaries(
    st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0]),
    st.sampled_from([-1.0, 0.0, 0.4, 0.9, 1.0, 2.5, 7.0]),
    max_size=4,
)
GRADES = st.lists(st.lists(st.integers(0, 4), max_size=8), min_size=1, max_size=6)


@settings(max_examples=examples(200), deadline=None)
@given(GAINS, GRADES)
def test_the_ideal_list_of_a_query_is_its_own(gains: dict, grades: list) -> None:
    measure = Measure("nDCG", (("gain", tuple(gains.items())), ("ideal", "trec_eval")))
    together = carob.evaluate_grades(grades, measure).by_query(measure)
    alone = [carob.evaluate_grades([each], measure).by_query(measure)["1"] for each in grades]
    assert list(together.values()) == alone


@pytest.mark.parametrize(
    ("gain", "ideal"),
    [
        # Gains 1 apart or more: best first; without a gain of its own grade 3 counts 3.
        ("{1:2,2:7}", [7, 3, 2]),
        # 2 and 2.5 are equal to trec_eval, so they keep the order of its table, 1 before 2, walked from the end.
        ("{1:2.5,2:2}", [3, 2, 2.5]),
        # The walk ends where a level that occurs has no positive gain: here at grade 1, before 2, which is worth 0.5
        # and stands before it in the table.
        ("{2:0.5,1:0}", [3]),
    ],
)
def test_trec_evals_ideal_list_by_hand(gain: str, ideal: list[float]) -> None:
    # One document of each grade from 1 to 3, in the judgments' order; CG of the list itself is nCG's other half.
    ranked = [[1, 2, 3]]
    for depth in (1, 2, 3):
        own = carob.evaluate_grades(ranked, f"CG(gain={gain})@{depth}")[f"CG(gain={gain})@{depth}"]
        name = f"nCG(gain={gain}, ideal=trec_eval)@{depth}"
        assert carob.evaluate_grades(ranked, name)[name] == pytest.approx(own / sum(ideal[:depth]), abs=1e-15)
