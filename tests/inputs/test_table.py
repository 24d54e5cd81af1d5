"""Tables in files: the lines of rows that cannot be used, and what a policy has to do with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError, Policy
from carob.inputs.files.paths import Place
from carob.inputs.files.table import FileTable, fields_in, table_in
from carob.output.errors import command_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "run.csv",
            b"qid;docno;score\nq;a;1,5\n",
            "line 2: '1,5' in column 'score' is not a number. The number has a",
        ),
        ("run.csv", b"qid,docno,score\nq,a,1\nq,b,good\n", "line 3: 'good' in column 'score'"),
        ("run.csv", b"qid,docno,score\nq,a,1\nq,,2\n", "line 3: column 'docno' is null"),
        (
            "run.csv",
            b"qid,docno,score\nq,a,1\nq,a,2\n",
            "line 3: document 'a' is listed twice for query 'q' (first in line 2)",
        ),
        (
            "run.csv",
            "qid,docno,score\nq,é,1\n".encode("cp1252"),
            "not UTF-8 text. If it comes from a spreadsheet",
        ),
        (
            "run.csv",
            "café,docno,score\nq,a,1\n".encode("cp1252"),
            "not UTF-8 text. If it comes from a spreadsheet",
        ),
        (
            "run.jsonl",
            b'{"qid": "q", "docno": "a", "score": 1}\n{"qid": "q", "docno": "a", "score": 2}\n',
            "(first in line 1)",
        ),
        (
            "run.txt",
            b"q Q0 a 1 1,5 t\n",
            "line 1: '1,5' is not a number: 'q Q0 a 1 1,5 t'. The number has a decimal comma",
        ),
        ("run.txt", b"q\n", "line 1: found 1 column, expected"),
    ],
)
def test_rows_are_numbered_as_an_editor_shows_them(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    pytest.importorskip("polars", reason="reads the tables")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=re.escape(said)):
        carob.evaluate({"q": {"a": 1}}, str(tmp_path / name), "RR")


def test_skipping_malformed_lines_does_not_go_with_tables_and_the_error_says_so(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    (tmp_path / "a.csv").write_text("query_id,doc_id,score\nq,a,1\nq,b,x\n")
    with pytest.raises(
        DataError, match=r"line 3: 'x'.* is not a number\. Correct it\. .* TREC text only"
    ) as error:
        carob.evaluate({"q": {"a": 1}}, tmp_path / "a.csv", "AP", policy=Policy(malformed="skip"))
    assert command_of(error.value.remedy).endswith(
        "--lenient skips lines of TREC text only, not rows of a table."
    )


def test_a_path_is_a_table_or_a_text_or_several_texts(tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="reads CSV")
    for name, content in {
        "a.run": "q Q0 a 1 1 t\n",
        "b.run": "q Q0 b 1 1 t\n",
        "a.csv": "qid,docno,likeness\nq,a,1\n",
        "a.json": '{"q": {"a": 1}}',
    }.items():
        (tmp_path / name).write_text(content)
    assert table_in(str(tmp_path / "a.run"), "run", {}) is None
    place = table_in(str(tmp_path / "*.run"), "run", {})
    assert isinstance(place, Place)
    assert place.files == (str(tmp_path / "a.run"), str(tmp_path / "b.run"))
    table = table_in(str(tmp_path / "a.csv"), "run", {"score": "likeness"})
    assert isinstance(table, FileTable)
    assert table.columns == {"score": "likeness"}
    assert (table.guessed, table.origin.columns) == (None, (("score", "likeness"),))
    document = table_in(str(tmp_path / "a.json"), "qrels", {})
    assert isinstance(document, FileTable)
    assert (document.content, document.library) == ({"q": {"a": 1}}, "json")


def test_the_fields_of_a_table_have_shapes_and_text_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 a 1 1 t\n")
    (tmp_path / "a.csv").write_text("qid,docno,score\nq,a,1\n")
    (tmp_path / "a.jsonl").write_text('{"qid": "q", "retrieved_ids": ["a"]}\n')
    assert not fields_in(str(tmp_path / "a.run"), {})
    assert fields_in(str(tmp_path / "a.csv"), {}) == {"qid": "one", "docno": "one", "score": "one"}
    assert fields_in(str(tmp_path / "a.jsonl"), {}) == {"qid": "one", "retrieved_ids": "list"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"grade": 2.0},
            "carob reads the file as TREC text, in which each line has a grade. Leave grade=2 out.",
        ),
        (
            {"grade": "rel"},
            "no line names the columns, so carob reads the file as TREC text. Leave the column names",
        ),
    ],
)
def test_text_has_no_columns_to_name(asked: dict[str, str | float], said: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 a 1\n")
    with pytest.raises(DataError) as error:
        table_in(str(path), "qrels", asked)
    assert str(error.value).startswith(f"{path}: {said}")
