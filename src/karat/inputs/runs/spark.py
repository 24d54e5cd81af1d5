"""The windows of the plan in Spark's own expressions, which sort a query's rows once for all of them.

Through narwhals each window has an order of its own, and one of them is partitioned by a score, which Spark takes for
another expression than the score that it has sorted by: one sort more.
"""

from __future__ import annotations

from typing import Any

__all__ = ["with_windows"]


def with_windows(rows: Any, key: str) -> Any:
    """The columns of ``karat.inputs.runs.engine_plan.windows`` beside the rows of a DataFrame.

    Args:
        rows: ``number``, ``document``, ``score`` and perhaps ``rank``.
        key: the column that orders rows of equal scores.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as spark

    query = Window.partitionBy("number")
    by_score = query.orderBy(spark.desc("score"))
    by_key = query.orderBy(spark.desc("score"), spark.asc(key))
    equal = by_key.rangeBetween(Window.currentRow, Window.currentRow)
    tie_first = spark.rank().over(by_score)
    # Up to the last of the equal scores, as far as Spark has come by then: it need not look ahead twice.
    tie_last = spark.count("*").over(by_score.rangeBetween(Window.unboundedPreceding, Window.currentRow))
    counts = {
        "tie_first": tie_first,
        "same": tie_last - tie_first + 1,
        "place": spark.row_number().over(by_key) - tie_first + 1,
        "equal": spark.count("*").over(equal) if key == "rank" else spark.lit(1),
    }
    return rows.withColumns({name: count.cast("bigint") for name, count in counts.items()})
