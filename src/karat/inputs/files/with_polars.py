"""Files as lazy frames of Polars."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from karat.inputs.columns import IDS
from karat.output.errors import DataError

if TYPE_CHECKING:
    import polars as pl

    from karat.inputs.columns import Plan, Shape
    from karat.inputs.files.paths import Place
    from karat.inputs.files.sniff import Delimited

__all__ = ["LIBRARY", "columnar", "delimited", "fields_of", "flat", "home", "lines", "odd_number"]

LIBRARY = "polars"


def home() -> None:
    """None: a table needs nothing else to stay alive."""


def columnar(place: Place, _home: None) -> pl.LazyFrame:
    """Parquet or Arrow files; keys in the folder names of a Hive layout stay text."""
    import polars as pl

    keys = dict.fromkeys(place.keys, pl.String)
    hive = {"hive_partitioning": bool(keys), "hive_schema": keys or None}
    if place.kind == "arrow":
        for each in place.files:
            try_reading(each)
        return pl.scan_ipc(list(place.files), **hive)
    return pl.scan_parquet(list(place.files), glob=False, **hive)


# Isolated (-I): "-c" alone would import from the working folder first, which anyone may have written to.
TRIAL = """
import sys
_, path, *sys.path = sys.argv
import polars
for _ in polars.scan_ipc(path).collect_batches(): pass
"""


def try_reading(path: str) -> None:
    """Reads an Arrow file in a separate process first: Polars may crash on a damaged one.

    Raises:
        DataError: it did.
    """
    if not sys.executable:
        return  # Python is part of another program
    program = [sys.executable, "-I", "-c", TRIAL, path, *filter(None, sys.path)]
    tried = subprocess.run(program, capture_output=True)  # noqa: S603 - our own code
    if tried.returncode < 0:
        raise DataError(f"{path} is damaged: reading it ends the process. Fetch or write it again.")


def delimited(place: Place, _home: None, how: Delimited) -> pl.LazyFrame:
    """CSV or TSV with every column as text, so that the id 007 keeps its zeros."""
    import polars as pl

    return pl.scan_csv(
        list(place.files),
        separator=how.separator,
        has_header=how.header,
        schema=dict.fromkeys(how.names, pl.String),
        quote_char='"' if how.header else None,
        glob=False,
    )


def lines(place: Place, _home: None, plan: Plan) -> pl.LazyFrame:
    """JSON lines: the wanted fields of each object, ids as text and numbers as doubles."""
    import polars as pl

    kinds: dict[str, pl.DataType] = {
        name: pl.String() if role in IDS else pl.Float64() for role, name in plan.inside.items()
    }
    if plan.records is not None:
        kinds = {plan.records: pl.List(pl.Struct(kinds))}
    elif plan.lists:
        kinds = {name: pl.List(held) for name, held in kinds.items()}
    return pl.scan_ndjson(list(place.files), schema={plan.columns["query"]: pl.String(), **kinds})


def fields_of(table: pl.LazyFrame) -> dict[str, Shape]:
    """The shape of each column."""
    import polars as pl

    found: dict[str, Shape] = {}
    for name, held in table.collect_schema().items():
        inner = held.inner if isinstance(held, (pl.List, pl.Array)) else None
        if isinstance(inner, pl.Struct):
            found[name] = tuple(field.name for field in inner.fields)
        else:
            found[name] = "one" if inner is None else "list"
    return found


def flat(table: pl.LazyFrame, plan: Plan, kind: str, *, text: bool) -> pl.LazyFrame:
    """The wanted columns, one document per row; in a run, a question with an empty list has no row."""
    import polars as pl

    if not plan.nested:
        wanted = {role: pl.col(name) for role, name in plan.columns.items()}
        return table.select(
            held_number(each) if text and role not in IDS else each for role, each in wanted.items()
        )
    length = pl.col(plan.records or plan.columns["document"]).list.len()
    if kind == "run":
        table = table.filter(length.fill_null(1) > 0)
    else:  # in qrels it is refused, as a null is
        lists = [plan.records] if plan.records is not None else list(plan.inside.values())
        table = table.with_columns(pl.when(length > 0).then(pl.col(lists)).name.keep())
    query = pl.col(plan.columns["query"]).alias("query")
    if plan.records is not None:
        opened = table.select(query, pl.col(plan.records).alias("record")).explode("record")
        record = pl.col("record").struct
        return opened.select("query", *(record.field(name).alias(role) for role, name in plan.inside.items()))
    lists = [pl.col(name).alias(role) for role, name in plan.inside.items()]
    if plan.by_place:
        lists.append(pl.int_ranges(1, length + 1).alias("rank"))
    return table.select(query, *lists).explode(*(role for role in plan.flat if role != "query"))


def held_number(text: pl.Expr) -> pl.Expr:
    """Text as a double; null where it is not a number, or a whole one that no double represents."""
    import polars as pl

    number, kind = text.cast(pl.Float64, strict=False), getattr(pl, "Int128", pl.Int64)
    long = (number.abs() >= 2.0**53) & (text.str.len_bytes() > 15)
    whole = pl.when(long).then(text).cast(kind, strict=False)
    wide = whole.is_not_null() & pl.when(long).then(number).cast(kind, strict=False).ne_missing(whole)
    return pl.when(~wide).then(number)


def odd_number(table: pl.LazyFrame, plan: Plan) -> tuple[int, str, str] | None:
    """The first row whose text should be a number and is not: the row, its column and the text."""
    import polars as pl

    for name in (name for role, name in plan.columns.items() if role not in IDS):
        odd = pl.col(name).is_not_null() & held_number(pl.col(name)).is_null()
        found = table.select(name).with_row_index("row").filter(odd).head(1).collect()
        if found.height:
            return int(found["row"][0]), name, str(found[name][0])
    return None
