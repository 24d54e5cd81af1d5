"""Orders: figures of other programs, arithmetic, scipy, and every order that ties may stand in."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.comparison.statistics import kendall, rbo, tau_ap
from karat.output.errors import DataError
from strategies import examples

X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
"""The example of ircor's README, with its figures."""


def test_figures_without_ties() -> None:
    assert kendall(X, Y) == pytest.approx((0.7777778, 0.7777778), abs=5e-8)
    assert tau_ap(X, Y).a == pytest.approx(0.7491182, abs=5e-8)
    assert tau_ap(Y, X).a == pytest.approx(0.7592593, abs=5e-8)
    assert tau_ap(X, Y).b == pytest.approx((0.7491182 + 0.7592593) / 2, abs=5e-8)


def test_figures_with_ties() -> None:
    rounded_x, rounded_y = np.round(5 * X) / 5, np.round(5 * Y) / 5
    assert kendall(X, rounded_y).a == pytest.approx(0.7111111, abs=5e-8)
    assert tau_ap(X, rounded_y).a == pytest.approx(0.6074515, abs=5e-8)
    assert kendall(rounded_x, rounded_y).b == pytest.approx(0.75, abs=5e-8)
    assert tau_ap(rounded_x, rounded_y).b == pytest.approx(0.6269841, abs=5e-8)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30))
@settings(deadline=None)
def test_tau_b_is_scipys(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau

    x, y = np.array(pairs, float).T
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(kendall(x, y).b)
    else:
        assert kendall(x, y).b == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=5))
@settings(deadline=None, max_examples=examples(30))
def test_ties_in_the_estimate_count_as_the_mean_over_their_orders(estimated: list[int]) -> None:
    true = np.arange(len(estimated), dtype=float)
    noise = [np.array(order) * 1e-3 for order in permutations(range(len(estimated)))]
    mean = np.mean([tau_ap(true, np.array(estimated) + each).a for each in noise])
    assert tau_ap(true, np.array(estimated, float)).a == pytest.approx(mean, abs=1e-12)


def test_the_same_order_is_one_the_reverse_minus_one_and_the_top_costs_more() -> None:
    order = np.arange(8.0)
    assert (*kendall(order, order), *tau_ap(order, order)) == pytest.approx((1, 1, 1, 1))
    assert (*kendall(order, -order), *tau_ap(order, -order)) == pytest.approx((-1, -1, -1, -1))
    top, bottom = order.copy(), order.copy()
    top[[6, 7]], bottom[[0, 1]] = top[[7, 6]], bottom[[1, 0]]
    assert kendall(order, top).a == kendall(order, bottom).a
    assert tau_ap(order, top).a == pytest.approx(1 - 2 / 7)
    assert tau_ap(order, bottom).a == pytest.approx(1 - 2 / 49)


def test_one_system_has_no_order() -> None:
    assert np.isnan([*kendall([0.5], [0.25]), *tau_ap([0.5], [0.25])]).all()


def test_overlap_of_three_documents_by_hand() -> None:
    """Shared 1, 1, 3 at depths 1, 2, 3: agreements 1, 1/2, 1."""
    found = rbo("abc", "acb", p=0.5)
    seen = 0.5 * (1 + 0.5 * 0.5 + 0.5**2 * 1)
    assert found.extrapolated == pytest.approx(seen + 0.5**3)
    tail = 0.5 / 0.5 * 3 * (np.log(2) - (0.5 + 0.5**2 / 2 + 0.5**3 / 3))
    assert found.least == pytest.approx(seen + tail)
    assert found.least + found.residual == pytest.approx(seen + 0.5**3)


def test_equal_lists_overlap_wholly_and_disjoint_ones_not_at_all() -> None:
    documents = [f"d{number}" for number in range(20)]
    found = rbo(documents, documents)
    assert found.extrapolated == pytest.approx(1)
    assert found.least + found.residual == pytest.approx(1)
    apart = rbo(documents, [f"e{number}" for number in range(20)])
    assert apart.extrapolated == 0
    assert apart.least == 0
    assert 0 < apart.residual < 0.9**20


def infinite(a: list[int], b: list[int], p: float, depth: int = 3000) -> float:
    """The definition, summed up to a depth at which nothing is left."""
    total, one, other = 0.0, set(), set()
    for place in range(depth):
        one.add(a[place] if place < len(a) else ("a", place))
        other.add(b[place] if place < len(b) else ("b", place))
        total += (1 - p) * p**place * len(one & other) / (place + 1)
    return total


@given(st.permutations(range(9)), st.permutations(range(9)), st.integers(1, 9), st.integers(1, 9))
@settings(deadline=None, max_examples=examples(40))
def test_the_least_overlap_is_that_of_lists_that_go_on_apart(
    a: list[int], b: list[int], one: int, other: int
) -> None:
    found = rbo(a[:one], b[:other], 0.8)
    assert found.least == pytest.approx(infinite(a[:one], b[:other], 0.8, 200), abs=1e-10)
    assert rbo(b[:other], a[:one], 0.8) == pytest.approx(found)
    assert found.least - 1e-12 <= found.extrapolated <= found.least + found.residual + 1e-12


def test_the_most_overlap_is_that_of_the_best_continuation() -> None:
    """a, b against b, c, d: the shorter goes on c, d, the longer a; then both alike."""
    found = rbo("ab", "bcd", 0.8)
    best = infinite([*"abcd", *range(400)], [*"bcda", *range(400)], 0.8, 400)
    assert found.least + found.residual == pytest.approx(best, abs=1e-10)


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(DataError, match="3 systems cannot be ordered like 2"):
        kendall([1, 2, 3], [1, 2])
    with pytest.raises(DataError, match="System 1"):
        tau_ap([1, np.nan], [1, 2])
    with pytest.raises(DataError, match="each of them once"):
        rbo("aab", "abc")
    with pytest.raises(DataError, match="between 0 and 1"):
        rbo("ab", "ab", p=1)
