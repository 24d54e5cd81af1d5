"""This file multiplies weights of queries with scores in slices that one thread computes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat.lists.rows import Floats

__all__ = ["weighted_sums"]

ALONE = 1 << 18
"""Multiplications up to which OpenBLAS asks no other thread. Threads that wait for one another cost ten times the
product where other programs keep the processor busy."""

LONG = 256
"""Rows in a slice: so many scores of thirty runs stay in the nearest cache."""

AT_ONCE = 1 << 18
"""Weights held as floats at a time: 2 MB."""


def weighted_sums(whole: Floats, resamples: int, weights: Callable[[int, int], NDArray[Any]]) -> Floats:
    """The sum of each column, every row with its weight, for each resample [columns, resamples].

    Columns must be whole numbers whose sums are exact (see ``grid``); then no order of summation matters.

    Args:
        whole: whole numbers [rows, columns].
        resamples: how many sets of weights there are.
        weights: gives the weights of the resamples from a first to before a last, in turn [resamples, rows].
    """
    rows, columns = whole.shape
    length = min(rows, LONG)
    slices = -(-rows // length)
    width = max(ALONE // (columns * length) // 8 * 8, 8)
    stacks = min(max(AT_ONCE // (slices * length * width), 1), -(-resamples // width))
    scores = np.zeros((slices * length, columns))
    scores[:rows] = whole
    left = np.ascontiguousarray(scores.reshape(slices, length, columns).transpose(0, 2, 1))
    held = np.zeros((stacks * width, slices * length))
    right = held.reshape(stacks, width, slices, length).transpose(0, 2, 3, 1)
    sums = np.empty((columns, resamples))
    for first in range(0, resamples, len(held)):
        last = min(first + len(held), resamples)
        held[: last - first, :rows] = weights(first, last)
        found = np.matmul(left, right).sum(axis=1).transpose(1, 0, 2).reshape(columns, -1)
        sums[:, first:last] = found[:, : last - first]
    return sums
