"""Reads JSON: one object ``{query: {document: number}}``, or JSON lines, in which each object is a row."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from carob import _native
from carob.inputs.columns import IDS, named_in, names_column
from carob.inputs.decompression import unpacked
from carob.inputs.errors import LINE_NOT_AN_OBJECT, number_error, refused, sentences
from carob.inputs.nested import query_in_two_rows, value_at
from carob.inputs.sources import BYTE_ORDER_MARK, source_of
from carob.output.errors import CarobError, DataError
from carob.output.parsing import is_number, json_in, json_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from carob.inputs.columns import Asked
    from carob.inputs.nested import ColumnRoles

LINE_NOT_JSON = "this is not JSON ({why}): expected an object on each line."


SAMPLED = 1000
"""The number of lines that are searched for the objects' fields."""
BEFORE = re.compile(r"\s*[\[,]\s*")
"""The text before an item in a JSON list."""


def content_in(path: str) -> dict[str, Any] | list[Any]:
    """Reads a file that contains one JSON object, or one list of rows.

    Raises:
        DataError: the file cannot be read, is not JSON, contains a single value or scores that carob computed, or
            contains a query or document twice.
    """
    with sentences(path):
        content = source_of(path).content()
    try:
        found = json_in(content.decode("utf-8-sig"), file=path)
    except UnicodeDecodeError as error:
        raise refused(
            "byte {start} is not valid UTF-8.", "Save the file as UTF-8.", file=path, start=error.start
        ) from None
    except json.JSONDecodeError as error:
        raise refused(
            "this is not JSON ({why}).",
            "Is the file complete? A file with an object on each line must end in .jsonl.",
            file=path,
            line=error.lineno,
            why=error.msg,
        ) from None
    except CarobError:
        raise
    except ValueError as error:
        raise refused("this is not a run or qrels in JSON ({why}).", file=path, why=error) from None
    if not isinstance(found, (dict, list)):
        raise refused(
            "found {value}, expected {{query: {{document: number}}}}, or an object on each line (.jsonl).",
            file=path,
            value="one value",
        )
    if is_record(found):
        raise refused(
            "the file contains scores that carob computed, not judgments or ranked lists.",
            "Pass QRELS and RUNs. Alternatively, for commands that accept scores (compare, best, plan, gate, "
            "correlate), pass only scores, and score the other runs with carob eval -q --format json.",
            file=path,
        )
    return found


def is_record(document: Any) -> bool:
    """Returns whether a JSON document contains scores written by ``carob eval``, with or without ``--record``."""
    return isinstance(document, dict) and {"runs", "measures", "policy"} <= set(document)


def first_objects(path: str, head: bytes) -> list[dict[str, Any]]:
    """Reads the JSON objects on the first lines of a file, one per line.

    Raises:
        DataError: a line is not an object.
    """
    lines = head.split(b"\n")
    found = []
    for number, line in enumerate(lines[:SAMPLED], 1):
        if not line.strip():
            continue
        try:
            value = json_in(line, file=path, line=number)
        except CarobError:
            raise
        except ValueError as error:
            if number == len(lines):
                break  # the head may end within the line
            raise refused(LINE_NOT_JSON, file=path, line=number, why=error) from None
        found.append(object_of(value, line, file=path, line=number))
    return found


def first_objects_of_list(head: bytes) -> list[dict[str, Any]]:
    """Returns the complete objects at the start of a JSON list; an empty list if it contains anything but objects."""
    text, found = head.decode("utf-8", "ignore"), []
    place = 0
    while (start := BEFORE.match(text, place)) is not None:
        try:
            row, place = json.JSONDecoder().raw_decode(text, start.end())
        except (ValueError, RecursionError):
            break  # the head ends within the item, or the item is nested too deeply for a row
        if not isinstance(row, dict):
            return []
        found.append(row)
    return found


def object_of(value: Any, line_read: bytes, **place: Any) -> dict[str, Any]:
    """Returns the value of a line, which must be an object.

    Raises:
        DataError: the value is not an object.
    """
    if not isinstance(value, dict):
        raise refused(*LINE_NOT_AN_OBJECT, **place, found=line_read[:60].decode(errors="replace"))
    return value


def whole_line(path: str, head: bytes) -> bytes:
    """Returns the first bytes of a file, extended to the end of the first line if that line is longer."""
    if b"\n" in head:
        return head
    with sentences(path), unpacked(path) as file:
        return file.readline().removeprefix(BYTE_ORDER_MARK)


def objects_in(files: Iterable[str]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yields the object on each line of the files, preceded by its place.

    Raises:
        DataError: a line is not an object.
    """
    for path in files:
        with sentences(path), unpacked(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                place: dict[str, Any] = {"file": path, "line": number}
                try:
                    value = json_in(line.removeprefix(BYTE_ORDER_MARK), **place)
                except CarobError:
                    raise
                except ValueError as error:
                    raise refused(LINE_NOT_JSON, **place, why=error) from None
                yield place, object_of(value, line, **place)


DEEPEST = 500
"""Maximum nesting depth of a line. Python refuses about 990 levels, Polars 2.1 1,025; 2.0 crashes above 3,000."""
EXACT = 15
"""The number of digits up to which a double represents every whole number exactly."""
AT_ONCE = 2**20
"""The number of bytes that are checked at once."""


def refuse_lines(path: str, plan: ColumnRoles, kind: str) -> None:
    """Refuses lines on which a library would crash, or whose numbers it would read inexactly.

    Raises:
        DataError: the file contains such a line, or cannot be read.
    """
    first = 1
    with sentences(path), unpacked(path) as file:
        while block := file.read(AT_ONCE) + file.readline():
            depth, digits = _native.json_sizes(block)
            if depth > DEEPEST or digits > EXACT:
                for number, line in enumerate(block.split(b"\n"), first):
                    refuse_line(line, {"file": path, "line": number}, plan, kind)
            first += block.count(b"\n")


def refuse_line(line: bytes, place: dict[str, Any], plan: ColumnRoles, kind: str) -> None:
    """Refuses one line.

    Raises:
        DataError: the line is nested too deeply, or contains a number that would be changed by conversion to a double.
    """
    depth, digits = _native.json_sizes(line)
    if depth > DEEPEST:
        raise refused(
            "objects and lists are nested more than {most:,} levels deep, which libraries cannot read.",
            "Remove the line, or write it again.",
            **place,
            most=DEEPEST,
        )
    if digits <= EXACT:
        return
    row = json_or_none(line, **place)  # None on failure, because the library's own error gives the reason
    wide = next((each for each in numbers_in(row, plan) if is_wide(each)), None)
    if wide is not None:
        raise number_error(str(wide), kind, wide=True, **place)


def numbers_in(row: Any, plan: ColumnRoles) -> Iterator[Any]:
    """Yields the scores or grades in an object."""
    names = [name for role, name in plan.inside.items() if role not in IDS]
    records = value_at(row, plan.records) if plan.records is not None and isinstance(row, dict) else [row]
    for each in records if isinstance(records, list) else []:
        for name in names if isinstance(each, dict) else []:
            held = value_at(each, name)
            yield from held if isinstance(held, list) else [held]


def not_a_number(files: Iterable[str], plan: ColumnRoles, kind: str) -> DataError | None:
    """Returns the error for the first score or grade that is text but not a number; None if there is none.

    Libraries name the text, but not its line.

    Args:
        files: files with an object on each line.
        plan: the roles of the columns.
        kind: ``qrels`` or ``run``.
    """
    for place, row in objects_in(files):
        for held in numbers_in(row, plan):
            if isinstance(held, str) and not is_number(held):
                return number_error(held, kind, **place)
    return None


def is_wide(number: Any) -> bool:
    """Returns whether a value is a whole number that no double represents."""
    if not isinstance(number, int):
        return False
    try:
        return int(float(number)) != number
    except OverflowError:
        return True


def is_by_line(path: str, head: bytes, asked: Asked) -> bool:
    """Returns whether a file is JSON lines rather than one object ``{query: {document: number}}`` or ``{query: ids}``.

    Args:
        path: the file.
        head: its first bytes.
        asked: columns' names by role.

    Raises:
        DataError: a key occurs twice in the first object.
    """
    first, _, rest = head.lstrip().partition(b"\n")
    value = json_or_none(first, file=path)
    if not isinstance(value, dict):
        return False
    one = all(isinstance(each, dict) for each in value.values()) or lists_by_query(value, asked)
    return bool(rest.strip()) or not one


def lists_by_query(value: Mapping[str, Any], asked: Asked) -> bool:
    """Returns whether an object is ``{query: ids}`` and none of its keys is a column name."""
    named = {*named_in(asked).values()}
    held = [isinstance(each, list) for each in value.values()]
    also = all(isinstance(each, (list, dict)) for each in value.values())
    return also and any(held) and not any(name in named or names_column(name) for name in value)


def queries_by_line(files: Iterable[str]) -> dict[str, Any]:
    """Returns the ids of each query from files in which every line is an object ``{query: ids}``.

    Raises:
        DataError: a query occurs on two lines, or a line is not an object.
    """
    found: dict[str, Any] = {}
    places: dict[str, Any] = {}
    for place, row in objects_in(files):
        for query, its in row.items():
            if query in found:
                raise query_in_two_rows(query, places[query], place).at(file=place["file"])
            found[query], places[query] = its, place
    return found
