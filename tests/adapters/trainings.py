"""Data that a small model learns from, and what ``carob.evaluate`` says of its scores: the tests of real partners."""

from __future__ import annotations

from typing import Any

import numpy as np

import carob

QUERIES, DOCUMENTS, FEATURES = 12, 8, 4
RANDOM = np.random.default_rng(15)
INPUTS = RANDOM.normal(size=(2 * QUERIES, DOCUMENTS, FEATURES)).astype(np.float32)
GRADES = np.clip(np.round(INPUTS @ [1.0, -1.0, 0.5, 0.0] + RANDOM.normal(size=INPUTS.shape[:2])), 0, 3)
GRADES = GRADES.astype(np.int64)
"""The first half is to learn from, the second half to validate with."""

TRAIN, VALIDATE = slice(0, QUERIES), slice(QUERIES, 2 * QUERIES)
MEASURES = ["nDCG@5", "AP", "RR"]


def offline(scores: Any, grades: Any, measures: Any = MEASURES, **how: Any) -> dict[str, float]:
    """The means of ``carob.evaluate``, from dicts. Documents of equal scores keep their order, as in arrays."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number, (its_scores, its_grades) in enumerate(zip(scores, grades)):
        names = [f"d{place}" for place in range(len(its_grades))]
        qrels[f"q{number}"] = dict(zip(names, map(int, its_grades)))
        run[f"q{number}"] = dict(zip(names, map(float, its_scores)))
    how.setdefault("policy", carob.Policy(ties="input"))
    return carob.evaluate(qrels, run, measures, **how).means()
