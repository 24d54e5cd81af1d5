"""The setting of a benchmark and its result: timings, and the bars that they meet or miss."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bench.data import Files, files
from bench.side_by_side import CHECKOUT, Program, Timing, peer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LIBRARIES = {"pytrec_eval": "pytrec_eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}
"""The peers: the module here, the library's own, and a label."""


@dataclass(frozen=True)
class Setting:
    """The setting that all benchmarks share.

    Args:
        folder: where generated files are kept.
        python: the interpreter that runs the peers.
        peers: which of them are asked.
        rounds: how often each program runs, or None for each question's own number.
        quick: tiny files: whether all works, not how fast.
        huge: also ask what needs ten times the lines.
    """

    folder: Path
    python: str
    peers: Sequence[str]
    rounds: int | None = None
    quick: bool = False
    huge: bool = False

    def data(self, size: str) -> Files:
        """The files of a size, made if they are not there."""
        if self.quick:
            size = "tiny-shuffled" if size.endswith("shuffled") else "tiny"
        made = files(self.folder, size)
        if not (made.qrels.exists() and made.run.exists()):
            print(f"making {made.run.name} ...", file=sys.stderr)
            command = [sys.executable, "-m", "bench.data", str(self.folder), size]
            subprocess.run(command, check=True, cwd=CHECKOUT)
        return made

    def times(self, usual: int) -> int:
        """How often each program runs."""
        return 1 if self.quick else self.rounds or usual

    def others(self, form: str, made: Files) -> list[Program]:
        """The peers as programs."""
        return [peer(name, LIBRARIES[name], form, made, self.python) for name in self.peers]


@dataclass(frozen=True)
class Bar:
    """A promise and what was measured: ``kind`` is ``at least`` or ``at most``."""

    what: str
    kind: str
    limit: float
    measured: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether it holds; what could not be measured does not."""
        return self.measured >= self.limit if self.kind == "at least" else self.measured <= self.limit

    def __str__(self) -> str:
        """One line."""
        said = f"{self.what}: {self.measured:.3g} {self.unit} ({self.kind} {self.limit:g})"
        return f"{'met   ' if self.met else 'MISSED'}  {said}"


@dataclass(frozen=True)
class Answer:
    """A question's table: what was asked, on what, the programs' timings with karat's first, and the bars."""

    question: str
    data: str
    timings: Sequence[Timing]
    bars: Sequence[Bar] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "question": self.question,
            "data": self.data,
            "timings": [{**vars(each), "median": each.median} for each in self.timings],
            "bars": [{**vars(each), "met": each.met} for each in self.bars],
        }


def ratio(first: Timing, other: Timing) -> float:
    """How many times longer the other one took."""
    return other.median / first.median


def faster_than(timings: Sequence[Timing], name: str, limit: float, what: str) -> list[Bar]:
    """The bar that the first program is ``limit`` times as fast as the one of that name, if it was asked."""
    return [
        Bar(f"{what}, against {name}", "at least", limit, ratio(timings[0], each), "times as fast")
        for each in timings
        if each.name == name
    ]


def installed(peers: Sequence[str], python: str) -> list[str]:
    """Those of the peers that the interpreter can import; for another interpreter all, which may then fail."""
    return [name for name in peers if python != sys.executable or find_spec(name)]


def size_of(path: Path) -> str:
    """A file's size in words."""
    return f"{path.stat().st_size / 1e6:,.0f} MB"
