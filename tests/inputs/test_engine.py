"""Tables of engines are ranked where they are: what is found, what is refused, what comes back."""

from __future__ import annotations

import math
import pickle
import random
import shutil
from importlib.util import find_spec
from typing import Any

import pytest
from tests.inputs.engines import (
    MEASURES,
    NESTED,
    QRELS,
    RUN,
    TWICE,
    Columns,
    by_ibis,
    by_its_engine,
    on_engines,
    polars_lazy,
    program,
    spark_table,
    values_of,
    without_rank,
)

import carob
from carob import DataError, Policy, PolicyError, Run
from carob.inputs.runs import MatchOptions, as_mapping
from carob.inputs.runs.engine import EngineRun
from test_conformance import needed


def sqlframe_frame(columns: Columns) -> Any:
    needed("sqlframe", "duckdb", "pyarrow")
    from sqlframe.duckdb import DuckDBSession

    return DuckDBSession().createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))


@on_engines
def test_an_engine_finds_what_dicts_hold(make: Any) -> None:
    found = carob.evaluate(QRELS, by_its_engine(make(RUN)), MEASURES)
    wanted = carob.evaluate(QRELS, NESTED, MEASURES)
    assert values_of(found) == values_of(wanted)
    assert found.bounds == wanted.bounds
    counts = found.counts
    assert (counts.missing, counts.extra, counts.tied, counts.lines) == (("p",), 1, 1, 6)


FACTS = {"a": 1.0, "b": 1.0, "c": 1.0}
TOLD = {
    "equal scores": {"q": FACTS, "z": FACTS, "other": FACTS},
    "equal scores of unjudged documents": {"q": {"u": 2.0, "v": 2.0, "w": 2.0}, "z": {**FACTS, "d": 0.5}},
    "infinite scores": {"q": {"b": math.inf, "a": 1.0}, "z": {"a": -math.inf}, "other": {"b": math.inf}},
    "large scores": {"q": {"b": 1e300, "a": -1e300}, "z": {"a": 0.0}},
}
"""Runs that a footer says something about, or not."""


def in_rows(run: dict[str, dict[str, float]]) -> Columns:
    rows = [(query, document, score) for query, its in run.items() for document, score in its.items()]
    return dict(zip(("qid", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("case", TOLD)
@on_engines
def test_an_engine_tells_of_equal_and_infinite_scores(make: Any, case: str) -> None:
    found = carob.evaluate(QRELS, by_its_engine(make(in_rows(TOLD[case]))), MEASURES)
    wanted = carob.evaluate(QRELS, TOLD[case], MEASURES, name="mine")
    assert (found.counts.constant, found.counts.infinite) == (wanted.counts.constant, wanted.counts.infinite)
    assert found.footer() == wanted.footer()


@pytest.mark.parametrize("extract", ["engine", "executors"])
def test_spark_tells_of_equal_and_infinite_scores(spark: Any, extract: str) -> None:
    for case, run in TOLD.items():
        table = spark_table(spark, in_rows(run))
        found = carob.evaluate(QRELS, Run.of(table, "mine", extract=extract), MEASURES)
        assert found.footer() == carob.evaluate(QRELS, run, MEASURES, name="mine").footer(), case


@on_engines
def test_people_see_the_documents_that_the_engine_holds(make: Any) -> None:
    run, policy = by_its_engine(make(RUN)), Policy()
    assert run.held.rankings([b"q"], MatchOptions(policy)) == [
        ([b"c", b"b", b"d", b"a"], [2.0, 2.0, 1.0, 1.0])
    ]
    assert as_mapping(run.held, [b"z", b"other", b"\xff"]) == {"z": {"a": 0.0}, "other": {"b": 7.0}}
    many = [f"none{number}".encode() for number in range(200)]
    assert as_mapping(run.held, [*many, b"z"]) == {"z": {"a": 0.0}}
    assert len([*run.held.rows()]) == 6
    assert (
        carob.explain("AP", QRELS, run, query="q").value
        == carob.explain("AP", QRELS, NESTED, query="q").value
    )
    both = carob.compare(QRELS, {"one": run, "other": NESTED}, ["AP", "RR"])
    assert both.scores[0].means() == both.scores[1].means()


@on_engines
def test_ranks_settle_ties_or_stand_for_scores(make: Any) -> None:
    table = make(RUN)
    by_rank = Policy(ties="rank-column")
    assert carob.evaluate(QRELS, by_its_engine(table), MEASURES, policy=by_rank).by_query("RR")["q"] == 1 / 2
    assert carob.evaluate(QRELS, by_its_engine(table, rank="rank"), MEASURES).by_query("AP")[
        "q"
    ] == pytest.approx((1 / 2 + 2 / 4) / 3)
    equal = make({**RUN, "rank": [1, 1, 1, 1, 1, 1]})
    with pytest.raises(DataError, match="query 'q' a judged document has the same score and rank as another"):
        carob.evaluate(QRELS, by_its_engine(equal), MEASURES, policy=by_rank)
    with pytest.raises(DataError, match="has no ranks"):
        carob.evaluate(QRELS, by_its_engine(make(without_rank(RUN))), MEASURES, policy=by_rank)


@on_engines
def test_ties_in_the_order_of_rows_are_refused_where_there_are_any(make: Any) -> None:
    ties = Policy(ties="input")
    with pytest.raises(
        DataError, match=r"query 'q' a judged document has the same score as another.*ties='rank-column'"
    ):
        carob.evaluate(QRELS, by_its_engine(make(RUN)), MEASURES, policy=ties)
    apart = {**RUN, "score": [4.0, 3.0, 2.0, 1.0, 0.0, 7.0]}
    assert carob.evaluate(QRELS, by_its_engine(make(apart)), "RR", policy=ties).by_query("RR")["q"] == 1 / 2


@on_engines
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"score": [1.0, None, 2.0, 1.0, 0.0, 7.0]}, "column 'score' is null in 1 row, in query 'q'"),
        (
            {"docno": ["a", "b", "c", "d", None, None]},
            "column 'docno' is null in 2 rows, one of them in query 'other'",
        ),
        ({"qid": ["q", "q", "q", "q", "z", None]}, r"column 'qid' is null in 1 row\. Fill in"),
        (
            {"score": [1.0, 2.0, 2.0, 1.0, 0.0, float("nan")]},
            "'score' is NaN in 1 row, in query 'other'",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_named(make: Any, changed: Columns, said: str) -> None:
    with pytest.raises(DataError, match=said):
        carob.evaluate(QRELS, by_its_engine(make({**without_rank(RUN), **changed})), MEASURES)


@on_engines
def test_ranks_are_whole_numbers(make: Any) -> None:
    table = make({**RUN, "rank": [3.0, 2.0, 1.5, 4.0, 1.0, 1.0]})
    with pytest.raises(
        DataError, match="'rank' contains a rank that is not a whole number in 1 row, in query 'q'"
    ):
        carob.evaluate(QRELS, by_its_engine(table, rank="rank"), MEASURES)
    table = make({**RUN, "rank": [3, 2, -1, 4, 1, 1]})
    with pytest.raises(DataError, match="'rank' contains a negative rank"):
        carob.evaluate(QRELS, by_its_engine(table, rank="rank"), MEASURES)


@pytest.mark.parametrize(
    ("policy", "measures", "said"),
    [
        (Policy(listing="known"), ["AP"], "listing=known needs an order of rows"),
        (
            Policy(ties="rank-column", duplicates="max"),
            ["AP"],
            "unclear which duplicate's rank ties=rank-column should use",
        ),
        (Policy(), ["AUC(micro=true)"], "need every document.s score.*in-memory frame"),
    ],
)
def test_what_an_engine_cannot_give_is_refused(policy: Policy, measures: list[str], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        carob.evaluate(QRELS, by_its_engine(polars_lazy(RUN)), measures, policy=policy)


def test_columns_and_tables_that_cannot_be_used_are_named() -> None:
    with pytest.raises(DataError, match="usual name for the query"):
        by_its_engine(polars_lazy({"a": ["q"], "docno": ["a"], "score": [1.0]}))
    with pytest.raises(
        DataError, match="Column 'score' of the run frame contains text, but a score must be a number"
    ):
        by_its_engine(polars_lazy({"qid": ["q"], "docno": ["a"], "score": ["1"]}))
    with pytest.raises(
        DataError, match="extract='server' is unknown: the choices are 'engine' and 'executors'"
    ):
        Run.of(polars_lazy(RUN), extract="server")
    with pytest.raises(DataError, match=r"extract='executors' needs a Spark DataFrame.*from polars"):
        Run.of(polars_lazy(RUN), extract="executors")
    needed("pandas")
    import pandas as pd

    with pytest.raises(DataError, match=r"pandas cannot rank its tables itself.*duckdb"):
        Run.of(pd.DataFrame(without_rank(RUN)), extract="engine")


def test_a_run_without_rows_lacks_every_query() -> None:
    needed("polars")
    import polars as pl

    empty = pl.LazyFrame(schema={"qid": pl.String, "docno": pl.String, "score": pl.Float64})
    with pytest.raises(DataError, match="the run is empty"):
        carob.evaluate(QRELS, by_its_engine(empty), "AP")
    found = carob.evaluate(QRELS, by_its_engine(empty), "AP", policy=Policy(overlap="none"))
    assert (found["AP"], len(found.counts.missing), found.counts.lines) == (0.0, 3, 0)


@on_engines
def test_scores_come_back_as_a_table_of_the_engine(make: Any) -> None:
    table = make(RUN)
    scores = carob.evaluate(QRELS, by_its_engine(table), ["RR", "nDCG@3"])
    frame = scores.to_frame()
    import narwhals as nw
    import pyarrow as pa

    back: Any = nw.from_native(frame).lazy().collect("pyarrow").to_native()
    assert isinstance(back, pa.Table)
    assert dict(zip(back["query"].to_pylist(), back["RR"].to_pylist(), strict=True)) == scores.by_query("RR")
    if make is not polars_lazy:
        assert type(frame) is type(table)
        joined = nw.from_native(table).join(
            nw.from_native(frame), left_on="qid", right_on="query", how="inner"
        )
        assert joined.collect("pyarrow").to_native().num_rows == 5
    there = pickle.loads(pickle.dumps(scores))
    assert there.means() == scores.means()
    assert there.inputs["run"].home is None


@on_engines
def test_whatever_takes_runs_takes_those_of_engines(make: Any) -> None:
    run = by_its_engine(make(RUN))
    assert carob.curve(["P"], QRELS, run)["P"] == carob.curve(["P"], QRELS, NESTED)["P"]
    by_subtopic = {"q": {"1": {"b": 1, "a": 1}, "2": {"d": 1}}, "z": {"1": {"a": 1}}}
    assert carob.evaluate(by_subtopic, run, "alphanDCG").means() == (
        carob.evaluate(by_subtopic, NESTED, "alphanDCG").means()
    )
    weights = {"q": 3.0, "p": 1.0, "z": 0.5}
    assert carob.evaluate(QRELS, run, MEASURES, weights=weights).means() == (
        carob.evaluate(QRELS, NESTED, MEASURES, weights=weights).means()
    )
    assert "missing-queries" in {each.code for each in carob.check(QRELS, run).findings}


def test_dask_is_computed_and_read_here() -> None:
    needed("dask", "pandas", "pyarrow")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dask's and narwhals' own
        import dask.dataframe as dd
        import pandas as pd

        table = dd.from_pandas(pd.DataFrame(without_rank(RUN)), npartitions=2)
        found = carob.evaluate(QRELS, table, MEASURES)
        with pytest.raises(DataError, match="dask cannot rank its tables itself"):
            Run.of(table, extract="engine")
    assert values_of(found) == values_of(carob.evaluate(QRELS, NESTED, MEASURES))


# ---------------------------------------------------------------- Spark


def test_spark_is_read_where_it_is_and_gets_its_scores_back(spark: Any) -> None:
    qrels = {"query_id": [7, 7, 9], "item_id": [11, 12, 30], "rating": [2, 1, 1]}
    run = {"user_id": [7, 9, 7, 7], "item_id": [12, 31, 11, 5], "prediction": [0.9, 0.8, 0.7, 0.1]}
    judged, ranked = spark_table(spark, qrels), spark_table(spark, run)
    scores = carob.evaluate(judged, ranked, ["RR", "nDCG@10"])
    assert isinstance(Run.of(ranked).held, EngineRun)
    frame = scores.to_frame()
    assert type(frame) is type(ranked)
    assert frame.sparkSession is ranked.sparkSession
    assert frame.join(ranked, frame["query"] == ranked["user_id"]).count() == 4
    assert {row["query"]: row["RR"] for row in frame.collect()} == {7: 1.0, 9: 0.0}
    assert pickle.loads(pickle.dumps(scores)).to_frame().count() == 2  # in the session that is active there


def test_spark_says_in_a_sentence_what_it_cannot(spark: Any) -> None:
    with pytest.raises(DataError, match="run frame of pyspark: document 'u' is listed twice for query 'q'"):
        carob.evaluate(QRELS, spark_table(spark, TWICE), "AP")
    broken = spark_table(spark, without_rank(RUN)).selectExpr("qid", "docno", "1 / (score - score) as score")
    with pytest.raises(DataError, match=r"The run frame from pyspark cannot be read: .*DIVIDE_BY_ZERO"):
        carob.evaluate(QRELS, broken, "AP")


CONNECT = """
import warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import carob
spark = SparkSession.builder.remote("local[1]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "1")
run = spark.createDataFrame([("q", "a", 1.0), ("q", "b", 2.0), ("p", "b", 2.0)], ["qid", "docno", "score"])
qrels = spark.createDataFrame([("q", "a", 1)], ["qid", "docno", "rel"])
assert type(run).__module__.startswith("pyspark.sql.connect"), type(run)
scores = carob.evaluate(qrels, run, ["RR"])
ranked = carob.evaluate(qrels, carob.Run.of(run, extract="engine"), ["RR"])
assert ranked.means() == scores.means() and ranked.counts.as_dict() == scores.counts.as_dict()
there = carob.evaluate(qrels, carob.Run.of(run, extract="executors"), ["RR"])
assert there.means() == scores.means() and there.counts.as_dict() == scores.counts.as_dict()
assert carob.evaluate(qrels, run.repartition(3), ["RR"]).means() == scores.means()
print(scores["RR"], scores.counts.extra, scores.to_frame().collect())
"""


def test_spark_connect_gives_the_same() -> None:
    needed("pyspark", "grpc", "grpc_status", "pandas", "pyarrow")
    if find_spec("google.protobuf") is None:
        pytest.skip("needs protobuf, which Spark Connect speaks")
    if shutil.which("java") is None:
        pytest.skip("needs Java, on which Spark's server runs")
    done = program(CONNECT)
    assert "0.5 1 [Row(query='q', RR=0.5)]" in done.stdout, done.stderr[-2000:]


@pytest.mark.parametrize("make", [by_ibis, sqlframe_frame])
def test_engines_away_from_this_process_are_asked_where_they_are(make: Any) -> None:
    """Beside Spark, which the conformance suite has."""
    draw = random.Random(11)
    ids = ["a", "b", "B", "é", "z", "10", "9"]
    qrels = {
        str(query): {each: draw.choice([0, 1, 2]) for each in draw.sample(ids, 3)} for query in range(40)
    }
    run = {
        str(query): {each: draw.choice([0.0, 1.0, 1.0, 2.5]) for each in draw.sample(ids, 5)}
        for query in range(5, 45)
    }
    rows = [(query, each, score) for query, its in run.items() for each, score in its.items()]
    columns = {name: [*values] for name, values in zip(("qid", "docno", "score"), zip(*rows))}
    wanted = carob.evaluate(qrels, run, MEASURES)
    found = carob.evaluate(qrels, make(columns), MEASURES)
    assert isinstance(Run.of(make(columns)).held, EngineRun)
    assert values_of(found) == values_of(wanted)
    assert found.counts.extra == 5
    table = found.to_frame()
    assert type(table) is type(make(columns))
