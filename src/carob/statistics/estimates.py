"""An estimate: a value from a sample, with its interval, its standard error and the error's degrees of freedom."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.output.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from carob.lists.rows import Floats

__all__ = [
    "NOISE",
    "Estimate",
    "Estimates",
    "Tested",
    "half_width",
    "one_sided_quantile",
    "quantile",
    "t_quantile",
]

POWER = 0.8
"""The probability with which a detectable difference is found."""

NOISE = 1e-12
"""The rounding error of equal scores: a smaller difference is a tie, a smaller spread is 0."""


@dataclass(frozen=True)
class Estimate:
    """An estimated number with its interval.

    Args:
        value: the estimate; NaN where it is undefined.
        low: the lower end of the interval; NaN where there is none.
        high: the upper end.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates of several series, such as runs or differences of two runs. Each array is [series].

    Their tests are Student's, unless the worst-point interval replaces Student's. An error of 0 is exact; an error that
    is not known is NaN, and so is all that follows.

    Args:
        value: the estimates.
        low: the lower end of each interval; NaN where there is none.
        high: the upper end.
        error: the standard error of each estimate, apart from resampling; NaN where it is not known.
        freedom: the degrees of freedom of each error.
        unit: what the sample consists of: ``queries``, ``documents`` or ``collections``.
        worst_p: the two-sided p of the series with a worst-point interval, NaN for the others; None if there are none.

    Example:
        >>> import numpy as np
        >>> value, error, freedom = np.array([0.3]), np.array([0.1]), np.array([9.0])
        >>> half = half_width(error, freedom, 0.95)
        >>> found = Estimates(value, value - half, value + half, error, freedom)
        >>> found.two_sided_p.round(4).tolist(), round(found[0].low, 4)
        ([0.015], 0.0738)
    """

    value: Floats
    low: Floats
    high: Floats
    error: Floats
    freedom: Floats
    unit: str = field(default="queries", kw_only=True)
    worst_p: Floats | None = field(default=None, kw_only=True)

    def __getitem__(self, place: int) -> Estimate:
        """Returns the estimate of one series."""
        return Estimate(float(self.value[place]), float(self.low[place]), float(self.high[place]))

    @property
    def width(self) -> Floats:
        """The width of each interval; NaN where there is none."""
        return self.high - self.low

    @property
    def worst_point(self) -> NDArray[np.bool_]:
        """Whether the interval of a series is a worst-point interval."""
        return np.zeros(len(self.value), np.bool_) if self.worst_p is None else ~np.isnan(self.worst_p)

    @property
    def two_sided_p(self) -> Floats:
        """The two-sided p of a value of 0; NaN without an error."""
        student = np.where(self.error <= NOISE, np.nan, 2 * self.below(-np.abs(self.value)))
        return student if self.worst_p is None else np.where(self.worst_point, self.worst_p, student)

    def below(self, distance: Floats) -> Floats:
        """Returns the probability of a value below a distance from 0."""
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(stdtr(known_freedom(self.freedom), distance / self.error))

    def beyond(self, distance: Floats) -> Floats:
        """Returns the probability of a value beyond a bound, which is 0 or 1 where the error is 0.

        Args:
            distance: the distance by which the value exceeds the bound.
        """
        return np.where(self.error <= NOISE, distance > NOISE, self.below(distance))

    def equivalence(self, margin: float) -> Floats:
        """Returns the larger p of two one-sided t-tests (Schuirmann, 1987)."""
        return np.maximum(self.beyond(-margin - self.value), self.beyond(self.value - margin))

    def bayes(self, rope: float) -> tuple[Floats, Floats, Floats]:
        """Returns the probability that the first run is worse, practically equal, or better.

        The posterior of the mean difference is Student's around the observed one (Benavoli et al., JMLR 2017, without
        the correction for overlapping folds: queries do not overlap).

        Args:
            rope: half the width of the region of practical equivalence, which is from -rope to rope.
        """
        worse, better = self.beyond(-rope - self.value), self.beyond(self.value - rope)
        return worse, np.maximum(1 - worse - better, 0.0), better

    def detectable(self, confidence: float) -> Floats:
        """Returns the smallest difference that is detected with 80% power; NaN without an error."""
        return detectable(self.error, self.freedom, t_quantile(confidence, known_freedom(self.freedom)))


@dataclass(frozen=True, eq=False)
class Tested(Estimates):
    """Estimates that were tested against 0. Each array is [series].

    Args:
        p: two-sided; NaN where there is none.
    """

    p: Floats


def detectable(error: Floats, freedom: Floats, critical: Floats) -> Floats:
    """Returns the smallest difference that a t-test finds with 80% power; NaN without an error.

    Source: Jennett and Welch, JRSS Supplement 1939, for the quantiles of noncentral t.

    Args:
        error: the standard errors.
        freedom: their degrees of freedom.
        critical: the t that a significant difference must exceed.
    """
    centre = 1 - 1 / (4 * known_freedom(freedom))  # the mean of s / σ
    spread = np.sqrt(1 + critical**2 * (1 - centre**2))
    needed = centre * critical + one_sided_quantile(POWER, np.inf) * spread
    return np.where(error <= NOISE, np.nan, needed * error)


def known_freedom(freedom: Floats) -> Floats:
    """Returns the degrees of freedom, or NaN where there are none."""
    return np.where(freedom > 0, freedom, np.nan)


def half_width(error: Floats, freedom: Floats, confidence: float) -> Floats:
    """Returns half the width of Student's intervals: 0 for an error of 0, and NaN for an unknown one.

    Args:
        error: the standard errors [series].
        freedom: their degrees of freedom [series].
        confidence: the confidence level.
    """
    return np.where(error <= 0, 0.0, t_quantile(confidence, known_freedom(freedom)) * error)


def quantile(confidence: float, freedom: float) -> float:
    """Returns half the width of an interval, in standard errors.

    Raises:
        DataError: the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise DataError(
            f"A confidence of {confidence} gives no interval: use a number between 0 and 1, such as 0.95."
        )
    return float(t_quantile(confidence, freedom))


def t_quantile(confidence: Floats | float, freedom: Floats | float) -> Floats:
    """Returns half the width of each t interval, in standard errors."""
    return one_sided_quantile((1 + np.asarray(confidence)) / 2, freedom)


def one_sided_quantile(chance: Floats | float, freedom: Floats | float) -> Floats:
    """Returns the value below which Student's t lies with this probability."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(freedom, chance))
