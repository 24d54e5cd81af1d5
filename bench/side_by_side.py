"""Programs run in turn, A B C A B C, each in its own process: their times, peak memory and what they printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.peers import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.data import Files

CHECKOUT = Path(__file__).resolve().parents[1]

TOLERANCE = 1e-9
"""How far a peer's mean may lie from karat's: far above rounding, far below any difference of convention."""


class DisagreementError(Exception):
    """Two programs gave different values, so that their times say nothing."""


@dataclass(frozen=True)
class Program:
    """A command to be timed.

    Args:
        name: what the table calls it.
        command: the arguments.
        values: takes what must agree, numbers or lines, out of what was printed; None if nothing is compared.
        seconds: takes the seconds out of what was printed; the life of the process if None.
    """

    name: str
    command: Sequence[str]
    values: Callable[[str], list[Any]] | None = None
    seconds: Callable[[str], list[float]] | None = None


@dataclass
class Timing:
    """What was measured of a program.

    Args:
        name: the program.
        seconds: every time taken.
        peak: the largest peak memory of its processes in MB; None where the system does not tell.
        values: what it computed.
        failure: why there are no times: the last line that it printed on standard error.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    peak: float | None = None
    values: list[Any] = field(default_factory=list)
    failure: str = ""

    @property
    def median(self) -> float:
        """The median of the times; NaN without any."""
        return median(self.seconds) if self.seconds else float("nan")


def side_by_side(programs: Sequence[Program], rounds: int) -> list[Timing]:
    """Run every program once per round, in turn, and compare what they computed with the first one's.

    Raises:
        DisagreementError: values differ.
    """
    timings = [Timing(program.name) for program in programs]
    for _ in range(rounds):
        for program, timing in zip(programs, timings):
            if not timing.failure:
                run_once(program, timing)
                if program.values and timings[0].values:
                    agree(timings[0], timing)
    return timings


def run_once(program: Program, timing: Timing) -> None:
    """Run a program and note what it took."""
    status, printed, complaint, seconds, peak = watched(program.command)
    if status != 0:
        timing.failure = (complaint.strip().splitlines() or [f"exit status {status}"])[-1]
        return
    timing.seconds += program.seconds(printed) if program.seconds else [seconds]
    timing.peak = peak if timing.peak is None or peak is None else max(peak, timing.peak)
    if program.values:
        timing.values = program.values(printed)


def watched(command: Sequence[str]) -> tuple[int, str, str, float, float | None]:
    """Run a command: exit status, standard output, standard error, seconds, peak memory in MB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        start = perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=errors, cwd=CHECKOUT, env=environment())
        peak = None
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            # Bytes on macOS, kilobytes elsewhere.
            peak = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        else:
            process.wait()
        seconds = perf_counter() - start
        out.seek(0)
        errors.seek(0)
        texts = [file.read().decode("utf-8", "replace") for file in (out, errors)]
    return process.returncode, texts[0], texts[1], seconds, peak


def environment() -> dict[str, str]:
    """The environment, with bytecode written as in an installed package: else a checkout is compiled at each start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def agree(first: Timing, other: Timing) -> None:
    """Refuse values that differ.

    Raises:
        DisagreementError: with the values.
    """
    for ours, theirs in zip(first.values, other.values, strict=True):
        if ours != theirs and not (isinstance(ours, float) and abs(ours - theirs) <= TOLERANCE):
            raise DisagreementError(
                f"{other.name} says {theirs!r} where {first.name} says {ours!r} (of {', '.join(MEASURES)}): no time "
                "is shown while they compute different things."
            )


# ---------------------------------------------------------------- programs


def karat_eval(made: Files) -> Program:
    """The command ``karat eval``."""
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    command = [*karat(), "eval", str(made.qrels), str(made.run), *asked, "--format", "json"]
    return Program(
        "karat eval", command, lambda printed: list(json.loads(printed)["runs"][0]["means"].values())
    )


def karat() -> list[str]:
    """The command of this Python's karat, as a user calls it."""
    script = Path(sys.executable).with_name("karat")
    return [str(script)] if script.exists() else [sys.executable, "-m", "karat"]


def peer(name: str, label: str, form: str, made: Files, python: str) -> Program:
    """A peer in its own process; with dicts only the evaluation is timed."""
    command = [python, "-m", "bench.child", name, form, str(made.qrels), str(made.run)]
    seconds = seconds_of if form == "dicts" else None
    return Program(label, command, values_of, seconds)


def values_of(printed: str) -> list[float]:
    """The values in what a child printed."""
    return list(answer(printed)["values"])


def seconds_of(printed: str) -> list[float]:
    """The seconds in what a child printed."""
    return list(answer(printed)["seconds"])


def answer(printed: str) -> Any:
    """The last line of a child's output: libraries also print there."""
    return json.loads(printed.strip().splitlines()[-1])
