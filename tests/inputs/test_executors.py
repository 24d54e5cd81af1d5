"""Executors of Spark rank what lies with them: the same numbers to the bit, in bounded memory, or a sentence."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from tests.inputs.engines import (
    FIELDS,
    MEASURES,
    NESTED,
    QRELS,
    RUN,
    SPARK,
    TWICE,
    kept_by,
    program,
    spark_table,
    values_of,
    without_rank,
)

import carob
from carob import DataError, Policy, Qrels, Run
from carob.inputs.runs import MatchOptions, SpillFile, executors
from test_conformance import needed


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
        ("first", "no order that determines the first"),
        ("last", "no order that determines the last"),
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
