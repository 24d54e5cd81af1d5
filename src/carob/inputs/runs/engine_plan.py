"""Builds the query plan that finds a run's judged rows in an engine.

The plan uses narwhals expressions and, for window functions in Spark, Spark's own expressions.

The engine filters, joins, ranks and counts. It returns one row for each judged document retrieved, one row for the
other documents of each query, and one row about the whole run. The plan itself is lazy and starts no job.

The run is read in two branches. One ranks the rows of judged queries, and the other counts the queries of all rows. A
single branch would have to rank all rows, but a run may have a hundred times as many queries as the judgments.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._numpy import np
from carob.inputs.ids import unicode
from carob.inputs.runs import Extracted
from carob.lists.rows import offsets_of

if TYPE_CHECKING:
    import narwhals as nw

    from carob import _native
    from carob.inputs.runs import MatchOptions
    from carob.lists.rows import Integers


Lazy: TypeAlias = "nw.LazyFrame[Any]"
LARGEST = sys.float_info.max
LETTERS = "Baz\u00e9\uffee\U0001f600"
"""Letters in byte order. No language sorts them in this order, nor does UTF-16."""


def scored_rows(table: Lazy, chosen: dict[str, str]) -> Lazy:
    """Returns the columns ``query`` and ``document`` as text, and ``score`` and, if present, ``rank`` as doubles.

    If the scores are whole numbers, the column ``unheld`` marks the scores that no double represents.

    Args:
        table: the run.
        chosen: the columns by role.
    """
    import narwhals as nw

    columns = [nw.col(chosen[role]).cast(nw.String).alias(role) for role in ("query", "document")]
    columns += [
        nw.col(chosen[role]).cast(nw.Float64).alias(role) for role in ("score", "rank") if role in chosen
    ]
    if "score" in chosen and table.collect_schema()[chosen["score"]].is_integer():
        columns.append(unheld(nw.col(chosen["score"])).alias("unheld"))
    rows = table.select(*columns)
    return rows if "score" in chosen else rows.with_columns(score=0 - nw.col("rank"))


def unheld(whole: nw.Expr) -> nw.Expr:
    """Returns an expression that is true for whole numbers without an exact double.

    Doubles are 2 apart from 2**53, 4 apart from 2**54, and so on. A cast to double and back is not used as the test,
    because it may overflow, and engines then behave differently.
    """
    import narwhals as nw

    return nw.any_horizontal(
        *(
            ((whole > 2 ** (52 + power)) | (whole < -(2 ** (52 + power)))) & (whole % 2**power != 0)
            for power in range(1, 11)
        ),
        ignore_nulls=True,
    )


def faults(chosen: dict[str, str], rows: Lazy) -> dict[str, nw.Expr]:
    """Returns expressions for the faults in a row of ``scored_rows``, by the kind of fault and the column."""
    import narwhals as nw

    found = {f"null {role}": nw.col(role).is_null() for role in chosen}
    if "score" in chosen:
        found["nan score"] = nw.col("score").is_nan()
        if "unheld" in rows.collect_schema():
            found["wide score"] = nw.col("unheld")
    if "rank" in chosen:
        found["fraction rank"] = nw.col("rank") != nw.col("rank").round(0)
        if "score" not in chosen:
            found["below-zero rank"] = nw.col("rank") < 0
    return {kind: fault.fill_null(False) for kind, fault in found.items()}


def plan(rows: Lazy, unfit: dict[str, nw.Expr], queries: Lazy, judged: Lazy, options: MatchOptions) -> Lazy:
    """Returns the plan of the single table that the engine computes.

    Args:
        rows: the run, from ``scored_rows``.
        unfit: the faults of the rows, from ``faults``.
        queries: the judged queries, with the columns ``query`` and ``number``.
        judged: the judged documents, with the ``number`` of the query, the ``document`` and the number of the
            ``judgment``.
        options: the options of the match.

    Returns:
        A row for each judged document retrieved: the ``number`` of its query, its ``judgment``, ``rank``, ``tie_first``
        and ``tie_last``, and how many rows are ``equal`` to it under ``rank-column``. One more row per query, without a
        judgment, stands for its other documents. All these rows contain the number of documents that they stand for
        (``length``), how many rows were ``dropped``, and whether a document occurs ``twice`` within the depth. A last
        row, without a query, contains the number of ``lines`` in the run, how many ``extra`` queries are not judged,
        how many scores of judged queries are ``infinite``, whether text is ordered ``bytewise``, and how many rows have
        each fault.
    """
    import narwhals as nw

    found = ranked(rows.join(queries, on="query", how="inner"), judged, options)
    facts = counted(rows, unfit, queries)
    own, its = found.collect_schema(), facts.collect_schema()
    order = [*own, *its]
    return nw.concat(
        [
            found.with_columns(**{name: nw.lit(None, dtype=its[name]) for name in its}).select(*order),
            facts.with_columns(**{name: nw.lit(None, dtype=own[name]) for name in own}).select(*order),
        ]
    )


def ranked(rows: Lazy, judged: Lazy, options: MatchOptions) -> Lazy:
    """Returns the judged rows with their ranks and, for each query, one row for all other documents."""
    import narwhals as nw

    # Negative zero equals zero, but some engines sort and group by bits.
    score = nw.col("score")
    if options.float32:
        score = score.cast(nw.Float32).cast(nw.Float64)
    rows = rows.with_columns(score=nw.when(score == 0.0).then(nw.lit(0.0)).otherwise(score))
    if options.duplicates == "max":
        rows = rows.group_by("number", "document").agg(nw.col("score").max(), copies=nw.len())
    else:
        rows = rows.with_columns(copies=nw.lit(1))
    rows = with_windows(rows.join(judged, on=["number", "document"], how="left"), options)
    upwards = options.rule in ("ascending", "rank-column")
    before = nw.col("place") - 1 if upwards else nw.col("same") - nw.col("place")
    rows = rows.with_columns(
        rank=nw.col("tie_first") + before, tie_last=nw.col("tie_first") + nw.col("same") - 1
    )
    rows = marked_twice(rows, options)
    # Aggregates only whole numbers, because engines such as Spark sort again to aggregate text.
    return rows.group_by("number", "judgment").agg(
        nw.col("rank", "tie_first", "tie_last").min(),
        nw.col("twice", "equal").max(),
        nw.len().cast(nw.Int64).alias("length"),
        (nw.col("copies") - 1).sum().cast(nw.Int64).alias("dropped"),
    )


def with_windows(rows: Lazy, options: MatchOptions) -> Lazy:
    """Returns the rows with the results of the window functions as further columns."""
    import narwhals as nw

    if rows.implementation.is_pyspark() or rows.implementation.is_pyspark_connect():
        beside: Lazy = nw.from_native(
            spark_windows(rows.to_native(), "rank" if options.rule == "rank-column" else "document")
        )
        return beside
    return rows.with_columns(**windows(options))


def windows(options: MatchOptions) -> dict[str, nw.Expr]:
    """Returns the window functions that the rule for ties needs. An engine sorts the rows for each window function."""
    import narwhals as nw

    key = "rank" if options.rule == "rank-column" else "document"
    found = {
        "tie_first": nw.col("score").rank("min", descending=True).over("number"),
        "same": nw.len().over("number", "score"),
        "place": nw.col(key).rank("ordinal").over("number", "score"),
        "equal": nw.len().over("number", "score", "rank") if key == "rank" else nw.lit(1),
    }
    return {name: count.cast(nw.Int64) for name, count in found.items()}


def marked_twice(rows: Lazy, options: MatchOptions) -> Lazy:
    """Adds the flag ``twice`` to rows within the depth whose document also occurs at a better rank."""
    import narwhals as nw

    if options.duplicates == "max":
        return rows.with_columns(twice=nw.lit(0).cast(nw.Int64))
    if options.duplicates == "keep" and options.policy.depth is not None:
        again = nw.col("rank").rank("ordinal").over("number", "document") > 1
        return rows.with_columns(twice=(again & (nw.col("rank") <= options.policy.depth)).cast(nw.Int64))
    # Engines can count with a hash table, but must sort to rank.
    numbers = ("rank", "tie_first", "tie_last", "equal", "copies")
    return rows.group_by("number", "document").agg(
        nw.col("judgment").max(),
        *(nw.col(name).min() for name in numbers),
        twice=(nw.len() > 1).cast(nw.Int64),
    )


def counted(rows: Lazy, unfit: dict[str, nw.Expr], queries: Lazy) -> Lazy:
    """Returns one row with the counts of the whole run."""
    import narwhals as nw

    # All rows of judged queries form one group, so an engine moves only one row for each unjudged query.
    rows = rows.join(queries, on="query", how="left").with_columns(
        stranger=nw.when(nw.col("number").is_null()).then(nw.col("query")),
        infinite=(~nw.col("number").is_null() & (nw.col("score").abs() > LARGEST)).cast(nw.Int64),
        **{kind: fault.cast(nw.Int64) for kind, fault in unfit.items()},
    )
    by_stranger = rows.group_by("stranger").agg(
        nw.len().cast(nw.Int64).alias("lines"),
        *(nw.col(kind).sum().cast(nw.Int64) for kind in ("infinite", *unfit)),
    )
    by_stranger = by_stranger.with_columns(
        extra=(~nw.col("stranger").is_null()).cast(nw.Int64),
        bytewise=nw.min_horizontal(
            *((nw.lit(each) < nw.lit(after)).cast(nw.Int64) for each, after in pairwise(LETTERS))
        ),
    )
    return by_stranger.select(
        nw.col("lines", "extra", "infinite").sum().cast(nw.Int64),
        nw.col("bytewise").min(),
        *(nw.col(kind).sum().cast(nw.Int64) for kind in unfit),
    )


def spark_windows(rows: Any, key: str) -> Any:
    """Returns the rows of a DataFrame with the columns of ``windows``, computed with Spark's own expressions.

    Args:
        rows: the columns ``number``, ``document``, ``score`` and, if present, ``rank``.
        key: the column that orders rows with equal scores.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as spark

    query = Window.partitionBy("number")
    by_score = query.orderBy(spark.desc("score"))
    by_key = query.orderBy(spark.desc("score"), spark.asc(key))
    equal = by_key.rangeBetween(Window.currentRow, Window.currentRow)
    tie_first = spark.rank().over(by_score)
    # Counts the rows up to the last equal score. Spark has already read them, so it need not look ahead twice.
    tie_last = spark.count("*").over(by_score.rangeBetween(Window.unboundedPreceding, Window.currentRow))
    counts = {
        "tie_first": tie_first,
        "same": tie_last - tie_first + 1,
        "place": spark.row_number().over(by_key) - tie_first + 1,
        "equal": spark.count("*").over(equal) if key == "rank" else spark.lit(1),
    }
    return rows.withColumns({name: count.cast("bigint") for name, count in counts.items()})


def tables_of(judgments: _native.Judgments) -> tuple[Any, Any]:
    """Returns PyArrow tables of the judged queries and the judged documents, with their numbers."""
    import pyarrow as pa

    count = len(judgments.queries)
    documents = [each for number in range(count) for each in judgments.documents(number)]
    queries = {"query": texts(judgments.queries), "number": np.arange(count)}
    judged = {
        "number": np.repeat(np.arange(count), np.diff(judgments.offsets)),
        "document": texts(documents),
        "judgment": np.arange(len(documents)),
    }
    return pa.table(queries).drop_null(), pa.table(judged).drop_null()


def texts(ids: list[bytes]) -> Any:
    """Returns ids as a text column, with null for ids that are not UTF-8."""
    import pyarrow as pa

    try:
        return pa.array(ids, pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array(map(unicode, ids), pa.string())


def extracted(queries: int, found: Any, facts: dict[str, Any]) -> Extracted:
    """Returns the judged rows in rank order, and the length of every list."""
    number, length, dropped = (integers(found, name) for name in ("number", "length", "dropped"))
    lengths = np.bincount(number, length, queries).astype(np.int64)
    lengths[lengths == 0] = -1  # an engine's table contains no empty lists
    whole = (integers(found, "tie_first") == 1) & (integers(found, "tie_last") == lengths[number])
    judged = found.filter(found["judgment"].is_valid())
    row_number, rank = integers(judged, "number"), integers(judged, "rank")
    order = np.lexsort((rank, row_number))
    tie_first, tie_last, judgment = (
        integers(judged, name)[order] for name in ("tie_first", "tie_last", "judgment")
    )
    return Extracted(
        lengths,
        offsets_of(row_number[order], queries),
        rank[order],
        tie_first,
        tie_last,
        judgment,
        extra=range(facts["extra"] or 0),
        dropped=int(dropped.sum()),
        line_count=facts["lines"] or 0,
        infinite=facts["infinite"] or 0,
        constant=np.bincount(number[whole], minlength=queries) > 0,
    )


def integers(table: Any, name: str) -> Integers:
    """Returns a column of whole numbers."""
    values: Integers = table[name].to_numpy().astype(np.int64)
    return values
