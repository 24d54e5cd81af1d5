"""Levels of repeated looks, against published bounds and simulated ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import carob
from carob.cli import main
from carob.statistics.sequential import level_at


def test_bounds_are_those_of_ldbounds() -> None:
    """The package ldbounds for R: five equal looks, two-sided .05, O'Brien and Fleming's type."""
    fractions = [0.2, 0.4, 0.6, 0.8, 1.0]
    bounds = [-stats.norm.ppf(level_at(fractions[: look + 1], 0.05) / 2) for look in range(5)]
    assert bounds == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4)
    assert level_at([1.0], 0.05) == pytest.approx(0.05)


def test_a_look_too_early_to_spend_anything_changes_no_later_level() -> None:
    assert level_at([0.05], 0.05) < 1e-14
    assert level_at([0.005, 0.05, 0.5, 1.0], 0.05) == pytest.approx(level_at([0.5, 1.0], 0.05))
    assert carob.Test(looks=(20, 400)).at(20)[0].alpha < 1e-14


@pytest.mark.parametrize("shape", ["normal", "heavy tails"])
def test_five_looks_find_nothing_by_chance_more_often_than_alpha(shape: str) -> None:
    draw, sizes = np.random.default_rng(11), (12, 24, 36, 48, 60)
    values = draw.normal(size=(20_000, 60)) if shape == "normal" else draw.laplace(size=(20_000, 60))
    found, plain = np.zeros(len(values), bool), np.zeros(len(values), bool)
    for place, size in enumerate(sizes):
        p = stats.ttest_1samp(values[:, :size], 0, axis=1).pvalue
        found |= p < level_at([each / 60 for each in sizes[: place + 1]], 0.05)
        plain |= p < 0.05
    assert found.mean() <= 0.055
    assert plain.mean() > 0.12  # what looking five times at the full level does


def files(folder: Path, count: int) -> list[str]:
    """Judgments of some queries, and two runs."""
    draw = np.random.default_rng(3)
    lists = {f"q{query:02d}": [draw.permutation(6), draw.permutation(6)] for query in range(60)}
    qrels = folder / f"qrels{count}"
    qrels.write_text(
        "".join(f"{query} 0 d{each} {int(each < 2)}\n" for query in list(lists)[:count] for each in range(6))
    )
    for place, name in enumerate(("one", "two")):
        (folder / name).write_text(
            "".join(
                f"{query} Q0 d{each} {rank} {-rank} {name}\n"
                for query, orders in lists.items()
                for rank, each in enumerate(orders[place], 1)
            )
        )
    return [str(qrels), str(folder / "one"), str(folder / "two")]


def test_a_look_has_its_own_level_in_every_face(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", *files(tmp_path, 40), "-m", "AP", "--looks", "20,40,60", "--format", "json"])
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert level_at([20 / 60, 40 / 60], 0.05) == pytest.approx(0.0120244, abs=1e-6)
    level = 0.012  # rounded down to three digits
    assert settings["alpha"] == pytest.approx(level)
    assert settings["confidence"] == pytest.approx(1 - level)
    qrels, *runs = files(tmp_path, 40)
    found = carob.compare(qrels, runs, "AP", test=carob.Test(looks=(20, 40, 60)))
    assert found.settings.alpha == pytest.approx(level)
    assert "Look 2, at 40 of 60 planned queries" in " ".join(str(found).split())
    with pytest.raises(carob.DataError, match="40 queries are judged, but only 30 were planned"):
        carob.compare(qrels, runs, "AP", test=carob.Test(looks=(20, 30)))
    for wrong in ((20, 20), (40, 20), (), "20", (1, 5), (2.5, 9)):
        with pytest.raises(carob.PolicyError, match="planned numbers of queries"):
            carob.Test(looks=wrong)  # type: ignore[arg-type]
    coffee = Path(__file__).parents[2] / "examples" / "coffee"
    sampled = (str(coffee / "documents.csv"), sorted(map(str, (coffee / "runs").glob("*.run"))), "DCG@10")
    with pytest.raises(carob.PolicyError, match="has no meaning for sampled documents"):
        carob.compare(*sampled, judge=str(coffee / "model.txt"), test=carob.Test(looks=(20, 40)))
    with pytest.raises(SystemExit):
        main(["compare", qrels, *runs, "--looks", "20,x"])
    assert "whole numbers" in capsys.readouterr().err


def test_a_second_look_is_recognised_from_the_record(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    for count, told in ((20, False), (20, False), (40, True)):
        qrels, *runs = files(tmp_path, count)
        found = carob.compare(qrels, runs, "AP")
        if told:
            with pytest.warns(carob.DataWarning, match="on 20 queries, and this comparison has 40"):
                carob.record(found, record)
        else:
            carob.record(found, record)
    assert json.loads(record.read_text())["comparison"]["looks"] == [20, 40]
    qrels, *runs = files(tmp_path, 60)
    carob.record(carob.compare(qrels, runs, "AP", test=carob.Test(looks=(20, 40, 60))), record)
    assert json.loads(record.read_text())["comparison"]["looks"] == [20, 40, 60]
