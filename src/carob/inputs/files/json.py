"""Reads JSON: one object ``{query: {document: number}}``, or JSON lines, in which each object is a row."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable
from itertools import chain
from numbers import Number, Real
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob.inputs.columns import DRAW, IDS, NUMBER, constant_in, named_in, names_column, plain_name, usual
from carob.inputs.decompression import unpacked
from carob.inputs.dicts import ByPosition, WithScores
from carob.inputs.errors import (
    BELOW_ZERO,
    DRAWN_TWICE,
    LINE_NOT_AN_OBJECT,
    NO_RUNS,
    as_scores,
    nothing,
    number_error,
    refused,
    scores_as_grades,
    sentences,
)
from carob.inputs.ids import is_padding, lists_nothing_but_padding, odd_list, unpadded
from carob.inputs.nested import (
    SCORES,
    ColumnRoles,
    Inner,
    field_path,
    lists_documents,
    plan_of,
    query_in_two_rows,
    shapes_of,
    value_at,
)
from carob.inputs.sources import BYTE_ORDER_MARK, source_of
from carob.output.errors import CarobError, DataError, by_reading
from carob.output.parsing import json_in, json_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from carob.inputs.columns import Asked

LINE_NOT_JSON = "this is not JSON ({why}): expected an object on each line."


SAMPLED = 1000
"""Lines that are searched for the objects' fields."""


def content_in(path: str) -> dict[str, Any] | list[Any]:
    """Reads a file that contains one JSON object, or one list of rows.

    Raises:
        DataError: an unreadable file, a file that is not JSON, one value, scores, or a query or document that occurs
            twice.
    """
    with sentences(path):
        content = source_of(path).content()
    try:
        found = json_in(content.decode("utf-8-sig"), file=path)
    except UnicodeDecodeError as error:
        raise refused(
            "byte {start} is not text in UTF-8.", "Save the file as UTF-8.", file=path, start=error.start
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
            "Pass QRELS and RUNs; or, where carob reads scores (compare, best, plan, gate, correlate), pass only "
            "scores, and score the other runs with carob eval -q --format json.",
            file=path,
        )
    return found


def is_record(document: Any) -> bool:
    """Returns whether a JSON document holds scores, as ``carob eval`` writes them with or without ``--record``."""
    return isinstance(document, dict) and {"runs", "measures", "policy"} <= set(document)


def first_objects(path: str, head: bytes) -> list[dict[str, Any]]:
    """Reads the objects on the first lines.

    Raises:
        DataError: a line that is not an object.
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
                break  # the head may end within it
            raise refused(LINE_NOT_JSON, file=path, line=number, why=error) from None
        found.append(object_of(value, line, file=path, line=number))
    return found


def object_of(value: Any, line_read: bytes, **place: Any) -> dict[str, Any]:
    """Returns the value of a line, which must be an object.

    Raises:
        DataError: it is not.
    """
    if not isinstance(value, dict):
        raise refused(*LINE_NOT_AN_OBJECT, **place, found=line_read[:60].decode(errors="replace"))
    return value


def whole_line(path: str, head: bytes) -> bytes:
    """Returns the first bytes of a file, with the whole of a first line that is longer."""
    if b"\n" in head:
        return head
    with sentences(path), unpacked(path) as file:
        return file.readline().removeprefix(BYTE_ORDER_MARK)


def objects_in(files: Iterable[str]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yields the object on each line of files, after its place.

    Raises:
        DataError: a line that is not an object.
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
"""Levels of objects and lists in a line; Python refuses about 990, Polars 2.1 1,025; 2.0 crashes above 3,000."""
EXACT = 15
"""Digits of whole numbers that a double always holds."""
AT_ONCE = 2**20
"""Bytes that are checked at once."""


def refuse_lines(path: str, plan: ColumnRoles, kind: str) -> None:
    """Refuses lines on which a library would crash, or whose numbers it would read inexactly.

    Raises:
        DataError: the file has such a line, or is unreadable.
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
        DataError: it is nested too deeply, or holds a number that would change.
    """
    depth, digits = _native.json_sizes(line)
    if depth > DEEPEST:
        raise refused(
            "objects and lists are nested deeper than {most:,} levels, which no library reads.",
            "Remove the line, or write it again.",
            **place,
            most=DEEPEST,
        )
    if digits <= EXACT:
        return
    row = json_or_none(line, **place)  # None, because the library's error gives the reason
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


def is_wide(number: Any) -> bool:
    """Returns whether a value is a whole number that no double represents."""
    if not isinstance(number, int):
        return False
    try:
        return int(float(number)) != number
    except OverflowError:
        return True


def is_by_line(path: str, head: bytes, asked: Asked) -> bool:
    """Returns whether the file is JSON lines, not one object ``{query: {document: number}}`` or ``{query: ids}``.

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
    """Returns whether an object is ``{query: ids}``, and none of its keys is the name of a column."""
    named = {*named_in(asked).values()}
    held = [isinstance(each, list) for each in value.values()]
    also = all(isinstance(each, (list, dict)) for each in value.values())
    return also and any(held) and not any(name in named or names_column(name) for name in value)


def queries_by_line(files: Iterable[str]) -> dict[str, Any]:
    """Returns the ids of each query in files whose lines are objects ``{query: ids}``.

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


def mapping_of_rows(rows: Sequence[Any], kind: str, asked: Asked) -> dict[Any, dict[Any, Any]]:
    """Returns the rows as ``{query: {document: number}}``. Queries without ids are numbered from 1.

    Args:
        rows: the rows.
        kind: ``qrels`` or ``run``.
        asked: columns' names by role; None looks for a usual name, and a number is the grade of every document.

    Raises:
        DataError: a row that is not a dict, ambiguous columns, a document that occurs twice for one query.
    """
    if not rows and kind == "qrels":
        raise nothing("qrels", "the list is empty.")
    if not rows:
        raise refused(*NO_RUNS, what="list")
    odd = next((number for number, each in enumerate(rows) if not isinstance(each, dict)), None)
    if odd is not None:
        raise refused(
            "found {type}, expected a dict such as {{'query_id': …, 'doc_id': …, …}}.",
            "Lists of ids alone are for carob.evaluate_ids.",
            file=kind,
            row=odd,
            type=type(rows[odd]).__name__,
        )
    fields = shapes_of(rows)
    wanted = dict(asked)
    listing = lists_documents([name for name, shape in fields.items() if shape == "list"], kind)
    unnamed = not (wanted.get("query") or usual(list(fields), "query") or "id" in map(plain_name, fields))
    if listing and unnamed:
        rows = [{**each, NUMBER: str(number)} for number, each in enumerate(rows, 1)]
        fields, wanted["query"] = {**fields, NUMBER: "one"}, NUMBER
    return mapping_by(plan_of(fields, kind, wanted), rows, kind, asked)


def mapping_by(
    plan: ColumnRoles, rows: Iterable[Any], kind: str, asked: Asked, places: Sequence[Any] | None = None
) -> dict[Any, dict[Any, Any]]:
    """Returns the rows as ``{query: {document: number}}``, from columns that are known.

    Args:
        plan: the columns.
        rows: the rows.
        kind: ``qrels`` or ``run``.
        asked: as the caller named the columns.
        places: the place of each row so far; by default its number.

    Raises:
        DataError: an unusable value, a query with two rows of lists, a document that occurs twice in a query.
    """
    constant = 1.0 if plan.relevant and constant_in(asked) is None else constant_in(asked)
    made = ByPosition if plan.columns["query"] == NUMBER else WithScores
    found: dict[Any, dict[Any, Any]] = made() if "score" in plan.columns else {}
    rows_of_query: dict[Any, int] = {}
    for number, fields_of_row in enumerate(rows):
        row = Row(fields_of_row, kind, number)
        query = row.one(plan.columns["query"])
        first = rows_of_query.setdefault(query, number) if plan.nested else number
        if first != number:
            both = [{"row": each} if places is None else places[each] for each in (first, number)]
            raise query_in_two_rows(query, *both).at(file=kind)
        its = found.setdefault(query, {})
        held = list(documents(row, plan, constant))
        if kind == "qrels" and not held and row.listed(plan.documents):
            raise lists_nothing_but_padding(query, plan.documents).at(file=kind, row=number)
        for document, value in held:
            if is_padding(document):
                raise row.refused(
                    "document -1 pads a list of fewer documents, as in faiss.",
                    "Leave it out (ids[ids >= 0]); carob.tensors.evaluate_topk takes such arrays as they are.",
                    document="-1",
                    query=str(query),
                )
            if document in its:
                ids = {"query": str(query), "document": str(document)}
                if "probability" in plan.columns:
                    raise row.refused(*DRAWN_TWICE, **ids)
                raise row.refused(
                    "document {id!r} occurs twice for query {of!r}.",
                    "Remove one.",
                    **ids,
                    id=document,
                    of=query,
                )
            its[document] = value
    unnamed = constant is None and asked.get("grade") is None
    guessed = unnamed and plain_name(plan.columns.get("grade", "")) in SCORES
    numbers = chain(*map(dict.values, found.values())) if guessed else ()
    if any(isinstance(each, Real) and each % 1 != 0 for each in numbers):
        raise scores_as_grades()
    return found


@dataclass(frozen=True)
class Row:
    """A row of qrels or a run.

    Args:
        fields: the values by name.
        kind: ``qrels`` or ``run``.
        number: the number of the row, from 0.
    """

    fields: Mapping[str, Any]
    kind: str
    number: int

    def refused(
        self, found: str, advice: str | None = None, /, column: str | None = None, **words: Any
    ) -> DataError:
        """Returns an error about the row, or about a field of it."""
        return refused(found, advice, file=self.kind, row=self.number, column=column, **words)

    def wrong(self, found: Any, name: str, expected: str) -> DataError:
        """Returns the error for a value of the wrong type."""
        return self.refused(
            "'{column}' is {found}, expected {expected}.",
            "Correct it.",
            column=name,
            found=f"{type(found).__name__} {found!r:.60}",
            expected=expected,
        )

    def field(self, name: str) -> Any:
        """Returns the value of a field.

        Raises:
            DataError: the field is missing.
        """
        found = value_at(self.fields, name)
        if found is None and self.failed(name):
            raise self.refused(
                "this answer is an error of the server, without '{column}'.",
                "Write [] there to count it as an empty list, or remove the answer.",
                column=name,
            )
        if found is None:
            raise self.refused("'{column}' is missing or None.", "Fill it.", column=name)
        return found

    def lacks(self, name: str) -> bool:
        """Returns whether a field is missing, and not because the server failed."""
        return value_at(self.fields, name) is None and not self.failed(name)

    def failed(self, name: str) -> bool:
        """Returns whether an object around a missing field holds an error in its place, as search engines answer."""
        path = field_path(name)
        around = [
            self.fields,
            *(value_at(self.fields, Inner.of(path[:depth])) for depth in range(1, len(path))),
        ]
        return len(path) > 1 and any(isinstance(each, dict) and each.get("error") for each in around)

    def one(self, name: str) -> Any:
        """Returns the value of a field that must not be a list.

        Raises:
            DataError: the field is missing, or holds several values.
        """
        found = self.field(name)
        if isinstance(found, (list, tuple, set, dict)) or not isinstance(found, Hashable):
            raise self.wrong(found, name, "one value")
        return found

    def listed(self, name: str, of: type = object, called: str = "values") -> list[Any]:
        """Returns the value of a field that must be a list.

        Raises:
            DataError: the field is missing, is not a list, or has an item of the wrong type.
        """
        found = self.field(name)
        if isinstance(found, (str, bytes, dict)) or not isinstance(found, Collection):
            raise self.wrong(found, name, f"a list of {called}")
        for each in found:
            if not isinstance(each, of):
                raise self.wrong(each, name, f"{called} alone in the list")
        return list(found)


def is_real_number(value: Any) -> bool:
    """Returns whether a value is a number, which a truth value is not."""
    return isinstance(value, Number) and not isinstance(value, bool)


def negative_of(distance: Any) -> Any:
    """Returns a distance negated, and what is no number as it is, which is refused as a score."""
    if not is_real_number(distance):
        return distance
    return 0 - (
        distance.item() if hasattr(distance, "item") else distance
    )  # NumPy's whole numbers may overflow


def inner_rows(row: Row, plan: ColumnRoles) -> tuple[list[Row], dict[str, str]]:
    """Returns a row for each document of a row, without those that pad its list, and their columns by role.

    Raises:
        DataError: the lists of the row differ in length, or hold something other than documents.
    """
    columns = dict(plan.inside)
    if not plan.nested:
        return [row], columns
    query, of = row.one(plan.columns["query"]), () if plan.records is None else (dict, "dicts")
    lists: dict[str, Any] = {
        name: None if row.lacks(name) else row.listed(name, *of) for name in plan.lists_of
    }
    odd = odd_list(query, {name: None if its is None else len(its) for name, its in lists.items()})
    if odd is not None:
        raise odd.at(file=row.kind, row=row.number)
    if plan.records is not None:
        inner = [replace(row, fields=each) for each in lists[plan.records]]
    else:
        columns = {role: str(name) for role, name in columns.items()}  # fields of the row that is made here
        inner = [
            replace(row, fields=dict(zip(columns.values(), each)))
            for each in zip(*lists.values(), strict=True)
        ]
    ids = [value_at(each.fields, columns["document"]) for each in inner]
    try:
        return inner[: unpadded(ids, query, plan.documents)], columns
    except DataError as error:
        raise error.at(file=row.kind, row=row.number) from None


def documents(row: Row, plan: ColumnRoles, constant: float | None) -> Iterator[tuple[Any, Any]]:
    """Yields each document of a row with its score or grade, or with the negated rank.

    A document of a sample comes with its grade, its probability and, if it is stated, the size of the sample.
    """
    inner, columns = inner_rows(row, plan)
    draw = [columns[role] for role in DRAW if role in columns and "probability" in columns]
    for place, each in enumerate(inner, 1):
        document, value = each.one(columns["document"]), columns.get("grade", columns.get("score"))
        if draw:
            grade = value_at(each.fields, value) if constant is None and value is not None else constant
            yield document, (grade, *(value_at(each.fields, name) for name in draw))
        elif constant is not None:
            yield document, constant
        elif value is not None:
            if plan.records is not None and "score" in columns and value_at(each.fields, value) is None:
                raise row.refused(
                    "'{column}' is missing or null, as search engines write it for hits that are not "
                    "sorted by score.",
                    "Fill it in, or use the position in the list as the rank: {place}.",
                    column=value,
                    place=by_reading("run", rank=str(plan.records)),
                )
            yield document, negative_of(each.one(value)) if plan.minus else each.one(value)
        elif "rank" in columns:
            rank: Any = each.one(columns["rank"])
            if not is_real_number(rank):
                raise each.wrong(rank, columns["rank"], "a number")
            if rank < 0:
                name = str(columns["rank"])
                raise each.refused(*BELOW_ZERO, column=name, scores=as_scores(name))
            yield document, -rank
        else:
            yield document, -place
