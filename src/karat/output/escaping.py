"""Escapes for names out of files, so that no terminal, build, page, table or document takes them for commands.

Whatever a file or a caller names (ids, runs, columns, paths) leaves karat through here, whatever the format. Text for
people is on one line, printable and of bounded length; data (JSON, CSV, TSV) keeps every id as it is.
"""

from __future__ import annotations

import math
import re
from typing import Any

__all__ = [
    "LONGEST",
    "cell",
    "command",
    "defined",
    "html",
    "json_text",
    "latex",
    "lines_for_terminal",
    "markdown",
    "printable",
    "sentence",
    "shortened",
    "shown",
]

LONGEST = 120
"""Characters of a name that are shown to people; the middle of a longer one is left out."""
LONGEST_SENTENCE = 4000
"""Characters of a sentence, whose names may be made of blanks."""

TO_A_BUILD = re.compile(r"(?<!\S):(?=:)|#(?=#\w*\[)")
"""What begins a command to GitHub's runner (``::error``, after blanks; ``##[error]``, anywhere), Azure's
(``##vso[…]``) or TeamCity's (``##teamcity[…]``).

Source: actions/runner, src/Runner.Common/ActionCommand.cs.
"""


def printable(name: str) -> str:
    """A name on one line: what is not printable becomes its escape, and so does the start of a command to a build.

    Example:
        >>> from karat.output.escaping import printable
        >>> print(printable("\\x1b[31mred"), printable("::error::red"), printable("a::b"))
        \\x1b[31mred \\x3a:error::red a::b
    """
    if not name.isprintable():
        name = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name)
    return TO_A_BUILD.sub(escaped, name) if "::" in name or "##" in name else name


def escaped(found: re.Match[str]) -> str:
    """A character as its escape."""
    return f"\\x{ord(found[0]):02x}"


def shortened(name: str, room: int = LONGEST) -> str:
    """A name of at most so many characters: the middle of a longer one is left out."""
    if len(name) <= room:
        return name
    half = (room - 1) // 2
    return f"{name[:half]}…{name[-(room - 1 - half) :]}"


def shown(given: object) -> str:
    """What somebody gave as Python writes it; its kind where Python does not, as of a number of 10,000 digits."""
    try:
        return repr(given)
    except Exception:  # noqa: BLE001 -- whatever a class that is not karat's does there
        return f"<{type(given).__name__}>"


def sentence(text: str) -> str:
    """A sentence for people, on one line: printable, and its names of bounded length."""
    words = re.sub(rf"\S{{{LONGEST + 1},}}", lambda word: shortened(word[0]), printable(text))
    return shortened(words, LONGEST_SENTENCE)


def lines_for_terminal(text: str) -> str:
    """Lines of data as a terminal may show them: ends of lines and tabs stay, the rest is printable."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


# ---------------------------------------------------------------- formats

MARKS = re.compile(
    r"(?P<backslash>\\(?=[!-/:-@\[-`{-~]|$))"
    r"|(?P<mark>[`*<|\[\]~$])"
    r"|(?P<underscore>(?<![^\W_])_|_(?![^\W_]))"
    r"|(?P<entity>&(?=#?\w+;))"
    r"|(?P<template>\{(?=[{%]))"
    r"|(?P<mention>(?<![\w`])@(?=\w))"
    r"|(?P<start>^[#>+-](?=[\s#]))"
)
"""What Markdown, GitHub or Jekyll would take for a mark; an underscore between letters is none."""


def markdown(text: str) -> str:
    """The text for Markdown, also for a cell of a table."""

    def inert(found: re.Match[str]) -> str:
        kind, mark = found.lastgroup, found[0]
        if mark == "<" or kind in ("entity", "template"):
            return {"<": "&lt;", "&": "&amp;", "{": "&#123;"}[mark]
        # GitHub looks for mentions in what was rendered, where no escape is left.
        return "@<!-- -->" if kind == "mention" else f"\\{mark}"

    return MARKS.sub(inert, printable(text))


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


def latex(text: str) -> str:
    """The text for LaTeX."""
    return "".join(LATEX_SPECIAL.get(letter, letter) for letter in printable(text))


def html(text: str) -> str:
    """The text for HTML and XML, as content or in quotes; what XML forbids is not printable."""
    from html import escape

    return escape(printable(text))


def cell(text: str, delimiter: str) -> str:
    """A cell of CSV or TSV, from which every reader gets the text back.

    A build's runner reads lines, whatever is quoted, so only what would be a command to it is escaped. A formula of a
    spreadsheet (``=1+1``) stays: to change it is to change the id.
    """
    if "::" in text or "##" in text:
        text = TO_A_BUILD.sub(escaped, text) if re.search(r"[\r\n]\s*::|##\w*\[", text) else text
    if not text or text[0] == ":" or re.search(rf'["\r\n{delimiter}]|^\s|\s$', text):
        return '"' + text.replace('"', '""') + '"' if text else ""
    return text


def command(level: str, title: str, message: str) -> str:
    """A workflow command to GitHub's runner.

    Source: the escapes of actions/toolkit, packages/core/src/command.ts.
    """
    data = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    name = title.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    name = name.replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={name}::{data}"


def defined(value: Any) -> Any:
    """The value as JSON can hold it: numbers that are not finite become None, arrays become lists."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): defined(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [defined(each) for each in value]
    return defined(value.tolist()) if hasattr(value, "tolist") else value


def json_text(document: Any, indent: int | None = 2) -> str:
    """A document as JSON, one line or indented: readable, and with JSON's own escapes for what is not printable.

    Numbers that JSON lacks, NaN and the infinite ones, are null.
    """
    import json

    def inert(line: str) -> str:
        if not line.isprintable():
            line = "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
        return re.sub(r"#(?=#\w*\[)", r"\\u0023", line) if "##" in line else line

    def dumped(value: Any) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)

    try:
        text = dumped(document)
    except ValueError:  # NaN, which few documents hold
        text = dumped(defined(document))
    # What is not printable stands in strings only, and a string never begins a line.
    return "\n".join(map(inert, text.split("\n")))
