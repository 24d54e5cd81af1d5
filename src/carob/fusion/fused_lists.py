"""Computes the fused lists of all queries, some queries at a time, and writes them as TREC text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.fusion.formulas import Points, copeland
from carob.fusion.normalisations import (
    BY_RANK,
    NORMALISATIONS,
    Context,
    shared_points,
    shared_share,
    spread,
)
from carob.inputs.errors import refused
from carob.writing.formats import tag_of, text_of_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from carob.fusion.pooled import PooledLists, RunLists
    from carob.fusion.recipe import Recipe
    from carob.lists.rows import Floats, Integers

CELLS = 2**21
"""Points that are in memory at once: those of some queries in every run."""


@dataclass(frozen=True, eq=False)
class Block:
    """The lists of some adjacent queries.

    Args:
        first: the first query.
        offsets: where the documents of each query begin and end, from 0 [queries + 1].
        start: the number of the first document among all documents.
        runs: the lists of each run, with documents that are counted from ``start``.
    """

    first: int
    offsets: Integers
    start: int
    runs: tuple[RunLists, ...]

    @property
    def candidates(self) -> Integers:
        """The number of documents of each query [queries]."""
        return np.diff(self.offsets)


def blocks(pooled: PooledLists) -> Iterator[Block]:
    """Yields the lists of adjacent queries, as many as ``CELLS`` allows."""
    offsets = pooled.offsets
    first, count = 0, len(offsets) - 1
    documents = max(CELLS // len(pooled.runs), 1)
    while first < count:
        last = int(np.searchsorted(offsets, offsets[first] + documents, "right")) - 1
        last = min(max(last, first + 1), count)
        start = int(offsets[first])
        runs = tuple(each.within(first, last, start) for each in pooled.runs)
        yield Block(first, offsets[first : last + 1] - start, start, runs)
        first = last


def row_points(lists: RunLists, block: Block, recipe: Recipe, place: int) -> Floats:
    """Returns the points of each document of one run's lists, in the order of its rows [rows].

    For RRF the weight is part of the points, since it may divide the position instead.

    Args:
        lists: the run's lists.
        block: the queries.
        recipe: the recipe.
        place: the number of the run.
    """
    rank, its = lists.rank, recipe.parameters
    kind = recipe.formula.by_rank
    if kind == "rrf":
        weight = 1.0 if recipe.weights is None else recipe.weights[place]
        k, first = its["k"], its["first"]
        if recipe.rules.weighting == "position":
            return 1 / (rank / weight + (k - 1 + first)) if weight > 0 else np.zeros(len(rank))
        top = k + first if recipe.rules.top == "one" else 1.0
        return weight * top / (rank + (k - 1 + first))
    if kind == "isr":
        return 1 / rank**2
    if kind == "rbc":
        return (1 - its["phi"]) * its["phi"] ** (rank - 1)
    if kind == "borda":
        return spread(block.candidates, lists) - rank + 1
    if recipe.norm not in BY_RANK and not lists.scored:
        raise refused(
            "Run {name} has ranks but no scores, which {method} adds up.",
            "Choose a method that reads ranks, such as rrf, or the normalisation rank.",
            name=lists.name,
            method=recipe.method,
        )
    context = Context(recipe.rules, block.candidates, recipe.bounds.get(lists.name, (None, None)))
    found = NORMALISATIONS[recipe.norm](lists, context)
    refuse_outside_bounds(found, lists, context)
    return found if recipe.rules.floor is None else np.where(found <= 0, recipe.rules.floor, found)


def refuse_outside_bounds(points: Floats, lists: RunLists, context: Context) -> None:
    """Refuses scores outside the theoretical bounds.

    Raises:
        DataError: there is one.
    """
    low, high = context.bounds
    if (low is None and high is None) or not len(points):
        return
    odd = np.flatnonzero(
        (lists.score < (-np.inf if low is None else low)) | (lists.score > (np.inf if high is None else high))
    )
    if len(odd):
        raise refused(
            "Run {name} has the score {score}, which is outside the bounds that were passed for it.",
            "Pass the lowest and the highest score that the run can have.",
            name=lists.name,
            score=f"{lists.score[odd[0]]:g}",
        )


def absent_points(lists: RunLists, points: Floats, block: Block, recipe: Recipe) -> Floats | None:
    """Returns the points of each document that a list lacks; None if the list does not count for it [queries]."""
    if recipe.method == "borda":
        return shared_points(lists, block.candidates)
    if recipe.norm == "borda":
        return shared_share(lists, block.candidates)
    if recipe.rules.absent == "left-out":
        return None
    lowest = np.zeros(len(lists.lengths))
    some = lists.lengths > 0
    if recipe.rules.absent == "lowest" and some.any():
        lowest[some] = np.minimum.reduceat(points, lists.offsets[:-1][some])
    return lowest


def points_of(block: Block, recipe: Recipe) -> Points:
    """Returns the points of the documents of some queries in every list."""
    count = int(block.offsets[-1])
    value = np.zeros((len(block.runs), count))
    retrieved = np.zeros(value.shape, bool)
    counted = retrieved.copy()
    for place, lists in enumerate(block.runs):
        points = row_points(lists, block, recipe, place)
        absent = absent_points(lists, points, block, recipe)
        if absent is not None:
            value[place] = np.repeat(absent, block.candidates)
            counted[place] = True
        value[place, lists.document] = points
        retrieved[place, lists.document] = counted[place, lists.document] = True
    if recipe.norm == "borda":  # it gives every candidate of the query points in every list
        retrieved[:] = True
    weights = None if recipe.weights is None or recipe.method == "rrf" else np.array(recipe.weights)
    its = recipe.parameters
    return Points(
        value, retrieved, counted, weights, recipe.rules, its.get("gamma", 1.0), its.get("sigma", 0.01)
    )


def fused_scores(block: Block, recipe: Recipe) -> Floats:
    """Returns the fused score of each document of some queries [documents]."""
    if recipe.method != "copeland":
        return recipe.formula.combine(points_of(block, recipe)) + 0.0  # no -0
    rank = np.full((len(block.runs), int(block.offsets[-1])), np.inf)
    for place, lists in enumerate(block.runs):
        rank[place, lists.document] = lists.rank
    parts = [rank[:, start:end] for start, end in zip(block.offsets[:-1], block.offsets[1:], strict=True)]
    return np.concatenate([copeland(part) for part in parts]) if parts else np.zeros(0)


def trec_text(lists: _native.RankedLists, name: str) -> bytes:
    """Returns lists as TREC text, whose columns are separated by tabs if an id contains a space.

    Args:
        lists: the lists.
        name: the name of the run, for the last column.

    Raises:
        DataError: an id that no line of a run can hold.
    """
    return text_of_lists(lists, "trec", tag_of(name), tabs=lists.has_blanks, remedy="Rename it.")


def fused_lists(
    pooled: PooledLists, recipe: Recipe, depth: int | None, *, ascending: bool = False
) -> _native.RankedLists:
    """Returns the fused lists.

    Args:
        pooled: the lists of the runs.
        recipe: the recipe.
        depth: the number of documents to keep for each query; None for all.
        ascending: whether documents with equal scores are ordered by id from the lowest up, and not from the highest
            down.
    """
    documents: list[bytes] = []
    scores: list[Floats] = []
    lengths: list[Integers] = []
    for block in blocks(pooled):
        found = fused_scores(block, recipe)
        names = [
            name
            for query in range(block.first, block.first + len(block.candidates))
            for name in pooled.judgments.documents(query)
        ]
        order, kept = best_first(found, block.offsets, names, depth, ascending=ascending)
        documents += [names[place] for place in order.tolist()]
        scores.append(found[order])
        lengths.append(kept)
    whole = np.concatenate(lengths) if lengths else np.zeros(0, np.int64)
    offsets = np.append(0, np.cumsum(whole))
    return _native.RankedLists(
        pooled.queries, offsets, documents, np.concatenate(scores) if scores else np.zeros(0)
    )


def best_first(
    scores: Floats, offsets: Integers, names: Sequence[bytes], depth: int | None, *, ascending: bool
) -> tuple[Integers, Integers]:
    """Returns the places of the best documents of each query, from the best down, and their number for each query.

    Args:
        scores: the score of each document [documents].
        offsets: where the documents of each query begin and end [queries + 1].
        names: the id of each document.
        depth: the number of documents to keep for each query; None for all.
        ascending: whether documents with equal scores are ordered by id from the lowest up.
    """
    order = np.array(
        _native.descending(np.ascontiguousarray(scores), np.ascontiguousarray(offsets, np.int64))
    )
    lengths = np.diff(offsets)
    place = np.arange(len(order)) - np.repeat(offsets[:-1], lengths)
    sorted_scores = scores[order]
    # A group of equal scores of one query begins where the score changes or the query does.
    begins = np.ones(len(order), bool)
    begins[1:] = (sorted_scores[1:] != sorted_scores[:-1]) | (place[1:] == 0)
    group = np.cumsum(begins) - 1
    heads = np.flatnonzero(begins)
    sizes = np.diff(np.append(heads, len(order)))
    limit = np.inf if depth is None else depth
    tied = np.flatnonzero(((sizes > 1) & (place[heads] < limit))[group])
    if len(tied):
        its = order[tied]
        ids = np.array([names[each] for each in its.tolist()], dtype="S")
        by_id = in_id_order(ids, group[tied], ascending=ascending)
        order[tied] = its[by_id]
    kept = place < limit
    return order[kept], np.minimum(lengths, limit).astype(np.int64)


def in_id_order(ids: NDArray[np.bytes_], group: Integers, *, ascending: bool) -> Integers:
    """Returns the places of documents by group, and within a group by id, by bytes."""
    width = -(-ids.dtype.itemsize // 8) * 8
    words = ids.astype(f"S{width}").view(">u8").reshape(len(ids), -1).astype(np.uint64)
    columns = [words[:, column] for column in range(words.shape[1] - 1, -1, -1)]
    if ascending:
        return np.lexsort((*columns, group))
    return np.lexsort((*columns, -group))[::-1]
