"""Whether plans from pilots reach their stated power: ``python -m bench.plans``.

The population is the per-query differences of two real runs, shifted to a mean of .45 standard deviations (.6 for plans
with a judge). A pilot of 20 queries is drawn from it, the number of queries is planned from the pilot, and the power of
a t-test with this number of queries is simulated. With a judge, people's scores are the population and a model's scores
the auxiliary variable, the correlation is known, and the regression estimator of ``carob compare --judge`` decides.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

import carob
from bench.answer import Bar
from bench.error_rates import concluded
from bench.judges import with_data
from carob.estimation.people_and_judge import JudgedSample, estimated
from carob.statistics.sample_size import judged_by_people, power_at, queries_for, upper_limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEASURES = ("nDCG@10", "AP", "P@10", "RR(rel=2)", "ERR@10")
SEED, ALPHA, POWER = 20261126, 0.05, 0.8
PILOT, EFFECT = 20, 0.45
JUDGED, EFFECTS = 400, (0.45, 0.6)
"""The number of queries that a model judges, and the differences in standard deviations planned for with it."""
LEAST_SPREAD = 0.03
"""Runs whose differences vary less than this are nearly copies of each other."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulations, prints the power of the plans, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.plans", description=__doc__)
    parser.add_argument("--pilots", type=int, default=150)
    parser.add_argument("--draws", type=int, default=2000)
    given = with_data(parser, arguments)
    rng = np.random.default_rng(SEED)
    runs = {path.name: str(path) for path in sorted(given.runs.iterdir()) if path.is_file()}
    people, model = (carob.evaluate(str(path), runs, MEASURES) for path in (given.people, given.model))
    settings = [(measure, *map(str, pair)) for measure in MEASURES for pair in pairs(people, measure, rng)]
    print(f"{'setting':40}{'sd':>6}  plans with power ≥ .79, mean power: pilot's sd | assured")
    good, mean = [], []
    for measure, first, second in settings:
        values = differences(people, measure, first, second)
        plain, assured = (np.array(each) for each in planned(values, given, rng))
        good.append(float(np.mean(assured >= POWER - 0.01)))
        mean.append(float(assured.mean()))
        name = f"{measure} {first[:14]} - {second[:14]}"
        share = float(np.mean(plain >= POWER - 0.01))
        print(
            f"{name:40}{values.std():6.3f}  {share:.2f}, {plain.mean():.2f} | {good[-1]:.2f}, {mean[-1]:.2f}",
            flush=True,
        )
    print(f"\n{'with a judge':40}     r  people  stated  simulated")
    gaps = []
    for effect in EFFECTS:
        for measure, first, second in settings:
            own, judge = (differences(each, measure, first, second) for each in (people, model))
            count, stated, found, r = with_judge(own, judge, effect, given.draws, rng)
            gaps.append(found - stated)
            name = f"{measure} {first[:14]} - {second[:14]}, {effect}"
            print(f"{name:40}{r:6.2f}{count:8}{stated:8.3f}{found:11.3f}", flush=True)
    return concluded(
        [
            Bar(
                "settings in which 75 % of plans have power ≥ .79",
                "at least",
                9,
                sum(each >= 0.75 for each in good),
                "",
            ),
            Bar("share of plans with power ≥ .79, mean", "at least", 0.8, float(np.mean(good)), ""),
            Bar("with a judge: largest |simulated - stated|", "at most", 0.08, max(map(abs, gaps)), ""),
            Bar("with a judge: |mean of simulated - stated|", "at most", 0.02, abs(float(np.mean(gaps))), ""),
        ]
    )


def pairs(scores: carob.ScoresByRun, measure: str, rng: np.random.Generator) -> list[tuple[np.str_, np.str_]]:
    """Draws two pairs of runs whose differences vary."""
    names, found = list(scores), list[tuple[np.str_, np.str_]]()
    while len(found) < 2:
        first, second = rng.choice(names, 2, replace=False)
        if differences(scores, measure, str(first), str(second)).std() > LEAST_SPREAD:
            found.append((first, second))
    return found


def differences(scores: carob.ScoresByRun, measure: str, first: str, second: str) -> NDArray[np.float64]:
    """Returns the per-query differences of two runs."""
    own, theirs = (scores[name].by_query(measure) for name in (first, second))
    return np.array([value - theirs[query] for query, value in own.items()])


def planned(
    values: NDArray[np.float64], given: argparse.Namespace, rng: np.random.Generator
) -> tuple[list[float], list[float]]:
    """Returns the simulated power of plans from pilots, using the pilot's standard deviation or its upper limit."""
    true = EFFECT * values.std()
    moved, known = values - values.mean() + true, dict[int, float]()
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(given.pilots):
        sd = max(float(rng.choice(values, PILOT).std(ddof=1)), 1e-3)
        for place, each in enumerate((sd, upper_limit(sd, PILOT - 1))):
            queries = max(int(np.ceil(queries_for("difference", true / each, POWER, ALPHA))), 2)
            if queries not in known:
                sample = moved[rng.integers(0, len(moved), (given.draws, queries))]
                error = sample.std(axis=1, ddof=1) / np.sqrt(queries)
                critical = stdtrit(queries - 1, 1 - ALPHA / 2)
                known[queries] = float(np.mean(np.abs(sample.mean(axis=1)) > critical * error))
            found[place].append(known[queries])
    return found


def with_judge(
    own: NDArray[np.float64],
    judge: NDArray[np.float64],
    effect: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[int, float, float, float]:
    """Returns the planned number of queries, its stated and its simulated power, and the correlation."""
    r, size = max(float(np.corrcoef(own, judge)[0, 1]), 0.0), effect * own.std()
    count = int(np.ceil(judged_by_people("difference", effect, POWER, ALPHA, r, JUDGED)))
    rest = (1 - r**2) * (1 / count - 1 / JUDGED) * (1 + 1 / (count - 3)) + 1 / JUDGED
    stated = power_at("difference", effect / np.sqrt(rest), count - 2, ALPHA)
    moved, won = own - own.mean() + size, 0
    for _ in range(draws):
        places = rng.integers(0, len(own), JUDGED)
        both = [
            np.stack([each, np.zeros_like(each)], axis=1) for each in (moved[places[:count]], judge[places])
        ]
        found = estimated(JudgedSample(*both, np.arange(count)), np.array([[1.0, -1.0]]), similar=True)
        won += bool(found.low[0] > 0 or found.high[0] < 0)
    return count, stated, won / draws, r


if __name__ == "__main__":
    sys.exit(main())
