"""What unjudged documents could change: the same ranking without them, and with the first ones counted as relevant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from karat.evaluation.formulas import values_of
from karat.lists.rows import offsets_of
from karat.matching.match import finished
from karat.matching.ties import arranged

if TYPE_CHECKING:
    from karat.conventions.policy import Policy
    from karat.lists.rows import Floats, JudgedRows
    from karat.matching.match import Match
    from karat.measures import Measure

__all__ = ["Alternatives", "alternatives", "counted_as"]


@dataclass(frozen=True, eq=False)
class Alternatives:
    """One measure's values of one run under other readings of its unjudged documents.

    Args:
        removed: the unjudged documents taken out of the lists [queries].
        relevant: the unjudged ones among the first documents counted as of the highest grade [queries].
    """

    removed: Floats
    relevant: Floats


def alternatives(found: Match, measure: Measure, policy: Policy, depth: int, grade: float) -> Alternatives:
    """The values of a run whose unjudged documents count otherwise.

    Args:
        found: the run, matched.
        measure: the measure.
        policy: the policy under which it was evaluated.
        depth: how many first documents of each list may be counted as relevant.
        grade: the grade they get.
    """
    whole = (
        arranged(found.whole, policy.ties) if policy.ties in ("optimistic", "pessimistic") else found.whole
    )
    condensed = finished(whole, policy.changed(unjudged="removed"))
    raised = finished(counted_as(whole, depth, grade), policy)
    return Alternatives(values_of(condensed, [measure])[:, 0], values_of(raised, [measure])[:, 0])


def counted_as(rows: JudgedRows, depth: int, grade: float) -> JudgedRows:
    """The rows as if every unjudged document among the first ``depth`` had been judged with this grade."""
    lists = len(rows.length)
    reach = np.minimum(rows.length, depth).astype(np.int64)
    first = rows.rank <= depth
    held = np.zeros((lists, depth), bool)
    held[rows.list_of_row[first], rows.rank[first].astype(np.int64) - 1] = rows.grade[first] >= 0
    owner, place = np.nonzero(~held & (np.arange(depth) < reach[:, None]))
    kept = ~(first & (rows.grade < 0))  # pooled but unjudged: these are raised as well
    number = np.concatenate([rows.list_of_row[kept], owner])
    rank = np.concatenate([rows.rank[kept], place + 1.0])
    order = np.lexsort((rank, number))
    pool = np.concatenate([rows.list_of_judgment, owner])
    arranged_pool = np.argsort(pool, kind="stable")

    def together(old: Floats, new: Floats) -> Floats:
        return np.asarray(np.concatenate([old[kept], new])[order])

    return replace(
        rows,
        offsets=offsets_of(number[order], lists),
        rank=rank[order],
        grade=together(rows.grade, np.full(len(owner), grade)),
        tie_first=together(rows.tie_first, place.astype(np.float64) + 1),
        tie_last=together(rows.tie_last, place.astype(np.float64) + 1),
        judged_offsets=offsets_of(pool[arranged_pool], lists),
        judged_grades=np.concatenate([rows.judged_grades, np.full(len(owner), grade)])[arranged_pool],
    )
