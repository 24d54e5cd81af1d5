"""Writes the last section of recommendation.md, the measures beyond accuracy, from their register."""

from __future__ import annotations

import inspect
from pathlib import Path

from carob.conventions.reference import facts
from carob.measures import REGISTER

PAGE = Path(__file__).with_name("recommendation.md")
HEADING = "## The measures\n"


def section() -> str:
    """Returns the section, with an entry for each measure."""
    entries = []
    for entry in REGISTER.values():
        if entry.takes != "recommendations":
            continue
        text = inspect.cleandoc(entry.formula.__doc__ or "").replace("``", "`")
        rows = [f"| {what} | {said} |" for what, said in facts(entry).items() if what != "name in trec_eval"]
        entries.append("\n".join([f"### {entry.name}\n\n{text}\n", "| | |", "|---|---|", *rows, ""]))
    return "\n".join([HEADING, *entries])


def page() -> str:
    """Returns the whole page: the hand-written part, and the section of measures."""
    written = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    return written + section()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
