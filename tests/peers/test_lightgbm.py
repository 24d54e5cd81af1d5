"""LightGBM against its profile: the scores are given as initial scores, and nothing is learnt."""

from __future__ import annotations

import numpy as np
import pytest

from peers.small_cases import Cases, check_means, small_cases

lightgbm = pytest.importorskip("lightgbm", reason="needs LightGBM, of the extra 'peers'")


NAMES = ["ndcg@1", "ndcg@3", "ndcg@10", "map@1", "map@3", "map@10"]


def printed(cases: Cases, *, weighted: bool = False) -> list[float]:
    rows = list(cases.rows().values())
    labels, scores = (np.concatenate([row[side] for row in rows]).astype(float) for side in (0, 1))
    data = lightgbm.Dataset(
        np.zeros((len(labels), 1)),
        label=labels,
        init_score=scores,
        weight=np.repeat(list(cases.weights().values()), [len(row[0]) for row in rows]) if weighted else None,
        group=[len(row[0]) for row in rows],
        params={"verbose": -1},
    )
    settings = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [1, 3, 10]}
    booster = lightgbm.Booster({**settings, "num_threads": 1, "verbose": -1}, data)
    return [float(each[2]) for each in booster.eval_train()]


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_means(ties: bool) -> None:
    check_means(small_cases(ties=ties), "lightgbm", NAMES, printed)


def test_weighted_means() -> None:
    cases = small_cases(ties=False, empty=False, count=300)
    check_means(cases, "lightgbm", NAMES, lambda part: printed(part, weighted=True), weighted=True)
