"""Whether the values of tuned fusions are unbiased: ``python -m bench.tuning``.

Each replicate draws some queries of a collection and chooses the weights of a fusion on them. The apparent and the
cross-validated mean of the chosen weights are compared with their mean on the other queries. The difference between the
two parts of the queries, which is unrelated to the choice, is removed by subtracting the mean of equal weights. If all
weights and lists have equal means, ``carob fuse --tune`` should show no gain.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.answer import Bar
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEED = 20261
SIZES = (20, 26, 50)
STEPS = 10
"""The number of steps of a weight, which gives 11 sets of weights for two lists and 66 for three."""
MEASURE = "nDCG@10"
OFF, SHOWN, FALSE = 0.004, 0.008, 0.05


def main(arguments: list[str] | None = None) -> int:
    """Prints the errors of the values and the share of false gains, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.tuning", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument("--data", type=Path, default=folder, help="a folder with qrels.people.txt and runs/")
    parser.add_argument("--sets", type=int, default=40, help="how many pairs of runs, and how many triples")
    parser.add_argument("--replicates", type=int, default=200, help="samples of queries for each")
    parser.add_argument("--method", default="rrf")
    parser.add_argument("--norm")
    given = parser.parse_args(arguments)
    if not given.data.is_dir():
        print(f"{given.data} is not there: pass --data FOLDER", file=sys.stderr)
        return 2
    runs = sorted(path for path in (given.data / "runs").iterdir() if not path.name.startswith("."))
    draw = np.random.default_rng(SEED)
    bars = []
    print(f"{given.method}, {given.norm or 'its own norm'}: mean minus that on the other queries\n")
    print(
        f"{'lists':>6}{'weights':>9}{'queries':>9}  {'apparent':>9} {'expected':>9} {'worst':>9}  {'false':>6}"
    )
    for lists in (2, 3):
        grid = weights_of(lists)
        sets = [draw.choice(len(runs), lists, replace=False) for _ in range(given.sets)]
        tables = [table_of(given.data, [runs[each] for each in its], grid, given) for its in sets]
        for size in SIZES:
            errors = np.array([optimism(each, len(grid), size, given.replicates) for each in tables])
            apparent, honest = errors.mean(axis=0)
            false = np.mean([false_gain(each, len(grid), size, number) for number, each in enumerate(tables)])
            worst = errors[np.abs(errors[:, 1]).argmax(), 1]
            row = (
                f"{lists:6}{len(grid):9}{size:9}  {apparent:+9.4f} {honest:+9.4f} {worst:+9.4f}  {false:6.3f}"
            )
            print(row, flush=True)
            name = f"{len(grid)} weights, n = {size}"
            bars.append(Bar(f"{name}, expected value, error", "at most", OFF, abs(honest), ""))
            bars.append(Bar(f"{name}, equal means, a gain shown", "at most", FALSE, false, ""))
            if lists == 3 and size == min(SIZES):
                bars.append(Bar(f"{name}, apparent value, error", "at least", SHOWN, apparent, ""))
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def weights_of(lists: int) -> list[tuple[float, ...]]:
    """Returns the weights in equal steps, with the most equal weights last."""
    every = itertools.product(range(STEPS + 1), repeat=lists)
    grid = [tuple(part / STEPS for part in each) for each in every if sum(each) == STEPS]
    return sorted(grid, key=lambda each: -max(each))


def table_of(
    data: Path, runs: Sequence[Path], grid: Sequence[tuple[float, ...]], given: argparse.Namespace
) -> NDArray[np.float64]:
    """Returns the per-query scores of the fused lists and of the single lists [queries, weights and lists]."""
    import carob

    fused = {
        str(number): carob.fuse(list(map(str, runs)), given.method, given.norm, weights=each)
        for number, each in enumerate(grid)
    }
    alone = {f"list {number}": str(each) for number, each in enumerate(runs)}
    found = carob.evaluate(str(data / "qrels.people.txt"), {**fused, **alone}, MEASURE)
    return np.stack([each.matrix[:, 0] for each in found.runs], axis=1)


def optimism(table: NDArray[np.float64], weights: int, size: int, replicates: int) -> tuple[float, float]:
    """Returns the mean errors of the apparent and of the expected value of the chosen weights."""
    from carob.statistics.selection import cross_validated

    draw, found = np.random.default_rng([SEED, size]), []
    fused, even = table[:, :weights], table[:, weights - 1]
    for number in range(replicates):
        order = draw.permutation(len(table))
        some, others = order[:size], order[size:]
        means = fused[some].mean(axis=0)
        truth = (fused[others, means.argmax()] - even[others]).mean() + even[some].mean()
        honest = cross_validated(fused[some], seed=number).scores.mean()
        found.append((means.max() - truth, honest - truth))
    apparent, honest = np.mean(found, axis=0).tolist()
    return apparent, honest


def false_gain(table: NDArray[np.float64], weights: int, size: int, number: int) -> bool:
    """Returns whether a gain is shown on a sample from queries on which all weights and lists have the same mean."""
    from carob.comparison.design import Resampling
    from carob.evaluation.evidence import RunTable
    from carob.fusion.tune import worth_of
    from carob.measures import parse_measure

    draw = np.random.default_rng([SEED, size, number])
    moved = table - table.mean(axis=0) + table.mean()
    sample = moved[draw.integers(0, len(moved), size)]
    its = RunTable(MEASURE, parse_measure(MEASURE), sample)
    return bool(worth_of(its, weights, 0.05, Resampling(seed=number)).gain.low > 0)


if __name__ == "__main__":
    sys.exit(main())
