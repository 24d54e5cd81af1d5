"""NumPy as ``np``, imported when its first attribute is used, so that the kernel can read a file before and meanwhile.

The import takes longer than to read a small file. ``importlib.util.LazyLoader`` would give its module to every other
library as well, and imports submodules such as ``numpy.linalg`` twice.
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["begin_import", "np"]


class NumPy(ModuleType):
    """NumPy, which is imported when an attribute is used. Several threads may use it."""

    def __getattr__(self, name: str) -> Any:
        """Imports NumPy and returns its attribute. Later uses find the attribute here."""
        if name == "__isabstractmethod__":  # asked for by ``abc`` of every attribute of a class
            raise AttributeError(name)
        found = import_module("numpy")
        self.__dict__.update(vars(found))
        return getattr(found, name)


def begin_import() -> None:
    """Begins the import of NumPy in another thread, unless it has begun."""
    if "numpy" not in sys.modules:
        Thread(target=import_module, args=("numpy",)).start()


if TYPE_CHECKING:
    import numpy as np
else:
    np = NumPy("numpy")
