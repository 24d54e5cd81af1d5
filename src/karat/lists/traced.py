"""Lists that record each step of a formula while other lists compute the numbers."""

from __future__ import annotations

import inspect
import operator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from karat.lists import Lists, Preferences, kept_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.lists.rows import Floats

Operand: TypeAlias = "Step | Traced | Any"
"""An input of a step: another step, a list, or a number, word or table that the formula contains."""
Operands: TypeAlias = "tuple[tuple[str, Operand], ...]"


def trace(formula: Callable[[Lists], Any], lists: Lists) -> Step:
    """Returns the last step of a formula, from which all other steps can be reached.

    The numbers are identical to those that the formula computes on ``lists``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return cast("Step", formula(cast("Lists", Traced({}, lists, None, "", ()))))


@dataclass(eq=False, repr=False)
class Traced:
    """Lists, or preferences, that pass every method call to other lists and record it as a step.

    Args:
        record: the answers to all calls so far, so that the same call returns the same step.
        carrier: the lists that compute the numbers.
        parent: the lists from which these were made; None for the run's list.
        word: the name of the method that made these lists.
        operands: the arguments of that call, by name.
    """

    record: dict[Any, Any]
    carrier: Lists | Preferences
    parent: Traced | None
    word: str
    operands: Operands

    def __getattr__(self, word: str) -> Any:
        """Returns the recorded attribute of the lists, or a function that records a method call."""
        if word.startswith("_"):
            raise AttributeError(word)
        static = inspect.getattr_static(type(self.carrier), word, None)
        if not inspect.isfunction(static):
            return kept_in(
                self.record, (self, word), lambda: self.answer(word, (), getattr(self.carrier, word))
            )

        def ask(*given: Operand, **named: Operand) -> Any:
            operands = tuple(signature_of(static).bind(self, *given, **named).arguments.items())[1:]
            return kept_in(self.record, (self, word, operands), lambda: self.called(word, operands))

        return ask

    def called(self, word: str, operands: Operands) -> Any:
        """Returns the recorded result of a method call."""
        plain = {name: plain_of(operand) for name, operand in operands}
        return self.answer(word, operands, getattr(self.carrier, word)(**plain))

    def answer(self, word: str, operands: Operands, answer: Any) -> Any:
        """Returns a computed result as a step, or as traced lists."""
        if isinstance(answer, (Lists, Preferences)):
            if answer is self.carrier:
                return self
            return Traced(self.record, answer, self, word, operands)
        if not isinstance(answer, (np.ndarray, float)):
            return answer
        kind = self.kind_of(word, [operand for _, operand in operands])
        return Step(self.record, kind, self.place_of(kind, operands), word, operands, answer)

    def kind_of(self, word: str, operands: list[Operand]) -> str:
        """Returns ``Rows`` or ``Queries``: the word's return type, or else the kind of its operands."""
        static = inspect.getattr_static(type(self.carrier), word)
        function = getattr(static, "fget", None) or getattr(static, "func", static)
        declared = function.__annotations__.get("return")
        if declared in ("Rows", "Queries"):
            return str(declared)
        return kind_together(operands)

    def place_of(self, kind: str, operands: Operands) -> Traced:
        """Returns the lists to whose documents the numbers of a step belong: those of the operands, or these lists."""
        rows = {each.place for _, each in operands if isinstance(each, Step) and each.kind == "Rows"}
        crosses = any(isinstance(each, Traced) for _, each in operands)
        return rows.pop() if kind == "Rows" and len(rows) == 1 and not crosses else self

    @property
    def ancestry(self) -> tuple[Traced, ...]:
        """These lists, the lists from which they were made, and so on."""
        return (self, *(() if self.parent is None else self.parent.ancestry))


class Arithmetic:
    """Arithmetic operators, with either operand first, as calls of ``combined``."""

    def combined(self, sign: str, left: Any, right: Any) -> Any:
        """Returns the result of an arithmetic operator on two operands."""
        raise NotImplementedError


SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}

for each, function in SIGNS.items():  # __add__ and __radd__, and the methods of the other signs

    def on_the_left(self: Arithmetic, other: Any, sign: str = each) -> Any:
        """Returns the result of the sign with this operand on its left."""
        return self.combined(sign, self, other)

    def on_the_right(self: Arithmetic, other: Any, sign: str = each) -> Any:
        """Returns the result of the sign with this operand on its right."""
        return self.combined(sign, other, self)

    setattr(Arithmetic, f"__{function.__name__}__", on_the_left)
    setattr(Arithmetic, f"__r{function.__name__}__", on_the_right)


@dataclass(frozen=True, eq=False)
class Step(Arithmetic):
    """One intermediate result of a formula: its numbers, and the method or operator that computed them.

    Args:
        record: the answers to all calls so far.
        kind: ``Rows`` (a number per document) or ``Queries``.
        place: the lists to which the step belongs.
        word: the name of the method, or the operator.
        operands: the arguments, by name.
        values: the numbers, as they were computed.
    """

    record: dict[Any, Any]
    kind: str
    place: Traced
    word: str
    operands: Operands
    values: Any

    def combined(self, sign: str, left: Operand, right: Operand) -> Step:
        """Returns the step that an arithmetic operator computes."""

        def compute() -> Step:
            operands = (("left", left), ("right", right))
            return Step(
                self.record,
                kind_together([left, right]),
                self.place,
                sign,
                operands,
                SIGNS[sign](plain_of(left), plain_of(right)),
            )

        return cast("Step", kept_in(self.record, (sign, left, right), compute))

    @property
    def numbers(self) -> Floats:
        """The numbers as an array."""
        return np.atleast_1d(np.asarray(self.values, np.float64))

    @cached_property
    def sources(self) -> tuple[Step, ...]:
        """The steps from which this step was computed."""
        return tuple(each for _, each in self.operands if isinstance(each, Step))

    @property
    def is_arithmetic(self) -> bool:
        """Whether an arithmetic operator computed the step, and not a method of ``Lists``."""
        return self.word in SIGNS


@cache
def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature of a method of ``Lists``, cached because each step needs it."""
    return inspect.signature(function)


def plain_of(operand: Operand) -> Any:
    """Returns an operand for the computation: a step's numbers, or the lists that compute for traced lists."""
    if isinstance(operand, Step):
        return operand.values
    return operand.carrier if isinstance(operand, Traced) else operand


def kind_together(operands: list[Operand]) -> str:
    """Returns ``Rows`` if any operand has a number per document, else ``Queries``."""
    kinds = [each.kind for each in operands if isinstance(each, Step)]
    return "Rows" if "Rows" in kinds else "Queries"


def first_sentence(word: str) -> str:
    """Returns the first line of a method's docstring in ``Lists``, or an empty text for another name."""
    for words in (Lists, Preferences):
        if hasattr(words, word):
            return (inspect.getdoc(getattr(words, word)) or "").partition("\n")[0].replace("``", "")
    return ""
