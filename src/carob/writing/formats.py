"""The run formats that carob writes: lines of text, JSON, Parquet and Arrow, optionally compressed."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from carob import _native
from carob._numpy import np
from carob.inputs import ENDINGS, PACKED
from carob.inputs.decompression import ZSTANDARD
from carob.inputs.errors import refused
from carob.inputs.ids import text_of, unicode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEXTS = {
    "trec": (b"", b"", b""),
    "msmarco": (b"", b"", b""),
    "csv": (b"query_id,doc_id,rank,score\n", b"", b""),
    "tsv": (b"query_id\tdoc_id\trank\tscore\n", b"", b""),
    "jsonl": (b"", b"", b""),
    "json": (b"{", b",\n", b"}\n"),
}
"""The text before, between and after the parts, by format."""
UNICODE = ("jsonl", "json", "csv", "tsv", "parquet", "arrow")
"""The formats whose ids must be Unicode rather than bytes, because tables are read as UTF-8."""
OF_KIND = {"lines": "jsonl", "parquet": "parquet", "arrow": "arrow", "csv": "csv", "json": "json"}
"""The format of each kind of file that carob reads, if carob writes it."""
WITHOUT_SCORES = ("msmarco",)
"""The formats that contain ranks but no scores."""
LINE_PACKED = (".gz", ".zst")
"""The compression formats in which carob reads text tables."""
GZIP_LEVEL = 1
"""For a run, level 3 takes twice as long and saves 3 % of the size; level 6 takes five times as long and saves 7 %."""


class NeedsTabs(Exception):  # noqa: N818 -- not an error, but the signal to start again
    """Raised if an id contains a blank, so that tabs must separate the columns of the whole file."""


def format_of_name(path: str) -> tuple[str, str]:
    """Returns the format according to a file's name, and the ending that shows its compression, or an empty text.

    Raises:
        DataError: carob does not write files with this ending.
    """
    stem, packing = os.path.splitext(path)
    if packing not in PACKED:
        stem, packing = path, ""
    ending = os.path.splitext(stem)[1].casefold()
    kind = "tsv" if ending == ".tsv" else OF_KIND.get(ENDINGS.get(ending, ""), "trec")
    if kind == "trec" and ending in ENDINGS:
        raise refused(
            "carob cannot write runs as {ending} files.",
            "Choose another extension, such as .run, .tsv, .jsonl or .parquet.",
            file=path,
            ending=ending,
        )
    return kind, packing


def run_file(file: IO[bytes], form: str, packing: str, tag: str, *, tabs: bool) -> RunFile:
    """Returns the writer of a format.

    Args:
        file: the open file.
        form: the format, a word of ``RunFormat``.
        packing: the ending that shows the compression; empty for none.
        tag: the last column of TREC's format.
        tabs: whether tabs separate the columns of TREC's format.

    Raises:
        DataError: carob does not read the format with this compression, or a package is not installed.
    """
    if form in ("msmarco", "csv", "tsv", "jsonl") and packing not in ("", *LINE_PACKED):
        raise refused(
            "carob does not read {form} files as {packing}.", "Choose .gz.", form=form, packing=packing
        )
    if form in TEXTS:
        return TextFile(file, form, packing, tag, tabs=tabs)
    if packing:
        raise refused(
            "{form} files are already compressed internally.",
            "Leave out {packing}.",
            form=form,
            packing=packing,
        )
    return ArrowFile(file, form)


RunFile: TypeAlias = "TextFile | ArrowFile"
"""An open file for ranked lists: ``put`` writes some lists, and ``close`` writes the end of the file."""


class TextFile:
    """A run in lines of text or in JSON."""

    def __init__(self, file: IO[bytes], form: str, packing: str, tag: str, *, tabs: bool) -> None:
        self.file = compressed(file, packing) if packing else file
        self.packed, self.form, self.tabs = bool(packing), form, tabs
        self.tag = tag_of(tag)
        self.next, self.between, self.end = TEXTS[form]

    def put(self, lists: _native.RankedLists) -> None:
        """Writes some lists.

        Raises:
            NeedsTabs: an id contains a blank, and blanks separate the columns.
            DataError: the format cannot represent an id or a score.
        """
        if self.form == "trec" and not self.tabs and lists.has_blanks:
            raise NeedsTabs
        if self.form in UNICODE:
            refuse_bytes(lists, self.form)
        if self.form in ("json", "jsonl"):
            refuse_infinite(lists)
        with refuse_odd_ids("Choose CSV, JSON lines or Parquet."):
            text = lists.text(self.form, self.tag, tabs=self.tabs)
        self.file.write(self.next + text)
        self.next = self.between

    def close(self) -> None:
        """Writes the end of the text, and of its compressed form."""
        self.file.write(self.end)
        if self.packed:
            self.file.close()


def tag_of(name: str) -> bytes:
    """Returns a name in the form of TREC's last column, which is a single word."""
    return "".join("_" if each.isspace() else each for each in name).encode("utf-8", "surrogateescape")


@contextmanager
def refuse_odd_ids(remedy: str) -> Iterator[None]:
    """Converts the kernel's error about an id that would end a column or a line to a message."""
    try:
        yield
    except _native.IdError as error:
        raise refused(
            "The id {id!r} cannot be written to a text file: it is empty, contains a tab or the end of a line, or "
            "looks like a comment.",
            remedy,
            id=text_of(error.document),
        ) from None


def compressed(file: IO[bytes], packing: str) -> IO[bytes]:
    """Returns a file that compresses into an open file. Closing it leaves the open file open.

    Raises:
        DataError: the compressor is not installed.
    """
    if packing == ".gz":
        import gzip

        # The name and the time are omitted so that equal runs give equal files.
        return cast("IO[bytes]", gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0))
    module, name = {".bz2": ("bz2", "BZ2File"), ".xz": ("lzma", "LZMAFile"), ".zst": (ZSTANDARD, "ZstdFile")}[
        packing
    ]
    try:
        return cast("IO[bytes]", getattr(import_module(module), name)(file, "wb"))
    except ImportError:
        raise refused(
            "Files with the ending {packing} need {module}, which is not installed.",
            "Install it: pip install {module}.",
            packing=packing,
            module=module,
        ) from None


class ArrowFile:
    """A run in a Parquet or Arrow file."""

    def __init__(self, file: IO[bytes], form: str) -> None:
        try:
            self.arrow = pa = import_module("pyarrow")
            parquet = import_module("pyarrow.parquet")
        except ImportError:
            raise refused(
                "Parquet and Arrow files are written by PyArrow, which is not installed.",
                "Install it: pip install pyarrow.",
            ) from None
        self.form = form
        kinds = {"query_id": pa.string(), "doc_id": pa.string(), "rank": pa.int32(), "score": pa.float64()}
        self.schema = pa.schema(list(kinds.items()))
        make = parquet.ParquetWriter if form == "parquet" else pa.ipc.new_file
        self.writer: Any = make(file, self.schema)

    def put(self, lists: _native.RankedLists) -> None:
        """Writes some lists as a group of rows.

        Raises:
            DataError: an id is not UTF-8.
        """
        refuse_bytes(lists, self.form)
        lengths = np.diff(lists.offsets)
        query = np.repeat(np.arange(len(lengths)), lengths)
        rank = np.arange(1, len(query) + 1) - lists.offsets[query]
        columns = [
            self.strings(*lists.joined_queries).take(self.arrow.array(query)),
            self.strings(*lists.joined_documents),
            self.arrow.array(rank.astype(np.int32)),
            self.arrow.array(lists.scores),
        ]
        self.writer.write_table(self.arrow.table(columns, schema=self.schema))

    def strings(self, joined: bytes, offsets: Any) -> Any:
        """Returns ids as a column of text."""
        pa = self.arrow
        whole = pa.LargeStringArray.from_buffers(
            len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(joined)
        )
        return whole.cast(pa.string())

    def close(self) -> None:
        """Writes the footer."""
        self.writer.close()


def refuse_bytes(lists: _native.RankedLists, form: str) -> None:
    """Rejects ids that are not UTF-8.

    Raises:
        DataError: an id is not UTF-8.
    """
    for joined, offsets in (lists.joined_queries, lists.joined_documents):
        if unicode(joined) is None:
            odd = next(each for each in parts(joined, offsets.tolist()) if unicode(each) is None)
            raise refused(
                "The id {id!r} is not UTF-8, which {form} files require.",
                "Choose TREC text.",
                id=odd,
                form=form,
            )


def parts(joined: bytes, offsets: Sequence[int]) -> list[bytes]:
    """Returns the pieces of bytes between offsets."""
    return [joined[start:end] for start, end in pairwise(offsets)]


def refuse_infinite(lists: _native.RankedLists) -> None:
    """Rejects infinite scores, which JSON cannot represent.

    Raises:
        DataError: a score is infinite.
    """
    if not np.isfinite(lists.scores).all():
        raise refused(
            "A score is infinite, which JSON cannot represent.", "Choose TREC text, CSV or Parquet."
        )
