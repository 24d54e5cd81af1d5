"""Tests over several collections against scikit-posthocs and baycomp."""

from __future__ import annotations

import numpy as np
import pytest

from carob.comparison.significance import corrected
from carob.statistics.mean_ranks import mid_ranks, nemenyi
from carob.statistics.resampling import Draw, all_pairs
from carob.statistics.signed_ranks import bayesian_signed_ranks, signed_rank_p

pytestmark = pytest.mark.filterwarnings("ignore")


def table(seed: int) -> np.ndarray:  # type: ignore[type-arg]
    """The means of 3 to 8 runs on 4 to 30 collections, with ties in every second table."""
    draw = np.random.default_rng(seed)
    found = draw.normal(0, 1, (int(draw.integers(4, 31)), int(draw.integers(3, 9))))
    return np.round(found, 0) if seed % 2 else found


def test_nemenyi_on_100_tables() -> None:
    posthocs = pytest.importorskip("scikit_posthocs", reason="needs scikit-posthocs, of the extra 'peers'")
    for seed in range(100):
        values = table(seed)
        pairs = all_pairs(values.shape[1])
        theirs = posthocs.posthoc_nemenyi_friedman(values).to_numpy()[pairs[:, 0], pairs[:, 1]]
        assert nemenyi(mid_ranks(values), pairs) == pytest.approx(theirs, abs=1e-7)


def test_wilcoxon_holm_on_25_tables() -> None:
    posthocs = pytest.importorskip("scikit_posthocs", reason="needs scikit-posthocs, of the extra 'peers'")
    for seed in range(0, 200, 8):  # theirs takes half a second for each
        values = table(seed)
        pairs = all_pairs(values.shape[1])
        theirs = posthocs.posthoc_wilcoxon(values.T, p_adjust="holm").to_numpy()[pairs[:, 0], pairs[:, 1]]
        ours = corrected(signed_rank_p(values[:, pairs[:, 0]] - values[:, pairs[:, 1]]), "holm")
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("rope", [0.0, 0.3])
def test_the_bayesian_signed_rank_test(rope: float) -> None:
    baycomp = pytest.importorskip("baycomp", reason="needs baycomp, of the extra 'peers'")
    for seed in range(6):
        values = table(seed)
        found = bayesian_signed_ranks(values[:, :1] - values[:, 1:2], rope, Draw(40_000))
        left, same, right = baycomp.SignedRankTest(
            values[:, 0], values[:, 1], rope=rope, nsamples=20_000, random_state=seed
        ).probs()
        assert [float(each[0]) for each in found] == pytest.approx([right, same, left], abs=0.015)
