"""The table of judged rows: all that measures need of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NEVER_POOLED", "POOLED", "Floats", "Integers", "JudgedRows", "offsets_of"]

Floats: TypeAlias = "NDArray[np.float64]"
Integers: TypeAlias = "NDArray[np.int64]"

NEVER_POOLED, POOLED = -1.0, -2.0
"""The grade of a row whose document nobody pooled, and of one that was pooled but left unjudged."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRows:
    """Ranked lists reduced to their judged documents.

    Any source of rankings (a file, a frame, a Spark job, a GPU batch) hands over this table and nothing else.

    Args:
        length: documents retrieved, per list [lists].
        offsets: where each list's rows begin and end [lists + 1].
        rank: the rank of each row in its full list, from 1, ascending within a list [rows].
        grade: the grade of each row, or ``POOLED`` / ``NEVER_POOLED`` [rows].
        tie_first: the first rank that shares the row's score [rows].
        tie_last: the last rank that shares the row's score [rows].
        judged_offsets: where each list's judgments begin and end [lists + 1].
        judged_grades: every grade of 0 or more in the list's judgments, retrieved or not [judgments].
        depth: documents asked for, or None for as many as there are.
        group_offsets: the lists of each query, where a query has several (judgment groups) [queries + 1].
    """

    length: Floats
    offsets: Integers
    rank: Floats
    grade: Floats
    tie_first: Floats
    tie_last: Floats
    judged_offsets: Integers
    judged_grades: Floats
    depth: int | None = None
    group_offsets: Integers | None = None

    def part(self, first: int, last: int) -> JudgedRows:
        """The lists from number ``first`` to before ``last``."""
        rows = slice(self.offsets[first], self.offsets[last])
        judgments = slice(self.judged_offsets[first], self.judged_offsets[last])
        return replace(
            self,
            length=self.length[first:last],
            offsets=self.offsets[first : last + 1] - rows.start,
            rank=self.rank[rows],
            grade=self.grade[rows],
            tie_first=self.tie_first[rows],
            tie_last=self.tie_last[rows],
            judged_offsets=self.judged_offsets[first : last + 1] - judgments.start,
            judged_grades=self.judged_grades[judgments],
        )

    @property
    def list_of_row(self) -> Integers:
        """The list of each row."""
        return np.repeat(np.arange(len(self.length)), np.diff(self.offsets))

    @property
    def list_of_judgment(self) -> Integers:
        """The list of each judgment."""
        return np.repeat(np.arange(len(self.length)), np.diff(self.judged_offsets))


def offsets_of(lists: NDArray[Any], count: int) -> Integers:
    """Where each of ``count`` lists begins and ends, for rows whose list numbers ascend."""
    return np.searchsorted(lists, np.arange(count + 1)).astype(np.int64)
