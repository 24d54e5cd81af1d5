"""Writes results to standard output (in colour on a terminal), and errors and warnings to standard error."""

from __future__ import annotations

import os
import re
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from carob.output.errors import DataWarning, command_of
from carob.output.escaping import json_text, lines_for_terminal, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from carob.cli.figures import Picture
    from carob.output.document import Document, Documented


def fail(error: dict[str, Any], help_: str = "", *, as_json: bool = False) -> None:
    """Writes an error to standard error, as a sentence or as JSON, and exits with the status 2."""
    complain("error", error, as_json=as_json)
    sys.stderr.write(painted(f"{help_}\n", "help", sys.stderr) if help_ and not as_json else "")
    sys.exit(2)


def complain(level: str, fields: dict[str, Any], *, as_json: bool = False) -> None:
    """Writes an error, a warning or a note to standard error, as a line of JSON or as a wrapped sentence."""
    if as_json:
        sys.stderr.write(json_text(fields, indent=None) + "\n")
        return
    prefix, sentence = "carob:" if level == "error" else f"carob: {level}:", fields["message"]
    text = f"{prefix} {sentence.encode('utf-8', 'replace').decode()}"
    if sys.stderr.isatty():
        from carob.output.layout import folded  # not needed unless there is an error

        text = folded(text, terminal_width(), "  ").removesuffix("\n")
    text += "\n"
    sys.stderr.write(painted(prefix, level, sys.stderr) + text[len(prefix) :])


@contextmanager
def warnings_said(*, as_json: bool = False) -> Iterator[None]:
    """Writes each of carob's warnings once to standard error, as a sentence or as JSON."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
            if not issubclass(category, DataWarning):
                others(message, category, *rest, **named)
            elif str(message) not in said:
                said.add(str(message))
                fields = {"kind": category.__name__, "message": command_of(message.args[0])}
                complain("warning", fields, as_json=as_json)

        warnings.showwarning = show
        yield


def terminal_width() -> int:
    """Returns the number of columns of the terminal, or 80 without a terminal."""
    import shutil

    return shutil.get_terminal_size().columns


NARROWEST, WIDEST = 40, 100
"""The minimum and maximum width of prose in columns. Narrower or wider text is hard to read."""
NARROWEST_TABLES = 60
"""The minimum width of the tables of a comparison."""


def text_columns(narrowest: int = NARROWEST) -> int:
    """Returns the number of columns for text: the width of the terminal within limits, or 80 without a terminal."""
    return min(max(terminal_width(), narrowest), WIDEST) if sys.stdout.isatty() else 80


def say(text: str, *, data: bool = False) -> None:
    """Writes to standard output.

    Args:
        text: the text.
        data: whether the text is CSV or TSV. In such text, ids stay unchanged: those that are not UTF-8 are written as
            bytes. On a terminal, control characters are escaped.
    """
    if data and sys.stdout.isatty():
        text = lines_for_terminal(text)
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        content = text.encode(sys.stdout.encoding, "surrogateescape")
    except UnicodeEncodeError:
        content = text.encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    out.write(content)
    out.flush()


def say_data(text: str, beside: Iterable[str]) -> None:
    """Writes CSV or TSV to standard output, and the notes on the data to standard error."""
    say(text, data=True)
    say_beside(beside)


def say_beside(sentences: Iterable[str]) -> None:
    """Writes the notes on the data to standard error, for a format that has no place for them."""
    for each in sentences:
        complain("note", {"message": command_of(sentence(each))})


SEPARATED = {"csv": ",", "tsv": "\t"}
"""The data formats in which each line is a row, with the separator between cells."""


def answer(
    found: Documented,
    layout: str,
    columns: int | None = None,
    what: str | None = None,
    figure: Picture | None = None,
    **view: Any,
) -> None:
    """Writes a result to standard output. Text is coloured and fits the width of the terminal.

    Args:
        found: the result.
        layout: the format.
        columns: the width of text, by default the width of the terminal.
        what: the table of the result that CSV and TSV show; None for the default table.
        figure: the figure of the result to draw, if any.
        view: the part to show in a document.
    """
    if figure is not None:
        figure.draw(found)
    if layout == "json":
        say(found.to_json())
    elif layout in SEPARATED:
        say_data(found.to_csv(what, SEPARATED[layout]), found.beside())
    else:
        show_document(found.document(layout, **view), layout, columns or text_columns())


def show_tables(found: Any, layout: str, *latex: str | None, **view: Any) -> None:
    """Writes a comparison to standard output, as text of at least ``NARROWEST_TABLES`` columns.

    Args:
        found: the comparison.
        layout: the format.
        latex: the label and the caption of a LaTeX table.
        view: the part to show, for ``View``.
    """
    if layout == "latex":
        say(found.to_latex(*latex, **view))
    else:
        answer(found, layout, text_columns(NARROWEST_TABLES), **view)


def show_document(document: Document, layout: str, columns: int) -> None:
    """Writes a document to standard output in a format, using the terms of the command line."""
    drawn = document.on_command_line()
    if layout == "text":
        say(drawn.text(columns, painted if in_colour() else None))
    else:
        say(drawn.to(layout))


STRONG: dict[str, Any] = {"bold": True}
QUIET: dict[str, Any] = {"dim": True}
WORDS: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan", "bold": True},
    "help": {"fg": "cyan"},
    "footer": QUIET,
    "verdict": STRONG,
    "answer": STRONG,
    "good": {"fg": "green", "bold": True},
    "bad": {"fg": "red", "bold": True},
}


def in_colour(stream: TextIO | None = None) -> bool:
    """Returns whether a stream, or standard output, shows colours.

    ``NO_COLOR`` turns colours off and ``FORCE_COLOR`` turns them on; otherwise, a terminal shows them unless it is
    ``dumb``.

    Source: no-color.org, force-color.org
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    stream = sys.stdout if stream is None else stream
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(text: str, word: str, stream: TextIO | None = None) -> str:
    """Colours each line that contains a word of ``WORDS``, if the stream shows colours."""
    style = WORDS.get(word)
    if not style or not in_colour(stream):
        return text
    return "\n".join(click.style(line, **style) if line else line for line in text.split("\n"))


def with_strong(pattern: str, text: str) -> str:
    """Returns the text with each match of a pattern in bold, if standard output shows colours."""
    return re.sub(pattern, lambda found: painted(found[0], "answer"), text, flags=re.MULTILINE)


@contextmanager
def steps() -> Iterator[Callable[[str], None] | None]:
    """Yields a function that shows the progress of long work on the terminal, or None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("starting …") as status:
        yield lambda words: status.update(f"{escape(words)} …")


def size_said(content: str) -> str:
    """Returns the size of a text in UTF-8, such as ``2.1 MB``."""
    size = len(content.encode())
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 1):.0f} kB"
