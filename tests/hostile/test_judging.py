"""Attacks on judging: half-sent requests, a file that another program edits, links and pipes, odd judges."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import carob
from carob.judging.journal import Journal, JournalEntry
from carob.judging.task import read_task
from hostile.attack import attacked
from judging.desk import desk, write_files

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERIES = {"q1": "tea", "q2": "milk"}
DOCUMENTS = {"a": "green", "b": "black"}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, QUERIES, DOCUMENTS)
    return tmp_path


@pytest.fixture
def journal(work: Path) -> Iterator[Journal]:
    task = read_task(str(work / "pairs.csv"))
    with Journal(str(work / "judged.csv"), task, "me") as made:
        made.add(0, JournalEntry(1, judge="me"))
        yield made


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("count", "half"), [(110, "GET / HTTP/1.1\r\nHost:"), (230, "POST /x HTTP/1.1\r\nContent-Le")]
)
def test_half_sent_requests_do_not_stop_the_page(count: int, half: str, work: Path) -> None:
    pytest.importorskip("waitress", reason="carob[judge] is not installed")
    pytest.importorskip("werkzeug", reason="carob[judge] is not installed")
    pytest.importorskip("jinja2", reason="carob[judge] is not installed")
    with desk(work, "-o", "judged.csv") as served:
        host, port = served.host.split(":")
        sockets = [socket.create_connection((host, int(port)), timeout=30) for _ in range(count)]
        try:
            for each in sockets:
                each.sendall(half.encode())
            begun = time.monotonic()
            served.judge(0, 1)
            assert time.monotonic() - begun < 30
            served.data()
        finally:
            for each in sockets:
                each.close()
    assert len((work / "judged.csv").read_text().splitlines()) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows may tell the time of a write later")
@pytest.mark.parametrize("then", ["add", "change", "withdraw"])
def test_an_edit_of_equal_size_by_another_program_is_seen(then: str, journal: Journal, work: Path) -> None:
    path = work / "judged.csv"
    time.sleep(0.05)  # a file system tells the times of two writes apart if they are so far from each other
    with path.open("r+b") as file:
        content = file.read()
        file.seek(content.index(b",1,"))
        file.write(b",3,")
    edited = path.read_bytes()
    assert len(edited) == len(content)
    works = {
        "add": lambda: journal.add(1, JournalEntry(0, judge="me")),
        "change": lambda: journal.change(0, JournalEntry(2, judge="me")),
        "withdraw": lambda: journal.change(0, None),
    }
    with pytest.raises(carob.DataError, match="was changed by another program, so nothing was written"):
        works[then]()
    assert path.read_bytes() == edited


def test_its_own_writes_are_no_edits(journal: Journal, work: Path) -> None:
    for place in (1, 2, 3):
        time.sleep(0.02)
        journal.add(place, JournalEntry(1, judge="me"))
        journal.change(place, JournalEntry(0, judge="me"))
    journal.change(3, None)
    assert len((work / "judged.csv").read_text().splitlines()) == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("what", ["a pipe", "a folder", "a link"])
def test_a_lock_that_is_no_file_is_a_sentence(what: str, work: Path) -> None:
    lock = work / ".judged.csv.lock"
    if what == "a pipe":
        os.mkfifo(lock)
    elif what == "a folder":
        lock.mkdir()
    else:
        lock.symlink_to(work / "pairs.csv")
    with pytest.raises(carob.DataError, match=r"\.judged\.csv\.lock"):
        Journal(str(work / "judged.csv"), read_task(str(work / "pairs.csv")))
    assert (work / "pairs.csv").read_text().startswith("query,document")
    assert not (work / "judged.csv").exists()


def saved(**fields: object) -> str:
    """What the offline page saves, with some fields changed."""
    task = read_task("pairs.csv")
    one = {"query": "q1", "document": "a", "grade": 1, "note": "", "time": ""}
    whole = {"carob": "judgments", "task": task.digest, "judge": "me", "judgments": [one]}
    own = {name: value for name, value in fields.items() if name in one}
    return json.dumps(
        {
            **whole,
            **{name: each for name, each in fields.items() if name in whole},
            "judgments": [{**one, **own}],
        }
    )


@pytest.mark.parametrize("other", ["saved.json", "./saved.json", "linked.json", "hard.json"])
def test_a_file_that_is_given_twice_is_not_two_judges(other: str, work: Path) -> None:
    Path("saved.json").write_text(saved(judge=""))
    Path("linked.json").symlink_to("saved.json")
    os.link("saved.json", "hard.json")
    attacked("judge", "--collect", "pairs.csv", "saved.json", other, "-o", "o.csv").refused(
        other, "passed twice: it is the same file as saved.json"
    )
    assert not (work / "o.csv").exists()


@pytest.mark.usefixtures("work")
def test_a_judge_may_be_called_0() -> None:
    Path("saved.json").write_text(saved(judge=0))
    Path("rows.jsonl").write_text('{"query": "q1", "document": "b", "grade": 1, "judge": 0}\n')
    attacked("judge", "--collect", "pairs.csv", "saved.json", "rows.jsonl", "-o", "o.csv").answered()
    rows = [line.split(",") for line in Path("o.csv").read_text().splitlines()]
    assert [row[rows[0].index("judge")] for row in rows[1:]] == ["0", "0"]


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize(("length", "code"), [(2_000, 0), (2_001, 2)])
def test_no_note_is_cut_in_silence(length: int, code: int) -> None:
    Path("saved.json").write_text(saved(note="x" * length))
    done = attacked("judge", "--collect", "pairs.csv", "saved.json", "-o", "o.csv")
    assert done.code == code, done
    if code:
        done.refused("saved.json", "2,000 characters")
    else:
        assert "x" * 2_000 in Path("o.csv").read_text()
