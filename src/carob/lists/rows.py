"""The table of judged rows, the only data that measures need from a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.output.errors import DataError, Worded
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Integers: TypeAlias = "NDArray[np.int64]"

PER_ROW = ("rank", "grade", "tie_first", "tie_last", "listed")
"""The columns with a number for each row that a part of the lists keeps."""

NEVER_POOLED, POOLED = -1.0, -2.0
"""The grade of a document outside the judgment pool, and of a document that was pooled but left unjudged."""
MERIT_OF_ZERO = POOLED - 1.0
"""The merit of grade 0 where tied documents are ordered by grade: less than that of an unjudged document."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRows:
    """Ranked lists reduced to their judged documents.

    Every source of rankings (a file, a frame, a Spark job, a GPU batch) produces this table.

    Args:
        length: the number of documents retrieved, per list [lists].
        offsets: where each list's rows begin and end [lists + 1].
        rank: the rank of each row in its full list, from 1, ascending within a list [rows].
        grade: the grade of each row, or ``POOLED`` / ``NEVER_POOLED`` [rows].
        tie_first: the first rank that shares the row's score [rows].
        tie_last: the last rank that shares the row's score [rows].
        judged_offsets: where each list's judgments begin and end [lists + 1].
        judged_grades: every grade of 0 or more in the list's judgments, retrieved or not [judgments].
        depth: the depth of the cut, or None.
        listed: the line of each row's document in the run, from 1; None if the policy ignores it [rows].
        group_offsets: where each query's lists begin and end, if there is one per judgment group [queries + 1].
        scores: the scores of all retrieved documents, list by list in rank order; None if not needed or not available
            [documents].
        weight: the weight of each list where documents of different lists are compared; None for 1 [lists].
        document: the number of each row's judgment, -1 for none; None without judgment groups [rows].
        judged_document: the number of each judgment's document, the same in all groups of a query [judgments].
        by_group: the lists once per judgment group; None without groups.
        pool_of: the judgments of each list, by their number, if several lists share judgments; None if each list has
            the judgments of its own number [lists].
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
    listed: Floats | None = None
    group_offsets: Integers | None = None
    scores: Floats | None = None
    weight: Floats | None = None
    document: Integers | None = None
    judged_document: Integers | None = None
    by_group: JudgedRows | None = None
    pool_of: Integers | None = None

    def part(self, first: int, last: int) -> JudgedRows:
        """Returns the lists with the numbers from ``first`` to ``last`` - 1."""
        rows = slice(self.offsets[first], self.offsets[last])
        judgments = slice(self.judged_offsets[first], self.judged_offsets[last])
        documents = None if self.scores is None else slice(*self.document_offsets[[first, last]])
        return replace(
            self,
            offsets=self.offsets[first : last + 1] - rows.start,
            judged_offsets=self.judged_offsets[first : last + 1] - judgments.start,
            **self.taken(rows, *PER_ROW),
            **self.taken(judgments, "judged_grades"),
            **self.taken(documents, "scores"),
            **self.taken(slice(first, last), "length", "weight"),
            document=None,
            by_group=None,
        )

    def kept(self, which: NDArray[np.bool_]) -> JudgedRows:
        """Returns a table with some of the rows. The lengths and scores of the whole lists are kept."""
        places = np.flatnonzero(which)  # a mask would have to be searched again for each column
        return replace(
            self,
            offsets=np.append(0, np.cumsum(which))[self.offsets],
            **self.taken(places, *PER_ROW, "document"),
        )

    @property
    def relevant(self) -> JudgedRows:
        """The table without the rows of grade 0 or less. The judgments remain complete."""
        which = self.grade > 0
        return self if which.all() else self.kept(which)

    def taken(self, places: Any, *names: str) -> dict[str, Any]:
        """Returns the named columns at some places, with None for columns that are None."""
        columns = {name: getattr(self, name) for name in names}
        return {name: None if column is None else column[places] for name, column in columns.items()}

    def scores_down_to(self, length: Floats) -> Floats | None:
        """Returns the scores of the first ``length`` documents of each list, or None if there are no scores."""
        if self.scores is None:
            return None
        start = self.document_offsets[:-1]
        rank = np.arange(1, len(self.scores) + 1) - np.repeat(start, self.length.astype(np.int64))
        return self.scores[rank <= np.repeat(length, self.length.astype(np.int64))]

    @property
    def document_offsets(self) -> Integers:
        """Returns the offsets at which each list's documents begin and end in ``scores``."""
        return np.append(0, np.cumsum(self.length)).astype(np.int64)

    @property
    def score(self) -> Floats | None:
        """The score of each row."""
        if self.scores is None:
            return None
        return self.scores[self.document_offsets[self.list_of_row] + self.rank.astype(np.int64) - 1]

    @property
    def pools(self) -> Integers:
        """The number of each list's judgments."""
        return np.arange(len(self.length)) if self.pool_of is None else self.pool_of

    @property
    def list_of_row(self) -> Integers:
        """The list of each row."""
        return np.repeat(np.arange(len(self.length)), np.diff(self.offsets))

    @property
    def list_of_judgment(self) -> Integers:
        """The list of each judgment, or the number in ``pool_of`` if lists share judgments."""
        counts = np.diff(self.judged_offsets)
        return np.repeat(np.arange(len(counts)), counts)


def joined(parts: list[JudgedRows], order: Integers) -> JudgedRows:
    """Returns one table with the lists of several tables, in the given order."""
    length = np.concatenate([part.length for part in parts])
    row_counts = np.concatenate([np.diff(part.offsets) for part in parts])
    judged_counts = np.concatenate([np.diff(part.judged_offsets) for part in parts])
    rows, judgments = stretches(row_counts, order), stretches(judged_counts, order)
    documents = stretches(length.astype(np.int64), order)

    def together(name: str, places: Integers) -> Any:
        columns = [getattr(part, name) for part in parts]
        return None if any(column is None for column in columns) else np.concatenate(columns)[places]

    return replace(
        parts[0],
        length=length[order],
        offsets=np.append(0, np.cumsum(row_counts[order])),
        **{name: together(name, rows) for name in PER_ROW},
        judged_offsets=np.append(0, np.cumsum(judged_counts[order])),
        judged_grades=together("judged_grades", judgments),
        scores=together("scores", documents),
        weight=together("weight", order),
    )


def stacked(tables: Sequence[JudgedRows]) -> JudgedRows:
    """Returns one table with the lists of several tables, one table after the other, which all have the same judgments.

    Each list keeps its row columns and its length, and refers to its judgments by ``pool_of``.
    """
    first = tables[0]
    if len(tables) == 1:
        return first
    before = np.cumsum([0, *(len(each.rank) for each in tables)])
    offsets = [each.offsets[:-1] + start for each, start in zip(tables, before)]
    columns: dict[str, Any] = {}
    for name in (*PER_ROW, "length"):
        parts = [getattr(each, name) for each in tables]
        columns[name] = None if parts[0] is None else np.concatenate(parts)
    return replace(
        first,
        offsets=np.append(np.concatenate(offsets), before[-1]),
        **columns,
        pool_of=np.concatenate([each.pools for each in tables]),
        scores=None,
        weight=None,
        document=None,
    )


def stretches(counts: Integers, order: Integers) -> Integers:
    """Returns the indices of all elements of some segments, in the order of the given segments."""
    starts, sizes = (np.cumsum(counts) - counts)[order], counts[order]
    before = np.cumsum(sizes) - sizes
    places: Integers = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return places


def rows_of_groups(length: Floats, group: Integers, rank: Floats, grade: Floats) -> JudgedRows:
    """Returns a table with a list for each judgment group, without ties.

    Args:
        length: the number of retrieved documents [groups].
        group: the number of each judgment's group, ascending [judgments].
        rank: the rank of each judgment's document, ascending within a group; infinite if it was not retrieved
            [judgments].
        grade: the grade of each judgment [judgments].
    """
    seen = np.isfinite(rank)
    return untied(length, group[seen], rank[seen], grade[seen], offsets_of(group, len(length)), grade)


def untied(
    length: Floats, lists: Integers, rank: Floats, grade: Floats, judged_offsets: Integers, judged: Floats
) -> JudgedRows:
    """Returns a table without ties, from the list, the rank and the grade of each row."""
    offsets = offsets_of(lists, len(length))
    return JudgedRows(length, offsets, rank, grade, rank, rank, judged_offsets, judged)


def offsets_of(lists: NDArray[Any], count: int) -> Integers:
    """Returns the offsets at which each of ``count`` lists begins and ends in rows with ascending list numbers."""
    return np.searchsorted(lists, np.arange(count + 1)).astype(np.int64)


def refuse_more_than_judged(
    lists: NDArray[Any], grades: NDArray[Any], pool_lists: NDArray[Any], pool: NDArray[Any], first: int = 0
) -> None:
    """Refuses lists that rank more documents of a positive grade than the judgments contain.

    Only positive grades are compared, since documents of grade 0 may be left out of the judgments. After this check no
    list is better than the ideal ranking, so measures stay within their range.

    Args:
        lists: the list of each ranked document [documents].
        grades: the grade of each ranked document [documents].
        pool_lists: the list of each judgment [judgments].
        pool: the grade of each judgment [judgments].
        first: the number of lists before these ones, for the error message.

    Raises:
        DataError: a list ranks more documents of a grade than the judgments contain.
    """
    ranked, known = grades > 0, pool > 0
    if not ranked.any():
        return
    lists = np.append(lists[ranked], pool_lists[known])
    values = np.append(grades[ranked], pool[known])
    counts = np.append(np.ones(int(ranked.sum())), -np.ones(int(known.sum())))
    order = np.lexsort((values, lists))
    lists, values, counts = lists[order], values[order], counts[order]
    starts = np.flatnonzero(np.append(True, (np.diff(lists) != 0) | (np.diff(values) != 0)))
    over = np.add.reduceat(counts, starts) > 0
    if not over.any():
        return
    begin, end = starts[over][0], np.append(starts[1:], len(counts))[over][0]
    its = int((counts[begin:end] > 0).sum())
    whole = Worded("judged=", "--judged")
    raise DataError(
        filled(
            "Query number {query} ranks {ranked:document} of grade {grade}, but has only {judged:judgment} "
            "of this grade. {whole} needs all grades of the query's judgments, retrieved or not: add the "
            "missing grades, or leave out {whole}.",
            query=first + int(lists[begin]) + 1,
            ranked=its,
            judged=int(end - begin) - its,
            grade=f"{values[begin]:g}",
            whole=whole,
        )
    )
