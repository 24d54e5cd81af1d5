"""karat's evaluate on tables of Spark whose columns are collected, and matched by the kernel in this process."""

from __future__ import annotations

from typing import Any

import karat
from bench.spark_session import MEASURES
from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "karat"


def run(truth: Any, run: Any) -> list[float]:
    """The means."""
    columns = run.select("user_id", "item_id", "score").toArrow()
    return list(karat.evaluate(truth, columns, MEASURES, profile="spark").means().values())
