"""Runs that come in batches give the numbers of the same rows in memory, in whatever batches and order they come."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, Policy, Qrels, Run, _native
from carob.inputs.runs import SpillFile
from carob.inputs.runs.batches import StreamedRun, bounded, in_turn
from strategies import first

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(not find_spec("pyarrow"), reason="needs pyarrow, which is not installed")

MEASURES = ["AP", "RR", "nDCG@3", "Bpref"]
QRELS = {"1": {"a": 1, "b": 0, "é": 2}, "2": {"a": 1, "c": -1}, "3": {"a": 1}, "10": {"b": 1}}
RULES = ["trec", "ascending", "input", "rank-column"]


def table(columns: dict[str, Any]) -> Any:
    import pyarrow as pa

    return pa.table(columns)


def rows(seed: int, *, mixed: bool) -> dict[str, list[Any]]:
    """Ties, repeated documents, queries without judgments, and ranks that do not follow the scores."""
    draw = random.Random(seed)
    found = [
        (query, document, draw.choice([0.5, 1.0, 1.0, -2.0, float("inf")]), draw.randrange(-3, 9))
        for query in draw.sample(["1", "2", "3", "7", "8"], 4)
        for document in draw.choices(["a", "b", "c", "é", "x" * 300, "y", "z"], k=draw.randrange(1, 12))
    ]
    if mixed:
        draw.shuffle(found)
    query, document, score, rank = map(list, zip(*found, strict=True))
    return {"query": query, "document": document, "score": score, "rank": rank}


def everything(found: _native.Matched) -> tuple[Any, ...]:
    """All that a match says, comparable with ==."""
    arrays = (
        "length",
        "judged",
        "first_tie",
        "offsets",
        "rank",
        "tie_first",
        "tie_last",
        "judgment",
        "scores",
    )
    plain = ("extra", "duplicates", "dropped", "unordered", "line_count")
    return (
        *(getattr(found, name).tolist() for name in arrays),
        *(getattr(found, name) for name in plain),
    )


COLUMNS: dict[str, Any] = {"query": 0, "document": 1, "score": 2, "rank": 3}


def in_memory(judgments: _native.Judgments, given: Any, **how: Any) -> tuple[Any, ...]:
    frame = _native.Frame(given.__arrow_c_stream__())
    return everything(_native.match_frame(judgments, frame, **COLUMNS, scores=True, **how))


def in_batches(
    judgments: _native.Judgments,
    given: Any,
    size: int,
    *,
    gathered: bool,
    memory: int | None = None,
    **how: Any,
) -> tuple[Any, ...] | None:
    """The same by a matcher that gets so many rows at once; None where it said that a query came back."""
    with closing(SpillFile()) as spill:
        matcher = _native.FrameMatcher(
            judgments, **COLUMNS, scores=True, gathered=gathered, spill=spill, memory=memory, **how
        )
        for start in range(0, len(given), size):
            if not matcher.take(_native.Frame(given.slice(start, size).__arrow_c_stream__())):
                return None
        found = everything(matcher.finish())
        if gathered and memory is not None and sum(length > 0 for length in found[0]) > 1:
            assert spill.size > 0
        return found


def as_text(given: Any) -> Any:
    return given


def as_dictionaries(given: Any) -> Any:
    for place in (0, 1):
        given = given.set_column(place, given.schema.names[place], given.column(place).dictionary_encode())
    return given


def as_numbers(given: Any) -> Any:
    return given.set_column(0, "query", given.column(0).cast("int32"))


@pytest.mark.parametrize(
    "form", first([as_dictionaries, as_text, as_numbers], 1), ids=lambda form: form.__name__
)
@pytest.mark.parametrize("duplicates", ["keep", "first", "last", "max"])
@pytest.mark.parametrize("ties", RULES)
def test_batches_of_any_size_match_as_the_whole(
    form: Callable[[Any], Any], duplicates: str, ties: str
) -> None:
    judgments = Qrels.of(QRELS).judgments
    how: dict[str, Any] = {"ties": ties, "duplicates": duplicates}
    for seed in range(6):
        for mixed in (False, True):
            given = form(table(rows(seed, mixed=mixed)))
            how["float32"] = bool(seed % 2)
            expected = in_memory(judgments, given, **how)
            for size in (1, 2, 3, len(given)):
                together = in_batches(judgments, given, size, gathered=False, **how)
                assert together == expected or (mixed and together is None)
                assert in_batches(judgments, given, size, gathered=True, **how) == expected
                assert in_batches(judgments, given, size, gathered=True, memory=1, **how) == expected


def test_a_query_that_comes_back_is_noticed_and_one_without_judgments_may() -> None:
    judgments = Qrels.of(QRELS).judgments

    def taken(*queries: str) -> list[bool]:
        matcher = _native.FrameMatcher(judgments, query=0, document=1, score=2)
        return [
            matcher.take(_native.Frame(table({"q": [each], "d": ["a"], "s": [1.0]}).__arrow_c_stream__()))
            for each in queries
        ]

    assert taken("1", "1", "7", "2", "7") == [True] * 5
    assert taken("1", "2", "1") == [True, True, False]
    assert taken("1", "7", "1") == [True, True, False]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("memory", [None, 1 << 18])
def test_many_rows_are_shared_among_threads_and_change_nothing(threads: int, memory: int | None) -> None:
    draw = np.random.default_rng(5)
    queries = np.repeat(np.arange(600), 200)
    documents = draw.integers(0, 5000, len(queries))
    scores = draw.integers(0, 60, len(queries)) / 7
    judged = draw.choice(len(queries), 3000, replace=False)
    qrels = table({"qid": queries[judged], "docno": documents[judged], "rel": draw.integers(0, 3, 3000)})
    judgments = Qrels.of(qrels, Policy(duplicates="first")).judgments
    order = draw.permutation(len(queries))
    for given, gathered in ((slice(None), False), (slice(None), True), (order, True)):
        run = table(
            {"q": queries[given], "d": documents[given], "s": scores[given], "r": np.arange(len(queries))}
        )
        expected = in_memory(judgments, run, threads=1)
        assert in_memory(judgments, run, threads=threads) == expected
        found = in_batches(judgments, run, 40_001, gathered=gathered, memory=memory, threads=threads)
        assert found == expected


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("gathered", [False, True])
def test_the_first_unfit_row_is_named_by_its_place_among_all(threads: int, gathered: bool) -> None:
    judgments = Qrels.of({"0": {"1": 1}}).judgments
    scores = np.ones(400_000)
    scores[[150_000, 290_000]] = np.nan
    run = table({"q": np.zeros(400_000, int), "d": np.arange(400_000), "s": scores})
    matcher = _native.FrameMatcher(
        judgments, query=0, document=1, score=2, threads=threads, gathered=gathered
    )
    assert matcher.take(_native.Frame(run.slice(0, 100_000).__arrow_c_stream__()))
    with pytest.raises(_native.RowError) as caught:
        matcher.take(_native.Frame(run.slice(100_000).__arrow_c_stream__()))
    assert (caught.value.kind, caught.value.row) == ("nan", 150_000)
    with pytest.raises(ValueError, match="has ended"):
        matcher.finish()


def test_a_null_far_down_is_named() -> None:
    judgments = Qrels.of(QRELS).judgments
    matcher = _native.FrameMatcher(judgments, query=0, document=1, score=2)
    given = table({"q": ["1", "1", None], "d": ["a", "b", "c"], "s": [1.0, 2.0, 3.0]})
    assert matcher.take(_native.Frame(given.slice(0, 2).__arrow_c_stream__()))
    with pytest.raises(_native.RowError) as caught:
        matcher.take(_native.Frame(given.slice(2).__arrow_c_stream__()))
    assert (caught.value.kind, caught.value.column, caught.value.row) == ("null", "q", 2)


def test_a_matcher_ends_once_and_wants_the_columns_that_it_was_told() -> None:
    judgments = Qrels.of(QRELS).judgments
    matcher = _native.FrameMatcher(judgments, query=0, document=1, score=2)
    with pytest.raises(IndexError):
        matcher.take(_native.Frame(table({"q": ["1"], "d": ["a"]}).__arrow_c_stream__()))
    assert matcher.finish().length.tolist() == [-1] * 4
    with pytest.raises(ValueError, match="has ended"):
        matcher.finish()


def test_text_whose_queries_are_mixed_is_held_in_a_file_too() -> None:
    qrels = b"".join(b"%d 0 d%d 1\n" % (query, query) for query in range(40))
    draw = random.Random(2)
    lines = [
        b"%d Q0 d%d 0 %d t\n" % (query, document, draw.randrange(9))
        for query in range(40)
        for document in range(50)
    ]
    draw.shuffle(lines)
    judgments = _native.read_judgments(qrels)
    expected = everything(_native.match_text(judgments, b"".join(lines), scores=True))
    for threads in (1, 3):
        with closing(SpillFile()) as spill:
            found = _native.match_text(
                judgments,
                b"".join(lines),
                scores=True,
                threads=threads,
                block_bytes=1000,
                spill=spill,
                memory=2000,
            )
            assert everything(found) == expected
            assert spill.size > 10_000


# ---------------------------------------------------------------- by library


def polars_lazy(columns: dict[str, Any]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns).lazy()


def narwhals_lazy(columns: dict[str, Any]) -> Any:
    import narwhals as nw

    return nw.from_native(polars_lazy(columns))


def duckdb_relation(columns: dict[str, Any]) -> Any:
    return pytest.importorskip("duckdb").from_arrow(table(columns))


def dataset(columns: dict[str, Any]) -> Any:
    import pyarrow.dataset as ds

    return ds.dataset(table(columns))


def scanner(columns: dict[str, Any]) -> Any:
    return dataset(columns).scanner()


def reader(columns: dict[str, Any]) -> Any:
    return table(columns).to_reader(2)


LAZY = [polars_lazy, narwhals_lazy, duckdb_relation, dataset]
ONCE = [scanner, reader]
everywhere = pytest.mark.parametrize("make", LAZY + ONCE, ids=lambda make: make.__name__)


def short(run: Run, memory: int | None = None) -> Run:
    """The same run in batches of two rows, as far as its library goes by that."""
    assert isinstance(run.held, StreamedRun)
    return replace(run, held=replace(run.held, size=2, memory=memory))


def named(given: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """With usual names, and a column that nobody wants."""
    return {
        "text": ["?"] * len(given["query"]),
        "rank": given["rank"],
        "score": given["score"],
        "docno": given["document"],
        "qid": given["query"],
    }


@everywhere
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("ties", [*RULES, "expected"])
@pytest.mark.parametrize("duplicates", ["first", "last", "max"])
def test_every_library_and_policy_gives_the_values_of_the_frame_in_memory(
    make: Any, mixed: bool, ties: str, duplicates: str
) -> None:
    policy = Policy(ties=ties, duplicates=duplicates)
    given = named(rows(3, mixed=mixed))
    expected = carob.evaluate(QRELS, table(given), MEASURES, policy=policy)
    for memory in (None, 1):
        found = carob.evaluate(QRELS, short(Run.of(make(given)), memory), MEASURES, policy=policy)
        assert [found.by_query(each) for each in MEASURES] == [expected.by_query(each) for each in MEASURES]
        # Ranks are compared within a batch, and these have two rows.
        counted = [{**its.counts.as_dict(), "misranked": 0} for its in (found, expected)]
        assert counted[0] == counted[1]


@everywhere
def test_a_document_that_stands_twice_is_named_by_its_rows(make: Any) -> None:
    given = {"qid": ["1", "2", "1", "1"], "docno": ["a", "a", "b", "a"], "score": [1.0, 2.0, 3.0, 4.0]}
    with pytest.raises(
        DataError, match=r"row 3 \(from 0\): document 'a' is listed twice for query '1' \(first in row 0\)"
    ):
        carob.evaluate(QRELS, Run.of(make(given)), "AP")


@everywhere
def test_one_query_is_asked_for_by_text_or_whole_number(make: Any) -> None:
    for ids in (["1", "2", "1"], [1, 2, 1]):
        given = {"qid": ids, "docno": ["a", "b", "c"], "score": [1.0, 3.0, 2.0]}
        run = Run.of(make(given))
        assert list(run.held.rows([b"1", b"\xff", b"01"])) == [(b"1", b"a", 1.0), (b"1", b"c", 2.0)]
        assert [each[1] for each in run.held.rows()] == [b"a", b"b", b"c"]
        assert carob.explain("RR", QRELS, run, query="1").value == 0.5


@pytest.mark.parametrize("make", [duckdb_relation, dataset, scanner, reader])
def test_decimals_are_numbers(make: Any) -> None:
    from decimal import Decimal

    given = {"qid": ["1", "1"], "docno": ["b", "a"], "score": [Decimal("0.25"), Decimal("0.50")]}
    assert carob.evaluate(QRELS, make(given), "RR")["RR"] == 0.25  # of four queries


@everywhere
def test_columns_that_cannot_be_used_are_named(make: Any) -> None:
    with pytest.raises(DataError, match="usual name for the document"):
        Run.of(make({"qid": ["1"], "score": [1.0]}))
    with pytest.raises(DataError, match="Column 'score' of the run frame contains text"):
        carob.evaluate(QRELS, make({"qid": ["1"], "docno": ["a"], "score": ["1"]}), "AP")
    run = Run.of(make({"qid": ["1"], "docno": ["a"], "score": [1.0]}))
    with pytest.raises(DataError, match="has no ranks"):
        carob.evaluate(QRELS, run, "AP", policy=Policy(ties="rank-column"))


@everywhere
def test_nothing_is_read_before_it_is_matched_and_an_empty_run_misses_every_query(make: Any) -> None:
    import pyarrow as pa

    empty = {"qid": pa.array([], "string"), "docno": pa.array([], "string"), "score": pa.array([], "double")}
    if make in (polars_lazy, narwhals_lazy):
        empty = {name: values.to_numpy(zero_copy_only=False) for name, values in empty.items()}
        pl = pytest.importorskip("polars")
        frame = pl.LazyFrame(empty, schema={"qid": pl.String, "docno": pl.String, "score": pl.Float64})
    else:
        frame = make(empty)
    part = Policy(overlap="none")
    assert len(carob.evaluate(QRELS, frame, "AP", policy=part).counts.missing) == 4
    with pytest.raises(DataError, match="the run is empty"):
        carob.evaluate(QRELS, frame, "AP")


def test_a_dataset_in_parquet_is_read_without_holding_its_files(tmp_path: Any) -> None:
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    given = named(rows(3, mixed=True))
    pq.write_table(table(given), tmp_path / "run.parquet")
    in_files = ds.dataset(tmp_path)
    assert bounded(in_files)["fragment_scan_options"].pre_buffer is False
    assert bounded(dataset(given)) == {}
    expected = carob.evaluate(QRELS, table(given), MEASURES, policy=Policy(duplicates="last"))
    found = carob.evaluate(QRELS, in_files, MEASURES, policy=Policy(duplicates="last"))
    assert found.means() == expected.means()


def test_judgments_are_read_from_a_dataset_whole() -> None:
    qrels = dataset({"qid": ["1", "1"], "docno": ["a", "b"], "rel": [1, 0]})
    assert carob.evaluate(qrels, {"1": {"a": 1.0}}, "AP")["AP"] == 1


def test_what_an_engine_cannot_compute_is_said_in_a_sentence() -> None:
    pl = pytest.importorskip("polars")
    broken = pl.LazyFrame({"qid": ["1"], "docno": ["a"], "score": ["x"]}).with_columns(
        pl.col("score").cast(pl.Float64)
    )
    with pytest.raises(DataError, match="The run frame from polars cannot be read"):
        carob.evaluate(QRELS, broken, "AP")


def test_a_lazy_frame_is_computed_once_unless_its_queries_are_mixed() -> None:
    pl = pytest.importorskip("polars")

    def calls(queries: list[str]) -> int:
        seen: list[int] = []
        frame = pl.LazyFrame({"qid": queries, "docno": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
        counted = frame.map_batches(lambda batch: (seen.append(len(batch)), batch)[1])
        carob.evaluate(QRELS, short(Run.of(counted)), "AP")
        return sum(seen)

    assert calls(["1", "1", "2", "2"]) == 4
    assert calls(["1", "2", "2", "1"]) == 8


@pytest.mark.parametrize("make", ONCE, ids=lambda make: make.__name__)
def test_a_long_stream_that_can_be_read_once_is_not_read_twice(make: Any, monkeypatch: Any) -> None:
    given = {"qid": ["1", "2", "1"], "docno": ["a", "b", "b"], "score": [1.0, 3.0, 2.0]}
    expected = carob.evaluate(QRELS, table(given), MEASURES).means()
    monkeypatch.setattr("carob.inputs.runs.batches.FEW", 2)
    run = Run.of(make(given))
    with pytest.raises(DataError, match="can be read only once"):
        carob.explain("RR", QRELS, Run.of(make(given)), query="1")
    assert carob.evaluate(QRELS, run, MEASURES).means() == expected
    with pytest.raises(DataError, match="can be read only once"):
        carob.evaluate(QRELS, run, MEASURES)


def test_several_lazy_runs_are_compared_on_one_connection() -> None:
    duckdb = pytest.importorskip("duckdb")
    run = duckdb.sql("select '1' as qid, unnest(['a', 'b', 'c']) as docno, unnest([0.5, 1, 2]) as score")
    compared = carob.compare(QRELS, {"x": run, "y": run}, ["RR"])
    assert [each["RR"] for each in compared.scores] == [1 / 12, 1 / 12]


# ---------------------------------------------------------------- the temporary file


MIXED = {"qid": ["1", "2", "1", "2"], "docno": list("abcd"), "score": [1.0, 2.0, 3.0, 4.0]}


def test_the_file_is_made_when_it_is_needed_and_gone_afterwards(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made: list[Any] = []
    real = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **how: made.append(real(**how)) or made[-1])
    run = Run.of(dataset(MIXED))
    carob.evaluate(QRELS, run, "AP")
    assert not made
    carob.evaluate(QRELS, short(run, 1), "AP")
    assert [file.closed for file in made] == [True]
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_in_a_sentence(monkeypatch: Any) -> None:
    class Full:
        def __init__(self, **_: Any) -> None: ...
        def seek(self, place: int) -> None: ...
        def close(self) -> None: ...
        def write(self, rows: memoryview) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    with pytest.raises(DataError, match=r"cannot be written .*: No space left on device.*TMPDIR"):
        carob.evaluate(QRELS, short(Run.of(dataset(MIXED)), 1), "AP")


def test_a_file_that_was_cut_is_noticed() -> None:
    with closing(SpillFile()) as spill:
        place = spill.append(memoryview(b"abcd"))
        assert spill.file is not None
        spill.file.truncate(2)
        with pytest.raises(DataError, match="the file is shorter than"):
            spill.fill(place, memoryview(bytearray(4)))


@pytest.mark.skipif(sys.platform == "win32", reason="signals to another process are POSIX")
def test_ctrl_c_ends_a_long_stream() -> None:
    program = """if True:
        import os, signal
        import pyarrow as pa
        from carob import Qrels, Run, evaluate
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
        batch = pa.record_batch({"qid": ["1"] * 50000, "docno": ["a"] * 50000, "score": [1.0] * 50000})
        def endless():
            while True:
                os.write(1, b"reading\\n")  # a signal may fall between a print's text and its end of line
                yield batch
        try:
            evaluate({"2": {"a": 1}}, pa.RecordBatchReader.from_batches(batch.schema, endless()), "AP")
        except KeyboardInterrupt:
            print("interrupted")
    """
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(200):
            assert process.stdout.readline() == "reading\n"
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert output.splitlines()[-1] == "interrupted"


def test_an_arrow_file_is_read_batch_by_batch(tmp_path: Path) -> None:
    # How far ahead PyArrow would read depends on the machine; bench/write_run.py measures the memory.
    pyarrow = pytest.importorskip("pyarrow")
    dataset = pytest.importorskip("pyarrow.dataset")
    table = pyarrow.table({"qid": ["1"], "docno": ["a"], "score": [1.0]})
    for form in ("ipc", "feather", "parquet"):
        dataset.write_dataset(table, tmp_path / form, format=form)
        options = in_turn(dataset.dataset(tmp_path / form, format=form))
        assert options.get("batch_readahead") == (None if form == "parquet" else 0)
        rows = list(Run.of(dataset.dataset(tmp_path / form, format=form)).held.rows())
        assert rows == [(b"1", b"a", 1.0)]
