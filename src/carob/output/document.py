"""Results as documents: sections of sentences, lists, tables and formulas, in every layout.

Each part escapes its content for each format, so the classes of results contain no code for layouts.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass, replace
from carob.output import escaping
from carob.output.errors import command_of, commands_of
from carob.output.escaping import Raw, marked_up
from carob.output.layout import COLUMNS, MOST_LINES, folded, folded_each, html_parts, in_bands, lay_out, width
from carob.output.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

LATEX = {"answer": "\\textbf{%s}"}
MARKDOWN = {"answer": "**%s**"}
HTML = {"": ("<p>", "</p>\n"), "answer": ('<p class="answer"><b>', "</b></p>\n")}


class Part:
    """A part of a section. Each method returns the part in one layout. A part may be empty in some layouts."""

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the part as lines of text.

        Args:
            columns: the maximum width of a line.
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

    def html(self) -> str:
        """Returns the part as HTML."""
        return marked_up(self.markup())

    def markup(self, rows: int | None = None) -> list[str]:
        """Returns parts of HTML, whose texts are ``Raw``.

        Args:
            rows: the maximum number of rows of a table; None for all.
        """
        del rows
        return []

    def on_command_line(self) -> Part:
        """Returns the part with sentences that name options of the command line instead of arguments."""
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Line(Part):
    """A sentence.

    Args:
        words: the sentence.
        role: ``answer`` for the answer in one line, which is bold, and folded only on a terminal; any other role is
            the HTML class and the colour of the sentence.
        mark: the start of the sentence, such as ``error: ``, which is coloured separately.
        tone: the colour of the mark, or of the whole sentence if it has no mark; by default that of the role.
        indent: the number of spaces before the sentence in text.
        hang: the number of spaces before its other lines; if None, they begin below the words after the mark.
    """

    words: str
    role: str = ""
    mark: str = ""
    tone: str = ""
    indent: int = 0
    hang: int | None = None

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentence, wrapped unless it is the answer and another program reads it."""
        start = " " * self.indent + self.mark
        hang = len(start) if self.hang is None else self.hang
        lines = (
            f"{start}{escaping.sentence(self.words)}\n"
            if self.role == "answer" and style is None
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
        return f"{self.mark.rstrip()} {self.words}".strip()

    def markdown(self) -> str:
        """Returns the sentence as a Markdown paragraph."""
        return MARKDOWN.get(self.role, "%s") % escaping.markdown(escaping.sentence(self.whole)) + "\n"

    def latex(self) -> str:
        """Returns the sentence as a LaTeX paragraph."""
        return LATEX.get(self.role, "%s") % escaping.latex(escaping.sentence(self.whole)) + "\n"

    def markup(self, rows: int | None = None) -> list[str]:
        """Returns an HTML paragraph whose class is the role of the sentence."""
        del rows
        start, end = HTML.get(self.role, (f'<p class="{self.role}">', "</p>\n"))
        return [start, Raw(self.whole), end]

    def on_command_line(self) -> Part:
        """Returns the sentence in the wording for the command line."""
        return replace(self, words=command_of(self.words))


@dataclass(frozen=True, eq=False, repr=False)
class Items(Part):
    """A list of sentences.

    Args:
        sentences: the sentences.
        role: the colour of the sentences.
        indent: the number of spaces before each sentence in text.
        hang: the number of spaces before its other lines.
    """

    sentences: Sequence[str]
    role: str = ""
    indent: int = 0
    hang: int = 2

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentences as text. Each sentence starts on a new line."""
        lines = folded_each(self.sentences, columns, " " * self.hang, " " * self.indent)
        return "".join(lines if style is None else [style(each, self.role) for each in lines])

    def markdown(self) -> str:
        """Returns the sentences as a Markdown list."""
        return "".join(f"- {escaping.markdown(escaping.sentence(each))}\n" for each in self.sentences)

    def latex(self) -> str:
        """Returns the sentences as an itemize environment of LaTeX."""
        items = "".join(f"\\item {escaping.latex(escaping.sentence(each))}\n" for each in self.sentences)
        items = items.replace("\\item [", "\\item {}[")  # else it is the item's label
        return f"\\begin{{itemize}}\n{items}\\end{{itemize}}\n" if items else ""

    def markup(self, rows: int | None = None) -> list[str]:
        """Returns the sentences as an HTML list."""
        del rows
        items = [part for each in self.sentences for part in ("<li>", Raw(each), "</li>\n")]
        return ["<ul>\n", *items, "</ul>\n"] if items else []

    def on_command_line(self) -> Part:
        """Returns the sentences in the wording for the command line."""
        return replace(self, sentences=commands_of(self.sentences))


@dataclass(frozen=True, eq=False, repr=False)
class Terms(Part):
    """A list of terms with their meanings, or of labels with their values.

    Args:
        pairs: each term with its meaning; pairs without a meaning are left out.
        indent: the number of spaces before each term in text.
        role: the colour of the terms.
        gap: the number of spaces after the longest term in text.
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
            f"\\item[{{{escaping.latex(term)}}}] {escaping.latex(meaning)}\n"
            for term, meaning in self.present
        )
        return f"\\begin{{description}}\n{items}\\end{{description}}\n" if items else ""

    def markup(self, rows: int | None = None) -> list[str]:
        """Returns the terms as an HTML description list."""
        del rows
        items = [
            part
            for term, meaning in self.present
            for part in ("<dt>", Raw(term), "</dt><dd>", Raw(meaning), "</dd>\n")
        ]
        return ["<dl>\n", *items, "</dl>\n"] if items else []


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

    @property
    def places(self) -> Container[int]:
        """The columns that hold names."""
        return range(self.names) if isinstance(self.names, int) else self.names

    def drawn(self, layout: str, columns: int) -> str:
        """Returns the bands of the table, separated by empty lines."""
        names = self.places
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

    def markup(self, rows: int | None = None) -> list[str]:
        """Returns an HTML table that scrolls if it is wide, with the number of omitted rows below it."""
        few = rows is None or len(self.rows) <= rows
        shown = self.rows if few else self.rows[: (rows or 0) - 1]
        more = [] if few else [f"<p>… {len(self.rows) - len(shown)} more rows</p>\n"]
        drawn = html_parts(self.header, shown, self.places)
        return ['<div class="wide" tabindex="0">\n', *drawn, "</div>\n", *more]


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

    @classmethod
    def warned(cls, sentences: Iterable[str]) -> Section:
        """Returns a section of warnings."""
        return cls([Line(each, mark="! ", tone="warning") for each in sentences])


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """Sections in order, perhaps under a title.

    Args:
        sections: the sections.
        title: the title, in one line.
        language: the language of the sentences, as HTML names it.

    Example:
        >>> from carob.output.document import Document, Line, Section, Table
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
            columns: the maximum width of a line.
            style: colours a text, given its role or tone; None for text without colours.
        """
        blocks = [Line(self.title, "answer").text(columns, style)] if self.title else []
        for each in self.sections:
            title = f"{escaping.sentence(each.title)}\n" if each.title else ""
            blocks.append(title + "".join(part.text(columns, style) for part in each.parts))
        return "\n".join(filter(None, blocks))

    def on_command_line(self) -> Document:
        """Returns the document with sentences that name options of the command line instead of arguments."""
        parts = ([part.on_command_line() for part in each.parts] for each in self.sections)
        sections = [replace(each, parts=its) for each, its in zip(self.sections, parts, strict=True)]
        return replace(self, sections=sections)

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
            rows: the maximum number of rows of a table; None for all.
        """
        parts = [f"<h{level}>", Raw(self.title), f"</h{level}>\n"] if self.title else []
        below = level + bool(self.title)
        for each in self.sections:
            parts += [f"<h{below}>", Raw(each.title), f"</h{below}>\n"] if each.title else []
            parts += [piece for part in each.parts for piece in part.markup(rows)]
        return marked_up(parts)

    def styled(self, rows: int | None = None) -> str:
        """Returns the document as HTML with a style sheet, light or dark as the browser prefers.

        Args:
            rows: the maximum number of rows of a table; None for all.
        """
        return styled(self.html(rows=rows))

    def page(self) -> str:
        """Returns the document as a self-contained HTML page."""
        return page(self.html(), self.title, self.language)


def styled(body: str) -> str:
    """Returns HTML with a style sheet, light or dark as the browser prefers."""
    with open(os.path.join(os.path.dirname(__file__), "document.css"), encoding="utf-8") as file:
        style = file.read()
    return f'<div class="carob">\n<style>\n{style}</style>\n{body}</div>\n'


def page(body: str, title: str, language: str = "en") -> str:
    """Returns a self-contained HTML page."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaping.html(title)}</title>\n"
        "<style>body { margin: 0 } .carob { padding: 1.5rem 1rem 3rem }</style>"
    )
    whole = f"<head>\n{head}\n</head>\n<body>\n{styled(body)}</body>"
    return f'<!doctype html>\n<html lang="{language}">\n{whole}\n</html>\n'


class Documented(Result):
    """A mixin for results that are shown as a document."""

    def document(self, layout: str = "text") -> Document:
        """Returns the result as a document.

        Args:
            layout: ``text``, ``markdown``, ``latex`` or ``html``, for results whose text differs from their tables.
        """
        raise NotImplementedError

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns text for a terminal or a log.

        Args:
            columns: the maximum width of a line.
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

    def __str__(self) -> str:
        """Returns the text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Returns HTML for a notebook, in which long tables are cut."""
        return self.document("html").styled(MOST_LINES)
