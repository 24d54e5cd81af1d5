"""Lists for whole runs. The judged rows of all lists are stored one after another in NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from carob import _native
from carob._dataclasses import replace
from carob._numpy import np
from carob.lists import Gain, Lists, Queries, Rows, gain_of, kept_in, once
from carob.lists.rows import (
    NEVER_POOLED,
    Floats,
    Integers,
    JudgedRows,
    offsets_of,
    stretches,
    untied,
)
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def most_novel(rows: JudgedRows, alpha: float, rel: float) -> JudgedRows:
    """Returns each query's relevant documents in greedy order. Each rank gets the document that adds the most gain.

    Args:
        rows: lists by judgment group.
        alpha: the share of its gain that a group loses with each further relevant document.
        rel: the lowest grade of a relevant document.

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
    """Returns the rank of each document, infinite beyond the depth. Among equal gains, the first document is chosen.

    Documents that are relevant in the same groups have the same gain at every step, so one candidate of each kind is
    enough.

    Args:
        relevant: whether a document is relevant in a group [documents, groups].
        alpha: the share of its gain that a group loses with each further relevant document.
        depth: the number of ranks; None for one rank per document.
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
        # The terms are added one by one, so equal kinds have equal sums.
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


AT_A_TIME = 2**18
"""The number of documents that are processed at once if every rank counts."""
NEVER_REACHED = 2.0**24
"""A step number that is never reached. A list number times this number is still exact in a double."""

FROM_THE_RUN = ("retrieved", "top", "depth", "full", "length")
"""The kinds of ideal rankings that depend on the run. All other kinds depend only on the judgments."""


class Flat(Lists):
    """Ranked lists as flat judged rows.

    Sums are added up from rank 1, as in the loops of trec_eval, so values agree to the last bit.

    Args:
        rows: the table of judged rows.
        every_rank: whether to add a row for each unjudged document, for measures that need these rows.
        best: a cache of ideal rankings and counts of judgments, shared by runs with the same judgments.
    """

    xp: Any = np

    def __init__(
        self, rows: JudgedRows, *, every_rank: bool = False, best: dict[Any, Any] | None = None
    ) -> None:
        """Stores the arguments."""
        self.shared: dict[Any, Any] = {} if best is None else best
        self.rows = fill(rows) if every_rank else rows
        self.uncut, self.asked = self.rows, self.rows.depth
        self.made: dict[Any, Flat] = {}

    # ------------------------------------------------------------ columns

    @property
    def rank(self) -> Rows:
        return cast("Rows", self.rows.rank)

    @property
    def grade(self) -> Rows:
        return cast("Rows", self.rows.grade)

    @property
    def length(self) -> Queries:
        return cast("Queries", self.rows.length)

    @property
    def offsets(self) -> Integers:
        """The places where each list's rows begin and end [lists + 1]."""
        return self.rows.offsets

    def every(self, number: float) -> Queries:
        return cast("Queries", np.full(len(self.rows.length), float(number)))

    @property
    def tied_rank(self) -> Rows:
        last = np.minimum(self.rows.tie_last, cast("Floats", self.spread(self.length)))
        return cast("Rows", (self.rows.tie_first + last) / 2.0)

    @property
    def listed(self) -> Rows:
        return self.rank if self.rows.listed is None else cast("Rows", self.rows.listed)

    def first_of(self, which: Any) -> tuple[int, float]:
        row = int(np.argmax(which))
        if len(which) == len(self.rows.grade):
            return int(self.rows.list_of_row[row]), float(self.rows.grade[row])
        return row, float(cast("Floats", self.highest_grade())[row])

    def n_graded(self, lowest: float, below: float) -> Queries:
        grades = self.rows.judged_grades
        return self.counted_once(("graded", lowest, below), lambda: (grades >= lowest) & (grades < below))

    def n_worth(self, gain: Gain) -> Queries:
        return self.counted_once(("worth", gain), lambda: gain_of(np, self.rows.judged_grades, gain) > 0)

    def counted_once(self, name: Any, which: Callable[[], NDArray[np.bool_]]) -> Queries:
        """Returns the number of marked judgments of each query. It is cached under ``name`` for other runs."""
        if name not in self.shared:
            self.shared[name] = np.asarray(_native.count(which(), self.rows.judged_offsets))
            self.shared[name].flags.writeable = False
        return self.of_lists(self.shared[name])

    def highest_grade(self) -> Queries:
        return self.of_lists(np.asarray(_native.best(self.rows.judged_grades, self.rows.judged_offsets)))

    def of_lists(self, values: Floats) -> Queries:
        """Returns a number for each list, from a number for each set of judgments."""
        return cast("Queries", values if self.rows.pool_of is None else values[self.rows.pool_of])

    # ------------------------------------------------------------ other lists

    @once
    def top(self, depth: int) -> Flat:
        rows = kept_down_to(self.rows, np.full(len(self.rows.length), float(depth)))
        cut = Flat(replace(rows, depth=depth), best=self.shared)
        cut.uncut = self.uncut
        return cut

    def ideal(self, gain: Gain, of: str) -> Flat:
        pools, depth = self.rows.pool_of, None if of == "uncut" else self.rows.depth
        if of in FROM_THE_RUN:
            return cast("Flat", kept_in(self.made, (gain, of, depth), lambda: self.best_lists(gain, of)))
        uncut = cast("Flat", kept_in(self.shared, (gain, of), lambda: self.best_lists(gain, of)))
        best = uncut if depth is None else uncut.top(depth)
        return best if pools is None else SharedLists(best, pools)

    @property
    @once
    def groups(self) -> Flat:
        if self.rows.group_offsets is not None:
            return self
        by_group = self.rows.by_group
        if by_group is None:
            raise DataError(
                "This measure averages over judgment groups, but these judgments have no groups: pass qrels whose "
                "second column contains subtopics, or evaluate a file of judgment groups with 'carob trec-eval -R "
                "qrels_jg'."
            )
        apart = self.shared.setdefault("groups", {})
        every, depth = Flat(by_group, best=apart), self.rows.depth
        return every if depth is None else every.top(depth)

    def over_groups(self, values: Queries) -> Queries:
        counts = np.diff(cast("Integers", self.groups.rows.group_offsets))
        return cast("Queries", cast("Floats", self.total_over_groups(values)) / counts)

    def total_over_groups(self, values: Queries) -> Queries:
        offsets = cast("Integers", self.groups.rows.group_offsets)
        return cast("Queries", _native.total(cast("Floats", values), offsets))

    def most_novel(self, alpha: float, rel: float) -> Lists:
        if self.rows.judged_document is None:
            return super().most_novel(alpha, rel)
        name = ("most novel", alpha, rel, self.rows.depth)
        return cast("Flat", kept_in(self.shared, name, lambda: Flat(most_novel(self.rows, alpha, rel))))

    # ------------------------------------------------------------ primitives

    def total(self, rows: Rows) -> Queries:
        return cast("Queries", _native.total(cast("Floats", rows), self.rows.offsets))

    def best(self, rows: Rows) -> Queries:
        return cast("Queries", _native.best(cast("Floats", rows), self.rows.offsets))

    def running(self, rows: Rows) -> Rows:
        return cast("Rows", _native.running_sum(cast("Floats", rows), self.rows.offsets))

    def product_above(self, rows: Rows) -> Rows:
        values, offsets = cast("Floats", rows), self.rows.offsets
        product = np.asarray(_native.running_product(values, offsets))
        shifted = np.append(1.0, product)[: len(product)]
        shifted[offsets[:-1][np.diff(offsets) > 0]] = 1.0
        return cast("Rows", shifted)

    def following(self, rows: Rows) -> Rows:
        values = cast("Floats", rows)
        following = np.append(values[1:], np.nan)
        offsets = self.rows.offsets
        following[offsets[1:][np.diff(offsets) > 0] - 1] = np.nan
        return cast("Rows", following)

    def spread(self, values: Queries) -> Rows:
        return cast("Rows", np.repeat(cast("Floats", values), np.diff(self.rows.offsets)))

    def running_of(self, other: Lists, rows: Rows) -> Rows:
        theirs = cast("Flat", other)
        reached = np.append(0.0, cast("Floats", theirs.running(rows)))
        lists = self.rows.list_of_row
        if isinstance(theirs, SharedLists):
            lists = theirs.pools[lists]
        position = np.searchsorted(place(theirs.rows), place(self.rows, lists), side="right")
        none = position == theirs.rows.offsets[lists]
        return cast("Rows", np.where(none, 0.0, reached[position]))

    def latest(self, rows: Rows) -> Rows:
        places, offsets = cast("Floats", self.listed), self.rows.offsets
        source = np.empty(len(places), np.int64)
        for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            leads = places[start:stop] == np.maximum.accumulate(places[start:stop])
            source[start:stop] = np.maximum.accumulate(np.where(leads, np.arange(start, stop), 0))
        return cast("Rows", cast("Floats", rows)[source])

    def outranked(self, rows: Rows, then: Rows) -> Rows:
        first, offsets = self.rows.tie_first, self.rows.offsets
        key, other, found = cast("Floats", rows), cast("Floats", then), np.zeros(len(first))
        for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            step, its = max(1, AT_A_TIME // max(1, stop - start)), slice(start, stop)
            for begin in range(start, stop, step):
                mine = slice(begin, min(begin + step, stop))
                a, b, place = key[mine, None], other[mine, None], first[mine, None]
                less = (key[its] < a) | ((key[its] == a) & (other[its] < b))
                below = (first[its] > place) + 0.5 * (first[its] == place)
                found[mine] = (less * below).sum(axis=1)
        return cast("Rows", found)

    def powers(self, base: float, exponents: Any) -> Any:
        table = np.append(1.0, np.cumprod(np.full(int(exponents.max(initial=0.0)), base)))
        return table[exponents.astype(np.int64)]

    def all_above(self, rows: Rows | float) -> Rows:
        table = self.rows
        own, weight = table.score, table.weight
        if own is None:
            return super().all_above(rows)
        counted: Any = rows
        if isinstance(rows, (int, float)):
            among, of_list, counted = cast("Floats", table.scores), table.length.astype(np.int64), float(rows)
        else:
            among, of_list = own, np.diff(table.offsets)
        weights = (
            np.broadcast_to(counted, among.shape) if weight is None else counted * np.repeat(weight, of_list)
        )
        # Counting the scores at each level is cheaper than sorting all scores, because there are few levels.
        levels = np.sort(own)
        place = np.searchsorted(levels, among)
        reached = np.append(levels, np.nan)[place] == among
        up_to = np.cumsum(np.bincount(place, weights, len(levels) + 1))
        equal = np.bincount(place[reached], weights[reached], len(levels) + 1)
        of_row = np.searchsorted(levels, own)
        return cast("Rows", up_to[-1] - up_to[of_row] + equal[of_row] / 2.0)

    def all_total(self, values: Queries) -> Queries:
        numbers, weight = cast("Floats", values), self.rows.weight
        whole = numbers if weight is None else numbers * weight
        return cast("Queries", np.full(len(numbers), whole.sum()))

    def total_unjudged(self, p: float) -> Queries:
        # The terms are added rank by rank as in trec_eval (m_rbp_resid.c), a few lists at a time to save memory.
        rows = self.rows
        ends = np.append(0, np.cumsum(rows.length.astype(np.int64)))
        totals: list[Floats] = [np.zeros(0)]
        first = 0
        while first < len(rows.length):
            last = max(first + 1, int(np.searchsorted(ends, ends[first] + AT_A_TIME, side="right")) - 1)
            offsets = ends[first : last + 1] - ends[first]
            rank = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
            weight = self.powers(p, rank.astype(np.float64))
            part = slice(rows.offsets[first], rows.offsets[last])
            of_list = np.repeat(np.arange(last - first), np.diff(rows.offsets[first : last + 1]))
            place = offsets[of_list] + rows.rank[part].astype(np.int64) - 1
            weight[place[rows.grade[part] >= 0]] = 0.0
            totals.append(np.asarray(_native.total(weight, offsets)))
            first = last
        return cast("Queries", np.concatenate(totals))

    # ------------------------------------------------------------ how other lists are made

    def best_lists(self, gain: Gain, of: str) -> Flat:
        """Returns the ideal ranking: all documents with a positive gain, highest gain first.

        An ideal ranking that depends on the run is cut at the depth.
        """
        lists, grades = self.candidates(of)
        judged, pools = (self.rows.judged_offsets, self.rows.judged_grades), self.rows.pool_of
        shared = of not in FROM_THE_RUN
        counts = np.diff(judged[0]).astype(np.float64) if shared else self.rows.length
        found = untied(counts, lists, grades, grades, *judged)
        worth = cast("Floats", Flat(found).gains(gain))
        if of == "trec_eval" and isinstance(gain, tuple):
            kept = trec_eval_order(found, gain)
        else:
            # Few judgments have a positive gain, and only these judgments are sorted.
            gaining = np.flatnonzero(worth > 0)
            order = _native.descending(worth[gaining], offsets_of(lists[gaining], len(counts)))
            kept = gaining[order]
        offsets = offsets_of(lists[kept], len(counts))
        length = np.diff(offsets).astype(np.float64)
        rank = (np.arange(1, len(kept) + 1) - np.repeat(offsets[:-1], np.diff(offsets))).astype(np.float64)
        ordered = untied(length, lists[kept], rank, grades[kept], *judged)
        if shared:
            return Flat(ordered)
        ordered = replace(ordered, pool_of=pools)
        if of == "length":
            return Flat(kept_down_to(ordered, self.rows.length))
        return Flat(ordered) if self.rows.depth is None else Flat(ordered).top(self.rows.depth)

    def candidates(self, of: str) -> tuple[Integers, Floats]:
        """Returns the list number and the grade of each document that can be in the ideal ranking."""
        if of == "retrieved":
            return self.uncut.list_of_row, self.uncut.grade
        if of == "top":
            return self.rows.list_of_row, self.rows.grade
        if of in ("depth", "full"):
            asked = cast("Floats", self.depth if of == "depth" else self.length).astype(np.int64)
            return np.repeat(np.arange(len(asked)), asked), np.ones(int(asked.sum()))
        if of == "length" and self.rows.pool_of is not None:
            counts, pools = np.diff(self.rows.judged_offsets), self.rows.pool_of
            return np.repeat(np.arange(len(pools)), counts[pools]), self.rows.judged_grades[
                stretches(counts, pools)
            ]
        return self.rows.list_of_judgment, self.rows.judged_grades


class SharedLists(Flat):
    """Lists that each stand for several lists of another table, for example an ideal ranking for several runs.

    Args:
        lists: the lists.
        pools: for each list of the other table, the number of the list that stands for it.
    """

    def __init__(self, lists: Flat, pools: Integers) -> None:
        """Stores the arguments."""
        super().__init__(lists.rows, best=lists.shared)
        self.lists, self.pools, self.uncut = lists, pools, lists.uncut

    @property
    def length(self) -> Queries:
        return self.of_lists(self.rows.length)

    def every(self, number: float) -> Queries:
        return cast("Queries", np.full(len(self.pools), float(number)))

    def of_lists(self, values: Floats) -> Queries:
        return cast("Queries", values[self.pools])

    @once
    def top(self, depth: int) -> Flat:
        return SharedLists(self.lists.top(depth), self.pools)

    def total(self, rows: Rows) -> Queries:
        return self.of_lists(cast("Floats", super().total(rows)))

    def best(self, rows: Rows) -> Queries:
        return self.of_lists(cast("Floats", super().best(rows)))

    def spread(self, values: Queries) -> Rows:
        # Lists of the other table with the same judgments have the same value, so any of these values may be used.
        own = np.zeros(len(self.rows.length))
        own[self.pools] = cast("Floats", values)
        return super().spread(cast("Queries", own))


def kept_down_to(rows: JudgedRows, last: Floats) -> JudgedRows:
    """Returns the rows of each list down to the rank in ``last``."""
    if (rows.length <= last).all():
        return rows
    kept = rows.kept(rows.rank <= np.repeat(last, np.diff(rows.offsets)))
    length = np.minimum(rows.length, last)
    return replace(kept, length=length, scores=rows.scores_down_to(length))


def fill(rows: JudgedRows) -> JudgedRows:
    """Returns the lists with a row for every rank. The added rows stand for documents outside the pool."""
    if rows.listed is not None:
        return rows  # If the order of lines is known, each rank already has a row.
    lengths = rows.length.astype(np.int64)
    offsets = np.append(0, np.cumsum(lengths))
    ranks = (np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], lengths)).astype(np.float64)
    place = offsets[rows.list_of_row] + rows.rank.astype(np.int64) - 1
    grade, first, last = np.full(len(ranks), NEVER_POOLED), ranks.copy(), ranks.copy()
    grade[place], first[place], last[place] = rows.grade, rows.tie_first, rows.tie_last
    return replace(
        rows, offsets=offsets, rank=ranks, grade=grade, tie_first=first, tie_last=last, document=None
    )


def place(rows: JudgedRows, lists: Integers | None = None) -> Integers:
    """Returns keys that sort the rows by list, then by rank. ``lists`` replaces the list numbers of the rows."""
    return (rows.list_of_row if lists is None else lists) * 2**32 + rows.rank.astype(np.int64)


def trec_eval_order(found: JudgedRows, gain: tuple[tuple[float, float], ...]) -> Integers:
    """Returns the judgments in the order of trec_eval's ideal ranking for gains that are given as a table.

    trec_eval sorts the table with a comparison that truncates the difference of two gains to a whole number
    (``comp_rel_gain``), so gains less than 1 apart keep the order in which they were given. trec_eval then reads the
    table from the end until it reaches a grade that occurs and has no positive gain. The table has an entry for each
    whole grade up to the highest grade of the query, so queries with the same highest grade share a table.
    """
    levels = distinct(found.grade)
    highest = np.asarray(_native.best(found.grade, found.offsets)).astype(np.int64)
    tops = distinct(highest)
    table = np.stack([steps_of(levels, int(top), gain) for top in tops]) if len(tops) else np.zeros((0, 0, 2))
    lists, level = found.list_of_row, np.searchsorted(levels, found.grade)
    step, worthless = np.moveaxis(table[np.searchsorted(tops, highest)[lists], level], 1, 0)
    # The step at which trec_eval stops for each list. It is written as a maximum, because the kernel can compute
    # maxima.
    left = np.asarray(_native.best(worthless * (NEVER_REACHED - step), found.offsets))
    kept = np.flatnonzero(step < (NEVER_REACHED - left)[lists])
    order: Integers = kept[np.argsort(lists[kept] * NEVER_REACHED + step[kept], kind="stable")]
    return order


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Returns the distinct values in ascending order."""
    ordered = np.sort(values)
    different: NDArray[Any] = ordered[np.append(True, np.diff(ordered) > 0)[: len(ordered)]]
    return different


def steps_of(levels: Floats, highest: int, gain: tuple[tuple[float, float], ...]) -> Floats:
    """Returns the step at which trec_eval reaches each grade, and 1 if the grade has no positive gain [levels, 2]."""
    steps = np.full((len(levels), 2), [NEVER_REACHED, 0.0])
    ordered = merge_sort(levels_up_to(highest, gain))
    if ordered[-1][1] > 0:
        for step, (level, value) in enumerate(reversed(ordered)):
            steps[levels == level] = step, value <= 0
    return steps


def levels_up_to(highest: int, gain: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    """Returns the table that trec_eval sorts: the given gains, then all other whole grades with themselves as gains."""
    named = dict(gain)
    return [*gain, *((float(level), float(level)) for level in range(highest + 1) if level not in named)]


def merge_sort(table: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Sorts like glibc's merge sort. The algorithm matters, as truncated differences are not a consistent order."""
    if len(table) <= 1:
        return table
    half = len(table) // 2
    left, right = merge_sort(table[:half]), merge_sort(table[half:])
    merged = []
    while left and right:
        smaller = left if whole_difference(left[0][1], right[0][1]) <= 0 else right
        merged.append(smaller.pop(0))
    return merged + left + right


def whole_difference(a: float, b: float) -> int:
    """Returns the difference as a C int. If it does not fit, the result is the lowest int, as on x86."""
    difference = a - b
    return int(difference) if abs(difference) < 2**31 else -(2**31)
