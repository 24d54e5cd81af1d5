"""OfflineMetrics of RePlay on Spark tables; each of its metrics has a depth."""

from __future__ import annotations

from typing import Any

from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "replay-rec"


def run(truth: Any, run: Any) -> list[float | None]:
    """The means."""
    from replay.metrics import MAP, NDCG, OfflineMetrics, Precision, Recall

    names = {"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}
    found = OfflineMetrics([Precision(10), Recall(10), NDCG(10), MAP(10)], **names)(run, truth)
    return [*found.values(), None]
