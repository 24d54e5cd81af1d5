"""The table of judgments that is written by one command and read by others: columns, cells, and what is refused."""

from __future__ import annotations

import pytest

from carob.inputs.files.small_tables import SmallTable
from carob.inputs.judgment_tables import (
    JudgmentRow,
    cells_written,
    is_empty,
    judgment_columns,
    rows_of_judgments,
)
from carob.output.errors import DataError

NEEDED = ("query", "document")


def read(
    text: str, needed: tuple[str, ...] = NEEDED, roles: dict[str, str] | None = None
) -> list[JudgmentRow]:
    return [row for _, row in rows_of_judgments(SmallTable("judged.csv", text), needed, roles)]


@pytest.mark.parametrize(
    ("sampled", "remarks", "expected"),
    [
        (False, False, "query document grade"),
        (True, False, "query document grade probability sample_size"),
        (False, True, "query document grade judge time note"),
        (True, True, "query document grade probability sample_size judge time note"),
    ],
)
def test_the_columns_are_those_of_the_kind_of_judgments(sampled: bool, remarks: bool, expected: str) -> None:
    assert judgment_columns(sampled=sampled, remarks=remarks) == expected.split()
    if not remarks:
        assert judgment_columns(sampled=sampled) == expected.split()


def test_what_is_written_is_read_again() -> None:
    columns = judgment_columns(sampled=True)
    judgment = {"query": "q1", "document": "d,1", "grade": 2.0, "probability": 1 / 3, "sample_size": 12}
    cells = cells_written(judgment, columns)
    assert cells == ["q1", "d,1", "2", "0.333333333", "12"]
    line = ",".join(f'"{cell}"' for cell in cells)
    (row,) = read(f"{','.join(columns)}\n{line}\n")
    assert row == JudgmentRow("q1", "d,1", 2, pytest.approx(1 / 3, abs=1e-9), 12)


def test_columns_stand_in_any_order_and_some_may_be_absent() -> None:
    assert read("grade,document,query\n1,d1,q1\n") == [JudgmentRow("q1", "d1", 1, None, None)]
    assert read("document,query\n d1 ,q1 \n") == [JudgmentRow("q1", "d1", None, None, None)]
    assert read("a,b\nq1,d1\n", roles={"query": "a", "document": "b"}) == [
        JudgmentRow("q1", "d1", None, None, None)
    ]


@pytest.mark.parametrize("cell", ["", "  "])
def test_an_empty_grade_is_still_to_be_judged(cell: str) -> None:
    text = f"query,document,grade,probability,sample_size\nq1,d1,{cell},0.5,\n"
    assert read(text) == [JudgmentRow("q1", "d1", None, 0.5, None)]
    assert is_empty(cell)
    assert is_empty(None)
    assert not is_empty(0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("query,document,grade\nq1,d1,1\nq1,,1\n", "line 3.*the row has no 'document'"),
        ("query,document,grade\n,d1,1\n", "line 2.*the row has no 'query'"),
        ("query,document,grade\nq1,d1,x\n", "line 2.*the grade"),
        ("query,document,grade\nq1,d1,inf\n", "line 2.*the grade"),
        ("query,document,grade\nq1,d1,nan\n", "line 2.*the grade"),
        ("query,document,grade,probability\nq1,d1,1,often\n", "line 2.*the probability"),
        ("query,document,grade,probability\nq1,d1,1,\n", "line 2.*the probability"),
        ("query,document,grade,probability,sample_size\nq1,d1,1,0.5,few\n", "line 2.*the sample_size"),
        (
            "query,grade\nq1,1\n",
            "judged.csv.*no column with a usual name for the document, such as 'document'",
        ),
        ("query,document,grade,sample_size\nq1,d1,1,3\n", "no column with a usual name for the probability"),
    ],
)
def test_a_row_that_is_not_a_judgment_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(DataError, match=f"(?s){says}"):
        read(text)


def test_a_column_is_asked_for_only_where_it_is_needed() -> None:
    assert read("query,document\nq1,d1\n")
    with pytest.raises(DataError, match="usual name for the grade"):
        read("query,document\nq1,d1\n", ("query", "document", "grade"))
