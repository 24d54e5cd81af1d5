"""Average precision and its relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.measures.define import BETA, GAIN, REL, UNBOUNDED, measure, number, one_of

if TYPE_CHECKING:
    from karat.lists import Gain, Lists, Queries


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

    A relevant document that was not retrieved adds 0 to the sum. A query without relevant documents has the value 0. By
    default, the sum is divided by the number of all relevant documents. ``over=retrieved`` divides by the number of
    relevant documents in the list (torchmetrics, Ragas). ``over=capped`` divides by the number of all relevant
    documents, but at most by k (LightGBM, Spark). ``over=length`` divides by this number, but at most by the list's
    length (LensKit). ``over=depth`` divides by k (RecTools).
    """
    hits = r.hits(rel)
    return r.ratio(r.total(hits * r.running(hits) / r.rank), r.size(over, rel))


@measure("MeanP", rows="relevant", additive=True, source="Anelli and others 2021, Elliot")
def mean_precision(r: Lists, rel: float = REL) -> Queries:
    """The mean of the precisions at all ranks from 1 to k.

    Ranks beyond the end of the list count too. Elliot calls this measure MAP. Do not confuse MeanP with ``AP``, which
    uses only the precisions at the ranks of relevant documents.
    """
    beneath = r.reciprocals(r.rank, r.spread(r.depth))
    return r.ratio(r.total(r.hits(rel) * beneath), r.depth)


@measure("ListedAP", rows="every", source="Evidently, precision_recall_k.py")
def average_precision_as_listed(r: Lists, rel: float = REL) -> Queries:
    """Average precision that depends on the order of the run's lines, as in Evidently.

    The precision at a rank counts if, of the documents down to this rank, the one with the last line is relevant. The
    precisions that count are summed and divided by the number of relevant documents. If the lines are in order of rank,
    the value equals ``AP``. Evidently calls the value MAP in either case. ListedAP needs the policy ``listing=known``.
    """
    hits = r.hits(rel)
    return r.ratio(r.total(r.latest(hits) * r.running(hits) / r.rank), r.n_relevant(rel))


@measure("GMAP", rows="relevant", aggregate="geometric", same_as="gm_map", source="Robertson 2006")
def geometric_average_precision(r: Lists, rel: float = REL) -> Queries:
    """Average precision with a geometric mean over the queries, so that queries with low values weigh more."""
    return average_precision(r, rel, "relevant")


@measure("Q", rows="relevant", source="Sakai 2004, NTCIR-4; Sakai and Kando 2008 for beta")
def q_measure(
    r: Lists,
    beta: float = BETA,
    gain: Gain = GAIN,
    rel: float = REL,
    over: str = one_of("relevant", "capped"),
) -> Queries:
    """Average precision with graded gains: the mean of the blended ratios at the ranks of the relevant documents.

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

    A negative grade marks a pooled document that was not sampled. The estimate assumes that such documents are relevant
    as often as the sampled documents at higher ranks. The smoothing constant is 0.00001, as in trec_eval.
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
    """Measures how rarely documents judged not relevant are ranked above relevant ones.

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
    """The highest precision at the ranks down to which the given share of the relevant documents has been found.

    The share is rounded to a whole number of documents. ``rounding=nearest`` rounds halves up. ``rounding=up`` rounds
    fractions above 0.1 up, as in trec_eval 9.
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
    """The mean of the interpolated precisions at eleven recall points from 0 to 1.

    The precisions are added from the last recall point to the first, as in trec_eval.
    """
    total = r.length * 0.0
    for point in reversed(points):
        total = total + interpolated_precision(r, point, rel, rounding)
    return total / float(len(points))


@measure("YAAP", rows="relevant", values=UNBOUNDED, at="no", same_as="yaap", source="Robertson 2006")
def log_odds_of_average_precision(r: Lists, rel: float = REL) -> Queries:
    """The log odds of average precision, smoothed by 1: "yet another average precision".

    With s as the sum of the precisions at the relevant documents and R as the number of relevant documents, YAAP is
    ln((1 + s) / (1 + R - s)).
    """
    hits, relevant = r.hits(rel), r.n_relevant(rel)
    precisions = r.total(hits * r.running(hits) / r.rank)
    return r.ln((1.0 + precisions) / (1.0 + relevant - precisions))
