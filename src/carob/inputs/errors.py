"""The errors for input that cannot be read. The sentences of the errors are in ``faults.toml``."""

from __future__ import annotations

import math
import os
import re
import sys
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

from carob import _native
from carob.inputs.decompression import FREE, RATIO, PackedError, limit_of, unpacked
from carob.output.errors import DataError, MeasureError, Worded, by_policy, worded
from carob.output.escaping import shown
from carob.output.files import own_table
from carob.output.parsing import is_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


SWAPPED = "are qrels and run swapped?"
WIDE = "is a whole number that no double represents exactly, so different {value}s would become equal"
WHOLE = r"[+-]?[0-9]+"
FOR_PEOPLE = r"([+-]?)([0-9.,'’ \u00a0\u202f]*[0-9])\s*([^0-9.,\s][^0-9]{0,11})?"
"""A number as people write it: with marks between thousands, a decimal comma, or a unit."""
THOUSANDS = r"[1-9][0-9]{0,2}([.,][0-9]{3})+"
LEVEL = r"L([0-9]+)"
NO_NUMBERS = ("nan", "inf", "infinity", "null", "none", "na")


def value_of(kind: str) -> str:
    """Returns the word for an entry's number: ``grade`` in qrels, ``score`` in a run."""
    return {"qrels": "grade", "weights": "weight"}.get(kind, "score")


# ---------------------------------------------------------------- lines of text


def refused(fault: str, /, *, part: str = "refused", error: Any = DataError, **words: Any) -> DataError:
    """Returns the error for a fault in a part of ``faults.toml``.

    Args:
        fault: the name of the fault.
        part: the part of the file.
        error: the class of the error.
        words: the words that its sentences need. Words such as ``file`` are also fields of the error.
    """
    from carob.output.language import filled  # only for an error

    skip = "" if words.get("kind") == "weights" else SKIP
    number = value_of(words.get("kind", "run"))
    common = {"fault": fault, "detail": "", "skip": skip, "swapped": SWAPPED, "number": number}
    words = common | {"wide": WIDE.format(value=number)} | words
    known = sentences_of(part)
    # A score is ranked by, which other numbers are not: some faults have a sentence for those.
    chosen = known.get(fault if number == "score" else f"{fault}-unranked", known.get(fault))
    found, *remedy = (filled(each, **words) for each in chosen or ["{fault} {detail}."])
    fields = {each: word for each, word in words.items() if each in DataError.FIELDS}
    return cast("DataError", error(found, **{"remedy": remedy[0] if remedy else None, **fields}))


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


def most_of(files: Iterable[str]) -> int:
    """Returns the bytes that the texts of the rows in Parquet and Arrow files may take.

    A dictionary in such a file holds a text once for all rows, so that a few bytes may stand for any amount of text.
    """
    return max(FREE, RATIO * sum(map(os.path.getsize, files)))


def refuse_written_out(frame: _native.Frame, most: float, before: int = 0) -> int:
    """Returns the bytes that the texts of the rows take, written out, together with those of the rows before.

    Raises:
        DataError: they are more than ``most``.
    """
    size = 0 if most == math.inf else before + frame.written_out
    if size > most:
        raise refused("written-out", ratio=RATIO, limit=limit_of(FREE))
    return size


def near(path: str) -> str:
    """Returns the remedy for a missing file, with the files of similar names in its folder."""
    from difflib import get_close_matches

    if os.path.islink(path):
        return f"It is a symbolic link to {shown(os.readlink(path))}, which does not exist. Correct the link."
    folder = os.path.dirname(path)
    if not os.path.isdir(folder or "."):
        return f"Check the path: there is no folder {shown(folder)}."
    stems = {os.path.splitext(each)[0]: each for each in sorted(os.listdir(folder or "."))}
    found = get_close_matches(os.path.splitext(os.path.basename(path))[0], stems, n=3)
    files = " and ".join(f"'{stems[each]}'" for each in sorted(found))
    return f"Check the path: its folder contains {files}." if files else "Check the path."


def scores_as_grades() -> DataError:
    """Returns the error for a run that is given as judgments, in which the scores would be grades."""
    return refused("scores-as-grades", column="score")


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
    """Returns the error for an invalid line of judgments, of a run or of weights."""
    file, line = line_in(files, error.line) if len(files) > 1 else (name, error.line)
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    words: dict[str, Any] = {"file": file, "line": line, "kind": kind, "detail": detail, "excerpt": excerpt}
    if error.kind == "columns":
        words |= {"count": int(detail), "expected": sentences_of("columns").get(kind, "others")}
        words["remedy"] = columns_remedy(kind, detail, excerpt)
    if error.kind in ("uneven", "mixed", "joined"):
        count, other = map(int, f"{detail} 6".split()[:2])
        words |= {"count": count, "other": other}
        if error.kind != "mixed":
            words["remedy"] = uneven_remedy(joined=error.kind == "joined" or count == 2 * other - 1)
    if error.kind in ("number", "wide"):
        wide, column = error.kind == "wide", value_of(kind)
        return number_error(detail, kind, f": '{excerpt}'", wide=wide, file=file, line=line, column=column)
    return refused(error.kind, part="line", **words)


BY_WORDS, BY_LEVELS = (
    Worded(
        f"carob.Qrels.of(…, words={words})",
        "--grade-words " + ",".join(f"{each}={words[each]}" for each in words),
    )
    for words in ({"Good": 2, "Fair": 1, "Bad": 0}, {"L3": 3, "L2": 2, "L1": 1, "L0": 0})
)
"""What tells carob the numbers of grades in words, and in NTCIR's form."""
SKIP = worded(", or skip such lines with ", by_policy("malformed", "skip"))


def uneven_remedy(*, joined: bool) -> str:
    """Returns the remedy for a line with another number of columns than the first, which may be two lines."""
    known = sentences_of("uneven_remedy")
    start = known["joined" if joined else "other"].format(last="sixth")
    return worded(start, SKIP, known["rule"], by_policy("columns", "trec_eval"), ".")


def columns_remedy(kind: str, count: str, excerpt: str) -> str | None:
    """Returns the remedy for a line with the wrong number of columns, or None if no cause is likely."""
    if kind not in ("qrels", "run"):
        return None
    if count == "1" and ("," in excerpt or excerpt.startswith("{")):
        return str(sentences_of("table")["remedy"])
    fields = excerpt.split("\t" if "\t" in excerpt else None)
    likeness = like_qrels(fields, int(count)) if kind == "qrels" else like_run(fields)
    if likeness == "joined":
        joined: str = sentences_of("uneven_remedy")["joined"]
        return worded(joined.format(last="fourth"), SKIP, ".")
    remedy: str | None = sentences_of("columns_remedy")[kind].get(likeness or count)
    return None if remedy is None else by_tabs(remedy, excerpt)


def like_qrels(fields: list[str], count: int) -> str | None:
    """Returns what a line that should have four columns looks like: two lines, a run, or more columns than needed."""
    second = {7: 3, 8: 4}.get(count, 0)  # where a second line begins, perhaps glued to the grade before it
    if second and len(fields) == count and fields[second + 1] == fields[1] and is_number(fields[-1]):
        return "joined"
    if count > 5 and len(fields) > 4 and fields[3].isdecimal() and is_number(fields[4]):
        return "run"
    if holds_value(fields):
        return "values"
    return "more" if count > 5 else None


def like_run(fields: list[str]) -> str | None:
    """Returns what a line that should have six columns looks like: values of a measure, or a short run."""
    if holds_value(fields):
        return "values"
    if len(fields) == 5 and is_number(fields[3]) and not is_number(fields[4]):
        return "rankless"
    ranked = len(fields) == 4 and fields[2].isdecimal() and not fields[3].isdecimal() and is_number(fields[3])
    return "ranked" if ranked else None


def holds_value(fields: list[str]) -> bool:
    """Returns whether a line has a measure, a query and a value, as trec_eval -q and ir_measures -q print them."""
    name = fields[0].strip() if fields else ""
    return len(fields) == 3 and is_number(fields[2]) and len(name) > 1 and is_measure(name)


def is_measure(name: str) -> bool:
    """Returns whether carob knows a measure of this name."""
    from carob.measures import parse_measure

    try:
        parse_measure(name)
    except MeasureError:
        return False
    return True


def by_tabs(remedy: str, line: str) -> str:
    """Returns a remedy whose command, if any, keeps the blanks within the fields of a line that has tabs."""
    return remedy.replace("awk '", r"awk -F'\t' -v OFS='\t' '") if "\t" in line else remedy


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
    level = re.fullmatch(LEVEL, value) if kind == "qrels" else None
    fault, numbers = ("wide", {}) if wide else for_people(value)
    if level is not None:
        fault, numbers = "level", {"level": level[1]}
    elif not fault and kind == "qrels" and value.isalpha() and value.casefold() not in NO_NUMBERS:
        fault = "word"
    words = {"name": name, "excerpt": excerpt, "value": value, "kind": kind, **numbers, **place}
    fault = fault or ("line" if excerpt else "field")
    return refused(fault, part="number", words=BY_WORDS, levels=BY_LEVELS, **words)


def for_people(text: str) -> tuple[str | None, dict[str, str]]:
    """Returns the fault of a number as people write it, and the number as carob reads it; None for other text.

    Example:
        >>> for_people("1.234,5"), for_people("16,783"), for_people("87 %")
        (('comma', {'plain': '1234.5'}), ('comma-or-thousands', {'plain': '16.783', 'whole': '16783'}), \
('unit', {'plain': '87'}))
    """
    found = re.fullmatch(FOR_PEOPLE, text.strip())
    if found is None:
        return None, {}
    sign, number, unit = found.groups()
    digits = re.sub(r"[^0-9.,]", "", number)
    mark = digits.rstrip("0123456789")[-1:]
    start, _, end = digits.rpartition(mark) if mark else ("", "", digits)
    whole, plain = (sign + re.sub("[.,]", "", start) + each + end for each in ("", "." if mark else ""))
    grouped = re.fullmatch(THOUSANDS, digits) is not None
    if mark in start and mark:  # a mark that occurs twice is not a decimal one
        return ("thousands", {"plain": whole}) if grouped else (None, {})
    if unit:
        return "unit", {"plain": plain}
    if mark == "," and grouped and not re.search("[.,]", start):
        return "comma-or-thousands", {"plain": plain, "whole": whole}
    return "comma" if mark == "," else "thousands", {"plain": plain}


# ---------------------------------------------------------------- rows of frames

UNREADABLE = (TypeError, ValueError, ArithmeticError, LookupError, RuntimeError, OSError, ImportError)


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
    except BaseException as error:
        if isinstance(error, ImportError) and "pyarrow" in str(error):
            raise refused("no-pyarrow", library=library, kind=kind) from None
        # Each library has its own error class for a column that cannot be cast or a query that fails.
        builtin = type(error).__module__.partition(".")[0] == "builtins"
        its = isinstance(error, Exception) and library in sys.modules and not builtin
        if not (its or isinstance(error, UNREADABLE) or is_panic(error)):
            raise
        raise DataError(f"The {kind} frame from {library} cannot be read: {first_line(error)}.") from None


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
    fields: dict[str, Any] = {"column": error.column or None, "query": query, "document": document}
    return refused(
        error.kind, part="row", file=f"{kind} frame", kind=kind, row=error.row, value=value, **fields
    )


# ---------------------------------------------------------------- entries of mappings


def entry_error(error: _native.MappingError, kind: str) -> DataError:
    """Returns the error for a bad entry of a mapping, where ``kind`` is ``qrels`` or ``run``."""
    given = {"query": error.query, "document": error.document}
    optional = {"query": error.kind in ("changed", "mapping"), "document": error.kind != "document"}
    named = {word: shown(each) for word, each in given.items() if each is not None or not optional[word]}
    where = ", ".join(f"{word} {name}" for word, name in named.items())
    fields: dict[str, Any] = {
        word: each if isinstance(each, str) else named.get(word) for word, each in given.items()
    }
    words = {"where": where and f"{where}: ", "value": value_of(kind), "detail": error.detail, "kind": kind}
    return refused(error.kind, part="entry", file=kind, **words, **fields)
