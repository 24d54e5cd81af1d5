"""Python's own ``dataclass`` with half of its cost: a start of carob makes dozens of classes.

``dataclasses.dataclass`` compiles each method of each class from text. Here all classes share the methods that compare
them, print them and keep them from being changed, and only ``__init__`` is compiled. ``replace``, ``fields`` and the
other functions of ``dataclasses`` work as always.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass"]


def set_once(self: Any, name: str, value: object) -> None:
    """Sets a field that has no value yet, as ``__init__`` does.

    Raises:
        FrozenInstanceError: the field has a value, or there is no such field.
    """
    if name in self.__dict__ or name not in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def refuse_deletion(_: Any, name: str) -> NoReturn:
    """Raises ``FrozenInstanceError``."""
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def equal(self: Any, other: Any) -> bool:
    """Returns whether an object of the same class has equal fields."""
    return self._compared(self) == self._compared(other) if type(other) is type(self) else NotImplemented


def hash_of_fields(self: Any) -> int:
    """Returns the hash of the fields."""
    return hash(self._hashed(self))


def constructor_call(self: Any) -> str:
    """Returns the call that makes the object."""
    fields = ", ".join(
        f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr
    )
    return f"{type(self).__qualname__}({fields})"


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(given=None, /, *, frozen=False, eq=True, repr=True):  # noqa: A002
        """Makes a class a dataclass. The options are those of ``dataclasses.dataclass``."""

        def made(cls):
            own = {}
            if frozen:
                own = {"__setattr__": set_once, "__delattr__": refuse_deletion}
            if eq:
                own |= {"__eq__": equal, "__hash__": hash_of_fields if frozen else None}
            if repr:
                own["__repr__"] = constructor_call
            for name, method in own.items():
                if vars(cls).get(name) is None:
                    setattr(cls, name, method)
            dataclasses.dataclass(cls, eq=False, repr=False)
            if eq:
                compared = [each for each in dataclasses.fields(cls) if each.compare]
                cls._compared = staticmethod(attrgetter(*(each.name for each in compared)))
                hashed = (each.name for each in compared if each.hash is not False)
                cls._hashed = staticmethod(attrgetter(*hashed))
            return cls

        return made if given is None else made(given)
