"""Converts a model's outputs to lists of scores."""

from __future__ import annotations

from typing import Any

from carob.inputs.errors import refused


def as_lists(scores: Any, grades: Any) -> Any:
    """Reshapes scores from [query, document, 1] to [query, document], the shape of the grades.

    Raises:
        DataError: the shapes differ in more than a last axis of size 1.
    """
    if scores.shape == (*grades.shape, 1):
        return scores[..., 0]
    if scores.shape != grades.shape:
        raise refused(
            "The model's scores have the shape {shape} and the grades {other}.",
            "Pass both as [query, document]; the scores may have one more axis of size 1.",
            shape=list(scores.shape),
            other=list(grades.shape),
        )
    return scores
