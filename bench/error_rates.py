"""Error rates of the significance tests on real scores without a difference: ``python -m bench.error_rates``.

Scores of real runs, as karat computes them, are the population: queries are drawn from it with replacement, after each
difference was centred (two systems) or each run was moved to the same mean (all pairs), so that every finding is an
error. All pairs are also tried on scores dealt at random within queries. Runs whose scores correlate above .95 are
taken once: centred differences of near-duplicates are a few outliers around 0, which no real pair of systems resembles.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.answer import Bar
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED, ALPHA, ALIKE = 20240, 0.05, 0.95
FLIPS, DEALS = 999, 399
"""The number of resamples of each test. (b + 1) / 1000 and (b + 1) / 400 can be exactly .05."""

MEASURES = ("AP", "nDCG@20", "P@10")
SIZES = (10, 25, 50)
"""The numbers of queries drawn for two systems. All pairs use 50."""

FEWEST = 20
"""The least number of queries of a collection."""

LEVEL, COVERAGE, FAMILY = (0.04, 0.06), (0.93, 0.96), 0.08


class Table(NamedTuple):
    """The scores of a collection's runs by one measure [queries, runs]."""

    name: str
    scores: NDArray[np.float64]


class Rate(NamedTuple):
    """A rate of errors, with its standard error over replicates."""

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
    given = parser.parse_args(arguments)
    if not given.data.is_dir():
        print(f"{given.data} is not there: name the folder of collections with --data", file=sys.stderr)
        return 2
    print(f"alpha {ALPHA}, {given.replicates} replicates, seed {SEED}\n")
    print(f"{'two systems':28}{'n':>4}  {'t':>12}  {'sign flip':>12}  95 % interval covers")
    pairs: dict[int, list[tuple[Rate, Rate]]] = {size: [] for size in SIZES}
    known = list(tables(given.data))
    for table in known:
        for size in SIZES:
            t, flip = two_systems(table, size, given.replicates)
            pairs[size].append((t, flip))
            print(f"{table.name:28}{size:4}  {t!s:>12}  {flip!s:>12}  {1 - t.share:.3f}", flush=True)
    print(f"\n{'all pairs, 50 queries':28}{'m':>4}  {'null':12}  {'Tukey':>12}  {'max-T':>12}")
    families: dict[str, list[tuple[Rate, Rate]]] = {"dealt": [], "means aligned": []}
    for table in known:
        for null, rates in families.items():
            rates.append(family(table, null, given.replicates))
            tukey, largest = rates[-1]
            runs = table.scores.shape[1]
            print(f"{table.name:28}{runs:4}  {null:13} {tukey!s:>12}  {largest!s:>12}", flush=True)
    bars = list(judged(pairs, families))
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def judged(
    pairs: dict[int, list[tuple[Rate, Rate]]], families: dict[str, list[tuple[Rate, Rate]]]
) -> Iterator[Bar]:
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
    for null, rates in families.items():
        rate = pooled([tukey for tukey, _ in rates])
        what = f"randomised Tukey, family-wise error, {null} (standard error {rate.error:.4f})"
        yield Bar(what, "at most", FAMILY, rate.share, "")


def pooled(rates: list[Rate]) -> Rate:
    """Returns the mean of independent rates."""
    errors = np.array([rate.error for rate in rates])
    return Rate(
        float(np.mean([rate.share for rate in rates])), float(np.sqrt((errors**2).sum()) / len(rates))
    )


def tables(data: Path) -> Iterator[Table]:
    """Yields the scores of every collection by each measure, without near-duplicate runs."""
    import karat

    for folder in sorted(data.iterdir()):
        qrels = next(iter(folder.glob("qrels*")), None)
        if qrels is None or not (folder / "runs").is_dir():
            continue
        found = []
        for run in sorted((folder / "runs").iterdir()):
            try:
                found.append(karat.evaluate(qrels, run, list(MEASURES)))
            except karat.DataError as refused:
                print(f"left out: {refused}", file=sys.stderr)
        if len(found) < 3 or len(found[0].queries) < FEWEST:
            continue
        for place, measure in enumerate(MEASURES):
            scores = apart(np.column_stack([each.matrix[:, place] for each in found]))
            yield Table(f"{folder.name} {measure}", scores)


def apart(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the runs that resemble no earlier run."""
    alike = np.corrcoef(scores.T)
    kept: list[int] = []
    for run in range(scores.shape[1]):
        if all(alike[run, other] <= ALIKE for other in kept):
            kept.append(run)
    return scores[:, kept]


def two_systems(table: Table, size: int, replicates: int) -> tuple[Rate, Rate]:
    """Returns how often each test finds a centred difference, over all pairs of runs."""
    from karat.comparison.statistics.paired import Draw, all_pairs, paired, sign_flip

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


def family(table: Table, null: str, replicates: int) -> tuple[Rate, Rate]:
    """Returns how often any pair is significant by the randomised Tukey test and by the max-T test."""
    from karat.comparison.statistics.multiple_comparisons import randomised_tukey
    from karat.comparison.statistics.paired import max_flip

    draw = np.random.default_rng([SEED, *table.name.encode(), *null.encode()])
    scores = table.scores
    aligned = scores - scores.mean(axis=0)
    found = np.empty((2, replicates))
    for place in range(replicates):
        rows = draw.integers(0, len(scores), max(SIZES))
        drawn = aligned[rows] if null == "means aligned" else draw.permuted(scores[rows], axis=1)
        for test, way in enumerate((randomised_tukey, max_flip)):
            found[test, place] = way(drawn, resamples=DEALS, seed=place).p.min() <= ALPHA
    return rate(found[0]), rate(found[1])


def rate(found: NDArray[np.float64]) -> Rate:
    """Returns the mean over replicates. Pairs of one replicate depend on each other, but replicates do not."""
    return Rate(float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found))))


if __name__ == "__main__":
    sys.exit(main())
