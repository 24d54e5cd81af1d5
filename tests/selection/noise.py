"""Runs whose means differ only by chance."""

from __future__ import annotations

from typing import Any

import numpy as np


def equal_runs(seed: int, queries: int = 30, runs: int = 12) -> np.ndarray[Any, Any]:
    """Runs with equal means and unequal variances on queries of different difficulty."""
    draw = np.random.default_rng(seed)
    noise = draw.normal(0, 1, (queries, runs)) * np.linspace(0.05, 0.25, runs)
    return 0.5 + draw.normal(0, 0.2, (queries, 1)) + noise
