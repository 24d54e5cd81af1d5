"""Curves: one call gives the values at every depth, each equal to the measure evaluated there."""

from __future__ import annotations

import numpy as np
import pytest

import carob
from carob import DataError, MeasureError, Policy

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": 1}, "2": {"a": 1}}
RUN = {"1": {"a": 4.0, "x": 3.0, "c": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}


def test_every_depth_down_to_the_longest_list() -> None:
    curve = carob.curve(["P", "nDCG(gain=exp2)", "AP"], QRELS, RUN)
    assert curve["P"] == [(1 + 0) / 2, (1 / 2 + 1 / 2) / 2, (2 / 3 + 1 / 3) / 2, (2 / 4 + 1 / 4) / 2]
    for measure in ("P", "nDCG(gain=exp2)", "AP"):
        names = [f"{measure}@{depth}" for depth in (1, 2, 3, 4)]
        scores = carob.evaluate(QRELS, RUN, names)
        assert curve[measure] == [scores[name] for name in names]
        by_query = {query: [scores.by_query(name)[query] for name in names] for query in QRELS}
        assert curve.by_query(measure) == by_query


def test_eleven_points_and_points_of_ones_own() -> None:
    scores = carob.evaluate(QRELS, RUN, "IPrecMean")
    eleven = carob.curve("IPrec", QRELS, RUN)["IPrec"]
    assert len(eleven) == 11
    assert sum(eleven) / 11 == pytest.approx(scores["IPrecMean"], abs=1e-15)
    assert carob.curve("IPrec", QRELS, RUN, at=[0, 1])["IPrec"] == [(1 + 1 / 2) / 2, (0 + 1 / 2) / 2]
    for places in ([2, 3], np.array([2.0, 3.0])):
        assert carob.curve("DCG", grades=[[3, 2, 1]], at=places).at == {"DCG": (2, 3)}


def test_more_depths_than_lists_that_are_kept() -> None:
    grades = [[1.0] * 200]
    assert carob.curve("CG", grades=grades)["CG"] == [float(depth) for depth in range(1, 201)]


def test_profile_policy_and_weights_hold_at_every_depth() -> None:
    weighed = carob.curve("P", QRELS, RUN, weights={"1": 3, "2": 1}, at=[1])
    assert weighed["P"] == [(3 * 1 + 1 * 0) / 4]
    cut = carob.curve("P", QRELS, RUN, policy=Policy(depth=1))
    assert cut["P"] == [1 / 2]
    xgboost = carob.evaluate(QRELS, RUN, ["AP@2"], profile="xgboost")
    assert carob.curve("AP", QRELS, RUN, profile="xgboost", at=[2])["AP"] == [xgboost["AP@2"]]


def test_a_curve_as_a_table() -> None:
    curve = carob.curve(["P", "IPrec"], grades=[[1, 0]], at=[1])
    assert str(curve).splitlines() == ["@       P   IPrec", "1  1.0000  1.0000", "1 query · policy trec"]


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"measures": "nDCG@10", "grades": [[1]]}, MeasureError, "leave out '@' and the depth"),
        ({"measures": "Bpref", "grades": [[1]]}, MeasureError, "Bpref has no depth"),
        ({"measures": "nDGC", "grades": [[1]]}, MeasureError, "Did you mean nDCG"),
        ({"measures": "P", "grades": [[1]], "at": [1.5]}, MeasureError, "a depth is a whole number"),
        ({"measures": [], "grades": [[1]]}, DataError, "The list of measures is empty"),
        ({"measures": "P"}, DataError, "needs 'qrels' and 'run', or 'grades'"),
        ({"measures": "P", "qrels": QRELS, "grades": [[1]]}, DataError, "needs 'qrels' and 'run'"),
    ],
)
def test_what_makes_no_curve_is_refused(asked: dict, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        carob.curve(**asked)


def test_a_measure_not_asked_for() -> None:
    with pytest.raises(MeasureError, match=r"There is no curve of 'R'\. The curves are: P"):
        carob.curve("P", grades=[[1]])["R"]


def test_the_footer_says_once_what_a_name_means_at_every_depth() -> None:
    text = " ".join(str(carob.curve(["NDCG", "MAP"], QRELS, RUN, profile="rectools")).split())
    assert text.endswith("profile rectools · NDCG@k is nDCG(gain=binary, ideal=depth)@k · MAP@k is AP@k")
    one = carob.evaluate(QRELS, RUN, ["NDCG@3"], profile="rectools")
    assert one.footer().endswith("NDCG@3 is nDCG(gain=binary, ideal=depth)@3")


def test_judgments_apart_go_with_grades_alone() -> None:
    with pytest.raises(carob.DataError, match="needs 'qrels' and 'run', or 'grades'"):
        carob.curve("R", {"q": {"a": 1}}, {"q": {"a": 1.0}}, judged=[[1, 1]])


def test_shares_of_the_documents_in_per_cent() -> None:
    grades = [[1, 0, 0, 1], [0, 1, 0, 0]]
    curve = carob.curve("R", grades=grades, at=["25%", "50%", "100%"])
    assert curve["R"] == [(1 / 2 + 0) / 2, (1 / 2 + 1) / 2, 1]
    assert curve.at == {"R": (0.25, 0.5, 1.0)}
    assert [line.split()[0] for line in str(curve).splitlines()] == ["@", "25%", "50%", "100%", "2"]
    whole = carob.curve(["ScreeningRecall", "WSS"], grades=grades)
    assert (len(whole["WSS"]), whole["ScreeningRecall"][-1]) == (20, 1)
    assert whole["WSS"][9] == carob.evaluate_grades(grades, "WSS@50%")["WSS@50%"]
    assert carob.curve("ScreeningRecall", grades=grades, at=[0.5])["ScreeningRecall"] == [3 / 4]


@pytest.mark.parametrize(
    ("measure", "at", "says"),
    [
        ("R", ["10%", 5], "numbers, or all of them percentages"),
        ("R", ["half"], "'half': the places of a curve must be numbers"),
        ("P", ["10%"], "P does not accept a percentage"),
        ("R", ["120%"], "share must be a number above 0 up to 1"),
    ],
)
def test_shares_that_make_no_curve_are_refused(measure: str, at: list, says: str) -> None:
    with pytest.raises((DataError, MeasureError), match=says):
        carob.curve(measure, grades=[[1, 0]], at=at)


def test_the_figure_of_shares_is_in_per_cent() -> None:
    pytest.importorskip("matplotlib")
    (axes,) = carob.curve("R", grades=[[1, 0, 1]], at=["50%", "100%"]).to_figure().axes
    assert axes.get_xlabel() == "documents read (%)"
    assert axes.lines[0].get_xdata().tolist() == [50, 100]


def test_an_infinite_place_is_one_sentence() -> None:
    for place in (float("inf"), float("nan")):
        with pytest.raises(carob.DataError, match="places of a curve must be finite numbers"):
            carob.curve("P", {"q": {"a": 1}}, {"q": {"a": 1}}, at=[place])
