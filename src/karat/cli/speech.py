"""What the command line says, and where: results to standard output, one sentence to standard error."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from karat.cli.colour import painted
from karat.output.errors import DataWarning, command_of
from karat.output.escaping import lines_for_terminal
from karat.output.tables import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WIDEST", "fail", "say", "terminal_width", "text_columns", "warnings_said"]


def fail(sentence: str, code: int, help_: str = "") -> None:
    """Say what is wrong on standard error, perhaps how it is done, and leave."""
    complain("karat:", "error", sentence)
    sys.stderr.write(painted(f"{help_}\n", "help", sys.stderr) if help_ else "")
    sys.exit(code)


def complain(prefix: str, kind: str, sentence: str) -> None:
    """Write a sentence to standard error: on a terminal in its width, with the prefix in the colour of its kind."""
    text = f"{prefix} {command_of(sentence).encode('utf-8', 'replace').decode()}"
    text = folded(text, terminal_width(), "  ") if sys.stderr.isatty() else f"{text}\n"
    sys.stderr.write(painted(prefix, kind, sys.stderr) + text.removeprefix(prefix))


@contextmanager
def warnings_said() -> Iterator[None]:
    """Have karat's warnings said on standard error, each once."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
            if not issubclass(category, DataWarning):
                others(message, category, *rest, **named)
            elif str(message) not in said:
                said.add(str(message))
                complain("karat: warning:", "warning", message.args[0])

        warnings.showwarning = show
        yield


def terminal_width() -> int:
    """The terminal's columns; 80 where there is none."""
    import shutil

    return shutil.get_terminal_size().columns


NARROWEST, WIDEST = 40, 100
"""Columns of prose: fewer break each sentence into words, more are hard to read."""


def text_columns(narrowest: int = NARROWEST) -> int:
    """The columns of text: a terminal's, where they are neither too few nor too many; 80 where there is none."""
    return min(max(terminal_width(), narrowest), WIDEST) if sys.stdout.isatty() else 80


def say(text: str, *, data: bool = False) -> None:
    """Write to standard output.

    Args:
        text: what is said.
        data: whether it is CSV or TSV, in which ids stand as they are: those that are not UTF-8 leave as the bytes
            that they were, and a terminal is shown escapes in the place of what it would obey.
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
