"""Escapes text from files so that no terminal, build, page, table or document executes it.

In every format, all ids, runs, columns and paths pass through this module before output. Text for people is printable,
fits on one line, and has a limited length; data (JSON, CSV, TSV) keeps every id unchanged.
"""

from __future__ import annotations

import math
import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LONGEST = 120
"""The maximum number of characters of a name in output for people. The middle of a longer name is omitted."""
LONGEST_SENTENCE = 4000
"""The maximum number of characters of a sentence."""

PLAIN = re.compile(r"[\w .,+-]*", re.ASCII)
"""Matches text that needs no escape, which is most table cells."""

TO_A_BUILD = r"(?<!\S):(?=:)|#(?=#\w*\[)"
"""Matches the start of a command to the runner of GitHub (``::error`` after blanks, ``##[error]`` anywhere), Azure
(``##vso[…]``) or TeamCity (``##teamcity[…]``).

Source: actions/runner, src/Runner.Common/ActionCommand.cs.
"""


def printable(name: str) -> str:
    """Returns the name on one line, with unprintable characters and build commands escaped.

    Example:
        >>> from carob.output.escaping import printable
        >>> print(printable("\\x1b[31mred"), printable("::error::red"), printable("a::b"))
        \\x1b[31mred \\x3a:error::red a::b
    """
    if not name.isprintable():
        name = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name)
    return re.sub(TO_A_BUILD, escaped, name) if "::" in name or "##" in name else name


def escaped(found: re.Match[str]) -> str:
    """Returns the escape sequence of a character."""
    return f"\\x{ord(found[0]):02x}"


def shortened(name: str, room: int = LONGEST) -> str:
    """Shortens a name to at most ``room`` characters by omitting its middle."""
    if len(name) <= room:
        return name
    half = (room - 1) // 2
    return f"{name[:half]}…{name[-(room - 1 - half) :]}"


def short(name: str) -> str:
    """Returns the name on one line of at most ``LONGEST`` characters."""
    return shortened(printable(name))


def shown(given: object) -> str:
    """Returns a value's ``repr``, or its type if ``repr`` fails, for example for a number of 10,000 digits."""
    try:
        return repr(given)
    except Exception:  # noqa: BLE001 -- another library's class may raise anything
        return f"<{type(given).__name__}>"


def sentence(text: str) -> str:
    """Returns the sentence on one line, with unprintable characters escaped and long words shortened."""
    if len(text) <= LONGEST and PLAIN.fullmatch(text):
        return text
    words = re.sub(rf"\S{{{LONGEST + 1},}}", lambda word: shortened(word[0]), printable(text))
    return shortened(words, LONGEST_SENTENCE)


HIDDEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Matches invisible characters that change how a text reads: control characters, direction marks, invisible letters and
lone surrogates, but not joiners and the marks of Arabic and Hebrew text."""


def visible(text: str) -> str:
    """Returns a text of several lines with hidden characters made visible.

    Example:
        >>> from carob.output.escaping import visible
        >>> visible("one\\r\\ntwo\\x07 \\u202ethree")
        'one\\ntwo⟨U+0007⟩ ⟨U+202E⟩three'
    """

    def seen(found: re.Match[str]) -> str:
        code = ord(found[0])
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"⟨U+{code:04X}⟩"

    return re.sub(HIDDEN, seen, text.replace("\r\n", "\n").replace("\r", "\n"))


def lines_for_terminal(text: str) -> str:
    """Escapes unprintable characters, except line ends and tabs, in lines of data for a terminal."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def each(escape: Callable[[str], str], texts: Iterable[str]) -> list[str]:
    """Returns texts, such as the cells of a column, escaped by one of the functions of this module."""
    return list(map(escape, texts))


# ---------------------------------------------------------------- formats


def html(text: str) -> str:
    """Escapes text for HTML and XML content and attributes, including characters that XML forbids."""
    if PLAIN.fullmatch(text):
        return text
    from html import escape

    return escape(printable(text))


def separated(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """Returns rows as CSV or TSV in which each cell reads back as the same text."""
    lines = (delimiter.join([cell(each, delimiter) for each in row]) for row in rows)
    return "".join([f"{line}\n" for line in lines])


def cell(text: str, delimiter: str) -> str:
    """Returns a CSV or TSV cell that every reader reads back as the same text.

    Only build commands are escaped, because a runner also reads lines inside quotes. A spreadsheet formula (``=1+1``)
    stays unchanged, because escaping it would change the id.
    """
    if "::" in text or "##" in text:
        text = re.sub(TO_A_BUILD, escaped, text) if re.search(r"[\r\n]\s*::|##\w*\[", text) else text
    if not text or text[0] == ":" or re.search(rf'["\r\n{delimiter}]|^\s|\s$', text):
        return '"' + text.replace('"', '""') + '"' if text else ""
    return text


def command(level: str, title: str, message: str) -> str:
    """Returns a workflow command for GitHub's runner.

    Source: the escape functions in actions/toolkit, packages/core/src/command.ts.
    """
    data = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    name = title.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    name = name.replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={name}::{data}"


def defined(value: Any) -> Any:
    """Converts a value for JSON.

    NaN and infinite numbers become None, arrays become lists, and data classes become objects.
    """
    if is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {str(key): defined(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [defined(each) for each in value]
    return defined(value.tolist()) if hasattr(value, "tolist") else value


def json_text(document: Any, indent: int | None = 2) -> str:
    """Returns a document as JSON, on one line or indented, with unprintable characters escaped.

    NaN and infinite numbers, which JSON cannot represent, become null. A data class becomes an object with its fields.
    """
    import json

    def inert(line: str) -> str:
        if not line.isprintable():
            line = "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
        return re.sub(r"#(?=#\w*\[)", r"\\u0023", line) if "##" in line else line

    def dumped(value: Any) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False, default=defined)

    try:
        text = dumped(document)
    except ValueError:  # NaN, which is rare
        text = dumped(defined(document))
    # Unprintable characters occur only in strings, and a line never begins with one.
    return "\n".join(map(inert, text.split("\n")))
