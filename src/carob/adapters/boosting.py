"""Metrics that LightGBM and XGBoost call in each round: ``feval``, ``custom_metric``, the rankers' ``eval_metric``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.conventions.profiles import profile_named
from carob.output.errors import DataError, MeasureError, warn
from carob.tensors import Evaluator

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

__all__ = ["lightgbm_feval", "xgboost_metric"]


def lightgbm_feval(
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    nan_scores: str = "error",
) -> Callable[..., list[tuple[str, float, bool]]]:
    """Returns a function for ``lightgbm.train(feval=...)`` on grouped data, or ``LGBMRanker.fit(eval_metric=...)``.

    If documents have weights, the weight of a query is the mean weight of its documents, as in LightGBM's own metrics.
    A warning lists the measures that differ from LightGBM's own measure of the same name: ``nDCG@10`` uses linear
    gains, ``ndcg@10`` exponential gains.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply: ``lightgbm`` reads measure names as LightGBM does.
        nan_scores: how to treat a query with a NaN score: ``error`` ends the training, ``worst`` ranks it in the
            worst order, and ``skip`` leaves it out of the means.

    Example:
        >>> from carob.adapters.boosting import lightgbm_feval
        >>> lightgbm.train(settings, data, feval=lightgbm_feval(["nDCG@10"]))  # doctest: +SKIP
        >>> ranker.fit(x, y, group=sizes, eval_metric=lightgbm_feval(["nDCG@10"]))  # doctest: +SKIP
    """
    asked = Evaluator(measures, policy=policy, profile=profile, nan_scores=nan_scores)
    say_other_meanings(asked, "lightgbm", "LightGBM")
    return partial(feval, asked)


def feval(
    asked: Evaluator, first: Any, second: Any, weight: Any = None, group: Any = None
) -> list[tuple[str, float, bool]]:
    """Returns the name and the mean of each measure, and whether larger values are better.

    ``LGBMRanker`` inspects the number of arguments after ``asked``, and passes the labels first.

    Raises:
        DataError: the data set has no query groups.
    """
    scores, labels = second, first
    if hasattr(second, "get_group"):
        scores, labels = first, second.get_label()
        weight, group = second.get_weight(), second.get_group()
    if group is None:
        raise DataError("The data set has no query groups: pass lightgbm.Dataset(..., group=[...]).")
    sizes = np.asarray(group)
    weights = None if weight is None else mean_weights(np.asarray(weight, np.float64), sizes)
    means = means_of(asked, scores, labels, sizes, weights)
    return [
        (label, value, not asked.asked[label].definition.smaller_is_better) for label, value in means.items()
    ]


def xgboost_metric(
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    nan_scores: str = "error",
) -> Callable[..., Any]:
    """Returns a function for ``xgboost.train(custom_metric=...)`` or for ``XGBRanker(eval_metric=...)``.

    The DMatrix must contain query groups. Its weights, one per query, are applied in the means, as in XGBoost's own
    metrics. ``XGBRanker`` calls the function for each query and computes the mean itself, so it accepts only one
    measure, and a query with a single document counts as 1. A warning lists the measures that differ from XGBoost's own
    measure of the same name, because ``nDCG@10`` uses linear gains, ``ndcg@10`` exponential gains. Another warning
    lists the measures that XGBoost's early stopping would minimise unless it is called with ``maximize=True``.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply: ``xgboost`` reads measure names as XGBoost does.
        nan_scores: how to treat a query with a NaN score: ``error`` ends the training, ``worst`` ranks it in the
            worst order, and ``skip`` leaves it out of the means.

    Example:
        >>> from carob.adapters.boosting import xgboost_metric
        >>> xgboost.train(settings, data, custom_metric=xgboost_metric(["nDCG@10"]))  # doctest: +SKIP
        >>> ranker = xgboost.XGBRanker(eval_metric=xgboost_metric("nDCG@10"))  # doctest: +SKIP
    """
    asked = Evaluator(measures, policy=policy, profile=profile, nan_scores=nan_scores)
    say_other_meanings(asked, "xgboost", "XGBoost")
    say_direction(asked)
    metric = partial(custom_metric, asked)
    metric.__name__ = next(iter(asked.asked))  # type: ignore[attr-defined]
    return metric


def custom_metric(asked: Evaluator, first: Any, second: Any) -> Any:
    """Returns the name and the mean of each measure or, for ``XGBRanker``, the score of one query.

    Raises:
        DataError: the DMatrix has no query groups.
    """
    if not hasattr(second, "get_uint_info"):
        return of_one_query(asked, second, first)
    edges = np.asarray(second.get_uint_info("group_ptr"))
    if len(edges) < 2:
        raise DataError("The DMatrix has no query groups: pass DMatrix(..., qid=[...]).")
    sizes, weights = np.diff(edges), np.asarray(second.get_weight(), np.float64)
    means = means_of(asked, first, second.get_label(), sizes, weights if len(weights) else None)
    return list(means.items())


MAXIMISED = ("auc", "pre", "map", "ndcg")
"""The prefixes of the metric names that XGBoost's early stopping maximises (xgboost.callback)."""


def say_direction(asked: Evaluator) -> None:
    """Warns about measures that XGBoost's early stopping would minimise even though larger values are better."""
    turned = [
        label
        for label, each in asked.asked.items()
        if not (label.startswith(MAXIMISED) or each.definition.smaller_is_better)
    ]
    if turned:
        warn(
            f"XGBoost's early stopping treats the smallest value of {', '.join(turned)} as the best, as it does for "
            f"every name that it does not recognise. For early stopping, pass "
            "callbacks=[xgboost.callback.EarlyStopping(rounds=..., maximize=True)], not early_stopping_rounds."
        )


def say_other_meanings(asked: Evaluator, profile: str, library: str) -> None:
    """Warns about measures that differ from the library's own measures of the same name, shown in the same output.

    Args:
        asked: the measures.
        profile: the profile of the library.
        library: the name of the library, for the message.
    """
    theirs = profile_named(profile)
    for measure in asked.asked.values():
        own = [name for name, its in theirs.names.items() if its.partition("@")[0] == measure.name]
        ((_, meant),) = theirs.read(str(measure))
        if own and meant != measure and not measure.parameters:
            depth = str(measure).removeprefix(measure.name)
            warn(
                f"{measure} is not {library}'s own {own[0]}{depth}, which is {meant} with the policy "
                f"'{theirs.policy.describe()}'. For {library}'s own values, choose profile='{profile}'."
            )


def of_one_query(asked: Evaluator, scores: Any, labels: Any) -> float:
    """Returns the score of one query, for ``XGBRanker``.

    Raises:
        MeasureError: there are several measures, or the measure is not aggregated as a mean over queries.
    """
    label, *others = asked.asked
    if others or asked.asked[label].definition.aggregate != "mean":
        raise MeasureError(
            f"XGBRanker(eval_metric=...) accepts the mean of only one measure, not {', '.join(asked.asked)}: name one, "
            "or pass them to xgboost.train(custom_metric=...)."
        )
    scores, labels = np.asarray(scores, np.float64), np.asarray(labels)
    return float(asked(scores[None, :], labels[None, :], per_query=True)[label][0])


def mean_weights(weights: Any, sizes: Any) -> Any:
    """Returns each query's mean document weight, as in LightGBM (Metadata::CalculateQueryWeights)."""
    queries = np.repeat(np.arange(len(sizes)), sizes)
    return np.bincount(queries, weights, len(sizes)) / np.maximum(sizes, 1)


def means_of(asked: Evaluator, scores: Any, grades: Any, sizes: Any, weights: Any = None) -> dict[str, float]:
    """Returns the mean of each measure, for documents that are concatenated query by query."""
    queries = np.repeat(np.arange(len(sizes)), sizes)
    means = asked(
        np.asarray(scores, np.float64),
        np.asarray(grades),
        queries=queries,
        n_queries=len(sizes),
        weights=weights,
    )
    return {label: float(value) for label, value in means.items()}
