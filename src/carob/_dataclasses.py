"""A faster replacement for Python's ``dataclass``, because carob creates dozens of classes at start-up.

``dataclasses.dataclass`` compiles each method of each class from text, which took a quarter of the start-up time. Here,
all classes share the methods that compare, print and freeze objects, and the code of ``__init__``, whose parameters
differ by class. An evaluation calls ``replace`` a dozen times per run; it takes a tenth of the time of
``dataclasses.replace``. All functions of ``dataclasses``, such as ``replace`` and ``fields``, also work as usual.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass", "replace"]


class Factory:
    """The default of a parameter whose field has a ``default_factory``."""

    def __repr__(self) -> str:
        """Returns the text that a signature shows."""
        return "<factory>"


FACTORY = Factory()


def set_fields(arguments: dict[str, Any]) -> None:
    """Sets the fields of an object to the arguments of its ``__init__``."""
    self = arguments.pop("self")
    for name, factory in self._factories:
        if arguments.get(name, FACTORY) is FACTORY:
            arguments[name] = factory()
    self.__dict__.update(arguments)
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def without_parameters(self: Any) -> None:
    """The template for each ``__init__``, which uses this code with its own parameters."""
    set_fields(locals())


def initializer(cls: type) -> FunctionType:
    """Returns the ``__init__`` of a dataclass, without compiling text."""
    given = [each for each in dataclasses.fields(cls) if each.init]
    by_place = [each for each in given if not each.kw_only]
    by_name = [each for each in given if each.kw_only]
    parameters = ("self", *(each.name for each in by_place + by_name))
    code = without_parameters.__code__.replace(
        co_argcount=1 + len(by_place),
        co_kwonlyargcount=len(by_name),
        co_nlocals=len(parameters),
        co_varnames=parameters,
    )
    made = FunctionType(code, globals(), "__init__")
    made.__doc__ = None  # the first constant of the code is its docstring
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {each.name: each.type for each in given} | {"return": None}
    made.__defaults__ = tuple(defaults(by_place).values())
    made.__kwdefaults__ = defaults(by_name)
    return made


def defaults(fields: list[dataclasses.Field[Any]]) -> dict[str, Any]:
    """Returns the defaults of the parameters for fields."""
    missing = dataclasses.MISSING
    found = {each.name: each.default if each.default_factory is missing else FACTORY for each in fields}
    return {name: default for name, default in found.items() if default is not missing}


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
    """Returns the expression that creates the object."""
    fields = ", ".join(
        f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr
    )
    return f"{type(self).__qualname__}({fields})"


if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def replace(self, /, **changes):
        """Returns a copy of the object with some fields changed. Its class must have been made by this module."""
        own = self.__dict__
        return type(self)(**{name: own[name] for name in self._parameters} | changes)

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
            dataclasses.dataclass(cls, init=False, eq=False, repr=False)
            fields = dataclasses.fields(cls)
            own["__init__"] = initializer(cls)
            cls._parameters = tuple(each.name for each in fields if each.init)
            for name, method in own.items():
                if vars(cls).get(name) is None:
                    setattr(cls, name, method)
            cls._factories = [
                (each.name, each.default_factory)
                for each in fields
                if each.default_factory is not dataclasses.MISSING
            ]
            if eq:
                compared = [each for each in fields if each.compare]
                cls._compared = staticmethod(attrgetter(*(each.name for each in compared)))
                hashed = (each.name for each in compared if each.hash is not False)
                cls._hashed = staticmethod(attrgetter(*hashed))
            return cls

        return made if given is None else made(given)
