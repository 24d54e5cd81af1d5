"""pytrec_eval-terrier, the C code of trec_eval 9 with an interface of dicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

label = "pytrec_eval-terrier"

NAMES = {
    "map": "map",
    "recip_rank": "recip_rank",
    "ndcg_cut.10": "ndcg_cut_10",
    "ndcg": "ndcg",
    "P.10": "P_10",
    "recall.1000": "recall_1000",
}


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Returns dicts, read with its own parsers."""
    import pytrec_eval

    with qrels.open() as judgments, run.open() as ranking:
        return pytrec_eval.parse_qrel(judgments), pytrec_eval.parse_run(ranking)


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    import pytrec_eval

    return means_of(pytrec_eval, qrels, run)


def means_of(library: Any, qrels: Any, run: Any) -> list[float]:
    """Returns the means through pytrec_eval's interface, from either library."""
    results = library.RelevanceEvaluator(qrels, set(NAMES)).evaluate(run)
    return [
        library.compute_aggregated_measure(key, [values[key] for values in results.values()])
        for key in NAMES.values()
    ]
