"""SparkRankingEvaluation of recommenders, which cuts lists at its k."""

from __future__ import annotations

from typing import Any

from bench.spark_session import tables as prepare

__all__ = ["label", "prepare", "run"]

label = "recommenders"


def run(truth: Any, run: Any) -> list[float | None]:
    """The means."""
    from recommenders.evaluation.spark_evaluation import SparkRankingEvaluation

    names = {
        "col_user": "user_id",
        "col_item": "item_id",
        "col_rating": "relevance",
        "col_prediction": "score",
    }
    found = SparkRankingEvaluation(truth, run, k=10, **names)
    return [found.precision_at_k(), found.recall_at_k(), found.ndcg_at_k(), found.map_at_k(), None]
