"""The best lists where judgments come by subtopic: a greedy choice of the document that adds the most."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from karat.lists.rows import Floats, Integers, JudgedRows, offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["most_novel"]


def most_novel(rows: JudgedRows, alpha: float, rel: float) -> JudgedRows:
    """The relevant documents of each query, in the order in which each adds the most to those above it.

    Args:
        rows: lists by judgment group.
        alpha: how much less a group gains by each further document.
        rel: the grade from which on a document is relevant.

    Returns:
        One list per group: the group's relevant documents at their ranks, down to the depth of ``rows``.
    """
    kept = rows.judged_grades >= max(rel, 0.0)
    group, grade = rows.list_of_judgment[kept], rows.judged_grades[kept]
    document = cast("Integers", rows.judged_document)[kept]
    groups = cast("Integers", rows.group_offsets)
    bounds = np.searchsorted(group, groups)
    rank, length = np.full(len(group), np.inf), np.zeros(len(rows.length))
    for query, (start, stop) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        its, first, last = slice(start, stop), int(groups[query]), int(groups[query + 1])
        names, row = np.unique(document[its], return_inverse=True)
        relevant = np.zeros((len(names), last - first), bool)
        relevant[row.ravel(), group[its] - first] = True
        places = greedy_ranks(relevant, alpha, rows.depth)
        rank[its] = places[row.ravel()]
        length[first:last] = np.isfinite(places).sum()
    order = np.lexsort((rank, group))
    order = order[np.isfinite(rank[order])]
    rank = rank[order]
    return replace(
        rows,
        length=length,
        offsets=offsets_of(group[order], len(rows.length)),
        rank=rank,
        grade=grade[order],
        tie_first=rank,
        tie_last=rank,
        listed=None,
    )


def greedy_ranks(relevant: NDArray[np.bool_], alpha: float, depth: int | None) -> Floats:
    """The rank of each document; infinite beyond the depth. Of equals the first one is taken.

    Documents that serve the same groups are worth the same at every step, so only the first of each kind that is
    left is looked at.

    Args:
        relevant: whether a group finds a document relevant [documents, groups].
        alpha: what each document takes from its groups' later ones.
        depth: how many ranks there are; as many as documents if None.
    """
    waiting: dict[bytes, list[int]] = {}
    for each in range(len(relevant) - 1, -1, -1):
        waiting.setdefault(relevant[each].tobytes(), []).append(each)
    queues = list(waiting.values())
    kinds = relevant[[queue[-1] for queue in queues]].astype(np.float64) if queues else np.zeros((0, 0))
    left = np.array([len(queue) for queue in queues], np.int64)
    following = np.array([queue[-1] for queue in queues], np.int64)
    worth = np.ones(relevant.shape[1])
    ranks = np.full(len(relevant), np.inf)
    for rank in range(1, min(depth or len(relevant), len(relevant)) + 1):
        gain: Any = np.zeros(len(queues))
        # One after the other, so that equal kinds have equal sums.
        for group, worth_of_group in enumerate(worth.tolist()):
            gain += kinds[:, group] * worth_of_group
        gain[left == 0] = -np.inf
        best = np.flatnonzero(gain == gain.max())
        kind = int(best[np.argmin(following[best])])
        ranks[queues[kind].pop()] = rank
        left[kind] -= 1
        following[kind] = queues[kind][-1] if left[kind] else len(relevant)
        worth = worth * (1.0 - alpha * kinds[kind])
    return ranks
