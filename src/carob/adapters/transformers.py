"""A ``compute_metrics`` function for the Trainer of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.tensors import Evaluator

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

__all__ = ["ranking_metrics"]

IGNORED = -100
"""The label for padding, which losses ignore too."""


def ranking_metrics(
    measures: MeasuresLike = None, *, policy: Policy | None = None, profile: ProfileLike = None
) -> Callable[[Any], dict[str, float]]:
    """Returns a function for ``Trainer(compute_metrics=...)``.

    It takes predictions [query, document] and labels of the same shape, where -100 is padding. If the model returns
    several predictions, the first counts.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions that decide about ties, unjudged documents and so on; None for carob's or the profile's.
        profile: the name of a tool whose conventions apply, see ``carob.list_profiles()``; None for carob's
            conventions.

    Example:
        >>> import numpy as np
        >>> from carob.adapters.transformers import ranking_metrics
        >>> compute_metrics = ranking_metrics(["RR", "P@1"])
        >>> compute_metrics((np.array([[0.1, 0.7, 0.9]]), np.array([[0, 1, -100]])))
        {'RR': 1.0, 'P@1': 1.0}
    """
    asked = Evaluator(measures, policy=policy, profile=profile)

    def compute_metrics(prediction: Any) -> dict[str, float]:
        scores, labels = prediction[0], prediction[1]
        scores = np.asarray(scores[0] if isinstance(scores, tuple) else scores)
        labels = np.asarray(labels)
        means = asked(scores.reshape(labels.shape), labels, mask=labels != IGNORED)
        return {label: float(value) for label, value in means.items()}

    return compute_metrics
