"""RankingEvaluator of pyspark.ml, which accepts lists of doubles as ids and needs one evaluator per measure."""

from __future__ import annotations

from typing import Any

from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "pyspark"

NAMES = ("precisionAtK", "recallAtK", "ndcgAtK", "meanAveragePrecisionAtK", "meanAveragePrecision")


def run(truth: Any, run: Any) -> list[float]:
    """The means."""
    from pyspark.ml.evaluation import RankingEvaluator
    from pyspark.sql import Window
    from pyspark.sql import functions as sf

    best = Window.partitionBy("user_id").orderBy(sf.desc("score"))
    item = sf.col("item_id").cast("double").alias("item")
    ranked = run.withColumn("rank", sf.row_number().over(best))
    items = sf.sort_array(sf.collect_list(sf.struct("rank", item)))["item"]
    predicted = ranked.groupBy("user_id").agg(items.alias("prediction"))
    wanted = truth.groupBy("user_id").agg(sf.collect_list(item).alias("label"))
    lists = wanted.join(predicted, "user_id")
    return [RankingEvaluator(metricName=name, k=10).evaluate(lists) for name in NAMES]
