"""Means and scores of runs on several collections: drawn at random, of the bundled example, and of Demšar."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import carob

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"

DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
"""Table 6 of Demšar, JMLR 2006. Two printed values of .975 have different ranks there, so one is .9751 here."""


def values(table: Any, names: str = "abcdefgh") -> dict[str, dict[str, float]]:
    """The means of runs, by collection."""
    return {
        f"c{row}": {name: float(each) for name, each in zip(names, line) if not math.isnan(each)}
        for row, line in enumerate(np.asarray(table, float))
    }


def with_queries(seed: int, sizes: tuple[int, ...], gains: tuple[float, ...]) -> dict[str, Any]:
    """Scores of queries on collections of these sizes, with a run for each gain."""
    draw = np.random.default_rng(seed)
    found = {}
    for place, size in enumerate(sizes):
        base = draw.normal(0.4, 0.1, size)
        table = base[:, None] + np.array(gains) + draw.normal(0, 0.1, (size, len(gains)))
        found[f"c{place}"] = carob.read_scores(
            {
                name: {"AP": {f"q{row:03}": float(each) for row, each in enumerate(column)}}
                for name, column in zip("abcdefgh", table.T)
            }
        )
    return found
