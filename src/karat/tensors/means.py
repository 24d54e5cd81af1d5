"""From values per query to one: sums that can be added up over batches and machines, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.scores import GEOMETRIC_FLOOR

if TYPE_CHECKING:
    from karat.lists.arrays import Arrays

__all__ = ["Column", "mean_of", "sums_of"]


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one measure.

    Args:
        values: [query].
        weights: what each weighs in the mean; None if all weigh the same [query].
        kept: which queries count at all; None for all [query].
    """

    values: Any
    weights: Any = None
    kept: Any = None


def sums_of(xp: Arrays, column: Column, how: str) -> tuple[Any, Any]:
    """What the mean needs of the values: a sum, and by what it is divided.

    Args:
        xp: the array library.
        column: the values.
        how: ``mean``, ``geometric`` or ``sum``.
    """
    values, weights = column.values, column.weights
    if how == "geometric":
        values = xp.log(xp.maximum(values, GEOMETRIC_FLOOR))
    if column.kept is not None:
        weights = xp.where(column.kept, 1.0 if weights is None else weights, 0.0)
    if how == "sum":
        counted = values if column.kept is None else xp.where(column.kept, values, 0.0)
        return xp.library.sum(counted, dtype=xp.dtype), xp.asarray(1.0)
    if weights is None:
        return xp.library.sum(values, dtype=xp.dtype), xp.asarray(float(values.shape[0]))
    weighed = xp.where(weights > 0.0, values * weights, 0.0)
    return xp.library.sum(weighed, dtype=xp.dtype), xp.library.sum(weights, dtype=xp.dtype)


def mean_of(xp: Arrays, total: Any, whole: Any, how: str) -> Any:
    """The one number that the sums come to; undefined where nothing counts."""
    if how == "sum":
        return total
    mean = xp.where(whole > 0.0, total / xp.maximum(whole, 1e-30), float("nan"))
    return xp.library.exp(mean) if how == "geometric" else mean
