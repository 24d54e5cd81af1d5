"""The grammar of measure names, ``NAME(parameter=value, …)@DEPTH``, and names from papers, libraries and trec_eval.

A name is parsed in linear time.
"""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.measures.define import REGISTER, as_typed, plugged, shortened
from carob.output.errors import MeasureError
from carob.output.files import own_table
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
BRACKETS = {"(": ")", "[": "]", "{": "}"}
QUOTES = "'\""

LONGEST = 10_000
"""The maximum length of a name in characters: twice that of a trec_eval name with a thousand cutoffs."""
LONGEST_NUMBER = 40
"""The maximum length of a number in characters: more digits than a double can represent."""
DEEPEST = 10**9
"""The largest depth: a longer list does not fit into memory."""


def parts_of_name(name: str) -> tuple[str, dict[str, Any], str | None]:
    """Returns the word, the parameters and the text after ``@`` of a name.

    Raises:
        MeasureError: the name does not have the form ``NAME(parameter=value, …)@DEPTH``.
    """
    text = written_plainly(name)
    place = next((place for place, letter in enumerate(text) if letter in "(@"), len(text))
    word, rest = text[:place].strip(), text[place:]
    inside = ""
    if rest[:1] == "(":
        end = closing(rest, name)
        inside, rest = rest[1:end], rest[end + 1 :].strip()
    at = rest[1:].strip() if rest[:1] == "@" else None
    if (
        not word
        or (rest and not at)
        or (at and any(letter in "@()" or letter.isspace() for letter in at))
        or any(letter in ")]}{[=" or letter.isspace() for letter in word)
    ):
        raise MeasureError(not_a_name(name))
    given: dict[str, Any] = {}
    for key, value in (pair(word, part) for part in split(inside, ",")):
        if key in given:
            raise MeasureError(f"{shortened(name)} contains '{key}' twice: remove one of them.")
        given[key] = value
    return word, given, at


def written_plainly(name: str) -> str:
    """Returns the name without surrounding blanks, with ASCII characters instead of full-width ones.

    Raises:
        MeasureError: the name is too long.
    """
    if len(name) > LONGEST:
        shown = shortened(name)
        raise MeasureError(
            f"The measure name {shown} has {len(name):,} characters, but the limit is {LONGEST:,}."
        )
    return unicodedata.normalize("NFKC", name).strip()


def closing(text: str, name: str) -> int:
    """Returns the position of the bracket that closes the one at the start of the text.

    Raises:
        MeasureError: the bracket is not closed.
    """
    for place, _, outside in with_nesting(text):
        if outside:
            return place
    raise MeasureError(not_a_name(name))


def not_a_name(name: str) -> str:
    """Returns the error message for text that does not have the form of a name."""
    return (
        f"'{shortened(name)}' is not a measure's name: write NAME, NAME@DEPTH or NAME(parameter=value)@DEPTH."
    )


def pair(name: str, text: str) -> tuple[str, Any]:
    """Returns a parameter and its value from ``key=value``."""
    key, equals, text_value = text.partition("=")
    if not equals:
        raise MeasureError(f"{name}({shortened(text)}): write a parameter as name=value.")
    return key.strip(), value(text_value.strip())


def value(text: str) -> Any:
    """Returns the value of a parameter: a number, a word, ``[a, b]`` or ``{grade:gain}``."""
    if is_number(text):
        return number(text)
    if text[:1] == "[" and text[-1:] == "]":
        return tuple(number(part) for part in split(text[1:-1], ","))
    if text[:1] == "{" and text[-1:] == "}":
        parts = [part.partition(":") for part in split(text[1:-1], ",")]
        return tuple((number(grade), number(gain)) for grade, _, gain in parts)
    if len(text) > 1 and text[0] in QUOTES and text[-1] == text[0]:
        text = text[1:-1]
    return re.sub(r"\s+", "", text)


def number(text: str) -> float:
    """Converts text to a number.

    Raises:
        MeasureError: the text is not a number, or the number is too large or too long.
    """
    text = text.strip()
    if not is_number(text):
        raise MeasureError(f"'{shortened(text)}' is not a number.")
    if len(text) > LONGEST_NUMBER or not math.isfinite(float(text)):
        raise MeasureError(f"'{shortened(text)}' is too large or too long for a number.")
    return float(text)


def is_whole(text: str) -> bool:
    """Returns whether the text consists of digits."""
    return text.isascii() and text.isdecimal()


def is_number(text: str) -> bool:
    """Returns whether the text is a decimal number. Digits are checked first: compiling a pattern slows startup."""
    return is_whole(text) or re.fullmatch(NUMBER, text) is not None


def depth_of(text: str, name: str) -> int:
    """Returns the depth after ``@``.

    Raises:
        MeasureError: the depth is not a whole number from 1 to 10^9.
    """
    if not is_whole(text):
        raise MeasureError(
            f"'{shortened(name)}': a depth is a whole number of at least 1, not '{shortened(text)}'."
        )
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(DEEPEST)) or int(digits) > DEEPEST:
        raise MeasureError(f"'{shortened(name)}': a depth is at most {DEEPEST:,}.")
    return int(digits)


def split_names(text: str) -> list[str]:
    """Returns the names in a text, separated by blanks or commas.

    ``P.5,10`` is one name, but ``P@5,10`` means ``P@5`` and ``P@10``.
    """
    names: list[list[str]] = []
    for part in split(text, ", \t\n"):
        if names and "@" in names[-1][0] and part.isdecimal():
            names.append([f"{names[-1][0].rpartition('@')[0]}@{part}"])
        elif names and is_number(part):
            names[-1].append(part)
        else:
            names.append([part])
    return [",".join(parts) for parts in names]


def separated(names: Iterable[Any]) -> list[Any]:
    """Returns the objects with each text replaced by the names in it. Other objects remain unchanged."""
    return [part for each in names for part in (split_names(each) if isinstance(each, str) else [each])]


def split(text: str, separators: str) -> list[str]:
    """Splits a text at the separators outside brackets and quotes, and returns the parts that are not empty."""
    ends = [place for place, letter, outside in with_nesting(text) if outside and letter in separators]
    parts = [text[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(text)])]
    return [each.strip() for each in parts if each.strip()]


def with_nesting(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yields the position of each character, the character, and whether it is outside all brackets and quotes."""
    waiting: list[str] = []
    quote = ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES and waiting:
            quote = letter
        elif letter in BRACKETS:
            waiting.append(BRACKETS[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
        yield place, letter, not waiting


@cache
def spellings() -> dict[str, dict[str, Any]]:
    """Returns the content of aliases.toml."""
    return own_table(__file__, "aliases.toml")


def also_called() -> dict[str, str]:
    """Returns carob's name for each alias. Some profiles interpret an alias differently."""
    return {theirs: own for own, names in spellings()["aliases"].items() for theirs in names}


NOT_THE_SAME = ("NERR", "nRBP", "sDCG")
"""Names that differ from carob's names only in case but mean something else: C/W/L's NERR, a normalised RBP, and the
DCG of sessions."""


def folded(word: str) -> str:
    """Returns a name without case, hyphens, underscores and full stops, so that ``hit_rate`` equals ``HitRate``."""
    word = re.sub(r"[-_.\s‐-―]+", "", word.casefold())
    for theirs, own in spellings()["synonyms"].items():
        word = word.replace(theirs, own)
    return word


def canonical(word: str) -> str | None:
    """Returns carob's name for a word, with the parameters that the word implies, or None if it is unknown."""
    if word in REGISTER:
        return word
    aliases = also_called()
    if word in aliases:
        return aliases[word]
    trec = TABLE[word].carob.partition("@")[0] if word in TABLE else ""
    if trec and "{}" not in trec:
        return trec
    if word in NOT_THE_SAME:
        return None
    known = {folded(each): own for each, own in ({name: name for name in REGISTER} | aliases).items()}
    return known.get(folded(word))


def known_as(word: str) -> str | None:
    """Returns carob's or an installed package's name for a word, or None if the word is unknown."""
    meant = canonical(word)
    if meant is None and plugged("carob.measures"):
        meant = canonical(word)
    return meant


def is_known(name: str) -> bool:
    """Returns whether carob or trec_eval has a measure of this name. The name's parameters are not checked."""
    return in_trec_eval(name) is not None or known_as(parts_of_name(name)[0]) is not None


def in_own_words(name: str) -> tuple[str, str, dict[str, Any], str | None]:
    """Returns a name, and its word, parameters and text after ``@`` in carob's spelling.

    An unknown word is returned unchanged.

    Raises:
        MeasureError: the name is malformed, or a parameter of another tool cannot be translated.
    """
    word, given, at = parts_of_name(name)
    meant = known_as(word)
    if meant is None:
        return name, word, given, at
    word, implied, _ = parts_of_name(meant)
    return name, *translated(word, {**implied, **given}, at)


# ---------------------------------------------------------------- parameters

WORDS_FOR_DEPTH = ("cutoff", "k", "top_k")
RELEVANT = ("rel_level", "relevance_level", "relevance_threshold", "min_relevance", "threshold")
SCALED = ("BPM", "INSQ", "INST", "SDCG")
"""The measures from C/W/L, in which gains are divided by the gain of the highest grade."""
CWL_RANKS = 1000
"""The length of cwl_eval's lists; ir_measures uses cwl_eval to compute INST and INSQ."""


def translated(name: str, given: dict[str, Any], at: str | None) -> tuple[str, dict[str, Any], str | None]:
    """Returns the name, parameters and depth of a measure, with ir_measures' parameters replaced by carob's.

    Args:
        name: a registered name.
        given: its parameters.
        at: the text after ``@``.

    Raises:
        MeasureError: a parameter is a setting of the policy, or is ambiguous.
    """
    given = dict(given)
    has = REGISTER[name].parameters
    for parameter in [each for each in WORDS_FOR_DEPTH if each in given and each not in has]:
        at = same_depth(name, parameter, given.pop(parameter), at)
    for parameter in [each for each in RELEVANT if each in given and "rel" in has]:
        value = as_typed(given[parameter])
        raise MeasureError(f"{name}({parameter}={value}): write rel={value} for the lowest relevant grade.")
    if "judged_only" in given and truth(name, "judged_only", given.pop("judged_only")):
        given["unjudged"] = "removed"
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
            filled(
                "SetF(beta={beta}) has two meanings. Write SetF(weight={squared}) for van Rijsbergen's "
                "beta, since weight is beta squared, or SetF(weight={beta}) for ir_measures, which passes "
                "beta to trec_eval as weight.",
                beta=as_typed(beta),
                squared=squared,
            )
        )
    return name, given, at


def same_depth(name: str, parameter: str, value: Any, at: str | None) -> str:
    """Returns the depth from a parameter such as ``cutoff``.

    Raises:
        MeasureError: the depth is not a number, or ``@`` gives another depth.
    """
    depth = as_typed(value)
    if not isinstance(value, float) or at not in (None, depth):
        raise MeasureError(f"{name}({parameter}={depth}): write the depth after '@', as in {name}@10.")
    return depth


def truth(name: str, parameter: str, value: Any) -> bool:
    """Returns whether a parameter is ``True``.

    Raises:
        MeasureError: the parameter is neither ``True`` nor ``False``.
    """
    if str(value).casefold() not in ("true", "false"):
        raise MeasureError(f"{name}({parameter}={as_typed(value)}): {parameter} must be True or False.")
    return str(value).casefold() == "true"


def dcg_of(name: str, given: dict[str, Any]) -> None:
    """Replaces ir_measures' parameter ``dcg`` with the corresponding ``gain``.

    Raises:
        MeasureError: the value is not one of ir_measures' words, or ``gain`` is given as well.
    """
    word = given.pop("dcg")
    if word not in ("log2", "exp-log2") or "gain" in given:
        raise MeasureError(
            f"{name}(dcg={as_typed(word)}): write gain=linear for ir_measures' dcg=log2, or gain=exp2 for dcg=exp-log2."
        )
    if word == "exp-log2":
        given["gain"] = "exp2"


def scale_of(name: str, given: dict[str, Any], at: str | None) -> str | None:
    """Replaces ir_measures' scale of grades with ``gain`` and ``max``, and returns the depth.

    Raises:
        MeasureError: the measure does not have a scale of grades, or the scale does not begin at 0.
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
    given |= {"gain": "linear", "max": highest}
    if name == "BPM" and at is not None:
        given["K"], at = float(at) if at.isdecimal() else at, None
    if name in ("INST", "INSQ") and at is None:
        at = str(CWL_RANKS)
    if lowest != 0.0:
        given["gain"] = gains_from(lowest, highest)
        inside = ", ".join(f"{key}={as_typed(each)}" for key, each in given.items())
        write = f"{name}({inside})" + ("" if at is None else f"@{at}")
        raise MeasureError(
            f"{name}(min_rel={as_typed(lowest)}): a scale must begin at grade 0. Write the gain of each "
            f"grade, as in {write}."
        )
    return at


MOST_GAINS = 20
"""The maximum number of gains that an error message lists."""


def gains_from(lowest: Any, highest: Any) -> tuple[tuple[float, float], ...]:
    """Returns the gain of each whole grade from ``lowest`` to ``highest``, or example gains if that is impossible."""
    ends = [each for each in (lowest, highest) if isinstance(each, float) and each == int(each) >= 0]
    count = int(highest - lowest) + 1 if len(ends) == 2 else 0
    if not 2 <= count <= MOST_GAINS:
        return ((1.0, 0.0), (2.0, 0.5), (3.0, 1.0))
    return tuple((lowest + each, float(each)) for each in range(count))


@dataclass(frozen=True, eq=False, repr=False)
class TrecName:
    """A measure of trec_eval.

    Args:
        carob: carob's name, with ``{}`` in place of the cutoff; empty for ``runid`` and ``relstring``, whose values are
            text.
        cutoffs: the default cutoffs; empty for a measure without cutoffs.
        whole: whether cutoffs are whole numbers.
        since: the first version of trec_eval that has the measure.
    """

    carob: str
    cutoffs: Sequence[float] = ()
    whole: bool = True
    since: int = 9


# The file is JSON instead of TOML because carob reads it at every start, and Python parses JSON faster.
with open(os.path.join(os.path.dirname(__file__), "trec_eval.json"), encoding="utf-8") as file:
    NAMES: dict[str, dict[str, Any]] = json.load(file)

TABLE = {name: TrecName(**entry) for name, entry in NAMES["measures"].items()}
"""trec_eval's measures, in the order in which trec_eval prints them."""
NICKNAMES: dict[str, list[str]] = NAMES["nicknames"]
"""The measures that each of trec_eval's nicknames stands for."""


def own_names(text: str) -> list[str]:
    """Returns carob's names for the measures in a text, without duplicates. trec_eval's meaning takes precedence."""
    given = ((name, in_trec_eval(name)) for name in split_names(text))
    return list(dict.fromkeys(own for name, its in given for own in ([name] if its is None else its)))


def parts_of_each(names: Iterable[Any]) -> list[Any]:
    """Returns each text's names split into parts, as by ``in_own_words``. Other objects are returned unchanged."""
    return [[*map(in_own_words, own_names(each))] if isinstance(each, str) else each for each in names]


def in_trec_eval(name: str) -> list[str] | None:
    """Returns carob's names for a trec_eval name such as ``map`` or ``P.5,10``, or None if it is not trec_eval's."""
    name = written_plainly(name)
    if name in NICKNAMES:
        return [each for member in NICKNAMES[name] for each in in_full(member, TABLE[member].cutoffs)]
    for word, entry in TABLE.items():
        if name == word:
            return in_full(word, entry.cutoffs)
        rest = name.removeprefix(word)
        if entry.cutoffs and rest != name and rest[:1] in ("_", "."):
            cutoffs = rest[1:].split(",")
            if all(map(is_number, cutoffs)):
                return in_full(word, tuple(map(number, cutoffs)))
    return None


def in_full(word: str, cutoffs: Iterable[float]) -> list[str]:
    """Returns carob's names for a trec_eval measure, one per cutoff; no names for ``runid`` and ``relstring``."""
    template = TABLE[word].carob
    if "{}" in template:
        return [template.format(as_typed(cutoff)) for cutoff in cutoffs]
    return [template] if template else []
