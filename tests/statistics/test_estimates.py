"""Estimates: intervals, p-values and probabilities of Student's t, against scipy, and at errors of 0 or none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from carob.output.errors import DataError
from carob.statistics.estimates import (
    NOISE,
    Estimate,
    Estimates,
    detectable,
    half_width,
    known_freedom,
    margin,
    one_sided_quantile,
    paired,
    quantile,
    t_quantile,
)

VALUE, ERROR, FREEDOM = np.array([0.3, -0.2, 0.05]), np.array([0.1, 0.15, 0.2]), np.array([9.0, 4.0, 24.0])
NAN = math.nan


def of(
    value: list[float], error: list[float], freedom: list[float], worst: list[float] | None = None
) -> Estimates:
    numbers, errors, free = (np.array(each, dtype=float) for each in (value, error, freedom))
    half = half_width(errors, free, 0.95)
    worst_p = None if worst is None else np.array(worst)
    return Estimates(numbers, numbers - half, numbers + half, errors, free, worst_p=worst_p)


FOUND = of(VALUE.tolist(), ERROR.tolist(), FREEDOM.tolist())


def test_intervals_and_p_values_are_scipys() -> None:
    low, high = stats.t.interval(0.95, FREEDOM, VALUE, ERROR)
    assert FOUND.low == pytest.approx(low)
    assert FOUND.high == pytest.approx(high)
    assert FOUND.width == pytest.approx(high - low)
    assert FOUND.two_sided_p == pytest.approx(2 * stats.t.sf(abs(VALUE / ERROR), FREEDOM))


def test_one_series_is_an_estimate_with_its_interval() -> None:
    one = FOUND[1]
    assert one == Estimate(FOUND.value[1], FOUND.low[1], FOUND.high[1])
    assert one.low < one.value < one.high
    assert FOUND.unit == "queries"


@pytest.mark.parametrize(("low", "high"), [(NAN, NAN), (0.1, NAN), (NAN, 0.1)])
def test_an_estimate_without_an_end_has_no_interval(low: float, high: float) -> None:
    assert not Estimate(0.05, low, high).bounded
    assert not Estimate(0.05).bounded
    assert Estimate(0.05, 0.0, 0.1).bounded


def test_the_p_of_a_worst_point_interval_replaces_students() -> None:
    mixed = of([0.3, 0.3], [0.1, 0.1], [9, 9], [NAN, 0.4])
    assert mixed.worst_point.tolist() == [False, True]
    assert mixed.two_sided_p == pytest.approx([2 * stats.t.sf(3, 9), 0.4])
    assert FOUND.worst_point.tolist() == [False, False, False]


def test_an_error_of_zero_is_certain_and_has_no_p() -> None:
    exact = of([0.3, 0.0, -0.3], [0.0, NOISE, 0.0], [9, 9, 9])
    assert np.isnan(exact.two_sided_p).all()
    assert exact.beyond(exact.value).tolist() == [1, 0, 0]
    assert exact.beyond(np.array([NOISE, 2 * NOISE, -1.0])).tolist() == [0, 1, 0]
    assert exact.width[0] == 0
    assert np.isnan(exact.detectable(0.95)).all()


def test_an_unknown_error_leaves_all_that_follows_unknown() -> None:
    unknown = of([0.3, 0.3], [NAN, 0.1], [9, 0])
    for each in (unknown.two_sided_p, unknown.width, unknown.detectable(0.95), unknown.equivalence(0.5)):
        assert np.isnan(each).all()
    assert known_freedom(np.array([-1.0, 0.0, 0.5])).tolist() == pytest.approx([NAN, NAN, 0.5], nan_ok=True)


def test_equivalence_is_the_larger_of_two_one_sided_tests() -> None:
    margin = 0.25
    lower = stats.t.sf((VALUE + margin) / ERROR, FREEDOM)
    upper = stats.t.cdf((VALUE - margin) / ERROR, FREEDOM)
    assert FOUND.equivalence(margin) == pytest.approx(np.maximum(lower, upper))
    assert (lower < upper).tolist() == [True, False, True]


def test_the_posterior_is_students_around_the_difference() -> None:
    rope = 0.1
    worse, equal, better = FOUND.bayes(rope)
    posterior = stats.t(FREEDOM, VALUE, ERROR)
    assert worse == pytest.approx(posterior.cdf(-rope))
    assert better == pytest.approx(posterior.sf(rope))
    assert equal == pytest.approx(posterior.cdf(rope) - posterior.cdf(-rope))


def test_exact_differences_are_worse_equal_or_better() -> None:
    exact = of([-0.3, 0.05, 0.3], [0, 0, 0], [9, 9, 9])
    assert np.array(exact.bayes(0.1)).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert (np.array(exact.bayes(0.0))[1] >= 0).all()


@pytest.mark.parametrize("freedom", [4.0, 19.0, 200.0])
def test_a_detectable_difference_is_detected_with_a_power_of_80_percent(freedom: float) -> None:
    error = np.array([0.02])
    critical = t_quantile(0.95, np.array([freedom]))
    found = detectable(error, np.array([freedom]), critical)
    assert found == pytest.approx(Estimates(error, error, error, error, np.array([freedom])).detectable(0.95))
    power = stats.nct.sf(critical, freedom, found / error)  # by noncentral t itself, not its approximation
    assert power == pytest.approx(0.8, abs=0.01)


def test_quantiles_are_scipys() -> None:
    assert quantile(0.95, 9) == pytest.approx(stats.t.ppf(0.975, 9))
    assert t_quantile(0.9, FREEDOM) == pytest.approx(stats.t.ppf(0.95, FREEDOM))
    assert one_sided_quantile(0.9, np.inf) == pytest.approx(stats.norm.ppf(0.9))
    assert half_width(np.array([0.0, 0.5]), np.array([0.0, 9.0]), 0.95) == pytest.approx(
        [0.0, 0.5 * stats.t.ppf(0.975, 9)]
    )


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 1.5, NAN])
def test_a_confidence_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(DataError, match=f"A confidence of {confidence} is not a valid confidence level"):
        quantile(confidence, 9)


def test_each_column_of_differences_has_its_own_test() -> None:
    one, other = np.array([0.2, 0.1, -0.2, 0.4, 0.1]), np.zeros(5)
    found, alone = paired(np.column_stack([other, one])), stats.ttest_1samp(one, 0.0)
    assert found.identical.tolist() == [True, False]
    assert found.p.dtype == float
    assert found.p == pytest.approx([1.0, alone.pvalue])
    assert found.t == pytest.approx([0.0, alone.statistic])
    assert found.sd == pytest.approx([0.0, one.std(ddof=1)])
    assert found.d_z == pytest.approx([0.0, one.mean() / one.std(ddof=1)])


def test_the_margin_of_a_mean_allows_for_clusters() -> None:
    scores, clusters = np.array([0.2, 0.3, 0.7, 0.9, 0.1, 0.2]), ["a", "a", "b", "b", "c", "c"]
    wide, narrow = margin(scores[:, None], clusters=clusters), margin(scores[:, None])
    found = paired(scores, clusters=clusters)
    assert wide == pytest.approx((found.high - found.low) / 2)
    assert wide[0] > 1.5 * narrow[0]
