"""Headers of text tables, or MS MARCO's layout without one; their rows, their numbered lines and their cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from carob import DataError
from carob.inputs.files.header import (
    Delimited,
    NumberedLines,
    cells_of,
    delimited,
    head_of,
    list_in,
    rows_of,
    separator_of,
    shapes_of_text,
    table_rows,
)

if TYPE_CHECKING:
    from pathlib import Path

MARCO = Delimited("\t", ("query", "document", "rank"), header=False)


@pytest.mark.parametrize(
    ("head", "kind", "asked", "sure", "found"),
    [
        ("qid\tdocno\tscore\n", "run", (), False, Delimited("\t", ("qid", "docno", "score"), header=True)),
        ("qid,docno,score\n", "run", (), False, None),
        ("qid;docno;score\n", "run", (), True, Delimited(";", ("qid", "docno", "score"), header=True)),
        ("a,b\n", "qrels", (), True, Delimited(",", ("a", "b"), header=True)),
        ("one\ttwo\n", "run", ("two",), False, Delimited("\t", ("one", "two"), header=True)),
        ("one\ttwo\n", "run", ("three",), False, None),
        ("q\ta\t1\nq\tb\t2\np\tc\t1\n", "run", (), False, MARCO),
        ("q\ta\t1\t9.5\nq\tb\t2\t9\n", "run", (), False,
         Delimited("\t", ("query", "document", "rank", "score"), header=False)),
        ("q\tQ0\ta\t1\n", "run", (), False, None),
        ("q\t0\t1\t1\n", "run", (), False, None),
        ("q\ta\t1\n", "qrels", (), False, None),
        ("query,document,grade,probability\n", "qrels", (), False,
         Delimited(",", ("query", "document", "grade", "probability"), header=True)),
    ],
)  # fmt: skip
def test_the_first_lines_show_the_layout(
    head: str, kind: str, asked: tuple[str, ...], sure: bool, found: Delimited | None
) -> None:
    assert delimited("t", head.encode(), kind, asked, sure=sure) == found


@pytest.mark.parametrize(
    ("head", "sure", "said"),
    [
        (b"\xff\xfeq\0", False, "t: the text is UTF-16. Save it as UTF-8"),
        (b"q,\xe9\n", True, "t: the file is not UTF-8 text. If it comes from a spreadsheet, it may be Windows-1252"),
        (b"sep=;\nqid;docno\n", True, "t, line 1: the first line states the separator for Excel ('sep=;')"),
        (b"qid,docno,qid\n", True, "t, line 1: two columns are named 'qid'. Rename one."),
        (b"q,a,1\n", True, "t, line 1: expected the columns' names, such as query_id,doc_id,score; found 'q,a,1'."),
        (
            b"q\ta\t1.5\n",
            False,
            (
                "t: three columns without names are read as MS MARCO's query, document and rank, and the ranks of each "
                "query must count up from 1; found '1.5' for query 'q'. If the third column is a score, write a header"
            ),
        ),
        (b"q\ta\t2\nq\tb\t1\n", False, "t: three columns without names are read as MS MARCO's query"),
    ],
)  # fmt: skip
def test_a_first_line_that_is_no_header_is_refused(head: bytes, sure: bool, said: str) -> None:
    with pytest.raises(DataError) as error:
        delimited("t", head, "run", (), sure=sure)
    assert str(error.value).startswith(said)


def test_the_head_of_a_file_has_no_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfqid,docno\n")
    assert head_of(str(tmp_path / "t.csv")) == b"qid,docno\n"
    assert head_of(str(tmp_path / "t.csv"), 5) == b"qi"


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (' ["a", 1] ', ["a", 1]),
        ("['a', None]", ["a", None]),
        ("[a]", "[a]"),
        ("['a'", "['a'"),
        ("", None),
        ("a", "a"),
    ],
)
def test_a_cell_may_hold_a_list_as_json_or_python_write_it(cell: str, found: Any) -> None:
    assert list_in(cell) == found


def test_the_shapes_of_columns_are_those_of_the_first_rows() -> None:
    how = Delimited(";", ("q", "ids", "n"), header=True)
    assert shapes_of_text(how, b'q;ids;n\na;["x", "y"];1\nb;["z"') == {"q": "one", "ids": "list", "n": "one"}
    assert shapes_of_text(how, b"q;ids;n\na;x;1\n") == {"q": "one", "ids": "one", "n": "one"}


def test_rows_are_numbered_by_their_last_line() -> None:
    lines = ["a,b\n", "1,2\n", "\n", '"x\n', 'y",3\n']
    header = Delimited(",", ("a", "b"), header=True)
    assert [*table_rows(lines, header)] == [(2, ["1", "2"]), (5, ["x\ny", "3"])]
    assert [*table_rows(lines[:2], Delimited(",", ("a", "b"), header=False))] == [
        (1, ["a", "b"]),
        (2, ["1", "2"]),
    ]


def test_lines_keep_their_numbers_whatever_ends_them() -> None:
    lines = NumberedLines("a\r\n\n  \nb\rc")
    assert [*lines] == [*lines] == [(1, "a"), (4, "b"), (5, "c")]
    assert lines.first == (1, "a")
    assert NumberedLines(" \n\n").first is None


def test_the_most_frequent_separator_splits_a_line() -> None:
    assert [separator_of(line) for line in ("a,b;c;d", "a\tb", "ab")] == [";", "\t", ","]
    assert cells_of('a,"b,c",""') == ["a", "b,c", ""]
    assert cells_of("a;b,c", ";") == ["a", "b,c"]
    assert cells_of("x" * 200_000) == ["x" * 200_000]


def test_small_tables_give_rows_by_the_names_of_their_columns() -> None:
    rows = rows_of(NumberedLines("# a, b\n\n1,2\n3,4\n"), "t")
    assert [*rows] == [
        ({"file": "t", "line": 3}, {"# a": "1", "b": "2"}),
        ({"file": "t", "line": 4}, {"# a": "3", "b": "4"}),
    ]
    assert [*rows_of([], "t")] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,a\n1,2\n", "t, line 1: two columns are named 'a'. Rename one."),
        (
            "a,b\n1,2\n3\n",
            "t, line 3: found 1 column, but the first line has 2. Complete the row, or quote cells",
        ),
        (
            "a,b\n1,2,3\n",
            "t, line 2: found 3 columns, but the first line has 2. Complete the row, or quote cells",
        ),
        ("a,b\n1," + "x" * 200_000, "t, line 2: the row cannot be read (field larger than field limit"),
    ],
    ids=["two names", "a cell too few", "a cell too many", "too long"],
)
def test_a_row_that_does_not_fit_its_header_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError) as error:
        list(rows_of(NumberedLines(text), "t"))
    assert str(error.value).startswith(said)
