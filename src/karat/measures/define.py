"""What a measure is: a formula, its parameters, how its values are averaged; and the register of all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_type_hints

from karat.measures.grammar import shortened
from karat.measures.parameters import Number, OneOf
from karat.output.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.lists import Queries

__all__ = ["REGISTER", "Definition", "measure", "parameters_of"]


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
    takes: str = "grades"
    smaller_is_better: bool = False
    undefined: bool = False
    values: tuple[float, float] = (0.0, 1.0)

    @property
    def groups(self) -> bool:
        """Whether the judgments come in groups."""
        return self.takes == "groups"

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
    takes: Literal["grades", "groups", "preferences"] = "grades",
    smaller_is_better: bool = False,
    undefined: bool = False,
    values: tuple[float, float] = (0.0, 1.0),
) -> Callable[[Callable[..., Queries]], Callable[..., Queries]]:
    """Enrol a formula as a measure: its first argument is the lists, the others are its parameters by their defaults.

    A default is a number, ``number`` with a range, or ``one_of`` a few words; a word whose type is a ``Literal`` is one
    of those. A measure that is enrolled again, as in a cell of a notebook that is run again, takes the place of the
    first; karat's own cannot be replaced.

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
        takes: what the judgments must hold: ``grades``; ``groups``, where the second column of qrels names a subtopic;
            or ``preferences`` between documents.
        smaller_is_better: the value counts what is missing or wrong.
        undefined: a query may have no value (NaN) by the measure's own definition.
        values: the lowest and the highest that a query's value can be, gains being 0 or more and an ideal list holding
            the documents that were judged or retrieved.

    Raises:
        MeasureError: the name is not one that a measure can have, or is karat's own; a parameter has no default, or one
            that says nothing.

    Example:
        >>> import karat
        >>> @karat.measure("First", source="this page")
        ... def first(r, rel=1):
        ...     "1 if the first document is relevant, else 0."
        ...     top = r.top(1)
        ...     return top.best(top.hits(rel))
        >>> karat.evaluate_grades([[0, 2], [3, 0]], ["First", "First(rel=3)"]).means()
        {'First': 0.5, 'First(rel=3)': 0.5}
    """

    def enrol(formula: Callable[..., Queries]) -> Callable[..., Queries]:
        check_name(name, formula)
        REGISTER[name] = Definition(
            name,
            formula,
            parameters_of(name, formula),
            aggregate,
            at,
            whole,
            same_as,
            source,
            weighs,
            every_rank,
            additive,
            takes,
            smaller_is_better,
            undefined,
            values,
        )
        return formula

    return enrol


NAME = re.compile(r"[^\W\d_][\w+-]*")


def check_name(name: str, formula: Callable[..., Queries]) -> None:
    """Refuse a name that cannot be read back, or that another measure has.

    Raises:
        MeasureError: it is so.
    """
    if not NAME.fullmatch(str(name)):
        raise MeasureError(f"A measure's name is a word such as nDCG, not {shortened(repr(name))}.")
    if name in REGISTER and not replaceable(REGISTER[name].formula, formula):
        owner = REGISTER[name].formula.__module__
        raise MeasureError(f"There is a measure {name} already, in {owner}: choose another name.")
    if not (formula.__doc__ or "").strip():
        raise MeasureError(
            f"The formula of {name} has no docstring: its first line says what the measure is."
        )


def replaceable(old: Callable[..., Queries], new: Callable[..., Queries]) -> bool:
    """Whether a formula is the same one defined again: of the same module, and not karat's."""
    return old.__module__ == new.__module__ and not old.__module__.startswith("karat.")


def parameters_of(name: str, formula: Callable[..., Any]) -> dict[str, Any]:
    """A formula's parameters, as its signature declares them.

    Raises:
        MeasureError: one has no default, or one that says nothing.
    """
    names = formula.__code__.co_varnames[
        1 : formula.__code__.co_argcount + formula.__code__.co_kwonlyargcount
    ]
    positional = names[: formula.__code__.co_argcount - 1]
    defaults = formula.__defaults__ or ()
    given = dict(zip(positional[len(positional) - len(defaults) :], defaults))
    given |= formula.__kwdefaults__ or {}
    return {each: declared(name, formula, each, given.get(each)) for each in names}


def literals(formula: Callable[..., Any], parameter: str) -> tuple[Any, ...]:
    """The values of a parameter's ``Literal`` type; none if it has another, or one that only a type checker sees."""
    alone = SimpleNamespace(__annotations__={parameter: formula.__annotations__.get(parameter)})
    try:
        return get_args(get_type_hints(alone, formula.__globals__)[parameter])
    except NameError:
        return ()


def declared(name: str, formula: Callable[..., Any], parameter: str, default: Any) -> OneOf | Number:
    """What a parameter may be, from its default.

    Raises:
        MeasureError: the default does not say it.
    """
    if isinstance(default, (OneOf, Number)):
        return default
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        return Number(default, role="relevance" if parameter == "rel" else "")
    if isinstance(default, str):
        words = literals(formula, parameter)
        if default in words:
            return OneOf(default, *(word for word in words if word != default))
    raise MeasureError(
        f"{name} has a parameter {parameter} without a default that says what it may be: a number, number(…) with "
        "a range, one_of(…) a few words, or one word of its Literal type."
    )
