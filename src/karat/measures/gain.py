"""Gains discounted by rank: DCG, nDCG and their relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.measures.define import COUNTED, DISCOUNT, GAIN, HIGHEST, IDEAL, REL, SHARE, measure

if TYPE_CHECKING:
    from karat.lists import Gain, Lists, Queries, Rows

JARVELIN = "Järvelin and Kekäläinen 2002"


def discounted(r: Lists, gain: Gain, discount: str) -> Rows:
    """Returns the discounted gain of each document."""
    return r.gains(gain) / r.discount(discount)


@measure("CG", rows="relevant", values=COUNTED, additive=True, source=JARVELIN)
def cumulated_gain(r: Lists, gain: Gain = GAIN) -> Queries:
    """The sum of the gains of the first k documents."""
    return r.total(r.gains(gain))


@measure("nCG", rows="relevant", additive=True, source=JARVELIN)
def normalised_cumulated_gain(r: Lists, gain: Gain = GAIN, ideal: str = IDEAL) -> Queries:
    """CG divided by the CG of the ideal ranking.

    nCG is 0 for a query without a positive gain.
    """
    return r.ratio(cumulated_gain(r, gain), cumulated_gain(r.ideal(gain, ideal), gain))


@measure("DCG", rows="relevant", values=COUNTED, additive=True, same_as="dcg", source=JARVELIN)
def discounted_cumulated_gain(r: Lists, gain: Gain = GAIN, discount: str = DISCOUNT) -> Queries:
    """The sum of the gains, each divided by a discount that grows with its rank.

    ``discount=log2`` divides by log2(rank + 1) (Burges and others 2005). ``jk(b)`` is the discount of the authors of
    DCG: 1 before rank b, and log_b(rank) from rank b on. LensKit uses ``jk(2)``. ``ln`` (recommenders) and ``log(b)``
    (scikit-learn's log_base) are logarithms of rank + 1 to another base. ``rank`` divides by the rank (CatBoost's
    Position). ``gain=exp2(t)`` is 2^(grade - t + 1) - 1 for grades of at least t (Elliot).
    """
    return r.total(discounted(r, gain, discount))


@measure("IDCG", rows="relevant", values=COUNTED, same_as="ideal_dcg", source=JARVELIN)
def ideal_discounted_cumulated_gain(
    r: Lists, gain: Gain = GAIN, discount: str = DISCOUNT, ideal: str = IDEAL
) -> Queries:
    """The DCG of the ideal ranking."""
    return discounted_cumulated_gain(r.ideal(gain, ideal), gain, discount)


@measure("nDCG", rows="relevant", additive=True, same_as="ndcg; ndcg_cut_k is nDCG@k", source=JARVELIN)
def normalised_discounted_cumulated_gain(
    r: Lists, gain: Gain = GAIN, discount: str = DISCOUNT, ideal: str = IDEAL
) -> Queries:
    """DCG divided by the DCG of the ideal ranking.

    The ideal ranking has all judged documents, whether retrieved or not, and is cut at the same depth as the run.
    ``ideal=uncut`` never cuts the ideal ranking (Haystack, LlamaIndex, Quepid's ndcg@10). ``ideal=length`` cuts it at
    the length of the run's list (Elasticsearch, MLflow). With ``ideal=retrieved``, it has only retrieved documents.
    With ``ideal=depth``, it has k documents of grade 1 (RecTools); if the gains equal the grades and are from 0 to 1,
    the value is that of C/W/L's SDCG. With ``ideal=full``, it has as many documents of grade 1 as were retrieved. nDCG
    is 0 for a query without a positive gain. NTCIR's name for nDCG is MSnDCG. Do not confuse nDCG with Spark's graded
    nDCG, whose ideal ranking keeps the judgments in the given order.
    """
    best = ideal_discounted_cumulated_gain(r, gain, discount, ideal)
    return r.ratio(discounted_cumulated_gain(r, gain, discount), best)


@measure(
    "SDCG",
    rows="relevant",
    additive=True,
    source=f"{JARVELIN}, scaled as in C/W/L: Azzopardi, Thomas and Moffat 2019",
)
def scaled_discounted_cumulated_gain(
    r: Lists, gain: Gain = SHARE, max: float = HIGHEST, discount: str = DISCOUNT
) -> Queries:
    """DCG divided by the DCG of k documents of the highest grade, even if fewer such documents exist.

    Gains other than ``binary`` are divided by the gain of grade ``max``. Without a depth, k is the list's length.

    Raises:
        DataError: a grade above ``max``.
    """
    best = r.ideal("binary", "depth")
    possible = best.total(1.0 / best.discount(discount))
    return r.ratio(r.total(r.unit_gains(gain, "graded", max) / r.discount(discount)), possible)


@measure("nDCGrel", rows="relevant", at="no", same_as="ndcg_rel", source="trec_eval")
def ndcg_at_relevant(r: Lists, gain: Gain = GAIN, ideal: str = IDEAL) -> Queries:
    """The mean of the nDCG at the ranks of the documents with a positive gain.

    A document that was not retrieved adds the nDCG of the whole list.
    """
    best = r.ideal(gain, ideal)
    reached, possible = (
        r.running(discounted(r, gain, "log2")),
        r.running_of(best, discounted(best, gain, "log2")),
    )
    hits = 1.0 - r.at_least(0.0, r.gains(gain))
    whole = normalised_discounted_cumulated_gain(r, gain, "log2", ideal)
    total = r.total(hits * r.ratio(reached, possible)) + (best.length - r.total(hits)) * whole
    return r.ratio(r.most(total, 0.0), best.length)


@measure("RnDCG", rows="relevant", at="no", undefined=True, same_as="Rndcg", source="trec_eval")
def ndcg_at_ideal_steps(r: Lists, gain: Gain = GAIN, ideal: str = IDEAL, rel: float = REL) -> Queries:
    """The mean of the nDCG at the ranks where the gain of the ideal ranking decreases: R-precision for grades.

    If a list is longer than the ideal ranking by at least two documents, the last rank of the list counts as well. If
    no rank counts, RnDCG is undefined.
    """
    best = r.ideal(gain, ideal)
    reached, possible = (
        best.running_of(r, discounted(r, gain, "log2")),
        best.running(discounted(best, gain, "log2")),
    )
    steps = best.changes(best.gains(gain))
    longer = r.exceeds(best.length, 0.0) * r.exceeds(r.length, best.length + 1.0)
    whole = r.total(discounted(r, gain, "log2")) / best.total(discounted(best, gain, "log2"))
    points = best.total(steps) + longer
    judged = r.exceeds(r.n_relevant(rel), 0.0)
    return r.only(judged, (best.total(steps * reached / possible) + longer * whole) / points)


@measure("G", values=COUNTED, at="no", same_as="G", source="trec_eval, experimental there")
def gain_by_shortfall(r: Lists, gain: Gain = GAIN, ideal: str = IDEAL) -> Queries:
    """The sum of the gains, each discounted by the gain that the list has missed so far.

    The gain missed at a rank is the cumulated gain of the ideal ranking minus that of the list.
    """
    best, gains = r.ideal(gain, ideal), r.gains(gain)
    ideal_gains = best.gains(gain)
    beyond = r.most(r.rank - r.spread(best.length), 0.0)
    possible = r.running_of(best, best.most(ideal_gains, 1.0)) + beyond
    without = r.at_least(gains, 0.0) * r.at_least(0.0, gains)
    parts = r.only(1.0 - without, gains / r.log2(2.0 + possible - r.running(gains)))
    return r.ratio(r.total(parts), best.total(ideal_gains))


@measure("binG", rows="relevant", at="no", same_as="binG", source="trec_eval, experimental there")
def binary_gain_by_shortfall(r: Lists, rel: float = REL) -> Queries:
    """The mean over relevant documents of 1 / log2(2 + n), where n nonrelevant documents are ranked above."""
    hits = r.hits(rel)
    return r.ratio(r.total(hits / r.log2(2.0 + r.rank - r.running(hits))), r.n_relevant(rel))
