"""ranx: formulas compiled by Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

label = "ranx"

NAMES = ["map", "mrr", "ndcg@10", "ndcg", "precision@10", "recall@1000"]


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Its own tables, by its own readers."""
    from ranx import Qrels, Run

    return Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec")


def run(qrels: Any, run: Any) -> list[float]:
    """The means; dicts become its tables first, as it asks of its users."""
    from ranx import Qrels, Run, evaluate

    if isinstance(qrels, dict):
        qrels, run = Qrels(qrels), Run(run)
    means: Any = evaluate(qrels, run, NAMES)
    return [float(means[name]) for name in NAMES]
