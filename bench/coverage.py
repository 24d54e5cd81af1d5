"""How often intervals from few queries judged by people cover the true value: ``python -m bench.coverage``.

Every query of a collection has people's and a model's judgments. Each replicate draws some queries and passes people's
judgments of these and the model's judgments of all queries to the estimator. It then checks whether the intervals of
all runs and of all pairs of runs, with and without the model's judgments, cover the means under people's judgments of
all queries. An interval that leaves the measure's range ends the simulation. The widths are compared with those of
Student's intervals from people's judgments only. Without a collection, the bundled example is used.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench.answer import Bar
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED = 20240
MEASURES = ("nDCG@10", "AP", "P@10", "RR", "RR(rel=2)", "Success@10")
SIZES = (8, 12, 20, 30)
DOCUMENTS = (100, 200, 400, 1000)
"""The numbers of individual documents judged by people."""
SUMS, OTHERS = ("DCG@10", "P(rel=2)@10"), ("nDCG@10", "AP(rel=2)")
FEWEST_NEEDED = 12
"""From this number of queries on, the limits on coverage hold."""

COVERAGE, LOWEST, SMALL = 0.93, 0.85, 0.935
"""The minimum coverage: on average over all runs or pairs, for each run or pair, and for many in small samples."""
WIDTH = 0.75
"""The width of the intervals of differences in nDCG@10 from 20 queries and a judge."""
WIDER = {"runs": 1.15, "pairs": 1.40}
"""The width of RR's intervals divided by the width of Student's intervals."""
SECONDS = 2.0
SIMULATED = 500
"""The number of queries that only the model judged, in the simulation of similar queries."""


class Values(NamedTuple):
    """The values [queries, runs] of a collection's runs under one measure, from people's and a model's judgments."""

    name: str
    people: NDArray[np.float64]
    judge: NDArray[np.float64]


LEAST = 1e-9
"""A rounding error."""


class Held(NamedTuple):
    """The coverage of the intervals, their relative width, and the coverage for the worst run or pair.

    The mean width is divided by that of Student's intervals from people's judgments only.
    """

    share: float
    width: float
    lowest: float = float("nan")


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints coverage and widths, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument(
        "--data", type=Path, default=folder, help="a folder with qrels.people.txt, qrels.model.txt, runs/"
    )
    parser.add_argument("--replicates", type=int, default=100)
    given = parser.parse_args(arguments)
    bundled = not given.data.is_dir()
    if bundled:
        print(f"{given.data} is not there: the bundled example is taken", file=sys.stderr)
    print(
        f"{given.replicates} replicates, seed {SEED}; a width is divided by that of Student's, people alone\n"
    )
    columns = f"{'held':>6} {'lowest':>6} {'width':>6}"
    print(f"{'':30}{'n':>4}  runs: {columns}  pairs: {columns}")
    bars: list[Bar] = []
    for values in values_in(CHECKOUT / "examples" / "coffee" if bundled else given.data):
        for similar in (False, True):
            for size in SIZES:
                for name, runs, pairs in covered(values, size, given.replicates, similar=similar):
                    which = f"{values.name}, {'like these' if similar else 'these'}, {name.split()[-1]}"
                    print(f"{which:30}{size:4}        {shown(runs)}         {shown(pairs)}", flush=True)
                    bars += limits(f"{which}, n = {size}", size, given.replicates, runs, pairs)
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
    if not bundled:
        print(f"\n{'sampled documents':20}{'m':>5}  {'runs: held':>10} {'bias':>7}  {'pairs: held':>11}")
        for size in DOCUMENTS:
            bars += documents(given.data, size, max(given.replicates // 10, 2))
    bars.append(
        Bar("30 runs, 6,980 queries, all pairs", "at most", SECONDS, processor_seconds(), "s of processor")
    )
    print("\n" + "\n".join(str(bar) for bar in bars if not bar.met or bar is bars[-1]))
    print(f"{sum(bar.met for bar in bars)} of {len(bars)} limits are met")
    return 0 if all(bar.met for bar in bars) else 1


def shown(held: Held) -> str:
    """Returns the numbers of a row."""
    return f"{held.share:6.3f} {held.lowest:6.2f} {held.width:6.2f}"


def limits(which: str, size: int, replicates: int, runs: Held, pairs: Held) -> Iterator[Bar]:
    """Returns the limits for a number of queries judged by people. A tolerance of two standard errors is allowed."""
    lowest = LOWEST - 2 * (LOWEST * (1 - LOWEST) / replicates) ** 0.5
    for name, each in {"runs": runs, "pairs": pairs}.items():
        yield Bar(f"{which}, {name}, coverage", "at least", COVERAGE, each.share, "")
        if size >= FEWEST_NEEDED:
            yield Bar(f"{which}, {name}, lowest", "at least", lowest, each.lowest, "")
            if which.startswith("RR,"):
                yield Bar(f"{which}, {name}, width", "at most", WIDER[name], each.width, "")
    if which == "nDCG@10, these, judge, n = 20":
        yield Bar(f"{which}, pairs, width", "at most", WIDTH, pairs.width, "")


def values_in(folder: Path) -> Iterator[Values]:
    """Returns the values of the runs in a folder under each measure."""
    import carob

    runs = sorted(path for path in (folder / "runs").iterdir() if not path.name.startswith("."))
    names = ("qrels.people.txt", "qrels.model.txt")
    if not (folder / names[0]).exists():
        names = ("complete.txt", "model.txt")
    both = [carob.evaluate(folder / name, runs, MEASURES) for name in names]
    for place, measure in enumerate(MEASURES):
        people, judge = (np.stack([run.matrix[:, place] for run in each.runs], axis=1) for each in both)
        yield Values(measure, people, judge)


def simulated(draw: np.random.Generator, queries: int = 60, runs: int = 8) -> Values:
    """Returns values of runs on queries of different difficulty, and values under a generous and noisy judge."""
    hard = draw.normal(0, 0.25, (queries, 1))
    skill = np.linspace(0, 0.1, runs)
    people = np.clip(0.5 + hard + skill + draw.normal(0, 0.15, (queries, runs)), 0, 1)
    judge = np.clip(0.15 + 0.9 * people + draw.normal(0, 0.08, (queries, runs)), 0, 1)
    return Values("simulated", people, judge)


def covered(values: Values, size: int, replicates: int, *, similar: bool) -> Iterator[tuple[str, Held, Held]]:
    """Yields the coverage and the width of the intervals of all runs and all pairs, with and without the judge.

    Args:
        values: the values of a collection, up to 1.
        size: the number of queries that people judged.
        replicates: the number of samples.
        similar: whether to estimate the mean over similar queries. In that case, people's and the judge's queries are
            drawn from the collection with replacement.
    """
    from carob.estimation.people_and_judge import JudgedSample, estimated
    from carob.statistics.estimates import half_width

    draw = np.random.default_rng([SEED, size])
    queries, runs = values.people.shape
    first, second = np.triu_indices(runs, 1)
    contrasts = np.concatenate([np.eye(runs), np.eye(runs)[first] - np.eye(runs)[second]])
    truth = contrasts @ values.people.mean(axis=0)
    differs = (contrasts @ values.people.T).std(axis=1) > 0
    found: dict[str, list[list[NDArray[Any]]]] = {"people and judge": [], "people alone": []}
    for _ in range(replicates):
        rows = draw.integers(0, queries, queries) if similar else draw.permutation(queries)
        people, judge = values.people[rows[:size]], values.judge[rows]
        sample = JudgedSample(people, judge, np.arange(size))
        alone = estimated(sample, contrasts, weight=0.0, similar=similar)
        own = np.sqrt(np.maximum(alone.error**2 - alone.borrowed, 0.0))
        student = np.where(own > LEAST, 2 * half_width(own, alone.freedom, 0.95), np.nan)
        for name, weight in (("people and judge", None), ("people alone", 0.0)):
            its = estimated(sample, contrasts, weight=weight, similar=similar, values=(0.0, 1.0))
            there, ends = ~np.isnan(its.low), (its.low, its.high)
            least = np.where(np.arange(len(truth)) < runs, 0.0, -1.0)
            if (ends[0] < least - LEAST).any() or (ends[1] > 1 + LEAST).any():
                raise SystemExit(f"{values.name}: an interval leaves the range of the measure")
            hit = (ends[0] <= truth + LEAST) & (truth - LEAST <= ends[1])
            found[name].append([np.where(there, hit, np.nan), np.where(there, its.width, np.nan), student])
    for name, rows_found in found.items():
        hit, width, alone = (np.array(each)[:, differs] for each in zip(*rows_found, strict=True))
        both = []
        for own in (np.flatnonzero(differs) < runs, np.flatnonzero(differs) >= runs):
            each = np.nanmean(hit[:, own], axis=0)
            # If all drawn values are equal, Student's interval does not exist, nor do some of carob's intervals.
            exist = ~np.isnan(width[:, own]) & ~np.isnan(alone[:, own])
            ratio = float("nan")
            if exist.any():
                ratio = width[:, own][exist].mean() / alone[:, own][exist].mean()
            both.append(Held(float(each.mean()), float(ratio), float(each.min())))
        yield name, both[0], both[1]


def similar_queries(follows: float, size: int, replicates: int) -> Held:
    """Returns the coverage and width of intervals of a mean over similar queries, for values similar to nDCG@10."""
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
    """Prints the coverage of intervals from sampled documents, and returns the limits for measures that are sums.

    Documents are drawn systematically, with probabilities proportional to the sum of their discounts in the runs.
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
