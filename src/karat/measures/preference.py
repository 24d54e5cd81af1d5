"""Measures over judgment groups, and over preferences between documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.measures.average import average_precision
from karat.measures.counting import precision, r_precision
from karat.measures.define import measure
from karat.measures.parameters import COUNTED, REL, TIMES, one_of

if TYPE_CHECKING:
    from karat.lists import Lists, Queries

__all__: list[str] = []

AMONG = one_of("all", "either", "both")
SOURCE = "trec_eval; Carterette, Bennett, Chickering and Dumais 2008 for judging by preference"


@measure("GroupAP", takes="groups", same_as="map_avgjg", source="trec_eval")
def group_average_precision(r: Lists, rel: float = REL) -> Queries:
    """Average precision by the judgments of each group, averaged over the groups of the query."""
    return r.over_groups(average_precision(r.groups, rel, "relevant"))


@measure("GroupP", whole="GroupAP", takes="groups", same_as="P_avgjg_k", source="trec_eval")
def group_precision(r: Lists, rel: float = REL) -> Queries:
    """Precision by the judgments of each group, averaged over the groups of the query."""
    return r.over_groups(precision(r.groups, rel, "depth"))


@measure(
    "GroupRprec",
    at="no",
    takes="groups",
    same_as="Rprec_mult_avgjg_x is GroupRprec(times=x)",
    source="trec_eval",
)
def group_r_precision(r: Lists, rel: float = REL, times: float = TIMES) -> Queries:
    """R-precision by the judgments of each group, averaged over the groups of the query."""
    return r.over_groups(r_precision(r.groups, rel, times, "all"))


@measure(
    "NumPrefs",
    takes="preferences",
    values=COUNTED,
    aggregate="sum",
    at="no",
    same_as="prefs_num_prefs_poss",
    source=SOURCE,
)
def number_of_preferences(r: Lists) -> Queries:
    """How many preferences the judgments state."""
    stated = r.preferences("group", "all")
    return stated.total(stated.possible)


@measure(
    "NumPrefsKept",
    takes="preferences",
    values=COUNTED,
    aggregate="sum",
    at="no",
    same_as="prefs_num_prefs_ful; prefs_num_prefs_ful_ret is NumPrefsKept(among=both)",
    source=SOURCE,
)
def number_of_preferences_kept(r: Lists, among: str = AMONG) -> Queries:
    """How many preferences the list keeps: it has the preferred document, and the other one below or not at all."""
    stated = r.preferences("group", among)
    return stated.total(stated.kept)


@measure(
    "Prefs", takes="preferences", at="no", same_as="prefs_simp, prefs_simp_imp, prefs_simp_ret", source=SOURCE
)
def preferences_kept(r: Lists, among: str = AMONG) -> Queries:
    """The share of the preferences that the list keeps, of all groups together.

    ``among`` says which count: all of them, those with either or those with both documents retrieved.
    """
    stated = r.preferences("group", among)
    return r.ratio(stated.total(stated.kept), stated.total(stated.possible))


@measure(
    "PrefsPair",
    takes="preferences",
    at="no",
    same_as="prefs_pair, prefs_pair_imp, prefs_pair_ret",
    source=SOURCE,
)
def preferences_kept_per_pair(r: Lists, among: str = AMONG) -> Queries:
    """The mean over pairs of documents of the share of groups that prefer them as the list has them.

    Only groups with an opinion on the pair count; with neither document retrieved the share is 0.
    """
    stated = r.preferences("pair", among)
    return r.ratio(
        stated.total(r.ratio(stated.kept, stated.possible)), stated.total(r.at_least(stated.possible, 1.0))
    )


@measure(
    "PrefsMean",
    takes="preferences",
    at="no",
    same_as="prefs_avgjg, prefs_avgjg_imp, prefs_avgjg_ret; prefs_avgjg_Rnonrel with nonrelevant=capped",
    source=SOURCE,
)
def mean_preferences_kept(
    r: Lists, among: str = AMONG, nonrelevant: str = one_of("all", "capped")
) -> Queries:
    """The share of the preferences that the list keeps, averaged over the judgment groups.

    ``nonrelevant=capped`` counts as many nonrelevant documents as relevant ones, so that long tails of them do
    not decide. Then a group without any preference makes the whole query 0, as in trec_eval.
    """
    stated = r.preferences("group", among, nonrelevant)
    shares = r.ratio(stated.kept, stated.possible) if nonrelevant == "all" else stated.kept / stated.possible
    mean = stated.total(shares) / stated.total(r.at_least(stated.possible, 0.0))
    return r.only(r.exceeds(mean, 0.0), mean)
