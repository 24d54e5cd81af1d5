"""``carob.compat.evaluate`` against Hugging Face evaluate's metric ``trec_eval`` and the library that it calls."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import carob
from carob.compat.evaluate import load

RECORDED = {
    "runid": "mine",
    "num_ret": 496,
    "num_rel": 210,
    "num_rel_ret": 92,
    "num_q": 19,
    "map": 0.119939623626233,
    "bpref": 0.38731688573467943,
    "Rprec": 0.15583157631389666,
    "recip_rank": 0.28900375939849626,
    "P@5": 0.12631578947368424,
    "P@10": 0.15789473684210525,
    "P@15": 0.1473684210526316,
    "P@20": 0.15263157894736842,
    "P@30": 0.12982456140350876,
    "P@100": 0.048421052631578955,
    "P@200": 0.024210526315789477,
    "P@500": 0.00968421052631579,
    "P@1000": 0.004842105263157895,
    "NDCG@5": 0.0880277474307578,
    "NDCG@10": 0.10807545276547453,
    "NDCG@15": 0.1391162888337135,
    "NDCG@20": 0.16413188781657173,
    "NDCG@30": 0.19816508447130418,
    "NDCG@100": 0.23119631150592515,
    "NDCG@200": 0.23119631150592515,
    "NDCG@500": 0.23119631150592515,
    "NDCG@1000": 0.23119631150592515,
}
"""The values of ``drawn(0)``, but for gm_map, which is NaN: evaluate 0.4.6, trectools 0.0.50, pandas 2.3.3 and the
metric's script in evaluate's repository at a7dd338, 2026-11-28:
``evaluate.load("metrics/trec_eval").compute(references=[qrel], predictions=[run])``."""

Table = dict[str, list[Any]]


def drawn(seed: int) -> tuple[Table, Table]:
    """Judgments and a run with equal scores; of an even seed, a query has no relevant document, and another no list.

    One document of each query is judged nonrelevant, since trectools divides by their number.
    """
    draw = random.Random(seed)
    documents = [f"d{number}" for number in range(60)]
    qrel: Table = {name: [] for name in ("query", "q0", "docid", "rel")}
    run: Table = {name: [] for name in ("query", "q0", "docid", "rank", "score", "system")}
    for query in range(20):
        for each in ["first", *draw.sample(documents, draw.randint(2, 25))]:
            grade = 0 if (query == 5 and seed % 2 == 0) or each == "first" else draw.randint(0, 3)
            add(qrel, query=query, q0="0", docid=each, rel=grade)
        if query == 4 and seed % 2 == 0:
            continue
        for rank, each in enumerate(draw.sample(documents, draw.randint(1, 50))):
            add(
                run, query=query, q0="Q0", docid=each, rank=rank, score=draw.randint(0, 20) / 4, system="mine"
            )
    return qrel, run


def add(table: Table, **row: Any) -> None:
    for name, value in row.items():
        table[name].append(value)


def computed(qrel: Table, run: Table) -> dict[str, Any]:
    return load("trec_eval").compute(references=[qrel], predictions=[run])


def test_values_are_those_of_the_metric() -> None:
    found = computed(*drawn(0))
    assert 0 < found.pop("gm_map") < found["map"]
    assert list(found) == list(RECORDED)
    assert {key for key, value in RECORDED.items() if found[key] != pytest.approx(value, abs=1e-12)} == set()


@pytest.mark.parametrize("seed", range(1, 11))
@pytest.mark.filterwarnings("ignore")
def test_values_are_those_of_trectools(seed: int) -> None:
    trectools = pytest.importorskip("trectools", reason="needs trectools, of the extra 'peers'")
    pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")
    qrel, run = drawn(seed)
    judged, ranked = trectools.TrecQrel(), trectools.TrecRun()
    judged.qrels_data, ranked.run_data = pandas.DataFrame(qrel), pandas.DataFrame(run)
    theirs = trectools.TrecEval(ranked, judged)
    ours = computed(qrel, run)
    for depth in (5, 10, 15, 20, 30, 100, 200, 500, 1000):
        assert ours[f"P@{depth}"] == pytest.approx(theirs.get_precision(depth), abs=1e-12)
        assert ours[f"NDCG@{depth}"] == pytest.approx(theirs.get_ndcg(depth), abs=1e-12)
    assert ours["map"] == pytest.approx(theirs.get_map(10000), abs=1e-12)
    geometric = theirs.get_geometric_map(10000)  # NaN if a query lacks relevant documents or a list
    assert math.isnan(geometric) or ours["gm_map"] == pytest.approx(geometric, abs=1e-12)
    assert ours["bpref"] == pytest.approx(theirs.get_bpref(1000), abs=1e-12)
    assert ours["recip_rank"] == pytest.approx(theirs.get_reciprocal_rank(1000), abs=1e-12)
    totals = (theirs.get_retrieved_documents, theirs.get_relevant_documents)
    totals += (theirs.get_relevant_retrieved_documents,)
    assert [ours[key] for key in ("num_ret", "num_rel", "num_rel_ret")] == [int(each()) for each in totals]
    if int(pandas.__version__.partition(".")[0]) < 3:  # with pandas 3, it is above 1
        assert ours["Rprec"] == pytest.approx(theirs.get_rprec(1000), abs=1e-12)


def test_a_column_may_be_an_array_and_a_query_text() -> None:
    qrel, run = drawn(0)
    arrays = [{name: np.array(its) for name, its in each.items()} for each in (qrel, run)]
    assert computed(*arrays) == computed(qrel, run)
    texts = [{**each, "query": [*map(str, each["query"])]} for each in (qrel, run)]
    assert computed(*texts) == computed(qrel, run)


def test_queries_that_only_one_side_has_are_left_out_of_means_and_counted_in_totals() -> None:
    qrel = {"query": [0, 1], "docid": ["a", "b"], "rel": [1, 2]}
    run = {"query": [0, 2, 2], "docid": ["a", "b", "a"], "score": [1.0, 2.0, 1.0], "system": ["s"] * 3}
    found = computed(qrel, run)
    assert (found["num_q"], found["num_ret"], found["num_rel"], found["num_rel_ret"]) == (2, 3, 2, 1)
    assert (found["map"], found["recip_rank"], found["P@5"]) == (1, 1, 0.2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"references": []}, "references contains 0 tables"),
        ({"predictions": [{}, {}]}, "predictions contains 2 tables.*call compute for each run"),
        ({"predictions": [{"query": [0], "docid": ["a"], "score": [1.0]}]}, "no column 'system'"),
        ({"references": [{"query": [0, 1], "docid": ["a"], "rel": [1, 2]}]}, "have 2, 1, 2 values"),
        (
            {"references": [{"query": [0, 0], "docid": ["a", "a"], "rel": [1, 1]}]},
            "'a' occurs twice for query '0'",
        ),
        (
            {"references": [{"query": [0], "docid": ["a"], "rel": [0.5]}]},
            "'a' of query '0' has the grade 0.5",
        ),
        (
            {
                "references": [
                    {"query": [0], "docid": ["a"], "rel": [1], "probability": [0.5], "sample_size": [1]}
                ]
            },
            "judgments are a sample of 1 document, drawn",
        ),
        (
            {
                "predictions": [
                    {"query": [0, 0], "docid": ["a", "b"], "score": [1.0, 2.0], "system": ["s", "t"]}
                ]
            },
            "names two runs, 's' and 't'",
        ),
        ({"references": [{"query": [9], "docid": ["a"], "rel": [1]}]}, "no query|No query"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(change: dict[str, Any], said: str) -> None:
    qrel = {"query": [0], "docid": ["a"], "rel": [1]}
    run = {"query": [0], "docid": ["a"], "score": [1.0], "system": ["s"]}
    with pytest.raises(carob.DataError, match=said):
        load("trec_eval").compute(**{"references": [qrel], "predictions": [run], **change})
    with pytest.raises(carob.ArgumentError, match="trec_eval"):
        load("bleu")
