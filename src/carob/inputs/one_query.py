"""Reads tables without a query column that belong to a single query, such as the export of one systematic review."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob.inputs.columns import CONSTANT, Distance, choose, columns_named, constant_in
from carob.inputs.errors import BELOW_ZERO, as_scores, refused
from carob.inputs.files.neighbours import refuse_array
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.frames import is_frame
from carob.inputs.grade_words import number_of
from carob.inputs.judgment_tables import is_empty, number_in
from carob.inputs.sources import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from carob.inputs.columns import Asked
    from carob.inputs.sources import Provenance


def read_one_query(
    given: Any, kind: str, asked: Asked, words: Mapping[str, float] | None = None
) -> tuple[dict[str, dict[str, float]], str, Provenance | None]:
    """Reads a table whose rows all belong to one query.

    Args:
        given: a path, bytes, an open file, a data frame, or a list of dicts.
        kind: ``qrels`` or ``run``.
        asked: the columns' names by role. The name for the query is ``:=`` and the query's id.
        words: the number for each grade in words; None if the grades are numbers.

    Returns:
        ``{query: {document: number}}``, with negated ranks as scores, and the name and origin of the input.

    Raises:
        DataError: the input cannot be read, a column is missing or ambiguous, a cell contains no number, or a document
            occurs in two rows.
    """
    named, constant = str(asked["query"]), constant_in(asked)
    query = named.removeprefix(CONSTANT).strip()
    if not query or isinstance(given, Mapping):
        raise refused(
            "'{column}' must specify the query of every row of a table.",
            "Write the query's id after ':=', and pass a file, a data frame or a list of rows.",
            file=kind,
            column=named,
        )
    names, rows, name, origin = placed_rows(given, kind, asked)
    columns = choose(names, kind, {each: column for each, column in asked.items() if each != "query"})
    role = next((each for each in ("grade", "score", "rank") if each in columns), "grade")
    found: dict[str, float] = {}
    for place, row in rows:
        cells = {each: row.get(columns[each]) for each in ("document", role) if each in columns}
        for each, cell in cells.items():
            if is_empty(cell):
                raise refused(
                    "the {role} is empty.",
                    "Fill in the cell, or remove the row, for example if nobody screened the record.",
                    **place,
                    role=each,
                    column=columns[each],
                )
        document = str(cells["document"])
        if document in found:
            raise refused(
                "document '{document}' occurs twice.", "Remove one row.", **place, document=document
            )
        if constant is not None:
            number = constant
        elif words is not None:
            number = number_of(cells[role], words, query=query, document=document)
        else:
            number = number_in(cells[role], role, place)
        if role == "rank" and number < 0:
            raise refused(*BELOW_ZERO, **place, column=columns[role], scores=as_scores(columns[role]))
        found[document] = 0 - number if role == "rank" or isinstance(asked.get(role), Distance) else number
    named_so = columns_named(asked) + (() if words is None else (("words", dict(words)),))
    return {query: found}, name, None if origin is None else replace(origin, columns=named_so)


def placed_rows(
    given: Any, kind: str, named: Mapping[str, Any] | None = None
) -> tuple[list[str], Iterable[tuple[dict[str, Any], Mapping[str, Any]]], str, Provenance | None]:
    """Returns a table's column names, its rows (each preceded by its place), and the name and origin of the input.

    Args:
        given: a path, bytes, an open file, a data frame, or a list of dicts.
        kind: ``qrels`` or ``run``.
        named: the columns' names by role. They are refused for an array, which has no columns.
    """
    if isinstance(given, list):
        names = list({name: None for row in given for name in row})
        return names, (({"file": kind, "row": number}, row) for number, row in enumerate(given)), "", None
    if not isinstance(given, (str, bytes, os.PathLike)) and is_frame(given):
        table = SmallTable.of(given, f"{kind} frame")
        return table.names, table, "", None
    source = source_of(given)
    refuse_array(source, kind, named or {})
    table = SmallTable.of_source(source)
    if isinstance(table.document, list):
        return *placed_rows(table.document, source.name)[:2], source.name, source.origin
    return table.names, table, source.name, source.origin
