"""Finds the rows in JSON documents that other tools write. ``layouts.toml`` describes the layouts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.inputs.columns import KEY, NUMBER, refuse_distance
from carob.inputs.errors import refused
from carob.output.files import own_table
from carob.output.parsing import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from carob.inputs.columns import Asked

SAMPLED = 20
"""The number of rows in which the fields of a layout are sought."""
FIRST = 8
"""The number of values of a dictionary that are checked to decide whether all its values are numbers."""
WHAT = {"qrels": "judgments", "run": "ranked lists"}


@dataclass(frozen=True)
class LaidOut:
    """The rows or the ``{query: …}`` found in a document.

    Args:
        content: a list of rows, or ``{query: ids or {id: number}}``.
        columns: by role, the columns whose names the layout determines.
    """

    content: Any
    columns: Mapping[str, str]


@cache  # the table of layouts never changes
def layouts() -> list[dict[str, Any]]:
    """Returns the layouts, from ``layouts.toml``."""
    return list(own_table(__file__, "layouts.toml")["layout"])


def unwrapped(document: Any, kind: str) -> LaidOut:
    """Returns the rows of a document in the layout of a tool, or the document itself if no layout matches.

    Args:
        document: the value of a JSON file.
        kind: ``qrels`` or ``run``.

    Raises:
        DataError: the document contains qrels instead of a run, or a run instead of qrels, or several runs.
    """
    for layout, found in fitting(document):
        if layout.get("kind", kind) != kind:
            raise refused(
                "this is {tool}, which contains {there} but no {wanted}: are qrels and run swapped?",
                tool=layout["tool"],
                there=WHAT[layout["kind"]],
                wanted=WHAT[kind],
            )
        if len(found) > 1:
            names = [name for name, _ in found]
            raise refused(
                "each of {names} could contain the {what} ({tool}).",
                "Write one of them to a separate file.",
                names=" and ".join(f"'{name}'" for name in names[:3]),
                what=WHAT[kind],
                tool=layout["tool"],
            )
        return LaidOut(content_of(found[0][1], layout), columns_by_role(layout, kind))
    return LaidOut(document, {})


def fitting(document: Any) -> Iterator[tuple[dict[str, Any], list[tuple[str, Any]]]]:
    """Yields each layout that matches a document, with the paths and values that contain its rows."""
    if isinstance(document, Mapping) and not is_plain(document):
        for layout in layouts():
            found = [each for path in layout["at"] for each in homes(document, path, layout)]
            if found:
                yield layout, found


def is_laid_out(document: Any) -> bool:
    """Returns whether a document matches any layout."""
    return any(fitting(document))


def is_of_tool(document: Mapping[Any, Any], *, several: bool = False) -> bool:
    """Returns whether a document has the layout of a specific tool, not just a generic layout with rows.

    Args:
        document: the document.
        several: whether the layout must allow several queries.
    """
    return any(
        "kind" in layout and not (several and layout["rows"] == "one") for layout, _ in fitting(document)
    )


def by_query(given: list[Any] | Mapping[Any, Any], kind: str, asked: Asked) -> Mapping[Any, Any]:
    """Converts rows, or a dictionary in the layout of a tool, to ``{query: …}``. Returns other dictionaries unchanged.

    Args:
        given: the rows or the dictionary.
        kind: ``qrels`` or ``run``.
        asked: the columns that the caller named.

    Raises:
        DataError: the dictionary contains qrels instead of a run, or a run instead of qrels, or rows cannot be read.
    """
    found = unwrapped(given, kind)
    if not isinstance(found.content, list):
        refuse_distance(asked)
        return found.content  # type: ignore[no-any-return]  # {query: …}
    from carob.inputs.nested_rows import mapping_of_rows

    return mapping_of_rows(found.content, kind, with_columns(asked, found.columns))


def with_columns(asked: Asked, columns: Mapping[str, str]) -> dict[str, Any]:
    """Returns the columns that the caller named and, for the other roles, the columns of a layout."""
    return {**columns, **{role: columns.get(role) if name is None else name for role, name in asked.items()}}


def is_plain(document: Mapping[str, Any]) -> bool:
    """Returns whether the first value of a document suggests that it is ``{query: {document: number}}``."""
    first = next(iter(document.values()), None)
    if not isinstance(first, Mapping) or not first:
        return False
    return all(isinstance(each, (int, float)) for each in islice(first.values(), FIRST))


def columns_by_role(layout: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Returns the columns of a layout by role."""
    columns = {role: NUMBER if name == "#" else name for role, name in layout.get("columns", {}).items()}
    if layout["rows"] in ("values", "records"):
        columns["query"] = KEY
    return columns if kind == "run" else {role: name for role, name in columns.items() if role != "score"}


def homes(document: Mapping[str, Any], path: str, layout: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Returns the values at a path that match a layout, each with its full path."""
    if not all(has(document, each) for each in layout.get("beside", ())):
        return []
    found = [(name, value) for name, value in reached(document, path.split(".") if path else [])]
    if "[]" in path:  # the rows of all items form one list
        rows = [row for _, value in found for row in (value if isinstance(value, list) else [value])]
        found = [(path, rows)] if rows else []
    return [(name, value) for name, value in found if fits(value, layout)]


def reached(value: Any, path: list[str], name: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the values at the end of a path, each preceded by its full path."""
    if not path:
        yield name, value
        return
    step, rest = path[0], path[1:]
    if step == "[]":
        for each in value if isinstance(value, list) else ():
            yield from reached(each, rest, name)
    elif isinstance(value, Mapping):
        for key in value if step == "*" else [step] if step in value else []:
            yield from reached(value[key], rest, f"{name}.{key}" if name else str(key))


def fits(value: Any, layout: Mapping[str, Any]) -> bool:
    """Returns whether a value contains rows in the form of a layout."""
    form = layout["rows"]
    if form == "one":
        rows: list[Any] = [value]
    elif form == "items":
        rows = value[:SAMPLED] if isinstance(value, list) else []
    else:
        rows = list(islice(value.values(), SAMPLED)) if isinstance(value, Mapping) else []
    if form == "records":
        lists = bool(rows) and all(isinstance(each, list) for each in rows)
        return lists and any(isinstance(each, Mapping) for row in rows for each in row[:1])
    if form == "mapping":
        return bool(rows) and all(isinstance(each, (list, Mapping)) for each in rows)
    objects = bool(rows) and all(isinstance(each, Mapping) for each in rows)
    return objects and all(any(has(row, each) for row in rows) for each in layout.get("holds", ()))


def has(row: Mapping[str, Any], field: str) -> bool:
    """Returns whether a row has the field with a list or object in it, or a single value if ``field`` ends in ``!``."""
    value = next((its for _, its in reached(row, field.removesuffix("!").split("."))), None)
    return value is not None and isinstance(value, (list, Mapping)) != field.endswith("!")


def content_of(value: Any, layout: Mapping[str, Any]) -> Any:
    """Returns the rows in a value, or the value itself if it is ``{query: …}``."""
    form, columns = layout["rows"], layout.get("columns", {})
    if form == "mapping":
        return value
    if form == "records":
        return [{KEY: query, "results": its} for query, its in value.items()]
    rows = [value] if form == "one" else value
    if form == "values":
        rows = [{KEY: query, **row} for query, row in value.items()]
    elif columns.get("query") == "#":
        rows = [{NUMBER: str(number), **row} for number, row in enumerate(rows, 1)]
    if "ratings" in layout:
        field, _, by_grade = layout["ratings"].partition(" by ")
        rows = [{**row, field: records_of(row.get(field), by_grade=bool(by_grade))} for row in rows]
    if "numbers" in layout:
        field, _, number = layout["numbers"].partition(".")
        rows = [{**row, field: [in_numbers(each, number) for each in row.get(field) or ()]} for row in rows]
    return rows


def records_of(ratings: Any, *, by_grade: bool) -> Any:
    """Converts ``{document: grade}`` or ``{grade: [document, …]}`` to records. Returns other values unchanged."""
    if not isinstance(ratings, Mapping):
        return ratings
    pairs = (
        [(each, number_of(grade)) for grade, its in ratings.items() for each in its]
        if by_grade
        else list(ratings.items())
    )
    return [{"doc_id": document, "rating": grade} for document, grade in pairs]


def in_numbers(record: Any, field: str) -> Any:
    """Returns a record, with the given field converted to a number if it is numeric text."""
    text = record.get(field) if isinstance(record, Mapping) else None
    number = number_of(text) if isinstance(text, str) else None
    return record if number is None else {**record, field: number}
