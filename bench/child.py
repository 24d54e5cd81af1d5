"""The process in which one tool is timed.

``python -m bench.child PEER files QRELS RUN`` reads and evaluates once. ``… dicts …`` first makes dicts and then
evaluates them repeatedly, up to ``ROUNDS`` times within ``PATIENCE`` seconds; ``… frames …`` does the same with the
result of the peer's ``prepare``, and ``… session …`` evaluates it ``EVALUATIONS`` times, or twice if two evaluations
take ``SESSION``
seconds. Prints a line of JSON after each evaluation, so a process that is stopped has reported the evaluations that it
    finished.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.data import Files, as_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 5
PATIENCE = 10.0
EVALUATIONS = 3
SESSION = 240.0


def main(peer: str, form: str, qrels: str, run: str) -> Iterator[dict[str, Any]]:
    """Yields the tool's values, with the seconds and the processor time of each evaluation so far."""
    made = Files(Path(qrels), Path(run))
    library = importlib.import_module(f"bench.peers.{peer}")
    if form == "files":
        yield {"values": library.run(*library.prepare(*made))}
        return
    given = as_dicts(made) if form == "dicts" else library.prepare(*made)
    seconds: list[float] = []
    processor: list[float] = []
    least, times, within = (2, EVALUATIONS, SESSION) if form == "session" else (1, ROUNDS, PATIENCE)
    while len(seconds) < least or (len(seconds) < times and sum(seconds) < within):
        used, start = processor_time(), perf_counter()
        values = library.run(*given)
        seconds.append(perf_counter() - start)
        if used is not None:
            processor.append((processor_time() or 0.0) - used)
        yield {"values": values, "seconds": seconds, "processor": processor}


def processor_time() -> float | None:
    """Returns the processor seconds of this process and all of its descendants, such as Spark's JVM and its workers.

    Returns None if the system has no ``/proc``.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for listed in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of the program, in brackets, may contain blanks.
            fields = listed.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # the process has just ended, and its time counts with its parent
        parents[int(listed.parent.name)] = int(fields[1])
        ticks[int(listed.parent.name)] = sum(map(int, fields[11:15]))  # with those of ended children
    ours = {os.getpid()} & set(parents)
    while below := {each for each, parent in parents.items() if parent in ours} - ours:
        ours |= below
    return sum(ticks[each] for each in ours) / os.sysconf("SC_CLK_TCK") if ours else None


if __name__ == "__main__":
    for answer in main(*sys.argv[1:]):
        print(json.dumps(answer), flush=True)
