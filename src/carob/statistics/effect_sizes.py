"""Effect sizes of paired differences with their intervals: d_z and the probability of superiority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np

if TYPE_CHECKING:
    from carob.lists.rows import Floats, Integers

FEWEST = 8
"""The minimum number of queries for an interval; coverage was measured from 8 on (``python -m bench.effects``)."""


def standardised_ends(d_z: Floats, n: Integers, confidence: float) -> tuple[Floats, Floats]:
    """Returns the interval for d_z, the standardised mean difference of each pair, from the noncentral t distribution.

    If differences are normally distributed and queries are independent, √n · d_z has a noncentral t distribution with
    ``n - 1`` degrees of freedom, whose noncentrality is √n times the true d_z. Each end is the true d_z under which the
    observed d_z is exactly as extreme as the level allows. If n is below ``FEWEST`` or the spread is 0, the ends are
    NaN.

    Args:
        d_z: the mean of the differences, divided by their standard deviation [pairs].
        n: the number of queries [pairs].
        confidence: the confidence level.

    Source: Steiger and Fouladi 1997; Cumming and Finch 2001.

    Example:
        >>> import numpy as np
        >>> ends = standardised_ends(np.array([0.473]), np.array([20]), 0.95)
        >>> [round(float(each[0]), 3) for each in ends]
        [0.004, 0.93]
    """
    from scipy.special import nctdtrinc

    known = (n >= FEWEST) & np.isfinite(d_z) & (d_z != 0)
    size, root = np.abs(d_z[known]), np.sqrt(n[known])
    tail = (1 - confidence) / 2
    least, most = (nctdtrinc(n[known] - 1, part, root * size) / root for part in (1 - tail, tail))
    low, high = np.full(d_z.shape, np.nan), np.full(d_z.shape, np.nan)
    negative = d_z[known] < 0
    low[known], high[known] = np.where(negative, -most, least), np.where(negative, -least, most)
    return low, high


def superiority(
    won: Integers, tied: Integers, lost: Integers, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Returns the probability of superiority of each pair, and its interval.

    This is the probability θ that the first run is better on a query like these, where a tie counts one half. Each
    query contributes 1, ½ or 0, with variance θ(1 - θ) - τ/4, where τ is the share of ties. The interval contains every
    θ that a score test does not reject, like Wilson's interval for a proportion. τ is estimated as the number of ties
    divided by n + 2, so that runs that tie on every query also have an interval. If n is below ``FEWEST``, the ends are
    NaN.

    Args:
        won: the number of queries on which the first run is better [pairs].
        tied: the number of queries on which the runs are equal [pairs].
        lost: the number of queries on which the second run is better [pairs].
        confidence: the confidence level.

    Source: Wilson 1927; Vargha and Delaney 2000 for the probability with ties.

    Example:
        >>> import numpy as np
        >>> found = superiority(np.array([12]), np.array([3]), np.array([9]), 0.95)
        >>> [round(float(each[0]), 3) for each in found]
        [0.562, 0.381, 0.727]
    """
    from scipy.special import ndtri

    n = won + tied + lost
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (won + tied / 2) / n
        z2 = ndtri((1 + confidence) / 2) ** 2 / n
        centre = share + z2 / 2
        # (share - θ)² = z² (θ(1 - θ) - τ/4) / n is a quadratic equation for θ.
        root = np.sqrt(centre**2 - (1 + z2) * (share**2 + z2 * tied / (n + 2) / 4))
        known = np.where(n >= FEWEST, 1 + z2, np.nan)
    return share, np.maximum((centre - root) / known, 0.0), np.minimum((centre + root) / known, 1.0)
