"""This file draws signs, one per query and resample, and adds scores up under them by matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.statistics.products import weighted_sums
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.lists.rows import Floats

__all__ = ["RESAMPLES", "SEED", "every_sign", "flipped_sums", "refuse_seed", "stream"]

SEED = 2026
"""The seed unless another is given; a table's footer prints it."""

RESAMPLES = 10_000
"""With 1,000 one pair in a hundred falls on the other side of .05; with 10,000 at most one in two hundred."""

AT_ONCE = 2048
"""Resamples compared at a time: thirty runs of them stay in a processor's cache."""


def refuse_seed(seed: object) -> None:
    """Refuse what no stream begins from.

    Raises:
        DataError: the seed is no whole number from 0 on.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError(f"seed={seed!r}: a seed is a whole number from 0 on.")


def stream(seed: int) -> np.random.PCG64:
    """The stream of random words of a seed.

    Raises:
        DataError: as ``refuse_seed``.
    """
    refuse_seed(seed)
    return np.random.PCG64(int(seed))


def flipped_sums(whole: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Half the sum of each column under random signs of the rows, for some resamples at a time [columns, resamples].

    The difference of two columns' sums is the flipped sum of their difference, so one product of signs and scores
    serves every pair. Columns must be whole numbers whose sum is exact (see ``grid``): then the same seed gives the
    same sums whatever the threads, the BLAS and the blocks. A resample takes a whole number of 64-bit words of PCG64's
    raw stream, one bit a row in the order of the rows: rows in the same order get the same signs for all measures.
    """
    words = -(-len(whole) // 64)
    draw = stream(seed)
    for first in range(0, resamples, AT_ONCE):
        count = min(AT_ONCE, resamples - first)
        yield sums_under(draw.random_raw((count, words)), whole)


def every_sign(whole: Floats) -> Iterator[Floats]:
    """As ``flipped_sums``, under each of the 2**rows assignments of signs once; for at most 62 rows."""
    total = 1 << len(whole)
    for first in range(0, total, AT_ONCE):
        yield sums_under(np.arange(first, min(first + AT_ONCE, total), dtype=np.uint64)[:, None], whole)


def sums_under(words: NDArray[np.uint64], whole: Floats) -> Floats:
    """Half the sums of the columns, a bit of 1 for plus and of 0 for minus [columns, resamples]."""
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)

    def bits(first: int, last: int) -> NDArray[np.uint8]:
        return np.unpackbits(octets[first:last], axis=1, count=len(whole), bitorder="little")

    sums = weighted_sums(whole, len(words), bits)
    sums -= whole.sum(axis=0)[:, None] / 2
    return sums
