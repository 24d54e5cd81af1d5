"""ranx on pandas frames through its own from_df, whose time counts because users wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.peers.ranx import NAMES

if TYPE_CHECKING:
    from pathlib import Path

label = "ranx"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Returns the frames in the form that it requires."""
    import pandas as pd

    ids = {"q_id": str, "doc_id": str}
    judged = pd.read_csv(qrels, sep=" ", names=["q_id", "iteration", "doc_id", "score"], dtype=ids)
    ranked = pd.read_csv(run, sep=" ", names=["q_id", "q0", "doc_id", "rank", "score", "tag"], dtype=ids)
    wanted = ["q_id", "doc_id", "score"]
    warm_up()
    # It accepts text only as Python objects.
    return judged[wanted].astype(dict.fromkeys(ids, object)), ranked[wanted].astype(
        dict.fromkeys(ids, object)
    )


def warm_up() -> None:
    """Makes Numba compile the timed functions, which takes a minute if its cache is empty."""
    import pandas as pd

    tiny = pd.DataFrame({"q_id": ["q"], "doc_id": ["d"], "score": [1]}).astype(
        {"q_id": object, "doc_id": object}
    )
    run(tiny, tiny.astype({"score": float}))


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    from ranx import Qrels, Run, evaluate

    means: Any = evaluate(Qrels.from_df(qrels), Run.from_df(run), NAMES)
    return [float(means[name]) for name in NAMES]
