"""Tables as text, Markdown, LaTeX, HTML, CSV and TSV, lines of text of a given width, and results at a prompt."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Container, ItemsView, KeysView, Mapping, Sequence, ValuesView
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from carob.output import escaping
from carob.output.escaping import printable, shortened

if TYPE_CHECKING:
    from typing_extensions import Self


Rows = Sequence[Sequence[str]]
Names = Container[int]
COLUMNS = 80
"""The width of text for a log or a file."""
GAP = "  "


class Marked(str):
    """A table cell with superscript letters, perhaps in bold. In plain text, the letters follow the number.

    Args:
        text: the cell.
        raised: the letters.
        bold: whether the cell is in bold.
        room: the maximum number of letters of a cell in the column, so that numbers are aligned.
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
        >>> from carob.output.layout import apart
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
    lines = [*header_lines(header), *plain_cells(rows, names)]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for place, (cell, space) in enumerate(zip(cells, widths, strict=True)):
            blanks = " " * (space - width(cell))
            shown = bold % cell if isinstance(cell, Marked) and cell.bold else cell
            padded.append(shown + blanks if place in names else blanks + shown)
        return GAP.join(padded).rstrip()

    return "\n".join(map(line, lines)) + "\n"


def plain_cells(rows: Rows, names: Names) -> list[list[str]]:
    """Returns the cells on one line each, with names shortened."""
    columns = [
        one_line_each(column)
        if place in names
        else [each if isinstance(each, Marked) else printable(each) for each in column]
        for place, column in enumerate(zip(*rows, strict=True))
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def one_line_each(column: Sequence[str]) -> list[str]:
    """Shortens names or sentences to one line each."""
    if any(len(cell) > escaping.LONGEST and " " in cell for cell in column):
        return list(map(escaping.sentence, column))
    return apart(column)


def header_lines(header: Sequence[str]) -> list[list[str]]:
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
    return plain_cells(rows, names)


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
        marks: the patterns for bold and for superscript.
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
    head = "".join(map(line, header_lines(header)))
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


def table_width(header: Sequence[str], rows: Rows, names: int | Names) -> int:
    """Returns the width of a table on a terminal."""
    return max(map(width, lay_out("text", header, rows, names).splitlines()))


def in_bands(header: Sequence[str], rows: Rows, keep: int, columns: int) -> list[list[int]]:
    """Splits a wide table into bands of columns. Every band repeats the first ``keep`` columns."""
    table = [*header_lines(header), *rows]
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
        >>> import carob
        >>> carob.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "RR")
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


Value = TypeVar("Value", covariant=True)


class Listed(Mapping[str, Value]):
    """A mapping whose ``keys()``, ``values()`` and ``items()`` show what they contain, and not the whole table.

    Example:
        >>> import carob
        >>> carob.evaluate({"q": {"a": 1}}, {"old": {"q": {"a": 2.0}}, "new": {"q": {"b": 2.0}}}, "RR").items()
        Items([('old', {'RR': 1.0}), ('new', {'RR': 0.0})])
    """

    def keys(self) -> KeysView[str]:
        """Returns the keys."""
        return Keys(self)

    def values(self) -> ValuesView[Value]:
        """Returns the values."""
        return MappingValues(self)

    def items(self) -> ItemsView[str, Value]:
        """Returns the keys with their values."""
        return MappingItems(self)


class Keys(KeysView[str]):
    """The keys of a mapping."""

    def __repr__(self) -> str:
        """Returns the keys in a list."""
        return f"Keys({list(self)})"


class MappingValues(ValuesView[Any]):
    """The values of a mapping."""

    def __repr__(self) -> str:
        """Returns the values in a list."""
        return f"Values({list(map(shown_plainly, self))})"


class MappingItems(ItemsView[str, Any]):
    """The keys of a mapping with their values."""

    def __repr__(self) -> str:
        """Returns the pairs in a list."""
        return f"Items({[(key, shown_plainly(value)) for key, value in self]})"


def shown_plainly(value: Any) -> Any:
    """Returns the value, or a mapping as a dict."""
    return dict(value) if isinstance(value, Mapping) else value
