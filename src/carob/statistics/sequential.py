"""Computes, by alpha spending, the levels of a test that is repeated while queries are still being judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.lists.rows import Floats

POINTS = 601
"""The number of points at which the density of paths that have not crossed a bound is evaluated."""

FARTHEST = 8.0
"""The deviate beyond which the probability of a normal distribution is negligible."""


def spent(fraction: float, alpha: float) -> float:
    """Returns the level that may be spent on each side up to a fraction of the queries (O'Brien-Fleming type)."""
    from scipy.special import ndtr, ndtri

    return float(2 * ndtr(ndtri(alpha / 4) / np.sqrt(fraction)))


def excess(edge: float, points: Floats, mass: Floats, step: float, wanted: float) -> float:
    """Returns the probability of being beyond an edge after a step, minus the target probability."""
    from scipy.special import ndtr

    return float((mass * ndtr((points - edge) / step)).sum()) - wanted


def level_at(fractions: Sequence[float], alpha: float) -> float:
    """Returns the two-sided level of the last of several looks such that all looks together have the level ``alpha``.

    The levels of earlier looks are determined by the same rule. The score at each look is a sum of independent parts,
    so the probability of crossing a bound at this look and at no earlier look is computed by integrating over the
    density of the paths that are still inside (Armitage, McPherson and Rowe 1969). The levels depend on the fractions
    so far but not on later looks (Lan and DeMets 1983). If a look is so early that there is nothing to spend, its bound
    is ``FARTHEST``.

    Args:
        fractions: the share of the planned queries that are judged at each look so far, in ascending order and at most
            1.
        alpha: the level of all looks together.

    Example:
        >>> from carob.statistics.sequential import level_at
        >>> [round(level_at([0.5], 0.05), 4), round(level_at([0.5, 1.0], 0.05), 4)]
        [0.0031, 0.049]
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    points: Floats = np.zeros(1)
    mass: Floats = np.ones(1)
    before, bound = 0.0, 0.0
    for fraction in fractions:
        step = np.sqrt(fraction - before)
        wanted = spent(fraction, alpha) - (spent(before, alpha) if before else 0.0)
        edge, known = FARTHEST * np.sqrt(fraction), (points, mass, step, wanted)
        if excess(edge, *known) < 0:
            edge = brentq(excess, 0.0, edge, known, xtol=1e-12)
        grid = np.linspace(-edge, edge, POINTS)
        weights = np.full(POINTS, 2.0)
        weights[1::2], weights[[0, -1]] = 4.0, 1.0
        density = np.exp(-(((grid[:, None] - points) / step) ** 2) / 2) @ mass / (step * np.sqrt(2 * np.pi))
        points, mass, before = grid, density * weights * (grid[1] - grid[0]) / 3, fraction
        bound = edge / np.sqrt(fraction)
    return float(2 * ndtr(-bound)) if fractions else float(2 * ndtr(ndtri(alpha / 2)))
