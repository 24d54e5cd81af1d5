"""Holds the judgments of two judges, and three runs of which each judge likes another."""

from __future__ import annotations

import numpy as np

Qrels = dict[str, dict[str, int]]
HUMAN: Qrels = {"q1": {"a": 2, "b": 0, "c": 1, "x": 1}, "q2": {"a": 1, "b": 0, "d": 0}, "only a": {"a": 1}}
MODEL: Qrels = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 1, "b": 0, "d": 2, "y": 1}, "only b": {"a": 1}}


def judges(queries: int, seed: int = 3) -> tuple[Qrels, Qrels]:
    random = np.random.default_rng(seed)
    one: Qrels = {}
    other: Qrels = {}
    for each in range(queries):
        truth = random.integers(0, 4, 12)
        noise = random.integers(-1, 2, 12) * (random.random(12) < 0.4)
        one[f"q{each:02}"] = {f"d{place}": int(grade) for place, grade in enumerate(truth)}
        other[f"q{each:02}"] = {
            f"d{place}": int(grade) for place, grade in enumerate(np.clip(truth + noise, 0, 3))
        }
    return one, other


def ranked(*documents: str) -> dict[str, float]:
    return {document: float(-place) for place, document in enumerate(documents)}


SYSTEMS = {
    "first": {"q1": ranked("a", "b", "c"), "q2": ranked("a", "b", "c")},
    "second": {"q1": ranked("b", "a", "c"), "q2": ranked("b", "a", "c")},
    "third": {"q1": ranked("c", "b", "a"), "q2": ranked("c", "b", "a")},
}
LIKES_A: Qrels = {q: {"a": 1, "b": 0, "c": 0} for q in ("q1", "q2")}
LIKES_C: Qrels = {q: {"a": 0, "b": 0, "c": 1} for q in ("q1", "q2")}
