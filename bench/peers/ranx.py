"""ranx, whose formulas are compiled by Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

label = "ranx"

NAMES = ["map", "mrr", "ndcg@10", "ndcg", "precision@10", "recall@1000"]


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Returns its own tables, read with its own readers."""
    from ranx import Qrels, Run

    return Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec")


def run(qrels: Any, run: Any) -> list[float]:
    """Returns the means. Dicts are first converted to its tables, as it requires."""
    from ranx import Qrels, Run, evaluate

    if isinstance(qrels, dict):
        qrels, run = Qrels(qrels), Run(run)
    means: Any = evaluate(qrels, run, NAMES)
    return [float(means[name]) for name in NAMES]
