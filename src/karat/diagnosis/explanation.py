"""The explanation of one value: its derivation as tables, with the definition and the facts above them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from karat._version import __version__
from karat.measures.define import show
from karat.output import escaping
from karat.output.document import Document, Documented, Formula, Line, Section, Table, Terms
from karat.output.language import ENGLISH, Language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.lists.derivation import Derivation
    from karat.lists.notation import Line as Numbers
    from karat.lists.notation import Sheet
    from karat.matching.match import Ranking
    from karat.measures import Measure


Shown = TypeVar("Shown")

HEAD, END = 10, 2
"""How many documents a shortened list shows from its start and from its end."""
TITLE_WIDTH = 20
UNJUDGED, BETWEEN = "·", "…"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Documented):
    """The explanation of a measure's value for one query.

    Args:
        label: the requested name of the measure.
        measure: the measure that the label stands for.
        query: the query, or empty where there are only grades.
        value: the value.
        facts: the findings and decisions that led to the ranked list, as sentences.
        derivation: the steps of the formula.
        ranking: the documents in rank order, if they are known.
        rows: the number of documents shown of a long list; None for all.
        digits: decimals.
        say: the language.

    Example:
        >>> import karat
        >>> explanation = karat.explain("P@3", grades=[1, 0, 1, 1])
        >>> explanation.value
        0.6666666666666666
        >>> print(explanation.steps[-1].expression, explanation.steps[-1].filled)
        ratio(b, c) ratio(2, 3)
    """

    label: str
    measure: Measure
    query: str
    value: float
    facts: tuple[str, ...]
    derivation: Derivation
    ranking: Ranking | None = None
    rows: int | None = 40
    digits: int = 6
    say: Language = ENGLISH

    @property
    def steps(self) -> tuple[Numbers, ...]:
        """Returns every step in reading order: first numbers of the query, then columns of lists, then the rest."""
        columns = [line for sheet in self.derivation.sheets for line in sheet.lines]
        return (*self.derivation.given, *columns, *self.derivation.rest)

    @property
    def full_name(self) -> str:
        """Returns the measure's name with all its parameters, including those at their defaults."""
        at = self.measure.definition.at
        arguments = self.measure.arguments
        inside = ", ".join(f"{key}={show(value)}" for key, value in arguments.items() if key != at)
        where = self.measure.depth if at == "depth" else arguments.get(at)
        name = f"{self.measure.name}({inside})" if inside else self.measure.name
        return name if where is None else f"{name}@{show(where)}"

    @property
    def result(self) -> str:
        """A line with the measure, the query and the value."""
        asked = self.say("{label} of query {query}", label=self.label, query=self.query)
        subject = asked if self.query else self.label
        return escaping.sentence(f"{subject} = {shown(self.value, self.digits)}")

    @property
    def meaning(self) -> tuple[str, ...]:
        """The definition of the measure, and its full name if it differs from the label."""
        full = self.say("In full: {name}", name=self.full_name)
        named = () if self.label == self.full_name else (full,)
        definition = self.measure.definition
        return (self.say.measures.get(definition.name, definition.sentence), *named)

    @property
    def words(self) -> dict[str, str]:
        """The meaning of each method in the steps."""
        return {word: self.say(meaning) for word, meaning in self.derivation.words.items()}

    def document(self, layout: str = "text") -> Document:
        """Returns the value, the definition, the facts, the formula for LaTeX, the tables and the words."""
        del layout
        given, rest = self.derivation.given, self.derivation.rest
        sentence, *others = self.meaning
        return Document(
            [
                Section([Line(sentence, "lead"), *map(Line, others)]),
                Section([*map(Line, self.facts), Formula(self.formula())]),
                *([self.steps_section("Numbers of the query", given)] if given else []),
                *map(self.list_section, self.derivation.sheets),
                *([self.steps_section("Steps to the value", rest)] if rest else []),
                Section([Line(self.result, "answer")]),
                Section([Terms(tuple(self.words.items()))]),
            ],
            self.result,
            self.say.name,
        )

    def as_dict(self) -> dict[str, Any]:
        """Returns the value, every step with its numbers, and the documents in rank order if they are known."""
        return {
            "measure": self.label,
            "full_name": self.full_name,
            "query": self.query,
            "value": self.value,
            "meaning": self.meaning[0],
            "facts": self.facts,
            "documents": None if self.ranking is None else self.ranking.documents,
            "scores": None if self.ranking is None else self.ranking.scores,
            "given": self.derivation.given,
            "lists": self.derivation.sheets,
            "steps": self.derivation.rest,
            "words": self.words,
            "karat": __version__,
        }

    def steps_section(self, title: str, lines: Sequence[Numbers]) -> Section:
        """Returns the table of the query's numbers with a row per step."""
        rows = [
            [line.letter, line.expression, line.filled, numbers(line.values, self.digits)] for line in lines
        ]
        header = ["", self.say("step"), self.say("in numbers"), self.say("value")]
        if not any(line.filled for line in lines):
            rows, header = [[row[0], row[1], row[3]] for row in rows], [header[0], header[1], header[3]]
        return Section([Table(header, rows, len(header) - 1)], self.say(title))

    def list_section(self, sheet: Sheet) -> Section:
        """Returns the table of a ranked list with a column per step. Only the rows shown are formatted."""
        kept = self.kept(sheet)
        say = self.say
        columns = (
            [(say("rank"), [str(int(rank)) for rank in shown_of(sheet.rank, kept)])] if sheet.rank else []
        )
        names = []
        if sheet.is_run and self.ranking is not None:
            names = [len(columns)]
            columns.append((say("document"), shown_of(self.ranking.documents, kept)))
            if self.ranking.scores:
                columns.append((say("score"), level(shown_of(self.ranking.scores, kept))))
        if sheet.grade:
            grades = shown_of(sheet.grade, kept)
            columns.append((say("grade"), [UNJUDGED if grade < 0 else plain(grade) for grade in grades]))
        columns += [(heading(line), column(shown_of(line.values, kept), self.digits)) for line in sheet.lines]
        cells = [list(row) for row in zip(*(cells for _, cells in columns))]
        notes = [say(sheet.meaning)] if sheet.meaning and not sheet.is_run else []
        notes += [f"{line.letter} = {line.expression}" for line in sheet.lines if is_wide(line)]
        table = Table([title for title, _ in columns], with_gaps(cells, kept), names)
        after = left_out(sheet, kept, say)
        return Section(
            [*map(Line, notes), table, *([Line(after, "small")] if after else [])], self.title_of(sheet)
        )

    def title_of(self, sheet: Sheet) -> str:
        """Returns the description of a list."""
        if not sheet.is_run:
            return sheet.name
        if self.measure.depth is None:
            return self.say("Ranked list")
        return self.say("Ranked list down to rank {depth}", depth=self.measure.depth)

    def kept(self, sheet: Sheet) -> list[int]:
        """Selects the documents to show: the list's start and end, and judged documents, relevant ones first."""
        length = (
            len(sheet.grade) if sheet.grade else max((len(line.values) for line in sheet.lines), default=0)
        )
        if self.rows is None or length <= max(self.rows, HEAD + END):
            return list(range(length))
        judged = [place for place, grade in enumerate(sheet.grade) if grade >= 0]
        relevant = [place for place in judged if sheet.grade[place] > 0]
        wanted = dict.fromkeys([*range(HEAD), *range(length - END, length), *relevant, *judged])
        kept = set(list(wanted)[: max(self.rows, HEAD + END)])
        # A single document takes no more space than the dots that would replace it.
        kept |= {place + 1 for place in kept if place + 2 in kept}
        return sorted(kept)

    def to_latex(self) -> str:
        """Returns LaTeX with the formula and booktabs tables, without a preamble."""
        return self.document("latex").latex()

    def formula(self) -> str:
        """Returns the traced formula as LaTeX, one line per step. It needs the package amsmath.

        Brackets around a condition are 1 where it holds, else 0; a fraction is 0 where its denominator is 0.
        """
        lines = [*self.derivation.mathematics]
        last = lines[-1].partition(" &= ")[0]
        lines.append(f"\\text{{{escaping.latex(self.label)}}} &= {last}")
        others = [
            f"$\\ast$ {escaping.latex(each.name)}: {escaping.latex(each.meaning)}"
            for each in self.derivation.sheets
            if not each.is_run
        ]
        return "\n\n".join(["\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}", *others])


# ---------------------------------------------------------------- cells


def shown_of(values: Sequence[Shown], kept: Sequence[int]) -> list[Shown]:
    """Returns the values of the documents that are shown."""
    return [values[place] for place in kept if place < len(values)]


def with_gaps(cells: list[list[str]], kept: list[int]) -> list[list[str]]:
    """Returns the rows shown, with dots in place of omitted rows."""
    rows: list[list[str]] = []
    for row, place, before in zip(cells, kept, [-1, *kept]):
        if place > before + 1:
            rows.append([BETWEEN, *[""] * (len(row) - 1)])
        rows.append(row)
    return rows


def left_out(sheet: Sheet, kept: list[int], say: Language = ENGLISH) -> str:
    """Returns the notes under a list: the number of omitted rows, and the meaning of a dot."""
    length = len(sheet.grade)
    if not length and sheet.is_run:
        return say("No document was retrieved.")
    some = any(sheet.grade[place] < 0 for place in kept)
    dots = say(" {dot} is an unjudged document.", dot=UNJUDGED) if some else ""
    if length <= len(kept):
        return dots.lstrip()
    said = say("{kept} of {length} documents are shown", kept=len(kept), length=length)
    others = length - len(kept)
    judged = sum(grade >= 0 for grade in sheet.grade) - sum(sheet.grade[place] >= 0 for place in kept)
    if judged == others:
        return say("{said}.{dots}", said=said, dots=dots)
    sentence = "{said}; of the {others} others {judged} " + ("is" if judged < 2 else "are") + " judged.{dots}"
    none = "{said}; of the {others} others none is judged.{dots}"
    return say(sentence if judged else none, said=said, others=others, judged=judged, dots=dots)


def heading(line: Numbers) -> str:
    """Returns the title of a column: the step's letter and, unless it is too long, its expression."""
    return f"{line.letter}\n{BETWEEN if is_wide(line) else line.expression}"


def is_wide(line: Numbers) -> bool:
    """Returns whether a step's expression is too long for the head of a column of numbers."""
    return len(line.expression) > TITLE_WIDTH


def column(values: Sequence[float], digits: int) -> list[str]:
    """Formats the numbers of a column as whole numbers or with equal decimals (an exact 0 as 0)."""
    if all(value == value // 1 for value in values):
        return [plain(value) for value in values]
    return ["0" if value == 0 else shown(value, digits) for value in values]


def level(scores: Sequence[float]) -> list[str]:
    """Returns the scores with the same number of decimals, six at most."""
    texts = [f"{score:.6f}".rstrip("0").partition(".")[2] for score in scores]
    if any(score != 0 and not 1e-3 <= abs(score) < 1e9 for score in scores):
        return [f"{score:.7g}" for score in scores]
    decimals = max(map(len, texts), default=0)
    return [f"{score:.{decimals}f}" for score in scores]


def numbers(values: Sequence[float], digits: int) -> str:
    """Returns the number of a query, or the number of each of its lists."""
    return ", ".join(plain(value) if value == value // 1 else shown(value, digits) for value in values)


def plain(value: float) -> str:
    """Formats a number. Whole numbers have no decimals."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else f"{value:g}"


def shown(value: float, digits: int) -> str:
    """Formats a number with ``digits`` decimals, or in scientific notation where it would be rounded to 0."""
    if math.isnan(value):
        return "undefined"
    if value != 0 and (abs(value) < 0.5 * 10**-digits or abs(value) >= 1e12):
        return f"{value:.{max(digits - 1, 0)}e}"
    return f"{value:.{digits}f}"
