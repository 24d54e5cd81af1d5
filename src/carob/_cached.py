"""``cached_property`` without a lock, for attributes that are computed when they are first used."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 -- Python's own name
        """The ``cached_property`` of Python 3.12 and later, for earlier versions.

        The ``cached_property`` of earlier versions holds a lock for all objects of a class during the computation. A
        process that another thread forks during the computation would wait for the lock forever. Without a lock, two
        threads may compute the same value.
        """

        def __init__(self, function: Any) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            """Stores the name of the attribute."""
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Computes the value, and stores it in the object, where it hides this property from then on."""
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value
