"""Means over collections: those like these and these alone, as t-tests, Welch's test and expanded percentiles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from carob.statistics.collections import expanded, like_these, these
from carob.statistics.estimates import paired


def test_a_macro_mean_over_collections_like_these_is_the_paired_t_test() -> None:
    table = np.random.default_rng(4).normal(0.1, 0.2, (9, 5))
    found, wanted = like_these(table), paired(table)
    for name in ("value", "error", "freedom", "p", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-12), name


def test_a_micro_mean_over_collections_like_these_is_the_cluster_robust_t_test() -> None:
    draw = np.random.default_rng(5)
    sizes = np.array([4, 9, 30, 2, 15])
    queries = [draw.normal(0.1, 0.2, (size, 2)) for size in sizes]
    found = like_these([each.mean(axis=0) for each in queries], sizes)
    wanted = paired(np.concatenate(queries), clusters=np.repeat(np.arange(5), sizes))
    for name in ("value", "error", "freedom", "p", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-9), name


def test_two_collections_are_welchs_test() -> None:
    draw = np.random.default_rng(6)
    one, other = draw.normal(0.2, 0.1, 12), draw.normal(0.1, 0.3, 40)
    means, errors = [[one.mean()], [-other.mean()]], [[one.var(ddof=1) / 12], [other.var(ddof=1) / 40]]
    found = these(means, errors, [12, 40])
    assert found.p[0] == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue, rel=1e-9)


def test_missing_cells_count_in_no_mean() -> None:
    table = np.array([[0.1, 0.2], [0.3, np.nan], [0.2, 0.6]])
    found = like_these(table)
    assert found.value == pytest.approx([0.2, 0.4])
    assert found.freedom == pytest.approx([2.0, 1.0])
    alone = like_these(np.array([[0.2], [0.6]]))
    assert (found.p[1], found.low[1]) == pytest.approx((alone.p[0], alone.low[0]))


def test_runs_that_are_equal_everywhere_have_p_1_and_a_constant_difference_has_the_p_of_signs() -> None:
    found = like_these(np.array([[0.0, 0.1], [0.0, 0.1], [0.0, 0.1]]))
    assert found.p.tolist() == [1.0, 0.25]
    assert (found.low[0], found.high[0]) == (0.0, 0.0)
    assert math.isnan(found.low[1])


def test_expanded_percentiles_cover_where_plain_ones_do_not() -> None:
    held = []
    for seed in range(400):
        sample = np.random.default_rng(seed).normal(0, 1, 8)
        rows = np.random.default_rng(seed + 10_000).integers(0, 8, (1000, 8))
        means = sample[rows].mean(axis=1)
        ends = [np.quantile(means, [level / 2, 1 - level / 2]) for level in (0.05, expanded(0.05, 8))]
        held.append([low <= 0 <= high for low, high in ends])
    plain, wide = np.mean(held, axis=0)
    assert plain < 0.92 < wide <= 0.98
