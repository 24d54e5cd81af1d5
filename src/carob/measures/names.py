"""Parses measure names, such as ``nDCG(gain=exp2)@10`` or trec_eval's ``ndcg_cut_10``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.measures.define import REGISTER, Value, as_typed, shortened, tidied
from carob.measures.grammar import DEEPEST, depth_of, is_number, number, parts_of_each, separated
from carob.measures.unknown_names import respelled, unknown
from carob.output.errors import TOO_LARGE, CarobError, MeasureError, did_you_mean
from carob.output.language import filled

if TYPE_CHECKING:
    from carob.lists import Lists, Queries
    from carob.measures.define import Definition


@dataclass(frozen=True)
class RequiredJudgments:
    """The judgments that a measure requires. A query without the required judgments counts as empty for the measure.

    Args:
        rel: the lowest grade of a required judgment; None if ``gain`` decides which judgments are required.
        gain: the gain of each grade; judgments with a positive gain are required.
    """

    rel: float | None = 1
    gain: Any = None

    def count(self, lists: Lists) -> Queries:
        """Returns the number of required judgments of each query, whether the documents were retrieved or not."""
        return lists.n_worth(self.gain) if self.rel is None else lists.n_relevant(self.rel)

    def __str__(self) -> str:
        """Returns the requirement in words, such as ``grade 1 or more``."""
        return "a positive gain" if self.rel is None else f"grade {as_typed(self.rel)} or more"


@runtime_checkable
class MeasureObject(Protocol):
    """A measure of ir_measures, such as ``ir_measures.nDCG @ 10``. ``str`` of the object is the name of the measure."""

    NAME: Any
    AT_PARAM: Any
    params: Any

    def __matmul__(self, depth: float, /) -> MeasureObject:
        """Returns the measure with this depth."""


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters and depth. Measures with the same meaning are equal.

    Args:
        name: a registered name.
        parameters: pairs (parameter, value). Parameters with their default value are dropped. The last pair can be a
            policy setting that applies only to this measure, such as ``unjudged=removed``.
        depth: the depth after ``@``, or None.

    Raises:
        MeasureError: the name, a parameter or a value does not exist.

    Example:
        >>> import carob
        >>> str(carob.nDCG(gain="exp2") @ 10)
        'nDCG(gain=exp2)@10'
        >>> carob.Measure.parse("nDCG(gain=exp2)@10") == carob.nDCG(gain="exp2") @ 10
        True
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    depth: int | None = None
    settings: dict[str, Any] = field(init=False, repr=False, compare=False)
    """The policy settings that apply only to this measure."""
    rows: str = field(init=False, repr=False, compare=False)
    """The retrieved documents that the formula needs: ``relevant`` or ``judged`` ones, or one at ``every`` rank."""
    every_rank: bool = field(init=False, repr=False, compare=False)
    """Whether unjudged documents count, so that the formula needs a row for every rank."""
    wanted: RequiredJudgments = field(init=False, repr=False, compare=False)
    """The judgments that the measure requires: grades of at least ``rel``, positive gains, or grades of at least 1."""
    may_be_undefined: bool = field(init=False, repr=False, compare=False)
    """Whether the measure can be undefined for a query."""
    micro: bool = field(init=False, repr=False, compare=False)
    """Whether the measure averages over the documents of all queries, so that queries depend on each other."""

    def __post_init__(self) -> None:
        """Checks the name and the parameters, and sorts the parameters."""
        definition = self.definition
        given = {key: tidied(value) for key, value in self.parameters}
        for parameter, value in given.items():
            check_parameter(definition, parameter, value)
        own = [
            (key, given[key])
            for key, default in definition.parameters.items()
            if key in given and given[key] != default.default
        ]
        # A setting with the default value is kept, because the policy of the call may have a different value.
        its = [(key, given[key]) for key in definition.settings if key in given]
        object.__setattr__(self, "parameters", (*own, *its))
        if self.depth is not None and definition.at != "depth":
            raise MeasureError(f"{self.name} has no depth: write {self.name} without '@{self.depth}'.")
        if self.depth is not None and not (1 <= self.depth <= DEEPEST):
            depth = shortened(str(self.depth)) if abs(self.depth) <= DEEPEST else "…"
            raise MeasureError(f"{self.name}@{depth}: a depth is a whole number from 1 to {DEEPEST:,}.")
        check_scale(self)
        self.settle(dict(its))

    def settle(self, settings: dict[str, Any]) -> None:
        """Stores attributes derived from the parameters, which each evaluation needs many times."""
        gain, rel = self.by_role("gain"), self.by_role("relevance")
        graded = isinstance(rel, (int, float))
        wanted = RequiredJudgments() if gain is None else RequiredJudgments(None, gain)
        rows = rows_needed(self.definition.rows, gain, [rel] if graded else [])
        vars(self).update(
            settings=settings,
            rows=rows,
            every_rank=rows == "every",
            wanted=RequiredJudgments(rel) if graded else wanted,
            may_be_undefined=self.definition.undefined or "nan" in self.arguments.values(),
            micro=self.by_role("micro") == "true",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the name, parameters and depth, because the formula of a user's measure might not be picklable."""
        return Measure, (self.name, self.parameters, self.depth)

    @cached_property
    def definition(self) -> Definition:
        """The registered definition."""
        try:
            return REGISTER[self.name]
        except KeyError:
            from carob.measures.unknown_names import unknown  # which imports the register

            raise unknown(self.name) from None

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Every parameter of the formula with its value."""
        defaults = {key: value.default for key, value in self.definition.parameters.items()}
        return {key: dict(self.parameters).get(key, default) for key, default in defaults.items()}

    @cached_property
    def plain(self) -> Measure:
        """The measure without policy settings."""
        own = self.definition.parameters
        return Measure(self.name, tuple(each for each in self.parameters if each[0] in own), self.depth)

    @cached_property
    def additive(self) -> bool:
        """Whether the value is a sum of terms, each of which depends only on one document and its rank.

        With ``ideal=top``, the divisor also depends on the ranking.
        """
        return self.definition.additive and self.arguments.get("ideal") != "top"

    @cached_property
    def roles(self) -> dict[str, Any]:
        """The value of the parameter with each role."""
        declared = self.definition.parameters
        return {each.role: self.arguments[key] for key, each in reversed(declared.items())}

    def by_role(self, role: str) -> Any:
        """Returns the value of the parameter with this role, or None if no parameter has it."""
        return self.roles.get(role)

    @classmethod
    def parse(cls, name: str) -> Measure:
        """Returns the measure for a name such as ``nDCG(gain=exp2)@10``.

        Raises:
            MeasureError: the name, a parameter or a value is unknown, or the name stands for several measures.
        """
        return parse_measure(name)

    def __call__(self, **parameters: Any) -> Measure:
        """Returns the measure with other parameters, as in ``carob.nDCG(gain="exp2")``.

        Raises:
            MeasureError: a parameter or a value does not exist.
        """
        given = {key: as_parameter(value) for key, value in parameters.items()}
        return Measure(self.name, tuple({**dict(self.parameters), **given}.items()), self.depth)

    def __matmul__(self, depth: float) -> Measure:
        """Returns the measure with another value after ``@``, as in ``carob.P @ 10``.

        Raises:
            MeasureError: the measure accepts no depth, or the number is not a depth.
        """
        at = self.definition.at
        if at in ("depth", "no"):
            return Measure(self.name, self.parameters, depth_of(str(depth), f"{self.name}@{depth}"))
        return self(**{at: depth})

    def values(self, lists: Lists) -> Queries:
        """Returns the measure's value for each query.

        Raises:
            MeasureError: a user's formula fails, or does not return a number for each query.
        """
        cut = lists if self.depth is None else lists.top(self.depth)
        formula = self.definition.formula
        if self.definition.own:
            values: Queries = formula(cut, **self.arguments)
            return values
        facts = {"name": self.name, "module": formula.__module__}
        try:
            values = formula(cut, **self.arguments)
        except CarobError:
            raise
        except (Exception, SystemExit) as error:
            raise failing(error, cut, **facts) from error
        odd = oddity(values, cut)
        if odd is not None:
            found, cure = odd
            raise MeasureError(
                filled(
                    "The formula of {name}, in {module}, returned {odd}. {cure}",
                    **facts,
                    odd=found,
                    cure=cure,
                )
            )
        return values

    @property
    def not_finite(self) -> str:
        """The reason why a value that is not finite is refused."""
        if self.definition.own:
            return TOO_LARGE
        return (
            f"its formula, in {self.definition.formula.__module__}, gives NaN or an infinite number: return "
            "a finite number for each query, or declare undefined=True if a query may have no value."
        )

    def weigh(self, lists: Lists) -> Queries | None:
        """Returns the weight of each query in the mean, or None for equal weights."""
        if self.definition.weighs is None:
            return None
        cut = lists if self.depth is None else lists.top(self.depth)
        return self.definition.weighs(cut, **self.arguments)

    @property
    def full(self) -> str:
        """Returns the name with every parameter, including those at their defaults."""
        return self.written({**self.arguments, **self.settings})

    @cached_property
    def text(self) -> str:
        """The measure's full name, which ``parse_measure`` can read."""
        return self.written(dict(self.parameters))

    def __str__(self) -> str:
        """Returns the measure's name, which ``parse_measure`` can read."""
        return self.text

    def written(self, parameters: Mapping[str, Value]) -> str:
        """Returns the measure's name with the given parameters."""
        at = self.definition.at
        shown = [f"{key}={as_typed(value)}" for key, value in parameters.items() if key != at]
        inside = f"({', '.join(shown)})" if shown else ""
        where = self.depth if at == "depth" else self.arguments.get(at)
        name = SHORT.get(self.name, self.name)
        if where is None:
            return f"{name}{inside}"
        return f"{name}{inside}@{in_percent(where) if self.definition.percent else as_typed(where)}"


def rows_needed(declared: str, gain: Any, levels: list[float]) -> str:
    """Returns the retrieved documents that a formula needs.

    If the parameters make grades of 0 or less count, a formula needs more documents than its definition declares.

    Args:
        declared: the value of ``rows`` in the definition.
        gain: the gain of each grade; None if the formula has no such parameter.
        levels: the lowest relevant grade, if the formula has one.
    """
    levels = levels + ([level for level, value in gain if value] if isinstance(gain, tuple) else [])
    lowest = min(levels, default=1.0)
    if lowest < 0:
        return "every"
    zero = lowest == 0 or (isinstance(gain, str) and gain.endswith("(0)"))
    return "judged" if zero and declared == "relevant" else declared


def check_parameter(definition: Definition, parameter: str, value: Value) -> None:
    """Refuses an unknown parameter or a value that is not allowed."""
    name, parameters = definition.name, {**definition.settings, **definition.parameters}
    if parameter not in parameters:
        has = ", ".join(definition.parameters) or "none"
        raise MeasureError(f"{name} has no parameter '{shortened(parameter)}'. Its parameters are: {has}.")
    declared = parameters[parameter]
    if not declared.accepts(value):
        written = f"{name}({parameter}={shortened(as_typed(value))})"
        raise MeasureError(f"{written}: {parameter} must be {declared.wanted(value)}.")


STEEPEST = 110
"""The maximum of the highest grade with ``exp2`` gains: sums of 2^110 are finite even in single precision."""


def check_scale(measure: Measure) -> None:
    """Refuses a highest grade whose gain is 0 or too large.

    Raises:
        MeasureError: the gain is 0 or too large.
    """
    gain, highest = measure.by_role("gain"), measure.by_role("highest")
    if gain is None or not isinstance(highest, (int, float)):
        return
    facts = {"name": measure.name, "gain": as_typed(gain), "highest": as_typed(highest)}
    if isinstance(gain, tuple):
        if dict(gain).get(highest, highest) <= 0:
            raise MeasureError(
                filled("{name}(max={highest}): the highest grade of the scale has no gain.", **facts)
            )
        return
    word, _, held = gain.rstrip(")").partition("(")
    lowest = float(held or 0)
    if word == "exp2" and highest - lowest > STEEPEST:
        raise MeasureError(
            filled(
                "{name}(max={highest}): with gain={gain} the highest grade of a scale is at most {most}, "
                "since gains double with each grade.",
                **facts,
                most=as_typed(lowest + STEEPEST),
            )
        )
    if highest < lowest:
        raise MeasureError(
            filled("{name}(gain={gain}, max={highest}): the highest grade of the scale has no gain.", **facts)
        )


def parse_measure(name: str | Measure) -> Measure:
    """Returns the measure that a name means.

    Args:
        name: a name such as ``AP``, ``P@10``, ``nDCG(gain=exp2)@10``, or trec_eval's ``map``, ``P_10``.

    Raises:
        MeasureError: the name, a parameter or a value is unknown, or the name stands for several measures.

    Example:
        >>> from carob.measures import parse_measure
        >>> str(parse_measure("ndcg_cut_10"))
        'nDCG@10'
    """
    measures = parse_measures([name])
    if len(measures) != 1:
        shown = ", ".join(map(str, measures[:3]))
        raise MeasureError(f"'{name}' stands for {len(measures)} measures ({shown}, …): name one of them.")
    return measures[0]


def parse_measures(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Returns the measures of several names, in order, without repetition.

    A trec_eval name can stand for several measures: ``P`` for precision at nine depths, and ``all_trec`` for nearly all
    measures. A string may contain several names, separated by blanks or commas.

    Raises:
        MeasureError: as ``parse_measure``.
    """
    return list(dict.fromkeys(chain.from_iterable(measures_of_each(given_names(names)))))


def measures_of_each(names: Iterable[str | Measure]) -> list[list[Measure]]:
    """Returns the measures that each name stands for, in order, without repetition.

    Raises:
        MeasureError: as ``parse_measure``.
    """
    given = parts_of_each(names)
    found = [
        [each] if isinstance(each, Measure) else [*dict.fromkeys(own(*its) for its in each)] for each in given
    ]
    for each in chain.from_iterable(found):
        refuse_without_depth(each)
    return found


def given_names(names: object, kinds: tuple[type, ...] = ()) -> list[Any]:
    """Returns measure names as a list.

    Args:
        names: a name, a ``Measure``, or several of them.
        kinds: further classes whose objects are accepted as measures.

    Raises:
        MeasureError: an element is neither a name nor a measure.
    """
    kinds = (str, Measure, *kinds)
    if isinstance(names, kinds):
        return [names]
    if not isinstance(names, Iterable):
        raise MeasureError(
            f"measures={names!r}: use a name, such as 'nDCG@10', a Measure, or a list of them."
        )
    found = list(names)
    for name in found:
        if not isinstance(name, kinds):
            raise MeasureError(
                f"{name!r} does not name a measure: pass text, such as 'nDCG@10', or a Measure."
            )
    return found


def names_in(measures: object) -> list[Any]:
    """Returns the names of the requested measures. A string may contain several names, separated by blanks or commas.

    Raises:
        MeasureError: as in ``given_names``.
    """
    return separated(given_names(measures, (MeasureObject,)))


def refuse_without_depth(measure: Measure) -> None:
    """Refuses a measure that needs a depth, such as P, but does not have one.

    Raises:
        MeasureError: the depth is missing.
    """
    if measure.depth is None and measure.definition.whole:
        raise MeasureError(
            filled(
                "{name} needs a depth, as in {name}@10; for whole lists, write {whole}.",
                name=measure.name,
                whole=measure.definition.whole,
            )
        )


def as_parameter(value: Any) -> Value:
    """Converts a Python value to a parameter's: a word, a number, a list of numbers, or a table of grades and gains."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value


def own(name: str, word: str, given: dict[str, Any], at: str | None) -> Measure:
    """Returns the measure for a name that ``in_own_words`` has split into parts."""
    if word not in REGISTER:
        raise unknown(word, at)
    parameters = list(given.items())
    if at is not None and at.endswith("%"):
        return of_share(word, parameters, at, name)
    definition = REGISTER[word]
    if at is None:
        return Measure(word, tuple(parameters))
    if not is_number(at):
        meant = respelled(word, at)
        hint = f" Did you mean {meant}?" if meant else ""
        raise MeasureError(f"'{shortened(name)}': a number must follow '@', not '{shortened(at)}'.{hint}")
    if definition.at not in ("depth", "no"):
        share = definition.percent and number(at) > 1
        return Measure(word, (*parameters, (definition.at, share_of(at) if share else number(at))))
    return Measure(word, tuple(parameters), depth_of(at, name))


SHORT = {"ScreeningRecall": "R"}
"""Measures at a share of the documents, written like a measure at a depth: ``R@10%``."""


def of_share(word: str, parameters: list[tuple[str, Any]], at: str, name: str) -> Measure:
    """Returns the measure for a name that has a percentage after ``@``.

    Raises:
        MeasureError: the measure does not exist, or there is no number before the percent sign.
    """
    definition = REGISTER[next((long for long, short in SHORT.items() if short == word), word)]
    if not is_number(at[:-1]):
        raise MeasureError(f"'{shortened(name)}': write a number between '@' and '%'.")
    if not definition.percent:
        takes = [str(Measure(each.name)) for each in REGISTER.values() if each.percent]
        raise MeasureError(
            f"'{shortened(name)}': {word} does not accept a percentage. Measures that do: {', '.join(takes)}."
        )
    return Measure(definition.name, (*parameters, (definition.at, share_of(at[:-1]))))


def share_of(percent: str) -> float:
    """Converts the digits of a percentage to a share, rounding only once: ``7`` becomes 0.07."""
    return number(shifted(percent, -2))


def in_percent(share: float) -> str:
    """Returns a share as a percentage that ``share_of`` converts back exactly: ``7%`` for 0.07."""
    text = f"{share * 100:.12g}"
    return f"{text if share_of(text) == share else shifted(repr(share), 2)}%"


def shifted(text: str, places: int) -> str:
    """Multiplies a decimal number, given as text, by a power of ten, and returns the result as text."""
    digits, _, exponent = text.lower().partition("e")
    return f"{digits}e{int(exponent or 0) + places}"


A_NUMBER = "Return one real number for each query, as the methods of carob.lists.Lists do."
TOTAL = (
    "Return one real number for each query, such as r.total(…) or r.best(…) of the numbers of its documents."
)
SPREAD = (
    "A number for each query must be repeated for each of its documents, by r.spread(…), before it is combined with "
    "numbers of documents."
)
ONLY_LISTS = "Use only the operations of carob.lists.Lists, and combine only values of the same lists."


def oddity(values: object, lists: Lists) -> tuple[str, str] | None:
    """Returns what is wrong with the values returned by a user's formula, and the remedy; None if nothing is wrong.

    Args:
        values: the values.
        lists: the lists that the formula received.
    """
    length: Any = getattr(lists, "length", None)
    shape = getattr(length, "shape", None)
    if shape is None:
        return None
    found = getattr(values, "shape", None)
    theirs, ours = (type(each).__module__.partition(".")[0] for each in (values, length))
    if found is None or (theirs != ours and theirs != "builtins"):
        kind = type(values).__name__
        said = "None" if values is None else f"a value of type {kind}"
        if theirs not in (ours, "builtins"):
            return f"an array of {theirs} ({kind})", f"{A_NUMBER[:-1]}, whose arrays here are of {ours}."
        return said, "End it with a return statement. " + A_NUMBER if values is None else A_NUMBER
    if tuple(found) != tuple(shape):
        rows = tuple(found) == tuple(getattr(lists.rank, "shape", ()))
        if rows:
            return "a number for each document, not for each query", TOTAL
        return f"an array of shape {tuple(found)}, not {tuple(shape)}", A_NUMBER
    kind = str(getattr(values, "dtype", ""))
    odd = re.search("complex|object|str|<U|datetime", kind)
    return (f"an array of type {kind}", A_NUMBER) if odd else None


def failing(error: BaseException, lists: Lists, **facts: str) -> MeasureError:
    """Returns the error to raise for a user's formula that failed, with a remedy if the cause is known.

    Args:
        error: the error that the formula raised.
        lists: the lists that the formula received.
        facts: the name of the measure, and the module of its formula.
    """
    cure = ONLY_LISTS
    if isinstance(error, AttributeError) and error.obj is lists:
        public = next((each for each in type(lists).__mro__ if each.__name__ == "Lists"), type(lists))
        known = [each for each in dir(public) if not each.startswith("_")]
        cure = did_you_mean(str(error.name), known, ONLY_LISTS)
        said = f"carob.lists.Lists has no '{error.name}'"
    else:
        said = f"{type(error).__name__}: {str(error).strip()}"
        if re.search("broadcast|match the size|incompatible shapes", said):
            cure = SPREAD
    return MeasureError(
        filled("The formula of {name}, in {module}, fails: {said}. {cure}", **facts, said=said, cure=cure)
    )
