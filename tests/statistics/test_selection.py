"""Selection: cross-validation by hand, the set of runs that may be the best, and ranks of resampled means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.selection.noise import equal_runs

from carob.statistics.resampling import Draw, romano_wolf
from carob.statistics.selection import cross_validated, ranks, shown_better


def test_leaving_one_query_out_by_hand() -> None:
    values = [[0.9, 0.1, 0.4], [0.2, 0.6, 0.4], [0.3, 0.5, 0.4], [0.5, 0.5, 0.4]]
    found = cross_validated(values, folds=4)
    # Without query 0, run 1 leads (1.6 to 1.0); without query 1, 2 or 3, run 0 leads (1.7, 1.6, 1.4 to 1.1, 1.2, 1.2).
    assert found.scores.tolist() == [0.1, 0.2, 0.3, 0.5]
    assert found.chosen.tolist() == [0.75, 0.25, 0.0]


def test_each_fold_is_scored_by_the_run_that_is_best_on_the_other_folds() -> None:
    values = equal_runs(1, 12, 4)
    found = cross_validated(values, folds=12)
    expected = [
        values[row, np.delete(values, row, axis=0).mean(axis=0).argmax()] for row in range(len(values))
    ]
    assert found.scores == pytest.approx(expected)
    assert cross_validated(values, folds=100).scores == pytest.approx(expected)


def test_the_order_of_runs_and_an_added_constant_do_not_matter_and_tied_runs_share() -> None:
    values = np.random.default_rng(2).integers(0, 5, (20, 6)) / 4
    order = np.random.default_rng(3).permutation(6)
    found, other = cross_validated(values, seed=1), cross_validated(values[:, order], seed=1)
    assert other.scores == pytest.approx(found.scores)
    assert other.chosen == pytest.approx(found.chosen[order])
    assert found.chosen.sum() == pytest.approx(1.0)
    twins = cross_validated(np.repeat(values[:, :1], 3, axis=1))
    assert twins.chosen == pytest.approx([1 / 3] * 3)
    assert twins.scores == pytest.approx(values[:, 0])


def test_queries_of_a_cluster_are_left_out_together() -> None:
    values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.5], [0.0, 0.5]])
    assert cross_validated(values, clusters=["x", "x", "y", "y"]).scores.tolist() == [0.0, 0.0, 0.0, 0.0]
    assert cross_validated(values).scores.tolist() == [0.25 + 0.25, 0.5, 0.0, 0.0]


@pytest.mark.parametrize("queries", [10, 30])
def test_the_honest_value_is_near_that_on_other_queries_where_the_apparent_value_is_not(queries: int) -> None:
    apparent, honest = [], []
    for seed in range(300):
        values = equal_runs(seed, queries)
        apparent.append(values.mean(axis=0).max() - 0.5)
        honest.append(cross_validated(values, repeats=3, seed=seed).scores.mean() - 0.5)
    assert np.mean(apparent) > 0.04
    assert abs(np.mean(honest)) < 0.01


def test_the_set_keeps_all_of_twelve_equal_runs_in_95_of_100_simulations() -> None:
    kept = [not shown_better(equal_runs(seed, 20), Draw(400, seed)).any() for seed in range(300)]
    assert np.mean(kept) >= 0.93


def test_the_set_keeps_the_best_runs_and_drops_runs_that_are_clearly_worse() -> None:
    kept = []
    for seed in range(200):
        values = equal_runs(seed, 40)
        values[:, :6] -= 0.12
        kept.append(~shown_better(values, Draw(400, seed)).any(axis=0))
    table = np.array(kept)
    assert table[:, 6:].all(axis=1).mean() >= 0.925
    assert table[:, :6].mean() < 0.6
    assert not shown_better(np.full((5, 3), 0.5)).any()
    assert not shown_better([[0.1, 0.9]], Draw(10)).any()


def test_the_set_keeps_equal_runs_whose_differences_are_skewed() -> None:
    """Of lognormal values with unequal spread, the studentized test alone keeps too few."""
    kept, alone = [], []
    scale = np.array([1, 0.5, 0.5, 0.5])
    for seed in range(150):
        values = (np.random.default_rng(seed).lognormal(size=(25, 4)) - math.exp(0.5)) * scale
        kept.append(not shown_better(values, Draw(400, seed)).any())
        alone.append((romano_wolf(values, draw=Draw(400, seed)).p >= 0.05).all())
    assert np.mean(alone) < 0.93 <= np.mean(kept)


def test_ranks_are_those_of_resampled_means_and_ties_share() -> None:
    values = np.random.default_rng(5).integers(0, 4, (15, 5)) / 3
    values[:, 4] = values[:, 3]
    found = ranks(values, Draw(500))
    assert found.best.sum() == pytest.approx(1.0)
    assert found.best[3] == found.best[4]
    assert (found.low <= found.high).all()
    assert ranks(np.full((4, 3), 0.2), Draw(10))[1:][0].tolist() == [1, 1, 1]
    assert ranks(np.full((4, 3), 0.2), Draw(10)).high.tolist() == [3, 3, 3]
    apart = ranks(np.tile([0.1, 0.3, 0.2], (4, 1)), Draw(10))
    assert (apart.best.tolist(), apart.low.tolist()) == ([0, 1, 0], [3, 1, 2])
