"""This file counts all assignments of signs: the sign-flip test without chance, where differences are few or coarse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from karat.lists.rows import Floats, Integers

__all__ = ["LONGEST", "cost", "exact_p"]

LONGEST = 50
"""Differences beyond which halves of all assignments fill the memory (2**25 sums each)."""

PER_SUM, PER_STEP, PER_CELL = 5e-8, 5e-6, 1e-9
"""Seconds, roughly, on one core of 2024: a half's sum; a step of the recurrence; a cell of it."""


def cost(difference: Floats, tolerance: float, patience: float = np.inf) -> float:
    """Roughly how many seconds counting would take; infinite if it cannot be done, or surely not so soon."""
    least = np.count_nonzero(np.abs(difference) > zero(tolerance))
    if least > LONGEST and (tolerance or least * PER_STEP > patience):
        return np.inf
    return min(costs(sizes(difference, tolerance), tolerance))


def costs(size: Integers, tolerance: float) -> tuple[float, float]:
    """The seconds by halves and by recurrence."""
    halves = PER_STEP * len(size) + PER_SUM * 2.0 ** -(-len(size) // 2) if len(size) <= LONGEST else np.inf
    if tolerance or not len(size):
        return halves, np.inf
    cells = len(size) * float(size.sum()) / float(np.gcd.reduce(size))
    return halves, len(size) * PER_STEP + cells * PER_CELL


def exact_p(difference: Floats, tolerance: float) -> float:
    """The share of all assignments of signs whose sum is at least as far from 0 as the one observed.

    Zeros are dropped first, which changes nothing. Halves: every signed sum of either half of the differences, one
    sorted, the other looked up in it (Horowitz and Sahni, 1974). Recurrence: on a coarse grid the number of
    assignments that reach each sum grows by one difference at a time (Pagano and Tritchler, 1983).

    Args:
        difference: whole numbers [queries].
        tolerance: by how much sums that tie in truth can differ.

    Example:
        >>> import numpy as np
        >>> exact_p(np.array([2.0, 2.0, 2.0, 1.0, 0.0]), 0.0)
        0.125
    """
    size = sizes(difference, tolerance)
    reach = abs(int(difference.sum())) - int(tolerance)
    if reach <= 0:
        return 1.0
    by_halves, by_recurrence = costs(size, tolerance)
    return tail_of_halves(size, reach) if by_halves <= by_recurrence else tail_of_grid(size, reach)


def sizes(difference: Floats, tolerance: float) -> Integers:
    """The differences without signs and zeros, from the smallest."""
    size = np.abs(difference).astype(np.int64)
    return np.sort(size[size > zero(tolerance)])


def zero(tolerance: float) -> int:
    """The largest size that is no difference: one unit where scores were rounded."""
    return 1 if tolerance else 0


def tail_of_halves(size: Integers, reach: int) -> float:
    """Twice the share of assignments with a sum of at least ``reach`` > 0."""
    one, other = signed_sums(size[::2]), signed_sums(size[1::2])
    other.sort()
    one.sort()
    found = len(one) * len(other) - int(np.searchsorted(other, reach - one[::-1]).sum())
    return 2.0 * found / 2.0 ** len(size)


def signed_sums(size: Integers) -> Integers:
    """Every sum of these numbers with a sign each [2**numbers]."""
    sums = np.zeros(1, np.int64)
    for each in size:
        sums = np.concatenate([sums - each, sums + each])
    return sums


def tail_of_grid(size: Integers, reach: int) -> float:
    """The same by the chance of each sum of the differences that get a minus."""
    step = int(np.gcd.reduce(size))
    steps = size // step
    total = int(steps.sum())
    chance = np.zeros(total + 1)
    chance[0], top = 1.0, 0
    for each in steps.tolist():
        half = chance[: top + 1] / 2
        chance[: top + 1] = half
        top += each
        chance[each : top + 1] += half
    least = -(-reach // step)
    return 2.0 * float(chance[: (total - least) // 2 + 1].sum())
