"""The variance from one assessor to another, against arithmetic by hand and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from carob.statistics.assessors import assessor_noise

FIRST, SECOND = np.array([[0.5, 0.1], [0.4, 0.1], [0.3, 0.9]]), np.array([[0.7, 0.1], [0.4, 0.1], [0.2, 0.9]])


def test_the_variance_is_half_the_mean_square_of_the_differences_of_two_assessors() -> None:
    found = assessor_noise(FIRST, SECOND)
    assert found.variance == pytest.approx([(0.04 + 0.0 + 0.01) / 3 / 2, 0.0])
    assert found.shift == pytest.approx([0.1 / 3, 0.0])
    assert found.queries == 3


def test_the_interval_of_the_shift_is_that_of_a_t_test() -> None:
    found = assessor_noise(FIRST, SECOND)
    low, high = stats.ttest_1samp(SECOND[:, 0] - FIRST[:, 0], 0).confidence_interval(0.9)
    assert found.shift_half_width(0.9)[0] == pytest.approx((high - low) / 2)


def test_the_interval_of_other_assessors_has_a_degree_of_freedom_for_each_query_judged_twice() -> None:
    found = assessor_noise(FIRST, SECOND)
    assert found.half_width(10, 0.95)[0] == pytest.approx(stats.t.ppf(0.975, 3) * math.sqrt(0.05 / 6 / 10))


def test_one_query_has_no_interval_of_the_shift_and_no_spread_has_no_share() -> None:
    found = assessor_noise(FIRST[:1], SECOND[:1])
    assert np.isnan(found.shift_half_width(0.95)).all()
    assert np.isnan(found.share(np.zeros(2))).all()
    assert found.share(np.array([0.04, 1.0])) == pytest.approx([0.5, 0.0])


def test_the_variance_is_that_from_which_both_assessors_were_drawn() -> None:
    draw = np.random.default_rng(1)
    truth = draw.normal(0, 1, (20_000, 1))
    found = assessor_noise(*(truth + draw.normal(0, 0.3, truth.shape) for _ in range(2)))
    assert found.variance[0] == pytest.approx(0.09, rel=0.03)
