"""From values per query to one: sums that can be added up over batches and machines, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.evaluation.values import GEOMETRIC_FLOOR

if TYPE_CHECKING:
    from karat.lists.arrays import Arrays

__all__ = ["Column", "mean_of", "sums_of", "terms_of"]


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


def terms_of(xp: Arrays, column: Column, how: str) -> tuple[Any, Any]:
    """What each query adds to the sum of its measure, and to what that is divided by.

    Args:
        xp: the array library.
        column: the values.
        how: ``mean``, ``geometric`` or ``sum``.
    """
    values, weights = column.values, column.weights
    if how == "geometric":
        values = xp.log(xp.maximum(values, GEOMETRIC_FLOOR))
    if how == "sum" or weights is None:
        weights = xp.full(tuple(values.shape), 1.0)
    if column.kept is not None:
        weights = xp.where(column.kept, weights, 0.0)
    return xp.where(weights > 0.0, values * weights, 0.0), weights


def sums_of(xp: Arrays, column: Column, how: str) -> tuple[Any, Any]:
    """The sums of the terms of all queries."""
    terms, weights = terms_of(xp, column, how)
    return xp.library.sum(terms, dtype=xp.dtype), xp.library.sum(weights, dtype=xp.dtype)


def mean_of(xp: Arrays, total: Any, whole: Any, how: str) -> Any:
    """The one number that the sums come to; undefined where nothing counts."""
    if how == "sum":
        return total
    mean = xp.where(whole > 0.0, total / xp.maximum(whole, 1e-30), float("nan"))
    return xp.library.exp(mean) if how == "geometric" else mean
