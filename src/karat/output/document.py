"""Documents and tables, which can be written as text, Markdown, LaTeX and HTML, and tables also as CSV.

Each part escapes its content for each format, so the classes of results contain no code for layouts.
"""

from __future__ import annotations

import math
import os
import re
import textwrap
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from karat.output import escaping
from karat.output.escaping import printable, shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self


Rows = Sequence[Sequence[str]]
Names = Container[int]
GAP = "  "


class Marked(str):
    """A table cell with superscript letters, perhaps in bold. In plain text, the letters follow the number.

    Args:
        text: the cell.
        raised: the letters.
        bold: whether the cell is in bold.
        room: the most letters of a cell in the column, so that numbers are aligned.
    """

    __slots__ = ("bold", "plain", "raised")
    plain: str
    raised: str
    bold: bool

    def __new__(cls, text: str, raised: str = "", *, bold: bool = False, room: int = 0) -> Self:
        """Makes a cell, whose text is the plain form, and stores its parts."""
        self = super().__new__(cls, text + raised.ljust(room))
        self.plain, self.raised, self.bold = text, raised, bold
        return self

    def written(self, escape: Callable[[str], str], bold: str, raised: str) -> str:
        """Returns the cell with markup. ``bold`` and ``raised`` are the layout's patterns, with %s for the text."""
        text = escape(self.plain)
        text = bold % text if self.bold else text
        return text + (raised % escape(self.raised) if self.raised else "")


def decimals(value: float | None, digits: int, *, sign: bool = False, undefined: str = "-") -> str:
    """Returns the number with this many decimals, or ``undefined`` for None, NaN and infinity."""
    if value is None or not math.isfinite(value):
        return undefined
    return f"{value:{'+' if sign else ''}.{digits}f}"


def width(cell: str) -> int:
    """Returns the number of columns that a cell takes on a terminal."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def apart(names: Sequence[str], room: int = escaping.LONGEST) -> list[str]:
    """Returns the names, each on one line of at most ``room`` characters. Different names stay different.

    Example:
        >>> from karat.output.document import apart
        >>> apart(["covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr", "bm25"], 10)
        ['cov…s.lr~1', 'cov…s.lr~2', 'bm25']
    """
    written = [printable(name) for name in names]
    if max(map(len, written), default=0) <= room:
        return written
    short = [shortened(name, room) for name in written]
    owners: dict[str, dict[str, None]] = {}
    for name, its in zip(written, short, strict=True):
        owners.setdefault(its, {})[name] = None
    alike = {its: list(mine) for its, mine in owners.items() if len(mine) > 1}
    result = []
    for name, its in zip(written, short, strict=True):
        if its in alike:
            number = f"~{alike[its].index(name) + 1}"
            its = shortened(name, max(room - len(number), 3)) + number
        result.append(its)
    return result


def folded(sentence: str, columns: int, indent: str = "", start: str = "") -> str:
    """Folds a sentence into lines of at most ``columns`` columns. Words are never cut.

    Args:
        sentence: the text.
        columns: the greatest width of a line.
        indent: the indent of all lines but the first.
        start: the indent of the first line.
    """
    text = escaping.sentence(sentence)
    if width(text) > len(text):
        return folded_wide(text, columns, indent, start)
    lines = textwrap.wrap(
        text,
        columns,
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "".join(f"{line}\n" for line in lines)


CLOSING = "，。；：、！？）》”’,.;:!?)]}%…"
"""Characters that no line begins with."""


def folded_wide(text: str, columns: int, indent: str, start: str) -> str:
    """Folds text with characters that are two columns wide. A line may end between any two wide characters."""
    lines, line, kept = [], start, len(start)
    for part in re.findall(r"\s+|[\x21-\u2e7f]+|.", text):
        fits = width(line) + width(part) <= columns
        if fits or len(line) <= kept or part in CLOSING:
            line += part if len(line) > kept or not part.isspace() else ""
            continue
        lines.append(line.rstrip())
        line, kept = indent + ("" if part.isspace() else part), len(indent)
    return "".join(f"{each}\n" for each in [*lines, line.rstrip()])


def text(header: Sequence[str], rows: Rows, names: Names, bold: str = "%s") -> str:
    """Lays out a table as aligned text, with names on the left, numbers on the right and marked cells in ``bold``."""
    lines = [*stacked(header), *plain(rows, names)]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for place, (cell, space) in enumerate(zip(cells, widths, strict=True)):
            blanks = " " * (space - width(cell))
            shown = bold % cell if isinstance(cell, Marked) and cell.bold else cell
            padded.append(shown + blanks if place in names else blanks + shown)
        return GAP.join(padded).rstrip()

    return "\n".join(map(line, lines)) + "\n"


def plain(rows: Rows, names: Names) -> list[list[str]]:
    """Returns the cells on one line each, with names shortened."""
    columns = [
        bounded(column)
        if place in names
        else [each if isinstance(each, Marked) else printable(each) for each in column]
        for place, column in enumerate(zip(*rows, strict=True))
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def bounded(column: Sequence[str]) -> list[str]:
    """Shortens names or sentences to one line each."""
    if any(len(cell) > escaping.LONGEST and " " in cell for cell in column):
        return list(map(escaping.sentence, column))
    return apart(column)


def stacked(header: Sequence[str]) -> list[list[str]]:
    """Returns the text lines of a table header. Titles with fewer lines are aligned at the bottom."""
    cells = [[shortened(printable(line)) for line in cell.split("\n")] for cell in header]
    height = max(map(len, cells), default=1)
    padded = [[""] * (height - len(lines)) + lines for lines in cells]
    return [list(line) for line in zip(*padded, strict=True)]


def markdown(header: Sequence[str], rows: Rows, names: Names) -> str:
    """Lays out a pipe table and escapes Markdown's special characters."""

    def number(cell: str) -> str:
        return printable(cell).replace("<", "&lt;").replace("|", "\\|")

    def line(cells: Sequence[str]) -> str:
        written = escaped(cells, names, (escaping.markdown, number), ("**%s**", "<sup>%s</sup>"))
        return f"| {' | '.join(written)} |\n"

    def title(cell: str) -> str:
        return "<br>".join(map(escaping.markdown, cell.split("\n")))

    head = f"| {' | '.join(map(title, header))} |\n"
    rule = ["---" if place in names else "---:" for place in range(len(header))]
    return head + "".join(map(line, [rule, *short_names(rows, names)]))


def short_names(rows: Rows, names: Names) -> list[list[str]]:
    """Returns the rows with names shortened."""
    if max((len(cell) for row in rows for cell in row), default=0) <= escaping.LONGEST:
        return [list(row) for row in rows]
    return plain(rows, names)


def escaped(
    cells: Sequence[str],
    names: Names,
    escapes: tuple[Callable[[str], str], Callable[[str], str]],
    marks: tuple[str, str],
) -> list[str]:
    """Escapes the cells of a row for a format.

    Args:
        cells: the cells.
        names: the columns that hold names.
        escapes: escape a name, and a number.
        marks: the patterns for bold and for raised text.
    """
    written = []
    for place, cell in enumerate(cells):
        escape = escapes[0] if place in names else escapes[1]
        written.append(cell.written(escape, *marks) if isinstance(cell, Marked) else escape(cell))
    return written


def latex(header: Sequence[str], rows: Rows, names: Names) -> str:
    """Lays out a LaTeX table for the package booktabs."""

    def number(cell: str) -> str:
        ranges = re.sub(r"(?<=\d)-(?=\d)", "--", escaping.latex(cell))
        return re.sub(r"(?<![\d-])-(?=\d)", "$-$", ranges)

    def line(cells: Sequence[str]) -> str:
        marks = ("\\textbf{%s}", "\\textsuperscript{%s}")
        written = escaped(cells, names, (escaping.latex, number), marks)
        # LaTeX would read a bracket or star after a line's end as its argument.
        return ("{}" if written[0][:1] in ("[", "*") else "") + " & ".join(written) + " \\\\\n"

    columns = "".join("l" if place in names else "r" for place in range(len(header)))
    head = "".join(map(line, stacked(header)))
    body = (
        "\\toprule\n" + head + "\\midrule\n" + "".join(map(line, short_names(rows, names))) + "\\bottomrule\n"
    )
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\\end{{tabular}}\n"


def html(header: Sequence[str], rows: Rows, names: Names) -> str:
    """Lays out an HTML table. Names have the class ``name``, and the first line of a longer title is bold."""

    def line(cells: Sequence[str], tag: str) -> str:
        marks = [f'<{tag} class="name">' if place in names else f"<{tag}>" for place in range(len(cells))]
        return "<tr>" + "".join(f"{mark}{each}</{tag}>" for mark, each in zip(marks, cells)) + "</tr>\n"

    def title(cell: str) -> str:
        first, *others = map(escaping.html, cell.split("\n"))
        return "<br>".join([f"<b>{first}</b>" if others else first, *others])

    body = "".join(line(list(map(escaping.html, row)), "td") for row in short_names(rows, names))
    head = line(list(map(title, header)), "th")
    return f"<table>\n<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def separated(delimiter: str) -> Callable[[Sequence[str], Rows, Names], str]:
    """Returns a layout function that puts this delimiter between cells, and does not shorten names."""

    def write(header: Sequence[str], rows: Rows, names: Names) -> str:
        del names
        lines = (delimiter.join(escaping.cell(cell, delimiter) for cell in line) for line in [header, *rows])
        return "".join(f"{line}\n" for line in lines)

    return write


BOLD = "\x1b[1m%s\x1b[22m"

LAYOUTS: dict[str, Callable[[Sequence[str], Rows, Names], str]] = {
    "text": text,
    "terminal": partial(text, bold=BOLD),
    "csv": separated(","),
    "tsv": separated("\t"),
    "markdown": markdown,
    "latex": latex,
    "html": html,
}


def lay_out(layout: str, header: Sequence[str], rows: Rows, names: int | Names) -> str:
    """Returns the table as one string.

    Args:
        layout: a key of ``LAYOUTS``.
        header: the columns' titles; a title may have several lines.
        rows: the cells.
        names: the number of columns, from the left, that hold names instead of numbers; or which ones do.
    """
    return LAYOUTS[layout](header, rows, range(names) if isinstance(names, int) else names)


def columns_of(header: Sequence[str], rows: Rows, names: int | Names) -> int:
    """Returns the width of a table on a terminal."""
    return max(map(width, lay_out("text", header, rows, names).splitlines()))


def in_bands(header: Sequence[str], rows: Rows, keep: int, columns: int) -> list[list[int]]:
    """Splits a wide table into bands of columns. Every band repeats the first ``keep`` columns."""
    table = [*stacked(header), *rows]
    widths = [len(GAP) + max(map(width, column)) for column in zip(*table, strict=True)]
    room = columns + len(GAP) - sum(widths[:keep])
    bands: list[list[int]] = [[]]
    used = 0
    for place in range(keep, len(header)):
        if bands[-1] and used + widths[place] > room:
            bands.append([])
            used = 0
        bands[-1].append(place)
        used += widths[place]
    return [[*range(keep), *band] for band in bands]


MOST_LINES = 60
"""Most lines of a result in a prompt or notebook."""


class Display:
    """A mixin for results, which a prompt shows as text and a notebook as tables.

    Example:
        >>> import karat
        >>> karat.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "RR")
        run      RR
        run  1.0000
        1 query · policy trec
    """

    def __repr__(self) -> str:
        """Returns the text, cut if it is long. ``print`` shows the whole text."""
        lines = str(self).rstrip("\n").split("\n")
        if len(lines) > MOST_LINES:
            left = len(lines) - MOST_LINES + 1
            lines = [*lines[: MOST_LINES - 1], f"… {left} more lines: print() shows them"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Returns the text for a notebook, escaped."""
        lines = "\n".join(map(escaping.html, repr(self).split("\n")))
        return f"<pre>{lines}</pre>\n"


COLUMNS = 80
"""The width of text for a log or a file."""

LATEX = {"answer": "\\textbf{%s}"}
MARKDOWN = {"answer": "**%s**"}
HTML = {"": "<p>%s</p>\n", "answer": '<p class="answer"><b>%s</b></p>\n'}


class Part:
    """A part of a section. Each method returns the part in one layout. A part may be empty in some layouts."""

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the part as lines of text.

        Args:
            columns: the greatest width of a line.
            style: colours a text, given its role or tone; None for text without colours.
        """
        del columns, style
        return ""

    def markdown(self) -> str:
        """Returns the part as Markdown."""
        return ""

    def latex(self) -> str:
        """Returns the part as LaTeX."""
        return ""

    def html(self, rows: int | None = None) -> str:
        """Returns the part as HTML.

        Args:
            rows: the most rows of a table; None for all.
        """
        del rows
        return ""


@dataclass(frozen=True, eq=False, repr=False)
class Line(Part):
    """A sentence.

    Args:
        words: the sentence.
        role: ``answer`` for the answer in one line, which is bold and never folded; any other role is the HTML class
            and the colour of the sentence.
        mark: the start of the sentence, such as ``error: ``, which is coloured separately.
        tone: the colour of the mark, or of the whole sentence if it has no mark; by default that of the role.
        indent: the number of blanks before the sentence in text.
        hang: the number of blanks before its other lines; if None, they begin below the words after the mark.
    """

    words: str
    role: str = ""
    mark: str = ""
    tone: str = ""
    indent: int = 0
    hang: int | None = None

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentence, wrapped unless it is the answer."""
        start = " " * self.indent + self.mark
        hang = len(start) if self.hang is None else self.hang
        lines = (
            f"{start}{escaping.sentence(self.words)}\n"
            if self.role == "answer"
            else folded(self.words, columns, " " * hang, start)
        )
        if style is None:
            return lines
        if not self.mark:
            return style(lines, self.tone or self.role)
        return " " * self.indent + style(self.mark.rstrip(), self.tone) + lines[len(start.rstrip()) :]

    @property
    def whole(self) -> str:
        """The sentence with its mark."""
        return escaping.sentence(f"{self.mark.rstrip()} {self.words}".strip())

    def markdown(self) -> str:
        """Returns the sentence as a Markdown paragraph."""
        return MARKDOWN.get(self.role, "%s") % escaping.markdown(self.whole) + "\n"

    def latex(self) -> str:
        """Returns the sentence as a LaTeX paragraph."""
        return LATEX.get(self.role, "%s") % escaping.latex(self.whole) + "\n"

    def html(self, rows: int | None = None) -> str:
        """Returns an HTML paragraph whose class is the role of the sentence."""
        del rows
        return HTML.get(self.role, f'<p class="{self.role}">%s</p>\n') % escaping.html(self.whole)


@dataclass(frozen=True, eq=False, repr=False)
class Items(Part):
    """A list of sentences.

    Args:
        sentences: the sentences.
        role: the colour of the sentences.
        indent: the number of blanks before each sentence in text.
        hang: the number of blanks before its other lines.
    """

    sentences: Sequence[str]
    role: str = ""
    indent: int = 0
    hang: int = 2

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentences as text. Each sentence starts on a new line."""
        lines = (Line(each, self.role, indent=self.indent, hang=self.hang) for each in self.sentences)
        return "".join(each.text(columns, style) for each in lines)

    def markdown(self) -> str:
        """Returns the sentences as a Markdown list."""
        return "".join(f"- {escaping.markdown(escaping.sentence(each))}\n" for each in self.sentences)

    def latex(self) -> str:
        """Returns the sentences as an itemize environment of LaTeX."""
        items = "".join(f"\\item {escaping.latex(escaping.sentence(each))}\n" for each in self.sentences)
        return f"\\begin{{itemize}}\n{items}\\end{{itemize}}\n" if items else ""

    def html(self, rows: int | None = None) -> str:
        """Returns the sentences as an HTML list."""
        del rows
        items = "".join(f"<li>{escaping.html(escaping.sentence(each))}</li>\n" for each in self.sentences)
        return f"<ul>\n{items}</ul>\n" if items else ""


@dataclass(frozen=True, eq=False, repr=False)
class Terms(Part):
    """A list of terms with their meanings, or of labels with their values.

    Args:
        pairs: each term with its meaning; pairs without a meaning are left out.
        indent: the number of blanks before each term in text.
        role: the colour of the terms.
        gap: the number of blanks after the longest term in text.
    """

    pairs: Sequence[tuple[str, str]]
    indent: int = 0
    role: str = ""
    gap: int = 2

    @property
    def present(self) -> list[tuple[str, str]]:
        """The pairs that have a meaning."""
        return [pair for pair in self.pairs if pair[1]]

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns text with a line for each term. The meanings are aligned."""
        space = max((width(term) for term, _ in self.present), default=0) + self.gap
        lines = (
            Line(meaning, mark=term + " " * (space - width(term)), tone=self.role, indent=self.indent)
            for term, meaning in self.present
        )
        return "".join(each.text(columns, style) for each in lines)

    def markdown(self) -> str:
        """Returns a Markdown list whose terms are formatted as code."""
        return "".join(f"- `{term}`: {escaping.markdown(meaning)}\n" for term, meaning in self.present)

    def latex(self) -> str:
        """Returns the terms as a description environment of LaTeX."""
        items = "".join(
            f"\\item[{escaping.latex(term)}] {escaping.latex(meaning)}\n" for term, meaning in self.present
        )
        return f"\\begin{{description}}\n{items}\\end{{description}}\n" if items else ""

    def html(self, rows: int | None = None) -> str:
        """Returns the terms as an HTML description list."""
        del rows
        items = "".join(
            f"<dt>{escaping.html(term)}</dt><dd>{escaping.html(meaning)}</dd>\n"
            for term, meaning in self.present
        )
        return f"<dl>\n{items}</dl>\n" if items else ""


@dataclass(frozen=True, eq=False, repr=False)
class Table(Part):
    """A table. In text and LaTeX, a wide table is split into bands that repeat the first columns.

    Args:
        header: the columns' titles; a title may have several lines.
        rows: the cells.
        names: the number of columns, from the left, that hold names instead of numbers; or which ones do.
        keep: the number of columns that every band repeats.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int | Container[int] = 1
    keep: int = 1

    def drawn(self, layout: str, columns: int) -> str:
        """Returns the bands of the table, separated by empty lines."""
        names = range(self.names) if isinstance(self.names, int) else self.names
        return "\n".join(
            lay_out(
                layout,
                [self.header[place] for place in band],
                [[row[place] for place in band] for row in self.rows],
                [place for place, column in enumerate(band) if column in names],
            )
            for band in in_bands(self.header, self.rows, self.keep, columns)
        )

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the table as text with aligned columns."""
        return self.drawn("text" if style is None else "terminal", columns)

    def markdown(self) -> str:
        """Returns the table as a pipe table of Markdown."""
        return lay_out("markdown", self.header, self.rows, self.names)

    def latex(self) -> str:
        """Returns the bands of the table as LaTeX tables for the package booktabs."""
        return self.drawn("latex", COLUMNS)

    def html(self, rows: int | None = None) -> str:
        """Returns an HTML table that scrolls if it is wide, with the number of omitted rows below it."""
        few = rows is None or len(self.rows) <= rows
        shown = self.rows if few else self.rows[: (rows or 0) - 1]
        drawn = lay_out("html", self.header, shown, self.names)
        more = "" if few else f"<p>… {len(self.rows) - len(shown)} more rows</p>\n"
        return f'<div class="wide" tabindex="0">\n{drawn}</div>\n{more}'


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Part):
    """A formula, which only LaTeX shows.

    Args:
        source: its LaTeX.
    """

    source: str

    def latex(self) -> str:
        """Returns the formula as LaTeX."""
        return f"{self.source}\n"


@dataclass(frozen=True, eq=False, repr=False)
class Section:
    """Parts that belong together, perhaps under a title.

    Args:
        parts: the parts.
        title: the title.
    """

    parts: Sequence[Part]
    title: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """Sections in order, perhaps under a title.

    Args:
        sections: the sections.
        title: the title, in one line.
        language: the language of the sentences, as HTML names it.

    Example:
        >>> from karat.output.document import Document, Line, Section, Table
        >>> found = Document([Section([Table(["run", "AP"], [["bm25", "0.31"]]), Line("1 query.")], "Scores")])
        >>> print(found.text(), end="")
        Scores
        run     AP
        bm25  0.31
        1 query.
        >>> found.markdown().splitlines()[0]
        '### Scores'
    """

    sections: Sequence[Section]
    title: str = ""
    language: str = "en"

    def text(self, columns: int = COLUMNS, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the document as text, with an empty line between sections.

        Args:
            columns: the greatest width of a line.
            style: colours a text, given its role or tone; None for text without colours.
        """
        blocks = [Line(self.title, "answer").text(columns, style)] if self.title else []
        for each in self.sections:
            title = f"{escaping.sentence(each.title)}\n" if each.title else ""
            blocks.append(title + "".join(part.text(columns, style) for part in each.parts))
        return "\n".join(filter(None, blocks))

    def joined(self, layout: str, top: str, under: str) -> str:
        """Returns the parts in a format, separated by empty lines, with patterns for the titles."""
        escape = getattr(escaping, layout)
        blocks = [top % escape(escaping.sentence(self.title))] if self.title else []
        for each in self.sections:
            blocks += [under % escape(escaping.sentence(each.title))] if each.title else []
            blocks += [getattr(part, layout)() for part in each.parts]
        return "\n".join(filter(None, blocks))

    def markdown(self) -> str:
        """Returns the document as Markdown."""
        return self.joined("markdown", "### %s\n", "#### %s\n" if self.title else "### %s\n")

    def latex(self) -> str:
        """Returns the document as LaTeX without a preamble. The tables need the package booktabs."""
        return self.joined("latex", "\\paragraph{%s}\n", "\\textbf{%s}\n")

    def html(self, level: int = 1, rows: int | None = None) -> str:
        """Returns the document as HTML for a part of a page.

        Args:
            level: the level of the highest heading.
            rows: the most rows of a table; None for all.
        """
        blocks = (
            [f"<h{level}>{escaping.html(escaping.sentence(self.title))}</h{level}>\n"] if self.title else []
        )
        below = level + bool(self.title)
        for each in self.sections:
            title = escaping.html(escaping.sentence(each.title))
            blocks += [f"<h{below}>{title}</h{below}>\n"] if each.title else []
            blocks += [part.html(rows) for part in each.parts]
        return "".join(blocks)

    def styled(self, rows: int | None = None) -> str:
        """Returns the document as HTML with a style sheet, light or dark as the browser prefers.

        Args:
            rows: the most rows of a table; None for all.
        """
        with open(os.path.join(os.path.dirname(__file__), "document.css"), encoding="utf-8") as file:
            style = file.read()
        return f'<div class="karat">\n<style>\n{style}</style>\n{self.html(rows=rows)}</div>\n'

    def page(self) -> str:
        """Returns the document as a self-contained HTML page."""
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escaping.html(self.title)}</title>\n"
            "<style>body { margin: 0 } .karat { padding: 1.5rem 1rem 3rem }</style>"
        )
        body = f"<head>\n{head}\n</head>\n<body>\n{self.styled()}</body>"
        return f'<!doctype html>\n<html lang="{self.language}">\n{body}\n</html>\n'


class Documented(Display):
    """A mixin for results that are shown as a document, and written as JSON by ``as_dict``."""

    def document(self, layout: str = "text") -> Document:
        """Returns the result as a document.

        Args:
            layout: ``text``, ``markdown``, ``latex`` or ``html``, for results whose text differs from their tables.
        """
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """Returns the result as plain values by name."""
        raise NotImplementedError

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns text for a terminal or a log.

        Args:
            columns: the greatest width of a line.
        """
        return self.document().text(columns)

    def to_markdown(self) -> str:
        """Returns Markdown for a page or a comment."""
        return self.document("markdown").markdown()

    def to_latex(self) -> str:
        """Returns LaTeX without a preamble. The tables need the package booktabs."""
        return self.document("latex").latex()

    def to_html(self) -> str:
        """Returns a self-contained page, light or dark as the browser prefers."""
        return self.document("html").page()

    def to_json(self) -> str:
        """Returns everything as JSON, with numbers in full precision and undefined ones as null."""
        return escaping.json_text(self.as_dict()) + "\n"

    def __str__(self) -> str:
        """Returns the text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Returns HTML for a notebook, in which long tables are cut."""
        return self.document("html").styled(MOST_LINES)
