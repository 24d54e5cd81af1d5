"""Corrections of p for multiple comparisons: Bonferroni, Holm, Benjamini-Hochberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.output.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from karat.lists.rows import Floats

__all__ = ["benjamini_hochberg", "bonferroni", "holm"]


def bonferroni(p: ArrayLike) -> Floats:
    """Bonferroni: each p times the number of comparisons; the probability of any false finding stays below α.

    Args:
        p: the p-values of one family.

    Raises:
        DataError: a p is not between 0 and 1.

    Example:
        >>> bonferroni([0.01, 0.04, 0.6]).tolist()
        [0.03, 0.12, 1.0]
    """
    family = probabilities(p)
    return np.minimum(family * len(family), 1.0)


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down p (1979): valid wherever Bonferroni is, and never larger.

    The smallest p is multiplied by the number of comparisons, the next by one less, and so on; none is below an earlier
    one.

    Args:
        p: the p-values of one family.

    Raises:
        DataError: a p is not between 0 and 1.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    family = probabilities(p)
    order = np.argsort(family, kind="stable")
    stepped = np.maximum.accumulate(family[order] * np.arange(len(family), 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's step-up p (1995): the share of false findings among all findings stays below α.

    For exploration: among many true findings it allows some false ones.

    Args:
        p: the p-values of one family.

    Raises:
        DataError: a p is not between 0 and 1.

    Example:
        >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.04, 0.04]
    """
    family = probabilities(p)
    order = np.argsort(family, kind="stable")[::-1]
    stepped = np.minimum.accumulate(family[order] * len(family) / np.arange(len(family), 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def probabilities(p: ArrayLike) -> Floats:
    """The p-values as a flat array, checked.

    Raises:
        DataError: one is not between 0 and 1.
    """
    family: Floats = np.asarray(p, np.float64).reshape(-1)
    wrong = np.flatnonzero(~((family >= 0) & (family <= 1)))
    if len(wrong):
        raise DataError(
            f"Number {wrong[0]} (counted from 0) of the p to correct is {family[wrong[0]]}, no chance."
        )
    return family
