"""CatBoost against its profile."""

from __future__ import annotations

import pytest

from peers.small_cases import Cases, check_means, small_cases

utils = pytest.importorskip("catboost.utils", reason="needs CatBoost: pip install catboost")


NAMES = {
    "MAP@3": "MAP:top=3",
    "MAP": "MAP",
    "MRR@3": "MRR:top=3",
    "MRR": "MRR",
    "PrecisionAt@3": "PrecisionAt:top=3",
    "PrecisionAt@10": "PrecisionAt:top=10",
    "RecallAt@3": "RecallAt:top=3",
    "NDCG@3": "NDCG:top=3;type=Base",
    "NDCG": "NDCG:type=Base",
    "NDCG:type=Exp@3": "NDCG:top=3;type=Exp",
    "NDCG:denominator=Position@3": "NDCG:top=3;denominator=Position",
    "DCG@3": "DCG:top=3;type=Base",
}


def printed(cases: Cases, names: list[str], *, weighted: bool = False) -> list[float]:
    rows = list(cases.rows().values())
    labels = [label for row in rows for label in row[0]]
    scores = [score for row in rows for score in row[1]]
    groups = [number for number, row in enumerate(rows) for _ in row[0]]
    weights = list(cases.weights().values()) if weighted else [1.0] * len(rows)
    of_rows = [weight for weight, row in zip(weights, rows, strict=True) for _ in row[0]]
    return [
        float(
            utils.eval_metric(
                labels, scores, NAMES[name], group_id=groups, group_weight=of_rows, thread_count=1
            )[0]
        )
        for name in names
    ]


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_means_of_binary_labels(ties: bool) -> None:
    names = list(NAMES)
    check_means(small_cases(ties=ties, highest=1), "catboost", names, lambda part: printed(part, names))


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_means_of_grades(ties: bool) -> None:
    names = [name for name in NAMES if "CG" in name]
    check_means(small_cases(ties=ties), "catboost", names, lambda part: printed(part, names))


def test_weighted_means() -> None:
    names = [name for name in NAMES if "CG" in name or "MRR" in name]
    cases = small_cases(highest=1, count=300)
    check_means(cases, "catboost", names, lambda part: printed(part, names, weighted=True), weighted=True)


def test_weights_that_are_not_looked_at() -> None:
    cases = small_cases(highest=1, empty=False, count=3)
    names = [name for name in NAMES if "CG" not in name and "MRR" not in name]
    assert printed(cases, names) == printed(cases, names, weighted=True)


def test_labels_between_0_and_1() -> None:
    names = [name for name in NAMES if "CG" in name]
    whole = small_cases(count=300)
    shares = {query: {each: grade / 4 for each, grade in its.items()} for query, its in whole.qrels.items()}
    check_means(Cases(shares, whole.run), "catboost", names, lambda part: printed(part, names), within=1e-6)
