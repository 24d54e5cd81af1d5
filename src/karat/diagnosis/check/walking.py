"""A walk over a text's lines of data, remembering from one chunk to the next: groups of queries, rising ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.diagnosis.check.fields import Fields
    from karat.diagnosis.check.survey import Survey

__all__ = ["Walk"]


class Walk:
    """What has to be remembered from one chunk to the next.

    Args:
        found: where it is written.
    """

    def __init__(self, found: Survey) -> None:
        """Stand before the first line."""
        self.found = found
        self.query = np.uint64(0)
        self.rank = -1
        self.known: set[int] = set()
        self.open = 0
        self.ranked = False

    def see_queries(self, fields: Fields) -> NDArray[np.bool_]:
        """Note each query's first line; say which rows begin another query than the row before."""
        found, column = self.found, fields.column(0)
        words = column.hashes()
        new = np.append(True, words[1:] != words[:-1])
        new[0] = not self.open or words[0] != self.query
        starts = np.flatnonzero(new)
        self.measure_groups(starts, len(words))
        found.groups += len(starts)
        for row, word in zip(starts.tolist(), words[starts].tolist()):
            if word not in self.known:
                self.known.add(word)
                found.queries[column.token(row)] = int(fields.line[row])
        self.query = words[-1]
        self.words = words
        return new

    def measure_groups(self, starts: NDArray[np.int64], rows: int) -> None:
        """How long the groups of lines of one query are that end here."""
        found = self.found
        if not len(starts):
            self.open += rows
        else:
            closed = np.diff(starts).tolist()
            head = self.open + int(starts[0])
            lengths = ([head] if head else []) + closed
            if lengths:
                low, high = found.group_lengths
                found.group_lengths = (
                    min(low or min(lengths), min(lengths)),
                    max(high, max(lengths)),
                )
            self.open = rows - int(starts[-1])
        found.last_group = self.open

    def see_ranks(self, fields: Fields, new: NDArray[np.bool_]) -> None:
        """Whether the rank column rises from line to line, and which documents are the query's own."""
        found = self.found
        ranks, whole = fields.column(3).whole_numbers()
        if not whole.all():
            found.rank_odd.add(fields, ~whole)
        low, high = int(ranks[whole].min(initial=2**31)), int(ranks.max(initial=0))
        if low <= high:
            found.ranks = (
                (min(found.ranks[0], low), max(found.ranks[1], high)) if self.ranked else (low, high)
            )
            self.ranked = True
        before = np.append(self.rank, ranks[:-1])
        found.rank_falls.add(fields, ~new & (ranks <= before))
        self.rank = int(ranks[-1])
        query, document = fields.column(0), fields.column(2)
        near = (document.length == query.length) & (document.last_byte() == query.last_byte())
        same = np.flatnonzero(near)
        same = same[document[same].hashes() == self.words[same]]
        if len(same):
            found.own.add(fields, same)
            found.own_first += int(np.count_nonzero(new[same]))
            found.own_queries.update(self.words[same].tolist())
