"""torchmetrics against its profile; scores stay above 0, and untied outside nDCG."""

from __future__ import annotations

import pytest

from peers.small_cases import SINGLE, Cases, check_equal, small_cases

torch = pytest.importorskip("torch", reason="needs torch, of the extra 'peers'")
retrieval = pytest.importorskip(
    "torchmetrics.functional.retrieval", reason="needs torchmetrics, of the extra 'peers'"
)


def by_query(cases: Cases, function: str, **settings: object) -> dict[str, float]:
    call = getattr(retrieval, function)
    target = {"retrieval_normalized_dcg": torch.long}.get(function, torch.bool)
    return {
        query: float(call(torch.tensor(scores), torch.tensor(labels).to(target), **settings))
        for query, (labels, scores) in cases.rows().items()
    }


@pytest.mark.parametrize(
    ("name", "function", "settings"),
    [
        ("RetrievalMAP@3", "retrieval_average_precision", {"top_k": 3}),
        ("RetrievalMAP", "retrieval_average_precision", {}),
        ("RetrievalMRR@3", "retrieval_reciprocal_rank", {"top_k": 3}),
        ("RetrievalMRR", "retrieval_reciprocal_rank", {}),
        ("RetrievalPrecision@3", "retrieval_precision", {"top_k": 3}),
        ("RetrievalPrecision", "retrieval_precision", {}),
        ("RetrievalPrecision(adaptive_k=True)@10", "retrieval_precision", {"top_k": 10, "adaptive_k": True}),
        ("RetrievalRecall@3", "retrieval_recall", {"top_k": 3}),
        ("RetrievalHitRate@3", "retrieval_hit_rate", {"top_k": 3}),
        ("RetrievalRPrecision", "retrieval_r_precision", {}),
        ("RetrievalAUROC@3", "retrieval_auroc", {"top_k": 3}),
        ("RetrievalAUROC", "retrieval_auroc", {}),
    ],
)
def test_every_query(name: str, function: str, settings: dict[str, object]) -> None:
    cases = small_cases(ties=False, highest=1)
    check_equal(cases, "torchmetrics", name, by_query(cases, function, **settings), SINGLE)


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@pytest.mark.parametrize("depth", [1, 3, 10])
def test_graded_gains(depth: int, ties: bool) -> None:
    cases = small_cases(ties=ties)
    theirs = by_query(cases, "retrieval_normalized_dcg", top_k=depth)
    check_equal(cases, "torchmetrics", f"RetrievalNormalizedDCG@{depth}", theirs, SINGLE)


@pytest.mark.parametrize("depth", [1, 3, None])
def test_gains_between_0_and_1(depth: int | None) -> None:
    whole = small_cases(ties=False)
    cases = Cases({q: {d: g / 4 for d, g in its.items()} for q, its in whole.qrels.items()}, whole.run)
    call = retrieval.retrieval_normalized_dcg
    theirs = {
        query: float(call(torch.tensor(scores), torch.tensor(labels, dtype=torch.float32), top_k=depth))
        for query, (labels, scores) in cases.rows().items()
    }
    name = "RetrievalNormalizedDCG" if depth is None else f"RetrievalNormalizedDCG@{depth}"
    check_equal(cases, "torchmetrics", name, theirs, SINGLE)
