"""Writes the tables of docs/check.md from the kinds of findings of `carob check`."""

from __future__ import annotations

import re
from pathlib import Path

from carob.diagnosis.check.finding import Kind, catalogue
from carob.output.errors import command_of
from carob.output.formats import lay_out

PAGE = Path(__file__).with_name("check.md")
SECTIONS = {
    "files": "In any file",
    "qrels": "In judgments",
    "run": "In a run",
    "runs": "Between runs",
    "collections": "Between collections",
}


def table(kinds: list[Kind]) -> str:
    """Returns a Markdown table with a row for each kind of finding."""
    header = ["finding", "severity", "meaning", "effect on the numbers", "remedy"]
    rows = [
        [kind.code, kind.severity, kind.meaning, *map(command_of, (kind.effect, kind.remedy))]
        for kind in kinds
    ]
    drawn = lay_out("markdown", header, rows, len(header))
    for kind in kinds:
        drawn = drawn.replace(f"\n| {kind.code} |", f"\n| `{kind.code}` |")
    return drawn


def page() -> str:
    """Returns the text of the page, with tables of all kinds of findings."""
    text = PAGE.read_text(encoding="utf-8")
    for part, kinds in catalogue().items():
        title = SECTIONS[part]
        pattern = re.compile(rf"(^### {title}\n\n).*?(?=^#|\Z)", re.MULTILINE | re.DOTALL)
        text = pattern.sub(lambda found: found[1] + table(list(kinds.values())) + "\n", text)  # noqa: B023 - used at once
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
