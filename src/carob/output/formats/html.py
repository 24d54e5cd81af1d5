"""HTML: a self-contained page, light or dark as the browser prefers, or a part of a page."""

from __future__ import annotations

import os
import re
from html import escape
from itertools import chain, islice

from carob.output.escaping import LONGEST, LONGEST_SENTENCE, html, sentence
from carob.output.formats import DocumentFormat
from carob.output.layout import Names, Row, Rows, short_names


def is_odd(text: str) -> bool:
    """Returns whether a text may be too long or may contain a long word, unprintable characters or a build command."""
    odd = rf"::|##|\S{{{LONGEST + 1}}}"
    return len(text) >= LONGEST_SENTENCE or not text.isprintable() or bool(re.search(odd, text))


class Html(DocumentFormat):
    """HTML.

    Args:
        level: the level of the highest heading.
        most: the maximum number of rows of a table; None for all.
    """

    item = ("<ul>\n", "<li>%s</li>\n", "</ul>\n")
    term = ("<dl>\n", "<dt>%s</dt><dd>%s</dd>\n", "</dl>\n")
    drawing = ("svg", '<div class="wide">\n%s</div>\n')
    gap = ""
    notes = "within"

    def __init__(self, level: int = 1, most: int | None = None) -> None:
        """Stores the arguments."""
        self.level, self.most = level, most

    def title(self, text: str, place: int) -> str:
        """Returns a heading."""
        level = self.level + (place == 1)
        return f"<h{level}>{self.each([text])[0]}</h{level}>\n"

    def escape(self, text: str) -> str:
        """Escapes a sentence or a name."""
        return self.each([text])[0]

    def each(self, sentences: Row) -> list[str]:
        """Escapes sentences or names."""
        return [html(sentence(text)) if is_odd(text) else escape(text) for text in sentences]

    def paragraph(self, text: str, role: str = "") -> str:
        """Returns a paragraph whose class is the role."""
        start = f'<p class="{role}">' if role else "<p>"
        words = self.each([text])[0]
        return f"{start}<b>{words}</b></p>\n" if role == "answer" else f"{start}{words}</p>\n"

    def lines(self, sentences: Row) -> str:
        """Returns a paragraph for each sentence."""
        return "".join(map(self.paragraph, sentences))

    def table(self, header: Row, rows: Rows, names: Names) -> str:
        """Returns a table. Names have the class ``name``, and the first line of a multi-line title is bold."""
        starts = ['%s class="name">' if place in names else "%s>" for place in range(len(header))]
        heads, cells = ([each % f"<{tag}" for each in starts] for tag in ("th", "td"))
        parts = ["<table>\n<thead>\n<tr>"]
        for start, cell in zip(heads, header, strict=True):
            first, *others = self.each(cell.split("\n"))
            parts += [start, f"<b>{first}</b>" if others else first, *(f"<br>{each}" for each in others)]
            parts.append("</th>")
        parts.append("</tr>\n</thead>\n<tbody>\n")
        shown = short_names(rows, names)
        texts = iter(self.each([*chain.from_iterable(shown)]))
        for row in shown:
            parts.append("<tr>")
            for start, cell in zip(cells, islice(texts, len(row))):
                parts += (start, cell, "</td>")
            parts.append("</tr>\n")
        return "".join([*parts, "</tbody>\n</table>\n"])

    def sheet(self, header: Row, rows: Rows, names: Names, _keep: int) -> str:
        """Returns a table that scrolls if it is wide, with the number of omitted rows below it."""
        few = self.most is None or len(rows) <= self.most
        shown = rows if few else rows[: (self.most or 0) - 1]
        more = "" if few else f"<p>… {len(rows) - len(shown)} more rows</p>\n"
        return f'<div class="wide" tabindex="0">\n{self.table(header, shown, names)}</div>\n{more}'

    def page(self, body: str, title: str, language: str) -> str:
        """Returns a self-contained page."""
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html(title)}</title>\n"
            "<style>body { margin: 0 } .carob { padding: 1.5rem 1rem 3rem }</style>"
        )
        whole = f"<head>\n{head}\n</head>\n<body>\n{styled(body)}</body>"
        return f'<!doctype html>\n<html lang="{language}">\n{whole}\n</html>\n'


def styled(body: str) -> str:
    """Returns HTML with a style sheet, light or dark as the browser prefers."""
    with open(os.path.join(os.path.dirname(__file__), "html.css"), encoding="utf-8") as file:
        return f'<div class="carob">\n<style>\n{file.read()}</style>\n{body}</div>\n'


FORMAT = Html()
