"""Records the steps of a formula, chooses the steps to show, and writes them as text and as LaTeX."""

from __future__ import annotations

import inspect
import operator
import re
from collections import Counter
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.lists import Lists, Preferences, kept_in, opened
from carob.output.docstrings import docstring_of
from carob.output.files import own_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from carob.lists import Gain
    from carob.lists.rows import Floats


Part = TypeVar("Part")
Operand: TypeAlias = "Step | Traced | Any"
"""An input of a step: another step, a list, or a number, word or table that the formula contains."""
Operands: TypeAlias = "tuple[tuple[str, Operand], ...]"


def trace(formula: Callable[[Lists], Any], lists: Lists) -> Step:
    """Records a formula and returns its last step, from which all other steps can be reached.

    The numbers are identical to the numbers that the formula computes on ``lists`` itself.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return cast("Step", formula(cast("Lists", Traced({}, lists, None, "", ()))))


@dataclass(eq=False, repr=False)
class Traced:
    """Lists or preferences that pass every method call on to other lists and record the call as a step.

    Args:
        record: the results of all calls so far, so the same call returns the same step.
        carrier: the lists that compute the numbers.
        parent: the lists from which these lists were made; None for the run's list.
        word: the name of the method that made these lists.
        operands: the arguments of the call that made these lists, by name.
    """

    record: dict[Any, Any]
    carrier: Lists | Preferences
    parent: Traced | None
    word: str
    operands: Operands

    def __getattr__(self, word: str) -> Any:
        """Returns an attribute of the lists and records it, or returns a function that records a method call."""
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
        """Calls a method of the lists and returns its result as a step."""
        plain = {name: plain_of(operand) for name, operand in operands}
        return self.answer(word, operands, getattr(self.carrier, word)(**plain))

    def answer(self, word: str, operands: Operands, answer: Any) -> Any:
        """Returns a computed result as a step or as traced lists. Other results are returned unchanged."""
        if isinstance(answer, (Lists, Preferences)):
            if answer is self.carrier:
                return self
            return Traced(self.record, answer, self, word, operands)
        if not isinstance(answer, (np.ndarray, float)):
            return answer
        kind = self.kind_of(word, [operand for _, operand in operands])
        return Step(self.record, kind, self.place_of(kind, operands), word, operands, answer)

    def kind_of(self, word: str, operands: list[Operand]) -> str:
        """Returns ``Rows`` or ``Queries``: the method's return type or, if it is neither, the kind of its operands."""
        static = inspect.getattr_static(type(self.carrier), word)
        function = getattr(static, "fget", None) or getattr(static, "func", static)
        declared = function.__annotations__.get("return")
        if declared in ("Rows", "Queries"):
            return str(declared)
        return kind_together(operands)

    def place_of(self, kind: str, operands: Operands) -> Traced:
        """Returns the lists to whose documents a step's numbers belong: the lists of its operands, or these lists."""
        rows = {each.place for _, each in operands if isinstance(each, Step) and each.kind == "Rows"}
        crosses = any(isinstance(each, Traced) for _, each in operands)
        return rows.pop() if kind == "Rows" and len(rows) == 1 and not crosses else self

    @property
    def ancestry(self) -> tuple[Traced, ...]:
        """These lists and all lists from which they were made, directly or indirectly."""
        return (self, *(() if self.parent is None else self.parent.ancestry))


class Arithmetic:
    """Defines the arithmetic operators. Each operator calls ``combined``."""

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

for each, function in SIGNS.items():  # defines __add__, __radd__ and the methods of the other signs

    def on_the_left(self: Arithmetic, other: Any, sign: str = each) -> Any:
        """Returns the result of the operator with this operand on the left."""
        return self.combined(sign, self, other)

    def on_the_right(self: Arithmetic, other: Any, sign: str = each) -> Any:
        """Returns the result of the operator with this operand on the right."""
        return self.combined(sign, other, self)

    setattr(Arithmetic, f"__{function.__name__}__", on_the_left)
    setattr(Arithmetic, f"__r{function.__name__}__", on_the_right)


@dataclass(frozen=True, eq=False)
class Step(Arithmetic):
    """An intermediate result of a formula: its numbers, and the method or operator that computed them.

    Args:
        record: the results of all calls so far.
        kind: ``Rows`` (a number per document) or ``Queries``.
        place: the lists to which the step belongs.
        word: the name of the method, or the operator.
        operands: the arguments, by name.
        values: the numbers as they were computed.
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
        """Whether the step was computed by an arithmetic operator rather than by a method of ``Lists``."""
        return self.word in SIGNS


@cache
def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature of a method of ``Lists``. It is cached, because every step needs it."""
    return inspect.signature(function)


def plain_of(operand: Operand) -> Any:
    """Returns an operand as the computation needs it: the numbers of a step, or the carrier of traced lists."""
    if isinstance(operand, Step):
        return operand.values
    return operand.carrier if isinstance(operand, Traced) else operand


def kind_together(operands: list[Operand]) -> str:
    """Returns ``Rows`` if any operand has a number per document, otherwise ``Queries``."""
    kinds = [each.kind for each in operands if isinstance(each, Step)]
    return "Rows" if "Rows" in kinds else "Queries"


def first_sentence(word: str) -> str:
    """Returns the first line of the docstring of a method of ``Lists`` or ``Preferences``, or an empty text."""
    for words in (Lists, Preferences):
        if hasattr(words, word):
            return (
                (inspect.getdoc(getattr(words, word)) or docstring_of(getattr(words, word)))
                .partition("\n")[0]
                .replace("``", "")
            )
    return ""


BY_NAME = ("rank", "grade")
"""The columns that every table of documents has. Expressions refer to them by name."""
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}


@dataclass(frozen=True)
class FormulaLine:
    """One step of a formula as text.

    Args:
        letter: the letter by which other steps refer to this step.
        expression: the method call or arithmetic that computed the step.
        filled: the expression with numbers instead of letters, if every letter stands for a single number.
        values: the numbers of the step, either one per document or a single number.
    """

    letter: str
    expression: str
    filled: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class RankedSheet:
    """A ranked list with a line of numbers for each step.

    Args:
        name: the method calls that made the list; empty for the run's list.
        meaning: the meaning of the last method that made the list.
        is_run: whether the list contains the run's documents at their ranks.
        rank: the rank of each document.
        grade: the grade of each document.
        lines: the steps.
    """

    name: str
    meaning: str
    is_run: bool
    rank: tuple[float, ...]
    grade: tuple[float, ...]
    lines: tuple[FormulaLine, ...]


def is_by_name(step: Step) -> bool:
    """Returns whether a step is a column that every table has."""
    return step.word in BY_NAME and not step.operands


def is_own(lists: Traced) -> bool:
    """Returns whether the lists contain all or the first few of the run's documents, at their ranks in the run."""
    return all(each.word in ("", "top") for each in lists.ancestry)


class Writer:
    """Writes steps. A step refers to other steps by their letters.

    Args:
        folded: the steps without a letter.
        letters: the letter of each other step.
    """

    brackets = "(%s)"

    def __init__(self, folded: set[Step], letters: dict[Step, str]) -> None:
        """Stores the arguments. The writer starts outside any sum."""
        self.folded, self.letters = folded, letters
        self.index = ""
        self.place: Traced | None = None

    def expression(self, step: Step, strength: int = 0) -> str:
        """Returns the method call or arithmetic of a step, in brackets if the operator around it binds as strongly."""
        text = self.word(step)
        return self.brackets % text if STRENGTH.get(step.word, 4) <= strength else text

    def cite(self, operand: Operand, strength: int = 0) -> str:
        """Returns the text with which an expression refers to an operand."""
        if isinstance(operand, Traced):
            return self.constant(operand.word or "run")
        if not isinstance(operand, Step):
            return self.constant(operand, strength)
        if operand.word == "spread":
            return self.cite(operand.sources[0], strength)
        if is_by_name(operand) or operand in self.folded:
            return self.expression(operand, strength)
        return self.symbol(operand)

    def word(self, step: Step) -> str:
        """Returns the method call or arithmetic of a step, without brackets around it."""
        raise NotImplementedError

    def symbol(self, step: Step) -> str:
        """Returns the text with which expressions refer to a step that has a letter."""
        raise NotImplementedError

    def constant(self, operand: Any, strength: int = 0) -> str:
        """Returns the text of a number, a word or a gain table."""
        raise NotImplementedError


class TextWriter(Writer):
    """Writes steps as text, with letters or, while ``filling`` is set, with numbers.

    Args:
        folded: the steps without a letter.
        letters: the letter of each other step.
        queries: the number of queries whose lists were traced together.
    """

    def __init__(self, folded: set[Step], letters: dict[Step, str], queries: int = 1) -> None:
        """Stores the arguments."""
        super().__init__(folded, letters)
        self.queries = queries
        self.filling: dict[Step, tuple[tuple[float, ...], ...]] | None = None
        self.query = 0

    def lines(self, step: Step) -> list[FormulaLine]:
        """Returns a step as a line of text for each query."""
        letter, expression = self.letters[step], self.expression(step)
        cited = self.cited(step) if step.kind == "Queries" else []
        filled = [""] * self.queries
        if step.kind == "Queries" and all(each.kind == "Queries" for each in cited):
            self.filling = {each: self.numbers(each) for each in cited}
            for query in range(self.queries):
                self.query = query
                text = self.expression(step)
                filled[query] = text if text != expression else ""
            self.filling = None
        return [
            FormulaLine(letter, expression, its, values)
            for its, values in zip(filled, self.numbers(step), strict=True)
        ]

    def numbers(self, step: Step) -> tuple[tuple[float, ...], ...]:
        """Returns the numbers of a step, separately for each query."""
        if step.kind == "Queries" and self.queries > 1:
            return tuple((each,) for each in step.numbers.tolist())
        return self.by_query(step.place.carrier, step.numbers)

    def by_query(self, carrier: Any, rows: Floats | None) -> tuple[tuple[float, ...], ...]:
        """Returns the numbers of each query's rows. They are empty if the rows are not documents."""
        if rows is None:
            return ((),) * self.queries
        parts = [rows] if self.queries == 1 else np.split(rows, carrier.offsets[1:-1])
        return tuple(tuple(each.tolist()) for each in parts)

    def sheets(self, lists: Traced, columns: list[Step]) -> list[RankedSheet]:
        """Returns, for each query, a ranked list with the lines of its steps."""
        own, carrier = is_own(lists), lists.carrier
        name = "" if own else self.call(lists.word, lists.operands)
        rank, grade = (self.by_query(carrier, getattr(carrier, word, None)) for word in BY_NAME)
        lines = by_query(map(self.lines, columns), self.queries)
        meaning = first_sentence(lists.word)
        return [RankedSheet(name, meaning, own, *each) for each in zip(rank, grade, lines, strict=True)]

    def cited(self, step: Step) -> list[Step]:
        """Returns the steps to which the expression of a step refers by letter."""
        found = []
        for source in step.sources:
            found += self.cited(source) if source in self.folded else [source]
        return found

    def word(self, step: Step) -> str:
        if step.is_arithmetic:
            given = dict(step.operands)
            return written(
                notation()["text"][step.word], lambda name, strength: self.cite(given[name], strength)
            )
        inside = self.call(step.word, step.operands)
        foreign = step.kind == "Queries" and not step.sources and not is_own(step.place)
        return f"{step.place.word}.{inside}" if foreign else inside

    def symbol(self, step: Step) -> str:
        return self.letters[step] if self.filling is None else number(self.filling[step][self.query][0])

    def constant(self, operand: Any, strength: int = 0) -> str:
        del strength
        return plain(operand)

    def call(self, word: str, operands: Operands) -> str:
        """Returns a method call with its arguments. If no argument is a step, numbers have their parameter names."""
        alone = not any(isinstance(operand, Step) for _, operand in operands)
        inside = [
            f"{name}=" * (alone and isinstance(operand, (int, float))) + self.cite(operand)
            for name, operand in operands
        ]
        return f"{word}({', '.join(inside)})" if inside else word


def written(template: str, cite: Callable[[str, int], str]) -> str:
    """Returns a template from notation.toml with each ``$name`` replaced.

    Args:
        template: the template.
        cite: returns the text for a name, in brackets if an operator of the given strength requires them.
    """
    return re.sub(r"\$(\d?)([a-z]\w*)", lambda found: cite(found[2], int(found[1] or 0)), template)


def letters() -> Iterator[str]:
    """Yields a, b, c … z, A … Z, a2, b2 …, without letters that look like digits."""
    alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
    for turn in count(1):
        yield from (letter if turn == 1 else f"{letter}{turn}" for letter in alphabet)


def number(value: float) -> str:
    """Formats a number for an expression: with up to six decimals, or with six digits if it is small or large."""
    if value == value // 1 and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6f}".rstrip("0") if 1e-3 <= abs(value) < 1e9 else f"{value:.6g}"


def plain(operand: Any) -> str:
    """Formats a number, a word or a gain table as in the name of a measure."""
    if isinstance(operand, tuple):
        if operand and isinstance(operand[0], tuple):
            return "{" + ", ".join(f"{number(a)}: {number(b)}" for a, b in operand) + "}"
        return "[" + ", ".join(map(plain, operand)) + "]"
    return number(operand) if isinstance(operand, (int, float)) else str(operand)


def by_query(parts: Iterable[Sequence[Part]], queries: int) -> list[tuple[Part, ...]]:
    """Regroups parts that contain an item for each query into the items of each query."""
    every = list(parts)
    return list(zip(*every, strict=True)) if every else [()] * queries


ESCAPED = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {"…": "\\ldots{}"}


class Mathematics(Writer):
    """Writes steps as LaTeX. Numbers per document are indexed by the rank of the document."""

    brackets = "\\left(%s\\right)"

    # ------------------------------------------------------------ steps

    def line_of(self, step: Step) -> str:
        """Returns a step as one line of a block of aligned equations."""
        self.index = "i" if step.kind == "Rows" else ""
        return f"{self.symbol(step)} &= {self.expression(step)}"

    def value(self, last: Step) -> str:
        """Returns the expression for the value of a query, without a letter for the value."""
        self.index = ""
        return self.expression(last)

    def symbol(self, step: Step) -> str:
        """Returns the letter of a step with its index."""
        letter = self.letters[step]
        text = f"\\mathsf{{{letter[0]}}}" + (f"^{{({letter[1:]})}}" if letter[1:] else "")
        return text + self.subscript(self.index if step.kind == "Rows" else "", step.place)

    def constant(self, operand: Any, strength: int = 0) -> str:
        if isinstance(operand, (int, float)):
            return symbolic(operand, strength)
        return f"\\text{{{escaped(plain(operand))}}}"

    # ------------------------------------------------------------ methods of Lists

    def word(self, step: Step) -> str:
        """Returns a method call in mathematical notation, or with the name of the method if it has no notation."""
        given, methods = dict(step.operands), notation()["methods"]
        around, self.place = self.place, step.place
        try:
            if step.word in WORDS:
                return WORDS[step.word](self, given)
            if step.word in notation()["series"]:
                return self.series(step.word, given["rows"])
            if step.word in methods:
                return self.filled(methods[step.word], given)
            inside = ", ".join(map(self.cite, given.values()))
            name = f"\\mathrm{{{step.word.replace('_', '')}}}"
            name += f"_{{{self.index}}}" if step.kind == "Rows" and self.index else ""
            return f"{name}\\left({inside}\\right)" if inside else name
        finally:
            self.place = around

    def filled(self, template: str | dict[str, str], given: dict[str, Any]) -> str:
        """Fills a template from notation.toml with the arguments of a method or an operator."""
        held = ""
        if isinstance(template, dict):
            option = next(each for each in given.values() if isinstance(each, str))
            word, _, held = option.rstrip(")").partition("(")
            template = template[word]

        def part(name: str, strength: int) -> str:
            if name == "first":  # a sum, difference or product, whose sign would not end a series before it
                left = given["left"]
                text = self.cite(left, strength)
                series = left in self.folded and (
                    left.word in notation()["series"] or left.word in OVER_GROUPS
                )
                return self.brackets % text if series else text
            if name in given:
                return self.cite(given[name], strength)
            if name in ("held", "graded"):
                return held or f"\\mathit{{grade}}{self.subscript('d', self.place)}"
            template = notation()["methods"].get(name, f"${name}")
            return self.column(name) if template == f"${name}" else self.filled(template, given)

        return written(template, part)

    def series(self, word: str, operand: Operand) -> str:
        """Returns the notation for a sum, product or maximum over all ranks or some ranks."""
        (sign, relation), around = notation()["series"][word], self.index
        self.index = INDICES[INDICES.index(around) + 1]
        try:
            where = f"{self.index} {relation} {around}" if relation else self.index
            return f"{sign}_{{{where}}} {self.cite(operand, strength=1)}"
        finally:
            self.index = around

    def column(self, word: str) -> str:
        """Returns the notation for a column or a number of a list, with a star for an ideal ranking."""
        star = "^{*}" if made_by(self.place, "ideal", "most_novel") else ""
        index = self.subscript(self.index if word in WITH_INDEX else "", self.place)
        return f"\\mathit{{{word}}}{star}{index}"

    def subscript(self, index: str, place: Traced | None) -> str:
        """Returns the index of a number. If the lists belong to judgment groups, the index of the group comes first."""
        text = ", ".join(each for each in ("g" if made_by(place, "groups") else "", index) if each)
        return f"_{{{text}}}" if text else ""

    def gain(self, gain: Gain, grade: str = "") -> str:
        """Returns the LaTeX notation for the gain of a grade, by default of the grade at the current rank."""
        grade = grade or self.column("grade")
        if not isinstance(gain, str):
            cases = [f"{decimal(value)} & \\text{{if }} {grade} = {decimal(level)}" for level, value in gain]
            return cases_of([*cases, f"\\max({grade}, 0) & \\text{{otherwise}}"])
        word, lowest = opened(gain)
        enough = "" if lowest is None else f"[{grade} \\geq {decimal(lowest)}]"
        if word == "binary":
            return enough or f"[{grade} > 0]"
        raised = grade if enough else f"\\max({grade}, 0)"
        if word == "exp2":
            shift = "" if lowest in (None, 1) else f" - {decimal((lowest or 0) - 1)}"
            raised = f"2^{{{raised}{shift}}} - 1"
        return f"{enough} \\cdot \\left({raised}\\right)" if enough else raised


INDICES = ("", "i", "j", "k", "l", "m")
"""The index of the rank: none for a query, i in a sum over its documents, j in a sum within this sum, and so on."""
WITH_INDEX = ("rank", "grade", "kept", "possible")
"""The columns with an index: numbers per document or, in preferences, per judgment group or pair of documents."""
OVER_GROUPS = ("over_groups", "total_over_groups")
"""Methods whose notation begins with a sum over groups."""


class Symbol(Arithmetic, float):
    """A number that formulas show by name. It is a parameter or the result of arithmetic with parameters."""

    text: str
    strength: int

    def __new__(cls, value: float, text: str, strength: int = 4) -> Symbol:  # noqa: PYI034 - typing.Self came with Python 3.11
        """Makes a number that is shown as ``text``. The outermost operator of the text binds with ``strength``."""
        made = super().__new__(cls, value)
        made.text, made.strength = text, strength
        return made

    def __hash__(self) -> int:
        """Returns the hash of the number and the text, so a trace keeps a separate step for each name."""
        return hash((float(self), self.text))

    def __eq__(self, other: object) -> bool:
        """Returns whether the numbers are equal. Symbols with different names differ."""
        return float(self) == other and getattr(other, "text", self.text) == self.text

    def combined(self, sign: str, left: Any, right: Any) -> Any:
        """Returns the symbol for the result of an arithmetic operator on two numbers."""
        if not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            return NotImplemented
        given = {"left": left, "first": left, "right": right}
        text = written(notation()["methods"][sign], lambda name, strength: symbolic(given[name], strength))
        return Symbol(SIGNS[sign](float(left), float(right)), text, STRENGTH[sign])


def symbolic(number: float, strength: int = 0) -> str:
    """Returns the LaTeX of a number or a symbol, in brackets if the surrounding operator binds as strongly."""
    if not isinstance(number, Symbol):
        return decimal(number)
    return f"\\left({number.text}\\right)" if number.strength <= strength else number.text


def made_by(place: Traced | None, *words: str) -> bool:
    """Returns whether one of the methods made the lists or any of the lists from which they were made."""
    return place is not None and any(each.word in words for each in place.ancestry)


def decimal(value: float) -> str:
    """Returns a number as LaTeX."""
    if isinstance(value, Symbol):
        return value.text
    text = number(value)
    if "e" in text:
        digits, _, power = text.partition("e")
        return f"{digits} \\cdot 10^{{{int(power)}}}"
    return {"inf": "\\infty", "nan": "\\text{undefined}"}.get(text, text)


def escaped(text: str) -> str:
    """Escapes plain text for LaTeX."""
    return "".join(ESCAPED.get(letter, letter) for letter in text)


def cases_of(lines: list[str]) -> str:
    """Returns a value that is defined by cases, in the LaTeX environment ``cases``."""
    return "\\begin{cases} " + " \\\\ ".join(lines) + " \\end{cases}"


def test(left: str, sign: str, right: str) -> str:
    """Returns a condition in Iverson brackets, which stand for 1 if the condition holds and 0 otherwise."""
    return f"\\left[{left} {sign} {right}\\right]"


def share(self: Mathematics, given: dict[str, Any], more: str) -> str:
    """Returns the notation for a gain divided by the sum of the highest grade's gain and ``more``."""
    gain, highest = given.get("gain", "linear"), decimal(given["highest"])
    part = self.gain(gain)
    if gain == "binary":
        return part
    whole = {"linear": highest + more, "exp2": f"2^{{{highest}}}" + ("" if more else " - 1")}.get(gain)
    return f"\\frac{{{part}}}{{{whole or self.gain(gain, highest) + more}}}"


def unit(self: Mathematics, given: dict[str, Any]) -> str:
    """Returns the notation for a gain from 0 to 1."""
    rel, highest = given.get("rel", "graded"), given.get("highest", "query")
    if not isinstance(rel, str):
        return test(self.column("grade"), "\\geq", decimal(rel))
    gain = self.gain(given.get("gain", "linear"))
    if highest == "none":
        return gain
    if isinstance(highest, str):
        return f"\\frac{{{gain}}}{{\\max\\left(1, \\max \\text{{gain of the query}}\\right)}}"
    return share(self, given, "")


def reciprocals(self: Mathematics, given: dict[str, Any]) -> str:
    """Returns the notation for a sum of reciprocals of powers."""
    power = given.get("power", 1)
    beneath = "m" if power == 1 else f"m^{{{power}}}"
    return (
        f"\\sum_{{m = {self.cite(given['first'])}}}^{{{self.cite(given['last'])}}} \\frac{{1}}{{{beneath}}}"
    )


def chosen(self: Mathematics, given: dict[str, Any]) -> str:
    """Returns the notation for a value that applies only under a condition."""
    values, where = self.cite(given["values"]), given["where"]
    exceeds = dict(where.operands) if where in self.folded and where.word == "exceeds" else {}
    holds = f"{self.cite(exceeds.get('values', where))} > {self.cite(exceeds.get('bound', 0))}"
    otherwise = decimal(float(given.get("otherwise", 0.0)))
    return cases_of([f"{values} & \\text{{if }} {holds}", f"{otherwise} & \\text{{otherwise}}"])


WORDS: dict[str, Callable[[Mathematics, dict[str, Any]], str]] = {
    "gains": lambda self, given: self.gain(given["gain"]),
    "only": chosen,
    "reciprocals": reciprocals,
    "stops": lambda self, given: share(self, given, " + 1"),
    "unit_gains": unit,
}
"""Functions that write the methods of ``Lists`` whose notation cannot be expressed in notation.toml."""


@cache
def notation() -> dict[str, Any]:
    """Returns the content of notation.toml."""
    return own_table(__file__, "notation.toml")


MOST_PARTS = 6
"""The maximum number of letters and names in an expression that is written inside another expression."""
MOST_INSIDE = 9
"""The maximum number of letters and names in such an expression if the equations show no numbers."""
INDICES_OF_SUMS = "dgijklm"
SHORT = ("spread", "depth", "length", "horizon", "kept", "possible")
"""Methods of ``Lists`` whose results never get a letter in equations."""


@dataclass(frozen=True)
class Derivation:
    """The steps of a formula from the ranked list to the value.

    Args:
        given: the numbers of the query on which the numbers of its documents depend.
        sheets: the lists, with the run's list first.
        rest: the other numbers of the query, with the measure's value last.
        value: the measure's value.
        words: the meaning of each method of ``Lists``, in order of first use.
        mathematics: each step as a line of aligned LaTeX equations, in reading order.
    """

    given: tuple[FormulaLine, ...]
    sheets: tuple[RankedSheet, ...]
    rest: tuple[FormulaLine, ...]
    value: float
    words: dict[str, str]
    mathematics: tuple[str, ...] = ()


def derivations(last: Step, queries: int) -> list[Derivation]:
    """Returns the derivation of the value of each query, given the last step of a trace of several queries."""
    steps = sources_of(last)
    folded = folded_steps(steps, last)
    shown = [step for step in steps if step not in folded and not is_by_name(step)]
    first = given_first(steps)
    given = [step for step in shown if step in first]
    rest = [step for step in shown if step.kind == "Queries" and step not in first]
    lists = lists_of(steps)
    columns = [[step for step in shown if step.kind == "Rows" and step.place is each] for each in lists]
    lettered = [*given, *(step for each in columns for step in each), *rest]
    writer = TextWriter(folded, dict(zip(lettered, letters())), queries)
    words = words_of(shown)
    mathematics = tuple(map(Mathematics(folded, writer.letters).line_of, lettered))
    parts = (
        by_query(map(writer.lines, given), queries),
        by_query(map(writer.sheets, lists, columns), queries),
        by_query(map(writer.lines, rest), queries),
        [values[0] for values in writer.numbers(last)],
    )
    return [Derivation(*each, words, mathematics) for each in zip(*parts, strict=True)]


def equations(last: Step, taken: str = "") -> tuple[str, ...]:
    """Returns a formula as a few LaTeX equations. The last equation is the value and has no left side.

    Only steps that are long or used more than once get a letter and an equation.

    Args:
        last: the step that computes the value.
        taken: letters that already have another meaning.
    """
    steps = sources_of(last)
    used = Counter(source for step in steps for source in step.sources)
    parts: dict[Step, int] = {}
    folded = {last}
    for step in steps:
        parts[step] = max(1, sum(parts[each] if each in folded else 1 for each in step.sources))
        if step.word in SHORT or (used[step] == 1 and parts[step] <= MOST_INSIDE):
            folded.add(step)
    lettered = [step for step in steps if step not in folded and not is_by_name(step)]
    free = (each for each in letters() if each not in INDICES_OF_SUMS + taken)
    writer = Mathematics(folded, dict(zip(lettered, free)))
    return (*map(writer.line_of, lettered), writer.value(last))


# ---------------------------------------------------------------- which steps


def sources_of(last: Step) -> list[Step]:
    """Returns a step and all steps that it depends on, each after the steps that it depends on."""
    found: dict[Step, None] = {}

    def visit(step: Step) -> None:
        if step not in found:
            for source in step.sources:
                visit(source)
            found[step] = None

    visit(last)
    return list(found)


def folded_steps(steps: list[Step], last: Step) -> set[Step]:
    """Returns the steps that are written inside the steps that use them.

    There are three kinds of such steps: short arithmetic that is used only once, in other arithmetic or in a number of
    the query; numbers of the query that are repeated for all its documents; and arithmetic on ranks and grades only.
    """
    users: dict[Step, list[Step]] = {step: [] for step in steps}
    for step in steps:
        for source in step.sources:
            users[source].append(step)
    folded: set[Step] = set()
    parts: dict[Step, int] = {}
    for step in steps:
        for source in step.sources:
            if source is not last and (source.word == "spread" or fits(source, step, users[source], parts)):
                folded.add(source)
        parts[step] = sum(parts[each] if each in folded else 1 for each in step.sources)
    return folded


def fits(step: Step, user: Step, users: list[Step], parts: dict[Step, int]) -> bool:
    """Returns whether a step should be written inside the step that uses it."""
    if not step.is_arithmetic or step.kind != user.kind:
        return False
    if all(is_by_name(source) for source in step.sources):
        return True
    inside = user.is_arithmetic or user.kind == "Queries"
    return inside and len(users) == 1 and parts[step] <= MOST_PARTS


def given_first(steps: list[Step]) -> set[Step]:
    """Returns numbers of the query on which document numbers depend but that do not depend on document numbers."""
    of_documents = {step for step in steps if step.kind == "Rows"}
    after: set[Step] = set()
    for step in steps:
        if step in of_documents or any(source in after for source in step.sources):
            after.add(step)
    used: set[Step] = set()
    for step in reversed(steps):
        if step in of_documents or step in used:
            used.update(step.sources)
    return used - after


def lists_of(steps: list[Step]) -> list[Traced]:
    """Returns the lists for which there are numbers per document, with the run's list first."""
    found = dict.fromkeys(step.place for step in steps if step.kind == "Rows")
    own = [each for each in found if is_own(each)] or [run_of(steps)]
    return [*own, *(each for each in found if each not in own)]


def run_of(steps: list[Step]) -> Traced:
    """Returns the ranked list of the run, cut at the depth."""
    every = [each for step in steps for each in step.place.ancestry if is_own(each)]
    return max(every, key=lambda each: len(each.ancestry))


def words_of(steps: list[Step]) -> dict[str, str]:
    """Returns the meaning of each method of ``Lists`` that computed a step."""
    words = dict.fromkeys(step.word for step in steps if not step.is_arithmetic)
    meanings = {word: first_sentence(word) for word in words}
    return {word: meaning for word, meaning in meanings.items() if meaning}
