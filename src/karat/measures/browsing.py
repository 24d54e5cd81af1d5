"""Measures that follow a user down the list, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.measures.define import OneOf, measure

if TYPE_CHECKING:
    from karat.lists import Gain, Lists, Queries

__all__: list[str] = []

MOFFAT = "Moffat and Zobel 2008"


@measure("RR", rel=1, same_as="recip_rank", source="Kantor and Voorhees 2000, TREC-5")
def reciprocal_rank(r: Lists, rel: float) -> Queries:
    """1 / the rank of the first relevant document; 0 if there is none."""
    return r.best(r.hits(rel) / r.rank)


@measure(
    "RBP",
    p=0.9,
    gain=OneOf("linear", "exp2", "binary"),
    same_as="rbp",
    source=f"{MOFFAT}; the scale is trec_eval 10's",
)
def rank_biased_precision(r: Lists, p: float, gain: Gain) -> Queries:
    """The gain per document seen by a user who goes on to the next one with probability p.

    Gains are brought into [0, 1] by the query's own lowest and highest where they leave it, as trec_eval 10
    means to do.
    """
    return (1.0 - p) * r.total(r.unit_gains(gain) * r.powers(p, r.rank - 1.0))


@measure(
    "RBPresid", p=0.9, same_as="rbp_resid", source=f"{MOFFAT}; 0 where nothing is unjudged is trec_eval 10's"
)
def rank_biased_residual(r: Lists, p: float) -> Queries:
    """What RBP could still gain if every unjudged document, and all beyond the list, were relevant.

    0 if every retrieved document is judged.
    """
    unsure = r.exceeds(r.length - r.total(r.judged), 0.0)
    return unsure * (r.powers(p, r.length) + (1.0 - p) * r.total_unjudged(p))
