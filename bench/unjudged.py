"""Bounds over unjudged documents, and samples of the documents to judge next: ``python -m bench.unjudged``.

The benchmark answers three questions. Do the rules for bounds agree with brute force, which tries all grades of up to 8
unjudged documents? How far is the difference of two runs from the true value after people judged 200 documents, either
those at the best ranks or a sample from ``carob next``? And how long does ``carob next`` take with a million unjudged
rows? Without a collection judged by both people and a model, one is simulated.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from importlib import import_module
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from bench.answer import Bar
from bench.side_by_side import CHECKOUT

MEASURE, BUDGET, SEED = "DCG@10", 200, 4
BOTH = ["nDCG@5", "nDCG", "nDCG(gain=exp2)@3", "nCG@4", "P@5", "DCG@5", "CG@3"]
BOTH += ["RR", "RR@3", "Success@3", "R@5", "F@5", "RBP(rel=1)"]
"""Measures whose bounds are exact for runs and for pairs."""
RUNS = ["ERR@5", "AP", "AP@5", "Rprec"]
"""Measures whose bounds are exact for single runs."""
WITH_JUDGE, WITHOUT, SECONDS = 0.4, 0.7, 2.0

Grades = dict[str, dict[str, float]]


class Collection(NamedTuple):
    """People's and a model's grades, and the top ten documents of the runs."""

    people: Grades
    model: Grades
    runs: dict[str, Grades]


def main(arguments: list[str] | None = None) -> int:
    """Runs the benchmark, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.unjudged", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument(
        "--data", type=Path, default=folder, help="a folder with qrels.people.txt, qrels.model.txt, runs/"
    )
    parser.add_argument("--cases", type=int, default=1000, help="random cases of bounds for each measure")
    parser.add_argument("--pairs", type=int, default=40, help="pairs of runs")
    parser.add_argument("--draws", type=int, default=5, help="samples for each pair")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the large runs")
    given = parser.parse_args(arguments)
    bars = []
    for name in BOTH + RUNS:
        count = bounds_missed(name, given.cases)
        print(f"{name:20} {count} misses of {given.cases}", flush=True)
        bars.append(Bar(f"bounds of {name}", "at most", 0, count, "misses"))
    if given.data.is_dir():
        collection = read(given.data)
    else:
        print(f"{given.data} is not there: a collection is simulated", file=sys.stderr)
        collection = simulated()
    bars += errors(collection, given.pairs, given.draws)
    seconds = processor_seconds(given.rows)
    bars.append(
        Bar(f"carob next, {given.rows:,} unjudged rows", "at most", SECONDS, seconds, "s of processor")
    )
    print("\n" + "\n".join(map(str, bars)))
    return 0 if all(bar.met for bar in bars) else 1


def bounds_missed(name: str, cases: int) -> int:
    """Returns how many bounds that are reported as exact differ from the results of brute force."""
    sys.path.insert(0, str(CHECKOUT / "tests"))
    brute_force = import_module("brute_force")
    from carob.estimation import fillings

    usual, fillings.MOST_TRIED = fillings.MOST_TRIED, 0  # only rules; carob uses no brute force
    try:
        return int(brute_force.misses(name, cases, most_unjudged=8)[0])
    finally:
        fillings.MOST_TRIED = usual


def read(folder: Path) -> Collection:
    """Reads a collection."""
    people, model = (graded(folder / f"qrels.{who}.txt") for who in ("people", "model"))
    runs = {
        path.name: top_ten(path, people)
        for path in sorted((folder / "runs").iterdir())
        if not path.name.startswith(".")
    }
    return Collection(people, model, runs)


def graded(path: Path) -> Grades:
    """Reads qrels."""
    found: Grades = {}
    for line in path.read_text().splitlines():
        query, _, document, grade = line.split()
        found.setdefault(query, {})[document] = float(grade)
    return found


def top_ten(path: Path, judged: Grades) -> Grades:
    """Reads the top ten documents of each judged query of a run."""
    found: Grades = {query: {} for query in judged}
    for line in path.read_text().splitlines():
        query, _, document, _, score, *_ = line.split()
        if query in found:
            found[query][document] = float(score)
    return {query: dict(sorted(its.items(), key=lambda each: -each[1])[:10]) for query, its in found.items()}


def simulated() -> Collection:
    """Returns 50 queries with 60 documents each, few of them relevant, and 8 runs of different quality."""
    draw = np.random.default_rng(SEED)
    people: Grades = {}
    model: Grades = {}
    for query in range(50):
        grades = draw.choice(4, size=60, p=(0.6, 0.2, 0.12, 0.08))
        guessed = np.clip(grades + draw.choice(3, size=60, p=(0.1, 0.5, 0.4)) - 1, 0, 3)
        people[f"q{query}"] = {f"d{place}": float(grade) for place, grade in enumerate(grades)}
        model[f"q{query}"] = {f"d{place}": float(grade) for place, grade in enumerate(guessed)}
    runs = {}
    for place in range(8):
        share = 0.3 + 0.15 * place
        runs[f"run{place}"] = {
            query: dict(
                sorted(
                    ((document, share * grade + float(draw.normal())) for document, grade in its.items()),
                    key=lambda each: -each[1],
                )[:10]
            )
            for query, its in people.items()
        }
    return Collection(people, model, runs)


def errors(collection: Collection, pairs: int, draws: int) -> list[Bar]:
    """Prints the errors of the difference after the budget is spent, and returns the limits on these errors."""
    import carob

    chosen = list(combinations(sorted(collection.runs), 2))
    random.Random(SEED).shuffle(chosen)
    nothing: Grades = {query: {} for query in collection.people}
    found: dict[str, list[float]] = {"depth": [], "with the model": [], "without": []}
    held: dict[str, list[bool]] = {"with the model": [], "without": []}
    for names in chosen[:pairs]:
        runs = {name: collection.runs[name] for name in names}
        complete = carob.evaluate(collection.people, runs, MEASURE)
        truth = complete[names[0]][MEASURE] - complete[names[1]][MEASURE]
        found["depth"].append(by_depth(collection, runs) - truth)
        for seed in range(draws):
            for kind, judge in (("with the model", collection.model), ("without", nothing)):
                low, value, high = by_sample(collection, runs, judge, seed)
                found[kind].append(value - truth)
                held[kind].append(low <= truth <= high)
    roots = {kind: float(np.sqrt(np.mean(np.square(each)))) for kind, each in found.items()}
    print(f"\n{len(chosen[:pairs])} pairs, {draws} draws, {BUDGET} judgments, {MEASURE}")
    for kind, root in roots.items():
        share = f", intervals held {np.mean(held[kind]):.3f}" if kind in held else ""
        print(f"{kind:20} RMSE {root:.3f}, relative to depth {root / roots['depth']:.3f}{share}")
    return [
        Bar(
            f"{BUDGET} judgments {kind}, RMSE relative to depth",
            "at most",
            limit,
            roots[kind] / roots["depth"],
            "",
        )
        for kind, limit in (("with the model", WITH_JUDGE), ("without", WITHOUT))
    ]


def by_depth(collection: Collection, runs: dict[str, Grades]) -> float:
    """Returns the difference after judging the documents at the best ranks. All others count as not relevant."""
    import carob

    nothing: Grades = {query: {} for query in collection.people}
    judged: Grades = {query: {} for query in collection.people}
    for each in carob.next_judgments(nothing, runs, MEASURE, budget=BUDGET, order="depth").chosen:
        judged[each.query][each.document] = collection.people[each.query].get(each.document, 0.0)
    values = carob.evaluate(judged, runs, MEASURE)
    first, second = (values[name][MEASURE] for name in runs)
    return float(first - second)


def by_sample(
    collection: Collection, runs: dict[str, Grades], judge: Grades, seed: int
) -> tuple[float, float, float]:
    """Returns the estimated difference after a sample is judged, with its interval: low, estimate, high."""
    import carob

    found = carob.next_judgments(None, runs, MEASURE, budget=BUDGET, judge=judge, seed=seed, max_grade=3)
    sample: dict[str, dict[str, tuple[float, float]]] = {}
    for each in found.chosen:
        grade = collection.people[each.query].get(each.document, 0.0)
        sample.setdefault(each.query, {})[each.document] = (grade, each.probability)
    with catch_warnings():
        simplefilter("ignore", carob.DataWarning)  # a judge without grades
        result = carob.compare(sample, runs, MEASURE, judge=judge)
    pair = result[MEASURE].pairs[0]
    if result.names[pair.a] == next(iter(runs)):
        return pair.low, pair.difference, pair.high
    return -pair.high, -pair.difference, -pair.low


def processor_seconds(rows: int) -> float:
    """Returns the processor time of ``carob.next_judgments`` for ten runs with this many rows in total."""
    import carob

    draw = np.random.default_rng(SEED)
    queries = max(rows // 1000, 1)
    with TemporaryDirectory() as folder:
        paths: list[Any] = []
        for run in range(10):
            lines = [
                f"q{query} Q0 d{query}-{document} {rank} {100 - rank} r\n"
                for query in range(queries)
                for rank, document in enumerate(draw.permutation(400)[:100], 1)
            ]
            paths.append(Path(folder) / f"{run}.run")
            paths[-1].write_text("".join(lines))
        qrels = Path(folder) / "qrels.txt"
        qrels.write_text("".join(f"q{query} 0 other 1\n" for query in range(queries)))
        start = time.process_time()
        carob.next_judgments(qrels, paths, "DCG@100", budget=1000)
        return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
