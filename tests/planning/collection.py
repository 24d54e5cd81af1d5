"""A collection that is drawn at random, and two runs of which one ranks its documents better."""

from __future__ import annotations

import numpy as np


def collection(seed: int, queries: int = 8, documents: int = 30):
    random = np.random.default_rng(seed)
    truth = {
        f"q{q}": {f"d{d}": int(grade) for d, grade in enumerate(random.integers(0, 4, documents))}
        for q in range(queries)
    }
    runs = [
        {
            query: {document: grade * share + float(random.normal()) for document, grade in its.items()}
            for query, its in truth.items()
        }
        for share in (1.0, 0.4)
    ]
    return truth, runs
