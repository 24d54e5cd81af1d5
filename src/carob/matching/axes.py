"""Applies the settings of a policy to judged rows: ties, negative grades, depth, unjudged documents, given ranks."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from math import comb, prod
from typing import TYPE_CHECKING, TypeAlias, cast

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.inputs.errors import refused
from carob.lists.rows import (
    MERIT_OF_ZERO,
    PER_ROW,
    POOLED,
    Floats,
    Integers,
    JudgedRows,
    rows_of_groups,
    stretches,
)
from carob.output.errors import UncomputableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from carob.inputs.qrels import Subtopics


# ---------------------------------------------------------------- one axis each


def without_negative(rows: JudgedRows, rule: str) -> JudgedRows:
    """Sets negative grades to 0, or marks their documents as pooled but unjudged."""
    if rule == "nonrelevant":
        return replace(
            rows, grade=np.maximum(rows.grade, 0.0), judged_grades=np.maximum(rows.judged_grades, 0.0)
        )
    judged = rows.judged_grades >= 0
    if judged.all():
        return rows
    return replace(
        rows,
        grade=np.where(rows.grade < 0, POOLED, rows.grade),
        judged_grades=rows.judged_grades[judged],
        judged_offsets=np.append(0, np.cumsum(judged))[rows.judged_offsets],
    )


def knowing_retrieved_only(rows: JudgedRows) -> JudgedRows:
    """Restricts the judgments to retrieved documents, for tools that receive only the labels of retrieved rows."""
    judged = rows.grade >= 0
    return replace(
        rows,
        judged_offsets=np.append(0, np.cumsum(judged))[rows.offsets],
        judged_grades=rows.grade[judged],
    )


def to_depth(rows: JudgedRows, depth: int | None) -> JudgedRows:
    """Cuts the lists at ``depth``."""
    if depth is None:
        return rows
    length = np.minimum(rows.length, depth)
    return replace(rows.kept(rows.rank <= depth), length=length, scores=rows.scores_down_to(length))


def condensed(rows: JudgedRows) -> JudgedRows:
    """Removes the unjudged documents from the lists."""
    rows = rows.kept(rows.grade >= 0)
    scores = rows.score
    rank = ranks_within(rows.offsets)
    same = np.append(False, (np.diff(rows.tie_first) == 0) & (np.diff(rows.list_of_row) == 0))[: len(rank)]
    starts = np.flatnonzero(~same)
    sizes = np.diff(np.append(starts, len(rank)))
    first = np.repeat(rank[starts], sizes)
    last = np.repeat(rank[starts] + sizes - 1, sizes)
    length = np.diff(rows.offsets).astype(np.float64)
    return replace(rows, rank=rank, tie_first=first, tie_last=last, length=length, scores=scores)


def chosen(rows: JudgedRows, lists: NDArray[np.bool_]) -> JudgedRows:
    """Selects some of the lists. If lists share judgments, all judgments are kept."""
    order = np.flatnonzero(lists)
    row_counts = np.diff(rows.offsets)
    documents = None if rows.scores is None else stretches(rows.length.astype(np.int64), order)
    found = replace(
        rows,
        length=rows.length[order],
        offsets=np.append(0, np.cumsum(row_counts[order])),
        **rows.taken(stretches(row_counts, order), *PER_ROW, "document"),
        **rows.taken(documents, "scores"),
        **rows.taken(order, "weight", "pool_of"),
        by_group=None if rows.by_group is None else chosen_groups(rows.by_group, lists),
    )
    if rows.pool_of is not None:
        return found
    judged_counts = np.diff(rows.judged_offsets)
    return replace(
        found,
        judged_offsets=np.append(0, np.cumsum(judged_counts[order])),
        **rows.taken(stretches(judged_counts, order), "judged_grades", "judged_document"),
    )


def chosen_groups(rows: JudgedRows, queries: NDArray[np.bool_]) -> JudgedRows:
    """Selects the per-group lists of some queries."""
    sizes = np.diff(cast("Integers", rows.group_offsets))
    offsets = np.append(0, np.cumsum(sizes[queries])).astype(np.int64)
    return replace(chosen(rows, np.repeat(queries, sizes)), group_offsets=offsets)


# ---------------------------------------------------------------- arrays


def ranks_within(offsets: Integers) -> Floats:
    """Returns the ranks 1, 2, 3, … of each list."""
    return (np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], np.diff(offsets))).astype(np.float64)


def finite_only(rows: JudgedRows) -> JudgedRows:
    """Removes documents with a score of minus infinity, which come last in each list.

    Args:
        rows: the lists, with every document's score.
    """
    assert rows.scores is not None
    finite = rows.scores > -np.inf
    if finite.all():
        return rows
    offsets = rows.document_offsets
    length = np.diff(np.append(0, np.cumsum(finite))[offsets]).astype(np.float64)
    kept = rows.kept(rows.rank <= length[rows.list_of_row])
    return replace(kept, length=length, scores=rows.scores[finite])


def at_given_ranks(rows: JudgedRows, name: str) -> JudgedRows:
    """Puts each document of a run with given ranks at its rank. A gap counts as an unjudged document.

    Args:
        rows: the lists, with a score for every document, which is its negated rank.
        name: the run.

    Raises:
        DataError: a rank is below 1, or two documents of a list have the same rank.
    """
    assert rows.scores is not None
    given, offsets = -rows.scores, rows.document_offsets
    starts = np.zeros(len(given), bool)
    starts[offsets[:-1][np.diff(offsets) > 0]] = True
    if (given < 1).any():
        raise refused(
            "found the rank {rank:g}, but ranks count from 1 (ranks=given).", file=name, rank=given.min()
        )
    if ((np.diff(given, prepend=0.0) == 0) & ~starts).any():
        raise refused(
            "two documents of a list have the same rank, which ranks=given does not allow.",
            "Give them different ranks, or choose ranks=counted.",
            file=name,
        )
    filled = np.diff(offsets) > 0
    length = np.zeros(len(rows.length))
    length[filled] = given[offsets[1:][filled] - 1]
    rank = given[offsets[rows.list_of_row] + rows.rank.astype(np.int64) - 1]
    return replace(rows, length=length, rank=rank, tie_first=rank, tie_last=rank, scores=None)


def by_group(
    rows: JudgedRows,
    documents: Integers,
    queries: Integers,
    subtopics: Subtopics,
    *,
    negative: str,
    judgments: str,
) -> JudgedRows:
    """Repeats the lists for each judgment group, with the group's grades.

    Args:
        rows: the lists.
        documents: the document of each row, as its row number in the judgments; -1 for none.
        queries: the query of each list, by its number in the judgments, ascending.
        subtopics: the judgments by group.
        negative: the policy for negative grades.
        judgments: which judgments are known: ``all``, or only judgments of ``retrieved`` documents.
    """
    rank_of = np.full(len(subtopics.place), np.inf)
    rank_of[documents[documents >= 0]] = rows.rank[documents >= 0]
    sizes = np.diff(subtopics.offsets)
    asked = np.zeros(len(sizes), bool)
    asked[queries] = True
    groups = np.repeat(asked, sizes)
    rank = rank_of[subtopics.document]
    kept = groups[subtopics.group] & ((subtopics.grade >= 0) | (negative == "nonrelevant"))
    if judgments == "retrieved":
        kept &= np.isfinite(rank)
    group, rank = (np.cumsum(groups) - 1)[subtopics.group[kept]], rank[kept]
    order = np.lexsort((rank, group))
    group, rank = group[order], rank[order]
    grade = np.maximum(subtopics.grade[kept][order], 0.0)
    return replace(
        rows_of_groups(np.repeat(rows.length, sizes[queries]), group, rank, grade),
        group_offsets=np.append(0, np.cumsum(sizes[queries])).astype(np.int64),
        judged_document=subtopics.place[subtopics.document[kept]][order],
    )


MOST_ORDERS = 1000
"""The maximum number of orders of one list to enumerate. If there are more, a sample of this size is drawn."""
SEED = 20_261_121
ROWS_AT_A_TIME = 2**18
MOST_ROWS = 2**25
"""The maximum number of rows in all orders of one list, which need two gigabytes of memory."""

Many: TypeAlias = "tuple[Floats, Floats, bool]"
"""The ranks of a list's rows [orders, rows], the weights [orders], and whether the orders were drawn at random."""


@dataclass(frozen=True, eq=False, repr=False)
class TieOrders:
    """Some lists, each in several orders of its tied documents.

    Args:
        rows: the rows, with every order of every list as a separate list.
        of: the list that each order belongs to [orders].
        weight: the weight of each order in the mean of its list [orders].
        drawn: whether each order was drawn at random because there were too many orders to enumerate [orders].
    """

    rows: JudgedRows
    of: Integers
    weight: Floats
    drawn: Floats


def arranged(rows: JudgedRows, rule: str) -> JudgedRows:
    """Returns the lists with each group of equal scores in its best or its worst order.

    The best order starts with relevant documents, highest grades first, followed by unjudged documents and then by
    documents judged not relevant. The worst order is the reverse.
    """
    rank, grade, order = _native.arranged(
        rows.grade,
        rows.tie_first,
        rows.tie_last,
        rows.offsets,
        best=rule == "optimistic",
        of_zero=MERIT_OF_ZERO,
    )
    listed = None if rows.listed is None else rows.listed[order]
    return replace(rows, rank=rank, grade=grade, listed=listed, document=None)


def extremes(rows: JudgedRows) -> tuple[JudgedRows, Integers]:
    """Returns the lists with ties, first all in their worst order, then all in their best order, and their numbers.

    ``pool_of`` assigns the judgments to the lists.
    """
    rank, grade, order, offsets, tied = _native.extremes(
        rows.grade, rows.tie_first, rows.tie_last, rows.offsets, of_zero=MERIT_OF_ZERO
    )
    both = np.append(tied, tied)
    arranged = replace(
        rows,
        rank=rank,
        grade=grade,
        offsets=offsets,
        **rows.taken(order, "tie_first", "tie_last", "listed"),
        length=rows.length[both],
        pool_of=rows.pools[both],
        scores=None,
        weight=None,
        document=None,
    )
    return arranged, tied


# ---------------------------------------------------------------- many orders of a list


def turned_orders(rows: JudgedRows) -> Iterator[TieOrders]:
    """Yields a few orders whose mean value equals the mean over all orders, for measures that are sums over documents.

    Each tied group is rotated while all other documents keep their ranks, so each document occupies each rank of its
    group once. A group's effect is the mean over its rotations minus the value of the original list. The effects of all
    groups add up.
    """
    return gathered(rows, turned, cells_of_turns)


def all_orders(rows: JudgedRows) -> Iterator[TieOrders]:
    """Yields every distinct order of the tied documents, or a sample of orders with equal weights.

    The sample for a list depends only on that list.
    """
    return gathered(rows, each_or_some, cells_of_sample)


def turned(rank: Floats, grade: Floats, groups: list[Integers], spans: list[tuple[int, int]]) -> Many:
    """Returns the ranks of a list's rows in each rotation of each group, and the weights."""
    del grade
    ranks, weights = [rank[None, :]], [np.array([1.0 - len(groups)])]
    for members, (first, size) in zip(groups, spans, strict=True):
        turns = np.repeat(rank[None, :], size, axis=0)
        turns[:, members] = first + (rank[members] - first + np.arange(size)[:, None]) % size
        ranks.append(turns)
        weights.append(np.full(size, 1.0 / size))
    return np.concatenate(ranks), np.concatenate(weights), False


def each_or_some(rank: Floats, grade: Floats, groups: list[Integers], spans: list[tuple[int, int]]) -> Many:
    """Returns the ranks of a list's rows in all distinct orders, or in a sample of the orders, and the weights."""
    kinds = [kinds_of(grade[members]) for members in groups]
    counts = [placements_count(size, each) for (_, size), each in zip(spans, kinds, strict=True)]
    few = prod(counts) <= MOST_ORDERS
    if few:
        tables = [placements(size, each) for (_, size), each in zip(spans, kinds, strict=True)]
        chosen = np.array(list(product(*(range(count) for count in counts))), np.int64)
        places = [table[chosen[:, group]] for group, table in enumerate(tables)]
    else:
        random = np.random.default_rng(SEED)
        places = [
            drawn_places(random, size, len(members)) for members, (_, size) in zip(groups, spans, strict=True)
        ]
    ranks = np.repeat(rank[None, :], len(places[0]), axis=0)
    for members, (first, _), place in zip(groups, spans, places, strict=True):
        by_kind = members[np.argsort(grade[members], kind="stable")]
        ranks[:, by_kind] = first + place
    return ranks, np.full(len(ranks), 1.0 / len(ranks)), not few


def drawn_places(random: np.random.Generator, size: int, count: int) -> Integers:
    """Draws ``MOST_ORDERS`` samples of ``count`` distinct places from 0 to ``size`` - 1."""
    if from_all(size, count):
        return random.random((MOST_ORDERS, size)).argsort(axis=1)[:, :count]
    places = np.zeros((MOST_ORDERS, count), np.int64)
    for each in range(count):
        place = random.integers(0, size - each, MOST_ORDERS)
        for taken in np.sort(places[:, :each], axis=1).T:
            place += place >= taken
        places[:, each] = place
    return places


def from_all(size: int, count: int) -> bool:
    """Returns whether to draw places by shuffling all places, which is faster if many are drawn."""
    return count * count > 8 * size


def kinds_of(grades: Floats) -> tuple[int, ...]:
    """Counts the documents of each grade, in ascending order of grade."""
    ordered = np.sort(grades)
    edges = np.flatnonzero(np.diff(ordered) != 0) + 1
    return tuple(np.diff(np.append(0, np.append(edges, len(ordered)))).tolist())


def placements_count(size: int, kinds: tuple[int, ...]) -> int:
    """Counts the ways to place documents at ``size`` ranks. Documents of the same kind are interchangeable."""
    count, free = 1, size
    for each in kinds:
        count *= comb(free, each)
        free -= each
    return count


@lru_cache(maxsize=1024)
def placements(size: int, kinds: tuple[int, ...]) -> Integers:
    """Lists the placements that ``placements_count`` counts, as zero-based places, kind by kind [ways, documents]."""
    ways: list[tuple[int, ...]] = [()]
    for each in kinds:
        ways = [
            (*way, *more)
            for way in ways
            for more in combinations([place for place in range(size) if place not in way], each)
        ]
    return np.array(ways, np.int64)


def cells_of_turns(rows: int, groups: list[Integers], spans: list[tuple[int, int]]) -> int:
    """Returns the total number of rows in all rotations of a list."""
    del groups
    return rows * (1 + sum(size for _, size in spans))


def cells_of_sample(rows: int, groups: list[Integers], spans: list[tuple[int, int]]) -> int:
    """Returns the memory that a sample of a list's orders needs, measured in rows or in places to draw from."""
    drawn = (size for members, (_, size) in zip(groups, spans, strict=True) if from_all(size, len(members)))
    return MOST_ORDERS * max(rows, *drawn, 0)


def refuse_too_many(cells: int, place: int, groups: list[Integers], spans: list[tuple[int, int]]) -> None:
    """Refuses a list if its orders exceed the memory limit.

    Raises:
        UncomputableError: the list has too many orders.
    """
    if cells > MOST_ROWS:
        judged, tied = sum(map(len, groups)), sum(size for _, size in spans)
        raise UncomputableError(
            f"{tied:,} documents have equal scores, {judged:,} of them judged, so ties=expected has too many orders "
            f"to enumerate. Choose another rule for ties, such as ties=trec, or write scores with "
            "more digits.",
            place,
        )


def gathered(
    rows: JudgedRows,
    how: Callable[..., Many],
    cells: Callable[[int, list[Integers], list[tuple[int, int]]], int],
) -> Iterator[TieOrders]:
    """Yields the orders of all lists with ties, a few lists at a time.

    Raises:
        UncomputableError: the orders of a list exceed the memory limit.
    """
    tied = rows.tie_last > rows.tie_first
    lists = np.flatnonzero(np.bincount(rows.list_of_row[tied], minlength=len(rows.length)))
    batch: list[tuple[int, Integers, Many]] = []
    held = 0
    for each in lists.tolist():
        part = slice(rows.offsets[each], rows.offsets[each + 1])
        groups, spans = groups_of(rows.tie_first[part], rows.tie_last[part])
        refuse_too_many(cells(part.stop - part.start, groups, spans), each, groups, spans)
        many = how(rows.rank[part], rows.grade[part], groups, spans)
        batch.append((each, np.arange(part.start, part.stop), many))
        judged = rows.judged_offsets[each + 1] - rows.judged_offsets[each]
        held += len(many[0]) * int(part.stop - part.start + judged)
        if held > ROWS_AT_A_TIME:
            yield stacked(rows, batch)
            batch, held = [], 0
    if batch:
        yield stacked(rows, batch)


def groups_of(first: Floats, last: Floats) -> tuple[list[Integers], list[tuple[int, int]]]:
    """Returns a list's groups of equal scores: each group's rows, and its first rank and number of ranks."""
    starts = sorted(set(first[last > first].tolist()))
    groups = [np.flatnonzero(first == start) for start in starts]
    sizes = [int(last[members[0]] - start) + 1 for members, start in zip(groups, starts, strict=True)]
    return groups, [(int(start), size) for start, size in zip(starts, sizes, strict=True)]


def stacked(rows: JudgedRows, batch: list[tuple[int, Integers, Many]]) -> TieOrders:
    """Returns one table for the orders of several lists. Each order becomes a separate list, sorted by rank."""
    of = np.repeat([each for each, _, _ in batch], [len(many) for _, _, (many, _, _) in batch])
    row_counts, judged_counts = np.diff(rows.offsets), np.diff(rows.judged_offsets)
    source = np.concatenate([places[np.argsort(many, axis=1)].ravel() for _, places, (many, _, _) in batch])
    table = replace(
        rows,
        length=rows.length[of],
        offsets=np.append(0, np.cumsum(row_counts[of])),
        **rows.taken(source, *PER_ROW),
        judged_offsets=np.append(0, np.cumsum(judged_counts[of])),
        judged_grades=rows.judged_grades[stretches(judged_counts, of)],
        scores=None,
        weight=None,
    )
    ranks = np.concatenate([np.sort(many, axis=1).ravel() for _, _, (many, _, _) in batch])
    weight = np.concatenate([weights for _, _, (_, weights, _) in batch])
    drawn = np.concatenate([np.full(len(many), float(drawn)) for _, _, (many, _, drawn) in batch])
    return TieOrders(replace(table, rank=ranks), of, weight, drawn)
