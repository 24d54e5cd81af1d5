"""The carrier for preferences between documents: how many of them the ranked lists keep, per group or pair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat.errors import DataError
from karat.rows import Integers

__all__ = ["Contradiction", "Graded", "Group", "PreferenceLists", "Tallies", "group_of"]

Pairs = tuple[Integers, Integers]


class Contradiction(DataError):
    """Preferences of one judgment group that exclude each other.

    Args:
        kind: ``levels`` (one document on two levels of an only subgroup), ``zero`` (a document both at level 0
            and above), ``cycle`` (each of two documents preferred to the other).
        document: the document, by its number.
        other: the other one of a cycle.
    """

    def __init__(self, kind: str, document: int, other: int = -1) -> None:
        """Say what contradicts what."""
        self.kind, self.document, self.other = kind, document, other
        number = {
            "levels": f"document number {document} of the query stands on two levels of one judgment group",
            "zero": f"document number {document} of the query has level 0 and another level in one judgment group",
            "cycle": f"documents number {document} and {other} of the query are each preferred to the other",
        }[kind]
        super().__init__(f"{number}: correct the preferences, or put them into two judgment groups.")


@dataclass(frozen=True)
class Group(ABC):
    """What one judgment group prefers, of documents that are numbered by rank: first those retrieved.

    Args:
        retrieved: how many of the query's judged documents were retrieved; their numbers come first.
    """

    retrieved: int

    @abstractmethod
    def pairs(self) -> Pairs:
        """The documents preferred, and those that they are preferred to."""

    @property
    @abstractmethod
    def relevant(self) -> Integers:
        """The documents of a level above 0."""

    @property
    @abstractmethod
    def nonrelevant(self) -> Integers:
        """The documents that count as not relevant."""

    @abstractmethod
    def capped_pairs(self, among: str) -> Pairs:
        """The pairs, with no more nonrelevant documents than relevant ones."""

    def tally(self, among: str) -> tuple[int, int]:
        """How many preferences the list keeps, and how many there are."""
        kept_both, broken_both, kept_one, broken_one, neither = self.kinds
        if among == "both":
            return kept_both, kept_both + broken_both
        either = kept_both + broken_both + kept_one + broken_one
        return kept_both + kept_one, either if among == "either" else either + neither

    def capped_tally(self, among: str) -> tuple[int, int]:
        """The same with as many nonrelevant documents as relevant ones.

        Where there are fewer, the missing ones are taken as not retrieved: every relevant document is preferred
        to them, and every retrieved one keeps that.
        """
        seen = self.retrieved if among == "both" else np.iinfo(np.int64).max
        relevant = int((self.relevant < seen).sum())
        spare = relevant - int((self.nonrelevant < seen).sum())
        if spare < 0:
            return sum_up(*kinds_of(self.capped_pairs(among), self.retrieved), among)
        kept, counted = self.tally(among)
        found = int((self.relevant < self.retrieved).sum())
        return kept + found * spare, counted + len(self.relevant) * spare

    @cached_property
    def kinds(self) -> tuple[int, int, int, int, int]:
        """How many preferences there are of each kind."""
        return kinds_of(self.pairs(), self.retrieved)
