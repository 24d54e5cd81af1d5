"""Where bytes come from: files, compressed or not, standard input, pipes and bytes, as sources for the kernel."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import sys
import tempfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from karat import _native
from karat.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KARAT", "TREC_EVAL_9", "TREC_EVAL_10", "Readable", "Reading", "Source", "sentences", "source_of"]

Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]"
"""A path (``-`` is standard input), the content itself, or an open binary file."""

IN_MEMORY = 64 * 2**20


@dataclass(frozen=True)
class Reading:
    """How text is read.

    Args:
        numbers: ``strict`` (a whole token that is a number) or ``c`` (what C's atof and atol make of it).
        qrels_comments: ``any`` (first non-blank byte is ``#``), ``first-byte``, or ``none``.
        run_comments: the same for runs.
        qrels_blank_lines: ``skip`` or ``error``.
    """

    numbers: str
    qrels_comments: str
    run_comments: str
    qrels_blank_lines: str


KARAT = Reading("strict", "any", "any", "skip")
TREC_EVAL_10 = Reading("c", "first-byte", "any", "error")
TREC_EVAL_9 = Reading("c", "none", "none", "error")


@dataclass(frozen=True)
class Source:
    """Something to read, with the name by which errors call it.

    Args:
        name: a path, ``standard input`` or ``<bytes>``.
        handle: what the kernel reads: a path, bytes, or an object with ``readinto`` and ``rewind``.
        size: bytes to be read, if known.
    """

    name: str
    handle: str | bytes | Stream
    size: int | None


class Stream:
    """Bytes that must be asked for in order, and can be asked for again from the start.

    Args:
        start: gives the file from its first byte; called again on ``rewind`` if ``again`` is true. Otherwise
            what was read is kept, in memory and then in a temporary file, for the case that it is needed twice.
        again: whether ``start`` can be called more than once.
    """

    def __init__(self, start: Callable[[], IO[bytes]], *, again: bool) -> None:
        """Open the file."""
        self.start, self.again = start, again
        self.file = start()
        self.kept = None if again else tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - lives as long as the stream
        self.replaying = False

    def readinto(self, buffer: memoryview) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        if self.replaying and self.kept is not None:
            old = self.kept.read(len(buffer))
            if old:
                buffer[: len(old)] = old
                return len(old)
            self.replaying = False
        count = cast("Any", self.file).readinto(buffer) or 0
        if self.kept is not None:
            self.kept.write(buffer[:count])
        return int(count)

    def rewind(self) -> None:
        """Start again from the first byte."""
        if self.kept is None:
            self.file.close()
            self.file = self.start()
        else:
            self.kept.seek(0)
            self.replaying = True


def decompressor(magic: bytes) -> Callable[[IO[bytes]], IO[bytes]] | None:
    """What unpacks a file that begins with these bytes; None for plain text."""
    if magic.startswith(b"\x1f\x8b"):
        return lambda raw: cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return unpack_zstd
    if magic.startswith(b"BZh"):
        return lambda raw: cast("IO[bytes]", bz2.BZ2File(raw))
    if magic.startswith(b"\xfd7zXZ\x00"):
        return lambda raw: cast("IO[bytes]", lzma.LZMAFile(raw))
    return None


def unpack_zstd(raw: IO[bytes]) -> IO[bytes]:
    """Unpack Zstandard, with the standard library from Python 3.14 on and its backport before."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("IO[bytes]", zstd.ZstdFile(raw))


def source_of(where: Readable) -> Source:
    """The source for a path, ``-``, bytes or an open binary file; ``.gz``, ``.zst``, ``.bz2`` and ``.xz`` unpack.

    Raises:
        DataError: no such file, a folder, or a text file object.
    """
    if isinstance(where, (bytes, bytearray, memoryview)):
        content = bytes(where)
        unpack = decompressor(content)
        if unpack is None:
            return Source("<bytes>", content, len(content))
        import io

        return Source("<bytes>", Stream(lambda: unpack(io.BytesIO(content)), again=True), None)
    if isinstance(where, (str, os.PathLike)):
        path = os.fspath(where)
        return from_stream(sys.stdin.buffer, "standard input") if path == "-" else from_path(path)
    if not hasattr(where, "read"):
        raise DataError(
            f"Cannot read a {type(where).__name__}: give a path, '-' for standard input, bytes, an open binary "
            "file, or {query: {document: number}}."
        )
    if isinstance(where.read(0), str):
        raise DataError("The file is open as text: open it in binary mode ('rb'), since ids are bytes.")
    return from_stream(where, str(getattr(where, "name", "<stream>")))


def from_path(path: str) -> Source:
    """The source for a file: read natively if it is plain, else unpacked; a pipe is read once."""
    with sentences(path):
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise DataError(f"{path} is a folder: give a file.")
        if not stat.S_ISREG(mode):
            return from_stream(Path(path).open("rb"), path)
        with Path(path).open("rb") as file:
            unpack = decompressor(file.read(8))
    if unpack is None:
        return Source(path, path, Path(path).stat().st_size)
    return Source(path, Stream(lambda: unpack(Path(path).open("rb")), again=True), None)


def from_stream(file: IO[bytes], name: str) -> Source:
    """The source for a stream that cannot be read twice, unpacked if it is compressed."""
    import io

    buffered = file if hasattr(file, "peek") else io.BufferedReader(cast("Any", file))
    unpack = decompressor(cast("Any", buffered).peek(8)[:8])
    plain = cast("IO[bytes]", buffered) if unpack is None else unpack(cast("IO[bytes]", buffered))
    return Source(name, Stream(lambda: plain, again=False), None)


COLUMNS = {
    "qrels": "4 (query, iteration, document, grade)",
    "run": "at least 6 (query, iteration, document, rank, score, tag)",
}


@contextmanager
def sentences(name: str, kind: str = "file") -> Iterator[None]:
    """Turn what goes wrong while ``name`` is read into a sentence.

    Raises:
        DataError: always in place of the kernel's, the system's or a decompressor's own error.
    """
    try:
        yield
    except _native.LineError as error:
        raise DataError(line_sentence(error, name, kind)) from None
    except (gzip.BadGzipFile, zlib.error, EOFError, lzma.LZMAError) as error:
        raise DataError(
            f"{name} is compressed and damaged or cut short ({error}): fetch or write it again."
        ) from None
    except OSError as error:
        raise DataError(f"Cannot read {name}: {error.strerror or error}.") from None


def line_sentence(error: _native.LineError, name: str, kind: str) -> str:
    """What is wrong with a line, where, and what to do."""
    where = f"{name}, line {error.line}"
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    if error.kind == "columns":
        swapped = kind == "qrels" and detail.isdigit() and int(detail) >= 6
        remedy = " This looks like a run: are qrels and run swapped?" if swapped else ""
        if kind == "run" and detail == "4":
            remedy = " This looks like qrels: are qrels and run swapped?"
        return (
            f"{where}: found {detail} columns, expected {COLUMNS.get(kind, 'others')}: '{excerpt}'.{remedy}"
        )
    remedies = {
        "number": f"'{detail}' is not a number: '{excerpt}'. Correct the line, or skip such lines with --lenient.",
        "nan": f"the score is NaN, which has no place in an order: '{excerpt}'. Correct the run that wrote it.",
        "rank": f"'{detail}' in the rank column is not a whole number: '{excerpt}'. Choose another rule for ties.",
        "blank": "the line is blank, which this reader does not allow. Remove it.",
        "utf-16": "the text is UTF-16: save it as UTF-8.",
        "compressed": "the content is compressed twice or in a way unknown here: unpack it first.",
    }
    return f"{where}: {remedies.get(error.kind, f'{error.kind} {detail}: {excerpt!r}')}"
