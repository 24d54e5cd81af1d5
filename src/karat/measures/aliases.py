"""The other names of karat's measures, in papers, libraries and trec_eval."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from karat.measures.define import REGISTER, show
from karat.output.errors import MeasureError, by_policy, worded
from karat.output.files import own_table

if TYPE_CHECKING:
    from collections.abc import Sequence


@cache
def spellings() -> dict[str, dict[str, Any]]:
    """Returns the content of aliases.toml."""
    return own_table(__file__, "aliases.toml")


def also_called() -> dict[str, str]:
    """Returns karat's name for each alias. A profile may read these names differently."""
    return {theirs: own for own, names in spellings()["aliases"].items() for theirs in names}


NOT_THE_SAME = ("NERR", "nRBP", "sDCG")
"""Names that differ from karat's in capitals only and mean something else: C/W/L's NERR, a normalised RBP, the DCG of
sessions."""


def folded(word: str) -> str:
    """Returns a name without case, hyphens, underscores and full stops, so that ``hit_rate`` equals ``HitRate``."""
    word = re.sub(r"[-_.\s‐-―]+", "", word.casefold())
    for theirs, own in spellings()["synonyms"].items():
        word = word.replace(theirs, own)
    return word


def canonical(word: str) -> str | None:
    """Returns karat's name for a word, with the parameters that the word implies, or None if it is unknown."""
    if word in REGISTER:
        return word
    aliases = also_called()
    if word in aliases:
        return aliases[word]
    trec = TABLE[word].karat.partition("@")[0] if word in TABLE else ""
    if trec and "{}" not in trec:
        return trec
    if word in NOT_THE_SAME:
        return None
    known = {folded(each): own for each, own in ({name: name for name in REGISTER} | aliases).items()}
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
            f"{name}({parameter}={show(given[parameter])}): write rel={show(given[parameter])} for the lowest "
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
            f"SetF(beta={show(beta)}) has two meanings. Write SetF(weight={squared}) for van Rijsbergen's beta, since "
            f"weight is beta squared, or SetF(weight={show(beta)}) for ir_measures, which passes beta to trec_eval as "
            "weight."
        )
    return name, given, at


def same_depth(name: str, parameter: str, value: Any, at: str | None) -> str:
    """Returns the depth from a parameter such as ``cutoff``.

    Raises:
        MeasureError: the depth is not a number, or ``@`` gives another depth.
    """
    depth = show(value)
    if not isinstance(value, float) or at not in (None, depth):
        raise MeasureError(f"{name}({parameter}={depth}): write the depth after '@', as in {name}@10.")
    return depth


def truth(name: str, parameter: str, value: Any) -> bool:
    """Returns whether a parameter is ``True``.

    Raises:
        MeasureError: the parameter is neither ``True`` nor ``False``.
    """
    if str(value).casefold() not in ("true", "false"):
        raise MeasureError(f"{name}({parameter}={show(value)}): {parameter} is True or False.")
    return str(value).casefold() == "true"


def dcg_of(name: str, given: dict[str, Any]) -> None:
    """Replaces ir_measures' ``dcg`` by the gain that it means.

    Raises:
        MeasureError: the value is not one of ir_measures' words, or there is a gain too.
    """
    word = given.pop("dcg")
    if word not in ("log2", "exp-log2") or "gain" in given:
        raise MeasureError(
            f"{name}(dcg={show(word)}): write gain=linear for ir_measures' dcg=log2, or gain=exp2 for dcg=exp-log2."
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
            f"{name}(min_rel={show(lowest)}): a scale begins at grade 0 here. Write another scale grade by grade, "
            "as in gain={1:0,2:0.5,3:1}."
        )
    given |= {"gain": "linear", "max": highest}
    if name == "BPM" and at is not None:
        given["K"] = float(at) if at.isdecimal() else at
        return None
    return str(CWL_RANKS) if name in ("INST", "INSQ") and at is None else at


@dataclass(frozen=True, eq=False, repr=False)
class TrecName:
    """One of trec_eval's measures.

    Args:
        karat: karat's name, with ``{}`` for a cutoff; empty for ``runid`` and ``relstring``, which are strings.
        cutoffs: the default cutoffs, or none for a single value.
        whole: whether cutoffs are whole numbers.
        since: the first version of trec_eval that has the measure.
    """

    karat: str
    cutoffs: Sequence[float] = ()
    whole: bool = True
    since: int = 9


# JSON and not TOML, because every run reads this file and Python reads JSON faster.
with open(os.path.join(os.path.dirname(__file__), "trec_eval.json"), encoding="utf-8") as file:
    NAMES: dict[str, dict[str, Any]] = json.load(file)

TABLE = {name: TrecName(**entry) for name, entry in NAMES["measures"].items()}
"""trec_eval's measures in the order in which it prints them."""
NICKNAMES: dict[str, list[str]] = NAMES["nicknames"]
"""The measures for which each of trec_eval's nicknames stands."""
