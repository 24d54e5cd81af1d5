"""Many threads on one run or one table of judgments: every evaluation has the values of one alone, or is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Qrels, Run
from carob.inputs.decompression import ZSTANDARD
from carob.inputs.runs import batches
from strategies import examples, first
from test_conformance import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

THREADS = 16
TIMES = THREADS * examples(50)
FEW = THREADS * examples(6)
FEWER = THREADS * examples(2)
"""Evaluations of what takes ten milliseconds each, or a hundred."""

QRELS = {f"q{query}": {f"d{each}": each % 3 for each in range(0, 30, 2)} for query in range(8)}
RUN = {f"q{query}": {f"d{each}": float((each * 7 + query) % 31) for each in range(20)} for query in range(8)}
ROWS = [(query, document, score) for query, its in RUN.items() for document, score in its.items()]
LINES = "".join(f"{query} Q0 {document} 0 {score} t\n" for query, document, score in ROWS).encode()
# Its queries come back, so that the kernel reads it twice.
MIXED = b"".join(sorted(LINES.splitlines(keepends=True), key=lambda line: line.split()[2]))
COLUMNS = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*ROWS, strict=True)), strict=True))


def zstd(content: bytes) -> bytes:
    return pytest.importorskip(ZSTANDARD).compress(content)


def written(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def parts(folder: Path) -> str:
    half = LINES.index(b"q4 ")
    written(folder, "part-0.run.gz", gzip.compress(LINES[:half]))
    written(folder, "part-1.run", LINES[half:])
    return f"{folder}/part-*"


def parquet(folder: Path) -> Path:
    needed("pyarrow", "polars")
    import pyarrow.parquet as pq

    pq.write_table(table(), folder / "run.parquet")
    return folder / "run.parquet"


def csv(folder: Path) -> Path:
    needed("polars")
    lines = "".join(f"{query},{document},{score}\n" for query, document, score in ROWS)
    return written(folder, "run.csv", f"query_id,doc_id,score\n{lines}".encode())


def json_lines(folder: Path) -> Path:
    needed("polars")
    rows = (dict(zip(COLUMNS, row, strict=True)) for row in ROWS)
    return written(folder, "run.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())


def pandas(folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def table(folder: Path | None = None) -> Any:
    return pytest.importorskip("pyarrow").table(COLUMNS)


def dataset(folder: Path) -> Any:
    return pytest.importorskip("pyarrow.dataset").dataset(table())


def relation(folder: Path) -> Any:
    needed("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", table())
    return connection.sql("from given")


def lazy(folder: Path) -> Any:
    return pytest.importorskip("polars").LazyFrame(COLUMNS)


AT_ONCE: dict[str, Callable[[Path], Any]] = {
    "a dictionary": lambda _: RUN,
    "a path": lambda folder: written(folder, "a.run", LINES),
    "bytes": lambda _: LINES,
    "a path, its queries mixed": lambda folder: written(folder, "a.run", MIXED),
    "a path of gzip": lambda folder: written(folder, "a.gz", gzip.compress(LINES)),
    "a path of gzip, its queries mixed": lambda folder: written(folder, "a.gz", gzip.compress(MIXED)),
    "a path of bzip2": lambda folder: written(folder, "a.bz2", bz2.compress(LINES)),
    "a path of xz": lambda folder: written(folder, "a.xz", lzma.compress(LINES)),
    "a path of Zstandard": lambda folder: written(folder, "a.zst", zstd(LINES)),
    "bytes of gzip": lambda _: gzip.compress(LINES),
    "a stream": lambda _: io.BytesIO(LINES),
    "a stream, its queries mixed": lambda _: io.BytesIO(MIXED),
    "a stream of gzip": lambda _: io.BytesIO(gzip.compress(LINES)),
    "parts of text": parts,
    "a file of a dictionary": lambda folder: written(folder, "a.json", json.dumps(RUN).encode()),
    "a frame of pandas": pandas,
    "a table of PyArrow": table,
    "a frame of Polars": lambda folder: lazy(folder).collect(),
    "a stream of batches": lambda _: table().to_reader(7),
}
LATER: dict[str, Callable[[Path], Any]] = {
    "Parquet": parquet,
    "CSV": csv,
    "JSON lines": json_lines,
    "a lazy frame of Polars": lazy,
    "a relation of DuckDB": relation,
    "a dataset of PyArrow": dataset,
    "a scanner of PyArrow": lambda folder: dataset(folder).scanner(),
}
ENGINES = {"a relation of DuckDB": relation, "a lazy frame of Polars": lazy}


@pytest.fixture
def in_turns() -> Iterator[None]:
    """Threads change as often as they can, so that what they share shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(ask: Callable[[], Any], times: int) -> list[Any]:
    """What many threads get, all of which begin at once; carob's errors among it."""
    begin = threading.Barrier(THREADS)

    def asked(_: int) -> list[Any]:
        begin.wait()
        found: list[Any] = []
        for _each in range(times // THREADS):
            try:
                found.append(ask())
            except DataError as error:
                found.append(str(error))
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        return [each for found in pool.map(asked, range(THREADS)) for each in found]


WANTED = carob.evaluate(QRELS, RUN, ["AP", "NumRet"])


def check_alike(run: Run, times: int) -> None:
    qrels = Qrels.of(QRELS)

    def ask() -> dict[str, Any]:
        scores = carob.evaluate(qrels, run, ["AP", "NumRet"])
        return {label: scores.by_query(label) for label in scores.labels}

    wanted = {label: WANTED.by_query(label) for label in WANTED.labels}
    found = together(ask, times)
    assert len(found) == times
    wrong = [each for each in found if each != wanted]
    assert not wrong, f"{len(wrong)} of {times}, such as {wrong[0]}"


def test_threads_that_make_runs_of_one_relation_take_turns(tmp_path: Path) -> None:
    shared, qrels = relation(tmp_path), Qrels.of(QRELS)
    found = together(lambda: carob.evaluate(qrels, shared, ["AP"]).by_query("AP"), 4 * THREADS)
    assert found == [WANTED.by_query("AP")] * (4 * THREADS)


@pytest.mark.parametrize("kind", first(AT_ONCE, 10))
def test_one_run_evaluated_in_many_threads_has_one_value(kind: str, tmp_path: Path, in_turns: None) -> None:
    check_alike(Run.of(AT_ONCE[kind](tmp_path)), TIMES)


@pytest.mark.parametrize("kind", LATER)
def test_one_table_computed_in_many_threads_has_one_value(kind: str, tmp_path: Path, in_turns: None) -> None:
    check_alike(Run.of(LATER[kind](tmp_path)), FEW)


@pytest.mark.parametrize("kind", ENGINES)
def test_one_table_ranked_by_its_engine_in_many_threads_has_one_value(kind: str, tmp_path: Path) -> None:
    check_alike(Run.of(ENGINES[kind](tmp_path), extract="engine"), FEWER)


def test_one_run_of_spark_in_many_threads_has_one_value(spark: Any) -> None:
    check_alike(Run.of(spark.createDataFrame(table())), 16)


def test_a_stream_too_large_to_be_held_is_read_once_and_refused_to_the_other_threads(
    monkeypatch: pytest.MonkeyPatch, in_turns: None
) -> None:
    monkeypatch.setattr(batches, "FEW", 10)
    for _ in range(20):
        run = Run.of(table().to_reader(7))
        found = together(lambda: carob.evaluate(QRELS, run, "AP")["AP"], THREADS)  # noqa: B023
        right = [each for each in found if each == WANTED["AP"]]
        refused = [each for each in found if isinstance(each, str) and "read only once" in each]
        assert len(right) == 1
        assert len(refused) == THREADS - 1


def test_a_streams_fault_is_every_readers() -> None:
    run = Run.of(io.BytesIO(gzip.compress(LINES * 50)[:-9]))
    found = together(lambda: carob.evaluate(QRELS, run, "AP")["AP"], 64)
    assert all(isinstance(each, str) and "damaged or truncated" in each for each in found), found


def test_threads_that_read_one_file_at_different_paces_see_all_of_it() -> None:
    held: Any = Run.of(io.BytesIO(gzip.compress(LINES * 400))).source
    slow, fast = held.from_start(), held.from_start()
    pieces = []
    while part := slow.read(1000):
        pieces.append(part)
        fast.read(7777)
    assert b"".join(pieces) == LINES * 400


def test_a_file_that_is_open_is_read_in_many_threads(tmp_path: Path) -> None:
    with written(tmp_path, "a.run", LINES).open("rb") as file:
        check_alike(Run.of(file), FEWER)


def test_the_callers_stream_stays_open() -> None:
    for content in (LINES, gzip.compress(LINES)):
        stream = io.BytesIO(content)
        assert carob.evaluate(QRELS, stream, "AP")["AP"] == WANTED["AP"]
        assert not stream.closed
