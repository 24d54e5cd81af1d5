"""Cycles, instructions and cache misses per line of a run, by stage of the match: ``python -m bench.stages``.

Cachegrind counts instructions and misses in simulated caches; ``perf`` samples the time. Both need a kernel with
symbols: ``--kernel`` specifies a folder with a package ``carob`` whose ``_native`` was built with ``-g`` and not
stripped. The costs of a process with one match are subtracted from those of a process with several.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

MATCHES = 5
PROGRAM = """
import sys
from carob.conventions.policy import Policy
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.matching.match import match
judged, run = Qrels.of(sys.argv[1]), Run.of(sys.argv[2])
for _ in range(int(sys.argv[3])):
    match(judged, run, Policy(), relevant_only=True, threads=1)
"""
STAGES = (
    (
        "read the file into memory",
        r"_copy_to_iter|copy_.*user|filemap|Blocks::|__GI_memcpy|memmove|line_before",
    ),
    ("convert scores", r"short_decimal|parse_score|from_chars"),
    ("look up documents", r"find_documents|same_id|find_query"),
    ("find duplicates", r"Reducer::join"),
    ("rank judged documents", r"Reducer::|Findings"),
    ("split lines, hash ids", r"match_contiguous|RunReader|hash_id|carob::Documents"),
)
"""The stages with the functions that belong to them; the first match counts. Inlined functions are their caller's."""


class Cost(NamedTuple):
    """The costs of one stage per line."""

    cycles: float
    instructions: float
    first: float
    last: float


def stage_of(function: str) -> str | None:
    """Returns the stage of a function, or None if the function does not belong to the match."""
    return next((name for name, pattern in STAGES if re.search(pattern, function)), None)


def program(kernel: Path, qrels: Path, run: Path, matches: int) -> tuple[list[str], dict[str, str]]:
    """Returns the command that matches a run several times, and its environment."""
    command = [sys.executable, "-c", PROGRAM, str(qrels), str(run), str(matches)]
    return command, {**os.environ, "PYTHONPATH": str(kernel), "OPENBLAS_NUM_THREADS": "1"}


def counted(kernel: Path, qrels: Path, run: Path, matches: int) -> dict[str, Counter[str]]:
    """Returns Cachegrind's events by stage: ``Ir``, and the sums of reads and writes that miss a cache."""
    found = {name: Counter[str]() for name in ("Ir", "D1", "DL")}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "events"
        command, env = program(kernel, qrels, run, matches)
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={out}"]
        subprocess.run([*tool, *command], env=env, check=True, capture_output=True)
        names: list[str] = []
        stage = None
        for line in out.read_text(errors="replace").splitlines():
            if line.startswith("events:"):
                names = line.split()[1:]
            elif line.startswith("fn="):
                stage = stage_of(line[3:])
            elif stage is not None and line[:1].isdigit():
                events = dict(zip(names, map(int, line.split()[1:]), strict=False))
                found["Ir"][stage] += events.get("Ir", 0)
                found["D1"][stage] += events.get("D1mr", 0) + events.get("D1mw", 0)
                found["DL"][stage] += events.get("DLmr", 0) + events.get("DLmw", 0)
    return found


def sampled(kernel: Path, qrels: Path, run: Path, matches: int) -> Counter[str]:
    """Returns the nanoseconds of each stage."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "samples")
        command, env = program(kernel, qrels, run, matches)
        subprocess.run(
            ["perf", "record", "-q", "-F", "5000", "-o", out, *command],
            env=env,
            check=True,
            capture_output=True,
        )
        script = ["perf", "script", "-i", out, "-F", "period,ip,sym"]
        printed = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    nanoseconds: Counter[str] = Counter()
    for line in printed.splitlines():
        period, _, function = (line.split(None, 2) + ["", "", ""])[:3]
        stage = stage_of(function)
        if stage is not None:
            nanoseconds[stage] += int(period)
    return nanoseconds


def costs(kernel: Path, qrels: Path, run: Path, hertz: float) -> dict[str, Cost]:
    """Returns the costs of each stage per line of the run."""
    lines = run.read_bytes().count(b"\n")
    once, several = (counted(kernel, qrels, run, matches) for matches in (1, 1 + MATCHES))
    many = 40 * MATCHES
    short, long = (sampled(kernel, qrels, run, matches) for matches in (1, 1 + many))
    return {
        stage: Cost(
            (long[stage] - short[stage]) / 1e9 * hertz / many / lines,
            *((several[event][stage] - once[event][stage]) / MATCHES / lines for event in ("Ir", "D1", "DL")),
        )
        for stage, _ in STAGES
    }


def main() -> None:
    """Prints the table of one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--kernel", type=Path, required=True)
    parser.add_argument(
        "--hertz", type=float, required=True, help="the clock of the processor, such as 2.5e9"
    )
    given = parser.parse_args()
    print(f"{'per line':28}{'cycles':>10}{'instructions':>14}{'L1 misses':>11}{'LL misses':>11}")
    found = costs(given.kernel, given.qrels, given.run, given.hertz)
    for stage, cost in [*found.items(), ("all", Cost(*map(sum, zip(*found.values(), strict=True))))]:
        print(f"{stage:28}{cost.cycles:10.0f}{cost.instructions:14.0f}{cost.first:11.2f}{cost.last:11.3f}")


if __name__ == "__main__":
    main()
