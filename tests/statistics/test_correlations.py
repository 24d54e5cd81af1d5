"""Correlations of means: SciPy's, those of lists, tau_gap by hand, ties, and the first k."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob.statistics.correlations import CORRELATIONS, correlation_named, tau_gap
from carob.statistics.rank_correlation import kendall, rbo, tau_ap, tau_ap_b
from strategies import examples

SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12)


@given(SCORES)
@settings(deadline=None, max_examples=examples(60))
def test_correlations_are_scipys_and_samples_are_as_single_ones(pairs: list[tuple[int, int]]) -> None:
    from scipy import stats

    x, y = np.array(pairs, float).T
    if len(set(x)) > 1 and len(set(y)) > 1:
        theirs = [stats.kendalltau(x, y), stats.spearmanr(x, y), stats.pearsonr(x, y)]
        own = [correlation_named(each).of(x, y) for each in ("kendall", "spearman", "pearson")]
        assert own == pytest.approx([each.statistic for each in theirs], abs=1e-12)
    singles = {"kendall": kendall, "tau_ap": tau_ap, "tau_ap_b": tau_ap_b}
    samples = np.stack([x, y[::-1]]), np.stack([y, x])
    for name, single in singles.items():
        each = [single(one, other) for one, other in zip(*samples, strict=True)]
        assert correlation_named(name)(*samples) == pytest.approx(each, abs=1e-12, nan_ok=True)


@given(st.permutations(range(6)))
@settings(deadline=None, max_examples=examples(30))
def test_rbo_without_ties_is_that_of_lists(order: list[int]) -> None:
    x, y = -np.arange(6.0), np.empty(6)
    y[order] = -np.arange(6.0)
    assert CORRELATIONS["rbo"].of(x, y) == pytest.approx(rbo([list(range(6)), order])[0, 1], abs=1e-12)


def test_tau_gap_by_hand() -> None:
    # Truth a .9, b .5, c .4; the judge orders b, a, c. Below b: a, whose gap .4 is wrong. Below b and a: c, whose gaps
    # .1 and .5 are right. So 2/2 · (0 + 1) - 1 = 0.
    truth, judge = np.array([0.9, 0.5, 0.4]), np.array([2.0, 3.0, 1.0])
    assert float(tau_gap(truth, judge)) == pytest.approx(0)
    assert float(tau_gap(truth, truth)) == 1
    assert float(tau_gap(truth, -truth)) == -1


def test_tied_runs_are_above_each_other_in_half_of_the_orders() -> None:
    # a and b are tied above c: c's gaps are right (weight 1). Of a and b, one is below the other, rightly in half of
    # the orders: the share is 1/2, and each of the two is second in half of the orders.
    truth, judge = np.array([0.9, 0.5, 0.4]), np.array([2.0, 2.0, 1.0])
    assert float(tau_gap(truth, judge)) == pytest.approx(2 * (1 + 0.5 * 0 + 0.5 * 1) / 2 - 1)
    shifted = [float(tau_gap(truth[list(o)], judge[list(o)])) for o in permutations(range(3))]
    assert shifted == pytest.approx([shifted[0]] * 6)
    assert float(tau_gap(truth, judge, by_place=True)) == 1
    assert float(tau_gap(truth[[1, 0, 2]], judge, by_place=True)) == pytest.approx(0)


def test_overlap_counts_ties_at_the_cut_by_their_share() -> None:
    x, y = np.array([4.0, 3, 2, 1]), np.array([4.0, 2, 2, 2])
    # Of the three that are tied for the judge, each is second in a third of the orders.
    assert correlation_named("overlap@2").of(x, y) == pytest.approx((1 + 1 / 3) / 2)
    assert correlation_named("overlap@4").of(x, y) == 1


def test_the_best_include_those_that_are_tied_with_the_last() -> None:
    x, y = np.array([5.0, 4, 4, 1]), np.array([5.0, 3, 4, 9])
    assert correlation_named("kendall@2").of(x, y) == kendall(x[:3], y[:3])
    several = correlation_named("kendall@2")(np.stack([x, [4.0, 3, 2, 1]]), np.stack([y, y]))
    assert several.tolist() == [kendall(x[:3], y[:3]), kendall([4, 3], y[:2])]


@pytest.mark.parametrize("name", ["kendal", "overlap", "kendall@0", "kendall@x", "tau_gap@"])
def test_unknown_correlations_are_refused(name: str) -> None:
    with pytest.raises(carob.PolicyError, match=r"correlation|whole number"):
        correlation_named(name)
