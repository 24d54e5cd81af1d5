"""Tables in files: the lines of rows that cannot be used, and what a policy has to do with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError, Policy
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
            "not text in UTF-8. If it comes from a spreadsheet",
        ),
        (
            "run.csv",
            "café,docno,score\nq,a,1\n".encode("cp1252"),
            "not text in UTF-8. If it comes from a spreadsheet",
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
