"""How often the intervals of effect sizes cover the true value: ``python -m bench.effects``.

The queries of a collection are the population. A replicate draws some of them with replacement and checks whether the
intervals of all pairs of runs cover the effect sizes of the population. The interval of the probability of superiority
is shown next to Wald's interval, which uses the standard error of a mean of wins and half ties. Pairs whose differences
do not vary in the population are omitted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.answer import Bar
from bench.coverage import values_in
from bench.error_rates import concluded
from bench.side_by_side import CHECKOUT
from carob.statistics.effect_sizes import standardised_ends, superiority
from carob.statistics.estimates import NOISE, t_quantile, wins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SEED = 20240
SIZES = (8, 12, 20, 30, 50, 100)
LEVEL = 0.95
TITLES = ("d_z", "superiority", "Wald")
MEAN, LOW, MOST_LOW = 0.93, 0.85, 0.05
"""The minimum mean coverage over all pairs, a lower limit, and the maximum share of pairs below this limit."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the simulation, prints coverage, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.effects", description=__doc__)
    folder = CHECKOUT.parent / "shared" / "data" / "dl21-people-and-model"
    parser.add_argument("--data", type=Path, default=folder, help="as of bench.coverage")
    parser.add_argument("--replicates", type=int, default=300)
    given = parser.parse_args(arguments)
    bundled = not given.data.is_dir()
    if bundled:
        print(f"{given.data} is not there: the bundled example is taken", file=sys.stderr)
    low = LOW - 2 * (LOW * (1 - LOW) / given.replicates) ** 0.5
    print(
        f"{given.replicates} replicates, seed {SEED}; over all pairs: the mean coverage, the least, and the share of"
    )
    print(f"pairs below {LOW}, apart from the simulation's error\n")
    print(f"{'':20}{'n':>4}" + "".join(f"{title:>22}" for title in TITLES))
    bars: list[Bar] = []
    for values in values_in(CHECKOUT / "examples" / "coffee" if bundled else given.data):
        for size in SIZES:
            found = dict(covered(values.people, size, given.replicates))
            row = "".join(
                f"{each.mean():10.3f} {each.min():5.3f} {np.mean(each < low):5.3f}"
                if (each := found.get(name)) is not None
                else f"{'-':>22}"
                for name in TITLES
            )
            print(f"{values.name:20}{size:4}{row}", flush=True)
            for name in [each for each in TITLES[:2] if each in found]:
                which = f"{values.name}, n = {size}, {name}"
                bars.append(Bar(f"{which}, mean", "at least", MEAN, float(found[name].mean()), ""))
                few = float(np.mean(found[name] < low))
                bars.append(Bar(f"{which}, pairs below {LOW}", "at most", MOST_LOW, few, ""))
    return concluded(bars)


def covered(
    values: NDArray[np.float64], size: int, replicates: int
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yields, by effect size, the share of replicates in which the interval of each pair covers the true value.

    Replicates without an interval do not count, nor do pairs that never have an interval.

    Args:
        values: the population [queries, runs].
        size: the number of queries drawn.
        replicates: the number of samples.
    """
    draw = np.random.default_rng([SEED, size])
    first, second = np.triu_indices(values.shape[1], 1)
    differences = values[:, first] - values[:, second]
    differences = differences[:, differences.std(axis=0) > NOISE]
    true_d = differences.mean(axis=0) / differences.std(axis=0)
    true_share, _, _ = superiority(*wins(differences), LEVEL)
    hits: dict[str, list[NDArray[np.float64]]] = {name: [] for name in TITLES}
    n = np.full(len(true_d), size)
    for _ in range(replicates):
        drawn = differences[draw.integers(0, len(values), size)]
        won, tied, lost = wins(drawn)
        sd = drawn.std(axis=0, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = standardised_ends(np.where(sd > NOISE, drawn.mean(axis=0) / sd, np.inf), n, LEVEL)
        share, low, high = superiority(won, tied, lost, LEVEL)
        half = t_quantile(LEVEL, np.inf) * np.sqrt((share * (1 - share) - tied / size / 4) / size)
        wald = (share - half, share + half)
        for name, truth, (least, most) in zip(
            TITLES, (true_d, true_share, true_share), (ends, (low, high), wald), strict=True
        ):
            hit = (least <= truth + NOISE) & (truth <= most + NOISE)
            hits[name].append(np.where(np.isnan(least), np.nan, hit))
    for name, each in hits.items():
        there = ~np.isnan(each)
        given = there.sum(axis=0) > 0
        if given.any():
            yield name, np.nansum(each, axis=0)[given] / there.sum(axis=0)[given]


if __name__ == "__main__":
    raise SystemExit(main())
