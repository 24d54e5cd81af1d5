"""Bounds of means and differences over all grades of unjudged documents: laws, a worked case, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import carob
from brute_force import case
from carob import DataError, PolicyError
from carob.estimation.bounds import all_pairs, bounds_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.measures import parse_measure


def test_runs_bound_their_differences() -> None:
    random = np.random.default_rng(9)
    for _ in range(20):
        each = case(random, 4)
        found = carob.unjudged_bounds(each.qrels, [each.first, each.second], "nDCG@5")["nDCG@5"]
        first, second = found.runs
        assert first.low - second.high - 1e-12 <= found.pairs[0, 1].low
        assert found.pairs[0, 1].high <= first.high - second.low + 1e-12


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "R@5", "ERR@5", "P@5"])
def test_unseen_documents_are_those_that_only_another_run_shows(measure: str) -> None:
    random = np.random.default_rng(11)
    for _ in range(10):
        each = case(random, 3)
        ghost = {query: {"unseen-1": 2.0, "unseen-2": 1.0} for query in each.qrels}
        shown = carob.unjudged_bounds(each.qrels, {"a": each.first, "ghost": ghost}, measure, max_grade=3)
        alone = carob.unjudged_bounds(each.qrels, {"a": each.first}, measure, max_grade=3, unseen=2)
        expected, found = shown[measure].runs[0], alone[measure].runs[0]
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_rbp_with_all_unjudged_documents_relevant_adds_the_residual() -> None:
    each = case(np.random.default_rng(11), 4)
    qrels = {"q": {document: min(grade, 1) for document, grade in each.qrels["q"].items()}}
    bounds = carob.unjudged_bounds(qrels, [each.first], "RBP(p=0.8,rel=1)")
    bounds = next(iter(bounds.measures.values())).runs[0]
    unjudged = [
        rank
        for rank, document in enumerate(sorted(each.first["q"], key=lambda d: -each.first["q"][d]))
        if document not in qrels["q"]
    ]
    assert bounds.high - bounds.low == pytest.approx(sum(0.2 * 0.8**rank for rank in unjudged), abs=1e-12)


def test_means_add_the_bounds_of_queries() -> None:
    random = np.random.default_rng(4)
    cases = [case(random, 3) for _ in range(6)]
    qrels = {f"q{n}": each.qrels["q"] for n, each in enumerate(cases)}
    run = {f"q{n}": each.first["q"] for n, each in enumerate(cases)}
    whole = carob.unjudged_bounds(qrels, [run], "nDCG@5", max_grade=3)["nDCG@5"].runs[0]
    parts = [
        carob.unjudged_bounds({"q": each.qrels["q"]}, [each.first], "nDCG@5", max_grade=3)["nDCG@5"].runs[0]
        for each in cases
    ]
    assert whole.low == pytest.approx(np.mean([each.low for each in parts]), abs=1e-12)
    assert whole.high == pytest.approx(np.mean([each.high for each in parts]), abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"policy": carob.Policy(ties="expected")}, PolicyError, "ties=expected"),
        ({"policy": carob.Policy(unjudged="removed")}, PolicyError, "unjudged=removed"),
        ({"measures": "GMAP"}, DataError, "GMAP is not a plain mean"),
        ({"max_grade": 1}, DataError, "the grade 2"),
    ],
)
def test_bounds_that_cannot_be_computed_are_refused(settings, error, words) -> None:
    with pytest.raises(error, match=words):
        carob.unjudged_bounds(
            {"q": {"a": 2}}, [{"q": {"a": 2.0, "b": 1.0}}], **{"measures": "RR", **settings}
        )


def test_bounds_and_counts_of_a_worked_case() -> None:
    # P@2: one retrieves the relevant a and x, two retrieves x and y; a grade of x changes both runs alike.
    runs = [Run.of({"q": {"a": 2.0, "x": 1.0}}), Run.of({"q": {"x": 2.0, "y": 1.0}})]
    measures = {name: parse_measure(name) for name in ("P@2", "RR")}
    found = bounds_of(Qrels.of({"q": {"a": 1}}), runs, measures, carob.Policy(), pairs=all_pairs(2))
    assert found["P@2"].runs == ((0.5, 1.0, True), (0.0, 1.0, True))
    assert found["P@2"].pairs == {(0, 1): (0.0, 0.5, True)}
    assert (found["P@2"].unjudged, found["P@2"].shown) == ((1, 2), (2, 2))
    assert found["RR"].runs == ((1.0, 1.0, True), (0.0, 1.0, True))
    assert found["RR"].pairs == {(0, 1): (0.0, 1.0, True)}


def test_a_lower_highest_grade_than_that_of_the_judgments_is_refused() -> None:
    with pytest.raises(DataError, match=r".") as caught:
        bounds_of(
            Qrels.of({"q": {"a": 2}}),
            [Run.of({"q": {"a": 1.0}})],
            {"AP": parse_measure("AP")},
            carob.Policy(),
            max_grade=1,
        )
    assert str(caught.value) == (
        "The judgments contain the grade 2, but the highest possible grade was set to 1. Set a higher grade."
    )
