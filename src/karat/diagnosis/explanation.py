"""The explanation of one value, as text, Markdown, LaTeX or HTML."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from karat.measures.define import show
from karat.output import escaping
from karat.output.language import ENGLISH, Language
from karat.output.tables import Display, folded, in_bands, lay_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.lists.derivation import Derivation
    from karat.lists.notation import Line, Sheet
    from karat.matching.match import Ranking
    from karat.measures import Measure

__all__ = ["Explanation"]

Shown = TypeVar("Shown")

COLUMNS = 80
HEAD, END = 10, 2
"""How many documents a shortened list shows from its start and from its end."""
TITLE_WIDTH = 20
UNJUDGED, BETWEEN = "·", "…"


@dataclass(frozen=True)
class Table:
    """A table with the lines above and below it.

    Args:
        title: above, in one line.
        notes: below the title, a line each.
        header: the columns' titles.
        rows: the cells.
        names: which columns hold names.
        after: below the table.
    """

    title: str
    notes: list[str]
    header: list[str]
    rows: list[list[str]]
    names: tuple[int, ...]
    after: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Display):
    """The explanation of a measure's value for one query.

    Args:
        label: the requested name of the measure.
        measure: what that means.
        query: the query, or empty where there are only grades.
        value: the value.
        facts: what was found and decided on the way to the ranked list, in sentences.
        derivation: the steps of the formula.
        ranking: the documents in rank order, if they are known.
        rows: how many documents of a long list are shown; None for all.
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
    def steps(self) -> tuple[Line, ...]:
        """Returns every step in reading order: the query's initial numbers, the columns of each list, and the rest."""
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
        """The measure, the query and the value."""
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
        """The meaning of each word in the steps."""
        return {word: self.say(meaning) for word, meaning in self.derivation.words.items()}

    def tables(self) -> list[Table]:
        """Returns the tables of the query's initial numbers, of the lists, and of the steps down to the value."""
        given = self.derivation.given
        first = [steps_table("Numbers of the query", given, self.digits, self.say)] if given else []
        lists = [self.list_table(sheet) for sheet in self.derivation.sheets]
        rest = self.derivation.rest
        return [
            *first,
            *lists,
            *([steps_table("Steps to the value", rest, self.digits, self.say)] if rest else []),
        ]

    def list_table(self, sheet: Sheet) -> Table:
        """Returns the table of a ranked list with a column per step. Only the rows shown are formatted."""
        kept = self.kept(sheet)
        say = self.say
        columns = (
            [(say("rank"), [str(int(rank)) for rank in shown_of(sheet.rank, kept)])] if sheet.rank else []
        )
        if sheet.is_run and self.ranking is not None:
            columns.append((say("document"), shown_of(self.ranking.documents, kept)))
            if self.ranking.scores:
                columns.append((say("score"), level(shown_of(self.ranking.scores, kept))))
        if sheet.grade:
            grades = shown_of(sheet.grade, kept)
            columns.append((say("grade"), [UNJUDGED if grade < 0 else plain(grade) for grade in grades]))
        names = tuple(place for place, (title, _) in enumerate(columns) if title == say("document"))
        columns += [(heading(line), column(shown_of(line.values, kept), self.digits)) for line in sheet.lines]
        cells = [list(row) for row in zip(*(cells for _, cells in columns))]
        notes = [say(sheet.meaning)] if sheet.meaning and not sheet.is_run else []
        notes += [f"{line.letter} = {line.expression}" for line in sheet.lines if is_wide(line)]
        titles = [title for title, _ in columns]
        return Table(
            self.title_of(sheet), notes, titles, with_gaps(cells, kept), names, left_out(sheet, kept, say)
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

    def __str__(self) -> str:
        """Text, 80 columns wide."""
        return self.to_text()

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns text for a terminal. Tables that are wider than ``columns`` are split into bands."""

        def wrap(text: str) -> str:
            return folded(text, columns).rstrip("\n")

        parts = [self.result, "\n".join(map(wrap, self.meaning))]
        parts += ["\n".join(map(wrap, self.facts))] if self.facts else []
        for table in self.tables():
            bands = in_bands(table.header, table.rows, 1, columns)
            drawn = [part_of(table, band) for band in bands]
            below = [wrap(table.after)] if table.after else []
            parts.append(
                "\n".join([table.title, *map(wrap, table.notes), "\n".join(drawn).rstrip("\n"), *below])
            )
        parts.append(self.result)
        words = self.words
        space = max(map(len, words), default=0)
        meanings = [
            folded(f"{word:{space}}  {meaning}", columns, " " * (space + 2)).rstrip("\n")
            for word, meaning in words.items()
        ]
        return "\n\n".join([*parts, *(["\n".join(meanings)] if meanings else [])]) + "\n"

    def to_markdown(self) -> str:
        """Markdown, with a heading."""
        result = escaping.markdown(self.result)
        parts = [f"### {result}", *self.meaning, *map(escaping.markdown, self.facts)]
        for table in self.tables():
            drawn = lay_out("markdown", table.header, table.rows, table.names).rstrip("\n")
            parts += [f"**{table.title}**", *table.notes, drawn, *filter(None, [table.after])]
        meanings = [f"- `{word}`: {meaning}" for word, meaning in self.words.items()]
        return "\n\n".join([*parts, f"**{result}**", "\n".join(meanings)]).rstrip() + "\n"

    def to_latex(self) -> str:
        """LaTeX with booktabs tables, without a preamble."""
        parts = [
            f"\\paragraph{{{escaping.latex(self.result)}}}",
            *map(escaping.latex, (*self.meaning, *self.facts)),
        ]
        parts.append(self.formula())
        for table in self.tables():
            bands = in_bands(table.header, table.rows, 1, COLUMNS)
            drawn = [part_of(table, band, "latex") for band in bands]
            parts += [f"\\textbf{{{escaping.latex(table.title)}}}", *map(escaping.latex, table.notes), *drawn]
            parts += [escaping.latex(table.after)] if table.after else []
        parts.append(f"\\textbf{{{escaping.latex(self.result)}}}")
        if self.words:
            items = [
                f"\\item[{escaping.latex(word)}] {escaping.latex(meaning)}"
                for word, meaning in self.words.items()
            ]
            parts.append("\n".join(["\\begin{description}", *items, "\\end{description}"]))
        return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"

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

    def to_html(self) -> str:
        """Returns a self-contained page, light or dark as the browser prefers."""
        title = escaping.html(self.result)
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>body {{ margin: 0 }} .karat {{ padding: 1.5rem 1rem 3rem }}</style>"
        )
        page = f"<head>\n{head}\n</head>\n<body>\n{self._repr_html_()}</body>"
        return f'<!doctype html>\n<html lang="{self.say.name}">\n{page}\n</html>\n'

    def to_fragment(self, heading: int = 1) -> str:
        """Returns only the content of the page, for a page with its own style.

        Args:
            heading: the level of its highest heading.
        """
        sentence, *others = self.meaning + self.facts
        top, next_level = f"h{heading}", f"h{heading + 1}"
        parts = [
            f"<{top}>{escaping.html(self.result)}</{top}>",
            f'<p class="lead">{escaping.html(sentence)}</p>',
        ]
        parts += [f"<p>{escaping.html(each)}</p>" for each in others]
        for table in self.tables():
            drawn = lay_out("html", table.header, table.rows, table.names)
            parts += [f"<{next_level}>{escaping.html(table.title)}</{next_level}>"]
            parts += [f"<p>{escaping.html(note)}</p>" for note in table.notes]
            parts.append(f'<div class="wide" tabindex="0">\n{drawn}</div>')
            parts += [f'<p class="small">{escaping.html(table.after)}</p>'] if table.after else []
        parts.append(f'<p class="result">{escaping.html(self.result)}</p>')
        words = self.words
        meanings = [f"<dt>{escaping.html(word)}</dt><dd>{escaping.html(words[word])}</dd>" for word in words]
        if meanings:
            parts.append("<dl>\n" + "\n".join(meanings) + "\n</dl>")
        return "\n".join(parts) + "\n"

    def _repr_html_(self) -> str:
        """Returns the display in a notebook."""
        return f'<div class="karat">\n<style>\n{STYLE}</style>\n{self.to_fragment()}</div>\n'


STYLE = """\
.karat { --ink: #1c1c1a; --quiet: #66645e; --line: #dddad2; --paper: #fff; --band: #f6f4ee; --gold: #8a6500;
  color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; box-sizing: border-box }
@media (prefers-color-scheme: dark) { .karat { --ink: #e8e6e0; --quiet: #a09d94; --line: #3d3b36; --paper: #191917;
  --band: #23221f; --gold: #e0b84c } body:has(> .karat) { background: #191917 } }
.karat > * { max-width: 76rem; margin-left: auto; margin-right: auto }
.karat h1 { font-size: 1.5rem; line-height: 1.25; margin-top: 0; overflow-wrap: anywhere }
.karat h2 { font-size: 1rem; margin-top: 2rem; margin-bottom: .25rem; overflow-wrap: anywhere }
.karat p { margin-top: .25rem; margin-bottom: .5rem; overflow-wrap: anywhere }
.karat .lead { font-size: 1.1rem }
.karat .small { color: var(--quiet); font-size: .875rem }
.karat .wide { overflow-x: auto }
.karat table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; margin: 0;
  background: none; color: inherit }
.karat th, .karat td { padding: .2rem .75rem; text-align: right; white-space: nowrap; border: 0;
  border-bottom: 1px solid var(--line) }
.karat th { vertical-align: bottom; font-weight: 400; color: var(--quiet); border-bottom: 2px solid var(--line) }
.karat th b { color: var(--gold) }
.karat td:first-child, .karat th:first-child { position: sticky; left: 0; background: inherit }
.karat th.name, .karat td.name { text-align: left }
.karat tr { background: var(--paper) }
.karat tbody tr:nth-child(even) { background: var(--band) }
.karat .result { color: var(--gold); font-size: 1.25rem; font-weight: 600; margin-top: 1.5rem }
.karat dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; color: var(--quiet);
  font-size: .875rem; margin-top: 2rem }
.karat dt { font-family: ui-monospace, monospace }
.karat dd { margin: 0 }
@media (max-width: 40rem) { .karat dl { grid-template-columns: 1fr } .karat dd { margin-bottom: .5rem }
  .karat table { font-size: .8125rem } .karat th, .karat td { padding: .2rem .35rem }
  .karat td.name { white-space: normal } }
"""


# ---------------------------------------------------------------- cells


def steps_table(title: str, lines: Sequence[Line], digits: int, say: Language = ENGLISH) -> Table:
    """Returns a table of the query's numbers with a row per step."""
    rows = [[line.letter, line.expression, line.filled, numbers(line.values, digits)] for line in lines]
    header = ["", say("step"), say("in numbers"), say("value")]
    if not any(line.filled for line in lines):
        rows, header = [[row[0], row[1], row[3]] for row in rows], [header[0], header[1], header[3]]
    return Table(say(title), [], header, rows, tuple(range(len(header) - 1)))


def part_of(table: Table, band: list[int], layout: str = "text") -> str:
    """Lays out some columns of a table."""
    names = [place for place, column in enumerate(band) if column in table.names]
    rows = [[row[each] for each in band] for row in table.rows]
    return lay_out(layout, [table.header[each] for each in band], rows, names)


def shown_of(values: Sequence[Shown], kept: Sequence[int]) -> list[Shown]:
    """Returns the values of the documents shown, or fewer if the list is shorter."""
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


def heading(line: Line) -> str:
    """Returns a column's title: the step's letter and its expression. A long expression is printed above the table."""
    return f"{line.letter}\n{BETWEEN if is_wide(line) else line.expression}"


def is_wide(line: Line) -> bool:
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
    """Returns the number of a query, or of each of its lists."""
    return ", ".join(plain(value) if value == value // 1 else shown(value, digits) for value in values)


def plain(value: float) -> str:
    """Formats a number; whole numbers have no decimals."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else f"{value:g}"


def shown(value: float, digits: int) -> str:
    """Formats a number with ``digits`` decimals, or in scientific notation where it would be rounded to 0."""
    if math.isnan(value):
        return "undefined"
    if value != 0 and (abs(value) < 0.5 * 10**-digits or abs(value) >= 1e12):
        return f"{value:.{max(digits - 1, 0)}e}"
    return f"{value:.{digits}f}"
