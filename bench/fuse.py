"""Time of fusion: ``carob fuse`` with a file, ``carob eval`` of the same runs, and ranx, whose values come first.

``python -m bench.fuse --queries 1000`` makes seven runs with 1,000 documents for each query. Without ``--ranx``, which
takes minutes, only carob is timed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

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


def made(folder: Path, queries: int) -> list[str]:
    """Writes judgments and runs, whose scores share a part, and returns the paths of the runs.

    Scores are written in full: rounded, some would be equal, and ranx leaves the order of those to its sort.
    """
    shared = np.random.default_rng(0).normal(size=(queries, POOL))
    judged = [
        f"{query} 0 d{each} 1\n"
        for query, its in enumerate(shared)
        for each in np.argsort(-its)[:20].tolist()
    ]
    (folder / "qrels.txt").write_text("".join(judged))
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


def processor_time(command: list[str]) -> float:
    """Runs a command and returns the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def lines_of(path: Path) -> dict[tuple[str, str], float]:
    """Returns the score of each query and document of a run."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(row[0], row[2]): float(row[4]) for row in rows}


def main() -> None:
    """Prints the processor time of each program, and the ratio to ``carob eval``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--ranx", action="store_true")
    given = parser.parse_args()
    carob = [sys.executable, "-m", "carob"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths, out, other = made(folder, given.queries), folder / "fused.run", folder / "ranx.run"
        fuse = [*carob, "fuse", *paths, "--depth", str(POOL), "--profile", "ranx", "-o", str(out)]
        if given.ranx:
            # ranx keeps every document, so both do here.
            done = subprocess.run(
                [sys.executable, "-c", IN_RANX, *paths, str(other)],
                check=True,
                capture_output=True,
                text=True,
            )
            processor_time(fuse)
            if lines_of(out) != lines_of(other):
                sys.exit("The values of carob and ranx differ, so no time is shown.")
            print(f"ranx: read, fuse, save: {done.stdout.strip()} s")
            print(f"carob fuse, every document: {processor_time(fuse):.2f} s")
        pairs = []
        for _ in range(given.repeats):
            judged = processor_time([*carob, "eval", str(folder / "qrels.txt"), *paths])
            pairs.append((processor_time([*carob, "fuse", *paths, "-o", str(out)]), judged))
        ratio = median(fused / judged for fused, judged in pairs)
        best = [min(each) for each in zip(*pairs, strict=True)]
        print(
            f"carob fuse, {DEPTH} documents: {best[0]:.2f} s; carob eval: {best[1]:.2f} s; ratio {ratio:.2f}"
        )


if __name__ == "__main__":
    main()
