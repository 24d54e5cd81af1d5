"""RecBole against its profile."""

from __future__ import annotations

import pytest

from peers.small_cases import check_equal, small_cases

metrics = pytest.importorskip("recbole.evaluator.metrics", reason="needs RecBole: pip install recbole")
numpy = pytest.importorskip("numpy")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "recall": "Recall",
    "precision": "Precision",
    "hit": "Hit",
    "mrr": "MRR",
    "map": "MAP",
    "ndcg": "NDCG",
}


@pytest.fixture(autouse=True)
def older_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """RecBole 1.2.1 says ``np.float``, which NumPy 1.24 took away."""
    monkeypatch.setattr(numpy, "float", float, raising=False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("depth", [1, 3, 10])
def test_every_user(name: str, depth: int) -> None:
    cases = small_cases(highest=1, shortest=10, empty=name != "recall")
    relevant = cases.relevant()
    hits = numpy.array(
        [[item in relevant[user] for item in items[:10]] for user, items in cases.orders().items()]
    )
    sizes = numpy.array([len(relevant[user]) for user in cases.run])
    metric = getattr(metrics, NAMES[name])({"topk": [depth], "metric_decimal_place": 12})
    if name in ("hit", "mrr", "precision"):
        values = metric.metric_info(hits)
    else:
        values = metric.metric_info(hits, sizes)
    check_equal(
        cases, "recbole", f"{name}@{depth}", dict(zip(cases.run, values[:, depth - 1].tolist(), strict=True))
    )
