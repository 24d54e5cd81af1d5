"""The interfaces of trec_eval's command line and pytrec_eval's module, each imported at its first use."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carob.compat import pytrec_eval, trec_eval

__all__ = ["pytrec_eval", "trec_eval"]


def __dir__() -> list[str]:
    """Returns the interfaces."""
    return sorted(__all__)


def imported(name: str) -> Any:
    """Imports the interface."""
    if name not in __all__:
        raise AttributeError(f"carob.compat has no '{name}'. Its names are: {', '.join(__all__)}.")
    from importlib import import_module

    return import_module(f"carob.compat.{name}")


if not TYPE_CHECKING:  # for a type checker, every name would exist
    __getattr__ = imported
