"""The adapters for other libraries. Each adapter is a module of its own, which is imported on first use."""

from typing import TYPE_CHECKING

from carob._later import importer

if TYPE_CHECKING:
    from carob.adapters import (
        boosting,
        ir_measures,
        keras,
        lightning,
        objects,
        pyterrier,
        sentence_transformers,
        spark,
        torchmetrics,
        transformers,
    )

__all__ = [
    "boosting",
    "ir_measures",
    "keras",
    "lightning",
    "objects",
    "pyterrier",
    "sentence_transformers",
    "spark",
    "torchmetrics",
    "transformers",
]


def __dir__() -> list[str]:
    """Returns the names of the adapters."""
    return sorted(__all__)


if not TYPE_CHECKING:  # a type checker would otherwise accept every name
    __getattr__ = importer(__name__, __all__)
