"""Mean ranks over collections: Friedman and Nemenyi as in scipy, Borda points, and groups without a difference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from carob.statistics.mean_ranks import (
    borda,
    critical_difference,
    friedman,
    groups,
    mid_ranks,
    nemenyi,
)
from carob.statistics.resampling import all_pairs


def test_ranks_and_friedman_are_those_of_scipy_on_100_tables() -> None:
    for seed in range(100):
        draw = np.random.default_rng(seed)
        rows, runs = int(draw.integers(3, 30)), int(draw.integers(3, 9))
        table = draw.normal(0, 1, (rows, runs))
        if seed % 2:
            table = np.round(table, 0)
        ranks = mid_ranks(table)
        assert ranks.tolist() == stats.rankdata(-table, axis=1).tolist()
        wanted = stats.friedmanchisquare(*table.T)
        found = friedman(ranks, "corrected")
        assert (found.chi2, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-9)


def test_nemenyi_is_that_of_scipys_studentized_range() -> None:
    for seed in range(10):
        draw = np.random.default_rng(seed)
        rows, runs = int(draw.integers(4, 25)), int(draw.integers(3, 9))
        ranks = mid_ranks(np.round(draw.normal(0, 1, (rows, runs)), 1))
        pairs = all_pairs(runs)
        means = ranks.mean(axis=0)
        reach = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]]) / math.sqrt(runs * (runs + 1) / (12 * rows))
        wanted = stats.studentized_range.sf(reach, runs, np.inf)
        assert nemenyi(ranks, pairs) == pytest.approx(wanted, abs=1e-8)
        q = stats.studentized_range.ppf(0.95, runs, np.inf)
        assert critical_difference(0.05, runs, rows) == pytest.approx(
            q / math.sqrt(2) * math.sqrt(runs * (runs + 1) / (6 * rows)), rel=1e-6
        )


def test_borda_points_by_both_rules() -> None:
    ranks = [[1.0, 2.0, 3.0], [1.0, math.nan, 2.0]]
    assert borda(ranks, "all").tolist() == [4.0, 1.0, 1.0]
    assert borda(ranks, "present").tolist() == [3.0, 1.0, 0.0]
    assert borda(mid_ranks([[0.5, 0.5, 0.1]])).tolist() == [1.5, 1.5, 0.0]


def test_groups_are_the_largest_ranges_without_a_difference() -> None:
    far = np.zeros((5, 5), bool)
    for one, other in ((0, 3), (0, 4), (1, 4), (2, 4), (3, 4)):
        far[one, other] = far[other, one] = True
    assert groups([0, 1, 2, 3, 4], far) == [(0, 1, 2), (1, 2, 3)]
    assert groups([0, 1], np.ones((2, 2), bool)) == []
