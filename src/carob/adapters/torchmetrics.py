"""A torchmetrics metric with carob's measures.

The metric stores two sums per measure, or all documents if a query may span batches.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from carob.inputs.errors import refused
from carob.output.errors import DataError
from carob.tensors.evaluator import dtype_of
from carob.tensors.meter import Meter

if TYPE_CHECKING:
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike

__all__ = ["retrieval_metric"]

FLAT = ("preds", "target", "indexes", "judged", "judged_indexes")
"""The states that store the concatenated documents and judgments of all queries."""


def retrieval_metric(
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    dtype: Any = None,
    nan_scores: str = "error",
) -> Any:
    """Returns a ``torchmetrics.Metric`` that computes a dict of means and works across processes.

    ``update(preds, target, indexes=None, mask=None, judged=None, judged_indexes=None)`` accepts batches [query,
    document] and stores two sums per measure. With ``indexes``, it accepts concatenated documents and stores them, as
    torchmetrics' own metrics do: a query may continue in a later batch or in another process, and counts once. ``mask``
    marks the documents. ``judged`` contains the grades of all judgments of each query [query, judgment]; with
    ``indexes``, the judgments are concatenated, and ``judged_indexes`` contains the query of each judgment.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply: ``torchmetrics`` reads measure names as
            torchmetrics does.
        dtype: the floating-point type of the computation and of the means; ``float64`` gives the values of
            ``carob.evaluate`` to double precision even from single-precision scores. None for the type of the scores,
            with means in PyTorch's default type.
        nan_scores: how to treat a query with a NaN score, for example after the training has diverged: ``error`` ends
            the training (on a device, the mean is NaN), ``worst`` ranks it in the worst order, and ``skip`` leaves it
            out of the means.

    Raises:
        DataError: torchmetrics is not installed.

    Example:
        >>> from carob.adapters.torchmetrics import retrieval_metric
        >>> metric = retrieval_metric(["AP", "nDCG@10"])  # doctest: +SKIP
        >>> metric.update(scores, relevance)  # doctest: +SKIP
        >>> metric.compute()  # doctest: +SKIP
        {'AP': tensor(0.5833), 'nDCG@10': tensor(0.6934)}
    """
    settings = {"policy": policy, "profile": profile, "dtype": dtype, "nan_scores": nan_scores}
    return metric_class(base_class())(measures, **settings)


def __getattr__(name: str) -> Any:
    """Returns the class ``RetrievalMetric``, which pickle looks up by this name."""
    if name != "RetrievalMetric":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return metric_class(base_class())


def base_class() -> Any:
    """Returns torchmetrics' metric class.

    Raises:
        DataError: torchmetrics is not installed.
    """
    try:
        from torchmetrics import Metric
    except ImportError:
        raise DataError("torchmetrics is not installed: pip install torchmetrics.") from None
    return Metric


@cache  # cached, because pickling requires the identical class
def metric_class(base: Any) -> Any:
    """Returns the class ``RetrievalMetric``.

    Args:
        base: torchmetrics' metric class.
    """
    import torch

    class RetrievalMetric(base):  # type: ignore[misc]
        """A metric that computes the means of carob's measures.

        Args:
            measures: the measures.
            settings: the other arguments of ``retrieval_metric``.
        """

        is_differentiable = False
        higher_is_better = None
        full_state_update = False

        def __init__(self, measures: MeasuresLike = None, **settings: Any) -> None:
            """Creates the meter and the metric's states."""
            super().__init__()
            self.meter = Meter(measures, **settings)
            nothing = torch.zeros(len(self.meter.labels), 2, dtype=torch.float64)
            self.add_state("sums", default=nothing, dist_reduce_fx="sum")
            self.add_state("queries", default=torch.tensor(0), dist_reduce_fx="sum")
            for name in FLAT:
                self.add_state(name, default=[], dist_reduce_fx="cat")

        def update(
            self,
            preds: Any,
            target: Any,
            indexes: Any = None,
            mask: Any = None,
            judged: Any = None,
            judged_indexes: Any = None,
        ) -> None:
            """Adds a batch."""
            if indexes is None:
                refuse_unpaired(judged_indexes, None)
                sums, count = self.summed(preds, target, mask=mask, judged=judged)
                self.sums: Any = self.sums + sums
                self.queries: Any = self.queries + count
                return
            refuse_unpaired(judged, judged_indexes)
            refuse_shapes(indexes, preds=preds, target=target, mask=mask)
            kept = slice(None) if mask is None else mask.flatten().bool()
            rows = [each.detach().flatten()[kept] for each in (preds, target, indexes)]
            others = [] if judged is None else [judged.detach().flatten(), judged_indexes.detach().flatten()]
            for name, each in zip(FLAT, [*rows, *others]):
                getattr(self, name).append(each)

        def summed(self, preds: Any, target: Any, **arrays: Any) -> tuple[Any, int]:
            """Returns the sums of a batch, and the number of queries in it."""
            meter = self.meter.emptied()
            meter.update(preds, target, **arrays)
            return torch.as_tensor(meter.state.sums).to(self.sums), len(meter)

        def compute(self) -> dict[str, Any]:
            """Returns the means so far."""
            sums, count = self.sums, int(self.queries)
            found = end_to_end({name: getattr(self, name) for name in FLAT})
            if found is not None:
                more, queries = self.summed(**found)
                sums, count = sums + more, count + queries
            self.meter.reset()
            self.meter.state.sums, self.meter.state.count = sums, count
            precision = dtype_of(self.meter.evaluator.dtype, sums)
            return {
                label: torch.tensor(value, dtype=precision, device=sums.device)
                for label, value in self.meter.compute().items()
            }

    RetrievalMetric.__module__, RetrievalMetric.__qualname__ = __name__, "RetrievalMetric"
    return RetrievalMetric


def end_to_end(states: dict[str, Any]) -> dict[str, Any] | None:
    """Concatenates all batches, with queries numbered from 0. The result is None if there are no documents."""
    import torch

    # A state is a list of tensors, or a single tensor after torchmetrics has gathered it.
    parts = {name: [each] if isinstance(each, torch.Tensor) else list(each) for name, each in states.items()}
    # A state that is empty in every process is gathered as empty tensors.
    parts = {name: [each for each in its if each.numel()] for name, its in parts.items()}
    found = {name: torch.cat(each) for name, each in parts.items() if each}
    if "indexes" not in found:
        return None
    numbers = [found[name] for name in ("indexes", "judged_indexes") if name in found]
    known, places = torch.unique(torch.cat(numbers), return_inverse=True)
    queries, judged_queries = places[: len(numbers[0])], places[len(numbers[0]) :]
    arrays = {"preds": found["preds"], "target": found["target"], "queries": queries, "n_queries": len(known)}
    if "judged" in found:
        arrays |= {"judged": found["judged"], "judged_queries": judged_queries}
    return arrays


def refuse_unpaired(judged: Any, judged_indexes: Any) -> None:
    """Refuses judgments without query numbers, and query numbers without judgments.

    Raises:
        DataError: only one of the two arguments is passed.
    """
    if (judged is None) != (judged_indexes is None):
        raise refused(
            "Only one of judged= and judged_indexes= was given, or judged_indexes= was given without indexes=.",
            "With indexes=, pass both. Without it, pass only judged=, with the shape [query, judgment].",
        )


def refuse_shapes(indexes: Any, **arrays: Any) -> None:
    """Refuses arrays whose shape differs from the shape of ``indexes``.

    Raises:
        DataError: an array has the wrong shape.
    """
    for name, each in arrays.items():
        if each is not None and each.shape != indexes.shape:
            raise refused(
                "{name} is {shape} and indexes are {other}: pass arrays of the same shape.",
                name=name,
                shape=list(each.shape),
                other=list(indexes.shape),
            )
