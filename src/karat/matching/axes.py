"""Applies settings of the policy to judged rows: negative grades, depth, unjudged documents, given ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from karat.lists.rows import (
    POOLED,
    Floats,
    Integers,
    JudgedRows,
    offsets_of,
    rows_of_groups,
)
from karat.output.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.inputs.qrels import Subtopics


# ---------------------------------------------------------------- one axis each


def without_negative(rows: JudgedRows, rule: str) -> JudgedRows:
    """Turns negative grades into 0, or marks their documents as pooled but unjudged."""
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
    """Selects some of the lists."""
    count = int(lists.sum())
    number = np.cumsum(lists) - 1
    row_lists, judgment_lists = rows.list_of_row, rows.list_of_judgment
    kept = lists[judgment_lists]
    return replace(
        rows.kept(lists[row_lists]),
        length=rows.length[lists],
        offsets=offsets_of(number[row_lists[lists[row_lists]]], count),
        judged_offsets=offsets_of(number[judgment_lists[kept]], count),
        judged_grades=rows.judged_grades[kept],
        scores=None if rows.scores is None else rows.scores[np.repeat(lists, rows.length.astype(np.int64))],
        judged_document=None if rows.judged_document is None else rows.judged_document[kept],
        by_group=None if rows.by_group is None else chosen_groups(rows.by_group, lists),
    )


def chosen_groups(rows: JudgedRows, queries: NDArray[np.bool_]) -> JudgedRows:
    """Selects the lists by judgment group of some queries."""
    sizes = np.diff(cast("Integers", rows.group_offsets))
    offsets = np.append(0, np.cumsum(sizes[queries])).astype(np.int64)
    return replace(chosen(rows, np.repeat(queries, sizes)), group_offsets=offsets)


# ---------------------------------------------------------------- arrays


def ranks_within(offsets: Integers) -> Floats:
    """Returns the ranks 1, 2, 3, … of each list."""
    return (np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], np.diff(offsets))).astype(np.float64)


def finite_only(rows: JudgedRows) -> JudgedRows:
    """Removes the documents with score minus infinity, which come last in each list.

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
    """Puts each document of a run of ranks at its given rank. A gap counts as an unjudged document.

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
        raise DataError(f"found the rank {given.min():g}, but ranks count from 1 (ranks=given).", file=name)
    if ((np.diff(given, prepend=0.0) == 0) & ~starts).any():
        raise DataError(
            "two documents of a list have the same rank, which ranks=given does not allow.",
            file=name,
            remedy="Give them different ranks, or choose ranks=counted.",
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
        documents: the document of each row, as a row of the judgments; -1 for none.
        queries: the query of each list, by its number in the judgments, ascending.
        subtopics: the groups.
        negative: the policy for negative grades.
        judgments: the known judgments: ``all``, or those of ``retrieved`` documents.
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
