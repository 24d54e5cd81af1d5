"""A metric of torchmetrics that holds karat's measures: two sums each, instead of all scores and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.errors import DataError
from karat.meters import Meter

if TYPE_CHECKING:
    from karat.asking import MeasuresLike
    from karat.policy import Policy

__all__ = ["retrieval_metric"]


def retrieval_metric(
    measures: MeasuresLike = None, *, policy: Policy | None = None, profile: str | None = None
) -> Any:
    """A ``torchmetrics.Metric`` that computes a dict of means; torchmetrics reduces its one state over processes.

    ``update(preds, target, indexes=None, mask=None)`` takes batches [query, document]; or documents end to end
    with ``indexes`` as torchmetrics' own do, where a query must lie wholly in one batch, and its documents are sought
    out on the host.

    Args:
        measures: as in ``karat.tensors.evaluate``.
        policy: as there.
        profile: as there; ``torchmetrics`` reads names as torchmetrics does.

    Raises:
        DataError: torchmetrics is not installed.

    Example:
        >>> from karat.adapters.torchmetrics import retrieval_metric
        >>> metric = retrieval_metric(["AP", "nDCG@10"])  # doctest: +SKIP
        >>> metric.update(scores, relevance)  # doctest: +SKIP
        >>> metric.compute()  # doctest: +SKIP
        {'AP': tensor(0.5833), 'nDCG@10': tensor(0.6934)}
    """
    try:
        import torch
        from torchmetrics import Metric
    except ImportError:
        raise DataError("torchmetrics is not installed: pip install torchmetrics.") from None

    class RetrievalMetric(Metric):  # type: ignore[misc]
        """Means of karat's measures."""

        is_differentiable = False
        higher_is_better = None
        full_state_update = False

        def __init__(self) -> None:
            """Begin with nothing."""
            super().__init__()
            self.meter = Meter(measures, policy=policy, profile=profile)
            nothing = torch.zeros(len(self.meter.labels), 2, dtype=torch.float64)
            self.add_state("sums", default=nothing, dist_reduce_fx="sum")

        def update(self, preds: Any, target: Any, indexes: Any = None, mask: Any = None) -> None:
            """Take in a batch."""
            named = {"mask": mask}
            if indexes is not None:
                named = {"queries": torch.unique(indexes, return_inverse=True)[1]}
            self.meter.reset()
            self.meter.update(preds, target, **named)
            self.sums: Any = self.sums + torch.as_tensor(self.meter.state.sums).to(self.sums)

        def compute(self) -> dict[str, Any]:
            """The means so far."""
            self.meter.reset()
            self.meter.state.sums = self.sums
            return {label: torch.tensor(value) for label, value in self.meter.compute().items()}

    return RetrievalMetric()
