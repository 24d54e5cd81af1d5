"""Runs that the tests of fusion fuse, and the scores of the fused run."""

from __future__ import annotations

from typing import Any

import carob

BM25 = {"q1": {"a": 9.0, "b": 6.0, "c": 3.0}, "q2": {"x": 2.0, "y": 1.0}}
DENSE = {"q1": {"b": 0.9, "d": 0.5, "a": 0.4}, "q2": {"z": 0.7}}
RUNS = {"bm25": BM25, "dense": DENSE}


def scores(fused: carob.FusedRun) -> dict[str, dict[str, float]]:
    """The scores of a fused run, in the order of its lines."""
    found: dict[str, dict[str, float]] = {}
    for line in fused.text.decode().splitlines():
        query, _, document, rank, score, _ = line.split()
        found.setdefault(query, {})[document] = float(score)
        assert int(rank) == len(found[query])
    return found


def of_q1(runs: Any = RUNS, method: str = "rrf", norm: str | None = None, **options: Any) -> dict[str, float]:
    return scores(carob.fuse(runs, method, norm, **options))["q1"]


ONE = {"q1": {"a": 3.0, "b": 2.0}}
OTHER = {"q1": {"b": 5.0}}
