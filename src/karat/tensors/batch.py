"""What a call hands over, in one form: arrays [query, document], whatever their library and however they came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.errors import DataError
from karat.lists.arrays import Arrays, arrays_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Batch", "batch_of", "flat_batch", "topk_batch"]

AT_A_TIME = 2**17
"""Documents of one part, where the parts of a batch may be worked on one after another: what fits into a cache."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Documents of many queries with what is known of them.

    Args:
        arrays: their library.
        scores: None where documents stand in rank order already [query, document].
        grades: NaN for an unjudged document [query, document].
        mask: which places hold a document; None for all [query, document].
        judged: the grades of all judgments, NaN where there is none; None for ``grades`` [query, judgment].
        flaws: queries whose values are undefined, because nobody could look when the call was made [query].
    """

    arrays: Arrays
    scores: Any
    grades: Any
    mask: Any = None
    judged: Any = None
    flaws: Any = None

    def parts(self) -> Iterator[Batch]:
        """The batch itself, or where that is quicker a few queries at a time."""
        queries, width = self.grades.shape
        step = max(1, AT_A_TIME // max(width, 1))
        if not self.arrays.on_host or queries <= step:
            yield self
            return
        for first in range(0, queries, step):
            some = slice(first, first + step)
            yield Batch(
                self.arrays,
                *(
                    None if each is None else each[some]
                    for each in (self.scores, self.grades, self.mask, self.judged, self.flaws)
                ),
            )


def batch_of(scores: Any, relevance: Any, mask: Any = None, judged: Any = None, dtype: Any = None) -> Batch:
    """Padded arrays as they come.

    Raises:
        DataError: shapes that do not fit, or on the host a score that is no number.
    """
    two_axes(scores, "scores")
    for name, each in (("relevance", relevance), ("mask", mask)):
        if each is not None and tuple(array_of(each, name).shape) != tuple(scores.shape):
            raise DataError(
                f"scores are {shown(scores)} and {name} is {shown(each)}: both are [query, document], of one shape."
            )
    if judged is not None and (two_axes(judged, "judged").shape[0] != scores.shape[0]):
        raise DataError(
            f"scores have {scores.shape[0]} queries and judged has {judged.shape[0]}: a row each [query, judgment]."
        )
    arrays = arrays_of(scores, dtype)
    if arrays.library.isdtype(scores.dtype, ("bool", "integral")):
        scores = arrays.floats(scores)
    return with_flaws(Batch(arrays, scores, relevance, mask, judged))


def with_flaws(batch: Batch) -> Batch:
    """Refuse scores that are no numbers, or where nobody may look take note of them."""
    arrays, scores = batch.arrays, batch.scores
    found = arrays.range_of(scores)
    if found is not None and found[0] == found[0]:
        return batch
    wrong = arrays.isnan(scores)
    if batch.mask is not None:
        wrong = wrong & batch.mask
    flaws = arrays.library.any(wrong, axis=1)
    if found is None:
        return replace(batch, flaws=flaws)
    refuse(flaws, "a score that is no number (NaN)", "give each document a score, or mask it")
    return batch


def refuse(which: Any, what: str, advice: str) -> None:
    """Refuse queries, where the host may look.

    Raises:
        DataError: any is marked.
    """
    if which.any():
        raise DataError(f"Query number {int(which.argmax()) + 1} of the batch has {what}: {advice}.")


def array_of(array: Any, name: str) -> Any:
    """The array.

    Raises:
        DataError: it is none.
    """
    if not hasattr(array, "shape"):
        raise DataError(
            f"{name} is a {type(array).__name__}, not an array: make it one, as in numpy.asarray({name})."
        )
    return array


def two_axes(array: Any, name: str) -> Any:
    """The array.

    Raises:
        DataError: it has not two axes.
    """
    if len(array_of(array, name).shape) != 2:
        raise DataError(
            f"{name} is {shown(array)}, but takes two axes [query, document]; for one query add the axis, for "
            "documents of all queries end to end give queries=."
        )
    return array


def shown(array: Any) -> str:
    """An array's shape as a sentence has it."""
    return f"[{', '.join(map(str, array.shape))}]"


# ---------------------------------------------------------------- other forms


def flat_batch(
    scores: Any, relevance: Any, queries: Any, n_queries: int | None, longest: int | None, dtype: Any = None
) -> Batch:
    """Documents of all queries end to end, in any order, with the number of each one's query.

    Args:
        scores: [document].
        relevance: [document].
        queries: the query of each, from 0 [document].
        n_queries: how many queries there are; the largest number and one if None, which waits for the device.
        longest: the most documents that a query has; counted if None, which waits for the device.
        dtype: as in ``arrays_of``.

    Raises:
        DataError: shapes that do not fit.
    """
    for name, each in (("scores", scores), ("relevance", relevance), ("queries", queries)):
        if len(array_of(each, name).shape) != 1 or each.shape != scores.shape:
            raise DataError(
                f"{name} is {shown(each)}: with queries= scores, relevance and queries are [document]."
            )
    arrays = arrays_of(scores, dtype)
    xp = arrays.library
    if n_queries is None:
        n_queries = int(xp.max(queries)) + 1 if queries.shape[0] else 0
    order = xp.argsort(queries, stable=True)
    placed = xp.take(queries, order)
    wanted = xp.astype(arrays.count(n_queries + 1) - 1.0, queries.dtype)
    edges = xp.searchsorted(placed, wanted)
    starts, sizes = edges[:-1], edges[1:] - edges[:-1]
    if longest is None:
        longest = int(xp.max(sizes)) if n_queries else 0
    column = xp.arange(longest, dtype=edges.dtype, device=arrays.device)[None, :]
    mask = column < sizes[:, None]
    place = xp.minimum(
        starts[:, None] + column,
        xp.asarray(max(scores.shape[0] - 1, 0), dtype=edges.dtype, device=arrays.device),
    )
    source = xp.reshape(xp.take(order, xp.reshape(place, (-1,))), (-1,))
    shape = (n_queries, longest)
    return batch_of(
        xp.reshape(xp.take(scores, source), shape),
        xp.reshape(xp.take(relevance, source), shape),
        mask,
        dtype=dtype,
    )


def topk_batch(
    ids: Any,
    relevant_ids: Any,
    grades: Any,
    mask: Any,
    relevant_mask: Any,
    duplicates: str,
    dtype: Any = None,
) -> Batch:
    """Ids of retrieved documents in rank order, and those of the judged ones.

    Args:
        ids: negative where there is none [query, rank].
        relevant_ids: negative where there is none [query, judgment].
        grades: of ``relevant_ids``; all 1 if None [query, judgment].
        mask: which of ``ids`` there are [query, rank].
        relevant_mask: which of ``relevant_ids`` there are [query, judgment].
        duplicates: what becomes of an id that stands twice: ``error``, or the ``first`` or the ``last`` counts.
        dtype: the floating type; the library's default if None.

    Raises:
        DataError: shapes that do not fit, or on the host an id that stands twice.
    """
    two_axes(ids, "ids")
    two_axes(relevant_ids, "relevant_ids")
    if ids.shape[0] != relevant_ids.shape[0]:
        raise DataError(
            f"ids have {ids.shape[0]} queries and relevant_ids {relevant_ids.shape[0]}: a row each."
        )
    arrays = arrays_of(ids, dtype)
    xp = arrays.library
    kept = ids >= 0 if mask is None else mask & (ids >= 0)
    there = relevant_ids >= 0 if relevant_mask is None else relevant_mask & (relevant_ids >= 0)
    flaws = None
    kept_once = []
    for name, each, present in (("ids", ids, kept), ("relevant_ids", relevant_ids, there)):
        again = repeated(arrays, each, present, last=duplicates == "last")
        if duplicates == "error":
            marked = xp.any(again, axis=1)
            if arrays.on_host:
                refuse(marked, f"an id twice in {name}", "remove one, or choose Policy(duplicates='first')")
            else:
                flaws = marked if flaws is None else flaws | marked
        kept_once.append(present & ~again)
    kept, there = kept_once
    judged = arrays.floats(xp.ones_like(there) if grades is None else grades)
    judged = arrays.where(there, judged, float("nan"))
    return Batch(arrays, None, grades_of(arrays, ids, kept, relevant_ids, judged), kept, judged, flaws)


def repeated(arrays: Arrays, ids: Any, there: Any, *, last: bool) -> Any:
    """Which ids stand twice in their row: each but the first, or but the last."""
    xp = arrays.library
    if ids.shape[1] < 2:
        return xp.zeros_like(there)
    # What is not there becomes ids of its own, below all others and each different.
    own = -1 - xp.arange(ids.shape[1], dtype=ids.dtype, device=arrays.device)[None, :]
    ids = xp.where(there, ids, xp.broadcast_to(own, ids.shape))
    order = xp.argsort(ids, axis=1, stable=True)
    placed = xp.take_along_axis(ids, order, axis=1)
    same = placed[:, 1:] == placed[:, :-1]
    none = xp.zeros_like(same[:, :1])
    again = xp.concat([same, none] if last else [none, same], axis=1)
    return xp.take_along_axis(again, xp.argsort(order, axis=1, stable=True), axis=1)


def grades_of(arrays: Arrays, ids: Any, kept: Any, judged_ids: Any, judged: Any) -> Any:
    """The grade of each id; NaN for one that is not judged, or not there.

    Goes through the judgments by their column, of which there are few; never through queries.
    """
    xp = arrays.library
    found = arrays.full(tuple(ids.shape), float("nan"))
    for place in range(judged_ids.shape[1]):
        its = judged[:, place : place + 1]
        same = (ids == judged_ids[:, place : place + 1]) & kept & ~xp.isnan(its)
        found = xp.where(same, its, found)
    return found
