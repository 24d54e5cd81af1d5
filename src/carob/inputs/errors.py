"""The errors for input that cannot be read: what was found, where, and what to do about it."""

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
from carob.output.errors import DataError, MeasureError, NothingError, Worded, by_policy, by_reading, worded
from carob.output.escaping import shown
from carob.output.language import filled
from carob.output.parsing import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ONE_NAME = "{count} runs are called '{name}': give each run a different name, as in {example}."
CARRIAGE_RETURN = (
    "the line contains a carriage return, so the file may use carriage returns alone as line endings. End each line "
    "with a line feed."
)
NOT_UTF_8 = (
    "the file is not UTF-8 text. If it comes from a spreadsheet, it may be Windows-1252 or Latin-1: save "
    "it as 'CSV UTF-8', or convert it (iconv -f WINDOWS-1252 -t UTF-8). Otherwise, its name may have the wrong "
    "extension."
)
LINE_NOT_AN_OBJECT = ("the line is not a JSON object: '{found}'.", "Write one object on each line.")
NO_RUNS = (
    "No run was given: the {what} is empty.",
    "Pass {{query: {{document: score}}}}, a path, a frame, or several of them as {{name: run}}.",
)
DRAWN_TWICE = (
    "document '{document}' is listed twice for query '{query}'.",
    "Write one row for each document of the sample.",
)
SAMPLE_BY_SUBTOPIC = (
    "these judgments are a sample, from which measures by subtopic cannot be estimated.",
    "Choose another measure, such as DCG@10.",
)


SWAPPED = "are qrels and run swapped?"
ANSWERS_NAMED = (
    "Write each answer under its query id, {{query: answer}}, or write one line per answer that also contains the id, "
    '{{"query": …, "response": answer}}.'
)
"""The remedy for answers of a search engine without query ids, with doubled braces as ``refused`` expects."""
WIDE = "is a whole number that no double represents exactly, so different {value}s would become equal"
COLUMNS = {
    "qrels": "4 (query, iteration, document, grade)",
    "run": "at least 6 (query, iteration, document, rank, score, tag)",
    "weights": "2 (query, weight)",
}
"""The number and the names of the columns in each kind of line."""
COLUMNS_ADVICE = {
    "qrels": {
        "run": "This looks like a run: are qrels and run swapped?",
        "values": "These look like per-query scores, not judgments. Pass them to carob compare or carob gate.",
        "five": (
            "Files of judgment groups and of preferences have five columns: use carob trec-eval -R qrels_jg "
            "or -R prefs. "
        ),
        "last": "If the fifth column is not part of the judgment, remove it: awk '{print $1, $2, $3, $4}'. ",
        "more": "Remove the columns after the grade: awk '{print $1, $2, $3, $4}'. ",
        "middle": (
            "If the last column is the grade, keep it and the document: awk '{print $1, $2, $3, $NF}' if the document "
            "is the third column, or awk '{print $1, $2, $(NF-1), $NF}' if it is the last but one. "
        ),
        "3": "If the second column is missing, insert it: awk '{print $1, 0, $2, $3}'. ",
        "gradeless": "If the grade is missing, and all documents are relevant, add it: awk '{print $0, 1}'. ",
        "2": "If the two columns are the query and a relevant document, add the other columns: awk "
        "'{print $1, 0, $2, 1}'.",
    },
    "run": {
        "values": "These look like per-query scores, not a run. Pass them to carob compare or carob gate.",
        "3": (
            'Add the other columns. If the third column is a score: awk \'{print $1, "Q0", $2, 0, $3, "run"}\'; if '
            'it is a rank: awk \'{print $1, "Q0", $2, $3, -$3, "run"}\'.'
        ),
        "ranked": (
            "If the columns are query, document, rank and score, add the others: awk "
            '\'{print $1, "Q0", $2, $3, $4, "run"}\'.'
        ),
        "5": "Write the run's name at the end of each line: awk '{print $0, \"run\"}'.",
        "rankless": (
            "If the columns are query, iteration, document, score and tag, insert the rank: awk "
            "'{print $1, $2, $3, 0, $4, $5}'."
        ),
        "scoreless": (
            "If the columns are query, iteration, document, rank and tag, add a score that decreases from rank to "
            "rank: awk "
            "'{print $1, $2, $3, $4, -$4, $5}'."
        ),
        "uniterated": (
            "If the columns are query, document, rank, score and tag, insert the iteration: awk "
            "'{print $1, \"Q0\", $2, $3, $4, $5}'."
        ),
        "4": (
            "This looks like qrels: are qrels and run swapped? To compare judgments, use carob difference "
            "A.QRELS B.QRELS MEASURE RUN or carob agreement."
        ),
    },
}
"""The remedy for a line with the wrong number of columns, by the number of columns or by what the line resembles."""
JOINED = (
    "This may be two lines, from a file without a final newline that was concatenated with another: break the line "
    "after its {last} column"
)
LINE_FAULTS = {
    "columns": ("found {count:column}, expected {expected}: '{excerpt}'.",),
    "uneven": ("found {count:column}, but the first line has {other}: '{excerpt}'.",),
    "joined": ("found {count:column}, as in two lines without a newline between them: '{excerpt}'.",),
    "mark": (
        "the line begins with a byte order mark, as if two files had been joined: '{excerpt}'.",
        "Remove the mark (U+FEFF){skip}.",
    ),
    "mixed": (
        (
            "the line contains both tabs and spaces: its tabs alone separate {count:column}, and tabs and spaces "
            "together separate {other}: '{excerpt}'."
        ),
        "Separate all columns by tabs, or all by spaces.",
    ),
    "nan": (
        "the score is NaN, which cannot be ranked: '{excerpt}'.",
        "Correct the system that wrote it{skip}.",
    ),
    "nan-unranked": ("the {number} is NaN: '{excerpt}'.", "Use a number."),
    "rank": (
        "'{detail}' in the rank column is not a whole number: '{excerpt}'.",
        "Write a whole number, or choose another rule for ties.",
    ),
    "nul": (
        (
            "the line contains a NUL byte, at which tools such as trec_eval stop reading: '{excerpt}'. Is the file "
            "complete?"
        ),
        "Correct the line{skip}.",
    ),
    "too-long": (
        "the line is longer than a mebibyte, so the file is probably not a text file with {kind}: '{excerpt}'.",
    ),
    "blank": ("the line is blank, which this format does not allow.", "Remove it."),
    "utf-16": ("the text is UTF-16.", "Save it as UTF-8."),
    "compressed": ("the content is compressed twice, or in an unknown format.", "Unpack it first."),
}
"""The fault in a line of text and its remedy, by the kernel's word for the fault."""
BELOW_ZERO = (
    "column '{column}' contains a negative rank.",
    "If the values are scores, name the column as the score: {scores}.",
)
ROW_FAULTS = {
    "row": ("the row is null.", "Leave such rows out."),
    "row-unranked": ("the row is null.", "Fill it in."),
    "null": ("column '{column}' is null.", "Fill in a value, or leave such rows out."),
    "null-unranked": ("column '{column}' is null.", "Fill in a value."),
    "nan": ("{value} is NaN, which cannot be ranked.",),
    "nan-unranked": ("{value} is NaN.", "Use a number."),
    "infinite": ("{value} is infinite.", "Use a finite number."),
    "wide": ("{value} {wide}.", "Subtract a constant from the column, or cast it to double."),
    "wide-unranked": ("{value} {wide}.", "Correct it, or cast the column to double."),
    "offsets": (
        "the text of column '{column}' refers to memory outside its buffer: the frame or its file is damaged.",
        "Create it again.",
    ),
    "rank": ("column '{column}' contains a rank that is not a whole number.",),
    "below zero": BELOW_ZERO,
    "index": (
        "a value of column '{column}' refers to a category that does not exist.",
        "Create the column again.",
    ),
}
"""The faults in a row of a frame and their remedies."""
ENTRY_FAULTS = {
    "nan": ("{where}the {value} is NaN, which cannot be ranked.",),
    "nan-unranked": ("{where}the {value} is NaN.", "Use a number."),
    "infinite": ("{where}the {value} is infinite.", "Use a finite number."),
    "number": ("{where}the {value} is not a number ({detail}).",),
    "wide": ("{where}the {value} {wide}.", "Subtract a constant from all scores, or convert them to float."),
    "wide-unranked": ("{where}the {value} {wide}.", "Correct it, or convert it to float."),
    "query": ("{where}the query id is neither text nor a whole number ({detail}).", "Convert the id to str."),
    "document": (
        "{where}the document id is neither text nor a whole number ({detail}).",
        "Convert the id to str.",
    ),
    "surrogates": (
        "{where}the id contains surrogates, which cannot be encoded as bytes, so the id matches nothing.",
        "Write it as text.",
    ),
    "twice": ("{where}the id occurs twice, as text and as a whole number.", "Keep one of the two."),
    "mapping": ("{where}expected {{document: {value}}} ({detail}).",),
    "changed": (
        "{where}the dictionary, or a number in it, changed while it was read.",
        "Do not let other threads change it.",
    ),
}
"""The faults in an entry of a dictionary and their remedies."""
NUMBER_FAULTS = {
    "wide": (
        "{name} {wide}{excerpt}.",
        "Subtract a constant from all scores, or write {value}.0 if ties are acceptable.",
    ),
    "wide-unranked": ("{name} {wide}{excerpt}.", "Correct it, or write {value}.0 to have it rounded."),
    "comma": (
        "{name} is not a number{excerpt}.",
        "The number has a decimal comma: write {plain}. If a point separates thousands, remove it: 1234 for 1.234.",
    ),
    "comma-or-thousands": (
        "{name} is not a number{excerpt}.",
        "The comma is a thousands separator or a decimal comma: write {whole} or {plain}.",
    ),
    "thousands": (
        "{name} is not a number{excerpt}.",
        "Remove the thousands separators: write {plain}.",
    ),
    "unit": ("{name} is not a number{excerpt}.", "Remove the sign or unit from every line: write {plain}."),
    "level": (
        "{name} is not a number{excerpt}.",
        "The field is a level in NTCIR's form: write {level}, or specify a number for each level, as in {levels}.",
    ),
    "word": (
        "{name} is not a number{excerpt}.",
        (
            "The field is a word: write a number instead, such as 2 for good, 1 for fair and 0 for bad, or specify a "
            "number for each word, as in {words}."
        ),
    ),
    "line": ("{name} is not a number{excerpt}.", "Correct the line{skip}."),
    "field": ("{name} is not a number{excerpt}.", "Correct it."),
}
"""The faults in a field that is not a number, or is a whole number that no double represents, and their remedies."""
WHOLE = r"[+-]?[0-9]+"
FOR_PEOPLE = r"([+-]?)([0-9.,'’ \u00a0\u202f]*[0-9])\s*([^0-9.,\s][^0-9]{0,11})?"
"""A number as people write it: with thousands separators, a decimal comma or a unit."""
THOUSANDS = r"[1-9][0-9]{0,2}([.,][0-9]{3})+"
LEVEL = r"L([0-9]+)"
NO_NUMBERS = ("nan", "inf", "infinity", "null", "none", "na")


def value_of(kind: str) -> str:
    """Returns the word for an entry's number: ``grade`` in qrels, ``score`` in a run."""
    return {"qrels": "grade", "weights": "weight"}.get(kind, "score")


# ---------------------------------------------------------------- lines of text


def refused(found: str, advice: str | None = None, /, *, error: Any = DataError, **words: Any) -> DataError:
    """Returns the error for input that cannot be read.

    Args:
        found: the sentence about what was found, with placeholders in braces.
        advice: how to correct the input, also with placeholders; not used if ``words`` contains ``remedy``.
        error: the class of the error.
        words: the values of the placeholders. Some of them, such as ``file``, are also fields of the error.
    """
    fields = {each: word for each, word in words.items() if each in DataError.FIELDS}
    remedy = None if advice is None else filled(advice, **words)
    return cast("DataError", error(filled(found, **words), **{"remedy": remedy, **fields}))


def fault_of(faults: Mapping[str, Sequence[str]], fault: str, **words: Any) -> DataError:
    """Returns the error for a fault that the kernel found. ``fault`` is the kernel's word for it.

    Only scores are used for ranking. For other numbers, some faults have a different message (``-unranked``).
    """
    number = value_of(words.get("kind", "run"))
    skip = "" if words.get("kind") == "weights" else SKIP
    common = {"fault": fault, "detail": "", "skip": skip, "number": number, "wide": WIDE.format(value=number)}
    known = faults.get(fault if number == "score" else f"{fault}-unranked", faults.get(fault))
    return refused(*known or ["{fault} {detail}."], **common | words)


@contextmanager
def sentences(name: str, kind: str = "file", files: tuple[str, ...] = ()) -> Iterator[None]:
    """Turns an error while reading ``name`` (a file, several ``files``, a frame or a mapping) into a ``DataError``.

    Raises:
        DataError: the kernel, the operating system or a decompressor raised an error.
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
    """Returns the maximum number of bytes that the texts in the rows of Parquet and Arrow files may take in memory.

    Dictionary encoding stores a text only once for many rows, so a few bytes in a file may stand for any amount of
    text.
    """
    return max(FREE, RATIO * sum(map(os.path.getsize, files)))


def refuse_written_out(frame: _native.Frame, most: float, before: int = 0) -> int:
    """Returns ``before`` plus the number of bytes that the texts of the rows take when they are written out.

    Raises:
        DataError: the sum is greater than ``most``.
    """
    size = 0 if most == math.inf else before + frame.written_out
    if size > most:
        raise refused(
            "the ids of its rows, when expanded, take more than {ratio} times the size of the file and more than "
            "{limit}, which is implausible for a run.",
            "If the size is correct, pass the rows as plain text.",
            ratio=RATIO,
            limit=limit_of(FREE),
        )
    return size


def near(path: str) -> str:
    """Returns the remedy for a missing file. It names files in the same folder with similar names, if there are any."""
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


def nothing(name: str, why: str) -> DataError:
    """Returns the error for input that contains no judgments."""
    return refused("there are no judgments: {why}", error=NothingError, file=name, why=why)


def scores_as_grades() -> DataError:
    """Returns the error for a run that is passed as judgments, so its scores would be read as grades."""
    return refused(
        "the grades, in column 'score', have fractions: are qrels and run swapped?",
        "If they are grades, name the column 'relevance'.",
        column="score",
    )


def line_in(files: tuple[str, ...], line: int) -> tuple[str, int]:
    """Returns the file and the line number within it for a line number that continues across files."""
    for path in files[:-1]:
        count = 0
        with unpacked(path) as file:
            for count, _ in enumerate(file, 1):
                if count == line:
                    return path, line
        line -= count
    return files[-1], line


def skipped_all(name: str, lines: int, read_strictly: Callable[[], object]) -> DataError:
    """Returns the error for a text in which every line was skipped. It includes the fault of the first line.

    Args:
        name: the text.
        lines: the number of lines in the text.
        read_strictly: reads the text without skipping lines.
    """
    first: str = "Check the first line."
    try:
        read_strictly()
    except DataError as fault:
        first = worded("The error in the first line: ", fault.said)
    skip = Worded("malformed=skip", "--lenient")
    return refused("{skip} skipped all {lines:,} lines.", file=name, lines=lines, skip=skip, remedy=first)


def line_error(error: _native.LineError, name: str, kind: str, files: tuple[str, ...]) -> DataError:
    """Returns the error for an invalid line of qrels, of a run or of weights."""
    file, line = line_in(files, error.line) if len(files) > 1 else (name, error.line)
    detail, excerpt = error.detail.decode(errors="replace"), error.excerpt.decode(errors="replace")
    words: dict[str, Any] = {"file": file, "line": line, "kind": kind, "detail": detail, "excerpt": excerpt}
    if error.kind == "columns":
        words |= {"count": int(detail), "expected": COLUMNS.get(kind, "others")}
        words["remedy"] = columns_remedy(kind, detail, excerpt, first=error.data_line == 1)
    if error.kind in ("uneven", "mixed", "joined"):
        count, other = map(int, f"{detail} 6".split()[:2])
        words |= {"count": count, "other": other}
        if error.kind != "mixed":
            words["remedy"] = uneven_remedy(joined=error.kind == "joined" or count == 2 * other - 1)
    if error.kind in ("number", "wide"):
        wide, column = error.kind == "wide", value_of(kind)
        return number_error(detail, kind, f": '{excerpt}'", wide=wide, file=file, line=line, column=column)
    return fault_of(LINE_FAULTS, error.kind, **words)


BY_WORDS, BY_LEVELS = (
    Worded(
        f"carob.Qrels.of(…, words={words})",
        "--grade-words " + ",".join(f"{each}={words[each]}" for each in words),
    )
    for words in ({"Good": 2, "Fair": 1, "Bad": 0}, {"L3": 3, "L2": 2, "L1": 1, "L0": 0})
)
"""Examples of the option that maps grades in words to numbers: English words, and NTCIR's ``L0`` to ``L3``."""
SKIP = worded(", or skip such lines with ", by_policy("malformed", "skip"))


def uneven_remedy(*, joined: bool) -> str:
    """Returns the remedy for a line with more or fewer columns than the first. Two lines may have been joined."""
    start = JOINED.format(last="sixth") if joined else "Correct the line"
    return worded(
        start,
        SKIP,
        ". To ignore everything after the sixth column, as trec_eval does, choose ",
        by_policy("columns", "trec_eval"),
        ".",
    )


def columns_remedy(kind: str, count: str, excerpt: str, *, first: bool = True) -> str | None:
    """Returns the remedy for a line with the wrong number of columns, or None if no cause is likely.

    Args:
        kind: ``qrels``, ``run`` or ``weights``.
        count: the number of columns.
        excerpt: the line.
        first: whether no earlier line has the right number of columns. If one does, the remedy must not suggest a
            command that changes every line, since it would damage the correct lines.
    """
    if kind not in ("qrels", "run"):
        return None
    if count == "1" and ("," in excerpt or excerpt.startswith("{")):
        return (
            "This looks like CSV or JSON, but bytes and streams are read as TREC text: pass the path of a "
            "file that ends in .csv or .jsonl, or a data frame."
        )
    fields = excerpt.split("\t" if "\t" in excerpt else None)
    likeness = like_qrels(fields, int(count)) if kind == "qrels" else like_run(fields)
    if likeness == "joined":
        return worded(JOINED.format(last="fourth"), SKIP, ".")
    if not first:
        return worded("Correct the line", SKIP, ".")
    known = COLUMNS_ADVICE[kind]
    remedy = known.get(likeness or count)
    if likeness == "other":
        remedy = "".join(known[each] for each in four_of(fields, int(count))).rstrip() or None
    return None if remedy is None else by_tabs(remedy, excerpt)


def like_qrels(fields: list[str], count: int) -> str | None:
    """Returns what a qrels line without four columns resembles, such as two joined lines or a line of a run."""
    second = {7: 3, 8: 4}.get(count, 0)  # where a second line begins, perhaps after a joined grade
    if second and len(fields) == count and fields[second + 1] == fields[1] and is_number(fields[-1]):
        return "joined"
    if count > 5 and len(fields) > 4 and fields[3].isdecimal() and is_number(fields[4]):
        return "run"
    if holds_value(fields):
        return "values"
    return None if count < 3 else "other"


def four_of(fields: list[str], count: int) -> Iterator[str]:
    """Yields keys of advice for a line without four columns. The suggested commands write lines that have a grade."""
    if count == 3:
        iteration = fields[1:2] in (["0"], ["Q0"])
        if not iteration:
            yield "3"
        if iteration or not is_number(fields[-1]):
            yield "gradeless"
        return
    if count == 5:
        yield "five"
    if len(fields) > 3 and is_number(fields[3]):
        yield "last" if count == 5 else "more"
    if len(fields) == count and is_number(fields[-1]):
        yield "middle"


def like_run(fields: list[str]) -> str | None:
    """Returns what a run line without six columns resembles: values of a measure, or a run with missing columns."""
    if holds_value(fields):
        return "values"
    if len(fields) in (3, 5) and not is_number(fields[-1]):
        if len(fields) == 3 or not is_number(fields[3]):
            return "unscored"
        if fields[1] not in ("Q0", "q0", "0") and fields[2].isdecimal():
            return "uniterated"
        return "scoreless" if fields[3].isdecimal() else "rankless"
    ranked = len(fields) == 4 and fields[2].isdecimal() and not fields[3].isdecimal() and is_number(fields[3])
    return "ranked" if ranked else None


def holds_value(fields: list[str]) -> bool:
    """Returns whether a line contains a measure, a query and a value, as printed by trec_eval -q and ir_measures -q."""
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
    """Returns the remedy. If the line contains tabs, the command in it splits at tabs, to keep spaces within fields."""
    return remedy.replace("awk '", r"awk -F'\t' -v OFS='\t' '") if "\t" in line else remedy


def number_error(value: str, kind: str, excerpt: str = "", *, wide: bool = False, **place: Any) -> DataError:
    """Returns the error for a field that is not a number, or is a whole number that no double represents.

    Args:
        value: the text.
        kind: ``qrels``, ``run`` or ``weights``.
        excerpt: the line, which the message quotes after the fault.
        wide: whether the text is a whole number that no double represents.
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
    return fault_of(NUMBER_FAULTS, fault, words=BY_WORDS, levels=BY_LEVELS, **words)


def for_people(text: str) -> tuple[str | None, dict[str, str]]:
    """Returns the fault in a number written for people, and the number in carob's notation; None for other text.

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
    if mark in start and mark:  # a separator that occurs twice is not a decimal separator
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
    """Turns a library's error about a frame into a ``DataError``. Only one thread at a time may use a connection."""
    try:
        with TURN if library in IN_TURN else nullcontext():
            yield
    except DataError:
        raise
    except BaseException as error:
        if isinstance(error, ImportError) and "pyarrow" in str(error):
            raise refused(
                "{library} needs PyArrow to convert the {kind} frame, and PyArrow is missing or too old.",
                "Run pip install --upgrade pyarrow.",
                library=library,
                kind=kind,
            ) from None
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


def as_scores(column: object) -> Worded:
    """Returns the option that declares a column as scores, even if its name suggests ranks."""
    return by_reading("run", score=f"{column}!")


def row_error(error: _native.RowError, kind: str) -> DataError:
    """Returns the error for a bad row. Row numbers start at 0, as in frames."""
    query, document = (each.decode(errors="replace") or None for each in (error.query, error.document))
    value = f"query '{query or ''}', document '{document or ''}': the {value_of(kind)}"
    fields: dict[str, Any] = {"column": error.column or None, "query": query, "document": document}
    fields["scores"] = as_scores(error.column)
    return fault_of(
        ROW_FAULTS, error.kind, file=f"{kind} frame", kind=kind, row=error.row, value=value, **fields
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
    return fault_of(ENTRY_FAULTS, error.kind, file=kind, **words, **fields)
