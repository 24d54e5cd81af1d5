"""The output formats other than text, each in a module named after the format.

Each format converts every kind of document part to its own markup.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from carob.output.errors import refuse_other
from carob.output.escaping import printable, sentence
from carob.output.layout import COLUMNS, LAYOUTS, Marked, Names, Row, Rows

Pairs = Sequence[tuple[str, str]]


def format_names() -> list[str]:
    """Returns the names of the formats, as ``--format`` lists them: markdown, latex, html."""
    files = os.listdir(os.path.dirname(__file__))
    return sorted((each[:-3] for each in files if each.endswith(".py") and each[0] != "_"), reverse=True)


def format_named(name: str) -> DocumentFormat:
    """Returns a format.

    Raises:
        ArgumentError: there is no format with this name.
    """
    refuse_other("format", name, format_names())
    found: DocumentFormat = import_module(f"{__name__}.{name}").FORMAT
    return found


def lay_out(layout: str, header: Row, rows: Rows, names: int | Names) -> str:
    """Returns a table as one string.

    Args:
        layout: a key of ``LAYOUTS``, or the name of a format.
        header: the columns' titles; a title may have several lines.
        rows: the cells.
        names: the number of leading columns that contain names instead of numbers, or the indices of these columns.
    """
    lay = LAYOUTS[layout] if layout in LAYOUTS else format_named(layout).table
    return lay(header, rows, range(names) if isinstance(names, int) else names)


class DocumentFormat:
    """Defines the markup of each kind of part: either a template for escaped text or a method."""

    marks: tuple[str, str]
    """The templates for bold and superscript text."""
    titles: tuple[str, str, str]
    """The templates for the titles of documents, of sections, and of sections in documents without a title."""
    item: tuple[str, str, str]
    """The start of a list, the start of an item, and the end of the list."""
    term: tuple[str, str, str]
    """The same for a list of terms with their meanings."""
    drawing: tuple[str, str]
    """The picture's method (``text``, ``latex`` or ``svg``), and the template around the picture."""
    line_end = "\n"
    """The end of a line within a paragraph."""
    gap = "\n"
    """The text between two parts."""
    notes = "below"
    """The place of notes on a table: ``below`` it, ``within`` the page, or ``beside`` it (on standard error)."""

    def escape(self, text: str) -> str:
        """Escapes text, including table cells."""
        return printable(text)

    def escape_number(self, text: str) -> str:
        """Escapes a cell of numbers, in which a hyphen is a minus sign."""
        return self.escape(text)

    def each(self, sentences: Row) -> list[str]:
        """Escapes sentences, each on one line."""
        return [self.escape(sentence(text)) for text in sentences]

    def joined(self, parts: Iterable[str]) -> str:
        """Joins parts, some of which may be empty."""
        return self.gap.join(filter(None, parts))

    def title(self, text: str, place: int) -> str:
        """Returns a title, formatted with one of ``titles``."""
        return self.titles[place] % self.each([text])[0]

    def paragraph(self, text: str, role: str = "") -> str:
        """Returns a sentence as a paragraph, which is bold if its role is ``answer``."""
        words = self.escape(sentence(text))
        return f"{self.marks[0] % words if role == 'answer' else words}\n"

    def note(self, text: str) -> str:
        """Returns a note on a table."""
        return "" if self.notes == "beside" else self.paragraph(text)

    def formula(self, _source: str) -> str:
        """Returns a formula, which is given as LaTeX."""
        return ""

    def picture(self, drawn: Any) -> str:
        """Returns a picture, optionally with a title."""
        kind, around = self.drawing
        text = drawn.text(COLUMNS) if kind == "text" else getattr(drawn, kind, str)()
        return text and (self.paragraph(drawn.title) if drawn.title else "") + around % text

    def lines(self, sentences: Row) -> str:
        """Returns sentences below a table, each on its own line."""
        return f"\n{self.line_end.join(map(self.escape, sentences))}\n"

    def items(self, sentences: Row) -> str:
        """Returns sentences as a list."""
        return as_list(self.item, self.each(sentences))

    def terms(self, pairs: Pairs) -> str:
        """Returns terms with their meanings as a list."""
        names, meanings = zip(*pairs, strict=True) if pairs else ((), ())
        return as_list(self.term, [*zip(self.each(names), self.each(meanings), strict=True)])

    def table(self, header: Row, rows: Rows, names: Names) -> str:
        """Returns a table.

        Args:
            header: the columns' titles; a title may have several lines.
            rows: the cells.
            names: the columns that contain names.
        """
        raise NotImplementedError

    def sheet(self, header: Row, rows: Rows, names: Names, _keep: int) -> str:
        """Returns a table that may be too wide, given the number of columns to repeat if the table is split."""
        return self.table(header, rows, names)

    def escaped(self, rows: Rows, names: Names) -> list[list[str]]:
        """Returns the cells of a table, escaped and with marks."""

        def written(cell: str, escape: Callable[[str], str]) -> str:
            if not isinstance(cell, Marked):
                return escape(cell)
            text = self.marks[0] % escape(cell.plain) if cell.bold else escape(cell.plain)
            return text + (self.marks[1] % escape(cell.raised) if cell.raised else "")

        kinds = (self.escape_number, self.escape)
        return [[written(cell, kinds[place in names]) for place, cell in enumerate(row)] for row in rows]

    def page(self, body: str, _title: str, _language: str) -> str:
        """Returns a whole document, given its title and the HTML code of its language."""
        return body


def as_list(patterns: tuple[str, str, str], texts: Row | Pairs) -> str:
    """Returns a list, or nothing if it has no items."""
    start, item, end = patterns
    return f"{start}{''.join([item % each for each in texts])}{end}" if texts else ""
