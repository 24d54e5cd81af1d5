"""Tables as text, Markdown, LaTeX, CSV and TSV: cells in, one string out."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Sequence

__all__ = ["LAYOUTS", "lay_out"]

Rows = Sequence[Sequence[str]]


def width(cell: str) -> int:
    """Columns that a cell takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in cell)


def text(header: Sequence[str], rows: Rows, names: int) -> str:
    """Columns aligned for reading: names to the left, numbers to the right."""
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell + " " * (space - width(cell)) if place < names else " " * (space - width(cell)) + cell
            for place, (cell, space) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), *map(line, rows)]) + "\n"


def markdown(header: Sequence[str], rows: Rows, names: int) -> str:
    """A pipe table."""
    rule = ["---" if place < names else "---:" for place in range(len(header))]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in [header, rule, *rows]]
    return "".join(f"| {' | '.join(row)} |\n" for row in escaped)


def latex(header: Sequence[str], rows: Rows, names: int) -> str:
    """A booktabs table."""
    special = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "\\": "\\textbackslash{}",
    }

    def line(cells: Sequence[str]) -> str:
        return (
            " & ".join("".join(special.get(letter, letter) for letter in cell) for cell in cells) + " \\\\\n"
        )

    columns = "l" * names + "r" * (len(header) - names)
    body = "\\toprule\n" + line(header) + "\\midrule\n" + "".join(map(line, rows)) + "\\bottomrule\n"
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\\end{{tabular}}\n"


def separated(delimiter: str) -> Callable[[Sequence[str], Rows, int], str]:
    """A layout with this delimiter between cells, quoted where needed."""

    def write(header: Sequence[str], rows: Rows, names: int) -> str:
        del names
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
        return out.getvalue()

    return write


LAYOUTS: dict[str, Callable[[Sequence[str], Rows, int], str]] = {
    "text": text,
    "csv": separated(","),
    "tsv": separated("\t"),
    "markdown": markdown,
    "latex": latex,
}


def lay_out(layout: str, header: Sequence[str], rows: Rows, names: int) -> str:
    """The table as one string.

    Args:
        layout: a key of ``LAYOUTS``.
        header: the columns' titles.
        rows: the cells.
        names: how many columns, from the left, hold names and not numbers.
    """
    return LAYOUTS[layout](header, rows, names)
