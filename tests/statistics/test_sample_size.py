"""Sample sizes: those of the package pwr, the power of simulated tests, and the errors of significant results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from carob.statistics.sample_size import (
    errors_if_significant,
    judged_by_people,
    power_at,
    power_of,
    queries_for,
    upper_limit,
)


@pytest.mark.parametrize(
    ("size", "power", "queries"),
    [(0.5, 0.8, 33.36713), (0.2, 0.8, 198.15082), (0.1, 0.8, 786.80894), (0.2, 0.9, 264.61369)],
)
def test_queries_equal_those_of_the_package_pwr(size: float, power: float, queries: float) -> None:
    assert queries_for("difference", size, power, 0.05) == pytest.approx(queries, abs=2e-5)


@pytest.mark.parametrize("aim", ["difference", "equivalence", "non-inferiority"])
def test_the_power_is_that_of_simulated_tests(aim: Any) -> None:
    draw, size, count, alpha = np.random.default_rng(3), 0.45, 40, 0.05
    true = size if aim == "difference" else 0.0
    sample = draw.normal(true, 1.0, (40_000, count))
    mean, error = sample.mean(axis=1), sample.std(axis=1, ddof=1) / np.sqrt(count)
    critical = stats.t.ppf(1 - alpha / (2 if aim == "difference" else 1), count - 1)
    won = {
        "difference": abs(mean / error) > critical,
        "equivalence": ((mean + size) / error > critical) & ((mean - size) / error < -critical),
        "non-inferiority": (mean + size) / error > critical,
    }[aim]
    assert power_of(aim, size, count, alpha) == pytest.approx(won.mean(), abs=0.01)


def test_more_power_smaller_differences_and_stricter_levels_need_more_queries() -> None:
    base = queries_for("difference", 0.3, 0.8, 0.05)
    assert queries_for("difference", 0.3, 0.9, 0.05) > base
    assert queries_for("difference", 0.2, 0.8, 0.05) > base
    assert queries_for("difference", 0.3, 0.8, 0.01) > base
    assert queries_for("difference", 1e-9, 0.8, 0.05) == float("inf")


def test_the_limit_of_the_standard_deviation_holds_it_as_often_as_it_says() -> None:
    draw = np.random.default_rng(4)
    sd = draw.normal(0.0, 2.0, (20_000, 9)).std(axis=1, ddof=1)
    assert np.mean([upper_limit(each, 8) > 2.0 for each in sd]) == pytest.approx(0.9, abs=0.008)


def test_a_model_that_knows_nothing_saves_nothing_and_one_that_judges_too_little_cannot_help() -> None:
    how: tuple[Any, ...] = ("difference", 0.2, 0.8, 0.05)
    alone = queries_for(*how)
    assert judged_by_people(*how, 0.0, 1000.0) == pytest.approx(alone)
    assert judged_by_people(*how, 0.9, 150.0) == float("inf")
    assert judged_by_people(*how, 0.9, 8.0) == float("inf")
    people, judged, r = judged_by_people(*how, 0.8, 900.0), 900.0, 0.8
    variance = (1 - r * r) * (1 / people - 1 / judged) * (1 + 1 / (people - 3)) + 1 / judged
    assert power_at("difference", 0.2 / variance**0.5, people - 2, 0.05) == pytest.approx(0.8)
    # The numbers that an audit found absurd: 2 queries by people, for which the later test had a power of .08.
    assert judged_by_people("difference", 0.7, 0.8, 0.05, 0.95, 2000.0) >= 12
    assert judged_by_people("difference", 0.45, 0.8, 0.05, 0.85, 400.0) == pytest.approx(14.86, abs=0.01)
    assert judged_by_people("difference", 5.0, 0.8, 0.05, 0.95, 2000.0) < 12


@pytest.mark.parametrize(
    ("difference", "error", "power", "sign", "exaggeration"),
    [(0.1, 3.28, 0.05, 0.46, 77), (2.0, 8.1, 0.06, 0.24, 9.7)],
)
def test_errors_of_significant_results_are_those_of_gelman_and_carlin(
    difference: float, error: float, power: float, sign: float, exaggeration: float
) -> None:
    """Both examples of the paper, whose standard errors are known."""
    found = errors_if_significant(difference / error, 1e7, 0.05)
    assert found == pytest.approx((sign, exaggeration), rel=0.02)
    assert power_at("difference", difference / error, 1e7, 0.05) == pytest.approx(power, abs=0.006)


@pytest.mark.parametrize(("size", "count", "alpha"), [(0.3, 8, 0.05), (0.1, 24, 0.05), (0.5, 40, 0.01)])
def test_errors_of_significant_results_are_those_of_simulated_ones(
    size: float, count: int, alpha: float
) -> None:
    draw = np.random.default_rng(5)
    mean = draw.normal(size, 1 / np.sqrt(count), 400_000)
    sd = np.sqrt(draw.chisquare(count - 1, len(mean)) / (count - 1))
    sure = mean[abs(mean) / sd * np.sqrt(count) > stats.t.ppf(1 - alpha / 2, count - 1)]
    wrong, exaggeration = errors_if_significant(size * np.sqrt(count), count - 1.0, alpha)
    assert wrong == pytest.approx(np.mean(sure < 0), abs=4 * np.sqrt(0.25 / len(sure)))
    assert exaggeration == pytest.approx(np.mean(abs(sure)) / size, rel=0.02)
