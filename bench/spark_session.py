"""The Spark session in which each tool is timed, and the tables that it reads."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MEASURES", "tables"]

MEASURES = ("precisionAt@10", "recallAt@10", "ndcgAt@10", "meanAveragePrecisionAt@10", "meanAveragePrecision")
"""The measures, named as in carob's profile ``spark``. A tool without the last measure returns None."""

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""A small number of partitions for two cores. With Spark's default of 200, every tool mostly waits for empty tasks."""


def tables(truth: Path, run: Path) -> tuple[Any, Any]:
    """Returns the relevant and the recommended items of each user as tables that Spark reads from files."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # otherwise, Spark's workers use whatever python3 is
    session = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
    return session.read.parquet(str(truth)), session.read.parquet(str(run))
