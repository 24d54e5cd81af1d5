"""Runs on several collections: means, tests of ranks, missing runs, and what may be handed in."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob.output.errors import DataError, PolicyError
from carob.statistics.collections import these
from carob.statistics.mean_ranks import (
    critical_difference,
)
from several_collections.means import DEMSAR, values, with_queries

if TYPE_CHECKING:
    from pathlib import Path


def test_the_table_of_demsar_gives_the_published_numbers() -> None:
    found = carob.compare_collections(values(DEMSAR))["value"]
    assert found.mean_ranks is not None
    assert [round(each, 3) for each in found.mean_ranks] == [3.143, 2.000, 2.893, 1.964]
    assert found.friedman is not None
    assert (round(found.friedman.chi2, 2), round(found.friedman.f, 2)) == (9.28, 3.69)
    assert found.critical_difference is not None
    assert round(found.critical_difference, 2) == 1.25
    assert round(critical_difference(0.10, 4, 14), 2) == 1.12
    corrected = carob.compare_collections(values(DEMSAR), friedman_ties="corrected")["value"].friedman
    assert corrected is not None
    assert corrected.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic, rel=1e-12)


def test_nemenyis_distance_is_descriptive_where_friedmans_test_rejects_nothing() -> None:
    """By DEMSAR, F has p .02; of random values, it rejects nothing. The p of the pairs decide in either case."""
    noise = np.random.default_rng(0).random((7, 4))
    for table, rejects in ((DEMSAR, True), (noise, False)):
        found = carob.compare_collections(values(table))
        test = found["value"].friedman
        assert test is not None
        assert (test.f_p < 0.05) is rejects
        text = " ".join(str(found).split())
        assert ("mean ranks that differ by at least this differ significantly" in text) is rejects
        assert ("It only describes the ranks here" in text) is not rejects
        assert "determine which runs are separated and which pairs are significant." in text


def test_means_wins_and_p_are_those_of_a_direct_computation() -> None:
    given = with_queries(1, (12, 40, 25, 8, 60, 33), (0.0, 0.02, 0.05))
    found = carob.compare_collections(given, "AP")["AP"]
    means = np.array([[its[run]["AP"] for run in "abc"] for its in given.values()])
    assert found.macro == pytest.approx(means.mean(axis=0))
    sizes = np.array([12, 40, 25, 8, 60, 33])
    assert found.micro == pytest.approx((means * sizes[:, None]).sum(axis=0) / sizes.sum())
    pair = found.pairs[1]
    assert (pair.a, pair.b) == (0, 2)
    difference = means[:, 0] - means[:, 2]
    test = stats.ttest_rel(means[:, 0], means[:, 2])
    assert (pair.p_uncorrected, pair.difference) == pytest.approx((test.pvalue, difference.mean()))
    assert (pair.wins, pair.losses) == ((difference > 0).sum(), (difference < 0).sum())
    assert pair.wilcoxon == pytest.approx(stats.wilcoxon(difference).pvalue)


def test_for_these_collections_p_comes_from_the_queries() -> None:
    given = with_queries(2, (12, 40, 25), (0.0, 0.05))
    found = carob.compare_collections(given, "AP", target="these")["AP"].pairs[0]
    errors, means, counts = [], [], []
    for its in given.values():
        rows = its["a"].matrix[:, 0] - its["b"].matrix[:, 0]
        means.append([rows.mean()])
        errors.append([rows.var(ddof=1) / len(rows)])
        counts.append(len(rows))
    wanted = these(means, errors, counts)
    assert (found.p_uncorrected, found.low, found.high) == pytest.approx(
        (wanted.p[0], wanted.low[0], wanted.high[0])
    )


def test_letters_of_a_collection_are_those_of_holms_t_tests() -> None:
    given = with_queries(3, (60, 40), (0.0, 0.03, 0.08))
    found = carob.compare_collections(given, "AP")["AP"]
    for one, scores in zip(found.collections, given.values(), strict=True):
        alone = carob.compare(None, scores, "AP", test="t")["AP"]
        assert one.beaten == alone.beaten


@pytest.mark.parametrize("target", ["similar", "these"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_bootstrap_agrees_with_t_where_both_are_right(target: str, average: str) -> None:
    given = with_queries(4, (30,) * 25, (0.0, 0.03))
    ends = [
        carob.compare_collections(
            given, "AP", target=target, average=average, test=carob.Test(interval=each)
        )["AP"].pairs[0]
        for each in ("t", "bootstrap")
    ]
    width = ends[0].high - ends[0].low
    assert ends[1].low == pytest.approx(ends[0].low, abs=0.15 * width)
    assert ends[1].high == pytest.approx(ends[0].high, abs=0.15 * width)
    assert ends[0].p_uncorrected == ends[1].p_uncorrected


def test_places_of_separated_runs_are_certain() -> None:
    given = with_queries(5, (50,) * 8, (0.0, 0.2, 0.4))
    found = carob.compare_collections(given, "AP")["AP"]
    assert (found.rank_low, found.rank_high, found.best) == ((3, 2, 1), (3, 2, 1), (0.0, 0.0, 1.0))
    assert found.run_groups == ()
    assert "c is better than b and a." in re.sub(r"\s+", " ", str(carob.compare_collections(given, "AP")))


def test_places_say_what_they_are_and_are_left_out_of_few_collections() -> None:
    found = carob.compare_collections(with_queries(5, (50,) * 7, (0.0, 0.05, 0.1)), "AP")
    told = "place: range of the place by the mean in 99.2% of the resamples of collections"
    assert told in re.sub(r"\s+", " ", str(found))
    few = carob.compare_collections(with_queries(5, (50,) * 4, (0.0, 0.05, 0.1)), "AP")
    assert (few["AP"].rank_low, few["AP"].rank_high) == (None, None)
    assert "No range of places: fewer than 5 collections" in re.sub(r"\s+", " ", str(few))


def test_a_measure_of_which_smaller_is_better_turns_ranks_and_wins() -> None:
    qrels = {"q1": {"d1": 1}}
    good, bad = {"q1": {"d1": 1.0}}, {"q1": {"x": 2.0, "d1": 1.0}}
    given = {name: (qrels, {"bad": bad, "good": good}) for name in ("one", "two")}
    found = carob.compare_collections(given, "Unjudged@2")["Unjudged@2"]
    assert found.smaller_is_better
    assert found.mean_ranks == (2.0, 1.0)
    assert (found.pairs[0].difference, found.pairs[0].wins, found.pairs[0].losses) == (0.5, 0, 2)
    assert found.order == [1, 0]


# ---------------------------------------------------------------- missing runs


def gap() -> dict[str, dict[str, float]]:
    """Five collections, one of which lacks a run."""
    table = np.random.default_rng(7).uniform(0.2, 0.8, (5, 3))
    table[3, 1] = np.nan
    return values(table)


def test_a_missing_run_is_refused_by_name() -> None:
    with pytest.raises(
        DataError, match=r"1 run is missing from a collection: b in c3\..*absent='skip', 'zero'"
    ):
        carob.compare_collections(gap())


def test_a_missing_run_is_skipped_where_the_caller_says_so() -> None:
    given = gap()
    found = carob.compare_collections(given, absent="skip")
    its = found["value"]
    assert its.counts == (5, 4, 5)
    assert [pair.collections for pair in its.pairs] == [4, 5, 4]
    assert its.complete == 4
    rows = np.array([[each["a"], each["b"]] for name, each in given.items() if name != "c3"])
    assert its.pairs[0].difference == pytest.approx((rows[:, 0] - rows[:, 1]).mean())
    assert its.pairs[0].p_uncorrected == pytest.approx(stats.ttest_rel(rows[:, 0], rows[:, 1]).pvalue)
    assert "1 missing run is skipped: b in c3." in re.sub(r"\s+", " ", str(found))


def test_a_run_without_any_value_of_a_measure_is_the_last() -> None:
    only = {"a": {"A": 0.1, "B": 0.2}, "b": {"A": 0.2}, "c": {"A": 0.3, "B": 0.4}}
    found = carob.compare_collections({"one": only, "two": only}, absent="skip")
    assert found["B"].order == [2, 0, 1]
    text = re.sub(r"\s+", " ", str(found))
    assert (
        "B, macro mean over 2 collections, of 2 runs that all these collections have. No run stands out: c leads"
        in text
    )


def test_means_over_different_collections_name_no_best_run() -> None:
    given = {"c1": {"b": 0.3, "c": 0.2}, "c2": {"a": 0.9, "b": 0.4, "c": 0.35}}
    found = carob.compare_collections(given, absent="skip")
    # a has the largest mean, but lacks the collection on which all are low.
    assert [found.names[run] for run in found["value"].order] == ["b", "c", "a"]
    assert found["value"].whole == [found.names.index("b"), found.names.index("c")]
    text = re.sub(r"\s+", " ", str(found))
    assert "of 2 runs that all these collections have. No run stands out: b leads" in text
    for given in (
        {"c1": {"a": None, "b": 0.3}, "c2": {"a": 0.4, "b": 0.4}},
        {"c1": {"a": None, "b": 0.3}, "c2": {"a": 0.4, "b": None}},
    ):
        text = re.sub(r"\s+", " ", str(carob.compare_collections(given, absent="skip")))
        assert (
            "fewer than two runs cover all 2 collections: means over different collections are not comparable"
            in text
        )
        assert "leads" not in text


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_constant_differences_name_the_test_behind_p_and_have_no_f(interval: str) -> None:
    given = {
        name: {"a": 0.25 + gain, "b": 0.5 + gain} for name, gain in (("x", 0), ("y", 0.125), ("z", 0.25))
    }
    found = carob.compare_collections(given, test=carob.Test(interval=interval))
    assert found["value"].pairs[0].p_uncorrected == 0.25
    text = re.sub(r"\s+", " ", str(found))
    assert "value: 1 pair differs by the same amount on every collection (b - a): without variation" in text
    assert "p is that of the sign-flip test over collections" in text
    assert "chi-squared 3.00 (df 1, p 0.083), F - (df 1 and 2, p -)." in text
    assert "so F and its p are not defined" in text
    usual = str(carob.compare_collections(values(DEMSAR)))
    assert "without variation" not in usual
    assert "not defined" not in usual


def test_a_missing_run_counts_0_or_is_dropped_where_the_caller_says_so() -> None:
    given = gap()
    zero = carob.compare_collections(given, absent="zero")["value"]
    assert zero.means[1] == pytest.approx(sum(each.get("b", 0.0) for each in given.values()) / 5)
    fewer = carob.compare_collections(given, absent="drop-collections")
    assert fewer.collections == ("c0", "c1", "c2", "c4")
    assert carob.compare_collections(given, absent="drop-runs").names == ("a", "c")
    assert "b in c3" in str(fewer)


def test_scores_of_a_missing_run_are_zero_on_each_query() -> None:
    given = with_queries(8, (10, 20, 30), (0.0, 0.1))
    given["c1"] = {"a": given["c1"]["a"]}
    with pytest.raises(DataError, match="b in c1"):
        carob.compare_collections(given)
    found = carob.compare_collections(given, absent="zero", target="these")["AP"]
    assert found.collections[1].means[1] == 0.0
    assert not math.isnan(found.pairs[0].p_uncorrected)


# ---------------------------------------------------------------- input


def test_values_scores_frames_and_runs_are_accepted(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs = {"x": {"q1": {"a": 1.0}, "q2": {"c": 1.0}}, "y": {"q1": {"c": 1.0}, "q2": {"b": 1.0}}}
    evaluated = carob.compare_collections({"one": (qrels, runs), "two": (qrels, runs)}, "RR")["RR"]
    scores = carob.evaluate(qrels, runs, "RR")
    assert (
        carob.compare_collections({"one": scores, "two": scores})["RR"].macro == evaluated.macro == (0.5, 0.5)
    )
    table = tmp_path / "values.csv"
    table.write_text("collection,run,RR,AP\none,x,0.5,0.1\none,y,0.25,0.2\ntwo,x,0.1,0.3\ntwo,y,0.2,0.4\n")
    assert carob.compare_collections(table, "AP")["AP"].macro == pytest.approx((0.2, 0.3))
    assert list(carob.compare_collections(table).measures) == ["RR", "AP"]
    table.write_text("collection,query,run,RR\none,q1,x,0.5\none,q1,y,0.25\ntwo,q,x,0.1\ntwo,q,y,0.2\n")
    found = carob.compare_collections(table)
    assert found["RR"].macro == pytest.approx((0.3, 0.225))
    assert found["RR"].queries == 2
    pl = pytest.importorskip("polars", reason="makes the frame")
    frame = pl.read_csv(table)
    assert carob.compare_collections(frame)["RR"].macro == found["RR"].macro


def test_a_collection_without_values_is_not_left_out_silently(tmp_path: Path) -> None:
    table = tmp_path / "values.csv"
    table.write_text("collection,run,AP\none,x,0.5\none,y,0.2\nnone,x,\nnone,y,nan\nall,x,0.1\nall,y,0.2\n")
    with pytest.raises(DataError, match="x in none, y in none"):
        carob.compare_collections(table)
    found = carob.compare_collections(table, absent="drop-collections")
    assert found.collections == ("one", "all")


def test_what_has_no_spread_has_neither_f_nor_an_interval() -> None:
    same = {name: {"a": 0.5, "b": 0.25} for name in ("one", "two")}
    for interval in ("t", "bootstrap"):
        found = carob.compare_collections(same, test=carob.Test(interval=interval))["value"]
        assert math.isnan(found.pairs[0].low)
        assert found.friedman is not None
        assert math.isinf(found.friedman.f)
        assert math.isnan(found.friedman.f_p)
        assert found.pairs[0].p_uncorrected == 0.5
    alone = with_queries(9, (1, 1), (0.0, 0.1))
    text = re.sub(r"\s+", " ", str(carob.compare_collections(alone, target="these")))
    assert "collections with a single query have no standard error" in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no collections"),
        ({"c": {"a": 0.1, "b": 0.2}}, "1 collection and 2 runs"),
        ({"c": {"a": 0.1}, "d": {"a": 0.2}}, "2 collections and 1 run"),
        ({"c": {"a": math.inf, "b": 0.1}, "d": {"a": 0.2, "b": 0.1}}, "'a' for collection 'c' is infinite"),
        ({"c": 3, "d": 4}, "supported form"),
        ({"c": ({"q": {"d": 1}}, {}), "d": {"a": 1.0}}, "no runs"),
        (17, "cannot be read from int"),
    ],
)
def test_unusable_collections_are_refused(given: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        carob.compare_collections(given)


def test_unknown_words_are_refused() -> None:
    for name in ("target", "average", "absent", "friedman_ties", "borda_of"):
        with pytest.raises(PolicyError, match="'nonsense'"):
            carob.compare_collections(values(DEMSAR), **{name: "nonsense"})
    for setting in ({"name": "sign"}, {"family": "all"}, {"margin": 0.1}):
        with pytest.raises(PolicyError, match="has no meaning on several collections"):
            carob.compare_collections(values(DEMSAR), test=carob.Test(**setting))
    for settings in (
        {"alpha": 0.0},
        {"confidence": 1.0},
        {"rope": -1.0},
        {"rope": math.nan},
        {"rope": math.inf},
        {"rope": math.inf},
    ):
        with pytest.raises(PolicyError):
            carob.compare_collections(values(DEMSAR), test=carob.Test(**settings))
    with pytest.raises(DataError, match="No run is called 'z'"):
        carob.compare_collections(values(DEMSAR), baseline="z")
    with pytest.raises(DataError, match="needs per-query scores"):
        carob.compare_collections(values(DEMSAR), target="these")
    with pytest.raises(DataError, match="needs the number of queries"):
        carob.compare_collections(values(DEMSAR), average="micro")


# ---------------------------------------------------------------- joint intervals


@pytest.mark.parametrize("target", ["similar", "these"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_joint_intervals_exclude_0_exactly_where_the_corrected_p_is_significant(
    target: str, correction: str
) -> None:
    given = with_queries(11, (30,) * 9, (0.0, 0.01, 0.03, 0.03, 0.06))
    test = carob.Test(correction=correction)
    pairs = carob.compare_collections(given, "AP", target=target, test=test)["AP"].pairs
    sure = [pair.p_corrected < 0.05 for pair in pairs]
    assert len(set(sure)) == 2
    assert [pair.joint_low > 0 or pair.joint_high < 0 for pair in pairs] == sure
