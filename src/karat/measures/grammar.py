"""The grammar of names, ``NAME(parameter=value, …)@DEPTH``, parsed in linear time."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from karat.output.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
BRACKETS = {"(": ")", "[": "]", "{": "}"}
QUOTES = "'\""

LONGEST = 10_000
"""The longest name in characters: twice a trec_eval name with a thousand cutoffs."""
LONGEST_NUMBER = 40
"""The longest number in characters: more digits than a double distinguishes."""
SHOWN = 60
"""The most characters of a name that a message repeats."""
DEEPEST = 10**9
"""The largest depth: no list in memory is longer."""


def parts_of_name(name: str) -> tuple[str, dict[str, Any], str | None]:
    """Returns the word, the parameters and the text after ``@`` of a name.

    Raises:
        MeasureError: the name does not have this form.
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
            raise MeasureError(f"{shortened(name)} gives '{key}' twice: remove one of them.")
        given[key] = value
    return word, given, at


def written_plainly(name: str) -> str:
    """Returns the name without surrounding blanks, with ASCII characters instead of full-width ones.

    Raises:
        MeasureError: the name is too long.
    """
    if len(name) > LONGEST:
        raise MeasureError(
            f"A measure's name of {len(name):,} characters ({shortened(name)}) is too long: the limit is {LONGEST:,}."
        )
    return unicodedata.normalize("NFKC", name).strip()


def closing(text: str, name: str) -> int:
    """Returns the position at which the bracket at the start of the text is closed.

    Raises:
        MeasureError: the bracket is not closed.
    """
    for place, _, outside in nested(text):
        if outside:
            return place
    raise MeasureError(not_a_name(name))


def not_a_name(name: str) -> str:
    """Returns the message for text that does not have the form of a name."""
    return (
        f"'{shortened(name)}' is not a measure's name: write NAME, NAME@DEPTH or NAME(parameter=value)@DEPTH."
    )


def shortened(name: str) -> str:
    """Returns a name for a message: shortened, and with escapes for unprintable characters."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name[: SHOWN + 1])
    return shown if len(name) <= SHOWN else f"{shown[:SHOWN]}…"


def pair(name: str, text: str) -> tuple[str, Any]:
    """Returns a parameter and its value from ``key=value``."""
    key, equals, text_value = text.partition("=")
    if not equals:
        raise MeasureError(f"{name}({shortened(text)}): write a parameter as name=value.")
    return key.strip(), value(text_value.strip())


def value(text: str) -> Any:
    """Returns the value of a parameter: a number, a word, ``[a, b]`` or ``{grade:gain}``."""
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
    """Returns the number that is written in a text.

    Raises:
        MeasureError: the text is not a number, or the number is too large or too long.
    """
    text = text.strip()
    if not NUMBER.fullmatch(text):
        raise MeasureError(f"'{shortened(text)}' is not a number.")
    if len(text) > LONGEST_NUMBER or not math.isfinite(float(text)):
        raise MeasureError(f"'{shortened(text)}' is too large or too long for a number.")
    return float(text)


def depth_of(text: str, name: str) -> int:
    """Returns the depth after ``@``.

    Raises:
        MeasureError: the depth is not a whole number from 1 to 10^9.
    """
    if not re.fullmatch(r"[0-9]+", text):
        raise MeasureError(
            f"'{shortened(name)}': a depth is a whole number of at least 1, not '{shortened(text)}'."
        )
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(DEEPEST)) or int(digits) > DEEPEST:
        raise MeasureError(f"'{shortened(name)}': a depth is at most {DEEPEST:,}.")
    return int(digits)


def split_names(text: str) -> list[str]:
    """Returns the names in a text, which blanks or commas separate.

    ``P.5,10`` is one name; ``P@5,10`` is ``P@5`` and ``P@10``.
    """
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
    """Returns the parts of a text between separators outside brackets and quotes, without empty parts."""
    ends = [place for place, letter, outside in nested(text) if outside and letter in separators]
    parts = [text[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(text)])]
    return [each.strip() for each in parts if each.strip()]


def nested(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yields each letter with its position, and whether all brackets and quotes are closed there."""
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
