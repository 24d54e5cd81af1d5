"""Tables of engines are ranked where they are: what is found, what is refused, what the plan holds, what comes back."""

from __future__ import annotations

import math
import os
import pickle
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

import carob
from carob import DataError, Policy, PolicyError, Qrels, Run
from carob.inputs.runs import MatchOptions, SpillFile, as_mapping, executors
from carob.inputs.runs.engine import EngineRun
from test_conformance import needed

Columns = dict[str, list[Any]]

MEASURES = ["AP", "RR", "nDCG@3", "P@2", "NumRet"]
PYTHON_STEPS = ("Python", "Pandas", "MapInArrow", "BatchEval")


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


def sqlframe_frame(columns: Columns) -> Any:
    needed("sqlframe", "duckdb", "pyarrow")
    from sqlframe.duckdb import DuckDBSession

    return DuckDBSession().createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))


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


def without_rank(columns: Columns) -> Columns:
    return {name: values for name, values in columns.items() if name != "rank"}


def values_of(scores: carob.Scores) -> list[dict[str, float]]:
    return [scores.by_query(measure) for measure in MEASURES]


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


TWICE: Columns = {"qid": ["q"] * 4, "docno": ["a", "b", "u", "u"], "score": [4.0, 3.0, 2.0, 1.0]}


@on_engines
def test_a_document_twice_is_refused_within_the_depth(make: Any) -> None:
    run = by_its_engine(make(TWICE))
    with pytest.raises(
        DataError, match=r"'u' is listed twice for query 'q'. Remove one, or keep the highest"
    ):
        carob.evaluate(QRELS, run, MEASURES)
    with pytest.raises(DataError, match=r"'u' is listed twice.*no order that shows the first"):
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
    with pytest.raises(DataError, match="'rank' is not a whole number in 1 row, in query 'q'"):
        carob.evaluate(QRELS, by_its_engine(table, rank="rank"), MEASURES)
    table = make({**RUN, "rank": [3, 2, -1, 4, 1, 1]})
    with pytest.raises(DataError, match="'rank' holds a rank below 0"):
        carob.evaluate(QRELS, by_its_engine(table, rank="rank"), MEASURES)


@pytest.mark.parametrize(
    ("policy", "measures", "said"),
    [
        (Policy(listing="known"), ["AP"], "listing=known needs an order of rows"),
        (Policy(ties="rank-column", duplicates="max"), ["AP"], "needs to know whose rank counts"),
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
        DataError, match="Column 'score' of the run frame holds text, but a score is a number"
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


def spark_table(spark: Any, columns: Columns) -> Any:
    names = list(columns)
    return spark.createDataFrame([*zip(*columns.values(), strict=True)], names)


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


SPARK = ["qid", "docno", "score"]
FIELDS = ("length", "offsets", "rank", "tie_first", "tie_last", "judgment")


def kept_by(run: Run) -> EngineRun:
    assert isinstance(run.held, EngineRun)
    return run.held


def test_a_small_run_of_spark_is_collected_and_a_large_one_ranked_in_the_executors(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa

    judgments = Qrels.of(QRELS).judgments
    table = spark.createDataFrame(pa.table(without_rank(RUN)))
    held = kept_by(Run.of(table))
    for policy in (Policy(), Policy(ties="ascending", scores="float32"), Policy(duplicates="max", depth=2)):
        asked = MatchOptions(policy)
        found = []
        for limit in (1 << 24, 0):
            monkeypatch.setattr(executors, "SMALL", limit)
            assert executors.is_small(held.kernel_columns().to_native()) is (limit > 0)
            found.append(held.by_kernel(judgments, asked))
        found.append(held.found(judgments, asked))
        for name in FIELDS:
            first, *others = (getattr(each, name).tolist() for each in found)
            assert [first, first] == others, name
        counts = [(len(each.extra), each.dropped, each.line_count) for each in found if each is not None]
        assert counts[0] == counts[1] == counts[2]


@pytest.mark.parametrize("where", [None, "executors"])
def test_what_an_order_of_rows_decides_is_refused_by_spark_wherever_it_ranks(spark: Any, where: Any) -> None:
    for rule, said in (
        ("error", "listed twice"),
        ("first", "no order that shows"),
        ("last", "no order that"),
    ):
        run = Run.of(spark_table(spark, TWICE), extract=where)
        with pytest.raises(DataError, match=said):
            carob.evaluate(QRELS, run, "AP", policy=Policy(duplicates=rule))
    tied = Run.of(spark_table(spark, without_rank(RUN)), extract=where)
    with pytest.raises(DataError, match="query 'q' a judged document has the same score"):
        carob.evaluate(QRELS, tied, "AP", policy=Policy(ties="input"))
    broken = {**without_rank(RUN), "score": [1.0, 2.0, 2.0, 1.0, 0.0, float("nan")]}
    with pytest.raises(DataError, match="'score' is NaN in 1 row, in query 'other'"):
        carob.evaluate(QRELS, Run.of(spark_table(spark, broken), extract=where), "AP")


def test_the_plan_says_which_tables_are_small(spark: Any) -> None:
    """A join or a list that is taken apart may return any number of rows, and a step in Python may take any time."""
    few = spark.range(1000)
    assert executors.is_small(few.filter("id > 3").limit(10))
    for table in (
        few.crossJoin(few),
        few.selectExpr("explode(sequence(0, id))"),
        few.mapInArrow(lambda batches: batches, "id bigint"),
        spark.range(1 << 30),
    ):
        assert not executors.is_small(table)


LAWS: list[dict[str, Any]] = [
    {},
    {"ties": "ascending", "scores": "float32", "depth": 4},
    {"ties": "expected"},
    {"ties": "optimistic", "unjudged": "removed"},
    {"duplicates": "max", "judgments": "retrieved", "missing": "skip"},
    {"retrieved": "finite", "negative": "nonrelevant"},
]


def test_executors_give_to_the_bit_what_the_collected_table_gives(spark: Any) -> None:
    """A law: random tables with ties, nulls, repeated documents, queries that are missing or not judged."""
    import pyarrow as pa

    for seed, axes in enumerate(LAWS * 2):
        draw = random.Random(seed)
        policy, whole = Policy(**axes), seed % 2
        name = (lambda kind, number: number) if whole else (lambda kind, number: f"{kind}é{number}")
        qrels = {
            str(name("q", query)): {
                str(name("d", each)): draw.choice([-1, 0, 0, 1, 2]) for each in draw.sample(range(40), 9)
            }
            for query in range(30)
        }
        rows = [
            (name("q", query), name("d", each), draw.choice([-0.0, 0.0, 0.1, 1.0, 1.0 + 2**-40, 3.0]))
            for query in range(10, 45)
            for each in draw.sample(range(40), draw.randint(1, 30))
        ]
        if axes.get("duplicates") == "max":
            rows += [(query, each, draw.choice([0.05, 2.0])) for query, each, _ in draw.sample(rows, 50)]
        if axes.get("scores") is None and seed >= len(LAWS):
            rows.append((name("q", 12), name("d", 50), None))
        draw.shuffle(rows)
        table = pa.table(dict(zip(SPARK, map(list, zip(*rows, strict=True)), strict=True)))
        asked = [*MEASURES, "AUC(micro=true)"] if axes.get("ties") != "expected" else MEASURES
        there = Run.of(spark.createDataFrame(table).repartition(5), "run", extract="executors")
        if table["score"].null_count:
            with pytest.raises(DataError, match="'score' is null in 1 row, in query"):
                carob.evaluate(qrels, there, MEASURES, policy=policy)
            there = Run.of(spark.createDataFrame(table).dropna(), "run", extract="executors")
            table = table.drop_null()
        found = carob.evaluate(qrels, there, asked, policy=policy)
        wanted = carob.evaluate(qrels, Run.of(table, "run"), asked, policy=policy)
        assert [*found.queries] == [*wanted.queries]
        assert found.matrix.tobytes() == wanted.matrix.tobytes(), axes
        assert found.bounds == wanted.bounds
        assert replace(found.counts, unordered=0).as_dict() == replace(wanted.counts, unordered=0).as_dict()


def test_a_task_holds_no_more_rows_than_its_memory(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One query has all the rows of a task: they go to a file in Spark's folder."""
    needed("pyarrow")
    import pyarrow as pa

    count = 200_000
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    judgments = Qrels.of(
        {"q": {f"d{number}": 1 for number in range(0, count, 1000)}, "z": {"d1": 1}}
    ).judgments
    table = pa.table(
        {
            "query": ["q"] * count,
            "document": [f"d{number}" for number in range(count)],
            "score": [float(number % 777) for number in range(count)],
        }
    )
    options = MatchOptions(Policy())
    task = executors.SparkTask(
        lambda: judgments,
        tuple(table.column_names),
        options.order | options.returned | {"threads": 1},
        1 << 20,
    )
    sizes: list[int] = []
    append = SpillFile.append

    def noted(spill: SpillFile, rows: memoryview) -> int:
        assert spill.folder == str(tmp_path)
        sizes.append(len(rows))
        return append(spill, rows)

    monkeypatch.setattr(SpillFile, "append", noted)
    parts = pa.Table.from_batches([*task(table.to_batches(max_chunksize=10_000))])
    assert sum(sizes) > 2 << 20
    found, facts = executors.joined(parts, judgments, relevant_only=False)
    wanted = Run.of(table).match(judgments, options)
    for name in FIELDS:
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist(), name
    assert facts == executors.Facts(lines=count)


def test_the_result_of_a_task_is_cut_between_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    needed("pyarrow")
    import pyarrow as pa

    monkeypatch.setattr(executors, "CHUNK", 10)
    draw = random.Random(5)
    qrels = {str(query): {str(each): 1 for each in range(draw.randint(1, 25))} for query in range(40)}
    rows = [(str(query), str(each), draw.random()) for query in range(5, 50) for each in range(20)]
    draw.shuffle(rows)
    columns = dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
    judgments, options = Qrels.of(qrels).judgments, MatchOptions(Policy(), scores=True)
    task = executors.SparkTask(
        lambda: judgments, tuple(columns), options.order | options.returned | {"threads": 1}
    )
    tables = [pa.table({name: values[place::2] for name, values in columns.items()}) for place in (0, 1)]
    whole = pa.concat_tables(tables)
    parts = pa.Table.from_batches([*task(whole.to_batches())])
    assert len(parts) > 10
    found, _ = executors.joined(
        parts.take(draw.sample(range(len(parts)), len(parts))), judgments, relevant_only=False
    )
    wanted = Run.of(whole).match(judgments, options)
    for name in (*FIELDS, "scores"):
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist(), name


def test_executors_without_carob_are_named_or_passed_over(
    spark: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executors' Python finds a package that fails as an absent one does."""
    (tmp_path / "carob").mkdir()
    init = tmp_path / "carob" / "__init__.py"
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path))
    spark.conf.unset(executors.KNOWN)
    run = spark_table(spark, without_rank(RUN))
    judgments = Qrels.of(QRELS).judgments
    for text, said in (
        ("raise ModuleNotFoundError(\"No module named 'carob'\", name='carob')", "No module named 'carob'"),
        ("", "cannot import name '_version'"),
    ):
        init.write_text(text)
        with pytest.raises(
            DataError,
            match=rf"executors cannot run carob .*{said}.*Install carob.*spark.archives.*addArtifacts",
        ):
            carob.evaluate(QRELS, Run.of(run, extract="executors"), "AP")
        assert kept_by(Run.of(run)).by_kernel(judgments, MatchOptions(Policy())) is None
    (tmp_path / "carob" / "_version.py").write_text("__version__ = '0.0.1'")
    with pytest.raises(DataError, match=r"they have carob 0\.0\.1"):
        carob.evaluate(QRELS, Run.of(run, extract="executors"), "AP")
    assert values_of(carob.evaluate(QRELS, run, MEASURES)) == values_of(
        carob.evaluate(QRELS, NESTED, MEASURES)
    )
    # A session that had carob, whose executors no longer have it.
    init.write_text("raise ModuleNotFoundError(\"No module named 'carob'\", name='carob')")
    spark.conf.set(executors.KNOWN, carob.__version__)
    with pytest.raises(DataError, match=r"executors cannot run carob .*No module named 'carob"):
        carob.evaluate(QRELS, Run.of(run, extract="executors"), "AP")
    spark.conf.unset(executors.KNOWN)


def test_the_table_is_computed_once(spark: Any) -> None:
    """However it was made: each row that the table computes is counted."""
    seen = spark.sparkContext.accumulator(0)

    def counted(batches: Any) -> Any:
        for batch in batches:
            seen.add(len(batch))
            yield batch

    table = spark_table(spark, without_rank(RUN)).mapInArrow(
        counted, "qid string, docno string, score double"
    )
    found = carob.evaluate(QRELS, table, MEASURES)
    assert values_of(found) == values_of(carob.evaluate(QRELS, NESTED, MEASURES))
    assert seen.value == len(RUN["qid"])


RETRIED = """
import warnings
warnings.simplefilter("ignore")
from pyspark import TaskContext
from pyspark.sql import SparkSession
import carob
from carob.inputs.runs import executors

class Twice(executors.SparkTask):
    def __call__(self, batches):
        for number, part in enumerate(super().__call__(batches)):
            yield part
            if number == 1 and TaskContext.get().attemptNumber() == 0:
                raise OSError("this try fails after its first rows")

executors.SparkTask = Twice
settings = {"spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
spark = SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()
rows = [(f"q{query}", f"d{each}", float(each % 3)) for query in range(20) for each in range(query % 7 + 1)]
run = spark.createDataFrame(rows, ["qid", "docno", "score"])
qrels = {f"q{query}": {"d1": 1, "d0": 1} for query in range(15)}
nested = {}
for query, each, score in rows:
    nested.setdefault(query, {})[each] = score
found = carob.evaluate(qrels, carob.Run.of(run, extract="executors"), ["AP"])
wanted = carob.evaluate(qrels, nested, ["AP"])
assert (found.matrix == wanted.matrix).all() and found.counts.tied == wanted.counts.tied
print("rows", found.counts.lines == len(rows), "extra", found.counts.extra)
"""


def test_a_task_that_is_tried_again_counts_once(spark: Any) -> None:
    done = program(RETRIED)
    assert "rows True extra 5" in done.stdout, done.stderr[-2000:]
    assert "this try fails" in done.stderr


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
