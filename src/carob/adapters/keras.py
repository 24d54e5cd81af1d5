"""A Keras callback that measures rankings at the end of each epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.adapters.outputs import as_lists
from carob.output.errors import DataError
from carob.tensors import Evaluator

if TYPE_CHECKING:
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

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
    dtype: Any = None,
    nan_scores: str = "error",
) -> Any:
    """Returns a callback for ``model.fit(callbacks=[...])`` that adds ``val_nDCG@10`` and so on to the epoch's logs.

    List it before callbacks that read the logs, such as ``EarlyStopping(monitor="val_nDCG@10", mode="max")``.

    Args:
        inputs: the model's inputs. The scores that it predicts must have the shape [query, document] or [query,
            document, 1].
        relevance: the grades [query, document].
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        mask: True where there is a document; None if every entry is a document [query, document].
        judged: the grades of all judgments of each query, padded with NaN; None if only the documents are judged
            [query, judgment].
        weights: the weight of each query in the means; None for equal weights [query].
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply (see ``carob.list_profiles()``); None for carob's
            conventions.
        batch_size: the number of queries that the model scores at once; None for Keras's default.
        dtype: the floating-point type to compute with; ``float64`` gives the values of ``carob.evaluate`` to double
            precision even from single-precision scores. None for the type of the scores.
        nan_scores: how to treat a query with a NaN score, for example after the training has diverged: ``error`` ends
            the training (on a device, the mean is NaN), ``worst`` ranks it in the worst order, and ``skip`` leaves it
            out of the means.

    Raises:
        DataError: Keras is not installed.

    Example:
        >>> from carob.adapters.keras import ranking_callback
        >>> model.fit(x, y, callbacks=[ranking_callback(x_val, grades, ["nDCG@10"])])  # doctest: +SKIP
    """
    try:
        from keras.callbacks import Callback
    except ImportError:
        raise DataError("Keras is not installed: pip install keras.") from None
    asked = Evaluator(measures, policy=policy, profile=profile, dtype=dtype, nan_scores=nan_scores)
    arrays = {"mask": mask, "judged": judged, "weights": weights}
    named: dict[str, Any] = {
        name: None if each is None else np.asarray(each) for name, each in arrays.items()
    }

    class RankingCallback(Callback):  # type: ignore[misc]
        """Measures the model's predictions."""

        def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
            """Evaluates the model's predictions and adds the values to the epoch's logs."""
            del epoch
            grades = np.asarray(relevance)
            scores = np.asarray(self.model.predict(inputs, batch_size=batch_size, verbose=0))
            means = asked(as_lists(scores, grades), grades, **named)
            if logs is not None:
                logs.update({f"val_{label}": float(value) for label, value in means.items()})

    return RankingCallback()
