"""carob's ``evaluate`` on Polars frames with whole-number ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.data import as_frames
from bench.peers.carob_frames import run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["label", "prepare", "run"]

label = "carob"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """The frames."""
    return as_frames(qrels, run, whole=True)
