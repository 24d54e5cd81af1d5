"""Builds the errors for a bad line, row or entry. Each names the fault, its place and a remedy."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, Any

from karat import _native
from karat.inputs.decompression import PackedError, unpacked
from karat.output.errors import DataError, by_policy, worded
from karat.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Iterator


SWAPPED = "are qrels and run swapped?"
NO_UTF_8 = (
    "is not text in UTF-8. If it comes from a spreadsheet, it may be Windows-1252 or Latin-1: save it as 'CSV UTF-8', "
    "or convert it (iconv -f WINDOWS-1252 -t UTF-8). Otherwise its name is wrong."
)
WIDE = "is a whole number that no double represents exactly, so different scores would become equal"
WHOLE = re.compile(r"[+-]?\d+")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
LEVEL = re.compile(r"L(\d+)")
NO_NUMBERS = ("nan", "inf", "infinity", "null", "none", "na")


def value_of(kind: str) -> str:
    """Returns the word for an entry's number: ``grade`` in qrels, ``score`` in a run."""
    return {"qrels": "grade", "weights": "weight"}.get(kind, "score")


# ---------------------------------------------------------------- lines of text

COLUMNS = {
    "qrels": "4 (query, iteration, document, grade)",
    "run": "at least 6 (query, iteration, document, rank, score, tag)",
    "weights": "2 (query, weight)",
}


@contextmanager
def sentences(name: str, kind: str = "file", files: tuple[str, ...] = ()) -> Iterator[None]:
    """Turns an error while reading ``name`` (one file, or several ``files``) into a ``DataError``.

    Raises:
        DataError: in place of the error of the kernel, the operating system or a decompressor.
    """
    try:
        yield
    except _native.LineError as error:
        raise line_error(error, name, kind, files) from None
    except PackedError as error:
        raise DataError(f"{error}.", file=name, remedy=error.remedy) from None
    except OSError as error:
        raise DataError(f"{error.strerror or error}.", file=name) from None


def line_in(files: tuple[str, ...], line: int) -> tuple[str, int]:
    """Maps a line number that continues across files to the file and the line number in it."""
    for path in files[:-1]:
        count = 0
        with unpacked(path) as file:
            for count, _ in enumerate(file, 1):
                if count == line:
                    return path, line
        line -= count
    return files[-1], line


def line_error(error: _native.LineError, name: str, kind: str, files: tuple[str, ...]) -> DataError:
    """Returns the error for a bad line of ``qrels``, a ``run`` or ``weights``."""
    file, line = line_in(files, error.line) if len(files) > 1 else (name, error.line)
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    if error.kind == "columns":
        columns = "1 column" if detail == "1" else f"{detail} columns"
        found = f"found {columns}, expected {COLUMNS.get(kind, 'others')}: '{excerpt}'."
        return DataError(found, file=file, line=line, remedy=columns_remedy(kind, detail, excerpt))
    if error.kind in ("number", "wide"):
        wide, column = error.kind == "wide", value_of(kind)
        return number_error(detail, kind, f": '{excerpt}'", wide=wide, file=file, line=line, column=column)
    skip = worded("Correct the line", "" if kind == "weights" else SKIP, ".")
    found, remedy = {
        "nan": (f"the score is NaN, which has no place in an order: '{excerpt}'.", "Correct the run."),
        "rank": (
            f"'{detail}' in the rank column is not a whole number: '{excerpt}'.",
            "Choose another rule for ties.",
        ),
        "nul": (
            f"the line contains a NUL byte, where tools such as trec_eval stop: '{excerpt}'. Is the file complete?",
            skip,
        ),
        "too-long": (
            f"the line is longer than a mebibyte, so this is not text of {kind}: '{excerpt}'.",
            None,
        ),
        "blank": ("the line is blank, which this format does not allow.", "Remove it."),
        "utf-16": ("the text is UTF-16.", "Save it as UTF-8."),
        "compressed": ("the content is compressed twice, or in an unknown way.", "Unpack it first."),
    }.get(error.kind, (f"{error.kind} {detail}: {excerpt!r}.", None))
    return DataError(found, file=file, line=line, remedy=remedy)


SKIP = worded(", or skip such lines with ", by_policy("malformed", "skip"))


def columns_remedy(kind: str, count: str, excerpt: str) -> str | None:
    """Returns the remedy for a line with the wrong number of columns, or None if no cause is likely."""
    if kind == "qrels" and count.isdigit() and int(count) >= 6:
        return f"This looks like a run: {SWAPPED}"
    if kind == "run" and count == "4":
        return (
            f"This looks like qrels: {SWAPPED} To compare judgments, use karat difference A.QRELS B.QRELS MEASURE RUN "
            "or karat agreement."
        )
    if kind == "qrels" and count == "3":
        return "If the second column is missing, insert it: awk '{print $1, 0, $2, $3}'."
    if kind in ("qrels", "run") and count == "1" and ("," in excerpt or excerpt.startswith("{")):
        return (
            "This looks like CSV or JSON, but bytes and streams are read as TREC text: give the path of a file that "
            "ends in .csv or .jsonl, or a data frame."
        )
    return None


def number_error(value: str, kind: str, excerpt: str = "", *, wide: bool = False, **place: Any) -> DataError:
    """Returns the error for a field that is not a number, or is a whole number that no double represents.

    Args:
        value: the text.
        kind: ``qrels``, ``run`` or ``weights``.
        excerpt: what follows in the message: the line.
        wide: whether it is a whole number that no double represents.
        place: the fields of the error.
    """
    name = f"'{value}'" if excerpt or "column" not in place else f"'{value}' in column '{place['column']}'"
    if wide:
        remedy: str = f"Subtract a constant from all of them, or write {value}.0 if equal scores may tie."
        return DataError(f"{name} {WIDE}{excerpt}.", remedy=remedy, **place)
    level = LEVEL.fullmatch(value)
    remedy = worded("Correct the line", "" if kind == "weights" else SKIP, ".")
    if DECIMAL_COMMA.fullmatch(value):
        remedy = f"It has a decimal comma: write {value.replace(',', '.')}."
    elif level is not None:
        remedy = f"It is a level as NTCIR writes it: write {level[1]} (sed -E 's/L([0-9]+)$/\\1/')."
    elif kind == "qrels" and value.isalpha() and value.casefold() not in NO_NUMBERS:
        remedy = "It is a word: write a number for it, such as 2 for good, 1 for fair and 0 for bad."
    return DataError(f"{name} is not a number{excerpt}.", remedy=remedy, **place)


# ---------------------------------------------------------------- rows of frames

UNREADABLE = (TypeError, ValueError, ArithmeticError, LookupError, RuntimeError, OSError)


TURN = RLock()
IN_TURN = ("duckdb", "narwhals", "ibis", "sqlframe")
"""Libraries whose connections serve one thread at a time. Two runs may share a connection."""


@contextmanager
def refusals(kind: str, library: str) -> Iterator[None]:
    """Turns a library's error about a frame into a ``DataError``, and lets one thread at a time use a connection."""
    try:
        with TURN if library in IN_TURN else nullcontext():
            yield
    except DataError:
        raise
    except ImportError as error:
        raise DataError(
            f"{library} needs another library to hand over the {kind} frame ({error}).",
            remedy="Install pyarrow.",
        ) from None
    except BaseException as error:
        # Each library has its own error class for a column that cannot be cast or a query that fails.
        builtin = type(error).__module__.partition(".")[0] == "builtins"
        its = isinstance(error, Exception) and library in sys.modules and not builtin
        if not (its or isinstance(error, UNREADABLE) or is_panic(error)):
            raise
        raise DataError(f"The {kind} frame of {library} cannot be read: {first_line(error)}.") from None


def is_panic(error: BaseException) -> bool:
    """Returns whether an error is a panic of a Rust library, which is not an ``Exception``."""
    return type(error).__name__ == "PanicException"


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's message, without its full stop."""
    # A PyArrow error may have several arguments.
    several = len(error.args) > 1 and all(isinstance(each, str) for each in error.args)
    said = "; ".join(error.args) if several else str(error)
    return (said.strip().splitlines() or [type(error).__name__])[0].rstrip(".!: ")


@contextmanager
def row_errors(kind: str) -> Iterator[None]:
    """Turns the kernel's error about a row into a ``DataError``."""
    try:
        yield
    except _native.RowError as error:
        raise row_error(error, kind) from None
    except _native.FrameError as error:
        raise DataError(f"The {kind} frame cannot be read: {error}.") from None


def row_error(error: _native.RowError, kind: str) -> DataError:
    """Returns the error for a bad row. Row numbers start at 0, as in frames."""
    query, document = (each.decode(errors="replace") or None for each in (error.query, error.document))
    value = f"query '{query or ''}', document '{document or ''}': the {value_of(kind)}"
    found, remedy = {
        "row": ("the row is null.", "Leave such rows out."),
        "null": (f"column '{error.column}' is null.", "Fill it, or leave such rows out."),
        "nan": (f"{value} is NaN, which has no place in an order.", None),
        "infinite": (f"{value} is infinite.", "Give a finite number."),
        "wide": (f"{value} {WIDE}.", "Subtract a constant, or cast the column to double."),
        "offsets": (
            f"the text of column '{error.column}' lies outside its memory: the frame or its file is damaged.",
            "Make it again.",
        ),
        "rank": (f"column '{error.column}' is not a whole number, as a rank must be.", None),
        "index": (f"column '{error.column}' points outside its categories.", "Make the column again."),
    }[error.kind]
    fields: dict[str, Any] = {"column": error.column or None, "query": query, "document": document}
    return DataError(found, file=f"{kind} frame", row=error.row, remedy=remedy, **fields)


# ---------------------------------------------------------------- entries of mappings


def from_mapping(make: Any, mapping: Any, kind: str) -> Any:
    """Calls the kernel on a mapping and turns its error into a ``DataError``.

    Raises:
        DataError: an id that is neither text nor a whole number; a score or grade that is not a number, or NaN.
    """
    try:
        return make(mapping)
    except _native.MappingError as error:
        raise entry_error(error, kind) from None


def entry_error(error: _native.MappingError, kind: str) -> DataError:
    """Returns the error for a bad entry of a mapping, where ``kind`` is ``qrels`` or ``run``."""
    value = value_of(kind)
    ids = f"the %s id is neither text nor a whole number ({error.detail})."
    found, remedy = {
        "nan": (f"the {value} is NaN, which has no place in an order.", None),
        "infinite": (f"the {value} is infinite.", "Give a finite number."),
        "number": (f"the {value} is not a number ({error.detail}).", None),
        "wide": (f"the {value} {WIDE}.", "Subtract a constant, or write it as float."),
        "query": (ids % "query", "Write it as str."),
        "document": (ids % "document", "Write it as str."),
        "surrogates": (
            "the id contains surrogates that stand for no bytes, so it matches nothing.",
            "Write it as text.",
        ),
        "twice": ("the id occurs twice, as text and as a whole number.", "Keep one."),
        "mapping": (f"expected {{document: {value}}} ({error.detail}).", None),
        "changed": (
            "the dictionary, or a number in it, changed while it was read.",
            "Let no other thread write to it.",
        ),
    }.get(error.kind, (f"{error.kind} ({error.detail}).", None))
    nowhere = error.query is None and error.kind in ("changed", "mapping")
    query = None if nowhere else shown(error.query)
    document = shown(error.document) if error.document is not None or error.kind == "document" else None
    names = {"query": query, "document": document}
    where = ", ".join(f"{word} {name}" for word, name in names.items() if name is not None)
    fields: dict[str, Any] = {
        word: name if not isinstance(given, str) else given
        for (word, name), given in zip(names.items(), (error.query, error.document), strict=True)
    }
    return DataError(f"{where}: {found}" if where else found, file=kind, remedy=remedy, **fields)
