"""Coverage and computing time of intervals over several collections: ``python -m bench.several_collections``.

Each replicate draws 13 collections of 50 to 7,000 queries, and the difference of two runs in each of them. The interval
of the mean over similar collections should cover the mean of all collections, which is 0. The interval for these
collections should cover the mean over the drawn collections. For comparison, queries are also resampled within
resampled collections, which carob does not do.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.answer import Bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from carob.evaluation.collections import Scored
    from carob.several_collections.tables import AcrossPair

SEED = 20250
COLLECTIONS = 13
SMALLEST, LARGEST = 50, 7000
SPREADS = (0.0, 0.01, 0.02, 0.05)
"""Standard deviations of the true differences across collections."""
NOISE = 0.25
"""The standard deviation of the difference in a single query."""
RESAMPLES = 1000
LEAST, MOST = 0.93, 0.97
RUNS, MANY, SECONDS = 400, 56, 10.0


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints coverage and times, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.several_collections", description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args(arguments)
    print(f"{COLLECTIONS} collections of {SMALLEST} to {LARGEST:,} queries, {given.replicates} replicates\n")
    print(f"{'spread':>6}  {'t':>6} {'bootstrap':>9} {'both':>6}  {'micro, t':>8}  {'these, t':>8}")
    bars: list[Bar] = []
    for spread in SPREADS:
        held = coverage(spread, given.replicates)
        print(row(f"{spread:.2f}", held), flush=True)
        bars += [
            bar
            for name, share in (("t", held[0]), ("bootstrap", held[1]), ("these collections, t", held[4]))
            for bar in within(f"spread {spread}, {name}, coverage", share)
        ]
    print(row("skewed", coverage(max(SPREADS), given.replicates, skewed=True)), flush=True)
    for queries in (None, 500):
        what = "one value each" if queries is None else f"{queries} queries each"
        taken = seconds(given.runs, queries)
        bars.append(Bar(f"{given.runs} runs, {MANY} collections, {what}", "at most", SECONDS, taken, "s"))
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def row(title: str, held: NDArray[np.float64]) -> str:
    """Returns a row of the table of coverage."""
    return f"{title:>6}  {held[0]:6.3f} {held[1]:9.3f} {held[2]:6.3f}  {held[3]:8.3f}  {held[4]:8.3f}"


def within(what: str, share: float) -> Iterator[Bar]:
    """Returns the lower and the upper limit on a coverage."""
    yield Bar(what, "at least", LEAST, share, "")
    yield Bar(what, "at most", MOST, share, "")


def coverage(spread: float, replicates: int, *, skewed: bool = False) -> NDArray[np.float64]:
    """Returns the coverage of the intervals, for two runs.

    The true differences across collections are either normal, or exponential and thus very skewed.

    The intervals are Student's interval over collections, expanded percentiles over resampled collections, plain
    percentiles over resampled collections and queries, Student's interval of the micro mean, and the interval for these
    collections.
    """
    draw = np.random.default_rng([SEED, int(1000 * spread)])
    found = []
    for number in range(replicates):
        sizes = np.exp(draw.uniform(np.log(SMALLEST), np.log(LARGEST), COLLECTIONS)).astype(int)
        gains = spread * (draw.exponential(1, COLLECTIONS) - 1 if skewed else draw.normal(0, 1, COLLECTIONS))
        tables = []
        for size, gain in zip(sizes.tolist(), gains.tolist(), strict=True):
            table = draw.beta(1.2, 1.0, (size, 2)) * (NOISE / np.sqrt(2) / 0.2775)
            table[:, 0] += gain
            tables.append(table)
        given = scored(tables)
        both = two_stages(tables, draw)
        found.append(
            [
                holds(pair_of(given, number), 0.0),
                holds(pair_of(given, number, interval="bootstrap"), 0.0),
                both[0] <= 0 <= both[1],
                holds(pair_of(given, number, average="micro"), 0.0),
                holds(pair_of(given, number, target="these"), float(gains.mean())),
            ]
        )
    return np.asarray(np.mean(found, axis=0))


def scored(tables: list[NDArray[np.float64]]) -> Scored:
    """Converts the values of runs on collections [queries, runs] to carob's own objects."""
    import carob
    from carob.evaluation.collections import CollectionValues, Scored

    names = tuple(f"collection{place}" for place in range(len(tables)))
    runs = tuple(f"run{place}" for place in range(tables[0].shape[1]))
    values = [CollectionValues(each.mean(axis=0), len(each), 0, each) for each in tables]
    return Scored(names, runs, {"AP": carob.Measure("AP")}, {"AP": values}, ())


def pair_of(given: Scored, seed: int, **settings: str) -> AcrossPair:
    """Returns the comparison of the first two runs."""
    import carob
    from carob.several_collections.collections import compared

    interval: Any = settings.pop("interval", "t")
    test = carob.Test(resamples=RESAMPLES if interval == "bootstrap" else 1, seed=seed, interval=interval)
    return compared(given, test, **settings)["AP"].pairs[0]


def holds(pair: AcrossPair, truth: float) -> bool:
    """Returns whether the interval of a pair covers the true difference."""
    return pair.low <= truth <= pair.high


def two_stages(tables: list[NDArray[np.float64]], draw: np.random.Generator) -> NDArray[np.float64]:
    """Returns the percentile interval from queries resampled within resampled collections.

    The mean of many resampled queries is drawn from a normal distribution.
    """
    means = np.array([(each[:, 0] - each[:, 1]).mean() for each in tables])
    errors = np.array([(each[:, 0] - each[:, 1]).std() / np.sqrt(len(each)) for each in tables])
    rows = draw.integers(0, len(tables), (RESAMPLES, len(tables)))
    drawn = (means[rows] + errors[rows] * draw.normal(0, 1, rows.shape)).mean(axis=1)
    return np.asarray(np.quantile(drawn, [0.025, 0.975]))


def seconds(runs: int, queries: int | None) -> float:
    """Returns the time to compare many runs on 56 collections and to produce the text.

    Args:
        runs: the number of runs.
        queries: the number of queries of each collection; None for one value for each collection and run.
    """
    import carob

    draw = np.random.default_rng(SEED)
    skill = np.linspace(0.3, 0.5, runs)
    if queries is None:
        table = draw.normal(0, 0.15, (MANY, 1)) + skill + draw.normal(0, 0.04, (MANY, runs))
        given = {
            f"c{row}": {f"run{n}": float(each) for n, each in enumerate(line)}
            for row, line in enumerate(table)
        }
        start = time.perf_counter()
        str(carob.compare_collections(given))
        return time.perf_counter() - start
    from carob.several_collections.collections import compared

    tables = [
        draw.normal(0, 0.2, (queries, 1)) + skill + draw.normal(0, 0.1, (queries, runs)) for _ in range(MANY)
    ]
    whole = scored(tables)
    start = time.perf_counter()
    str(compared(whole, carob.Test()))
    return time.perf_counter() - start


if __name__ == "__main__":
    raise SystemExit(main())
