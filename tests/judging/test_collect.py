"""Judgments from several files become one, and nothing is taken that does not belong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from carob.judging.collect import Collected, collected
from carob.judging.journal import Journal, JournalEntry
from carob.judging.task import QueryDocument, Task, id_of, labels_of_grades
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

TASK = Task(
    "pairs.csv",
    (
        QueryDocument("q1", "a"),
        QueryDocument("q1", "b"),
        QueryDocument("q2", "a", 2.0),
        QueryDocument("q2", "c"),
    ),
)
GRADES = labels_of_grades("0-3")


def saved(folder: Path, name: str, judge: str, rows: list[list[Any]], **changed: Any) -> str:
    judgments = [{"query": q, "document": d, "grade": g, "note": "", "time": ""} for q, d, g in rows]
    found = {"carob": "judgments", "task": TASK.digest, "judge": judge, "judgments": judgments, **changed}
    (folder / name).write_text(json.dumps(found, indent=1))
    return str(folder / name)


def text(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def grades(found: Collected, rule: str = "refuse") -> dict[str, float]:
    merged = found.merged(rule)
    return {
        f"{TASK.pairs[place].query} {TASK.pairs[place].document}": each.grade
        for place, each in merged.items()
    }


@pytest.mark.parametrize(
    "content",
    ['"query";"document";"grade"\nq1;a;1\n', "\ufeffquery,document,grade\nq1,a,1\n", "\nq1 0 a 1\n\n"],
)
def test_files_as_spreadsheets_and_editors_save_them_are_collected(content: str, tmp_path: Path) -> None:
    assert grades(collected(TASK, [text(tmp_path, "judged.csv", content)], GRADES)) == {"q1 a": 1}


def test_every_kind_of_file_is_collected(tmp_path: Path) -> None:
    with Journal(str(tmp_path / "ben.csv"), TASK, "ben") as journal:
        journal.add(1, JournalEntry(3, "2026-11-22", "a note", "ben"))
    files = [
        saved(tmp_path, "anna.json", "anna", [["q1", "a", 1]]),
        str(tmp_path / "ben.csv"),
        text(tmp_path, "carl.qrels", "q2 0 c 0\nq2 0 a 2\n"),
    ]
    found = collected(TASK, files, GRADES)
    assert grades(found) == {"q1 a": 1, "q1 b": 3, "q2 c": 0}
    assert list(found.by_judge) == ["anna", "ben", files[2]]
    assert (
        found.content("all.qrels", found.merged("refuse")).decode()
        == "q1 0 a 1\nq1 0 b 3\nq2 0 a 2\nq2 0 c 0\n"
    )
    table = found.content("all.csv", found.merged("refuse")).decode().splitlines()
    assert table[0] == "query,document,grade,judge,time,note"
    assert table[2] == "q1,b,3,ben,2026-11-22,a note"


@pytest.mark.parametrize(("rule", "grade"), [("first", 3), ("mean", 5 / 3), ("lowest", 1), ("highest", 3)])
def test_a_rule_makes_one_grade_of_different_ones(rule: str, grade: float, tmp_path: Path) -> None:
    files = [
        saved(tmp_path, f"{name}.json", name, [["q1", "a", number], ["q1", "b", 0]])
        for name, number in (("x", 3), ("y", 1), ("z", 1))
    ]
    found = collected(TASK, files, GRADES)
    assert found.different == [0]
    with pytest.raises(
        DataError, match=r"different grades to 1 document, such as .*'a' \(x, y, z\).*--disagreement"
    ):
        found.merged("refuse")
    assert grades(found, rule) == {"q1 a": grade, "q1 b": 0}
    assert found.merged(rule)[0].judge == "x+y+z"


def test_what_does_not_belong_is_refused(tmp_path: Path) -> None:
    one = saved(tmp_path, "one.json", "anna", [["q1", "a", 1]])
    for other, says in (
        (saved(tmp_path, "two.json", "anna", [["q1", "a", 2]]), "judge 'anna' gave .* the grades 1 and 2"),
        (saved(tmp_path, "other.json", "ben", [], task="0" * 64), "by a page for different documents"),
        (saved(tmp_path, "id.json", "ben", [["q1", "zz", 1]]), "document 'zz' are not in pairs.csv"),
        (saved(tmp_path, "five.json", "ben", [["q1", "a", 5]]), "grade 5 is not one of 0, 1, 2, 3"),
        (saved(tmp_path, "half.json", "ben", [["q1", "a", 1.5]]), "has been changed since"),
        (saved(tmp_path, "word.json", "ben", [["q1", "a", "1"]]), "has been changed since"),
        (saved(tmp_path, "none.json", "ben", [], judgments=[3]), "has been changed since"),
        (saved(tmp_path, "null.json", "ben", [], judgments=None), "has been changed since"),
        (saved(tmp_path, "known.json", "ben", [["q2", "a", 3]]), "already has the grade 2"),
        (text(tmp_path, "a.qrels", "q1 0 a\n"), "line 1: the line is neither a judgment"),
        (text(tmp_path, "b.qrels", "q1 0 a x\n"), "'x' is not a number"),
        (text(tmp_path, "c.csv", "query,document,grade\nq1,b,0.5\n"), "grade 0.5 is not one of"),
        (
            text(tmp_path, "d.jsonl", '{"id": "nothing", "answer": "1"}\n'),
            "id 'nothing' does not belong to a prompt",
        ),
        (text(tmp_path, "e.jsonl", f'{{"id": "{id_of(TASK.pairs[0])}"}}\n'), "neither an answer nor a grade"),
        (text(tmp_path, "f.jsonl", "{\n"), "line 1: the line is not a JSON object"),
        (str(tmp_path / "nowhere.json"), "No such file"),
    ):
        with pytest.raises(DataError, match=says):
            collected(TASK, [one, other], GRADES)


@pytest.mark.parametrize("content", ["", "\n", "query,document,grade\n", "query,document,grade\nq1,a,\n"])
def test_a_file_without_judgments_is_named(content: str, tmp_path: Path) -> None:
    files = [text(tmp_path, "one.qrels", "q1 0 a 1\n"), text(tmp_path, "empty.csv", content)]
    with pytest.raises(DataError, match=r"empty\.csv: the file is empty"):
        collected(TASK, files, GRADES)


def test_files_without_any_new_grade_are_refused(tmp_path: Path) -> None:
    answer = json.dumps({"id": id_of(TASK.pairs[0]), "answer": "no idea"})
    for name, content in (("known.qrels", "q2 0 a 2\n"), ("answers.jsonl", answer)):
        with pytest.raises(DataError, match="no file contains a grade for a document of the table"):
            collected(TASK, [text(tmp_path, name, content)], GRADES, lenient=True)


def test_the_same_judgment_twice_is_one(tmp_path: Path) -> None:
    files = [saved(tmp_path, name, "anna", [["q1", "a", 1]]) for name in ("one.json", "two.json")]
    assert grades(collected(TASK, files, GRADES)) == {"q1 a": 1}


def test_judgments_of_another_draw_are_refused(tmp_path: Path) -> None:
    one = Task("next.csv", (QueryDocument("q", "a", None, 0.25), QueryDocument("q", "b", None, 0.5)))
    other = Task("next.csv", (QueryDocument("q", "a", None, 0.125), QueryDocument("q", "b", None, 0.5)))
    with Journal(str(tmp_path / "judged.csv"), one) as journal:
        journal.add(0, JournalEntry(1))
        journal.add(1, JournalEntry(1))
    assert len(collected(one, [str(tmp_path / "judged.csv")], GRADES).merged("refuse")) == 2
    for act in (
        lambda: collected(other, [str(tmp_path / "judged.csv")], GRADES),
        lambda: Journal(str(tmp_path / "judged.csv"), other),
        lambda: Journal(
            str(tmp_path / "judged.csv"), Task("n", (*one.pairs, QueryDocument("q", "c", None, 0.5)))
        ),
    ):
        with pytest.raises(DataError, match="probability or sample size of this document differs"):
            act()


def test_hostile_words_in_a_saved_file_stay_on_their_line(tmp_path: Path) -> None:
    rows = [{"query": "q1", "document": "a", "grade": 1, "note": "x\ny\u2028\x00\ud800", "time": "1\n2"}]
    path = saved(tmp_path, "one.json", 'an\nna","', [], judgments=rows)
    found = collected(TASK, [path], GRADES)
    table = found.content("all.csv", found.merged("refuse")).decode()
    assert len(table.splitlines()) == 3
    assert table.splitlines()[1] == 'q1,a,1,"an na"",""",1 2,x y ?'


# ---------------------------------------------------------------- a model's answers


def test_answers_without_a_clear_grade_are_listed_by_line(tmp_path: Path) -> None:
    ids = [id_of(TASK.pairs[place]) for place in TASK.open]
    rows = [{"id": ids[0], "answer": "no idea"}, {"custom_id": ids[1], "response": "Grade: 1"}]
    rows += [{"query": "q2", "document": "c", "grade": 2}]
    path = text(tmp_path, "answers.jsonl", "".join(json.dumps(each) + "\n" for each in rows))
    with pytest.raises(DataError, match=r"1 answer has no clear grade: .*answers.jsonl line 1\."):
        collected(TASK, [path], GRADES)
    found = collected(TASK, [path], GRADES, lenient=True)
    assert found.failed == [f"{path} line 1"]
    assert grades(found) == {"q1 b": 1, "q2 c": 2}
