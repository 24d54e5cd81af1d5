"""The studentized step-down test of all pairs: brute force over all signs, laws, error rate and the command line."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

import carob
from carob.cli.options import grouped
from carob.output.errors import DataError
from carob.statistics.estimates import paired
from carob.statistics.resampling import Draw, all_pairs, max_flip, romano_wolf, sign_flip
from sakai import SAKAI


def scores(seed: int, queries: int, runs: int) -> np.ndarray:
    """Runs with noise of different size on hard and easy queries."""
    draw = np.random.default_rng(seed)
    noise = draw.normal(size=(queries, runs)) * np.linspace(0.05, 0.5, runs)
    return draw.uniform(size=(queries, 1)) + noise + np.linspace(0, 0.2, runs)


def slow(table: np.ndarray, pairs: np.ndarray, signs: np.ndarray, *, studentized: bool = True) -> np.ndarray:
    """Each pair's p, with t or the mean computed anew under each assignment of signs, and one step for each pair."""
    differences = table[:, pairs[:, 0]] - table[:, pairs[:, 1]]

    def t_of(flipped: np.ndarray) -> np.ndarray:
        error = flipped.std(axis=0, ddof=1) / len(table) ** 0.5 if studentized else 1.0
        return np.abs(flipped.mean(axis=0)) / error

    observed = t_of(differences)
    flipped = np.array([t_of(differences * each[:, None]) for each in signs])
    order = np.argsort(-observed)
    p, before = np.empty(len(pairs)), 0.0
    for step, pair in enumerate(order):
        largest = flipped[:, order[step:]].max(axis=1)
        before = max(before, (largest >= observed[pair] * (1 - 1e-9) - 1e-9).mean())
        p[pair] = before
    return p


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("places", [1, 16])
@pytest.mark.parametrize("studentized", [True, False])
def test_few_queries_equal_t_tests_under_every_assignment_of_signs(
    seed: int, places: int, studentized: bool
) -> None:
    """Coarse scores tie often; fine scores do not."""
    table = np.round(scores(seed, 8, 5), places)
    pairs = all_pairs(5)
    found = romano_wolf(table, studentized=studentized)
    assert found.exact.all()
    assert (found.error == 0).all()
    signs = np.array(list(product((-1, 1), repeat=8)))
    assert found.p == pytest.approx(slow(table, pairs, signs, studentized=studentized), abs=1e-12)


def test_steps_find_what_a_far_and_noisy_run_hides_from_one_step() -> None:
    """Its differences are the largest under every sign, until they are found and left out."""
    draw = np.random.default_rng(1)
    table = draw.uniform(size=(30, 1)) + draw.normal((0, 0.1, -3), (0.05, 0.05, 2), (30, 3))
    one, steps = max_flip(table), romano_wolf(table, studentized=False)
    assert (one.p < 0.05).tolist() == [False, True, True]
    assert (steps.p < 0.05).all()
    assert steps.cut == pytest.approx(one.cut)


def test_resampled_p_is_near_the_exact_p() -> None:
    table = scores(1, 12, 5)
    exact = romano_wolf(table)
    assert exact.exact.all()
    drawn = romano_wolf(table, draw=Draw(4000))
    assert not drawn.exact.any()
    assert (np.abs(drawn.p - exact.p) < 4 * drawn.error + 1e-3).all()


@pytest.mark.parametrize("seed", range(5))
def test_p_falls_with_t_and_is_at_least_the_p_of_one_pair(seed: int) -> None:
    table = scores(seed, 40, 7)
    pairs = all_pairs(7)
    t = np.abs(paired(table[:, pairs[:, 0]] - table[:, pairs[:, 1]]).t)
    p = romano_wolf(table).p
    assert (np.diff(p[np.argsort(t)]) <= 0).all()
    assert (p >= sign_flip(table, draw=Draw(exact=False)).p).all()


@pytest.mark.parametrize("seed", range(5))
def test_stepping_down_finds_what_one_step_finds_and_more(seed: int) -> None:
    table = scores(seed, 40, 8) + np.linspace(0, 0.6, 8)
    pairs = all_pairs(8)
    found = romano_wolf(table)
    in_one_step = np.abs((table[:, pairs[:, 0]] - table[:, pairs[:, 1]]).mean(axis=0)) > found.cut
    assert in_one_step.any()
    assert (found.p[in_one_step] < 0.05).all()
    assert (found.p < 0.05).sum() >= in_one_step.sum()


def test_one_pair_is_the_sign_flip_and_its_t_decides_alone() -> None:
    table = scores(2, 40, 4)
    alone = romano_wolf(table, [(0, 3)])
    assert alone.p.tolist() == sign_flip(table, [(0, 3)], draw=Draw(exact=False)).p.tolist()


def test_a_noisy_run_does_not_hide_a_small_sure_difference() -> None:
    """The reason for the test: max-T and Tukey compare all pairs by the noisy run's differences."""
    draw = np.random.default_rng(3)
    base = draw.uniform(size=50)
    table = np.column_stack([base, base + 0.02 + draw.normal(0, 0.02, 50), draw.uniform(size=50)])
    assert romano_wolf(table, [(0, 1), (0, 2), (1, 2)]).p[0] < 0.001
    assert max_flip(table).p[0] > 0.5


def test_scale_of_a_pair_and_order_of_runs_change_nothing() -> None:
    table = scores(4, 30, 5)
    found = romano_wolf(table)
    assert romano_wolf(table * 4).p.tolist() == found.p.tolist()
    turned = romano_wolf(table[:, ::-1], 4 - all_pairs(5))
    assert turned.p.tolist() == found.p.tolist()


def test_identical_runs_have_p_one_and_leave_the_others_alone() -> None:
    table = scores(5, 30, 4)
    twice = np.column_stack([table, table[:, 0]])
    found = romano_wolf(twice)
    pairs = all_pairs(5).tolist()
    assert found.p[pairs.index([0, 4])] == 1.0
    assert found.p[pairs.index([0, 1])] == found.p[pairs.index([1, 4])]
    assert (romano_wolf(np.column_stack([table[:, 0]] * 3)).p == 1).all()


def test_queries_of_a_cluster_flip_together() -> None:
    table = np.repeat(scores(6, 9, 4), 3, axis=0)
    clusters = np.repeat(np.arange(9), 3)
    assert romano_wolf(table, draw=Draw(clusters=clusters)).p.tolist() == romano_wolf(table[::3]).p.tolist()
    assert romano_wolf(table, draw=Draw(clusters=np.arange(27))).p.tolist() == romano_wolf(table).p.tolist()


def test_the_cut_is_the_t_interval_at_the_critical_value() -> None:
    """All cuts divided by the pairs' standard errors are one number, the critical t of the first step."""
    table = scores(7, 30, 5)
    pairs = all_pairs(5)
    errors = paired(table[:, pairs[:, 0]] - table[:, pairs[:, 1]]).error
    critical = romano_wolf(table).cut / errors
    assert critical == pytest.approx(np.full(10, critical[0]), rel=1e-6)
    assert 2.5 < critical[0] < 4


@pytest.mark.parametrize("spread", [np.ones(6), np.linspace(0.1, 2, 6)])
@pytest.mark.long
def test_under_the_null_hypothesis_at_most_five_in_a_hundred_are_found(spread: np.ndarray) -> None:
    """Normal scores of equal mean, with equal and with different variances; 400 tables, standard error .011."""
    draw = np.random.default_rng(11)
    least = np.array(
        [romano_wolf(draw.normal(size=(25, 6)) * spread, draw=Draw(199, seed)).p.min() for seed in range(400)]
    )
    assert 0.015 < (least <= 0.05).mean() < 0.085
    assert (least <= 0.5).mean() < 0.58


def test_every_difference_among_half_of_the_runs_is_true_and_the_others_are_found_rarely() -> None:
    """Three runs are better by far, and three equal; 300 tables, standard error .013."""
    draw = np.random.default_rng(12)
    pairs = all_pairs(6)
    equal = (pairs < 3).all(axis=1)
    found = [
        romano_wolf(
            draw.normal(size=(25, 6)) * [0.1, 1, 2, 1, 1, 1] + [0, 0, 0, 3, 6, 9], draw=Draw(199, seed)
        ).p
        for seed in range(300)
    ]
    assert 0.01 < np.mean([p[equal].min() <= 0.05 for p in found]) < 0.095
    assert np.mean([(p[~equal] <= 0.05).mean() for p in found]) > 0.95


def test_a_hundred_and_twenty_nine_runs_take_seconds() -> None:
    """8,256 pairs and 10,000 resamples took 0.4 s of one core in 2026."""
    table = scores(8, 50, 129)
    begun = time.process_time()
    assert romano_wolf(table).p.shape == (8256,)
    assert time.process_time() - begun < 20


def test_a_score_that_is_no_number_and_a_pair_that_does_not_exist_are_refused() -> None:
    table = scores(9, 5, 3)
    with pytest.raises(DataError, match="refer to runs 0 to 3"):
        romano_wolf(table, [(0, 3)])
    table[2, 1] = np.nan
    with pytest.raises(DataError, match="query 2, run 1"):
        romano_wolf(table)


def test_one_query_and_one_run_prove_nothing() -> None:
    assert romano_wolf([[0.9, 0.1, 0.3]]).p.tolist() == [1.0] * 3
    assert romano_wolf([[0.9], [0.1]]).p.tolist() == []


def compared(matrix: np.ndarray, **options: object) -> carob.comparison.compare.Comparison:
    ids = [f"q{number:02}" for number in range(len(matrix))]
    runs = {
        f"run{place}": {query: float(value) for query, value in zip(ids, column, strict=True)}
        for place, column in enumerate(matrix.T)
    }
    return carob.compare(
        None, carob.read_scores({name: {"AP": its} for name, its in runs.items()}), **grouped(options)
    )


def test_comparisons_use_it_for_all_pairs_and_name_it() -> None:
    found = compared(SAKAI, baseline=None)
    assert found.settings.test == "romano-wolf"
    assert [pair.p_corrected for pair in found.primary.pairs] == romano_wolf(SAKAI).p.tolist()
    assert "Romano-Wolf step-down test" in str(found)
    assert "p(R-W)" in str(found)


def test_pairs_of_different_variance_are_named_where_the_test_decides() -> None:
    draw = np.random.default_rng(13)
    base = draw.uniform(0.3, 0.6, size=40)
    sure = base + 0.02 + draw.normal(0, 0.02, 40)
    table = np.column_stack([base, sure, draw.uniform(size=40), draw.uniform(size=40)])
    for test, words in (
        (None, "Tukey's test assumes one variance"),
        ("tukey", "The test romano-wolf allows for"),
        ("max-t", "The test romano-wolf allows for"),
    ):
        warning = next(each for each in compared(table, test=test).warnings if each.kind == "variances")
        assert words in warning.sentence
        assert [0, 1] in warning.numbers["turned"]
        assert warning.numbers["widths"][1] > 2 * warning.numbers["widths"][0]
    assert not [each for each in compared(table, test="t").warnings if each.kind == "variances"]
    even = np.random.default_rng(14).normal(size=(60, 4))
    assert not [each for each in compared(even).warnings if each.kind == "variances"]
