"""Time of the sign-flip tests of all pairs of thirty runs: ``python -m bench.significance``.

``--python`` specifies an interpreter in which ranx is installed; its randomisation test is then timed in alternation
with carob's, per permutation of one pair. The exit status is 1 if a limit is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.answer import Bar
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

RUNS, RESAMPLES, PERMUTATIONS = 30, 10_000, 1000
LIMITS = {50: 0.15, 6980: 0.6}
"""The limit on the seconds for all pairs, by number of queries."""

FASTER = 1000
"""How many times as fast as in ranx a permutation of a pair must be with more queries."""

SLACK = 0.07
"""The largest accepted difference between the p-values of 1,000 and 10,000 permutations: four standard errors."""


def main(arguments: list[str] | None = None) -> int:
    """Times the tests, prints the results, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.significance", description=__doc__)
    parser.add_argument("--python", help="an interpreter that has ranx")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is timed")
    parser.add_argument("--peer", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.peer:
        print(json.dumps(ranx(given.peer, given.rounds)))
        return 0
    if hasattr(os, "getloadavg"):
        # The tests run on one thread, so the processor time is more reliable on a busy machine.
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    bars = [bar for queries in LIMITS for bar in ask(queries, given.rounds, given.python)]
    print("\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def table(queries: int) -> NDArray[np.float64]:
    """Returns scores that vary little between runs and much between queries."""
    draw = np.random.default_rng(20240)
    strength = 0.03 * draw.random(RUNS)
    return np.clip(draw.random((queries, 1)) * 0.7 + draw.normal(0, 0.15, (queries, RUNS)) + strength, 0, 1)


def ask(queries: int, rounds: int, python: str | None) -> list[Bar]:
    """Returns the times for one number of queries, and the limits."""
    from carob.statistics.estimates import paired
    from carob.statistics.multiple_comparisons import randomised_tukey
    from carob.statistics.resampling import Draw, max_flip, romano_wolf, sign_flip

    scores = table(queries)
    pairs = np.triu_indices(RUNS, 1)
    tests: dict[str, Callable[[], Any]] = {
        f"sign flips, {RESAMPLES:,}": lambda: sign_flip(scores, draw=Draw(exact=False, resamples=RESAMPLES)),
        "the same, exact where cheap": lambda: sign_flip(scores, draw=Draw(resamples=RESAMPLES)),
        "largest difference (max-T)": lambda: max_flip(scores, draw=Draw(resamples=RESAMPLES)),
        "Romano-Wolf": lambda: romano_wolf(scores, draw=Draw(resamples=RESAMPLES)),
        "randomised Tukey": lambda: randomised_tukey(scores, draw=Draw(resamples=RESAMPLES)),
        "t-tests": lambda: paired(scores[:, pairs[0]] - scores[:, pairs[1]]),
    }
    print(f"{len(pairs[0])} pairs of {RUNS} runs, {queries:,} queries")
    taken = {name: timed(test, rounds) for name, test in tests.items()}
    first = median(seconds for seconds, _ in next(iter(taken.values())))
    for name, times in taken.items():
        wall, processor = zip(*times)
        print(
            f"  {name:30} median {median(wall):7.4f} s  best {min(wall):7.4f} s  processor {median(processor):7.4f} s"
        )
    bars = [Bar(f"all pairs at {queries:,} queries", "at most", LIMITS[queries], first, "s")]
    if python:
        theirs = peer(queries, rounds, python)
        ours = first / RESAMPLES / len(pairs[0])
        print(
            f"  per permutation of a pair: carob {ours * 1e9:.1f} ns, ranx {theirs['seconds'] * 1e9:,.0f} ns "
            f"({theirs['seconds'] / ours:,.0f} times)"
        )
        p = tests["the same, exact where cheap"]().p[0]
        if abs(p - theirs["p"]) > SLACK:
            raise SystemExit(f"carob's p is {p}, ranx's {theirs['p']}: they do not compute the same.")
        if queries == max(LIMITS):
            bars.append(
                Bar(
                    "a permutation, against ranx",
                    "at least",
                    FASTER,
                    theirs["seconds"] / ours,
                    "times as fast",
                )
            )
    return bars


def timed(test: Callable[[], Any], rounds: int) -> list[tuple[float, float]]:
    """Returns the wall-clock and the processor seconds of a call, after one warm-up call."""
    test()
    taken = []
    for _ in range(rounds):
        start, work = perf_counter(), process_time()
        test()
        taken.append((perf_counter() - start, process_time() - work))
    return taken


def peer(queries: int, rounds: int, python: str) -> dict[str, float]:
    """Returns ranx's seconds per permutation and its p-value of the first pair, measured in a separate process."""
    command = [python, "-m", "bench.significance", "--peer", str(queries), "--rounds", str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=CHECKOUT)
    answer: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def ranx(queries: int, rounds: int) -> dict[str, float]:
    """Compiles ranx's test, then times it on one pair, in a child process."""
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    scores = table(queries)
    one, other = scores[:, 0].copy(), scores[:, 1].copy()
    taken: list[tuple[float, float]] = timed(
        lambda: fisher_randomization_test(one, other, PERMUTATIONS), rounds
    )
    p = float(fisher_randomization_test(one, other, PERMUTATIONS)[0])
    return {"seconds": median(seconds for seconds, _ in taken) / PERMUTATIONS, "p": p}


if __name__ == "__main__":
    sys.exit(main())
