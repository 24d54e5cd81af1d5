"""karat's evaluate on tables of Spark, ranked by karat's kernel in Spark's executors."""

from __future__ import annotations

from typing import Any

import karat
from bench.spark_session import MEASURES
from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "karat"


def run(truth: Any, run: Any) -> list[float]:
    """The means."""
    ranked = karat.Run.of(run, extract="executors")
    return list(karat.evaluate(truth, ranked, MEASURES, profile="spark").means().values())
