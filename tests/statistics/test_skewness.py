"""Intervals of the means of skewed samples: Hall's polynomial solved numerically, coverage, and what stays as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import carob
from carob.statistics.estimates import paired
from carob.statistics.skewness import skewness, transformed, wider_for_skewness
from carob.statistics.worst_point import BoundedValues
from comparison.matrices import systems


def sample_of(values: np.ndarray, greatest: float = np.inf) -> BoundedValues:
    """Scores of runs, from 0 on."""
    runs = values.shape[1]
    shares = np.full(len(values), 1 / len(values))
    return BoundedValues(values, np.zeros(runs), np.full(runs, greatest), np.zeros(runs, np.bool_), shares)


def test_skewness_is_scipys() -> None:
    values = np.random.default_rng(1).gamma(0.7, size=(20, 6))
    assert skewness(values, np.full(20, 0.05)) == pytest.approx(stats.skew(values))


@pytest.mark.parametrize("skew", [-3.0, -0.8, 0.0, 1e-9, 0.4, 2.5])
@pytest.mark.parametrize("units", [8, 30])
def test_a_transformed_quantile_solves_halls_polynomial(skew: float, units: int) -> None:
    root = units**0.5
    for quantile in (-2.3, -0.5, 1.0, 2.3):

        def distance(t: float, wanted: float = quantile) -> float:
            return t + skew * t**2 / (3 * root) + skew**2 * t**3 / (27 * units) + skew / (6 * root) - wanted

        found = transformed(np.array([quantile]), np.array([skew]), units)[0]
        assert found == pytest.approx(brentq(distance, -200, 200), abs=1e-6)


def test_an_interval_contains_students_and_ends_halfway_to_halls() -> None:
    values = np.random.default_rng(2).gamma(1.0, size=(12, 5))
    student = paired(values)
    found = wider_for_skewness(student, sample_of(values), 0.95)
    t = np.full(5, stats.t.ppf(0.975, 11))
    skew = stats.skew(values)
    assert (skew > 0).all()
    assert found.low == pytest.approx(np.maximum(student.low, 0.0))
    halls = student.value - student.error * transformed(-t, skew, 12)
    assert found.high == pytest.approx((student.high + halls) / 2)


def test_symmetric_scores_differences_and_runs_without_a_spread_keep_their_intervals() -> None:
    values = np.array([[0.1, 0.3], [0.3, 0.3], [0.5, 0.3], [0.7, 0.3]])
    student = paired(values)
    same = wider_for_skewness(student, sample_of(values), 0.95)
    assert (same.low[0], same.high[0]) == pytest.approx((max(student.low[0], 0.0), student.high[0]))
    assert np.isnan((same.low[1], same.high[1])).all()
    skewed = np.random.default_rng(3).gamma(0.5, size=(10, 1))
    pairs = replace(sample_of(skewed), differences=np.ones(1, np.bool_))
    assert wider_for_skewness(student, pairs, 0.95) is student


def test_no_end_leaves_the_range() -> None:
    values = np.array([[0.0], [0.0], [0.1], [0.1], [0.2], [0.2], [0.3], [0.99]])
    found = wider_for_skewness(paired(values), sample_of(values, 0.7), 0.95)
    assert (found.low[0], found.high[0]) == (0.0, 0.7)


@pytest.mark.parametrize(("size", "least"), [(8, 0.915), (20, 0.93)])
def test_skewed_scores_are_covered_more_often_than_by_student(size: int, least: float) -> None:
    """Scores like those of average precision: most are low, some are high."""
    draw = np.random.default_rng(4)
    values = draw.beta(0.8, 2.4, size=(size, 4000))
    student = paired(values)
    found = wider_for_skewness(student, sample_of(values, 1.0), 0.95)
    covered = [float(((each.low <= 0.25) & (each.high >= 0.25)).mean()) for each in (student, found)]
    assert covered[0] + 0.01 < covered[1] < 0.96
    assert covered[1] > least


def test_a_comparison_uses_it_for_means_and_says_so() -> None:
    draw = np.random.default_rng(5)
    found = carob.compare(None, systems(draw.gamma(0.5, size=(15, 2))))
    contest = found.primary
    student = paired(contest.values)
    assert (np.array(contest.high) > student.high + 1e-3).all()
    assert contest.pairs[0].low == pytest.approx(
        contest.pairs[0].difference - (contest.pairs[0].high - contest.pairs[0].difference)
    )
    assert "Student's t, separately for each mean (wider if skewed) and for each mean difference" in " ".join(
        str(found).split()
    )
