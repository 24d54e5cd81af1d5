"""From names to measures: ``nDCG(gain=exp2)@10``, and trec_eval's ``ndcg_cut_10`` for what it calls so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from karat.errors import MeasureError
from karat.measures.define import REGISTER, Measure, show, unknown
from karat.measures.trec_eval import NICKNAMES, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ALSO_CALLED", "parse_measure", "parse_measures", "parts_of_name", "split_names"]

NAME = re.compile(
    r"\s*([A-Za-zα](?:[A-Za-z0-9_-]*[A-Za-z0-9])?)\s*(?:\((.*)\))?\s*(?:@\s*([^@()\s]+))?\s*", re.DOTALL
)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
SUBTOPICS = {
    "alphaDCG": ("alpha-DCG", "alpha_DCG", "α-DCG"),
    "alphanDCG": ("alpha-nDCG", "alpha_nDCG", "α-nDCG"),
    "ERRIA": ("ERR-IA", "ERR_IA"),
    "nERRIA": ("nERR-IA", "nERR_IA"),
    "PIA": ("P-IA", "P_IA"),
    "APIA": ("AP-IA", "AP_IA", "MAP-IA", "MAPIA"),
    "SRecall": ("S-recall", "strec", "StRecall"),
}
"""What ndeval, ir_measures and papers call the measures by subtopics."""
ALSO_CALLED = {
    **{theirs: own for own, names in SUBTOPICS.items() for theirs in names},
    "F1": "F",
    "HitRate": "Success",
    "MAP": "AP",
    "MRR": "RR",
    "MSnDCG": "nDCG",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "map": "AP",
    "mrr": "RR",
    "ndcg": "nDCG",
    "precision": "P",
    "recall": "R",
}
"""Names that others give to a whole measure of karat's; MSnDCG is NTCIR's. A profile may read them otherwise."""
BRACKETS = {"(": ")", "[": "]", "{": "}"}


def parse_measure(name: str | Measure) -> Measure:
    """The measure of one name.

    Args:
        name: a name such as ``AP``, ``P@10``, ``nDCG(gain=exp2)@10``, or trec_eval's ``map``, ``P_10``.

    Raises:
        MeasureError: an unknown name, parameter or value, or a name that stands for several measures.

    Example:
        >>> from karat.measures import parse_measure
        >>> str(parse_measure("ndcg_cut_10"))
        'nDCG@10'
    """
    measures = parse_measures([name])
    if len(measures) != 1:
        shown = ", ".join(map(str, measures[:3]))
        raise MeasureError(f"'{name}' stands for {len(measures)} measures ({shown}, …): name one of them.")
    return measures[0]


def parse_measures(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of many names, in order, each once.

    A name of trec_eval's may stand for several: ``P`` for nine depths, ``all_trec`` for nearly everything.
    Names may also be separated by blanks or commas in one string.

    Raises:
        MeasureError: as ``parse_measure``.
    """
    if isinstance(names, (str, Measure)):
        names = [names]
    found: dict[Measure, None] = {}
    for name in names:
        if not isinstance(name, (str, Measure)):
            raise MeasureError(f"A measure is named by text, not by {name!r}.")
        for part in [name] if isinstance(name, Measure) else split_names(name):
            found.update(dict.fromkeys([part] if isinstance(part, Measure) else named(part)))
    return list(found)


def split_names(text: str) -> list[str]:
    """The names in a text, separated by blanks or commas; ``P.5,10`` is one."""
    names: list[str] = []
    for part in split(text, ", \t\n"):
        if names and NUMBER.fullmatch(part):
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def named(name: str) -> list[Measure]:
    """What one name stands for: trec_eval's first where it has parameters of its own kind, else karat's."""
    trec = from_trec_eval(name)
    return [own(name)] if trec is None else trec


def parts_of_name(name: str) -> tuple[str, dict[str, Any], str | None]:
    """A name's word, its parameters, and what follows its ``@``.

    Raises:
        MeasureError: it is no name of this form.
    """
    match = NAME.fullmatch(name)
    if match is None:
        raise MeasureError(
            f"'{name}' is not a measure's name: write NAME, NAME@DEPTH or NAME(parameter=value)@DEPTH."
        )
    word, inside, at = match.groups()
    return word, dict(pair(word, part) for part in split(inside or "", ",")), at


def own(name: str) -> Measure:
    """The measure of one of karat's own names."""
    word, given, at = parts_of_name(name)
    word = ALSO_CALLED.get(word, word)
    if word not in REGISTER:
        raise MeasureError(unknown(word))
    definition = REGISTER[word]
    parameters = list(given.items())
    if at is None:
        return Measure(word, tuple(parameters))
    if not NUMBER.fullmatch(at):
        raise MeasureError(f"'{name}': what follows '@' is a number, not '{at}'.")
    if definition.at not in ("depth", "no"):
        return Measure(word, (*parameters, (definition.at, number(at))))
    if not at.isdigit():
        raise MeasureError(f"'{name}': a depth is a whole number from 1 on, not '{at}'.")
    return Measure(word, tuple(parameters), int(at))


def pair(name: str, text: str) -> tuple[str, Any]:
    """A parameter and its value from ``key=value``."""
    key, equals, text_value = text.partition("=")
    if not equals:
        raise MeasureError(f"{name}({text}): write a parameter as name=value.")
    return key.strip(), value(text_value.strip())


def value(text: str) -> Any:
    """A parameter's value: a number, a word, ``[a, b]`` or ``{grade:gain}``."""
    if NUMBER.fullmatch(text):
        return number(text)
    if text[:1] == "[" and text[-1:] == "]":
        return tuple(number(part) for part in split(text[1:-1], ","))
    if text[:1] == "{" and text[-1:] == "}":
        parts = [part.partition(":") for part in split(text[1:-1], ",")]
        return tuple((number(grade), number(gain)) for grade, _, gain in parts)
    return re.sub(r"\s+", "", text)


def number(text: str) -> float:
    """A number, or a sentence that says that it is none."""
    text = text.strip()
    if not NUMBER.fullmatch(text):
        raise MeasureError(f"'{text}' is not a number.")
    return float(text)


def split(text: str, separators: str) -> list[str]:
    """Split at separators that stand outside brackets; empty parts go."""
    parts, part, open_brackets = [], "", []
    for letter in text:
        if letter in BRACKETS:
            open_brackets.append(BRACKETS[letter])
        elif open_brackets and letter == open_brackets[-1]:
            open_brackets.pop()
        if letter in separators and not open_brackets:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [each.strip() for each in [*parts, part] if each.strip()]


def from_trec_eval(name: str) -> list[Measure] | None:
    """What trec_eval calls so, or None: ``map``, ``P_5``, ``P.5,10``, ``P``, ``all_trec``."""
    if name in NICKNAMES:
        return [each for member in NICKNAMES[name] for each in in_full(member, TABLE[member].cutoffs)]
    for word, entry in TABLE.items():
        if name == word:
            return in_full(word, entry.cutoffs)
        rest = name.removeprefix(word)
        if entry.cutoffs and rest != name and rest[:1] in ("_", "."):
            cutoffs = rest[1:].split(",")
            if all(NUMBER.fullmatch(each) for each in cutoffs):
                return in_full(word, tuple(map(float, cutoffs)))
    return None


def in_full(word: str, cutoffs: tuple[float, ...]) -> list[Measure]:
    """A name of trec_eval's with each of its cutoffs; ``runid`` and ``relstring`` are not numbers and give none."""
    template = TABLE[word].karat
    if "{}" in template:
        return [own(template.format(show(cutoff))) for cutoff in cutoffs]
    return [own(template)] if template else []
