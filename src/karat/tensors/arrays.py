"""Checks of arrays that a call receives: real numbers, no NumPy masks, no scores that rounding makes equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.inputs.query_files import A_WEIGHT, LARGEST, SMALLEST
from karat.lists.arrays import arrays_of, host_view
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.lists.arrays import Arrays

__all__ = ["UNHELD", "as_scores", "refuse_no_ids", "taken", "weights_taken"]

MASKED = {
    "scores": "scores.data and the documents that there are as mask=~scores.mask",
    "relevance": "relevance.filled(numpy.nan) for unjudged documents, or mask= for what is no document",
    "judged": "judged.filled(numpy.nan)",
    "ids": "ids.filled(-1)",
    "relevant_ids": "relevant_ids.filled(-1)",
}
"""The arrays to give instead of a masked one."""

UNHELD = "a score that floating point does not hold, so that different ones would be equal"
"""The fault of whole numbers beyond 2**53, and the like."""


def taken(array: Any, name: str) -> Any:
    """The array in the form used for computing: on the host NumPy's, in the machine's byte order.

    Args:
        array: of any library; anything else is returned unchanged.
        name: the argument.

    Raises:
        DataError: a masked array, or one that does not hold real numbers.
    """
    if array is None or isinstance(
        array, int
    ):  # also for torch.compile, which does not know their types' names
        return array
    array = host_view(array)
    if not hasattr(array, "dtype") or not getattr(array, "shape", ()):
        return array
    if isinstance(array, np.ndarray):
        if hasattr(array, "harden_mask"):  # numpy.ma's: the import costs more than a small batch
            instead = MASKED.get(name, f"{name}.data")
            raise DataError(f"{name} is a masked array, whose mask would be lost: give {instead}.")
        array = np.asarray(array)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
    if not arrays_of(array).library.isdtype(array.dtype, ("bool", "integral", "real floating")):
        raise DataError(f"{name} is of type {array.dtype}: give real numbers, as in {name}.astype(float).")
    return array


def as_scores(arrays: Arrays, scores: Any) -> tuple[Any, Any]:
    """Scores as floats, and which of them rounding may have made equal to others; None if there are none.

    Whole numbers become double precision where there is any, long doubles as well.
    """
    xp = arrays.library
    whole = xp.isdtype(scores.dtype, ("bool", "integral"))
    if not whole and not (arrays.on_host and scores.dtype.itemsize > np.dtype(np.float64).itemsize):
        return scores, None
    floats = xp.astype(scores, widest(arrays))
    if xp.isdtype(scores.dtype, "bool"):
        return floats, None
    exact = 2.0 ** (53 if floats.dtype == xp.float64 else 24)
    found = arrays.range_of(floats)
    if whole and (xp.iinfo(scores.dtype).max <= exact or (found and max(-found[0], found[1]) < exact)):
        return floats, None
    with arrays.quiet():
        unheld = xp.astype(floats, scores.dtype) != scores
    if not whole:
        return floats, unheld & ~arrays.isnan(scores)
    # Past the largest whole number of the type, what it is turned back into depends on the processor.
    return floats, unheld | (floats >= float(xp.iinfo(scores.dtype).max))


def widest(arrays: Arrays) -> Any:
    """The widest floating type that the library has on the device."""
    if arrays.on_host:
        return np.float64
    if arrays.kind == "torch" and arrays.device.type != "mps":
        return arrays.library.float64
    return arrays.library.asarray([0.0]).dtype


def weights_taken(arrays: Arrays, weights: Any) -> Any:
    """Weights of queries as floats; on a device those that are none become NaN, and so the mean.

    Raises:
        DataError: on the host, a weight that is none.
    """
    floats = arrays.floats(weights)
    fine = (floats == 0.0) | ((floats >= SMALLEST) & (floats <= LARGEST))
    if not arrays.on_host:
        return arrays.where(fine, floats, float("nan"))
    if not fine.all():
        place = int(fine.argmin())
        raise DataError(f"weights holds {weights[place]} at place {place}: {A_WEIGHT}.")
    return floats


def refuse_no_ids(array: Any, name: str) -> None:
    """Refuse ids that are not whole numbers.

    Raises:
        DataError: they are not: they would be rounded, and NaN would become a negative id or 0.
    """
    if not arrays_of(array).library.isdtype(array.dtype, "integral"):
        raise DataError(
            f"{name} is of type {array.dtype}: ids are whole numbers, with -1 where there is none. Number the "
            "documents from 0."
        )
