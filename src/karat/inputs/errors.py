"""The errors of bad input: a line, a row or an entry that cannot be read, where it is, and what to do."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from karat import _native
from karat.inputs.decompression import PackedError, unpacked
from karat.output.errors import DataError, by_policy, worded
from karat.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "NO_UTF_8",
    "SWAPPED",
    "WHOLE",
    "WIDE",
    "content_of",
    "first_line",
    "from_mapping",
    "is_panic",
    "line_in",
    "mapping_fault",
    "mended",
    "refusals",
    "row_sentences",
    "sentences",
    "wide_mended",
]

SWAPPED = "are qrels and run swapped?"
NO_UTF_8 = (
    "is no text in UTF-8. If it comes from a spreadsheet, it may be Windows-1252 or Latin-1: save it as 'CSV UTF-8', "
    "or convert it (iconv -f WINDOWS-1252 -t UTF-8). Else it is not what its name says."
)

WIDE = "is a whole number that a double does not hold, so different ones would be equal"
WHOLE = re.compile(r"[+-]?\d+")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
LEVEL = re.compile(r"L(\d+)")


def mended(value: str, kind: str) -> str:
    """The remedy for text in place of a number.

    Args:
        value: the text.
        kind: ``qrels``, ``run`` or another kind of file.
    """
    if DECIMAL_COMMA.fullmatch(value):
        return f"It has a decimal comma: write {value.replace(',', '.')}."
    level = LEVEL.fullmatch(value)
    if level is not None:
        return f"It is a level as NTCIR writes it: write {level[1]} (sed -E 's/L([0-9]+)$/\\1/')."
    if (
        kind == "qrels"
        and value.isalpha()
        and value.casefold() not in ("nan", "inf", "infinity", "null", "none", "na")
    ):
        return (
            "It is a word: write what it is worth as a number, such as 2 for good, 1 for fair and 0 for bad."
        )
    return "Correct it."


def wide_mended(value: str) -> str:
    """The remedy for a whole number that no double represents."""
    return f"Subtract a constant from all of them, or write {value}.0 if equal scores are meant to tie."


COLUMNS = {
    "qrels": "4 (query, iteration, document, grade)",
    "run": "at least 6 (query, iteration, document, rank, score, tag)",
    "weights": "2 (query, weight)",
}


@contextmanager
def sentences(name: str, kind: str = "file", files: tuple[str, ...] = ()) -> Iterator[None]:
    """Turns an error while reading ``name``, or several ``files`` in turn, into a sentence.

    Raises:
        DataError: always in place of the kernel's, the system's or a decompressor's own error.
    """
    try:
        yield
    except _native.LineError as error:
        place, line = line_in(files, error.line) if len(files) > 1 else (name, error.line)
        raise DataError(line_sentence(error, kind), file=place, line=line) from None
    except PackedError as error:
        raise DataError(f"{name} {error}") from None
    except OSError as error:
        raise DataError(f"Cannot read {name}: {error.strerror or error}.") from None


def line_in(files: tuple[str, ...], line: int) -> tuple[str, int]:
    """Maps a line number that continues across files to the file and its own line number."""
    for path in files[:-1]:
        its = 0
        with unpacked(path) as file:
            for its, _ in enumerate(file, 1):
                if its == line:
                    return path, line
        line -= its
    return files[-1], line


def number_mended(value: str, kind: str, skip: str) -> str:
    """The remedy for text in place of a number."""
    what = mended(value, kind)
    return worded("Correct the line", skip, ".") if what == "Correct it." else what


def line_sentence(error: _native.LineError, kind: str) -> str:
    """The sentence for a bad line: what was found, and what to do."""
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    if error.kind == "columns":
        swapped = kind == "qrels" and detail.isdigit() and int(detail) >= 6
        remedy = f" This looks like a run: {SWAPPED}" if swapped else ""
        if kind == "run" and detail == "4":
            remedy = (
                f" This looks like qrels: {SWAPPED} What other judgments change is said by karat "
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
        return f"found {found}, expected {COLUMNS.get(kind, 'others')}: '{excerpt}'.{remedy}"
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
    return remedies.get(error.kind, f"{error.kind} {detail}: {excerpt!r}")


UNREADABLE = (TypeError, ValueError, ArithmeticError, LookupError, RuntimeError, OSError)


@contextmanager
def refusals(kind: str, library: str) -> Iterator[None]:
    """Turns a library's own error on a frame into a sentence."""
    try:
        yield
    except DataError:
        raise
    except ImportError as error:
        raise DataError(
            f"{library} hands the {kind} frame over by way of a library that is not installed ({error}): install "
            "pyarrow."
        ) from None
    except BaseException as error:
        # Each library has its own error class for a column that cannot be cast or a query that fails.
        builtin = type(error).__module__.partition(".")[0] == "builtins"
        its = isinstance(error, Exception) and library in sys.modules and not builtin
        if not (its or isinstance(error, UNREADABLE) or is_panic(error)):
            raise
        raise DataError(f"The {kind} frame of {library} cannot be read: {first_line(error)}.") from None


def is_panic(error: BaseException) -> bool:
    """Whether a library written in Rust panicked: its error is not an Exception."""
    return type(error).__name__ == "PanicException"


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without its full stop."""
    # PyArrow gives several texts.
    several = len(error.args) > 1 and all(isinstance(each, str) for each in error.args)
    said = "; ".join(error.args) if several else str(error)
    return (said.strip().splitlines() or [type(error).__name__])[0].rstrip(".!: ")


@contextmanager
def row_sentences(kind: str) -> Iterator[None]:
    """Turns the kernel's error on a row into a sentence."""
    try:
        yield
    except _native.RowError as error:
        raise DataError(row_sentence(error, kind)) from None
    except _native.FrameError as error:
        raise DataError(f"The {kind} frame cannot be read: {error}.") from None


def row_sentence(error: _native.RowError, kind: str) -> str:
    """The sentence for a bad row: what was found, where, and what to do; rows count from 0, as in frames."""
    value = "grade" if kind == "qrels" else "score"
    query, document = (each.decode(errors="replace") for each in (error.query, error.document))
    place = f"{kind} frame, row {error.row} (from 0)"
    ids = f"{place}: query '{query}', document '{document}': the {value}"
    reasons = {
        "row": f"{place}: the row is null. Leave such rows out.",
        "null": f"{place}: column '{error.column}' is null. Fill it, or leave such rows out.",
        "nan": f"{ids} is NaN, which has no place in an order.",
        "infinite": f"{ids} is infinite: give a finite number.",
        "wide": f"{ids} {WIDE}: subtract a constant, or cast the column to double.",
        "offsets": f"{place}: the text of column '{error.column}' lies outside its memory: the frame, or the file that "
        "it was read from, is damaged. Make it again.",
        "rank": f"{place}: column '{error.column}' holds no whole number, which a rank is.",
        "index": f"{place}: column '{error.column}' points outside its categories: make the column again.",
    }
    return reasons[error.kind]


def from_mapping(make: Any, mapping: Any, kind: str) -> Any:
    """Calls the kernel on a mapping and turns its errors into sentences.

    Raises:
        DataError: an id that is neither text nor a whole number, a score or grade that is no number, or NaN.
    """
    try:
        return make(mapping)
    except _native.MappingError as error:
        raise DataError(mapping_fault(error, kind)) from None


def mapping_fault(error: _native.MappingError, kind: str) -> str:
    """The sentence for a bad entry of a mapping; ``kind`` is ``qrels`` or ``run``."""
    value = "grade" if kind == "qrels" else "score"
    where = (
        kind
        if error.query is None and error.kind in ("changed", "mapping")
        else f"{kind}, query {shown(error.query)}"
    )
    if error.document is not None or error.kind == "document":
        where += f", document {shown(error.document)}"
    reasons = {
        "nan": f"the {value} is NaN, which has no place in an order",
        "infinite": f"the {value} is infinite: give a finite number",
        "number": f"the {value} is not a number ({error.detail})",
        "wide": f"the {value} {WIDE}: subtract a constant, or write it as float",
        "query": f"the query id is neither text nor a whole number ({error.detail}): write it as str",
        "document": f"the document id is neither text nor a whole number ({error.detail}): write it as str",
        "surrogates": "the id holds surrogates that stand for no bytes, so it matches nothing: write it as the text "
        "that it is",
        "twice": "the id is there twice, as text and as a whole number: keep one",
        "mapping": f"expected {{document: {value}}} ({error.detail})",
        "changed": "the dictionary, or a number in it, changed while it was read: let nobody write to it meanwhile",
    }
    return f"{where}: {reasons.get(error.kind, f'{error.kind} ({error.detail})')}."


SIGNATURES = {
    b"PAR1": "a Parquet file: give its path",
    b"ARROW1": "an Arrow file: give its path",
    b"\x93NUMPY": "a NumPy file",
    b"\x04\x22\x4d\x18": "compressed by LZ4: unpack it first (lz4 -d)",
    b"\xff\x06\x00\x00sNaPpY": "compressed by Snappy: unpack it first",
    b"\x1f\x8b": "compressed twice: unpack it first (gunzip)",
    b"\x28\xb5\x2f\xfd": "compressed twice: unpack it first (unzstd)",
    b"BZh": "compressed twice: unpack it first (bunzip2)",
    b"\xfd7zXZ\x00": "compressed twice: unpack it first (unxz)",
    b"\x1f\x9d": "compressed by compress: unpack it first (uncompress)",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: unpack it first",
    b"Rar!": "a RAR archive: unpack it first",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel file: save it as CSV",
    b"\x7fELF": "a program",
    b"version https://git-lfs": "a Git LFS pointer: the file itself was not fetched (git lfs pull)",
    b"<!doctype html": "an HTML page, perhaps what a failed download left",
    b"<html": "an HTML page, perhaps what a failed download left",
    b"<?xml": "XML",
    b"\xff\xfe\x00\x00": "UTF-32 text: save it as UTF-8",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}

TAR_AT = 257
"""Offset of a tar archive's signature."""
LETTERS = b"\t\n\v\f\r\x1b"
"""Control characters that are normal in text."""
SHARE = 0.1
"""Content with a larger share of other control characters is not text."""


def content_of(head: bytes) -> str | None:
    """What a file is by its first bytes; None if it may be text.

    Args:
        head: the first bytes, after decompression.
    """
    lower = head[:64].lstrip().lower()
    for signature, what in SIGNATURES.items():
        if head.startswith(signature) or (signature[:1] == b"<" and lower.startswith(signature)):
            return None if signature in (b"ORC", b"BZh", b"Rar!") and is_word(head) else what
    if head.startswith(b"PK\x03\x04"):
        excel = b"xl/" in head or b"[Content_Types].xml" in head
        return "an Excel file: save it as CSV" if excel else "a ZIP archive: unpack it first (unzip)"
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "a Python pickle: write it as JSON, or hand the object over in Python"
    if head[TAR_AT : TAR_AT + 5] == b"ustar":
        return "a tar archive: unpack it first (tar -xf)"
    odd = sum(byte < 32 and byte not in LETTERS for byte in head[:1024])
    return "no text" if odd > SHARE * min(len(head), 1024) and not is_word(head[:64]) else None


def is_word(head: bytes) -> bool:
    """Whether the first line is text all the same, such as an id that begins like a signature."""
    line = head.split(b"\n", 1)[0]
    return len(line.split()) > 1 and all(byte >= 32 or byte in LETTERS for byte in line)
