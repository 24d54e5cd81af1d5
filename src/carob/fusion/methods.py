"""Settings, formulas and sources of the fusion methods, and the normalisations. The kernel computes them."""

from __future__ import annotations

from carob._dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A fusion method.

    Args:
        by_rank: whether the method uses only ranks instead of normalised scores.
        weights: whether the method accepts weights.
        settings: the names of the method's parameters.
        formula: the formula as text.
        source: the publication that defines the method.
    """

    by_rank: bool = False
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
        by_rank=True,
        weights=True,
        settings=("k", "first"),
        formula="Σ w / (k + rank)",
        source="Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion",
    ),
    "isr": Method(by_rank=True, formula="n Σ 1 / rank²", source=MOURAO),
    "log_isr": Method(by_rank=True, formula="ln(n) Σ 1 / rank²", source=MOURAO),
    "logn_isr": Method(by_rank=True, settings=("sigma",), formula="ln(n + σ) Σ 1 / rank²", source=MOURAO),
    "rbc": Method(
        by_rank=True,
        weights=True,
        settings=("phi",),
        formula="Σ w (1 − φ) φ^(rank − 1)",
        source="Bailey, Moffat, Scholer and Thomas 2017, Retrieval Consistency in the Presence of Query Variations",
    ),
    "borda": Method(
        by_rank=True,
        weights=True,
        formula="Σ w (c − rank + 1), for c documents of all lists; absent documents share what is left",
        source="Aslam and Montague 2001, Models for Metasearch",
    ),
    "copeland": Method(
        by_rank=True,
        formula="number of documents that it defeats by majority, minus the number that defeat it",
        source="Copeland 1951; Montague and Aslam 2002, Condorcet Fusion for Improved Retrieval",
    ),
    "sum": Method(weights=True, formula="Σ w s", source=FOX),
    "mnz": Method(weights=True, formula="n Σ s; with weights, (Σ w) (Σ s)", source=f"{FOX}; {WU}"),
    "anz": Method(formula="Σ s / n", source=FOX),
    "gmnz": Method(settings=("gamma",), formula="n^γ Σ s", source=LEE),
    "max": Method(formula="max s", source=FOX),
    "min": Method(formula="min s", source=FOX),
    "med": Method(formula="median s", source=FOX),
    "mean": Method(weights=True, formula="Σ w s / Σ w", source="OpenSearch, normalization-processor"),
    "mixed": Method(weights=True, formula="√n Σ w s", source=WU),
}
ALIASES = {"wsum": "sum", "wmnz": "mnz", "bordafuse": "borda", "w_bordafuse": "borda"}
"""ranx's alternative names for methods."""
NORMALISATIONS = ("none", "min-max", "max", "sum", "z-score", "l2", "dbsf", "rank", "borda")
"""The ways to normalise the scores of a list."""
WITHOUT_SCORES = ("rank", "borda")
"""The normalisations that use only ranks."""
