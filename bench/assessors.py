"""Whether intervals cover the true value even though assessors disagree: ``python -m bench.assessors``.

The true value is the mean over all assessors. Each of 60 simulated assessors judges 400 queries; a grade is the
document's relevance plus the assessor's own error. A replicate draws queries, an assessor for each query, and a second
assessor for some of the queries, and checks whether the intervals of all differences of runs cover the true values:

- *these*: the drawn queries are fixed. Without the assessors' noise, the differences count as exact; with the noise,
  they have the interval of ``AssessorNoise``. If a model judged all queries and people judged some, the interval is
  that of the estimates, without and with the noise.
- *similar*: the true value is the mean over all queries. Student's interval already includes the noise; it becomes too
  wide if the noise is added again, and too narrow if the noise is removed (*less*).

An assessor's strictness is either drawn anew for each query (``own``), or one assessor judges all queries (``one``)
with constant strictness, which no interval can account for.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.answer import Bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED = 20260
QUERIES, ASSESSORS, DOCUMENTS = 400, 60, 30
QUALITY = (0.8, 0.9, 1.0, 2.0)
"""The errors of the four runs. A larger error means a worse run."""
MEASURES = ("nDCG@10", "AP", "P@10", "RR")
SAMPLES = ((20, 20), (50, 12), (50, 25), (50, 50))
"""Numbers of queries, and numbers of these queries that the second assessor also judged."""
COVERAGE = 0.92
"""The minimum coverage of the intervals with the noise, on average over all pairs."""


class Assessed(NamedTuple):
    """The scores under each assessor's grades [assessors, queries, runs]."""

    measure: str
    values: NDArray[np.float64]


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints the coverage, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.assessors", description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    given = parser.parse_args(arguments)
    bars: list[Bar] = []
    print(
        f"{given.replicates} replicates, seed {SEED}; shares of intervals of differences that hold the truth\n"
    )
    print(
        f"{'':9} {'':6} {'':>3} {'':>5}  {'these queries':>16}  {'with a model':>16}  {'similar queries':>24}"
    )
    print(
        f"{'measure':9} {'judges':6} {'n':>3} {'twice':>5}  {'without':>8}{'with':>8}  {'without':>8}{'with':>8}  "
        f"{'less':>8}{'as is':>8}{'added':>8}  share"
    )
    for alike in (False, True):
        for each in assessed(alike=alike):
            for size, twice in SAMPLES:
                found = covered(each, size, twice, given.replicates, one=alike)
                plain, exact, without, with_noise, less, as_is, added, share = found
                judges = "one" if alike else "own"
                print(
                    f"{each.measure:9} {judges:6} {size:3} {twice:5}  {plain:8.3f}{exact:8.3f}  {without:8.3f}"
                    f"{with_noise:8.3f}  {less:8.3f}{as_is:8.3f}{added:8.3f}  {share:.2f}",
                    flush=True,
                )
                if not alike:
                    which = f"{each.measure}, n = {size}, twice {twice}"
                    bars.append(Bar(f"{which}, these queries", "at least", COVERAGE, exact, ""))
                    bars.append(Bar(f"{which}, similar queries", "at least", COVERAGE, as_is, ""))
    print("\n" + "\n".join(str(bar) for bar in bars if not bar.met))
    print(f"{sum(bar.met for bar in bars)} of {len(bars)} limits are met")
    return 0 if all(bar.met for bar in bars) else 1


def assessed(*, alike: bool) -> Iterator[Assessed]:
    """Yields the scores of simulated runs under the grades of each assessor.

    Args:
        alike: whether an assessor's strictness is the same for all queries instead of being drawn anew for each query.
    """
    import carob

    draw = np.random.default_rng([SEED, alike])
    relevance = draw.normal(0, 1, (QUERIES, DOCUMENTS)) + draw.normal(0, 0.5, (QUERIES, 1))
    names = [f"q{query:03}" for query in range(QUERIES)]
    runs = {
        f"run{place}": {
            name: dict(zip(map(str, range(DOCUMENTS)), row.tolist()))
            for name, row in zip(names, relevance + draw.normal(0, quality, relevance.shape))
        }
        for place, quality in enumerate(QUALITY)
    }
    found = []
    for _ in range(ASSESSORS):
        strict = draw.normal(0, 0.4, (1 if alike else QUERIES, 1))
        seen = relevance + strict + draw.normal(0, 0.6, relevance.shape)
        grades = np.digitize(seen, [0.7, 1.4, 2.1])
        qrels = {
            name: dict(zip(map(str, range(DOCUMENTS)), row.tolist())) for name, row in zip(names, grades)
        }
        scores = carob.evaluate(qrels, runs, MEASURES)
        found.append(np.stack([run.matrix for run in scores.runs], axis=2))
    for place, measure in enumerate(MEASURES):
        yield Assessed(measure, np.array(found)[:, :, place])


def covered(each: Assessed, size: int, twice: int, replicates: int, *, one: bool) -> NDArray[np.float64]:
    """Returns the coverage of the intervals, and the share of the variance that is due to assessors' noise.

    Args:
        each: the scores under each assessor's grades.
        size: the number of queries.
        twice: the number of queries judged by two assessors.
        replicates: the number of samples.
        one: whether one assessor judges all queries.
    """
    from carob.estimation.people_and_judge import JudgedSample, estimated, with_noise
    from carob.statistics.assessors import assessor_noise
    from carob.statistics.estimates import t_quantile

    draw = np.random.default_rng([SEED, size, twice])
    runs = each.values.shape[2]
    first, second = np.triu_indices(runs, 1)
    contrasts = np.eye(runs)[first] - np.eye(runs)[second]
    differences = each.values[:, :, first] - each.values[:, :, second]
    model, usable = draw.integers(ASSESSORS), np.arange(ASSESSORS)
    usable = usable[usable != model]
    truth = differences[usable].mean(axis=0)
    rows = []
    for _ in range(replicates):
        queries = draw.integers(0, QUERIES, size)
        judges = np.array([draw.permutation(usable)[:2] for _ in range(1 if one else size)]).T
        judges = np.broadcast_to(judges, (2, size))
        own, other = (differences[judge, queries] for judge in judges)
        noise = assessor_noise(own[:twice], other[:twice])
        spread, mean = own.var(axis=0, ddof=1), own.mean(axis=0)
        off = np.abs(mean - truth[queries].mean(axis=0))
        off_similar = np.abs(mean - truth.mean(axis=0))
        quantile = t_quantile(0.95, size - 1.0)
        halves = [
            quantile * np.sqrt(np.maximum(each_variance, 0) / size)
            for each_variance in (spread - noise.variance, spread, spread + noise.variance)
        ]
        # A model judged all of the queries, and people judged some of them: at least 8, and half of these twice.
        part = max(8, size // 2)
        sample = JudgedSample(
            each.values[judges[0][:part], queries[:part]], each.values[model, queries], np.arange(part)
        )
        people = assessor_noise(own[: part // 2], other[: part // 2])
        plain = estimated(sample, contrasts)
        noisy = with_noise(plain, people, 0.95)
        true = truth[queries].mean(axis=0)
        rows.append(
            [
                (off <= 1e-9).mean(),
                (off <= noise.half_width(size, 0.95)).mean(),
                *(((its.low <= true) & (true <= its.high)).mean() for its in (plain, noisy)),
                *((off_similar <= half).mean() for half in halves),
                np.mean(noise.variance) / np.mean(spread),
            ]
        )
    return np.asarray(np.mean(rows, axis=0))


if __name__ == "__main__":
    raise SystemExit(main())
