"""This file is the distribution of the studentized range: how far apart the extremes of equal means lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from karat.lists.rows import Floats

__all__ = ["range_beyond", "studentized_range_beyond"]

AT_ONCE = 64
"""Values of q integrated at a time: 4 MB."""


def range_beyond(reach: ArrayLike, means: int) -> Floats:
    """The chance that the range of so many independent standard normals is at least ``reach``.

    1 - means · ∫ φ(z) (Φ(z) - Φ(z - reach))**(means - 1) dz, by Gauss and Legendre's rule.

    Args:
        reach: ranges, of any shape.
        means: how many normals.

    Example:
        >>> range_beyond([2.7718], 2).round(4).tolist()
        [0.05]
    """
    return 1 - _range_within(reach, means)


def _range_within(reach: ArrayLike, means: int) -> Floats:
    """The chance that the range is smaller, exactly 0 where ``reach`` is 0.

    Summed row by row and not as a product of matrices: BLAS adds up in another order for other neighbours.
    """
    from scipy.special import ndtr

    wanted = np.asarray(reach, np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(128)
    z = 8.5 * nodes
    density = 8.5 * weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    between = np.maximum(ndtr(z) - ndtr(z - wanted[..., None]), 0.0)
    between **= means - 1
    between *= density
    return np.asarray(np.clip(means * between.sum(axis=-1), 0.0, 1.0))


def studentized_range_beyond(reach: ArrayLike, means: int, freedom: float) -> Floats:
    """The same where the normals are divided by an estimated standard deviation: Tukey's q.

    The mean of ``range_beyond`` over that estimate, a chi of ``freedom`` degrees; exactly 1 at 0. Equals
    ``scipy.stats.studentized_range.sf``, which takes some milliseconds a value.

    Args:
        reach: values of q [values].
        means: how many means are compared.
        freedom: degrees of freedom of the estimate.

    Example:
        >>> studentized_range_beyond([2.26722], 3, 38).round(4).tolist()
        [0.2567]
    """
    # In u = log(s²) the density is smooth and falls below e**-30 of its peak outside of these ends.
    low = -(np.sqrt(120 / freedom) + 60 / freedom)
    high = min(np.sqrt(120 / freedom), np.log(60 / freedom + 10))
    nodes, weights = np.polynomial.legendre.leggauss(64 if freedom >= 20 else 128)
    u = low + (high - low) * (nodes + 1) / 2
    chance = weights * np.exp(freedom / 2 * (u - np.expm1(u)))
    chance /= chance.sum()
    q = np.asarray(reach, np.float64).reshape(-1)
    parts = [
        (_range_within(np.multiply.outer(q[first : first + AT_ONCE], np.exp(u / 2)), means) * chance).sum(
            axis=-1
        )
        for first in range(0, len(q), AT_ONCE)
    ]
    # From the chance of falling short, which is exactly 0 at 0; the weights' sum may miss 1 by a rounding.
    return np.asarray(np.clip(1 - np.concatenate([np.empty(0), *parts]), 0.0, 1.0))
