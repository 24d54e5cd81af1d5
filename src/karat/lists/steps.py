"""Steps as text: each by its letter, the word or the arithmetic that made it, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from karat.lists.traced import Operand, Operands, Step, Traced, first_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.lists.rows import Floats

__all__ = ["STRENGTH", "Line", "Sheet", "Writer", "is_by_name", "is_own", "letters", "number", "plain"]

BY_NAME = ("rank", "grade")
"""The columns that every table of documents has anyway: they are cited by their names."""
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}


@dataclass(frozen=True)
class Line:
    """One step as it is read.

    Args:
        letter: by which other steps cite it.
        expression: the word or the arithmetic that made it.
        filled: the expression with numbers in the place of letters, where all of them are one number.
        values: its numbers: one per document, or one.
    """

    letter: str
    expression: str
    filled: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Sheet:
    """A ranked list with one line of numbers per step.

    Args:
        name: the words that made the list; empty for the run's own.
        meaning: what the last of these words means.
        is_run: whether it holds the run's documents at their ranks.
        rank: the rank of each document.
        grade: its grade.
        lines: the steps.
    """

    name: str
    meaning: str
    is_run: bool
    rank: tuple[float, ...]
    grade: tuple[float, ...]
    lines: tuple[Line, ...]


def is_by_name(step: Step) -> bool:
    """Whether a step is a column that its table has anyway."""
    return step.word in BY_NAME and not step.operands


def is_own(lists: Traced) -> bool:
    """Whether these are the run's documents at their ranks, all or the first few."""
    return all(each.word in ("", "top") for each in lists.ancestry)


class Writer:
    """Writes steps by the letters of others.

    Args:
        lists: the lists that have tables.
        folded: the steps without a letter.
        lettered: the steps that get one, in order.
    """

    def __init__(self, lists: list[Traced], folded: set[Step], lettered: list[Step]) -> None:
        """Give out the letters."""
        self.lists, self.folded = lists, folded
        self.letters = dict(zip(lettered, letters()))

    def line(self, step: Step) -> Line:
        """One step as it is read."""
        expression = self.expression(step)
        scalar = step.kind == "Queries" and all(each.kind == "Queries" for each in self.cited(step))
        filled = self.expression(step, filled=True) if scalar else ""
        values = tuple(step.numbers.tolist())
        return Line(self.letters[step], expression, filled if filled != expression else "", values)

    def sheet(self, lists: Traced, columns: list[Step]) -> Sheet:
        """One list with its steps."""
        carrier: Any = lists.carrier
        rank = column(carrier, "rank")
        return Sheet(
            self.name(lists),
            first_sentence(lists.word),
            is_own(lists),
            rank,
            column(carrier, "grade"),
            tuple(map(self.line, columns)),
        )

    def name(self, lists: Traced) -> str:
        """A list by the word that made it; the run's own has none."""
        return "" if is_own(lists) else self.call(lists.word, lists.operands, filled=False)

    def cited(self, step: Step) -> list[Step]:
        """The steps whose letters or names stand in a step's expression."""
        found = []
        for source in step.sources:
            found += self.cited(source) if source in self.folded else [source]
        return found

    def expression(self, step: Step, *, filled: bool = False, strength: int = 0) -> str:
        """The word or arithmetic of a step; in brackets if what stands around it binds as strongly."""
        if not step.is_arithmetic:
            inside = self.call(step.word, step.operands, filled=filled)
            foreign = step.kind == "Queries" and not step.sources and not is_own(step.place)
            return f"{step.place.word}.{inside}" if foreign else inside
        (_, left), (_, right) = step.operands
        own = STRENGTH[step.word]
        both_ways = step.word in "+*"
        text = (
            f"{self.cite(left, filled=filled, strength=own - 1 + (step.word == '**'))} {step.word} "
            f"{self.cite(right, filled=filled, strength=own - both_ways)}"
        )
        return f"({text})" if own <= strength else text

    def cite(self, operand: Operand, *, filled: bool, strength: int = 0) -> str:
        """How an expression names what it was made from."""
        if isinstance(operand, Traced):
            return operand.word or "run"
        if not isinstance(operand, Step):
            return number(operand) if isinstance(operand, (int, float)) else plain(operand)
        if is_by_name(operand):
            return operand.word
        if operand.word == "spread":
            return self.cite(operand.sources[0], filled=filled, strength=strength)
        if operand in self.folded:
            return self.expression(operand, filled=filled, strength=strength)
        return number(float(operand.numbers[0])) if filled else self.letters[operand]

    def call(self, word: str, operands: Operands, *, filled: bool) -> str:
        """A word with what it was given; numbers of the formula's own keep their names."""
        asked_of_list = not any(isinstance(operand, Step) for _, operand in operands)
        inside = []
        for name, operand in operands:
            text = self.cite(operand, filled=filled)
            named = asked_of_list and isinstance(operand, (int, float))
            inside.append(f"{name}={text}" if named else text)
        return f"{word}({', '.join(inside)})" if inside else word


def letters() -> Iterator[str]:
    """a, b, c … z, A … Z, a2, b2 …, without those that look like digits."""
    alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
    for turn in count(1):
        yield from (letter if turn == 1 else f"{letter}{turn}" for letter in alphabet)


def number(value: float) -> str:
    """A number as an expression shows it: six decimals at most, where these say enough of it."""
    if value == value // 1 and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6f}".rstrip("0") if 1e-3 <= abs(value) < 1e9 else f"{value:.6g}"


def plain(operand: Any) -> str:
    """A word, or a table of pairs, as a measure's name shows it."""
    if isinstance(operand, tuple):
        if operand and isinstance(operand[0], tuple):
            return "{" + ", ".join(f"{number(a)}: {number(b)}" for a, b in operand) + "}"
        return "[" + ", ".join(map(plain, operand)) + "]"
    return number(operand) if isinstance(operand, (int, float)) else str(operand)


def column(carrier: Any, word: str) -> tuple[float, ...]:
    """A column of a list; nothing for rows that are no documents."""
    values: Floats | None = getattr(carrier, word, None)
    return () if values is None else tuple(values.tolist())
