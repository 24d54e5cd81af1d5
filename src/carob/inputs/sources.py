"""Opens paths, standard input, pipes, open files and bytes as sources that can be read more than once.

Recognises compressed files, tables, TREC text and formats other than text by their names and first bytes.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import contextmanager, suppress
from dataclasses import field
from functools import partial
from itertools import count
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import begin_import
from carob.inputs import ENDINGS, PACKED, READERS
from carob.inputs.decompression import (
    AT_ONCE,
    FIRST,
    MAGIC,
    Cursor,
    PackedError,
    decompressed,
    format_of,
    whole,
)
from carob.inputs.errors import CARRIAGE_RETURN, first_line, line_in, refused, sentences
from carob.inputs.ids import text_of
from carob.output.errors import ContentError, DataError, LineEndError, Worded, by_policy, reworded, worded
from carob.output.escaping import shown
from carob.output.files import own_table
from carob.output.parsing import is_number
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from threading import Event

    from carob.inputs.decompression import Format

OPEN_AS_TEXT = ("The file is open in text mode.", "Open it in binary mode ('rb'), since ids are bytes.")


Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]"
"""A path (``-`` is standard input), bytes, or an open binary file."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEAD = 1024
LONGEST_PATH = 4096
"""The maximum number of bytes in a path on Linux. Longer content cannot be a path, so it is not split into fields."""
SHOWN = 60
"""The number of characters that an error quotes from a text that was passed instead of a path."""
HELD = 2**28
"""The size, in bytes, up to which a text that is read more than once is kept in memory."""
LONGEST_LINE = 2**20
"""The maximum number of bytes in a line, as in the kernel."""


ONE_COUNTS = worded(
    "Remove one, or choose which counts: ", by_policy("duplicates", "first", "last", "max"), "."
)
"""The remedy for a document that occurs twice."""
PADDING = "It seems to be padding, as in faiss: remove such rows."
"""The remedy for a document with the id -1."""


@dataclass(frozen=True)
class Provenance:
    """The origin of an input. Records of scores contain its name and hash.

    Args:
        kind: ``file``, ``bytes``, ``a mapping``, ``standard input``, ``a stream`` …
        path: the file's path as given; None for anything else.
        size: the size of the file in bytes when it was opened.
        changed: the modification time of the file, in nanoseconds.
        library: the library of a frame.
        whole: whether the query ids of a frame are whole numbers.
        home: the session or connection of an engine's table, which is used to create other tables; never pickled.
        rows: whether the input is a table. Errors name rows of tables and lines of text.
        first: the line number of a table's first row, if the table is a single file and each row is a line.
        parts: the origins of the files, if a table is in several files.
        columns: the role and the name of each column that the caller named, and the numbers for grades in words.
        systems: the column that names several systems, followed by the systems; empty if there is no such column.
    """

    kind: str
    path: str | None = None
    size: int = 0
    changed: int = 0
    library: str | None = None
    whole: bool = False
    rows: bool = False
    first: int | None = None
    parts: tuple[Provenance, ...] = ()
    columns: tuple[tuple[str, Any], ...] = ()
    systems: tuple[str, ...] = ()
    home: Any = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state to pickle, which excludes the session of an engine."""
        return {**self.__dict__, "home": None}

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the input, or an empty tuple for data in memory and for streams."""
        if self.parts:
            return tuple(path for part in self.parts for path in part.files)
        return () if self.path is None else (self.path,)

    def place(self, number: int) -> dict[str, Any]:
        """Returns the place of a line or row, whose number counts from 1, as fields for an error."""
        if self.rows:
            return {"row": number - 1} if self.first is None else {"line": number - 1 + self.first}
        if len(self.files) > 1:
            file, number = line_in(self.files, number)
            return {"file": file, "line": number}
        return {"line": number} if number else {}

    def twice(
        self,
        name: str,
        message: str,
        lines: Iterable[int],
        ids: Mapping[str, bytes],
        remedy: str = ONE_COUNTS,
        *,
        of_run: bool = False,
    ) -> DataError:
        """Returns the error for a repeated document. It names both places of the document.

        Args:
            name: the file, or another name for the input, such as ``run frame``.
            message: the sentence without a full stop, with placeholders for the ids, such as ``{document}``.
            lines: the numbers of the first and the second line or row.
            ids: the values of the placeholders, by name: the query, the document and other ids.
            remedy: the advice.
            of_run: whether the files may be separate runs.
        """
        texts = {role: text_of(each) for role, each in ids.items()}
        one, other = ({"file": name} | self.place(number) for number in lines)
        where = f"row {one['row']}" if "row" in one else f"line {one.get('line')}"
        where += f" of {one['file']}" if one["file"] != other["file"] else ""
        if of_run and one["file"] != other["file"] and is_pattern(name):
            remedy = several_runs(name, remedy)
        if texts.get("document") == "-1":
            remedy = PADDING
        message = message.format(**texts) + (f" (first in {where})." if len(one) > 1 else ".")
        return DataError(message, **other, query=texts["query"], document=texts["document"], remedy=remedy)


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A source of bytes, with its name for errors.

    Args:
        name: a path, ``standard input`` or ``<bytes>``.
        handle: the object that the kernel reads: a path, bytes, or a function that returns a cursor at the first byte.
        size: the number of bytes, if known.
        origin: the provenance of the bytes.
        head: the first bytes of a file, as stored.
    """

    name: str
    handle: str | bytes | Callable[[], Cursor]
    size: int | None
    origin: Provenance = Provenance("bytes")
    head: bytes = b""

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state to pickle, which includes the bytes of a stream.

        Raises:
            DataError: the stream cannot be read.
        """
        if isinstance(self.handle, (str, bytes, Packed)):
            return self.__dict__
        with sentences(self.name):
            return {**self.__dict__, "handle": self.content()}

    def from_start(self) -> str | bytes | Cursor:
        """Returns the source at its first byte. Each caller gets a separate cursor.

        Also starts the import of NumPy in the background, because the reader of the source needs NumPy next.
        """
        begin_import()
        return self.handle if isinstance(self.handle, (str, bytes)) else self.handle()

    def opened(self) -> IO[bytes]:
        """Opens the source as a binary file, decompressed."""
        handle = self.from_start()
        if isinstance(handle, bytes):
            return io.BytesIO(handle)
        if isinstance(handle, str):
            return open(handle, "rb")
        return io.BufferedReader(handle, AT_ONCE)

    def may_be_cut(self) -> bool:
        """Returns whether the last line has no newline. Returns True if only reading the whole source would tell."""
        if isinstance(self.handle, bytes):
            return not self.handle.endswith(b"\n")
        if isinstance(self.handle, str):
            with suppress(OSError), open(self.handle, "rb") as file:
                file.seek(-1, os.SEEK_END)
                return file.read(1) != b"\n"
        return True

    def start(self) -> bytes:
        """Returns the first bytes, decompressed."""
        if isinstance(self.handle, str):
            return self.head
        with sentences(self.name), self.opened() as file:
            return file.read(HEAD)

    def content(self) -> bytes:
        """Returns all bytes, decompressed."""
        with self.opened() as file:
            if not isinstance(self.handle, Packed):
                return file.read()
            held = self.handle.stored
            return whole(file, os.stat(held).st_size if isinstance(held, str) else len(held))

    def held(self, most: int = HELD) -> Source:
        """Loads a small source into memory, so several passes read its file only once.

        Args:
            most: the maximum number of bytes to load.

        Raises:
            OSError: the file cannot be read.
        """
        if isinstance(self.handle, bytes) or (self.size is not None and self.size > most):
            return self
        with self.opened() as file:
            content = file.read(most + 1)
        return self if len(content) > most else replace(self, handle=content)

    def lines(self, longest: int = LONGEST_LINE) -> Iterator[bytes]:
        """Yields all lines, without line breaks and byte order mark.

        Args:
            longest: the maximum number of bytes in a line.

        Raises:
            DataError: a line is longer than ``longest``.
        """
        with self.opened() as file:
            mark = BYTE_ORDER_MARK
            for number in count(1):
                line = file.readline(longest + 1)
                if not line:
                    return
                if len(line) > longest:
                    size = f"{longest >> 20} MiB"
                    raise refused(
                        "the line is longer than {size}: this is not text.",
                        file=self.name,
                        line=number,
                        size=size,
                    )
                yield line.removesuffix(b"\n").removeprefix(mark)
                mark = b""


def memory(content: bytes) -> Source:
    """Returns a source that reads lines from memory."""
    return Source("<memory>", content, len(content))


def source_of(where: Readable | Source) -> Source:
    """Returns the source for a path, ``-``, bytes or an open binary file, decompressed. A source is returned unchanged.

    Raises:
        DataError: the file is missing, is a folder, or was opened as text.
    """
    if isinstance(where, Source):
        return where
    if isinstance(where, (bytes, bytearray, memoryview)):
        content = bytes(where)
        # A path is short and contains fewer fields than a line of qrels.
        if len(content) <= LONGEST_PATH and len(content.split()) < 4 and os.path.isfile(content):
            raise refused(
                "Bytes are read as the content of a file, but {path} is the path of an existing file.",
                "Pass the path as text (os.fsdecode).",
                path=shown(os.fsdecode(content)),
            )
        its = packing(content)
        if its is None:
            return Source("<bytes>", content, len(content))
        return Source("<bytes>", Packed(content, content[:FIRST]), None)
    if isinstance(where, (str, os.PathLike)):
        path = os.fspath(where)
        if "\0" in path:
            raise refused(
                "The path {path} contains a NUL character, which paths cannot contain.",
                "Pass the path of a file.",
                path=path,
            )
        if "\n" in path.rstrip("\n") and not os.path.lexists(path):
            raise refused(
                "Text is treated as a path, but there is no file called {text} …",
                "Pass the content of a file as bytes (text.encode()), or the path of a file.",
                text=shown(path[:SHOWN]),
            )
        return from_stream(standard_input(), "standard input") if path == "-" else from_path(path)
    if not hasattr(where, "read"):
        raise refused(
            "Cannot read a {type}.",
            "Pass a path, '-' for standard input, bytes, an open binary file, a data frame, or {{query: "
            "{{document: number}}}}.",
            type=type(where).__name__,
        )
    name = name_of(where)
    with sentences(name), readable(where, name):
        text = isinstance(where.read(0), str)
    if text:
        raise refused(*OPEN_AS_TEXT)
    return from_stream(where, name)


def name_of(file: Any) -> str:
    """Returns the name of an open file for errors."""
    name = getattr(file, "name", None)
    if isinstance(name, int):
        return f"<file descriptor {name}>"
    return os.fsdecode(name) if isinstance(name, bytes) else str(name or "<stream>")


FAILURES = (ValueError, EOFError, OSError)
"""The errors that Python's files raise if they are closed or contain damaged compressed bytes."""
DECOMPRESSORS = ("zlib", "_lzma")
"""The modules that define further errors that files may raise.

All other errors come from the caller's own code, and are not changed.
"""


@contextmanager
def readable(file: Any, name: str) -> Iterator[None]:
    """Turns the errors of an open file into an error that names the file. System errors are left to ``sentences``.

    An ``OSError`` without an error number comes from Python itself, for example because of a wrong checksum.

    Raises:
        DataError: the file is closed, or fails while it is read.
    """
    if getattr(file, "closed", False):
        raise refused(
            "the file is closed.", "Open it again, and leave it open until carob has read it.", file=name
        )
    try:
        yield
    except io.UnsupportedOperation:
        raise refused("the file is not open for reading.", "Open it again in mode 'rb'.", file=name) from None
    except Exception as error:
        of_system = isinstance(error, OSError) and (error.errno is not None or isinstance(error, PackedError))
        if isinstance(error, DataError) or of_system:
            raise
        if not isinstance(error, FAILURES) and type(error).__module__ not in DECOMPRESSORS:
            raise
        raise refused(
            "the file cannot be read: {why}.",
            "Open it again, or pass its path.",
            file=name,
            why=first_line(error),
        ) from error


def refuse_read(file: Any, name: str) -> None:
    """Refuses an open file that returned no bytes if its position shows that it has already been read.

    Raises:
        DataError: the file is at its end, but is not empty.
    """
    try:
        place = file.tell()
    except (AttributeError, *FAILURES):
        return  # a pipe has no position
    if place:
        raise refused(
            "the file is at its end, so it was already read or written.",
            "Open it again, or go back to its start with seek(0).",
            file=name,
        )


def bytes_read(block: Any, name: str) -> Any:
    """Returns a block that an open file returned, after a check that it is bytes.

    Raises:
        DataError: the file returned something other than bytes.
    """
    if isinstance(block, str):
        raise refused(*OPEN_AS_TEXT)
    if block is None:
        raise refused(
            "the stream has no bytes at the moment and does not block until they arrive (read returned None).",
            "Pass a stream that waits.",
            file=name,
        )
    if not isinstance(block, (bytes, bytearray, memoryview)):
        raise refused(
            "the stream returned a value of type {type} instead of bytes.",
            "Pass an open binary file.",
            file=name,
            type=type(block).__name__,
        )
    return block


@dataclass(frozen=True, eq=False, repr=False)
class Packed:
    """Makes cursors over the decompressed bytes of a compressed file.

    Args:
        stored: the path of the file, or its bytes.
        head: the first bytes, which show the format. They are stored because a ``Format`` cannot be pickled.
    """

    stored: str | bytes
    head: bytes

    def __call__(self) -> Cursor:
        """Returns a cursor at the first byte."""
        return Cursor(self.blocks, is_slow=True)

    def blocks(self) -> Iterator[bytes]:
        """Opens the file and returns its decompressed blocks."""
        file = open(self.stored, "rb") if isinstance(self.stored, str) else io.BytesIO(self.stored)  # noqa: SIM115 -- its blocks close it
        return decompressed(file, cast("Format", packing(self.head)))


def kept(where: Any) -> Any:
    """Returns the content of standard input, a pipe or an open file, so it can be read twice; other inputs unchanged.

    Raises:
        DataError: the input cannot be read.
    """
    if hasattr(where, "read"):
        name = name_of(where)
        with sentences(name), readable(where, name):
            found = bytes_read(where.read(), name)
        if not found:
            refuse_read(where, name)
        return found
    if not isinstance(where, (str, os.PathLike)):
        return where
    path = os.fspath(where)
    if path == "-":
        with sentences("standard input"):
            return standard_input().read()
    if not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path):
        return where
    with sentences(path), open(path, "rb") as file:
        return file.read()


def standard_input() -> IO[bytes]:
    """Returns standard input as a binary file.

    Raises:
        DataError: standard input is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise refused("Standard input is closed.", "Pass a file, or redirect one.")
    return sys.stdin.buffer


def from_path(path: str) -> Source:
    """Returns the source for a file. The kernel reads plain text itself; the source decompresses compressed files."""
    with sentences(path):
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise refused("this is a folder.", "Pass a file.", file=path)
        if not stat.S_ISREG(found.st_mode):
            return from_stream(open(path, "rb"), path, own=True)
        take(path)
        with open(path, "rb") as file:
            head = file.read(HEAD)
    its = packing(head)
    origin = Provenance("file", path, found.st_size, found.st_mtime_ns)
    if its is None:
        return Source(path, path, found.st_size, origin, head)
    return Source(path, Packed(path, head[:FIRST]), None, origin)


def from_stream(file: IO[bytes], name: str, *, own: bool = False) -> Source:
    """Returns the source for a stream that can be read only once. The stream is closed after use if ``own`` is true."""
    from threading import Event

    stream = Kept(file, name, own=own)
    with sentences(name):
        head = stream.start(FIRST)
    if not (own or head):
        refuse_read(file, name)
    its = packing(head)

    def cursor() -> Cursor:
        stopped = Event()
        blocks = partial(stream.blocks, stopped)
        if its is None:
            return Cursor(blocks, stopped=stopped)
        return Cursor(lambda: decompressed(Cursor(blocks), its), is_slow=True, stopped=stopped)

    kind = "standard input" if name == "standard input" else "a stream"
    return Source(name, cursor, None, Provenance(kind))


IN_MEMORY = 64 * 2**20
MORE_THAN_A_PIPE = 2**21
"""A number of bytes. A pipe on Linux buffers at most half as many."""
PATIENCE = 100
"""The number of milliseconds between two checks of whether to stop waiting."""


class Kept:
    """A stream whose bytes are stored in memory, or in a temporary file if there are many.

    Args:
        file: the stream.
        name: its name, for errors.
        own: whether the stream is closed together with this object; a stream of the caller must stay open.
    """

    def __init__(self, file: Any, name: str, *, own: bool) -> None:
        """Stores the stream. No bytes are read yet."""
        from tempfile import SpooledTemporaryFile
        from threading import Lock
        from weakref import finalize

        self.file, self.name = file, name
        self.kept = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed together with this object
        # Not in __del__, because in a reference cycle the file might be deleted first and would warn that it is open.
        for each in (self.kept, file) if own else (self.kept,):
            finalize(self, each.close)
        self.size, self.ended = 0, False
        self.fault: Exception | None = None
        self.lock = Lock()
        self.pipe = Pipe(file) if Pipe.suits(file) else None

    def start(self, size: int) -> bytes:
        """Returns the first ``size`` bytes of the stream, or fewer if the stream is shorter."""
        head = b""
        while len(head) < size and (block := self.block(len(head), size - len(head))):
            head += block
        return head

    def blocks(self, stopped: Event) -> Iterator[bytes]:
        """Yields all bytes of the stream in blocks. A wait for bytes ends when ``stopped`` is set."""
        place = 0
        while block := self.block(place, AT_ONCE, stopped):
            yield block
            place += len(block)

    def block(self, place: int, size: int, stopped: Event | None = None) -> bytes:
        """Returns at most ``size`` bytes from position ``place``, or no bytes at the end.

        Raises:
            KeyboardInterrupt: ``stopped`` was set while the stream waited for its writer.
            Exception: the stream failed. Every reader gets the same error.
        """
        with self.lock:
            if place < self.size:
                self.kept.seek(place)
                return self.kept.read(size)
            if self.fault is not None:
                raise self.fault.with_traceback(None)
            if self.ended:
                return b""
            try:
                with readable(self.file, self.name):
                    read = self.file.read if self.pipe is None else partial(self.pipe.read, stopped=stopped)
                    block = bytes_read(read(size), self.name)
                self.kept.seek(self.size)
                self.kept.write(block)
            except Exception as error:
                self.fault = error
                raise
            self.size += len(block)
            self.ended = not block
            return bytes(block[:size])


class Pipe:
    """An operating system file, such as a pipe, whose reader can stop waiting for the writer."""

    def __init__(self, file: io.BufferedReader) -> None:
        """Stores the file. No bytes are read yet."""
        import select

        self.file = file
        self.drained = False
        self.arrivals = select.poll()
        self.arrivals.register(file, select.POLLIN)

    @staticmethod
    def suits(file: Any) -> bool:
        """Returns whether the operating system can tell when bytes of a file arrive.

        A file of another class, such as a decompressor, may buffer bytes that the system does not know about.
        """
        import select

        return isinstance(file, io.BufferedReader) and type(file.raw) is io.FileIO and hasattr(select, "poll")

    def read(self, size: int, stopped: Event | None) -> bytes:
        """Returns ``size`` bytes, fewer bytes if no more arrive for a moment, or no bytes at the end.

        Args:
            size: the number of bytes. The first read may return more.
            stopped: the event that ends the wait.

        Raises:
            KeyboardInterrupt: ``stopped`` was set during the wait.
        """
        if not self.drained:
            # ``poll`` does not see bytes that are in the file's buffer already, but a short read leaves the buffer
            # empty.
            block = self.file.read1(MORE_THAN_A_PIPE)
            self.drained = len(block) < MORE_THAN_A_PIPE
            return block
        parts: list[bytes] = []
        while size:
            if self.arrivals.poll(PATIENCE):
                part = self.file.read1(size)
                if not part:
                    break
                parts.append(part)
                size -= len(part)
            elif parts:
                break
            elif stopped is not None and stopped.is_set():
                raise KeyboardInterrupt
        return b"".join(parts)


# ---------------------------------------------------------------- by the name, and by the first bytes

MARKS = tuple(MAGIC)
"""The first bytes that mark compressed files."""


def packing(head: bytes) -> Format | None:
    """Returns the compression format that the first bytes show, or None for plain text."""
    return format_of(head) if head.startswith(MARKS) else None


def kind_of(path: str) -> str:
    """Returns the kind of a file by its ending. For a registered reader, the kind is the ending itself."""
    stem, ending = os.path.splitext(path)
    if ending in PACKED:
        ending = os.path.splitext(stem)[1]
    return enrolled_ending(path) or ENDINGS.get(ending.casefold(), "text")


def enrolled_ending(path: str) -> str | None:
    """Returns the ending of a path if another package registered a reader for it, otherwise None."""
    return next((each for each in READERS if path.casefold().endswith(each)), None)


def is_pattern(path: str) -> bool:
    """Returns whether a path is a pattern rather than the name of an existing file."""
    wild = any(letter in path for letter in "*?[") and "\n" not in path  # otherwise it is a file's content
    return wild and not os.path.lexists(path)


def is_table(path: str) -> bool:
    """Returns whether a path names a table, a pattern or a folder.

    A compressed text file counts as a table only if it is TSV.
    """
    stem, ending = os.path.splitext(path)
    packed = ending in PACKED and stem.endswith(".tsv")
    return packed or kind_of(path) != "text" or is_several(path)


def is_several(path: str | None) -> bool:
    """Returns whether a path is a pattern or a folder."""
    return path is not None and (is_pattern(path) or os.path.isdir(path))


def several_runs(pattern: str, otherwise: str = "") -> str:
    """Returns the advice for a pattern that was passed as one run but may mean several.

    Args:
        pattern: the pattern.
        otherwise: the advice if the pattern means one run.
    """
    advice = Worded(
        f"A pattern stands for one run in several files. If each file is a run, pass sorted(glob.glob({pattern!r})).",
        "A pattern in quotes stands for one run in several files. If each file is a run, remove the quotes.",
    )
    return worded(
        advice, reworded(otherwise, lambda text: text and f" Otherwise {text[0].lower()}{text[1:]}")
    )


TEXT_ENDINGS = (".tsv", ".txt", ".run", ".trec", ".res", ".prototext")
"""File name endings of text files that are omitted from the name of a run."""


def called(path: str) -> str:
    """Names a run after its file, without endings, or after the folder if a pattern matches the parts of a table."""
    stem = os.path.basename(os.path.normpath(path))
    stem = stem.removesuffix(enrolled_ending(stem) or "")
    while os.path.splitext(stem)[1] in (*ENDINGS, *PACKED, *TEXT_ENDINGS):
        stem = os.path.splitext(stem)[0]
    plain = stem.strip("*?-_. ")
    if not plain or (plain == "part" and is_pattern(path)):
        folder = os.path.dirname(os.path.normpath(path))
        return called(folder) if folder.strip("*?.") else path
    return plain if is_pattern(path) and plain else stem


def is_trec(head: bytes, kind: str) -> bool:
    """Returns whether the first line of a file is in TREC format.

    Args:
        head: the first bytes of the file.
        kind: ``qrels`` or ``run``.
    """
    line = head[:1024].removeprefix(BYTE_ORDER_MARK).split(b"\n", 1)[0]
    fields = fields_of(line, 4 if kind == "qrels" else 6)
    if not fields or fields[0].startswith(b"#"):
        return True
    place = 3 if kind == "qrels" else 4
    if len(fields) > place and is_number(fields[place]) and (kind == "run" or len(fields) == 4):
        return not line.startswith((b"{", b"["))
    return False


def fields_of(line: bytes, wanted: int) -> list[bytes]:
    """Splits a line into fields at tabs if that yields at least ``wanted`` fields, otherwise at any whitespace."""
    at_tabs = [field for each in line.split(b"\t") if (field := each.strip())]
    return at_tabs if len(at_tabs) >= wanted else line.split()


TAR_AT = 257
"""Offset of a tar archive's signature."""


LETTERS = b"\t\n\v\f\r\x1b"
"""Control characters that occur in normal text."""


ODD = bytes(byte for byte in range(32) if byte not in LETTERS)
"""Control characters that do not occur in normal text."""
SHARE = 0.1
"""Content with a larger share of control characters in ``ODD`` is not text."""


def content_of(head: bytes) -> str | None:
    """Returns the format that the first bytes of a file show, or None if the file may be text.

    Args:
        head: the first bytes, after decompression.
    """
    marked = head.lstrip().startswith((b"<", b"version https"))
    # The table of signatures is not read if the first line looks like text, because it cannot be another format.
    signatures = {} if is_word(head) and not marked else own_table(__file__, "signatures.toml")
    for first, what in signatures.items():
        signature = first.encode("latin-1")
        start = head[:64].lstrip().lower() if signature.startswith(b"<") else head
        if start.startswith(signature):
            return str(what)
    if head.startswith(b"PK\x03\x04"):
        excel = b"xl/" in head or b"[Content_Types].xml" in head
        return "an Excel file: save it as CSV" if excel else "a ZIP archive: unpack it first (unzip)"
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "a Python pickle: write it as JSON, or pass the object itself in Python"
    if head[TAR_AT : TAR_AT + 5] == b"ustar":
        return "a tar archive: unpack it first (tar -xf)"
    odd = len(head[:1024]) - len(head[:1024].translate(None, ODD))
    return "not text" if odd > SHARE * min(len(head), 1024) and not is_word(head[:64]) else None


def refuse_other_format(source: Source) -> None:
    """Refuses binary files, and text whose lines end only in a carriage return, as on old Macs.

    Raises:
        DataError: the file is binary, or its lines end only in a carriage return.
    """
    try:
        start = source.start()
    except DataError:
        return  # damage is reported when the text is read
    what = content_of(start)
    if what is not None:
        raise ContentError(source.name, what)
    if b"\n" not in start and b"\r" in start.rstrip(b"\r"):
        raise refused(CARRIAGE_RETURN, error=LineEndError, file=source.name, line=1)


def is_word(head: bytes) -> bool:
    """Returns whether the first line is text. An id may begin with the signature of a format by chance."""
    line = head.split(b"\n", 1)[0]
    return len(line.split()) > 1 and all(byte >= 32 or byte in LETTERS for byte in line)
