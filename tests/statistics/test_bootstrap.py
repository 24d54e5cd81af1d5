"""Queries drawn with replacement: moments that theory gives, and laws."""

from __future__ import annotations

import numpy as np
import pytest

from carob.output.errors import DataError
from carob.statistics.resampling import Draw, draws, resample_means


def test_resampled_means_vary_as_theory_says() -> None:
    """Around the mean, with the variance (divisor n) over n."""
    table = np.random.default_rng(1).random((40, 3))
    means = resample_means(table, Draw(resamples=20_000))
    assert means.shape == (20_000, 3)
    assert means.mean(axis=0) == pytest.approx(table.mean(axis=0), abs=4 * 0.3 / 40**0.5 / 20_000**0.5)
    assert means.var(axis=0) == pytest.approx(table.var(axis=0) / 40, rel=0.05)
    together = np.cov(means[:, 0], means[:, 1])[0, 1]
    assert together == pytest.approx(np.cov(table[:, 0], table[:, 1], ddof=0)[0, 1] / 40, abs=4e-5)


def test_every_query_is_drawn_as_often_as_any_other() -> None:
    counts = np.concatenate(list(draws(7, Draw(9000, 3))))
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(7), abs=0.05)
    assert counts.var(axis=0) == pytest.approx(np.full(7, 6 / 7), abs=0.06)


def test_a_sample_of_one_is_itself() -> None:
    assert resample_means([[0.25, 0.5]], Draw(resamples=3)).tolist() == [[0.25, 0.5]] * 3


def test_blocks_do_not_shift_the_stream() -> None:
    few, many = (np.concatenate(list(draws(600, Draw(resamples, 9)))) for resamples in (100, 5000))
    assert (few == many[:100]).all()


def test_clusters_are_drawn_whole() -> None:
    """Two clusters, sums 3 of 3 queries and 0 of 1: means 1, 3/4 or 0."""
    means = resample_means([[1.0], [1.0], [1.0], [0.0]], Draw(clusters=["a", "a", "a", "b"], resamples=4000))
    values, counts = np.unique(means, return_counts=True)
    assert values.tolist() == [0, 0.75, 1]
    assert counts / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_what_cannot_be_asked_is_said() -> None:
    with pytest.raises(DataError, match="query 0, run 0"):
        resample_means([[np.nan]])
