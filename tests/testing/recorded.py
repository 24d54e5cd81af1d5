"""Holds judgments of three queries, and makes and reads records of the runs of the fixture ``folder``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import carob

if TYPE_CHECKING:
    from pathlib import Path

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 1\n"


def record_of_two(folder: Path) -> Path:
    """A record of two runs in this folder, which is the current one, AP and RR."""
    scores = [carob.evaluate("qrels.txt", f"{name}.run", ["AP", "RR"]) for name in ("one", "two")]
    carob.record(scores, "out.json")
    return folder / "out.json"


def kinds(found: carob.Verification) -> set[str]:
    """The kinds of what is different."""
    return {each.kind for each in found.findings}
