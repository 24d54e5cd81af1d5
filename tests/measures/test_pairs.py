"""Tests the measures of pairs where a list of grades cannot: on tied scores, and on several queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

import carob
from carob import DataError, MeasureError, Policy
from strategies import examples, judgments, runs

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_tie_counts_one_half() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "x": 0.0}}
    # Pairs: a-b tied, a-x right, c-b wrong, c-x right.
    for ties in ("trec", "ascending", "optimistic", "pessimistic"):
        assert carob.evaluate(qrels, run, "AUC", policy=Policy(ties=ties))["AUC"] == (0.5 + 1 + 0 + 1) / 4


def test_a_tie_that_the_depth_cuts_counts_inside() -> None:
    qrels = {"q": {"a": 1}}
    run = {"q": {"a": 1.0, "x": 2.0, "y": 1.0, "z": 1.0}}
    # The first three: x, then two of the tied ones, of which a is one under this rule.
    assert carob.evaluate(qrels, run, "AUC@3", policy=Policy(ties="ascending"))["AUC@3"] == (0 + 0.5) / 2


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_auc_counts_every_pair(qrels: dict, run: dict) -> None:
    scores = carob.evaluate(qrels, run, "AUC") if set(qrels) & set(run) else None
    for query, value in scores.by_query("AUC").items() if scores else ():
        ranked = run.get(query, {})
        relevant = [d for d in ranked if qrels[query].get(d, 0) >= 1]
        pairs = [(d, e) for d in relevant for e in ranked if e not in relevant]
        right = sum((ranked[d] > ranked[e]) + 0.5 * (ranked[d] == ranked[e]) for d, e in pairs)
        assert value == pytest.approx(right / len(pairs) if pairs else 0, abs=1e-12)


QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 1}, "3": {"a": 0, "b": 0, "c": 1, "d": 1}}
RUN = {
    "1": {"a": 1.0, "b": 2.0},
    "2": {"a": 2.0, "b": 1.0},
    "3": {"c": 4.0, "a": 3.0, "d": 2.0, "b": 1.0, "x": 0.0},
}
# AUC: 0 of one pair; no pair; 2 below c and b, x below d: 3 + 2 of 6 pairs.
THREE = 5 / 6


@pytest.mark.parametrize(
    ("measure", "mean"),
    [
        ("AUC", (0 + 0 + THREE) / 3),
        ("AUC(single=half)", (0 + 0.5 + THREE) / 3),
        ("GAUC(weight=queries)", (0 + THREE) / 2),
        ("GAUC", (2 * 0 + 5 * THREE) / (2 + 5)),
        ("GAUC(weight=relevant)", (1 * 0 + 2 * THREE) / (1 + 2)),
        ("GAUC(weight=pairs)", (1 * 0 + 6 * THREE) / (1 + 6)),
    ],
)
def test_queries_weigh_as_their_measure_says(measure: str, mean: float) -> None:
    scores = carob.evaluate(QRELS, RUN, measure)
    assert scores[measure] == pytest.approx(mean, abs=1e-15)


def test_partial_areas_are_rectools() -> None:
    # RecTools 0.19.0 says 0.5333 (PartialAUC) and 0.6667 (PAP) of these two users, k = 3.
    ranked = [[1, None, 1, None, 1, None, 1, 1], [None, 1, None, None, None, None, None, None]]
    judged = [[1, 1, 1, 1, 1], [1]]
    scores = carob.evaluate_grades(ranked, ["PartialAUC@3", "PartialAUC(over=capped)@3"], judged)
    assert scores["PartialAUC@3"] == pytest.approx((6 / 15 + 2 / 3) / 2, abs=1e-15)
    assert scores["PartialAUC(over=capped)@3"] == pytest.approx((6 / 9 + 2 / 3) / 2, abs=1e-15)


# ---------------------------------------------------------------- one area for all queries

MICRO = "AUC(micro=true)"


def every_pair(rows: list[tuple[bool, float, float]]) -> float:
    """The share of right pairs, one by one: rows of (relevant, score, weight), all of them together."""
    pairs = [(a, b) for a in rows for b in rows if a[0] and not b[0]]
    right = sum(((a[1] > b[1]) + 0.5 * (a[1] == b[1])) * a[2] * b[2] for a, b in pairs)
    return right / sum(a[2] * b[2] for a, b in pairs) if pairs else 0.0


def rows_of_all(qrels: dict, run: dict, weights: dict | None = None) -> list[tuple[bool, float, float]]:
    """Every document retrieved for a judged query, unjudged ones among the others."""
    return [
        (qrels[query].get(document, 0) >= 1, score, weights[query] if weights else 1.0)
        for query in qrels
        for document, score in run.get(query, {}).items()
    ]


def test_micro_pairs_cross_queries() -> None:
    # Relevant: 1, 2, 2, 1 (query 2), 4, 2. Others: 2, 3, 1, and 0 unjudged. Of these four have below them:
    # 1: ½+1; 2: ½+1+1; 2 and 1 of query 2 alike; 4: all four; 2 of query 3.
    right = 1.5 + 2.5 + 1.5 + 4 + 2.5
    scores = carob.evaluate(QRELS, RUN, MICRO)
    assert scores[MICRO] == pytest.approx(right / (5 * 4), abs=1e-15)
    # A query's value is the share of its own relevant documents' pairs.
    assert scores.by_query(MICRO) == {"1": 1.5 / 4, "2": (2.5 + 1.5) / 8, "3": (4 + 2.5) / 8}


def test_micro_is_what_scikit_learn_says_of_all_rows() -> None:
    # sklearn.metrics.roc_auc_score([0, 1, 1, 0, 1, 0, 1], [.1, .4, .4, .4, .8, .9, .2]) is 0.5 (scikit-learn 1.9.1);
    # with sample_weight=[1, 1, 1, 3, 3, 3, 3] it is 0.3571428571428572.
    qrels = {"u": {"a": 0, "b": 1, "c": 1}, "v": {"d": 0, "e": 1, "f": 0, "g": 1}}
    run = {"u": {"a": 0.1, "b": 0.4, "c": 0.4}, "v": {"d": 0.4, "e": 0.8, "f": 0.9, "g": 0.2}}
    assert carob.evaluate(qrels, run, MICRO)[MICRO] == pytest.approx(0.5, abs=1e-15)
    weighted = carob.evaluate(qrels, run, MICRO, weights={"u": 1, "v": 3})
    assert weighted[MICRO] == pytest.approx(0.3571428571428572, abs=1e-15)


@settings(max_examples=examples(150), deadline=None)
@given(judgments(), runs())
def test_micro_auc_counts_every_pair(qrels: dict, run: dict) -> None:
    if not set(qrels) & set(run):
        return
    weights = {query: float(place) for place, query in enumerate(sorted(qrels), 1)}
    for ties in ("trec", "pessimistic", "expected"):
        scores = carob.evaluate(qrels, run, MICRO, policy=Policy(ties=ties))
        assert scores[MICRO] == pytest.approx(every_pair(rows_of_all(qrels, run)), abs=1e-12)
    weighted = carob.evaluate(qrels, run, MICRO, weights=weights)
    assert weighted[MICRO] == pytest.approx(every_pair(rows_of_all(qrels, run, weights)), abs=1e-12)


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_micro_without_unjudged_documents(qrels: dict, run: dict) -> None:
    if not set(qrels) & set(run):
        return
    policy = Policy(unjudged="removed")
    known = {
        query: {d: score for d, score in run.get(query, {}).items() if grades.get(d, -1) >= 0}
        for query, grades in qrels.items()
    }
    found = carob.evaluate(qrels, run, MICRO, policy=policy)[MICRO]
    assert found == pytest.approx(every_pair(rows_of_all(qrels, known)), abs=1e-12)


def test_micro_down_to_a_depth() -> None:
    scores = carob.evaluate(QRELS, RUN, [f"{MICRO}@1", f"{MICRO}@2"], policy=Policy(ties="trec"))
    # First documents: 2, not relevant, then 2 and 4, relevant. The first two of query 1: 2 and 1; of query 2: 2 and 1,
    # both relevant; of query 3: 4 and 3, the latter not relevant.
    assert scores[f"{MICRO}@1"] == pytest.approx((0.5 + 1) / 2, abs=1e-15)
    assert scores[f"{MICRO}@2"] == pytest.approx((0 + 0.5 + 0 + 2) / (4 * 2), abs=1e-15)
    assert carob.evaluate(QRELS, RUN, MICRO, policy=Policy(depth=2))[MICRO] == scores[f"{MICRO}@2"]
    cut = carob.curve(MICRO, QRELS, RUN)
    assert cut[MICRO][:2] == [scores[f"{MICRO}@1"], scores[f"{MICRO}@2"]]


def test_micro_of_one_class_is_what_single_says() -> None:
    run = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 3.0}}
    for qrels in ({"1": {"a": 1, "b": 1}, "2": {"c": 1}}, {"1": {"a": 0, "b": 0}, "2": {"c": 0, "d": 1}}):
        for word, value in (("zero", 0.0), ("half", 0.5), ("one", 1.0)):
            name = f"AUC(single={word}, micro=true)"
            assert carob.evaluate(qrels, run, name)[name] == value
        name = "AUC(single=nan, micro=true)"
        assert math.isnan(carob.evaluate(qrels, run, name)[name])


def test_scores_are_compared_in_the_width_of_the_policy() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 1.0}, "2": {"b": 1.00000001}}
    assert carob.evaluate(qrels, run, MICRO)[MICRO] == 0
    assert carob.evaluate(qrels, run, MICRO, policy=Policy(scores="float32"))[MICRO] == 0.5


@pytest.mark.parametrize("missing", ["zero", "skip", "nan"])
def test_parts_of_a_pooled_evaluation_merge_to_the_whole(missing: str) -> None:
    qrels = {**QRELS, "0": {"a": 1}, "4": {"d": 0, "e": 0}}
    run = {**RUN, "4": {"d": 2.5, "e": 3.5}}
    weights = {"0": 1, "1": 2, "2": 0, "3": 1, "4": 0.5}
    policy, measures = Policy(missing=missing, by_measure={"RR": {"missing": "zero"}}), [MICRO, "RR", "GAUC"]

    def scores(*queries: str) -> carob.Scores:
        its = {query: run[query] for query in queries if query in run}
        return carob.evaluate(
            {query: qrels[query] for query in queries}, its, measures, policy=policy, weights=weights
        )

    whole = scores("0", "1", "2", "3", "4")
    merged = scores("3", "2").merge(scores("4", "0", "1"))
    assert merged.means() == pytest.approx(whole.means(), abs=1e-15)
    assert merged.by_query(MICRO) == pytest.approx(whole.by_query(MICRO), abs=1e-15, nan_ok=True)
    assert merged[MICRO] != (scores("3", "2")[MICRO] + scores("4", "0", "1")[MICRO]) / 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: carob.evaluate_grades([[1, 0], [0, 1]], MICRO),
        lambda: carob.evaluate_judged_ranking(b"q Q0 a 0\nq Q0 b 1\n", MICRO),
    ],
)
def test_without_scores_there_is_no_pooled_value(call: Callable[[], object]) -> None:
    with pytest.raises(DataError, match="compares the scores of documents of different queries"):
        call()


def test_one_query_does_not_explain_a_pooled_value() -> None:
    with pytest.raises(MeasureError, match="To explain the pairs of one query, leave out micro=true"):
        carob.explain(MICRO, QRELS, RUN, "1")


def test_a_depth_through_ties_has_no_expected_pooled_value() -> None:
    with pytest.raises(MeasureError, match="cannot be averaged over the orders of tied documents"):
        carob.evaluate(
            {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, f"{MICRO}@1", policy=Policy(ties="expected")
        )


def test_bounds_weigh_what_each_order_holds() -> None:
    # At depth 1, query 1 has its relevant document only in the best order; then GAUC would weigh it.
    qrels, run = (
        {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}},
        {"1": {"a": 1.0, "b": 1.0, "x": 1.0}, "2": {"d": 2.0, "c": 1.0}},
    )
    scores = carob.evaluate(qrels, run, "GAUC@2")
    # Worst: x, b: no pair, weighs nothing; query 2 is wrong. Best: a, x: one tied pair.
    assert scores.bounds["GAUC@2"] == (0.0, (2 * 0.5 + 2 * 0) / 4)
