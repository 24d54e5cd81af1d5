"""Queries drawn with replacement: moments that theory gives, and laws."""

from __future__ import annotations

import numpy as np
import pytest

from karat.comparison.statistics import bootstrap, rank_interval, resample_means
from karat.comparison.statistics.resampling import draws
from karat.output.errors import DataError


def test_resampled_means_vary_as_theory_says() -> None:
    """Around the mean, with the variance (divisor n) over n."""
    table = np.random.default_rng(1).random((40, 3))
    means = resample_means(table, resamples=20_000)
    assert means.shape == (20_000, 3)
    assert means.mean(axis=0) == pytest.approx(table.mean(axis=0), abs=4 * 0.3 / 40**0.5 / 20_000**0.5)
    assert means.var(axis=0) == pytest.approx(table.var(axis=0) / 40, rel=0.05)
    together = np.cov(means[:, 0], means[:, 1])[0, 1]
    assert together == pytest.approx(np.cov(table[:, 0], table[:, 1], ddof=0)[0, 1] / 40, abs=4e-5)


def test_every_query_is_drawn_as_often_as_any_other() -> None:
    counts = np.concatenate(list(draws(7, 9000, 3)))
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(7), abs=0.05)
    assert counts.var(axis=0) == pytest.approx(np.full(7, 6 / 7), abs=0.06)


def test_a_sample_of_one_is_itself() -> None:
    assert resample_means([[0.25, 0.5]], resamples=3).tolist() == [[0.25, 0.5]] * 3


def test_blocks_do_not_shift_the_stream() -> None:
    few, many = (np.concatenate(list(draws(600, resamples, 9))) for resamples in (100, 5000))
    assert (few == many[:100]).all()


def test_clusters_are_drawn_whole() -> None:
    """Two clusters, sums 3 of 3 queries and 0 of 1: means 1, 3/4 or 0."""
    means = resample_means([[1.0], [1.0], [1.0], [0.0]], clusters=["a", "a", "a", "b"], resamples=4000)
    values, counts = np.unique(means, return_counts=True)
    assert values.tolist() == [0, 0.75, 1]
    assert counts / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_the_interval_of_a_median_ends_on_the_scores_that_theory_names() -> None:
    """Of 21 scores the median of a sample is at most the k-th with the chance that 11 of 21 draws are among k."""
    from scipy.stats import binom

    table = np.arange(21.0)[:, None] / 32
    low, high = bootstrap(table, np.median, resamples=1000)
    chance = [binom.sf(10, 21, (k + 1) / 21) for k in range(21)]
    assert abs(low * 32 - int(np.searchsorted(chance, 0.025))) <= 1
    assert abs(high * 32 - int(np.searchsorted(chance, 0.975))) <= 1


def test_a_statistic_may_be_an_array() -> None:
    table = np.random.default_rng(2).random((30, 4))
    low, high = bootstrap(table, lambda each: each.mean(axis=0), resamples=300)
    assert low.shape == high.shape == (4,)
    assert (low < table.mean(axis=0)).all()
    assert (high > table.mean(axis=0)).all()


def test_ranks_of_runs_far_apart_are_certain_and_of_equal_ones_shared() -> None:
    noise = np.random.default_rng(3).normal(0, 0.01, (30, 1))
    best, worst, first = rank_interval(np.hstack([noise + 0.5, noise + 0.9, noise + 0.5]))
    assert best.tolist() == [2, 1, 2]
    assert worst.tolist() == [2, 1, 2]
    assert first.tolist() == [0, 1, 0]


def test_two_runs_of_equal_strength_may_both_be_first() -> None:
    table = np.random.default_rng(4).random((200, 2))
    table -= table.mean(axis=0)
    best, worst, first = rank_interval(table)
    assert best.tolist() == [1, 1]
    assert worst.tolist() == [2, 2]
    assert first == pytest.approx([0.5, 0.5], abs=0.03)


def test_what_cannot_be_asked_is_said() -> None:
    with pytest.raises(DataError, match="query 0, run 0"):
        resample_means([[np.nan]])
    with pytest.raises(DataError, match="confidence of 1"):
        rank_interval([[0.5], [0.25]], confidence=1, resamples=10)
