"""rax against its profile: one padded batch, a mask for the places without a document."""

from __future__ import annotations

import numpy as np
import pytest

from peers.small_cases import SINGLE, Cases, check_equal, small_cases

rax = pytest.importorskip("rax", reason="needs rax and jax: pip install rax")


@pytest.mark.parametrize(
    "name", ["ndcg_metric", "dcg_metric", "mrr_metric", "ap_metric", "precision_metric", "recall_metric"]
)
@pytest.mark.parametrize("depth", [1, 3, None])
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_every_query(name: str, depth: int | None, ties: bool) -> None:
    cases = small_cases(ties=ties)
    check_against_rax(cases, name, depth)


@pytest.mark.parametrize(
    "name", ["ndcg_metric", "dcg_metric", "mrr_metric", "ap_metric", "precision_metric", "recall_metric"]
)
@pytest.mark.parametrize("depth", [1, 3, None])
def test_documents_that_score_minus_infinity_are_not_retrieved(name: str, depth: int | None) -> None:
    cases = small_cases(ties=False)
    run = {
        query: {document: -np.inf if score < 0.7 else score for document, score in scores.items()}
        for query, scores in cases.run.items()
    }
    check_against_rax(Cases(cases.qrels, run), name, depth)


def check_against_rax(cases: Cases, name: str, depth: int | None) -> None:
    rows = cases.rows()
    labels, scores, there = np.zeros((3, len(rows), 12), np.float32)
    for number, (label, score) in enumerate(rows.values()):
        labels[number, : len(label)], scores[number, : len(score)], there[number, : len(label)] = (
            label,
            score,
            1,
        )
    values = getattr(rax, name)(scores, labels, where=there > 0, topn=depth, reduce_fn=None)
    asked = name if depth is None else f"{name}@{depth}"
    check_equal(cases, "rax", asked, dict(zip(rows, np.asarray(values).tolist(), strict=True)), SINGLE)
