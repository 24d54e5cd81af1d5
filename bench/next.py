"""The accuracy gained from 200 judgments of sampled documents: ``python -m bench.next``.

People and a model judged the same documents of a collection. Each draw selects some of its runs, requests documents
from ``carob next``, looks up people's grades for them, and compares the runs with
``carob compare --people … --judge …``. The rival method uses the same number of people's judgments for the documents
with the best ranks in these runs, and the model's grades for all other documents; it has no interval. Errors are
relative to people's grades of all documents. The width predicted by ``carob next`` is divided by the width of the
resulting interval.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import carob
from bench.answer import Bar
from bench.error_rates import concluded
from bench.judges import with_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

SEED = 20261127
NDCG, AP, RBP = "nDCG@10", "AP", "RBP(p=0.8, max=none)"
MEASURES = ("DCG@10", RBP, NDCG, AP)
LIMITS = {
    "DCG@10": (1.15, 0.93, 0.93),
    RBP: (1.15, 0.93, 0.93),
    NDCG: (1.7, 0.89, 0.89),
    AP: (1.7, 0.92, 0.92),
}
"""The maximum error of a difference divided by the rival's error, and the minimum coverage of differences and means."""
DEEP = "P@50"
"""A measure that is deep enough to include the rival's documents."""
CLOSE = 0.1
"""How far predicted widths may be from actual widths, on average."""


class Series(NamedTuple):
    """The differences or the means in one draw. NaN marks an interval that does not exist.

    Args:
        error: estimate minus truth [series].
        rival: the rival's estimate minus truth [series].
        width: the widths of the intervals [series].
        held: whether each interval covers the true value; NaN without an interval [series].
        predicted: the predicted width.
    """

    error: NDArray[np.float64]
    rival: NDArray[np.float64]
    width: NDArray[np.float64]
    held: NDArray[np.float64]
    predicted: float


class Figures(NamedTuple):
    """The results over all draws: root mean square errors, coverage, and mean widths."""

    error: float
    rival: float
    coverage: float
    width: float
    predicted: float

    @classmethod
    def of(cls, draws: Sequence[Series]) -> Figures:
        """Returns the results. Coverage and widths are computed from the intervals that exist."""
        error, rival = (np.concatenate(each) for each in ([d.error for d in draws], [d.rival for d in draws]))
        there = [each for each in draws if not np.isnan(each.width).all()]
        found = [math.nan] * 3
        if there:
            held, width = (
                float(np.nanmean(np.concatenate(each)))
                for each in ([d.held for d in there], [d.width for d in there])
            )
            found = [held, width, float(np.mean([each.predicted for each in there]))]
        return cls(float(np.sqrt((error**2).mean())), float(np.sqrt((rival**2).mean())), *found)

    def __str__(self) -> str:
        """Returns a row of the table."""
        return (
            f"{self.error:8.4f} {self.rival:8.4f} {self.error / self.rival:6.2f} {self.coverage:6.3f} "
            f"{self.width:8.4f} {self.predicted / self.width:6.2f}"
        )


class Collection(NamedTuple):
    """Judgments by people and by a model of the same documents, and runs."""

    people: carob.Qrels
    model: carob.Qrels
    grades: dict[str, dict[str, float]]
    guesses: dict[str, dict[str, float]]
    runs: dict[str, carob.Run]


def main(arguments: list[str] | None = None) -> int:
    """Draws runs and documents, prints errors, coverage and widths, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.next", description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--budget", type=int, default=200, help="judgments in each draw")
    parser.add_argument("--at-a-time", type=int, default=2, help="runs that are compared in each draw")
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--leave-out", nargs="*", default=(), help="names of runs that are left out")
    given = with_data(parser, arguments)
    found = collection(given.people, given.model, given.runs, given.leave_out)
    print(
        f"{given.draws} draws of {given.at_a_time} of {len(found.runs)} runs, {given.budget} judgments each\n"
    )
    print(f"{'':32}{'RMSE':>8} {'rival':>8} {'ratio':>6} {'held':>6} {'width':>8} {'pred.':>6}")
    bars: list[Bar] = []
    for measure in given.measures:
        draws = [drawn(found, measure, given, number) for number in range(given.draws)]
        both = [Figures.of(each) for each in zip(*draws, strict=True)]
        for kind, figures in zip(("differences", "means"), both, strict=True):
            print(f"{f'{measure}, {kind}':32}{figures}", flush=True)
        bars += limits(measure, *both)
    return concluded(bars)


def collection(people: Path, model: Path, runs: Path, left_out: Sequence[str]) -> Collection:
    """Reads a collection."""
    own, other = (carob.Qrels.of(str(path)) for path in (people, model))
    paths = sorted(path for path in runs.iterdir() if path.is_file() and not path.name.startswith("."))
    named = {path.name: carob.Run.of(str(path)) for path in paths if path.name not in left_out}
    return Collection(own, other, own.table, other.table, named)


def drawn(among: Collection, measure: str, given: argparse.Namespace, number: int) -> tuple[Series, Series]:
    """Returns the errors and intervals of the differences and of the means in one draw."""
    random = np.random.default_rng([given.seed, number])
    names = sorted(among.runs)
    chosen = [names[place] for place in sorted(random.choice(len(names), given.at_a_time, replace=False))]
    runs = {name: among.runs[name] for name in chosen}
    plan = carob.next_judgments(
        None, runs, measure, budget=given.budget, judge=among.model, seed=int(random.integers(2**31))
    )
    sample: dict[str, dict[str, tuple[float, float]]] = {}
    for each in plan.chosen:
        grade = among.grades.get(each.query, {}).get(each.document, 0.0)
        sample.setdefault(each.query, {})[each.document] = (grade, each.probability)
    compared = carob.compare(sample, runs, measure, judge=among.model, test="t")
    contest = next(iter(compared.contests.values()))
    place = [compared.names.index(name) for name in chosen]
    truth, rival = (
        means(qrels, runs, measure) for qrels in (among.people, by_depth(among, runs, given.budget, random))
    )
    estimate, low, high = (
        np.asarray(each, np.float64)[place] for each in (contest.means, contest.low, contest.high)
    )
    pairs = [(place.index(each.a), place.index(each.b), each) for each in contest.pairs]
    first, second = (np.array([each[side] for each in pairs], np.int64) for side in (0, 1))
    differences, lows, highs = (
        np.array([getattr(each, name) for *_, each in pairs], np.float64)
        for name in ("difference", "low", "high")
    )
    return (
        series(
            differences, lows, highs, truth[first] - truth[second], rival[first] - rival[second], plan.width
        ),
        series(estimate, low, high, truth, rival, plan.width_run),
    )


def series(
    estimate: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    truth: NDArray[np.float64],
    rival: NDArray[np.float64],
    predicted: float,
) -> Series:
    """Returns errors, widths, and whether the intervals cover the true values."""
    held = np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))
    return Series(estimate - truth, rival - truth, high - low, held, predicted)


def by_depth(
    among: Collection, runs: Mapping[str, carob.Run], budget: int, random: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Returns the model's grades, replaced by people's grades for the documents with the best ranks.

    Documents with the same best rank are ordered at random.
    """
    ranked = carob.next_judgments(None, runs, DEEP, budget=10**6, order="depth", judge=among.model).chosen
    graded = [each for each in ranked if each.document in among.guesses.get(each.query, {})]
    order = np.lexsort((random.random(len(graded)), np.array([each.rank for each in graded])))
    grades = {query: dict(its) for query, its in among.guesses.items()}
    for place in order[:budget].tolist():
        each = graded[place]
        grades[each.query][each.document] = among.grades.get(each.query, {}).get(each.document, 0.0)
    return grades


def means(qrels: Any, runs: Mapping[str, carob.Run], measure: str) -> NDArray[np.float64]:
    """Returns the mean of each run."""
    scores = carob.evaluate(qrels, runs, measure)
    return np.array([float(scores[name].matrix[:, 0].mean()) for name in runs])


def limits(measure: str, differences: Figures, of_runs: Figures) -> list[Bar]:
    """Returns the limits of a measure."""
    if measure not in LIMITS:
        return []
    ratio, pairs, runs = LIMITS[measure]
    bars = [
        Bar(
            f"{measure}, differences, error / the rival's",
            "at most",
            ratio,
            differences.error / differences.rival,
            "",
        )
    ]
    for kind, figures, least in (("differences", differences, pairs), ("means", of_runs, runs)):
        if not math.isnan(figures.width):
            distance = abs(figures.predicted / figures.width - 1)
            bars.append(Bar(f"{measure}, {kind}, coverage", "at least", least, figures.coverage, ""))
            bars.append(
                Bar(f"{measure}, {kind}, distance of predicted widths", "at most", CLOSE, distance, "")
            )
    return bars


if __name__ == "__main__":
    raise SystemExit(main())
