"""Orders: figures of other programs, arithmetic, scipy, and every order that ties may stand in."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.output.errors import DataError
from carob.statistics.rank_correlation import kendall, rbo, tau_ap, tau_ap_b
from strategies import examples

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
"""The example of ircor's README, with its figures."""

COEFFICIENTS = (kendall, tau_ap, tau_ap_b)


def test_figures_without_ties() -> None:
    assert kendall(X, Y) == pytest.approx(0.7777778, abs=5e-8)
    assert tau_ap(X, Y) == pytest.approx(0.7491182, abs=5e-8)
    assert tau_ap(Y, X) == pytest.approx(0.7592593, abs=5e-8)
    assert tau_ap_b(X, Y) == pytest.approx((0.7491182 + 0.7592593) / 2, abs=5e-8)


def test_figures_with_ties() -> None:
    rounded_x, rounded_y = np.round(5 * X) / 5, np.round(5 * Y) / 5
    assert tau_ap(X, rounded_y) == pytest.approx(0.6074515, abs=5e-8)
    assert kendall(rounded_x, rounded_y) == pytest.approx(0.75, abs=5e-8)
    assert tau_ap_b(rounded_x, rounded_y) == pytest.approx(0.6269841, abs=5e-8)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30))
@settings(deadline=None)
def test_tau_b_is_scipys(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau

    x, y = np.array(pairs, float).T
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(kendall(x, y))
    else:
        assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=5))
@settings(deadline=None, max_examples=examples(30))
def test_ties_in_the_estimate_count_as_the_mean_over_their_orders(estimated: list[int]) -> None:
    true = np.arange(len(estimated), dtype=float)
    noise = [np.array(order) * 1e-3 for order in permutations(range(len(estimated)))]
    mean = np.mean([tau_ap(true, np.array(estimated) + each) for each in noise])
    assert tau_ap(true, np.array(estimated, float)) == pytest.approx(mean, abs=1e-12)


def test_the_same_order_is_one_the_reverse_minus_one_and_the_top_costs_more() -> None:
    order = np.arange(8.0)
    assert [each(order, order) for each in COEFFICIENTS] == pytest.approx([1, 1, 1])
    assert [each(order, -order) for each in COEFFICIENTS] == pytest.approx([-1, -1, -1])
    top, bottom = order.copy(), order.copy()
    top[[6, 7]], bottom[[0, 1]] = top[[7, 6]], bottom[[1, 0]]
    assert kendall(order, top) == kendall(order, bottom)
    assert tau_ap(order, top) == pytest.approx(1 - 2 / 7)
    assert tau_ap(order, bottom) == pytest.approx(1 - 2 / 49)


def test_one_system_has_no_order() -> None:
    assert np.isnan([each([0.5], [0.25]) for each in COEFFICIENTS]).all()


def overlap(a: Sequence[Hashable], b: Sequence[Hashable], p: float = 0.9) -> float:
    """The overlap of two lists, which is the same from both sides."""
    table = rbo([a, b], p)
    assert table[0, 1] == table[1, 0]
    return float(table[0, 1])


def test_overlap_of_three_documents_by_hand() -> None:
    """Shared 1, 1, 3 at depths 1, 2, 3: agreements 1, 1/2, 1."""
    seen = 0.5 * (1 + 0.5 * 0.5 + 0.5**2 * 1)
    assert overlap("abc", "acb", p=0.5) == pytest.approx(seen + 0.5**3)


def test_equal_lists_overlap_wholly_and_disjoint_ones_not_at_all() -> None:
    documents = [f"d{number}" for number in range(20)]
    assert overlap(documents, documents) == pytest.approx(1)
    assert overlap(documents, [f"e{number}" for number in range(20)]) == 0


def extrapolated(a: list[int], b: list[int], p: float) -> float:
    """The definition for lists of unequal length (equation 32 of Webber et al.), depth by depth."""
    short, long = sorted((a, b), key=len)
    s, l = len(short), len(long)
    x = [len({*short[:depth]} & {*long[:depth]}) for depth in range(l + 1)]
    total = sum(x[d] / d * p**d for d in range(1, l + 1))
    total += sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((x[l] - x[s]) / l + x[s] / s) * p**l


@given(st.lists(st.tuples(st.permutations(range(9)), st.integers(0, 9)), min_size=2, max_size=5))
@settings(deadline=None, max_examples=examples(40))
def test_the_overlaps_of_several_lists_are_those_of_each_pair(given: list[tuple[list[int], int]]) -> None:
    lists = [order[:length] for order, length in given]
    found = rbo(lists, 0.8)
    for one, a in enumerate(lists):
        for other, b in enumerate(lists):
            expected = extrapolated(a, b, 0.8) if a and b else np.nan
            assert found[one, other] == pytest.approx(expected, nan_ok=True)


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(DataError, match="One list has 3 scores and the other 2"):
        kendall([1, 2, 3], [1, 2])
    with pytest.raises(DataError, match="System 1"):
        tau_ap([1, np.nan], [1, 2])
    with pytest.raises(DataError, match="remove the duplicates"):
        rbo(["aab", "abc"])
    with pytest.raises(DataError, match="between 0 and 1"):
        rbo(["ab", "ab"], p=1)
