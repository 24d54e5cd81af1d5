"""Python's own ``dataclass`` with half of its cost: a start of carob makes dozens of classes.

``dataclasses.dataclass`` compiles each method of each class from text. More than half of the time of a small class
goes to the two methods that keep it from being changed, which all classes share here. ``replace``, ``fields`` and the
other functions of ``dataclasses`` work as always.
"""

from __future__ import annotations

import dataclasses
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


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(given=None, /, *, frozen=False, eq=True, **options):
        """Makes a class a dataclass. The options are those of ``dataclasses.dataclass``, without ``slots``."""

        def made(cls):
            if frozen:
                cls.__setattr__, cls.__delattr__ = set_once, refuse_deletion
            return dataclasses.dataclass(cls, eq=eq, unsafe_hash=eq and frozen, **options)

        return made if given is None else made(given)
