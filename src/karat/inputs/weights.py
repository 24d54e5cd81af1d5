"""What each query weighs in the means, from a file."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from karat import _native
from karat.inputs.ids import text_of
from karat.inputs.sources import sentences, source_of
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.inputs.sources import Readable

__all__ = ["A_WEIGHT", "LARGEST", "SMALLEST", "is_weight", "read_weights"]

SMALLEST, LARGEST = 1e-30, 1e30
"""Weights other than 0 lie between: their sums and products are then held in every floating type."""
A_WEIGHT = "a weight is a number from 0 on, and 0 or between 1e-30 and 1e30"


def is_weight(given: Any) -> bool:
    """Whether something can be a query's weight; a whole number may be too large for a float."""
    return isinstance(given, Real) and bool(given == 0 or SMALLEST <= cast("float", given) <= LARGEST)


def read_weights(where: Readable) -> dict[str, float]:
    """What each query weighs: lines ``query weight``, plain or compressed.

    Raises:
        DataError: a line that cannot be read, a weight that is none, or a query that stands twice.
    """
    source = source_of(where)
    with sentences(source.name, "weights"):
        (queries,), values, lines = _native.read_rows(source.from_start(), columns=2, numbers="strict")
    weights: dict[str, float] = {}
    for query, weight, line in zip(map(text_of, queries), values.tolist(), lines.tolist(), strict=True):
        if query in weights:
            raise DataError(
                f"{source.name}, line {line}: query '{query}' has a weight already. Remove one line."
            )
        if not is_weight(weight):
            raise DataError(
                f"{source.name}, line {line}: the weight of query '{query}' is {weight!r}: {A_WEIGHT}."
            )
        weights[query] = weight
    return weights
