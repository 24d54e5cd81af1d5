"""Sign flips: against arithmetic, against scipy's enumeration, and the same to the last digit however they are run."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.output.errors import DataError
from carob.statistics.multiple_comparisons import randomised_tukey
from carob.statistics.resampling import (
    Draw,
    costs,
    exact_p,
    flipped_sums,
    max_flip,
    on_grid,
    sign_flip,
    sizes,
    tail_of_grid,
    tail_of_halves,
)
from sakai import SAKAI
from strategies import examples


def scores(queries: int, runs: int, seed: int = 1) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return np.clip(draw.random((queries, 1)) + draw.normal(0, 0.2, (queries, runs)), 0, 1)


def enumerated(differences: np.ndarray) -> float:
    """The share of all sign assignments that reach the observed sum, one by one."""
    signs = np.array(list(product((-1, 1), repeat=len(differences))))
    sums = np.abs(signs @ differences)
    return float((sums >= abs(differences.sum()) - 1e-9).mean())


def test_four_differences_of_which_all_point_one_way_have_two_chances_in_sixteen() -> None:
    a, b = [0.3, 0.5, 0.7, 0.2, 0.4], [0.1, 0.3, 0.5, 0.1, 0.4]
    found = sign_flip(np.column_stack([a, b]))
    assert found.p.tolist() == [2 / 16]
    assert found.exact.all()
    assert found.error.tolist() == [0]


def test_sakais_systems_have_the_recorded_exact_p() -> None:
    """Counted by scipy 1.17.1's permutation_test, n_resamples=inf."""
    assert sign_flip(SAKAI).p.tolist() == [2160 / 32768, 18954 / 131072, 40864 / 65536]


@pytest.mark.parametrize("queries", [2, 5, 12])
def test_exact_p_equals_scipys_enumeration(queries: int) -> None:
    from scipy.stats import permutation_test

    table = scores(queries, 2, seed=queries)
    theirs = permutation_test(
        (table[:, 0], table[:, 1]),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert sign_flip(table).p[0] == theirs


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=11))
def test_halves_and_recurrence_and_enumeration_count_the_same(differences: list[int]) -> None:
    values = np.array(differences, float)
    size, reach = sizes(values, 0.0), abs(sum(differences))
    expected = enumerated(values)
    assert exact_p(values, 0.0) == expected
    if reach:
        assert tail_of_halves(size, reach) == expected
        assert tail_of_grid(size, reach) == expected


def test_halves_and_recurrence_agree_where_nobody_can_enumerate() -> None:
    draw = np.random.default_rng(3)
    size = np.sort(draw.integers(1, 900, 36))
    for reach in (1, 400, 3000, int(size.sum())):
        assert tail_of_halves(size, reach) == pytest.approx(tail_of_grid(size, reach), rel=1e-12)
    assert costs(size, 1.0)[1] == np.inf


def test_precision_at_ten_is_counted_exactly_for_hundreds_of_queries() -> None:
    """All 300 differences are +0.1 or -0.1: the sum is a binomial's."""
    from scipy.stats import binom

    difference = np.where(np.arange(300) < 170, 0.1, -0.1)
    found = sign_flip(np.column_stack([0.5 + difference, np.full(300, 0.5)]))
    assert found.exact.all()
    assert found.p[0] == pytest.approx(2 * binom.sf(169, 300, 0.5), rel=1e-9)


def test_resampling_comes_as_near_as_its_standard_error_says() -> None:
    table = scores(14, 5)
    exact = sign_flip(table).p
    drawn = sign_flip(table, draw=Draw(exact=False, resamples=40_000))
    assert not drawn.exact.any()
    assert (np.abs(drawn.p - exact) < 4 * drawn.error + 1e-4).all()
    assert np.abs(drawn.p - exact).max() > 0


def test_one_pairs_p_is_that_of_direct_sign_flips_with_the_same_signs() -> None:
    """The matrix product against flipping each pair's own differences."""
    table, resamples = scores(70, 4), 300
    words = np.random.PCG64(11).random_raw((resamples, 2))
    bits = np.array([[int(words[b, i // 64]) >> (i % 64) & 1 for i in range(70)] for b in range(resamples)])
    found = sign_flip(table, draw=Draw(exact=False, resamples=resamples, seed=11))
    for place, (one, other) in enumerate([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]):
        difference = table[:, one] - table[:, other]
        sums = (2 * bits - 1) @ difference
        reached = (np.abs(sums) >= abs(difference.sum()) - 1e-8).sum()
        assert found.p[place] == (reached + 1) / (resamples + 1)


def test_ties_with_the_observed_sum_all_count() -> None:
    """D2 of the field: four differences .2 .2 .2 .1 among zeros, p .125, of which others lose a part or all."""
    table = np.full((50, 2), 1 / 3)
    table[[3, 10, 20, 40], 0] += np.array([0.2, 0.2, 0.2, 0.1])
    found = sign_flip(table, draw=Draw(exact=False, resamples=100_000))
    assert found.p[0] == pytest.approx(0.125, abs=4 * found.error[0])
    assert sign_flip(table).p[0] == 0.125


def test_pairs_may_be_chosen_and_are_then_the_same() -> None:
    table = scores(60, 6)
    every, some = sign_flip(table), sign_flip(table, [(2, 0), (1, 5)])
    assert some.p.tolist() == [every.p[1], every.p[8]]


@pytest.mark.parametrize("factor", [2.0**-20, 1.0, 2.0**14])
def test_the_scale_of_scores_changes_nothing(factor: float) -> None:
    """Powers of two, so that the scores themselves are exact; negative scores and large offsets too."""
    table = scores(80, 4) - 0.5
    assert (sign_flip(table * factor).p == sign_flip(table).p).all()
    assert (
        randomised_tukey(table * factor, draw=Draw(resamples=200)).p
        == randomised_tukey(table, draw=Draw(resamples=200)).p
    ).all()


def test_sums_are_exact_also_for_a_million_queries_and_large_scores() -> None:
    draw = np.random.default_rng(1)
    for queries, top in ((1_000_000, 1.0), (70_000, 9000.0), (3, 1e-300)):
        grid = on_grid(draw.random((queries, 1)) * top)
        assert (grid.whole == np.rint(grid.whole)).all()
        assert np.abs(grid.whole).sum() < 2.0**52
        assert grid.unit * grid.tolerance < 1e-4 * top * queries


def test_blocks_do_not_shift_the_stream() -> None:
    whole = on_grid(scores(130, 3)).whole
    few, many = (flipped_sums(whole, Draw(count, 4)) for count in (2500, 5000))
    assert (np.hstack(list(few)) == np.hstack(list(many))[:, :2500]).all()


PROGRAM = """
import numpy as np, sys
from carob.statistics.multiple_comparisons import randomised_tukey
from carob.statistics.resampling import Draw, max_flip, resample_means, romano_wolf, sign_flip
draw = np.random.default_rng(5)
for queries in (50, 700):
    table = np.clip(draw.random((queries, 1)) + draw.normal(0, 0.2, (queries, 30)), 0, 1)
    for test in (sign_flip, max_flip, romano_wolf):
        print(test(table, draw=Draw(3000)).p.tobytes().hex())
    print(randomised_tukey(table, draw=Draw(100)).p.tobytes().hex())
    print(resample_means(table, Draw(100)).tobytes().hex())
"""


def test_threads_and_processes_do_not_change_the_last_digit() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert len(told[0]) > 10_000
    assert told[0] == told[1]


def test_the_recorded_p_of_a_seed_stays() -> None:
    """Scores by arithmetic, so that only the stream and the count can change it."""
    query, run = np.arange(64)[:, None], np.arange(3)[None, :]
    table = ((query * 37 + run * 11) % 101 + 23 * run * (query % 3 == 0)) / 128
    assert (sign_flip(table, draw=Draw(exact=False)).p * 10_001).round(6).tolist() == [703, 99, 660]


def test_max_flip_is_the_corrected_sign_flip() -> None:
    """With one pair it is the sign flip itself; in a family p is never smaller, and largest differences keep order."""
    table = scores(40, 6)
    alone = max_flip(table, [(0, 1)])
    assert alone.p.tolist() == sign_flip(table, [(0, 1)], draw=Draw(exact=False)).p.tolist()
    assert (max_flip(table).p >= sign_flip(table, draw=Draw(exact=False)).p).all()
    mean = table.mean(axis=0)
    difference = [abs(mean[i] - mean[j]) for i in range(6) for j in range(i + 1, 6)]
    assert (np.diff(max_flip(table).p[np.argsort(difference)]) <= 0).all()


def test_max_flip_over_few_queries_counts_every_assignment() -> None:
    table = scores(7, 4)
    signs = np.array(list(product((-1, 1), repeat=7)))
    flipped = signs @ table
    widest = flipped.max(axis=1) - flipped.min(axis=1)
    found = max_flip(table)
    total = table.sum(axis=0)
    expected = [(widest >= abs(total[i] - total[j]) - 1e-9).mean() for i in range(4) for j in range(i + 1, 4)]
    assert found.exact.all()
    assert found.p.tolist() == expected


def test_max_flip_of_a_baselines_family_takes_its_own_pairs_only() -> None:
    table = scores(7, 4)
    pairs = [(1, 0), (2, 0), (3, 0)]
    flipped = np.array(list(product((-1, 1), repeat=7))) @ table
    widest = np.abs(flipped[:, 1:] - flipped[:, :1]).max(axis=1)
    total = table.sum(axis=0)
    expected = [(widest >= abs(total[i] - total[0]) - 1e-9).mean() for i, _ in pairs]
    assert max_flip(table, pairs).p.tolist() == expected


def test_queries_of_a_cluster_flip_together() -> None:
    """Two clusters of equal sign have two chances in four, however many queries they hold."""
    table = np.column_stack([np.full(10, 0.5), np.full(10, 0.25)])
    assert sign_flip(table).p[0] == 2 / 2**10
    assert sign_flip(table, draw=Draw(clusters=["x"] * 4 + ["y"] * 6)).p[0] == 2 / 4
    assert max_flip(table, draw=Draw(clusters=["x"] * 4 + ["y"] * 6)).p[0] == 2 / 4


def test_clusters_of_one_query_each_change_nothing() -> None:
    table = scores(60, 3)
    assert (sign_flip(table, draw=Draw(clusters=np.arange(60))).p == sign_flip(table).p).all()


def test_identical_runs_have_p_one() -> None:
    table = np.column_stack([scores(30, 1), scores(30, 1)])
    for exact in ("auto", True, False):
        assert sign_flip(table, draw=Draw(exact=exact)).p.tolist() == [1.0]
    assert max_flip(table).p.tolist() == [1.0]


def test_one_query_proves_nothing() -> None:
    assert sign_flip([[0.9, 0.1]]).p.tolist() == [1.0]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_is_refused_by_its_place(wrong: float) -> None:
    table = scores(5, 3)
    table[2, 1] = wrong
    for test in (sign_flip, max_flip, randomised_tukey):
        with pytest.raises(DataError, match="query 2, run 1"):
            test(table)


def test_what_cannot_be_asked_is_said() -> None:
    with pytest.raises(DataError, match="refer to runs 0 to 3: use run numbers from 0 to 2"):
        sign_flip(scores(5, 3), [(0, 3)])
    with pytest.raises(DataError, match="resamples=0"):
        sign_flip(scores(60, 2), draw=Draw(resamples=0))
    with pytest.raises(DataError, match="4 cluster labels were passed for 5 queries"):
        sign_flip(scores(5, 2), draw=Draw(clusters=[1, 2, 3, 4]))
    with pytest.raises(DataError, match="shape"):
        sign_flip(np.zeros((0, 2)))


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_any_scores_equal_enumeration(seed: int) -> None:
    """Also scores that end in no decimal and nearly tie."""
    draw = np.random.default_rng(seed)
    table = draw.choice([0, 1 / 3, 1 / 7, 0.1, 0.2, 0.3, 1 / 11], size=(8, 2))
    assert sign_flip(table).p[0] == enumerated(table[:, 0] - table[:, 1])
