"""Measures by name: ``nDCG(gain=exp2)@10``, and trec_eval's ``ndcg_cut_10`` for what it calls so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karat.measures.aliases import ALSO_CALLED, NICKNAMES, TABLE, canonical, translated
from karat.measures.define import ANY, REGISTER, OneOf, Value, default_of, plugged, show, tidied
from karat.measures.grammar import (
    DEEPEST,
    NUMBER,
    depth_of,
    number,
    parts_of_name,
    shortened,
    split_names,
    written_plainly,
)
from karat.measures.unknown_names import UnknownMeasureError, respelled, unknown
from karat.output.errors import MeasureError

if TYPE_CHECKING:
    from karat.lists import Lists, Queries
    from karat.measures.define import Definition

__all__ = [
    "ALSO_CALLED",
    "Measure",
    "UnknownMeasureError",
    "Wanted",
    "check_parameter",
    "given_names",
    "parse_measure",
    "parse_measures",
    "parts_of_name",
    "split_names",
]


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
        >>> import karat
        >>> str(karat.nDCG(gain="exp2") @ 10)
        'nDCG(gain=exp2)@10'
        >>> karat.Measure.parse("nDCG(gain=exp2)@10") == karat.nDCG(gain="exp2") @ 10
        True
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    depth: int | None = None

    def __post_init__(self) -> None:
        """Check the name and the parameters, and put them in their one order."""
        definition = self.definition
        given = {key: tidied(value) for key, value in self.parameters}
        for parameter, value in given.items():
            check_parameter(self.name, definition.parameters, parameter, value)
        ordered = tuple(
            (key, given[key])
            for key, default in definition.parameters.items()
            if key in given and given[key] != default_of(default)
        )
        object.__setattr__(self, "parameters", ordered)
        if self.depth is not None and definition.at != "depth":
            raise MeasureError(f"{self.name} takes no depth: write {self.name} without '@{self.depth}'.")
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
            from karat.measures.unknown_names import unknown  # which reads this register

            raise unknown(self.name) from None

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Every parameter of the formula with its value."""
        defaults = {key: default_of(value) for key, value in self.definition.parameters.items()}
        return {**defaults, **dict(self.parameters)}

    @property
    def every_rank(self) -> bool:
        """Whether unjudged documents count, so that the formula must see every rank."""
        gain, rel = self.by_role("gain"), self.by_role("relevance")
        return (
            self.definition.every_rank
            or (isinstance(rel, (int, float)) and rel < 0)
            or (isinstance(gain, tuple) and any(level < 0 for level, _ in gain))
        )

    @property
    def wanted(self) -> Wanted:
        """What it looks for: grades from its ``rel`` on, else what has a positive ``gain``, else grade 1 or more."""
        gain, rel = self.by_role("gain"), self.by_role("relevance")
        if isinstance(rel, (int, float)):
            return Wanted(rel)
        return Wanted() if gain is None else Wanted(None, gain)

    @property
    def may_be_undefined(self) -> bool:
        """Whether a query may have no value by the definition of the measure."""
        return self.definition.undefined or "nan" in self.arguments.values()

    @property
    def micro(self) -> bool:
        """Whether it averages over the documents of all queries, so that a query's value depends on the others."""
        return bool(self.by_role("micro") == "true")

    def by_role(self, role: str) -> Any:
        """The value of the parameter that has this role; None if none has."""
        declared = self.definition.parameters
        return next((self.arguments[key] for key, each in declared.items() if each.role == role), None)

    @classmethod
    def parse(cls, name: str) -> Measure:
        """The measure of a name such as ``nDCG(gain=exp2)@10``.

        Raises:
            MeasureError: an unknown name, parameter or value, or a name that stands for several measures.
        """
        return parse_measure(name)

    def __call__(self, **parameters: Any) -> Measure:
        """The same measure with parameters changed, as in ``karat.nDCG(gain="exp2")``.

        Raises:
            MeasureError: no such parameter or value.
        """
        given = {key: as_parameter(value) for key, value in parameters.items()}
        return Measure(self.name, tuple({**dict(self.parameters), **given}.items()), self.depth)

    def __matmul__(self, depth: float) -> Measure:
        """The same measure at a depth, or at what its ``@`` gives, as in ``karat.P @ 10``.

        Raises:
            MeasureError: it takes no depth, or this is none.
        """
        at = self.definition.at
        if at in ("depth", "no"):
            return Measure(self.name, self.parameters, depth_of(str(depth), f"{self.name}@{depth}"))
        return self(**{at: depth})

    def values(self, lists: Lists) -> Queries:
        """The value of each query.

        Raises:
            MeasureError: a formula from outside karat fails.
        """
        cut = lists if self.depth is None else lists.top(self.depth)
        formula = self.definition.formula
        try:
            return formula(cut, **self.arguments)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if formula.__module__.startswith("karat."):
                raise
            raise MeasureError(
                f"The formula of {self.name}, in {formula.__module__}, fails: {type(error).__name__}: {error}. It may "
                "use the words of karat.lists.Lists, each on the lists that its documents come from."
            ) from error

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


def check_parameter(name: str, parameters: Mapping[str, Any], parameter: str, value: Value) -> None:
    """Refuse a parameter that the measure lacks or a value that it cannot take."""
    if parameter not in parameters:
        has = ", ".join(parameters) or "none"
        raise MeasureError(f"{name} has no parameter '{shortened(parameter)}'; it has: {has}.")
    declared = parameters[parameter]
    written = f"{name}({parameter}={shortened(show(value))})"
    if declared.role == "gain":
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
    gain, highest = measure.by_role("gain"), measure.by_role("highest")
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


def parse_measure(name: str | Measure) -> Measure:
    """The measure of one name.

    Args:
        name: a name such as ``AP``, ``P@10``, ``nDCG(gain=exp2)@10``, or trec_eval's ``map``, ``P_10``.

    Raises:
        MeasureError: an unknown name, parameter or value, or a name that stands for several measures.

    Example:
        >>> from karat.measures import parse_measure
        >>> str(parse_measure("ndcg_cut_10"))
        'nDCG@10'
    """
    measures = parse_measures([name])
    if len(measures) != 1:
        shown = ", ".join(map(str, measures[:3]))
        raise MeasureError(f"'{name}' stands for {len(measures)} measures ({shown}, …): name one of them.")
    return measures[0]


def parse_measures(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of many names, in order, each once.

    A name of trec_eval's may stand for several: ``P`` for nine depths, ``all_trec`` for nearly everything.
    Names may also be separated by blanks or commas in one string.

    Raises:
        MeasureError: as ``parse_measure``.
    """
    found: dict[Measure, None] = {}
    for name in given_names(names):
        for part in [name] if isinstance(name, Measure) else split_names(name):
            found.update(dict.fromkeys([part] if isinstance(part, Measure) else named(part)))
    for each in found:
        refuse_without_depth(each)
    return list(found)


def given_names(names: object) -> list[str | Measure]:
    """The names that were given, one by one.

    Raises:
        MeasureError: what is neither a name nor a ``Measure`` nor several of them.
    """
    if isinstance(names, (str, Measure)):
        return [names]
    if not isinstance(names, Iterable):
        raise MeasureError(
            f"measures={names!r}: give a name, such as 'nDCG@10', a Measure, or a list of them."
        )
    found = list(names)
    for name in found:
        if not isinstance(name, (str, Measure)):
            raise MeasureError(f"A measure is named by text, not by {name!r}.")
    return found


def refuse_without_depth(measure: Measure) -> None:
    """Refuse a measure that is one at a depth only, such as P.

    Raises:
        MeasureError: it has none.
    """
    if measure.depth is None and measure.definition.whole:
        raise MeasureError(
            f"{measure.name} needs a depth, as in {measure.name}@10; of whole lists: {measure.definition.whole}."
        )


def as_parameter(value: Any) -> Value:
    """A parameter as Python writes it: a word, a number, a list of numbers, or a table of grades and gains."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value


def named(name: str) -> list[Measure]:
    """What one name stands for: trec_eval's first where it has parameters of its own kind, else karat's."""
    trec = from_trec_eval(written_plainly(name))
    return [own(name)] if trec is None else trec


def own(name: str) -> Measure:
    """The measure of a name of karat's, or of a name that others give to one."""
    word, given, at = parts_of_name(name)
    meant = canonical(word)
    if meant is None and plugged("karat.measures"):
        meant = canonical(word)
    if meant is None:
        raise unknown(word, at)
    word, implied, _ = parts_of_name(meant)
    word, given, at = translated(word, {**implied, **given}, at)
    definition = REGISTER[word]
    parameters = list(given.items())
    if at is None:
        return Measure(word, tuple(parameters))
    if not NUMBER.fullmatch(at):
        meant = respelled(word, at)
        hint = f" Did you mean {meant}?" if meant else ""
        raise MeasureError(f"'{shortened(name)}': what follows '@' is a number, not '{shortened(at)}'.{hint}")
    if definition.at not in ("depth", "no"):
        return Measure(word, (*parameters, (definition.at, number(at))))
    return Measure(word, tuple(parameters), depth_of(at, name))


def from_trec_eval(name: str) -> list[Measure] | None:
    """What trec_eval calls so, or None: ``map``, ``P_5``, ``P.5,10``, ``P``, ``all_trec``."""
    if name in NICKNAMES:
        return [each for member in NICKNAMES[name] for each in in_full(member, TABLE[member].cutoffs)]
    for word, entry in TABLE.items():
        if name == word:
            return in_full(word, entry.cutoffs)
        rest = name.removeprefix(word)
        if entry.cutoffs and rest != name and rest[:1] in ("_", "."):
            cutoffs = rest[1:].split(",")
            if all(map(NUMBER.fullmatch, cutoffs)):
                return in_full(word, tuple(map(number, cutoffs)))
    return None


def in_full(word: str, cutoffs: tuple[float, ...]) -> list[Measure]:
    """A name of trec_eval's with each of its cutoffs; ``runid`` and ``relstring`` are not numbers and give none."""
    template = TABLE[word].karat
    if "{}" in template:
        return [own(template.format(show(cutoff))) for cutoff in cutoffs]
    return [own(template)] if template else []
