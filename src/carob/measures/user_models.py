"""Gains discounted by rank, and models of users who read down the list: DCG, nDCG, RR, ERR, RBP and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob.measures.define import (
    COUNT,
    COUNTED,
    DISCOUNT,
    GAIN,
    HIGHEST,
    IDEAL,
    REL,
    SHARE,
    WANTED,
    measure,
    number,
    one_of,
)

if TYPE_CHECKING:
    from carob.lists import Gain, Lists, Queries, Rows


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
    """The sum of the gains, each divided by a discount that grows with the rank.

    ``discount=log2`` divides by log2(rank + 1) (Burges and others 2005). ``jk(b)``, the discount in the original paper,
    is 1 before rank b and log_b(rank) from rank b on. LensKit uses ``jk(2)``. ``ln`` (recommenders) and ``log(b)``
    (scikit-learn's log_base) use another base for the logarithm of rank + 1. ``ln_rank`` and ``log_rank(b)`` are 1 at
    rank 1 and the logarithm of the rank from rank 2 on; ``log_rank(2)`` equals ``jk(2)``. ``rank`` divides by the rank
    (CatBoost's Position). ``gain=exp2(t)`` is 2^(grade - t + 1) - 1 for grades of at least t (Elliot).
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

    The ideal ranking contains all judged documents, whether retrieved or not, and is cut at the same depth as the run.
    ``ideal=uncut`` never cuts the ideal ranking (Haystack, LlamaIndex, Quepid's ndcg@10). ``ideal=length`` cuts it at
    the length of the run's list (Elasticsearch, MLflow). With ``ideal=retrieved``, the ideal ranking contains only
    retrieved documents, and with ``ideal=top``, only the first k retrieved documents, so better documents below rank k
    do not count. A list whose first k documents have no gain scores 0 even if the query has relevant documents. With
    ``ideal=depth``, the ideal ranking consists of k documents of grade 1 (RecTools). If gains equal grades between 0
    and 1, ``ideal=depth`` gives the SDCG of C/W/L. With ``ideal=full``, the ideal ranking consists of as many documents
    of grade 1 as were retrieved. nDCG is 0 for a query without a positive gain. NTCIR calls nDCG "MSnDCG". Do not
    confuse nDCG with Spark's graded nDCG, whose ideal ranking keeps the judgments in the given order.
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
    """The mean of the nDCG over the ranks of the documents with a positive gain.

    For a document that was not retrieved, the nDCG of the whole list is used.
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
    """The mean of the nDCG over the ranks where the gain of the ideal ranking decreases: a graded form of R-precision.

    If a list is at least two documents longer than the ideal ranking, the last rank of the list counts as well. RnDCG
    is undefined if no rank counts.
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
    """The sum of the gains, each discounted by the gain missed so far, divided by the sum of the ideal gains.

    The gain missed at a rank is the cumulated gain of the ideal ranking minus the cumulated gain of the list, where a
    gain below 1 in the ideal ranking, and each rank beyond its end, counts as a gain of 1. The discount is log2(2 +
    gain missed).
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
    """The mean of 1 / log2(2 + n) over relevant documents, each of which is ranked below n nonrelevant documents."""
    hits = r.hits(rel)
    return r.ratio(r.total(hits / r.log2(2.0 + r.rank - r.running(hits))), r.n_relevant(rel))


MOFFAT = "Moffat and Zobel 2008"
SATISFYING: Any = one_of("exp2", "linear", role="gain")


@measure("RR", rows="relevant", same_as="recip_rank", source="Kantor and Voorhees 2000, TREC-5")
def reciprocal_rank(r: Lists, rel: float = REL, of: str = one_of("first", "highest", "each")) -> Queries:
    """1 / the rank of the first relevant document, or 0 if there is none.

    ``of=highest`` uses the first document with the highest grade in the list (allRank, RRE). ``of=each`` gives the mean
    of 1 / rank over all relevant documents in the list (LlamaIndex's granular MRR).
    """
    hits = r.hits(rel)
    return {
        "first": lambda: r.best(hits / r.rank),
        "highest": lambda: r.best(hits * r.at_least(r.grade, r.spread(r.best(r.grade))) / r.rank),
        "each": lambda: r.ratio(r.total(hits / r.rank), r.total(hits)),
    }[of]()


@measure("ERR", rows="relevant", source="Chapelle, Metzler, Zhang and Grinspan 2009; max=4 is gdeval's")
def expected_reciprocal_rank(
    r: Lists, max: float = number(4, 0, role="highest"), gain: Gain = SATISFYING
) -> Queries:
    """The expected reciprocal of the rank at which a user stops.

    Each document satisfies a share of the users who reach it, and satisfied users stop. The share is gain / (gain of
    the highest grade + 1), by default (2^grade - 1) / 2^max. ``max`` is the highest grade that assessors could give for
    any query. In CatBoost, the share is the label itself: ``ERR(gain=linear,max=0)``.

    Raises:
        DataError: a grade is above ``max``.
    """
    stops = r.stops(gain, max)
    return r.total(r.product_above(1.0 - stops) * stops / r.rank)


@measure("nERR", rows="relevant", source="Chapelle and others 2009; Sakai and Song 2011, NTCIR")
def normalised_expected_reciprocal_rank(
    r: Lists, max: float = number(4, 0, role="highest"), gain: Gain = SATISFYING, ideal: str = IDEAL
) -> Queries:
    """ERR divided by the ERR of the ideal ranking.

    nERR is 0 for a query without a positive gain.

    Raises:
        DataError: a grade is above ``max``.
    """
    best = expected_reciprocal_rank(r.ideal(gain, ideal), max, gain)
    return r.ratio(expected_reciprocal_rank(r, max, gain), best)


@measure(
    "RBP", rows="relevant", additive=True, same_as="rbp", source=f"{MOFFAT}; the scale is trec_eval 10's"
)
def rank_biased_precision(
    r: Lists,
    p: float = number(0.9, 0, 1),
    gain: Gain = GAIN,
    rel: float | str = one_of("graded", "number", number=REL, role="relevance"),
    max: float | str = one_of("query", "none", "number", number=HIGHEST),
) -> Queries:
    """The expected gain per document for a user who continues to the next document with probability p.

    If any gain of a query is outside [0, 1], all its gains are scaled to [0, 1] using the query's lowest and highest
    gains, as trec_eval 10 intends. ``max=4`` divides the gains of all queries by the gain of grade 4 instead.
    ``max=none`` does not scale gains (ranx, trectools, ir_measures without rel), so RBP can be above 1. With ``rel=1``,
    the gain is 1 for grades of at least 1.

    Raises:
        DataError: a grade is above ``max``.
    """
    return (1.0 - p) * r.total(r.unit_gains(gain, rel, max) * r.powers(p, r.rank - 1.0))


@measure(
    "RBPresid",
    smaller_is_better=True,
    same_as="rbp_resid",
    source=f"{MOFFAT}; trec_eval 10 for the value 0 if no document is unjudged",
)
def rank_biased_residual(
    r: Lists, p: float = number(0.9, 0, 1), tail: str = one_of("unjudged", "always")
) -> Queries:
    """The amount by which RBP would rise if all unjudged documents, and all documents beyond the list, were relevant.

    RBPresid is 0 if every retrieved document is judged. ``tail=always`` counts the documents beyond the list even then,
    as in the paper.
    """
    unsure = r.exceeds(r.length - r.total(r.judged), 0.0)
    counts = {"unjudged": unsure, "always": r.most(unsure, 1.0)}[tail]
    return counts * (r.powers(p, r.length) + (1.0 - p) * r.total_unjudged(p))


@measure("INSQ", rows="relevant", additive=True, source="Moffat, Scholer and Thomas 2012")
def inverse_squares(r: Lists, T: float = WANTED, gain: Gain = SHARE, max: float = HIGHEST) -> Queries:
    """The expected gain per document for a user who wants T relevant documents and becomes more patient with rank.

    The weight of rank i is 1 / (i + 2T - 1)^2. Users look at k ranks or, without a depth, at infinitely many ranks.
    Gains other than ``binary`` are divided by the gain of grade ``max``. cwl_eval uses lists of 1,000 ranks, so its
    value equals ``INSQ@1000``.

    Raises:
        DataError: a grade is above ``max``.
    """
    gains, ahead = r.unit_gains(gain, "graded", max), 2.0 * T - 1.0
    return r.total(gains / (r.rank + ahead) ** 2) / r.reciprocals(1.0 + ahead, r.horizon + ahead, 2)


@measure("INST", rows="every", source="Moffat, Bailey, Scholer and Thomas 2015")
def inst(r: Lists, T: float = WANTED, gain: Gain = SHARE, max: float = HIGHEST) -> Queries:
    """The expected gain per document for a user who wants T relevant documents and stops sooner if more are found.

    After rank i, with t documents still wanted, the proportion of users who continue is ((i + T + t - 1) / (i + T +
    t))^2. Users look at k ranks or, without a depth, at infinitely many ranks. Ranks beyond the list have no gain.
    Gains other than ``binary`` are divided by the gain of grade ``max``. cwl_eval uses lists of 1,000 ranks, so its
    value equals ``INST@1000``.

    Raises:
        DataError: a grade is above ``max``.
    """
    gains = r.unit_gains(gain, "graded", max)
    ahead = 2.0 * T - r.running(gains)
    going_on = ((r.rank + ahead - 1.0) / (r.rank + ahead)) ** 2
    reaching = r.product_above(going_on)
    leaving = r.total(r.at_least(r.rank, r.spread(r.length)) * reaching * going_on)
    beyond = r.length + 2.0 * T - r.total(gains)
    tail = leaving * beyond**2 * r.reciprocals(beyond, r.horizon + beyond - r.length - 1.0, 2)
    return r.ratio(r.total(reaching * gains), r.total(reaching) + tail)


@measure("BPM", rows="relevant", source="Zhang and others 2017, static version")
def bejeweled_player(
    r: Lists, T: float = WANTED, K: float = COUNT, gain: Gain = SHARE, max: float = HIGHEST
) -> Queries:
    """The expected gain per document for a user who stops after a gain of T or after K documents.

    Ranks beyond the end of the list have no gain. Gains other than ``binary`` are divided by the gain of grade ``max``.

    Raises:
        DataError: a grade is above ``max``.
    """
    gains = r.unit_gains(gain, "graded", max)
    content = r.best(r.at_least(r.running(gains), T) / r.rank)
    per_document = r.most(content, 1.0 / K)
    return per_document * r.total(gains * r.within(1.0 / per_document))
