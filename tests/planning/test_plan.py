"""The number of queries that a comparison needs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import optimize, stats

import carob
from carob.statistics.sample_size import (
    errors_if_significant,
    judged_by_people,
    power_at,
    power_of,
    queries_for,
    upper_limit,
)
from carob.statistics.variance_components import components_of
from strategies import first

if TYPE_CHECKING:
    from collections.abc import Callable

TEA = Path(__file__).parents[2] / "examples" / "tea"


@pytest.mark.parametrize(
    ("size", "power", "queries"),
    [(0.5, 0.8, 33.36713), (0.2, 0.8, 198.15082), (0.1, 0.8, 786.80894), (0.2, 0.9, 264.61369)],
)
def test_queries_equal_those_of_the_package_pwr(size: float, power: float, queries: float) -> None:
    assert queries_for("difference", size, power, 0.05) == pytest.approx(queries, abs=2e-5)


@pytest.mark.parametrize("aim", ["difference", "equivalence", "non-inferiority"])
def test_the_power_is_that_of_simulated_tests(aim: Any) -> None:
    draw, size, count, alpha = np.random.default_rng(3), 0.45, 40, 0.05
    true = size if aim == "difference" else 0.0
    sample = draw.normal(true, 1.0, (40_000, count))
    mean, error = sample.mean(axis=1), sample.std(axis=1, ddof=1) / np.sqrt(count)
    critical = stats.t.ppf(1 - alpha / (2 if aim == "difference" else 1), count - 1)
    won = {
        "difference": abs(mean / error) > critical,
        "equivalence": ((mean + size) / error > critical) & ((mean - size) / error < -critical),
        "non-inferiority": (mean + size) / error > critical,
    }[aim]
    assert power_of(aim, size, count, alpha) == pytest.approx(won.mean(), abs=0.01)


def test_more_power_smaller_differences_and_stricter_levels_need_more_queries() -> None:
    base = queries_for("difference", 0.3, 0.8, 0.05)
    assert queries_for("difference", 0.3, 0.9, 0.05) > base
    assert queries_for("difference", 0.2, 0.8, 0.05) > base
    assert queries_for("difference", 0.3, 0.8, 0.01) > base
    assert queries_for("difference", 1e-9, 0.8, 0.05) == float("inf")


def test_the_limit_of_the_standard_deviation_holds_it_as_often_as_it_says() -> None:
    draw = np.random.default_rng(4)
    sd = draw.normal(0.0, 2.0, (20_000, 9)).std(axis=1, ddof=1)
    assert np.mean([upper_limit(each, 8) > 2.0 for each in sd]) == pytest.approx(0.9, abs=0.008)


def test_a_model_that_knows_nothing_saves_nothing_and_one_that_judges_too_little_cannot_help() -> None:
    how: tuple[Any, ...] = ("difference", 0.2, 0.8, 0.05)
    alone = queries_for(*how)
    assert judged_by_people(*how, 0.0, 1000.0) == pytest.approx(alone)
    assert judged_by_people(*how, 0.9, 150.0) == float("inf")
    assert judged_by_people(*how, 0.9, 8.0) == float("inf")
    people, judged, r = judged_by_people(*how, 0.8, 900.0), 900.0, 0.8
    variance = (1 - r * r) * (1 / people - 1 / judged) * (1 + 1 / (people - 3)) + 1 / judged
    assert power_at("difference", 0.2 / variance**0.5, people - 2, 0.05) == pytest.approx(0.8)
    # The numbers that an audit found absurd: 2 queries by people, for which the later test had a power of .08.
    assert judged_by_people("difference", 0.7, 0.8, 0.05, 0.95, 2000.0) >= 12
    assert judged_by_people("difference", 0.45, 0.8, 0.05, 0.85, 400.0) == pytest.approx(14.86, abs=0.01)
    assert judged_by_people("difference", 5.0, 0.8, 0.05, 0.95, 2000.0) < 12


def likelihood(table: Any, logs: Any) -> float:
    """The negative REML likelihood of a table, from its covariance matrix."""
    queries, runs, replicates = table.shape
    ones = [np.ones((each, each)) for each in table.shape]
    own = [np.eye(each) for each in table.shape]
    parts = [
        np.kron(np.kron(own[0], ones[1]), ones[2]),
        np.kron(np.kron(ones[0], own[1]), ones[2]),
        np.kron(np.kron(own[0], own[1]), ones[2]),
        np.eye(queries * runs * replicates),
    ]
    if replicates == 1:
        del parts[3]
    covariance = sum(np.exp(log) * part for log, part in zip(logs, parts, strict=True))
    factor = np.linalg.cholesky(covariance)
    white, design = np.linalg.solve(factor, table.ravel()), np.linalg.solve(factor, np.ones(table.size))
    rest = white - design * (design @ white) / (design @ design)
    return float(np.log(np.diag(factor)).sum() + np.log(design @ design) / 2 + rest @ rest / 2)


@pytest.mark.parametrize("shape", first([((5, 3, 2),), ((6, 4, 1),), ((8, 3, 1),)], 1), ids=str)
def test_variance_components_have_the_greatest_restricted_likelihood(shape: tuple[int, int, int]) -> None:
    draw, boundary = np.random.default_rng(0), 0
    for spread in (0.0, 0.0, 1.0):
        table = draw.normal(size=shape) + spread * draw.normal(size=(shape[0], 1, 1))
        found = [each for each in components_of(table) if not np.isnan(each)]
        start = [np.log(np.full(len(found), each)) for each in (0.05, 0.5)]
        how = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 20_000, "maxfev": 20_000}
        best = min(
            (
                optimize.minimize(partial(likelihood, table), each, method="Nelder-Mead", options=how)
                for each in start
            ),
            key=lambda each: float(each.fun),
        )
        assert found == pytest.approx(np.exp(best.x).tolist(), abs=1e-6)
        boundary += min(found) <= 1e-12
    assert shape[2] == 1 or boundary


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
    with pytest.raises(carob.DataError, match="Replicates are scores of the same runs"):
        carob.variance_components(scores, {"x": scores["x"], "y": scores["y"]})
    with pytest.raises(carob.DataError, match="Pass scores of several runs"):
        carob.variance_components()
    planned = carob.plan(scores, difference=0.05)
    assert [each.measure for each in planned.together] == ["AP", "RR"]
    assert planned.together[0].sd == pytest.approx((2 * found.interaction) ** 0.5)
    assert "topic set size design" in str(planned)
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
        ({"difference": 2.0}, "AP is from 0 to 1, so no two runs differ by more than 1"),
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
    with pytest.raises(carob.DataError, match="is given as scores, which policy= cannot change"):
        function(scores, policy=carob.Policy(missing="skip"))


@pytest.mark.parametrize(
    ("difference", "error", "power", "sign", "exaggeration"),
    [(0.1, 3.28, 0.05, 0.46, 77), (2.0, 8.1, 0.06, 0.24, 9.7)],
)
def test_errors_of_significant_results_are_those_of_gelman_and_carlin(
    difference: float, error: float, power: float, sign: float, exaggeration: float
) -> None:
    """Both examples of the paper, whose standard errors are known."""
    found = errors_if_significant(difference / error, 1e7, 0.05)
    assert found == pytest.approx((sign, exaggeration), rel=0.02)
    assert power_at("difference", difference / error, 1e7, 0.05) == pytest.approx(power, abs=0.006)


@pytest.mark.parametrize(("size", "count", "alpha"), [(0.3, 8, 0.05), (0.1, 24, 0.05), (0.5, 40, 0.01)])
def test_errors_of_significant_results_are_those_of_simulated_ones(
    size: float, count: int, alpha: float
) -> None:
    draw = np.random.default_rng(5)
    mean = draw.normal(size, 1 / np.sqrt(count), 400_000)
    sd = np.sqrt(draw.chisquare(count - 1, len(mean)) / (count - 1))
    sure = mean[abs(mean) / sd * np.sqrt(count) > stats.t.ppf(1 - alpha / 2, count - 1)]
    wrong, exaggeration = errors_if_significant(size * np.sqrt(count), count - 1.0, alpha)
    assert wrong == pytest.approx(np.mean(sure < 0), abs=4 * np.sqrt(0.25 / len(sure)))
    assert exaggeration == pytest.approx(np.mean(abs(sure)) / size, rel=0.02)


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
