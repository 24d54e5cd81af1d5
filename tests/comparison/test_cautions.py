"""What a comparison warns of, and the numbers in it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob import Policy, Qrels, Run
from carob.cli.options import grouped
from carob.comparison.cautions import alternatives, covered_by_percentiles
from carob.evaluation.values import values_of
from carob.matching.match import match
from carob.measures import parse_measure
from comparison.matrices import scores, standardised, systems

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = [f"q{number}" for number in range(30)]
QRELS: dict[str, dict[str, int]] = {query: {"a": 2, "b": 0, "c": 1} for query in QUERIES}
JUDGED: dict[str, dict[str, float]] = {
    query: {"b": 3.0, "a": 2.0, "c": 1.0 + n / 100} for n, query in enumerate(QUERIES)
}
UNJUDGED: dict[str, dict[str, float]] = {
    query: ({"x": 4.0} if n % 2 else {}) | {"y": 3.0, "a": 2.0, "c": 1.0} for n, query in enumerate(QUERIES)
}


def of(found: carob.Comparison, kind: str) -> Any:
    return next(each for each in found.warnings if each.kind == kind)


def flat(found: carob.Comparison) -> str:
    return " ".join(found.to_text(100).split())


def test_an_unjudged_gap_is_told_with_what_it_could_change() -> None:
    found = carob.compare(QRELS, {"base": JUDGED, "new": UNJUDGED}, "RR", baseline="base")
    # new: y a c or x y a c, judged 2 of 3 or 2 of 4. RR .5 or 1/3; 1 without the unjudged; 1 if they were relevant.
    share = (2 / 3 + 2 / 4) / 2
    assert found.judged == pytest.approx((1.0, share))
    caution = of(found, "unjudged")
    assert caution.numbers["removed"] == caution.numbers["relevant"] == pytest.approx(1.0)
    assert caution.numbers["difference_removed"] == pytest.approx(0.5)
    assert (
        "new: 41.7% of its top 10 is unjudged, on average over the queries (base 0.0%); unjudged documents count as "
        "not relevant." in flat(found)
    )
    assert "With all unjudged documents removed, the difference in RR (new - base) is +0.500" in flat(found)


@pytest.mark.parametrize("runs", [1, 6])
def test_removed_documents_do_not_count_as_not_relevant(runs: int) -> None:
    several = {f"new{n}": UNJUDGED for n in range(runs)} | {"base": JUDGED}
    for policy, said in ((Policy(), "count as not relevant."), (Policy(unjudged="removed"), "are removed.")):
        found = carob.compare(QRELS, several, "RR", policy=policy, test="t")
        assert said in of(found, "unjudged").sentence
    assert "removed" not in of(found, "unjudged").numbers


@pytest.mark.parametrize("names", [("new", "base"), ("base", "new")])
def test_an_unjudged_gap_has_the_sign_of_the_table(names: tuple[str, str]) -> None:
    runs = {"new": UNJUDGED, "base": JUDGED}
    said = flat(carob.compare(QRELS, {name: runs[name] for name in names}, "RR"))
    assert f"base - new {1 / 12:+.3f}" in said
    assert f"the difference in RR (base - new) is {-1 / 2:+.3f}. Bounds" in said


def test_an_unjudged_gap_has_the_weights_and_intervals_of_the_table() -> None:
    runs = {"new": UNJUDGED, "base": JUDGED}
    weights = {query: 1.0 + n % 2 for n, query in enumerate(QUERIES)}
    found = carob.compare(QRELS, runs, "RR", design=carob.Design(weights=weights))
    numbers = of(found, "unjudged").numbers
    # RR .5 has the weight 1 and 1/3 the weight 2, and 1 if relevant; base has .5 everywhere.
    assert found.primary.pairs[0].difference == pytest.approx((0.5 + 2 / 3) / 3 - 0.5)
    assert numbers["pair"] == [1, 0], "the better run is first"
    assert numbers["difference_removed"] == pytest.approx(-0.5)
    clusters = {query: str(n // 3) for n, query in enumerate(QUERIES)}
    mixed = {query: UNJUDGED[query] if n % 3 else JUDGED[query] for n, query in enumerate(QUERIES)}
    pairs = {"new": UNJUDGED, "base": mixed}
    known = [
        of(carob.compare(QRELS, pairs, "RR", design=carob.Design(cluster=each)), "unjudged").numbers
        for each in (None, clusters)
    ]
    assert [np.isnan(each["low_removed"]) for each in known] == [False, True]


def test_runs_that_are_equal_have_no_gap_and_no_detectable_difference() -> None:
    found = carob.compare(QRELS, {"one": UNJUDGED, "other": UNJUDGED}, "RR")
    assert "difference_removed" not in of(found, "unjudged").numbers
    assert np.isnan(found.primary.pairs[0].detectable)
    assert "Smallest difference" not in flat(found)


def test_many_unjudged_runs_are_told_together() -> None:
    runs = {f"r{number}": UNJUDGED for number in range(6)} | {"base": JUDGED}
    caution = of(carob.compare(QRELS, runs, "RR", test="t"), "unjudged")
    assert len(caution.runs) == 6
    assert caution.numbers["runs"]["r0"]["removed"] == pytest.approx(1.0)


@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "RR", "P@2", "R@3", "RBP"])
def test_counted_as_relevant_is_what_such_judgments_would_give(measure: str) -> None:
    """The oracle: judgments in which the first unjudged documents of this run have the highest grade."""
    draw = np.random.default_rng(3)
    run = {query: {f"d{n}": float(draw.random()) for n in range(8)} for query in QUERIES}
    qrels = {query: {f"d{n}": int(draw.integers(-1, 4)) for n in range(4)} for query in QUERIES}
    found = match(Qrels.of(qrels), Run.of(run), Policy())
    asked = parse_measure(measure)
    more = {query: dict(judged) for query, judged in qrels.items()}
    for query, documents in run.items():
        for document in sorted(documents, key=lambda each: -documents[each])[:3]:
            if more[query].get(document, -1) < 0:
                more[query][document] = 3
    values = alternatives(found, asked, Policy(), 3, 3.0)
    expected = values_of(match(Qrels.of(more), Run.of(run), Policy()).rows, [asked])[:, 0]
    order = sorted(QUERIES, key=str.encode)
    assert [query.decode() for query in found.queries] == order
    assert values[:, 1] == pytest.approx(expected)
    condensed = match(Qrels.of(qrels), Run.of(run), Policy(unjudged="removed"))
    assert values[:, 0] == pytest.approx(values_of(condensed.rows, [asked])[:, 0])


def test_ties_that_could_turn_the_order_are_told() -> None:
    tied = {query: {"a": 1.0, "b": 1.0} for query in QUERIES}
    above = {
        query: {"a": 2.0, "b": 1.0} if n < 20 else {"b": 2.0, "a": 1.0} for n, query in enumerate(QUERIES)
    }
    found = carob.compare(QRELS, {"tied": tied, "above": above}, "RR")
    assert of(found, "ties").numbers["bounds"][0] == [0.5, 1.0]
    said = "Because of ties in tied, another order of equal scores could reverse above and tied in RR"
    assert said in flat(found)
    low = {query: {"b": 2.0, "x": 1.5, "a": 1.0} for query in QUERIES}
    assert not [
        each
        for each in carob.compare(QRELS, {"tied": tied, "low": low}, "RR").warnings
        if each.kind == "ties"
    ]


def test_a_pair_has_the_baseline_second_in_warnings_as_in_the_table() -> None:
    judged = {query: {"a": 1.0, "b": 0.5} for query in QUERIES}
    unjudged = {query: {"x": 2.0, "a": 1.0} if n % 2 else {"a": 1.0} for n, query in enumerate(QUERIES)}
    for baseline, other in (("one", "two"), ("two", "one")):
        found = carob.compare(QRELS, {"one": unjudged, "two": judged}, "RR", baseline=baseline)
        assert f"the difference in RR ({other} - {baseline}) is" in flat(found)


def test_a_run_without_ties_has_one_number_among_close_runs() -> None:
    tied = {query: {"a": 1.0, "b": 1.0} for query in QUERIES}
    above = {
        query: {"a": 2.0, "b": 1.0} if n < 20 else {"b": 2.0, "a": 1.0} for n, query in enumerate(QUERIES)
    }
    # RR is 1 for 20 queries and .5 for 10.
    assert "could reverse above and tied in RR: above 0.833, tied 0.500-1.000." in flat(
        carob.compare(QRELS, {"tied": tied, "above": above}, "RR")
    )


def test_warnings_that_differ_in_the_name_only_are_told_once() -> None:
    late = {query: JUDGED[query] for query in QUERIES[2:]}
    other = {query: JUDGED[query] for query in QUERIES[:-1]} | {"q99": {"a": 1.0}}
    runs = {f"r{n}": late for n in range(9)} | {"other": other, "base": JUDGED}
    found = carob.compare(QRELS, runs, "RR", test="t")
    text = flat(found)
    names = "r0, r1, r2, r3, r4, r5, r6 and 2 more"
    assert f"! {names} lack 2 of 30 judged queries, counted as 0: q0, q1." in text
    assert "! other lacks 1 of 30 judged queries, counted as 0: q29." in text
    assert text.count("judged queries, counted as 0") == 2
    for layout in (found.to_markdown(), found.to_latex()):
        assert layout.count("judged queries, counted as 0") == 2
    written = [each for each in json.loads(found.to_json())["warnings"] if each["kind"] == "missing"]
    assert [each["runs"] for each in written] == [[n] for n in range(10)]
    assert written[3]["sentence"] == "r3 lacks 2 of 30 judged queries, counted as 0: q0, q1."
    two = carob.compare(QRELS, {"one": other, "two": other}, "RR")
    assert "! one, two have 1 unjudged query, ignored." in flat(two)
    # The same number of other queries is another warning.
    apart = carob.compare(QRELS, {"late": late, "early": {each: JUDGED[each] for each in QUERIES[:-2]}}, "RR")
    assert "late lacks 2 of 30 judged queries, counted as 0: q0, q1." in flat(apart)
    assert "early lacks 2 of 30 judged queries, counted as 0: q28, q29." in flat(apart)


RANDOM = np.random.default_rng(0).random((80, 2))


def test_percentiles_say_from_how_many_resamples_and_which_seed() -> None:
    drawn = {"interval": "bootstrap", "resamples": 500, "seed": 7}
    one = flat(carob.compare(None, systems(RANDOM), **grouped(drawn)))
    assert (
        "95% CI: percentile bootstrap over queries (500 resamples, seed 7), separately for each mean" in one
    )
    tested = flat(carob.compare(None, systems(RANDOM), **grouped({"test": "randomisation", **drawn})))
    assert "500 resamples, seed 7. " in tested
    assert "95% CI: percentile bootstrap over queries, separately for each mean" in tested
    # With few queries p is exact, so that its sentence names no resamples.
    exact = flat(carob.compare(None, systems(RANDOM[:6]), **grouped({"test": "randomisation", **drawn})))
    assert "exact p" in exact
    assert "bootstrap over queries (500 resamples, seed 7)" in exact
    drawn.pop("interval")
    assert "resamples" not in flat(carob.compare(None, systems(RANDOM), test="t"))
    assert "500 resamples" not in flat(carob.compare(None, systems(RANDOM, "GMAP"), test="t", **grouped({})))
    both = flat(carob.compare(None, systems(RANDOM, "GMAP"), **grouped({"interval": "bootstrap", **drawn})))
    assert both.count("500 resamples, seed 7") == 1


@pytest.mark.parametrize(
    ("resamples", "confidence", "needed"),
    [(1, 0.95, "1,000"), (39, 0.95, "1,000"), (40, 0.95, None), (199, 0.99, "2,000"), (200, 0.99, None)],
)
def test_a_bootstrap_of_too_few_resamples_is_told(
    resamples: int, confidence: float, needed: str | None
) -> None:
    choices: dict[str, Any] = {"resamples": resamples, "confidence": confidence}
    for measure, interval in (("AP", "bootstrap"), ("GMAP", "bootstrap")):
        found = carob.compare(None, systems(RANDOM, measure), **grouped({"interval": interval, **choices}))
        told = [each for each in found.warnings if each.kind == "resamples"]
        assert bool(told) == (needed is not None)
        if needed is not None:
            assert told[0].sentence == (
                f"{resamples} {'resample is' if resamples == 1 else 'resamples are'} too few for the percentiles of a "
                f"{confidence * 100:g}% interval, since fewer than one is expected beyond each end: "
                f"use at least {needed} resamples."
            )
    assert not [
        each
        for each in carob.compare(None, systems(RANDOM), **grouped(choices)).warnings
        if each.kind == "resamples"
    ]


def test_queries_without_judgments_are_told() -> None:
    more = {**JUDGED, "other": {"a": 1.0}}
    assert of(carob.compare(QRELS, {"base": JUDGED, "more": more}, "RR"), "extra").numbers["queries"] == 1


def test_few_and_many_queries_are_told() -> None:
    few = carob.compare(None, systems(np.random.default_rng(0).random((12, 2))))
    assert (
        "12 queries are few: if differences vary as they do on these queries, they detect a true difference of"
        in flat(few)
    )
    many = carob.compare(None, systems(np.random.default_rng(0).random((1001, 2))))
    assert "judge by the difference and its interval, not by p" in flat(many)
    header = next(line for line in many.to_text(100).splitlines() if " diff " in line)
    assert header.index("diff") < header.index("CI") < header.rindex(" p")


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_test_of_another_hypothesis_says_so(test: str) -> None:
    found = carob.compare(None, systems(np.random.default_rng(0).random((40, 2))), test=test)
    assert "This test does not compare means" in flat(found)
    assert (
        "skewed, the test can reject equal means, and does so more often the more queries there are."
        in flat(found)
    )


def test_a_p_that_another_seed_could_turn_is_told() -> None:
    draw = standardised(60) * 0.2
    shift = stats.t.ppf(0.975, 59) * 0.2 / np.sqrt(60)  # p near .05
    runs = [scores("a", 0.5 + draw + shift), scores("b", np.full(60, 0.5))]
    found = carob.compare(None, runs, test=carob.Test("randomisation", resamples=200))
    assert abs(found.primary.pairs[0].p_uncorrected - 0.05) < 0.03
    assert "so close to alpha in AP that another seed could change the decision" in flat(found)


def test_aggregates_that_are_no_means_say_what_was_tested() -> None:
    values = np.random.default_rng(0).random((40, 2))
    geometric = flat(carob.compare(None, systems(values, "GMAP"), test=carob.Test(margin=0.1, rope=0.1)))
    assert "GMAP is a geometric mean: test and interval concern the ratio of two" in geometric
    assert "Margins and ropes are differences, so they are not applied to ratios." in geometric
    assert "NumRelRet is a sum" in flat(carob.compare(None, systems(np.round(9 * values), "NumRelRet")))
    assert "E@10: smaller is better." in flat(carob.compare(None, systems(values, "E@10")))
    weighted = [replace(each, weights=np.arange(1.0, 41)[:, None]) for each in systems(values)]
    assert "AP: queries have different weights" in flat(carob.compare(None, weighted))


def test_a_clean_comparison_warns_of_nothing() -> None:
    assert carob.compare(None, systems(np.random.default_rng(0).random((60, 3)))).warnings == ()


def test_a_measure_over_all_queries_documents_says_that_its_p_is_approximate() -> None:
    found = carob.compare(QRELS, {"base": JUDGED, "new": UNJUDGED}, "AUC(micro=true)")
    assert "not independent, and p and intervals are approximate" in flat(found)


def test_a_name_cannot_steer_the_terminal() -> None:
    values = np.random.default_rng(0).random((60, 2))
    found = carob.compare(None, [scores("a\x1b[2Jb", values[:, 0]), scores("c", values[:, 1])])
    assert "\x1b" not in found.to_text()
    assert "a\\x1b[2Jb" in found.to_text()


def test_judgments_of_relevant_documents_alone_say_nothing_about_what_is_missing() -> None:
    """No run can have more judged documents than there are: one line says so, whatever the number of runs."""
    run = {query: {each: float(-place) for place, each in enumerate("xayz")} for query in RUN_OF_BOTH}
    golden = {query: {"a": 1} for query in RUN_OF_BOTH}
    for count in (2, 6):
        found = carob.compare(golden, {f"r{place}": run for place in range(count)}, "RR")
        assert (
            "The judgments list only relevant documents, 1 per query, so the proportion of a run's documents that is "
            "judged does not show whether judgments are missing; unjudged documents count as not relevant."
        ) in flat(found)
        assert "is unjudged" not in flat(found)
        assert of(found, "unjudged").numbers == {"depth": 10}
        for grade in (0, -1):
            judged = {query: {**its, "z": grade} for query, its in golden.items()}
            found = carob.compare(judged, {f"r{place}": run for place in range(count)}, "RR")
            assert "list only relevant" not in flat(found)


def test_the_gap_of_a_pair_is_told_once() -> None:
    one = {query: {"x": 3.0, **its} for query, its in RUN_OF_BOTH.items()}
    two = {query: {"y": 3.0, **its} for query, its in RUN_OF_BOTH.items()}
    judged = {query: {"a": 1, "b": 0} for query in RUN_OF_BOTH}
    found = carob.compare(judged, {"one": one, "two": two}, "RR")
    (caution,) = [each for each in found.warnings if each.kind == "unjudged"]
    assert caution.runs == (0, 1)
    assert "one: 33.3% of its top 10 is unjudged, on average over the queries (two 33.3%)" in flat(found)


def test_there_is_no_gap_where_what_is_not_judged_is_negative_by_declaration() -> None:
    one = {query: {"x": 3.0, **its} for query, its in RUN_OF_BOTH.items()}
    judged = {query: {"a": 1, "b": 0} for query in RUN_OF_BOTH}
    policy = carob.Policy(unjudged="negative")
    found = carob.compare(judged, {"one": one, "two": RUN_OF_BOTH}, "RR", policy=policy)
    assert not [each for each in found.warnings if each.kind == "unjudged"]
    assert "judged@" not in found.to_text()
    plain = carob.compare(judged, {"one": one, "two": RUN_OF_BOTH}, "RR")
    assert found["RR"].means == plain["RR"].means
    assert [each for each in plain.warnings if each.kind == "unjudged"]


RUN_OF_BOTH = {f"q{number}": {"a": 2.0, "b": 1.0} for number in range(30)}


def test_what_a_footer_tells_of_the_data_is_told_in_a_comparison_too(tmp_path: Path) -> None:
    queries = [f"q{number}" for number in range(6)]
    qrels = {query: {"a": 1, "b": 0, "c": 1} for query in queries}
    files = {
        "oracle": [
            f"{query} Q0 {each} 1 {9 - place} t" for query in queries for place, each in enumerate("acbu")
        ],
        "flat": [f"{query} Q0 {each} 1 1 t" for query in queries for each in "abcu"],
        "rows": [
            f"{query} Q0 {each} 1 {9 - place} t" for query in queries for place, each in enumerate("bcau")
        ]
        + ["q1 Q0 a 9 1 t", "q2 Q0 z 9 nan t"],
    }
    for name, lines in files.items():
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    policy = carob.Policy(duplicates="first", malformed="skip")
    runs = {name: str(tmp_path / f"{name}.run") for name in files}
    found = carob.compare(qrels, runs, "AP", policy=policy)
    told = {each.kind: (each.runs, each.sentence) for each in found.warnings}
    assert told["perfect"] == (
        (0,),
        "Every query has the highest possible value (check that the run was not made from the judgments): oracle.",
    )
    assert told["equal-scores"] == (
        (1,),
        "6 lists with all scores equal, ordered by document id, descending: flat (6 of 6).",
    )
    assert told["duplicates"] == ((2,), "1 duplicate dropped: rows.")
    assert told["malformed"] == ((2,), "1 malformed line skipped: rows.")
    for layout in (found.to_text(), found.to_markdown(), found.to_latex(), found.to_json()):
        assert "not made from the judgments): oracle." in " ".join(layout.split())


def test_runs_whose_lists_end_early_are_told_where_a_measure_reads_further() -> None:
    qrels = {f"q{number}": {"d1": 1, "d5": 1} for number in range(6)}
    runs = {
        "long": {query: ["d1", "d2", "d3", "d5", "d6"] for query in qrels},
        "short": {query: ["d1", "d2", "d3"] for query in qrels},
    }

    def told(measure: str, **settings: Any) -> list[str]:
        found = carob.compare(qrels, runs, measure, policy=carob.Policy(**settings)).warnings
        return [each.sentence for each in found if each.kind == "lengths"]

    (sentence,) = told("AP")
    assert sentence.startswith(
        "short: the longest list has 3 documents, but 5 in another run. In AP, shorter"
    )
    assert len(told("P@4")) == 1
    assert told("P@3") == told("AP", depth=3) == []


@pytest.mark.parametrize(
    ("test", "said"), [("tukey", "this test assumes one variance"), ("max-t", "this test has one width")]
)
def test_one_width_for_pairs_of_unequal_spread_is_told_although_no_decision_turns(
    test: str, said: str
) -> None:
    """Tukey's intervals cover all differences at once only if all pairs have the same variance."""
    draw = np.random.default_rng(0)
    difficulty, noise = draw.normal(0, 0.1, (50, 1)), draw.normal(0, 1, (50, 5))
    # Equal means, so that no test finds anything, and spreads of exactly the sizes below.
    noise = 7 * np.linalg.qr(noise - noise.mean(axis=0))[0]
    for spread, told in (([0.03, 0.03, 0.1, 0.1, 0.1], True), ([0.05] * 5, False)):
        found = carob.compare(None, systems(0.5 + difficulty + noise * spread), test=test)
        assert (said in flat(found)) is told
        assert ("pairs that vary most" in flat(found)) is (told and test == "tukey")
    chosen = carob.compare(
        None, systems(0.5 + difficulty + noise * [0.03, 0.03, 0.1, 0.1, 0.1]), test="romano-wolf"
    )
    assert "variances" not in {each.kind for each in chosen.warnings}


@pytest.mark.parametrize("test", ["romano-wolf", "max-t"])
def test_no_other_test_is_quoted_where_none_of_signs_can_find_anything(test: str) -> None:
    """With five queries, 1/16 is the smallest p; with 20 resamples, 1/21."""
    draw = np.random.default_rng(0)
    noise = draw.normal(0, 1, (5, 4)) * [0.01, 0.01, 0.01, 0.3]
    values = noise + [0.3, 0.6, 0.9, 0.5]
    assert "variances" not in {each.kind for each in carob.compare(None, systems(values), test=test).warnings}
    many = np.tile(values, (6, 1)) + draw.normal(0, 0.01, (30, 4))
    few = carob.compare(None, systems(many), test=carob.Test(test, resamples=15))
    assert "variances" not in {each.kind for each in few.warnings}


def test_few_clusters_are_named_and_not_their_queries() -> None:
    values = {
        name: {"AP": {f"q{n}": (n * step) % 7 / 10 for n in range(40)}} for name, step in (("a", 3), ("b", 5))
    }
    clusters = {f"q{n}": str(n % 2) for n in range(40)}
    found = carob.compare(None, carob.read_scores(values), design=carob.Design(cluster=clusters))
    few = next(each.sentence for each in found.warnings if each.kind == "few")
    assert few.startswith("2 clusters are")


CROWDED = np.array([[1.0, 1.0], [1.0, 0.5], [1.0, 1.0], [0.5, 0.25]] * 3)
"""Reciprocal ranks of two runs, many of which are equal."""


def two(matrix: Any, **options: Any) -> carob.Comparison:
    return carob.compare(None, systems(np.asarray(matrix)), **grouped(options))


def plain(runs: int) -> Any:
    return np.random.default_rng(4).uniform(0.2, 0.8, (30, runs))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "interval, p and verdict are from the worst-point interval (the t-test gives "),
        ({"margin": 0.1}, "interval, p, p(equiv.) and verdict are"),
        ({"rope": 0.1, "test": "t"}, "interval, p, posterior and verdict are"),
        ({"rope": 0.1, "test": "randomisation"}, "interval and posterior are from the worst-point interval."),
        (
            {"test": "max-t"},
            "interval and p(t) are from the worst-point interval, and the corrected p is at least as large",
        ),
    ],
)
def test_it_is_said_where_p_and_verdict_are_not_those_of_the_t_test(
    options: dict[str, Any], told: str
) -> None:
    found = two(CROWDED, **options)
    student = float(stats.ttest_rel(*CROWDED.T).pvalue)
    (pair,) = found.primary.pairs
    assert pair.worst_point
    of_t = options.get("test") != "randomisation"
    assert pair.p_t_test == (pytest.approx(student) if of_t else None)
    for text in (flat(found), found.to_latex(), " ".join(json.loads(found.to_json())["method"])):
        assert f"Where many values are equal, {told}" in text
    written = json.loads(found.to_json())["contests"][found.labels[0]]["pairs"][0]
    assert written["worst_point"]
    assert written["p_t_test"] == (pytest.approx(student) if of_t else None)


def test_p_of_the_t_test_is_not_repeated_where_it_decides() -> None:
    found = two(plain(2))
    assert "Where many values are equal" not in flat(found)
    assert found.primary.pairs[0].p_t_test is None


def test_a_bootstrap_of_equal_values_or_few_queries_says_what_it_does_not_cover() -> None:
    found = two(CROWDED, interval="bootstrap", resamples=200)
    assert "Percentiles may give too narrow an interval for" in of(found, "crowded").sentence
    caution = next(each for each in found.warnings if "percentile intervals cover" in each.sentence)
    assert caution.numbers["covered"] == pytest.approx(0.91, abs=0.005)
    assert not any("percentile intervals cover" in each.sentence for each in two(CROWDED).warnings)


@pytest.mark.parametrize(
    ("units", "covered"), [(2, 0.50), (3, 0.74), (5, 0.84), (8, 0.89), (10, 0.90), (24, 0.93)]
)
def test_percentiles_cover_as_in_simulations(units: int, covered: float) -> None:
    assert covered_by_percentiles(units, 0.95) == pytest.approx(covered, abs=0.012)


def test_percentiles_without_width_are_no_interval() -> None:
    ones = np.ones((12, 2))
    ones[:, 1] = 0.5
    found = two(ones, interval="bootstrap", resamples=200, margin=0.1)
    (pair,) = found.primary.pairs
    assert np.isnan([pair.low, pair.high, *found.primary.low, *found.primary.high]).all()
    assert "All resamples have the same mean" in flat(found)


@pytest.mark.parametrize(("gap", "interval"), [(0.0, "bootstrap"), (0.25, "bootstrap"), (0.25, "t")])
def test_equal_differences_show_neither_equivalence_nor_a_posterior(gap: float, interval: str) -> None:
    first = np.array([0.5, 0.25, 0.625, 0.375])
    found = two(np.stack([first, first + gap], axis=1), margin=0.1, rope=0.1, interval=interval)
    (pair,) = found.primary.pairs
    assert np.isnan([pair.p_equivalent, pair.p_worse, pair.p_same, pair.p_better]).all()
    assert "p(equiv.) or posterior" in flat(found)


@pytest.mark.parametrize("test", ["tukey", "max-t"])
def test_a_corrected_interval_that_is_narrower_is_told(test: str) -> None:
    draw = np.random.default_rng(1)
    base = draw.normal(0.5, 0.02, (40, 1)) + draw.normal(0, 0.005, (40, 6))
    base[:, 5] = draw.uniform(0.1, 0.9, 40)
    found = two(base, test=test)
    less = [
        pair
        for pair in found.primary.pairs
        if pair.joint_high - pair.joint_low < (pair.high - pair.low) * (1 - 1e-9)
    ]
    assert any("narrower than the uncorrected" in each.sentence for each in found.warnings) == bool(less)
    assert less if test == "tukey" else True


def test_tukeys_intervals_say_what_they_assume_and_p_equivalent_that_it_is_not_corrected() -> None:
    found = two(plain(3), test="tukey", margin=0.1)
    assert "differences simultaneously if all pairs have the same variance and are not very skewed" in flat(
        found
    )
    assert "separately for each pair and not corrected for the number of pairs" in flat(found)
    assert "not corrected for the number" not in flat(two(plain(2), margin=0.1))


def test_a_decision_that_the_interval_contradicts_is_said() -> None:
    """By signs, seven wins and a tie decide; Student's interval of the same differences contains 0."""
    lower = np.array([0.5, 0.51, 0.49, 0.52, 0.48, 0.53, 0.47, 0.5])
    differences = [0.9, 0.05, 0.02, 0.03, 0.04, 0.06, 0.01, 0.0]
    table = np.column_stack([lower + np.array(differences) / 2, lower])
    found = carob.compare(None, systems(table, "DCG@10"), test="randomisation")
    pair = found.primary.pairs[0]
    assert pair.p_corrected < 0.05
    assert pair.low < 0 < pair.high
    (said,) = [each.sentence for each in found.warnings if each.kind == "disagree"]
    assert said.startswith("s0 and s1 are significantly different in DCG@10, although the 95% interval")
    # By Student's t, test and interval are one.
    assert "disagree" not in [
        each.kind for each in carob.compare(None, systems(table, "DCG@10"), test="t").warnings
    ]


def test_an_interval_without_0_and_a_test_that_finds_nothing_is_said() -> None:
    table = np.random.default_rng(5).normal(size=(12, 2)) * 0.1 + 0.5
    table[:, 0] = table[:, 1] + np.array([0.1] * 9 + [-0.1] * 3) + np.arange(12) / 1e4
    found = carob.compare(None, systems(table, "DCG@10"), test="sign")
    pair = found.primary.pairs[0]
    assert pair.p_corrected > 0.05
    assert ("disagree" in [each.kind for each in found.warnings]) == (pair.low > 0)


def test_few_queries_say_what_students_t_assumes() -> None:
    table = np.random.default_rng(1).normal(size=(30, 2))
    said = {
        (test, rows): " ".join(str(carob.compare(None, systems(table[:rows], "DCG@10"), test=test)).split())
        for test in ("t", "randomisation")
        for rows in (9, 14)
    }
    assumed = "Student's t assumes nearly normal differences, which so few queries cannot confirm."
    assert [assumed in said[each] for each in (("t", 9), ("t", 14), ("randomisation", 9))] == [
        True,
        False,
        False,
    ]


def test_one_query_has_no_interval_even_if_the_runs_are_identical() -> None:
    found = carob.compare(None, systems(np.array([[1.0, 1.0]]), "DCG@10"))
    assert np.isnan(found.primary.pairs[0].low)
    words = " ".join(str(found).split())
    assert "identical on the only query in DCG@10." in words
    assert "there is no interval and no p." in words


def test_equal_values_of_a_measure_without_a_largest_value_have_no_interval_and_a_reason() -> None:
    qrels = {f"q{each}": {"a": 1, "b": 0, "c": 1} for each in range(20)}
    run = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in qrels}
    found = carob.compare(qrels, {"one": run, "same": run}, "DCG@10")
    pair = found.primary.pairs[0]
    assert np.isnan([pair.low, pair.high, found.primary.low[0]]).all()
    said = flat(found)
    assert "no interval for one, same. All values are equal, and DCG@10 has no largest value" in said
    assert "one and same are identical on all 20 queries" in said
