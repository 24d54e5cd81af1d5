"""carob's ``evaluate`` on Arrow tables with text ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.data import as_frames
from bench.peers.carob_frames import run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["label", "prepare", "run"]

label = "carob"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """The tables."""
    judged, ranked = as_frames(qrels, run)
    return judged.to_arrow(), ranked.to_arrow()
