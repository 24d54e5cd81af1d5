"""The other names of karat's measures, in papers, libraries and trec_eval."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from karat.measures.define import REGISTER
from karat.output.errors import MeasureError, by_policy, worded
from karat.output.toml import own_table


@cache
def also_called() -> dict[str, str]:
    """Returns karat's name for each alias. A profile may read these names differently."""
    synonyms = own_table(__file__, "aliases.toml")
    return {theirs: own for own, names in synonyms.items() for theirs in names}


NOT_THE_SAME = ("NERR", "nRBP", "sDCG")
"""Names that differ from karat's in capitals only and mean something else: C/W/L's NERR, a normalised RBP, the DCG of
sessions."""
OF_ONE_MEANING = (
    ("累积", "累计"),
    ("累加", "累计"),
    ("折扣", "折损"),
    ("标准化", "归一化"),
    ("规范化", "归一化"),
    ("α", "alpha"),
)
"""Chinese synonyms in such names, and the Greek letter."""


def folded(word: str) -> str:
    """Returns a name without case, hyphens, underscores and full stops, so that ``hit_rate`` equals ``HitRate``."""
    word = re.sub(r"[-_.\s‐-―]+", "", word.casefold())
    for theirs, own in OF_ONE_MEANING:
        word = word.replace(theirs, own)
    return word


def canonical(word: str) -> str | None:
    """Returns karat's name for a word, with the parameters that the word implies, or None if it is unknown."""
    if word in REGISTER:
        return word
    if word in also_called():
        return also_called()[word]
    trec = TABLE[word].karat.partition("@")[0] if word in TABLE else ""
    if trec and "{}" not in trec:
        return trec
    if word in NOT_THE_SAME:
        return None
    known = {folded(each): own for each, own in ({name: name for name in REGISTER} | also_called()).items()}
    return known.get(folded(word))


# ---------------------------------------------------------------- parameters

WORDS_FOR_DEPTH = ("cutoff", "k", "top_k")
RELEVANT = ("rel_level", "relevance_level", "relevance_threshold", "min_relevance", "threshold")
SCALED = ("BPM", "INSQ", "INST", "SDCG")
"""C/W/L's measures, whose gains are shares of the highest grade's gain."""
CWL_RANKS = 1000
"""The length of cwl_eval's lists; ir_measures computes INST and INSQ by cwl_eval."""


def translated(name: str, given: dict[str, Any], at: str | None) -> tuple[str, dict[str, Any], str | None]:
    """Returns the name, parameters and depth of a measure, translated from ir_measures' parameters.

    Args:
        name: a registered name.
        given: its parameters.
        at: the text after ``@``.

    Raises:
        MeasureError: a parameter belongs to the policy, or has two meanings.
    """
    given = dict(given)
    has = REGISTER[name].parameters
    for parameter in [each for each in WORDS_FOR_DEPTH if each in given and each not in has]:
        at = same_depth(name, parameter, given.pop(parameter), at)
    for parameter in [each for each in RELEVANT if each in given and "rel" in has]:
        raise MeasureError(
            f"{name}({parameter}={shown(given[parameter])}): write rel={shown(given[parameter])} for the lowest "
            "relevant grade."
        )
    if "judged_only" in given and truth(name, "judged_only", given.pop("judged_only")):
        raise MeasureError(
            worded(
                f"{name}(judged_only=True): removing unjudged documents is set for all measures, by the policy: ",
                by_policy("unjudged", "removed"),
                ".",
            )
        )
    if "gains" in given and "gain" in has:
        given["gain"] = given.pop("gains")
    if "dcg" in given and "gain" in has and "discount" in has:
        dcg_of(name, given)
    if "min_rel" in given or "max_rel" in given:
        at = scale_of(name, given, at)
    if name == "NumRet" and "rel" in given:
        return "NumRelRet", given, at
    if name == "SetP" and "relative" in given and truth(name, "relative", given.pop("relative")):
        return "R", {**given, "over": "capped"}, at
    if given.get("over") == "capped" and "relative" in given and truth(name, "relative", given["relative"]):
        del given["relative"]  # SetRelP(relative=True)
    if name == "SetF" and "beta" in given:
        beta = given["beta"]
        squared = f"{beta * beta:g}" if isinstance(beta, float) else "beta squared"
        raise MeasureError(
            f"SetF(beta={shown(beta)}) has two meanings. Write SetF(weight={squared}) for van Rijsbergen's beta, since "
            f"weight is beta squared, or SetF(weight={shown(beta)}) for ir_measures, which passes beta to trec_eval as "
            "weight."
        )
    return name, given, at


def same_depth(name: str, parameter: str, value: Any, at: str | None) -> str:
    """Returns the depth from a parameter such as ``cutoff``.

    Raises:
        MeasureError: the depth is not a number, or ``@`` gives another depth.
    """
    depth = shown(value)
    if not isinstance(value, float) or at not in (None, depth):
        raise MeasureError(f"{name}({parameter}={depth}): write the depth after '@', as in {name}@10.")
    return depth


def truth(name: str, parameter: str, value: Any) -> bool:
    """Returns whether a parameter is ``True``.

    Raises:
        MeasureError: the parameter is neither ``True`` nor ``False``.
    """
    if str(value).casefold() not in ("true", "false"):
        raise MeasureError(f"{name}({parameter}={shown(value)}): {parameter} is True or False.")
    return str(value).casefold() == "true"


def dcg_of(name: str, given: dict[str, Any]) -> None:
    """Replaces ir_measures' ``dcg`` by the gain that it means.

    Raises:
        MeasureError: the value is not one of ir_measures' words, or there is a gain too.
    """
    word = given.pop("dcg")
    if word not in ("log2", "exp-log2") or "gain" in given:
        raise MeasureError(
            f"{name}(dcg={shown(word)}): write gain=linear for ir_measures' dcg=log2, or gain=exp2 for dcg=exp-log2."
        )
    if word == "exp-log2":
        given["gain"] = "exp2"


def scale_of(name: str, given: dict[str, Any], at: str | None) -> str | None:
    """Replaces ir_measures' scale of grades by a gain and ``max``, and returns the depth.

    Raises:
        MeasureError: the measure has no such scale, or the scale does not begin at 0.
    """
    lowest, highest = given.pop("min_rel", 0.0), given.pop("max_rel", None)
    has = REGISTER[name].parameters
    if name not in SCALED or highest is None or "max" in given or "gain" in given:
        how = (
            f"write max for the highest grade, as in {name}(max=4)"
            if "max" in has
            else "the measure has no such scale"
        )
        raise MeasureError(f"{name}: min_rel and max_rel are ir_measures' scale of grades; {how}.")
    if lowest != 0.0:
        raise MeasureError(
            f"{name}(min_rel={shown(lowest)}): a scale begins at grade 0 here. Write another scale grade by grade, "
            "as in gain={1:0,2:0.5,3:1}."
        )
    given |= {"gain": "linear", "max": highest}
    if name == "BPM" and at is not None:
        given["K"] = float(at) if at.isdecimal() else at
        return None
    return str(CWL_RANKS) if name in ("INST", "INSQ") and at is None else at


def shown(value: Any) -> str:
    """Returns a value as a user types it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False, repr=False)
class TrecName:
    """One of trec_eval's measures.

    Args:
        karat: karat's name, with ``{}`` for a cutoff; empty for ``runid`` and ``relstring``, which are strings.
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
