"""The fusion methods: the points of a list by rank, and how the points of a document in all lists are combined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from carob.fusion.rules import Rules
    from carob.lists.rows import Floats


@dataclass(frozen=True, eq=False)
class Points:
    """The points of the documents of some queries in every list.

    Args:
        value: the points [runs, documents].
        retrieved: whether the list has the document [runs, documents].
        counted: whether the list counts for the document in means, medians and extremes [runs, documents].
        weights: the weight of each run, by which its points are still to be multiplied; None for 1 each [runs].
        rules: the decisions.
        gamma: the exponent of gmnz.
        sigma: the constant of logn_isr.
    """

    value: Floats
    retrieved: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    weights: Floats | None
    rules: Rules
    gamma: float = 1.0
    sigma: float = 0.01

    @property
    def number(self) -> Floats:
        """The number of lists that have each document [documents]."""
        return np.asarray(self.retrieved.sum(axis=0), np.float64)

    @property
    def weighted(self) -> Floats:
        """The points times the weights [runs, documents]."""
        return self.value if self.weights is None else self.value * self.weights[:, np.newaxis]

    def sum(self) -> Floats:
        """Returns the weighted sum of the points of each document [documents]."""
        return summed(self.weighted, self.rules)


def summed(values: Floats, rules: Rules) -> Floats:
    """Returns the sum of each column, by the rules for precision and for the order of the sum."""
    if rules.precision == "single":
        return in_turn(values.astype(np.float32)).astype(np.float64)
    return in_turn(values) if rules.summation == "left-to-right" else exactly(values)


def in_turn(values: Floats) -> Floats:
    """Returns the sum of each column, row after row."""
    found = np.zeros(values.shape[1], values.dtype)
    for row in values:
        found += row
    return found


def exactly(values: Floats) -> Floats:
    """Returns the correctly rounded sum of each column, which does not depend on the order of the rows.

    Sums of two numbers are rounded once as they are. For more, the errors of the additions are added up (Ogita, Rump
    and Oishi 2005, "Accurate sum and dot product"). Where the errors of this sum of errors might matter, ``math.fsum``
    decides.

    Example:
        >>> import numpy as np
        >>> exactly(np.array([[1e16], [1.0], [-1e16]])).tolist()
        [1.0]
    """
    rows = len(values)
    if rows <= 2:
        return in_turn(values)
    found, error = values[0].copy(), np.zeros(values.shape[1])
    exact = np.ones(values.shape[1], bool)
    for row in values[1:]:
        found, lost = with_error(found, row)
        error, more = with_error(error, lost)
        exact &= more == 0
    slack = np.where(exact, 0.0, rows**2 * 2.0**-104 * np.abs(values).sum(axis=0))
    low, high = found + (error - slack), found + (error + slack)
    for place in np.flatnonzero(low != high).tolist():
        low[place] = math.fsum(values[:, place].tolist())
    return np.asarray(low)


def with_error(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Returns the rounded sums and their rounding errors (Knuth's two-sum)."""
    found = one + other
    part = found - one
    return found, (one - (found - part)) + (other - part)


def added(points: Points) -> Floats:
    """Returns Σ w s."""
    return points.sum()


def mnz(points: Points) -> Floats:
    """Returns n Σ s, for n lists that have the document; with weights, (Σ w) (Σ s) over these lists."""
    if points.weights is None:
        return points.sum() * points.number
    total = summed(points.value, points.rules)
    return total * summed(points.retrieved * points.weights[:, np.newaxis], points.rules)


def anz(points: Points) -> Floats:
    """Returns Σ s / n, over the lists that count."""
    return np.asarray(points.sum() / np.maximum(points.counted.sum(axis=0), 1))


def gmnz(points: Points) -> Floats:
    """Returns n^γ Σ s."""
    return points.sum() * points.number**points.gamma


def mixed(points: Points) -> Floats:
    """Returns √n Σ w s."""
    return points.sum() * np.sqrt(points.number)


def logarithm(points: Points) -> Floats:
    """Returns ln(n) Σ s."""
    return points.sum() * np.log(np.maximum(points.number, 1))


def shifted_logarithm(points: Points) -> Floats:
    """Returns ln(n + σ) Σ s."""
    return points.sum() * np.log(np.maximum(points.number, 1) + points.sigma)


def mean(points: Points) -> Floats:
    """Returns Σ w s / Σ w, over the lists that count."""
    weights = np.ones(len(points.value)) if points.weights is None else points.weights
    below = summed(points.counted * weights[:, np.newaxis], points.rules)
    return points.sum() / np.where(below > 0, below, 1.0)


def greatest(points: Points) -> Floats:
    """Returns the highest points of the document in any list that counts."""
    return np.asarray(np.where(points.counted, points.value, -np.inf).max(axis=0))


def least(points: Points) -> Floats:
    """Returns the lowest points of the document in any list that counts."""
    return np.asarray(np.where(points.counted, points.value, np.inf).min(axis=0))


def median(points: Points) -> Floats:
    """Returns the median of the points of the document in the lists that count."""
    count = points.counted.sum(axis=0)
    rising = np.sort(np.where(points.counted, points.value, np.inf), axis=0)
    place = np.arange(rising.shape[1])
    low, high = rising[np.maximum((count - 1) // 2, 0), place], rising[count // 2 % len(rising), place]
    return np.asarray(np.where(count % 2, low, (low + np.where(count % 2, low, high)) / 2))


def copeland(rank: Floats) -> Floats:
    """Returns, for the documents of one query, the documents that each defeats less those that defeat it.

    A document defeats another if more lists rank it above the other than below. A list ranks the documents that it
    lacks below all others, and expresses no preference among them.

    Args:
        rank: the rank of each document in each list, infinite if the list lacks it [runs, documents].
    """
    count = rank.shape[1]
    found = np.zeros(count)
    step = max(2**22 // max(count, 1), 1)
    for first in range(0, count, step):
        votes = np.zeros((min(step, count - first), count), np.int32)
        for row in rank:
            its = row[first : first + step, np.newaxis]
            votes += its < row
            votes -= its > row
        found[first : first + step] = (votes > 0).sum(axis=1) - (votes < 0).sum(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class Method:
    """A fusion method.

    Args:
        combine: the function that combines the points of a document.
        by_rank: the points by rank, ``rrf``, ``isr``, ``rbc``, ``borda`` or ``copeland``; empty if it combines
            normalised scores.
        weights: whether it takes weights.
        settings: the parameters that it has.
        formula: the formula in words.
        source: where it was published.
    """

    combine: Callable[[Points], Floats]
    by_rank: str = ""
    weights: bool = False
    settings: tuple[str, ...] = ()
    formula: str = ""
    source: str = ""


FOX = "Fox and Shaw 1993, Combination of Multiple Searches (TREC-2)"
MOURAO = "Mourão, Martins and Magalhães 2014, Inverse Square Rank Fusion for Multimodal Search"
WU = "Wu and Crestani 2002, Data Fusion with Estimated Weights"
LEE = "Lee 1997, Analyses of Multiple Evidence Combination"

METHODS: dict[str, Method] = {
    "rrf": Method(
        added,
        "rrf",
        weights=True,
        settings=("k", "first"),
        formula="Σ w / (k + rank)",
        source="Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion",
    ),
    "isr": Method(mnz, "isr", formula="n Σ 1 / rank²", source=MOURAO),
    "log_isr": Method(logarithm, "isr", formula="ln(n) Σ 1 / rank²", source=MOURAO),
    "logn_isr": Method(
        shifted_logarithm, "isr", settings=("sigma",), formula="ln(n + σ) Σ 1 / rank²", source=MOURAO
    ),
    "rbc": Method(
        added,
        "rbc",
        weights=True,
        settings=("phi",),
        formula="Σ w (1 − φ) φ^(rank − 1)",
        source="Bailey, Moffat, Scholer and Thomas 2017, Retrieval Consistency in the Presence of Query Variations",
    ),
    "borda": Method(
        added,
        "borda",
        weights=True,
        formula="Σ w (c − rank + 1), for c documents of all lists; absent documents share what is left",
        source="Aslam and Montague 2001, Models for Metasearch",
    ),
    "copeland": Method(
        added,
        "copeland",
        formula="documents defeated by majority less documents that defeat",
        source="Copeland 1951; Montague and Aslam 2002, Condorcet Fusion for Improved Retrieval",
    ),
    "sum": Method(added, weights=True, formula="Σ w s", source=FOX),
    "mnz": Method(mnz, weights=True, formula="n Σ s; with weights, (Σ w) (Σ s)", source=f"{FOX}; {WU}"),
    "anz": Method(anz, formula="Σ s / n", source=FOX),
    "gmnz": Method(gmnz, settings=("gamma",), formula="n^γ Σ s", source=LEE),
    "max": Method(greatest, formula="max s", source=FOX),
    "min": Method(least, formula="min s", source=FOX),
    "med": Method(median, formula="median s", source=FOX),
    "mean": Method(mean, weights=True, formula="Σ w s / Σ w", source="OpenSearch, normalization-processor"),
    "mixed": Method(mixed, weights=True, formula="√n Σ w s", source=WU),
}
ALIASES = {"wsum": "sum", "wmnz": "mnz", "bordafuse": "borda", "w_bordafuse": "borda"}
"""Other names of methods, those of ranx."""
