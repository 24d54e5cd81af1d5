"""Reads rows that are dicts with one or several documents each as ``{query: {document: number}}``."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from itertools import chain
from numbers import Number, Real
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob.inputs.columns import DRAW, NUMBER, constant_in, plain_name, usual
from carob.inputs.dicts import ByPosition, WithScores
from carob.inputs.errors import (
    BELOW_ZERO,
    DRAWN_TWICE,
    NO_RUNS,
    as_scores,
    nothing,
    refused,
    scores_as_grades,
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
from carob.output.errors import DataError, by_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from carob.inputs.columns import Asked


def mapping_of_rows(rows: Sequence[Any], kind: str, asked: Asked) -> dict[Any, dict[Any, Any]]:
    """Returns the rows as ``{query: {document: number}}``. Queries without ids are numbered from 1.

    Args:
        rows: the rows.
        kind: ``qrels`` or ``run``.
        asked: columns' names by role; None looks for a usual name, and a number is the grade of every document.

    Raises:
        DataError: a row is not a dict, columns are missing or ambiguous, or a document occurs twice for one query.
    """
    if not rows and kind == "qrels":
        raise nothing("qrels", "the list is empty.")
    if not rows:
        raise refused(*NO_RUNS, what="list")
    odd = next((number for number, each in enumerate(rows) if not isinstance(each, dict)), None)
    if odd is not None:
        raise refused(
            "found {type}, expected a dict such as {{'query_id': …, 'doc_id': …, …}}.",
            "For lists that contain only ids, use carob.evaluate_ids.",
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
    """Returns the rows as ``{query: {document: number}}``, read from the columns of a plan.

    Args:
        plan: the roles of the columns.
        rows: the rows.
        kind: ``qrels`` or ``run``.
        asked: the columns' names as the caller gave them.
        places: the place of each row that has been read so far; by default, the place is the row number.

    Raises:
        DataError: a value cannot be used, a query has two rows with lists, or a document occurs twice for one query.
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
                    "document -1 is padding at the end of a list, as in faiss.",
                    "Remove it (ids[ids >= 0]), or use carob.tensors.evaluate_topk, which accepts padded arrays.",
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
        """Returns an error about the row or one of its fields."""
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
                "this answer is a server error without '{column}'.",
                "Write [] there to count it as an empty list, or remove the answer.",
                column=name,
            )
        if found is None:
            raise self.refused("'{column}' is missing or None.", "Fill it.", column=name)
        return found

    def lacks(self, name: str) -> bool:
        """Returns whether a field is missing for a reason other than a failure of the server."""
        return value_at(self.fields, name) is None and not self.failed(name)

    def failed(self, name: str) -> bool:
        """Returns whether an object around a missing field contains an ``error``, as in responses of search engines."""
        path = field_path(name)
        around = [
            self.fields,
            *(value_at(self.fields, Inner.of(path[:depth])) for depth in range(1, len(path))),
        ]
        return len(path) > 1 and any(isinstance(each, dict) and each.get("error") for each in around)

    def one(self, name: str) -> Any:
        """Returns the value of a field that must not be a list.

        Raises:
            DataError: the field is missing or contains several values.
        """
        found = self.field(name)
        if isinstance(found, (list, tuple, set, dict)) or not isinstance(found, Hashable):
            raise self.wrong(found, name, "one value")
        return found

    def listed(self, name: str, of: type = object, called: str = "values") -> list[Any]:
        """Returns the value of a field that must be a list.

        Raises:
            DataError: the field is missing, is not a list, or contains an item of the wrong type.
        """
        found = self.field(name)
        if isinstance(found, (str, bytes, dict)) or not isinstance(found, Collection):
            raise self.wrong(found, name, f"a list of {called}")
        for each in found:
            if not isinstance(each, of):
                raise self.wrong(each, name, f"{called} alone in the list")
        return list(found)


def is_real_number(value: Any) -> bool:
    """Returns whether a value is a number. A truth value is not."""
    return isinstance(value, Number) and not isinstance(value, bool)


def negative_of(distance: Any) -> Any:
    """Returns the negated distance. Anything except a number is returned unchanged, and later refused as a score."""
    if not is_real_number(distance):
        return distance
    return 0 - (distance.item() if hasattr(distance, "item") else distance)  # NumPy integers may overflow


def inner_rows(row: Row, plan: ColumnRoles) -> tuple[list[Row], dict[str, str]]:
    """Returns a row for each document in a row, without padding, and the columns of these rows by role.

    Raises:
        DataError: the lists of the row differ in length, or contain something other than documents.
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
        columns = {role: str(name) for role, name in columns.items()}  # fields of the new rows
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
    """Yields each document of a row with its score, its grade or its negated rank.

    For a sample, it yields each document with its grade, its probability and, if stated, the size of the sample.
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
                    "'{column}' is missing or null, as in the answers of search engines that do not sort hits by "
                    "score.",
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
