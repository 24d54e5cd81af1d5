"""RePlay against its profile: data frames of users, items and scores."""

from __future__ import annotations

import pytest

from peers.small_cases import check_equal, small_cases

metrics = pytest.importorskip("replay.metrics", reason="needs RePlay: pip install replay-rec")
pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "Precision": "Precision",
    "Recall": "Recall",
    "HitRate": "HitRate",
    "MRR": "MRR",
    "MAP": "MAP",
    "NDCG": "NDCG",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_every_user(name: str, ties: bool) -> None:
    cases = small_cases(highest=1, missing=True, ties=ties)
    ranked = [(user, item, score) for user, items in cases.run.items() for item, score in items.items()]
    truth = [(user, item) for user, items in cases.relevant().items() for item in items]
    recommended = pandas.DataFrame(ranked, columns=["user", "item", "score"])
    known = pandas.DataFrame(truth, columns=["user", "item"])
    metric = getattr(metrics, NAMES[name])(
        topk=[1, 3, 10],
        query_column="user",
        item_column="item",
        rating_column="score",
        mode=metrics.PerUser(),
    )
    values = metric(recommended, known)
    for depth in (1, 3, 10):
        check_equal(cases, "replay", f"{name}@{depth}", values[f"{name}-PerUser@{depth}"])
