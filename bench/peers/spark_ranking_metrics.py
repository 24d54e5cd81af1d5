"""RankingMetrics of PySpark from long tables, with windows and lists as users write them, and then an RDD."""

from __future__ import annotations

from typing import Any

from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "pyspark"


def run(truth: Any, run: Any) -> list[float]:
    """The means."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import Window
    from pyspark.sql import functions as sf

    best = Window.partitionBy("user_id").orderBy(sf.desc("score"))
    ranked = run.withColumn("rank", sf.row_number().over(best))
    items = sf.sort_array(sf.collect_list(sf.struct("rank", "item_id")))["item_id"]
    predicted = ranked.groupBy("user_id").agg(items.alias("predicted"))
    wanted = truth.groupBy("user_id").agg(sf.collect_list("item_id").alias("wanted"))
    metrics = RankingMetrics(wanted.join(predicted, "user_id").select("predicted", "wanted").rdd)
    found = (metrics.precisionAt, metrics.recallAt, metrics.ndcgAt, metrics.meanAveragePrecisionAt)
    return [*(measure(10) for measure in found), metrics.meanAveragePrecision]
