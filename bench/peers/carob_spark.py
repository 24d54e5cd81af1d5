"""carob's ``evaluate`` on Spark tables."""

from __future__ import annotations

from typing import Any

import carob
from bench.spark_session import MEASURES
from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "carob"


def run(truth: Any, run: Any) -> list[float]:
    """The means."""
    return list(carob.evaluate(truth, run, MEASURES, profile="spark").means().values())
