"""Builds the errors for a bad line, row or entry. Each names the fault, its place and a remedy."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, Any

from karat import _native
from karat.inputs.decompression import PackedError, unpacked
from karat.output.errors import DataError, by_policy, worded
from karat.output.escaping import shown
from karat.output.files import own_table

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


def fault(part: str, name: str, **words: Any) -> tuple[str, str | None]:
    """Returns the sentence about a fault, and its remedy if there is one, from ``faults.toml``."""
    detail = words.get("detail", "")
    texts = sentences_of(part).get(name, [f"{name} {detail}.".replace("{", "{{").replace("}", "}}")])
    found, remedy = (*texts, None)[:2]
    before, skip, after = (remedy or "").partition("{skip}")
    skipped = "" if words.get("kind") == "weights" else SKIP
    return found.format(**words, wide=WIDE), worded(before, skipped, after) if skip else remedy


def sentences_of(part: str) -> dict[str, Any]:
    """Returns a part of the sentences in ``faults.toml``."""
    part_of: dict[str, Any] = own_table(__file__, "faults.toml")[part]
    return part_of


@contextmanager
def sentences(name: str, kind: str = "file", files: tuple[str, ...] = ()) -> Iterator[None]:
    """Turns an error while reading ``name`` (a file, several ``files``, a frame or a mapping) into a ``DataError``.

    Raises:
        DataError: in place of the error of the kernel, the operating system or a decompressor.
    """
    try:
        yield
    except _native.LineError as error:
        raise line_error(error, name, kind, files) from None
    except _native.RowError as error:
        raise row_error(error, kind) from None
    except _native.FrameError as error:
        raise DataError(f"The {name} cannot be read: {error}.") from None
    except _native.MappingError as error:
        raise entry_error(error, kind) from None
    except PackedError as error:
        raise DataError(f"{error}.", file=name, remedy=error.remedy) from None
    except OSError as error:
        remedy = near(name) if isinstance(error, FileNotFoundError) else None
        raise DataError(f"{error.strerror or error}.", file=name, remedy=remedy) from None


def near(path: str) -> str:
    """Returns the remedy for a missing file, with the files of similar names in its folder."""
    from difflib import get_close_matches

    folder = os.path.dirname(path)
    if not os.path.isdir(folder or "."):
        return f"Check the path: there is no folder {shown(folder)}."
    stems = {os.path.splitext(each)[0]: each for each in sorted(os.listdir(folder or "."))}
    found = get_close_matches(os.path.splitext(os.path.basename(path))[0], stems, n=3)
    files = " and ".join(f"'{stems[each]}'" for each in sorted(found))
    return f"Check the path: its folder contains {files}." if files else "Check the path."


def scores_as_grades() -> DataError:
    """Returns the error for a run that is given as judgments, in which the scores would be grades."""
    return DataError(
        f"the grades, in column 'score', have fractions: {SWAPPED}",
        column="score",
        remedy="If they are grades, name the column relevance.",
    )


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
        columns, expected = "1 column" if detail == "1" else f"{detail} columns", sentences_of("columns")
        found = f"found {columns}, expected {expected.get(kind, 'others')}: '{excerpt}'."
        return DataError(found, file=file, line=line, remedy=columns_remedy(kind, detail, excerpt))
    if error.kind in ("number", "wide"):
        wide, column = error.kind == "wide", value_of(kind)
        return number_error(detail, kind, f": '{excerpt}'", wide=wide, file=file, line=line, column=column)
    found, remedy = fault("line", error.kind, kind=kind, detail=detail, excerpt=excerpt)
    return DataError(found, file=file, line=line, remedy=remedy)


SKIP = worded(", or skip such lines with ", by_policy("malformed", "skip"))


def columns_remedy(kind: str, count: str, excerpt: str) -> str | None:
    """Returns the remedy for a line with the wrong number of columns, or None if no cause is likely."""
    if kind not in ("qrels", "run"):
        return None
    if count == "1" and ("," in excerpt or excerpt.startswith("{")):
        return str(sentences_of("table")["remedy"])
    many = "6" if count.isdigit() and int(count) > 6 else count
    remedy: str | None = sentences_of("columns_remedy")[kind].get(many)
    return remedy


def number_error(value: str, kind: str, excerpt: str = "", *, wide: bool = False, **place: Any) -> DataError:
    """Returns the error for a field that is not a number, or is a whole number that no double represents.

    Args:
        value: the text.
        kind: ``qrels``, ``run`` or ``weights``.
        excerpt: the line, which follows in the message.
        wide: whether it is a whole number that no double represents.
        place: the fields of the error.
    """
    name = f"'{value}'" if excerpt or "column" not in place else f"'{value}' in column '{place['column']}'"
    if wide:
        remedy: str = f"Subtract a constant from all of them, or write {value}.0 if equal scores may tie."
        return DataError(f"{name} {WIDE}{excerpt}.", remedy=remedy, **place)
    level = LEVEL.fullmatch(value)
    skip = "" if kind == "weights" else SKIP
    remedy = worded("Correct the line", skip, ".") if excerpt else "Correct it."
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
            f"{library} needs another library to convert the {kind} frame ({error}).",
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
    """Returns the first line of an error message, without the full stop."""
    # A PyArrow error may have several arguments.
    several = len(error.args) > 1 and all(isinstance(each, str) for each in error.args)
    said = "; ".join(error.args) if several else str(error)
    return (said.strip().splitlines() or [type(error).__name__])[0].rstrip(".!: ")


def row_error(error: _native.RowError, kind: str) -> DataError:
    """Returns the error for a bad row. Row numbers start at 0, as in frames."""
    query, document = (each.decode(errors="replace") or None for each in (error.query, error.document))
    value = f"query '{query or ''}', document '{document or ''}': the {value_of(kind)}"
    found, remedy = fault("row", error.kind, value=value, column=error.column)
    fields: dict[str, Any] = {"column": error.column or None, "query": query, "document": document}
    return DataError(found, file=f"{kind} frame", row=error.row, remedy=remedy, **fields)


# ---------------------------------------------------------------- entries of mappings


def entry_error(error: _native.MappingError, kind: str) -> DataError:
    """Returns the error for a bad entry of a mapping, where ``kind`` is ``qrels`` or ``run``."""
    value = value_of(kind)
    found, remedy = fault("entry", error.kind, value=value, detail=error.detail)
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
