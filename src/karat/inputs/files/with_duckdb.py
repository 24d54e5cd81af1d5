"""Files as relations of DuckDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from karat.inputs.columns import IDS

if TYPE_CHECKING:
    import duckdb

    from karat.inputs.columns import Plan, Shape
    from karat.inputs.files.paths import Place
    from karat.inputs.files.sniff import Delimited

__all__ = ["LIBRARY", "columnar", "delimited", "fields_of", "flat", "home", "lines", "odd_number"]

LIBRARY = "duckdb"


def home() -> duckdb.DuckDBPyConnection:
    """A connection, closed together with its relations when the last reference is gone."""
    import duckdb

    return duckdb.connect()


def columnar(place: Place, home: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """Parquet files; keys in the folder names of a Hive layout stay text."""
    keys = "true" if place.keys else "false"
    return home.sql(
        f"FROM read_parquet({listed(place)}, hive_partitioning = {keys}, hive_types_autocast = false)"
    )


def delimited(place: Place, home: duckdb.DuckDBPyConnection, how: Delimited) -> duckdb.DuckDBPyRelation:
    """CSV or TSV with every column as text, so that the id 007 keeps its zeros."""
    columns = ", ".join(f"{literal(each)}: 'VARCHAR'" for each in how.names)
    quote = literal('"' if how.header else "")
    return home.sql(
        f"FROM read_csv({listed(place)}, auto_detect = false, columns = {{{columns}}}, nullstr = '', comment = '', "
        f"header = {'true' if how.header else 'false'}, delim = {literal(how.separator)}, quote = {quote}, "
        f"escape = {quote})"
    )


def lines(place: Place, home: duckdb.DuckDBPyConnection, plan: Plan) -> duckdb.DuckDBPyRelation:
    """JSON lines: the wanted fields of each object, ids as text and numbers as doubles."""
    kinds = {name: "VARCHAR" if role in IDS else "DOUBLE" for role, name in plan.inside.items()}
    if plan.records is not None:
        kinds = {
            plan.records: f"STRUCT({', '.join(f'{column(name)} {held}' for name, held in kinds.items())})[]"
        }
    elif plan.lists:
        kinds = {name: f"{held}[]" for name, held in kinds.items()}
    kinds = {plan.columns["query"]: "VARCHAR", **kinds}
    columns = ", ".join(f"{literal(name)}: {literal(held)}" for name, held in kinds.items())
    return home.sql(
        f"FROM read_json({listed(place)}, format = 'newline_delimited', auto_detect = false, columns = {{{columns}}})"
    )


def fields_of(table: duckdb.DuckDBPyRelation) -> dict[str, Shape]:
    """The shape of each column."""
    found: dict[str, Shape] = {}
    for name, held in zip(table.columns, table.types, strict=True):
        inner = held.children[0][1] if held.id in ("list", "array") else None
        if inner is not None and inner.id == "struct":
            found[name] = tuple(field for field, _ in inner.children)
        else:
            found[name] = "one" if inner is None else "list"
    return found


def flat(table: duckdb.DuckDBPyRelation, plan: Plan, kind: str, *, text: bool) -> duckdb.DuckDBPyRelation:
    """The wanted columns, one document per row; in a run, a question with an empty list has no row."""
    if not plan.nested:
        return table.project(
            ", ".join(
                f"{held_number(column(name))} AS {column(name)}" if text and role not in IDS else column(name)
                for role, name in plan.columns.items()
            )
        )
    whole = column(plan.records or plan.columns["document"])
    # A null in its row, as in Polars, so that it is refused.
    unheld = f"{whole} IS NULL" + (f" OR len({whole}) = 0" if kind == "qrels" else "")
    table = table.project(f"* REPLACE (CASE WHEN {unheld} THEN [NULL] ELSE {whole} END AS {whole})")
    query = f"{column(plan.columns['query'])} AS query"
    if plan.records is not None:
        fields = ", ".join(f"record.{column(name)} AS {role}" for role, name in plan.inside.items())
        return table.project(f"{query}, unnest({whole}) AS record").project(f"query, {fields}")
    lists = [f"unnest({column(name)}) AS {role}" for role, name in plan.inside.items()]
    if plan.by_place:
        lists.append(f"unnest(range(1, len({whole}) + 1)) AS rank")
    return table.project(", ".join([query, *lists]))


def held_number(text: str) -> str:
    """SQL that turns text into a double; null where it is not a number, or a whole one that no double represents."""
    number, whole = f"TRY_CAST({text} AS DOUBLE)", f"TRY_CAST({text} AS HUGEINT)"
    wide = (
        f"length({text}) > 15 AND regexp_full_match({text}, '[+-]?[0-9]+') "
        f"AND {whole} IS NOT NULL AND TRY_CAST({number} AS HUGEINT) IS DISTINCT FROM {whole}"
    )
    return f"CASE WHEN {wide} THEN NULL ELSE {number} END"


def odd_number(table: duckdb.DuckDBPyRelation, plan: Plan) -> tuple[int, str, str] | None:
    """The first row whose text should be a number and is not: the row, its column and the text."""
    for name in (name for role, name in plan.columns.items() if role not in IDS):
        numbered = table.project(f"row_number() OVER () - 1 AS place, {column(name)} AS held")
        found = numbered.filter(f"held IS NOT NULL AND {held_number('held')} IS NULL").limit(1).fetchall()
        if found:
            return int(found[0][0]), name, str(found[0][1])
    return None


def listed(place: Place) -> str:
    """The files as an SQL list, with pattern characters escaped."""
    names = (re.sub(r"([*?[])", r"[\1]", each) for each in place.files)
    return f"[{', '.join(map(literal, names))}]"


def literal(text: str) -> str:
    """Text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def column(name: str) -> str:
    """A column's name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
