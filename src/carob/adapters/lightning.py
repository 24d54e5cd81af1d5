"""A Lightning callback that evaluates the outputs of validation and test steps and logs carob's measures."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from carob.inputs.errors import refused
from carob.output.errors import DataError, warn
from carob.output.language import plural
from carob.tensors.meter import Meter

if TYPE_CHECKING:
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

__all__ = ["ranking_callback"]

LIGHTNINGS = ("lightning.pytorch", "pytorch_lightning")
"""The packages that may contain Lightning."""

TAKEN = ["scores", "relevance", "mask", "judged", "queries", "judged_queries", "n_queries", "weights", "ids"]
"""The keys that a step's output may contain."""


def ranking_callback(
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    per_query: bool = False,
    dtype: Any = None,
    nan_scores: str = "error",
) -> Any:
    """Returns a callback for ``Trainer(callbacks=[...])`` that logs ``val_nDCG@10``, ``test_nDCG@10`` and so on.

    ``validation_step`` and ``test_step`` must return a dict with ``scores`` and ``relevance`` [query, document], and
    optionally ``mask``, ``judged``, ``weights`` and ``ids``. Alternatively, the documents of all queries may be
    concatenated, with ``queries``, ``n_queries`` and ``judged_queries``. With several validation or test sets, the
    means of each set are logged separately under Lightning's names, such as ``val_nDCG@10/dataloader_idx_0``. The sums
    of several processes are added. With ``ids`` and ``per_query=True``, a query that a sampler repeats counts once.
    Otherwise it counts twice, and carob warns about it. ``EarlyStopping`` and ``ModelCheckpoint`` need ``mode="max"``,
    because they minimise by default.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply (see ``carob.list_profiles()``); None for carob's
            conventions.
        per_query: whether to keep per-query scores, by query id.
        dtype: the floating-point type to compute with; ``float64`` gives the values of ``carob.evaluate`` to double
            precision even from single-precision scores. None for the type of the scores.
        nan_scores: how to treat a query with a NaN score, for example after the training has diverged: ``error`` ends
            the training (on a device, the mean is NaN), ``worst`` ranks it in the worst order, and ``skip`` leaves it
            out of the means.

    Raises:
        DataError: Lightning is not installed.

    Example:
        >>> from carob.adapters.lightning import ranking_callback
        >>> best = ModelCheckpoint(monitor="val_nDCG@10", mode="max")  # doctest: +SKIP
        >>> trainer = Trainer(callbacks=[ranking_callback(["nDCG@10", "RR"]), best])  # doctest: +SKIP
    """
    settings = {"policy": policy, "profile": profile, "per_query": per_query}
    return callback_class(base_class())(measures, dtype=dtype, nan_scores=nan_scores, **settings)


def __getattr__(name: str) -> Any:
    """Returns the class ``RankingCallback``, which pickle looks up by this name."""
    if name != "RankingCallback":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return callback_class(base_class())


def base_class() -> Any:
    """Returns the callback class of the Lightning package that is already imported, otherwise of the first one found.

    Raises:
        DataError: Lightning is not installed.
    """
    for name in sorted(LIGHTNINGS, key=lambda name: sys.modules.get(name) is None):
        try:
            return import_module(name).Callback
        except ImportError:
            continue
    raise DataError("Lightning is not installed: pip install lightning.")


@cache  # cached, because pickling requires the identical class
def callback_class(base: Any) -> Any:
    """Returns the class ``RankingCallback``.

    Args:
        base: Lightning's callback class.
    """

    class RankingCallback(base):  # type: ignore[misc]
        """Evaluates the outputs of the steps.

        Lightning sets the attributes ``log`` and ``log_dict`` of every callback, so no method here has these names.

        Args:
            settings: the arguments of ``ranking_callback``.
        """

        def __init__(self, *settings: Any, **named: Any) -> None:
            """Creates a meter."""
            self.meter = Meter(*settings, **named)
            self.meters = meters_for([None], self.meter)

        def on_validation_epoch_start(self, trainer: Any, *_: Any) -> None:
            """Discards the values of the previous epoch."""
            self.meters = meters_for(trainer.num_val_batches, self.meter)

        def on_test_epoch_start(self, trainer: Any, *_: Any) -> None:
            """Discards the values of the previous epoch."""
            self.meters = meters_for(trainer.num_test_batches, self.meter)

        def on_validation_batch_end(
            self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, *which: int
        ) -> None:
            """Adds a batch to the meter of the data set that it belongs to."""
            del trainer, pl_module, batch, batch_idx
            if not which and None not in self.meters:  # each batch combines all data sets
                self.meters = meters_for([None], self.meter)
            # Lightning before 2.0 passes a number even if there is only one data set.
            number = None if None in self.meters else which[0]
            self.meters[number].update(**given(outputs))

        on_test_batch_end = on_validation_batch_end

        def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """Logs the means over all processes."""
            log_means("val", self.meters, trainer, pl_module, trainer.val_dataloaders)

        def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """Logs the means over all processes."""
            log_means("test", self.meters, trainer, pl_module, trainer.test_dataloaders)

    RankingCallback.__module__, RankingCallback.__qualname__ = __name__, "RankingCallback"
    return RankingCallback


def meters_for(sizes: list[Any], meter: Meter) -> dict[int | None, Meter]:
    """Returns a meter for each data set, keyed by its number, or by None if there is only one data set.

    Args:
        sizes: a list with one entry per data set.
        meter: a meter whose measures and settings are copied.
    """
    numbers: list[int | None] = [None] if len(sizes) == 1 else list(range(len(sizes)))
    return {number: meter.emptied() for number in numbers}


def log_means(
    stage: str, meters: dict[int | None, Meter], trainer: Any, pl_module: Any, loaders: Any
) -> None:
    """Logs the means under the name of the stage. With several data sets, Lightning's suffix for the data set is added.

    Args:
        stage: ``val`` or ``test``.
        meters: the meter of each data set.
        trainer: Lightning's trainer.
        pl_module: the model.
        loaders: the data loaders of the stage.
    """
    import torch

    together = trainer.world_size > 1
    # The means are identical in all processes, so their maximum is exact to the last bit.
    how: dict[str, Any] = {"sync_dist": True, "reduce_fx": "max"} if together else {}
    if together and trainer.is_global_zero:
        say_repeated(loaders, [meter for meter in meters.values() if not meter.knows_queries])
    precision = torch.float32 if pl_module.device.type == "mps" else torch.float64
    for number, meter in meters.items():
        if not together and not len(meter):
            continue  # an epoch without batches
        suffix = "" if number is None else f"/dataloader_idx_{number}"
        for label, value in meter.compute(distributed=together).items():
            mean = torch.tensor(value, dtype=precision, device=pl_module.device)
            pl_module.log(f"{stage}_{label}{suffix}", mean, add_dataloader_idx=False, **how)


def say_repeated(loaders: Any, unaware: list[Meter]) -> None:
    """Warns if a sampler repeats queries to give all processes equally many and the meters cannot detect them.

    Args:
        loaders: the data loaders of the stage.
        unaware: the meters without query ids.
    """
    repeated = 0
    for loader in loaders if isinstance(loaders, list) else [loaders]:
        sampler: Any = getattr(loader, "sampler", None)
        if hasattr(sampler, "total_size"):
            repeated += max(sampler.total_size - len(sampler.dataset), 0)
    if unaware and repeated:
        warn(
            f"The sampler repeats {plural(repeated, 'item')} of the data so that all processes have the same number, "
            f"and the queries of the repeated items count twice in the means: return 'ids' from the step, and create "
            f"the callback with per_query=True."
        )


def given(outputs: Any) -> dict[str, Any]:
    """Converts the output of a step to arguments of ``Meter.update``.

    Raises:
        DataError: the output is not a dict with scores and relevance.
    """
    if not isinstance(outputs, dict) or not {"scores", "relevance"} <= set(outputs):
        raise refused("The step must return a dict with 'scores' and 'relevance' of shape [query, document].")
    return {name: outputs[name] for name in TAKEN if outputs.get(name) is not None}
