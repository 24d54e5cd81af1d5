"""ir_measures against its profile."""

from __future__ import annotations

import pytest

import carob
from peers.small_cases import check_equal, small_cases

ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'peers'")

NAMES = [
    "AP",
    "AP@3",
    "nDCG",
    "nDCG@3",
    "P@3",
    "R@3",
    "RR",
    "RR@3",
    "Rprec",
    "Bpref",
    "Success@3",
    "AP(rel=2)",
    "Judged@3",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_query(name: str) -> None:
    cases = small_cases(missing=True)
    measure = ir_measures.parse_measure(name)
    values = ir_measures.iter_calc([measure], cases.qrels, cases.run)
    check_equal(cases, "ir_measures", name, {each.query_id: each.value for each in values})


def test_of_a_document_that_stands_twice_the_last_counts() -> None:
    judged = [ir_measures.Qrel("q", "a", 1), ir_measures.Qrel("q", "b", 0), ir_measures.Qrel("q", "b", 2)]
    listed = [("a", 3.0), ("c", 2.5), ("b", 2.0), ("a", 1.0)]
    ranked = [ir_measures.ScoredDoc("q", document, score) for document, score in listed]
    measure = ir_measures.parse_measure("nDCG@3")
    theirs = ir_measures.calc_aggregate([measure], judged, ranked)[measure]
    lines = "".join(f"q 0 {each.doc_id} {each.relevance}\n" for each in judged)
    run = "".join(f"q Q0 {document} 1 {score} tag\n" for document, score in listed)
    scores = carob.evaluate(lines.encode(), run.encode(), "nDCG@3", profile="ir_measures")
    assert scores["nDCG@3"] == pytest.approx(theirs, abs=1e-12)
    assert scores.counts.duplicates == 1
