"""carob's ``evaluate`` on Spark tables, ranked by Spark's own query plan."""

from __future__ import annotations

from typing import Any

import carob
from bench.spark_session import MEASURES
from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "carob"


def run(truth: Any, run: Any) -> list[float]:
    """The means."""
    ranked = carob.Run.of(run, extract="engine")
    return list(carob.evaluate(truth, ranked, MEASURES, profile="spark").means().values())
