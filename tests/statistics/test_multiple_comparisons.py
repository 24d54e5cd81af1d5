"""All pairs at once: Sakai's figures, scipy's distributions, and the level under the null hypothesis."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from carob.output.errors import DataError
from carob.statistics import multiple_comparisons
from carob.statistics.multiple_comparisons import anova, randomised_tukey, range_beyond
from carob.statistics.resampling import Draw, all_pairs, sign_flip
from sakai import SAKAI


def test_sakais_analysis_of_variance() -> None:
    found = anova(SAKAI)
    assert (found.ss_runs, found.ss_queries, found.ss_rest) == pytest.approx(
        (0.1083, 1.0293, 0.8317), abs=5e-5
    )
    assert (found.ms_runs, found.ms_queries) == pytest.approx((0.0542, 0.0542), abs=5e-5)
    assert found.ms_rest == pytest.approx(0.02188596, abs=5e-9)
    assert (found.f_runs, found.f_queries) == pytest.approx((2.475, 2.475), abs=6e-4)
    assert (found.p_runs, found.p_queries) == pytest.approx((0.098, 0.009), abs=5e-4)
    mean = SAKAI.mean(axis=0)
    effects = (mean[[0, 0, 1]] - mean[[1, 2, 2]]) / found.ms_rest**0.5
    assert effects == pytest.approx([0.5070, 0.6760, 0.1690], abs=5e-5)


def test_two_runs_make_the_t_test_squared() -> None:
    from scipy.stats import ttest_rel

    theirs = ttest_rel(SAKAI[:, 0], SAKAI[:, 1])
    found = anova(SAKAI[:, :2])
    assert found.f_runs == pytest.approx(theirs.statistic**2, rel=1e-10)
    assert found.p_runs == pytest.approx(theirs.pvalue, rel=1e-10)


def test_the_range_of_two_normals_is_a_normal_folded() -> None:
    from scipy.special import ndtr

    reach = np.array([0.1, 1.0, 3.0])
    assert range_beyond(reach, 2) == pytest.approx(2 * ndtr(-reach / 2**0.5), rel=1e-10)


def test_two_runs_are_the_sign_flip() -> None:
    for queries in (12, 60):
        table = np.random.default_rng(queries).random((queries, 2))
        one, other = randomised_tukey(table), sign_flip(table)
        assert one.p.tolist() == other.p.tolist()
        assert one.exact.tolist() == other.exact.tolist()


def test_permutations_within_queries_are_all_equally_likely() -> None:
    """Three queries of three runs: 6³ deals, counted one by one."""
    table = np.array([[0.9, 0.5, 0.0], [0.6, 0.25, 0.3], [0.7, 0.1, 0.2]])
    deals = np.array(
        [sum(rows) for rows in product(*(list(map(np.array, permutations(row))) for row in table))]
    )
    widest = deals.max(axis=1) - deals.min(axis=1)
    total = table.sum(axis=0)
    expected = [(widest >= abs(total[i] - total[j]) - 1e-9).mean() for i, j in all_pairs(3)]
    found = randomised_tukey(table, draw=Draw(resamples=60_000))
    assert not found.exact.any()
    assert (np.abs(found.p - expected) < 4 * found.error + 1e-4).all()


def test_negative_scores_and_coarse_ones_are_dealt_alike() -> None:
    table = np.random.default_rng(1).integers(0, 11, (30, 6)) / 10
    found = randomised_tukey(table, draw=Draw(400))
    assert randomised_tukey(table - 0.5, draw=Draw(400)).p == pytest.approx(
        found.p, abs=4 * found.error.max()
    )
    assert (randomised_tukey(table * 16 - 80, draw=Draw(400)).p > 0).all()


def test_where_queries_are_many_the_limit_equals_permuting(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(4)
    table = np.clip(draw.random((600, 1)) + draw.normal(0, 0.3, (600, 5)), 0, 1) ** 4
    table[:, 0] += 0.01
    permuted = randomised_tukey(table, draw=Draw(resamples=8000))
    monkeypatch.setattr(multiple_comparisons, "MOST", 1000)
    limit = randomised_tukey(table, draw=Draw(resamples=8000))
    assert limit.limit
    assert not permuted.limit
    assert (limit.error == 0).all()
    assert (np.abs(limit.p - permuted.p) < 4 * permuted.error + 0.002).all()


def test_identical_runs_among_others_have_p_one() -> None:
    table = np.random.default_rng(5).random((40, 4))
    table[:, 2] = table[:, 1]
    place = [(1, 2)]
    assert randomised_tukey(table, place, draw=Draw(resamples=500)).p.tolist() == [1.0]


def test_queries_of_a_cluster_are_dealt_alike() -> None:
    """One cluster's sums are permuted as a whole, so every deal has the same range."""
    table = np.random.default_rng(6).random((10, 3))
    found = randomised_tukey(table, draw=Draw(clusters=np.zeros(10), resamples=99))
    assert found.p.max() == 1
    total = table.sum(axis=0)
    widest = int(np.argmax([abs(total[i] - total[j]) for i, j in all_pairs(3)]))
    assert found.p[widest] == 1


def test_under_the_null_hypothesis_five_in_a_hundred_are_found() -> None:
    """Scores dealt at random within queries; 400 tables, standard error .011."""
    draw = np.random.default_rng(7)
    base = np.clip(draw.random((25, 1)) + draw.normal(0, 0.3, (25, 5)), 0, 1)
    found = [
        randomised_tukey(draw.permuted(base, axis=1), draw=Draw(resamples=199, seed=seed)).p.min() <= 0.05
        for seed in range(400)
    ]
    assert 0.02 < np.mean(found) < 0.085


def test_one_query_or_one_run_have_no_variance() -> None:
    for table in ([[0.5, 0.25]], [[0.5], [0.25]]):
        with pytest.raises(DataError, match="at least two queries and two runs"):
            anova(table)
