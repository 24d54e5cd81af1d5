"""Parameters of measures: numbers of a range and words, how they are written, and those that many measures share."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

__all__ = [
    "ANY",
    "BETA",
    "COUNT",
    "COUNTED",
    "DISCOUNT",
    "GAIN",
    "HIGHEST",
    "IDEAL",
    "KNOWN",
    "PROBABILITY",
    "REL",
    "SHARE",
    "TIMES",
    "UNBOUNDED",
    "WANTED",
    "Number",
    "OneOf",
    "Value",
    "default_of",
    "number",
    "one_of",
    "show",
    "tidied",
]

Value: TypeAlias = "str | float | tuple[Any, ...]"

HOLDING_A_NUMBER = re.compile(r"([a-z0-9]+)\(([0-9]+(?:\.[0-9]+)?)\)")
MOST = 1e12
"""The largest number that a parameter may be where nothing bounds it sooner."""


@dataclass(frozen=True, eq=False, repr=False)
class Number:
    """A parameter that is a number of a range, or a list of such numbers.

    Args:
        default: what it is where nothing is written; a list where lists are taken.
        lowest: the lower end.
        highest: the upper end.
        above: whether the lower end itself is outside.
        role: ``relevance`` for the grade from which a document is relevant, ``highest`` for the highest of the scale.
    """

    default: float | tuple[float, ...]
    lowest: float = -MOST
    highest: float = MOST
    above: bool = False
    role: str = ""

    def accepts(self, value: Value) -> bool:
        """Say whether ``value`` is in the range; of a list all of it, and it holds something."""
        if isinstance(value, tuple):
            return bool(value) and all(map(self.holds, value))
        return self.holds(value)

    def holds(self, number: Any) -> bool:
        """Say whether a number is in the range."""
        return isinstance(number, (int, float)) and (
            self.lowest <= number <= self.highest and not (self.above and number == self.lowest)
        )

    @property
    def range(self) -> str:
        """The range in words."""
        start, up = ("above", "up to") if self.above else ("from", "to")
        return f"{start} {end(self.lowest)} {up} {end(self.highest)}"


def end(number: float) -> str:
    """An end of a range."""
    if abs(number) == MOST:
        return "10^12" if number > 0 else "−10^12"
    return f"{number:,.0f}".replace("-", "−") if abs(number) >= 1e6 else f"{number:g}"


ANY = Number(0.0)
"""A number that nothing bounds but what can be computed with."""


@dataclass(frozen=True, eq=False, repr=False)
class OneOf:
    """A parameter that takes one of a few words; the first is the default.

    ``jk(b)`` stands for any number b, ``exp2(t)`` for any number t, and ``number`` for a number itself, of the
    range of ``number``. The word ``nan`` means that a query may have no value.

    The role ``gain`` is what a document of each grade is worth, ``relevance`` the grade from which one is relevant,
    ``micro`` an average over the documents of all queries where the word is ``true``.
    """

    default: str
    others: tuple[str, ...]
    number: Number
    role: str

    def __init__(self, default: str, *others: str, number: Number = ANY, role: str = "") -> None:
        """Take the default word and the others."""
        object.__setattr__(self, "role", role)
        object.__setattr__(self, "default", default)
        object.__setattr__(self, "others", others)
        object.__setattr__(self, "number", number)

    def accepts(self, value: Value) -> bool:
        """Say whether ``value`` is one of the words."""
        if not isinstance(value, str):
            return "number" in self.words and self.number.holds(value)
        holding = HOLDING_A_NUMBER.fullmatch(value)
        if holding:
            known = any(word.startswith(f"{holding[1]}(") for word in self.words)
            return known and self.number.holds(float(holding[2]))
        return value in self.words and value != "number" and "(" not in value

    @property
    def words(self) -> tuple[str, ...]:
        """All the words, the default first."""
        return (self.default, *self.others)

    @property
    def bounds(self) -> str:
        """The range of the number that a word holds or that stands for a word; empty without any."""
        held = next((word for word in self.words if "(" in word or word == "number"), None)
        if held is None:
            return ""
        name = held[held.find("(") + 1 : -1] if "(" in held else "a number"
        return f"{name} is {self.number.range}"


def number(
    default: float | tuple[float, ...],
    lowest: float = -MOST,
    highest: float = MOST,
    *,
    above: bool = False,
    role: str = "",
) -> Any:
    """A ``Number`` as the default of a formula's parameter: the formula itself is called with the number."""
    return Number(default, lowest, highest, above, role)


def one_of(default: str, *others: str, number: Number = ANY, role: str = "") -> Any:
    """``OneOf`` as the default of a formula's parameter: the formula itself is called with the word."""
    return OneOf(default, *others, number=number, role=role)


def default_of(parameter: OneOf | Number) -> Value:
    """The value of a parameter that was not given."""
    return parameter.default


def tidied(value: Value) -> Value:
    """The one spelling of a value: ``jk(2.0)`` is ``jk(2)``."""
    holding = HOLDING_A_NUMBER.fullmatch(value) if isinstance(value, str) else None
    return value if holding is None else f"{holding[1]}({show(float(holding[2]))})"


def show(value: Value) -> str:
    """A parameter's value as it is typed."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        if value and all(isinstance(each, tuple) and len(each) == 2 for each in value):
            return "{" + ",".join(f"{show(a)}:{show(b)}" for a, b in value) + "}"
        return "[" + ",".join(map(show, value)) + "]"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**16 else "a number of too many digits"
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e16
    return repr(int(value)) if whole else repr(value)


# ---------------------------------------------------------------- shared by many measures

COUNTED = (0.0, inf)
"""Values of what is counted or added up."""
UNBOUNDED = (-inf, inf)
REL: Any = number(1, role="relevance")
"""The grade from which on a document is relevant."""
KNOWN: Any = number(2)
"""The grade from which on the user knew a document."""
PROBABILITY: Any = number(0.5, 0, 1)
BETA: Any = number(1, 0, 1e6)
"""How much more one side weighs than the other; its square is computed with."""
TIMES: Any = number(1, 0, 1e6)
COUNT: Any = number(10, 1)
"""A number of documents."""
WANTED: Any = number(1, 0.5, 1e6)
"""How many relevant documents a user wants; of half a one the next document is sure to be the last."""
HIGHEST: Any = number(1, 0, above=True, role="highest")
"""The highest grade of a scale, whose gain is the unit."""

GAIN: Any = one_of(
    "linear", "exp2", "binary", "linear(t)", "exp2(t)", "binary(t)", number=number(1, 0), role="gain"
)
SHARE: Any = one_of(
    "binary", *(word for word in GAIN.words if word != "binary"), number=GAIN.number, role="gain"
)
"""Gains that are shares of the highest grade's: a relevant document is one, unless grades are told apart."""
DISCOUNT: Any = one_of("log2", "jk(b)", "ln", "log(b)", "rank", "none", number=number(2, 1, 1e6, above=True))
IDEAL: Any = one_of("judged", "uncut", "length", "retrieved", "depth", "full", "trec_eval")
