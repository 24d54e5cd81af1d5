"""Cost of fusion, relative to ``carob eval``: writing a file, ``--tune``, and an evaluation of the fused run.

``python -m bench.fuse --queries 1000`` makes seven runs with 1,000 documents for each query, and prints the ratios to
``carob eval`` (medians of pairs) and the most memory. With ``--ranx``, ranx is timed first, which takes minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

RUNS, DEPTH, POOL = 7, 1000, 4000

IN_RANX = """
import json, sys, time
import ranx
*paths, out = sys.argv[1:]
began = time.process_time()
runs = [ranx.Run.from_file(each, kind="trec") for each in paths]
read = time.process_time()
fused = ranx.fuse(runs, norm=None, method="rrf", params={"k": 60})
done = time.process_time()
fused.save(out, kind="trec")
print(json.dumps([read - began, done - read, time.process_time() - done]))
"""


def made(folder: Path, queries: int, judged: int) -> list[str]:
    """Writes judgments and runs with a common score component, and returns the paths of the runs.

    Scores are written in full because some rounded scores would be equal, and ranx orders equal scores arbitrarily.
    """
    shared = np.random.default_rng(0).normal(size=(queries, POOL))
    lines = [
        f"{query} 0 d{each} 1\n"
        for query, its in enumerate(shared)
        for each in np.argsort(-its)[:judged].tolist()
    ]
    (folder / "qrels.txt").write_text("".join(lines))
    paths = []
    for number in range(RUNS):
        random = np.random.default_rng(number + 1)
        path = folder / f"run{number}.run"
        with path.open("w") as file:
            for query, its in enumerate(shared):
                scores = its + 0.8 * random.normal(size=POOL)
                best = np.argsort(-scores)[:DEPTH].tolist()
                file.writelines(
                    f"{query} Q0 d{each} {rank} {float(scores[each])!r} run{number}\n"
                    for rank, each in enumerate(best, 1)
                )
        paths.append(str(path))
    return paths


EVALUATED = """
import sys
import carob
qrels, *paths = sys.argv[1:]
print(carob.evaluate(qrels, {"fused": carob.fuse(paths)}))
"""


class Cost(NamedTuple):
    """The cost of a command: wall-clock seconds, processor seconds, and MB of memory."""

    wall: float
    processor: float
    memory: float


def cost(command: list[str]) -> Cost:
    """Runs a command and returns its cost."""
    start = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command[:4])} … failed.")
    return Cost(perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def lines_of(path: Path) -> dict[tuple[str, str], float]:
    """Returns the score of each query and document of a run."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(row[0], row[2]): float(row[4]) for row in rows}


def compare_with_ranx(paths: list[str], folder: Path, carob: list[str]) -> None:
    """Prints the processor time of ranx and of carob for the same task: all documents of all lists, by ranx's rules."""
    out, other = folder / "fused.run", folder / "ranx.run"
    done = subprocess.run(
        [sys.executable, "-c", IN_RANX, *paths, str(other)], check=True, capture_output=True, text=True
    )
    its = cost([*carob, "fuse", *paths, "--depth", str(POOL), "--profile", "ranx", "-o", str(out)])
    if lines_of(out) != lines_of(other):
        sys.exit("The values of carob and ranx differ, so no time is shown.")
    seconds = json.loads(done.stdout)
    print(f"ranx, processor time: read {seconds[0]:.1f} s, fuse {seconds[1]:.1f} s, save {seconds[2]:.1f} s")
    print(f"carob fuse, every document: {its.processor:.2f} s, 1/{sum(seconds) / its.processor:.0f}")


def main() -> None:
    """Prints the time of each command, its ratio to ``carob eval``, and its memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--judged", type=int, default=20, help="judged documents of each query")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--ranx", action="store_true")
    given = parser.parse_args()
    carob = [sys.executable, "-m", "carob"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The files are made in another process, because a program's peak memory includes that of the process that
        # started it.
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            paths = other.submit(made, folder, given.queries, given.judged).result()
        qrels, out = str(folder / "qrels.txt"), str(folder / "fused.run")
        if given.ranx:
            compare_with_ranx(paths, folder, carob)
        commands = {
            "carob eval": [*carob, "eval", qrels, *paths],
            "carob fuse, file": [*carob, "fuse", *paths, "-o", out],
            "carob fuse, min-max sum, file": [*carob, "fuse", *paths, "--method", "sum", "-o", out],
            "carob fuse --tune, 85 weights": [*carob, "fuse", *paths, "--tune", "nDCG@10", "--qrels", qrels],
            "carob.evaluate of the fused run": [sys.executable, "-c", EVALUATED, qrels, *paths],
        }
        costs = [{what: cost(command) for what, command in commands.items()} for _ in range(given.repeats)]
        print(f"{RUNS} runs, {given.queries:,} queries, {DEPTH:,} documents, medians of {given.repeats}")
        for what in commands:
            its = [each[what] for each in costs]
            wall, processor = (
                median(each[what][place] / each["carob eval"][place] for each in costs) for place in (0, 1)
            )
            print(
                f"{what}: {median(each.wall for each in its):.2f} s ({wall:.2f}), processor "
                f"{median(each.processor for each in its):.2f} s ({processor:.2f}), "
                f"{max(each.memory for each in its):.0f} MB"
            )


if __name__ == "__main__":
    main()
