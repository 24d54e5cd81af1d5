"""The highest possible mean of measures whose depth is below the number of relevant documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import carob
from carob import Policy
from carob.evaluation.read_record import read_record

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
