"""The adapters for other libraries. Each adapter has its own file, which is imported at its first use."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carob.adapters import boosting, keras, lightning, objects, spark, torchmetrics, transformers

__all__ = ["boosting", "keras", "lightning", "objects", "spark", "torchmetrics", "transformers"]


def __dir__() -> list[str]:
    """Returns the names of the adapters."""
    return sorted(__all__)


def imported(name: str) -> Any:
    """Imports an adapter. The adapter imports its library only when it is called."""
    if name not in __all__:
        raise AttributeError(f"carob.adapters has no '{name}'. Its names are: {', '.join(__all__)}.")
    from importlib import import_module

    return import_module(f"carob.adapters.{name}")


if not TYPE_CHECKING:  # for a type checker, every name would exist
    __getattr__ = imported
