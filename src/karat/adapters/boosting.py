"""What LightGBM and XGBoost call at each round with predictions and a data set: ``feval`` and ``custom_metric``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.errors import DataError
from karat.tensors import Evaluator

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.asking import MeasuresLike
    from karat.policy import Policy

__all__ = ["lightgbm_feval", "xgboost_metric"]


def lightgbm_feval(
    measures: MeasuresLike = None, *, policy: Policy | None = None, profile: str | None = None
) -> Callable[[Any, Any], list[tuple[str, float, bool]]]:
    """A function for ``lightgbm.train(feval=...)`` on a data set with groups.

    Args:
        measures: as in ``karat.tensors.evaluate``.
        policy: as there.
        profile: as there; ``lightgbm`` reads names as LightGBM does.

    Example:
        >>> from karat.adapters.boosting import lightgbm_feval
        >>> lightgbm.train(settings, data, feval=lightgbm_feval(["nDCG@10"]))  # doctest: +SKIP
    """
    asked = Evaluator(measures, policy=policy, profile=profile)

    def feval(predictions: Any, data: Any) -> list[tuple[str, float, bool]]:
        sizes = data.get_group()
        if sizes is None:
            raise DataError("The data set has no groups, so no queries: lightgbm.Dataset(..., group=[...]).")
        means = means_of(asked, predictions, data.get_label(), np.asarray(sizes))
        better = {label: not each.definition.smaller_is_better for label, each in asked.asked.items()}
        return [(label, value, better[label]) for label, value in means.items()]

    return feval


def xgboost_metric(
    measures: MeasuresLike = None, *, policy: Policy | None = None, profile: str | None = None
) -> Callable[[Any, Any], list[tuple[str, float]]]:
    """A function for ``xgboost.train(custom_metric=...)`` on a DMatrix with groups or query ids.

    Args:
        measures: as in ``karat.tensors.evaluate``.
        policy: as there.
        profile: as there; ``xgboost`` reads names as XGBoost does.

    Example:
        >>> from karat.adapters.boosting import xgboost_metric
        >>> xgboost.train(settings, data, custom_metric=xgboost_metric(["nDCG@10"]))  # doctest: +SKIP
    """
    asked = Evaluator(measures, policy=policy, profile=profile)

    def metric(predictions: Any, data: Any) -> list[tuple[str, float]]:
        edges = np.asarray(data.get_uint_info("group_ptr"))
        if len(edges) < 2:
            raise DataError("The DMatrix has no groups, so no queries: DMatrix(..., qid=[...]).")
        return list(means_of(asked, predictions, data.get_label(), np.diff(edges)).items())

    return metric


def means_of(asked: Evaluator, scores: Any, grades: Any, sizes: Any) -> dict[str, float]:
    """The means over groups of documents that stand end to end."""
    queries = np.repeat(np.arange(len(sizes)), sizes)
    means = asked(np.asarray(scores, np.float64), np.asarray(grades), queries=queries, n_queries=len(sizes))
    return {label: float(value) for label, value in means.items()}
