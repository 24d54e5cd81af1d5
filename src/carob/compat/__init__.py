"""The interfaces of trec_eval's command line and pytrec_eval's module, each imported at its first use."""

from typing import TYPE_CHECKING

from carob._later import importer

if TYPE_CHECKING:
    from carob.compat import pytrec_eval, trec_eval

__all__ = ["pytrec_eval", "trec_eval"]


def __dir__() -> list[str]:
    """Returns the interfaces."""
    return sorted(__all__)


if not TYPE_CHECKING:  # for a type checker, every name would exist
    __getattr__ = importer(__name__, __all__)
