"""The table of judged rows: parts and unions of it, its offsets, and lists that rank more than was judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from carob import DataError, Policy
from carob.lists.rows import (
    PER_ROW,
    JudgedRows,
    joined,
    offsets_of,
    refuse_more_than_judged,
    rows_of_groups,
    stacked,
    stretches,
)
from carob.matching.match import match_grades


def table() -> JudgedRows:
    """Two lists: judged at ranks 1 and 3 of three documents, and at rank 2 of two."""
    rows = match_grades([[1, None, 0], [None, 2]], [[1, 0, 1], [2, 0]], Policy()).rows
    return replace(rows, scores=np.array([9.0, 8.0, 7.0, 0.5, 0.25]))


def plain(rows: JudgedRows) -> dict[str, object]:
    names = ("length", "offsets", *PER_ROW, "judged_offsets", "judged_grades", "scores")
    columns = {name: getattr(rows, name) for name in names}
    return {name: None if column is None else column.tolist() for name, column in columns.items()}


def test_a_part_has_its_lists_with_offsets_from_0() -> None:
    last = table().part(1, 2)
    found = plain(last)
    assert found["length"] == [2.0]
    assert found["offsets"] == [0, 1]
    assert (found["rank"], found["grade"]) == ([2.0], [2.0])
    assert found["judged_offsets"] == [0, 2]
    assert found["judged_grades"] == [2.0, 0.0]
    assert found["scores"] == [0.5, 0.25]
    assert last.score is not None
    assert last.score.tolist() == [0.25]


def test_rows_that_are_left_out_leave_lists_and_judgments_as_they_are() -> None:
    relevant = table().relevant
    assert relevant.offsets.tolist() == [0, 1, 2]
    assert (relevant.rank.tolist(), relevant.grade.tolist()) == ([1.0, 2.0], [1.0, 2.0])
    assert relevant.list_of_row.tolist() == [0, 1]
    assert relevant.length.tolist() == [3.0, 2.0]
    assert relevant.list_of_judgment.tolist() == [0, 0, 0, 1, 1]
    assert relevant.relevant is relevant
    first = relevant.scores_down_to(np.array([2.0, 1.0]))
    assert first is not None
    assert first.tolist() == [9.0, 8.0, 0.5]


def test_parts_are_joined_in_a_given_order() -> None:
    rows = table()
    again = joined([rows.part(1, 2), rows.part(0, 1)], np.array([1, 0]))
    assert plain(again) == plain(rows)


def test_tables_of_the_same_judgments_are_stacked_and_share_them() -> None:
    rows = table()
    both = stacked([rows, rows.relevant])
    assert both.length.tolist() == [3.0, 2.0, 3.0, 2.0]
    assert both.offsets.tolist() == [0, 2, 3, 4, 5]
    assert both.rank.tolist() == [1.0, 3.0, 2.0, 1.0, 2.0]
    assert both.pools.tolist() == [0, 1, 0, 1]
    assert both.judged_grades.tolist() == rows.judged_grades.tolist()
    assert stacked([rows]) is rows


def test_offsets_and_stretches_count_empty_lists() -> None:
    assert offsets_of(np.array([0, 0, 2]), 4).tolist() == [0, 2, 2, 3, 3]
    assert stretches(np.array([2, 0, 3]), np.array([2, 1, 0])).tolist() == [2, 3, 4, 0, 1]


def test_a_group_has_the_rows_of_its_retrieved_judgments() -> None:
    rows = rows_of_groups(
        np.array([4.0, 4.0]), np.array([0, 0, 1]), np.array([2.0, np.inf, 1.0]), np.array([1.0, 2.0, 3.0])
    )
    assert (rows.offsets.tolist(), rows.rank.tolist(), rows.grade.tolist()) == ([0, 1, 2], [2, 1], [1, 3])
    assert (rows.judged_offsets.tolist(), rows.judged_grades.tolist()) == ([0, 2, 3], [1, 2, 3])
    assert rows.tie_first.tolist() == rows.tie_last.tolist() == [2, 1]


def test_a_list_that_ranks_more_of_a_grade_than_was_judged_is_refused() -> None:
    ranked = np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 2.0, 2.0])
    # Documents of grade 0 may be left out of the judgments.
    refuse_more_than_judged(*ranked, np.array([0, 1, 1]), np.array([1.0, 2.0, 2.0]))
    with pytest.raises(DataError) as refusal:
        refuse_more_than_judged(*ranked, np.array([0, 1]), np.array([1.0, 2.0]), first=3)
    assert str(refusal.value) == (
        "Query number 5 ranks 2 documents of grade 2, but has only 1 judgment of this grade. judged= needs all "
        "grades of the query's judgments, retrieved or not: add the missing grades, or leave out judged=."
    )
