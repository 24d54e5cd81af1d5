"""The settings of a benchmark and its result: timings, and the limits on them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bench.data import Files, files
from bench.side_by_side import CHECKOUT, Program, Timing, peer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LIBRARIES = {"pytrec_eval": "pytrec_eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}
"""The other tools: the module in ``bench``, the module of the library, and a label."""


@dataclass(frozen=True)
class Setting:
    """The settings that all benchmarks share.

    Args:
        folder: the folder for generated files.
        python: the interpreter that runs the peers.
        peers: the peers to run.
        rounds: how often each program runs, or None for each benchmark's own number.
        quick: use tiny files, to check that everything works rather than how fast.
        huge: also run what needs ten times as many lines.
    """

    folder: Path
    python: str
    peers: Sequence[str]
    rounds: int | None = None
    quick: bool = False
    huge: bool = False

    def data(self, size: str) -> Files:
        """Returns the files of a size, creating them if they do not exist."""
        if self.quick:
            size = "tiny-shuffled" if size.endswith("shuffled") else "tiny"
        made = files(self.folder, size)
        if not (made.qrels.exists() and made.run.exists()):
            print(f"making {made.run.name} ...", file=sys.stderr)
            command = [sys.executable, "-m", "bench.data", str(self.folder), size]
            subprocess.run(command, check=True, cwd=CHECKOUT)
        return made

    def times(self, usual: int) -> int:
        """Returns how often to run each program."""
        return 1 if self.quick else self.rounds or usual

    def others(self, form: str, made: Files) -> list[Program]:
        """Returns the other tools as programs."""
        return [peer(name, LIBRARIES[name], form, made, self.python) for name in self.peers]


@dataclass(frozen=True)
class Bar:
    """A limit on a measurement, and the measured value. ``kind`` is ``at least`` or ``at most``."""

    what: str
    kind: str
    limit: float
    measured: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether the limit is met. A limit on a value that could not be measured is not met."""
        return self.measured >= self.limit if self.kind == "at least" else self.measured <= self.limit

    def __str__(self) -> str:
        """Returns the limit and the measured value on one line."""
        said = f"{self.what}: {self.measured:.3g} {self.unit} ({self.kind} {self.limit:g})"
        return f"{'met   ' if self.met else 'MISSED'}  {said}"


@dataclass(frozen=True)
class Answer:
    """The result of a benchmark: the question, the data, the timings of the programs (carob first), and the limits."""

    question: str
    data: str
    timings: Sequence[Timing]
    bars: Sequence[Bar] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Returns the result as plain values for JSON."""
        return {
            "question": self.question,
            "data": self.data,
            "timings": [{**vars(each), "median": each.median} for each in self.timings],
            "bars": [{**vars(each), "met": each.met} for each in self.bars],
        }


def ratio(first: Timing, other: Timing) -> float:
    """Returns how many times as long the other program took."""
    return other.median / first.median


def faster_than(timings: Sequence[Timing], name: str, limit: float, what: str) -> list[Bar]:
    """Returns the limit that the first program is ``limit`` times as fast as the named program, if that program ran.

    A program that was stopped before it finished once has no ratio.
    """
    return [
        Bar(f"{what}, against {name}", "at least", limit, ratio(timings[0], each), "times as fast")
        for each in timings
        if each.name == name and (each.seconds or not each.stopped)
    ]


def installed(peers: Sequence[str], python: str) -> list[str]:
    """Returns the tools that this interpreter can import, or all tools for another interpreter."""
    return [name for name in peers if python != sys.executable or find_spec(name)]


def versions(python: str, names: list[str]) -> dict[str, str]:
    """Returns the installed versions, in this environment and in those of the other tools."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            ask = f"import importlib.metadata as m; print(m.version({name!r}))"
            printed = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
            found[name] = printed.stdout.strip()
    return found


def size_of(path: Path) -> str:
    """Returns a file's size as text."""
    return f"{path.stat().st_size / 1e6:,.0f} MB"
