"""Errors for unknown measure names, which say what to write instead."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from carob.measures.define import REGISTER, shortened
from carob.measures.grammar import TABLE, also_called, canonical, folded
from carob.output.errors import MeasureError, Worded, worded
from carob.output.files import own_table

SUFFIXES = r"(?i)(?:[-_ ]?(?:at)?[-_ ]?(?:[0-9]+|k)|[-_](?:score|metric|rate|mean))$"
LEVEL = r"-l([0-9]+)$"
PERSISTENCE = r"(?i)rbp[._-]([0-9]+)$"
ALIKE = 0.55
"""The minimum similarity of a suggested name to the unknown one."""
MOST = 3


class UnknownMeasureError(MeasureError):
    """Raised for an unknown measure name.

    Args:
        word: the name.
        text: the error message.
        guessed: whether the message suggests only similar names, or no name at all.
    """

    def __init__(self, word: str, text: str, *, guessed: bool = False) -> None:
        """Stores the name, so that a caller can look it up among the names in profiles."""
        super().__init__(text)
        self.word, self.guessed = word, guessed


def unknown(word: str, at: str | None = None) -> UnknownMeasureError:
    """Returns the error for an unknown name, with an equivalent, another spelling, or the most similar names."""
    there_is_none = f"There is no measure '{shortened(word)}'"
    said = pointer(word)
    if said is not None:
        return UnknownMeasureError(word, worded(f"{there_is_none}. ", said))
    spelled = respelled(word, at)
    if spelled is not None:
        return UnknownMeasureError(word, f"{there_is_none}. Did you mean {spelled}?")
    near = nearest(word)
    hint = f"Did you mean {' or '.join(near)}?" if near else "'carob measures' lists them all."
    return UnknownMeasureError(word, f"{there_is_none}. {hint}", guessed=True)


def pointer(word: str) -> str | None:
    """Returns the sentence in unknown_names.toml about a name, or None if the file does not contain the name."""
    wanted = folded(word)
    for each in pointers():
        if wanted in map(folded, each["names"]):
            return Worded(each["say"], each.get("command", each["say"]))
    return None


@cache
def pointers() -> list[dict[str, Any]]:
    """Returns groups of names that carob does not support, each with a sentence about what to write instead."""
    found: list[dict[str, Any]] = own_table(__file__, "unknown_names.toml")["unknown"]
    return found


def respelled(word: str, at: str | None = None) -> str | None:
    """Returns carob's spelling of a name whose depth or parameter has another form, such as ``P10`` or ``rbp.95``."""
    persistence = re.match(PERSISTENCE, word)
    if persistence:
        return f"RBP(p=0.{persistence[1]})"
    level = re.search(LEVEL, word) or re.search(LEVEL, at or "")
    if level:
        own = canonical(re.sub(LEVEL, "", word))
        depth = re.sub(LEVEL, "", at) if at else ""
        return with_parameter(own, f"rel={level[1]}", depth) if own else None
    stem, depth = word, at or ""
    while re.search(SUFFIXES, stem):
        digits = re.search(r"[0-9]+$", stem)
        depth = digits[0] if digits else depth
        stem = re.sub(SUFFIXES, "", stem)
        own = canonical(stem)
        if own is not None:
            return with_parameter(own, "", depth)
    return None


def with_parameter(own: str, parameter: str, depth: str) -> str:
    """Returns a measure's name with one more parameter, and with the depth if the measure accepts one."""
    name, _, inside = own.rstrip(")").partition("(")
    parts = ", ".join(each for each in (inside, parameter) if each)
    takes = REGISTER[name].at == "depth"
    return name + (f"({parts})" if parts else "") + (f"@{depth}" if depth and takes else "")


def nearest(word: str) -> list[str]:
    """Returns the measures whose names or aliases are most similar to a word, the most similar first."""
    known = {name: name for name in REGISTER} | also_called()
    known |= {
        name: each.carob.partition("@")[0]
        for name, each in TABLE.items()
        if each.carob and "(" not in each.carob
    }
    wanted = folded(word)
    likeness: dict[str, float] = {}
    for theirs, own in known.items():
        alike = likeness_of(wanted, folded(theirs))
        if alike:
            likeness[own] = max(alike, likeness.get(own, 0.0))
    return sorted(likeness, key=lambda own: -likeness[own])[:MOST]


def likeness_of(a: str, b: str) -> float:
    """Returns the similarity of two names: 0.55 or more, or 0 for names that are too different.

    The similarity is higher if both names have the same first letter, or the same letters in a different order.
    """
    if not a or not b or len(a) > 100 or abs(len(a) - len(b)) > max(len(a), len(b)) // 2:
        return 0.0
    from difflib import SequenceMatcher  # imported here because only errors need it

    alike = SequenceMatcher(None, a, b, autojunk=False).ratio()
    swapped = sorted(a) == sorted(b)
    if alike < ALIKE and not swapped:
        return 0.0
    return max(alike, ALIKE) + 0.15 * swapped + 0.1 * (a[0] == b[0])
