"""This file tests the measures of pairs where a list of grades cannot: on tied scores, and on several queries."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import karat
from karat import Policy
from strategies import judgments, runs


def test_a_tie_counts_one_half() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "x": 0.0}}
    # Pairs: a-b tied, a-x right, c-b wrong, c-x right.
    for ties in ("trec", "ascending", "optimistic", "pessimistic"):
        assert karat.evaluate(qrels, run, "AUC", policy=Policy(ties=ties))["AUC"] == (0.5 + 1 + 0 + 1) / 4


def test_a_tie_that_the_depth_cuts_counts_inside() -> None:
    qrels = {"q": {"a": 1}}
    run = {"q": {"a": 1.0, "x": 2.0, "y": 1.0, "z": 1.0}}
    # The first three: x, then two of the tied ones, of which a is one under this rule.
    assert karat.evaluate(qrels, run, "AUC@3", policy=Policy(ties="ascending"))["AUC@3"] == (0 + 0.5) / 2


@settings(max_examples=100, deadline=None)
@given(judgments(), runs())
def test_auc_counts_every_pair(qrels: dict, run: dict) -> None:
    scores = karat.evaluate(qrels, run, "AUC") if set(qrels) & set(run) else None
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
    scores = karat.evaluate(QRELS, RUN, measure)
    assert scores[measure] == pytest.approx(mean, abs=1e-15)


def test_partial_areas_are_rectools() -> None:
    # RecTools 0.19.0 says 0.5333 (PartialAUC) and 0.6667 (PAP) of these two users, k = 3.
    ranked = [[1, None, 1, None, 1, None, 1, 1], [None, 1, None, None, None, None, None, None]]
    judged = [[1, 1, 1, 1, 1], [1]]
    scores = karat.evaluate_grades(ranked, ["PartialAUC@3", "PartialAUC(over=capped)@3"], judged)
    assert scores["PartialAUC@3"] == pytest.approx((6 / 15 + 2 / 3) / 2, abs=1e-15)
    assert scores["PartialAUC(over=capped)@3"] == pytest.approx((6 / 9 + 2 / 3) / 2, abs=1e-15)
