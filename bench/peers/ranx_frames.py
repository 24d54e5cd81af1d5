"""ranx on pandas frames, by its own from_df, which is part of what a user waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.peers.ranx import NAMES

if TYPE_CHECKING:
    from pathlib import Path

label = "ranx"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """The frames, as it wants them."""
    import pandas as pd

    ids = {"q_id": str, "doc_id": str}
    judged = pd.read_csv(qrels, sep=" ", names=["q_id", "iteration", "doc_id", "score"], dtype=ids)
    ranked = pd.read_csv(run, sep=" ", names=["q_id", "q0", "doc_id", "rank", "score", "tag"], dtype=ids)
    return judged[["q_id", "doc_id", "score"]], ranked[["q_id", "doc_id", "score"]]


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    from ranx import Qrels, Run, evaluate

    means: Any = evaluate(Qrels.from_df(qrels), Run.from_df(run), NAMES)
    return [float(means[name]) for name in NAMES]
