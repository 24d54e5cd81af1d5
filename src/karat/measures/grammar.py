"""The form of a measure's name, ``NAME(parameter=value, …)@DEPTH``: its parts, in time that grows with its length."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

from karat.output.errors import MeasureError

__all__ = ["NUMBER", "depth_of", "number", "parts_of_name", "shortened", "split", "split_names"]

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
BRACKETS = {"(": ")", "[": "]", "{": "}"}
QUOTES = "'\""

LONGEST = 10_000
"""Characters of a name; of trec_eval's names with a thousand cutoffs there are half as many."""
LONGEST_NUMBER = 40
"""Characters of a number: more digits than any double tells apart."""
SHOWN = 60
"""Characters of a name that a sentence repeats."""
DEEPEST = 10**9
"""The largest depth; no list that memory holds is longer."""


def parts_of_name(name: str) -> tuple[str, dict[str, Any], str | None]:
    """A name's word, its parameters, and what follows its ``@``.

    Raises:
        MeasureError: it is no name of this form.
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
        or (at and re.search(r"[@()\s]", at))
        or re.search(r"[\s)\]}{\[=]", word)
    ):
        raise MeasureError(not_a_name(name))
    given: dict[str, Any] = {}
    for key, value in (pair(word, part) for part in split(inside, ",")):
        if key in given:
            raise MeasureError(f"{shortened(name)} gives '{key}' twice: leave one out.")
        given[key] = value
    return word, given, at


def written_plainly(name: str) -> str:
    """The name without blanks around it, full-width signs as plain ones.

    Raises:
        MeasureError: it is too long.
    """
    if len(name) > LONGEST:
        raise MeasureError(
            f"A measure's name of {len(name):,} characters ({shortened(name)}) is too long: {LONGEST:,} are read."
        )
    return unicodedata.normalize("NFKC", name).strip()


def closing(text: str, name: str) -> int:
    """Where the bracket at the start of the text is closed.

    Raises:
        MeasureError: nowhere.
    """
    waiting: list[str] = []
    quote = ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES:
            quote = letter
        elif letter in BRACKETS:
            waiting.append(BRACKETS[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place
    raise MeasureError(not_a_name(name))


def not_a_name(name: str) -> str:
    """The sentence for text that has not the form of a name."""
    return (
        f"'{shortened(name)}' is not a measure's name: write NAME, NAME@DEPTH or NAME(parameter=value)@DEPTH."
    )


def shortened(name: str) -> str:
    """A name as a sentence repeats it."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name[: SHOWN + 1])
    return shown if len(name) <= SHOWN else f"{shown[:SHOWN]}…"


def pair(name: str, text: str) -> tuple[str, Any]:
    """A parameter and its value from ``key=value``."""
    key, equals, text_value = text.partition("=")
    if not equals:
        raise MeasureError(f"{name}({shortened(text)}): write a parameter as name=value.")
    return key.strip(), value(text_value.strip())


def value(text: str) -> Any:
    """A parameter's value: a number, a word, quoted or not, ``[a, b]`` or ``{grade:gain}``."""
    if NUMBER.fullmatch(text):
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
    """A number, or a sentence that says that it is none."""
    text = text.strip()
    if not NUMBER.fullmatch(text):
        raise MeasureError(f"'{shortened(text)}' is not a number.")
    if len(text) > LONGEST_NUMBER or not math.isfinite(float(text)):
        raise MeasureError(
            f"'{shortened(text)}' is not a number that can be computed with: it is too large or too long."
        )
    return float(text)


def depth_of(text: str, name: str) -> int:
    """The depth that follows an ``@``.

    Raises:
        MeasureError: it is no whole number from 1 on, or beyond any list.
    """
    if not re.fullmatch(r"[0-9]+", text):
        raise MeasureError(
            f"'{shortened(name)}': a depth is a whole number from 1 on, not '{shortened(text)}'."
        )
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(DEEPEST)) or int(digits) > DEEPEST:
        raise MeasureError(f"'{shortened(name)}': a depth is at most {DEEPEST:,}.")
    return int(digits)


def split_names(text: str) -> list[str]:
    """The names in a text, separated by blanks or commas; ``P.5,10`` is one, and ``P@5,10`` is ``P@5`` and ``P@10``."""
    names: list[list[str]] = []
    for part in split(text, ", \t\n"):
        if names and "@" in names[-1][0] and part.isdecimal():
            names.append([f"{names[-1][0].rpartition('@')[0]}@{part}"])
        elif names and NUMBER.fullmatch(part):
            names[-1].append(part)
        else:
            names.append([part])
    return [",".join(parts) for parts in names]


def split(text: str, separators: str) -> list[str]:
    """Split at separators that stand outside brackets and quotes; empty parts go."""
    parts: list[str] = []
    waiting: list[str] = []
    start, quote = 0, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES and waiting:
            quote = letter
        elif letter in BRACKETS:
            waiting.append(BRACKETS[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
        elif letter in separators and not waiting:
            parts.append(text[start:place])
            start = place + 1
    return [each.strip() for each in [*parts, text[start:]] if each.strip()]
