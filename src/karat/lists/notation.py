"""Steps of a formula as text and as LaTeX: each by its letter, and the word or arithmetic that made it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from karat.lists.traced import Operand, Operands, Step, Traced, first_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from karat.lists.rows import Floats

__all__ = [
    "STRENGTH",
    "Line",
    "Mathematics",
    "Sheet",
    "Writer",
    "is_by_name",
    "is_own",
    "letters",
    "number",
    "plain",
]


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


ESCAPED = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {"…": "\\ldots{}"}

GAINS = {
    "linear": ("{g}", "{g} \\geq {t}"),
    "exp2": ("2^{{{g}}} - 1", "{g} \\geq {t}"),
    "binary": ("1", "{g} \\geq {t}"),
}
"""What a grade is worth, and from which on."""


class Mathematics(Writer):
    """Writes steps as LaTeX, by the letters of others; a column's letter has an index, the rank.

    Args are those of ``Writer``.
    """

    index = "i"
    star = ""

    # ------------------------------------------------------------ what a step is

    def line_of(self, step: Step) -> str:
        """One step as a line of aligned equations."""
        self.star = "^{*}" if step.kind == "Rows" and not is_own(step.place) else ""
        return f"{self.symbol(step)} &= {self.expression(step)}"

    def symbol(self, step: Step) -> str:
        """The letter of a step, with its index."""
        letter = self.letters[step]
        text = f"\\mathsf{{{letter[0]}}}" + (f"^{{({letter[1:]})}}" if letter[1:] else "")
        return f"{text}_{{{self.index}}}" if step.kind == "Rows" else text

    def expression(self, step: Step, *, filled: bool = False, strength: int = 0) -> str:
        """The word or arithmetic of a step; in brackets if what stands around it binds as strongly."""
        if not step.is_arithmetic:
            return self.word(step)
        (_, left), (_, right) = step.operands
        own = STRENGTH[step.word]
        if step.word == "/":
            text = f"\\frac{{{self.cite(left, filled=filled)}}}{{{self.cite(right, filled=filled)}}}"
            return f"\\left({text}\\right)" if strength >= STRENGTH["**"] else text
        first = self.cite(left, filled=filled, strength=own - 1 + (step.word == "**"))
        if step.word == "**":
            return f"{{{first}}}^{{{self.cite(right, filled=filled)}}}"
        second = self.cite(right, filled=filled, strength=own - (step.word in "+*"))
        sign = "\\cdot" if step.word == "*" else step.word
        text = f"{first} {sign} {second}"
        return f"\\left({text}\\right)" if own <= strength else text

    def cite(self, operand: Operand, *, filled: bool = False, strength: int = 0) -> str:
        """How an expression names what it was made from."""
        if isinstance(operand, Traced):
            return f"\\text{{{escaped(operand.word or 'run')}}}"
        if not isinstance(operand, Step):
            return (
                decimal(operand)
                if isinstance(operand, (int, float))
                else f"\\text{{{escaped(plain(operand))}}}"
            )
        if operand.word in ("rank", "grade") and not operand.operands:
            return self.column(operand.word)
        if operand.word == "spread":
            return self.cite(operand.sources[0], filled=filled, strength=strength)
        if operand in self.folded:
            return self.expression(operand, filled=filled, strength=strength)
        return self.symbol(operand)

    # ------------------------------------------------------------ what a word says

    def word(self, step: Step) -> str:
        """A word in mathematics; one without a sign of its own by its name."""
        given = dict(step.operands)
        write = WORDS.get(step.word)
        if write is not None:
            return write(self, given)
        inside = ", ".join(map(self.cite, given.values()))
        name = f"\\operatorname{{{step.word.replace('_', '')}}}"
        return f"{name}\\left({inside}\\right)" if inside else name

    def at(self, index: str, operand: Operand) -> str:
        """An operand at another rank."""
        mine, self.index = self.index, index
        try:
            return self.cite(operand, strength=1)
        finally:
            self.index = mine

    def over(self, sign: str, where: str, operand: Operand) -> str:
        """A sum, product or maximum over ranks."""
        return f"{sign}_{{{where}}} {self.at('j' if where.startswith('j') else 'i', operand)}"

    def column(self, word: str) -> str:
        """The rank or the grade of a document; with a star that of a list other than the run's own."""
        return f"\\mathit{{{word}}}{self.star}_{{{self.index}}}"

    def grade(self) -> str:
        """The grade at the rank."""
        return self.column("grade")

    def gain(self, gain: Any, grade: str) -> str:
        """The gain of a grade."""
        if not isinstance(gain, str):
            cases = [f"{decimal(value)} & \\text{{if }} {grade} = {decimal(level)}" for level, value in gain]
            rest = f"\\max({grade}, 0) & \\text{{otherwise}}"
            return cases_of([*cases, rest])
        word, _, held = gain.rstrip(")").partition("(")
        lowest = float(held) if held else (1.0 if word == "binary" else 0.0)
        raised = f"{grade} - {decimal(lowest - 1)}" if held and word == "exp2" and lowest != 1 else grade
        worth, where = GAINS[word]
        test = f"[{where.format(g=grade, t=decimal(lowest))}]" if held or word == "binary" else ""
        if word == "binary":
            return f"[{grade} > 0]" if not held else test
        text = worth.format(g=raised) if test else worth.format(g=f"\\max({grade}, 0)")
        return f"{test} \\cdot \\left({text}\\right)" if test else text


def decimal(value: float) -> str:
    """A number."""
    text = number(value)
    if "e" in text:
        digits, _, power = text.partition("e")
        return f"{digits} \\cdot 10^{{{int(power)}}}"
    return {"inf": "\\infty", "nan": "\\text{undefined}"}.get(text, text)


def escaped(text: str) -> str:
    """Plain text within mathematics."""
    return "".join(ESCAPED.get(letter, letter) for letter in text)


def cases_of(lines: list[str]) -> str:
    """Values by case."""
    return "\\begin{cases} " + " \\\\ ".join(lines) + " \\end{cases}"


def test(left: str, sign: str, right: str) -> str:
    """1 where it holds, else 0: Iverson's bracket."""
    return f"\\left[{left} {sign} {right}\\right]"


def discounted(self: Mathematics, given: dict[str, Any]) -> str:
    """What a gain is divided by."""
    rank = self.column("rank")
    word, _, base = given["discount"].rstrip(")").partition("(")
    return {
        "log2": f"\\log_{{2}}\\left({rank} + 1\\right)",
        "ln": f"\\ln\\left({rank} + 1\\right)",
        "log": f"\\log_{{{base}}}\\left({rank} + 1\\right)",
        "jk": f"\\max\\left(1, \\log_{{{base}}} {rank}\\right)",
        "rank": rank,
        "none": "1",
    }[word]


def share(self: Mathematics, given: dict[str, Any], more: str) -> str:
    """A gain as a share of the highest grade's, or of that and ``more``."""
    whole = self.gain(given.get("gain", "linear"), decimal(float(given["highest"])))
    return f"\\frac{{{self.gain(given.get('gain', 'linear'), self.grade())}}}{{{whole}{more}}}"


def unit(self: Mathematics, given: dict[str, Any]) -> str:
    """A gain from 0 to 1."""
    rel, highest = given.get("rel", "graded"), given.get("highest", "query")
    if not isinstance(rel, str):
        return test(self.grade(), "\\geq", decimal(rel))
    gain = self.gain(given.get("gain", "linear"), self.grade())
    if highest == "none":
        return gain
    if isinstance(highest, str):
        return f"\\frac{{{gain}}}{{\\max\\left(1, \\max \\text{{gain of the query}}\\right)}}"
    return share(self, given, "")


def reciprocals(self: Mathematics, given: dict[str, Any]) -> str:
    """The sum of reciprocals of powers."""
    power = given.get("power", 1)
    beneath = "m" if power == 1 else f"m^{{{power}}}"
    return (
        f"\\sum_{{m = {self.cite(given['first'])}}}^{{{self.cite(given['last'])}}} \\frac{{1}}{{{beneath}}}"
    )


def chosen(self: Mathematics, given: dict[str, Any]) -> str:
    """A value where something holds."""
    values, where = self.cite(given["values"]), self.cite(given["where"])
    otherwise = decimal(float(given.get("otherwise", 0.0)))
    return cases_of([f"{values} & \\text{{if }} {where} > 0", f"{otherwise} & \\text{{otherwise}}"])


def relevant(rel: float) -> str:
    """How many documents are judged relevant."""
    return f"\\left|\\left\\{{d : \\mathit{{grade}}_{{d}} \\geq {decimal(rel)}\\right\\}}\\right|"


def size(self: Mathematics, given: dict[str, Any]) -> str:
    """What a sum over relevant documents is divided by."""
    every = relevant(given["rel"])
    return {
        "relevant": every,
        "retrieved": "\\sum_{i} " + test(self.grade(), "\\geq", decimal(given["rel"])),
        "capped": f"\\min\\left({every}, \\mathit{{depth}}\\right)",
        "length": f"\\min\\left({every}, \\mathit{{length}}\\right)",
        "depth": "\\mathit{depth}",
    }[given["over"]]


def rounded(self: Mathematics, given: dict[str, Any]) -> str:
    """A whole number."""
    more = "0.5" if given["rounding"] == "nearest" else "0.9"
    return f"\\left\\lfloor {self.cite(given['values'])} + {more} \\right\\rfloor"


WORDS: dict[str, Callable[[Mathematics, dict[str, Any]], str]] = {
    "above": lambda self, given: self.over("\\sum", "j < i", given["rows"]),
    "at_least": lambda self, given: test(self.cite(given["rows"]), "\\geq", self.cite(given["bound"])),
    "best": lambda self, given: self.over("\\max", "i", given["rows"]),
    "depth": lambda _self, _given: "\\mathit{depth}",
    "discount": discounted,
    "exceeds": lambda self, given: test(self.cite(given["values"]), ">", self.cite(given["bound"])),
    "gains": lambda self, given: self.gain(given["gain"], self.grade()),
    "hits": lambda self, given: test(self.grade(), "\\geq", decimal(given["rel"])),
    "horizon": lambda _self, _given: "\\mathit{depth}",
    "judged": lambda self, _given: test(self.grade(), "\\geq", "0"),
    "least": lambda self, given: f"\\min\\left({self.cite(given['a'])}, {self.cite(given['b'])}\\right)",
    "length": lambda _self, _given: "\\mathit{length}",
    "ln": lambda self, given: f"\\ln\\left({self.cite(given['values'])}\\right)",
    "log2": lambda self, given: f"\\log_{{2}}\\left({self.cite(given['rows'])}\\right)",
    "misses": lambda self, given: f"\\left[0 \\leq {self.grade()} < {decimal(given['rel'])}\\right]",
    "most": lambda self, given: f"\\max\\left({self.cite(given['a'])}, {self.cite(given['b'])}\\right)",
    "n_graded": lambda _self, given: (
        f"\\left|\\left\\{{d : {decimal(given['lowest'])} \\leq \\mathit{{grade}}_{{d}} < "
        f"{decimal(given['below'])}\\right\\}}\\right|"
    ),
    "n_nonrelevant": lambda _self, given: (
        f"\\left|\\left\\{{d : 0 \\leq \\mathit{{grade}}_{{d}} < {decimal(given['rel'])}\\right\\}}\\right|"
    ),
    "n_relevant": lambda _self, given: relevant(given["rel"]),
    "only": chosen,
    "powers": lambda self, given: (
        f"{self.cite(given['base'], strength=3)}^{{{self.cite(given['exponents'])}}}"
    ),
    "pooled": lambda self, _given: test(self.grade(), "<", "-1"),
    "product_above": lambda self, given: self.over("\\prod", "j < i", given["rows"]),
    "ratio": lambda self, given: f"\\frac{{{self.cite(given['part'])}}}{{{self.cite(given['whole'])}}}",
    "reciprocals": reciprocals,
    "running": lambda self, given: self.over("\\sum", "j \\leq i", given["rows"]),
    "running_of": lambda self, given: self.over("\\sum", "j \\leq i", given["rows"]),
    "size": size,
    "stops": lambda self, given: share(self, given, " + 1"),
    "total": lambda self, given: self.over("\\sum", "i", given["rows"]),
    "unit_gains": unit,
    "whole": rounded,
    "within": lambda self, given: test(self.column("rank"), "\\leq", self.cite(given["n"])),
}
"""What stands for a word of ``Lists``; a ratio is 0 where its whole is 0."""
