"""Where bytes come from: files, compressed or not, standard input, pipes and bytes, as sources for the kernel."""

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from karat import _native
from karat.inputs.cursors import Begun, Cursor, Kept, Reopened
from karat.inputs.decompression import PackedError, Unpacked, format_of
from karat.inputs.faults import WIDE, mended, wide_mended
from karat.output.errors import DataError, by_policy, worded

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
    "kept",
    "sentences",
    "source_of",
    "unpacked",
]

Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]"
"""A path (``-`` is standard input), the content itself, or an open binary file."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEAD = 1024
MAGIC = 8
PIECE = 2**17
LONGEST_LINE = 2**20
"""Bytes of a line, as in the kernel."""


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
        rows: whether it is a table, whose rows are counted, and not lines of text.
        first: of a table in files, what its first row is called; None for one in memory, whose rows count from 0.
        word: of a table in files, what a row is called: ``row``, or ``line`` where an editor shows it as one.
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
    first: int | None = None
    word: str = "row"
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
        if self.rows and self.first is not None:
            return f"in {self.word}s {first - 1 + self.first} and {second - 1 + self.first}"
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
        handle: what the kernel reads: a path, bytes, or what makes a cursor at the first byte.
        size: bytes to be read, if known.
        origin: where they come from.
        head: the first bytes of a file as it lies there.
    """

    name: str
    handle: str | bytes | Callable[[], Cursor]
    size: int | None
    origin: Origin = Origin("bytes")
    head: bytes = b""

    def from_start(self) -> str | bytes | Cursor:
        """The handle at its first byte; a cursor belongs to the caller alone."""
        return self.handle if isinstance(self.handle, (str, bytes)) else self.handle()

    def opened(self) -> IO[bytes]:
        """The same as an open file, unpacked."""
        handle = self.from_start()
        if isinstance(handle, bytes):
            return io.BytesIO(handle)
        if isinstance(handle, str):
            return open(handle, "rb")
        return io.BufferedReader(handle, PIECE)

    def start(self) -> bytes:
        """The first bytes, unpacked."""
        if isinstance(self.handle, str):
            return self.head
        with sentences(self.name), self.opened() as file:
            return file.read(HEAD)

    def content(self) -> bytes:
        """All of it in memory, unpacked."""
        with self.opened() as file:
            return file.read()

    def lines(self, longest: int = LONGEST_LINE) -> Iterator[bytes]:
        """All of its lines, without their ends and without a byte order mark.

        Args:
            longest: the most bytes of a line.

        Raises:
            DataError: a line that is longer: no end of it may ever come.
        """
        with self.opened() as file:
            mark = BYTE_ORDER_MARK
            for number in count(1):
                line = file.readline(longest + 1)
                if not line:
                    return
                if len(line) > longest:
                    size = f"{longest >> 20} MiB"
                    raise DataError(
                        f"{self.name}, line {number}: the line is longer than {size}: this is no text."
                    )
                yield line.removesuffix(b"\n").removeprefix(mark)
                mark = b""


def unpacked(path: str) -> IO[bytes]:
    """A file from its first byte, unpacked if it is compressed."""
    file = open(path, "rb")  # noqa: SIM115 -- closed by whoever reads it
    its = format_of(file.peek(MAGIC)[:MAGIC])
    return file if its is None else io.BufferedReader(Unpacked(file, its), PIECE)


def source_of(where: Readable) -> Source:
    """The source for a path, ``-``, bytes or an open binary file; ``.gz``, ``.zst``, ``.bz2`` and ``.xz`` unpack.

    Raises:
        DataError: no such file, a folder, or a text file object.
    """
    if isinstance(where, (bytes, bytearray, memoryview)):
        content = bytes(where)
        its = format_of(content)
        if its is None:
            return Source("<bytes>", content, len(content))
        return Source("<bytes>", lambda: Reopened(lambda: Unpacked(io.BytesIO(content), its)), None)
    if isinstance(where, (str, os.PathLike)):
        path = os.fspath(where)
        if "\0" in path:
            raise DataError(f"{path} holds a NUL, which no path does: give the path of a file.")
        return from_stream(standard_input(), "standard input") if path == "-" else from_path(path)
    if not hasattr(where, "read"):
        raise DataError(
            f"Cannot read a {type(where).__name__}: give a path, '-' for standard input, bytes, an open binary "
            "file, a data frame, or {query: {document: number}}."
        )
    if isinstance(where.read(0), str):
        raise DataError("The file is open as text: open it in binary mode ('rb'), since ids are bytes.")
    return from_stream(where, str(getattr(where, "name", "<stream>")))


def kept(where: Any) -> Any:
    """What can be read again: bytes of standard input, of a pipe or of an open file; anything else as it is.

    Raises:
        DataError: it cannot be read.
    """
    if hasattr(where, "read"):
        return where.read()
    if not isinstance(where, (str, os.PathLike)):
        return where
    path = os.fspath(where)
    if path == "-":
        return standard_input().read()
    if not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path):
        return where
    with sentences(path), open(path, "rb") as file:
        return file.read()


def standard_input() -> IO[bytes]:
    """Standard input's bytes.

    Raises:
        DataError: there is none.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise DataError("Standard input is closed: give a file, or something to read from.")
    return sys.stdin.buffer


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
    its = format_of(head)
    origin = Origin("file", path, found.st_size, found.st_mtime_ns)
    if its is None:
        return Source(path, path, found.st_size, origin, head)
    return Source(path, lambda: Reopened(lambda: Unpacked(open(path, "rb"), its)), None, origin)


def from_stream(file: IO[bytes], name: str) -> Source:
    """The source for a stream that cannot be read twice, unpacked if it is compressed."""
    begun = Begun(file, MAGIC)
    its = format_of(begun.head)
    plain = begun if its is None else Unpacked(begun, its)
    kind = "standard input" if name == "standard input" else "a stream"
    return Source(name, Kept(plain).cursor, None, Origin(kind))


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
    except PackedError as error:
        raise DataError(f"{name} {error}") from None
    except OSError as error:
        raise DataError(f"Cannot read {name}: {error.strerror or error}.") from None


def line_in(files: tuple[str, ...], line: int) -> tuple[str, int]:
    """The file and its own line that a line counted through all of the files is."""
    for path in files[:-1]:
        its = 0
        with unpacked(path) as file:
            for its, _ in enumerate(file, 1):
                if its == line:
                    return path, line
        line -= its
    return files[-1], line


def number_mended(value: str, kind: str, skip: str) -> str:
    """What to do about text in the place of a number."""
    what = mended(value, kind)
    return worded("Correct the line", skip, ".") if what == "Correct it." else what


def line_sentence(error: _native.LineError, name: str, kind: str, files: tuple[str, ...] = ()) -> str:
    """What is wrong with a line, where, and what to do."""
    place, line = line_in(files, error.line) if len(files) > 1 else (name, error.line)
    where = f"{place}, line {line}"
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    if error.kind == "columns":
        swapped = kind == "qrels" and detail.isdigit() and int(detail) >= 6
        remedy = " This looks like a run: are qrels and run swapped?" if swapped else ""
        if kind == "run" and detail == "4":
            remedy = (
                " This looks like qrels: are qrels and run swapped? What other judgments change is said by karat "
                "difference A.QRELS B.QRELS MEASURE RUN, how far two judges agree by karat agreement."
            )
        if kind == "qrels" and detail == "3":
            remedy = " If the second column is missing, write it: awk '{print $1, 0, $2, $3}'."
        if kind in ("qrels", "run") and detail == "1" and ("," in excerpt or excerpt.startswith("{")):
            remedy = (
                " This looks like CSV or JSON, and what has no path is read as TREC text: give the path of a file that "
                "ends in .csv or .jsonl, or a data frame."
            )
        found = "1 column" if detail == "1" else f"{detail} columns"
        return f"{where}: found {found}, expected {COLUMNS.get(kind, 'others')}: '{excerpt}'.{remedy}"
    skip = "" if kind == "weights" else worded(", or skip such lines with ", by_policy("malformed", "skip"))
    remedies = {
        "number": worded(f"'{detail}' is not a number: '{excerpt}'. ", number_mended(detail, kind, skip)),
        "nan": f"the score is NaN, which has no place in an order: '{excerpt}'. Correct the run that wrote it.",
        "wide": f"'{detail}' {WIDE}: '{excerpt}'. {wide_mended(detail)}",
        "rank": f"'{detail}' in the rank column is not a whole number: '{excerpt}'. Choose another rule for ties.",
        "nul": worded(
            f"the line holds a NUL byte: '{excerpt}'. Is the file whole? Some tools, such as trec_eval, end the text "
            "there. Correct the line",
            skip,
            ".",
        ),
        "too-long": f"the line is longer than a mebibyte, so this is no text of {kind}: '{excerpt}'.",
        "blank": "the line is blank, which this reader does not allow. Remove it.",
        "utf-16": "the text is UTF-16: save it as UTF-8.",
        "compressed": "the content is compressed twice or in a way unknown here: unpack it first.",
    }
    return worded(f"{where}: ", remedies.get(error.kind, f"{error.kind} {detail}: {excerpt!r}"))
