"""rax against its profile: one padded batch, a mask for the places without a document."""

from __future__ import annotations

import numpy as np
import pytest

from peers.small_cases import SINGLE, check_equal, small_cases

rax = pytest.importorskip("rax", reason="needs rax and jax: pip install rax")


@pytest.mark.parametrize(
    "name", ["ndcg_metric", "dcg_metric", "mrr_metric", "ap_metric", "precision_metric", "recall_metric"]
)
@pytest.mark.parametrize("depth", [1, 3, None])
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_every_query(name: str, depth: int | None, ties: bool) -> None:
    cases = small_cases(ties=ties)
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
