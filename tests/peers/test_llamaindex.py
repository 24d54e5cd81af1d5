"""LlamaIndex against its profile: lists of retrieved ids, and ids that were expected."""

from __future__ import annotations

import pytest

from peers.small_cases import Cases, check_equal, small_cases

metrics = pytest.importorskip(
    "llama_index.core.evaluation.retrieval.metrics",
    reason="needs LlamaIndex: pip install llama-index-core",
)

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "hit_rate": lambda: metrics.HitRate(),
    "hit_rate(use_granular_hit_rate=True)": lambda: metrics.HitRate(use_granular_hit_rate=True),
    "mrr": lambda: metrics.MRR(),
    "mrr(use_granular_mrr=True)": lambda: metrics.MRR(use_granular_mrr=True),
    "precision": lambda: metrics.Precision(),
    "recall": lambda: metrics.Recall(),
    "ap": lambda: metrics.AveragePrecision(),
    "ndcg": lambda: metrics.NDCG(),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_query(name: str) -> None:
    cases: Cases = small_cases(highest=1, empty=False)
    relevant, metric = cases.relevant(), NAMES[name]()
    theirs = {
        query: float(metric.compute(expected_ids=relevant[query], retrieved_ids=documents).score)
        for query, documents in cases.orders().items()
    }
    check_equal(cases, "llamaindex", name, theirs)
