"""Rows as JSON lines hold them, in a list of dicts: a row a document, or a row a question with lists in it."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from numbers import Number
from typing import TYPE_CHECKING, Any

from karat.inputs.files.columns import LISTS, Plan, plan_of
from karat.inputs.files.json import shapes_of
from karat.inputs.frames import plain_name, usual
from karat.output.errors import DataError, NothingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["mapping_of_rows"]

NUMBER = "number of the row"
"""The column of questions that have no id."""


def mapping_of_rows(
    rows: Sequence[Any], kind: str, asked: Mapping[str, str | None], grade: float | None = None
) -> dict[Any, dict[Any, Any]]:
    """The rows as ``{query: {document: number}}``; questions without ids are numbered from 1.

    Args:
        rows: the rows.
        kind: ``qrels`` or ``run``.
        asked: the columns' names by what they are, None where a usual one is looked for.
        grade: what every document of judgments is worth; None for what a column says.

    Raises:
        DataError: a row that is no dict, columns that cannot be told, a document twice for one query.
    """
    if not rows and kind == "qrels":
        raise NothingError("The list of qrels holds no judgments: it is empty.")
    odd = next((number for number, each in enumerate(rows, 1) if not isinstance(each, dict)), None)
    if odd is not None:
        raise DataError(
            f"{kind}, row {odd}: found {type(rows[odd - 1]).__name__}, expected a dict. Rows are dicts such as "
            "{'query_id': …, 'doc_id': …, …}; lists of ids alone are karat.evaluate_ids' to measure."
        )
    fields = shapes_of(rows)
    wanted = {role: name for role, name in asked.items() if role != "grade" or grade is None}
    listing = any(plain_name(name) in LISTS[kind] for name, shape in fields.items() if shape == "list")
    if listing and not wanted.get("query") and not usual(list(fields), "query"):
        rows = [{**each, NUMBER: str(number)} for number, each in enumerate(rows, 1)]
        fields, wanted["query"] = {**fields, NUMBER: "one"}, NUMBER
    plan = plan_of(fields, kind, wanted)
    constant = 1.0 if plan.relevant and grade is None else grade
    found: dict[Any, dict[Any, Any]] = {}
    for number, row in enumerate(rows, 1):
        query = one(row, plan.columns["query"], kind, number)
        its = found.setdefault(query, {})
        for document, value in documents(row, plan, kind, number, constant):
            if document in its:
                raise DataError(
                    f"{kind}, row {number}: document {document!r} is there twice for query {query!r}. Remove one."
                )
            its[document] = value
    return found


def documents(
    row: dict[str, Any], plan: Plan, kind: str, number: int, constant: float | None
) -> Iterator[tuple[Any, Any]]:
    """The documents of a row, each with its score or grade, or minus its rank."""
    columns = dict(plan.inside)
    if not plan.nested:
        inner = [row]
    elif plan.records is not None:
        inner = listed(row, plan.records, kind, number, dict, "dicts")
    else:
        lists = {name: listed(row, name, kind, number) for name in columns.values()}
        if len(set(map(len, lists.values()))) > 1:
            raise DataError(f"{kind}, row {number}: the lists {' and '.join(lists)} differ in length.")
        inner = [dict(zip(lists, each, strict=True)) for each in zip(*lists.values(), strict=True)]
    for place, each in enumerate(inner, 1):
        document = one(each, columns["document"], kind, number)
        if constant is not None:
            yield document, constant
        elif "grade" in columns or "score" in columns:
            yield document, one(each, columns.get("grade", columns.get("score", "")), kind, number)
        elif "rank" in columns:
            yield document, -rank_of(each, columns["rank"], kind, number)
        else:
            yield document, -place


def rank_of(row: Mapping[str, Any], name: str, kind: str, number: int) -> Any:
    """The rank that a row holds.

    Raises:
        DataError: no number.
    """
    found = one(row, name, kind, number)
    if isinstance(found, bool) or not isinstance(found, Number):
        raise wrong(found, name, kind, number, "a number")
    return found


def one(row: Mapping[str, Any], name: str, kind: str, number: int) -> Any:
    """The one value that a row holds.

    Raises:
        DataError: nothing, or several values.
    """
    found = field(row, name, kind, number)
    if isinstance(found, (list, tuple, set, dict)) or not isinstance(found, Hashable):
        raise wrong(found, name, kind, number, "one value")
    return found


def listed(
    row: Mapping[str, Any], name: str, kind: str, number: int, of: type = object, called: str = "values"
) -> list[Any]:
    """The list that a row holds.

    Raises:
        DataError: nothing, no list, or something in it that does not belong there.
    """
    found = field(row, name, kind, number)
    if isinstance(found, (str, bytes, dict)) or not isinstance(found, Collection):
        raise wrong(found, name, kind, number, f"a list of {called}")
    odd = [each for each in found if not isinstance(each, of)]
    if odd:
        raise wrong(odd[0], name, kind, number, f"{called} alone in the list")
    return list(found)


def wrong(found: Any, name: str, kind: str, number: int, expected: str) -> DataError:
    """The error of a value of a kind that does not belong there."""
    return DataError(
        f"{kind}, row {number}: '{name}' holds {type(found).__name__} {found!r:.60}, expected {expected}. Correct it."
    )


def field(row: Mapping[str, Any], name: str, kind: str, number: int) -> Any:
    """What a row holds.

    Raises:
        DataError: nothing.
    """
    found = row.get(name)
    if found is None:
        raise DataError(
            f"{kind}, row {number}: '{name}' is missing or None. Fill it, or leave such rows out."
        )
    return found
