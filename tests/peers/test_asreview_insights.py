"""ASReview Insights against its profile: recall by share of the review, and work saved over sampling."""

from __future__ import annotations

import random

import pytest

import carob

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)


def orders() -> list[list[int]]:
    """A hundred screened reviews: the labels in the order in which they were shown, some found early."""
    found = []
    for seed in range(100):
        draw = random.Random(seed)
        count = draw.randint(20, 2000)
        labels = [1] * draw.randint(10, max(10, count // draw.choice([2, 5, 20])))
        labels += [0] * (count - len(labels))
        draw.shuffle(labels)
        if seed % 2:
            labels.sort(key=lambda label: draw.random() - label * draw.random())
        found.append(labels)
    return found


def test_a_hundred_orders() -> None:
    metrics = pytest.importorskip(
        "asreviewcontrib.insights.metrics", reason="needs ASReview Insights: pip install asreview-insights"
    )
    theirs = {"recall": metrics._recall, "wss": metrics._wss}
    names = {f"{name}@{level:g}": (name, level) for name in theirs for level in LEVELS}
    reviews = orders()
    found = carob.evaluate_grades(reviews, list(names), profile="asreview-insights")
    for name, (metric, level) in names.items():
        for ours, labels in zip(found.by_query(name).values(), reviews, strict=True):
            assert abs(ours - theirs[metric](labels, level)) <= 1e-12, (name, len(labels))


def test_recorded_values() -> None:
    """Recorded with ASReview Insights 1.6.1: ``_recall(labels, x)`` and ``_wss(labels, x)``."""
    names = ["recall@0.1", "recall@0.5", "wss@0.5", "wss@0.95", "wss@1"]
    found = carob.evaluate_grades([orders()[1]], names, profile="asreview-insights")
    assert [found[name] for name in found.labels] == pytest.approx(
        [0.9, 1.0, 0.43728813559322033, 0.8203389830508474, 0.847457627118644], abs=1e-12
    )
