"""The file of judgments: nothing is doubled, lost, or half written."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import carob
from carob.inputs.samples import read_sample
from carob.judging.journal import PAGE, Form, Journal, JournalEntry
from carob.judging.task import QueryDocument, Task
from carob.output.errors import DataError

TASK = Task(
    "pairs.csv",
    (
        QueryDocument("q1", "a"),
        QueryDocument("q1", "b"),
        QueryDocument("q2", "a", 2.0),
        QueryDocument("q2", "c"),
    ),
)
SAMPLE = Task(
    "next.csv",
    (
        QueryDocument("q1", "a", None, 0.25),
        QueryDocument("q1", "b", None, 0.125),
        QueryDocument("q2", "a", 2.0, 1.0),
    ),
)
NOW = "2026-11-22T12:00:00+00:00"


def test_qrels_are_appended_and_read_while_open(tmp_path: Path) -> None:
    path = tmp_path / "judged.qrels"
    with Journal(str(path), TASK) as journal:
        assert path.read_text() == "q2 0 a 2\n"
        journal.add(0, JournalEntry(3, NOW))
        assert path.read_text() == "q2 0 a 2\nq1 0 a 3\n"
        assert carob.evaluate(str(path), {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "P@1")["P@1"] == 1
        journal.add(1, JournalEntry(0, NOW))
        journal.change(0, JournalEntry(1, NOW))
        assert path.read_text() == "q2 0 a 2\nq1 0 b 0\nq1 0 a 1\n"
        journal.change(1, None)
        assert path.read_text() == "q2 0 a 2\nq1 0 a 1\n"
        journal.add(3, JournalEntry(1, NOW))
    assert path.read_text() == "q2 0 a 2\nq1 0 a 1\nq2 0 c 1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["judged.qrels"]


def test_a_table_has_the_probabilities_the_judge_and_a_note(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    with Journal(str(path), SAMPLE, "anna, b.") as journal:
        journal.add(1, JournalEntry(1, NOW, 'says "tea", twice', "anna, b."))
    assert path.read_text().splitlines() == [
        "query,document,grade,probability,sample_size,judge,time,note",
        "q2,a,2,1,3,,,",
        f'q1,b,1,0.125,3,"anna, b.",{NOW},"says ""tea"", twice"',
    ]
    with Journal(str(path), SAMPLE, "anna, b.") as journal:
        assert journal.judgments[1] == JournalEntry(1, NOW, 'says "tea", twice', "anna, b.")


def test_a_part_of_a_sample_is_not_taken_for_the_sample(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    with Journal(str(path), SAMPLE) as journal:
        journal.add(0, JournalEntry(1))
        with pytest.raises(DataError, match="the sample has 3 documents, but 2 are judged"):
            carob.compare(str(path), [{"q1": {"a": 1.0}}], "DCG@10", judge={"q1": {"a": 1}, "q2": {"a": 1}})
        journal.add(1, JournalEntry(0))
        assert read_sample(str(path))["q1"]["b"] == (0.0, 0.125, 3)


def test_a_judgment_is_on_the_disk_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "judged.qrels"
    settled: list[str] = []
    real = os.fsync

    def fsync(file: int) -> None:
        real(file)
        settled.append(path.read_text() if path.exists() else "")

    with Journal(str(path), TASK) as journal:
        monkeypatch.setattr(os, "fsync", fsync)
        journal.add(0, JournalEntry(3))
        assert settled == [path.read_text()]
        journal.change(0, JournalEntry(1))
        assert settled[-1] == path.read_text()  # the folder, after the file was replaced
        assert len(settled) == 3 - (sys.platform == "win32")


@pytest.mark.parametrize("name", ["judged.qrels", "judged.csv"])
def test_a_reader_sees_whole_lines_and_each_pair_once(name: str, tmp_path: Path) -> None:
    path, task = tmp_path / name, Task("", tuple(QueryDocument("q", f"d{number}") for number in range(200)))
    stop, seen, faults = threading.Event(), [0], []

    def read() -> None:
        while not stop.is_set():
            content = path.read_bytes()
            form = Form(str(path), task)
            places = [place for _, place, _ in form.read(content.splitlines(keepends=True), name)]
            if not content.endswith(b"\n") or len(set(places)) < len(places):
                faults.append(content)
            seen[0] = max(seen[0], len(places))

    with Journal(str(path), task) as journal:
        journal.add(0, JournalEntry(0))
        reader = threading.Thread(target=read)
        reader.start()
        for place in range(1, 200):
            journal.add(place, JournalEntry(place % 4, NOW, "a note"))
            if place % 10 == 0:
                journal.change(place, JournalEntry(0, NOW, "another note"))
            if place % 25 == 0:
                journal.change(place - 1, None)
        stop.set()
        reader.join(20)
    assert faults == []
    assert seen[0] > 10


@pytest.mark.parametrize("name", ["judged.qrels", "judged.csv"])
def test_no_line_is_appended_across_two_pages(name: str, tmp_path: Path) -> None:
    """Readers may see each page of an appended line by itself."""
    path, task = tmp_path / name, Task("", tuple(QueryDocument("q", f"d{number}") for number in range(900)))
    appended = replaced = 0
    with Journal(str(path), task) as journal:
        for place in range(900):
            before = path.stat()
            journal.add(place, JournalEntry(place % 4, NOW, "a note"))
            after = path.stat()
            if after.st_ino == before.st_ino:
                assert before.st_size // PAGE == (after.st_size - 1) // PAGE
                appended += 1
            else:
                replaced += 1
        assert list(journal.judgments) == list(range(900))
    assert replaced > 1
    assert appended > 10 * replaced
    with Journal(str(path), task) as journal:
        assert list(journal.judgments) == list(range(900))
        assert journal.judgments[7] == JournalEntry(3.0, *((NOW, "a note") if path.suffix == ".csv" else ()))


def test_where_no_new_file_can_be_made_lines_are_appended_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, task = (
        tmp_path / "judged.csv",
        Task("", tuple(QueryDocument("q", f"d{number}") for number in range(300))),
    )

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with Journal(str(path), task) as journal:
        monkeypatch.setattr("carob.judging.journal.new_file", refused)
        for place in range(300):
            journal.add(place, JournalEntry(place % 4, NOW, "a note"))
        with pytest.raises(DataError, match="Permission denied"):
            journal.change(0, None)
    assert path.stat().st_size > 2 * PAGE
    with Journal(str(path), task) as journal:
        assert list(journal.judgments) == list(range(300))


@pytest.mark.parametrize("name", ["judged.qrels", "judged.csv"])
def test_a_line_whose_write_was_interrupted_is_removed(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with Journal(str(path), TASK) as journal:
        journal.add(0, JournalEntry(3, NOW))
        journal.add(1, JournalEntry(1, NOW))
    whole = path.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for cut in range(start + 1, len(whole)):
        path.write_bytes(whole[:cut])
        with Journal(str(path), TASK) as journal:
            if cut < len(whole) - 1:
                assert "was removed" in journal.repaired
                assert list(journal.judgments) == [2, 0]
                journal.add(1, JournalEntry(1, NOW))
            else:  # only the end of the line is missing
                assert "and has been completed" in journal.repaired
                assert list(journal.judgments) == [2, 0, 1]
        assert path.read_bytes() == whole


def test_the_rest_of_an_interrupted_replacement_is_removed(tmp_path: Path) -> None:
    path, part = tmp_path / "judged.qrels", tmp_path / ".judged.qrels.part"
    with Journal(str(path), TASK) as journal:
        journal.add(0, JournalEntry(3))
    part.write_bytes(b"q1 0 a")
    with Journal(str(path), TASK) as journal:
        assert not part.exists()
        part.write_bytes(b"q1 0 a")
        journal.change(0, JournalEntry(2))
    assert path.read_text() == "q2 0 a 2\nq1 0 a 2\n"
    assert [each.name for each in tmp_path.iterdir()] == ["judged.qrels"]


def test_a_replacement_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "judged.qrels"

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Journal(str(path), TASK) as journal:
        journal.add(0, JournalEntry(3))
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            with pytest.raises(DataError, match=r"Cannot write .*: No space left on device"):
                journal.change(0, None)
        assert path.read_text() == "q2 0 a 2\nq1 0 a 3\n"
        journal.change(0, JournalEntry(1))
        journal.add(1, JournalEntry(1))
    assert path.read_text() == "q2 0 a 2\nq1 0 a 1\nq1 0 b 1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["judged.qrels"]


def test_an_interrupted_first_line_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_bytes(b"query,docu")
    with Journal(str(path), TASK) as journal:
        assert journal.repaired
        journal.add(0, JournalEntry(3))
    assert path.read_text().splitlines()[0] == "query,document,grade,judge,time,note"
    assert len(path.read_text().splitlines()) == 3


def test_a_file_with_several_names_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "judged.qrels", tmp_path / "other.qrels"
    with Journal(str(path), TASK) as journal:
        journal.add(0, JournalEntry(1))
        try:
            os.link(path, other)
        except OSError:
            pytest.skip("this system makes no links")
        with pytest.raises(DataError, match=r"other\.qrels: this file has 2 names \(hard links\)"):
            Journal(str(other), TASK)
    other.unlink()
    with Journal(str(path), TASK) as journal:
        assert journal.judgments[0].grade == 1


@pytest.mark.parametrize("change", ["append", "replace", "remove"])
def test_a_file_that_another_program_changed_is_left_alone(change: str, tmp_path: Path) -> None:
    path = tmp_path / "judged.qrels"
    with Journal(str(path), TASK) as journal:
        journal.add(0, JournalEntry(1))
        other = path.read_text() + "q1 0 b 1\n"
        if change == "append":
            path.write_text(other)
        else:
            path.unlink()
        if change == "replace":
            (tmp_path / "new").write_text("q1 0 a 1\nq2 0 a 2\n")
            (tmp_path / "new").rename(path)
        before = path.read_text() if path.exists() else None
        for act in (lambda: journal.add(1, JournalEntry(3)), lambda: journal.change(0, None)):
            with pytest.raises(DataError, match="was changed by another program, so nothing was written"):
                act()
        assert (path.read_text() if path.exists() else None) == before


FULL = """
import resource, signal
from carob.judging.journal import *
from carob.judging.task import *
from carob.output.errors import DataError
task = Task("pairs.csv", tuple(QueryDocument("q", f"d{number}") for number in range(9)))
journal = Journal("judged.qrels", task)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
done = []
for place in range(9):
    try:
        journal.add(place, JournalEntry(1))
        done.append(place)
    except DataError as error:
        print(error)
        break
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert open("judged.qrels").read() == "".join(f"q 0 d{place} 1\\n" for place in done), open("judged.qrels").read()
journal.add(8, JournalEntry(2))
assert open("judged.qrels").read().endswith("1\\nq 0 d8 2\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file's size")
def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    source = str(Path(carob.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", FULL],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 0, done.stderr
    assert "Cannot write" in done.stdout


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "query,document,grade\nq1,a,1\n", "line 1: the columns in the first line differ"),
        (
            "a.csv",
            "query,document,grade,judge,time,note\nq1,z,1,,,\n",
            "line 2: .* document 'z' are not in pairs",
        ),
        ("a.csv", "query,document,grade,judge,time,note\nq1,a,1,ben,,\n", "line 2: .*by the judge 'ben'"),
        ("a.csv", "query,document,grade,judge,time,note\nq1,a,x,,,\n", "line 2: the line is not a judgment"),
        ("a.qrels", "q1 0 a 1\nq1 0 a 2\n", "line 2: .*judged twice"),
        ("a.qrels", "q1 0 a nan\n", "line 1: the line is not a judgment"),
        ("a.qrels", "q1 Q0 a 1 2.5 tag\n", "line 1: the line is not a judgment"),
        ("a.qrels", "\x00\xff\n", "line 1: the line is not a judgment"),
    ],
)
def test_a_file_with_other_content_is_refused_and_kept(
    name: str, content: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content, encoding="latin-1")
    with pytest.raises(DataError, match=says):
        Journal(str(tmp_path / name), TASK, "anna")
    assert (tmp_path / name).read_text(encoding="latin-1") == content
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_names_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    spaced = Task("pairs.csv", (QueryDocument("q 1", "a"),))
    for name, task, says in (
        ("a.qrels", SAMPLE, "only a table can store the probabilities"),
        ("a.csv.gz", TASK, "written as a table"),
        ("a.parquet", TASK, "written as a table"),
        ("a.qrels", spaced, "an id that contains white space"),
        ("nowhere/a.qrels", TASK, "Cannot write"),
    ):
        with pytest.raises(DataError, match=says):
            Journal(str(tmp_path / name), task)
    (tmp_path / "folder.qrels").mkdir()
    with pytest.raises(DataError, match="not a regular file"):
        Journal(str(tmp_path / "folder.qrels"), TASK)
    assert [each.name for each in tmp_path.iterdir()] == ["folder.qrels"]
