"""Paired t-tests and intervals: recorded figures, scipy, and laws."""

from __future__ import annotations

import numpy as np
import pytest

from carob.comparison.design import Test
from carob.output.errors import DataError, PolicyError
from carob.statistics.estimates import margin, paired, wins
from sakai import SAKAI, A, B, C


def test_sakais_first_example() -> None:
    """Mean .0750, variance .0251, effect size .473, t 2.116, p .048, margin .0742 in the book."""
    found = paired(A - B)
    assert found.n == 20
    assert found.value[0] == pytest.approx(0.0750, abs=5e-5)
    assert found.sd[0] ** 2 == pytest.approx(0.0251, abs=5e-5)
    assert found.d_z[0] == pytest.approx(0.473, abs=5e-4)
    assert found.t[0] == pytest.approx(2.11576, abs=5e-6)
    assert found.p[0] == pytest.approx(0.0477968, abs=5e-8)
    assert found.high[0] - found.value[0] == pytest.approx(0.0742, abs=5e-5)
    assert not found.constant[0]


def test_all_pairs_equal_scipys_ttest_rel() -> None:
    from scipy.stats import ttest_rel

    differences = np.column_stack([A - B, A - C, B - C])
    found = paired(differences, confidence=0.9)
    for place, (one, other) in enumerate([(A, B), (A, C), (B, C)]):
        theirs = ttest_rel(one, other)
        interval = theirs.confidence_interval(0.9)
        assert found.p[place] == pytest.approx(theirs.pvalue, rel=1e-12)
        assert found.t[place] == pytest.approx(theirs.statistic, rel=1e-12)
        assert (found.low[place], found.high[place]) == pytest.approx(tuple(interval), rel=1e-12)
    assert found.p[1:] == pytest.approx([0.123165, 0.521773], abs=5e-7)


def test_detectable_differences_of_the_mock_up() -> None:
    """249 queries, differences .0167 ± .0116 and .0273 ± .0241: d_z .180 and .141, detectable .01657 and .03442."""
    for mean, half, d_z, p, detectable in (
        (0.0167, 0.0116, 0.180, 0.00495, 0.01657),
        (0.0273, 0.0241, 0.141, 0.02657, 0.03442),
    ):
        shape = np.linspace(-1, 1, 249)
        unit = paired(shape)
        found = paired(mean + shape * half / unit.high[0])
        assert found.high[0] - found.value[0] == pytest.approx(half, rel=1e-9)
        assert found.d_z[0] == pytest.approx(d_z, abs=5e-4)
        assert found.p[0] == pytest.approx(p, abs=5e-6)
        assert found.detectable(0.95)[0] == pytest.approx(detectable, abs=2e-5)


def test_many_queries_need_what_the_normal_approximation_says() -> None:
    """n = 7.85 (sd / δ)²: 7.85 = (1.960 + 0.842)²."""
    noise = np.tile([1.0, -1.0], 5000)
    found = paired(noise)
    assert 7.849 * (found.sd[0] / found.detectable(0.95)[0]) ** 2 == pytest.approx(10_000, rel=2e-3)


def test_identical_runs_are_said_to_be_so() -> None:
    found = paired(np.zeros(12))
    assert found.identical[0]
    assert (found.p[0], found.value[0], found.low[0], found.high[0], found.d_z[0]) == (1, 0, 0, 0, 0)
    assert np.isnan(found.detectable(0.95)[0])


def test_one_query_has_no_interval_and_proves_nothing() -> None:
    found = paired([0.25])
    assert found.constant[0]
    assert found.value[0] == 0.25
    assert found.p[0] == 1
    assert np.isnan([found.low[0], found.high[0], found.detectable(0.95)[0], found.sd[0]]).all()


@pytest.mark.parametrize("value", [0.1, -0.3])
def test_the_same_difference_everywhere_has_the_sign_flips_p(value: float) -> None:
    """Without a spread t is infinite and its p 0 even for two queries: nothing to rely on."""
    found = paired(0.7 + value - np.full(5, 0.7))
    assert found.constant[0]
    assert found.p[0] == 2 / 2**5
    assert np.isnan(found.low[0])
    assert found.t[0] == np.copysign(np.inf, value)


def test_clusters_of_one_query_are_no_clusters() -> None:
    plain, clustered = paired(A - B), paired(A - B, clusters=np.arange(20))
    for name in ("error", "freedom", "t", "p", "low", "high"):
        assert getattr(clustered, name)[0] == pytest.approx(getattr(plain, name)[0], rel=1e-12)


def test_clusters_of_equal_size_equal_the_t_test_of_their_means() -> None:
    from scipy.stats import ttest_1samp

    difference = A - C
    means = difference.reshape(5, 4).mean(axis=1)
    found = paired(difference, clusters=np.repeat(["e", "d", "c", "b", "a"], 4))
    theirs = ttest_1samp(means, 0)
    assert found.freedom[0] == pytest.approx(4, rel=1e-12)
    assert found.t[0] == pytest.approx(theirs.statistic, rel=1e-12)
    assert found.p[0] == pytest.approx(theirs.pvalue, rel=1e-12)


def test_unequal_clusters_follow_bell_and_mccaffrey() -> None:
    """By their matrices: A_g = (I - H_gg)^-1/2, df = tr(G'G)² / tr((G'G)²), G's columns (I - H)_g' A_g X_g / n."""
    labels = np.array([0] * 7 + [1] * 1 + [2] * 4 + [3] * 8)
    difference, n = A - B, 20
    hat = np.full((n, n), 1 / n)
    residual = difference - difference.mean()
    meat, columns = 0.0, []
    for cluster in range(4):
        mine = np.flatnonzero(labels == cluster)
        values, vectors = np.linalg.eigh(np.eye(len(mine)) - hat[np.ix_(mine, mine)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        ones = np.ones(len(mine))
        meat += (ones @ adjust @ residual[mine]) ** 2
        columns.append((np.eye(n) - hat)[mine].T @ adjust @ ones / n)
    products = np.array(columns) @ np.array(columns).T
    found = paired(difference, clusters=labels)
    assert found.error[0] == pytest.approx(meat**0.5 / n, rel=1e-10)
    assert found.freedom[0] == pytest.approx(np.trace(products) ** 2 / (products**2).sum(), rel=1e-10)


def test_copies_of_queries_widen_nothing_once_they_are_a_cluster() -> None:
    """Five turns with the same outcome are one topic, not five."""
    once, copied = paired(A - B), paired(np.repeat(A - B, 5), clusters=np.repeat(np.arange(20), 5))
    assert copied.p[0] == pytest.approx(once.p[0], rel=1e-10)
    assert paired(np.repeat(A - B, 5)).p[0] < 1e-4


def test_one_cluster_is_like_one_query() -> None:
    found = paired(A - B, clusters=np.zeros(20))
    assert found.p[0] == 1
    assert np.isnan(found.low[0])


def test_each_runs_margin_is_its_own_t_interval() -> None:
    from scipy.stats import sem, t

    expected = [t.ppf(0.975, 19) * sem(each) for each in (A, B, C)]
    assert margin(SAKAI) == pytest.approx(expected, rel=1e-12)
    assert np.isnan(margin([[0.5, 0.6]])).all()


def test_equivalence_is_two_one_sided_tests() -> None:
    from scipy.stats import ttest_1samp

    for bound in (0.05, 0.2):
        lower = ttest_1samp(B - C, -bound, alternative="greater").pvalue
        upper = ttest_1samp(B - C, bound, alternative="less").pvalue
        assert paired(B - C).equivalence(bound)[0] == pytest.approx(max(lower, upper), rel=1e-10)
    assert paired(np.zeros(5)).equivalence(0.01)[0] == 0
    assert paired(np.full(5, 0.02)).equivalence(0.01)[0] == 1


def test_the_posterior_is_students_around_the_mean() -> None:
    from scipy.stats import t

    worse, same, better = paired(A - B).bayes(0.01)
    error = paired(A - B).error[0]
    assert better[0] == pytest.approx(t.sf(0.01, 19, loc=0.075, scale=error), rel=1e-10)
    assert worse[0] == pytest.approx(t.cdf(-0.01, 19, loc=0.075, scale=error), rel=1e-10)
    assert worse[0] + same[0] + better[0] == pytest.approx(1)
    assert [each[0] for each in paired(np.zeros(4)).bayes(0.01)] == [0, 1, 0]
    worse, _, better = paired(A - B).bayes(0.0)
    assert worse[0] == pytest.approx(paired(A - B).p[0] / 2)


def test_rounding_is_no_win() -> None:
    """0.1 + 0.2 is not 0.3 in binary."""
    won, tied, lost = wins([0.1 + 0.2 - 0.3, 0.5, -0.5, -0.25])
    assert [each.tolist() for each in (won, tied, lost)] == [[1], [1], [2]]


def test_what_cannot_be_computed_is_said() -> None:
    with pytest.raises(DataError, match="query 1, run 0"):
        paired([0.1, np.nan])
    with pytest.raises(DataError, match="confidence of 95"):
        paired([0.1, 0.2], confidence=95)
    with pytest.raises(PolicyError, match="margin=0"):
        Test(margin=0)
    with pytest.raises(PolicyError, match="rope=-1"):
        Test(rope=-1)
