"""Signs that a run is suspicious: values out of range, copies, and means that lists of a depth cannot exceed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import carob
from carob import Policy
from carob.evaluation.read_record import read_record
from carob.evaluation.suspects import beyond_range, copies, fingerprint
from carob.measures import parse_measure

if TYPE_CHECKING:
    from pathlib import Path

DEEP = {f"q{q}": {f"d{d}": 1 for d in range(25 if q < 3 else 5)} for q in range(5)}
LIST = {query: {f"d{d}": 9.0 - d for d in range(1, 8)} for query in DEEP}
SAID = "R@10 cannot exceed 0.6400: 3 of 5 queries have more than 10 relevant documents"


def test_the_bound_is_the_mean_of_what_lists_of_that_depth_can_reach() -> None:
    scores = carob.evaluate(DEEP, LIST, "R@10")
    assert scores.caps == {"R@10": (pytest.approx((3 * 10 / 25 + 2) / 5), 3, 10)}
    assert SAID in scores.footer()
    assert SAID in scores._repr_html_()
    best = {query: {each: 30.0 - int(each[1:]) for each in its} for query, its in DEEP.items()}
    for measure in ("R@10", "AP@10"):
        found = carob.evaluate(DEEP, best, measure)
        assert found[measure] == pytest.approx(found.caps[measure].mean)


def test_of_one_measure_the_lowest_bound_is_named_and_alike_measures_share_a_sentence() -> None:
    footer = carob.evaluate(DEEP, LIST, ["R@20", "R@10", "AP@10"]).footer()
    assert SAID.replace("R@10", "R@10, AP@10") in footer
    assert footer.count("cannot exceed") == 1


def test_precision_cannot_fill_its_depth_where_fewer_documents_are_relevant() -> None:
    best = {query: {each: 30.0 - int(each[1:]) for each in its} for query, its in DEEP.items()}
    scores = carob.evaluate(DEEP, best, ["P@20", "P@10", "P@5", "R@10"])
    assert scores.caps["P@10"] == (pytest.approx((3 + 2 * 0.5) / 5), 2, 10)
    assert scores["P@20"] == pytest.approx(scores.caps["P@20"].mean)
    # Of several depths, the least is named.
    assert (
        "P@10 cannot exceed 0.8000: 2 of 5 queries have fewer than 10 relevant documents" in scores.footer()
    )
    assert SAID in scores.footer()
    assert "2 个少于 10 个相关文档" in scores.footer("zh")
    golden = {"a": {"x": 1, "y": 1}, "b": {"x": 1}, "none": {"x": 0}}
    for rule, mean in (("zero", 0.2), ("one", 1.6 / 3), ("skip", 0.3)):
        found = carob.evaluate(golden, {"a": {"x": 1.0}}, "P@5", policy=Policy(empty=rule))
        assert found.caps["P@5"].mean == pytest.approx(mean)


@pytest.mark.parametrize(
    "measure",
    [
        "R",
        "R@25",
        "R(over=capped)@10",
        "AP(over=retrieved)@10",
        "nDCG@10",
        "P@5",
        "P@1",
        "P(over=retrieved)@10",
    ]
    + ["P(over=capped)@10", "P(rel=-1)@10", "SetP"],
)
def test_other_measures_and_depths_have_none(measure: str) -> None:
    assert not carob.evaluate(DEEP, LIST, measure).caps


def test_a_loss_below_five_hundredths_is_not_said() -> None:
    wide = DEEP | {f"r{place}": {"a": 1} for place in range(40)}
    assert not carob.evaluate(wide, LIST, "R@10").caps
    assert not carob.evaluate(
        {"q": {}, **{f"p{place}": {"a": 0} for place in range(9)}} | wide, LIST, "R@10"
    ).caps


def test_depth_weights_and_empty_queries_count_as_in_the_mean() -> None:
    assert carob.evaluate(DEEP, LIST, "R", policy=Policy(depth=10)).caps["R"].mean == pytest.approx(0.64)
    assert not carob.evaluate(DEEP, LIST, "P@10", policy=Policy(depth=8)).caps
    weights = {query: 3.0 if query == "q0" else 1.0 for query in DEEP}
    found = carob.evaluate(DEEP, LIST, "R@10", weights=weights).caps["R@10"]
    assert found.mean == pytest.approx((5 * 0.4 + 2) / 7)
    empty = DEEP | {"none": {"a": 0}}
    for rule, mean in (("zero", 3.2 / 6), ("one", 4.2 / 6), ("skip", 0.64)):
        caps = carob.evaluate(empty, LIST, "R@10", policy=Policy(empty=rule)).caps
        assert caps["R@10"].mean == pytest.approx(mean)


def test_runs_share_the_sentence_and_records_keep_it(tmp_path: Path) -> None:
    other = {query: dict.fromkeys(its, 1.0) for query, its in LIST.items()}
    both = carob.evaluate(DEEP, {"a": LIST, "b": other}, "R@10")
    assert both.footer().count("cannot exceed") == 1
    path = tmp_path / "scores.json"
    path.write_text(both["a"].to_json())
    assert json.loads(path.read_text())["runs"][0]["caps"]["R@10"]["queries"] == 3
    assert read_record(str(path)).scores[0].caps == both["a"].caps
    assert "3 个多于 10 个相关文档" in both["a"].footer("zh")


@pytest.mark.parametrize(
    ("name", "values", "queries", "said"),
    [
        (
            "AP",
            [0.5, 41.0, 22.5],
            ["a", "b", "c"],
            (
                "mine: x is 41 for query 'b', and in 2 of 3 queries outside its range, which is from 0 to 1. "
                "If these are percentages, divide them by 100."
            ),
        ),
        (
            "AP",
            [-0.5],
            [],
            "mine: x is -0.5, outside its range, which is from 0 to 1. Check how they were computed.",
        ),
        (
            "AP",
            [1.25],
            [],
            "mine: x is 1.25, outside its range, which is from 0 to 1. Check how they were computed.",
        ),
        (
            "DCG@10",
            [float("nan"), -1.0],
            ["a", "b"],
            (
                "mine: x is -1 for query 'b', and in 1 of 1 queries outside its range, which is at least 0. "
                "Check how they were computed."
            ),
        ),
        ("AP", [0.0, 1.0 + 1e-12, float("nan")], ["a", "b", "c"], None),
        ("nDCG(ideal=uncut)@10", [1.5], [], None),
    ],
)
def test_values_outside_the_range_of_a_measure_are_told(
    name: str, values: list[float], queries: list[str], said: str | None
) -> None:
    assert beyond_range("mine", "x", parse_measure(name), np.array(values), queries) == said


def test_a_copy_is_known_by_its_numbers_their_kind_and_their_shape() -> None:
    one, other = np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5])
    prints = [
        fingerprint(each) for each in (other, one, one.astype(float), one.reshape(2, 2), one.copy(), other)
    ]
    assert copies(prints) == {4: 1, 5: 0}
    assert copies([]) == {}
