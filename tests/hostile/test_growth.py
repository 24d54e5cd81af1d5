"""Attacks by small files that take much memory: what is read row by row grows with what is kept, and no more."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import carob
from carob import _native
from carob.inputs.files.header import NumberedLines, rows_of
from carob.judging.collect import collected
from carob.judging.task import read_task
from hostile.attack import asked, attacked

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.long
PAIRS = "query,document,grade\nq1,a,\nq2,b,\n"
GRADES = {0: "no", 1: "yes"}
ROW = '{"query": "q1", "document": "a", "grade": 1}\n'


@pytest.fixture(autouse=True)
def made(folder: Path) -> None:
    (folder / "pairs.csv").write_text(PAIRS)


READS = {
    "collected judgments": ("judge", "--collect", "pairs.csv", "{}", "-o", "o.csv"),
    "pairs to judge": (
        "judge",
        "{}",
        "--queries",
        "qrels.txt",
        "--documents",
        "qrels.txt",
        "--offline",
        "o.html",
    ),
    "people's judgments": ("compare", "--people", "{}", "--judge", "qrels.txt", "one.run", "two.run"),
    "a run of one object": ("eval", "qrels.txt", "{}"),
    "judgments of one object": ("eval", "{}", "one.run"),
    "leaderboards": ("correlate", "--leaderboards", "auto", "{}", "{}"),
    "a table of collections": ("compare", "--collections", "{}", "-m", "AP"),
}
BOMBS = {
    "objects of nothing": b"{}\n" * (12 << 20),
    "a list of objects": b'{"q": [' + b"{}," * (12 << 20) + b"{}]}",
    "rows of nothing": b"collection,query,document,grade,probability\n" + b",,,,\n" * (7 << 20),
}


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    return {name: gzip.compress(content, 1) for name, content in BOMBS.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("what", READS)
def test_what_a_small_archive_unpacks_to_is_not_all_held(what: str, packed: dict[str, bytes]) -> None:
    if what == "pairs to judge":
        pytest.importorskip("jinja2", reason="the page needs carob[judge]")
    kind = (
        "a list of objects"
        if "one object" in what
        else "rows of nothing"
        if "table" in what
        else "objects of nothing"
    )
    ending = "json" if "one object" in what else "csv" if "table" in what else "jsonl"
    Path(f"n.{ending}.gz").write_bytes(packed[kind])
    tracemalloc.start()
    try:
        done = attacked(*(each.format(f"n.{ending}.gz") for each in READS[what]))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert done.code == 2, done
    assert f"n.{ending}.gz" in done.err
    assert most < 3 * 2**26, f"{most:,} bytes"


def most_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", ["jsonl", "csv", "txt"])
def test_judgments_are_collected_row_by_row(form: str) -> None:
    head, row = {
        "jsonl": ("", ROW),
        "csv": ("query,document,grade\n", "q1,a,1\n"),
        "txt": ("", "q1 0 a 1\n"),
    }[form]
    text = head + row * 4_000
    Path(f"many.{form}").write_text(text)
    task = read_task("pairs.csv")
    found = collected(task, [f"many.{form}"], GRADES)
    assert {place: each.grade for its in found.by_judge.values() for place, each in its.items()} == {0: 1.0}
    most = most_of(lambda: collected(task, [f"many.{form}"], GRADES))
    assert most < 3 * len(text) + 2**19, f"{most / len(text):.1f} times the text"


def test_a_models_many_failures_on_one_pair_are_one() -> None:
    answer = json.dumps({"query": "q1", "document": "a", "answer": "I cannot say."}) + "\n"
    Path("answers.jsonl").write_text(answer * 1_000 + ROW.replace("q1", "q2").replace('"a"', '"b"'))
    done = attacked("judge", "--collect", "pairs.csv", "answers.jsonl", "--lenient", "-o", "o.csv").answered()
    assert "1 answer without a clear grade" in done.err
    assert "line 1." in done.err


def test_lines_are_numbered_whatever_ends_them() -> None:
    text = "a\n\n b \r\n\r\nc\rd\n   \n\te\n"
    assert list(NumberedLines(text)) == [(1, "a"), (3, " b "), (5, "c"), (6, "d"), (8, "\te")]
    assert list(NumberedLines(text)) == list(NumberedLines(text))
    assert NumberedLines(text).first == (1, "a")
    assert NumberedLines("\n \r\n").first is None
    assert [*NumberedLines("x\u2028y\x0bz")] == [(1, "x\u2028y\x0bz")]  # no ends of lines, as in JSON


def test_rows_keep_the_numbers_of_their_lines() -> None:
    text = '\na,b\n\n1,"x\ny"\n2,z\n'
    assert list(rows_of(NumberedLines(text), "t.csv")) == [
        ({"file": "t.csv", "line": 5}, {"a": "1", "b": "xy"}),
        ({"file": "t.csv", "line": 6}, {"a": "2", "b": "z"}),
    ]


def long_ids(path: Path, role: str, number: str) -> Path:
    """Writes 1,000 rows, whose one id of 30,000 bytes stands once in the file's dictionary."""
    pa = pytest.importorskip("pyarrow")
    long = pa.array([0] * 1000, pa.int32())
    ids = pa.DictionaryArray.from_arrays(long, pa.array(["x" * 30_000]))
    numbers = {"query_id": ["q1"] * 1000, "doc_id": list(map(str, range(1000))), number: [1.0] * 1000}
    table = pa.table({**numbers, role: ids})
    if path.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path, compression="zstd", store_schema=False)
    else:
        import pyarrow.ipc

        options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
        with pyarrow.ipc.new_file(path, table.schema, options=options) as file:
            file.write_table(table)
    return path


@pytest.mark.parametrize(
    ("ending", "library", "role"),
    [
        ("parquet", "polars", "query_id"),
        ("parquet", "polars", "doc_id"),
        ("parquet", "duckdb", "doc_id"),
        ("parquet", "pyarrow", "query_id"),
        ("arrow", "pyarrow", "doc_id"),
    ],
)
def test_an_id_that_a_file_holds_once_for_all_its_rows_is_not_written_out_for_each(
    ending: str, library: str, role: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carob.inputs.files import libraries

    pytest.importorskip(library)
    able = {its.name: its for its in libraries.READS["parquet"]}[library]
    monkeypatch.setitem(libraries.READS, ending, (able,))
    path = long_ids(folder / f"long.{ending}", role, "score")
    judged = long_ids(folder / f"judged.{ending}", role, "grade")
    monkeypatch.setattr("carob.inputs.errors.FREE", 2**20)
    assert 200 * path.stat().st_size < 1000 * 30_000
    said = "the ids of its rows, when expanded, take more than 200 times the size of the file and more than 1 MiB"
    attacked("eval", "qrels.txt", path).refused(f"long.{ending}: {said}")
    attacked("eval", judged, "one.run").refused(f"judged.{ending}: {said}")
    asked(lambda: carob.read_leaderboard(path)).refused(f"long.{ending}: {said}")


def test_the_bytes_of_texts_are_counted_for_every_row() -> None:
    pa = pytest.importorskip("pyarrow")
    texts = ["a", None, "b" * 20, "", "a"]  # 22 bytes
    dictionary = pa.DictionaryArray.from_arrays(pa.array([1, None, 1, 0, 2]), pa.array(["a", "c" * 20, None]))

    def bytes_of(**columns: object) -> int:
        return _native.Frame(pa.table(columns).__arrow_c_stream__()).written_out

    assert bytes_of(its=pa.array(texts)) == 22
    assert bytes_of(its=pa.array(texts, pa.large_string()), number=[1] * 5) == 22
    assert bytes_of(its=pa.array(texts, pa.string_view())) == 22
    assert bytes_of(its=pa.array(texts)[2:]) == 21
    assert bytes_of(its=dictionary) == 20 + 20 + 1
    assert bytes_of(its=pa.chunked_array([dictionary, dictionary[2:]])) == 41 + 21
    assert bytes_of(its=pa.array([], pa.string())) == bytes_of(number=[1.5]) == 0
