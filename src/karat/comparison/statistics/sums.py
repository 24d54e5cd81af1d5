"""Sums that are the same on every machine: scores on a grid of whole numbers, weighted in slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from karat.lists.rows import Floats, Integers

__all__ = ["all_pairs", "checked_pairs", "cluster_codes", "matrix", "on_grid", "summed", "weighted_sums"]

FINEST = 36
"""Bits behind the point for scores up to 1: sums of up to 2**16 of them are exact in double precision."""

EXACT = 52
"""Double precision counts to 2**53; one bit is left for halves."""

ROUNDING = 1e-9
"""The distance from a whole number up to which a score times its denominator counts as one."""

ALONE = 1 << 18
"""Multiplications up to which OpenBLAS uses one thread. On a busy processor, threads that wait for one another take ten
times as long as the product."""

LONG = 256
"""Rows in a slice: this many scores of thirty runs fit into the nearest cache."""

AT_ONCE = 1 << 18
"""Weights held in memory as floats at a time: 2 MB."""


FRACTIONS = (*range(1, 21), 24, 25, 30, 40, 50, 60, 100, 200, 500, 1000, 2520)
"""Denominators tried: those of P@k, of recall with few relevant documents, of RR@10 (2520 = lcm of 1 to 10)."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Scores as whole numbers of a unit.

    Args:
        whole: the scores divided by the unit, whole numbers as float64 [rows, runs].
        unit: the value of 1.
        tolerance: the largest difference, in units, of two sums that are equal in exact arithmetic.
    """

    whole: Floats
    unit: float
    tolerance: float


def on_grid(scores: Floats) -> Grid:
    """Returns scores on a grid, on which a sum is exact for any order, number of threads and library.

    Scores that are all fractions with one small denominator (P@10, hits, counts) become whole numbers: nothing is
    rounded and no tie is lost. All others are rounded to multiples of 2**-36 of the power of two above the largest;
    coarser above 65,536 rows. A difference is then off by at most one unit, and flipping signs moves a sum by twice the
    flipped differences, so sums that tie in exact arithmetic are within ``2 * rows`` units of each other.

    Args:
        scores: finite scores [rows, runs].

    Example:
        >>> import numpy as np
        >>> grid = on_grid(np.array([[0.3, 0.1], [0.5, 0.2]]))
        >>> grid.whole.tolist(), grid.unit, grid.tolerance
        ([[3.0, 1.0], [5.0, 2.0]], 0.1, 0.0)
    """
    rows = len(scores)
    largest = float(np.abs(scores).max(initial=0.0))
    parts = denominator(scores)
    if parts and largest * parts * rows < 2.0**EXACT:
        return Grid(np.rint(scores * parts), 1 / parts, 0.0)
    exponent = int(np.frexp(largest)[1])
    bits = min(FINEST, EXACT - (rows - 1).bit_length())
    return Grid(np.rint(np.ldexp(scores, bits - exponent)), float(np.ldexp(1.0, exponent - bits)), 2.0 * rows)


def denominator(scores: Floats) -> int | None:
    """Returns the smallest of ``FRACTIONS`` of which every score is a multiple, or None."""
    some = scores[:50]
    fits = (parts for parts in FRACTIONS if whole(some * parts) and whole(scores * parts))
    return next(fits, None)


def whole(numbers: Floats) -> bool:
    """Returns whether all numbers are whole, apart from rounding errors."""
    return bool((np.abs(numbers - np.rint(numbers)) <= ROUNDING).all())


def matrix(scores: ArrayLike) -> Floats:
    """Returns the scores as a float64 table [queries, runs]; a single column if one list is given.

    Raises:
        DataError: a score is NaN or infinite, or there is no query.
    """
    table: Floats = np.asarray(scores, np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not table.size:
        raise DataError(
            f"Scores of shape {table.shape} cannot be compared: give a table with a row per query and a column per run."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise DataError(
            f"The score of query {row}, run {column} (both counted from 0) is {table[row, column]}. "
            "Tests need finite scores: leave the query out, or give it a number."
        )
    return table


def all_pairs(runs: int) -> Integers:
    """Returns every pair of runs once, the first before the second [pairs, 2]."""
    return np.stack(np.triu_indices(runs, 1), axis=1).astype(np.int64)


def checked_pairs(pairs: ArrayLike | None, runs: int) -> Integers:
    """Returns the pairs as a table [pairs, 2]; every pair if None.

    Raises:
        DataError: a pair names a run that does not exist.
    """
    if pairs is None:
        return all_pairs(runs)
    table = np.asarray(pairs, np.int64).reshape(-1, 2)
    if table.size and not 0 <= table.min() <= table.max() < runs:
        raise DataError(
            f"Pairs refer to runs {table.min()} to {table.max()}: give numbers of runs from 0 to {runs - 1}."
        )
    return table


def cluster_codes(clusters: Any, rows: int) -> Integers:
    """Returns the number of each row's cluster. Clusters are numbered in the order of their labels [rows].

    Raises:
        DataError: there is not one label for each row.
    """
    labels: NDArray[Any] = np.asarray(clusters)
    if labels.shape != (rows,):
        raise DataError(f"{labels.size} clusters are given for {rows} queries: give one cluster per query.")
    return np.asarray(np.unique(labels, return_inverse=True)[1].astype(np.int64).reshape(rows))


def summed(table: Floats, clusters: Any) -> Floats:
    """Returns the rows added up within each cluster [clusters, runs]; unchanged without clusters."""
    if clusters is None:
        return table
    codes = cluster_codes(clusters, len(table))
    sums = np.zeros((int(codes.max()) + 1, table.shape[1]))
    np.add.at(sums, codes, table)
    return sums


def weighted_sums(whole: Floats, resamples: int, weights: Callable[[slice], NDArray[Any]]) -> Floats:
    """Returns the weighted sum of each column, for each resample [columns, resamples].

    Columns must be whole numbers whose sums are exact (see ``on_grid``): then the order of summation does not matter.

    Args:
        whole: an array of whole numbers [rows, columns].
        resamples: the number of sets of weights.
        weights: called with a slice, returns the weights of these resamples [resamples, rows].
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
        held[: last - first, :rows] = weights(slice(first, last))
        found = np.matmul(left, right).sum(axis=1).transpose(1, 0, 2).reshape(columns, -1)
        sums[:, first:last] = found[:, : last - first]
    return sums
