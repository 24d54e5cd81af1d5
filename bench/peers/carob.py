"""carob's ``evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import carob
from bench.peers import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

label = "carob"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Returns the paths, because carob reads a run while it evaluates it."""
    return qrels, run


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    return list(carob.evaluate(qrels, run, MEASURES).means().values())
