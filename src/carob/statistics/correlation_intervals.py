"""Intervals for correlations between orders of runs, over samples of queries and over samples of runs.

An interval is for the mean correlation over samples of the same size: over other sets of as many queries, or over other
sets of as many runs. It is not for the correlation with infinitely many queries, which is larger, because noise in the
means of both sides reverses pairs of nearly equal runs and so lowers the correlation in any finite sample.

There is no interval if all resamples have the same correlation. For example, if the two orders of the runs agree
perfectly, they also agree in each resample of the runs, so the resamples do not show how often other runs would be
ordered differently.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.statistics.estimates import quantile
from carob.statistics.resampling import Draw, draws, resample_means

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from carob.lists.rows import Floats, Integers
    from carob.statistics.correlations import Correlation

    Link: TypeAlias = Callable[[Floats], Floats]

NEAREST = 1e-9
"""Correlations are clipped to this distance from 1 and -1, so that they are finite on Fisher's scale."""

UNDEFINED = (np.nan, np.nan)
FEWEST = 4
"""The minimum number of queries or runs for an interval."""


@dataclass(frozen=True, eq=False)
class Samples:
    """The per-query scores of runs under the truth and under the judge, and their means over resamples of the queries.

    Args:
        x: the true values, where larger is better; NaN where a run has no value [queries, runs].
        y: the judge's values [queries, runs].
        draw: the number of resamples and their seed.
        links: for the truth and for the judge, the function that converts a mean of values into the value of a run.
    """

    x: Floats
    y: Floats
    draw: Draw
    links: tuple[Link, Link] = (np.asarray, np.asarray)

    def linked(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Converts the means of the truth and of the judge into values of runs."""
        return self.links[0](x), self.links[1](y)

    @cached_property
    def means(self) -> tuple[Floats, Floats]:
        """The values of the runs under the truth and under the judge."""
        return self.linked(means(self.x), means(self.y))

    @cached_property
    def resampled(self) -> tuple[Floats, Floats]:
        """The values of the runs over resamples of the queries [resamples, runs]."""
        return self.linked(*resampled(self.x, self.y, self.draw))

    @cached_property
    def without_one(self) -> tuple[Floats, Floats]:
        """The values of the runs if each query in turn is left out [queries, runs]."""
        return self.linked(without_one(self.x), without_one(self.y))

    def interval(self, correlation: Correlation, confidence: float) -> tuple[float, float]:
        """Returns the interval for the correlation of the runs' means over other sets of as many queries.

        The standard error of Pearson's r is estimated by the jackknife, on Fisher's scale. For other correlations, the
        error on this scale is the standard deviation over resamples divided by 1 - c², where c is halfway between the
        correlation and m, the mean over resamples. A correlation of 1 is infinite on this scale, so the centre is at
        most (1 + m) / 2. If rare resamples make the error large, the interval ends at the smallest correlation of any
        resample.
        """
        if len(self.x) < FEWEST:
            return UNDEFINED
        factor, value = quantile(confidence, len(self.x) - 1), correlation.of(*self.means)
        if "queries" in correlation.smooth:
            return jackknife(correlation(*self.without_one), value, factor)
        drawn = correlation(*self.resampled)
        drawn = drawn[~np.isnan(drawn)]
        if len(drawn) < self.draw.resamples / 2:
            return UNDEFINED
        # The variance of a mean over resamples of n queries is (n - 1)/n times its variance over samples.
        return bounded(correlation, value, drawn, factor * (len(self.x) / (len(self.x) - 1)) ** 0.5)


@dataclass(frozen=True, eq=False)
class RunSamples:
    """The means of runs under the truth and under the judge, and resamples of the runs.

    Args:
        x: the true mean of each run, where larger is better [runs].
        y: the judge's mean of each run [runs].
        draw: the number of resamples and their seed.
    """

    x: Floats
    y: Floats
    draw: Draw

    @cached_property
    def places(self) -> Integers:
        """The indices of the runs in each resample [resamples, runs]."""
        count = len(self.x)
        counts = np.concatenate(list(draws(count, self.draw)))
        return np.stack([np.repeat(np.arange(count), row) for row in counts])

    def interval(self, correlation: Correlation, confidence: float) -> tuple[float, float]:
        """Returns the interval for the correlation over other sets of as many runs, on other queries.

        The standard error of a smooth correlation is estimated by the jackknife, on Fisher's scale. For other
        correlations, it is the standard deviation over resamples of the runs. It includes the error due to the sample
        of queries, which differs between runs.
        """
        runs = len(self.x)
        factor, value = quantile(confidence, runs - 1), correlation.of(self.x, self.y)
        if runs < FEWEST or value > 1 - NEAREST or value < correlation.least + NEAREST:
            return UNDEFINED
        if "runs" in correlation.smooth:
            others = np.array([[place for place in range(runs) if place != out] for out in range(runs)])
            return jackknife(correlation(self.x[others], self.y[others]), value, factor)
        drawn = correlation(self.x[self.places], self.y[self.places])
        drawn = drawn[~np.isnan(drawn)]
        if len(drawn) < self.draw.resamples / 2 or np.isnan(value):
            return UNDEFINED
        half = factor * float(drawn.std(ddof=1))
        return (
            UNDEFINED if half <= NEAREST else (max(value - half, correlation.least), min(value + half, 1.0))
        )


def means(values: Floats) -> Floats:
    """Returns the mean of each run over its queries [runs]."""
    there = ~np.isnan(values)
    return np.asarray(np.where(there, values, 0.0).sum(0) / np.maximum(there.sum(0), 1))


def without_one(values: Floats) -> Floats:
    """Returns the means of the runs if each query in turn is left out [queries, runs]."""
    there = ~np.isnan(values)
    known = np.where(there, values, 0.0)
    return np.asarray((known.sum(0) - known) / np.maximum(there.sum(0) - there, 1))


def resampled(x: Floats, y: Floats, draw: Draw) -> tuple[Floats, Floats]:
    """Returns the means under the truth and under the judge over the same resamples of queries [resamples, runs]."""
    both = np.concatenate([x, y], axis=1)
    there = ~np.isnan(both)
    if there.all():
        found = resample_means(both, draw)
    else:
        known = resample_means(np.where(there, both, 0.0), draw)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = known / resample_means(there.astype(np.float64), draw)
        found = found[np.isfinite(found).all(axis=1)]
    return found[:, : x.shape[1]], found[:, x.shape[1] :]


def fisher(values: Floats | float) -> Floats:
    """Returns Fisher's z, the inverse hyperbolic tangent, with arguments clipped so that it is finite at 1 and -1."""
    return np.asarray(np.arctanh(np.clip(values, NEAREST - 1, 1 - NEAREST)))


def jackknife(left: Floats, value: float, factor: float) -> tuple[float, float]:
    """Returns an interval from the correlations that result if each query or run in turn is left out."""
    left = left[~np.isnan(left)]
    if len(left) < FEWEST or np.isnan(value):
        return UNDEFINED
    scaled, count = fisher(left), len(left)
    error = float(np.sqrt((count - 1) / count * ((scaled - scaled.mean()) ** 2).sum()))
    if error < NEAREST:
        return UNDEFINED
    centre = float(fisher(value))
    return float(np.tanh(centre - factor * error)), float(np.tanh(centre + factor * error))


def bounded(correlation: Correlation, value: float, drawn: Floats, factor: float) -> tuple[float, float]:
    """Returns an interval, computed on Fisher's scale, from the correlations of resamples."""
    if np.isnan(value):
        return UNDEFINED
    # Correlations are rescaled to the range from -1 to 1, with the sign changed if the correlation is negative.
    spread = 1 - correlation.least
    own = 2 * (value - correlation.least) / spread - 1
    turn = -1.0 if own < 0 else 1.0
    own, other = turn * own, turn * (2 * (drawn - correlation.least) / spread - 1)
    deviation, middle = float(other.std(ddof=1)), float(other.mean())
    # Coefficients that only differ by rounding errors count as equal.
    if deviation <= NEAREST:
        return UNDEFINED
    error = deviation / max(1 - ((own + middle) / 2) ** 2, NEAREST)
    centre = float(fisher(min(own, (1 + middle) / 2)))
    low = max(math.tanh(centre - factor * error), min(float(other.min()), own))
    high = max(math.tanh(centre + factor * error), own)
    ends = sorted((turn * low, turn * high))
    return (ends[0] + 1) / 2 * spread + correlation.least, (ends[1] + 1) / 2 * spread + correlation.least
