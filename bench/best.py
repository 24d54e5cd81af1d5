"""Whether the value of the best of many runs is unbiased: ``python -m bench.best``.

Each replicate draws some queries of a collection, selects the best run on them, and compares its apparent and its
cross-validated mean with the mean of the selected run on the other queries. In addition, runs are made equal by
exchanging their values within each query; all of them should then stay in the set of runs that may be best. Without a
collection, values are simulated.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.answer import Bar
from bench.coverage import simulated, values_in
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import carob

SEED = 20250
SIZES = (20, 30)
FEW = 12
"""The number of best runs to use, as in a search among variants, and the number of equal runs."""
UNBOUNDED = "DCG@10"
"""The measure of simulated values, which leave the range of other measures."""

FAR = 0.15
"""How far the remaining runs are below the equal runs, plus a tenth for each place among the remaining runs."""
OFF, KEPT, HELD, SECONDS = 0.005, 0.95, 0.93, 10.0


def main(arguments: list[str] | None = None) -> int:
    """Runs the replicates, prints the errors of the values, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.best", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument("--data", type=Path, default=folder, help="a folder with qrels.people.txt and runs/")
    parser.add_argument("--replicates", type=int, default=1000)
    given = parser.parse_args(arguments)
    if given.data.is_dir():
        values = next(values_in(given.data)).people
    else:
        values = simulated(np.random.default_rng(SEED), runs=24).people
        print(f"{given.data} is not there: the values of 24 runs are simulated", file=sys.stderr)
    top = values[:, np.argsort(-values.mean(axis=0), kind="stable")[:FEW]]
    print(f"{given.replicates} replicates, seed {SEED}; mean minus that on the other queries\n")
    print(f"{'runs':>6}{'queries':>9}  {'apparent':>9} {'expected':>9} {'sd':>7}  {'interval held':>13}")
    bars = []
    for table in (top, values):
        for size in SIZES:
            apparent, honest, spread = optimism(table, size, given.replicates)
            held = holds(table.shape[1], size, max(given.replicates // 5, 2))
            print(
                f"{table.shape[1]:6}{size:9}  {apparent:+9.4f} {honest:+9.4f} {spread:7.4f}  {held:13.3f}",
                flush=True,
            )
            name = f"best of {table.shape[1]}, n = {size}"
            bars.append(Bar(f"{name}, expected value, error", "at most", OFF, abs(honest), ""))
            bars.append(Bar(f"{name}, simulated equal runs, interval", "at least", HELD, held, ""))
    share = kept(top, given.replicates)
    bars.append(Bar(f"{FEW} equal runs, all kept", "at least", KEPT, share, ""))
    for size in (8, *SIZES):
        share = kept(top, given.replicates, size)
        bars.append(Bar(f"{FEW} runs moved to one mean, n = {size}, all kept", "at least", HELD, share, ""))
    for equal, size in product((2, 4, 8), (8, *SIZES)):
        share = kept(top, given.replicates, size, equal)
        name = f"{equal} of {FEW} runs moved to one mean, the others far below, n = {size}, all kept"
        bars.append(Bar(name, "at least", HELD, share, ""))
    bars.append(Bar("400 runs, 50 queries", "at most", SECONDS, processor_seconds(), "s of processor"))
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def optimism(values: NDArray[np.float64], size: int, replicates: int) -> tuple[float, float, float]:
    """Returns the mean errors of the apparent and the expected value, and the spread of the latter."""
    from carob.statistics.selection import cross_validated

    draw, found = np.random.default_rng([SEED, size]), []
    for number in range(replicates):
        order = draw.permutation(len(values))
        some, others = values[order[:size]], values[order[size:]]
        means = some.mean(axis=0)
        truth = others[:, means.argmax()].mean()
        found.append((means.max() - truth, cross_validated(some, seed=number).scores.mean() - truth))
    apparent, honest = np.mean(found, axis=0).tolist()
    return apparent, honest, float(np.std(found, axis=0)[1])


def holds(runs: int, size: int, replicates: int) -> float:
    """Returns how often the interval of the expected value covers the true mean, for simulated equal runs."""
    import carob

    draw, found = np.random.default_rng([SEED, runs, size]), []
    for _ in range(replicates):
        hard = draw.normal(0, 0.2, (size, 1))
        values = 5.0 + hard + draw.normal(0, 1, (size, runs)) * np.linspace(0.05, 0.25, runs)
        its = carob.best(scores(values), resampling=carob.Resampling(repeats=5, resamples=1))[
            UNBOUNDED
        ].honest
        found.append(its.low <= 5.0 <= its.high)
    return float(np.mean(found))


def kept(
    values: NDArray[np.float64], replicates: int, size: int | None = None, equal: int | None = None
) -> float:
    """Returns how often the set of runs that may be best keeps all runs.

    Args:
        values: the values [queries, runs], which are exchanged at random within each query if there is no size.
        replicates: the number of replicates.
        size: the number of queries to draw after shifting the runs to one mean, which keeps the skew of differences.
        equal: the number of runs, drawn at random, that stay at this mean while the other runs are shifted far below
            it; in that case, only differences between equal runs count. None for all runs.
    """
    from carob.statistics.resampling import Draw
    from carob.statistics.selection import shown_better

    draw = np.random.default_rng(SEED)
    moved, found = values - values.mean(axis=0), []
    below = np.maximum(np.arange(values.shape[1]) - (equal or values.shape[1]) + 1, 0)
    for number in range(replicates):
        if size is None:
            table = draw.permuted(values, axis=1)
        else:
            table = moved[draw.integers(0, len(moved), size)]
            table = (
                table
                if equal is None
                else table[:, draw.permutation(table.shape[1])] - np.where(below, FAR + below / 10, 0.0)
            )
        found.append(not shown_better(table, Draw(2000, number))[:equal, :equal].any())
    return float(np.mean(found))


def scores(values: NDArray[np.float64]) -> carob.ScoresByRun:
    """Returns values [queries, runs] as scores."""
    import carob

    queries = [f"q{number:03}" for number in range(len(values))]
    return carob.read_scores(
        {
            f"run{place}": {UNBOUNDED: dict(zip(queries, column.tolist()))}
            for place, column in enumerate(values.T)
        }
    )


def processor_seconds() -> float:
    """Returns the processor time of selecting among 400 runs on 50 queries."""
    import carob

    values = scores(simulated(np.random.default_rng(SEED), 50, 400).people)
    start = time.process_time()
    str(carob.best(values))
    return time.process_time() - start


if __name__ == "__main__":
    raise SystemExit(main())
