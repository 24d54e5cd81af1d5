"""Simulates judges that saw people's grades, and judges that favour a run: ``python -m bench.judges``.

Queries judged by people are drawn repeatedly from a collection that people and a model judged completely. For a tuned
judge, the judge's grade is replaced by people's with probability .8 on half of the drawn queries, and these queries are
declared; the intervals should cover the means and differences under people's grades. A circular judge uses one run's
ranks as grades; ``carob compare`` should report this run. A fair judge errs equally on all runs, so no run should be
reported.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

import carob
from bench.answer import Bar
from bench.error_rates import concluded
from bench.side_by_side import CHECKOUT
from carob.comparison.with_judge import favours
from carob.estimation.people_and_judge import JudgedSample, estimated
from carob.inputs.runs import as_mapping

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEASURES = ("nDCG@10", "AP", "P@10")
SAMPLE, TUNED, REPLACED, SEED = 20, 10, 0.8, 20261126
RUNS, SHAM = 8, 6
"""The number of runs that are compared, and the number of tuned judges that are simulated."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulations, prints the coverage and the shares, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.judges", description=__doc__)
    parser.add_argument("--draws", type=int, default=60, help="draws of queries for each tuned judge")
    given = with_data(parser, arguments)
    rng = np.random.default_rng(SEED)
    paths = sorted(path for path in given.runs.iterdir() if path.is_file())
    runs = {paths[place].name: str(paths[place]) for place in rng.choice(len(paths), RUNS, replace=False)}
    people, model = (carob.Qrels.of(str(path)) for path in (given.people, given.model))
    true = values(people, runs)
    bars = [
        *tuned(people, model, true, runs, given.draws, rng),
        *circular(true, values(model, runs), runs, people, rng),
    ]
    return concluded(bars)


def with_data(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """Parses the arguments, and exits if there is no collection that people and a model judged completely."""
    data = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument("--people", type=Path, default=data / "qrels.people.txt")
    parser.add_argument("--model", type=Path, default=data / "qrels.model.txt")
    parser.add_argument("--runs", type=Path, default=data / "runs", help="a folder")
    given = parser.parse_args(arguments)
    if not given.runs.is_dir():
        parser.error(f"{given.runs} is not there: name --people, --model and --runs")
    return given


def values(qrels: Any, runs: dict[str, str]) -> dict[str, NDArray[np.float64]]:
    """Returns the scores of the runs under each measure [queries, runs]."""
    scores = carob.evaluate(qrels, runs, MEASURES)
    return {
        measure: np.array([list(each.by_query(measure).values()) for each in scores.values()]).T
        for measure in MEASURES
    }


def tuned(
    people: Any,
    model: Any,
    true: dict[str, NDArray[np.float64]],
    runs: dict[str, str],
    draws: int,
    rng: np.random.Generator,
) -> list[Bar]:
    """Prints the coverage of declared tuned judges, and returns the limits."""
    queries = sorted(people.table)
    covered: dict[tuple[str, str], list[float]] = {}
    widths: dict[tuple[str, str], list[tuple[float, float]]] = {}
    contrasts = np.concatenate([np.eye(RUNS), np.eye(RUNS)[:-1] - np.eye(RUNS)[1:]])
    kinds = {"mean": slice(RUNS), "pair": slice(RUNS, None)}
    known = {query: its for query, its in model.table.items() if query in people.table}
    for _ in range(SHAM):
        seen = {
            query: {
                document: people.table[query].get(document, grade) if rng.random() < REPLACED else grade
                for document, grade in its.items()
            }
            for query, its in known.items()
        }
        clean, biased = values(known, runs), values(seen, runs)
        for _ in range(draws):
            rows = rng.choice(len(queries), SAMPLE, replace=False)
            for measure in MEASURES:
                judge = clean[measure].copy()
                judge[rows[:TUNED]] = biased[measure][rows[:TUNED]]
                mask = np.arange(SAMPLE) < TUNED
                sample = JudgedSample(true[measure][rows], judge, rows, tuned=mask)
                found = estimated(sample, contrasts)
                alone = estimated(JudgedSample(true[measure][rows], judge, rows), contrasts, weight=0.0)
                target = contrasts @ true[measure].mean(axis=0)
                inside = (found.low <= target) & (target <= found.high)
                for kind, own in kinds.items():
                    covered.setdefault((measure, kind), []).append(float(inside[own].mean()))
                    ends = found.width[own].mean(), alone.width[own].mean()
                    widths.setdefault((measure, kind), []).append(ends)
    print("declared tuned judge      coverage  width  of people alone")
    bars, narrower = [], []
    for key, each in covered.items():
        own, alone = np.mean(widths[key], axis=0)
        narrower.append(own / alone)
        print(f"{key[0]:16}{key[1]:8}{np.mean(each):10.3f}{own:8.3f}{alone:8.3f}")
        bars.append(Bar(f"{key[0]}, {key[1]}: coverage", "at least", 0.91, float(np.mean(each)), ""))
    bars.append(Bar("mean coverage", "at least", 0.93, float(np.mean([*map(np.mean, covered.values())])), ""))
    bars.append(Bar("largest width ÷ people alone", "at most", 1.0, float(max(narrower)), ""))
    return bars


def circular(
    true: dict[str, NDArray[np.float64]],
    judged: dict[str, NDArray[np.float64]],
    runs: dict[str, str],
    people: Any,
    rng: np.random.Generator,
    draws: int = 100,
) -> list[Bar]:
    """Returns the limits on how often a favoured run is reported."""
    names = list(runs)
    asked: Any = SimpleNamespace(runs=RUNS, settings=SimpleNamespace(alpha=0.05, seed=1))
    named, wrong, fair = [], [], []
    for favourite in range(RUNS):
        scores = as_mapping(
            carob.Run.of(runs[names[favourite]]).held, [query.encode() for query in people.table]
        )
        grades = {
            query: {
                document: (rank < 3) + (rank < 6) + (rank < 10)
                for rank, document in enumerate(sorted(its, key=its.__getitem__, reverse=True))
            }
            for query, its in scores.items()
        }
        own = values(grades, runs)
        for _ in range(draws // RUNS):
            sample = rng.choice(len(true["AP"]), SAMPLE, replace=False)
            for measure in MEASURES:
                found = favours(own[measure][sample] - true[measure][sample], asked).get("favoured", ())
                named.append(favourite in found)
                wrong.append(bool(set(found) - {favourite}))
    for _ in range(draws * 5):
        sample = rng.choice(len(true["AP"]), SAMPLE, replace=False)
        for measure in MEASURES:
            above = judged[measure] - true[measure]
            above = (above - above.mean(axis=0))[sample]  # the same amount for all runs
            fair.append(bool(favours(above, asked).get("favoured", ())))
    print(f"\ncircular judge named {np.mean(named):.3f}, another run beside or instead {np.mean(wrong):.3f}")
    return [
        Bar("circular judge: the run is named", "at least", 0.9, float(np.mean(named)), ""),
        Bar("judge without favourites: a run is named", "at most", 0.05, float(np.mean(fair)), ""),
    ]


if __name__ == "__main__":
    sys.exit(main())
