"""What a measure is: a formula, its parameters, how its values are averaged; and the register of all of them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from karat.measures.grammar import DEEPEST, shortened
from karat.output.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.lists import Lists, Queries

__all__ = ["ANY", "REGISTER", "Definition", "Measure", "Number", "OneOf", "Wanted", "measure"]

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
    """

    default: float | tuple[float, ...]
    lowest: float = -MOST
    highest: float = MOST
    above: bool = False

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
    range of ``number``.
    """

    default: str
    others: tuple[str, ...]
    number: Number

    def __init__(self, default: str, *others: str, number: Number = ANY) -> None:
        """Take the default word and the others."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """A measure as its author enrolled it."""

    name: str
    formula: Callable[..., Queries]
    parameters: dict[str, Any] = field(hash=False)
    aggregate: str
    at: str
    whole: str
    same_as: str
    source: str
    weighs: Callable[..., Queries | None] | None = None
    every_rank: bool = False
    additive: bool = False
    groups: bool = False
    smaller_is_better: bool = False
    undefined: bool = False
    values: tuple[float, float] = (0.0, 1.0)

    @property
    def sentence(self) -> str:
        """The first line of the formula's docstring."""
        return (self.formula.__doc__ or "").strip().splitlines()[0]


REGISTER: dict[str, Definition] = {}
"""Every enrolled measure by name, in reading order."""


def measure(
    name: str,
    *,
    aggregate: str = "mean",
    at: str = "depth",
    whole: str = "",
    same_as: str = "",
    source: str = "",
    weighs: Callable[..., Queries | None] | None = None,
    every_rank: bool = False,
    additive: bool = False,
    groups: bool = False,
    smaller_is_better: bool = False,
    undefined: bool = False,
    values: tuple[float, float] = (0.0, 1.0),
    **parameters: OneOf | Number,
) -> Callable[[Callable[..., Queries]], Callable[..., Queries]]:
    """Enrol a formula as a measure.

    Args:
        name: what users call it.
        aggregate: how per-query values become one: ``mean``, ``sum``, or ``geometric`` (values below 1e-5
            count as 1e-5).
        at: what ``@`` gives: ``depth`` (the list is cut before the formula sees it), ``no`` (nothing), or the
            name of a parameter of the formula.
        whole: the measure of the whole list, where this name needs a depth.
        same_as: trec_eval's name.
        source: where the definition comes from.
        weighs: what each query's value weighs in the mean, from the same lists and parameters; 1 if None, or if it
            gives None.
        every_rank: the formula must see a row for every rank, also for unjudged documents.
        additive: the value is a sum over documents of what each adds at its rank, whatever stands around it.
        groups: the judgments must come in groups: the second column of qrels names a subtopic.
        smaller_is_better: the value counts what is missing or wrong.
        undefined: a query may have no value (NaN) by the measure's own definition.
        values: the lowest and the highest that a query's value can be, gains being 0 or more and an ideal list holding
            the documents that were judged or retrieved.
        parameters: the formula's parameters: each a ``Number`` of a range, or ``OneOf`` a few words.
    """

    def enrol(formula: Callable[..., Queries]) -> Callable[..., Queries]:
        if name in REGISTER:
            raise ValueError(f"a measure named {name} exists already")
        REGISTER[name] = Definition(
            name,
            formula,
            parameters,
            aggregate,
            at,
            whole,
            same_as,
            source,
            weighs,
            every_rank,
            additive,
            groups,
            smaller_is_better,
            undefined,
            values,
        )
        return formula

    return enrol


@dataclass(frozen=True)
class Wanted:
    """Which judgments a measure looks for: a query that has none of them is empty to it.

    Args:
        rel: those of this grade or more; None where gains say it.
        gain: those that are worth something, by this gain.
    """

    rel: float | None = 1
    gain: Any = None

    def count(self, lists: Lists) -> Queries:
        """How many each query has, retrieved or not."""
        return lists.n_worth(self.gain) if self.rel is None else lists.n_relevant(self.rel)

    def __str__(self) -> str:
        """In words, to follow ``a document of``."""
        return "a positive gain" if self.rel is None else f"grade {show(self.rel)} or more"


@dataclass(frozen=True)
class Measure:
    """One measure with its parameters: hashable, equal by meaning, printed as the name that makes it.

    Args:
        name: a name of the register.
        parameters: pairs (parameter, value); those at their default are dropped.
        depth: the ``@``, or None.

    Raises:
        MeasureError: no such name, parameter or value.

    Example:
        >>> from karat.measures import Measure
        >>> str(Measure("AP", (("over", "capped"),), 10))
        'AP(over=capped)@10'
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    depth: int | None = None

    def __post_init__(self) -> None:
        """Check the name and the parameters, and put them in their one order."""
        definition = self.definition
        given = {key: tidied(value) for key, value in self.parameters}
        for parameter, value in given.items():
            check_parameter(definition, parameter, value)
        ordered = tuple(
            (key, given[key])
            for key, default in definition.parameters.items()
            if key in given and given[key] != default_of(default)
        )
        object.__setattr__(self, "parameters", ordered)
        if self.depth is not None and definition.at != "depth":
            raise MeasureError(f"{self.name} takes no depth: write {self.name} without '@{self.depth}'.")
        if self.depth is None and definition.whole:
            raise MeasureError(
                f"{self.name} needs a depth, as in {self.name}@10; of whole lists: {definition.whole}."
            )
        if self.depth is not None and not (1 <= self.depth <= DEEPEST):
            depth = shortened(str(self.depth)) if abs(self.depth) <= DEEPEST else "…"
            raise MeasureError(
                f"{self.name}@{depth}: a depth is a whole number from 1 on, up to {DEEPEST:,}."
            )
        check_scale(self)

    @property
    def definition(self) -> Definition:
        """The enrolled definition."""
        try:
            return REGISTER[self.name]
        except KeyError:
            from karat.measures.absent import unknown  # which reads this register

            raise unknown(self.name) from None

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Every parameter of the formula with its value."""
        defaults = {key: default_of(value) for key, value in self.definition.parameters.items()}
        return {**defaults, **dict(self.parameters)}

    @property
    def every_rank(self) -> bool:
        """Whether unjudged documents count, so that the formula must see every rank."""
        arguments = self.arguments
        gain, rel = arguments.get("gain"), arguments.get("rel")
        return (
            self.definition.every_rank
            or (isinstance(rel, (int, float)) and rel < 0)
            or (isinstance(gain, tuple) and any(level < 0 for level, _ in gain))
        )

    @property
    def wanted(self) -> Wanted:
        """What it looks for: grades from its ``rel`` on, else what has a positive ``gain``, else grade 1 or more."""
        gain, rel = self.arguments.get("gain"), self.arguments.get("rel")
        if isinstance(rel, (int, float)):
            return Wanted(rel)
        return Wanted() if gain is None else Wanted(None, gain)

    @property
    def may_be_undefined(self) -> bool:
        """Whether a query may have no value by the definition of the measure."""
        return self.definition.undefined or self.arguments.get("single") == "nan"

    @property
    def pooled(self) -> bool:
        """Whether documents of different queries are compared, so that a value depends on all queries."""
        return self.arguments.get("pooled") == "true"

    def __call__(self, lists: Lists) -> Queries:
        """The value of each query."""
        cut = lists if self.depth is None else lists.top(self.depth)
        return self.definition.formula(cut, **self.arguments)

    def weigh(self, lists: Lists) -> Queries | None:
        """What the value of each query weighs in the mean; None if all weigh the same."""
        if self.definition.weighs is None:
            return None
        cut = lists if self.depth is None else lists.top(self.depth)
        return self.definition.weighs(cut, **self.arguments)

    def __str__(self) -> str:
        """The name that makes this measure."""
        at = self.definition.at
        shown = [f"{key}={show(value)}" for key, value in self.parameters if key != at]
        inside = f"({', '.join(shown)})" if shown else ""
        where = self.depth if at == "depth" else self.arguments.get(at)
        return f"{self.name}{inside}" + ("" if where is None else f"@{show(where)}")


def default_of(parameter: OneOf | Number) -> Value:
    """The value of a parameter that was not given."""
    return parameter.default


def tidied(value: Value) -> Value:
    """The one spelling of a value: ``jk(2.0)`` is ``jk(2)``."""
    holding = HOLDING_A_NUMBER.fullmatch(value) if isinstance(value, str) else None
    return value if holding is None else f"{holding[1]}({show(float(holding[2]))})"


def check_parameter(definition: Definition, parameter: str, value: Value) -> None:
    """Refuse a parameter that the measure lacks or a value that it cannot take."""
    if parameter not in definition.parameters:
        has = ", ".join(definition.parameters) or "none"
        raise MeasureError(f"{definition.name} has no parameter '{shortened(parameter)}'; it has: {has}.")
    declared = definition.parameters[parameter]
    written = f"{definition.name}({parameter}={shortened(show(value))})"
    if parameter == "gain":
        check_gain(written, declared, value)
    elif isinstance(declared, OneOf):
        if not declared.accepts(value):
            raise MeasureError(
                f"{written}: {parameter} is one of {', '.join(declared.words)}{after(declared)}."
            )
    elif isinstance(value, str) or isinstance(value, tuple) != isinstance(declared.default, tuple):
        wants = "a list such as [0, 0.5, 1]" if isinstance(declared.default, tuple) else "a number"
        raise MeasureError(f"{written}: {parameter} is {wants}.")
    elif not declared.accepts(value):
        each = "each of them is " if isinstance(value, tuple) else ""
        raise MeasureError(f"{written}: {parameter} is {each}{declared.range}.")


def after(declared: OneOf) -> str:
    """What follows a list of words: the range of the number that they hold."""
    return f"; {declared.bounds}" if declared.bounds else ""


def check_gain(written: str, declared: OneOf, value: Value) -> None:
    """Refuse gains that are no word of the measure's and no table of grades and gains."""
    if not isinstance(value, tuple):
        if not declared.accepts(value):
            words = ", ".join(declared.words)
            raise MeasureError(f"{written}: gain is one of {words}, or {{grade:gain, …}}{after(declared)}.")
    elif not all(isinstance(each, tuple) and len(each) == 2 and ANY.accepts(each) for each in value):
        raise MeasureError(f"{written}: a table of gains holds pairs grade:gain, each {ANY.range}.")


STEEPEST = 110
"""The highest grade of a scale of ``exp2`` gains: 2^110 is a number in single precision too, many times over."""


def check_scale(measure: Measure) -> None:
    """Refuse a highest grade whose gain is no number that can be computed with, or none at all.

    Raises:
        MeasureError: it is so.
    """
    gain, highest = measure.arguments.get("gain"), measure.arguments.get("max")
    if (
        isinstance(highest, (int, float))
        and isinstance(gain, tuple)
        and dict(gain).get(highest, highest) <= 0
    ):
        raise MeasureError(
            f"{measure.name}(max={show(highest)}): the highest grade of the scale has no gain."
        )
    if not isinstance(gain, str) or not isinstance(highest, (int, float)):
        return
    word, _, held = gain.rstrip(")").partition("(")
    lowest = float(held or 0)
    if word == "exp2" and highest - lowest > STEEPEST:
        raise MeasureError(
            f"{measure.name}(max={show(highest)}): with gain={gain} the highest grade of a scale is at most "
            f"{show(lowest + STEEPEST)}, since gains double with each grade."
        )
    if held and highest < lowest:
        raise MeasureError(
            f"{measure.name}(gain={gain}, max={show(highest)}): the highest grade of the scale has no gain."
        )


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
