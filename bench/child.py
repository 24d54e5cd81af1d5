"""The process in which one tool is timed.

``python -m bench.child PEER files QRELS RUN`` reads and evaluates once. ``… dicts …`` makes dicts first, and then
evaluates them again and again, up to ``ROUNDS`` times within ``PATIENCE`` seconds; ``… frames …`` does so with what
the peer's ``prepare`` makes, and ``… session …`` does it ``EVALUATIONS`` times. Prints JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.data import Files, as_dicts

ROUNDS = 5
PATIENCE = 10.0
EVALUATIONS = 3


def main(peer: str, form: str, qrels: str, run: str) -> dict[str, Any]:
    """Prints the tool's values, and the seconds of each evaluation."""
    made = Files(Path(qrels), Path(run))
    library = importlib.import_module(f"bench.peers.{peer}")
    if form == "files":
        return {"values": library.run(*library.prepare(*made))}
    given = as_dicts(made) if form == "dicts" else library.prepare(*made)
    seconds: list[float] = []
    values: list[float] = []
    times, within = (EVALUATIONS, inf) if form == "session" else (ROUNDS, PATIENCE)
    while len(seconds) < times and sum(seconds) < within:
        start = perf_counter()
        values = library.run(*given)
        seconds.append(perf_counter() - start)
    return {"values": values, "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
