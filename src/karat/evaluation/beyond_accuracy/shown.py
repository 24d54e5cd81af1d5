"""What is shown at all: how much of the catalogue is recommended to anybody, and how evenly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.evaluation.beyond_accuracy.define import OneOf, beyond, wanting
from karat.output.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.evaluation.beyond_accuracy.inputs import Recommended
    from karat.lists.rows import Floats

__all__: list[str] = []


def base_of(r: Recommended, base: str, name: str) -> NDArray[np.bool_]:
    """Which items count: those of the ``catalogue``, of ``train``, or those ``recommended`` at all.

    Raises:
        DataError: the base was not given, or is empty.
    """
    found: NDArray[np.bool_]
    if base == "recommended":
        found = r.counts > 0
    elif base == "train":
        found = np.isin(np.arange(len(r.items)), wanting(r, "train", f"{name}(of=train)").item)
    else:
        found = wanting(r, "catalogue", f"{name}(of=catalogue)")
    if not found.any():
        raise DataError(f"{name}: there are no items in the base ({base}).")
    return found


def counts_in(r: Recommended, base: str, name: str) -> Floats:
    """How many users were recommended each item of the base.

    Raises:
        DataError: an item was recommended that the base lacks.
    """
    inside = base_of(r, base, name)
    stray = np.flatnonzero((r.counts > 0) & ~inside)
    if len(stray):
        raise DataError(
            f"{name}(of={base}): {len(stray)} recommended items are not in the {base}, {r.items[stray[0]]!r} first. "
            "Complete it, or choose another base."
        )
    return r.counts[inside]


@beyond("NumItems", source="RecTools' CatalogCoverage")
def number_of_items(r: Recommended) -> float:
    """How many different items are recommended to anybody."""
    return float((r.counts > 0).sum())


@beyond(
    "Coverage",
    of=OneOf("catalogue", "train"),
    counting=OneOf("inside", "all"),
    source="Ge, Delgado-Battenfeld and Jannach 2010; RecTools, RePlay, recommenders",
)
def coverage(r: Recommended, of: str, counting: str) -> float:
    """The share of the items of the catalogue, or of train, that are recommended to anybody.

    ``counting=inside`` counts recommended items that belong to the base (RePlay); ``counting=all`` counts every
    one, so that the value may pass 1 (recommenders with ``of=train``; RecTools, RecBole).
    """
    base, shown = base_of(r, of, "Coverage"), r.counts > 0
    return float((shown & base if counting == "inside" else shown).sum() / base.sum())


@beyond(
    "Gini",
    of=OneOf("catalogue", "train", "recommended"),
    scale=OneOf("n", "n-1"),
    better=OneOf("low", "high"),
    source="Gini 1912; Shani and Gunawardana 2011; RecBole, Elliot",
)
def gini(r: Recommended, of: str, scale: str, better: str) -> float:
    """How unevenly recommendations fall on the items: 0 if each is recommended as often, near 1 if one has all.

    With counts x in ascending order, the sum of (2i - n - 1) x_i over n times the sum of x (RecBole).
    ``scale=n-1`` divides by n - 1, so that 1 can be reached; ``better=high`` is 1 less that (Elliot's, with
    ``scale=n-1``). ``of`` says which items count; the base decides much of the value.
    """
    counts = np.sort(counts_in(r, of, "Gini"))
    n = len(counts)
    divisor = (n if scale == "n" else max(n - 1, 1)) * counts.sum()
    value = float(((2 * np.arange(1, n + 1) - n - 1) * counts).sum() / divisor) if divisor else float("nan")
    return value if better == "low" else 1.0 - value


@beyond(
    "Entropy",
    unit=OneOf("bits", "nats"),
    scale=OneOf("none", "most", "items"),
    source="Shannon 1948; Shani and Gunawardana 2011; recommenders, RecBole",
)
def entropy(r: Recommended, unit: str, scale: str) -> float:
    """The Shannon entropy of the share of recommendations that each item has: how many items it is as good as.

    ``scale=most`` divides by the entropy of a catalogue that is recommended evenly, so that 1 is the most;
    ``scale=items`` by the number of different items recommended, which RecBole does (with ``unit=nats``).
    recommenders calls the plain one in bits distributional coverage.
    """
    counts = r.counts[r.counts > 0]
    share = counts / counts.sum()
    log = np.log2 if unit == "bits" else np.log
    value = float(-(share * log(share)).sum()) + 0.0
    if scale == "none":
        return value
    if scale == "items":
        return value / len(counts)
    most = float(log(float(len(counts_in(r, "catalogue", "Entropy")))))
    return value / most if most else float("nan")
