"""Cornac against its profile."""

from __future__ import annotations

import pytest

from peers.small_cases import check_equal, small_cases

metrics = pytest.importorskip("cornac.metrics", reason="needs Cornac: pip install cornac")
numpy = pytest.importorskip("numpy")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "Precision@3": lambda: metrics.Precision(k=3),
    "Precision": lambda: metrics.Precision(),
    "Recall@3": lambda: metrics.Recall(k=3),
    "FMeasure@3": lambda: metrics.FMeasure(k=3),
    "HitRatio@3": lambda: metrics.HitRatio(k=3),
    "NDCG@3": lambda: metrics.NDCG(k=3),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_user(name: str) -> None:
    cases = small_cases(highest=1, empty=name in ("Precision@3", "Precision", "HitRatio@3"))
    relevant, metric, number = cases.relevant(), NAMES[name](), {}
    theirs = {}
    for user, items in cases.orders().items():
        codes = [[number.setdefault(item, len(number)) for item in each] for each in (relevant[user], items)]
        theirs[user] = metric.compute(
            gt_pos=numpy.array(codes[0], dtype=int), pd_rank=numpy.array(codes[1], dtype=int)
        )
    check_equal(cases, "cornac", name, theirs)
