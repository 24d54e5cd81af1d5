"""Markdown, for a page or a comment."""

from __future__ import annotations

import re

from carob.output.escaping import each, printable
from carob.output.formats import DocumentFormat, Pairs, as_list
from carob.output.layout import Names, Row, Rows, short_names

MARKS = (
    r"(?P<backslash>\\(?=[!-/:-@\[-`{-~]|$))"
    r"|(?P<mark>[`*<|\[\]~$])"
    r"|(?P<underscore>(?<![^\W_])_|_(?![^\W_]))"
    r"|(?P<entity>&(?=#?\w+;))"
    r"|(?P<template>\{(?=[{%]))"
    r"|(?P<mention>(?<![\w`])@(?=\w))"
    r"|(?P<start>^[#>+-](?=[\s#]))"
)
"""Matches the markup characters of Markdown, GitHub and Jekyll. An underscore between letters is not markup."""


def markdown_mark(found: re.Match[str]) -> str:
    """Returns the escape sequence of a markup character."""
    kind, mark = found.lastgroup, found[0]
    if mark == "<" or kind in ("entity", "template"):
        return {"<": "&lt;", "&": "&amp;", "{": "&#123;"}[mark]
    # GitHub looks for mentions after rendering, when the backslash is gone.
    return "@<!-- -->" if kind == "mention" else f"\\{mark}"


class Markdown(DocumentFormat):
    """The Markdown format, as GitHub interprets it."""

    marks = ("**%s**", "<sup>%s</sup>")
    titles = ("### %s\n", "#### %s\n", "### %s\n")
    item = ("", "- %s\n", "")
    term = ("", "- `%s`: %s\n", "")
    drawing = ("text", "```\n%s```\n")
    line_end = "  \n"

    def escape(self, text: str) -> str:
        """Escapes text, including table cells."""
        return re.sub(MARKS, markdown_mark, printable(text))

    def escape_number(self, text: str) -> str:
        """Escapes a cell of numbers, in which a hyphen is a minus sign."""
        return printable(text).replace("<", "&lt;").replace("|", "\\|")

    def terms(self, pairs: Pairs) -> str:
        """Returns a list whose terms are formatted as code."""
        return as_list(self.term, [(term, self.each([meaning])[0]) for term, meaning in pairs])

    def table(self, header: Row, rows: Rows, names: Names) -> str:
        """Returns a pipe table."""
        titles = ["<br>".join(each(self.escape, cell.split("\n"))) for cell in header]
        rule = ["---" if place in names else "---:" for place in range(len(header))]
        lines = [titles, rule, *self.escaped(short_names(rows, names), names)]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


FORMAT = Markdown()
