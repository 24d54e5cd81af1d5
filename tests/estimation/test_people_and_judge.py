"""The regression estimator: laws by enumeration of all samples, formulas of other packages, simulated intervals."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from carob import DataError
from carob.estimation.people_and_judge import JudgedSample, estimated
from strategies import first

PEOPLE = np.array([0.42, 0.81, 0.10, 0.65, 0.93, 0.27, 0.55, 0.70])
JUDGE = np.array([0.60, 0.90, 0.35, 0.70, 0.95, 0.50, 0.75, 0.80])
EACH_AND_PAIR = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])


def drawn(people, judge, rows, **settings):
    rows = np.array(rows)
    return estimated(JudgedSample(people[rows], judge, rows), EACH_AND_PAIR[:, : people.shape[1]], **settings)


@pytest.mark.parametrize("seed", range(4))
def test_with_a_fixed_weight_the_estimates_and_their_variances_are_unbiased(seed: int) -> None:
    draw = np.random.default_rng(seed)
    people, judge = draw.random((7, 2)), draw.random((7, 2))
    for size, weight in product((2, 4, 6), (1.0, 0.4)):
        found = [drawn(people, judge, rows, weight=weight) for rows in combinations(range(7), size)]
        values = np.array([each.value for each in found])
        truth = EACH_AND_PAIR @ people.mean(axis=0)
        assert values.mean(axis=0) == pytest.approx(truth, abs=1e-13)
        variances = np.array([each.error**2 for each in found])
        assert variances.mean(axis=0) == pytest.approx(values.var(axis=0), abs=1e-13)


def test_the_law_holds_within_strata() -> None:
    draw = np.random.default_rng(5)
    people, judge = draw.random((9, 2)), draw.random((9, 2))
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    found = []
    for upper, lower in product(combinations(range(4), 2), combinations(range(4, 9), 3)):
        rows = np.array([*upper, *lower])
        found.append(estimated(JudgedSample(people[rows], judge, rows, strata), EACH_AND_PAIR, weight=1.0))
    values = np.array([each.value for each in found])
    assert values.mean(axis=0) == pytest.approx(EACH_AND_PAIR @ people.mean(axis=0), abs=1e-13)
    errors = np.array([each.error**2 for each in found])
    assert errors.mean(axis=0) == pytest.approx(values.var(axis=0), abs=1e-13)


def test_a_sample_of_one_run_is_the_regression_of_the_textbooks() -> None:
    rows = np.array([0, 2, 3, 6])
    found = estimated(JudgedSample(PEOPLE[rows][:, None], JUDGE[:, None], rows), np.eye(1))
    y, f = PEOPLE[rows], JUDGE[rows]
    slope = np.polyfit(f, y, 1)[0]
    residuals = y - y.mean() - slope * (f - f.mean())
    gap, spread = JUDGE.mean() - f.mean(), ((f - f.mean()) ** 2).sum()
    variance = (residuals**2).sum() / 2 * ((1 - 4 / 8) / 4 + gap**2 / spread)
    assert found.weight == pytest.approx(slope, abs=1e-12)
    assert round(found.weight, 6) == 1.289474
    assert found.value[0] == pytest.approx(y.mean() + slope * gap, abs=1e-12)
    assert round(found.value[0], 6) == 0.550888
    assert found.error[0] ** 2 == pytest.approx(variance, abs=1e-14)
    assert found.freedom[0] == 2


def test_differences_of_estimates_are_the_estimated_differences() -> None:
    draw = np.random.default_rng(2)
    people, judge = draw.random((12, 2)), draw.random((30, 2))
    for similar in (False, True):
        found = estimated(JudgedSample(people, judge, np.arange(12)), EACH_AND_PAIR, similar=similar)
        assert found.value[2] == pytest.approx(found.value[0] - found.value[1], abs=1e-14)


def test_a_given_weight_gives_the_point_estimate_of_ppi_py() -> None:
    ppi = pytest.importorskip("ppi_py")
    draw = np.random.default_rng(3)
    for weight in (0.0, 0.3, 1.0):
        people, judge = draw.random(15), draw.random(100)
        found = estimated(
            JudgedSample(people[:, None], judge[:, None], np.arange(15)), np.eye(1), weight=weight
        )
        other = ppi.ppi_mean_pointestimate(people, judge[:15], judge, lam=weight)
        assert found.value[0] == pytest.approx(float(np.ravel(other)[0]), abs=1e-12)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0, 1.7])
def test_a_given_weight_gives_the_published_point_estimate(weight: float) -> None:
    # ppi_py/ppi.py, ppi_mean_pointestimate, and glide/estimators/ppi_core.py:
    # λ times the mean over the unlabelled, plus the mean of Y - λ f over the labelled. Here the unlabelled are all.
    draw = np.random.default_rng(4)
    people, judge = draw.random(15), draw.random(100)
    found = estimated(JudgedSample(people[:, None], judge[:, None], np.arange(15)), np.eye(1), weight=weight)
    published = weight * judge.mean() + (people - weight * judge[:15]).mean()
    assert found.value[0] == pytest.approx(published, abs=1e-12)


def test_if_people_judged_everything_the_estimate_is_their_mean() -> None:
    people, judge = PEOPLE[:, None], JUDGE[:, None]
    these = estimated(JudgedSample(people, judge, np.arange(8)), np.eye(1))
    assert (these.value[0], these.error[0]) == (PEOPLE.mean(), 0.0)
    similar = estimated(JudgedSample(people, judge, np.arange(8)), np.eye(1), similar=True)
    assert similar.value[0] == PEOPLE.mean()
    assert similar.error[0] == pytest.approx(PEOPLE.std(ddof=1) / 8**0.5, abs=1e-15)


def test_a_judge_who_says_the_same_of_all_queries_changes_nothing() -> None:
    judge = np.full((20, 1), 0.5)
    found = estimated(JudgedSample(PEOPLE[:, None], judge, np.arange(8)), np.eye(1))
    assert (found.weight, found.value[0]) == (0.0, PEOPLE.mean())
    assert np.isfinite(found.error[0])


def test_a_judge_who_contradicts_people_has_no_weight() -> None:
    judge = 1 - np.concatenate([PEOPLE, PEOPLE])[:, None]
    found = estimated(JudgedSample(PEOPLE[:, None], judge, np.arange(8)), np.eye(1))
    assert (found.weight, found.value[0]) == (0.0, pytest.approx(PEOPLE.mean()))


def test_equal_runs_have_no_difference() -> None:
    people, judge = np.stack([PEOPLE, PEOPLE], axis=1), np.stack([JUDGE, JUDGE], axis=1)
    found = drawn(people, judge, [0, 3, 5, 6])
    assert (found.value[2], found.error[2]) == (0.0, 0.0)


def test_the_worth_of_a_judge() -> None:
    draw = np.random.default_rng(6)
    truth = draw.random((400, 1))
    rows = np.arange(40)
    perfect = estimated(JudgedSample(truth[rows], truth, rows), np.eye(1))
    useless = estimated(JudgedSample(truth[rows], draw.random((400, 1)), rows), np.eye(1))
    assert perfect.worth[0] == pytest.approx(400)
    assert 30 < useless.worth[0] < 45


def test_the_needed_judgments_give_the_wanted_width() -> None:
    draw = np.random.default_rng(7)
    truth = draw.random((400, 1))
    judge = truth + draw.normal(0, 0.2, (400, 1))
    found = estimated(JudgedSample(truth[:30], judge, np.arange(30)), np.eye(1))
    needed = found.needed(0.08, 0.95)
    assert 30 < needed[0] < 400
    assert 2 * found.half_widths(needed, 0.95)[0] <= 0.08 < 2 * found.half_widths(needed - 1, 0.95)[0]
    more = estimated(JudgedSample(truth[: int(needed[0])], judge, np.arange(int(needed[0]))), np.eye(1))
    assert more.width[0] == pytest.approx(0.08, rel=0.2)
    similar = estimated(JudgedSample(truth[:30], judge, np.arange(30)), np.eye(1), similar=True)
    assert np.isnan(similar.needed(0.01, 0.95)[0])


def family(runs: int) -> tuple[np.ndarray, np.ndarray]:
    """People's and a judge's scores of runs, of which the first two are nearly alike."""
    draw = np.random.default_rng(8)
    people = draw.random((40, runs))
    judge = people + draw.normal(0, 0.2, people.shape)
    people[:, 1], judge[:, 1] = (each[:, 0] + draw.normal(0, 0.01, 40) for each in (people, judge))
    return people, judge


def every_pair(runs: int) -> np.ndarray:
    one, other = np.triu_indices(runs, 1)
    return np.concatenate([np.eye(runs), np.eye(runs)[one] - np.eye(runs)[other]])


def test_pairs_that_vary_little_borrow_variance_from_the_typical_pair() -> None:
    people, judge = family(6)
    found = estimated(JudgedSample(people[:16], judge, np.arange(16)), every_pair(6))
    own = found.error**2 - found.borrowed
    typical = np.median(own[6:])
    for variance, whole, freedom in zip(own[6:], found.error[6:] ** 2, found.freedom[6:], strict=True):
        drawn_to = (8 * typical + freedom * variance) / (8 + freedom)
        assert whole == pytest.approx(max(variance, drawn_to), rel=1e-12)
    assert found.borrowed[6] > own[6] > 0
    assert (found.borrowed[:6] == 0).all()
    assert found.width[6:] == pytest.approx(2 * stats.t.ppf(0.975, found.freedom[6:]) * found.error[6:])


def test_a_projected_width_and_the_worth_of_a_judge_allow_for_the_borrowed_variance() -> None:
    people, judge = family(6)
    found = estimated(JudgedSample(people[:20], judge, np.arange(20)), every_pair(6))
    assert 2 * found.half_widths(20, 0.95)[6:] == pytest.approx(found.width[6:], rel=0.12)
    alone = estimated(JudgedSample(people[:20], judge, np.arange(20)), every_pair(6), weight=0.0)
    assert alone.worth == pytest.approx(np.full(21, 20.0))


def test_few_pairs_and_equal_runs_borrow_nothing() -> None:
    people, judge = family(4)
    assert not estimated(JudgedSample(people[:16], judge, np.arange(16)), every_pair(4)).borrowed.any()
    people, judge = family(6)
    people[:, 1], judge[:, 1] = people[:, 0], judge[:, 0]
    assert estimated(JudgedSample(people[:16], judge, np.arange(16)), every_pair(6)).error[6] == 0.0


def test_a_pair_that_differs_most_on_a_query_that_people_did_not_judge_has_a_wider_interval() -> None:
    draw = np.random.default_rng(12)
    judge = np.stack([np.full(30, 0.5), draw.normal(0.5, 0.05, 30)], axis=1)
    people = (judge + draw.normal(0, 0.02, judge.shape))[:12]
    usual = estimated(JudgedSample(people, judge, np.arange(12)), EACH_AND_PAIR)
    judge[20, 1] = 0.74
    seen, unseen = (judge - judge.mean(axis=0))[:12], (judge - judge.mean(axis=0))[12:]
    found = estimated(JudgedSample(people, judge, np.arange(12)), EACH_AND_PAIR)
    assert found.aided[2] == pytest.approx(usual.aided[2], rel=1e-12)
    ratio = np.square(unseen @ [1, -1]).mean() / np.square(seen @ [1, -1]).mean()
    assert 2 < ratio < 4
    rest = people @ [1, -1] - found.weight * judge[:12] @ [1, -1]
    expected = rest.var(ddof=1) * (ratio - 1) * 18 / 30**2
    assert found.unlike[2] == pytest.approx(expected, rel=1e-12)
    assert (found.unlike[:2] == 0).all()
    assert found.width[2] > 1.2 * usual.width[2]
    projected = [2 * found.half_widths(size, 0.95)[2] for size in (12, 29)]
    assert projected[0] == pytest.approx(found.width[2], rel=0.12)
    assert projected[1] < 0.4 * projected[0]


def test_a_fixed_weight_a_tuned_judge_and_a_full_sample_add_nothing_for_unlike_queries() -> None:
    draw = np.random.default_rng(13)
    judge = draw.random((30, 2))
    judge[20:] *= 3
    people = judge[:20] + draw.normal(0, 0.1, (20, 2))
    sample = JudgedSample(people, judge, np.arange(20))
    tuned = JudgedSample(people, judge, np.arange(20), tuned=np.arange(20) < 5)
    assert estimated(sample, EACH_AND_PAIR).unlike[2] > 0
    assert not estimated(sample, EACH_AND_PAIR, weight=0.7).unlike.any()
    assert not estimated(tuned, EACH_AND_PAIR).unlike.any()
    assert not estimated(JudgedSample(people, judge[:20], np.arange(20)), EACH_AND_PAIR).unlike.any()


def test_a_stratum_with_one_judged_query_is_refused() -> None:
    strata = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    sample = JudgedSample(
        PEOPLE[[0, 1, 2, 6]][:, None], JUDGE[:, None], np.array([0, 1, 2, 6]), strata, ("easy", "hard")
    )
    with pytest.raises(DataError, match=r"People judged 1 of 2 queries in the stratum 'hard'"):
        estimated(sample, np.eye(1))


@pytest.mark.thorough
@pytest.mark.parametrize("follows", [0.3, 0.6, 0.9])
@pytest.mark.long
def test_simulated_intervals_hold_the_mean_of_similar_queries(follows: float) -> None:
    """Values like those of nDCG@10 (Beta) and a judge who compresses them: 8 of 500 queries judged by people."""
    draw = np.random.default_rng(8)
    held = 0
    for _ in range(2000):
        people = draw.beta(1.2, 1.0, 508)
        judge = np.clip(0.12 + 0.8 * (follows * people + (1 - follows) * draw.beta(1.2, 1.0, 508)), 0, 1)
        found = estimated(
            JudgedSample(people[:8, None], judge[:, None], np.arange(8)), np.eye(1), similar=True
        )
        held += found.low[0] <= 1.2 / 2.2 <= found.high[0]
    assert 0.93 <= held / 2000 <= 0.97


@pytest.mark.thorough
@pytest.mark.parametrize("size", first([12, 8, 20], 1))
def test_simulated_intervals_of_differences_hold_the_difference_over_these_queries(size: int) -> None:
    draw = np.random.default_rng(9)
    held, width, alone = [], [], []
    pairs = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]])
    for _ in range(400):
        hard = draw.normal(0, 0.25, (60, 1))
        people = np.clip(0.5 + hard + draw.normal([0.06, 0.03, 0], 0.15, (60, 3)), 0, 1)
        judge = np.clip(0.15 + 0.9 * people + draw.normal(0, 0.08, (60, 3)), 0, 1)
        rows = draw.permutation(60)[:size]
        found = estimated(JudgedSample(people[rows], judge, rows), pairs)
        truth = pairs @ people.mean(axis=0)
        held.append((found.low <= truth) & (truth <= found.high))
        width.append(found.width)
        alone.append(estimated(JudgedSample(people[rows], judge, rows), pairs, weight=0.0).width)
    assert 0.93 <= np.mean(held) <= 0.975
    assert np.mean(width) < 0.75 * np.mean(alone)
