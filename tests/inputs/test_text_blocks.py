"""Text tables that are read block by block give the rows and the errors of a whole reading."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.inputs.files import libraries
from carob.inputs.files.header import Delimited
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

polars = pytest.importorskip("polars")

SIZES = (1, 7, 30, 1 << 22)
TEXTS = {
    "plain.csv": "query_id,doc_id,score\nq1,a,1.5\nq1,b,0.5\nq2,a,2\n",
    "quoted.csv": 'query_id,doc_id,score,note\nq1,"a,1",1.5,"two\nlines"\nq1,"b ""x""",0.5,"a\n\n""b"""\nq2,a,2,\n',
    "ends.csv": "query_id,doc_id,score\r\nq1,a,1.5\r\n\r\nq1,b,0.5\r\n",
    "blank.csv": "query_id,doc_id,score\n\n\nq1,a,1.5\n\n\n\nq2,b,1\n\n\n",
    "last.csv": "query_id,doc_id,score\nq1,a,1.5\nq1,b,0.5",
    "null.csv": "query_id,doc_id,score\nq1,a,1.5\nq1,,0.5\n",
    "short.csv": "query_id,doc_id,score\nq1,a,1.5\nq1\n",
    "long.csv": "query_id,doc_id,score\nq1,a,1.5\nq1,b,1,2,3\n",
    "number.csv": "query_id,doc_id,score\nq1,a,1.5\nq1,b,x\nq1,c,1\n",
    "wide.csv": "query_id,doc_id,score\nq1,a,1.5\nq1,b,9007199254740993\nq1,c,1\n",
    "open.csv": 'query_id,doc_id,score\nq1,a,1.5\nq1,"b,1\nq2,c,2\nq2,d,1\n',
    "head.csv": "query_id,doc_id,score\n",
    "ms.tsv": 'q1\t"a\t1\nq1\tb\t2\nq2\tc"\t1\n',
    "score.tsv": "query_id\tdoc_id\tscore\nq1\ta b\t1\nq2\tc\t1e-3\n",
    "rows.jsonl": '{"query": "q1", "doc": "a", "score": 1.5}\n\n'
    '{"query": "q1", "doc": "b\\n", "score": 1}\n{"query": 7, "doc": 8, "score": -2e3}\n',
    "spaced.jsonl": ' {"query":"q1" , "doc":"a","score":1.5,"x":[1,{"y":2}]} \r\n{"doc":"b","score":1,"query":"q1"}',
    "null.jsonl": '{"query": "q1", "doc": "a", "score": 1.5}\n{"query": "q1", "doc": null, "score": 1}\n',
    "lacking.jsonl": '{"query": "q1", "doc": "a", "score": 1.5}\n{"query": "q1", "score": 1}\n',
    "odd.jsonl": '{"query": "q1", "doc": "a", "score": 1.5}\n{"query": "q1", "doc": "b", "score": "1"}\n',
    "broken.jsonl": '{"query": "q1", "doc": "a", "score": 1.5}\n{"query": "q1", "doc": "b", \n',
    "lists.jsonl": '{"query": "q1", "docs": ["a", "b"], "scores": [2, 1]}\n{"query": "q2", "docs": [], "scores": []}\n',
}


def rows_in(path: Path) -> Any:
    """The rows of a run, or the error's text."""
    try:
        return list(carob.Run.of(path).held.rows())
    except DataError as error:
        return str(error)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_of_any_size_give_the_same_rows(
    name: str, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{name}{'.gz' * packed}"
    content = TEXTS[name].encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    with monkeypatch.context() as patched:
        patched.setattr(libraries.Polars, "in_blocks", libraries.Library.in_blocks)
        whole = rows_in(path)
    for size in SIZES:
        monkeypatch.setattr(libraries, "BLOCK", size)
        assert rows_in(path) == whole, size


def test_each_file_of_several_begins_with_a_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "BLOCK", 10)
    for number in range(3):
        (tmp_path / f"{number}.csv").write_text(f"query_id,doc_id,score\nq{number},a,1\nq{number},b,0.5\n")
    rows = list(carob.Run.of(str(tmp_path / "*.csv")).held.rows())
    assert [query for query, _, _ in rows] == [b"q0", b"q0", b"q1", b"q1", b"q2", b"q2"]


def test_a_block_ends_where_a_row_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    text = "".join(rng.choice(['"a\n""b"', "c", "\n", ",", '""']) for _ in range(500)) + "\n"
    path = tmp_path / "any.csv"
    path.write_text("a\n" + text)
    for size in (1, 10, 100):
        monkeypatch.setattr(libraries, "BLOCK", size)
        blocks = list(libraries.blocks_of([str(path)], Delimited(",", ("a",), header=True)))
        assert all(
            block.startswith(b"a\n") and block.endswith(b"\n") and block.count(b'"') % 2 == 0
            for block in blocks
        )
        assert b"".join(block.removeprefix(b"a\n") for block in blocks) == text.encode()


def test_a_long_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"query_id,doc_id,score\n" + b"q1,a document of many letters,0.25\n" * 1_000_000)
    tracemalloc.start()
    try:
        size = sum(map(len, libraries.blocks_of([str(path)], Delimited(",", ("query_id",), header=True))))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size >= path.stat().st_size > 8 * libraries.BLOCK
    assert most < 5 * libraries.BLOCK, f"{most:,} bytes"
