"""The worst-point interval for a mean of bounded values, many of which are equal, such as reciprocal ranks.

If most values of a population are equal, a sample may contain no other value, so Student's t interval is too narrow.
The worst-point interval adds the worst possible value to the sample, with two fifths of the weight of an observed
value. For x₁ … xₙ in [a, b] and weights (p₁ … pₙ, p₀) from Dirichlet(1, …, 1, ⅖), the lower end of the interval is a
quantile of Σpᵢxᵢ + p₀a, and the upper end is a quantile of Σpᵢxᵢ + p₀b. The interval never leaves the range. If the
added value has the full weight of a value, the interval is the bound of Gaffke (2005). In simulations
(``python -m bench.coverage``), two fifths suffice for coverage: they cover as often as one half, with 0.95 times the
width.

No random numbers are drawn: Σpᵢxᵢ + p₀a ≤ θ is equivalent to a weighted sum of gamma variables being at most 0, whose
probability is computed by the saddlepoint approximation (Lugannani and Rice, 1980, in the form of Barndorff-Nielsen,
1986). The approximate quantiles agree with simulated quantiles to within two hundredths of the interval's width.
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
"""The weight of the added value. Each value of the sample has the weight 1."""

COMMON = 3
"""Student's t interval is replaced if at least one in this many values is equal to the most frequent value …

The rule does not depend on the frequent value's position in the range. In 750 simulated settings
(``python -m bench.crowded``), worst-point intervals cover the mean in 97.5% of cases on average, so they tend to be too
wide. Student's t intervals cover it in 93.7% on average, but in only 66% in the worst setting. If the rule only applied
to frequent values within 0.1 of an end of the range, intervals would be 7% narrower, but coverage would be 78% in the
worst setting, and below 94% in 22% of the settings instead of 4%. The reason is that Student's t interval misses a few
values far on one side, whether or not the frequent value is near an end.
"""

ENOUGH, ENOUGH_DIFFERENCES = 100, 12
"""… and if fewer values than this differ from the most frequent value. The second number is for differences.

The limit for differences is lower because many differences between similar runs are 0 and their range is wide.
"""

FEWEST = 8
"""A mean of fewer values than this has no interval if all values are equal."""

FARTHEST = 700.0
"""The largest depth in a tail; for larger depths, exp(-depth) is 0 in double precision."""

CENTRAL = 1e-4
"""The probability counts as one half if the deviate is below this value."""

AT_ONCE = 1 << 14
"""The number of values whose tails are computed at a time, so that they fit into a processor's cache."""

PRECISE, STEPS = 1e-10, 100
"""The maximum error of a solution, and the maximum number of steps to find it."""

Found = TypeVar("Found", bound=Estimates)


@dataclass(frozen=True, eq=False)
class BoundedValues:
    """Bounded values of several series.

    Args:
        values: the values [units, series].
        least: the smallest possible value of each series, or -inf [series].
        greatest: the largest possible value of each series, or inf [series].
        differences: whether the values of each series are differences between two runs [series].
        shares: the weight of each unit in the mean; the weights sum to 1 [units].
        unseen: the number of units that contribute to the estimated mean but are not in the sample.
    """

    values: Floats
    least: Floats
    greatest: Floats
    differences: NDArray[np.bool_]
    shares: Floats
    unseen: float = math.inf

    def of(self, series: Integers) -> BoundedValues:
        """Returns the selected series."""
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
        """Whether so many values of each series are equal that Student's t interval would be too narrow."""
        found = np.zeros(len(self.least), np.bool_)
        for enough, own in ((ENOUGH, ~self.differences), (ENOUGH_DIFFERENCES, self.differences)):
            units = len(self.values)
            equal = max(2, -(-units // COMMON), units - enough + 1)
            if units >= equal and own.any():
                # If this many values are equal, they occupy at least one of these places in ascending order.
                places, values = np.arange(equal - 1, units, equal), self.values[:, own]
                candidates = np.partition(values, places, axis=0)[places]
                counts = [(np.abs(values - each) <= NOISE).sum(axis=0) for each in candidates]
                found[own] = np.max(counts, axis=0) >= equal
        return found

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Whether all values of each series are equal."""
        return np.asarray(np.ptp(self.values, axis=0) <= NOISE)


def crowded_values(values: Floats, *, differences: bool) -> NDArray[np.bool_]:
    """Returns whether so many values of each series are equal that Student's t or percentile intervals are too narrow.

    Args:
        values: the values; NaN if a value is missing [units, series].
        differences: whether the values are differences between two runs.
    """
    ends = np.zeros(values.shape[1])
    shares = np.full(len(values), 1 / len(values))
    return BoundedValues(values, ends, ends, np.full(len(ends), differences), shares).crowded


def fewest_equal(size: float, reach: float, alpha: float) -> float:
    """Returns how many equal values are needed for a worst-point interval to end within a given distance of them.

    The weight of the added value has a Beta(2/5, n) distribution. If values are not all equal, more are needed.

    Args:
        size: the maximum distance from the equal values to the end of the interval.
        reach: the distance from the equal values to the worst possible value.
        alpha: the two-sided significance level.

    Example:
        >>> round(fewest_equal(0.1, 1.1, 0.05), 1)
        23.6
    """
    from scipy.special import btdtrib

    return float(btdtrib(ADDED, 1 - alpha / 2, size / reach))


@dataclass(frozen=True, eq=False)
class Tail:
    """The tail of the distribution of a mean with the worst value added, on the side of the worst value.

    Args:
        points: the values and the added value, minus their mean [units + 1, series].
        weight: the weight of each point [units + 1, 1].
        edge: the added value minus the mean; 1 if all points are equal [series].
        centre: the centre of the distribution [series].
        stretch: the factor by which deviations are multiplied to allow for a finite number of units.
        reach: the most extreme possible mean [series].
    """

    points: Floats
    weight: Floats
    edge: Floats
    centre: Floats
    stretch: float
    reach: Floats

    @classmethod
    def of(cls, sample: BoundedValues, bound: Floats) -> Tail:
        """Returns the tail on the side of a bound of the range.

        Args:
            sample: the values.
            bound: the smallest or the largest possible value of each series.
        """
        units = float(1 / (sample.shares**2).sum())
        weight = np.append(sample.shares * units, ADDED)[:, None]
        # Rounding errors can move a value out of its range.
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
        """Returns the end beyond which the mean is with the probability ``chance``, which must be below one half."""
        from scipy.special import ndtri

        depth = root(lambda depth: self.at(depth)[1], np.full(len(self.edge), -float(ndtri(chance))))
        with np.errstate(invalid="ignore"):
            found = self.centre + self.stretch * self.at(depth)[0] * self.edge
        within = np.where(self.edge < 0, found > self.reach, found < self.reach)
        return np.where(within, found, self.reach)

    def chance(self, threshold: float) -> Floats:
        """Returns the probability of a mean at or beyond a threshold, limited to one half."""
        from scipy.special import ndtr

        distance = (threshold - self.centre) / (self.stretch * self.edge)
        depth = root(lambda depth: self.at(depth)[0], np.clip(distance, 0.0, 1 - NOISE))
        impossible = (threshold - self.reach) * np.sign(self.edge) > 0
        return np.where(impossible, 0.0, ndtr(-self.at(depth)[1]))

    def at(self, depth: Floats) -> tuple[Floats, Floats]:
        """Returns the deviation at a depth as a share of ``edge``, and the normal deviate of the probability beyond it.

        Args:
            depth: a parameter from 0 upwards that increases with the deviation [series]. Relative to the mean, the
                saddlepoint is (1 - exp(-depth)) / edge.
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
    """Returns where an increasing function that is 0 at 0 reaches a target, by the Illinois method (1971).

    Args:
        function: the function, which accepts and returns an array [series].
        target: the target of each series, which must be at least 0 [series].
    """
    # The search is over the root of the depth, with which deviates grow.
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
    """Yields the indices of the chosen series, in parts."""
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
    """Replaces Student's t intervals that are too narrow or leave the range of the mean by worst-point intervals.

    Student's t intervals are too narrow if many values are equal (``crowded``). ``Estimates.worst_p`` contains the p of
    the series whose intervals were replaced: the smallest level at which the interval excludes 0. For these series,
    ``error`` is half the interval's width divided by the critical value of Student's t.

    Args:
        found: the estimates, with Student's t intervals.
        sample: the values from which the estimates were computed.
        confidence: the confidence level.
        flat: whether differences that are all equal but not 0 have an interval.
        also: the series that have a worst-point interval even if Student's t interval is wide enough [series].

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
    # Equal values contain no information about unobserved values unless unobserved values are bounded.
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
        # Only the tail in the direction of 0 determines whether the interval excludes 0.
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
