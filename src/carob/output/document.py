"""Represents results as documents: sections of sentences, lists, tables and formulas, in text and all other formats.

A part calls the format's method for its kind, so neither parts nor results contain code for a format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import dataclass, replace
from carob.output import escaping
from carob.output.errors import command_of, commands_of
from carob.output.formats import DocumentFormat, format_named
from carob.output.layout import COLUMNS, LAYOUTS, MOST_LINES, bands_of, folded, folded_each, width
from carob.output.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence


class Part:
    """A part of a section. Each method returns the part in one layout. A part may be empty in some layouts."""

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the part as lines of text.

        Args:
            columns: the maximum width of a line.
            style: a function that colours a text, given its role or tone; None for text without colours.
        """
        del columns, style
        return ""

    def written(self, form: DocumentFormat) -> str:
        """Returns the part in a format."""
        del form
        return ""

    def on_command_line(self) -> Part:
        """Returns the part with sentences that name options of the command line instead of arguments."""
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Line(Part):
    """A sentence.

    Args:
        words: the sentence.
        role: ``answer`` for a one-line answer, which is bold and is wrapped only on a terminal; any other role is the
            HTML class and the colour of the sentence.
        mark: the start of the sentence, such as ``error: ``, which is coloured separately.
        tone: the colour of the mark, or of the whole sentence if it has no mark; by default, the colour of the role.
        indent: the number of spaces before the sentence in text.
        hang: the number of spaces before all later lines of the sentence; if None, they are aligned with the words
            after the mark.
    """

    words: str
    role: str = ""
    mark: str = ""
    tone: str = ""
    indent: int = 0
    hang: int | None = None

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentence, wrapped unless it is an answer that another program reads."""
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

    def written(self, form: DocumentFormat) -> str:
        """Returns a paragraph."""
        return form.paragraph(self.whole, self.role)

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
        hang: the number of spaces before all later lines of a sentence.
    """

    sentences: Sequence[str]
    role: str = ""
    indent: int = 0
    hang: int = 2

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentences as text. Each sentence starts on a new line."""
        lines = folded_each(self.sentences, columns, " " * self.hang, " " * self.indent)
        return "".join(lines if style is None else [style(each, self.role) for each in lines])

    def written(self, form: DocumentFormat) -> str:
        """Returns a list."""
        return form.items(self.sentences)

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

    def written(self, form: DocumentFormat) -> str:
        """Returns a list of terms."""
        return form.terms(self.present)


@dataclass(frozen=True, eq=False, repr=False)
class Table(Part):
    """A table. In text and LaTeX, a wide table is split into bands that repeat the first columns.

    Args:
        header: the columns' titles; a title may have several lines.
        rows: the cells.
        names: the number of leading columns that contain names instead of numbers, or the indices of these columns.
        keep: the number of leading columns that every band repeats.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int | Container[int] = 1
    keep: int = 1

    @property
    def places(self) -> Container[int]:
        """The columns that contain names."""
        return range(self.names) if isinstance(self.names, int) else self.names

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the table as text with aligned columns."""
        lay = LAYOUTS["text" if style is None else "terminal"]
        bands = bands_of(self.header, self.rows, self.places, self.keep, columns)
        return "\n".join(lay(*band) for band in bands)

    def written(self, form: DocumentFormat) -> str:
        """Returns a table."""
        return form.sheet(self.header, self.rows, self.places, self.keep)


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Part):
    """A formula, which only LaTeX shows.

    Args:
        source: the LaTeX source of the formula.
    """

    source: str

    def written(self, form: DocumentFormat) -> str:
        """Returns the formula; empty in formats that cannot show it."""
        return form.formula(self.source)


class PicturePart(Part):
    """A part with a method ``svg``, ``latex`` or ``text``. A format calls one of them, and omits a part without it."""

    title = ""

    def written(self, form: DocumentFormat) -> str:
        """Returns a picture."""
        return form.picture(self)


@dataclass(frozen=True, eq=False, repr=False)
class Section:
    """Parts that belong together, optionally under a title.

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
    """Sections in order, optionally under a title.

    Args:
        sections: the sections.
        title: the title, in one line.
        language: the HTML code of the sentences' language.

    Example:
        >>> from carob.output.document import Document, Line, Section, Table
        >>> found = Document([Section([Table(["run", "AP"], [["bm25", "0.31"]]), Line("1 query.")], "Scores")])
        >>> print(found.text(), end="")
        Scores
        run     AP
        bm25  0.31
        1 query.
        >>> found.to("markdown").splitlines()[0]
        '### Scores'
    """

    sections: Sequence[Section]
    title: str = ""
    language: str = "en"

    def text(self, columns: int = COLUMNS, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the document as text, with an empty line between sections.

        Args:
            columns: the maximum width of a line.
            style: a function that colours a text, given its role or tone; None for text without colours.
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

    def written(self, form: DocumentFormat) -> str:
        """Returns the document in a format, for use as part of a page."""
        blocks = [form.title(self.title, 0)] if self.title else []
        for each in self.sections:
            blocks += [form.title(each.title, 1 if self.title else 2)] if each.title else []
            blocks += [part.written(form) for part in each.parts]
        return form.joined(blocks)

    def to(self, layout: str) -> str:
        """Returns the whole document in the named format."""
        form = format_named(layout)
        return form.page(self.written(form), self.title, self.language)


class Documented(Result):
    """A mixin for results that are shown as a document."""

    def document(self, layout: str = "text", /) -> Document:
        """Returns the result as a document.

        Args:
            layout: ``text`` or the name of a format, for results whose text differs from their tables.
        """
        raise NotImplementedError

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns text for a terminal or a log.

        Args:
            columns: the maximum width of a line.
        """
        return self.document().text(columns)

    def to(self, layout: str) -> str:
        """Returns the result in the named format."""
        return self.document(layout).to(layout)

    def __str__(self) -> str:
        """Returns the text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Returns HTML for a notebook, with long tables cut."""
        from carob.output.formats.html import Html, styled

        return styled(self.document("html").written(Html(most=MOST_LINES)))
