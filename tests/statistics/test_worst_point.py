"""The worst-point interval: draws, range, p, and which series have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import carob
from carob.estimation.people_and_judge import JudgedSample, estimated
from carob.statistics.estimates import paired
from carob.statistics.worst_point import BoundedValues, Tail, worst_point
from strategies import examples


def sample_of(values: np.ndarray, least: float, unseen: float = np.inf) -> BoundedValues:
    """One series of values up to 1; differences if they may be negative."""
    return BoundedValues(
        values[:, None],
        np.full(1, least),
        np.ones(1),
        np.array([least < 0]),
        np.full(len(values), 1 / len(values)),
        unseen,
    )


def drawn(values: np.ndarray, least: float, unseen: float) -> tuple[float, float]:
    """The interval from drawn weights: Dirichlet, and for some unseen values Multinomial."""
    draw, size = np.random.default_rng(1), len(values)
    weights = draw.dirichlet(np.append(np.ones(size), 0.4), 100_000)
    if np.isfinite(unseen):
        counts = draw.multinomial(int(unseen), weights).astype(float)
        counts[:, :size] += 1
        weights = counts / (size + unseen)
    means = weights[:, :size] @ values
    low = np.quantile(means + least * weights[:, size], 0.025)
    return float(low), float(np.quantile(means + weights[:, size], 0.975))


@pytest.mark.parametrize("unseen", [np.inf, 33.0, 400.0])
@pytest.mark.parametrize(
    ("values", "least"),
    [
        ([1.0] * 14 + [0.5] * 4 + [0.25, 0.0], 0.0),
        ([0.0] * 12 + [0.5, 0.5, -0.5, 2 / 3, 0.75, 0.9, -0.1, 0.5], -1.0),
        ([0.0] * 20, -1.0),
    ],
)
def test_the_ends_are_those_of_draws(values: list[float], least: float, unseen: float) -> None:
    each = np.array(values)
    given = sample_of(each, least, unseen)
    low, high = drawn(each, least, unseen)
    found = [Tail.of(given, bound).end(0.025)[0] for bound in (given.least, given.greatest)]
    step = 0.5 / (len(each) + unseen)  # a finite number of unseen values moves the mean in steps
    assert found == pytest.approx([low, high], abs=max(0.03 * (high - low), step))


def test_the_chance_of_an_end_is_that_of_the_tail() -> None:
    given = sample_of(np.array([1.0] * 9 + [0.5, 0.2, 0.0]), 0.0, 40)
    for bound in (given.least, given.greatest):
        tail = Tail.of(given, bound)
        for chance in (0.2, 0.025, 0.005):
            assert tail.chance(float(tail.end(chance)[0]))[0] == pytest.approx(chance, rel=1e-5)


@pytest.mark.parametrize("seed", range(examples(50)))
def test_an_interval_lies_in_the_range_and_leaves_out_0_exactly_if_p_is_below_alpha(seed: int) -> None:
    draw = np.random.default_rng(seed)
    size = int(draw.integers(2, 40))
    values = draw.choice([-1.0, -0.5, 0.0, 0.0, 0.0, 0.5, 1.0], size)
    values += draw.choice([0.0, 0.0, 0.4]) * (values < 1) * 0.5
    unseen = float(draw.choice([np.inf, 1, 5, 30]))
    found = worst_point(paired(values), sample_of(values, -1.0, unseen), 0.95)
    if found.worst_point[0]:
        low, high = found.low[0], found.high[0]
        assert -1 <= low <= high <= 1
        assert (low > 0 or high < 0) == (found.two_sided_p[0] < 0.05)


def test_series_of_many_different_values_keep_students_interval() -> None:
    values = np.linspace(0.2, 0.8, 20)
    student = paired(values)
    assert worst_point(student, sample_of(values, 0.0), 0.95) is student


def test_equal_values_have_an_interval_from_eight_on_and_equal_runs_always() -> None:
    for size, there in ((7, False), (8, True)):
        found = worst_point(paired(np.ones(size)), sample_of(np.ones(size), 0.0), 0.95)
        assert np.isfinite(found.low[0]) == there
    found = worst_point(paired(np.zeros(3)), sample_of(np.zeros(3), -1.0), 0.95)
    assert found.high[0] == pytest.approx(-found.low[0])
    assert found.two_sided_p[0] == 1


@pytest.mark.parametrize("value", [0.0, 1.5])
@pytest.mark.parametrize("least", [0.0, -np.inf])
def test_equal_values_without_bounds_have_no_interval(value: float, least: float) -> None:
    values = np.full(20, value)
    sample = replace(sample_of(values, least), greatest=np.full(1, np.inf))
    found = worst_point(paired(values), sample, 0.95)
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert not found.worst_point[0]


def test_a_judge_is_left_out_of_worst_point_intervals() -> None:
    draw = np.random.default_rng(3)
    judge = draw.uniform(size=(40, 2))
    people = np.where(draw.uniform(size=(12, 2)) < 0.7, 1.0, 0.5)
    found = estimated(JudgedSample(people, judge, np.arange(12)), np.eye(2), values=(0.0, 1.0))
    assert found.worst_point.all()
    assert found.value == pytest.approx(people.mean(axis=0))
    assert (found.worth == 12).all()


def rows(**columns: list[float]) -> dict[str, carob.Scores]:
    return carob.read_scores(
        {
            run: {"AP": {f"q{place}": value for place, value in enumerate(values)}}
            for run, values in columns.items()
        }
    )


@pytest.mark.parametrize("queries", [3, 5, 8, 12])
@pytest.mark.parametrize("gain", [0.1, 0.7])
def test_a_larger_difference_without_spread_is_never_less_certain(queries: int, gain: float) -> None:
    base = [0.11 + 0.04 * place / queries for place in range(queries)]
    steady = [each + gain for each in base]
    level = [0.11 + gain / 2 + 0.003 * (place % 3) for place in range(queries)]
    found = carob.compare(None, rows(a=base, b=steady, c=level), baseline="a").primary
    by_run = {pair.a: pair for pair in found.pairs}
    assert by_run[1].p_uncorrected == pytest.approx(2.0 ** (1 - queries))
    assert by_run[1].p_corrected <= by_run[2].p_corrected


def test_every_mean_of_a_bounded_measure_lies_in_its_range() -> None:
    draw = np.random.default_rng(5)
    for size in (2, 3, 5, 9, 20):
        values = {f"r{run}": draw.beta(3, 0.3, size).round(2).tolist() for run in range(4)}
        found = carob.compare(None, rows(**values)).primary
        ends = np.array([found.low, found.high])
        assert (np.isnan(ends) | ((ends >= 0) & (ends <= 1))).all()
        joint = np.array([(pair.joint_low, pair.joint_high) for pair in found.pairs])
        assert (np.isnan(joint) | (np.abs(joint) <= 1)).all()
