"""Rows that are dicts: what is read of them, in what order, and the errors that name a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError, Run

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"question": "who", "retrieved_ids": ["a", "b"], "reference_ids": ["b"]},
    {"question": "what", "retrieved_ids": ["c", "d"], "reference_ids": ["c", "e"]},
]


def test_rows_in_a_list_are_what_their_file_is() -> None:
    assert carob.evaluate(ROWS, ROWS, "RR").by_query("RR") == {"what": 1.0, "who": 0.5}
    nameless = [{key: value for key, value in row.items() if key != "question"} for row in ROWS]
    assert carob.evaluate(nameless, nameless, "RR").by_query("RR") == {"1": 0.5, "2": 1.0}
    flat = [{"query_id": 1, "doc_id": "a", "score": 1.0}, {"query_id": 1, "doc_id": "b", "score": 2.0}]
    assert carob.evaluate([{"query_id": 1, "doc_id": "a", "relevance": 1}], flat, "RR")["RR"] == 0.5
    ranks = [{"qid": "1", "docno": "a", "rank": 2}, {"qid": "1", "docno": "b", "rank": 1}]
    assert carob.evaluate({"1": ["a"]}, ranks, "RR")["RR"] == 0.5
    records = [{"qid": "1", "results": [{"doc_id": "x", "score": 2.0}, {"doc_id": "a", "score": 1.0}]}]
    assert carob.evaluate({"1": ["a"]}, records, "RR")["RR"] == 0.5
    for rows, reason in (
        ([3], "row 0 .*: found int, expected a dict"),
        ([{"qid": "1", "docno": None, "score": 1.0}], "row 0 .*: 'docno' is missing or None"),
        ([{"qid": "1", "docno": "a", "score": 1.0}] * 2, "row 1 .*: document 'a' occurs twice"),
        ([{"qid": "1", "docno": "a", "rank": "1"}], "row 0 .*: 'rank' is str '1', expected a number"),
        (
            [{"qid": "1", "docno": ["a"], "score": 1.0}],
            r"row 0 .*: 'docno' is list \['a'\], expected one value",
        ),
        (
            [{"qid": ["1"], "docno": "a", "score": 1.0}],
            r"row 0 .*: 'qid' is list \['1'\], expected one value",
        ),
        (
            [{"qid": "1", "results": [{"doc_id": "x", "score": 2.0}, "x"]}],
            "row 0 .*: 'results' is str 'x', expected dicts alone in the list",
        ),
        ([*records, {"qid": "2", "results": 3}], "row 1 .*: 'results' is int 3, expected a list of dicts"),
        ([*ROWS, {**ROWS[0], "question": ["what"]}], f"row {len(ROWS)} .*: 'question' is list"),
    ):
        with pytest.raises(DataError, match=reason):
            carob.evaluate({"1": ["a"]}, rows, "RR")


def test_lists_are_read_by_their_scores_and_ranks_whatever_their_order() -> None:
    for numbers in ({"scores": [1, 2]}, {"score": [1, 2]}, {"similarities": [1, 2]}, {"ranks": [2, 1]}):
        run = [{"qid": "q", "doc_ids": ["a", "b"], **numbers}]
        assert carob.evaluate({"q": ["b"]}, run, "RR")["RR"] == 1.0, numbers
    assert carob.evaluate({"q": ["b"]}, Run.of(run, rank="ranks"), "RR")["RR"] == 1.0
    with pytest.raises(DataError, match=r"no column that lists the scores of 'doc_ids'.*score="):
        Run.of([{"qid": "q", "doc_ids": ["a", "b"], "value": 1}], score="value", document="doc_ids")


def test_rows_of_lists_are_refused_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('question,retrieved_ids\nq1,"[""a""]"\nq2,a b\n')
    with pytest.raises(DataError, match=r"a\.csv, line 3: 'retrieved_ids' is str 'a b', expected a list"):
        Run.of(tmp_path / "a.csv")
    pytest.importorskip("polars", reason="reads JSON lines")
    (tmp_path / "a.jsonl").write_text(
        '{"id": "q", "hits": {"hits": [{"_id": "a"}]}}\n{"id": "p", "hits": {}}\n'
    )
    with pytest.raises(DataError, match=r"a\.jsonl, line 2: query 'p' has no list in 'hits\.hits'"):
        Run.of(tmp_path / "a.jsonl")
