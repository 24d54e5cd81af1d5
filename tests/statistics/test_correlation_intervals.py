"""Intervals of correlations over queries and over runs: in simulation, and none for perfect orders."""

from __future__ import annotations

import numpy as np
import pytest

from carob.statistics.correlation_intervals import RunSamples, Samples
from carob.statistics.correlations import correlation_named
from carob.statistics.resampling import Draw


def test_intervals_hold_the_mean_over_samples_of_queries() -> None:
    draw = np.random.default_rng(1)
    skill, queries, replicates = 0.5 + 0.06 * draw.normal(size=15), 25, 120
    names = ("kendall", "tau_ap", "pearson")
    values, held = np.zeros((replicates, len(names))), []
    for replicate in range(replicates):
        own = draw.normal(0, 0.15, (queries, 15))
        x, y = skill + own, skill + 0.7 * own + draw.normal(0, 0.1, (queries, 15))
        samples = Samples(x, y, Draw(200, replicate))
        values[replicate] = [correlation_named(each).of(*samples.means) for each in names]
        held.append([samples.interval(correlation_named(each), 0.95) for each in names])
    ends, truth = np.array(held), values.mean(axis=0)
    share = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean()
    assert 0.92 <= share <= 0.99
    assert (ends[..., 0] <= values).all()
    assert (values <= ends[..., 1]).all()


@pytest.mark.parametrize("name", ["kendall", "tau_ap", "spearman"])
@pytest.mark.parametrize("runs", [4, 5, 7, 12])
def test_orders_that_are_alike_in_every_resample_have_no_interval(name: str, runs: int) -> None:
    draw = np.random.default_rng(runs)
    x, y = (np.arange(runs) + draw.normal(0, 0.1, (50, runs)) for _ in range(2))
    samples = Samples(x, y, Draw(200, 1))
    assert correlation_named(name).of(*samples.means) == pytest.approx(1)
    assert np.isnan(samples.interval(correlation_named(name), 0.95)).all()


def test_intervals_over_runs_hold_the_mean_over_samples_of_runs() -> None:
    draw = np.random.default_rng(2)
    names, replicates = ("kendall", "spearman", "pearson"), 120
    values, held = np.zeros((replicates, len(names))), []
    for replicate in range(replicates):
        x = draw.normal(size=20)
        samples = RunSamples(x, x + 0.6 * draw.normal(size=20), Draw(200, replicate))
        values[replicate] = [correlation_named(each).of(samples.x, samples.y) for each in names]
        held.append([samples.interval(correlation_named(each), 0.95) for each in names])
    ends, truth = np.array(held), values.mean(axis=0)
    assert 0.92 <= ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean() <= 0.99
