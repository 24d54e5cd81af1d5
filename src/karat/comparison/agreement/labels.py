"""How far two judges' grades agree: one confusion table a query, every statistic from their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.statistics import gwet, kappa, krippendorff, resample_means
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.comparison.agreement.pairing import Pairing
    from karat.lists.rows import Floats

__all__ = ["Statistic", "kappas", "scale_of", "statistics", "tables_of"]

MOST_GRADES = 20
"""More than any scale that people judge on; a finer one is a score, which has no categories to agree on."""


@dataclass(frozen=True)
class Statistic:
    """A number about two judges, with its 95 % interval over queries.

    Args:
        name: what it is called.
        value: over all documents that both judged.
        low: the lower end; NaN where there is none.
        high: the upper end.
    """

    name: str
    value: float
    low: float
    high: float


def scale_of(a: Floats, b: Floats) -> Floats:
    """The grades of the scale: whole ones from the least to the greatest without a gap, else those that were given.

    Raises:
        DataError: there are too many to be a scale.
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


def tables_of(pairing: Pairing, scale: Floats) -> Floats:
    """The confusion table of each query, the first judge's grades as rows [queries, grades, grades]."""
    size, count = len(scale), len(pairing.queries)
    cells = np.searchsorted(scale, pairing.a) * size + np.searchsorted(scale, pairing.b)
    flat = np.bincount(pairing.query * size * size + cells, minlength=count * size * size)
    return flat.reshape(count, size, size).astype(np.float64)


def formulas(scale: Floats) -> dict[str, Callable[[Floats], float]]:
    """Every statistic as a function of a confusion table."""
    distance = np.subtract.outer(scale, scale)  # row minus column: the first judge's grade less the second's

    def share(mask: Floats) -> Callable[[Floats], float]:
        return lambda table: float((table * mask).sum() / table.sum())

    return {
        "same grade": share(np.eye(len(scale))),
        "within one grade": share((np.abs(distance) <= 1).astype(np.float64)),
        "kappa, quadratic": lambda table: kappa(table, "quadratic"),
        "kappa, linear": lambda table: kappa(table, "linear"),
        "kappa": lambda table: kappa(table),
        "alpha, ordinal": lambda table: krippendorff(table, "ordinal"),
        "AC1": lambda table: gwet(table),
        "AC2, quadratic": lambda table: gwet(table, "quadratic"),
        "bias, B - A": share(-distance),
    }


def statistics(tables: Floats, scale: Floats, resamples: int, seed: int) -> tuple[Statistic, ...]:
    """Each statistic with its percentile interval, whole queries drawn with replacement.

    Raises:
        DataError: the judges share no document.
    """
    used = tables[tables.sum(axis=(1, 2)) > 0]
    whole = used.sum(axis=0)
    if not len(used):
        raise DataError("The judges share no document: do both files use the same ids?")
    drawn = np.empty((0, *whole.shape))
    if len(used) > 1:
        means = resample_means(used.reshape(len(used), -1), resamples=resamples, seed=seed)
        drawn = np.rint(means * len(used)).reshape(-1, *whole.shape)
    found = []
    for name, formula in formulas(scale).items():
        spread = np.array([formula(table) for table in drawn])
        spread = spread[~np.isnan(spread)]
        low, high = np.quantile(spread, [0.025, 0.975]) if len(spread) else (np.nan, np.nan)
        found.append(Statistic(name, formula(whole), float(low), float(high)))
    return tuple(found)


def kappas(tables: Floats) -> Floats:
    """The quadratic κ of each query; NaN where the judges share no document or gave one grade only."""
    return np.array([kappa(table, "quadratic") if table.any() else np.nan for table in tables])
