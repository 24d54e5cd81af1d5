"""Tables whose rows hold lists, records and objects: which columns are found, with and without names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Qrels, Run
from carob.inputs.nested import names_of, plan_of, shapes_of
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Rows = list[dict[str, Any]]

QRELS = {"q1": ["b", "c"], "q2": ["e"]}
AP = ((1 / 2) / 2 + 1) / 2
"""Of each run below: a relevant document at rank 2 of q1 (two are relevant), and at rank 1 of q2."""


def rows_with(key: str, first: Any, second: Any, name: str = "hits") -> Rows:
    return [{key: "q1", name: first}, {key: "q2", name: second}]


A, B, E = {"_id": "a", "_score": 3.0}, {"_id": "b", "_score": 2.0}, {"_id": "e", "_score": 3.0}
LAYOUTS: dict[str, Callable[[str], Rows]] = {
    "lists": lambda key: rows_with(key, ["a", "b"], ["e"], "retrieved_ids"),
    "lists of either": lambda key: rows_with(key, ["a", "b"], ["e"], "doc_ids"),
    "records": lambda key: rows_with(key, [A, B], [E]),
    "records in any order": lambda key: rows_with(key, [B, A], [E]),
    "records of an answer": lambda key: rows_with(
        key, {"total": 2, "hits": [A, B]}, {"total": 1, "hits": [E]}
    ),
    "records without scores": lambda key: rows_with(key, [{"_id": "a"}, {"_id": "b"}], [{"_id": "e"}]),
}

FRAMES: dict[str, Callable[[Rows], Any]] = {
    "rows": lambda rows: rows,
    "Polars": lambda rows: pytest.importorskip("polars").DataFrame(rows),
    "lazy Polars": lambda rows: pytest.importorskip("polars").LazyFrame(rows),
    "PyArrow": lambda rows: pytest.importorskip("pyarrow").Table.from_pylist(rows),
    "pandas": lambda rows: pytest.importorskip("pandas").DataFrame(rows),
}


def written(folder: Path, kind: str, rows: Rows) -> str:
    path = folder / f"run.{kind}"
    if kind == "parquet":
        pytest.importorskip("polars").DataFrame(rows).write_parquet(path)
    elif kind == "jsonl":
        pytest.importorskip("polars", reason="reads JSON lines")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text(json.dumps(rows))
    return str(path)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_named_query_switches_no_other_recognition_off_in_frames(layout: str, frame: str) -> None:
    for key in ("question_id", "id", "session"):
        given = FRAMES[frame](LAYOUTS[layout](key))
        if key != "session":
            assert carob.evaluate(QRELS, given, "AP")["AP"] == AP, key
        assert carob.evaluate(QRELS, Run.of(given, query=key), "AP")["AP"] == AP, key


@pytest.mark.parametrize("kind", ["json", "jsonl", "parquet"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_named_query_switches_no_other_recognition_off_in_files(
    tmp_path: Path, layout: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.qrels").write_text("q1 0 b 1\nq1 0 c 1\nq2 0 e 1\n")
    for key, options in (
        ("question_id", []),
        ("id", []),
        ("id", ["--run-columns", "query=id"]),
        ("session", ["--run-columns", "query=session"]),
    ):
        run = written(tmp_path, kind, LAYOUTS[layout](key))
        assert command("eval", str(tmp_path / "q.qrels"), run, "-m", "AP", "--format", "csv", *options) == 0
        assert f",{AP}" in capsys.readouterr().out


@pytest.mark.parametrize("frame", FRAMES)
def test_inner_fields_are_named_as_errors_list_them(frame: str) -> None:
    records = FRAMES[frame](
        rows_with("id", [{"sku": "a", "w": 3.0}, {"sku": "b", "w": 2.0}], [{"sku": "e", "w": 1.0}])
    )
    with pytest.raises(DataError, match=r"The columns are: 'id', 'hits\.sku', 'hits\.w'\."):
        Run.of(records, query="id")
    with pytest.raises(DataError, match=r"The columns are: 'hits\.sku', 'hits\.w'\. Name it: .*score="):
        Run.of(records, query="id", document="hits.sku")
    for names in (
        {"document": "hits.sku", "score": "hits.w"},
        {"document": "sku", "score": "w"},
        {"document": "sku", "score": "hits.w!"},
    ):
        assert carob.evaluate(QRELS, Run.of(records, query="id", **names), "AP")["AP"] == AP, names
    deep = rows_with(
        "id",
        {"hits": [{"_id": "x", "_score": 3.0, "_source": {"sku": "a"}}, {**B, "_source": {"sku": "b"}}]},
        {"hits": [{**E, "_source": {"sku": "e"}}]},
    )
    given = FRAMES[frame](deep)
    with pytest.raises(
        DataError, match=r"'id', 'hits\.hits\._id', 'hits\.hits\._score', 'hits\.hits\._source\.sku'"
    ):
        Run.of(given, document="sku")
    named = Run.of(given, document="hits.hits._source.sku")
    assert carob.evaluate(QRELS, named, "AP")["AP"] == AP
    assert carob.evaluate(QRELS, Run.of(given, document="hits.hits"), "AP")["AP"] == AP


@pytest.mark.parametrize("kind", ["json", "jsonl", "parquet"])
def test_the_advice_of_each_error_works(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.qrels").write_text("q1 0 b 1\nq1 0 c 1\nq2 0 e 1\n")
    rows = rows_with("session", [{"sku": "a", "w": 3.0}, {"sku": "b", "w": 2.0}], [{"sku": "e", "w": 1.0}])
    call = ("eval", str(tmp_path / "q.qrels"), written(tmp_path, kind, rows), "-m", "AP")
    given: list[str] = []
    for role, name in (("query", "session"), ("document", "hits.sku"), ("score", "hits.w")):
        assert command(*call, *(["--run-columns", ",".join(given)] if given else [])) == 2
        said = capsys.readouterr().err
        assert f"'{name}'" in said
        assert f"--run-columns {role}=…" in said
        given.append(f"{role}={name}")
    assert command(*call, "--run-columns", ",".join(given)) == 0
    lists = [
        {"session": "q1", "these": ["a", "b"], "those": ["x"]},
        {"session": "q2", "these": ["e"], "those": []},
    ]
    path = written(tmp_path, kind, lists)
    assert command(*call[:2], path, "-m", "AP", "--run-columns", "query=session") == 2
    assert "'session', 'these', 'those'" in capsys.readouterr().err
    assert command(*call[:2], path, "-m", "AP", "--run-columns", "query=session,document=these") == 0


def test_two_lists_that_may_be_the_documents_are_named_by_the_option_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = written(tmp_path, "json", [{"qid": "q1", "docs": ["b"], "items": ["x"]}])
    (tmp_path / "q.qrels").write_text("q1 0 b 1\n")
    assert command("eval", str(tmp_path / "q.qrels"), run, "-m", "RR") == 2
    assert "'docs' and 'items' could contain the documents. Name one: --run-columns document=docs." in (
        capsys.readouterr().err
    )
    assert command("eval", str(tmp_path / "q.qrels"), run, "-m", "RR", "--run-columns", "document=docs") == 0


@pytest.mark.parametrize("frame", FRAMES)
def test_named_columns_of_judgments_refine_recognition_too(frame: str) -> None:
    graded = [{"id": "q", "relevant_ids": ["a", "b"], "marks": [2, 1]}]
    given = FRAMES[frame](graded)
    assert Qrels.of(given).judgments.grades.tolist() == [1.0, 1.0]
    assert Qrels.of(given, query="id").judgments.grades.tolist() == [1.0, 1.0]
    assert Qrels.of(given, grade="marks").judgments.grades.tolist() == [2.0, 1.0]
    assert Qrels.of(given, query="id", grade=3).judgments.grades.tolist() == [3.0, 3.0]
    records = FRAMES[frame]([{"id": "q", "judged": [{"doc_id": "a", "relevance": 2}]}])
    assert Qrels.of(records, query="id").judgments.grades.tolist() == [2.0]


def test_columns_that_were_gathered_in_lists_are_read() -> None:
    pandas = pytest.importorskip("pandas")
    flat = pandas.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]})
    gathered = flat.groupby("qid").agg(list)  # the query is the index
    assert carob.evaluate({"1": ["a"], "2": ["c"]}, gathered, "RR")["RR"] == (1 / 2 + 1) / 2


def test_a_row_for_each_document_stays_one_beside_other_lists() -> None:
    rows = [
        {"qid": "q", "doc_id": "a", "score": 1.0, "docs": ["x"]},
        {"qid": "q", "doc_id": "b", "score": 2.0, "docs": []},
    ]
    assert not plan_of(shapes_of(rows), "run", dict.fromkeys(("query", "document", "score", "rank"))).nested
    assert carob.evaluate({"q": ["b"]}, rows, "RR")["RR"] == 1.0


def test_the_fields_of_objects_are_columns_by_name() -> None:
    rows = [{"request": {"id": "q"}, "hit": {"id": "a", "score": 1.0}}]
    assert names_of(shapes_of(rows)) == ["request.id", "hit.id", "hit.score"]
    run = Run.of(rows, query="request.id", document="hit.id", score="hit.score")
    assert list(run.held.rows()) == [(b"q", b"a", 1.0)]


def test_names_in_different_lists_are_refused() -> None:
    rows = [{"id": "q", "a": [{"doc": "x"}], "b": [{"value": 1}]}]
    with pytest.raises(DataError, match="in a different list"):
        Run.of(rows, query="id", document="a.doc", score="b.value")
    with pytest.raises(DataError, match="named for the query, is inside the list"):
        Run.of(rows, query="a.doc")


def test_a_first_line_longer_than_what_is_read_to_recognise_it_is_read(tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    hits = [{"_id": f"d{number}", "_score": -number, "text": "x" * 100} for number in range(1000)]
    (tmp_path / "run.jsonl").write_text(json.dumps({"id": "q", "hits": hits}) + "\n")
    assert carob.evaluate({"q": ["d9"]}, tmp_path / "run.jsonl", "RR")["RR"] == 1 / 10


def test_scores_of_the_usual_documents_are_not_those_of_other_lists() -> None:
    rows = [{"id": "q", "retrieved_ids": ["a", "b"], "scores": [1.0, 2.0], "reranked": ["a", "b"]}]
    assert carob.evaluate({"q": ["a"]}, rows, "RR")["RR"] == 0.5
    assert carob.evaluate({"q": ["a"]}, Run.of(rows, document="reranked"), "RR")["RR"] == 1.0
    assert carob.evaluate({"q": ["a"]}, Run.of(rows, document="reranked", score="scores"), "RR")["RR"] == 0.5


LOG = {"id": "q", "retrieved_ids": ["a", "b"], "reference_ids": ["a", "b"]}


def test_lists_that_are_named_after_the_documents_are_their_scores_and_grades() -> None:
    run = LOG | {"retrieved_scores": [1.0, 2.0], "reference_scores": [1, 0], "retrieved_relevance": [1, 1]}
    for log in (run, LOG | {"reference_grades": [0, 1]}):
        assert carob.evaluate([log], measures="RR")["RR"] == 1 / 2
    ranked = {"id": "q", "retrieved_context_ids": ["a", "b"], "retrieved_ranks": [2, 1]}
    assert carob.evaluate({"q": ["a"]}, [ranked], "RR")["RR"] == 1 / 2


@pytest.mark.parametrize("name", ["rerank_scores", "scores_dense", "logits", "bm25_ranks"])
def test_lists_that_may_be_scores_of_the_documents_are_asked_about(name: str) -> None:
    rows = [{"id": "q", "retrieved_ids": ["a", "b"], name: [1, 2]}]
    with pytest.raises(DataError, match=f"'{name}' could be the scores or ranks of 'retrieved_ids'"):
        Run.of(rows)
    assert carob.evaluate({"q": ["a"]}, Run.of(rows, document="retrieved_ids"), "RR")["RR"] == 1
    role = {"rank" if "rank" in name else "score": name}
    assert carob.evaluate({"q": ["a"]}, Run.of(rows, **role), "RR")["RR"] == (1 if "rank" in name else 1 / 2)


@pytest.mark.parametrize("name", ["gains", "is_relevant", "human_labels"])
def test_lists_that_may_be_grades_of_the_documents_are_asked_about(name: str) -> None:
    rows = [{"id": "q", "relevant_docs": ["a", "b"], name: [0, 1]}]
    with pytest.raises(DataError, match=f"'{name}' could be the grades of 'relevant_docs'"):
        Qrels.of(rows)
    assert carob.evaluate(Qrels.of(rows, grade=name), {"q": ["a", "b"]}, "RR")["RR"] == 1 / 2
    assert carob.evaluate(Qrels.of(rows, grade=1), {"q": ["a", "b"]}, "RR")["RR"] == 1
