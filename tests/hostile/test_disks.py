"""Attacks by disks and streams: full, closed, read-only, gone, or written by many at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import carob
from hostile.attack import SOURCES, asked, attacked, attacked_apart

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name != "posix", reason="devices and closed streams are POSIX's"),
]
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture(autouse=True)
def made(folder: Path) -> None:
    carob.record(carob.evaluate("qrels.txt", "one.run", "AP"), "made.json")


SAID = {
    "a table": ("eval", "qrels.txt", "one.run"),
    "a long table": ("eval", "-q", "-m", "all_trec", "qrels.txt", "one.run"),
    "a comparison": ("compare", "qrels.txt", "one.run", "two.run"),
    "a check": ("check", "qrels.txt", "one.run"),
    "an explanation": ("explain", "AP", "--grades", "1,0,1"),
    "help": ("--help",),
    "a gate": ("gate", "qrels.txt", "one.run", "--baseline", "two.run", "--max-drop", "AP=1"),
    "a verification": ("verify", "made.json"),
    "trec_eval's lines": ("trec-eval", "-q", "qrels.txt", "one.run"),
}


@needs_full
@pytest.mark.parametrize("what", SAID)
def test_a_full_disk_is_a_sentence(what: str) -> None:
    attacked_apart(*SAID[what], shell="> /dev/full").refused("Cannot write the output")


@pytest.mark.parametrize("what", ["a table", "help", "trec_eval's lines"])
def test_a_closed_output_is_a_sentence(what: str) -> None:
    attacked_apart(*SAID[what], shell=">&-").refused("Standard output is closed")


@pytest.mark.parametrize("shell", ["2>&-", "2> /dev/full"])
def test_where_nobody_listens_the_exit_code_is_the_same(shell: str) -> None:
    if "full" in shell and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    for arguments, code in (("eval qrels.txt one.run", 0), ("eval gone.txt one.run", 2)):
        line = f"{sys.executable} -m carob {arguments} {shell}"
        done = subprocess.run(
            ["sh", "-c", line], env={**os.environ, "PYTHONPATH": SOURCES}, capture_output=True, check=False
        )
        assert done.returncode == code, done


IN = {
    "judgments": ("eval", "-", "one.run"),
    "a run": ("eval", "qrels.txt", "-"),
    "runs to compare": ("compare", "qrels.txt", "-", "two.run"),
    "a gate": ("gate", "qrels.txt", "-", "--baseline", "two.run", "--max-drop", "AP=1"),
    "weights": ("eval", "qrels.txt", "one.run", "--weights", "-"),
    "a judged ranking": ("eval", "--judged-ranking", "-"),
    "trec_eval's run": ("trec-eval", "qrels.txt", "-"),
}


@pytest.mark.parametrize("what", IN)
def test_a_closed_input_is_a_sentence(what: str) -> None:
    done = attacked_apart(*IN[what], shell="<&-")
    assert done.code == 2
    assert done.err


@pytest.mark.parametrize("what", IN)
def test_an_input_of_nothing_is_a_sentence(what: str) -> None:
    assert attacked(*IN[what], stdin=b"").code in (2, 3, 4)


WRITES = {
    "eval": ("eval", "qrels.txt", "one.run", "--record"),
    "compare": ("compare", "qrels.txt", "one.run", "two.run", "--record"),
    "gate": ("gate", "qrels.txt", "one.run", "--baseline", "two.run", "--max-drop", "AP=1", "--junit"),
}
NOWHERE = {
    "a folder that is not there": "nowhere/out.json",
    "a file for a folder": "one.run/out.json",
    "a folder": ".",
    "a name too long": "x" * 300,
    "a full device": "/dev/full",
}


@pytest.mark.parametrize("where", NOWHERE)
@pytest.mark.parametrize("command", WRITES)
def test_what_cannot_be_written_is_a_sentence(command: str, where: str, folder: Path) -> None:
    if where == "a full device" and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    before = sorted(each.name for each in folder.iterdir())
    done = attacked(*WRITES[command], NOWHERE[where])
    assert done.code == 2
    assert "Cannot write" in done.err
    assert sorted(each.name for each in folder.iterdir()) == before


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("command", WRITES)
def test_a_folder_that_may_not_be_written_to_is_a_sentence(command: str, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o500)
    attacked(*WRITES[command], "closed/out.json").refused("Cannot write closed/out.json")


def test_a_file_that_shrinks_after_it_was_opened_is_a_sentence_or_its_rest() -> None:
    held = carob.Run.of("one.run")
    Path("one.run").write_text("")
    asked(lambda: carob.evaluate("qrels.txt", held, "AP")).refused("one.run")
    Path("one.run").unlink()
    asked(lambda: carob.evaluate("qrels.txt", held, "AP")).refused("one.run")


def test_rows_that_no_disk_takes_are_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.setattr("carob.inputs.sources.IN_MEMORY", 8)
    with Path("two.run").open("rb") as stream:
        asked(lambda: carob.evaluate("qrels.txt", stream, "AP")).refused("No space left")


def test_a_reader_that_leaves_early_ends_it_without_a_word(folder: Path) -> None:
    lines = "".join(f"q{each} 0 d 1\n" for each in range(5_000))
    Path("qrels.txt").write_text(lines)
    Path("one.run").write_text(lines.replace(" d 1", " d 1 1 t"))
    done = attacked_apart("eval", "-q", "qrels.txt", "one.run", shell="| head -1; exit 0")
    assert done.err == ""
