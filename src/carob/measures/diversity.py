"""Diversity and novelty by subtopic, and means over judgment groups."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from carob.measures.define import COUNTED, DISCOUNT, PROBABILITY, REL, TIMES, measure, one_of
from carob.measures.precision import average_precision, precision, r_precision

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.lists import Lists, Queries, Rows

SCALE = one_of("perfect", "subtopics", "none")
CLARKE = "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon 2008"
NRBP = "Clarke, Kolla and Vechtomova 2009"
NDEVAL = "TREC Web track, ndeval"
by_subtopic = partial(measure, takes="groups")


def novelty(s: Lists, alpha: float, rel: float, weight: Rows) -> Queries:
    """Returns the sum over the relevant documents of a subtopic, in which each further document counts less.

    A document adds weight * (1 - alpha)^n, where n is the number of relevant documents ranked above it.
    """
    hits = s.hits(rel)
    return s.total(hits * s.powers(1.0 - alpha, s.above(hits)) * weight)


def over_subtopics(r: Lists, values: Queries, rel: float) -> Queries:
    """Returns the mean over the subtopics that have at least one relevant document."""
    counted = r.groups.exceeds(r.groups.n_relevant(rel), 0.0)
    return r.ratio(r.over_groups(counted * values), r.over_groups(counted))


def scaled(r: Lists, weights: Callable[[Lists], Rows], alpha: float, rel: float, scale: str) -> Queries:
    """Returns a list's novelty, relative to a perfect list, averaged over subtopics, or summed, as set by ``scale``."""
    s = r.groups
    reached = novelty(s, alpha, rel, weights(s))
    if scale == "none":
        return r.total_over_groups(reached)
    if scale == "subtopics":
        return over_subtopics(r, reached, rel)
    perfect = s.ideal("linear", "depth")
    return over_subtopics(r, s.ratio(reached, novelty(perfect, alpha, 1.0, weights(perfect))), rel)


def share_of_best(r: Lists, weights: Callable[[Lists], Rows], alpha: float, rel: float) -> Queries:
    """Returns the novelty of a list divided by the novelty of the greedily built list."""
    s = r.groups
    best = s.most_novel(alpha, rel)
    reached, possible = novelty(s, alpha, rel, weights(s)), novelty(best, alpha, rel, weights(best))
    return r.ratio(r.total_over_groups(reached), r.total_over_groups(possible))


@by_subtopic("alphaDCG", values=COUNTED, source=f"{CLARKE}; {NDEVAL}")
def alpha_dcg(
    r: Lists, alpha: float = PROBABILITY, rel: float = REL, discount: str = DISCOUNT, scale: str = SCALE
) -> Queries:
    """DCG over subtopics, in which each further document relevant to a subtopic counts 1 - alpha times as much.

    Each relevant document adds (1 - alpha)^n / discount for each of its subtopics, where n is the number of
    higher-ranked documents that are relevant to the subtopic. ``scale=perfect`` (ndeval) divides the sum by the sum for
    k documents that are relevant to every subtopic. Without a depth, k is the number of documents retrieved.
    ``scale=subtopics`` gives the mean over subtopics, and ``scale=none`` gives the undivided sum (TensorFlow Ranking).
    Subtopics without a relevant document do not count. At depth 1, ndeval does not divide; carob divides at every
    depth.
    """
    return scaled(r, lambda lists: 1.0 / lists.discount(discount), alpha, rel, scale)


@by_subtopic("alphanDCG", source=f"{CLARKE}; {NDEVAL}")
def alpha_ndcg(r: Lists, alpha: float = PROBABILITY, rel: float = REL, discount: str = DISCOUNT) -> Queries:
    """alphaDCG divided by the alphaDCG of a list that is built greedily to be as good as possible.

    At each rank, the greedy list contains the judged document that adds the most. If several documents add the same
    amount, the one with the largest id is chosen. Finding the best possible list is NP-hard. alphanDCG is 0 for a query
    without a relevant document.
    """
    return share_of_best(r, lambda lists: 1.0 / lists.discount(discount), alpha, rel)


@by_subtopic("ERRIA", values=COUNTED, source=f"Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu 2011; {NDEVAL}")
def intent_aware_err(r: Lists, alpha: float = PROBABILITY, rel: float = REL, scale: str = SCALE) -> Queries:
    """The expected reciprocal rank of each subtopic, averaged or summed over the subtopics.

    A relevant document satisfies a share ``alpha`` of the users who look at it, and satisfied users stop.
    ``scale=perfect`` (ndeval) divides by the value of k documents that are relevant to every subtopic. Without a depth,
    k is the number of documents retrieved. ``scale=subtopics`` gives the mean ERR of the subtopics, divided by alpha.
    ``scale=none`` gives the sum over subtopics, divided by alpha. At depth 1, ndeval does not divide; carob divides at
    every depth.
    """
    return scaled(r, lambda lists: 1.0 / lists.rank, alpha, rel, scale)


@by_subtopic("nERRIA", source=NDEVAL)
def normalised_intent_aware_err(r: Lists, alpha: float = PROBABILITY, rel: float = REL) -> Queries:
    """ERRIA divided by the ERRIA of a list that is built greedily, as in alphanDCG.

    nERRIA is 0 for a query without a relevant document.
    """
    return share_of_best(r, lambda lists: 1.0 / lists.rank, alpha, rel)


@by_subtopic("NRBP", source=NRBP)
def novelty_rank_biased_precision(
    r: Lists, alpha: float = PROBABILITY, beta: float = PROBABILITY, rel: float = REL
) -> Queries:
    """Rank-biased precision over subtopics, in which each further document relevant to a subtopic counts less.

    A user continues to the next document with probability ``beta``. Each further document relevant to a subtopic counts
    1 - alpha times as much. The result is divided by the value of an infinite list of documents that are relevant to
    every subtopic.
    """
    reached = novelty(r.groups, alpha, rel, r.groups.powers(beta, r.groups.rank - 1.0))
    return (1.0 - (1.0 - alpha) * beta) * over_subtopics(r, reached, rel)


@by_subtopic("nNRBP", source=f"{NRBP}; {NDEVAL}")
def normalised_novelty_rank_biased_precision(
    r: Lists, alpha: float = PROBABILITY, beta: float = PROBABILITY, rel: float = REL
) -> Queries:
    """NRBP divided by the NRBP of a list that is built greedily, as in alphanDCG.

    nNRBP is 0 for a query without a relevant document.
    """
    return share_of_best(r, lambda lists: lists.powers(beta, lists.rank - 1.0), alpha, rel)


@by_subtopic("PIA", whole="APIA", source="Agrawal, Gollapudi, Halverson and Ieong 2009")
def intent_aware_precision(r: Lists, rel: float = REL) -> Queries:
    """The precision by the judgments of each subtopic, averaged over the subtopics.

    Subtopics without a relevant document do not count.
    """
    return over_subtopics(r, precision(r.groups, rel, "depth"), rel)


@by_subtopic("APIA", source="Agrawal, Gollapudi, Halverson and Ieong 2009; ndeval's MAP-IA")
def intent_aware_average_precision(r: Lists, rel: float = REL) -> Queries:
    """The average precision by the judgments of each subtopic, averaged over the subtopics.

    Subtopics without a relevant document do not count. In ``GroupAP``, a group without a relevant document counts as 0.
    """
    return over_subtopics(r, average_precision(r.groups, rel, "relevant"), rel)


@by_subtopic("SRecall", source="Zhai, Cohen and Lafferty 2003; ndeval's strec")
def subtopic_recall(r: Lists, rel: float = REL) -> Queries:
    """The share of the subtopics that have a relevant document among the first k documents.

    Subtopics that have no relevant document in the judgments do not count.
    """
    return over_subtopics(r, r.groups.best(r.groups.hits(rel)), rel)


@by_subtopic("GroupAP", same_as="map_avgjg", source="trec_eval")
def group_average_precision(r: Lists, rel: float = REL) -> Queries:
    """The average precision by the judgments of each judgment group, averaged over the groups of the query."""
    return r.over_groups(average_precision(r.groups, rel, "relevant"))


@by_subtopic("GroupP", whole="GroupAP", same_as="P_avgjg_k", source="trec_eval")
def group_precision(r: Lists, rel: float = REL) -> Queries:
    """The precision by the judgments of each judgment group, averaged over the groups of the query."""
    return r.over_groups(precision(r.groups, rel, "depth"))


@by_subtopic("GroupRprec", at="no", same_as="Rprec_mult_avgjg_x is GroupRprec(times=x)", source="trec_eval")
def group_r_precision(r: Lists, rel: float = REL, times: float = TIMES) -> Queries:
    """The R-precision by the judgments of each judgment group, averaged over the groups of the query."""
    return r.over_groups(r_precision(r.groups, rel, times, "all"))
