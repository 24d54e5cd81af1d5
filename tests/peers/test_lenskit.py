"""LensKit against its profile."""

from __future__ import annotations

import pytest

import carob
from peers.small_cases import check_equal, small_cases

metrics = pytest.importorskip("lenskit.metrics", reason="needs LensKit: pip install lenskit")
data = pytest.importorskip("lenskit.data", reason="needs LensKit: pip install lenskit")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "Precision@3": lambda: metrics.Precision(3),
    "Precision": lambda: metrics.Precision(),
    "Recall@3": lambda: metrics.Recall(3),
    "Recall": lambda: metrics.Recall(),
    "Hit@3": lambda: metrics.Hit(3),
    "RecipRank@3": lambda: metrics.RecipRank(3),
    "AveragePrecision@3": lambda: metrics.ranking.AveragePrecision(3),
    "AveragePrecision": lambda: metrics.ranking.AveragePrecision(),
    "NDCG@3": lambda: metrics.NDCG(3),
    "DCG@3": lambda: metrics.DCG(3),
    "RBP": lambda: metrics.RBP(),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("empty", [False, True], ids=["every list has a relevant item", "some have none"])
def test_every_list(name: str, empty: bool) -> None:
    cases = small_cases(highest=1, empty=empty)
    if empty and name.startswith("AveragePrecision"):
        with pytest.raises(carob.DataError, match="has no relevant document"):
            carob.evaluate(cases.qrels, cases.run, name, profile="lenskit")
        return
    relevant, metric = cases.relevant(), NAMES[name]()
    theirs = {
        user: metric.measure_list(
            data.ItemList(item_ids=items, ordered=True), data.ItemList(item_ids=relevant[user])
        )
        for user, items in cases.orders().items()
    }
    check_equal(cases, "lenskit", name, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_recommended(name: str) -> None:
    nothing = data.ItemList(item_ids=[], ordered=True)
    theirs = NAMES[name]().measure_list(nothing, data.ItemList(item_ids=["a", "b"]))
    qrels = {"u": {"a": 1, "b": 1}, "v": {"a": 1}}
    found = carob.evaluate(qrels, {"u": {}, "v": {"a": 1.0}}, name, profile="lenskit")
    assert found.by_query(name)["u"] == pytest.approx(float(theirs), nan_ok=True)
