"""The table of the runs' scores: the error of a weighted mean is that of a ratio."""

from __future__ import annotations

import numpy as np
import pytest

from carob.evaluation.evidence import RunTable
from carob.measures import Measure
from carob.statistics.paired import paired

AP = Measure("AP", (), None)


def table(seed: int, queries: int = 30, heavy: float = 1.0) -> RunTable:
    draw = np.random.default_rng(seed)
    values = draw.beta(2, 3, (queries, 2))
    weights = np.repeat(np.exp(heavy * draw.normal(size=(queries, 1))), 2, axis=1)
    return RunTable("AP", AP, values, weights)


def test_means_are_weighted_and_errors_are_those_of_a_ratio() -> None:
    its = table(1)
    assert its.weights is not None
    weight, means = its.weights[:, 0], np.array(its.means)
    assert its.observed().mean(axis=0) == pytest.approx(means)
    assert its.exchangeable().mean(axis=0) == pytest.approx(means)
    found = paired(its.observed(), shares=its.leverage)
    share = weight / weight.sum()
    # A jackknife: each query is left out of the ratio, but for half of its leverage, as in CR2.
    residual = share[:, None] * (its.values - means)
    assert found.error == pytest.approx(np.sqrt((residual**2 / (1 - share[:, None])).sum(axis=0)))
    assert 1 < found.freedom[0] < 29


def test_one_weight_for_all_changes_nothing() -> None:
    its = table(2, heavy=0.0)
    plain = RunTable("AP", AP, its.values)
    for ours, theirs in ((its.observed(), plain.observed()), (its.exchangeable(), plain.exchangeable())):
        assert ours == pytest.approx(theirs)
    ours, theirs = paired(its.observed(), shares=its.leverage), paired(plain.observed())
    for name in ("value", "low", "high", "p", "freedom", "d_z"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name


def test_a_query_with_twice_the_weight_is_as_a_cluster_of_two() -> None:
    draw = np.random.default_rng(4)
    size, values = np.array([2.0, 1, 1, 3, 1, 2, 1, 1]), draw.uniform(size=8)
    its = RunTable("AP", AP, values[:, None], size[:, None])
    by_weight = paired(its.observed(), shares=its.leverage)
    repeated = np.repeat(np.arange(8), size.astype(int))
    by_cluster = paired(values[repeated], clusters=repeated)
    for name in ("value", "low", "high", "freedom"):
        assert getattr(by_weight, name) == pytest.approx(getattr(by_cluster, name)), name


def test_a_query_without_weight_counts_nowhere() -> None:
    its = table(5)
    assert its.weights is not None
    more = RunTable(
        "AP", AP, np.vstack([its.values, [[0.9, np.nan]]]), np.vstack([its.weights, [[0.0, 0.0]]])
    )
    ours, theirs = paired(more.observed(), shares=more.leverage), paired(its.observed(), shares=its.leverage)
    for name in ("value", "low", "high", "freedom"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name


def test_intervals_of_weighted_means_cover_and_do_not_count_the_weights_as_error() -> None:
    draw = np.random.default_rng(7)
    size, queries, draws = 4000, 30, 400
    weights = np.exp(draw.normal(size=size))
    values = draw.beta(2, 3, size)
    both = np.column_stack([values, np.clip(values + draw.normal(0.02, 0.1, size), 0, 1)])
    truth = (weights[:, None] * both).sum(axis=0) / weights.sum()
    truth = np.append(truth, truth[0] - truth[1])
    covered, widths = np.zeros(3), []
    for _ in range(draws):
        rows = draw.integers(0, size, queries)
        its = RunTable("AP", AP, both[rows], np.repeat(weights[rows, None], 2, axis=1))
        seen = [
            np.column_stack([each, each[:, 0] - each[:, 1]]) for each in (its.observed(), its.exchangeable())
        ]
        ours, theirs = paired(seen[0], shares=its.leverage), paired(seen[1])
        covered += (ours.low <= truth) & (truth <= ours.high)
        widths.append(((ours.high - ours.low) / (theirs.high - theirs.low))[0])
    assert (covered / draws > 0.9).all(), covered / draws
    assert np.mean(widths) < 0.75
