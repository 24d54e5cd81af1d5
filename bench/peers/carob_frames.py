"""carob's ``evaluate`` on Polars frames with text ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import carob
from bench.data import as_frames
from bench.peers import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

label = "carob"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """The frames."""
    return as_frames(qrels, run)


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    return list(carob.evaluate(qrels, run, MEASURES).means().values())
