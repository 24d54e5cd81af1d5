"""RecTools against its profile."""

from __future__ import annotations

import pytest

import carob
from peers.small_cases import check_equal, small_cases

metrics = pytest.importorskip("rectools.metrics", reason="needs RecTools: pip install rectools")
pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "Precision@3": lambda: metrics.Precision(k=3),
    "Precision(r_precision=True)@3": lambda: metrics.Precision(k=3, r_precision=True),
    "Recall@3": lambda: metrics.Recall(k=3),
    "F1Beta@3": lambda: metrics.F1Beta(k=3),
    "HitRate@3": lambda: metrics.HitRate(k=3),
    "MRR@3": lambda: metrics.MRR(k=3),
    "MAP@3": lambda: metrics.MAP(k=3),
    "MAP(divide_by_k=True)@3": lambda: metrics.MAP(k=3, divide_by_k=True),
    "NDCG@3": lambda: metrics.NDCG(k=3),
    "NDCG(divide_by_achievable=True)@3": lambda: metrics.NDCG(k=3, divide_by_achievable=True),
    "PartialAUC@3": lambda: metrics.PartialAUC(k=3),
    "PAP@3": lambda: metrics.PAP(k=3),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_user(name: str) -> None:
    cases = small_cases(highest=1, missing=True)
    recommended = pandas.DataFrame(
        [(user, item, rank) for user, items in cases.orders().items() for rank, item in enumerate(items, 1)],
        columns=["user_id", "item_id", "rank"],
    )
    truth = pandas.DataFrame(
        [(user, item) for user, items in cases.relevant().items() for item in items],
        columns=["user_id", "item_id"],
    )
    values = NAMES[name]().calc_per_user(recommended, truth)
    check_equal(cases, "rectools", name, values.to_dict())


@pytest.mark.parametrize("name", NAMES)
def test_ranks_with_gaps(name: str) -> None:
    pytest.importorskip("pyarrow", reason="needs PyArrow, of the extra 'peers'")
    cases = small_cases(highest=1, missing=True)
    ranked = [
        (user, item, 2 * place + len(user + item) % 2 + 1)
        for user, items in cases.orders().items()
        for place, item in enumerate(items)
    ]
    recommended = pandas.DataFrame(ranked, columns=["user_id", "item_id", "rank"])
    truth = pandas.DataFrame(
        [(user, item) for user, items in cases.relevant().items() for item in items],
        columns=["user_id", "item_id"],
    )
    theirs = NAMES[name]().calc_per_user(recommended, truth).to_dict()
    ours = carob.evaluate(cases.qrels, recommended, name, profile="rectools").by_query(name)
    assert ours == pytest.approx(theirs, abs=1e-12)
