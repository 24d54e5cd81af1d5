"""Whether corrected intervals cover all differences of a comparison simultaneously: ``python -m bench.corrected``.

The true differences between runs are a few standard errors, so stepwise procedures decide most pairs in their later,
more lenient steps. The scores are normal and all queries are independent, so a lack of coverage is due to the
procedure, not to the shape of the differences. Each comparison is made by ``carob.compare``.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import carob
from bench.answer import Bar
from bench.error_rates import Rate, concluded

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED, QUERIES, LEVEL = 20261127, 50, 0.95
ROOM = 0.02
"""How far below the level the coverage over some hundreds of replicates may be."""


class Case(NamedTuple):
    """A procedure, and the true means of the runs in units of a difference's standard error."""

    test: carob.Test
    steps: tuple[float, ...]
    baseline: bool
    single: bool

    @property
    def name(self) -> str:
        """The procedure, the number of pairs, and the true differences."""
        runs = len(self.steps)
        pairs = runs - 1 if self.baseline else runs * (runs - 1) // 2
        how = self.test.name if self.test.name != "t" else self.test.correction
        return f"{how}, {pairs} pairs, {'all equal' if not any(self.steps) else 'all different'}"


def cases(resamples: int) -> list[Case]:
    """Returns the procedures to test."""
    apart, ladder = (0.0, *[4.5] * 7), tuple(4.2 * run for run in range(5))
    return [
        *(
            Case(carob.Test("t", correction=how), apart, baseline=True, single=how == "bonferroni")
            for how in ("holm", "bh", "bonferroni")
        ),
        Case(carob.Test("t", correction="holm"), (0.0,) * 8, baseline=True, single=False),
        Case(carob.Test("romano-wolf", resamples=resamples), ladder, baseline=False, single=False),
        Case(carob.Test("tukey", resamples=resamples), ladder, baseline=False, single=True),
    ]


def covered(case: Case, rng: np.random.Generator) -> bool:
    """Returns whether the corrected intervals of one simulated comparison contain all true differences."""
    means = np.array(case.steps) * np.sqrt(2 / QUERIES)
    values = means + rng.normal(size=(QUERIES, len(means)))
    found = carob.compare(None, scored(values), test=case.test, baseline=0 if case.baseline else None)
    return all(
        pair.joint_low <= means[pair.a] - means[pair.b] <= pair.joint_high for pair in found.primary.pairs
    )


def scored(values: NDArray[np.float64]) -> carob.ScoresByRun:
    """Returns values [queries, runs] as per-query scores of a measure that carob does not know."""
    return carob.read_scores(
        [
            {"run": f"r{run}", "query": f"q{query:03}", "score": value}
            for query, row in enumerate(values.tolist())
            for run, value in enumerate(row)
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulations, prints the coverages, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.corrected", description=__doc__)
    parser.add_argument("--replicates", type=int, default=600)
    parser.add_argument("--resamples", type=int, default=999)
    given = parser.parse_args(arguments)
    rng, bars = np.random.default_rng(SEED), []
    print(
        f"{given.replicates} comparisons each, {QUERIES} queries: share whose intervals cover all differences"
    )
    for case in cases(given.resamples):
        share = sum(covered(case, rng) for _ in range(given.replicates)) / given.replicates
        rate = Rate(share, (share * (1 - share) / given.replicates) ** 0.5)
        print(f"{case.name:45}{rate}", flush=True)
        if case.single:
            bars.append(Bar(f"{case.name}, coverage", "at least", LEVEL - ROOM, share, ""))
    return concluded(bars)


if __name__ == "__main__":
    sys.exit(main())
