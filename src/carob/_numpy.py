"""NumPy as ``np``, imported when an attribute is first used, so the kernel can read a file in the meantime.

The import takes longer than reading a small file. ``importlib.util.LazyLoader`` would pass its lazy module to all other
libraries as well, and imports submodules such as ``numpy.linalg`` twice.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["begin_import", "np", "numpy_failure"]

FAILURES: list[Exception] = []
"""The error raised by the import in another thread."""


class NumPy(ModuleType):
    """NumPy, which is imported when an attribute is used. Several threads may use it."""

    def __getattr__(self, name: str) -> Any:
        """Imports NumPy and returns its attribute. Later uses find the attribute here."""
        if name == "__isabstractmethod__":  # ``abc`` requests this name for every attribute of a class
            raise AttributeError(name)
        found = import_module("numpy")
        self.__dict__.update(vars(found))
        return getattr(found, name)


def begin_import() -> None:
    """Imports NumPy in another thread, unless it is already imported.

    Does nothing if no thread can be started.
    """
    if "numpy" in sys.modules:
        return
    thread = Thread(target=try_import)
    with suppress(RuntimeError):
        thread.start()
        if hasattr(os, "register_at_fork"):
            # A process forked during the import would wait forever for a lock held by the thread in the parent process.
            os.register_at_fork(before=thread.join)


def try_import() -> None:
    """Imports NumPy, or keeps the error for the first use."""
    try:
        import_module("numpy")
    except Exception as error:  # noqa: BLE001 -- whatever NumPy or the machine lacks
        FAILURES.append(error)


def numpy_failure() -> Exception | None:
    """Returns the error of the import in the other thread, which makes later imports fail with different errors."""
    return FAILURES[0] if FAILURES else None


if TYPE_CHECKING:
    import numpy as np
else:
    np = NumPy("numpy")
