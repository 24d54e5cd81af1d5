"""The tables of engines in which tests hold one small run, and what they compare."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import carob
from carob import Run
from carob.inputs.runs.engine import EngineRun
from test_conformance import needed

Columns = dict[str, list[Any]]

MEASURES = ["AP", "RR", "nDCG@3", "P@2", "NumRet"]
SPARK = ["qid", "docno", "score"]
FIELDS = ("length", "offsets", "rank", "tie_first", "tie_last", "judgment")


def polars_lazy(columns: Columns) -> Any:
    needed("polars", "pyarrow")
    import polars as pl

    return pl.LazyFrame(columns)


def duckdb_relation(columns: Columns) -> Any:
    """A relation of a connection of its own: it cannot be joined with those of the default one."""
    needed("duckdb", "pyarrow")
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.register("given", pa.table(columns))
    return connection.sql("from given")


def ibis_table(columns: Columns) -> Any:
    needed("ibis", "duckdb", "pyarrow")
    import ibis
    import pyarrow as pa

    backend = ibis.duckdb.connect()
    backend.con.register("given", pa.table(columns))
    return backend.table("given")


# SQLFrame takes a second a question to write its SQL: it has a test of its own.
by_ibis = pytest.param(ibis_table, marks=pytest.mark.filterwarnings("ignore::DeprecationWarning:ibis"))
ENGINES = [polars_lazy, duckdb_relation, by_ibis]
on_engines = pytest.mark.parametrize("make", ENGINES)


def by_its_engine(table: Any, **columns: str) -> Run:
    run = Run.of(table, "mine", extract="engine", **columns)
    assert isinstance(run.held, EngineRun)
    return run


QRELS = {"q": {"b": 1, "d": 2, "x": 1}, "p": {"a": 1}, "z": {"a": 0}}
RUN: Columns = {
    "qid": ["q", "q", "q", "q", "z", "other"],
    "docno": ["a", "b", "c", "d", "a", "b"],
    "score": [1.0, 2.0, 2.0, 1.0, 0.0, 7.0],
    "rank": [3, 2, 1, 4, 1, 1],
}
NESTED = {"q": {"a": 1.0, "b": 2.0, "c": 2.0, "d": 1.0}, "z": {"a": 0.0}, "other": {"b": 7.0}}
TWICE: Columns = {"qid": ["q"] * 4, "docno": ["a", "b", "u", "u"], "score": [4.0, 3.0, 2.0, 1.0]}


def without_rank(columns: Columns) -> Columns:
    return {name: values for name, values in columns.items() if name != "rank"}


def values_of(scores: carob.Scores) -> list[dict[str, float]]:
    return [scores.by_query(measure) for measure in MEASURES]


def spark_table(spark: Any, columns: Columns) -> Any:
    names = list(columns)
    return spark.createDataFrame([*zip(*columns.values(), strict=True)], names)


def kept_by(run: Run) -> EngineRun:
    assert isinstance(run.held, EngineRun)
    return run.held


def program(text: str) -> subprocess.CompletedProcess[str]:
    """Spark's sessions with other settings than the tests' need a process."""
    return subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
    )
