"""Plug-ins: what other packages enrol through entry points, and a user's own file or module by name."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from functools import cache
from typing import Any

from karat.output.errors import DataError, DataWarning

__all__ = ["import_by_name", "plugged"]


@cache
def plugged(group: str) -> tuple[Any, ...]:
    """What installed packages offer under an entry point's group, such as ``karat.measures``.

    A package that cannot be loaded is left out with a warning: karat's own names do not depend on it.
    """
    from importlib.metadata import entry_points

    found = []
    for each in entry_points(group=group):
        try:
            found.append(each.load())
        except Exception as error:  # noqa: BLE001 -- whatever another package does wrong
            package = "a package" if each.dist is None else each.dist.name
            text = (
                f"{package} offers {group} '{each.name}' ({each.value}), which cannot be loaded: {error!r}."
            )
            warnings.warn(text, DataWarning, stacklevel=2)
    return tuple(found)


def import_by_name(name: str) -> None:
    """Import a file (``mymeasures.py``) or a module (``mypackage.measures``), so that it enrols what it defines.

    Raises:
        DataError: there is no such file or module, or it fails.
    """
    try:
        if name.endswith(".py"):
            import_file(name)
        else:
            importlib.import_module(name)
    except FileNotFoundError:
        raise DataError(f"{name}: there is no such file to import.") from None
    except Exception as error:
        raise DataError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def import_file(path: str) -> None:
    """Run a file as a module that is named after it; run again, it takes the place of the first."""
    from importlib.util import module_from_spec, spec_from_file_location

    stem = os.path.basename(path).removesuffix(".py")
    spec = spec_from_file_location(f"karat_import_{stem}", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise FileNotFoundError(path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
