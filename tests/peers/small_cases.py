"""Random small judgments and runs, on which carob's profiles are held against the real libraries."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import carob

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["DOUBLE", "SINGLE", "Cases", "check_equal", "check_means", "small_cases"]

DOUBLE, SINGLE = 1e-9, 1e-6
"""How close a library that computes in double, or in single precision, has to come."""


@dataclass(frozen=True)
class Cases:
    """Judgments and a run over many small queries.

    Args:
        qrels: ``{query: {document: grade}}``.
        run: ``{query: {document: score}}``.
    """

    qrels: Mapping[str, Mapping[str, float]]
    run: dict[str, dict[str, float]]

    def rows(self) -> dict[str, tuple[list[float], list[float]]]:
        """Labels and scores of each query's documents in the order of the run, 0 for an unjudged document."""
        return {
            query: (
                [max(self.qrels[query].get(document, 0), 0) for document in scores],
                list(scores.values()),
            )
            for query, scores in self.run.items()
        }

    def orders(self) -> dict[str, list[str]]:
        """Each query's documents, best score first; equal scores as the run lists them."""
        return {
            query: sorted(scores, key=lambda document: -scores[document])
            for query, scores in self.run.items()
        }

    def relevant(self) -> dict[str, list[str]]:
        """Each query's relevant documents, retrieved or not."""
        return {
            query: [document for document, grade in grades.items() if grade > 0]
            for query, grades in self.qrels.items()
        }

    def weights(self) -> dict[str, float]:
        """A weight for each query, exact in single precision."""
        return {query: 0.5 + number % 4 for number, query in enumerate(self.run)}

    def in_parts(self) -> list[Cases]:
        """The same queries, one, five or nine at a time, for libraries that give means only."""
        left, parts = list(self.qrels), []
        while left:
            size = 1 + 4 * (len(parts) % 3)
            part, left = left[:size], left[size:]
            parts.append(
                Cases(
                    {query: self.qrels[query] for query in part}, {query: self.run[query] for query in part}
                )
            )
        return parts


def small_cases(
    *,
    ties: bool = True,
    highest: int = 3,
    missing: bool = False,
    empty: bool = True,
    shortest: int = 1,
    negative: bool = False,
    count: int = 1000,
    seed: int = 1,
) -> Cases:
    """Queries with unjudged documents and documents that were not retrieved.

    Args:
        ties: many equal scores, or none.
        highest: the highest grade; 1 for binary judgments.
        missing: some queries are not answered.
        empty: some queries have no relevant document.
        shortest: the fewest documents that a list has.
        negative: some grades are negative.
        count: how many queries.
        seed: another one makes other cases.
    """
    draw = random.Random(f"{seed} {ties} {highest} {missing}")
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(count):
        query = f"q{number:04}"
        retrieved = [f"d{place}" for place in range(draw.randint(shortest, 12))]
        judged = [each for each in retrieved if draw.random() < 0.7]
        judged += [f"e{place}" for place in range(draw.randint(0, 4))]
        chance = draw.choice([0.0, 0.2, 0.5, 0.9]) if empty else 0.5
        qrels[query] = {
            each: draw.randint(1, highest) if draw.random() < chance else -draw.randint(0, 1) * negative
            for each in judged or retrieved[:1]
        }
        if not empty:
            qrels[query][retrieved[-1]] = highest
        if missing and draw.random() < 0.1:
            continue
        draw.shuffle(retrieved)
        scores = [draw.randint(1, 4) if ties else place + 1 for place in range(len(retrieved))]
        draw.shuffle(scores)
        run[query] = {each: score / 4 for each, score in zip(retrieved, scores, strict=True)}
    return Cases(qrels, run)


def check_equal(
    cases: Cases, profile: str, measure: str, theirs: Mapping[str, float], within: float = DOUBLE
) -> None:
    """Hold carob's value for each query against the library's."""
    ours = carob.evaluate(cases.qrels, cases.run, measure, profile=profile).by_query(measure)
    assert ours.keys() == theirs.keys()
    wrong = {
        query: (ours[query], float(theirs[query]))
        for query in ours
        if ours[query] != pytest.approx(float(theirs[query]), abs=within, rel=within, nan_ok=True)
    }
    first = next(iter(wrong), "")
    assert not wrong, (
        f"{len(wrong)} of {len(ours)} queries; {first}: carob and {profile} say {wrong[first]} for "
        f"{cases.qrels[first]} {cases.run[first]}"
    )


def check_means(
    cases: Cases,
    profile: str,
    names: Sequence[str],
    means: Callable[[Cases], Sequence[float]],
    within: float = DOUBLE,
    *,
    weighted: bool = False,
) -> None:
    """Hold carob's means over a few queries against those of a library that gives nothing else."""
    for part in cases.in_parts():
        weights = part.weights() if weighted else None
        ours = carob.evaluate(part.qrels, part.run, list(names), profile=profile, weights=weights).means()
        theirs = dict(zip(names, means(part), strict=True))
        assert ours == pytest.approx(theirs, abs=within, rel=within, nan_ok=True), f"{part.qrels} {part.run}"
