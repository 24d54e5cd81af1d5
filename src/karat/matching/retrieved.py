"""Which documents of a list count as retrieved, and at which rank, where the order of scores does not say it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.lists.rows import offsets_of
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.lists.rows import JudgedRows

__all__ = ["at_given_ranks", "finite_only"]


def finite_only(rows: JudgedRows) -> JudgedRows:
    """The lists without documents that score minus infinity, which stand at their ends.

    Args:
        rows: the lists, with every document's score.
    """
    assert rows.scores is not None
    finite = rows.scores > -np.inf
    if finite.all():
        return rows
    offsets = rows.document_offsets
    length = np.diff(np.append(0, np.cumsum(finite))[offsets]).astype(np.float64)
    kept = rows.rank <= length[rows.list_of_row]
    return replace(
        rows,
        length=length,
        offsets=offsets_of(rows.list_of_row[kept], len(length)),
        rank=rows.rank[kept],
        grade=rows.grade[kept],
        tie_first=rows.tie_first[kept],
        tie_last=rows.tie_last[kept],
        document=None if rows.document is None else rows.document[kept],
        scores=rows.scores[finite],
    )


def at_given_ranks(rows: JudgedRows, name: str) -> JudgedRows:
    """The lists of a run of ranks with each document at the rank that the run states; a gap is an unjudged document.

    Args:
        rows: the lists, with every document's score: minus its rank.
        name: the run.

    Raises:
        DataError: a rank below 1, or one that two documents of a list share.
    """
    assert rows.scores is not None
    given, offsets = -rows.scores, rows.document_offsets
    starts = np.zeros(len(given), bool)
    starts[offsets[:-1][np.diff(offsets) > 0]] = True
    if (given < 1).any():
        raise DataError(f"{name} states the rank {given.min():g}: ranks count from 1 (ranks=given).")
    if ((np.diff(given, prepend=0.0) == 0) & ~starts).any():
        raise DataError(
            f"{name} gives two documents of a list the same rank, and ranks=given takes ranks as they are: number "
            "them apart, or choose ranks=counted."
        )
    filled = np.diff(offsets) > 0
    length = np.zeros(len(rows.length))
    length[filled] = given[offsets[1:][filled] - 1]
    rank = given[offsets[rows.list_of_row] + rows.rank.astype(np.int64) - 1]
    return replace(rows, length=length, rank=rank, tie_first=rank, tie_last=rank, scores=None)
