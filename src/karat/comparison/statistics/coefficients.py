"""Agreement coefficients: Cohen's κ, Krippendorff's α, Gwet's AC1 and AC2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from karat.output.errors import DataError

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import ArrayLike

    from karat.lists.rows import Floats

    Weights: TypeAlias = Literal["none", "linear", "quadratic"]
    Level: TypeAlias = Literal["nominal", "ordinal", "interval"]

__all__ = ["confusion", "gwet", "kappa", "kappas", "krippendorff", "middle_share", "scale_of"]

MOST_GRADES = 20
"""More than any scale that people use; values on a finer scale are scores, without categories to agree on."""


def confusion(a: ArrayLike, b: ArrayLike, grades: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Returns the confusion matrix of two judges: the number of documents by both grades.

    Args:
        a: the first judge's grades.
        b: the second judge's grades of the same documents.
        grades: all grades of the scale; the grades given if None.

    Returns:
        The grades in ascending order, and the counts, the first judge's grades as rows [grades, grades].

    Raises:
        DataError: the judges graded different numbers of documents, or gave a grade that is not on the scale.

    Example:
        >>> grades, table = confusion([0, 1, 2, 2], [0, 2, 2, 2])
        >>> table.astype(int).tolist()
        [[1, 0, 0], [0, 0, 1], [0, 0, 2]]
    """
    one, other = np.asarray(a, np.float64).reshape(-1), np.asarray(b, np.float64).reshape(-1)
    if len(one) != len(other):
        raise DataError(f"One judge graded {len(one)} documents, the other {len(other)}: pair them first.")
    given = np.unique(np.concatenate([one, other]))
    scale = given if grades is None else np.unique(np.asarray(grades, np.float64))
    unknown = given[~np.isin(given, scale)]
    if len(unknown):
        raise DataError(
            f"Grade {unknown[0]:g} is none of the grades {', '.join(f'{each:g}' for each in scale)}."
        )
    size = len(scale)
    cells = np.searchsorted(scale, one) * size + np.searchsorted(scale, other)
    return scale, np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.float64)


def kappa(table: ArrayLike, weights: Weights = "none") -> float:
    """Cohen's κ (1960; weighted 1968): agreement beyond chance, given each judge's shares of grades.

    Args:
        table: a confusion matrix over all grades of the scale, ascending [grades, grades].
        weights: the cost of a disagreement: constant ("none"), its distance in grades, or the distance's square.

    Returns:
        1 for full agreement, 0 for chance; NaN if both judges gave only one and the same grade.

    Raises:
        DataError: the table is not square or is empty, or the weights do not exist.

    Example:
        >>> round(kappa([[20, 5], [10, 15]]), 4)
        0.4
    """
    share = shares(table)
    cost = 1 - likeness(len(share), weights)
    expected = float((cost * np.outer(share.sum(axis=1), share.sum(axis=0))).sum())
    return 1 - float((cost * share).sum()) / expected if expected else np.nan


def gwet(table: ArrayLike, weights: Weights = "none") -> float:
    """Gwet's AC1 (2008), with weights AC2: like κ, but stable where nearly all grades are the same.

    Chance agreement is T · Σ π (1 - π) / (grades · (grades - 1)), with π the mean share of each grade and T the sum of
    all weights; without weights Σ π (1 - π) / (grades - 1).

    Args:
        table: a confusion matrix over all grades of the scale, ascending [grades, grades].
        weights: "none" for AC1; "linear" or "quadratic" credit for a near miss for AC2.

    Returns:
        1 for full agreement, 0 for chance; NaN with only one grade.

    Raises:
        DataError: the table is not square or is empty, or the weights do not exist.

    Example:
        >>> round(gwet([[20, 5], [10, 15]]), 4)
        0.4059
    """
    share = shares(table)
    size = len(share)
    if size < 2:
        return np.nan
    alike = likeness(size, weights)
    mean = (share.sum(axis=0) + share.sum(axis=1)) / 2
    chance = float(alike.sum() * (mean * (1 - mean)).sum()) / (size * (size - 1))
    return (float((alike * share).sum()) - chance) / (1 - chance)


def krippendorff(table: ArrayLike, level: Level = "ordinal", grades: ArrayLike | None = None) -> float:
    """Krippendorff's α for two judges who both graded every document: 1 - observed / expected disagreement.

    Args:
        table: a confusion matrix over all grades of the scale, ascending [grades, grades].
        level: the distance of grades: 0 or 1 ("nominal"), the number of judgments between them ("ordinal"), or their
            numeric difference ("interval").
        grades: the grades as numbers, for "interval"; 0, 1, 2 … if None.

    Returns:
        1 for full agreement, 0 for chance; NaN if only one grade was ever given.

    Raises:
        DataError: the table is not square or is empty, or the level does not exist.

    Example:
        >>> round(krippendorff([[20, 5], [10, 15]], "nominal"), 4)
        0.4
    """
    share = shares(table)
    counts: Floats = np.asarray(table, np.float64)
    together = counts + counts.T
    total = together.sum(axis=0)
    pairable = float(total.sum())
    distance = apart(
        total, np.arange(len(share)) if grades is None else np.asarray(grades, np.float64), level
    )
    expected = float((distance * np.outer(total, total)).sum()) / (pairable - 1)
    return 1 - float((distance * together).sum()) / expected if expected else np.nan


def apart(total: Floats, grades: ArrayLike, level: Level) -> Floats:
    """Returns the squared distance of each two grades.

    Raises:
        DataError: the level does not exist.
    """
    size = len(total)
    if level == "nominal":
        return 1 - np.eye(size)
    if level == "interval":
        return np.subtract.outer(np.asarray(grades, np.float64), grades) ** 2
    if level == "ordinal":
        # The distance runs from the middle of one grade's judgments to the middle of the other's.
        middle = total.cumsum() - total / 2
        return np.asarray(np.subtract.outer(middle, middle) ** 2)
    raise DataError(f"There is no level {level!r}; there are nominal, ordinal and interval.")


def likeness(size: int, weights: Weights) -> Floats:
    """Returns the weight of each pair of grades: 1 on the diagonal, 0 for the most distant grades.

    Raises:
        DataError: the weights do not exist.
    """
    if weights not in ("none", "linear", "quadratic"):
        raise DataError(f"There are no weights {weights!r}; there are none, linear and quadratic.")
    if weights == "none" or size < 2:
        return np.eye(size)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
    return np.asarray(1 - (steps if weights == "linear" else steps**2), np.float64)


def shares(table: ArrayLike) -> Floats:
    """Returns the table divided by its sum.

    Raises:
        DataError: the table is not square, or is empty.
    """
    counts: Floats = np.asarray(table, np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise DataError(f"A confusion matrix is square; this has the shape {counts.shape}.")
    if not counts.sum() > 0 or counts.min() < 0:
        raise DataError("The judges share no document: there is nothing to agree on.")
    return np.asarray(counts / counts.sum())


def scale_of(a: Floats, b: Floats) -> Floats:
    """Returns the grades of the scale: whole ones from the lowest to the highest without a gap, else the grades given.

    Raises:
        DataError: there are too many for a scale.
    """
    given = np.unique(np.concatenate([a, b]))
    whole = len(given) and (given == np.floor(given)).all()
    if whole and given[-1] - given[0] < MOST_GRADES:
        return np.arange(given[0], given[-1] + 1)
    if len(given) > MOST_GRADES:
        raise DataError(
            f"The judges gave {len(given)} different grades ({given[0]:g} … {given[-1]:g}): these are scores. "
            "Round them to a scale first."
        )
    return np.asarray(given)


def middle_share(found: Floats) -> tuple[float, float]:
    """Returns the ends of the middle 95 % of bootstrap values that are defined, or NaN where none is."""
    defined = found[~np.isnan(found)]
    if not len(defined):
        return np.nan, np.nan
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)


def kappas(tables: Floats) -> Floats:
    """Returns the quadratic κ of each query, or NaN where the judges share no document or gave only one grade."""
    return np.array([kappa(table, "quadratic") if table.any() else np.nan for table in tables])
