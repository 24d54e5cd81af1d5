"""Comparisons: the numbers against scipy, published figures and laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob import DataError, PolicyError
from carob.cli.options import grouped
from carob.statistics import SEED
from comparison.matrices import sakai, scores, standardised, systems

DRAW = np.random.default_rng(11)
MATRIX = np.clip(DRAW.normal(0.4, 0.2, (40, 1)) + DRAW.normal(0, 0.1, (40, 5)) + np.arange(5) * 0.02, 0, 1)


def pair(found: carob.Comparison, label: str | None = None) -> Any:
    return (found.primary if label is None else found[label]).pairs[0]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("name", ["rope", "margin"])
def test_a_region_that_is_negative_or_without_end_is_refused(name: str, value: float) -> None:
    with pytest.raises(DataError, match=rf"{name}.*{value}: use .*positive, finite number"):
        carob.compare(None, sakai(), test=carob.Test(**{name: value}))


# ---------------------------------------------------------------- published figures


def test_two_systems_of_sakais_book() -> None:
    a, b, _ = sakai()
    found = pair(carob.compare(None, [a, b]))
    assert (found.difference, found.d_z) == pytest.approx((0.0750, 0.473), abs=5e-4)
    assert found.p_uncorrected == pytest.approx(0.0477968, abs=5e-8)
    assert (found.high - found.low) / 2 == pytest.approx(0.0742, abs=5e-5)
    assert found.p_corrected == found.p_uncorrected


def test_exact_randomisation_p_of_sakais_book() -> None:
    found = carob.compare(None, sakai(), test=carob.Test("randomisation", correction="none"))
    assert [each.p_uncorrected for each in found.primary.pairs] == [
        2160 / 32768,
        18954 / 131072,
        40864 / 65536,
    ]
    assert all(each.exact for each in found.primary.pairs)


def test_analysis_of_variance_of_sakais_book() -> None:
    table = carob.compare(None, sakai()).primary.anova
    assert table is not None
    assert (table.ss_runs, table.ss_queries, table.ss_rest) == pytest.approx(
        (0.1083, 1.0293, 0.8317), abs=5e-5
    )
    assert (table.f_runs, table.p_runs) == pytest.approx((2.475, 0.098), abs=5e-4)


def test_five_queries_have_the_exact_p_of_two_in_sixteen() -> None:
    a, b = scores("a", [0.3, 0.5, 0.7, 0.2, 0.4]), scores("b", [0.1, 0.3, 0.5, 0.1, 0.4])
    for seed in (1, 2):
        found = pair(carob.compare(None, [a, b], test=carob.Test("randomisation", seed=seed)))
        assert (found.p_uncorrected, found.exact, found.error) == (0.125, True, 0.0)


@pytest.mark.parametrize(
    ("difference", "half", "d_z", "p", "detectable"),
    [(0.0167, 0.0116, 0.180, 0.00495, 0.01657), (0.0273, 0.0241, 0.141, 0.02657, 0.03442)],
)
def test_249_queries_with_this_interval_have_these_figures(
    difference: float, half: float, d_z: float, p: float, detectable: float
) -> None:
    """From a difference and its interval alone: d_z, p and the detectable difference follow."""
    spread = half * np.sqrt(249) / stats.t.ppf(0.975, 248)
    base = np.full(249, 0.4)
    found = pair(
        carob.compare(None, [scores("a", base + difference + spread * standardised(249)), scores("b", base)])
    )
    assert found.difference == pytest.approx(difference)
    assert found.high - found.difference == pytest.approx(half)
    assert found.d_z == pytest.approx(d_z, abs=5e-4)
    assert found.p_uncorrected == pytest.approx(p, abs=1e-5)
    assert found.detectable == pytest.approx(detectable, abs=1e-5)


# ---------------------------------------------------------------- scipy


def test_t_p_and_interval_are_scipys() -> None:
    found = carob.compare(None, systems(MATRIX), test=carob.Test("t", correction="none")).primary
    for each in found.pairs:
        told = stats.ttest_rel(MATRIX[:, each.a], MATRIX[:, each.b])
        interval = told.confidence_interval(0.95)
        assert each.p_uncorrected == pytest.approx(told.pvalue, rel=1e-9)
        assert (each.low, each.high) == pytest.approx((interval.low, interval.high))
    for run in range(5):
        half = stats.sem(MATRIX[:, run]) * stats.t.ppf(0.975, 39)
        mean = MATRIX[:, run].mean()
        assert found.low[run] <= mean - half + 1e-12
        assert found.high[run] >= mean + half - 1e-12
        # The skewness of these scores is moderate, so only one end moves, and not far.
        assert found.high[run] - found.low[run] < 2 * half * 1.05


def test_wilcoxon_and_sign_test_are_scipys() -> None:
    ranks = carob.compare(None, systems(MATRIX), test=carob.Test("wilcoxon", correction="none")).primary.pairs
    signs = carob.compare(None, systems(MATRIX), test=carob.Test("sign", correction="none")).primary.pairs
    for rank, sign in zip(ranks, signs, strict=True):
        difference = MATRIX[:, rank.a] - MATRIX[:, rank.b]
        left = np.round(difference, 12)
        left = left[left != 0]
        # SciPy's exact p does not allow for equal sizes: signs are drawn for them.
        tied = len(np.unique(np.abs(left))) < len(left)
        its = stats.wilcoxon(left, method="exact").pvalue
        assert rank.p_uncorrected == pytest.approx(
            its, **({"rel": 0.2, "abs": 1e-3} if tied else {"rel": 1e-9})
        )
        assert sign.p_uncorrected == pytest.approx(
            stats.binomtest(sign.wins, sign.wins + sign.losses).pvalue, rel=1e-9
        )


def test_randomisation_p_is_near_scipys_permutation_test() -> None:
    a, b = MATRIX[:, 0], MATRIX[:, 2]
    told = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=9999, rng=1
    ).pvalue
    found = pair(carob.compare(None, systems(MATRIX[:, [0, 2]]), test="randomisation"))
    assert found.p_uncorrected == pytest.approx(told, abs=0.02)


# ---------------------------------------------------------------- corrections and decisions


def test_against_a_baseline_holm_multiplies_the_smallest_p_by_the_number_of_comparisons() -> None:
    found = carob.compare(None, systems(MATRIX), baseline="s1").primary
    p = sorted(each.p_uncorrected for each in found.pairs)
    adjusted = sorted(each.p_corrected for each in found.pairs)
    assert len(p) == 4
    assert adjusted[0] == pytest.approx(min(1, 4 * p[0]))
    assert adjusted[1] == pytest.approx(max(adjusted[0], min(1, 3 * p[1])))


def test_each_measure_is_a_family_unless_all_are_asked_to_be_one() -> None:
    runs = [scores(f"s{run}", MATRIX[:, [run, 4 - run]], "AP nDCG") for run in range(3)]
    apart = carob.compare(None, runs, baseline=0, test=carob.Test(correction="bonferroni"))
    together = carob.compare(None, runs, baseline=0, test=carob.Test(correction="bonferroni", family="all"))
    assert (apart.settings.comparisons, together.settings.comparisons) == (2, 4)
    for label in ("AP", "nDCG"):
        for one, other in zip(apart[label].pairs, together[label].pairs, strict=True):
            assert one.p_corrected == pytest.approx(min(1, 2 * one.p_uncorrected))
            assert other.p_corrected == pytest.approx(min(1, 4 * one.p_uncorrected))


def test_defaults_are_t_for_two_holm_for_a_baseline_and_romano_wolf_for_all_pairs() -> None:
    runs = systems(MATRIX)
    chosen = [
        carob.compare(None, runs[:2]).settings,
        carob.compare(None, runs, baseline=2).settings,
        carob.compare(None, runs).settings,
        carob.compare(None, runs, test="t").settings,
    ]
    assert [(each.test, each.correction, each.alpha) for each in chosen] == [
        ("t", "none", 0.05),
        ("t", "holm", 0.05),
        ("romano-wolf", "none", 0.05),
        ("t", "holm", 0.05),
    ]
    assert chosen[2].resamples == 10_000


def test_resamples_are_raised_so_that_holm_can_reject() -> None:
    many = systems(np.random.default_rng(3).random((60, 30)))
    found = carob.compare(None, many[:12], test="randomisation")
    assert found.settings.resamples == 20 * 66 / 0.05
    few = carob.compare(None, many, test=carob.Test("randomisation", resamples=1000))
    assert few.settings.resamples == 1000
    warning = next(each for each in few.warnings if each.kind == "resamples")
    assert warning.numbers["least"] == pytest.approx(435 / 1001)
    assert "0.435" in warning.sentence


def test_letters_name_the_runs_that_a_run_is_significantly_better_than() -> None:
    base = np.random.default_rng(2).random(50) * 0.5
    runs = systems(
        np.stack([base, base + 0.3 + 0.01 * standardised(50), base + 0.001 * standardised(50)], axis=1)
    )
    found = carob.compare(None, runs)
    assert found.primary.letters[1] == "bc"
    assert found.primary.marks[1] == "a"
    assert found.primary.letters[0] == found.primary.letters[2] == ""


def test_where_smaller_is_better_letters_and_wins_turn() -> None:
    base = np.random.default_rng(2).random(50) * 0.5
    worse = base + 0.3 + 0.01 * standardised(50)
    found = carob.compare(None, [scores("good", base, "E@10"), scores("bad", worse, "E@10")])
    assert found.primary.letters == ("b", "")
    assert (pair(found).wins, pair(found).losses) == (50, 0)
    assert pair(found).difference < 0


# ---------------------------------------------------------------- what stands in for a plain mean


def test_weights_make_the_difference_that_of_weighted_means() -> None:
    weight = np.random.default_rng(8).random((40, 1)) * 3
    runs = [replace(each, weights=weight) for each in systems(MATRIX)[:2]]
    found = pair(carob.compare(None, runs))
    expected = np.average(MATRIX[:, 0], weights=weight[:, 0]) - np.average(MATRIX[:, 1], weights=weight[:, 0])
    assert found.difference == pytest.approx(expected)
    same = [replace(each, weights=np.full((40, 1), 7.0)) for each in systems(MATRIX)[:2]]
    assert pair(carob.compare(None, same)) == pair(carob.compare(None, systems(MATRIX)[:2]))


def test_counts_are_compared_by_their_sums() -> None:
    counts = np.random.default_rng(1).integers(0, 9, (40, 2))
    found = carob.compare(None, systems(counts, "NumRelRet"))
    assert pair(found).difference == pytest.approx(counts[:, 0].sum() - counts[:, 1].sum())
    assert pair(found).p_uncorrected == pytest.approx(stats.ttest_rel(counts[:, 0], counts[:, 1]).pvalue)


def test_a_geometric_mean_is_tested_by_logarithms_and_its_interval_is_that_of_a_ratio() -> None:
    values = MATRIX[:, :2].copy()
    values[0, 0] = 0.0
    found = carob.compare(None, systems(values, "GMAP"))
    logs = np.log(np.maximum(values, 1e-5))
    assert pair(found).p_uncorrected == pytest.approx(stats.ttest_rel(logs[:, 0], logs[:, 1]).pvalue)
    assert pair(found).difference == pytest.approx(np.subtract(*np.exp(logs.mean(axis=0))))
    ends = stats.ttest_rel(logs[:, 0], logs[:, 1]).confidence_interval()
    ratio = np.exp([*ends, (logs[:, 0] - logs[:, 1]).mean()])
    assert [pair(found).ratio_low, pair(found).ratio_high, pair(found).ratio] == pytest.approx(ratio)
    assert np.isnan([pair(found).low, pair(found).high, pair(found).joint_low]).all()
    assert found.primary.means == pytest.approx(np.exp(logs.mean(axis=0)))


def test_a_ratio_is_inverted_where_its_runs_change_places() -> None:
    found = carob.compare(None, systems(MATRIX[:, :2], "GMAP")).primary
    one, other = found.between(0, 1), found.between(1, 0)
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert (other.ratio_low, other.ratio_high) == pytest.approx((1 / one.ratio_high, 1 / one.ratio_low))


def test_a_difference_of_geometric_means_has_an_interval_only_from_a_bootstrap() -> None:
    test = carob.Test(interval="bootstrap", margin=0.1, rope=0.01)
    its = pair(carob.compare(None, systems(MATRIX[:, :2], "GMAP"), test=test))
    assert its.low < its.difference < its.high
    assert np.isnan([its.p_equivalent, its.p_worse, its.p_same, its.p_better]).all()


def test_clusters_of_equal_size_count_as_one_query_each() -> None:
    """With clusters of equal size the robust error is that of the clusters' means, with a degree of freedom each."""
    cluster = {f"q{number:03}": f"c{number // 4}" for number in range(40)}
    found = carob.compare(None, systems(MATRIX)[:2], design=carob.Design(cluster=cluster))
    means = (MATRIX[:, 0] - MATRIX[:, 1]).reshape(10, 4).mean(axis=1)
    assert pair(found).p_uncorrected == pytest.approx(stats.ttest_1samp(means, 0).pvalue)
    assert found.settings.clusters == 10


def test_groups_are_shown_apart_and_not_mixed() -> None:
    group = {f"q{number:03}": "odd" if number % 2 else "even" for number in range(40)}
    found = carob.compare(None, systems(MATRIX)[:2], by=group).primary.groups
    assert [(each.name, each.queries) for each in found] == [("even", 20), ("odd", 20)]
    assert found[1].means == pytest.approx(MATRIX[1::2, :2].mean(axis=0))
    assert found[1].pairs[0].p_uncorrected == pytest.approx(
        stats.ttest_rel(MATRIX[1::2, 0], MATRIX[1::2, 1]).pvalue
    )


def test_equivalence_and_region_of_practical_equivalence_are_asked_for() -> None:
    near = np.full(40, 0.5) + 0.01 * standardised(40)
    found = pair(
        carob.compare(
            None, [scores("a", near), scores("b", np.full(40, 0.5))], test=carob.Test(margin=0.05, rope=0.05)
        )
    )
    assert found.p_equivalent is not None
    assert found.p_equivalent < 1e-6
    assert found.p_same == pytest.approx(1.0)
    without = pair(carob.compare(None, systems(MATRIX)[:2]))
    assert (without.p_equivalent, without.p_same) == (None, None)


def test_the_bootstrap_interval_is_near_students() -> None:
    t = pair(carob.compare(None, systems(MATRIX)[:2]))
    found = pair(carob.compare(None, systems(MATRIX)[:2], test=carob.Test(interval="bootstrap")))
    assert (found.low, found.high) == pytest.approx((t.low, t.high), abs=0.006)
    assert found.low != t.low


WITHOUT_EFFECT = "{} had no effect, because neither the test nor the intervals are random."


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"resamples": 100}, "resamples"),
        ({"seed": SEED}, "seed"),
        ({"seed": 1, "resamples": 100}, "resamples and seed"),
    ],
)
def test_resamples_and_seed_are_said_to_change_nothing_where_nothing_is_random(
    test: str, given: dict[str, Any], names: str
) -> None:
    plain = carob.compare(None, systems(MATRIX)[:2], test=test)
    found = carob.compare(None, systems(MATRIX)[:2], **grouped({"test": test, **given}))
    assert found.settings.departures == (WITHOUT_EFFECT.format(names),)
    assert WITHOUT_EFFECT.format(names) in found.to_text(columns=200)
    assert plain.settings.departures == ()
    assert repr(plain.primary.pairs) == repr(found.primary.pairs)  # with NaN, which equals nothing


@pytest.mark.parametrize(
    "random", [{"test": "randomisation"}, {"test": "romano-wolf"}, {"test": "t", "interval": "bootstrap"}]
)
def test_there_is_no_such_note_where_something_is_random(random: dict[str, str]) -> None:
    assert not carob.compare(
        None, systems(MATRIX)[:2], **grouped({"resamples": 50, "seed": 1, **random})
    ).settings.departures


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_the_bootstrap_takes_as_many_resamples_as_are_asked_for(test: str) -> None:
    usual, few, same = (
        carob.compare(None, systems(MATRIX)[:2], test=carob.Test(test, interval="bootstrap", resamples=count))
        for count in (None, 100, 10_000)
    )
    assert [each.settings.bootstrap_resamples for each in (usual, few, same)] == [10_000, 100, 10_000]
    assert (pair(usual).low, usual.primary.low) == (pair(same).low, same.primary.low)
    assert pair(few).low != pair(usual).low
    assert few.primary.low != usual.primary.low


# ---------------------------------------------------------------- queries that a run lacks


QRELS = {f"q{number}": {"a": 1, "b": 0} for number in range(6)}
GOOD = {f"q{number}": {"a": 2.0, "b": 1.0} for number in range(6)}
LATE = {f"q{number}": {"b": 2.0, "a": 1.0 + number / 10} for number in range(5)}


def test_a_missing_query_counts_zero_and_is_listed() -> None:
    found = carob.compare(QRELS, {"good": GOOD, "late": LATE}, "RR")
    assert pair(found).n == 6
    assert pair(found).difference == pytest.approx(1 - 2.5 / 6)
    assert next(each for each in found.warnings if each.kind == "missing").numbers["queries"] == ["q5"]
    assert "late lacks 1 of 6 judged queries, counted as 0: q5." in str(found)


@pytest.mark.parametrize("rule", ["skip", "nan"])
def test_a_query_left_out_is_left_out_of_both_runs_and_n_says_so(rule: str) -> None:
    third = {query: GOOD[query] for query in list(GOOD)[1:]}
    found = carob.compare(
        QRELS, {"good": GOOD, "late": LATE, "third": third}, "RR", policy=carob.Policy(missing=rule), test="t"
    )
    assert [each.n for each in found.primary.pairs] == [5, 5, 4]
    assert pair(found).difference == pytest.approx(0.5)
    assert (
        "each pair is compared on the queries for which both runs have a value, which are at least 4"
        in " ".join(str(found).split())
    )
    assert found.queries == tuple(QRELS)


def test_pairing_is_by_query_and_not_by_order() -> None:
    turned = {query: LATE[query] for query in reversed(LATE)}
    shuffled = {query: QRELS[query] for query in reversed(QRELS)}
    one = carob.compare(QRELS, {"good": GOOD, "late": LATE}, "RR", test="randomisation")
    other = carob.compare(shuffled, {"good": GOOD, "late": turned}, "RR", test="randomisation")
    assert one.primary.pairs == other.primary.pairs


# ---------------------------------------------------------------- edges and refusals


def test_identical_runs_have_p_one_and_it_is_said() -> None:
    found = carob.compare(None, [scores("a", MATRIX[:, 0]), scores("b", MATRIX[:, 0])])
    assert (pair(found).p_uncorrected, pair(found).p_corrected, pair(found).identical) == (1.0, 1.0, True)
    assert "a and b are identical on all 40 queries" in str(found)


@pytest.mark.parametrize("test", ["t", "randomisation", "romano-wolf", "tukey", "max-t", "wilcoxon", "sign"])
def test_no_test_gives_identical_runs_less_than_one(test: str) -> None:
    runs = [scores("a", MATRIX[:, 0]), scores("b", MATRIX[:, 0]), scores("c", MATRIX[:, 1])]
    assert pair(carob.compare(None, runs, test=carob.Test(test, resamples=500))).p_corrected == 1.0


def test_identical_runs_have_neither_a_posterior_nor_a_p_of_equivalence() -> None:
    """The bound of their difference is no spread, from which a posterior could be drawn."""
    runs = [scores("a", MATRIX[:, 0]), scores("b", MATRIX[:, 0]), scores("c", MATRIX[:, 1])]
    for some in (runs, runs[:2]):
        found = carob.compare(None, some, test=carob.Test("t", margin=0.05, rope=0.02))
        its = found.primary.between(0, 1)
        assert its.identical
        assert np.isnan([its.p_equivalent, its.p_worse, its.p_same, its.p_better]).all()
        assert "a and b are identical on all 40 queries" in str(found)
        assert "no p(equiv.) or posterior" in " ".join(str(found).split())
    assert "p(equiv.), posterior and verdict are of the worst-point" not in " ".join(str(found).split())


@pytest.mark.parametrize(
    "test", [None, "t", "randomisation", "romano-wolf", "tukey", "max-t", "wilcoxon", "sign"]
)
def test_one_query_has_neither_an_interval_nor_a_p(test: Any) -> None:
    runs = [scores("a", [0.9]), scores("b", [0.1]), scores("c", [0.1])]
    for some in (runs[:2], runs):
        found = carob.compare(None, some, test=carob.Test(test))
        assert np.isnan([pair(found).low, pair(found).high, found.primary.low[0]]).all()
        assert np.isnan([[each.p_uncorrected, each.p_corrected] for each in found.primary.pairs]).all()
        assert not any(found.primary.beaten)
        text = " ".join(str(found).split())
        assert "A single query does not show how queries vary, so there is no interval and no p." in text
        assert "exact p" not in text


def test_a_difference_without_spread_is_told() -> None:
    found = carob.compare(None, [scores("a", [0.5] * 10), scores("b", [0.25] * 10)])
    assert np.isnan(pair(found).low)
    assert pair(found).p_uncorrected == 2 / 2**10
    assert "without variation there is no t" in " ".join(str(found).split())


def test_a_nan_score_is_refused_by_query_and_document() -> None:
    bad = {"q0": {"a": float("nan")}}
    with pytest.raises(DataError, match="query 'q0', document 'a': the score is NaN"):
        carob.compare(QRELS, {"good": GOOD, "bad": bad}, "RR")


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"baseline": "s7"}, DataError, "No run is called 's7'"),
        ({"baseline": 9}, DataError, "one of the 5 runs, counted from 0"),
        ({"test": "Tukey"}, PolicyError, "Did you mean tukey"),
        ({"correction": "holms"}, PolicyError, "Did you mean holm"),
        ({"test": "tukey", "correction": "holm"}, PolicyError, "already corrects for all pairs at once"),
        ({"alpha": 5}, PolicyError, "use a number between 0 and 1"),
        ({"by": {"q000": "x"}}, DataError, "query 'q001' has no group"),
        ({"cluster": "/nowhere"}, DataError, "/nowhere: No such file"),
        ({"measures": ["RR"]}, carob.MeasureError, "RR was not evaluated"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    options: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        carob.compare(None, systems(MATRIX), **grouped(options))


def test_runs_and_scores_may_be_mixed_if_they_were_made_alike() -> None:
    ready = carob.evaluate(QRELS, GOOD, "RR", name="good")
    found = carob.compare(QRELS, [ready, carob.Run.of(LATE, "late")], "RR")
    assert found.primary.pairs == carob.compare(QRELS, {"good": GOOD, "late": LATE}, "RR").primary.pairs
    other = carob.evaluate(QRELS, GOOD, "RR", policy=carob.Policy(ties="ascending"))
    with pytest.raises(DataError, match="under a different policy"):
        carob.compare(QRELS, {"good": other, "late": LATE}, "RR")


def test_runs_need_judgments() -> None:
    with pytest.raises(DataError, match="Runs cannot be scored without judgments"):
        carob.compare(None, {"good": GOOD, "late": LATE})
    with pytest.raises(DataError, match="needs at least two runs"):
        carob.compare(QRELS, {"good": GOOD})


@pytest.mark.parametrize(
    ("late", "named"),
    [
        ({"weights": {"q": 2.0}}, "weights"),
        ({"policy": carob.Policy(ties="input")}, "policy"),
        ({"profile": "sklearn"}, "profile"),
    ],
)
def test_conventions_that_come_after_the_scores_are_refused(late: dict[str, Any], named: str) -> None:
    made = {
        name: carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", name=name) for name in ("one", "two")
    }
    with pytest.raises(
        carob.DataError,
        match=(
            f"one consists of scores that are already computed, which {named}= cannot change: pass {named}= to"
        ),
    ):
        carob.compare(None, made, **grouped(late))
    assert carob.compare(None, made, policy=carob.Policy(ties="trec"), profile="carob").names == (
        "one",
        "two",
    )


def test_bounds_of_differences_have_the_direction_of_the_table() -> None:
    qrels = {str(query): {"a": 1, "b": 0} for query in range(8)}
    worse = {str(query): {"x": 3.0, "b": 2.0, "a": 1.0} for query in range(8)}
    better = {str(query): {"a": 3.0, "y": 2.0 + query % 2} for query in range(8)}
    found = carob.compare(qrels, {"worse": worse, "better": better}, "P@2", unjudged_bounds=True)
    text = str(found)
    assert text.count("better - worse") >= 2
    assert "worse - better" not in text
    assert found.unjudged is not None
    bounds = found.unjudged["P@2"].pairs[0, 1]
    assert (
        f"{-bounds.high:+.3f}–{-bounds.low:+.3f}" in text or f"{-bounds.high:+.4f}–{-bounds.low:+.4f}" in text
    )
