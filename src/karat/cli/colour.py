"""Colour on a terminal, in the eight named colours, so that light and dark backgrounds both work; never in a pipe."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, TextIO

import click

__all__ = ["coloured", "in_colour", "painted"]

STRONG: dict[str, Any] = {"bold": True}
QUIET: dict[str, Any] = {"dim": True}
WORDS: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan", "bold": True},
    "help": {"fg": "cyan"},
    "footer": QUIET,
    "verdict": STRONG,
}
RULES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "gate": (
        (r"\Agate passed:", {"fg": "green", "bold": True}),
        (r"\Agate FAILED:", {"fg": "red", "bold": True}),
        (r"^  pass(?=  )", {"fg": "green"}),
        (r"^  FAIL(?=  )", {"fg": "red", "bold": True}),
        (r"^  (?! |pass|FAIL).*(?:\n  (?! |pass|FAIL).*)*", QUIET),
    ),
    "check": (
        (r"^error(?=: )", WORDS["error"]),
        (r"^warning(?=: )", WORDS["warning"]),
        (r"^note(?=: )", WORDS["note"]),
        (r"^    (?:where|effect|to do):", QUIET),
        (r"^.*(?=\n\Z)", STRONG),
    ),
    "explain": ((r"\A.*", STRONG), (r"^.* = \S+$(?=\n\n\S+  )", STRONG)),
    "difference": ((r"^To blame: .*", STRONG),),
    "agreement": ((r"\A.*\n.*", STRONG),),
    "verify": (
        (r"(?<=: )equal(?= \()", {"fg": "green"}),
        (r"(?<=: )differs(?= ·)", {"fg": "red", "bold": True}),
    ),
    "name": ((r"\A.*", STRONG),),
    "names": ((r"^\S+", STRONG),),
}
"""What stands out in the text of a command. Red and green are for gates, always beside a word that says the same."""


def in_colour(stream: TextIO | None = None) -> bool:
    """Whether a stream, or standard output, shows colours.

    ``NO_COLOR`` says no, ``FORCE_COLOR`` yes; else a terminal does that is not ``dumb``.

    Source: no-color.org, force-color.org
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    stream = sys.stdout if stream is None else stream
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(text: str, word: str, stream: TextIO | None = None) -> str:
    """The text in the colour of a word of ``WORDS``, where the stream shows colours; each line by itself."""
    if not text or not in_colour(stream):
        return text
    return styled(text, WORDS[word])


def coloured(command: str, text: str) -> str:
    """The text of a command for standard output, with what stands out in colour where that shows."""
    if not in_colour():
        return text
    for pattern, style in RULES[command]:
        text = re.sub(pattern, lambda found, how=style: styled(found[0], how), text, flags=re.MULTILINE)  # type: ignore[misc]
    return text


def styled(text: str, style: dict[str, Any]) -> str:
    """Each line of the text in a style."""
    return "\n".join(click.style(line, **style) if line else line for line in text.split("\n"))
