"""trec_eval's names for measures: what each stands for here, its default cutoffs, its nicknames and their order."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NICKNAMES", "TABLE", "TrecName"]

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False, repr=False)
class TrecName:
    """One of trec_eval's measures.

    Args:
        karat: the name here, with ``{}`` where a cutoff goes; empty for ``runid`` and ``relstring``, which are
            strings.
        cutoffs: the default cutoffs, or none for a single value.
        whole: whether cutoffs are whole numbers.
        since: the first trec_eval that has it.
    """

    karat: str
    cutoffs: tuple[float, ...] = ()
    whole: bool = True
    since: int = 9


TABLE: dict[str, TrecName] = {
    "runid": TrecName(""),
    "num_q": TrecName("NumQ"),
    "num_ret": TrecName("NumRet"),
    "num_rel": TrecName("NumRel"),
    "num_rel_ret": TrecName("NumRelRet"),
    "map": TrecName("AP"),
    "gm_map": TrecName("GMAP"),
    "Rprec": TrecName("Rprec"),
    "bpref": TrecName("Bpref"),
    "recip_rank": TrecName("RR"),
    "iprec_at_recall": TrecName("IPrec@{}", tuple(number / 10 for number in range(11)), whole=False),
    "P": TrecName("P@{}", DEPTHS),
    "relstring": TrecName(""),
    "recall": TrecName("R@{}", DEPTHS),
    "infAP": TrecName("infAP"),
    "gm_bpref": TrecName("GMBpref"),
    "Rprec_mult": TrecName(
        "Rprec(times={})", (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), whole=False
    ),
    "utility": TrecName("Utility"),
    "11pt_avg": TrecName("IPrecMean"),
    "binG": TrecName("binG"),
    "G": TrecName("G"),
    "dcg": TrecName("DCG", since=10),
    "ideal_dcg": TrecName("IDCG", since=10),
    "ndcg": TrecName("nDCG"),
    "ndcg_rel": TrecName("nDCGrel"),
    "Rndcg": TrecName("RnDCG"),
    "ndcg_cut": TrecName("nDCG@{}", DEPTHS),
    "map_cut": TrecName("AP@{}", DEPTHS),
    "relative_P": TrecName("R(over=capped)@{}", DEPTHS),
    "success": TrecName("Success@{}", (1, 5, 10)),
    "set_P": TrecName("SetP"),
    "set_relative_P": TrecName("R(over=capped)"),
    "set_recall": TrecName("R"),
    "set_map": TrecName("SetAP"),
    "set_F": TrecName("SetF"),
    "num_nonrel_judged_ret": TrecName("NumNonRelRet"),
    "prefs_num_prefs_poss": TrecName("NumPrefs"),
    "prefs_num_prefs_ful": TrecName("NumPrefsKept"),
    "prefs_num_prefs_ful_ret": TrecName("NumPrefsKept(among=both)"),
    "prefs_simp": TrecName("Prefs"),
    "prefs_pair": TrecName("PrefsPair"),
    "prefs_avgjg": TrecName("PrefsMean"),
    "prefs_avgjg_Rnonrel": TrecName("PrefsMean(nonrelevant=capped)"),
    "prefs_simp_ret": TrecName("Prefs(among=both)"),
    "prefs_pair_ret": TrecName("PrefsPair(among=both)"),
    "prefs_avgjg_ret": TrecName("PrefsMean(among=both)"),
    "prefs_avgjg_Rnonrel_ret": TrecName("PrefsMean(among=both, nonrelevant=capped)"),
    "prefs_simp_imp": TrecName("Prefs(among=either)"),
    "prefs_pair_imp": TrecName("PrefsPair(among=either)"),
    "prefs_avgjg_imp": TrecName("PrefsMean(among=either)"),
    "map_avgjg": TrecName("GroupAP"),
    "P_avgjg": TrecName("GroupP@{}", DEPTHS),
    "Rprec_mult_avgjg": TrecName(
        "GroupRprec(times={})", (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), whole=False
    ),
    "yaap": TrecName("YAAP"),
    "rbp": TrecName("RBP", since=10),
    "rbp_resid": TrecName("RBPresid", since=10),
    "unj": TrecName("Unjudged@{}", (5, 10, 20), since=10),
}
"""trec_eval's measures in the order in which it prints them."""

ORDER = tuple(TABLE)
PREFERENCES = tuple(name for name in ORDER if name.startswith("prefs_"))

NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": ORDER[: ORDER.index("relstring")],
    "set": (*ORDER[:5], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": (
        *(name for name in ORDER[: ORDER.index("prefs_num_prefs_poss")] if name not in ("dcg", "ideal_dcg")),
        "rbp",
        "rbp_resid",
        "unj",
    ),
    "all_prefs": ("runid", "num_q", *PREFERENCES),
    "prefs": (
        *("runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
        *("prefs_simp", "prefs_pair", "prefs_avgjg"),
    ),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
