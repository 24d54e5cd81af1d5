"""ir_measures against its profile."""

from __future__ import annotations

import numpy as np
import pytest

import carob
import carob.tensors
from peers.ir_measures_names import DEPTHS, GOOD, Collection, collection, every_name, verdict
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


def wrong(names: list[str], its: Collection) -> dict[str, tuple[str, str]]:
    return {name: both for name in names if (both := verdict(name, its))[0] not in GOOD}


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_every_name_of_its_registry_is_equal_told_or_refused_with_a_way_that_works(part: int) -> None:
    names = every_name(3)
    assert len(names) >= 195
    assert wrong(names[part::4], collection(2 + part % 2)) == {}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 10))
def test_every_name_on_more_collections(seed: int) -> None:
    names = every_name(DEPTHS[seed % len(DEPTHS)])
    assert wrong(names, collection(seed, ties=seed % 3 != 0)) == {}
    assert sum(verdict(name, collection(2))[0] == "equal" for name in names) >= 110


@pytest.mark.parametrize(
    "name",
    [
        "alpha_nDCG@3",
        "StRecall@2",
        "BPM(max_rel=4)@3",
        "INST(max_rel=4)",
        "NumRel",
        "SetF(beta=0.8)",
        "Judged@3",
    ]
    + ["nDCG(judged_only=True)@3", "P(judged_only=True)@2", "SDCG(max_rel=4, min_rel=1)@3", "Accuracy@3"],
)
@pytest.mark.parametrize("seed", [4, 5])
def test_one_name_of_each_provider_with_ties(name: str, seed: int) -> None:
    assert verdict(name, collection(seed))[0] in GOOD[:3]


QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1, "d": 0}, "3": {"b": 1, "c": 0}}
RUN = {
    "1": {"x": 3.0, "b": 2.0, "a": 1.0},
    "2": {"x": 2.0, "y": 1.5, "a": 1.0},
    "3": {"c": 2.0, "b": 1.0},
}


def test_its_objects_mean_what_they_mean_there_also_without_the_profile() -> None:
    both = [ir_measures.nDCG @ 2, ir_measures.nDCG(judged_only=True) @ 2, ir_measures.SetF(beta=2.0)]
    both += [ir_measures.RBP(rel=1), ir_measures.AP]
    found = carob.evaluate(QRELS, RUN, both)
    theirs = ir_measures.calc_aggregate(both, QRELS, RUN)
    assert found.means() == pytest.approx({str(each): value for each, value in theirs.items()}, abs=1e-9)
    for each in both:
        assert found[each] == found[str(each)]
        assert found.by_query(each).keys() == QRELS.keys()
        assert each in found
    assert ir_measures.P @ 3 not in found
    assert carob.evaluate(QRELS, RUN, both[1])[both[1]] == found[both[1]]


def test_its_objects_are_measures_wherever_names_are() -> None:
    own, name = ir_measures.nDCG(judged_only=True) @ 2, "nDCG(unjudged=removed)@2"
    expected = carob.evaluate(QRELS, RUN, name).by_query(name)
    mean = sum(expected.values()) / len(expected)
    assert mean == pytest.approx(ir_measures.calc_aggregate([own], QRELS, RUN)[own])
    runs = {"a": RUN, "b": {query: dict(reversed(each.items())) for query, each in RUN.items()}}
    compared = carob.compare(QRELS, runs, [own])
    assert compared[own].means[0] == pytest.approx(mean)
    assert carob.explain(own, QRELS, RUN, "1").value == expected["1"]
    curve = carob.curve(ir_measures.nDCG(judged_only=True), QRELS, RUN, at=[2])
    assert curve["nDCG(judged_only=True)"] == pytest.approx([mean])
    assert carob.difference("carob", "trec_eval-10", own, QRELS, RUN).values == pytest.approx((mean, mean))
    assert carob.check(QRELS, RUN, measures=own).findings == carob.check(QRELS, RUN, measures=name).findings
    ids = carob.evaluate_ids([["x", "b", "a"]], [{"a": 1, "b": 2}], own)
    assert ids[own] == pytest.approx(expected["1"])
    grades, judged = [[None, 2, 1], [None, None, 1], [0, 1]], [[1, 2, 0], [1, 0], [1, 0]]
    assert carob.evaluate_grades(grades, own, judged)[own] == pytest.approx(mean)
    scores, labels = np.array([[3.0, 2.0, 1.0]]), np.array([[np.nan, 2.0, 1.0]])
    arrays = carob.tensors.evaluate(scores, labels, own)
    assert float(arrays[str(own)]) == pytest.approx(expected["1"])
    assert carob.evaluate_judged_ranking(b"q Q0 a 0\nq Q0 b 1\n", own)[own] == pytest.approx(1 / np.log2(3))
    read = carob.read_scores({"old": {str(own): expected}}, own)["old"]
    assert read[str(own)] == pytest.approx(mean)


def test_what_is_no_measure_of_its_is_refused_in_one_sentence() -> None:
    with pytest.raises(carob.MeasureError, match="'P' means several measures"):
        carob.evaluate(QRELS, RUN, ir_measures.P)
    with pytest.raises(carob.MeasureError, match="does not name a measure"):
        carob.evaluate(QRELS, RUN, [ir_measures])
