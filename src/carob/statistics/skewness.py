"""Intervals for the mean of a small, skewed sample.

The mean and the standard error of a skewed sample depend on each other, so Student's t interval misses the true mean
too often on the side of the long tail. Hall (JRSS B 1992, "On the removal of skewness by transformation") transforms
Student's t by a cubic polynomial, whose coefficients depend on the skewness of the sample, so that its distribution is
closer to normal. The skewness of a small sample varies widely, and the transformed interval is too short if the
skewness is underestimated. Therefore, each end of an interval in this module is halfway between the end of Student's t
interval and the outer of the two methods' ends.

For AP of 24 runs (TREC Deep Learning 2021) with 8 to 30 queries judged by people alone, Student's t intervals covered
the true value in 91 to 94% of cases, Hall's in 93 to 95%, and the intervals of this module in 93 to 96%, with 1.24 to
1.06 times the width of Student's (``python -m bench.coverage``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from carob._dataclasses import replace
from carob._numpy import np
from carob.statistics.estimates import NOISE, Estimates, t_quantile

if TYPE_CHECKING:
    from carob.lists.rows import Floats
    from carob.statistics.worst_point import BoundedValues

NEARLY_SYMMETRIC = 1e-6
"""If the skewness is smaller than this, the transformation changes nothing except rounding errors."""

Found = TypeVar("Found", bound=Estimates)


def skewness(values: Floats, shares: Floats) -> Floats:
    """Returns the skewness (standardised third central moment) of each series, or 0 if all its values are equal.

    Args:
        values: the values [units, series].
        shares: the weight of each unit [units], or of each unit in each series [units, series]. The weights sum to 1.

    Example:
        >>> skewness(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 4.0]]), np.full(4, 0.25)).round(4).tolist()
        [1.1547, 0.0]
    """

    def mean(of: Floats) -> Floats:
        return np.asarray(shares @ of if shares.ndim == 1 else (shares * of).sum(axis=0))

    rest = values - mean(values)
    # Products are used because NumPy's third power of negative numbers takes ten times as long.
    squares = rest * rest
    square, cube = mean(squares), mean(squares * rest)
    spread = np.sqrt(square)
    return np.where(spread > NOISE, cube / np.where(spread > NOISE, spread, 1.0) ** 3, 0.0)


def wider_for_skewness(
    found: Found, sample: BoundedValues, confidence: float, values: Floats | None = None
) -> Found:
    """Extends Student's t intervals for means on the side of the long tail.

    Differences keep Student's t interval, which agrees with the p of their test. Worst-point intervals are also
    unchanged. The extended intervals do not leave the range of the values.

    Args:
        found: the estimates, with their intervals.
        sample: the values.
        confidence: the confidence level.
        values: values whose skewness is used instead of the sample's, such as residuals of a regression [units,
            series].

    Example:
        >>> from carob.statistics.estimates import paired
        >>> from carob.statistics.worst_point import BoundedValues
        >>> scores = np.array([[0.0], [0.0], [0.1], [0.1], [0.2], [0.2], [0.3], [0.9]])
        >>> sample = BoundedValues(scores, np.zeros(1), np.ones(1), np.zeros(1, np.bool_), np.full(8, 0.125))
        >>> student = paired(scores)
        >>> found = wider_for_skewness(student, sample, 0.95)
        >>> [round(float(end), 2) for each in (student, found) for end in (each.low[0], each.high[0])]
        [-0.02, 0.47, 0.0, 0.8]
    """
    ours = ~sample.differences & ~found.worst_point & (found.width > NOISE) & (found.error > NOISE)
    if not ours.any():
        return found
    units = float(1 / (sample.shares**2).sum())
    skew = skewness((sample.values if values is None else values)[:, ours], sample.shares)
    error = found.error[ours]
    t = t_quantile(confidence, found.freedom[ours])
    low, high = found.low.copy(), found.high.copy()
    # Large values increase both the mean and its standard error, so the distribution of t is skewed in the opposite
    # direction.
    for ends, sign, limit in ((low, 1, sample.least), (high, -1, sample.greatest)):
        beyond = np.maximum(sign * transformed(sign * t, skew, units), t)
        end = found.value[ours] - sign * error * (t + beyond) / 2
        ends[ours] = np.maximum(sign * end, sign * limit[ours]) * sign
    return replace(found, low=low, high=high)


def transformed(quantile: Floats, skew: Floats, units: float) -> Floats:
    """Converts a quantile of t for a symmetric sample to one for a skewed sample, by inverting Hall's polynomial.

    For a sample of n values with skewness γ, the polynomial is ``T + γT²/(3√n) + γ²T³/(27n) + γ/(6√n)``.

    Args:
        quantile: the quantiles [series].
        skew: the skewness of each series.
        units: the number of units in the sample.
    """
    root = np.sqrt(units)
    some = np.where(np.abs(skew) > NEARLY_SYMMETRIC, skew, 1.0)
    found = 3 * root / some * (np.cbrt(1 + some / root * (quantile - some / (6 * root))) - 1)
    return np.where(np.abs(skew) > NEARLY_SYMMETRIC, found, quantile)
