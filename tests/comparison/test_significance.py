"""Joint intervals: they leave out 0 where the corrected decision says significant, and nowhere else."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob.cli import main
from carob.cli.options import grouped
from carob.comparison.findings import NOUNS
from carob.comparison.significance import EXACT_RANKS, wilcoxon
from carob.statistics.estimates import paired
from carob.statistics.multiple_comparisons import randomised_tukey
from carob.statistics.resampling import Draw, max_flip
from comparison.matrices import systems

EXAMPLES = Path(__file__).parents[2] / "examples"
QUERIES = [f"q{number:02}" for number in range(30)]


def scores_of(seed: int, runs: int = 7) -> dict[str, Any]:
    """Runs that differ little: among many pairs some are decided by the correction alone."""
    draw = np.random.default_rng(seed)
    hard = draw.uniform(size=len(QUERIES))
    found = {}
    for run in range(runs):
        grades = [
            [1 if draw.random() < 0.3 + 0.05 * run + 0.4 * each else 0 for _ in range(10)] for each in hard
        ]
        found[f"run{run}"] = carob.evaluate_grades(grades, ["P@10", "AP"], judged=[[1] * 10] * len(QUERIES))
    return found


def leaves_out_0(pair: Any) -> bool:
    return bool(pair.joint_low > 0 or pair.joint_high < 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "tukey"},
        {"test": "max-t"},
        {"test": "t"},
        {"test": "t", "correction": "bonferroni"},
        {"test": "t", "correction": "bh"},
        {"test": "t", "correction": "none"},
        {"test": "randomisation"},
        {"baseline": "run0"},
        {"family": "all"},
        {"interval": "bootstrap"},
        {"alpha": 0.2, "confidence": 0.8},
    ],
    ids=str,
)
def test_a_joint_interval_leaves_out_0_exactly_where_the_pair_is_significant(
    seed: int, options: dict[str, Any]
) -> None:
    found = carob.compare(None, scores_of(seed), **grouped(options))
    for contest in found.contests.values():
        for pair in contest.pairs:
            sure = pair.p_corrected < found.settings.alpha and not pair.identical
            assert leaves_out_0(pair) == sure, (contest.label, pair)
            assert pair.joint_low <= pair.difference <= pair.joint_high


ALL_PAIRS = ("romano-wolf", "tukey", "max-t", "t", "randomisation")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ALL_PAIRS)
def test_in_any_table_a_pair_differs_exactly_where_its_joint_interval_excludes_0(name: Any) -> None:
    """Tied, skewed, equal and few values: 60 tables for each test, 300 in all."""
    draw = np.random.default_rng(7)
    for number in range(60):
        queries, runs = int(draw.integers(2, 40)), int(draw.integers(2, 7))
        table = draw.exponential(size=(queries, runs)) if number % 2 else draw.normal(size=(queries, runs))
        table += np.linspace(0, draw.uniform(0, 2), runs)
        table = np.round(table, int(draw.integers(0, 3))) if number % 3 else table
        table[:, 0] = table[:, 1] if number % 5 == 0 else table[:, 0]
        found = carob.compare(None, systems(table), test=carob.Test(name, resamples=999))
        for pair in found.primary.pairs:
            if math.isfinite(pair.joint_low):
                assert leaves_out_0(pair) == (pair.p_corrected < 0.05), (number, pair)
        if all(pair.p_corrected >= 0.05 for pair in found.primary.pairs) and queries < 4:
            assert "few" in [each.kind for each in found.warnings]


def test_few_queries_promise_nothing_and_name_a_test_that_can_find_a_difference() -> None:
    """The exact p of five queries is at least 2 / 2**5, whatever the values."""
    table = [[0.11 + 0.01 * each, 0.81 + 0.02 * each, 0.43 + 0.003 * each**2] for each in range(5)]
    for test in ("romano-wolf", "max-t", "randomisation", "wilcoxon", "sign"):
        found = carob.compare(None, systems(table), test=test)
        assert all(math.isnan(pair.detectable) for pair in found.primary.pairs)
        said = next(each for each in found.warnings if each.kind == "few")
        assert said.numbers["least"] == pytest.approx(2**-4 * (1 if test in ("romano-wolf", "max-t") else 3))
        assert "t-test (test='t')" in said.sentence
    found = carob.compare(None, systems(table), test="t")
    assert all(pair.p_corrected < 0.05 for pair in found.primary.pairs)
    assert "no difference can be significant" not in str(found)


@pytest.mark.parametrize(("name", "runs"), [("t", 2), ("romano-wolf", 5), ("t", 5)])
@pytest.mark.long
def test_the_verdict_finds_the_detectable_difference_in_four_of_five_tables(name: Any, runs: int) -> None:
    draw = np.random.default_rng(3)
    test, queries, replicates = carob.Test(name, resamples=999), 20, 1500

    def pair(difference: float) -> Any:
        table = draw.normal(size=(queries, runs))
        table[:, 0] += difference
        return carob.compare(None, systems(table), test=test).primary.between(0, 1)

    known = math.sqrt(np.mean([pair(0.0).detectable ** 2 for _ in range(200)]))
    share = np.mean([pair(known).p_corrected < 0.05 for _ in range(replicates)])
    assert share == pytest.approx(0.8, abs=0.03)


def test_the_intervals_of_single_pairs_do_not_agree_with_the_corrected_decision() -> None:
    """Why the joint ones are needed: some pair excludes 0 on its own, and is not significant."""
    alone = [
        pair
        for seed in range(4)
        for pair in carob.compare(None, scores_of(seed)).primary.pairs
        if (pair.low > 0 or pair.high < 0) and pair.p_corrected >= 0.05
    ]
    assert len(alone) > 4


def test_tukeys_interval_has_one_width_for_all_pairs() -> None:
    found = carob.compare(None, scores_of(1), test="tukey").primary
    widths = {round(pair.joint_high - pair.joint_low, 12) for pair in found.pairs if not pair.worst_point}
    assert len(widths) == 1
    seen = [abs(pair.difference) for pair in found.pairs]
    cut = widths.pop() / 2
    assert [each > cut for each in seen] == [pair.p_corrected < 0.05 for pair in found.pairs]


def test_bonferronis_interval_is_the_t_interval_at_alpha_by_the_number_of_pairs() -> None:
    found = carob.compare(None, scores_of(2), test=carob.Test("t", correction="bonferroni")).primary
    pair = found.pairs[3]
    wide = paired(found.values[:, pair.a] - found.values[:, pair.b], confidence=1 - 0.05 / 21)
    assert (pair.joint_low, pair.joint_high) == pytest.approx((wide.low[0], wide.high[0]))


def test_one_comparison_has_one_interval() -> None:
    pair = carob.compare(None, scores_of(3, runs=2)).primary.pairs[0]
    assert (pair.joint_low, pair.joint_high) == pytest.approx((pair.low, pair.high))


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_test_that_is_not_of_means_has_no_joint_interval(test: str) -> None:
    assert all(
        math.isnan(pair.joint_low) for pair in carob.compare(None, scores_of(0), test=test).primary.pairs
    )


@pytest.mark.parametrize("statistic", [randomised_tukey, max_flip])
@pytest.mark.parametrize("queries", [4, 12, 40])
def test_the_cut_parts_the_significant_from_the_others(statistic: Any, queries: int) -> None:
    draw = np.random.default_rng(queries)
    table = draw.normal(size=(queries, 5)) + np.linspace(0, 1.5, 5)
    found = statistic(table, draw=Draw(resamples=2000, alpha=0.1))
    means = table.mean(axis=0)
    one, other = np.triu_indices(5, 1)
    reached = np.abs(means[one] - means[other]) > found.cut
    assert reached.tolist() == (found.p < 0.1).tolist()


def test_the_cut_of_the_normal_limit_is_that_of_resampling(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(8).normal(size=(600, 4))
    drawn = randomised_tukey(table, draw=Draw(resamples=5000))
    monkeypatch.setattr("carob.statistics.multiple_comparisons.MOST", 1)
    limit = randomised_tukey(table, draw=Draw(resamples=5000))
    assert limit.limit
    assert limit.cut == pytest.approx(drawn.cut, rel=0.05)


@pytest.mark.parametrize(
    ("options", "measures"),
    [
        ({"baseline": "bm25"}, ["AP"]),
        ({"test": carob.Test(family="all", resamples=200)}, ["AP", "RR"]),
        ({"design": carob.Design(cluster={f"t{n:02d}": str(n // 3) for n in range(1, 25)})}, ["AP"]),
        ({"test": carob.Test("sign", correction="bonferroni", alpha=0.2)}, ["AP"]),
    ],
)
def test_other_tests_decide_as_when_they_are_the_test(options: dict[str, Any], measures: list[str]) -> None:
    tea = EXAMPLES / "tea"
    runs = sorted(map(str, (tea / "runs").glob("*.run")))
    test = options.pop("test", carob.Test())
    found = carob.compare(tea / "qrels.txt", runs, measures, test=replace(test, other_tests=True), **options)
    assert found.settings.test not in [each.test for each in found.other_tests]
    ignored = (
        {"wilcoxon", "sign"} if "design" in options else set()
    )  # they take queries of clusters for independent
    assert {each.test for each in found.other_tests} == {*NOUNS} - {found.settings.test} - ignored
    for each in found.other_tests:
        own = replace(test, name=each.test, correction=None if each.correction == "none" else each.correction)
        contest = carob.compare(tea / "qrels.txt", runs, measures, test=own, **options).primary
        assert contest.between(each.a, each.b).p_corrected == each.p_corrected
        turned = [
            (one.p_corrected < test.alpha) != (two.p_corrected < test.alpha)
            for one, two in zip(found.primary.pairs, contest.pairs, strict=True)
        ]
        assert each.turned == sum(turned)
    assert " ".join(str(found).split()).count("Other tests of") == 1


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_test_that_ignores_clusters_is_refused_with_them(test: Any) -> None:
    tea = EXAMPLES / "tea"
    design = carob.Design(cluster={f"t{n:02d}": str(n // 3) for n in range(1, 25)})
    with pytest.raises(carob.PolicyError, match=f"'{test}' assumes independent queries"):
        carob.compare(
            tea / "qrels.txt", sorted(map(str, (tea / "runs").glob("*.run"))), "AP", test=test, design=design
        )


def test_no_difference_is_promised_that_a_worst_point_interval_hides() -> None:
    """Of 30 queries, two differ: under Romano-Wolf as under the t-test, the worst-point interval decides."""
    base = np.ones(30)
    runs = {name: base.copy() for name in "abc"}
    runs["b"][:2], runs["c"][2:4] = 0.3, 0.5
    tables = systems(np.stack([*runs.values()], axis=1), "RR")
    by_test = {test: carob.compare(None, tables, test=test).primary.pairs for test in ("romano-wolf", "t")}
    for one, other in zip(*by_test.values(), strict=True):
        assert one.worst_point
        assert one.detectable >= 0.9 * other.detectable
    booted = carob.compare(None, tables, test=carob.Test(interval="bootstrap", seed=1)).primary.pairs
    assert all(math.isnan(each.detectable) and math.isnan(each.joint_low) for each in booted)


def test_other_tests_are_said_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    tea = EXAMPLES / "tea"
    pair = [str(tea / "runs" / f"{name}.run") for name in ("bm25", "titles")]
    main(["compare", str(tea / "qrels.txt"), *pair, "-m", "AP", "--test", "sign", "--other-tests"])
    said = capsys.readouterr().out
    assert "(p): also significant under t-test <0.001, randomisation" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80
    assert not carob.compare(tea / "qrels.txt", pair, "AP").other_tests
    coffee = EXAMPLES / "coffee"
    judged = [str(coffee / "people.txt"), *sorted(map(str, (coffee / "runs").glob("*.run")))]
    with pytest.raises(SystemExit):
        main(
            [
                "compare",
                "--people",
                judged[0],
                "--judge",
                str(coffee / "model.txt"),
                *judged[1:],
                "--other-tests",
            ]
        )
    assert "--other-tests has no meaning for estimates" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("test", "losing"),
    [("sign", 32), ("wilcoxon", 36)],
)
def test_no_run_is_better_if_the_test_favours_the_other_one(test: str, losing: int) -> None:
    """A run that loses on most queries by little, and wins on few by much, has the better mean."""
    apart = np.where(np.arange(40) < losing, -0.02 - np.arange(40) / 1e4, 0.3)
    found = carob.compare(None, systems(np.column_stack([0.5 + apart, np.full(40, 0.5)])), test=test)
    pair = found.primary.pairs[0]
    assert pair.difference > 0
    assert pair.p_corrected < 0.05
    assert found.primary.beaten == ((), ())
    assert "s0 and s1 are not shown to differ." in str(found)
    assert [each.kind for each in found.warnings].count("opposite") == 1
    other = carob.compare(
        None,
        systems(np.column_stack([0.5 + apart, np.full(40, 0.5)])),
        test=carob.Test("t", other_tests=True),
    )
    assert not next(each for each in other.other_tests if each.test == test).significant
    assert "for the other run" in " ".join(str(other).split())


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_smaller_values_are_better_for_tests_of_signs_too(test: str) -> None:
    values = np.column_stack([np.linspace(0.1, 0.2, 12), np.linspace(0.3, 0.5, 12)])
    assert carob.compare(None, systems(values, "E@10"), test=test).primary.beaten == ((1,), ())


@pytest.mark.parametrize("test", ["randomisation", "romano-wolf", "max-t"])
def test_there_are_no_corrected_intervals_where_nothing_can_be_excluded(test: str) -> None:
    values = np.random.default_rng(0).random((5, 3)) / 100 + [0.1, 0.5, 0.9]
    few = carob.compare(None, systems(values), test=test)
    assert all(math.isnan(pair.joint_low) and math.isnan(pair.joint_high) for pair in few.primary.pairs)
    assert "corr. 95% CI" not in str(few)
    assert all(
        math.isfinite(pair.joint_low) for pair in carob.compare(None, systems(values), test="t").primary.pairs
    )


def test_wilcoxons_p_is_exact_with_zeros_and_equal_sizes() -> None:
    """By all assignments of signs to the ranks, whatever the version of SciPy."""
    draw = np.random.default_rng(0)
    for size in (1, 4, 9, 12):
        differences = np.append(np.round(draw.normal(0.1, 0.2, size), 1), [0.0, 0.0])
        left = differences[differences != 0]
        ranks = stats.rankdata(np.abs(left))
        signs = np.array(list(product([-1, 1], repeat=len(left))))
        reach = abs((np.sign(left) * ranks).sum())
        p = (np.abs(signs @ ranks) >= reach - 1e-9).mean() if len(left) else 1.0
        assert wilcoxon(differences)[0] == pytest.approx(p)
    many = draw.normal(0.1, 1, EXACT_RANKS + 1)
    assert wilcoxon(many)[0] == pytest.approx(stats.wilcoxon(many).pvalue)
