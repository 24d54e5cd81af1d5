"""The number of queries that a comparison needs."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob.cli import main
from carob.statistics.sample_size import interval_of_sd, judged_by_people, power_of, queries_for

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


def test_the_interval_of_the_standard_deviation_holds_it_as_often_as_it_says() -> None:
    draw = np.random.default_rng(4)
    sd = draw.normal(0.0, 2.0, (20_000, 9)).std(axis=1, ddof=1)
    low, high = zip(*(interval_of_sd(each, 8) for each in sd))
    assert np.mean((np.array(low) < 2.0) & (np.array(high) > 2.0)) == pytest.approx(0.95, abs=0.006)


def test_a_model_that_knows_nothing_saves_nothing_and_one_that_judges_too_little_cannot_help() -> None:
    assert judged_by_people(200.0, 0.0, 1000.0) == 200.0
    assert judged_by_people(200.0, 0.9, 150.0) == float("inf")
    estimate, people, judged, r = 200.0, judged_by_people(200.0, 0.8, 900.0), 900.0, 0.8
    assert (1 - r * r) / people + r * r / judged == pytest.approx(1 / estimate)


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
    assert row.low < row.queries < row.high
    assert [each.second for each in carob.plan(scores, equivalence=0.05, baseline="y").rows] == ["y"] * 4
    assert "Bonferroni" in str(found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "exactly one of difference, equivalence and non-inferiority"),
        ({"difference": 0.1, "equivalence": 0.1}, "exactly one"),
        ({"difference": -1.0}, "use a positive, finite number"),
        ({"difference": float("nan")}, "use a positive, finite number"),
        ({"difference": 0.1, "power": 1.0}, "power=1.0: use a number between 0 and 1"),
        ({"difference": 0.1, "comparisons": 0}, "comparisons=0"),
        ({"difference": 0.1, "baseline": "w"}, "No run is called 'w'. The runs are x, y, z."),
        ({"difference": 0.1, "correlation": 0.5}, "belong together"),
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


def test_the_command_plans_from_files_and_from_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tea = [str(TEA / each) for each in ("qrels.txt", "runs/bm25.run", "runs/titles.run")]
    how = ["--difference", "0.05", "-m", "AP", "--format", "json"]
    main(["plan", *tea, *how])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(each["first"], each["second"], each["pilot"]) for each in rows] == [("bm25", "titles", 24)]
    scores = carob.evaluate(tea[0], {"bm25": tea[1], "titles": tea[2]}, "AP")
    lines = ["run,query,measure,value"]
    lines += [
        f"{run},{query},AP,{value}" for run in scores for query, value in scores[run].by_query("AP").items()
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    main(["plan", str(path), *how])
    assert json.loads(capsys.readouterr().out)["rows"][0]["queries"] == pytest.approx(rows[0]["queries"])
    with pytest.raises(SystemExit):
        main(["plan", *tea])
    assert "exactly one" in capsys.readouterr().err


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
