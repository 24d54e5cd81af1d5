"""Objects of ranx and ir_measures, and rows and frames like theirs, have the values that they have there."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from carob import DataError, MeasureError, Policy
from carob.adapters.objects import calc_aggregate, evaluate_ranx, iter_calc

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 3.0}}


def test_objects_of_ranx() -> None:
    """Objects of the same shape; tests/peers/test_ranx.py has ranx's own, which take seconds to compile."""
    ranx = [SimpleNamespace(to_dict=lambda each=each: each, name="mine") for each in (QRELS, RUN)]
    scores = evaluate_ranx(*ranx, ["RR"])
    assert (scores.name, scores["RR"]) == ("mine", 3 / 4)


def test_objects_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'bench'")
    qrels = [
        ir_measures.Qrel(query, each, grade) for query, its in QRELS.items() for each, grade in its.items()
    ]
    run = [
        ir_measures.ScoredDoc(query, each, score) for query, its in RUN.items() for each, score in its.items()
    ]
    measures = [ir_measures.RR, ir_measures.nDCG @ 10, ir_measures.AP(rel=2)]
    assert calc_aggregate(measures, qrels, run) == pytest.approx(
        ir_measures.calc_aggregate(measures, qrels, run)
    )
    theirs = {
        (each.query_id, each.measure): each.value for each in ir_measures.iter_calc(measures, qrels, run)
    }
    assert {(query, each): value for query, each, value in iter_calc(measures, qrels, run)} == pytest.approx(
        theirs
    )


def test_objects_of_ir_measures_mean_what_they_mean_there() -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'bench'")
    random = np.random.default_rng(2)
    qrels = [
        ir_measures.Qrel(f"q{query}", f"d{each}", int(random.integers(0, 4)))
        for query in range(5)
        for each in range(0, 12, 2)
    ]
    run = [
        ir_measures.ScoredDoc(f"q{query}", f"d{each}", float(random.integers(0, 6)))
        for query in range(5)
        for each in range(12)
    ]
    measures = [ir_measures.RR @ 3, ir_measures.Judged @ 3, ir_measures.nDCG @ 3, ir_measures.RBP(rel=1)]
    assert calc_aggregate(measures, qrels, run) == pytest.approx(
        ir_measures.calc_aggregate(measures, qrels, run), abs=1e-6
    )
    carobs = calc_aggregate(["RR@3"], qrels, run, profile="carob", policy=Policy(ties="pessimistic"))
    best = calc_aggregate(["RR@3"], qrels, run, profile="carob", policy=Policy(ties="optimistic"))
    assert carobs["RR@3"] < best["RR@3"]


@pytest.mark.parametrize("frames", [False, True])
def test_iterations_of_ir_measures_are_subtopics(frames: bool) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'bench'")
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    pytest.importorskip("pyndeval", reason="needs pyndeval")
    rows = [
        ("q1", "a", 1, "1"),
        ("q1", "b", 1, "2"),
        ("q1", "a", 1, "2"),
        ("q2", "c", 1, "1"),
        ("q2", "d", 1, "2"),
    ]
    qrels = [ir_measures.Qrel(*row) for row in rows]
    run = [ir_measures.ScoredDoc("q1", each, score) for each, score in (("x", 3.0), ("a", 2.0), ("b", 1.0))]
    run += [ir_measures.ScoredDoc("q2", each, score) for each, score in (("d", 3.0), ("y", 2.0))]
    measures = [ir_measures.alpha_nDCG @ 5, ir_measures.ERR_IA @ 5, ir_measures.StRecall @ 2]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    given = [pandas.DataFrame(qrels), pandas.DataFrame(run)] if frames else [qrels, run]
    assert calc_aggregate(measures, *given) == pytest.approx(theirs, abs=1e-5)


def test_frames_of_ir_measures_are_read() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    qrels = pandas.DataFrame(
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 0], "iteration": ["0", "0"]}
    )
    run = pandas.DataFrame({"query_id": ["q", "q"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
    assert calc_aggregate(["RR", "P@1"], qrels, run) == {"RR": 0.5, "P@1": 0.0}
    assert list(iter_calc(["RR"], qrels, run)) == [("q", "RR", 0.5)]


def test_rows_that_are_none_and_documents_listed_twice_are_said() -> None:
    rows = [SimpleNamespace(query_id="q", doc_id="a", relevance=1, score=each) for each in (1.0, 2.0)]
    with pytest.raises(
        DataError, match=r"Document 'a' is listed twice for query 'q'\. Remove one, or choose"
    ):
        calc_aggregate(["RR"], rows, rows, profile="carob")
    assert calc_aggregate(["RR"], rows, rows) == {"RR": 1.0}
    with pytest.raises(DataError, match=r"Row 1 is 3, and .* Pass objects with query_id, doc_id, relevance"):
        calc_aggregate(["RR"], [3], rows)
    with pytest.raises(MeasureError, match="'P' means several measures"):
        calc_aggregate(["P"], {"q": {"a": 1}}, {"q": {"a": 1.0}}, profile="carob")
