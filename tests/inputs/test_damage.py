"""Damaged and hostile frames and files: a sentence, never the end of the process, and no number lost on the way."""

from __future__ import annotations

import decimal
import io
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, Policy, Run, _native
from strategies import examples, first

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pa = pytest.importorskip("pyarrow")

QRELS = {"q": {"a": 1, "b": 0, "c": 1}}


def text(offsets: list[int], content: bytes = b"abc", kind: Any = None) -> Any:
    """A column of text with these offsets, whatever the content."""
    width = np.int64 if kind == pa.large_string() else np.int32
    buffers = [None, pa.py_buffer(np.array(offsets, width)), pa.py_buffer(content)]
    return pa.Array.from_buffers(kind or pa.string(), len(offsets) - 1, buffers)


def views(place: int, at: int, size: int = 20) -> Any:
    """A column of views: text in place, text in the buffer, and a view of something else."""
    inline = np.frombuffer(b"\x01\0\0\0a".ljust(16, b"\0"), np.int32)
    sound, other = (
        np.array([20, 0, 0, 0], np.int32),
        np.array([size, 0, place, at], np.int64).astype(np.int32),
    )
    buffers = [None, pa.py_buffer(np.concatenate([inline, sound, other])), pa.py_buffer(b"x" * 24)]
    return pa.Array.from_buffers(pa.string_view(), 3, buffers)


def run(documents: Any, queries: Any = None) -> Any:
    return pa.table(
        {"query": queries if queries is not None else ["q"] * 3, "doc": documents, "score": [3.0, 2.0, 1.0]}
    )


HOSTILE: dict[str, Callable[[], Any]] = {
    "offsets far below": lambda: text([0, 1, -2_000_000_000, 3]),
    "offsets that fall": lambda: text([0, 3, 1, 3]),
    "large offsets that fall": lambda: text([0, 2**40, 2, 3], kind=pa.large_string()),
    "a view of no buffer": lambda: views(7, 0),
    "a view of a buffer below": lambda: views(-1, 0),
    "a view beyond its buffer": lambda: views(0, 5),
    "a view from below": lambda: views(0, -30),
    "a view of a size below": lambda: views(0, 0, -2),
    "categories that fall": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.int32()), text([0, 3, 1]), safe=False
    ),
    "an index outside": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 9, 1], pa.int32()), pa.array(["a", "b"]), safe=False
    ),
}


@pytest.mark.parametrize("column", ["doc", "query"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_outside_its_memory_is_refused(hostile: str, column: str, tmp_path: Path) -> None:
    bad = HOSTILE[hostile]()
    table = run(bad) if column == "doc" else run(["a", "b", "c"], bad)
    batches = table.to_batches()
    given: list[Callable[[], Any]] = [
        lambda: table,
        lambda: batches[0],
        lambda: pa.RecordBatchReader.from_batches(table.schema, batches),
        lambda: __import__("pyarrow.dataset").dataset.dataset(table),
    ]
    path = tmp_path / "run.arrow"
    try:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        given += [lambda: str(path)]
    except (pa.ArrowInvalid, OSError, IndexError):
        pass  # what PyArrow does not write is not a file
    for make in given:
        for call in (
            lambda r: carob.evaluate(QRELS, r, ["AP"]),
            lambda r: carob.explain("AP", QRELS, r, "q"),
        ):
            with pytest.raises(DataError, match=r"does not exist|cannot be read|damaged"):
                call(make())
    judged = table.rename_columns(["query_id", "doc_id", "relevance"])
    with pytest.raises(DataError, match=r"does not exist|cannot be read|damaged"):
        carob.evaluate(judged, {"q": {"a": 1.0}}, ["AP"])


@pytest.mark.parametrize("last", [-1, 4, 2_000_000_000])
def test_a_file_whose_text_ends_beyond_its_bytes_is_refused(last: int, tmp_path: Path) -> None:
    table = run(["a", "b", "c"])
    made = io.BytesIO()
    with pa.ipc.new_file(made, table.schema) as writer:
        writer.write_table(table)
    sound, damaged = (np.array([0, 1, 2, each], np.int32).tobytes() for each in (3, last))
    assert sound in made.getvalue()
    path = tmp_path / "run.arrow"
    path.write_bytes(made.getvalue().replace(sound, damaged))
    for call in (lambda: carob.evaluate(QRELS, path, ["AP"]), lambda: carob.explain("AP", QRELS, path, "q")):
        with pytest.raises(DataError, match=r"does not exist|cannot be read|damaged"):
            call()


def test_the_kernel_by_itself_sees_what_arrow_lets_it_see() -> None:
    judgments = _native.judgments_from_mapping(QRELS)
    columns = {"query": 0, "document": 1, "score": 2}
    for hostile in HOSTILE:
        frame = _native.Frame  # a frame may be refused when it is taken, or when it is read
        with pytest.raises((_native.RowError, _native.FrameError)) as caught:
            _native.match_frame(judgments, frame(run(HOSTILE[hostile]()).__arrow_c_stream__()), **columns)
        if isinstance(caught.value, _native.RowError):
            assert caught.value.kind in ("offsets", "index"), hostile
    sound = views(0, 4)
    found = _native.match_frame(judgments, _native.Frame(run(sound).__arrow_c_stream__()), **columns)
    assert found.length.tolist() == [3]


def test_rows_that_are_null_as_a_whole_are_refused() -> None:
    struct = pa.StructArray.from_arrays(
        [pa.array(["q"] * 3), pa.array(["a", "x", "c"]), pa.array([3.0, 2.0, 1.0])],
        ["query", "doc", "score"],
        mask=pa.array([False, True, False]),
    )
    with pytest.raises(DataError, match=r"row 1 \(from 0\): the row is null"):
        carob.evaluate(QRELS, pa.chunked_array([struct]), ["AP"])
    assert carob.evaluate(QRELS, pa.chunked_array([struct.slice(2)]), ["NumRet"])["NumRet"] == 1


D = decimal.Decimal
EXACT = [D("0.3"), D("0.1"), D("0.2")]


@pytest.mark.parametrize("kind", ["decimal32", "decimal64", "decimal128", "decimal256"])
def test_decimals_of_every_width_are_read_as_their_text(kind: str) -> None:
    made = getattr(pa, kind, None)
    if made is None:
        pytest.skip(f"this PyArrow has no {kind}")
    random.seed(1)
    digits = {"decimal32": 9, "decimal64": 18, "decimal128": 38, "decimal256": 76}[kind]
    with decimal.localcontext() as context:
        context.prec = 80
        for scale in (1, 5, 8) if digits == 9 else (1, 17, 23):
            if scale > digits:
                continue
            sizes = [random.randrange(-(10**each), 10**each) for each in range(1, digits)]
            values = [D(each).scaleb(-scale) for each in sizes]
            table = pa.table({"q": ["q"] * len(values), "d": list(map(str, range(len(values))))})
            table = table.append_column("s", pa.array(values, made(digits, scale)))
            frame = _native.Frame(table.slice(3).__arrow_c_stream__())
            read = _native.rows_of_frame(frame, query=0, document=1, score=2)[2]
            assert read == list(map(float, values))[3:]


def frames_of_decimals() -> dict[str, Any]:
    """The same decimals as the scores of every kind of frame that is here."""
    columns = {"query": ["q"] * 3, "doc": ["a", "b", "c"], "score": EXACT}
    table = pa.table({**columns, "score": pa.array(EXACT, pa.decimal128(20, 10))})
    made: dict[str, Any] = {"PyArrow": table}
    made["a reader"] = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    made["a data set"] = __import__("pyarrow.dataset").dataset.dataset(table)
    if find("pandas"):
        import pandas as pd

        made["pandas' objects"] = pd.DataFrame(columns)
    if find("polars"):
        import polars as pl

        made["Polars"] = pl.DataFrame(table)
        made["lazy Polars"] = pl.LazyFrame(table)
    if find("duckdb"):
        import duckdb

        made["DuckDB"] = duckdb.from_arrow(table)
    return made


def find(library: str) -> bool:
    from importlib.util import find_spec

    return find_spec(library) is not None


def test_decimals_are_read_alike_in_every_frame() -> None:
    judged = {"q": {"b": 1}}
    for name, frame in frames_of_decimals().items():
        assert carob.evaluate(judged, frame, ["RR"])["RR"] == 1 / 3, name


def test_whole_numbers_of_128_bits_are_scores() -> None:
    pl = pytest.importorskip("polars")
    for kind in ("Int128", "UInt128"):
        if not hasattr(pl, kind):
            continue
        for values, says in (([3, 1, 2], None), ([2**90, 1, 2**53], None), ([3, 2**53 + 1, 2], "double")):
            frame = pl.DataFrame({"query": ["q"] * 3, "doc": ["a", "b", "c"]})
            frame = frame.with_columns(score=pl.Series(values, dtype=getattr(pl, kind)))
            for each in (frame, frame.lazy()):
                if says is None:
                    assert carob.evaluate({"q": {"b": 1}}, each, ["RR"])["RR"] == 1 / 3
                else:
                    with pytest.raises(DataError, match=says):
                        carob.evaluate({"q": {"b": 1}}, each, ["RR"])


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.decimal128(38, 0)])
def test_whole_numbers_that_a_double_does_not_hold_never_tie_in_silence(kind: Any) -> None:
    def scored(values: list[int]) -> Any:
        scores = pa.array([D(each) for each in values], kind) if pa.types.is_decimal(kind) else values
        return pa.table({"query": ["q"] * 3, "doc": ["a", "b", "c"], "score": pa.array(scores, kind)})

    assert carob.evaluate(QRELS, scored([2**53, 2**53 - 1, 2**60]), ["RR"], policy=Policy(ties="error"))
    for wide in (2**53 + 1, 2**62 + 1):
        with pytest.raises(DataError, match=r"row 1 \(from 0\).*document 'b'.*whole number that no double"):
            carob.evaluate(QRELS, scored([1, wide, 2]), ["RR"])


UNHELD = [2**53 + 1, 2**62 + 1, 2**63 - 1, -(2**53) - 1]


@pytest.mark.parametrize("wide", UNHELD)
@pytest.mark.parametrize("ending", ["run", "csv", "tsv"])
@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_nor_do_they_in_text(
    wide: int, ending: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    if library == "duckdb":
        monkeypatch.setitem(sys.modules, "polars", None)
    path = tmp_path / f"own.{ending}"

    def write(score: object) -> str:
        lines = [["q", "a", "1"], ["q", "b", f"{score}"], ["q", "c", f"{2**60}"]]
        if ending == "run":
            path.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in lines))
        else:
            mark = "," if ending == "csv" else "\t"
            path.write_text("".join(mark.join(each) + "\n" for each in [["query", "doc", "score"], *lines]))
        return str(path)

    with pytest.raises(
        DataError, match=f"line [23].*'{wide}'.*a whole number that no double represents.*{wide}.0"
    ):
        carob.evaluate(QRELS, write(wide), ["RR"])
    for held in (2**53, -(2**61), 10**22, f"{wide}.0", f"{wide}e0"):
        assert carob.evaluate(QRELS, write(held), ["RR"], policy=Policy(ties="error"))["RR"] > 0


def test_trec_eval_rounds_them_as_it_does(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    from carob.cli import main

    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 b 1\n")
    run.write_text(f"q Q0 a 1 {2**53 + 1} t\nq Q0 b 1 {2**53} t\n")
    with pytest.raises(SystemExit) as left:
        main(["trec-eval", "-m", "recip_rank", str(qrels), str(run)])
    assert not left.value.code
    assert capfdbinary.readouterr().out.split()[-1] == b"1.0000"
    run.write_text(f"q Q0 a 1 2 t\nq Q0 b 1 1 t\nq Q0 c 1 {2**53 + 1} t\n")
    assert carob.evaluate(QRELS, str(run), "RR", policy=Policy(malformed="skip")).counts.malformed == 1


@pytest.mark.parametrize("wide", UNHELD)
def test_nor_do_they_where_an_engine_ranks(wide: int) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    table = pa.table(
        {"query": ["q"] * 3, "doc": ["a", "b", "c"], "score": pa.array([1, wide, 2**60], pa.int64())}
    )
    connection.register("given", table)
    run = Run.of(connection.sql("from given"), extract="engine")
    with pytest.raises(
        DataError, match="column 'score' in 1 row, in query 'q', is a whole number that no dou"
    ):
        carob.evaluate(QRELS, run, ["RR"])
    connection.register("given", table.set_column(2, "score", pa.array([1, 2**54 + 4, -(2**62)], pa.int64())))
    run = Run.of(connection.sql("from given"), extract="engine")
    assert carob.evaluate(QRELS, run, ["RR"])["RR"] == 0.5


# ---------------------------------------------------------------- files


def parquet(**options: Any) -> bytes:
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "query": [f"q{i // 10}" for i in range(60)],
            "doc": [f"d{i}" for i in range(60)],
            "score": [i / 7 for i in range(60)],
        }
    )
    made = io.BytesIO()
    pq.write_table(table, made, **{"row_group_size": 30, "data_page_size": 64, **options})
    return made.getvalue()


SHAPES: list[dict[str, Any]] = [
    {},
    {"compression": "none", "use_dictionary": False},
    {"compression": "zstd", "data_page_version": "2.0"},
    {"compression": "gzip", "version": "1.0", "write_page_index": True},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_sound_parquet_files_have_no_damage(shape: dict[str, Any]) -> None:
    assert _native.parquet_damage(parquet(**shape)) is None


@pytest.mark.parametrize("shape", SHAPES)
def test_a_page_whose_count_is_negative_is_damage(shape: dict[str, Any]) -> None:
    content = bytearray(parquet(**shape))
    found = []
    for at in range(4, len(content) // 2):
        for value in (0x01, 0x7F):
            damaged = content.copy()
            damaged[at] = value  # an odd number is below zero in Thrift's coding
            found.append(_native.parquet_damage(damaged))
    said = {each for each in found if each}
    assert "a page's number of values is negative" in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"PAR1PAR1", "too short"),
        (b"PAR1" + b"\0" * 20, "does not end as Parquet does"),
        (b"PAR1" + b"\xff\xff\xff\x7fPAR1", "footer is longer than the file"),
        (b"PAR1" + b"\x15\x02\x19\xfc\x7f\0" + b"\x06\0\0\0PAR1", "list is longer than its header"),
        (b"PAR1" + b"\x1c" * 60 + b"\x3c\0\0\0PAR1", "nested too deep"),
        (b"PAR1" + b"\x16\x01\0" + b"\x03\0\0\0PAR1", None),
        (b"PAR1" + b"\x36\x01\0" + b"\x03\0\0\0PAR1", "number of rows is negative"),
    ],
)
def test_files_that_are_no_parquet_are_named(content: bytes, says: str | None, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(content)
    if says is None:
        assert _native.parquet_damage(content) is None
        return
    with pytest.raises(DataError, match=says) as error:
        carob.evaluate(QRELS, path, ["AP"])
    assert str(path) in str(error.value)


ATTACK = """
import random, sys
import carob
content, kind, seed = open(sys.argv[1], "rb").read(), sys.argv[2], int(sys.argv[3])
dice = random.Random(seed)
for _ in range(int(sys.argv[4])):
    damaged = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(damaged))
        size = dice.choice([1, 1, 4, 8])
        wild = [b"\\xff" * 8, b"\\xff" * 7 + b"\\x7f", b"\\0" * 8, dice.randbytes(8)]
        damaged[at : at + size] = dice.choice(wild)[:size]
    open(sys.argv[1] + kind, "wb").write(damaged)
    try:
        carob.evaluate({"q1": {"d11": 1}}, sys.argv[1] + kind, ["AP"])
    except carob.DataError:
        pass
print("alive")
"""


@pytest.mark.parametrize("kind", [".parquet", ".arrow"])
@pytest.mark.parametrize("seed", first([1, 2], 1))
def test_damaged_files_give_a_sentence_or_a_number(kind: str, seed: int, tmp_path: Path) -> None:
    content = parquet(**SHAPES[seed])
    if kind == ".arrow":
        feather = pytest.importorskip("pyarrow.feather")
        made = io.BytesIO()
        table = pa.table(
            {
                "query": ["q1"] * 40,
                "doc": [f"d{i}" for i in range(40)],
                "score": [float(i) for i in range(40)],
            }
        )
        feather.write_feather(table, made, compression="uncompressed" if seed == 1 else "zstd")
        content = made.getvalue()
    path = tmp_path / "run"
    path.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", ATTACK, str(path), kind, str(seed), str(examples(150))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-2000:]
