"""Compressed files of several streams: all of them are read, and damage in any is refused."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import random
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Run
from carob.diagnosis.check import check
from carob.inputs import decompression as unpacking
from carob.inputs.decompression import ZSTANDARD, Cursor, PackedError, decompressed, format_of
from carob.inputs.files.libraries import DuckDB, Polars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = "".join(f"q{query} Q0 d{each} 0 {9 - each} t\n" for query in range(6) for each in range(5)).encode()
QRELS = {f"q{query}": {"d1": 1} for query in range(6)}
HALF = RUN.index(b"q3 ")


def zstd(content: bytes) -> bytes:
    library = importlib.import_module(ZSTANDARD)
    packed: bytes = library.compress(content, options={library.CompressionParameter.checksum_flag: 1})
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd,
}
TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


def unpacked(packed: bytes) -> bytes | None:
    """What is read; None where it is refused."""
    its = format_of(packed)
    assert its is not None
    try:
        return io.BufferedReader(Cursor(lambda: decompressed(io.BytesIO(packed), its))).read()
    except PackedError:
        return None


@pytest.mark.parametrize("ending", PACKERS)
def test_all_streams_of_a_file_are_read(ending: str, tmp_path: Path) -> None:
    pack = PACKERS[ending]
    path = tmp_path / f"a.run{ending}"
    path.write_bytes(pack(RUN[:HALF]) + pack(b"") + pack(RUN[HALF:]))
    assert carob.evaluate(QRELS, path, "RR")["RR"] == 0.5
    assert carob.evaluate(QRELS, path.read_bytes(), "RR")["RR"] == 0.5
    assert carob.evaluate(QRELS, io.BytesIO(path.read_bytes()), "RR")["RR"] == 0.5


@pytest.mark.parametrize("ending", PACKERS)
def test_no_byte_changed_in_a_later_stream_loses_anything_in_silence(ending: str) -> None:
    pack, draw = PACKERS[ending], random.Random(7)
    first, second = pack(RUN[:HALF]), pack(RUN[HALF:])
    for place in range(len(second)):
        damaged = bytearray(second)
        damaged[place] ^= 1 << draw.randrange(8)
        # A name or a time in a header may change without harm.
        assert unpacked(first + bytes(damaged)) in (RUN, None), place


@pytest.mark.parametrize("ending", PACKERS)
def test_a_later_stream_cut_short_anywhere_is_refused(ending: str) -> None:
    pack = PACKERS[ending]
    first, second = pack(RUN[:HALF]), pack(RUN[HALF:])
    assert {unpacked(first + second[:size]) for size in range(1, len(second))} == {None}


def test_isal_and_zlib_unpack_and_refuse_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("isal", reason="carob[gzip] is not installed")
    draw, packed = random.Random(5), gzip.compress(RUN)
    whole = [packed, packed + gzip.compress(RUN, 1), packed + bytes(9), packed[:-1], packed + b"text"]
    for _ in range(200):
        damaged = bytearray(packed)
        damaged[draw.randrange(10, len(packed))] ^= 1 << draw.randrange(8)
        whole.append(bytes(damaged))
    by_isal = [unpacked(each) for each in whole]
    monkeypatch.setitem(sys.modules, "isal", None)
    assert by_isal == [unpacked(each) for each in whole]


ENDS = {
    ".gz": {"zeros": RUN, "three zeros": RUN, "text": None, "one byte": None},
    ".bz2": {"zeros": RUN, "three zeros": RUN, "text": None, "one byte": None},
    ".xz": {"zeros": RUN, "three zeros": None, "text": None, "one byte": None},
    ".zst": {"zeros": None, "three zeros": None, "text": None, "one byte": None},
}
BEHIND = {"zeros": bytes(512), "three zeros": bytes(3), "text": b"and more text", "one byte": b"\1"}


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("behind", BEHIND)
def test_what_may_follow_the_last_stream_is_what_the_format_allows(ending: str, behind: str) -> None:
    assert unpacked(PACKERS[ending](RUN) + BEHIND[behind]) == ENDS[ending][behind]


@pytest.mark.parametrize("ending", PACKERS)
def test_what_the_formats_own_tool_calls_corrupt_is_refused(ending: str, tmp_path: Path) -> None:
    tool = shutil.which(TOOLS[ending])
    if tool is None:
        pytest.skip(f"needs {TOOLS[ending]}, which is not installed")
    pack, draw = PACKERS[ending], random.Random(11)
    first, second = pack(RUN[:HALF]), pack(RUN[HALF:])
    refused = 0
    for place in draw.sample(range(len(second)), 20):
        damaged = bytearray(first + second)
        damaged[len(first) + place] ^= 16
        done = subprocess.run([tool, "-t"], input=damaged, capture_output=True, check=False)
        if done.returncode != 0:
            refused += 1
            assert unpacked(bytes(damaged)) is None, place
    assert refused > 5


def test_frames_to_skip_are_skipped() -> None:
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00\xde\xad\xbe\xef"
    assert unpacked(skipped + zstd(RUN[:HALF]) + skipped + zstd(RUN[HALF:])) == RUN


@pytest.mark.parametrize("ending", PACKERS)
def test_damage_in_a_later_stream_is_an_error_that_names_the_file(ending: str, tmp_path: Path) -> None:
    second = bytearray(PACKERS[ending](RUN[HALF:]))
    second[len(second) // 2] ^= 16
    second[0] ^= 1
    path = tmp_path / f"a.run{ending}"
    path.write_bytes(PACKERS[ending](RUN[:HALF]) + second)
    with pytest.raises(DataError, match=r"a\.run\.\w+: the compressed data are damaged or truncated"):
        carob.evaluate(QRELS, path, "RR")
    assert "truncated" in {each.code for each in check(QRELS, path).findings}


@pytest.mark.parametrize("ending", [".gz", ".zst"])
@pytest.mark.parametrize("kind", [".csv", ".tsv", ".jsonl", ".json"])
@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_damage_in_a_later_stream_of_a_table_is_refused_too(
    ending: str, kind: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    able = {"polars": (Polars,), "duckdb": (DuckDB,)}[library]
    monkeypatch.setattr("carob.inputs.files.libraries.READS", {"delimited": able, "lines": able})
    tab = "\t" if kind == ".tsv" else ","
    table = {
        ".jsonl": "".join(f'{{"query_id": "q{n}", "doc_id": "d1", "score": 1}}\n' for n in range(6)),
        ".json": "{" + ", ".join(f'"q{n}": {{"d1": 1}}' for n in range(6)) + "}",
    }.get(kind, tab.join(("query_id", "doc_id", "score")) + "\n")
    if kind in (".csv", ".tsv"):
        table += "".join(tab.join((f"q{n}", "d1", "1")) + "\n" for n in range(6))
    content = table.encode()
    half = content.index(b"q3") - len(b'{"query_id": "') * (kind == ".jsonl")
    first, second = PACKERS[ending](content[:half]), bytearray(PACKERS[ending](content[half:]))
    path = tmp_path / f"run{kind}{ending}"
    path.write_bytes(first + second)
    assert carob.evaluate(QRELS, path, "RR").counts.missing == ()
    for place in (0, len(second) // 2, len(second) - 2):
        damaged = bytearray(second)
        damaged[place] ^= 16
        path.write_bytes(first + damaged)
        with pytest.raises(DataError, match=path.name):
            carob.evaluate(QRELS, path, "RR")
    path.write_bytes(first + second[:-3])
    with pytest.raises(DataError, match=path.name):
        carob.evaluate(QRELS, path, "RR")


@pytest.mark.parametrize("ending", PACKERS)
def test_what_unpacks_to_far_more_than_its_size_is_refused(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "FREE", 2**20)
    path = tmp_path / f"a.run{ending}"
    path.write_bytes(PACKERS[ending](RUN + b"q9 Q0 d1 0 1 t\n" * 2**18))
    with pytest.raises(DataError, match=r"a\.run\.\w+: the file unpacks to more than 200 times its size"):
        carob.evaluate(QRELS, path, "RR")


def test_a_run_of_usual_lines_unpacks_to_far_less_than_the_limit() -> None:
    draw = random.Random(1)
    lines = b"".join(
        b"q%d Q0 d%07d %d %.6f carob\n" % (query, draw.randrange(10**7), rank, 1000 - rank)
        for query in range(20)
        for rank in range(1000)
    )
    for pack in PACKERS.values():
        assert len(lines) < unpacking.RATIO / 10 * len(pack(lines))


def test_a_source_knows_nothing_of_what_another_reads() -> None:
    held: Any = Run.of(bz2.compress(RUN)).source
    one, other = held.opened(), held.opened()
    assert one.read(10) == other.read(10) == RUN[:10]
