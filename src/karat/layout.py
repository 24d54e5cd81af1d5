"""Tables as text, Markdown, LaTeX, HTML, CSV and TSV: cells in, one string out."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LAYOUTS", "Marked", "in_bands", "latex_text", "lay_out", "printable", "width"]

Rows = Sequence[Sequence[str]]
Names = Container[int]
GAP = "  "


class Marked(str):
    """A cell with letters raised behind it, and perhaps in bold; where neither can be shown, the letters follow it.

    Args:
        text: the cell.
        raised: the letters.
        bold: whether it stands out.
        room: how many letters other cells of the column have, so that the numbers stand under each other.
    """

    __slots__ = ("bold", "plain", "raised")
    plain: str
    raised: str
    bold: bool

    def __new__(cls, text: str, raised: str = "", *, bold: bool = False, room: int = 0) -> Self:
        """The cell as plain text."""
        self = super().__new__(cls, text + raised.ljust(room))
        self.plain, self.raised, self.bold = text, raised, bold
        return self

    def written(self, escape: Callable[[str], str], bold: str, raised: str) -> str:
        """The cell in a layout that has both: ``bold`` and ``raised`` are its ways, with %s for the text."""
        text = escape(self.plain)
        text = bold % text if self.bold else text
        return text + (raised % escape(self.raised) if self.raised else "")


def width(cell: str) -> int:
    """Columns that a cell takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in cell)


def printable(name: str) -> str:
    """A name on one line: what is no printable character becomes its escape, so that no terminal obeys it."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name)


def text(header: Sequence[str], rows: Rows, names: Names) -> str:
    """Columns aligned for reading: names to the left, numbers to the right."""
    lines = [*stacked(header), *rows]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell + " " * (space - width(cell)) if place in names else " " * (space - width(cell)) + cell
            for place, (cell, space) in enumerate(zip(cells, widths, strict=True))
        ]
        return GAP.join(padded).rstrip()

    return "\n".join(map(line, lines)) + "\n"


def stacked(header: Sequence[str]) -> list[list[str]]:
    """The lines of a header whose cells may have several, the last lines level."""
    cells = [cell.split("\n") for cell in header]
    height = max(map(len, cells), default=1)
    padded = [[""] * (height - len(lines)) + lines for lines in cells]
    return [list(line) for line in zip(*padded, strict=True)]


def markdown(header: Sequence[str], rows: Rows, names: Names) -> str:
    """A pipe table; what would open a tag or end a cell is escaped."""

    def escape(cell: str) -> str:
        return cell.replace("<", "&lt;").replace("|", "\\|").replace("\n", "<br>")

    def line(cells: Sequence[str]) -> str:
        escaped = [
            cell.written(escape, "**%s**", "<sup>%s</sup>") if isinstance(cell, Marked) else escape(cell)
            for cell in cells
        ]
        return f"| {' | '.join(escaped)} |\n"

    rule = ["---" if place in names else "---:" for place in range(len(header))]
    return "".join(map(line, [header, rule, *rows]))


# Of < > | the old font encoding makes other signs.
LATEX_SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "≤": "$\\leq$",
    "τ": "$\\tau$",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
}


def latex_text(text: str) -> str:
    """The text with what LaTeX would take for commands escaped."""
    return "".join(LATEX_SPECIAL.get(letter, letter) for letter in text)


def latex(header: Sequence[str], rows: Rows, names: Names) -> str:
    """A booktabs table."""

    def number(cell: str) -> str:
        return re.sub(r"-(?=\d)", "$-$", latex_text(cell))

    def line(cells: Sequence[str]) -> str:
        written = []
        for place, cell in enumerate(cells):
            escape = latex_text if place in names else number
            if isinstance(cell, Marked):
                written.append(cell.written(escape, "\\textbf{%s}", "\\textsuperscript{%s}"))
            else:
                written.append(escape(cell))
        # After a line's end a bracket or star would be taken for its argument.
        return ("{}" if written[0][:1] in ("[", "*") else "") + " & ".join(written) + " \\\\\n"

    columns = "".join("l" if place in names else "r" for place in range(len(header)))
    head = "".join(map(line, stacked(header)))
    body = "\\toprule\n" + head + "\\midrule\n" + "".join(map(line, rows)) + "\\bottomrule\n"
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\\end{{tabular}}\n"


def html(header: Sequence[str], rows: Rows, names: Names) -> str:
    """A table element; cells of names have the class ``name``, and the first of a title's lines stands out."""
    from html import escape

    def line(cells: Sequence[str], tag: str) -> str:
        marks = [f'<{tag} class="name">' if place in names else f"<{tag}>" for place in range(len(cells))]
        return "<tr>" + "".join(f"{mark}{each}</{tag}>" for mark, each in zip(marks, cells)) + "</tr>\n"

    def title(cell: str) -> str:
        first, *others = escape(cell).split("\n")
        return "<br>".join([f"<b>{first}</b>" if others else first, *others])

    body = "".join(line(list(map(escape, row)), "td") for row in rows)
    head = line(list(map(title, header)), "th")
    return f"<table>\n<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def separated(delimiter: str) -> Callable[[Sequence[str], Rows, Names], str]:
    """A layout with this delimiter between cells, quoted where needed."""

    def write(header: Sequence[str], rows: Rows, names: Names) -> str:
        del names
        import csv

        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
        return out.getvalue()

    return write


LAYOUTS: dict[str, Callable[[Sequence[str], Rows, Names], str]] = {
    "text": text,
    "csv": separated(","),
    "tsv": separated("\t"),
    "markdown": markdown,
    "latex": latex,
    "html": html,
}


def lay_out(layout: str, header: Sequence[str], rows: Rows, names: int | Names) -> str:
    """The table as one string.

    Args:
        layout: a key of ``LAYOUTS``.
        header: the columns' titles; a title may have several lines.
        rows: the cells.
        names: how many columns, from the left, hold names and not numbers; or which ones.
    """
    return LAYOUTS[layout](header, rows, range(names) if isinstance(names, int) else names)


def in_bands(header: Sequence[str], rows: Rows, keep: int, columns: int) -> list[list[int]]:
    """Which columns go together where a table is wider than ``columns`` as text; each band has the first ``keep``."""
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
