"""The words in which measures are written: ``Lists`` and its two kinds of number, ``Rows`` and ``Queries``.

A measure is a function from ranked lists to one number per query. It may say only what stands here, so one
text serves every carrier (flat judged rows, padded batches, a trace). A carrier gives the columns and a few
primitives a body; every other word is derived here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol, cast, overload

import numpy as np

from karat.lists.gains import Gain, discount_of, gain_of, reciprocals_of
from karat.output.errors import DataError, UncomputableError

__all__ = ["Gain", "Lists", "Preferences", "Queries", "Rows"]

"""``linear``, ``exp2``, ``binary``, or pairs (grade, gain); a grade without a pair is its own gain.

``linear(t)``, ``exp2(t)`` and ``binary(t)`` give nothing below grade t.
"""

APART = "These lists do not tell which documents the judgment groups of a query share: give qrels and a run."
NO_LINES = "These lists do not know in which order the run lists its documents, which this measure asks for."


def too_large(grade: float, gain: Gain) -> str:
    """What is wrong with a grade whose gain is too large."""
    shown = gain if isinstance(gain, str) else "{…}"
    return (
        f"grade {grade:g} is worth more than can be computed with (gain={shown}): give grades of a smaller scale, or "
        "another gain."
    )


class Rows(Protocol):
    """One number per ranked document. Arithmetic with ``Queries`` needs ``Lists.spread``."""

    def per_document(self) -> None:
        """Only for the type checker: what tells ``Rows`` from ``Queries``."""

    def __add__(self, other: Rows | float, /) -> Rows: ...
    def __radd__(self, other: Rows | float, /) -> Rows: ...
    def __sub__(self, other: Rows | float, /) -> Rows: ...
    def __rsub__(self, other: Rows | float, /) -> Rows: ...
    def __mul__(self, other: Rows | float, /) -> Rows: ...
    def __rmul__(self, other: Rows | float, /) -> Rows: ...
    def __truediv__(self, other: Rows | float, /) -> Rows: ...
    def __rtruediv__(self, other: Rows | float, /) -> Rows: ...
    def __pow__(self, other: Rows | float, /) -> Rows: ...
    def __rpow__(self, other: Rows | float, /) -> Rows: ...


class Queries(Protocol):
    """One number per query."""

    def per_query(self) -> None:
        """Only for the type checker: what tells ``Queries`` from ``Rows``."""

    def __add__(self, other: Queries | float, /) -> Queries: ...
    def __radd__(self, other: Queries | float, /) -> Queries: ...
    def __sub__(self, other: Queries | float, /) -> Queries: ...
    def __rsub__(self, other: Queries | float, /) -> Queries: ...
    def __mul__(self, other: Queries | float, /) -> Queries: ...
    def __rmul__(self, other: Queries | float, /) -> Queries: ...
    def __truediv__(self, other: Queries | float, /) -> Queries: ...
    def __rtruediv__(self, other: Queries | float, /) -> Queries: ...
    def __pow__(self, other: Queries | float, /) -> Queries: ...
    def __rpow__(self, other: Queries | float, /) -> Queries: ...


class Preferences(ABC):
    """Preferences between judged documents, counted per judgment group or per pair of documents: its rows."""

    @property
    @abstractmethod
    def kept(self) -> Rows:
        """How many of them the list keeps: the preferred document is retrieved, and the other one below or not."""

    @property
    @abstractmethod
    def possible(self) -> Rows:
        """How many there are."""

    @abstractmethod
    def total(self, rows: Rows) -> Queries:
        """The sum over the groups or pairs of each query."""


class Lists(ABC):
    """Ranked lists, one per query, and what their judgments say of them."""

    xp: Any
    """The array namespace of the carrier."""

    # ------------------------------------------------------------ columns: what a carrier holds

    @property
    @abstractmethod
    def rank(self) -> Rows:
        """The rank of each document, from 1."""

    @property
    @abstractmethod
    def grade(self) -> Rows:
        """The grade of each document; -1 if it was never pooled, -2 if pooled but left unjudged."""

    @property
    @abstractmethod
    def length(self) -> Queries:
        """How many documents were retrieved (within the depth, if there is one)."""

    @property
    @abstractmethod
    def depth(self) -> Queries:
        """How many documents were asked for; without a cut, as many as were retrieved."""

    @property
    @abstractmethod
    def horizon(self) -> Queries:
        """The last rank at which a user may look: the depth; without a cut there is none, and it is infinite."""

    @property
    @abstractmethod
    def tied_rank(self) -> Rows:
        """The mean of the ranks in the list that share the document's score: its rank where no other does."""

    @property
    def listed(self) -> Rows:
        """Where the run lists each document, from 1; its rank where the policy's ``listing`` is ignored."""
        return self.rank

    @property
    def largest(self) -> float:
        """The largest gain that is computed with: its square, times any number of documents, is a number."""
        return 2.0**500

    @abstractmethod
    def first_of(self, which: Any) -> tuple[int, float]:
        """Of some documents, or queries, the first: its list, from 0, and its grade, or the list's highest."""

    @abstractmethod
    def n_graded(self, lowest: float, below: float) -> Queries:
        """How many judgments of the query have a grade in [lowest, below), retrieved or not."""

    @abstractmethod
    def n_worth(self, gain: Gain) -> Queries:
        """How many judgments of the query have a positive gain, retrieved or not."""

    @abstractmethod
    def highest_grade(self) -> Queries:
        """The largest grade of the query's judgments; 0 without any."""

    # ------------------------------------------------------------ lists made of these lists

    @abstractmethod
    def top(self, depth: int) -> Lists:
        """The same lists down to ``depth``; judgments are never cut."""

    @abstractmethod
    def ideal(self, gain: Gain, of: str) -> Lists:
        """The best lists: all documents of a positive gain, best first.

        ``of`` says from where: ``judged`` (all judgments), ``uncut`` (the same, whatever the depth),
        ``length`` (the same, down to as many as were retrieved), ``retrieved`` (what the run returned, before
        any cut), ``depth`` and ``full`` (as many documents of grade 1 as were asked for, or were retrieved),
        ``trec_eval`` (all judgments, in trec_eval's order, which takes gains less than 1 apart for equal:
        utility ``comp_rel_gain``). The best lists are cut at the same depth, ``uncut`` apart.
        """

    @property
    @abstractmethod
    def groups(self) -> Lists:
        """One list per judgment group of each query.

        Raises:
            DataError: the judgments come in no groups.
        """

    @abstractmethod
    def over_groups(self, values: Queries) -> Queries:
        """The mean over a query's judgment groups of numbers that ``groups`` gave."""

    def total_over_groups(self, values: Queries) -> Queries:
        """The sum over a query's judgment groups of numbers that ``groups`` gave.

        Raises:
            DataError: the judgments come in no groups.
        """
        del values
        raise DataError(APART)

    def most_novel(self, alpha: float, rel: float) -> Lists:
        """The best lists by group: each next document adds the most that those above leave, the greedy choice.

        A document adds (1 - alpha)^m for each group that finds it relevant, m being how many above it the group
        finds relevant too. Of equals the one with the largest id comes first, as in ndeval.

        Raises:
            DataError: a carrier that does not tell documents apart.
        """
        del alpha, rel
        raise DataError(APART)

    def preferences(self, of: str, among: str, nonrelevant: str = "all") -> Preferences:
        """The preferences that the judgments state between documents.

        Args:
            of: what they are counted per: judgment ``group``, or ``pair`` of documents.
            among: which count: ``all``, or those with ``either`` or ``both`` documents retrieved.
            nonrelevant: ``all`` nonrelevant documents, or ``capped`` at as many as there are relevant ones.

        Raises:
            DataError: the judgments are grades, not preferences.
        """
        raise DataError(
            f"This measure counts preferences ({of}, {among}, {nonrelevant}), and qrels hold none: give a file of "
            "preferences to 'karat trec-eval -R prefs' or '-R qrels_prefs'."
        )

    def all_above(self, rows: Rows | float) -> Rows:
        """The sum over the documents of all lists that score higher than each one, and half over its equals.

        Of ``rows``; or of that number for every document, judged or not. Each is its own equal.

        Raises:
            DataError: there are no scores.
        """
        del rows
        raise DataError(
            "This measure compares the scores of documents of different queries, and documents in rank order have "
            "none: give judgments and a run."
        )

    def all_total(self, values: Queries) -> Queries:
        """The sum over all lists, the same for each of them.

        Raises:
            DataError: the lists are not all there.
        """
        del values
        raise DataError("These lists stand alone: a sum over all queries needs all of them at once.")

    # ------------------------------------------------------------ primitives: what a carrier computes

    @abstractmethod
    def total(self, rows: Rows) -> Queries:
        """The sum over each list, added from rank 1 down."""

    @abstractmethod
    def best(self, rows: Rows) -> Queries:
        """The largest value of each list; 0 for an empty list."""

    @abstractmethod
    def running(self, rows: Rows) -> Rows:
        """The sum from rank 1 down to each document, itself included."""

    @abstractmethod
    def product_above(self, rows: Rows) -> Rows:
        """The product over the documents ranked above each one; 1 at the top."""

    @abstractmethod
    def following(self, rows: Rows) -> Rows:
        """The value of the next row of the list; NaN at its end."""

    @abstractmethod
    def spread(self, values: Queries) -> Rows:
        """A query's number, given to each of its documents."""

    @abstractmethod
    def running_of(self, other: Lists, rows: Rows) -> Rows:
        """The sum of another list's ``rows`` from its rank 1 down to the rank of each document of this one."""

    def latest(self, rows: Rows) -> Rows:
        """At each document, the value of that one, of those down to it, which the run lists last.

        Raises:
            DataError: a carrier that has no order of lines.
        """
        del rows
        raise DataError(NO_LINES)

    def outranked(self, rows: Rows, then: Rows) -> Rows:
        """How many documents below each one have a smaller value, or an equal one and a smaller ``then``.

        A document with the same score as the other counts one half.

        Raises:
            DataError: a carrier that has no order of lines.
        """
        del rows, then
        raise DataError(NO_LINES)

    @overload
    def powers(self, base: float, exponents: Rows) -> Rows: ...
    @overload
    def powers(self, base: float, exponents: Queries) -> Queries: ...
    def powers(self, base: float, exponents: Any) -> Any:
        """``base`` to whole powers; a carrier may multiply them up one by one, as loops over ranks do."""
        return base**exponents

    def total_unjudged(self, p: float) -> Queries:
        """The sum of p^(rank - 1) over the unjudged documents of each list, with or without a row."""
        every = self.length if p == 1.0 else (1.0 - self.powers(p, self.length)) / (1.0 - p)
        return every - self.total(self.judged * self.powers(p, self.rank - 1.0))

    # ------------------------------------------------------------ derived words, said once

    def hits(self, rel: float) -> Rows:
        """1 for a document whose grade is at least ``rel``, else 0."""
        return self.at_least(self.grade, rel)

    @property
    def judged(self) -> Rows:
        """1 for a judged document, else 0. A negative grade is in the pool but not judged."""
        return self.at_least(self.grade, 0.0)

    @property
    def pooled_unjudged(self) -> Rows:
        """1 for a document that was pooled but left unjudged (a negative grade), else 0."""
        return 1.0 - self.at_least(self.grade, -1.0)

    def misses(self, rel: float) -> Rows:
        """1 for a document that was judged, with a grade below ``rel``, else 0."""
        return self.judged * (1.0 - self.hits(rel))

    def n_relevant(self, rel: float) -> Queries:
        """How many judgments have a grade of at least ``rel``."""
        return self.n_graded(max(rel, 0.0), float("inf"))

    def n_nonrelevant(self, rel: float) -> Queries:
        """How many judgments have a grade below ``rel`` (negative ones are no judgments)."""
        return self.n_graded(0.0, rel)

    def size(self, over: str, rel: float) -> Queries:
        """What a sum over relevant documents is divided by.

        ``relevant``: all relevant ones; ``retrieved``: the relevant ones in the list; ``capped``: the
        relevant ones, at most the depth; ``length``: at most the list's length; ``depth``: the depth.
        """
        relevant = self.n_relevant(rel)
        return {
            "relevant": lambda: relevant,
            "retrieved": lambda: self.total(self.hits(rel)),
            "capped": lambda: self.least(relevant, self.depth),
            "length": lambda: self.least(relevant, self.length),
            "depth": lambda: self.depth,
        }[over]()

    def gains(self, gain: Gain) -> Rows:
        """What each document is worth: its grade turned to a gain; 0 for an unjudged one.

        Raises:
            UncomputableError: a gain that is too large to compute with.
        """
        return self.computable(cast("Rows", gain_of(self.xp, cast("Any", self.grade), gain)), gain)

    def computable(self, gains: Rows, gain: Gain) -> Rows:
        """The gains as they are.

        Raises:
            UncomputableError: one is too large to compute with.
        """
        beyond = abs(cast("Any", gains)) > self.largest
        if bool(beyond.any()):
            where, grade = self.first_of(beyond)
            raise UncomputableError(too_large(grade, gain), where)
        return gains

    def unit_gains(self, gain: Gain, rel: float | str = "graded", highest: float | str = "query") -> Rows:
        """Gains from 0 to 1.

        A number as ``rel``: 1 from that grade on. A number as ``highest``: the gain as a share of that grade's;
        ``none``: the gain as it is, which may be above 1. Otherwise the scale of trec_eval's ``rbp``: gains are brought
        into [0, 1] by the query's own lowest and highest, where they leave it.

        Raises:
            DataError: a grade above ``highest``.
        """
        if not isinstance(rel, str):
            return self.hits(rel)
        if highest == "none":
            return self.gains(gain)
        if isinstance(highest, str):
            return self.own_unit_gains(gain)
        return self.up_to_1(self.gains(gain) / float(gain_of(np, np.float64(highest), gain)), highest)

    def stops(self, gain: Gain, highest: float) -> Rows:
        """The share of users whom each document satisfies: its gain / (the gain of the ``highest`` grade + 1).

        Raises:
            DataError: a share above 1, which a grade above ``highest`` may give.
        """
        scale = float(gain_of(np, np.float64(highest), gain)) + 1.0
        return self.up_to_1(self.gains(gain) / scale, highest)

    def up_to_1(self, rows: Rows, highest: float) -> Rows:
        """The rows as they are.

        Raises:
            UncomputableError: a value above 1.
        """
        beyond = cast("Any", rows) > 1.0
        if bool(beyond.any()):
            where, grade = self.first_of(beyond)
            raise UncomputableError(
                f"grade {grade:g} is worth more than the highest one of the scale, max={highest:g}: name the highest "
                f"grade that there is, as in max={max(grade, highest + 1):g}.",
                where,
            )
        return rows

    def own_unit_gains(self, gain: Gain) -> Rows:
        """Gains brought into [0, 1] by the query's own lowest and highest, where they leave it.

        The lowest and the highest run over 0, the gains given and those of all other grades up to the highest
        of the query. A document without a gain stays at 0.
        """
        xp, pairs = self.xp, gain if isinstance(gain, tuple) else ()
        levels, named = [level for level, _ in pairs], [value for _, value in pairs]
        top = cast("Any", self.highest_grade())
        for level in sorted(levels, reverse=True):
            top = xp.where(top == level, top - 1.0, top)
        lowest = min([0.0, *named])
        reached = top if pairs else self.computable(gain_of(xp, top, gain), gain)
        highest = self.most(cast("Queries", reached), max([0.0, *named]))
        if lowest == 0.0:
            return self.gains(gain) / self.spread(self.most(highest, 1.0))
        grade = cast("Any", self.grade)
        known = xp.where(grade >= 0, 1.0, 0.0)
        for level in levels:
            known = xp.where(grade == level, 1.0, known)
        return cast("Rows", known) * (self.gains(gain) - lowest) / self.spread(highest - lowest)

    def discount(self, discount: str) -> Rows:
        """What each gain is divided by.

        ``log2``: log2(rank + 1); ``ln``: the natural logarithm of it; ``log(b)``: the one to base b.
        ``jk(b)``: 1 before rank b, then log_b(rank) (Järvelin and Kekäläinen 2002; b is the user's patience).
        ``rank``: the rank. ``none``: 1.
        """
        return cast("Rows", discount_of(self.xp, cast("Any", self.rank), discount))

    @overload
    def reciprocals(self, first: Rows, last: Rows, power: int = 1) -> Rows: ...
    @overload
    def reciprocals(self, first: Queries | float, last: Queries, power: int = 1) -> Queries: ...
    def reciprocals(self, first: Any, last: Any, power: int = 1) -> Any:
        """The sum of 1 / m^power for m = first, first + 1, … up to ``last``, row by row or query by query.

        The numbers may lie between whole ones; ``last`` may be infinite where ``power`` is 2.
        """
        return reciprocals_of(self.xp, first, last, power)

    def above(self, rows: Rows) -> Rows:
        """The sum over the documents ranked above each one."""
        return self.running(rows) - rows

    def within(self, n: Queries | float) -> Rows:
        """1 for a document at rank ``n`` or better, else 0."""
        return self.at_least(n if isinstance(n, (int, float)) else self.spread(n), self.rank)

    def at_least(self, rows: Rows | float, bound: Rows | float) -> Rows:
        """1 where ``rows`` reaches ``bound``, else 0."""
        return cast("Rows", self.xp.where(cast("Any", rows) >= bound, 1.0, 0.0))

    def changes(self, rows: Rows) -> Rows:
        """1 at the last row of each stretch of equal values, else 0."""
        return cast("Rows", self.xp.where(cast("Any", rows) != self.following(rows), 1.0, 0.0))

    @overload
    def ratio(self, part: Rows, whole: Rows) -> Rows: ...
    @overload
    def ratio(self, part: Queries, whole: Queries) -> Queries: ...
    def ratio(self, part: Any, whole: Any) -> Any:
        """``part / whole``, and 0 where ``whole`` is 0.

        No other place says so.
        """
        none = whole == 0
        return self.xp.where(none, 0.0, part / self.xp.where(none, 1.0, whole))

    @overload
    def least(self, a: Rows, b: Rows | float) -> Rows: ...
    @overload
    def least(self, a: Queries, b: Queries | float) -> Queries: ...
    def least(self, a: Any, b: Any) -> Any:
        """The smaller of two numbers, place by place."""
        return self.xp.minimum(a, b)

    @overload
    def most(self, a: Rows, b: Rows | float) -> Rows: ...
    @overload
    def most(self, a: Queries, b: Queries | float) -> Queries: ...
    def most(self, a: Any, b: Any) -> Any:
        """The larger of two numbers, place by place."""
        return self.xp.maximum(a, b)

    @overload
    def only(self, where: Rows, values: Rows, otherwise: float = 0.0) -> Rows: ...
    @overload
    def only(self, where: Queries, values: Queries, otherwise: float = 0.0) -> Queries: ...
    def only(self, where: Any, values: Any, otherwise: float = 0.0) -> Any:
        """``values`` where ``where`` is positive, and ``otherwise`` elsewhere, whatever stands there."""
        return self.xp.where(where > 0, values, otherwise)

    def log2(self, rows: Rows) -> Rows:
        """The logarithm to base 2."""
        return cast("Rows", self.xp.log2(rows))

    def ln(self, values: Queries) -> Queries:
        """The natural logarithm."""
        return cast("Queries", self.xp.log(values))

    def whole(self, values: Queries, rounding: str) -> Queries:
        """A whole number of documents: ``nearest`` (halves away from 0) or ``up`` (of all but a tenth)."""
        if rounding == "nearest":
            down = self.xp.floor(values)
            return cast("Queries", down + self.xp.where(values - down >= 0.5, 1.0, 0.0))
        return cast("Queries", self.xp.trunc(values + 0.9))

    def exceeds(self, values: Queries, bound: Queries | float) -> Queries:
        """1 where ``values`` is above ``bound``, else 0."""
        return cast("Queries", self.xp.where(cast("Any", values) > bound, 1.0, 0.0))
