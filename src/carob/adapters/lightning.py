"""A Lightning callback that logs carob's measures of the outputs of validation and test steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob.inputs.errors import refused
from carob.output.errors import DataError
from carob.tensors.meter import Meter

if TYPE_CHECKING:
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

__all__ = ["ranking_callback"]

TAKEN = ["scores", "relevance", "mask", "judged", "queries", "judged_queries", "n_queries", "weights", "ids"]
"""The arrays of a step's output."""


def ranking_callback(
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    per_query: bool = False,
) -> Any:
    """Returns a callback for ``Trainer(callbacks=[...])`` that logs ``val_nDCG@10``, ``test_nDCG@10`` and so on.

    ``validation_step`` and ``test_step`` return a dict with ``scores`` and ``relevance`` [query, document], and
    optionally ``mask``, ``judged``, ``weights`` and ``ids``. Instead, the documents of all queries may be concatenated,
    with ``queries``, ``n_queries`` and ``judged_queries``. The sums of several processes are added. With ``ids`` and
    ``per_query=True``, a query that a sampler repeats counts once.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions that decide about ties, unjudged documents and so on; None for carob's or the profile's.
        profile: the name of a tool whose conventions apply, see ``carob.list_profiles()``; None for carob's
            conventions.
        per_query: whether the values of each query are kept, by its id.

    Raises:
        DataError: Lightning is not installed.

    Example:
        >>> from carob.adapters.lightning import ranking_callback
        >>> trainer = Trainer(callbacks=[ranking_callback(["nDCG@10", "RR"])])  # doctest: +SKIP
    """
    try:
        from lightning.pytorch import Callback
    except ImportError:
        try:
            from pytorch_lightning import Callback
        except ImportError:
            raise DataError("Lightning is not installed: pip install lightning.") from None

    class RankingCallback(Callback):  # type: ignore[misc]
        """Measures the outputs of the steps."""

        def __init__(self) -> None:
            """Makes the meter."""
            self.meter = Meter(measures, policy=policy, profile=profile, per_query=per_query)

        def on_validation_epoch_start(self, *_: Any) -> None:
            """Discards the values of the previous epoch."""
            self.meter.reset()

        on_test_epoch_start = on_validation_epoch_start

        def on_validation_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, *_: Any) -> None:
            """Adds a batch."""
            del trainer, pl_module
            self.meter.update(**given(outputs))

        on_test_batch_end = on_validation_batch_end

        def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """Logs the means over all processes."""
            self.log("val", trainer, pl_module)

        def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """Logs the means over all processes."""
            self.log("test", trainer, pl_module)

        def log(self, stage: str, trainer: Any, pl_module: Any) -> None:
            """Logs the means under the name of the stage."""
            together = getattr(trainer, "world_size", 1) > 1
            if not together and not len(self.meter):
                return  # an epoch without a batch
            means = self.meter.compute(distributed=together)
            pl_module.log_dict({f"{stage}_{label}": value for label, value in means.items()})

    return RankingCallback()


def given(outputs: Any) -> dict[str, Any]:
    """Returns the output of a step, as arguments of ``Meter.update``.

    Raises:
        DataError: the output is not a dict with scores and relevance.
    """
    if not isinstance(outputs, dict) or not {"scores", "relevance"} <= set(outputs):
        raise refused("step-without-scores")
    return {name: outputs[name] for name in TAKEN if outputs.get(name) is not None}
