"""How often intervals of correlations cover the quantity they estimate: ``python -m bench.correlations``.

Over queries, each replicate draws queries with replacement from a collection with people's and a model's judgments, or
from simulated values. The interval should cover the mean of the correlation over such draws. Over runs, each replicate
draws other runs and other query noise. A last table shows how often the percentile interval of the bootstrap covers the
correlation over all queries of the population, which carob's intervals do not claim to cover.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.answer import Bar
from bench.coverage import values_in
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Sides = tuple[Values, Values]

SEED = 2020
NAMES = ("kendall", "tau_ap", "tau_ap_b", "spearman", "pearson", "tau_gap")
QUERIES = (25, 50)
RUNS = (12, 24, 50)
LEVEL, LOW, HIGH = 0.95, 0.93, 0.97
SLACK = 0.04
"""How far the coverage in a single setting may be from the nominal level."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulations, prints coverage, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.correlations", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument("--data", type=Path, default=folder, help="as of bench.coverage")
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=300)
    given = parser.parse_args(arguments)
    size = given.replicates, given.resamples
    print(f"{size[0]} replicates of {size[1]} resamples, seed {SEED}, nominal {LEVEL:.0%}\n")
    line = "{:28}{:>4}" + "{:>10}" * len(NAMES)
    print(line.format("other queries", "n", *NAMES))
    populations = dict(simulated())
    if given.data.is_dir():
        for found in values_in(given.data):
            populations[f"people, model: {found.name}"] = found.people, found.judge
    else:
        print(f"{given.data} is not there: only simulated values", file=sys.stderr)
    shares, limits = [], {}
    for name, sides in populations.items():
        for queries in QUERIES:
            held, limit = over_queries(sides, queries, *size)
            limits[name, queries] = limit
            shares += held
            print(line.format(name, queries, *(f"{share:.3f}" for share in held)), flush=True)
    of_runs = []
    print("\n" + line.format("other runs", "runs", *NAMES))
    for name, make in worlds().items():
        for runs in RUNS:
            held = over_runs(make, runs, *size)
            of_runs += held
            print(line.format(name, runs, *(f"{share:.3f}" for share in held)), flush=True)
    print("\n" + line.format("percentile, all queries", "n", *NAMES))
    for (name, queries), limit in limits.items():
        print(line.format(name, queries, *(f"{share:.3f}" for share in limit)))
    bars = []
    for what, found in (("queries", shares), ("runs", of_runs)):
        mean = float(np.mean(found))
        bars.append(Bar(f"other {what}, mean coverage", "at least", LOW, mean, ""))
        bars.append(Bar(f"other {what}, mean coverage", "at most", HIGH, mean, ""))
        bars.append(Bar(f"other {what}, least coverage", "at least", LEVEL - SLACK, min(found), ""))
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def simulated() -> Iterator[tuple[str, Sides]]:
    """Yields populations: the values of runs under the truth and a judge that approximates it [queries, runs]."""
    for name, runs, spread, bias in (
        ("simulated: clear", 24, 0.08, 0.03),
        ("simulated: close", 24, 0.03, 0.02),
        ("simulated: many", 50, 0.05, 0.05),
        ("simulated: few", 8, 0.08, 0.03),
    ):
        draw = np.random.default_rng([SEED, runs, int(100 * spread)])
        skill = 0.5 + spread * draw.normal(size=runs)
        liked = skill + bias * draw.normal(size=runs)
        hard, own = draw.normal(0, 0.2, (2000, 1)), draw.normal(0, 0.15, (2000, runs))
        yield name, (skill + hard + own, liked + hard + 0.7 * own + draw.normal(0, 0.08, own.shape))


def over_queries(
    sides: Sides, queries: int, replicates: int, resamples: int
) -> tuple[list[float], list[float]]:
    """Returns the coverage of intervals over queries, and that of percentile intervals for the population's value."""
    from carob.statistics.correlation_intervals import Samples
    from carob.statistics.correlations import correlation_named
    from carob.statistics.resampling import Draw

    draw = np.random.default_rng([SEED, queries])
    known = [correlation_named(name) for name in NAMES]
    limit = [each.of(*(side.mean(axis=0) for side in sides)) for each in known]
    values, low, high, inside = (np.zeros((replicates, len(NAMES))) for _ in range(4))
    for replicate in range(replicates):
        rows = draw.integers(len(sides[0]), size=queries)
        samples = Samples(sides[0][rows], sides[1][rows], Draw(resamples, replicate))
        for place, each in enumerate(known):
            values[replicate, place] = each.of(*samples.means)
            low[replicate, place], high[replicate, place] = samples.interval(each, LEVEL)
            ends = np.nanquantile(each(*samples.resampled), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            inside[replicate, place] = ends[0] <= limit[place] <= ends[1]
    truth = values.mean(axis=0)
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    return held.tolist(), inside.mean(axis=0).tolist()


def worlds() -> dict[str, Callable[[np.random.Generator, int], Sides]]:
    """Returns functions that draw the means of runs [runs] under the truth and under a judge."""

    def world(bias: float, tails: bool) -> Callable[[np.random.Generator, int], Sides]:
        def made(draw: np.random.Generator, runs: int) -> Sides:
            skill = 0.06 * (draw.standard_t(3, size=runs) if tails else draw.normal(size=runs))
            own = draw.normal(0, 0.02, runs)
            judge = skill + bias * draw.normal(size=runs) + 0.7 * own + draw.normal(0, 0.011, runs)
            return skill + own, judge

        return made

    return {
        "a judge with biases": world(0.04, tails=False),
        "a judge who follows": world(0.015, tails=False),
        "some very bad runs": world(0.04, tails=True),
    }


def over_runs(
    make: Callable[[np.random.Generator, int], Sides], runs: int, replicates: int, resamples: int
) -> list[float]:
    """Returns the coverage of intervals over runs."""
    from carob.statistics.correlation_intervals import RunSamples
    from carob.statistics.correlations import correlation_named
    from carob.statistics.resampling import Draw

    draw = np.random.default_rng([SEED, runs])
    known = [correlation_named(name) for name in NAMES]
    values, low, high = (np.zeros((replicates, len(NAMES))) for _ in range(3))
    for replicate in range(replicates):
        samples = RunSamples(*make(draw, runs), Draw(resamples, replicate))
        for place, each in enumerate(known):
            values[replicate, place] = each.of(samples.x, samples.y)
            low[replicate, place], high[replicate, place] = samples.interval(each, LEVEL)
    truth = values.mean(axis=0)
    held: Values = ((low <= truth) & (truth <= high)).mean(axis=0)
    return list(held.tolist())


if __name__ == "__main__":
    sys.exit(main())
