"""Queries up close: which are shown in full, each run's first documents with their grades, and the derivations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.errors import KaratError
from karat.explaining import Subject, explained
from karat.lists.flat import Flat
from karat.ranking import of_query
from karat.reporting.excerpts import excerpt_of
from karat.tables import Qrels, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison import Comparison, Contest
    from karat.policy import Policy
    from karat.reporting.gathering import Inputs
    from karat.rows import Floats

__all__ = [
    "ALL_QUERIES",
    "MOST_QUERIES",
    "Closeup",
    "Excerpt",
    "chosen_queries",
    "closeups_of",
    "derivations_of",
]

MOST_QUERIES = 50
ALL_QUERIES = 2 * MOST_QUERIES
"""Up to so many queries all are shown; of more, ``MOST_QUERIES``."""
MOST_DOCUMENTS = 20
MOST_DERIVATIONS = 400
"""Of the primary measure over all runs, and as many of the others together: a third of a kilobyte each."""
EACH = 8
"""Queries of each kind that are chosen where there are many."""


@dataclass(frozen=True, eq=False)
class Closeup:
    """One query: its documents, and which of them each run ranks where.

    Args:
        query: its place among the comparison's queries.
        documents: each document with its grade, None for an unjudged one.
        lists: for each run its first documents, as places in ``documents``; None for a run that was given as scores.
        judged: how many documents of the query are judged.
        relevant: how many of them have a grade of 1 or more.
    """

    query: int
    documents: tuple[tuple[str, float | None], ...]
    lists: tuple[tuple[int, ...] | None, ...]
    judged: int
    relevant: int


# ---------------------------------------------------------------- which queries


def chosen_queries(values: Floats, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The queries that are shown in full, the most telling first: all, or where they are many some of each kind.

    Args:
        values: each run's values of the primary measure [queries, runs].
        pairs: the pairs of runs whose largest differences count, the most important one first.
    """
    count = len(values)
    filled = np.nan_to_num(values)
    if count <= ALL_QUERIES:
        a, b = pairs[0]
        order: list[int] = np.argsort(-np.abs(filled[:, a] - filled[:, b]), kind="stable").tolist()
        return order
    wanted: dict[int, None] = {}
    for a, b in pairs[:1]:
        wanted |= extremes(filled[:, a] - filled[:, b])
    wanted |= extremes(filled.mean(axis=1))
    wanted |= dict.fromkeys(np.argsort(-np.ptp(filled, axis=1), kind="stable")[:EACH].tolist())
    for a, b in pairs[1:]:
        wanted |= extremes(filled[:, a] - filled[:, b])
    evenly = np.linspace(0, count - 1, MOST_QUERIES).astype(int)
    wanted |= dict.fromkeys(evenly.tolist())
    return list(wanted)[:MOST_QUERIES]


def extremes(column: Floats) -> dict[int, None]:
    """The queries with the largest and the smallest values."""
    order = np.argsort(column, kind="stable")
    return dict.fromkeys([*order[::-1][:EACH].tolist(), *order[:EACH].tolist()])


# ---------------------------------------------------------------- lists


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Some queries, each with its own judgments and each run's own lines, so that nothing else is read for it.

    Args:
        qrels: the judgments of each query, by its place among the comparison's queries.
        runs: for each run the lists by query; None for a run that was given as scores.
    """

    qrels: dict[int, Qrels]
    runs: tuple[dict[int, Run] | None, ...]

    @classmethod
    def of(cls, inputs: Inputs, comparison: Comparison, chosen: Sequence[int]) -> Excerpt:
        """Read each run once and keep the lines of these queries that are judged."""
        if inputs.qrels is None or not inputs.ranked:
            return cls({}, tuple(None for _ in inputs.runs))
        places = {query: place for place, query in enumerate(inputs.qrels.queries)}
        names = {query: comparison.queries[query] for query in chosen if comparison.queries[query] in places}
        lists = [
            excerpt_of(run, names.values()) if isinstance(run, Run) else None for run in inputs.runs.values()
        ]
        return cls(
            {query: of_query(inputs.qrels, places[name]) for query, name in names.items()},
            tuple(
                None if found is None else {query: found[name] for query, name in names.items()}
                for found in lists
            ),
        )

    def subject(self, run: int, query: int, name: str) -> Subject | None:
        """One query of one run; None where only scores were given."""
        lists = self.runs[run]
        if lists is None or query not in self.qrels:
            return None
        return Subject(lists[query].name, name, qrels=self.qrels[query], run=lists[query], part=True)


def closeups_of(excerpt: Excerpt, comparison: Comparison) -> list[Closeup]:
    """What the runs rank first for the queries of an excerpt."""
    policy = comparison.scores[0].policy
    return [closeup(query, excerpt, comparison, policy) for query in excerpt.qrels]


def closeup(query: int, excerpt: Excerpt, comparison: Comparison, policy: Policy) -> Closeup:
    """One query: every run's first documents."""
    known: dict[str, int] = {}
    grades: list[float | None] = []
    lists: list[tuple[int, ...] | None] = []
    for run in range(len(comparison.names)):
        subject = excerpt.subject(run, query, comparison.queries[query])
        if subject is None:
            lists.append(None)
            continue
        ranked = []
        for document, grade in first_documents(subject, policy):
            if document not in known:
                known[document] = len(known)
                grades.append(grade)
            ranked.append(known[document])
        lists.append(tuple(ranked))
    judged = excerpt.qrels[query].judgments.grades
    return Closeup(
        query, tuple(zip(known, grades)), tuple(lists), int((judged >= 0).sum()), int((judged >= 1).sum())
    )


def first_documents(subject: Subject, policy: Policy) -> list[tuple[str, float | None]]:
    """The first documents of one query with their grades, as they were evaluated."""
    found = subject.match(policy)
    if not found.queries:
        return []
    lists = Flat(found.rows, every_rank=True)
    ranking = subject.ranking(policy, lists)
    assert ranking is not None
    return [
        (document, grade if grade >= 0 else None)
        for document, grade in zip(ranking.documents[:MOST_DOCUMENTS], lists.rows.grade.tolist())
    ]


# ---------------------------------------------------------------- derivations


def derivations_of(
    excerpt: Excerpt, comparison: Comparison, closeups: Sequence[Closeup]
) -> list[dict[int, list[str | None]]]:
    """For each measure how each run comes to its value, as HTML, for as many queries as there is room for."""
    runs, others = len(comparison.names), len(comparison.labels) - 1
    found = []
    for place, contest in enumerate(comparison.contests.values()):
        room = max(MOST_DERIVATIONS // (runs * (others if place else 1)), 1)
        found.append(
            {
                each.query: query_derivations(excerpt, comparison, contest, each.query)
                for each in closeups[:room]
            }
        )
    return found


def query_derivations(
    excerpt: Excerpt, comparison: Comparison, contest: Contest, query: int
) -> list[str | None]:
    """The derivation of one query for every run; None where a run has no lists, or no value to derive."""
    found: list[str | None] = []
    for run, scores in enumerate(comparison.scores):
        subject = excerpt.subject(run, query, comparison.queries[query])
        try:
            if subject is None:
                raise KaratError("scores alone have no lists")
            explanation = explained(
                contest.label, contest.measure, subject, scores.policy, rows=MOST_DOCUMENTS, digits=4
            )
            found.append(explanation.to_fragment(heading=4))
        except KaratError:
            found.append(None)
    return found
