"""Defines the table of judged rows, which contains all the data that measures need from a run."""

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
"""The columns with a number per row that are kept in a part of the lists."""

NEVER_POOLED, POOLED = -1.0, -2.0
"""The grade of a document outside the judgment pool, and the grade of a document that was pooled but not judged."""
MERIT_OF_ZERO = POOLED - 1.0
"""The merit of grade 0 when tied documents are ordered by grade. It is below the merit of an unjudged document."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRows:
    """Ranked lists reduced to their judged documents.

    Every source of rankings (a file, a frame, a Spark job, a GPU batch) produces this table.

    Args:
        length: the number of documents retrieved in each list [lists].
        offsets: where each list's rows begin and end [lists + 1].
        rank: the rank of each row in its full list, from 1, ascending within a list [rows].
        grade: the grade of each row, ``POOLED`` or ``NEVER_POOLED`` [rows].
        tie_first: the first rank that shares the row's score [rows].
        tie_last: the last rank that shares the row's score [rows].
        judged_offsets: where each list's judgments begin and end [lists + 1].
        judged_grades: every grade of 0 or more in the list's judgments, retrieved or not [judgments].
        depth: the depth of the cut, or None.
        listed: the line number of each row's document in the run, from 1; None if the policy ignores line numbers
            [rows].
        group_offsets: where each query's lists begin and end, if there is one list per judgment group [queries + 1].
        scores: the scores of all retrieved documents, list by list in rank order; None if not needed or not available
            [documents].
        weight: the weight of each list when documents of different lists are compared; None for equal weights [lists].
        document: the number of each row's judgment, -1 without a judgment; None without judgment groups [rows].
        judged_document: the number of each judgment's document, the same in all groups of a query [judgments].
        by_group: the table with each list once per judgment group; None without groups.
        pool_of: for each list, the number of its judgments, if several lists share judgments; None if list ``i`` has
            judgments ``i`` [lists].
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
        """Returns a table with the lists from number ``first`` to ``last`` - 1."""
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
        """Returns a table with only the marked rows. The lengths and scores of the whole lists are kept."""
        places = np.flatnonzero(which)  # a mask would have to be searched again for each column
        return replace(
            self,
            offsets=np.append(0, np.cumsum(which))[self.offsets],
            **self.taken(places, *PER_ROW, "document"),
        )

    @property
    def relevant(self) -> JudgedRows:
        """The table without the rows that have a grade of 0 or less. The judgments remain complete."""
        which = self.grade > 0
        return self if which.all() else self.kept(which)

    def taken(self, places: Any, *names: str) -> dict[str, Any]:
        """Returns the elements at ``places`` of the named columns. Columns that are None stay None."""
        columns = {name: getattr(self, name) for name in names}
        return {name: None if column is None else column[places] for name, column in columns.items()}

    def scores_down_to(self, length: Floats) -> Floats | None:
        """Returns the scores of the first ``length`` documents in each list, or None if there are no scores."""
        if self.scores is None:
            return None
        start = self.document_offsets[:-1]
        rank = np.arange(1, len(self.scores) + 1) - np.repeat(start, self.length.astype(np.int64))
        return self.scores[rank <= np.repeat(length, self.length.astype(np.int64))]

    @property
    def document_offsets(self) -> Integers:
        """The offsets at which each list's documents begin and end in ``scores``."""
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
        """The number of each row's list."""
        return np.repeat(np.arange(len(self.length)), np.diff(self.offsets))

    @property
    def list_of_judgment(self) -> Integers:
        """The number of each judgment's list or, if lists share judgments, the number to which ``pool_of`` refers."""
        counts = np.diff(self.judged_offsets)
        return np.repeat(np.arange(len(counts)), counts)


def joined(parts: list[JudgedRows], order: Integers) -> JudgedRows:
    """Combines the lists of several tables in one table, in the given order."""
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
    """Combines the lists of several tables with the same judgments in one table, one table after the other.

    The columns per row and the lengths are kept, and ``pool_of`` refers to the shared judgments.
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
    """Returns the indices of all elements in the given segments, segment by segment in ``order``."""
    starts, sizes = (np.cumsum(counts) - counts)[order], counts[order]
    before = np.cumsum(sizes) - sizes
    places: Integers = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return places


def rows_of_groups(length: Floats, group: Integers, rank: Floats, grade: Floats) -> JudgedRows:
    """Returns a table with a list for each judgment group, without ties.

    Args:
        length: the number of retrieved documents [groups].
        group: the number of each judgment's group, ascending [judgments].
        rank: the rank of each judgment's document, ascending within a group; infinite if the document was not retrieved
            [judgments].
        grade: the grade of each judgment [judgments].
    """
    seen = np.isfinite(rank)
    return untied(length, group[seen], rank[seen], grade[seen], offsets_of(group, len(length)), grade)


def untied(
    length: Floats, lists: Integers, rank: Floats, grade: Floats, judged_offsets: Integers, judged: Floats
) -> JudgedRows:
    """Returns a table without ties, given the list, the rank and the grade of each row."""
    offsets = offsets_of(lists, len(length))
    return JudgedRows(length, offsets, rank, grade, rank, rank, judged_offsets, judged)


def offsets_of(lists: NDArray[Any], count: int) -> Integers:
    """Returns the offsets at which each of ``count`` lists begins and ends in rows with ascending list numbers."""
    return np.searchsorted(lists, np.arange(count + 1)).astype(np.int64)


def refuse_more_than_judged(
    lists: NDArray[Any], grades: NDArray[Any], pool_lists: NDArray[Any], pool: NDArray[Any], first: int = 0
) -> None:
    """Refuses lists that contain more documents with a positive grade than the judgments do.

    Only positive grades are compared, because documents of grade 0 may be omitted from the judgments. After this check,
    no list can be better than the ideal ranking, so measures stay within their range.

    Args:
        lists: the list of each ranked document [documents].
        grades: the grade of each ranked document [documents].
        pool_lists: the list of each judgment [judgments].
        pool: the grade of each judgment [judgments].
        first: the number of lists before these lists, for the error message.

    Raises:
        DataError: a list contains more documents of a grade than the judgments do.
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
