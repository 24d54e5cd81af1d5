"""The register of measures beyond accuracy: their formulas by name, and the measure that a name stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.measures.define import parameters_of
from karat.measures.grammar import parts_of_name
from karat.measures.names import check_parameter
from karat.output.errors import DataError, MeasureError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.evaluation.beyond_accuracy.inputs import Recommended
    from karat.lists.rows import Floats

__all__ = ["BEYOND", "BeyondMeasure", "Value", "beyond", "parse", "wanting"]

Value: TypeAlias = "float | Floats"
"""One number for all recommendations together, or one per user."""


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """A measure as it was enrolled.

    Args:
        name: what users call it.
        formula: from recommendations to a number, or to one per user.
        parameters: its conventions.
        needs: further inputs that it always needs.
        source: where it comes from.
    """

    name: str
    formula: Callable[..., Value]
    parameters: dict[str, Any]
    needs: tuple[str, ...]
    source: str

    @property
    def sentence(self) -> str:
        """The first line of the formula's docstring."""
        return (self.formula.__doc__ or "").strip().splitlines()[0]


BEYOND: dict[str, Entry] = {}
"""Every measure by name, in reading order."""


def beyond(
    name: str, *, needs: tuple[str, ...] = (), source: str
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Enrol a formula; its first argument is the recommendations, the others are its parameters by their defaults."""

    def enrol(formula: Callable[..., Value]) -> Callable[..., Value]:
        BEYOND[name] = Entry(name, formula, parameters_of(name, formula), needs, source)
        return formula

    return enrol


@dataclass(frozen=True)
class BeyondMeasure:
    """A measure with its conventions and depth.

    Args:
        name: of the register.
        parameters: every parameter with its value.
        depth: how many items of each list; None for all.
    """

    name: str
    parameters: tuple[tuple[str, str], ...] = field(default=())
    depth: int | None = None

    @property
    def entry(self) -> Entry:
        """The enrolled measure."""
        return BEYOND[self.name]

    def __call__(self, given: Recommended) -> Value:
        """Its value.

        Raises:
            DataError: something that it needs was not given.
        """
        for what in self.entry.needs:
            wanting(given, what, str(self))
        return self.entry.formula(given.top(self.depth), **dict(self.parameters))

    @property
    def full(self) -> str:
        """The name with every convention written out."""
        return self.named(self.parameters)

    @property
    def at(self) -> str:
        """The ``@`` and the depth."""
        return "" if self.depth is None else f"@{self.depth}"

    def __str__(self) -> str:
        """The name that makes it, without what is the default."""
        defaults = self.entry.parameters
        return self.named(tuple(each for each in self.parameters if each[1] != defaults[each[0]].default))

    def named(self, parameters: tuple[tuple[str, str], ...]) -> str:
        """The name with some parameters."""
        inside = ", ".join(f"{key}={value}" for key, value in parameters)
        return f"{self.name}{f'({inside})' if inside else ''}{self.at}"


def wanting(given: Recommended, what: str, name: str) -> Any:
    """A further input by name.

    Raises:
        DataError: it was not given.
    """
    found = getattr(given, what)
    if found is None or (not isinstance(found, np.ndarray) and what == "train" and not len(found.user)):
        raise DataError(f"{name} needs {what}: give {what}=.")
    return found


def parse(name: str, depth: int | None) -> BeyondMeasure:
    """The measure of one name; ``depth`` holds where the name has no ``@``.

    Raises:
        MeasureError: no such name, parameter or value.
    """
    word, given, at = parts_of_name(name)
    if word not in BEYOND:
        hint = did_you_mean(word, BEYOND, f"There are: {', '.join(BEYOND)}.")
        raise MeasureError(f"There is no measure '{word}' beyond accuracy. {hint}")
    entry = BEYOND[word]
    for key, value in given.items():
        check_parameter(word, entry.parameters, key, value)
    if at is not None and not (at.isdecimal() and int(at) > 0):
        raise MeasureError(f"'{name}': a depth is a whole number from 1 on, not '{at}'.")
    values = tuple((key, given.get(key, each.default)) for key, each in entry.parameters.items())
    return BeyondMeasure(word, values, depth if at is None else int(at))
