"""Precision, recall, average precision and related measures, and counts of documents."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from carob.measures.define import (
    BETA,
    COUNT,
    COUNTED,
    GAIN,
    KNOWN,
    REL,
    TIMES,
    UNBOUNDED,
    measure,
    number,
    one_of,
)

if TYPE_CHECKING:
    from carob.lists import Gain, Lists, Queries


added_up = partial(measure, values=COUNTED, aggregate="sum", source="trec_eval")


@measure("NumQ", rows="relevant", aggregate="sum", at="no", same_as="num_q", source="trec_eval")
def number_of_queries(r: Lists) -> Queries:
    """The number of evaluated queries. The value of each query is 1."""
    return r.length * 0.0 + 1.0


@added_up("NumRet", rows="relevant", same_as="num_ret")
def number_retrieved(r: Lists) -> Queries:
    """The number of retrieved documents."""
    return r.length


@added_up("NumRel", rows="relevant", at="no", same_as="num_rel")
def number_relevant(r: Lists, rel: float = REL) -> Queries:
    """The number of documents judged relevant, whether retrieved or not."""
    return r.n_relevant(rel)


@added_up("NumRelRet", rows="relevant", additive=True, same_as="num_rel_ret")
def number_relevant_retrieved(r: Lists, rel: float = REL) -> Queries:
    """The number of relevant documents retrieved."""
    return r.total(r.hits(max(rel, 0.0)))


@added_up("NumNonRelRet", smaller_is_better=True, additive=True, same_as="num_nonrel_judged_ret")
def number_nonrelevant_retrieved(r: Lists, rel: float = REL) -> Queries:
    """The number of retrieved documents that are judged not relevant."""
    return r.total(r.misses(rel))


@measure("P", rows="relevant", whole="SetP", same_as="P_k", additive=True, source="Cleverdon 1967")
def precision(r: Lists, rel: float = REL, over: str = one_of("depth", "retrieved", "capped")) -> Queries:
    """The share of the first k documents that are relevant.

    The divisor is k, even if the list is shorter. ``over=retrieved`` divides by the number of documents in the list
    (XGBoost, CatBoost, rax, LensKit, Elasticsearch). ``over=capped`` divides by the number of relevant documents or by
    k, whichever is smaller, as ``R(over=capped)`` does (RecTools' r_precision). ``P`` without a depth stands for P at
    trec_eval's nine default depths. ``SetP`` is the precision of the whole list.
    """
    whole = {"depth": lambda: r.depth, "retrieved": lambda: r.length, "capped": lambda: r.size("capped", rel)}
    return r.ratio(r.total(r.hits(rel)), whole[over]())


@measure(
    "R",
    rows="relevant",
    same_as="recall_k; relative_P_k is R(over=capped)@k",
    additive=True,
    source="Cleverdon 1967",
)
def recall(r: Lists, rel: float = REL, over: str = one_of("relevant", "capped")) -> Queries:
    """The share of the relevant documents that are among the first k.

    R is 0 for a query without relevant documents. ``over=capped`` divides by k if there are more than k relevant
    documents, so R can reach 1 at every depth (LensKit's recall, BEIR's R_cap, recpack's calibrated recall).
    """
    return r.ratio(r.total(r.hits(max(rel, 0.0))), r.size(over, rel))


@measure("F", rows="relevant", source="van Rijsbergen 1979")
def f(r: Lists, beta: float = BETA, rel: float = REL, over: str = one_of("depth", "retrieved")) -> Queries:
    """The weighted harmonic mean of the precision and the recall of the first k documents.

    The weight of recall is beta squared, so a beta above 1 favours recall. F is 0 if no relevant document was found.
    ``over`` is the divisor of precision, as in ``P``. Do not confuse F with trec_eval's ``set_F_x``, which carob calls
    ``SetF``: ``set_F_x`` covers the whole list, and its x is beta squared.
    """
    p, q, weight = precision(r, rel, over), recall(r, rel, "relevant"), beta * beta
    return r.ratio((weight + 1.0) * p * q, weight * p + q)


@measure(
    "E", rows="relevant", smaller_is_better=True, source="van Rijsbergen 1979; Baeza-Yates and Ribeiro-Neto"
)
def effectiveness(
    r: Lists, b: float = BETA, rel: float = REL, over: str = one_of("depth", "retrieved")
) -> Queries:
    """1 minus F of the first k documents, so smaller values are better.

    E is 1 if no relevant document was found. A b above 1 favours recall. Some printings of Baeza-Yates and Ribeiro-Neto
    wrongly state that a b above 1 favours precision.
    """
    return 1.0 - f(r, b, rel, over)


@measure("Success", rows="relevant", same_as="success_k", source="TREC Web track 2002")
def success(r: Lists, rel: float = REL) -> Queries:
    """The hit rate: 1 if any of the first k documents is relevant, else 0.

    Some tools use the name "hit rate" for other measures. The hit rate of Catalyst and the granular hit rate of
    LlamaIndex equal ``R``. The hit rate of recpack equals ``NumRelRet``.
    """
    return r.best(r.hits(rel))


def queries_that_count(r: Lists, rel: float, times: float, mean: str) -> Queries | None:
    """Returns the weight of each query in R-precision. With ``mean=found``, queries without a hit have weight 0."""
    return None if mean == "all" else r.exceeds(r_precision(r, rel, times, mean), 0.0)


@measure(
    "Rprec",
    rows="relevant",
    at="no",
    weighs=queries_that_count,
    additive=True,
    same_as="Rprec; Rprec_mult_x is Rprec(times=x)",
    source="Buckley and Voorhees 2000",
)
def r_precision(
    r: Lists, rel: float = REL, times: float = TIMES, mean: str = one_of("all", "found")
) -> Queries:
    """The precision at rank R, where R is the number of relevant documents.

    R is multiplied by ``times``, and a fraction above 0.1 is rounded up. ``mean=found`` omits a query from the mean if
    no document down to this rank is relevant (recommenders).
    """
    del mean  # It affects only the weight of a query, not its value.
    cut = r.most(r.whole(times * r.n_relevant(rel), "up"), 0.0)
    return r.ratio(r.total(r.hits(rel) * r.within(cut)), cut)


@measure("SetP", rows="relevant", at="no", same_as="set_P", source="trec_eval")
def set_precision(r: Lists, rel: float = REL) -> Queries:
    """The share of the retrieved documents that are relevant."""
    return r.ratio(r.total(r.hits(rel) * r.judged), r.length)


@measure("SetAP", rows="relevant", at="no", same_as="set_map", source="trec_eval")
def set_average_precision(r: Lists, rel: float = REL) -> Queries:
    """The precision of the retrieved set times its recall: average precision for a set without a ranking."""
    found = r.total(r.hits(rel) * r.judged)
    return r.ratio(found * found, r.length * r.n_relevant(rel))


@measure("SetF", rows="relevant", at="no", same_as="set_F_x is SetF(weight=x)", source="van Rijsbergen 1979")
def set_f(r: Lists, rel: float = REL, weight: float = number(1, 0, 1e12)) -> Queries:
    """The weighted harmonic mean of the precision and the recall of the retrieved set.

    ``weight`` is beta squared. A weight above 1 favours recall.
    """
    found = r.total(r.hits(rel) * r.judged)
    p, q = r.ratio(found, r.length), r.ratio(found, r.n_relevant(rel))
    return r.ratio((weight + 1.0) * p * q, q + weight * p)


@measure(
    "Utility",
    rows="relevant",
    values=UNBOUNDED,
    at="no",
    same_as="utility_a,b,c,d",
    source="TREC Filtering track",
)
def utility(
    r: Lists,
    rel: float = REL,
    a: float = number(1),
    b: float = number(-1),
    c: float = number(0),
    d: float = number(0),
    collection: float = number(0, 0),
) -> Queries:
    """The sum of the documents' weights, which depend on whether a document is relevant and retrieved.

    The weight is ``a`` for a relevant retrieved document, ``b`` for a retrieved document that is not relevant, ``c``
    for a relevant document that was not retrieved, and ``d`` for all other documents. ``collection`` is the number of
    documents in the collection.
    """
    found, relevant = r.total(r.hits(rel) * r.judged), r.n_relevant(rel)
    left = collection + found - r.length - relevant
    return a * found + b * (r.length - found) + c * (relevant - found) + d * left


@measure("Unjudged", smaller_is_better=True, additive=True, same_as="unj_k", source="trec_eval 10")
def unjudged(r: Lists) -> Queries:
    """The share of the first k ranks that contain an unjudged document.

    Ranks beyond the end of the list do not contain a document, so they do not count as unjudged.
    """
    return r.ratio(r.length - r.total(r.judged), r.depth)


def documents_that_count(r: Lists, over: str, mean: str) -> Queries | None:
    """Returns the weight of each query in Judged: with ``mean=documents``, the number of its documents."""
    del over
    return None if mean == "queries" else r.length


@measure("Judged", additive=True, weighs=documents_that_count, source="ir_measures; pyserini")
def judged(
    r: Lists, over: str = one_of("retrieved", "depth"), mean: str = one_of("queries", "documents")
) -> Queries:
    """The share of the first k documents that were judged for the query.

    Judged is 0 for an empty list. ``over=depth`` divides by k even if the list is shorter. Judged and ``Unjudged`` of a
    short list then add up to less than 1, because ``Unjudged`` does not count the missing ranks. ``mean=documents``
    weights each query by its number of documents, so the mean is the share of judged documents over all queries
    together (Pyserini). Judged differs from BEIR's Hole@k, which counts a document as judged if it was judged for any
    query.
    """
    del mean  # It affects only the weight of a query, not its value.
    return r.ratio(r.total(r.judged), {"retrieved": r.length, "depth": r.depth}[over])


KORFHAGE = "Korfhage 1997; Baeza-Yates and Ribeiro-Neto 1999, section 3.2"


@measure("CoverageRatio", additive=True, source=KORFHAGE)
def coverage_ratio(r: Lists, known: float = KNOWN) -> Queries:
    """Of the relevant documents that the user already knew, the share that was retrieved.

    A document counts as known if its grade is at least ``known``. CoverageRatio is 0 if the user knew no relevant
    document.
    """
    return r.ratio(r.total(r.hits(known)), r.n_relevant(known))


@measure("NoveltyRatio", rows="relevant", source=KORFHAGE)
def novelty_ratio(r: Lists, known: float = KNOWN, rel: float = REL) -> Queries:
    """Of the retrieved relevant documents, the share that the user did not know.

    A document counts as known if its grade is at least ``known``, and as relevant if its grade is at least ``rel``.
    NoveltyRatio is 0 if no relevant document was found.
    """
    found = r.total(r.hits(rel))
    return r.ratio(found - r.total(r.hits(rel) * r.hits(known)), found)


@measure("RelativeRecall", rows="relevant", source=KORFHAGE)
def relative_recall(r: Lists, wanted: float = COUNT, rel: float = REL) -> Queries:
    """The number of relevant documents found, divided by the number that the user wants; at most 1."""
    return r.least(r.total(r.hits(rel)), wanted) / wanted


@measure("RecallEffort", rows="relevant", source=KORFHAGE)
def recall_effort(r: Lists, wanted: float = COUNT, rel: float = REL) -> Queries:
    """The number of relevant documents that the user wants, divided by the rank at which the last of these is found.

    RecallEffort is 0 if the list has fewer relevant documents than the user wants.
    """
    return r.best(r.at_least(r.running(r.hits(rel)), wanted) * wanted / r.rank)


@measure(
    "AP",
    rows="relevant",
    same_as="map; map_cut_k is AP@k; map_avgjg is AP over judgment groups",
    source="Harman 1993, TREC-1",
)
def average_precision(
    r: Lists, rel: float = REL, over: str = one_of("relevant", "retrieved", "capped", "length", "depth")
) -> Queries:
    """The mean of the precisions at the ranks of the relevant documents.

    A relevant document that was not retrieved adds 0 to the sum. AP is 0 for a query without relevant documents. By
    default, the sum is divided by the total number of relevant documents. ``over=retrieved`` divides by the number of
    relevant documents in the list (torchmetrics, Ragas). ``over=capped`` divides by the total number of relevant
    documents or by k, whichever is smaller (LightGBM, Spark). ``over=length`` divides by the total number of relevant
    documents or by the list's length, whichever is smaller (LensKit). ``over=depth`` divides by k (RecTools).
    """
    hits = r.hits(rel)
    return r.ratio(r.total(hits * r.running(hits) / r.rank), r.size(over, rel))


@measure("MeanP", rows="relevant", additive=True, source="Anelli and others 2021, Elliot")
def mean_precision(r: Lists, rel: float = REL) -> Queries:
    """The mean of the precisions at all ranks from 1 to k.

    Ranks beyond the end of the list also count. Elliot calls MeanP "MAP". Do not confuse MeanP with ``AP``, which uses
    only the precisions at the ranks of relevant documents.
    """
    beneath = r.reciprocals(r.rank, r.spread(r.depth))
    return r.ratio(r.total(r.hits(rel) * beneath), r.depth)


@measure("ListedAP", rows="every", source="Evidently, precision_recall_k.py")
def average_precision_as_listed(r: Lists, rel: float = REL) -> Queries:
    """Average precision that depends on the order of lines in the run, as in the Evidently library.

    Of the documents down to a rank, one appears last in the run. The precision at the rank counts if this document is
    relevant. The sum of the precisions that count is divided by the number of relevant documents. If the lines are in
    order of rank, ListedAP equals ``AP``. Evidently calls the value MAP in either case. ListedAP needs the policy
    ``listing=known``.
    """
    hits = r.hits(rel)
    return r.ratio(r.total(r.latest(hits) * r.running(hits) / r.rank), r.n_relevant(rel))


@measure("GMAP", rows="relevant", aggregate="geometric", same_as="gm_map", source="Robertson 2006")
def geometric_average_precision(r: Lists, rel: float = REL) -> Queries:
    """Average precision with a geometric mean over the queries, so queries with low values have more influence."""
    return average_precision(r, rel, "relevant")


@measure("Q", rows="relevant", source="Sakai 2004, NTCIR-4; Sakai and Kando 2008 for beta")
def q_measure(
    r: Lists,
    beta: float = BETA,
    gain: Gain = GAIN,
    rel: float = REL,
    over: str = one_of("relevant", "capped"),
) -> Queries:
    """Average precision for graded relevance: the mean of the blended ratio over the ranks of the relevant documents.

    The blended ratio at rank i is (number of relevant documents down to i + beta * cumulated gain) / (i + beta *
    cumulated gain of the ideal ranking). With beta=0, Q equals ``AP``. Q is 0 for a query without relevant documents.
    """
    hits, best = r.hits(rel), r.ideal(gain, "judged")
    found = r.running(hits) + beta * r.running(r.gains(gain))
    possible = r.rank + beta * r.running_of(best, best.gains(gain))
    return r.ratio(r.total(hits * found / possible), r.size(over, rel))


@measure("infAP", at="no", same_as="infAP", source="Yilmaz and Aslam 2006")
def inferred_average_precision(r: Lists, rel: float = REL) -> Queries:
    """Average precision, estimated from judgments of a sample of the pool.

    A negative grade marks a pooled document that was not sampled. At each rank, the estimate assumes that the unsampled
    documents ranked above are relevant as often as the sampled ones. The smoothing constant is 0.00001, as in
    trec_eval.
    """
    hits, epsilon = r.hits(rel) * r.judged, 0.00001
    relevant, nonrelevant, unsampled = r.above(hits), r.above(r.misses(rel)), r.above(r.pooled_unjudged)
    ahead = r.rank - 1.0
    pooled = r.ratio(relevant + nonrelevant + unsampled, ahead)
    share = (relevant + epsilon) / (relevant + nonrelevant + 2.0 * epsilon)
    expected = 1.0 / r.rank + (ahead / r.rank) * pooled * share
    return r.ratio(r.total(hits * expected), r.n_relevant(rel))


@measure(
    "Bpref", at="no", same_as="bpref", source="Buckley and Voorhees 2004; Soboroff 2006 for the denominator"
)
def binary_preference(r: Lists, rel: float = REL) -> Queries:
    """A measure of how rarely documents judged not relevant are ranked above relevant documents.

    Unjudged documents do not count.
    """
    relevant, nonrelevant = r.n_relevant(rel), r.n_nonrelevant(rel)
    hits = r.hits(rel) * r.judged
    above = r.least(r.above(r.misses(rel)), r.spread(relevant))
    betrayed = r.ratio(above, r.spread(r.least(nonrelevant, relevant)))
    return r.ratio(r.total(hits * (1.0 - betrayed)), relevant)


@measure("GMBpref", aggregate="geometric", at="no", same_as="gm_bpref", source="trec_eval")
def geometric_binary_preference(r: Lists, rel: float = REL) -> Queries:
    """Bpref with a geometric mean over the queries."""
    return binary_preference(r, rel)


@measure(
    "IPrec",
    rows="relevant",
    at="recall",
    same_as="iprec_at_recall_r",
    source="Salton and McGill 1983; trec_eval 9 for rounding=up",
)
def interpolated_precision(
    r: Lists, recall: float = number(0.0, 0, 1), rel: float = REL, rounding: str = one_of("nearest", "up")
) -> Queries:
    """The highest precision at any rank where at least the given share of the relevant documents has been found.

    The share of the relevant documents is rounded to a whole number of documents. ``rounding=nearest`` rounds halves
    up. ``rounding=up`` rounds fractions above 0.1 up, as in trec_eval 9.
    """
    hits = r.hits(rel)
    found = r.running(hits)
    needed = r.whole(recall * r.n_relevant(rel), rounding)
    return r.best(hits * r.at_least(found, r.spread(needed)) * found / r.rank)


@measure("IPrecMean", rows="relevant", at="no", same_as="11pt_avg", source="Salton and McGill 1983")
def mean_interpolated_precision(
    r: Lists,
    points: tuple[float, ...] = number((0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), 0, 1),
    rel: float = REL,
    rounding: str = one_of("nearest", "up"),
) -> Queries:
    """The mean of the interpolated precision at several recall points: by default the eleven points 0, 0.1, …, 1.

    The sum is computed from the last recall point to the first, as in trec_eval.
    """
    total = r.length * 0.0
    for point in reversed(points):
        total = total + interpolated_precision(r, point, rel, rounding)
    return total / float(len(points))


@measure("YAAP", rows="relevant", values=UNBOUNDED, at="no", same_as="yaap", source="Robertson 2006")
def log_odds_of_average_precision(r: Lists, rel: float = REL) -> Queries:
    """The log odds of average precision ("yet another average precision"), with additive smoothing of 1.

    With s as the sum of the precisions at the relevant documents and R as the number of relevant documents, YAAP is
    ln((1 + s) / (1 + R - s)).
    """
    hits, relevant = r.hits(rel), r.n_relevant(rel)
    precisions = r.total(hits * r.running(hits) / r.rank)
    return r.ln((1.0 + precisions) / (1.0 + relevant - precisions))
