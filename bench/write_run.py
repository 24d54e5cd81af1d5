"""Time and memory of ``carob run`` on ten million lines: ``python -m bench.write_run [--queries N] [FOLDER]``.

The limits: conversion from any format to any other in less than 10 s and 300 MB. The first file is created in the
    folder.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.answer import Bar

DEPTH = 1000
SECONDS, MEGABYTES = 10.0, 300.0
PAIRS = [
    ("all.run", "made.run"),
    ("all.run", "table.tsv"),
    ("all.run", "ms.tsv"),
    ("ms.tsv", "made.run"),
    ("all.run", "lines.jsonl"),
    ("all.run", "dict.json"),
    ("all.run", "made.parquet"),
    ("all.run", "made.run.gz"),
    ("table.tsv", "made.run"),
    ("made.parquet", "made.run"),
    ("lines.jsonl", "made.run"),
    ("all.run", "lines.jsonl.gz"),
    ("lines.jsonl.gz", "made.run"),
    ("dict.json", "made.run"),
    ("list.json", "made.run"),
    ("all.run", "made.arrow"),
    ("made.arrow", "made.run"),
    ("made.run.gz", "made.run"),
    ("mixed.run", "made.run"),
]


def write_run(path: Path, queries: int) -> None:
    """Writes a run with 1,000 documents for each query, in the order of their scores."""
    rng = random.Random(1)
    with path.open("w", encoding="ascii") as file:
        for query in range(queries):
            score, lines = 30 + rng.random(), []
            for rank in range(1, DEPTH + 1):
                score -= rng.random() / 50
                lines.append(f"{1_000_000 + query} Q0 {rng.randrange(8_841_823)} {rank} {score:.6f} bench\n")
            file.writelines(lines)


def mix_queries(whole: Path, mixed: Path) -> None:
    """Writes the lines of a run so that each query's lines are in two separate places."""
    # Writes in two passes to use little memory, because the peak memory of a child process includes that of this
    # process.
    with mixed.open("wb") as out:
        for odd in (False, True):
            with whole.open("rb") as file:
                out.writelines(line for number, line in enumerate(file) if number % 2 == odd)


def make_list(lines: Path, listed: Path) -> None:
    """Converts JSON lines to a single list, as pandas writes the records of a frame."""
    with lines.open("rb") as file, listed.open("wb") as out:
        for number, line in enumerate(file):
            out.write((b"," if number else b"[") + line.rstrip())
        out.write(b"]")


def measured(source: Path, target: Path) -> tuple[float, float, float]:
    """Returns the seconds, the CPU seconds and the megabytes of one conversion."""
    form = ["--to", "msmarco"] if target.name == "ms.tsv" else []
    command = [
        sys.executable,
        "-m",
        "carob",
        "run",
        str(source),
        "-o",
        str(target),
        "--duplicates",
        "first",
        *form,
    ]
    begun = time.perf_counter()
    child = subprocess.Popen(command, stderr=subprocess.PIPE)
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    if status != 0:
        said = child.stderr.read().decode() if child.stderr else ""
        raise SystemExit(f"{source.name} to {target.name}: {said}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Measures each pair of formats, and prints which limits are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=tempfile.gettempdir())
    parser.add_argument("--queries", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        write_run(folder / "all.run", options.queries)
        mix_queries(folder / "all.run", folder / "mixed.run")
        print(f"{options.queries * DEPTH:,} lines, {(folder / 'all.run').stat().st_size:,} bytes")
        for source, target in PAIRS:
            if source == "list.json":
                make_list(folder / "lines.jsonl", folder / source)
            seconds, cpu, peak = measured(folder / source, folder / target)
            bars = [
                Bar(f"{source} to {target}", "at most", SECONDS, seconds, "s"),
                Bar("peak memory", "at most", MEGABYTES, peak, "MB"),
            ]
            print(*bars, f"        CPU: {cpu:.1f} s", sep="\n", flush=True)


if __name__ == "__main__":
    main()
