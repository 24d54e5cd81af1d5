"""Files on the disk: there is a complete one, or what was there before, and no input is lost."""

from __future__ import annotations

import json
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.output.errors import DataError
from carob.output.files import refuse_overwriting, write_whole
from hostile.attack import attacked
from toys import RUN


def test_a_page_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    write_whole(str(path), "new 中")
    assert path.read_text(encoding="utf-8") == "new 中"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_what_was_there_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(DataError, match=r"report\.html: No space left on device"):
        write_whole(str(path), "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Cannot write .*nowhere.*No such file"):
        write_whole(str(tmp_path / "nowhere" / "report.html"), "new")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_new_page_can_be_read_by_those_who_may_read_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(str(tmp_path / "report.html"), "new")
    finally:
        os.umask(before)
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links need no leave on POSIX")
def test_a_link_goes_on_pointing_where_it_did(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to("real.html")
    write_whole(str(tmp_path / "link.html"), "new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "new"


def test_many_threads_may_write_one_file(tmp_path: Path) -> None:
    path, begin = tmp_path / "one.json", threading.Barrier(8)
    scores = carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR")

    def write(number: int) -> None:
        begin.wait()
        for _ in range(25):
            carob.record(scores, path)
            assert json.loads(path.read_text())["record"] == 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert [each.name for each in tmp_path.iterdir()] == ["one.json"]


def test_no_name_is_used_twice_or_known_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    kept: Any = os.open

    def noted(path: Any, flags: int, *more: Any) -> Any:
        opened.append(os.fspath(path))
        assert flags & os.O_EXCL
        return kept(path, flags, *more)

    monkeypatch.setattr(os, "open", noted)
    for _ in range(20):
        write_whole(tmp_path / "a.json", "new")
    assert len(set(opened)) == 20
    assert not [each for each in opened if str(os.getpid()) in Path(each).name.split("-")]


@pytest.mark.skipif(os.name != "posix", reason="links need no leave on POSIX")
def test_a_link_that_was_planted_beside_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(os, "urandom", bytes)  # as if somebody had foreseen the name
    (tmp_path / f".carob-{bytes(8).hex()}.part").symlink_to(victim)
    with pytest.raises(DataError, match="Cannot write"):
        write_whole(tmp_path / "a.json", "new")
    assert victim.read_text() == "precious"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_the_mask_of_the_process_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "umask", None)
    write_whole(tmp_path / "a.json", "new")
    (tmp_path / "a.json").chmod(0o604)
    write_whole(tmp_path / "a.json", "newer")
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o604


# ---------------------------------------------------------------- inputs


@pytest.fixture
def linked(folder: Path) -> Path:
    Path("w.txt").write_text("q1 1\nq2 2\n")
    Path("texts.tsv").write_text("q1\tone\nq2\ttwo\n")
    Path("link.run").symlink_to("one.run")
    os.link("one.run", "hard.run")
    return folder


COMMANDS = {
    "eval": ("eval", "qrels.txt", "one.run", "--weights", "w.txt", "--record"),
    "eval of a link": ("eval", "qrels.txt", "link.run", "--record"),
    "eval of a pattern": ("eval", "qrels.txt", "[o]ne.run", "--record"),
    "eval of a judged ranking": ("eval", "--judged-ranking", "qrels.txt", "--record"),
    "compare": (
        "compare",
        "qrels.txt",
        "one=one.run",
        "two=two.run",
        "--weights",
        "w.txt",
        "--by",
        "w.txt",
        "--record",
    ),
    "report": ("report", "qrels.txt", "one=one.run", "two.run", "--queries", "texts.tsv", "-o"),
    "gate": ("gate", "qrels.txt", "one.run", "--baseline", "two.run", "--junit"),
}
INPUTS = ("qrels.txt", "one.run", "two.run", "w.txt", "texts.tsv", "link.run", "hard.run", "./one.run")
READ = {
    "eval": {"qrels.txt", "one.run", "w.txt"},
    "eval of a link": {"qrels.txt", "one.run"},
    "eval of a pattern": {"qrels.txt", "one.run"},
    "eval of a judged ranking": {"qrels.txt"},
    "compare": {"qrels.txt", "one.run", "two.run", "w.txt"},
    "report": {"qrels.txt", "one.run", "two.run", "texts.tsv"},
    "gate": {"qrels.txt", "one.run", "two.run"},
}


@pytest.mark.skipif(os.name != "posix", reason="links need no leave on POSIX")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_what_it_reads(command: str, linked: Path) -> None:
    before = {each: Path(each).read_text() for each in INPUTS}
    for each in INPUTS:
        target = "one.run" if each in ("link.run", "hard.run", "./one.run") else each
        if target in READ[command]:
            attacked(*COMMANDS[command], each).refused(f"{each}: this file is the input")
    assert {each: Path(each).read_text() for each in INPUTS} == before


def test_python_writes_over_nothing_that_was_scored(folder: Path) -> None:
    scores = carob.evaluate("qrels.txt", "one.run", "AP")
    for path in ("qrels.txt", "one.run", "./one.run"):
        with pytest.raises(DataError, match="is the input"):
            carob.record(scores, path)
    carob.record(scores, "two.run")
    assert Path("one.run").read_text() == RUN


def test_a_file_in_a_folder_that_is_read_is_an_input(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "1.csv").write_text("query_id,doc_id,score\n")
    with pytest.raises(DataError, match="is the input parts"):
        refuse_overwriting("parts/1.csv", ["qrels.txt", "parts"])
    refuse_overwriting("parts/new.csv", ["qrels.txt", "parts", "nowhere/*.run", "nowhere.run", None, 7])
    with pytest.raises(DataError, match="is the input"):
        refuse_overwriting("parts/1.csv", ["parts/*.csv"])
