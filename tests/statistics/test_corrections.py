"""Corrections: by hand, and against statsmodels where it is installed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.comparison.significance import corrected


def test_three_corrections_by_hand() -> None:
    p = [0.04, 0.01, 0.03, 0.5]
    assert corrected(p, "bonferroni") == pytest.approx([0.16, 0.04, 0.12, 1])
    # .01 · 4, .03 · 3, then .04 · 2 = .08 is raised to the .09 before it.
    assert corrected(p, "holm") == pytest.approx([0.09, 0.04, 0.09, 0.5])
    # .5, .04 · 4/3, then .03 · 4/2 = .06 is lowered to the .0533 after it, .01 · 4.
    assert corrected(p, "bh") == pytest.approx([0.16 / 3, 0.04, 0.16 / 3, 0.5])


def test_a_thousand_permutations_can_reject_none_of_435_pairs() -> None:
    assert corrected([1 / 1001] + [0.5] * 434, "holm")[0] == pytest.approx(435 / 1001)
    assert round(435 / 1001, 3) == 0.435


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_three_stand_in_order_and_keep_the_order_of_p(p: list[float]) -> None:
    raw = np.array(p)
    found = [corrected(p, each) for each in ("none", "bh", "holm", "bonferroni")]
    for looser, stricter in pairwise(found):
        assert (looser <= stricter * (1 + 1e-12)).all()
        assert (np.diff(stricter[np.argsort(raw)]) >= 0).all()
        assert stricter.max() <= 1


def test_statsmodels_says_the_same() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is not installed")
    p = np.random.default_rng(2).random(60) ** 3
    for mine, name in (("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")):
        assert corrected(p, mine) == pytest.approx(multitest.multipletests(p, method=name)[1], rel=1e-12)


def test_one_comparison_stays_as_it_is_and_none_is_none() -> None:
    for correction in ("bonferroni", "holm", "bh"):
        assert corrected([0.02], correction).tolist() == [0.02]
        assert corrected([], correction).tolist() == []


def test_a_p_that_is_undefined_counts_and_stays_undefined() -> None:
    assert corrected([0.01, np.nan, 0.04], "holm") == pytest.approx([0.03, np.nan, 0.08], nan_ok=True)
