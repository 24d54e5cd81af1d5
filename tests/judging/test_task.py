"""What is to be judged, by whom and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from carob.judging.task import QueryDocument, Task, assigned, labels_of_grades, read_task
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

MANY = tuple(QueryDocument(f"q{query}", f"d{document:02}") for query in range(5) for document in range(40))


def written(folder: Path, text: str, name: str = "pairs.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_grades_that_are_known_are_not_judged_again(tmp_path: Path) -> None:
    task = read_task(written(tmp_path, "query,document,grade,probability\nq,a,,0.25\nq,b,2,1\n"))
    assert task.pairs == (QueryDocument("q", "a", None, 0.25), QueryDocument("q", "b", 2.0, 1.0))
    assert task.open == [0]
    assert task.sampled


@pytest.mark.parametrize(
    "text",
    ["qid\tdocno\nq\ta b\n", '{"query_id": "q", "doc_id": "a b"}\n'],
    ids=["tsv", "json lines"],
)
def test_other_tables_are_read(text: str, tmp_path: Path) -> None:
    assert read_task(written(tmp_path, text)).pairs == (QueryDocument("q", "a b"),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("query,document\nq,a\nq,a\n", "line 3: query 'q' and document 'a' are listed twice"),
        ("query,document,grade\nq,a,1\n", "there is nothing to judge"),
        ("query,document\n", "the table is empty: there are no pairs"),
        ("", "the table is empty: there are no pairs"),
        ("query,title\nq,a\n", "no column with a usual name for the document"),
        ("query,document\nq,\n", "line 2: the row has no 'document'"),
        ('{"query": "q", "document": "a\\nb"}\n', "contains a line break"),
        ('{"query": "q", "document": "\\ud800"}\n', "is not a valid id"),
        ('{"query": "q", "document": "a"}\n{"query": "q"}\n', "line 2: the row has no 'document'"),
        ("query,document,probability\nq,a,0\n", "probability 0 is not greater than 0"),
        ("query,document,grade\nq,a,x\n", "grade 'x' is not a number"),
    ],
)
def test_a_table_that_is_no_task_gets_a_sentence(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=says):
        read_task(written(tmp_path, text))


def test_the_order_shows_nothing_of_the_order_in_the_file() -> None:
    def names(task: Task) -> list[tuple[str, str]]:
        return [(task.pairs[place].query, task.pairs[place].document) for place in assigned(task, "anna")]

    turned = sorted(MANY, key=lambda each: (each.query, -int(each.document[1:])))
    found = names(Task("", MANY))
    assert found == names(Task("", tuple(turned)))
    assert [query for query, _ in found] == sorted(query for query, _ in found)
    assert found != sorted(found)
    # A document's place says nothing about its rank: over five queries, the mean place of the first ten is not small.
    places = [place % 40 for place, (_, document) in enumerate(found) if int(document[1:]) < 10]
    assert 14 < sum(places) / len(places) < 25


def test_judges_see_different_orders() -> None:
    task = Task("", MANY)
    assert assigned(task, "anna") != assigned(task, "ben")
    assert sorted(assigned(task, "anna")) == sorted(assigned(task, "ben"))


@pytest.mark.parametrize("overlap", [0.0, 0.2, 1.0])
def test_judges_divide_the_documents_and_share_some(overlap: float) -> None:
    task, judges = Task("", MANY), ["anna", "ben", "carl"]
    parts = [set(assigned(task, judge, judges, overlap)) for judge in judges]
    shared = set.intersection(*parts)
    assert set.union(*parts) == set(range(200))
    assert len(shared) == round(200 * overlap)
    assert sum(map(len, parts)) == 200 + 2 * len(shared)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_the_division_does_not_depend_on_the_order_of_the_file() -> None:
    one, other = Task("", MANY), Task("", MANY[::-1])
    for judge in ("anna", "ben"):
        found = [
            {task.pairs[place] for place in assigned(task, judge, ["anna", "ben"], 0.1)}
            for task in (one, other)
        ]
        assert found[0] == found[1]


def test_a_judge_who_is_not_among_the_judges_is_refused() -> None:
    with pytest.raises(DataError, match="'dora' is not one of the judges anna, ben"):
        assigned(Task("", MANY), "dora", ["anna", "ben"])


def test_grades_have_usual_labels_or_given_ones() -> None:
    assert labels_of_grades("0-2") == {0: "not relevant", 1: "partly relevant", 2: "relevant"}
    assert labels_of_grades("1-5") == dict.fromkeys(range(1, 6), "")
    assert labels_of_grades("0=no, 1 = maybe so ,2") == {0: "no", 1: "maybe so", 2: ""}


@pytest.mark.parametrize("text", ["", "3", "0-12", "-1-3", "0=no,x=yes", "3-3", "٣-٥"])
def test_other_grades_are_refused(text: str) -> None:
    with pytest.raises(DataError, match="is not a list of grades"):
        labels_of_grades(text)


def test_the_digest_follows_the_documents_to_judge_only() -> None:
    task = Task("", MANY)
    assert task.digest == Task("other", MANY[::-1]).digest
    assert task.digest != Task("", MANY[1:]).digest
    assert task.digest == Task("", (*MANY, QueryDocument("q9", "d", 1.0))).digest
