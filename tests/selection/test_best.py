"""The best of many runs: the result, families of variants, and held-out queries."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.selection.noise import equal_runs

import carob
from carob.cli import main
from carob.selection.held_out import held_out, read_ledger
from carob.statistics.selection import cross_validated

TEA = Path(__file__).parents[2] / "examples" / "tea"


def scores(values: Any, names: str = "abcdefghijkl", measure: str = "AP") -> carob.ScoresByRun:
    return carob.read_scores(
        {
            name: {measure: {f"q{row:02}": float(value) for row, value in enumerate(column)}}
            for name, column in zip(names, np.transpose(values))
        }
    )


def test_few_queries_are_told_to_leave_every_run_open() -> None:
    values = np.arange(5)[:, None] / 100 + [0.1, 0.5, 0.9]
    found = carob.best(scores(values), resampling=carob.Resampling(resamples=100))
    assert "5 queries are too few for a selection" in found.warnings[-1]
    assert "few to select on" not in str(
        carob.best(scores(np.repeat(values, 2, axis=0)), resampling=carob.Resampling(resamples=100))
    )


@pytest.mark.long
def test_no_row_contradicts_itself_in_any_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """May be best, the share of first places and the rank agree in 300 tables, skewed, tied and short ones too."""
    monkeypatch.setattr("carob.selection.best.RESELECTIONS", 2)
    draw, how = np.random.default_rng(9), carob.Resampling(folds=2, repeats=1, resamples=200)
    for number in range(300):
        queries, runs = int(draw.integers(3, 30)), int(draw.integers(2, 8))
        values = draw.exponential(0.2, (queries, runs)) if number % 2 else draw.random((queries, runs))
        values += np.linspace(0, draw.uniform(0, 1), runs)
        values = np.round(values, 1) if number % 3 == 0 else values
        rows = carob.best(scores(values), resampling=how)["AP"].candidates
        for place, each in enumerate(rows, 1):
            assert each.not_worse == (each.rank_low == 1)
            assert each.not_worse or each.best <= 0.05
            assert each.rank_low <= place <= each.rank_high
        assert rows[0].not_worse


def test_the_result_holds_the_means_the_order_and_the_optimism() -> None:
    values = equal_runs(7)
    found = carob.best(scores(values), resampling=carob.Resampling(repeats=4, resamples=200))["AP"]
    means = values.mean(axis=0)
    assert found.apparent == pytest.approx(means.max())
    assert found.run == "abcdefghijkl"[means.argmax()]
    assert [each.mean for each in found.candidates] == pytest.approx(sorted(means, reverse=True))
    assert found.optimism.value == pytest.approx(found.apparent - found.honest.value)
    assert found.honest.low < found.honest.value < found.honest.high


def test_intervals_end_where_the_range_of_the_measure_does(tmp_path: Path) -> None:
    values = {
        name: {"RR": {f"q{n}": 1.0 if n % 9 else low for n in range(40)}}
        for name, low in {"a": 0.5, "b": 0.25}.items()
    }
    shut = carob.HoldOut(0.4, ledger=tmp_path / "ledger", opened=True)
    found = carob.best(carob.read_scores(values), hold_out=shut, baseline="b")["RR"]
    assert found.held_out is not None
    assert found.held_out.value.high <= 1.0
    assert found.honest.high <= 1.0
    assert "By RR, a has the best mean of 2 runs" in str(carob.best(carob.read_scores(values)))
    few = {name: {"RR": dict.fromkeys([f"q{n}" for n in range(5)], 1.0) | {"q5": 0.1}} for name in "ab"}
    alike = carob.best(carob.read_scores(few))
    assert alike["RR"].honest.high == 1.0
    assert "By RR, a and b have the best mean of 2 runs" in str(alike)


def test_the_smallest_mean_is_the_best_if_smaller_values_are_better() -> None:
    values = np.clip(equal_runs(8), 0.01, 0.99)
    up = carob.best(scores(1 - values), resampling=carob.Resampling(resamples=200))["AP"]
    down = carob.best(scores(values, measure="Unjudged@10"), resampling=carob.Resampling(resamples=200))[
        "Unjudged@10"
    ]
    assert down.run == up.run
    assert (down.apparent, down.honest.value) == pytest.approx((1 - up.apparent, 1 - up.honest.value))
    assert down.optimism.value == pytest.approx(up.optimism.value)
    assert [each.not_worse for each in down.candidates] == [each.not_worse for each in up.candidates]


def test_a_family_is_compared_with_the_baseline_on_left_out_queries() -> None:
    values = equal_runs(9, 40, 6)
    values[:, 4] += 0.3
    found = carob.best(
        scores(values), baseline="a", variants=["[bc]", "e"], resampling=carob.Resampling(resamples=200)
    )["AP"]
    pair, lone = found.families
    assert (pair.runs, lone.runs, lone.run) == (2, 1, "e")
    gain = (values[:, 4] - values[:, 0]).mean()
    assert (lone.apparent, lone.gain.value) == pytest.approx((gain, gain))
    expected = cross_validated(values[:, 1:3], seed=2026).scores - values[:, 0]
    assert pair.gain.value == pytest.approx(expected.mean())
    assert pair.gain.low < pair.gain.value < pair.gain.high
    whole = carob.best(scores(values), baseline="a", resampling=carob.Resampling(resamples=200))[
        "AP"
    ].families
    assert [(each.variants, each.runs, each.run) for each in whole] == [("*", 5, "e")]


def test_all_queries_of_a_cluster_are_held_out_or_none() -> None:
    values = np.random.default_rng(3).random((40, 3))
    clusters = {f"q{row:02}": f"c{row // 4}" for row in range(40)}
    found = carob.best(scores(values), hold_out=carob.HoldOut(0.4, "s"), cluster=clusters)
    out = held_out([f"c{cluster}".encode() for cluster in range(10)], 0.4, "s")
    assert found.held == 4 * int(out.sum())
    assert 0 < found.held < 40


@pytest.mark.long
def test_no_number_depends_on_held_out_queries_until_they_are_opened(tmp_path: Path) -> None:
    values, ledger = equal_runs(10, 40), tmp_path / "openings.jsonl"
    ids = sorted(f"q{row:02}" for row in range(40))
    out = held_out([each.encode() for each in ids], 0.4, "s")
    changed = values.copy()
    changed[out] = np.random.default_rng(1).random((out.sum(), 12))
    how: dict[str, Any] = {"resampling": carob.Resampling(resamples=200), "baseline": "a"}
    shut, opened = carob.HoldOut(0.4, "s"), carob.HoldOut(0.4, "s", opened=True, ledger=ledger)
    closed = carob.best(scores(values), hold_out=shut, **how)
    assert closed.as_dict() == carob.best(scores(changed), hold_out=shut, **how).as_dict()
    assert closed["AP"].held_out is None
    assert not ledger.exists()
    found = carob.best(scores(values), hold_out=opened, **how)
    run = "abcdefghijkl".index(found["AP"].run)
    assert found["AP"].held_out is not None
    assert found["AP"].held_out.value.value == pytest.approx(values[out, run].mean())
    assert found["AP"].held_out.gain is not None
    assert found["AP"].held_out.gain.value == pytest.approx((values[out, run] - values[out, 0]).mean())
    assert (found.opened_before, found.held) == (0, int(out.sum()))
    again = carob.best(scores(values), hold_out=opened, **how)
    assert again.opened_before == 1
    other = carob.best(scores(values), hold_out=replace(opened, salt="t"), **how)
    assert (other.opened_before, other.opened_in_all) == (2, 2)  # some queries are held out by both salts
    assert [each.salt for each in read_ledger(ledger)[0]] == ["s", "s", "t"]
    assert "opened 1 time before" in str(again)
    assert "lists no earlier opening" in str(found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"resampling": {"folds": 1}}, "folds=1: use a whole number of at least 2"),
        ({"resampling": {"repeats": 0}}, "repeats=0: use a whole number of at least 1"),
        ({"alpha": 1.0}, "alpha=1.0: use a number between 0 and 1"),
        ({"hold_out": 1.5}, "share=1.5: use a number between 0 and 1"),
        ({"hold_out": 1e-9}, "holds out 0 of 30 queries"),
        ({"variants": ["a*"]}, "Variants need a baseline"),
        ({"baseline": "z"}, "No run is called 'z'. The runs are a, b, c, d, e."),
        ({"baseline": "a", "variants": ["z*"]}, "fits the pattern 'z\\*'"),
        ({"resampling": {"resamples": 0}}, "resamples=0: use a whole number of at least 1"),
        ({"resampling": {"seed": -1}}, "seed=-1: use a whole number of at least 0"),
    ],
)
def test_bad_requests_get_a_sentence(given: dict[str, Any], message: str) -> None:
    def selected(resampling: Any = {}, **others: Any) -> None:  # noqa: B006 -- never changed
        carob.best(scores(equal_runs(11)), resampling=carob.Resampling(**resampling), **others)

    with pytest.raises(carob.DataError, match=message):
        selected(**given)


def test_nothing_is_opened_without_a_ledger() -> None:
    with pytest.raises(carob.PolicyError, match="can only be opened with a ledger"):
        carob.HoldOut(0.3, opened=True)


def test_too_little_data_gets_a_sentence() -> None:
    with pytest.raises(carob.DataError, match="at least two runs"):
        carob.best(scores(equal_runs(1, 10, 1)))
    with pytest.raises(carob.DataError, match="a value for 2 queries, but selection needs at least 3"):
        carob.best(scores(equal_runs(1, 2)))
    with pytest.raises(carob.DataError, match="geometric mean"):
        carob.best(scores(equal_runs(1, 5), measure="GMAP"))


@pytest.mark.parametrize(
    ("layout", "piece"), [("markdown", "| run |"), ("latex", "\\toprule"), ("html", "<!doctype html>")]
)
@pytest.mark.parametrize("command", [["best", "--resamples", "100"], ["plan", "--difference", "0.1"]])
def test_results_are_written_in_each_format(
    command: list[str], layout: str, piece: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tea = [str(TEA / "qrels.txt"), *map(str, sorted((TEA / "runs").iterdir()))]
    main([command[0], *tea, *command[1:], "-m", "AP", "--format", layout])
    text = capsys.readouterr().out
    assert piece in text or (command[0], layout) == ("plan", "markdown")
    assert "titles" in text


def test_equal_values_do_not_make_the_expected_value_certain() -> None:
    """All resamples of twelve ones are alike, but other queries may have other values."""
    ones = np.column_stack([np.ones(12), np.zeros(12)])
    (found,) = carob.best(None, scores(ones, measure="Success@10")).measures
    assert found.honest.low < 0.85
    assert found.honest.high == 1
    assert math.isnan(found.optimism.low)
    (few,) = carob.best(None, scores(ones[:6], measure="Success@10")).measures
    assert math.isnan(few.honest.low)
    text = " ".join(str(carob.best(None, scores(ones[:6], measure="Success@10"))).split())
    assert "With fewer than 8 queries, they may be far too narrow" in text
    assert "too wide" not in text
    # Where values differ, the interval is that of the resamples.
    spread = np.column_stack([np.linspace(0.2, 0.8, 12), np.linspace(0.1, 0.6, 12)])
    (usual,) = carob.best(None, scores(spread)).measures
    student = np.std(spread[:, 0], ddof=1) / 12**0.5 * 2.201
    assert usual.honest.high - usual.honest.value == pytest.approx(student, rel=0.2)
