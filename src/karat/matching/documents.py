"""The documents of one query at their ranks, which judged rows leave out."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat import _native
from karat.inputs.ids import text_of
from karat.inputs.qrels import Qrels
from karat.inputs.runs import Asked
from karat.lists.rows import NEVER_POOLED, POOLED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.conventions.policy import Policy
    from karat.inputs.run import Run

__all__ = ["Ranking", "of_query", "ranking_of"]


@dataclass(frozen=True)
class Ranking:
    """The documents of one query.

    Args:
        documents: their ids, in rank order.
        scores: their scores, or none where there are only ranks.
    """

    documents: tuple[str, ...]
    scores: tuple[float, ...] = ()


def of_query(qrels: Qrels, query: int) -> Qrels:
    """The judgments of one query alone."""
    judgments = qrels.judgments
    start, stop = judgments.offsets[query], judgments.offsets[query + 1]
    documents = judgments.documents(query)
    if not documents:
        return Qrels(qrels.name, _native.judgments_from_mapping({text_of(judgments.queries[query]): {}}))
    ids = [judgments.queries[query]] * len(documents)
    grades, lines = judgments.grades[start:stop].copy(), judgments.lines[start:stop].copy()
    return Qrels(qrels.name, _native.judgments_from_rows(ids, documents, grades, lines))


def ranking_of(qrels: Qrels, run: Run, policy: Policy, grades: Sequence[float]) -> Ranking:
    """The documents of a run at their ranks under the policy.

    Args:
        qrels: the judgments of this query only.
        run: the run.
        policy: the policy of the match.
        grades: the grade at each rank in the match, which identifies documents that the policy moved within a tie or
            dropped.
    """
    ids, scores = run.held.ranked(qrels.judgments.queries[0], Asked(policy))
    grade_of = judged_grades(qrels, policy)
    own = [grade_of.get(document, NEVER_POOLED) for document in ids]
    if policy.unjudged == "removed":
        kept = [place for place, grade in enumerate(own) if grade >= 0]
        ids, scores = [ids[place] for place in kept], [scores[place] for place in kept]
        own = [own[place] for place in kept]
    count = min(len(ids), len(grades))
    found = as_moved(ids, scores, own, grades)[:count]
    return Ranking(tuple(map(text_of, found)), tuple(scores[:count]))


def as_moved(ids: list[bytes], scores: list[float], own: list[float], grades: Sequence[float]) -> list[bytes]:
    """The documents; where a tie was reordered, in the order of the grades at the ranks."""
    moved = {score for score, mine, grade in zip(scores, own, grades) if mine != grade}
    if not moved:
        return ids
    waiting: dict[tuple[float, float], deque[bytes]] = defaultdict(deque)
    for document, score, grade in zip(ids, scores, own):
        if score in moved:
            waiting[score, grade].append(document)
    return [
        waiting[score, grade].popleft() if score in moved else document
        for document, score, grade in zip(ids, scores, grades)
    ]


def judged_grades(qrels: Qrels, policy: Policy) -> dict[bytes, float]:
    """The grade of each judged document; negative ones by the policy."""
    judgments = qrels.judgments
    negative = 0.0 if policy.negative == "nonrelevant" else POOLED
    grades = [grade if grade >= 0 else negative for grade in judgments.grades.tolist()]
    return dict(zip(judgments.documents(0), grades))
