"""XGBoost against its profiles: the scores are given as margins, and nothing is learnt."""

from __future__ import annotations

import numpy as np
import pytest

from peers.small_cases import Cases, check_means, small_cases

xgboost = pytest.importorskip("xgboost", reason="needs XGBoost, of the extra 'peers'")


def printed(
    cases: Cases, names: list[str], objective: str, *, weighted: bool = False, **more: bool
) -> list[float]:
    rows = list(cases.rows().values())
    labels, scores = (np.concatenate([row[side] for row in rows]).astype(float) for side in (0, 1))
    data = xgboost.DMatrix(
        np.zeros((len(labels), 1)), label=labels, base_margin=scores, group=[len(row[0]) for row in rows]
    )
    if weighted:
        data.set_info(weight=list(cases.weights().values()))
    settings = {"objective": objective, "eval_metric": names, "verbosity": 0, "nthread": 1, **more}
    booster = xgboost.train(settings, data, num_boost_round=0)
    return [float(each.rpartition(":")[2]) for each in booster.eval(data).split("\t")[1:]]


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_means_of_grades(ties: bool) -> None:
    names = ["ndcg@1", "ndcg@3", "ndcg"]
    cases = small_cases(ties=ties)
    check_means(cases, "xgboost", names, lambda part: printed(part, names, "rank:ndcg"))


def test_labels_between_0_and_1() -> None:
    whole = small_cases(count=300)
    cases = Cases({q: {d: g / 4 for d, g in its.items()} for q, its in whole.qrels.items()}, whole.run)
    linear = {"ndcg@1": "nDCG(gain=linear)@1", "ndcg@3": "nDCG(gain=linear)@3"}

    def theirs(part: Cases) -> list[float]:
        return printed(part, list(linear), "rank:ndcg", ndcg_exp_gain=False)

    check_means(cases, "xgboost", list(linear.values()), theirs, 1e-6)


def test_means_of_binary_labels() -> None:
    names = ["map@1", "map@3", "map", "pre@3", "pre", "ndcg@3"]
    cases = small_cases(highest=1)
    check_means(cases, "xgboost", names, lambda part: printed(part, names, "rank:map"))


def test_empty_queries_may_count_0() -> None:
    cases = small_cases(ties=False, highest=1)
    check_means(
        cases, "xgboost-", ["ndcg@3", "map@3"], lambda part: printed(part, ["ndcg@3-", "map@3-"], "rank:map")
    )


def test_weighted_means() -> None:
    names = ["ndcg@3", "map@3", "pre@3"]
    cases = small_cases(ties=False, highest=1, empty=False, count=300)
    check_means(
        cases, "xgboost", names, lambda part: printed(part, names, "rank:map", weighted=True), weighted=True
    )


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_auc_of_rows_in_any_order(ties: bool) -> None:
    cases = small_cases(ties=ties, shortest=3)
    check_means(cases, "xgboost", ["auc"], lambda part: printed(part, ["auc"], "rank:ndcg"))


def test_auc_leaves_short_lists_and_weights_out() -> None:
    cases = small_cases(count=300)
    check_means(cases, "xgboost", ["auc"], lambda part: printed(part, ["auc"], "rank:ndcg"))
    part = small_cases(shortest=3, count=9)
    assert printed(part, ["auc"], "rank:ndcg") == printed(part, ["auc"], "rank:ndcg", weighted=True)
