"""Batches of random queries as arrays, and the same as dicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

QUERIES, WIDTH, JUDGED = 100, 9, 6


@dataclass
class Batch:
    """Documents of queries in places, some of them masked; those judged and not retrieved; what queries weigh."""

    scores: np.ndarray
    grades: np.ndarray
    mask: np.ndarray
    unretrieved: np.ndarray
    weights: np.ndarray

    @property
    def judged(self) -> np.ndarray:
        """All grades [query, judgment]."""
        return np.concatenate([np.where(self.mask, self.grades, np.nan), self.unretrieved], axis=1)

    def dicts(self, *, judged: bool) -> tuple[dict[str, Any], dict[str, Any], dict[str, float]]:
        """The same as qrels, a run and weights; a place stands for an id."""
        qrels, run, weights = {}, {}, {}
        for number in range(len(self.scores)):
            query, places = f"{number:03}", np.flatnonzero(self.mask[number])
            run[query] = {f"{place}": self.scores[number, place] for place in places}
            qrels[query] = {
                f"{place}": self.grades[number, place]
                for place in places
                if not np.isnan(self.grades[number, place])
            }
            if judged:
                others = [each for each in self.unretrieved[number] if not np.isnan(each)]
                qrels[query] |= {f"j{place}": grade for place, grade in enumerate(others)}
            # A document in the pool without a judgment keeps a query that has no other one.
            qrels[query] = qrels[query] or {"z": -1.0}
            weights[query] = float(self.weights[number])
        return qrels, run, weights


def batch(seed: int, queries: int = QUERIES) -> Batch:
    """Many ties, unjudged documents, negative grades, queries without a relevant document or without any."""
    random = np.random.default_rng(seed)
    shape = (queries, WIDTH)
    mask = (random.random(shape) < 0.7) & (random.random((queries, 1)) < 0.95)
    grades = random.choice([np.nan, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0], shape)
    unretrieved = random.choice([np.nan, np.nan, 0.0, 1.0, 2.0], (queries, JUDGED))
    poor = random.random((queries, 1)) < 0.1
    return Batch(
        random.choice([-1.5, 0.0, 0.25, 1.0, 2.0], shape),
        np.where(poor, np.minimum(grades, 0.0), grades),
        mask,
        np.where(poor, np.nan, unretrieved),
        random.choice([0.5, 1.0, 3.0], queries),
    )
