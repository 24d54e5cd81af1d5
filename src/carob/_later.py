"""Makes a package import its modules when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def importer(package: str, names: Sequence[str]) -> Callable[[str], Any]:
    """Returns the ``__getattr__`` of a package that imports its public modules when they are first used.

    Args:
        package: the name of the package.
        names: the names of its public modules.
    """

    def imported(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"{package} has no '{name}'. Its names are: {', '.join(names)}.")
        from importlib import import_module

        return import_module(f"{package}.{name}")

    return imported
