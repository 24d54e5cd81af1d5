"""ranx against its profile."""

from __future__ import annotations

import pytest

from peers.small_cases import check_equal, small_cases

ranx = pytest.importorskip("ranx", reason="needs ranx, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = [
    *("map", "map@3", "mrr", "mrr@3", "ndcg", "ndcg@3", "ndcg_burges@3", "dcg@3", "dcg_burges@3"),
    *("precision@3", "precision", "recall@3", "recall", "hit_rate@3", "f1@3", "r-precision"),
    *("rbp.50", "rbp.80", "rbp.95"),
]


@pytest.mark.parametrize("ties", [True, False], ids=["ties in short lists", "no ties"])
def test_every_query(ties: bool) -> None:
    cases = small_cases(ties=ties)
    theirs = ranx.evaluate(ranx.Qrels(cases.qrels), ranx.Run(cases.run), NAMES, return_mean=False)
    for name in NAMES:
        check_equal(cases, "ranx", name, dict(zip(sorted(cases.qrels), theirs[name], strict=True)))


def test_its_objects_are_measured_by_the_adapter() -> None:
    from carob.adapters.objects import evaluate_ranx

    cases = small_cases()
    qrels, run = ranx.Qrels(cases.qrels), ranx.Run(cases.run, name="mine")
    scores = evaluate_ranx(qrels, run, NAMES[:5], profile="ranx")
    assert scores.name == "mine"
    assert scores.means() == pytest.approx(ranx.evaluate(qrels, run, NAMES[:5]), abs=1e-9)
