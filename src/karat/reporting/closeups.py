"""Queries up close: which are shown in full, each run's first documents with their grades, and the derivations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.errors import KaratError
from karat.explaining import explain
from karat.lists.flat import Flat
from karat.match import match
from karat.ranking import of_query, ranking_of
from karat.reporting.texts import lines
from karat.runs import as_mapping
from karat.runs.mapping import MappingRun
from karat.tables import Qrels, Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from karat.comparison import Comparison
    from karat.policy import Policy
    from karat.reporting.gathering import Inputs
    from karat.rows import Floats

__all__ = ["MOST_QUERIES", "Closeup", "chosen_queries", "closeups_of", "derivations_of"]

MOST_QUERIES = 50
MOST_DOCUMENTS = 20
MOST_DERIVATIONS = 400
"""Together, over all runs: each takes some milliseconds, and a third of a kilobyte."""
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
    if count <= MOST_QUERIES:
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


def closeups_of(
    inputs: Inputs, comparison: Comparison, chosen: Sequence[int]
) -> tuple[list[Closeup], Excerpt]:
    """What the runs rank first for the chosen queries."""
    names = [comparison.queries[query] for query in chosen]
    excerpt = Excerpt.of(inputs, names)
    if excerpt.qrels is None or not inputs.ranked:
        return [], excerpt
    policy = comparison.scores[0].policy
    places = {query: place for place, query in enumerate(excerpt.qrels.queries)}
    found = []
    for query, name in zip(chosen, names, strict=True):
        if name in places:
            found.append(closeup(query, of_query(excerpt.qrels, places[name]), excerpt, policy))
    return found, excerpt


def closeup(query: int, qrels: Qrels, excerpt: Excerpt, policy: Policy) -> Closeup:
    """One query: every run's first documents."""
    known: dict[str, int] = {}
    grades: list[float | None] = []
    lists: list[tuple[int, ...] | None] = []
    for run in excerpt.runs:
        if run is None:
            lists.append(None)
            continue
        ranked = []
        for document, grade in first_documents(qrels, run, policy):
            if document not in known:
                known[document] = len(known)
                grades.append(grade)
            ranked.append(known[document])
        lists.append(tuple(ranked))
    judged = qrels.judgments.grades
    return Closeup(
        query, tuple(zip(known, grades)), tuple(lists), int((judged >= 0).sum()), int((judged >= 1).sum())
    )


def first_documents(qrels: Qrels, run: Run, policy: Policy) -> list[tuple[str, float | None]]:
    """The first documents of one query with their grades, as they were evaluated."""
    found = match(qrels, run, policy)
    if not found.queries:
        return []
    rows = Flat(found.rows, every_rank=True).rows
    ranking = ranking_of(qrels, run, policy, rows.grade.tolist())
    return [
        (document, grade if grade >= 0 else None)
        for document, grade in zip(ranking.documents[:MOST_DOCUMENTS], rows.grade.tolist())
    ]


@dataclass(frozen=True, eq=False)
class Excerpt:
    """The judgments, and of each run only the lines of a few queries, so that each is found at once.

    Args:
        qrels: the judgments, whole.
        runs: the runs' lines; None for a run that was given as scores.
    """

    qrels: Qrels | None
    runs: tuple[Run | None, ...]

    @classmethod
    def of(cls, inputs: Inputs, queries: Iterable[str]) -> Excerpt:
        """Read each run once and keep the lines of these queries."""
        wanted = frozenset(queries)
        runs = [excerpt_of(run, wanted) if isinstance(run, Run) else None for run in inputs.runs.values()]
        return cls(inputs.qrels, tuple(runs))


def excerpt_of(run: Run, queries: frozenset[str]) -> Run:
    """A run without the lines of other queries."""
    ids = {query.encode("utf-8", "surrogateescape") for query in queries}
    if run.source is None:
        return Run(run.name, MappingRun(as_mapping(run.held, ids)))
    kept = [
        line
        for line in lines(run.source)
        if line[:1] != b"#" and line.split(None, 1)[:1] and line.split(None, 1)[0] in ids
    ]
    text = b"\n".join(line.rstrip(b"\r\n") for line in kept)
    return Run.of(text + b"\n" if text else b"", run.name)


# ---------------------------------------------------------------- derivations


def derivations_of(
    excerpt: Excerpt, comparison: Comparison, closeups: Sequence[Closeup]
) -> dict[int, list[str | None]]:
    """How each run comes to its value of the primary measure, as HTML, for as many queries as there is room for."""
    room = max(MOST_DERIVATIONS // len(comparison.names), 1)
    return {each.query: query_derivations(excerpt, comparison, each.query) for each in closeups[:room]}


def query_derivations(excerpt: Excerpt, comparison: Comparison, query: int) -> list[str | None]:
    """The derivation of one query for every run; None where a run has no lists, or no value to derive."""
    contest = comparison.primary
    found: list[str | None] = []
    for run, scores in zip(excerpt.runs, comparison.scores, strict=True):
        try:
            if run is None:
                raise KaratError("scores alone have no lists")
            explanation = explain(
                contest.measure,
                excerpt.qrels,
                run,
                comparison.queries[query],
                policy=scores.policy,
                rows=MOST_DOCUMENTS,
                digits=4,
            )
            found.append(explanation.to_fragment(heading=4))
        except KaratError:
            found.append(None)
    return found
