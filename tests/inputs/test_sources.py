"""Sources: open files that are closed, fail or change while they are read, bytes, and files that are no text."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import re
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Run
from carob.inputs.sources import source_of
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = {"qrels": b"q 0 a 1\nq 0 b 1\n", "run": b"q Q0 a 1 2 t\nq Q0 b 2 1 t\n"}
LONG = {
    "qrels": b"".join(b"q%06d 0 a 1\n" % n for n in range(40_000)),
    "run": b"".join(b"q%06d Q0 a 1 1 t\n" % n for n in range(40_000)),
}
"""More than a block, so that the kernel reads what follows."""


class Gives:
    """An open file that gives blocks one after another, and raises those that are errors."""

    def __init__(self, *blocks: Any) -> None:
        self.blocks = list(blocks)

    def read(self, size: int = -1) -> Any:
        block = self.blocks.pop(0) if size and self.blocks else b""
        if isinstance(block, BaseException):
            raise block
        return block


class FailsAtOnce:
    """An open file whose every read fails, also that of no bytes."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def read(self, size: int = -1) -> bytes:
        del size
        raise self.error


def scored(side: str, given: Any) -> Any:
    qrels, run = (given, LINES["run"]) if side == "qrels" else (LINES["qrels"], given)
    return carob.evaluate(qrels, run, ["P@2"])["P@2"]


def gated(side: str, given: Any) -> Any:
    qrels, run = (given, LINES["run"]) if side == "qrels" else (LINES["qrels"], given)
    return carob.gate(qrels, LINES["run"], run, {"P@2": 0.1})


def closed(content: bytes) -> io.BytesIO:
    file = io.BytesIO(content)
    file.close()
    return file


FAULTS: dict[str, tuple[Callable[[bytes], Any], str]] = {
    "closed": (closed, "<stream>: the file is closed. Open it again"),
    "closed meanwhile": (
        lambda first: Gives(first, ValueError("read of closed file")),
        "<stream>: the file cannot be read: read of closed file. Open it again",
    ),
    "a ValueError at once": (lambda _: FailsAtOnce(ValueError("no")), "<stream>: the file cannot be read: no. "),
    "an OSError at once": (lambda _: FailsAtOnce(OSError("no")), "<stream>: the file cannot be read: no. "),
    "an OSError first": (lambda _: Gives(OSError(5, "Input/output error")), "<stream>: Input/output error."),
    "an OSError later": (lambda first: Gives(first, OSError(5, "Input/output error")), "<stream>: Input/output error."),
    "text later": (lambda first: Gives(first, "q"), "The file is open in text mode. Open it in binary mode ('rb')"),
    "a number": (lambda first: Gives(first, 7), "<stream>: the stream returned a value of type int instead of bytes."),
    "no wait": (lambda first: Gives(first, None), "<stream>: the stream has no bytes at the moment and does not block"),
    "gzip cut short": (
        lambda first: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(first)[:-9])),
        "the file cannot be read: Compressed file ended before the end-of-stream marker",
    ),
    "gzip damaged": (
        lambda first: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(first)[:10] + b"\xff" * 99)),
        "the file cannot be read: Error -3 while decompressing data",
    ),
}  # fmt: skip


@pytest.mark.parametrize("lines", [LINES, LONG], ids=["short", "long"])
@pytest.mark.parametrize("side", ["qrels", "run"])
@pytest.mark.parametrize("fault", FAULTS)
def test_an_open_file_that_fails_is_a_sentence(fault: str, side: str, lines: dict[str, bytes]) -> None:
    make, said = FAULTS[fault]
    with pytest.raises(carob.DataError) as refusal:
        scored(side, make(lines[side]))
    assert said in str(refusal.value)


AT_ONCE = (
    "closed",
    "a ValueError at once",
    "an OSError at once",
    "an OSError first",
    "gzip cut short",
    "gzip damaged",
)
"""The faults of a file that is read in one piece."""


@pytest.mark.parametrize("side", ["qrels", "run"])
@pytest.mark.parametrize("fault", AT_ONCE)
def test_so_is_one_that_is_read_in_one_piece(fault: str, side: str) -> None:
    make, said = FAULTS[fault]
    with pytest.raises(carob.DataError) as refusal:
        gated(side, make(LINES[side]))
    assert said in str(refusal.value)


@pytest.mark.parametrize("lines", [LINES, LONG], ids=["short", "long"])
@pytest.mark.parametrize("side", ["qrels", "run"])
def test_another_error_of_a_callers_file_reaches_the_caller(side: str, lines: dict[str, bytes]) -> None:
    for blocks in ([], [lines[side]]):
        error = LookupError("the caller's own")
        with pytest.raises(LookupError) as raised:
            scored(side, Gives(*blocks, error))
        assert raised.value is error


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes_is_read(kind: Any) -> None:
    half = len(LINES["run"]) // 2
    parts = map(kind, (LINES["run"][:half], LINES["run"][half:]))
    assert scored("run", Gives(*parts)) == 1.0


def test_a_closed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_bytes(LINES["run"])
    with (tmp_path / "x.run").open("rb") as file:
        assert scored("run", file) == 1.0
    for use in (scored, gated):
        with pytest.raises(carob.DataError) as refusal:
            use("run", file)
        assert str(refusal.value).startswith(f"{tmp_path / 'x.run'}: the file is closed.")


TEA = Path(__file__).parents[2] / "examples" / "tea"
QRELS = str(TEA / "qrels.txt")
RUNS = [str(TEA / "runs" / f"{name}.run") for name in ("bm25", "feedback", "titles")]
WITH_RUNS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda runs: carob.evaluate(QRELS, runs, "AP"),
    "compare": lambda runs: carob.compare(QRELS, runs, "AP"),
    "agreement": lambda runs: carob.agreement(QRELS, QRELS, runs, "AP"),
    "correlate": lambda runs: carob.correlate(QRELS, {"same": QRELS}, runs, measures="AP"),
    "estimate": lambda runs: carob.estimate(QRELS, QRELS, runs, "AP"),
    "unjudged_bounds": lambda runs: carob.unjudged_bounds(QRELS, runs, "AP"),
    "next_judgments": lambda runs: carob.next_judgments(QRELS, runs, "DCG"),
    "check": lambda runs: [each.what for each in carob.check(QRELS, runs).findings],
}
"""Every function that takes several runs."""


@pytest.mark.parametrize("several", [dict, list])
@pytest.mark.parametrize("function", WITH_RUNS)
def test_several_open_files_are_several_runs(function: str, several: type) -> None:
    def given(opened: Callable[[str], Any]) -> Any:
        files = map(opened, RUNS)
        return list(files) if several is list else dict(zip("abc", files, strict=True))

    def content(path: str) -> bytes:
        return Path(path).read_bytes()

    call = WITH_RUNS[function]
    assert str(call(given(lambda path: io.BytesIO(content(path))))) == str(call(given(content)))


def test_open_files_in_a_list_are_named_after_their_paths() -> None:
    with Path(RUNS[0]).open("rb") as one, Path(RUNS[1]).open("rb") as other:
        assert list(carob.evaluate(QRELS, [one, other], "AP")) == ["bm25", "feedback"]
    streams = [io.BytesIO(LINES["run"]), io.BytesIO(LINES["run"])]
    assert list(carob.evaluate(LINES["qrels"], streams, "AP")) == ["run 1", "run 2"]


def test_other_bytes_by_name_are_runs_too() -> None:
    found = carob.evaluate(
        LINES["qrels"], {"a": bytearray(LINES["run"]), "b": memoryview(LINES["run"])}, "P@1"
    )
    assert found.means() == {"a": {"P@1": 1.0}, "b": {"P@1": 1.0}}


def test_one_open_file_is_not_several_runs() -> None:
    with pytest.raises(carob.DataError, match=r"^Pass several runs: "):
        carob.compare(LINES["qrels"], io.BytesIO(LINES["run"]))  # type: ignore[arg-type]


@pytest.mark.parametrize("function", WITH_RUNS)
def test_one_open_file_given_as_two_runs_is_refused(function: str) -> None:
    file = io.BytesIO(LINES["run"])
    with pytest.raises(
        carob.DataError, match=r"^The same open file was given as two runs. Open it once for each run"
    ):
        WITH_RUNS[function]({"a": file, "b": file, "c": io.BytesIO(LINES["run"])})


@pytest.mark.parametrize("use", [scored, gated])
@pytest.mark.parametrize("side", ["qrels", "run"])
def test_a_file_at_its_end_is_said_to_be_there(use: Callable[..., Any], side: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(LINES[side])
    (tmp_path / "x.gz").write_bytes(gzip.compress(LINES[side]))
    with (tmp_path / "x").open("rb") as file, gzip.open(tmp_path / "x.gz") as packed:
        for each in (file, packed, io.BytesIO(LINES[side])):
            use(side, each)
            with pytest.raises(
                carob.DataError, match=r"the file is at its end, .* Open it again, or go back to its st"
            ):
                use(side, each)
            each.seek(0)
            use(side, each)


def test_an_empty_file_is_not_called_read() -> None:
    for empty in (io.BytesIO(), Gives()):
        with pytest.raises(carob.DataError, match="the run is empty"):
            scored("run", empty)


def test_bytes_are_not_searched_for_a_path_as_a_whole() -> None:
    content = b"q 0 d 1\n" * 100_000
    tracemalloc.start()
    try:
        source_of(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(content)


def binaries() -> dict[str, tuple[bytes, str]]:
    """Files that are not text, and what they are called."""
    packed = gzip.compress(b"q Q0 d 1 1 t\n")
    sheet, archive, tape = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(sheet, "w") as file:
        file.writestr("xl/workbook.xml", "<x/>")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("run.txt", "q Q0 d 1 1 t\n")
    with tarfile.open(fileobj=tape, mode="w") as file:
        file.addfile(tarfile.TarInfo("run.txt"))
    return {
        "pickle": (pickle.dumps({"q": {"d": 1.0}}), "is a Python pickle"),
        "packed pickle": (gzip.compress(pickle.dumps({"q": {"d": 1.0}})), "is a Python pickle"),
        "lz4": (b"\x04\x22\x4d\x18d@\xa7abc\0" * 4, "is compressed with LZ4"),
        "gzip twice": (gzip.compress(packed), "is compressed twice: unpack it first (gunzip)"),
        "excel": (sheet.getvalue(), "is an Excel file: save it as CSV"),
        "zip": (archive.getvalue(), "is a ZIP archive"),
        "tar": (tape.getvalue(), "is a tar archive"),
        "html": (
            b"<!DOCTYPE html>\n<html><body>404</body></html>\n",
            "is an HTML page, perhaps the error page of a failed",
        ),
        "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "is a Git LFS pointer"),
        "utf-16": ("q Q0 d 1 1 t\n".encode("utf-16"), "UTF-16"),
        "noise": (bytes(range(1, 9)) * 40, "is not text"),
        "zeros": (b"\0" * 4000, "is not text"),
    }


@pytest.mark.parametrize("name", sorted(binaries()))
@pytest.mark.parametrize("ending", ["", ".run", ".txt", ".csv", ".jsonl"])
def test_what_is_no_text_is_named_and_not_shown(
    name: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, what = binaries()[name]
    path, good = tmp_path / f"file{ending}", tmp_path / "good.txt"
    path.write_bytes(content)
    good.write_text("q 0 d 1\n")
    for files in ([str(path), str(good)], [str(good), str(path)]):
        for words in (["eval"], ["gate", "--min", "AP=0"]):
            assert command(*words, *files) == 2
            said = capsys.readouterr().err
            assert what in said
            assert all(letter.isprintable() or letter == "\n" for letter in said)
            assert "\\x" not in said
    if ending == "":
        with pytest.raises(DataError, match=re.escape(what)):
            carob.evaluate({"q": {"d": 1}}, content, "AP")


def test_ids_that_begin_as_other_files_do_are_text() -> None:
    for query in ("ORC7", "Rar!", "PK"):
        run = f"{query} Q0 d 1 1.0 t\n".encode()
        assert carob.evaluate({query: {"d": 1}}, run, "RR")["RR"] == 1.0


def test_a_path_in_bytes_is_refused_as_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 a 1 2.0 t\n")
    with pytest.raises(
        DataError, match=r"Bytes are read as the content .*a\.run' is the path of an existing file"
    ):
        Run.of(os.fsencode(path))
    assert Run.of(b"q Q0 a 1 2.0 t\n").name == "<bytes>"


def test_what_an_open_file_lacks_is_said_with_its_name(tmp_path: Path) -> None:
    damaged = bytearray(gzip.compress(b"q Q0 a 1 2.0 t\n"))
    damaged[-8:-4] = bytes(4)
    path = tmp_path / "a.run"
    for content, fault in ((bytes(damaged), "CRC check failed"), (b"q Q0 a 1 2.0 t\n", "Not a gzipped file")):
        path.write_bytes(content)
        with gzip.open(path) as file, pytest.raises(DataError) as error:
            carob.evaluate({"q": {"a": 1}}, file, "AP")
        assert str(error.value).startswith(f"{path}: the file cannot be read: {fault}")
        assert str(error.value).endswith("Open it again, or pass its path.")
    with path.open("wb") as file, pytest.raises(DataError) as error:
        Run.of(file)
    assert str(error.value) == f"{path}: the file is not open for reading. Open it again in mode 'rb'."


def test_a_file_without_a_name_is_called_by_its_descriptor() -> None:
    there, here = os.pipe()
    os.write(here, b"q Q0 a\n")
    os.close(here)
    with (
        os.fdopen(there, "rb") as file,
        pytest.raises(DataError, match=f"^<file descriptor {there}>, line 1: "),
    ):
        carob.evaluate({"q": {"a": 1}}, file, "AP")
