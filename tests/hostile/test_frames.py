"""Attacks by data frames: columns of every type that is not an id or number, nulls at each level, streams that fail."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import os
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING, Any

import pytest

import carob
from hostile.attack import SOURCES, asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QRELS = {"q": {"a": 1, "b": 0, "c": 1}}
SOUND: dict[str, list[Any]] = {"query": ["q"] * 3, "document": ["b", "a", "c"], "number": [3.0, 2.0, 1.0]}
RIGHT = (1 / 2 + 2 / 3) / 2
"""AP of b, a, c."""

BIG = 2**53 + 1


def ids(pa: Any) -> Any:
    return pa.array(SOUND["document"])


def dictionary(pa: Any, places: list[int | None], values: Any, **how: Any) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), values, **how)


def ends(pa: Any, places: list[int], values: Any) -> Any:
    return pa.RunEndEncodedArray.from_arrays(pa.array(places, pa.int32()), values)


def objects(pd: Any, *values: Any) -> Any:
    return pd.Series(values, dtype=object)


# A library, which column it is, what is in it, and a part of the sentence.
Column = tuple[str, str, "Callable[[Any], Any]", str]
NO_ID, NO_NUMBER = "ids must be text or whole numbers", "must be a number"
REFUSED: dict[str, Column] = {
    "text among numbers": (
        "pandas",
        "number",
        lambda pd: objects(pd, 3.0, "2", 1),
        "cannot be read: Could not convert",
    ),
    "a list among numbers": ("pandas", "number", lambda pd: objects(pd, 3.0, [1], 1), "cannot be read"),
    "truth among numbers": ("pandas", "number", lambda pd: objects(pd, True, 2, 3), "cannot be read"),
    "None among numbers": ("pandas", "number", lambda pd: objects(pd, 3.0, None, 1), "row 1 (from 0)"),
    "a number of 400 digits": ("pandas", "number", lambda pd: objects(pd, 10**400, 1, 2), "too large"),
    "fractions": (
        "pandas",
        "number",
        lambda pd: objects(pd, fractions.Fraction(1, 3), 2, 1),
        "cannot be read",
    ),
    "a decimal that is NaN": (
        "pandas",
        "number",
        lambda pd: objects(pd, decimal.Decimal("NaN"), decimal.Decimal(2), decimal.Decimal(1)),
        "row 0 (from 0)",
    ),
    "complex numbers": ("pandas", "number", lambda pd: pd.Series([1j, 2, 3]), "cannot be read"),
    "times of pandas": ("pandas", "number", lambda pd: pd.to_datetime(["2020-01-01"] * 3), "dates, times"),
    "spans of time": ("pandas", "number", lambda pd: pd.to_timedelta([1, 2, 3]), "dates, times"),
    "intervals": ("pandas", "number", lambda pd: pd.interval_range(0, 3), NO_NUMBER),
    "a sparse column": (
        "pandas",
        "number",
        lambda pd: pd.arrays.SparseArray([3.0, 2.0, 1.0]),
        "cannot be read",
    ),
    "NaN in pandas": ("pandas", "number", lambda pd: pd.Series([float("nan"), 2, 1]), "row 0 (from 0)"),
    "NA in whole numbers": (
        "pandas",
        "number",
        lambda pd: pd.array([3, None, 1], dtype="Int64"),
        "row 1 (from 0)",
    ),
    "wide whole numbers": (
        "pandas",
        "number",
        lambda pd: pd.array([BIG, BIG - 1, 1], dtype="Int64"),
        "row 0 (from 0)",
    ),
    "whole numbers without a sign": (
        "pandas",
        "number",
        lambda pd: pd.array([2**64 - 1, 1, 2], dtype="UInt64"),
        "row 0",
    ),
    "numbers among ids": ("pandas", "document", lambda pd: objects(pd, "b", 1, 2.5), "cannot be read"),
    "lists among ids": ("pandas", "document", lambda pd: objects(pd, "b", ["a"], "c"), "cannot be read"),
    "None among ids": ("pandas", "document", lambda pd: objects(pd, "b", None, "c"), "row 1 (from 0)"),
    "NaN among ids": ("pandas", "document", lambda pd: objects(pd, "b", float("nan"), "c"), "row 1 (from 0)"),
    "a lone surrogate": ("pandas", "document", lambda pd: objects(pd, "b", "\ud800", "c"), "cannot be read"),
    "ids with fractions": (
        "pandas",
        "document",
        lambda pd: pd.Series([1.0, 2.0, 3.5]),
        "become floating-point numbers",
    ),
    "ids that are truth values": (
        "pandas",
        "document",
        lambda pd: pd.Series([True, False, True]),
        "truth values",
    ),
    "ids that are UUIDs": (
        "pandas",
        "document",
        lambda pd: objects(pd, *map(uuid.UUID, ["0" * 32] * 3)),
        "cannot|a fixed length",
    ),
    "categories with a null": (
        "pandas",
        "document",
        lambda pd: pd.Categorical(["b", None, "c"]),
        "row 1 (from 0)",
    ),
    "codes outside the categories": (
        "pandas",
        "document",
        lambda pd: pd.Categorical.from_codes([0, 7, 1], ["a", "b"], validate=False),
        "out of bounds",
    ),
    "structs": ("pyarrow", "document", lambda pa: pa.array([{"x": 1}] * 3), "'doc_id.x'"),
    "lists": ("pyarrow", "document", lambda pa: pa.array([["b"], ["a"], ["c"]]), "contains lists"),
    "lists of numbers": ("pyarrow", "number", lambda pa: pa.array([[1.0], [2.0], None]), "contains lists"),
    "long lists": (
        "pyarrow",
        "document",
        lambda pa: pa.array([["b"]] * 3, pa.large_list(pa.string())),
        "contains lists",
    ),
    "lists of a fixed length": (
        "pyarrow",
        "number",
        lambda pa: pa.array([[1.0]] * 3, pa.list_(pa.float64(), 1)),
        NO_NUMBER,
    ),
    "maps": (
        "pyarrow",
        "number",
        lambda pa: pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int8())),
        "maps",
    ),
    "a union": (
        "pyarrow",
        "document",
        lambda pa: pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [ids(pa), pa.array([1, 2, 3])]),
        "several types",
    ),
    "a dense union": (
        "pyarrow",
        "document",
        lambda pa: pa.UnionArray.from_dense(
            pa.array([0] * 3, pa.int8()), pa.array([0, 1, 2], pa.int32()), [ids(pa)]
        ),
        "several types",
    ),
    "nulls without a type": ("pyarrow", "document", lambda pa: pa.nulls(3), "nulls alone"),
    "nulls for scores": ("pyarrow", "number", lambda pa: pa.nulls(3, pa.float64()), "row 0 (from 0)"),
    "a null query": ("pyarrow", "query", lambda pa: pa.array(["q", None, "q"]), "row 1 (from 0)"),
    "run-end encoded ids": ("pyarrow", "document", lambda pa: ends(pa, [1, 2, 3], ids(pa)), "run-end"),
    "run-end encoded queries": ("pyarrow", "query", lambda pa: ends(pa, [3], pa.array(["q"])), "run-end"),
    "run-end encoded scores": (
        "pyarrow",
        "number",
        lambda pa: ends(pa, [1, 3], pa.array([3.0, 1.0])),
        "run-end",
    ),
    "an extension of bytes": (
        "pyarrow",
        "document",
        lambda pa: pa.array([bytes(16)] * 3, pa.uuid()),
        "a fixed length",
    ),
    "bytes of a fixed length": (
        "pyarrow",
        "document",
        lambda pa: pa.array([b"b", b"a", b"c"], pa.binary(1)),
        "a fixed length",
    ),
    "timestamps": (
        "pyarrow",
        "number",
        lambda pa: pa.array([1, 2, 3], pa.timestamp("ns", "UTC")),
        "dates, times",
    ),
    "dates": ("pyarrow", "number", lambda pa: pa.array([1, 2, 3], pa.date32()), "dates, times"),
    "times as ids": ("pyarrow", "document", lambda pa: pa.array([1, 2, 3], pa.time64("us")), "dates, times"),
    "months and days": (
        "pyarrow",
        "number",
        lambda pa: pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()),
        "dates, times",
    ),
    "decimals with a null": (
        "pyarrow",
        "number",
        lambda pa: pa.array([decimal.Decimal("1.5"), None, None]),
        "row 1",
    ),
    "decimals as ids": ("pyarrow", "document", lambda pa: pa.array([decimal.Decimal("1.50")] * 3), NO_ID),
    "whole numbers beyond a double": (
        "pyarrow",
        "number",
        lambda pa: pa.array([1, BIG, BIG - 1]),
        "row 1 (from 0)",
    ),
    "text for numbers": ("pyarrow", "number", lambda pa: pa.array(["3", "2", "1"]), "contains text"),
    "NaN": ("pyarrow", "number", lambda pa: pa.array([3.0, float("nan"), 1.0]), "NaN"),
    "NaN in a dictionary": (
        "pyarrow",
        "number",
        lambda pa: dictionary(pa, [0, 1, 0], pa.array([3.0, float("nan")])),
        "NaN",
    ),
    "a null in a dictionary": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, 1, 0], pa.array(["a", None])),
        "row 1",
    ),
    "a null place in a dictionary": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, None, 1], ids(pa)),
        "row 1",
    ),
    "a place below a dictionary": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, -1, 0], ids(pa), safe=False),
        "refers to a category that does not exist",
    ),
    "a dictionary of nothing": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, 0, 0], pa.array([], pa.string()), safe=False),
        "refers to a category that does not exist",
    ),
    "a dictionary in a dictionary": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, 1, 0], dictionary(pa, [0, 1], pa.array(["a", "b"]))),
        NO_ID,
    ),
    "a dictionary of lists": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, 1, 0], pa.array([["a"], ["b"]])),
        "lists",
    ),
    "an entry twice in a dictionary": (
        "pyarrow",
        "document",
        lambda pa: dictionary(pa, [0, 1, 2], pa.array(["b", "a", "a"])),
        "row 2 (from 0)",
    ),
    "structs of Polars": ("polars", "document", lambda pl: pl.Series([{"x": 1}] * 3), "'doc_id.x'"),
    "arrays of Polars": (
        "polars",
        "number",
        lambda pl: pl.Series([[1.0]] * 3, dtype=pl.Array(pl.Float64, 1)),
        NO_NUMBER,
    ),
    "objects as ids": ("polars", "document", lambda pl: pl.Series([object()] * 3, dtype=pl.Object), NO_ID),
    "objects as numbers": (
        "polars",
        "number",
        lambda pl: pl.Series([object()] * 3, dtype=pl.Object),
        NO_NUMBER,
    ),
    "a null category": (
        "polars",
        "document",
        lambda pl: pl.Series(["b", None, "c"], dtype=pl.Categorical),
        "row 1",
    ),
    "dates of Polars": ("polars", "number", lambda pl: pl.Series([dt.date(2020, 1, 1)] * 3), "dates, times"),
    "nulls of Polars": ("polars", "number", lambda pl: pl.Series([None] * 3), "nulls alone"),
    "whole numbers of 128 bits": (
        "polars",
        "number",
        lambda pl: pl.Series([1, 2**100 + 1, 2], dtype=pl.Int128),
        "row 1",
    ),
}


def named(side: str, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns by names that are found."""
    names = {"query": "query_id", "document": "doc_id", "number": "score" if side == "run" else "relevance"}
    return {names.get(name, name): values for name, values in columns.items()}


def made(library: str, side: str, columns: dict[str, Any]) -> Any:
    """A frame of a library."""
    module = pytest.importorskip(library)
    given = named(side, columns)
    return module.table(given) if library == "pyarrow" else module.DataFrame(given)


def scored(side: str, frame: Any) -> Any:
    """AP where the frame is the run, or the judgments of a run that ranks b, a, c."""
    if side == "run":
        return carob.evaluate(QRELS, frame, "AP")["AP"]
    return carob.evaluate(frame, {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}, "AP")["AP"]


@pytest.mark.parametrize("side", ["run", "qrels"])
@pytest.mark.parametrize("attack", REFUSED)
def test_what_is_no_id_or_number_is_refused(attack: str, side: str) -> None:
    library, role, make, says = REFUSED[attack]
    if library == "pandas":
        pytest.importorskip("pyarrow")
    frame = made(library, side, SOUND | {role: make(pytest.importorskip(library))})
    answer = asked(lambda: scored(side, frame)).refused()
    assert any(part in answer.err for part in says.split("|")), answer


def slices(pa: Any) -> Any:
    table = pa.table(named("run", SOUND))
    return pa.concat_tables(
        [table.slice(0, 0)] * 1000 + [table.slice(1, 1), table.slice(0, 1), table.slice(2)]
    )


def subclass(pd: Any) -> Any:
    class Other(pd.DataFrame):  # type: ignore[misc, name-defined]
        @property
        def _constructor(self) -> Any:
            return Other

    return Other(named("run", SOUND))


def changed(library: str, **columns: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda module: made(library, "run", SOUND | {name: make(module) for name, make in columns.items()})


ANSWERED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a subclass of pandas": ("pandas", subclass),
    "categories": ("pandas", changed("pandas", document=lambda pd: pd.Categorical(SOUND["document"]))),
    "categories of numbers": ("pandas", changed("pandas", number=lambda pd: pd.Categorical([3.0, 2.0, 1.0]))),
    "decimals in objects": (
        "pandas",
        changed("pandas", number=lambda pd: objects(pd, *map(decimal.Decimal, ("3.1", "2", "1")))),
    ),
    "half precision": ("pandas", changed("pandas", number=lambda pd: pd.Series([3, 2, 1], dtype="float16"))),
    "bytes and text": ("pandas", changed("pandas", document=lambda pd: objects(pd, b"b", "a", "c"))),
    "infinite scores": (
        "pandas",
        changed("pandas", number=lambda pd: pd.Series([float("inf"), 2.0, float("-inf")])),
    ),
    "an id of a megabyte": (
        "pandas",
        changed("pandas", document=lambda pd: objects(pd, "b" * 10**6, "a", "c")),
    ),
    "an empty id": ("pandas", changed("pandas", document=lambda pd: objects(pd, "", "a", "c"))),
    "a control character in an id": (
        "pandas",
        changed("pandas", document=lambda pd: objects(pd, "b\0\n\x1b[2J\u202e", "a", "c")),
    ),
    "slices out of order": ("pyarrow", slices),
    "views": ("pyarrow", changed("pyarrow", document=lambda pa: ids(pa).cast(pa.string_view()))),
    "bytes that are no UTF-8": (
        "pyarrow",
        changed("pyarrow", document=lambda pa: pa.array([b"\xff\0", b"a", b"c"])),
    ),
    "numbers in a dictionary": (
        "pyarrow",
        changed("pyarrow", number=lambda pa: dictionary(pa, [0, 1, 2], pa.array([3.0, 2.0, 1.0]))),
    ),
    "decimals of 256 bits": (
        "pyarrow",
        changed(
            "pyarrow",
            number=lambda pa: pa.array(map(decimal.Decimal, ("1e60", "1.5", "1")), pa.decimal256(76, 10)),
        ),
    ),
    "an enumeration": (
        "polars",
        changed("polars", document=lambda pl: pl.Series(SOUND["document"], dtype=pl.Enum(["c", "a", "b"]))),
    ),
    "a lazy frame": ("polars", lambda pl: pl.DataFrame(named("run", SOUND)).lazy()),
    "a reader": ("pyarrow", lambda pa: reader(pa, pa.table(named("run", SOUND)).to_batches())),
}


@pytest.mark.parametrize("attack", ANSWERED)
def test_what_is_odd_and_sound_gives_the_right_number(attack: str) -> None:
    library, make = ANSWERED[attack]
    pytest.importorskip("pyarrow")
    frame = make(pytest.importorskip(library))
    assert asked(lambda: scored("run", frame)).out == pytest.approx(RIGHT)


def test_judgments_come_from_a_reader_too() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(named("qrels", SOUND | {"number": [0, 1, 1]}))
    assert scored("qrels", table.to_reader()) == pytest.approx(RIGHT)


# ---------------------------------------------------------------- whole frames


class Stream:
    """What fails when it is asked for its stream, or hands over something else."""

    def __init__(self, made: object) -> None:
        self.made = made

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def reader(pa: Any, batches: Any) -> Any:
    return pa.RecordBatchReader.from_batches(pa.table(named("run", SOUND)).schema, batches)


def failing(pa: Any) -> Any:
    """Two batches, of which the second never comes."""

    def batches() -> Iterator[Any]:
        yield from pa.table(named("run", SOUND)).to_batches()
        raise RuntimeError("the server is gone")

    return reader(pa, batches())


def gone(duckdb: Any) -> Any:
    connection = duckdb.connect()
    relation = connection.sql("select 'q' as query_id, 'a' as doc_id, 1.0 as score")
    connection.close()
    return relation


WHOLE: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "no columns": ("pandas", lambda pd: pd.DataFrame(), "The columns are: none"),
    "rows without columns": ("pandas", lambda pd: pd.DataFrame(index=[1, 2]), "The columns are: none"),
    "no rows": ("pandas", lambda pd: pd.DataFrame(named("run", SOUND)).iloc[:0], "empty|no rows"),
    "no rows, of Arrow's null type": (
        "pyarrow",
        lambda pa: pa.table({name: pa.nulls(0) for name in named("run", SOUND)}),
        "empty|no rows",
    ),
    "nulls alone": (
        "pyarrow",
        lambda pa: pa.table({name: pa.nulls(1) for name in named("run", SOUND)}),
        "contains nulls alone",
    ),
    "columns that are numbers": (
        "pandas",
        lambda pd: pd.DataFrame([["q", "a", 1.0]]),
        "The columns are: '0', '1', '2'",
    ),
    "columns that are tuples": (
        "pandas",
        lambda pd: pd.DataFrame(
            [["q", 1.0]], columns=pd.MultiIndex.from_tuples([("query_id", ""), ("score", "")])
        ),
        "('query_id', '')",
    ),
    "columns that a terminal obeys": (
        "pandas",
        lambda pd: pd.DataFrame({"\x1b[2J\n::error::": ["q"]}),
        r"\x1b[2J\n",
    ),
    "5,000 columns": (
        "pandas",
        lambda pd: pd.DataFrame({f"c{each}": [1] for each in range(5000)}),
        "and 4,980 more",
    ),
    "two columns of ids": (
        "pandas",
        lambda pd: pd.DataFrame([["q", "a", "b", 1.0]], columns=["query_id", "doc_id", "doc_id", "score"]),
        "2 columns named 'doc_id'",
    ),
    "two columns of ids in Arrow": (
        "pyarrow",
        lambda pa: pa.Table.from_arrays(
            [ids(pa)] * 3 + [pa.array([1.0] * 3)], ["query_id", "doc_id", "doc_id", "score"]
        ),
        "2 columns named 'doc_id'",
    ),
    "a column alone": ("pandas", lambda pd: pd.Series([1.0]), "one column"),
    "a column of chunks": ("pyarrow", lambda pa: pa.chunked_array([[1, 2]]), "one column"),
    "a schema": ("pyarrow", lambda pa: pa.table(named("run", SOUND)).schema, "not a data frame"),
    "groups of rows": (
        "polars",
        lambda pl: pl.DataFrame(named("run", SOUND)).group_by("query_id"),
        "not a data frame",
    ),
    "a stream that raises": (
        "pyarrow",
        lambda pa: Stream(KeyError("\x1b[31mno")),
        r"cannot be read: '\x1b[31mno'",
    ),
    "a stream that divides by zero": ("pyarrow", lambda pa: Stream(ZeroDivisionError("by zero")), "by zero"),
    "a stream that is a number": ("pyarrow", lambda pa: Stream(7), "cannot be read"),
    "a stream that is a schema": (
        "pyarrow",
        lambda pa: Stream(pa.schema([("x", pa.int8())]).__arrow_c_schema__()),
        "cannot be read",
    ),
    "a reader that fails": ("pyarrow", failing, "the server is gone"),
    "a reader of other columns": (
        "pyarrow",
        lambda pa: reader(
            pa, iter([*pa.table(named("run", SOUND)).to_batches(), pa.record_batch({"x": [1]})])
        ),
        "cannot be read",
    ),
    "a reader that was read": (
        "pyarrow",
        lambda pa: used(reader(pa, pa.table(named("run", SOUND)).to_batches())),
        "empty|no rows",
    ),
    "a lazy column that is not there": (
        "polars",
        lambda pl: pl.LazyFrame(named("run", SOUND)).with_columns(pl.col("nope")),
        "nope",
    ),
    "a lazy cast that fails": (
        "polars",
        lambda pl: pl.LazyFrame(named("run", SOUND)).with_columns(score=pl.col("doc_id").cast(pl.Float64)),
        "conversion",
    ),
    "a lazy file that is not there": ("polars", lambda pl: pl.scan_csv("nowhere.csv"), "nowhere.csv"),
    "a query that fails": (
        "duckdb",
        lambda db: db.sql("select 'q' as query_id, 'a' as doc_id, error('no rows for you')::double as score"),
        "no rows for you",
    ),
    "a query that is gone": ("duckdb", gone, "closed"),
    "a union of DuckDB": (
        "duckdb",
        lambda db: db.sql("select 'q' as query_id, union_value(a := 1) as doc_id, 1.0 as score"),
        "several types",
    ),
    "a wide number of DuckDB": (
        "duckdb",
        lambda db: db.sql("select 'q' as query_id, 'a' as doc_id, 9007199254740993::hugeint as score"),
        "row 0 (from 0)",
    ),
}


def used(reader: Any) -> Any:
    reader.read_all()
    return reader


@pytest.mark.parametrize("side", ["run", "qrels"])
@pytest.mark.parametrize("attack", WHOLE)
def test_what_is_no_frame_of_use_is_refused(attack: str, side: str) -> None:
    library, make, says = WHOLE[attack]
    if library in ("pandas", "duckdb"):
        pytest.importorskip("pyarrow")
    frame = make(pytest.importorskip(library))
    answer = asked(lambda: scored(side, frame)).refused()
    assert any(part in answer.err for part in says.split("|")), answer


FAR = """
import numpy as np, pyarrow as pa, carob
offsets = np.arange(70_001, dtype=np.int32)
offsets[65_536] = 2**30  # of the last row that one thread takes at once; the next one falls back
far = pa.Array.from_buffers(pa.string(), 70_000, [None, pa.py_buffer(offsets), pa.py_buffer(b"q" * 70_000)])
table = pa.table({"query_id": far, "doc_id": ["a"] * 70_000, "score": np.arange(70_000.0)})
judged = table.rename_columns(["query_id", "doc_id", "relevance"])
for qrels, run in (({"q": {"a": 1}}, table), (judged, {"q": {"a": 1.0}})):
    try:
        carob.evaluate(qrels, run, "AP")
    except carob.DataError as error:
        print(error)
"""


def test_offsets_that_fall_further_on_are_refused_before_anything_is_read() -> None:
    pytest.importorskip("pyarrow")
    done = subprocess.run(
        [sys.executable, "-c", FAR],
        env={**os.environ, "PYTHONPATH": SOURCES},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert done.stdout.count(b"refers to memory outside its buffer") == 2, done
