"""Error rates of the significance tests on real scores without true differences: ``python -m bench.error_rates``.

The population is the scores of real runs as computed by carob, from which queries are drawn with replacement. For two
systems, each difference is centred, so every finding is an error. Of runs whose scores correlate above .95, only one is
then used, because centred differences of near-duplicates are a few outliers around 0, unlike those of any real pair of
systems. For all pairs of runs, see ``bench/all_pairs.py``. With ``--power``, one of several runs is better by the
smallest detectable difference, which the verdict should find in four of five cases.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench import all_pairs
from bench.answer import Bar
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from carob.comparison.findings import Pair

SEED, ALPHA, ALIKE = 20240, 0.05, 0.95
FLIPS = 999
"""The number of resamples, chosen so that (b + 1) / 1000 can be exactly .05."""

MEASURES = ("AP", "nDCG@20", "P@10")
MEASURES_OF_PAIRS = ("nDCG@10", "AP")
SIZES = (10, 25, 50)
"""The numbers of queries drawn for two systems."""

FEWEST, FEWEST_OF_PAIRS = 20, 8
"""The minimum number of queries of a collection, and the minimum number of runs for a table of all pairs."""

LEVEL, COVERAGE, POWER = (0.04, 0.06), (0.93, 0.96), (0.77, 0.83)


class Table(NamedTuple):
    """The scores of a collection's runs by one measure [queries, runs]."""

    name: str
    scores: NDArray[np.float64]


class Rate(NamedTuple):
    """An error rate with its standard error over replicates."""

    share: float
    error: float

    def __str__(self) -> str:
        """Returns the rate as a table shows it."""
        return f"{self.share:.3f} ±{self.error:.3f}"


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints the error rates, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.error_rates", description=__doc__)
    parser.add_argument("--data", type=Path, default=CHECKOUT.parent / "shared" / "data")
    parser.add_argument("--replicates", type=int, default=600)
    parser.add_argument("--pairs", action="store_true", help="the tests of all pairs in place of two systems")
    parser.add_argument("--power", action="store_true", help="how often a detectable difference is found")
    given = parser.parse_args(arguments)
    if not given.data.is_dir():
        print(f"{given.data} is not there: name the folder of collections with --data", file=sys.stderr)
        return 2
    print(f"alpha {ALPHA}, {given.replicates} replicates, seed {SEED}\n")
    if given.power:
        return of_power(given.data, given.replicates)
    if given.pairs:
        return of_pairs(given.data, given.replicates)
    print(f"{'two systems':28}{'n':>4}  {'t':>12}  {'sign flip':>12}  95 % interval covers")
    pairs: dict[int, list[tuple[Rate, Rate]]] = {size: [] for size in SIZES}
    for table in tables(given.data, MEASURES):
        table = table._replace(scores=apart(table.scores))
        for size in SIZES:
            t, flip = two_systems(table, size, given.replicates)
            pairs[size].append((t, flip))
            print(f"{table.name:28}{size:4}  {t!s:>12}  {flip!s:>12}  {1 - t.share:.3f}", flush=True)
    return concluded(list(judged(pairs)))


def of_pairs(data: Path, replicates: int) -> int:
    """Prints the table of all pairs, and returns whether its limits are met."""
    real = [
        all_pairs.Population(f"{table.name}, {table.scores.shape[1]} runs", table.scores)
        for table in tables(data, MEASURES_OF_PAIRS)
        if table.scores.shape[1] >= FEWEST_OF_PAIRS
    ]
    known = all_pairs.printed([*real, *all_pairs.simulated()], replicates)
    return concluded(list(all_pairs.limits(known)))


def of_power(data: Path, replicates: int) -> int:
    """Prints how often the verdict finds the detectable difference, and returns whether the limits are met."""
    found: dict[int, list[Rate]] = {}
    print(f"{'detectable difference found':28}{'runs':>5}")
    for table in tables(data, MEASURES_OF_PAIRS):
        for runs in (2, 6) if table.scores.shape[1] >= 6 else (2,):
            its = detected(table, runs, replicates)
            found.setdefault(runs, []).append(its)
            print(f"{table.name:28}{runs:5}  {its}", flush=True)
    shares = {runs: pooled(rates).share for runs, rates in found.items()}
    return concluded(
        [
            Bar(f"{runs} runs, found", side, limit, share, "")
            for runs, share in shares.items()
            for side, limit in (("at least", POWER[0]), ("at most", POWER[1]))
        ]
    )


def detected(table: Table, runs: int, replicates: int) -> Rate:
    """Returns how often the verdict finds a difference as large as the difference that it calls detectable.

    All runs are shifted to the same mean, and the first is then made better by the detectable difference of its pair
    with the second.
    """
    from carob.comparison.design import Test
    from carob.comparison.significance import contests_of, settings_of
    from carob.evaluation.evidence import RunTable
    from carob.measures import parse_measure

    draw = np.random.default_rng([SEED, runs, *table.name.encode()])
    settings = settings_of(Test(resamples=FLIPS), runs, 1)

    def pair(scores: NDArray[np.float64]) -> Pair:
        whole = RunTable("AP", parse_measure("AP"), scores)
        return contests_of([whole], settings)[0]["AP"].between(0, 1)

    found = np.empty(replicates)
    for place in range(replicates):
        own = table.scores[:, draw.permutation(table.scores.shape[1])[:runs]]
        own = own - own.mean(axis=0)
        known = pair(own).detectable
        drawn = own[draw.integers(0, len(own), len(own))]
        drawn[:, 0] += known
        found[place] = pair(drawn).p_corrected < ALPHA
    return rate(found)


def concluded(bars: list[Bar]) -> int:
    """Prints the limits, and returns the exit status: 0 if all are met."""
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def judged(pairs: dict[int, list[tuple[Rate, Rate]]]) -> Iterator[Bar]:
    """Returns the limits, each on the mean over all tables."""
    for size in SIZES:
        for place, name in enumerate(("t-test", "sign flip")):
            rate = pooled([rates[place] for rates in pairs[size]])
            if size > min(SIZES):
                what = f"{name}, type-I error at n = {size} (standard error {rate.error:.4f})"
                yield Bar(what, "at least", LEVEL[0], rate.share, "")
                yield Bar(what, "at most", LEVEL[1], rate.share, "")
        if size in (min(SIZES), max(SIZES)):
            rate = pooled([rates[0] for rates in pairs[size]])
            what = f"95 % interval, coverage at n = {size} (standard error {rate.error:.4f})"
            yield Bar(what, "at least", COVERAGE[0], 1 - rate.share, "")
            yield Bar(what, "at most", COVERAGE[1], 1 - rate.share, "")


def pooled(rates: list[Rate]) -> Rate:
    """Returns the mean of independent rates."""
    errors = np.array([rate.error for rate in rates])
    return Rate(
        float(np.mean([rate.share for rate in rates])), float(np.sqrt((errors**2).sum()) / len(rates))
    )


def tables(data: Path, measures: tuple[str, ...]) -> Iterator[Table]:
    """Yields the scores of every collection under each measure. Of several qrels files, the last by name is used."""
    import carob

    for folder in sorted(data.iterdir()):
        qrels = max(folder.glob("qrels*"), default=None)
        if qrels is None or not (folder / "runs").is_dir():
            continue
        found = []
        for run in sorted((folder / "runs").iterdir()):
            try:
                found.append(carob.evaluate(qrels, run, list(measures)))
            except carob.DataError as refused:
                print(f"left out: {refused}", file=sys.stderr)
        if len(found) < 3 or len(found[0].queries) < FEWEST:
            continue
        for place, measure in enumerate(measures):
            scores = np.column_stack([each.matrix[:, place] for each in found])
            yield Table(f"{folder.name} {measure}", scores)


def apart(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the runs that do not resemble an earlier run."""
    alike = np.corrcoef(scores.T)
    kept: list[int] = []
    for run in range(scores.shape[1]):
        if all(alike[run, other] <= ALIKE for other in kept):
            kept.append(run)
    return scores[:, kept]


def two_systems(table: Table, size: int, replicates: int) -> tuple[Rate, Rate]:
    """Returns how often each test finds a centred difference, over all pairs of runs."""
    from carob.statistics.estimates import paired
    from carob.statistics.resampling import Draw, all_pairs, sign_flip

    draw = np.random.default_rng([SEED, size, *table.name.encode()])
    scores = table.scores
    pairs = all_pairs(scores.shape[1])
    differences = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
    differences = differences - differences.mean(axis=0)
    against_none = [(pair, len(pairs)) for pair in range(len(pairs))]
    found = np.empty((2, replicates))
    for place in range(replicates):
        drawn = differences[draw.integers(0, len(scores), size)]
        beside_none = np.column_stack([drawn, np.zeros(size)])
        flips = sign_flip(beside_none, against_none, draw=Draw(resamples=FLIPS, seed=place, exact=False))
        found[:, place] = (paired(drawn).p <= ALPHA).mean(), (flips.p <= ALPHA).mean()
    return rate(found[0]), rate(found[1])


def rate(found: NDArray[np.float64]) -> Rate:
    """Returns the mean over replicates, which are independent, unlike the pairs within a replicate."""
    return Rate(float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found))))


if __name__ == "__main__":
    sys.exit(main())
