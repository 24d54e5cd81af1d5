"""Evidently against its profile: rows in any order, each with a label and a score."""

from __future__ import annotations

from typing import Any

import pytest

import carob
from peers.small_cases import DOUBLE, Cases, check_means, small_cases

datasets = pytest.importorskip(
    "evidently.legacy.calculations.recommender_systems", reason="needs Evidently: pip install evidently"
)
metrics = pytest.importorskip("evidently.legacy.metrics", reason="needs Evidently: pip install evidently")
pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

DEPTHS = (1, 3)
WORDS = ("PrecisionTopK", "RecallTopK", "MAP", "NDCG", "MRR", "HitRate")
NAMES = [f"{word}@{depth}" for word in WORDS for depth in DEPTHS]


def printed(cases: Cases) -> list[float]:
    rows = [
        (user, label, score)
        for user, (labels, scores) in cases.rows().items()
        for label, score in zip(labels, scores, strict=True)
    ]
    columns = [pandas.Series(column) for column in zip(*rows, strict=True)]

    def prepared(*, binary: bool, all_users: bool) -> Any:
        return datasets.collect_dataset(*columns, datasets.RecomType.SCORE, None, all_users, binary)

    counts = metrics.recsys.precision_recall_k.PrecisionRecallCalculation(10)
    tables = counts.get_precision_and_recall_dict(prepared(binary=True, all_users=True), 10)
    hits = prepared(binary=True, all_users=False)
    series = {
        "PrecisionTopK": tables["precision"],
        "RecallTopK": tables["recall"],
        "MAP": tables["map"],
        "NDCG": metrics.NDCGKMetric(10).calculate_ndcg(prepared(binary=False, all_users=False), 10),
        "MRR": metrics.MRRKMetric(10).get_values(hits, 10),
        "HitRate": metrics.HitRateKMetric(10).get_values(hits, 10),
    }
    return [float(list(series[word])[depth - 1]) for word in WORDS for depth in DEPTHS]


def test_means_of_rows_in_any_order() -> None:
    check_means(small_cases(ties=False, shortest=10, empty=False, count=100), "evidently", NAMES, printed)


def test_users_without_a_relevant_row_are_left_out() -> None:
    cases = small_cases(ties=False, shortest=10)
    ours = carob.evaluate(cases.qrels, cases.run, NAMES, profile="evidently")
    assert 0 < ours.counts.empty < ours.counts.judged
    assert list(ours.means().values()) == pytest.approx(printed(cases), abs=DOUBLE)
