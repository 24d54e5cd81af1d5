"""A ``compute_metrics`` function for the Trainer in Hugging Face transformers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.adapters.outputs import as_lists
from carob.inputs.errors import refused
from carob.tensors import Evaluator

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

__all__ = ["ranking_metrics"]

IGNORED = -100
"""The label of padding, which loss functions also ignore."""


def ranking_metrics(
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    dtype: Any = None,
    nan_scores: str = "error",
) -> Callable[[Any], dict[str, float]]:
    """Returns a function for ``Trainer(compute_metrics=...)``.

    The function accepts predictions [query, document] or [query, document, 1], and labels [query, document] in which
    -100 is padding. If the model returns several predictions, the first is used. With
    ``metric_for_best_model="nDCG@10"``, the Trainer assumes by default that a greater value is better; for a measure
    such as ``E@3``, set ``greater_is_better=False``.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply (see ``carob.list_profiles()``); None for carob's
            conventions.
        dtype: the floating-point type to compute with; ``float64`` gives the values of ``carob.evaluate`` to double
            precision even from single-precision scores. None for the type of the scores.
        nan_scores: how to treat a query with a NaN score, for example after the training has diverged: ``error`` ends
            the training (on a device, the mean is NaN), ``worst`` ranks it in the worst order, and ``skip`` leaves it
            out of the means.

    Example:
        >>> import numpy as np
        >>> from carob.adapters.transformers import ranking_metrics
        >>> compute_metrics = ranking_metrics(["RR", "P@1"])
        >>> compute_metrics((np.array([[0.1, 0.7, 0.9]]), np.array([[0, 1, -100]])))
        {'RR': 1.0, 'P@1': 1.0}
    """
    asked = Evaluator(measures, policy=policy, profile=profile, dtype=dtype, nan_scores=nan_scores)
    return partial(metrics_of, asked)


def metrics_of(asked: Evaluator, prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
    """Evaluates the predictions and returns the mean of each measure.

    Raises:
        DataError: the Trainer passes single batches, or the shapes of the predictions and the labels differ.
    """
    if compute_result is not None:
        raise refused(
            "TrainingArguments(batch_eval_metrics=True) passes one batch at a time, and these metrics need "
            "all predictions.",
            "Leave it out, or write a compute_metrics that adds each batch to a carob.Meter.",
        )
    scores, labels = prediction[0], np.asarray(prediction[1])
    scores = np.asarray(scores[0] if isinstance(scores, tuple) else scores)
    means = asked(as_lists(scores, labels), labels, mask=labels != IGNORED)
    return {label: float(value) for label, value in means.items()}
