"""Fusion in a few lines of plain Python: what the kernel must give, number by number.

Lists are ``[(document, score), …]`` from the best document down. Sums along a list run from its best document down.
"""

from __future__ import annotations

import math
from itertools import accumulate
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from carob.fusion.recipe import Recipe

List = list[tuple[bytes, float]]


def total(values: Sequence[float]) -> float:
    """The sum, from left to right."""
    *_, found = accumulate(values)
    return found


def moments(scores: Sequence[float], recipe: Recipe) -> tuple[float, float]:
    """The mean and the standard deviation of scores."""
    count = len(scores)
    mean = scores[0] if scores[0] == scores[-1] else total(scores) / count
    divisor = count if recipe.rules.deviation == "population" else max(count - 1, 1)
    return mean, math.sqrt(total([(each - mean) * (each - mean) for each in scores]) / divisor)


def divided(scores: Sequence[float], low: float, below: float, recipe: Recipe) -> list[float]:
    """The quotients, or the points of equal scores."""
    if below > 0:
        return [(each - low) / below for each in scores]
    equal = recipe.rules.equal
    return [float(each > 0) if equal == "sign" else float(equal) for each in scores]


def points_in(
    name: str, scores: Sequence[float], candidates: int, weight: float, recipe: Recipe
) -> list[float]:
    """The points of the documents of a list, by rank or by normalised score."""
    its, count = recipe.parameters, len(scores)
    ranks = range(1, count + 1)
    if recipe.method == "rrf":
        below = its["k"] - 1 + its["first"]
        if recipe.rules.weighting == "position":
            return [1 / (rank / weight + below) if weight else 0.0 for rank in ranks]
        top = its["k"] + its["first"] if recipe.rules.top == "one" else 1.0
        return [weight * top / (rank + below) for rank in ranks]
    if recipe.method in ("isr", "log_isr", "logn_isr"):
        return [1 / rank**2 for rank in ranks]
    if recipe.method == "rbc":
        return [(1 - its["phi"]) * math.pow(its["phi"], rank - 1) for rank in ranks]
    if recipe.method == "borda":
        return [candidates - rank + 1.0 for rank in ranks]
    low, high = recipe.bounds.get(name, (None, None))
    low, high = scores[-1] if low is None else low, scores[0] if high is None else high
    mean, deviation = moments(scores, recipe)
    length = math.sqrt(total([each * each for each in scores]))
    bottom, top = mean - 3 * deviation, mean + 3 * deviation
    norms: dict[str, Callable[[], list[float]]] = {
        "none": lambda: list(scores),
        "min-max": lambda: divided(scores, low, high - low, recipe),
        "max": lambda: divided(scores, 0.0, scores[0], recipe),
        "sum": lambda: divided(scores, scores[-1], total(scores) - scores[-1] * count, recipe),
        "z-score": lambda: divided(scores, mean, deviation or 1.0, recipe),
        "l2": lambda: divided(scores, 0.0, length or 1.0, recipe),
        "dbsf": lambda: divided(scores, bottom, top - bottom, recipe),
        "rank": lambda: [1 - (rank - 1) / count for rank in ranks],
        "borda": lambda: [1 - (rank - 1) / candidates for rank in ranks],
    }
    floor = recipe.rules.floor
    return [each if floor is None or each > 0 else floor for each in norms[recipe.norm]()]


def absent_points(points: Sequence[float], candidates: int, recipe: Recipe) -> float | None:
    """The points of documents that a list lacks, or None if the list does not count for them."""
    if recipe.method == "borda":
        return (candidates - len(points) + 1) / 2
    if recipe.norm == "borda":
        return 0.5 - (len(points) - 1) / (2 * candidates)
    if recipe.rules.absent == "lowest" and points:
        return min(points)
    return None if recipe.rules.absent == "left-out" else 0.0


def summed(values: Sequence[float], recipe: Recipe) -> float:
    """The sum of points, as the rules have it."""
    if recipe.rules.precision == "single":
        found = np.float32(0)
        for each in values:
            found += np.float32(each)
        return float(found)
    return total([0.0, *values]) if recipe.rules.summation == "left-to-right" else math.fsum(values)


def score_of(its: Sequence[tuple[float | None, bool, float]], recipe: Recipe) -> float:
    """The score of a document.

    Args:
        its: for each list, the points (None if it does not count), whether it has the document, and the weight.
        recipe: the recipe.
    """
    counted = [points for points, _, _ in its if points is not None]
    number = sum(has for _, has, _ in its)
    plain = summed([points or 0.0 for points, _, _ in its], recipe)
    weighted = summed([(points or 0.0) * weight for points, _, weight in its], recipe)
    gamma, sigma = (recipe.parameters.get(name, 0.0) for name in ("gamma", "sigma"))
    formulas: dict[str, Callable[[], float]] = {
        "isr": lambda: plain * number,
        "log_isr": lambda: plain * math.log(number),
        "logn_isr": lambda: plain * math.log(number + sigma),
        "mnz": lambda: plain * summed([weight * has for _, has, weight in its], recipe),
        "anz": lambda: plain / len(counted),
        "gmnz": lambda: plain * math.pow(number, gamma),
        "mixed": lambda: weighted * math.sqrt(number),
        "mean": lambda: weighted / (summed([(p is not None) * w for p, _, w in its], recipe) or 1.0),
        "max": lambda: max(counted),
        "min": lambda: min(counted),
        "med": lambda: median(counted),
    }
    return formulas.get(recipe.method, lambda: weighted)() + 0.0


def copeland(ranks: Sequence[dict[bytes, int]], documents: Sequence[bytes]) -> dict[bytes, float]:
    """The documents that each defeats less those that defeat it."""

    def votes(one: bytes, other: bytes) -> int:
        places = [(its.get(one, math.inf), its.get(other, math.inf)) for its in ranks]
        return sum(a < b for a, b in places) - sum(a > b for a, b in places)

    def sign(value: int) -> int:
        return (value > 0) - (value < 0)

    return {one: float(sum(sign(votes(one, other)) for other in documents)) for one in documents}


def scores_of(lists: dict[str, List], recipe: Recipe) -> dict[bytes, float]:
    """The fused score of each document of a query, whose lists are given by the name of the run."""
    documents = sorted({document for its in lists.values() for document, _ in its})
    if recipe.method == "copeland":
        ranks = [{document: place for place, (document, _) in enumerate(its)} for its in lists.values()]
        return copeland(ranks, documents)
    rows: list[Any] = []
    for number, (name, its) in enumerate(lists.items()):
        weight = 1.0 if recipe.weights is None else recipe.weights[number]
        found = points_in(name, [score for _, score in its], len(documents), weight, recipe) if its else []
        own = dict(zip((document for document, _ in its), found, strict=True))
        rows.append(
            (own, absent_points(found, len(documents), recipe), 1.0 if recipe.method == "rrf" else weight)
        )
    everywhere = recipe.norm == "borda"
    return {
        each: score_of(
            [(own.get(each, absent), each in own or everywhere, weight) for own, absent, weight in rows],
            recipe,
        )
        for each in documents
    }


def fused_text(
    runs: dict[str, dict[bytes, List]], recipe: Recipe, depth: int | None = None, *, ascending: bool = False
) -> bytes:
    """The fused lists as TREC text. Numbers that are too large raise OverflowError."""
    lines = []
    for query in sorted(set().union(*runs.values())):
        scores = scores_of({name: its.get(query, []) for name, its in runs.items()}, recipe)
        if not all(map(math.isfinite, scores.values())):
            raise OverflowError
        best = sorted(scores, reverse=not ascending)
        best.sort(key=lambda each, its=scores: -its[each])  # type: ignore[misc]
        lines += [
            b"%s Q0 %s %d %s fused\n" % (query, each, rank, repr(scores[each]).encode())
            for rank, each in enumerate(best[:depth], 1)
        ]
    return b"".join(lines)
