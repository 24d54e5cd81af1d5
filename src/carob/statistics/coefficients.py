"""Agreement coefficients: Cohen's κ, Krippendorff's α, Gwet's AC1 and AC2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from carob._numpy import np
from carob.output.errors import DataError

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import ArrayLike

    from carob.lists.rows import Floats

    Weights: TypeAlias = Literal["none", "linear", "quadratic"]

__all__ = [
    "alphas",
    "gwet",
    "gwets",
    "kappa",
    "kappas",
    "krippendorff",
    "middle_share",
    "quadratic_kappa",
    "scale_of",
    "total",
]

SUSPICIOUS = 0.8
LEAST_ALIKE = 50
"""If the weighted κ between a model and people exceeds the first number, a warning says that the model may have seen
people's grades. With fewer documents than the second number, κ is too uncertain: on TREC DL 2021, GPT-4's κ is 0.62,
and it exceeds 0.8 in 1% of samples of 50 documents, but in 12% of samples of 12."""

MOST_GRADES = 20
"""The maximum number of grades. Values on a finer scale than people use are scores, which have no categories."""


def kappa(table: ArrayLike, weights: Weights = "none") -> float:
    """Returns Cohen's κ (1960; weighted: 1968), the agreement beyond chance given each judge's distribution of grades.

    Args:
        table: a confusion matrix over all grades of the scale, ascending [grades, grades].
        weights: the cost of a disagreement: constant ("none"), the distance between the grades ("linear"), or the
            square of this distance ("quadratic").

    Returns:
        1 for perfect agreement, 0 for chance agreement; NaN if both judges gave only one grade, and the same one.

    Raises:
        DataError: the table is not square or is empty, or the weights do not exist.

    Example:
        >>> round(kappa([[20, 5], [10, 15]]), 4)
        0.4
    """
    return float(kappas(single(table), weights)[0])


def kappas(tables: Floats, weights: Weights) -> Floats:
    """Returns the κ of each confusion matrix [tables, grades, grades]; NaN for an empty matrix."""
    share = shares(tables)
    cost = 1 - likeness(tables.shape[-1], weights)
    by_chance = share.sum(axis=2)[:, :, None] * share.sum(axis=1)[:, None, :]
    return 1 - ratio(total(cost * share), total(cost * by_chance))


def quadratic_kappa(a: Floats, b: Floats) -> float:
    """Returns the quadratically weighted κ of paired grades; NaN if all grades of both judges are equal.

    If computed from paired grades, this κ is Lin's concordance correlation coefficient (Biometrics 1989).

    Example:
        >>> quadratic_kappa(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]))
        0.6666666666666667
    """
    expected = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    return 1 - float(((a - b) ** 2).mean() / expected) if expected else np.nan


def gwet(table: ArrayLike, weights: Weights = "none") -> float:
    """Returns Gwet's AC1 (2008) or, with weights, AC2.

    AC1 and AC2 resemble κ, but remain stable if nearly all grades are equal.

    Chance agreement is T · Σ π (1 - π) / (grades · (grades - 1)), where π is the mean share of each grade and T is the
    sum of all weights; without weights, it is Σ π (1 - π) / (grades - 1).

    Args:
        table: a confusion matrix over all grades of the scale, ascending [grades, grades].
        weights: "none" for AC1, or "linear" or "quadratic" for AC2, which gives credit for near misses.

    Returns:
        1 for perfect agreement, 0 for chance agreement; NaN if the scale has only one grade.

    Raises:
        DataError: the table is not square or is empty, or the weights do not exist.

    Example:
        >>> round(gwet([[20, 5], [10, 15]]), 4)
        0.4059
    """
    return float(gwets(single(table), weights)[0])


def gwets(tables: Floats, weights: Weights) -> Floats:
    """Returns the AC1 or AC2 of each confusion matrix [tables, grades, grades]; NaN for an empty matrix."""
    share, size = shares(tables), tables.shape[-1]
    if size < 2:
        return np.full(len(tables), np.nan)
    alike = likeness(size, weights)
    mean = (share.sum(axis=1) + share.sum(axis=2)) / 2
    chance = alike.sum() * (mean * (1 - mean)).sum(axis=1) / (size * (size - 1))
    return np.asarray((total(alike * share) - chance) / (1 - chance))


def krippendorff(table: ArrayLike) -> float:
    """Returns Krippendorff's α for the ordinal grades of two judges, both of whom graded every document.

    α is 1 - observed / expected disagreement. The distance between two grades is the number of judgments between them.

    Args:
        table: a confusion matrix over all grades of the scale, ascending [grades, grades].

    Returns:
        1 for perfect agreement, 0 for chance agreement; NaN if all grades are equal.

    Raises:
        DataError: the table is not square or is empty.

    Example:
        >>> round(krippendorff([[20, 5], [10, 15]]), 4)
        0.4
    """
    return float(alphas(single(table))[0])


def alphas(tables: Floats) -> Floats:
    """Returns the ordinal α of each confusion matrix [tables, grades, grades]; NaN for an empty matrix."""
    together = tables + tables.transpose(0, 2, 1)
    given = together.sum(axis=1)
    # The distance is measured from the middle of one grade's judgments to the middle of the other grade's judgments.
    middle = given.cumsum(axis=1) - given / 2
    distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    by_chance = total(distance * (given[:, :, None] * given[:, None, :])) / (given.sum(axis=1) - 1)
    return 1 - ratio(total(distance * together), by_chance)


def likeness(size: int, weights: Weights) -> Floats:
    """Returns the agreement weight of each pair of grades: 1 on the diagonal, 0 for the most distant grades.

    Raises:
        DataError: the weights do not exist.
    """
    if weights not in ("none", "linear", "quadratic"):
        raise DataError(f"weights={weights!r} is unknown: choose 'none', 'linear' or 'quadratic'.")
    if weights == "none" or size < 2:
        return np.eye(size)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
    return np.asarray(1 - (steps if weights == "linear" else steps**2), np.float64)


def single(table: ArrayLike) -> Floats:
    """Returns a confusion matrix as a stack that contains only this matrix.

    Raises:
        DataError: the table is not square, or is empty.
    """
    counts: Floats = np.asarray(table, np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise DataError(
            f"A confusion matrix of shape {counts.shape} is not square: pass a matrix with one row and one column "
            "per grade."
        )
    if not counts.sum() > 0 or counts.min() < 0:
        raise DataError("The judges have no document in common, so their agreement is undefined.")
    return counts[None]


def total(tables: Floats) -> Floats:
    """Returns the sum of each table."""
    return np.asarray(tables.reshape(len(tables), -1).sum(axis=1))


def shares(tables: Floats) -> Floats:
    """Returns each table divided by its sum; NaN for an empty one."""
    return ratio(tables, total(tables)[:, None, None])


def ratio(a: Floats, b: Floats) -> Floats:
    """Returns a / b, or NaN where b is 0."""
    return np.asarray(np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0))


def scale_of(a: Floats, b: Floats) -> Floats:
    """Returns the grades of the scale: all integers within the range of the grades, or otherwise the distinct grades.

    Raises:
        DataError: there are too many distinct grades for a scale.
    """
    given = np.unique(np.concatenate([a, b]))
    whole = len(given) and (given == np.floor(given)).all()
    if whole and given[-1] - given[0] < MOST_GRADES:
        return np.arange(given[0], given[-1] + 1)
    if len(given) > MOST_GRADES:
        raise DataError(
            f"The judges gave {len(given)} different grades ({given[0]:g} … {given[-1]:g}), which look like "
            "scores: round them to a few grades first."
        )
    return np.asarray(given)


def middle_share(found: Floats) -> tuple[float, float]:
    """Returns the bounds of the middle 95% of the bootstrap values that are not NaN, or NaN if all are NaN."""
    defined = found[~np.isnan(found)]
    if not len(defined):
        return np.nan, np.nan
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)
