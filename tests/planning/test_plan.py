"""The number of queries that a comparison needs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob.statistics.sample_size import (
    errors_if_significant,
    power_at,
    queries_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TEA = Path(__file__).parents[2] / "examples" / "tea"


def test_variances_are_those_of_an_analysis_of_variance() -> None:
    scores = pilot()
    (found, _) = carob.variance_components(scores).rows
    table = np.array(
        [[scores[name].by_query("AP")[query] for name in scores] for query in scores["x"].queries]
    )
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    assert found.interaction == pytest.approx((rest**2).sum() / (29 * 2), rel=0.2)
    assert (found.queries, found.runs, found.replicates) == (30, 3, 1)
    again = carob.variance_components(scores, scores).rows[0]
    assert again.replicate == pytest.approx(0.0)
    assert again.replicates == 2
    with pytest.raises(carob.DataError, match="Replicates must be scores of the same runs"):
        carob.variance_components(scores, {"x": scores["x"], "y": scores["y"]})
    with pytest.raises(carob.DataError, match="Pass scores of several runs"):
        carob.variance_components()
    planned = carob.plan(scores, difference=0.05)
    assert [each.measure for each in planned.together] == ["AP", "RR"]
    assert planned.together[0].sd == pytest.approx((2 * found.interaction) ** 0.5)
    assert "topic set size design" in " ".join(str(planned).split())
    assert carob.plan({"x": scores["x"], "y": scores["y"]}, difference=0.05).together == ()


def pilot() -> Any:
    draw = np.random.default_rng(5)
    qrels = {f"q{query}": {"a": 1, "b": 1} for query in range(30)}
    runs = {
        name: {query: {each: float(draw.random()) for each in "abcdef"} for query in qrels}
        for name in ("x", "y", "z")
    }
    return carob.evaluate(qrels, runs, ["AP", "RR"])


def test_a_plan_uses_the_differences_of_each_pair() -> None:
    scores = pilot()
    found = carob.plan(scores, difference=0.05, comparisons=3)
    assert [(each.measure, each.first, each.second) for each in found.rows][:3] == [
        ("AP", "x", "y"),
        ("AP", "x", "z"),
        ("AP", "y", "z"),
    ]
    row = found.rows[1]
    own, theirs = (scores[name].by_query("AP") for name in ("x", "z"))
    differences = [own[query] - theirs[query] for query in own]
    assert row.sd == pytest.approx(np.std(differences, ddof=1))
    assert row.mean == pytest.approx(np.mean(differences))
    assert row.queries == queries_for("difference", 0.05 / row.sd, 0.8, 0.05 / 3)
    assert row.sd < row.sd_high
    assert row.queries < row.assured == queries_for("difference", 0.05 / row.sd_high, 0.8, 0.05 / 3)
    assert [each.second for each in carob.plan(scores, equivalence=0.05, baseline="y").rows] == ["y"] * 4
    assert "Bonferroni" in str(found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "exactly one of difference, equivalence and non_inferiority"),
        ({"difference": 0.1, "equivalence": 0.1}, "exactly one"),
        ({"difference": -1.0}, "use a positive, finite number"),
        ({"difference": 2.0}, "AP ranges from 0 to 1, so no two runs can differ by more than 1"),
        ({"equivalence": 1.0}, "the equivalence of 1 is too large"),
        ({"difference": float("nan")}, "use a positive, finite number"),
        ({"difference": 0.1, "power": 1.0}, "power=1.0: use a number between 0 and 1"),
        ({"difference": 0.1, "comparisons": 0}, "comparisons=0"),
        ({"difference": 0.1, "baseline": "w"}, "No run is called 'w'. The runs are x, y, z."),
        ({"difference": 0.1, "correlation": 0.5}, "must be passed together"),
        ({"difference": 0.1, "correlation": 2.0, "judged": 5}, "use a number from -1 to 1"),
        ({"difference": 0.1, "correlation": 0.5, "judged": 0}, "judged=0"),
    ],
)
def test_bad_requests_get_a_sentence(given: dict[str, Any], message: str) -> None:
    with pytest.raises(carob.DataError, match=message):
        carob.plan(pilot(), **given)


def test_runs_without_differences_between_queries_cannot_be_a_pilot() -> None:
    scores = carob.evaluate(
        {"q": {"a": 1}, "p": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 2.0}}}, "AP"
    )
    with pytest.raises(carob.DataError, match="differences of the pilot are equal"):
        carob.plan(scores, difference=0.1)
    with pytest.raises(carob.DataError, match="at least two runs, not 1"):
        carob.plan([scores["x"]], difference=0.1)


@pytest.mark.parametrize("function", [partial(carob.plan, difference=0.1), carob.best])
def test_a_policy_that_advice_names_is_an_argument(function: Callable[..., Any]) -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(4)}
    runs = {
        name: {query: {"a": float(number % step), "b": 0.5} for number, query in enumerate(qrels)}
        for name, step in (("one", 2), ("other", 3))
    }
    del runs["one"]["q3"]
    with pytest.raises(carob.DataError, match=r"missing='zero'\) or 'skip'"):
        function(qrels, runs, "RR", policy=carob.Policy(missing="error"))
    assert function(qrels, runs, "RR", policy=carob.Policy(missing="zero"))
    scores = carob.evaluate(qrels, runs, "RR")
    with pytest.raises(
        carob.DataError, match="consists of scores that are already computed, which policy= cannot change"
    ):
        function(scores, policy=carob.Policy(missing="skip"))


def test_a_plan_says_what_a_significant_result_of_the_pilot_is_worth() -> None:
    runs = [TEA / "runs" / f"{name}.run" for name in ("bm25", "feedback", "titles")]
    found = carob.plan(TEA / "qrels.txt", runs, "AP", difference=0.02, comparisons=2)
    for row in found.rows:
        shift = 0.02 / row.sd * np.sqrt(row.pilot)
        assert row.pilot_power == pytest.approx(power_at("difference", shift, row.pilot - 1, 0.025))
        assert (row.wrong_sign, row.exaggeration) == errors_if_significant(shift, row.pilot - 1, 0.025)
        assert row.exaggeration > 1
    assert "type S and M errors" in " ".join(str(found).split())
    other = carob.plan(TEA / "qrels.txt", runs, "AP", equivalence=0.02)
    assert np.isnan(other.rows[0].wrong_sign)
    assert "type S" not in str(other)


@pytest.mark.parametrize("size", [0.02, 0.1, 0.3])
def test_no_plan_for_a_crowded_pilot_asks_for_fewer_queries_than_the_interval_of_compare_needs(
    size: float,
) -> None:
    old = {f"q{number}": 0.2 for number in range(10)}
    new = {query: 0.2 + size + 0.001 * (query == "q0") for query in old}
    found = carob.plan(carob.read_scores({"old": {"RR": old}, "new": {"RR": new}}), difference=size)
    (row,) = found.rows
    assert row.crowded
    assert "worst-point" in str(found)
    assert "type S and M" not in str(found)
    assert np.isnan([row.people, row.pilot_power]).all()
    shown = []
    for queries in (0.8 * row.queries, 1.1 * row.queries + 1):
        ids = [f"q{number}" for number in range(round(queries))]
        better = {query: 0.2 + size + 0.001 * (query == "q0") for query in ids}
        values = {"old": {"RR": dict.fromkeys(ids, 0.2)}, "new": {"RR": better}}
        (contest,) = carob.compare(None, carob.read_scores(values)).contests.values()
        (pair,) = contest.pairs
        shown.append(pair.low > 0 or pair.high < 0)
    assert shown == [False, True]
