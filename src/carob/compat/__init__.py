"""The interfaces of trec_eval, pytrec_eval, ranx and Pyserini's evaluation script, each imported at its first use."""

from typing import TYPE_CHECKING, Any

from carob._later import importer

if TYPE_CHECKING:
    from carob.compat import pyserini, pytrec_eval, ranx, trec_eval
    from carob.compat.faces import install

__all__ = ["install", "pyserini", "pytrec_eval", "ranx", "trec_eval"]


def __dir__() -> list[str]:
    """Returns the interfaces."""
    return sorted(__all__)


def later_interface(name: str) -> Any:
    """Imports an interface, or the function ``install``, at its first use."""
    if name == "install":
        from carob.compat.faces import install

        return install
    return importer(__name__, ["faces", "pyserini", "pytrec_eval", "ranx", "trec_eval"])(name)


if not TYPE_CHECKING:  # for a type checker, every name would exist
    __getattr__ = later_interface
