"""Runs that are read at the same time: the order of the results, how many wait, and errors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

import carob
from carob.evaluation.engine import LIGHT
from carob.inputs.runs import AHEAD, in_threads

if TYPE_CHECKING:
    from pathlib import Path

FEW = ["AP", "nDCG@10", "P@5"]
MANY = [*FEW, *(f"R@{k}" for k in range(1, LIGHT + 1))]
EVERY_ROW = [*FEW, "bpref"]


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    draw = np.random.default_rng(7)
    judged = [f"q{q} 0 d{d} {draw.integers(-1, 3)}\n" for q in range(5) for d in range(12)]
    (tmp_path / "qrels.txt").write_text("".join(judged))
    for number in range(9):
        lines = [f"q{q} Q0 d{d} 1 {draw.integers(0, 6)} t\n" for q in range(5) for d in range(number, 15)]
        (tmp_path / f"r{number}.run").write_text("".join(lines))
    return [str(tmp_path / "qrels.txt"), *(str(tmp_path / f"r{number}.run") for number in range(9))]


@pytest.mark.parametrize("measures", [FEW, MANY, EVERY_ROW], ids=["few", "many", "every row"])
@pytest.mark.parametrize("cores", [1, 2, 3])
def test_runs_side_by_side_have_the_scores_of_each_alone(
    measures: list[str], cores: int, paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carob.evaluation.engine.available_cores", lambda: cores)
    qrels, *runs = paths
    together = carob.evaluate(qrels, runs, measures)
    for path, (name, scores) in zip(runs, together.items(), strict=True):
        alone = carob.evaluate(qrels, path, measures)
        assert (name, scores.means(), scores.bounds) == (alone.name, alone.means(), alone.bounds)
        assert np.array_equal(scores.matrix, alone.matrix, equal_nan=True)


def test_results_come_in_order_and_few_wait_to_be_taken() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        time.sleep(0.002 * (number % 3))
        return number

    taken = []
    for number in in_threads(work, range(40), 2):
        taken.append(number)
        time.sleep(0.005)
        assert len(begun) <= len(taken) + AHEAD * 2
    assert taken == list(range(40))


def test_the_first_error_in_order_ends_the_work() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number >= 3:
            raise ValueError(f"number {number}")
        return number

    taken: list[int] = []
    with pytest.raises(ValueError, match="number 3"):
        taken.extend(in_threads(work, range(1000), 2))
    assert taken == [0, 1, 2]
    assert len(begun) <= 3 + AHEAD * 2
