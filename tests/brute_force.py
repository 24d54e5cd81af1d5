"""Random queries with unjudged documents, and the bounds of measures by trying every filling."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

import carob
from carob.measures import parse_measure

Grades = dict[str, dict[str, Any]]


class Case(NamedTuple):
    """A query's judgments, two runs, and the highest grade."""

    qrels: Grades
    first: Grades
    second: Grades
    highest: int


def case(random: np.random.Generator, most_unjudged: int) -> Case:
    """Returns a random case."""
    highest = int(random.integers(1, 4))
    documents = [f"d{place}" for place in range(10)]

    def run() -> Grades:
        length = int(random.integers(3, 11))
        order = random.permutation(documents)[:length].tolist()
        return {"q": {document: float(length - rank) for rank, document in enumerate(order)}}

    judged = random.choice(documents, 10 - int(random.integers(1, most_unjudged + 1)), replace=False).tolist()
    grades = {document: int(random.integers(0, highest + 1)) for document in judged}
    return Case({"q": grades}, run(), run(), highest)


def by_brute_force(each: Case, name: str) -> list[tuple[float, float]]:
    """Returns the least and the greatest value of the first run, of the second run, and of their difference.

    The unjudged documents are those that either run retrieves within the depth.
    """
    depth = parse_measure(name).depth or 1000
    tops = [set(sorted(run["q"], key=lambda d: -run["q"][d])[:depth]) for run in (each.first, each.second)]
    unjudged = sorted(set().union(*tops) - set(each.qrels["q"]))
    fillings = product(range(each.highest + 1), repeat=len(unjudged))
    queries = {
        str(place): {**each.qrels["q"], **dict(zip(unjudged, filling))}
        for place, filling in enumerate(fillings)
    }
    first, second = (
        carob.evaluate(queries, dict.fromkeys(queries, run["q"]), name).matrix[:, 0]
        for run in (each.first, each.second)
    )
    return [(float(each.min()), float(each.max())) for each in (first, second, first - second)]


def misses(name: str, count: int, most_unjudged: int = 4, seed: int = 1) -> tuple[int, list[int]]:
    """Counts the wrong exact bounds, and the exact bounds of each series: both runs and their difference.

    Raises:
        AssertionError: an inner bound lies outside the true bounds.
    """
    random, wrong, exact = np.random.default_rng(seed), 0, [0, 0, 0]
    for _ in range(count):
        each = case(random, most_unjudged)
        bounds = carob.unjudged_bounds(each.qrels, [each.first, each.second], name, max_grade=each.highest)
        its = bounds[bounds.labels[0]]
        pairs = zip([*its.runs, its.pairs[0, 1]], by_brute_force(each, name), strict=True)
        for place, (found, (low, high)) in enumerate(pairs):
            same = abs(found.low - low) < 1e-9 and abs(found.high - high) < 1e-9
            exact[place] += found.exact
            wrong += found.exact and not same
            assert found.low > low - 1e-9
            assert found.high < high + 1e-9
    return wrong, exact
