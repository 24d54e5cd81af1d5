"""carob through pytrec_eval's interface, which returns a dict per query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.peers.pytrec_eval import means_of
from carob.compat import pytrec_eval

if TYPE_CHECKING:
    from pathlib import Path

label = "carob"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Dicts."""
    with qrels.open() as judgments, run.open() as ranking:
        return pytrec_eval.parse_qrel(judgments), pytrec_eval.parse_run(ranking)


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    return means_of(pytrec_eval, qrels, run)
