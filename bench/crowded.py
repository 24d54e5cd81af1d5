"""Whether a value shared by many queries needs worst-point intervals at any position: ``python -m bench.crowded``.

With some probability, a value equals a frequent value; otherwise, it is drawn from another distribution. Compared are
the intervals of the present rule (``BoundedValues.crowded``), Student's intervals, and those of the rule limited to a
frequent value near an end of the range, each replaced by worst-point intervals if Student's interval would leave the
range.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.answer import Bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20270
SIZES = (8, 12, 20, 30, 50)
FREQUENT, SHARES = (0.1, 0.25, 0.5, 0.75, 0.9), (0.34, 0.5, 0.7, 0.85, 0.95)
"""The frequent value and its probability."""
OTHERS = ("uniform", "beta(2, 2)", "beta(0.5, 3)", "beta(3, 0.5)", "all 0", "all 1")
RULES = ("as it is", "Student's", "near an end")
NEAR = 0.1
"""The maximum distance from an end of the range at which a value counts as near it."""
NOMINAL, LEAST = 0.94, 0.9


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints coverage and widths by rule, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.crowded", description=__doc__)
    parser.add_argument("--replicates", type=int, default=4000)
    given = parser.parse_args(arguments)
    settings = list(product(SIZES, FREQUENT, SHARES, OTHERS))
    found = np.array([covered(*each, given.replicates) for each in settings])
    print(f"{len(settings)} settings, {given.replicates} replicates each, seed {SEED}\n")
    print(f"{'rule':12} {'mean':>6} {'least':>6} {'below .94':>9} {'width':>6}")
    for place, rule in enumerate(RULES):
        held, width = found[:, place].T
        print(
            f"{rule:12} {held.mean():6.3f} {held.min():6.3f} {(held < NOMINAL).mean():9.0%} {width.mean():6.3f}"
        )
        size, frequent, share, others = settings[int(held.argmin())]
        print(f"{'':12} least: n = {size}, {share:.0%} are {frequent}, the others {others}")
    bar = Bar("the rule as it is, least coverage", "at least", LEAST, float(found[:, 0, 0].min()), "")
    print(f"\n{bar}")
    return 0 if bar.met else 1


def covered(size: int, frequent: float, share: float, others: str, replicates: int) -> list[tuple[Any, Any]]:
    """Returns the coverage and the mean width of the intervals of each rule."""
    from carob.statistics.estimates import paired
    from carob.statistics.worst_point import BoundedValues, worst_point

    draw = np.random.default_rng([SEED, size, int(100 * frequent), int(100 * share), OTHERS.index(others)])
    drawn: dict[str, tuple[Any, float]] = {
        "uniform": (lambda shape: draw.random(shape), 0.5),
        "beta(2, 2)": (lambda shape: draw.beta(2, 2, shape), 0.5),
        "beta(0.5, 3)": (lambda shape: draw.beta(0.5, 3, shape), 0.5 / 3.5),
        "beta(3, 0.5)": (lambda shape: draw.beta(3, 0.5, shape), 3 / 3.5),
        "all 0": (np.zeros, 0.0),
        "all 1": (np.ones, 1.0),
    }
    rest, mean = drawn[others]
    shape = size, replicates
    values = np.where(draw.random(shape) < share, frequent, rest(shape))
    truth = share * frequent + (1 - share) * mean
    none = np.zeros(replicates)
    sample = BoundedValues(values, none, none + 1, none > 0, np.full(size, 1 / size))
    student = paired(values)
    worst = worst_point(student, sample, 0.95)
    outside, near = (student.low < 0) | (student.high > 1), not NEAR < frequent < 1 - NEAR
    results = []
    for chosen in (sample.crowded, none > 0, sample.crowded & near):
        low, high = (
            np.where(chosen | outside, *both)
            for both in ((worst.low, student.low), (worst.high, student.high))
        )
        there: NDArray[np.bool_] = ~np.isnan(low)
        results.append((((low <= truth) & (truth <= high))[there].mean(), (high - low)[there].mean()))
    return results


if __name__ == "__main__":
    raise SystemExit(main())
