"""Measures of a result against what its user knew before, or expected to find.

What the user knew stands in the judgments, as a grade of its own: say 2 for a relevant document that the user
knew, and 1 for one that was new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.measures.define import measure
from karat.measures.parameters import COUNT, KNOWN, REL

if TYPE_CHECKING:
    from karat.lists import Lists, Queries

__all__: list[str] = []

KORFHAGE = "Korfhage 1997; Baeza-Yates and Ribeiro-Neto 1999, section 3.2"


@measure("Coverage", additive=True, source=KORFHAGE)
def coverage_ratio(r: Lists, known: float = KNOWN) -> Queries:
    """The share of the relevant documents known to the user that were found.

    A document is known from grade ``known`` on. 0 if the user knew none.
    """
    return r.ratio(r.total(r.hits(known)), r.n_relevant(known))


@measure("Novelty", source=KORFHAGE)
def novelty_ratio(r: Lists, known: float = KNOWN, rel: float = REL) -> Queries:
    """The share of the relevant documents found that the user did not know.

    A document is known from grade ``known`` on, and relevant from grade ``rel`` on. 0 if none was found.
    """
    found = r.total(r.hits(rel))
    return r.ratio(found - r.total(r.hits(rel) * r.hits(known)), found)


@measure("RelativeRecall", source=KORFHAGE)
def relative_recall(r: Lists, wanted: float = COUNT, rel: float = REL) -> Queries:
    """The share of the relevant documents wanted that were found; 1 from as many as wanted on."""
    return r.least(r.total(r.hits(rel)), wanted) / wanted


@measure("RecallEffort", source=KORFHAGE)
def recall_effort(r: Lists, wanted: float = COUNT, rel: float = REL) -> Queries:
    """The number of relevant documents wanted / the rank at which so many were found.

    0 if the list does not hold so many, since no number of documents was enough.
    """
    return r.best(r.at_least(r.running(r.hits(rel)), wanted) * wanted / r.rank)
