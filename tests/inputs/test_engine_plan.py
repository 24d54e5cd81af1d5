"""The plan that an engine computes: the tables of the judgments, what it finds, what comes back, its steps."""

from __future__ import annotations

from typing import Any

import pytest
from tests.inputs.engines import (
    MEASURES,
    NESTED,
    QRELS,
    RUN,
    TWICE,
    by_its_engine,
    on_engines,
    spark_table,
    values_of,
)

import carob
from carob import DataError, Policy, Qrels
from carob.inputs.runs import MatchOptions
from carob.inputs.runs.engine_plan import extracted, scored_rows, tables_of
from test_conformance import needed

PYTHON_STEPS = ("Python", "Pandas", "MapInArrow", "BatchEval")


@on_engines
def test_a_document_twice_is_refused_within_the_depth(make: Any) -> None:
    run = by_its_engine(make(TWICE))
    with pytest.raises(
        DataError, match=r"'u' is listed twice for query 'q'. Remove one, or keep the highest"
    ):
        carob.evaluate(QRELS, run, MEASURES)
    with pytest.raises(DataError, match=r"'u' is listed twice.*no order that determines the first"):
        carob.evaluate(QRELS, run, MEASURES, policy=Policy(duplicates="first"))
    assert carob.evaluate(QRELS, run, "RR", policy=Policy(depth=3)).by_query("RR")["q"] == 1 / 2
    highest = carob.evaluate(QRELS, run, ["NumRet"], policy=Policy(duplicates="max"))
    assert (highest.by_query("NumRet")["q"], highest.counts.duplicates) == (3, 1)
    # Beyond the depth, of the same score, and judged: the better of its two places is kept.
    again = make({"qid": ["q"] * 4, "docno": ["a", "b", "b", "c"], "score": [2.0, 1.0, 1.0, 0.0]})
    assert (
        carob.evaluate(QRELS, by_its_engine(again), "RR", policy=Policy(depth=2)).by_query("RR")["q"] == 1 / 2
    )


@on_engines
def test_columns_that_bear_the_names_of_the_plan_do_not_confuse_it(make: Any) -> None:
    table = make(
        {
            "number": RUN["qid"],
            "judgment": RUN["docno"],
            "tie_first": RUN["score"],
            "score": [str(each) for each in RUN["score"]],
            "query": RUN["docno"],
        }
    )
    run = by_its_engine(table, query="number", document="judgment", score="tie_first")
    assert values_of(carob.evaluate(QRELS, run, MEASURES)) == values_of(
        carob.evaluate(QRELS, NESTED, MEASURES)
    )


@on_engines
def test_ids_that_are_no_text_are_judged_and_never_found(make: Any) -> None:
    qrels = b"q 0 b 1\nq 0 \xff 1\n\xfe 0 b 1\n"
    found = carob.evaluate(qrels, by_its_engine(make(RUN)), "R")
    assert sorted(found.by_query("R").values()) == [0.0, 0.5]


def test_single_precision_and_decimals_stay_exact() -> None:
    needed("duckdb", "pyarrow")
    import duckdb

    connection = duckdb.connect()
    floats = "select 'q' as qid, unnest(['a', 'b']) as docno, unnest([16777216, 16777218])::float as score"
    found = carob.evaluate({"q": {"b": 1}}, by_its_engine(connection.sql(floats)), "RR")
    assert (found["RR"], found.counts.tied) == (1.0, 0)
    decimals = "select 1 as qid, unnest([9, 10]) as docno, unnest([0.25, 0.25]) as score"
    run = by_its_engine(connection.sql(decimals))
    assert carob.evaluate({"1": {"9": 1}}, run, "RR")["RR"] == 1.0
    assert carob.evaluate({"1": {"9": 1}}, run, "RR", policy=Policy(ties="ascending"))["RR"] == 0.5


def test_an_engine_that_orders_text_by_a_language_is_refused() -> None:
    needed("duckdb", "pyarrow")
    import duckdb

    connection = duckdb.connect()
    connection.execute("pragma default_collation = 'NOCASE'")
    with pytest.raises(DataError, match=r"compares text by the rules of a language.*collation to binary"):
        carob.evaluate(
            {"q": {"A": 1}}, by_its_engine(connection.sql("select 'q' as qid, 'A' as docno, 1.0 as score"))
        )


def test_spark_has_no_python_step_and_one_job_for_all_measures(spark: Any) -> None:
    run = by_its_engine(spark_table(spark, RUN).select("qid", "docno", "score"))
    judgments = Qrels.of(QRELS).judgments
    for policy in (Policy(), Policy(ties="ascending", duplicates="max", scores="float32", depth=2)):
        frame = run.held.planned(judgments, MatchOptions(policy)).to_native()  # type: ignore[attr-defined]
        text = frame._jdf.queryExecution().executedPlan().toString()
        assert "Window" in text
        assert not [word for word in PYTHON_STEPS if word in text]
    jobs = []
    for place, measures in enumerate(
        (["AP"], ["AP", "AP@1", "nDCG@2", "nDCG@3", "P@5", "RR", "Bpref", "ERR", "R@9"])
    ):
        spark.sparkContext.setJobGroup(f"carob {place}", "")
        carob.evaluate(QRELS, run, measures)
        jobs.append(len(spark.sparkContext.statusTracker().getJobIdsForGroup(f"carob {place}")))
    assert jobs[0] == jobs[1] > 0


def test_judged_queries_and_documents_are_tables_of_numbered_text() -> None:
    needed("pyarrow")
    queries, judged = tables_of(Qrels.of(b"q 0 b 1\nq 0 \xff 1\n\xfe 0 b 1\np 0 a 0\n").judgments)
    assert queries.to_pydict() == {"query": ["p", "q"], "number": [0, 1]}
    assert judged.to_pydict() == {"number": [0, 1, 2], "document": ["a", "b", "b"], "judgment": [0, 1, 3]}


@pytest.mark.parametrize(
    ("whole", "wide"),
    [
        (2**53, False),
        (2**53 + 1, True),
        (-(2**53) - 1, True),
        (2**54 + 2, True),
        (2**54 + 4, False),
        (0, False),
    ],
)
def test_whole_numbers_without_a_double_are_marked(whole: int, wide: bool) -> None:
    needed("polars")
    import narwhals as nw
    import polars as pl

    rows = scored_rows(
        nw.from_native(pl.LazyFrame({"a": ["q"], "b": [7], "c": [whole]})),
        {"query": "a", "document": "b", "score": "c"},
    )
    assert rows.collect().to_native().to_dicts() == [
        {"query": "q", "document": "7", "score": float(whole), "unheld": wide}
    ]


def test_what_comes_back_is_sorted_by_query_and_rank() -> None:
    """Query 0 has two judged documents and another, query 1 has no row, query 2 one tie of its whole list."""
    needed("pyarrow")
    import pyarrow as pa

    found = pa.table(
        {
            "number": [2, 0, 0, 2, 0],
            "judgment": [5, 1, None, 4, 0],
            "rank": [2, 3, None, 1, 1],
            "tie_first": [1, 3, 0, 1, 1],
            "tie_last": [2, 3, 0, 2, 1],
            "length": [1, 1, 1, 1, 1],
            "dropped": [0, 1, 2, 0, 0],
        }
    )
    its = extracted(3, found, {"extra": 4, "lines": 9, "infinite": None})
    assert its.length.tolist() == [3, -1, 2]
    assert its.offsets.tolist() == [0, 2, 2, 4]
    assert (its.rank.tolist(), its.judgment.tolist()) == ([1, 3, 1, 2], [0, 1, 4, 5])
    assert (its.tie_first.tolist(), its.tie_last.tolist()) == ([1, 3, 1, 1], [1, 3, 2, 2])
    assert (len(its.extra), its.dropped, its.line_count, its.infinite) == (4, 3, 9, 0)
    assert its.constant.tolist() == [False, False, True]
