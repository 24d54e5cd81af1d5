"""Attacks by signals: Ctrl-C while carob reads, waits, computes or writes ends it at once, and says so."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hostile.attack import SOURCES, attacked
from strategies import first

SOON = 60.0
"""Seconds after which an end is taken for a hang. On an idle machine it takes a tenth of a second."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name != "posix", reason="signals and pipes with names are POSIX's"),
]


@pytest.fixture(autouse=True)
def large(folder: Path) -> None:
    many = [f"q{each}" for each in range(300)]
    Path("many.txt").write_text("".join(f"{each} 0 a 1\n" for each in many))
    for name, score in (("x.run", 0.5), ("y.run", 1.5)):  # y is worse on every second query
        scores = (score if place % 2 else 0.5 for place in range(len(many)))
        lines = (f"{each} Q0 a 0 1 t\n{each} Q0 b 0 {its} t\n" for each, its in zip(many, scores))
        Path(name).write_text("".join(lines))
    os.mkfifo("pipe")


def begun(*arguments: str) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "carob", *arguments]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    return subprocess.Popen(
        line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def interrupted(process: subprocess.Popen[bytes], by: int = signal.SIGINT) -> tuple[int, str]:
    """The exit code and what was said, once the process has had its signal."""
    process.send_signal(by)
    try:
        _, said = process.communicate(timeout=SOON)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail(f"no end within {SOON} seconds of the signal")
    return process.returncode, said.decode().strip()


READS = {
    "a run": ("eval", "qrels.txt", "pipe"),
    "judgments": ("eval", "pipe", "one.run"),
    "a run to compare": ("compare", "qrels.txt", "one.run", "pipe"),
    "a run to check": ("check", "qrels.txt", "pipe"),
    "a run to gate": ("gate", "qrels.txt", "pipe", "--baseline", "two.run", "--max-drop", "AP=1"),
    "weights": ("eval", "qrels.txt", "one.run", "--weights", "pipe"),
    "trec_eval's run": ("trec-eval", "qrels.txt", "pipe"),
}


@pytest.mark.parametrize("what", READS)
def test_an_interrupt_while_it_reads_ends_it(what: str) -> None:
    process = begun(*READS[what])
    with Path("pipe").open("wb") as writer:  # which waits until carob reads
        writer.write(b"q1 Q0 a 1 1.0 t\n" * 3)
        writer.flush()
        time.sleep(0.2)
        assert interrupted(process) == (130, "carob: interrupted")


def lines(*, sorted_: bool) -> bytes:
    """Several blocks of a run, which threads of the kernel read, and nothing behind them."""
    places = [(query, document) for query in range(2000) for document in range(80)]
    if not sorted_:
        places.sort(key=lambda place: place[1])
    return b"".join(b"q%d Q0 d%d 1 %d t\n" % (query, document, -document) for query, document in places)


STALLED = {
    "sorted": lambda: lines(sorted_=True),
    "interleaved": lambda: lines(sorted_=False),
    "compressed": lambda: gzip.compress(lines(sorted_=True), 1)[:-100],
}


@pytest.mark.parametrize("how", first(STALLED, 1))
@pytest.mark.parametrize("what", ["a run", "a run to check", "a run to gate", "trec_eval's run", "input"])
def test_an_interrupt_while_it_waits_for_more_of_a_run_ends_it(what: str, how: str) -> None:
    process = begun(*READS.get(what, ("eval", "qrels.txt", "-")))
    writer: Any = process.stdin
    if what == "input":
        process.stdin = None  # else interrupted() would end the input
    else:
        writer = Path("pipe").open("wb")  # noqa: SIM115 -- closed by the next line
    with writer:
        writer.write(STALLED[how]())
        writer.flush()
        time.sleep(0.5)
        assert interrupted(process) == (130, "carob: interrupted")


def test_an_interrupt_while_it_waits_for_input_ends_it() -> None:
    process = begun("eval", "qrels.txt", "-")
    assert process.stdin is not None
    process.stdin.write(b"q1 Q0 a 1 1.0 t\n")
    process.stdin.flush()
    time.sleep(2)
    assert interrupted(process) == (130, "carob: interrupted")


WORKS = {
    "resampling": ("--test", "randomisation", "--resamples", "100000000"),
    "bootstrapping": ("--bootstrap", "--resamples", "100000000"),
    "max-T": ("--test", "max-t", "--resamples", "100000000"),
}


@pytest.mark.parametrize("what", first(WORKS, 1))
def test_an_interrupt_while_it_computes_ends_it(what: str) -> None:
    process = begun("compare", "many.txt", "x.run", "y.run", *WORKS[what], "--weights", "pipe")
    with Path("pipe").open("wb") as writer:
        writer.write(b"".join(b"q%d 1\n" % each for each in range(300)))
    time.sleep(2)
    assert process.poll() is None, f"it was done before it could be interrupted: {process.communicate()!r}"
    assert interrupted(process) == (130, "carob: interrupted")


def test_an_end_by_force_leaves_no_part_of_a_file(folder: Path) -> None:
    before = sorted(each.name for each in folder.iterdir())
    process = begun("eval", "qrels.txt", "pipe", "--record", "out.json")
    with Path("pipe").open("wb"):
        time.sleep(0.2)
        assert interrupted(process, signal.SIGTERM)[0] == -signal.SIGTERM
    assert sorted(each.name for each in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("number", "said"), [(24, "ulimit -n"), (23, "ulimit -n"), (28, "Cannot write the output")]
)
def test_a_lack_of_files_is_not_a_full_disk(number: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("carob.__main__.face", lacks)
    attacked("eval", "qrels.txt", "one.run").refused(said)
