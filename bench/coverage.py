"""How often intervals from few queries that people judged hold the truth: ``python -m bench.coverage``.

Every query of a collection has people's and a model's judgments. Each replicate draws some queries, gives people's
judgments of these and the model's judgments of all to the estimator, and looks whether the intervals of all runs and of
all pairs of runs hold the means of people's judgments over all queries. The widths are compared with those of people's
judgments alone. Without a collection, values are simulated.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.answer import Bar
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED = 20240
MEASURES = ("nDCG@10", "AP(rel=2)", "P(rel=2)@10")
SIZES = (8, 12, 20, 30)
DOCUMENTS = (100, 200, 400, 1000)
"""The numbers of single documents that people judged."""
SUMS, OTHERS = ("DCG@10", "P(rel=2)@10"), ("nDCG@10", "AP(rel=2)")
FEWEST_NEEDED = 12
"""From this number of queries on, the limits on coverage hold."""

COVERAGE, WIDTH, SMALL = 0.925, 0.68, 0.935
SECONDS = 2.0
SIMULATED = 500
"""Queries that only the model judged, in the simulation of similar queries."""


class Values(NamedTuple):
    """The values of a collection's runs by one measure, from people's and a model's judgments [queries, runs]."""

    name: str
    people: NDArray[np.float64]
    judge: NDArray[np.float64]


class Held(NamedTuple):
    """The share of intervals that hold the truth, and their mean width divided by that of people's judgments alone."""

    share: float
    width: float


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints coverage and widths, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument(
        "--data", type=Path, default=folder, help="a folder with qrels.people.txt, qrels.model.txt, runs/"
    )
    parser.add_argument("--replicates", type=int, default=300)
    given = parser.parse_args(arguments)
    found = list(values_in(given.data)) if given.data.is_dir() else [simulated(np.random.default_rng(SEED))]
    if not given.data.is_dir():
        print(
            f"{given.data} is not there: the values of {found[0].people.shape[1]} runs are simulated",
            file=sys.stderr,
        )
    print(
        f"{given.replicates} replicates, seed {SEED}; a width is divided by that of people's judgments alone\n"
    )
    print(f"{'these queries':20}{'n':>4}  {'runs: held':>10} {'width':>6}  {'pairs: held':>11} {'width':>6}")
    bars: list[Bar] = []
    for values in found:
        for size in SIZES:
            runs, pairs = these_queries(values, size, given.replicates)
            print(
                f"{values.name:20}{size:4}  {runs.share:10.3f} {runs.width:6.3f}  {pairs.share:11.3f} "
                f"{pairs.width:6.3f}",
                flush=True,
            )
            if values is found[0] and size >= FEWEST_NEEDED:
                bars += limits(size, runs, pairs)
    print(f"\n{'similar queries':20}{'n':>4}  {'held':>10} {'width':>6}")
    for follows in (0.3, 0.6, 0.9):
        for size in (8, 12, 20, 50):
            held = similar_queries(follows, size, 10 * given.replicates)
            print(
                f"{f'judge follows {follows}':20}{size:4}  {held.share:10.3f} {held.width:6.3f}", flush=True
            )
            if size == min(SIZES) and follows > 0.5:
                bars.append(
                    Bar(
                        f"similar queries, n = {size}, judge {follows}, coverage",
                        "at least",
                        SMALL,
                        held.share,
                        "",
                    )
                )
    if given.data.is_dir():
        print(f"\n{'sampled documents':20}{'m':>5}  {'runs: held':>10} {'bias':>7}  {'pairs: held':>11}")
        for size in DOCUMENTS:
            bars += documents(given.data, size, max(given.replicates // 10, 2))
    bars.append(
        Bar("30 runs, 6,980 queries, all pairs", "at most", SECONDS, processor_seconds(), "s of processor")
    )
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def limits(size: int, runs: Held, pairs: Held) -> Iterator[Bar]:
    """Returns the limits for a number of queries judged by people."""
    yield Bar(f"these queries, n = {size}, runs, coverage", "at least", COVERAGE, runs.share, "")
    yield Bar(f"these queries, n = {size}, pairs, coverage", "at least", COVERAGE, pairs.share, "")
    if size == 20:
        yield Bar(f"these queries, n = {size}, pairs, width", "at most", WIDTH, pairs.width, "")


def values_in(folder: Path) -> Iterator[Values]:
    """Returns the values of the runs in a folder, by each measure."""
    import carob

    runs = sorted(path for path in (folder / "runs").iterdir() if not path.name.startswith("."))
    both = [carob.evaluate(folder / f"qrels.{who}.txt", runs, MEASURES) for who in ("people", "model")]
    for place, measure in enumerate(MEASURES):
        people, judge = (np.stack([run.matrix[:, place] for run in each.runs], axis=1) for each in both)
        yield Values(measure, people, judge)


def simulated(draw: np.random.Generator, queries: int = 60, runs: int = 8) -> Values:
    """Returns values of runs on queries of different difficulty, and those of a judge who is generous and noisy."""
    hard = draw.normal(0, 0.25, (queries, 1))
    skill = np.linspace(0, 0.1, runs)
    people = np.clip(0.5 + hard + skill + draw.normal(0, 0.15, (queries, runs)), 0, 1)
    judge = np.clip(0.15 + 0.9 * people + draw.normal(0, 0.08, (queries, runs)), 0, 1)
    return Values("simulated", people, judge)


def these_queries(values: Values, size: int, replicates: int) -> tuple[Held, Held]:
    """Returns the coverage and the width of the intervals of all runs and of all pairs."""
    from carob.estimation.people_and_judge import JudgedSample, estimated

    draw = np.random.default_rng([SEED, size])
    queries, runs = values.people.shape
    first, second = np.triu_indices(runs, 1)
    contrasts = np.concatenate([np.eye(runs), np.eye(runs)[first] - np.eye(runs)[second]])
    truth = contrasts @ values.people.mean(axis=0)
    differs = (contrasts @ values.people.T).std(axis=1) > 0
    held, width, alone = [], [], []
    for _ in range(replicates):
        rows = draw.permutation(queries)[:size]
        sample = JudgedSample(values.people[rows], values.judge, rows)
        found = estimated(sample, contrasts)
        held.append((found.low <= truth) & (truth <= found.high))
        width.append(found.width)
        alone.append(estimated(sample, contrasts, weight=0.0).width)
    both = []
    for own in (np.arange(len(truth)) < runs, np.arange(len(truth)) >= runs):
        some = own & differs
        both.append(
            Held(
                float(np.mean(np.array(held)[:, some])),
                float(np.mean(np.array(width)[:, some]) / np.mean(np.array(alone)[:, some])),
            )
        )
    return both[0], both[1]


def similar_queries(follows: float, size: int, replicates: int) -> Held:
    """Returns the coverage and the width of intervals of a mean over similar queries, of values like nDCG@10."""
    from carob.estimation.people_and_judge import JudgedSample, estimated

    draw, truth = np.random.default_rng([SEED, size, int(10 * follows)]), 1.2 / 2.2
    held, width, alone = [], [], []
    for _ in range(replicates):
        people = draw.beta(1.2, 1.0, size + SIMULATED)
        noise = draw.beta(1.2, 1.0, size + SIMULATED)
        judge = np.clip(0.12 + 0.8 * (follows * people + (1 - follows) * noise), 0, 1)
        sample = JudgedSample(people[:size, None], judge[:, None], np.arange(size))
        found = estimated(sample, np.eye(1), similar=True)
        held.append(found.low[0] <= truth <= found.high[0])
        width.append(found.width[0])
        alone.append(estimated(sample, np.eye(1), weight=0.0, similar=True).width[0])
    return Held(float(np.mean(held)), float(np.mean(width) / np.mean(alone)))


def documents(folder: Path, size: int, replicates: int) -> Iterator[Bar]:
    """Prints the coverage of intervals from sampled documents, and returns the limits on measures that are sums.

    Documents are drawn systematically, with probabilities in proportion to the sum of their discounts in the runs.
    """
    import carob

    draw = np.random.default_rng([SEED, size])
    runs = sorted(path for path in (folder / "runs").iterdir() if not path.name.startswith("."))[::4]
    lines = [line.split() for line in (folder / "qrels.people.txt").read_text().splitlines()]
    effect = dict.fromkeys(((query, document) for query, _, document, _ in lines), 0.02)
    for run in runs:
        for line in run.read_text().splitlines():
            query, _, document, rank, *_ = line.split()
            if (query, document) in effect:
                effect[query, document] += 1 / np.log2(2 + float(rank))
    share = np.array(list(effect.values()))
    chance = np.minimum(1, size * share / share.sum())
    exact = carob.compare(folder / "qrels.people.txt", runs, [*SUMS, *OTHERS], test="t")
    kept: dict[str, list[tuple[float, float, float]]] = {label: [] for label in exact.labels}
    for _ in range(replicates):
        order = draw.permutation(len(lines))
        places = order[np.searchsorted(np.cumsum(chance[order]), np.arange(draw.random(), chance.sum(), 1.0))]
        sample: dict[str, dict[str, tuple[float, float]]] = {}
        for place in places.tolist():
            query, _, document, grade = lines[place]
            sample.setdefault(query, {})[document] = (float(grade), float(chance[place]))
        found = carob.compare(sample, runs, exact.labels, judge=folder / "qrels.model.txt")
        for label, its in found.contests.items():
            truth = exact[label]
            ends = list(zip(its.low, truth.means, its.high, its.means))
            pairs = [low.low <= real.difference <= low.high for low, real in zip(its.pairs, truth.pairs)]
            runs_held = [low <= mean <= high for low, mean, high, _ in ends]
            kept[label].append(
                (np.mean(runs_held), np.mean([own - mean for _, mean, _, own in ends]), np.mean(pairs))
            )
    for label, rows in kept.items():
        held, bias, pairs_held = np.mean(rows, axis=0).tolist()
        print(f"{label:20}{size:5}  {held:10.3f} {bias:+7.3f}  {pairs_held:11.3f}", flush=True)
        if label in SUMS:
            yield Bar(f"{size} documents, {label}, pairs, coverage", "at least", 0.9, pairs_held, "")


def processor_seconds() -> float:
    """Returns the processor time of a comparison of 30 runs on 6,980 queries, 300 of which people judged."""
    import carob

    draw = np.random.default_rng(SEED)
    values = simulated(draw, 6980, 30)
    names = [f"q{number:04}" for number in range(6980)]

    def scores(table: NDArray[np.float64], rows: int) -> carob.ScoresByRun:
        columns = {
            f"run{run}": {"nDCG@10": dict(zip(names[:rows], table[:rows, run].tolist()))} for run in range(30)
        }
        return carob.read_scores(columns)

    people, judge = scores(values.people, 300), scores(values.judge, len(names))
    carob.compare(
        None,
        {name: people[name] for name in ("run0", "run1")},
        judge={name: judge[name] for name in ("run0", "run1")},
    )
    start = time.process_time()
    str(carob.compare(None, people, judge=judge))
    return time.process_time() - start


if __name__ == "__main__":
    raise SystemExit(main())
