"""What goes to an engine and what comes back: judgments as tables, and the judged rows that it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.inputs.ids import unicode
from karat.lists.rows import offsets_of

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from karat import _native
    from karat.lists.rows import Integers

__all__ = ["Extracted", "extracted", "tables_of", "taken_over"]


@dataclass(frozen=True, eq=False, repr=False)
class Extracted:
    """A run reduced to its judged rows by an engine: what ``_native.Matched`` is to the kernel.

    Args:
        length: documents of each judged query, -1 for one that the run does not mention [queries].
        offsets: rows ``offsets[q]`` to ``offsets[q + 1]`` belong to query ``q``, in rank order [queries + 1].
        rank: from 1 [rows].
        tie_first: the rank of the first document with the same score [rows].
        tie_last: of the last one [rows].
        judgment: the index of each row's judgment [rows].
        extra: as many as there are queries without judgments; the engine counts them and names none.
        dropped: rows that gave way to another of the same document.
        line_count: rows of the run.
        scores: every document's score, list after list; None if nobody asked for them.
        duplicates: documents that stand twice, as the kernel tells them.
        malformed: lines that were skipped.
        unordered: queries that are not listed in order of score.
        excluded: documents that were taken out of lists.
    """

    length: Integers
    offsets: Integers
    rank: Integers
    tie_first: Integers
    tie_last: Integers
    judgment: Integers
    extra: Sized
    dropped: int
    line_count: int
    scores: Any = None
    duplicates: Sequence[tuple[int, bytes, int, int, int, int]] = ()
    malformed: int = 0
    unordered: int = 0
    excluded: int = 0


def tables_of(judgments: _native.Judgments) -> tuple[Any, Any]:
    """The judged queries with their numbers, and the judged documents with theirs, as PyArrow's tables."""
    import pyarrow as pa

    count = len(judgments.queries)
    documents = [each for number in range(count) for each in judgments.documents(number)]
    queries = {"query": texts(judgments.queries), "number": np.arange(count)}
    judged = {
        "number": np.repeat(np.arange(count), np.diff(judgments.offsets)),
        "document": texts(documents),
        "judgment": np.arange(len(documents)),
    }
    return pa.table(queries).drop_null(), pa.table(judged).drop_null()


def texts(ids: list[bytes]) -> Any:
    """Ids as a column of text, null for those that are none."""
    import pyarrow as pa

    try:
        return pa.array(ids, pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array(map(unicode, ids), pa.string())


def extracted(queries: int, found: Any, facts: dict[str, Any]) -> Extracted:
    """The judged rows in order, and the length of every list."""
    number, length, dropped = (integers(found, name) for name in ("number", "length", "dropped"))
    lengths = np.bincount(number, length, queries).astype(np.int64)
    lengths[lengths == 0] = -1  # an engine has no empty lists
    judged = found.filter(found["judgment"].is_valid())
    row_number, rank = integers(judged, "number"), integers(judged, "rank")
    order = np.lexsort((rank, row_number))
    tie_first, tie_last, judgment = (
        integers(judged, name)[order] for name in ("tie_first", "tie_last", "judgment")
    )
    return Extracted(
        lengths,
        offsets_of(row_number[order], queries),
        rank[order],
        tie_first,
        tie_last,
        judgment,
        extra=range(facts["extra"] or 0),
        dropped=int(dropped.sum()),
        line_count=facts["lines"] or 0,
    )


def taken_over(found: _native.Matched) -> Extracted:
    """What the kernel found, without what it says of the order of the rows."""
    return Extracted(
        found.length,
        found.offsets,
        found.rank,
        found.tie_first,
        found.tie_last,
        found.judgment,
        extra=range(len(found.extra)),
        dropped=found.dropped,
        line_count=found.line_count,
    )


def integers(table: Any, name: str) -> Integers:
    """A column of whole numbers."""
    values: Integers = table[name].to_numpy().astype(np.int64)
    return values
