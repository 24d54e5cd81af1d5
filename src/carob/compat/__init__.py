"""The interfaces of trec_eval, pytrec_eval, ranx, Hugging Face evaluate and Pyserini, imported on first use."""

from typing import TYPE_CHECKING, Any

from carob._later import importer

if TYPE_CHECKING:
    from carob.compat import evaluate, pyserini, pytrec_eval, ranx, trec_eval
    from carob.compat.faces import install

__all__ = ["evaluate", "install", "pyserini", "pytrec_eval", "ranx", "trec_eval"]


def __dir__() -> list[str]:
    """Returns the names of the interfaces."""
    return sorted(__all__)


def later_interface(name: str) -> Any:
    """Imports an interface, or the function ``install``, on first use."""
    if name == "install":
        from carob.compat.faces import install

        return install
    return importer(__name__, ["evaluate", "faces", "pyserini", "pytrec_eval", "ranx", "trec_eval"])(name)


if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept every name
    __getattr__ = later_interface
