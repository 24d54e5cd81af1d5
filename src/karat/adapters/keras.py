"""A Keras callback that measures rankings at the end of each epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.output.errors import DataError
from karat.tensors import Evaluator

if TYPE_CHECKING:
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike

__all__ = ["ranking_callback"]


def ranking_callback(
    inputs: Any,
    relevance: Any,
    measures: MeasuresLike = None,
    *,
    mask: Any = None,
    judged: Any = None,
    weights: Any = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    batch_size: int | None = None,
) -> Any:
    """Returns a callback for ``model.fit(callbacks=[...])`` that adds ``val_nDCG@10`` and so on to the epoch's logs.

    Put it before callbacks that read the logs, such as ``EarlyStopping(monitor="val_nDCG@10", mode="max")``.

    Args:
        inputs: the model's inputs; the predicted scores are [query, document] or [query, document, 1].
        relevance: the grades [query, document].
        measures: as in ``karat.tensors.evaluate``.
        mask: as there [query, document].
        judged: as there [query, judgment].
        weights: as there [query].
        policy: as there.
        profile: as there.
        batch_size: as in ``model.predict``.

    Raises:
        DataError: Keras is not installed.

    Example:
        >>> from karat.adapters.keras import ranking_callback
        >>> model.fit(x, y, callbacks=[ranking_callback(x_val, grades, ["nDCG@10"])])  # doctest: +SKIP
    """
    try:
        from keras.callbacks import Callback
    except ImportError:
        raise DataError("Keras is not installed: pip install keras.") from None
    asked = Evaluator(measures, policy=policy, profile=profile)
    arrays = {"mask": mask, "judged": judged, "weights": weights}
    named: dict[str, Any] = {
        name: None if each is None else np.asarray(each) for name, each in arrays.items()
    }

    class RankingCallback(Callback):  # type: ignore[misc]
        """Measures the model's predictions."""

        def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
            """Measures the model's predictions and logs the values."""
            del epoch
            grades = np.asarray(relevance)
            scores = np.asarray(self.model.predict(inputs, batch_size=batch_size, verbose=0))
            means = asked(scores.reshape(grades.shape), grades, **named)
            if logs is not None:
                logs.update({f"val_{label}": float(value) for label, value in means.items()})

    return RankingCallback()
