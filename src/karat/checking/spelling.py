"""Ids that are written in two ways: other letters' case, leading zeros, a float's '.0', characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from karat.checking.fields import column_of
from karat.ids import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat import _native
    from karat.checking.fields import Fields

__all__ = ["Spellings", "alike", "folded", "number_in", "pairs_of"]

UNSEEN = re.compile(r"[\s\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]+")
FLOAT = re.compile(r"([0-9]+)\.0+")
NUMBER = re.compile(r"[^0-9]*0*([0-9]+)")
SPARSE = 16
"""Places in the filter for each judged document."""


def folded(identifier: bytes) -> str:
    """The id as it is apart from the way it is written."""
    text = unicodedata.normalize("NFKC", text_of(identifier)).casefold()
    text = UNSEEN.sub("", text)
    number = FLOAT.fullmatch(text)
    text = number[1] if number else text
    return text.lstrip("0") or text[:1]


def number_in(identifier: bytes) -> str | None:
    """The number that an id ends with, behind letters and zeros; None if it ends otherwise."""
    match = NUMBER.fullmatch(text_of(identifier))
    return match[1] if match else None


def alike(identifiers: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Ids of one file that differ only in writing, each with the first such one."""
    first: dict[str, bytes] = {}
    return [
        (first[form], each) for each in identifiers if first.setdefault(form := folded(each), each) != each
    ]


def pairs_of(here: Iterable[bytes], there: Iterable[bytes]) -> dict[bytes, bytes]:
    """For ids that only one side has, what the other side writes: by the folded form, else by the number in it."""
    here, there = list(here), list(there)
    for form in (folded, number_in):
        others: dict[str | None, bytes] = {form(each): each for each in there}
        others.pop(None, None)
        if len(others) < len(there):
            continue
        pairs = {each: others[key] for each in here if (key := form(each)) in others}
        if pairs and (form is folded or len(set(pairs.values())) == len(pairs)):
            return pairs
    return {}


class Spellings:
    """Looks among a run's documents for judged ones, and for judged ones written in another way.

    Args:
        judgments: whose documents are known.
    """

    def __init__(self, judgments: _native.Judgments) -> None:
        """Take the judged documents' hashes; nothing is seen yet."""
        tokens = [each for query in range(len(judgments.queries)) for each in judgments.documents(query)]
        self.tokens = column_of(tokens)
        forms = self.tokens.hashes(folded=True)
        order = np.argsort(forms, kind="stable")
        forms = forms[order]
        first = np.append(True, forms[1:] != forms[:-1])[: len(forms)]
        self.forms, self.token_of = forms[first], order[first]
        self.exact = np.sort(self.tokens.hashes())
        places = 1 << (SPARSE * len(self.forms) + 1).bit_length()
        self.mask = np.uint64(places - 1)
        self.filter = np.zeros(places, bool)
        self.filter[self.forms & self.mask] = True
        self.literal = np.zeros(len(self.forms), bool)
        self.other: dict[int, tuple[bytes, int]] = {}

    def see(self, fields: Fields) -> None:
        """Look at the documents of some lines of a run."""
        column = fields.column(2)
        words = column.hashes(folded=True)
        rows = np.flatnonzero(self.filter[words & self.mask])
        if not len(rows):
            return
        places = np.minimum(np.searchsorted(self.forms, words[rows]), len(self.forms) - 1)
        known = self.forms[places] == words[rows]
        rows, places = rows[known], places[known]
        exact = column[rows].hashes()
        at = np.minimum(np.searchsorted(self.exact, exact), len(self.exact) - 1)
        literal = self.exact[at] == exact
        self.literal[places[literal]] = True
        for row, place in zip(rows[~literal].tolist(), places[~literal].tolist()):
            if place not in self.other:
                self.other[place] = (column.token(row), int(fields.line[row]))

    def pairs(self) -> dict[bytes, tuple[bytes, int]]:
        """Judged documents that the run has under another writing only: the run's id and its first line."""
        found = {}
        for place, (token, line) in self.other.items():
            judged = self.tokens.token(int(self.token_of[place]))
            if not self.literal[place] and folded(judged) == folded(token):
                found[judged] = (token, line)
        return found
