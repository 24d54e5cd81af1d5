"""The lock of a file of judgments: one process at a time, under each of the file's names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import carob
from carob.judging.file_lock import FileLock
from carob.judging.journal import Journal, JournalEntry
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


@pytest.mark.parametrize("name", ["judged.qrels", "judged.csv"])
def test_two_processes_cannot_write_one_file(name: str, tmp_path: Path) -> None:
    with Journal(str(tmp_path / name), TASK):
        code = (
            "from carob.judging.journal import *; from carob.judging.task import *\n"
            f"Journal({name!r}, Task('pairs.csv', (QueryDocument('q1', 'a'),)))"
        )
        source = str(Path(carob.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": source},
        )
        assert f"another carob judge process is writing to this file (process {os.getpid()})" in done.stderr


def test_a_link_to_the_file_is_the_same_file(tmp_path: Path) -> None:
    with Journal(str(tmp_path / "judged.qrels"), TASK) as journal:
        journal.add(0, JournalEntry(1))
        try:
            (tmp_path / "link.qrels").symlink_to("judged.qrels")
        except OSError:
            pytest.skip("this system makes no links")
        with pytest.raises(DataError, match="another carob judge process is writing to this file"):
            Journal(str(tmp_path / "link.qrels"), TASK)


def test_the_lock_names_its_process_until_it_is_released(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    lock = FileLock(str(path))
    assert (tmp_path / ".judged.csv.lock").read_text() == f"{os.getpid()}\n"
    assert lock.current()
    with pytest.raises(DataError) as refused:
        FileLock(str(path))
    assert str(refused.value) == (
        f"{path}: another carob judge process is writing to this file (process {os.getpid()}). Stop that process, "
        "or pass another file."
    )
    lock.release()
    FileLock(str(path)).release()
    assert [*tmp_path.iterdir()] == [] or sys.platform == "win32"


@pytest.mark.skipif(sys.platform == "win32", reason="a locked file cannot be removed there")
def test_a_lock_that_lost_its_name_is_not_current(tmp_path: Path) -> None:
    lock = FileLock(str(tmp_path / "judged.csv"))
    (tmp_path / ".judged.csv.lock").unlink()
    assert not lock.current()
    (tmp_path / ".judged.csv.lock").write_text("")
    assert not lock.current()
    lock.release()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other pipes and errors")
def test_a_lock_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".judged.csv.lock")
    with pytest.raises(
        DataError, match=r"needs this path for its lock file, but the path is not a regular file\. Remove it"
    ):
        FileLock(str(tmp_path / "judged.csv"))
    with pytest.raises(DataError, match=r"Cannot write .*/none/\.x\.lock: No such file or directory\."):
        FileLock(str(tmp_path / "none" / "x"))
