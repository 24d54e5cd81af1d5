"""Substitutes carob for another module in programs that cannot be edited: ``carob.compat.install``."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

VERSION = "0.5.11"
"""The release of pytrec_eval-terrier whose interface ``carob.compat.pytrec_eval`` implements."""
FACES = ("pytrec_eval",)
"""The modules that carob can replace."""


@dataclass(eq=False, repr=False)
class Installed:
    """A replacement for a module, in effect until ``undo`` or the end of a ``with`` block.

    Args:
        name: the name of the module.
        face: the module that replaces it.
        before: the replaced module; None if it had not been imported.
        references: the other modules that refer to the replaced module, each with the name and its former value.
    """

    name: str
    face: ModuleType
    before: ModuleType | None
    references: list[tuple[ModuleType, str, Any]]

    def undo(self) -> None:
        """Restores the replaced module, and other modules' references to it. A second call changes nothing."""
        for module, key, value in self.references:
            module.__dict__[key] = value
        self.references = []
        if sys.modules.get(self.name) is self.face:
            if self.before is None:
                del sys.modules[self.name]
            else:
                sys.modules[self.name] = self.before

    def __enter__(self) -> Self:
        """Returns itself; the module has already been replaced."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restores the replaced module."""
        self.undo()


def install(name: str) -> Installed:
    """Replaces another module with carob, so that programs that import the module run unedited.

    After the call, ``pytrec_eval`` is ``carob.compat.pytrec_eval``, even in modules that have already imported the
    original module or its functions. The call reports the replacement once on standard error. With NaN scores, the
    results of the original depend on its sorting algorithm. Here, NaN scores count as minus infinity, so their
    documents are ranked last, and a ``DataWarning`` reports how many there are.

    Args:
        name: the name of the module: ``pytrec_eval``.

    Returns:
        An object whose method ``undo`` restores the original. In a ``with`` statement, the original is restored at the
        end of the block.

    Raises:
        DataError: carob cannot replace the module.

    Example:
        >>> from carob.compat import install
        >>> with install("pytrec_eval"):
        ...     import pytrec_eval
        ...
        ...     pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"}).evaluate({"q": {"a": 1.0}})
        {'q': {'recip_rank': 1.0}}
    """
    if name not in FACES:
        hint = did_you_mean(str(name), FACES, f"It can replace {', '.join(FACES)}.")
        raise DataError(f"carob cannot replace the module {name!r}. {hint}")
    before = sys.modules.get(name)
    if isinstance(before, Face):
        return Installed(name, before, before, [])  # already replaced; the first call's object restores it
    face = face_of_pytrec_eval()
    references = [] if before is None else replaced(before, face)
    sys.modules[name] = face
    holders = sorted({module.__name__ for module, *_ in references})
    also = f", also in {', '.join(holders)}" if holders else ""
    print(f"carob: the module {name} is now carob's replacement{also}.", file=sys.stderr)  # noqa: T201
    return Installed(name, face, before, references)


class Face(ModuleType):
    """A module from carob that replaces another module."""


def face_of_pytrec_eval() -> Face:
    """Returns a module with pytrec_eval's names, whose evaluator ranks documents with NaN scores last."""
    from carob.compat import pytrec_eval

    class RelevanceEvaluator(pytrec_eval.RelevanceEvaluator):
        nan_scores = "last"

    RelevanceEvaluator.__doc__ = pytrec_eval.RelevanceEvaluator.__doc__
    face = Face("pytrec_eval", pytrec_eval.__doc__)
    face.__dict__.update({each: getattr(pytrec_eval, each) for each in pytrec_eval.__all__})
    face.__dict__.update(
        RelevanceEvaluator=RelevanceEvaluator, __version__=VERSION, __all__=pytrec_eval.__all__
    )
    return face


def replaced(before: ModuleType, face: ModuleType) -> list[tuple[ModuleType, str, Any]]:
    """Replaces a module and its public names in every other module, and returns the replaced references."""
    twins = {id(before): face}
    twins |= {
        id(getattr(before, each)): getattr(face, each) for each in face.__all__ if hasattr(before, each)
    }
    found = []
    for module in [*sys.modules.values()]:
        own = str(getattr(module, "__name__", "")).partition(".")[0]
        if own in (before.__name__, "carob", f"{before.__name__}_ext") or not hasattr(module, "__dict__"):
            continue
        for key, value in [*vars(module).items()]:
            if id(value) in twins:
                found.append((module, key, value))
                module.__dict__[key] = twins[id(value)]
    return found
