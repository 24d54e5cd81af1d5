"""Signed ranks over collections: Wilcoxon's test by enumeration and scipy, and the Bayesian test by baycomp."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from carob.statistics.resampling import Draw
from carob.statistics.signed_ranks import bayesian_signed_ranks, signed_rank_p, tails


def test_wilcoxon_counts_every_assignment_of_signs() -> None:
    for seed in range(40):
        draw = np.random.default_rng(seed)
        column = draw.normal(0.2, 1, int(draw.integers(3, 10)))
        if seed % 2:
            column = np.round(column, 0)
        kept = column[column != 0]
        ranks = stats.rankdata(np.abs(kept))
        reach = abs((np.sign(kept) * ranks).sum())
        sums = [abs(np.dot(signs, ranks)) for signs in product((-1, 1), repeat=len(kept))]
        wanted = np.mean([each >= reach - 1e-9 for each in sums]) if len(kept) else 1.0
        assert signed_rank_p(column[:, None])[0] == pytest.approx(wanted, rel=1e-12)
    column = np.random.default_rng(1).normal(0.3, 1, 40)
    assert signed_rank_p(column[:, None])[0] == pytest.approx(stats.wilcoxon(column).pvalue, rel=1e-9)
    assert tails(1).tolist() == [1.0, 1.0]


def test_a_missing_collection_does_not_count_in_wilcoxons_test() -> None:
    column = np.array([0.3, 0.1, -0.2, 0.5, 0.4])
    longer = np.append(column, [np.nan, 0.0])
    assert signed_rank_p(longer[:, None]).tolist() == signed_rank_p(column[:, None]).tolist()


FIVE = [0.026, 0.013, 0.052, 0.025, -0.007]


NINE = [0.038, 0.085, 0.067, -0.015, -0.043, -0.011, 0.022, -0.096, 0.009]


BAYCOMP = (
    (FIVE, 0.0, (0.010, 0.000, 0.990)),
    (FIVE, 0.01, (0.000, 0.178, 0.822)),
    (FIVE, 0.05, (0.000, 0.996, 0.004)),
    (NINE, 0.0, (0.376, 0.000, 0.624)),
    (NINE, 0.01, (0.326, 0.026, 0.648)),
    (NINE, 0.05, (0.002, 0.992, 0.006)),
)
"""baycomp 1.0.3: SignedRankTest(x, zeros, rope, nsamples=50000, random_state=1).probs(), the second run first."""


@pytest.mark.parametrize(("differences", "rope", "wanted"), BAYCOMP)
def test_the_posterior_is_that_of_baycomp(
    differences: list[float], rope: float, wanted: tuple[float, float, float]
) -> None:
    found = bayesian_signed_ranks(np.array(differences)[:, None], rope, Draw(50_000))
    assert [float(each[0]) for each in found] == pytest.approx(wanted, abs=0.012)


def test_the_posterior_of_one_collection_is_a_beta_distribution() -> None:
    # With one difference above the rope, the region above has the most weight if w² + ... > the rest: the weight w of
    # the difference has the distribution Beta(1, 1/2), so P(w > t) = (1 - t)^(1/2). Two draws of the difference are
    # above the rope, one of each has half the difference, which is above a rope of 0.01, too: 1 - (1 - w)² > 1 / 2.
    worse, same, better = bayesian_signed_ranks([[0.5]], 0.01, Draw(200_000))
    limit = 1 - math.sqrt(0.5)
    assert better[0] == pytest.approx(math.sqrt(1 - limit), abs=0.004)
    assert (worse[0], same[0]) == (0.0, pytest.approx(1 - better[0]))
    # Half the difference is within a rope of 0.3: better needs w² > 1 / 2.
    assert bayesian_signed_ranks([[0.5]], 0.3, Draw(200_000))[2][0] == pytest.approx(
        math.sqrt(1 - math.sqrt(0.5)), abs=0.004
    )


def test_the_posterior_is_symmetric_and_equal_runs_share() -> None:
    table = np.random.default_rng(3).normal(0.05, 0.1, (9, 3))
    one, other = bayesian_signed_ranks(table, 0.02), bayesian_signed_ranks(-table, 0.02)
    assert one[0].tolist() == other[2].tolist()
    assert np.sum(one, axis=0) == pytest.approx([1.0] * 3)
    assert [float(each[0]) for each in bayesian_signed_ranks([[0.0], [0.0]], 0.0)] == [0.5, 0.0, 0.5]
    assert [float(each[0]) for each in bayesian_signed_ranks([[0.0], [0.0]], 0.1)] == [0.0, 1.0, 0.0]
