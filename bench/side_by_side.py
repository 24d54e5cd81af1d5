"""Runs programs in turn, A B C A B C, each in its own process, and measures their time and peak memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.peers import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.data import Files

CHECKOUT = Path(__file__).resolve().parents[1]

TOLERANCE = 1e-9
"""The largest accepted difference from carob's means: above rounding errors, below differences in conventions."""


class DisagreementError(Exception):
    """Raised if two programs computed different values, in which case their times cannot be compared."""


@dataclass(frozen=True)
class Program:
    """A command to be timed.

    Args:
        name: the name of the program in the table.
        command: the command and its arguments.
        values: a function that extracts from the output the numbers or lines that must agree; None if nothing is
            compared.
        seconds: a function that extracts the seconds from the output; the lifetime of the process if None.
        fine: the exit statuses that do not count as failures.
        processor: a function that extracts the processor time from the output; the process's own if None.
        limit: the seconds after which the process is stopped, or None.
        unheard: whether to send the output to the null device; otherwise, writing it would be timed, and its size would
            count as memory of later programs.
    """

    name: str
    command: Sequence[str]
    values: Callable[[str], list[Any]] | None = None
    seconds: Callable[[str], list[float]] | None = None
    fine: Sequence[int] = (0,)
    processor: Callable[[str], list[float]] | None = None
    limit: float | None = None
    unheard: bool = False


@dataclass
class Timing:
    """The measurements of a program.

    Args:
        name: the program.
        seconds: all times, one per round.
        processor: the processor time of every process over all cores, which other load disturbs least.
        peak: the largest peak memory of its processes in MB; None if the system does not report it.
        values: the values that the program computed.
        failure: the reason why there are no times, which is the last line that the program printed on standard error.
        stopped: whether the program exceeded its limit. ``seconds`` contains the times that it finished before.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    peak: float | None = None
    values: list[Any] = field(default_factory=list)
    failure: str = ""
    stopped: bool = False

    @property
    def median(self) -> float:
        """The median of the times, or NaN if there are none."""
        return median(self.seconds) if self.seconds else float("nan")


def side_by_side(programs: Sequence[Program], rounds: int) -> list[Timing]:
    """Runs every program once per round, in turn, and compares the values with those of the first program.

    Raises:
        DisagreementError: values differ.
    """
    timings = [Timing(program.name) for program in programs]
    for _ in range(rounds):
        for program, timing in zip(programs, timings):
            if not (timing.failure or timing.stopped):
                run_once(program, timing)
                if program.values and timings[0].values and not timing.failure:
                    agree(timings[0], timing)
    return timings


def run_once(program: Program, timing: Timing) -> None:
    """Runs a program, and returns its time and memory."""
    life = watched(program.command, program.limit, unheard=program.unheard)
    timing.stopped = life.stopped
    if life.stopped and not life.printed.strip():
        timing.failure = late(program)
        return
    if life.status not in program.fine and not life.stopped:
        timing.failure = (life.complaint.strip().splitlines() or [f"exit status {life.status}"])[-1]
        return
    timing.seconds += program.seconds(life.printed) if program.seconds else [life.seconds]
    if life.peak is not None and life.processor is not None:
        timing.peak = max(life.peak, timing.peak or 0.0)
        timing.processor += program.processor(life.printed) if program.processor else [life.processor]
    if program.values:
        timing.values = program.values(life.printed)


def late(program: Program) -> str:
    """Returns the reason why a program that exceeded its limit has no times."""
    return f"not finished after {program.limit:g} s"


class Life(NamedTuple):
    """The output, the time, the processor time and the peak memory in MB of a finished process."""

    status: int
    printed: str
    complaint: str
    seconds: float
    processor: float | None
    peak: float | None
    stopped: bool


def watched(command: Sequence[str], limit: float | None = None, *, unheard: bool = False) -> Life:
    """Runs a command to its end, or stops it after ``limit`` seconds. Optionally discards its output."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        start = perf_counter()
        printed_to = subprocess.DEVNULL if unheard else out
        process = subprocess.Popen(command, stdout=printed_to, stderr=errors, cwd=CHECKOUT, env=environment())
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            os.kill(process.pid, signal.SIGTERM)

        clock = threading.Timer(limit or 0.0, stop)
        clock.daemon = True
        if limit is not None:
            clock.start()
        peak = processor = None
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            processor = usage.ru_utime + usage.ru_stime
            # The system reports bytes on macOS, and kilobytes elsewhere.
            peak = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        else:
            process.wait()
        clock.cancel()
        seconds = perf_counter() - start
        out.seek(0)
        errors.seek(0)
        printed, complaint = (file.read().decode("utf-8", "replace") for file in (out, errors))
    return Life(process.returncode, printed, complaint, seconds, processor, peak, stopped.is_set())


def environment() -> dict[str, str]:
    """Returns an environment in which Python writes bytecode, so it does not compile carob at each start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def agree(first: Timing, other: Timing) -> None:
    """Raises an error if values differ. None stands for a measure that a program does not compute.

    Raises:
        DisagreementError: the values differ; the error states them.
    """
    for ours, theirs in zip(first.values, other.values, strict=True):
        if (
            theirs is not None
            and ours != theirs
            and not (isinstance(ours, float) and abs(ours - theirs) <= TOLERANCE)
        ):
            raise DisagreementError(
                f"{other.name} says {theirs!r} where {first.name} says {ours!r} (of {', '.join(MEASURES)}): no time "
                "is shown while they compute different things."
            )


# ---------------------------------------------------------------- programs


def carob_eval(made: Files) -> Program:
    """Returns the command ``carob eval``."""
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    command = [*carob(), "eval", str(made.qrels), str(made.run), *asked, "--format", "json"]
    return Program(
        "carob eval", command, lambda printed: list(json.loads(printed)["runs"][0]["means"].values())
    )


def carob() -> list[str]:
    """Returns the command that runs this Python's carob as a user does."""
    script = Path(sys.executable).with_name("carob")
    return [str(script)] if script.exists() else [sys.executable, "-m", "carob"]


def peer(name: str, label: str, form: str, made: Files, python: str, limit: float | None = None) -> Program:
    """Returns a program that runs a tool in its own process. With dicts and frames, only the evaluation is timed.

    In a session, the processor time of each evaluation is measured as well, including the processes that the tool
    started.
    """
    command = [python, "-m", "bench.child", name, form, str(made.qrels), str(made.run)]
    seconds = seconds_of if form in ("dicts", "frames", "session") else None
    processor = processor_of if form == "session" else None
    return Program(label, command, values_of, seconds, processor=processor, limit=limit)


def values_of(printed: str) -> list[float]:
    """Returns the values that a child process printed."""
    return list(answer(printed)["values"])


def seconds_of(printed: str) -> list[float]:
    """Returns the seconds that a child process printed."""
    return list(answer(printed)["seconds"])


def processor_of(printed: str) -> list[float]:
    """Returns the processor times that a child process printed."""
    return list(answer(printed)["processor"])


def answer(printed: str) -> Any:
    """Returns the last line of a child's output, because libraries also print to it."""
    return json.loads(printed.strip().splitlines()[-1])
