"""A run's documents beside the judged ones: those that both write alike, and those in another writing only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.diagnosis.check.fields import column_of
from karat.inputs.id_variants import folded

if TYPE_CHECKING:
    from karat import _native
    from karat.diagnosis.check.fields import Fields

__all__ = ["Spellings"]

SPARSE = 16
"""Places in the filter for each judged document."""


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
