"""Small tables put where an engine's own are, so that it can join the two, or hand one to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENGINES", "TABLES", "home_of", "placed"]

BROADCAST = 64 * 2**20
"""Bytes up to which Spark is told to send a table to every worker: of one that it did not make it knows no size."""


def home_of(table: Any, library: str) -> Any:
    """What makes tables beside this one: a session, or of DuckDB the relation, which knows its connection."""
    if library == "pyspark":
        return table.sparkSession
    if library == "sqlframe":
        return table.session
    return table if library == "duckdb" else None


def placed(table: Any, library: str, home: Any) -> Any:
    """A PyArrow table as one of the engine's.

    Args:
        table: the table.
        library: the engine's.
        home: what ``home_of`` gave for a table of the engine; None for the engine's own choice.

    Raises:
        DataError: an engine that has no session now.
    """
    return ENGINES[library](table, home)


def in_spark(table: Any, session: Any) -> Any:
    """A DataFrame of Spark, classic or Connect."""
    from pyspark import __version__
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import broadcast

    session = session or SparkSession.getActiveSession()
    if session is None:
        raise DataError("There is no Spark session now: start one, or ask for another kind of frame.")
    arrow = int(__version__.partition(".")[0]) >= 4  # older ones take pandas' frames only
    frame = session.createDataFrame(table if arrow else table.to_pandas())
    return broadcast(frame) if table.nbytes <= BROADCAST else frame


def in_duckdb(table: Any, relation: Any) -> Any:
    """A relation of DuckDB, in the connection of another: those of two connections cannot be joined."""
    import duckdb

    if relation is None:
        return duckdb.from_arrow(table)
    karat_table = table  # noqa: F841 - DuckDB finds it by the name of this variable
    return relation.query("karat_unused", "from karat_table")


def in_polars(table: Any, home: None) -> Any:
    """A lazy frame of Polars."""
    del home
    import polars as pl

    return pl.DataFrame(table).lazy()


def in_ibis(table: Any, home: None) -> Any:
    """A table of ibis, which takes it to the other's backend."""
    del home
    import ibis

    return ibis.memtable(table)


def in_sqlframe(table: Any, session: Any) -> Any:
    """A DataFrame of SQLFrame."""
    if session is None:
        raise DataError(
            "SQLFrame makes frames in a session, and there is none: ask for another kind of frame."
        )
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return session.createDataFrame(rows, {field.name: SQL[str(field.type)] for field in table.schema})


SQL = {"string": "string", "int64": "bigint", "double": "double"}
"""Arrow's types in SQL's words."""

ENGINES: dict[str, Callable[[Any, Any], Any]] = {
    "pyspark": in_spark,
    "duckdb": in_duckdb,
    "polars": in_polars,
    "ibis": in_ibis,
    "sqlframe": in_sqlframe,
}
"""How each engine's tables are made, by the name of its library."""

TABLES = ("duckdb", "pyspark", "ibis", "sqlframe")
"""Engines that have no frames in memory beside their tables."""
