"""The worst-point interval of a mean of bounded values, many of which are equal, such as reciprocal ranks.

A sample of values that are mostly equal may contain no other value, so that Student's interval is too narrow. Here
the worst possible value is added to the sample, with two fifths of the weight of a value: with x₁ … xₙ in [a, b] and
weights (p₁ … pₙ, p₀) from Dirichlet(1, …, 1, ⅖), the low end of the interval is a quantile of Σpᵢxᵢ + p₀a, and the
high end one of Σpᵢxᵢ + p₀b. No end leaves the range. With the weight of a whole value it is the bound of Gaffke
(2005); two fifths cover in simulations (``python -m bench.coverage``), and as often as one half, at .95 of its width.

Nothing is drawn: Σpᵢxᵢ + p₀a ≤ θ says that a weighted sum of gamma variables is at most 0, and the saddlepoint
approximation (Lugannani and Rice, 1980, in the form of Barndorff-Nielsen, 1986) gives its probability. Its quantiles
agree with drawn ones to two hundredths of the interval's width.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.statistics.estimates import NOISE, Estimates, t_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from carob.lists.rows import Floats, Integers

ADDED = 0.4
"""The weight of the added value; a value of the sample has the weight 1."""

COMMON = 3
"""Student's interval is not used if at least one in this many values is the most frequent one …

It does not matter where the frequent value lies. In 750 simulated settings (``python -m bench.crowded``), the intervals
cover the mean in 97.5% of cases on average, so they tend to be too wide; Student's cover it in 93.7%, and in 66% at
worst. If the rule held only for frequent values within 0.1 of an end of the range, intervals would be 7% narrower, but
would cover in 78% at worst, and in less than 94% in 22% of the settings in place of 4%: a few values far on one side
are what Student's interval misses, whether or not the frequent value is near an end.
"""

ENOUGH, ENOUGH_DIFFERENCES = 100, 12
"""… and if fewer values than this differ from it.

Between similar runs, many differences are 0, and the range is wide.
"""

FEWEST = 8
"""With fewer values, all equal, a mean has no interval."""

FARTHEST = 700.0
"""The largest depth in a tail: beyond it, exp(-depth) is 0 in double precision."""

CENTRAL = 1e-4
"""Below this deviate, the probability counts as one half."""

AT_ONCE = 1 << 14
"""The number of values whose tails are computed at a time: they fit into a processor's cache."""

PRECISE, STEPS = 1e-10, 100
"""The error of a solution, and the maximum number of steps towards it."""

Found = TypeVar("Found", bound=Estimates)


@dataclass(frozen=True, eq=False)
class BoundedValues:
    """Bounded values of several series.

    Args:
        values: the values [units, series].
        least: the smallest possible value of each series, or -inf [series].
        greatest: the largest possible value of each series, or inf [series].
        differences: whether the values are differences of two runs [series].
        shares: the weight of each unit in the mean; the weights sum to 1 [units].
        unseen: the number of units that the estimated mean includes but the sample does not.
    """

    values: Floats
    least: Floats
    greatest: Floats
    differences: NDArray[np.bool_]
    shares: Floats
    unseen: float = math.inf

    def of(self, series: Integers) -> BoundedValues:
        """Returns some of the series."""
        return replace(
            self,
            values=self.values[:, series],
            least=self.least[series],
            greatest=self.greatest[series],
            differences=self.differences[series],
        )

    @property
    def mean(self) -> Floats:
        """The mean of each series."""
        return np.asarray((self.shares[:, None] * self.values).sum(axis=0))

    @property
    def crowded(self) -> NDArray[np.bool_]:
        """Whether so many values of a series are equal that Student's interval would be too narrow."""
        found = np.zeros(len(self.least), np.bool_)
        for enough, own in ((ENOUGH, ~self.differences), (ENOUGH_DIFFERENCES, self.differences)):
            units = len(self.values)
            equal = max(2, -(-units // COMMON), units - enough + 1)
            if units >= equal and own.any():
                # With so many equal values, in ascending order, one of these places is among them.
                places, values = np.arange(equal - 1, units, equal), self.values[:, own]
                candidates = np.partition(values, places, axis=0)[places]
                counts = [(np.abs(values - each) <= NOISE).sum(axis=0) for each in candidates]
                found[own] = np.max(counts, axis=0) >= equal
        return found

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Whether all values of a series are equal."""
        return np.asarray(np.ptp(self.values, axis=0) <= NOISE)


def crowded_values(values: Floats, *, differences: bool) -> NDArray[np.bool_]:
    """Returns whether so many values of each series are equal that Student's interval, or percentiles, are too narrow.

    Args:
        values: the values; NaN if there is none [units, series].
        differences: whether they are differences of two runs.
    """
    ends = np.zeros(values.shape[1])
    shares = np.full(len(values), 1 / len(values))
    return BoundedValues(values, ends, ends, np.full(len(ends), differences), shares).crowded


def fewest_equal(size: float, reach: float, alpha: float) -> float:
    """Returns how many equal values a worst-point interval needs to end within some distance of them.

    The share of the added value has a Beta(2/5, n) distribution. Values that are not all equal need more.

    Args:
        size: the distance from the values.
        reach: the distance of the worst possible value from them.
        alpha: the significance level, of both sides together.

    Example:
        >>> round(fewest_equal(0.1, 1.1, 0.05), 1)
        23.6
    """
    from scipy.special import btdtrib

    return float(btdtrib(ADDED, 1 - alpha / 2, size / reach))


@dataclass(frozen=True, eq=False)
class Tail:
    """The distribution of the mean with the worst value added, on the side of this value.

    Args:
        points: the values and the added one, minus their mean [units + 1, series].
        weight: the weight of each [units + 1, 1].
        edge: the added value, minus the mean; 1 where all points are equal [series].
        centre: the centre of the distribution [series].
        stretch: the factor of a deviation that allows for a finite number of units.
        reach: the outermost mean that is possible [series].
    """

    points: Floats
    weight: Floats
    edge: Floats
    centre: Floats
    stretch: float
    reach: Floats

    @classmethod
    def of(cls, sample: BoundedValues, bound: Floats) -> Tail:
        """Returns the tail on the side of a bound.

        Args:
            sample: the values.
            bound: the least or the largest possible value of each series.
        """
        units = float(1 / (sample.shares**2).sum())
        weight = np.append(sample.shares * units, ADDED)[:, None]
        # A value may leave the range by its rounding error.
        points = np.vstack([np.clip(sample.values, sample.least, sample.greatest), bound])
        middle = (weight * points).sum(axis=0) / weight.sum()
        unseen = 1.0 if math.isinf(sample.unseen) else sample.unseen / (units + sample.unseen)
        known = (1 - unseen) * sample.mean
        few = math.sqrt(1 + float(weight.sum()) / sample.unseen) if sample.unseen > 1 else math.inf
        edge = bound - middle
        return cls(
            points - middle,
            weight,
            np.where(np.abs(edge) > NOISE, edge, 1.0),
            known + unseen * middle,
            unseen * few,
            known + unseen * bound,
        )

    def end(self, chance: float) -> Floats:
        """Returns the end of the interval outside of which the mean lies with this probability, below one half."""
        from scipy.special import ndtri

        depth = root(lambda depth: self.at(depth)[1], np.full(len(self.edge), -float(ndtri(chance))))
        with np.errstate(invalid="ignore"):
            found = self.centre + self.stretch * self.at(depth)[0] * self.edge
        within = np.where(self.edge < 0, found > self.reach, found < self.reach)
        return np.where(within, found, self.reach)

    def chance(self, threshold: float) -> Floats:
        """Returns the probability of a mean at or beyond a threshold, and at most one half."""
        from scipy.special import ndtr

        distance = (threshold - self.centre) / (self.stretch * self.edge)
        depth = root(lambda depth: self.at(depth)[0], np.clip(distance, 0.0, 1 - NOISE))
        impossible = (threshold - self.reach) * np.sign(self.edge) > 0
        return np.where(impossible, 0.0, ndtr(-self.at(depth)[1]))

    def at(self, depth: Floats) -> tuple[Floats, Floats]:
        """Returns a deviation as a share of ``edge``, and the normal deviate of the probability beyond it.

        Args:
            depth: how far out, from 0 on [series]. The saddlepoint is (1 - exp(-depth)) / edge, relative to the middle.
        """
        share = self.points / self.edge
        rest = (1 - share) + np.exp(-depth) * share
        tilted = self.weight / rest
        total = tilted.sum(axis=0)
        deviation = (tilted * share).sum(axis=0) / total
        log_ratio = (self.weight * np.log(rest)).sum(axis=0)
        log_ratio -= self.weight.sum() * np.log(self.weight.sum() / total)
        root_ratio = np.sqrt(np.maximum(2 * log_ratio, 0.0))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            wald = -np.expm1(-depth) * np.sqrt((tilted * (share - deviation) ** 2 / rest).sum(axis=0))
            deviate = root_ratio + np.log(wald / root_ratio) / root_ratio
        return deviation, np.where(root_ratio > CENTRAL, deviate, 0.0)


def root(function: Callable[[Floats], Floats], target: Floats) -> Floats:
    """Returns where an increasing function that is 0 at 0 reaches a target, by false position (Illinois, 1971).

    Args:
        function: takes and returns an array [series].
        target: a value of at least 0 for each series [series].
    """
    # Deviates grow with the root of the depth.
    low, high = np.zeros(len(target)), np.full(len(target), math.sqrt(FARTHEST))
    below, above = -target, function(high**2) - target
    last, place = np.zeros(len(target)), low
    for _ in range(STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            place = (low * above - high * below) / (above - below)
        place = np.where((place > low) & (place < high), place, (low + high) / 2)
        found = function(place**2) - target
        side = np.where(found >= 0, 1.0, -1.0)
        again = np.where(side == last, 0.5, 1.0)
        below, above = (
            np.where(side > 0, below * again, found),
            np.where(side > 0, found, above * again),
        )
        low, high, last = np.where(side > 0, low, place), np.where(side > 0, place, high), side
        if (np.abs(found) <= PRECISE).all():
            break
    return np.asarray(place**2)


def parts_of(chosen: NDArray[np.bool_], units: int) -> Iterator[Integers]:
    """Yields the places of the chosen series, of some at a time."""
    places, size = np.flatnonzero(chosen), max(AT_ONCE // units, 1)
    for first in range(0, len(places), size):
        yield places[first : first + size]


def worst_point(
    found: Found,
    sample: BoundedValues,
    confidence: float,
    *,
    flat: bool = True,
    also: NDArray[np.bool_] | None = None,
) -> Found:
    """Returns estimates, with worst-point intervals where Student's are too narrow or leave the range of the mean.

    Student's are too narrow where many values are equal (``crowded``). ``Estimates.worst_p`` has the p of the
    series whose intervals were replaced: the smallest level at which the interval excludes 0. For these series,
    ``error`` is half the interval's width divided by the critical value of Student's t.

    Args:
        found: the estimates, with Student's intervals.
        sample: their values.
        confidence: the confidence level.
        flat: whether differences that are all equal, but not 0, have an interval.
        also: whether a series has a worst-point interval although Student's is wide enough [series].

    Example:
        >>> from carob.statistics.estimates import paired
        >>> values = np.array([[1.0], [1.0], [0.5], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0]])
        >>> student = paired(values)
        >>> sample = BoundedValues(values, np.zeros(1), np.ones(1), np.zeros(1, np.bool_), np.full(10, 0.1))
        >>> found = worst_point(student, sample, 0.95)
        >>> student[0].high > 1, round(found[0].low, 2), round(found[0].high, 2)
        (True, 0.73, 1.0)
    """
    units = len(sample.values)
    if units < 2 or not sample.unseen > 0:
        return found
    outside = (found.low < sample.least - NOISE) | (found.high > sample.greatest + NOISE)
    bounded = np.isfinite(sample.least) & np.isfinite(sample.greatest)
    # Equal values say nothing about values that were not seen, unless these have bounds.
    chosen = outside | np.where(bounded, sample.crowded, sample.constant)
    if also is not None:
        chosen |= also & bounded
    if not chosen.any():
        return found
    known = np.where(sample.differences, flat | (np.abs(sample.mean) <= NOISE), units >= FEWEST)
    unknown = chosen & sample.constant & ~(known & bounded)
    ends, p = [], np.ones(len(chosen))
    for bound, student, sign in ((sample.least, found.low, 1), (sample.greatest, found.high, -1)):
        end = student.copy()
        for part in parts_of(chosen & np.isfinite(bound), units):
            end[part] = Tail.of(sample.of(part), bound[part]).end((1 - confidence) / 2)
        ends.append(np.where(unknown, np.nan, end))
        # Only the tail towards 0 can exclude 0.
        for part in parts_of(chosen & np.isfinite(bound) & (sign * sample.mean > NOISE), units):
            p[part] = 2 * Tail.of(sample.of(part), bound[part]).chance(0.0)
    low, high = ends
    error = (high - low) / 2 / t_quantile(confidence, units - 1)
    return replace(
        found,
        low=low,
        high=high,
        error=np.where(chosen & ~unknown, error, found.error),
        freedom=np.where(chosen & ~unknown, units - 1.0, found.freedom),
        worst_p=np.where(chosen & ~unknown, p, np.nan),
    )
