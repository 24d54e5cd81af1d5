"""Where bytes come from: files, compressed or not, standard input, pipes and bytes, as sources for the kernel."""

from __future__ import annotations

import importlib
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from karat import _native
from karat.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "BYTE_ORDER_MARK",
    "KARAT",
    "TREC_EVAL_9",
    "TREC_EVAL_10",
    "Origin",
    "Readable",
    "Reading",
    "Source",
    "sentences",
    "source_of",
]

Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]"
"""A path (``-`` is standard input), the content itself, or an open binary file."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLOCK = 2**20
IN_MEMORY = 64 * 2**20
HEAD = 1024


@dataclass(frozen=True, eq=False, repr=False)
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
class Origin:
    """Where an input came from, so that a record of the scores can name it and hash it.

    Args:
        kind: ``file``, or what it is instead: ``bytes``, ``a mapping``, ``standard input``, ``a stream`` …
        path: the file's, as it was given; None for anything else.
        size: the file's bytes when it was opened.
        changed: when it had last been changed then, in nanoseconds.
        library: of a frame, which one holds it.
        whole: of a frame, whether its queries are whole numbers.
        home: of an engine's table, what makes others beside it; it stays in this process, whatever is copied from it.
        rows: whether it is a table, whose rows are counted from 0, and not lines of text.
        parts: of several files that are one table, each.
        columns: of a table in a file, the columns that were named, by what they are.
    """

    kind: str
    path: str | None = None
    size: int = 0
    changed: int = 0
    library: str | None = None
    whole: bool = False
    rows: bool = False
    parts: tuple[Origin, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    home: Any = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: sessions are not."""
        return {**self.__dict__, "home": None}

    @property
    def files(self) -> tuple[str, ...]:
        """The files; none for what is in memory or has gone by."""
        if self.parts:
            return tuple(path for part in self.parts for path in part.files)
        return () if self.path is None else (self.path,)

    def places(self, first: int, second: int) -> str:
        """Where something stands twice: lines of a file from 1, rows of a frame from 0."""
        if self.rows:
            return f"in rows {first - 1} and {second - 1} (from 0)"
        if self.parts:
            return " and ".join(
                "on line {1} of {0}".format(*line_in(self.files, each)) for each in (first, second)
            )
        return f"on lines {first} and {second}"


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """Something to read, with the name by which errors call it.

    Args:
        name: a path, ``standard input`` or ``<bytes>``.
        handle: what the kernel reads: a path, bytes, or an object with ``readinto`` and ``rewind``.
        size: bytes to be read, if known.
        origin: where they come from.
        head: the first bytes of a file as it lies there.
    """

    name: str
    handle: str | bytes | Reopened | Kept
    size: int | None
    origin: Origin = Origin("bytes")
    head: bytes = b""

    def content(self) -> bytes:
        """All of it in memory, decompressed."""
        return b"".join(self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """All of it part by part, decompressed."""
        handle = self.from_start()
        if isinstance(handle, bytes):
            yield handle
        elif isinstance(handle, str):
            with open(handle, "rb") as file:
                while block := file.read(BLOCK):
                    yield block
        else:
            buffer = bytearray(BLOCK)
            while count := handle.readinto(memoryview(buffer)):
                yield bytes(buffer[:count])

    def lines(self) -> Iterator[bytes]:
        """All of its lines, without their ends and without a byte order mark."""
        rest, first = b"", True
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield line.removeprefix(BYTE_ORDER_MARK) if first else line
                first = False
        if rest:
            yield rest.removeprefix(BYTE_ORDER_MARK) if first else rest

    def from_start(self) -> str | bytes | Reopened | Kept:
        """The handle, at its first byte."""
        if isinstance(self.handle, (Reopened, Kept)):
            self.handle.rewind()
        return self.handle


class Reopened:
    """A file that can be read from its start any number of times; open only while it is read.

    Args:
        start: opens it.
    """

    def __init__(self, start: Callable[[], IO[bytes]]) -> None:
        """Open nothing yet."""
        self.start = start
        self.file: IO[bytes] | None = None

    def readinto(self, buffer: memoryview) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end, where the file is closed."""
        if self.file is None:
            self.file = self.start()
        count = 0 if self.file.closed else int(cast("Any", self.file).readinto(buffer) or 0)
        if count == 0:
            self.file.close()
        return count

    def rewind(self) -> None:
        """Start again from the first byte."""
        if self.file is not None:
            self.file.close()
            self.file = None


class Kept:
    """A stream that can be read once: what was read is kept, in memory and then in a temporary file.

    Args:
        file: the stream.
    """

    def __init__(self, file: IO[bytes]) -> None:
        """Keep nothing yet."""
        from tempfile import SpooledTemporaryFile

        self.file = file
        self.kept = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed with this object
        self.replaying = False

    def readinto(self, buffer: memoryview) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        if self.replaying:
            old = self.kept.read(len(buffer))
            if old:
                buffer[: len(old)] = old
                return len(old)
            self.replaying = False
        count = int(cast("Any", self.file).readinto(buffer) or 0)
        self.kept.write(buffer[:count])
        return count

    def rewind(self) -> None:
        """Start again from the first byte."""
        self.kept.seek(0)
        self.replaying = True

    def __del__(self) -> None:
        """Let the temporary file go."""
        self.kept.close()


ZSTANDARD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": ZSTANDARD, b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}


def decompressor(start: bytes) -> Callable[[str | IO[bytes]], IO[bytes]] | None:
    """What opens a file that begins with these bytes; None for plain text."""
    for magic, library in MAGIC.items():
        if start.startswith(magic):
            return lambda where: unpacked(where, library)
    return None


def unpacked(where: str | IO[bytes], library: str) -> IO[bytes]:
    """The unpacked bytes; the library is imported here because most runs need none."""
    file: IO[bytes] = importlib.import_module(library).open(where, "rb")
    return file


def damage() -> tuple[type[Exception], ...]:
    """What the decompressors raise for a file that is damaged or cut short."""
    import lzma
    import zlib

    return (EOFError, zlib.error, lzma.LZMAError, importlib.import_module(ZSTANDARD).ZstdError)


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

        return Source("<bytes>", Reopened(lambda: unpack(io.BytesIO(content))), None)
    if isinstance(where, (str, os.PathLike)):
        path = os.fspath(where)
        return from_stream(sys.stdin.buffer, "standard input") if path == "-" else from_path(path)
    if not hasattr(where, "read"):
        raise DataError(
            f"Cannot read a {type(where).__name__}: give a path, '-' for standard input, bytes, an open binary "
            "file, a data frame, or {query: {document: number}}."
        )
    if isinstance(where.read(0), str):
        raise DataError("The file is open as text: open it in binary mode ('rb'), since ids are bytes.")
    return from_stream(where, str(getattr(where, "name", "<stream>")))


def from_path(path: str) -> Source:
    """The source for a file: read natively if it is plain, else unpacked; a pipe is read once."""
    with sentences(path):
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise DataError(f"{path} is a folder: give a file.")
        if not stat.S_ISREG(found.st_mode):
            return from_stream(open(path, "rb"), path)
        with open(path, "rb") as file:
            head = file.read(HEAD)
    unpack = decompressor(head)
    origin = Origin("file", path, found.st_size, found.st_mtime_ns)
    if unpack is None:
        return Source(path, path, found.st_size, origin, head)
    return Source(path, Reopened(lambda: unpack(path)), None, origin)


def from_stream(file: IO[bytes], name: str) -> Source:
    """The source for a stream that cannot be read twice, unpacked if it is compressed."""
    import io

    buffered: Any = file if hasattr(file, "peek") else io.BufferedReader(cast("Any", file))
    unpack = decompressor(buffered.peek(8)[:8])
    plain: IO[bytes] = buffered if unpack is None else unpack(buffered)
    kind = "standard input" if name == "standard input" else "a stream"
    return Source(name, Kept(plain), None, Origin(kind))


COLUMNS = {
    "qrels": "4 (query, iteration, document, grade)",
    "run": "at least 6 (query, iteration, document, rank, score, tag)",
    "weights": "2 (query, weight)",
}


@contextmanager
def sentences(name: str, kind: str = "file", files: tuple[str, ...] = ()) -> Iterator[None]:
    """Turn what goes wrong while ``name``, or several ``files`` one after the other, is read into a sentence.

    Raises:
        DataError: always in place of the kernel's, the system's or a decompressor's own error.
    """
    try:
        yield
    except _native.LineError as error:
        raise DataError(line_sentence(error, name, kind, files)) from None
    except OSError as error:
        raise DataError(f"Cannot read {name}: {error.strerror or error}.") from None
    except Exception as error:
        if not isinstance(error, damage()):
            raise
        raise DataError(
            f"{name} is compressed and damaged or cut short ({error}): fetch or write it again."
        ) from None


def line_in(files: tuple[str, ...], line: int) -> tuple[str, int]:
    """The file and its own line that a line counted through all of the files is."""
    for path in files[:-1]:
        its = 0
        with open(path, "rb") as plain:
            unpack = decompressor(plain.read(8))
        with open(path, "rb") if unpack is None else unpack(path) as file:
            for its, _ in enumerate(file, 1):
                if its == line:
                    return path, line
        line -= its
    return files[-1], line


def line_sentence(error: _native.LineError, name: str, kind: str, files: tuple[str, ...] = ()) -> str:
    """What is wrong with a line, where, and what to do."""
    place, line = line_in(files, error.line) if len(files) > 1 else (name, error.line)
    where = f"{place}, line {line}"
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    if error.kind == "columns":
        swapped = kind == "qrels" and detail.isdigit() and int(detail) >= 6
        remedy = " This looks like a run: are qrels and run swapped?" if swapped else ""
        if kind == "run" and detail == "4":
            remedy = " This looks like qrels: are qrels and run swapped?"
        found = "1 column" if detail == "1" else f"{detail} columns"
        return f"{where}: found {found}, expected {COLUMNS.get(kind, 'others')}: '{excerpt}'.{remedy}"
    skip = "" if kind == "weights" else ", or skip such lines with --lenient"
    remedies = {
        "number": f"'{detail}' is not a number: '{excerpt}'. Correct the line{skip}.",
        "nan": f"the score is NaN, which has no place in an order: '{excerpt}'. Correct the run that wrote it.",
        "rank": f"'{detail}' in the rank column is not a whole number: '{excerpt}'. Choose another rule for ties.",
        "blank": "the line is blank, which this reader does not allow. Remove it.",
        "utf-16": "the text is UTF-16: save it as UTF-8.",
        "compressed": "the content is compressed twice or in a way unknown here: unpack it first.",
    }
    return f"{where}: {remedies.get(error.kind, f'{error.kind} {detail}: {excerpt!r}')}"
