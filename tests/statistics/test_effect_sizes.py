"""Intervals of effect sizes, against inversions of their distributions by other means, in every face."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

import carob
from carob.cli import main
from carob.statistics.effect_sizes import standardised_ends, superiority

EXAMPLES = Path(__file__).parents[2] / "examples"
TEA = EXAMPLES / "tea"
RUNS = [str(TEA / "runs" / f"{name}.run") for name in ("bm25", "feedback", "titles")]
COFFEE = sorted(map(str, (EXAMPLES / "coffee" / "runs").glob("*.run")))[:2]


@pytest.mark.parametrize(("d_z", "n"), [(0.473, 20), (-0.1, 8), (1.5, 50), (-0.02, 5000)])
def test_ends_of_d_z_are_those_under_which_it_is_extreme(d_z: float, n: int) -> None:
    """scipy.stats.nct, whose distribution function is Boost's, and a search for the root."""
    low, high = (float(each[0]) for each in standardised_ends(np.array([d_z]), np.array([n]), 0.9))
    for end, tail in ((low, 0.95), (high, 0.05)):
        its = optimize.brentq(
            lambda true, tail=tail: stats.nct.cdf(d_z * math.sqrt(n), n - 1, true * math.sqrt(n)) - tail,
            d_z - 4 / math.sqrt(n),  # further away, SciPy's has no number
            d_z + 4 / math.sqrt(n),
        )
        assert end == pytest.approx(its, abs=1e-6)


@pytest.mark.parametrize("counts", [(12, 3, 9), (0, 8, 0), (8, 0, 0), (1, 23, 0), (30, 0, 70)])
def test_ends_of_superiority_are_those_that_a_score_test_accepts(counts: tuple[int, int, int]) -> None:
    won, tied, _ = counts
    n, z = sum(counts), stats.norm.ppf(0.975)
    share, low, high = (float(each[0]) for each in superiority(*(np.array([each]) for each in counts), 0.95))
    assert share == (won + tied / 2) / n
    ties = tied / (n + 2)

    def beyond(true: float) -> float:
        return abs(share - true) - z * math.sqrt(max(true * (1 - true) - ties / 4, 0) / n)

    assert 0 <= low <= share <= high <= 1
    inside = [end for end in (low, high) if 0 < end < 1]
    assert [beyond(end) for end in inside] == pytest.approx([0] * len(inside), abs=1e-9)
    if not tied:
        its = stats.binomtest(won, n).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx(tuple(its))


def test_few_queries_and_no_spread_give_no_interval() -> None:
    ends = standardised_ends(np.array([0.5, math.inf, 0.0]), np.array([7, 20, 20]), 0.95)
    assert np.isnan(ends).all()
    _, low, high = superiority(np.array([7]), np.array([0]), np.array([0]), 0.95)
    assert np.isnan([low, high]).all()


def test_every_face_has_the_effect_sizes_and_nobody_who_did_not_ask(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["compare", str(TEA / "qrels.txt"), *RUNS, "-m", "AP", "--baseline", "bm25"]
    found = carob.compare(TEA / "qrels.txt", RUNS, "AP", baseline="bm25", test=carob.Test(effects=True))
    pair = found["AP"].pairs[0]
    assert pair.d_z_low is not None
    assert pair.d_z_high is not None
    assert pair.d_z_low < pair.d_z < pair.d_z_high
    assert pair.superiority == (pair.wins + pair.ties / 2) / pair.n
    main([*arguments, "--effects", "--format", "json"])
    printed = json.loads(capsys.readouterr().out)["contests"]["AP"]["pairs"][0]
    assert (printed["d_z_low"], printed["superiority_high"]) == (pair.d_z_low, pair.superiority_high)
    main([*arguments, "--effects", "--format", "csv"])
    assert "superiority_low" in capsys.readouterr().out.splitlines()[0]
    main([*arguments, "--effects"])
    said = capsys.readouterr().out
    assert "superiority, 95% CI" in said
    assert max(map(len, said.splitlines())) <= 80
    assert "superiority" not in str(carob.compare(TEA / "qrels.txt", RUNS, "AP"))
    main([*arguments, "--format", "csv"])
    assert "superiority" not in capsys.readouterr().out


def test_a_pair_that_is_turned_has_the_complement() -> None:
    contest = carob.compare(TEA / "qrels.txt", RUNS[:2], "AP", test=carob.Test(effects=True))["AP"]
    one, other = contest.between(0, 1), contest.between(1, 0)
    assert (one.d_z_low, one.d_z_high) == (-(other.d_z_high or 0), -(other.d_z_low or 0))
    assert (one.superiority_low or 0) + (other.superiority_high or 0) == pytest.approx(1)


@pytest.mark.parametrize(
    ("measure", "design", "said", "d_z", "superiority"),
    [
        (
            "AP",
            {"weights": {f"t{n:02d}": 1.0 + n % 3 for n in range(1, 25)}},
            "all queries have the same weight",
            0,
            0,
        ),
        ("AP", {"cluster": {f"t{n:02d}": str(n // 2) for n in range(1, 25)}}, "are independent", 0, 0),
        ("GMAP", {}, "far from normally distributed", 0, 1),
        ("AP", {}, "", 1, 1),
    ],
)
def test_an_interval_whose_assumption_fails_is_left_out_and_the_reason_stands_there(
    measure: str, design: dict[str, object], said: str, d_z: int, superiority: int
) -> None:
    found = carob.compare(
        TEA / "qrels.txt",
        RUNS[:2],
        measure,
        test=carob.Test(effects=True),
        design=carob.Design(**design),  # type: ignore[arg-type]
    )
    pair = found.primary.pairs[0]
    assert math.isfinite(pair.d_z_low or 0) == d_z
    assert math.isfinite(pair.superiority_low or 0) == superiority
    reasons = [each.sentence for each in found.warnings if each.kind == "effects"]
    assert [said in each for each in reasons] == [True] * bool(said)


def test_with_a_judge_superiority_is_that_of_peoples_values() -> None:
    coffee = EXAMPLES / "coffee"
    test = carob.Test(effects=True)
    found = carob.compare(coffee / "people.txt", COFFEE, "AP", judge=coffee / "model.txt", test=test)
    alone = carob.compare(coffee / "people.txt", COFFEE, "AP", test=test)
    pair, its = found["AP"].pairs[0], alone["AP"].pairs[0]
    assert math.isnan(pair.d_z_low or 0)
    assert (pair.superiority, pair.superiority_low) == (its.superiority, its.superiority_low)
    assert any("d_z has no interval" in each.sentence for each in found.warnings)
    with pytest.raises(carob.PolicyError, match="effects has no meaning for sampled documents"):
        carob.compare(coffee / "documents.csv", COFFEE, "DCG@10", judge=coffee / "model.txt", test=test)
    with pytest.raises(carob.PolicyError, match="effects has no meaning on several collections"):
        carob.compare_collections({name: {"a": 0.3, "b": 0.2} for name in ("web", "news")}, "AP", test=test)
