"""This file is the distribution of the studentized range: how far apart the extremes of equal means lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from karat.rows import Floats

__all__ = ["range_beyond", "studentized_range_beyond"]


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
    from scipy.special import ndtr

    wanted = np.asarray(reach, np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(160)
    z = 9.0 * nodes
    density = 9.0 * weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    between = np.maximum(ndtr(z) - ndtr(z - wanted[..., None]), 0.0)
    return np.asarray(np.clip(1 - means * (between ** (means - 1) @ density), 0.0, 1.0))


def studentized_range_beyond(reach: ArrayLike, means: int, freedom: float) -> Floats:
    """The same where the normals are divided by an estimated standard deviation: Tukey's q.

    The mean of ``range_beyond`` over that estimate, a chi of ``freedom`` degrees. Equals
    ``scipy.stats.studentized_range.sf``, which takes some milliseconds a value.

    Args:
        reach: values of q [values].
        means: how many means are compared.
        freedom: degrees of freedom of the estimate.

    Example:
        >>> studentized_range_beyond([2.26722], 3, 38).round(4).tolist()
        [0.2567]
    """
    from scipy.special import gammaln

    nodes, weights = np.polynomial.legendre.leggauss(64)
    # In s² = e**u the density falls off on both sides for every number of degrees.
    half = 12.0 * np.sqrt(0.5 / freedom) if freedom > 8 else 6.0 + 40.0 / freedom
    u = half * nodes
    log_density = freedom / 2 * (np.log(freedom / 2) + u - np.exp(u)) - gammaln(freedom / 2)
    chance = half * weights * np.exp(log_density)
    scales = np.exp(u / 2)
    q = np.asarray(reach, np.float64)
    return np.asarray(np.clip(range_beyond(np.multiply.outer(q, scales), means) @ chance, 0.0, 1.0))
