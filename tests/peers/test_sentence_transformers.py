"""sentence-transformers' InformationRetrievalEvaluator against its profile."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pytest

from peers.small_cases import Cases, check_means, small_cases

evaluation = pytest.importorskip(
    "sentence_transformers.sentence_transformer.evaluation",
    reason="needs sentence-transformers: pip install sentence-transformers",
)

DEPTHS = (1, 3, 10)
NAMES = [
    f"{name}@{depth}"
    for name in ("accuracy", "precision", "recall", "ndcg", "mrr", "map")
    for depth in DEPTHS
]


def printed(cases: Cases) -> list[float]:
    """Its metrics of lists of hits, without a model. It leaves out queries without relevant documents."""
    its: Any = object.__new__(evaluation.InformationRetrievalEvaluator)
    its.relevant_docs = {query: set(its) for query, its in cases.relevant().items() if its}
    its.queries = its.queries_ids = list(its.relevant_docs)
    for name in ("accuracy_at_k", "precision_recall_at_k", "ndcg_at_k", "mrr_at_k", "map_at_k"):
        setattr(its, name, DEPTHS)
    hits = [
        [{"corpus_id": document, "score": score} for document, score in cases.run[query].items()]
        for query in its.queries
    ]
    found = its.compute_metrics(hits)
    return [
        float(found[name.replace(f"@{depth}", "@k")][depth])
        for name in NAMES
        for depth in [int(name.split("@")[1])]
    ]


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_means(ties: bool) -> None:
    if ties and int(version("sentence-transformers").split(".")[0]) < 6:
        pytest.skip("sentence-transformers before 6.0.0 has another order of ties")
    check_means(small_cases(highest=1, ties=ties, empty=False), "sentence-transformers", NAMES, printed)
