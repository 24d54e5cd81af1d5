"""Pairs of documents: the area under the ROC curve, and preferences of assessors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from carob.measures.define import COUNT, COUNTED, REL, measure, number, one_of

if TYPE_CHECKING:
    from carob.lists import Lists, Queries

BAMBER = "Bamber 1975; Hanley and McNeil 1982"


def relevant_if_micro(r: Lists, rel: float, single: str, micro: str) -> Queries | None:
    """Returns the weight of each query with ``micro=true``: the number of relevant documents retrieved."""
    del single
    if micro == "false":
        return None
    relevant = r.total(r.hits(rel))
    pairs = r.all_total(relevant) * r.all_total(r.length - relevant)
    return r.only(pairs, relevant, 1.0)


@measure("AUC", weighs=relevant_if_micro, source=BAMBER)
def area_under_curve(
    r: Lists,
    rel: float = REL,
    single: str = one_of("zero", "half", "one", "nan"),
    micro: str = one_of("false", "true", role="micro"),
) -> Queries:
    """The share of the pairs of a relevant and a nonrelevant document that the list orders correctly.

    Pairs with equal scores count as one half, so the order of ties does not matter. Only retrieved documents form
    pairs. Unjudged documents count as nonrelevant (``--unjudged removed`` leaves them out). A list with only relevant
    or only nonrelevant documents has no pairs. ``single`` sets the value of a list without pairs: 0 (torchmetrics),
    0.5, 1 or undefined (scikit-learn). ``AUC@k`` is the AUC of the first k documents.

    ``micro=true`` computes one AUC over the documents of all queries, as in scikit-learn, LightGBM, XGBoost and
    RecBole. Pairs are then also formed across queries, so scores must be comparable. The pairs of a query consist of
    one of its relevant documents and a nonrelevant document of any query. The value of a query is the share of its
    pairs that are ordered correctly. The mean weights each query by the number of its relevant documents that were
    retrieved, which gives the AUC over all queries. If queries have weights, the weight of a query applies to each of
    its documents. Some tools define AUC differently: XGBoost's ranking objective also counts pairs of equal labels, and
    Cornac counts ties as wrong.
    """
    hits = r.hits(rel)
    relevant = r.total(hits)
    if micro == "true":
        others = r.all_total(r.length - relevant)
        right = r.total(hits * (r.spread(others) - (r.all_above(1.0) - r.all_above(hits))))
    else:
        others = r.length - relevant
        right = r.total(hits * (r.spread(r.length) + 0.5 - r.tied_rank)) - relevant * relevant / 2.0
    pairs = relevant * others
    none = {"zero": 0.0, "half": 0.5, "one": 1.0, "nan": float("nan")}[single]
    return r.only(pairs, r.ratio(right, pairs), none)


def pairs_that_count(r: Lists, rel: float, weight: str) -> Queries:
    """Returns the weight of each query in GAUC, which is 0 for a query without pairs."""
    relevant = r.total(r.hits(rel))
    pairs = relevant * (r.length - relevant)
    weights = {
        "retrieved": lambda: r.length,
        "relevant": lambda: relevant,
        "pairs": lambda: pairs,
        "queries": lambda: relevant * 0.0 + 1.0,
    }
    return r.only(pairs, weights[weight]())


@measure("GAUC", weighs=pairs_that_count, source="Zhu and others 2017 (DIN)")
def grouped_area_under_curve(
    r: Lists, rel: float = REL, weight: str = one_of("retrieved", "relevant", "pairs", "queries")
) -> Queries:
    """The weighted mean of AUC over the queries that have a pair.

    ``weight`` sets the weight of a query. ``retrieved`` is the number of documents in the query's list (impressions, as
    in the paper). ``relevant`` is the number of relevant documents in the list (RecBole's GAUC, Elliot's AUC).
    ``pairs`` is the number of pairs. ``queries`` gives every query the weight 1.
    """
    del weight  # It affects only the weight of a query, not its value.
    return area_under_curve(r, rel, "zero", "false")


def lists_that_count(r: Lists, least: float) -> Queries:
    """Returns the weight of each query in ListedAUC, which is 0 if the list is shorter than ``least``."""
    return r.exceeds(r.length + 1.0, least)


@measure(
    "ListedAUC",
    rows="every",
    at="no",
    weighs=lists_that_count,
    source="XGBoost, GroupRankingROC in src/metric/auc.cc",
)
def area_under_curve_as_listed(r: Lists, least: float = number(3, 2)) -> Queries:
    """The share of all pairs of documents that the list orders correctly, as in XGBoost.

    The better document of a pair has the higher grade. If the grades are equal, the better document is the one that the
    run lists first. Unjudged documents have grade 0. Pairs with equal scores count as one half. Lists with fewer than
    ``least`` documents are omitted from the mean. ListedAUC is XGBoost's ``auc`` for ranking groups, and needs the
    policy ``listing=known``. Do not confuse ListedAUC with ``AUC``, which only uses pairs of a relevant and a
    nonrelevant document.
    """
    del least  # It affects only the weight of a query, not its value.
    right = r.total(r.outranked(r.gains("linear"), 0.0 - r.listed))
    return r.ratio(right, r.length * (r.length - 1.0) / 2.0)


@measure("PartialAUC", at="n", source="McClish 1989; RecTools")
def partial_area_under_curve(
    r: Lists, n: float = COUNT, rel: float = REL, over: str = one_of("relevant", "capped")
) -> Queries:
    """The area under the ROC curve up to the n-th nonrelevant document, as a share of the largest possible area.

    A relevant document that was not retrieved adds 0 to the area. A list with fewer than n nonrelevant documents is
    assumed to continue with nonrelevant documents. ``over=capped`` counts only the first n relevant documents
    (RecTools' PAP).
    """
    hits = r.hits(rel)
    found, relevant = r.running(hits), r.n_relevant(rel)
    counted = {"relevant": lambda: hits, "capped": lambda: hits * r.at_least(n, found)}[over]()
    whole = {"relevant": lambda: relevant, "capped": lambda: r.least(relevant, n)}[over]()
    left = n - r.least(r.rank - found, n)
    return r.ratio(r.total(counted * left), n * whole)


AMONG = one_of("all", "either", "both")
of_preferences = partial(
    measure,
    takes="preferences",
    at="no",
    source="trec_eval; Carterette, Bennett, Chickering and Dumais 2008 for judging by preference",
)


@of_preferences("NumPrefs", values=COUNTED, aggregate="sum", same_as="prefs_num_prefs_poss")
def number_of_preferences(r: Lists) -> Queries:
    """The number of preferences between documents in the judgments."""
    stated = r.preferences("group", "all")
    return stated.total(stated.possible)


@of_preferences(
    "NumPrefsKept",
    values=COUNTED,
    aggregate="sum",
    same_as="prefs_num_prefs_ful; prefs_num_prefs_ful_ret is NumPrefsKept(among=both)",
)
def number_of_preferences_kept(r: Lists, among: str = AMONG) -> Queries:
    """The number of preferences with which the list agrees.

    A list agrees with a preference if it contains the preferred document and does not rank the other document above it.
    """
    stated = r.preferences("group", among)
    return stated.total(stated.kept)


@of_preferences("Prefs", same_as="prefs_simp, prefs_simp_imp, prefs_simp_ret")
def preferences_kept(r: Lists, among: str = AMONG) -> Queries:
    """The share of the preferences of all groups with which the list agrees.

    ``among=either`` counts only preferences with at least one retrieved document, and ``among=both`` counts only
    preferences between two retrieved documents.
    """
    stated = r.preferences("group", among)
    return r.ratio(stated.total(stated.kept), stated.total(stated.possible))


@of_preferences("PrefsPair", same_as="prefs_pair, prefs_pair_imp, prefs_pair_ret")
def preferences_kept_per_pair(r: Lists, among: str = AMONG) -> Queries:
    """The share of the groups whose preference between two documents agrees with the list, averaged over all pairs.

    Groups without a preference between the two documents do not count. The share is 0 if neither document was
    retrieved.
    """
    stated = r.preferences("pair", among)
    return r.ratio(
        stated.total(r.ratio(stated.kept, stated.possible)), stated.total(r.at_least(stated.possible, 1.0))
    )


@of_preferences(
    "PrefsMean",
    same_as="prefs_avgjg, prefs_avgjg_imp, prefs_avgjg_ret; prefs_avgjg_Rnonrel with nonrelevant=capped",
)
def mean_preferences_kept(
    r: Lists, among: str = AMONG, nonrelevant: str = one_of("all", "capped")
) -> Queries:
    """The share of a group's preferences with which the list agrees, averaged over the judgment groups.

    ``nonrelevant=capped`` counts at most as many nonrelevant documents as relevant ones, so nonrelevant documents
    cannot dominate. With ``capped``, a group without preferences makes the query's value 0, as in trec_eval.
    """
    stated = r.preferences("group", among, nonrelevant)
    shares = r.ratio(stated.kept, stated.possible) if nonrelevant == "all" else stated.kept / stated.possible
    mean = stated.total(shares) / stated.total(r.at_least(stated.possible, 0.0))
    return r.only(r.exceeds(mean, 0.0), mean)
