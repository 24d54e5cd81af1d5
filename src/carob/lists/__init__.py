"""Defines ``Lists``, the class that measure formulas use, and its two kinds of numbers, ``Rows`` and ``Queries``.

A measure is a function from ranked lists to one number per query. It calls only the methods of ``Lists``, so the same
formula runs on every subclass (flat judged rows, padded batches, a trace). A subclass implements the columns and a few
primitive methods, from which ``Lists`` derives all other methods. This module also computes the gains of grades and the
discounts of ranks, with any array library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import wraps
from math import log2
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

from carob._numpy import np
from carob.output.errors import DataError, UncomputableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = ["Gain", "Lists", "Preferences", "Queries", "Rows", "once"]

GROUPS_APART = (
    "These lists do not record which documents several judgment groups of a query share: pass qrels and a "
    "run."
)
NO_LINES = (
    "This measure needs the order in which the run lists its documents, but these lists do not contain this "
    "order: pass a run, and choose listing=known."
)

Number = TypeVar("Number", bound="Numbers")
Word = TypeVar("Word", bound="Callable[..., Any]")
Either = TypeVar("Either", "Rows", "Queries")


class Numbers(Protocol):
    """Numbers per document or per query. Arithmetic with them returns numbers of the same kind."""

    def __add__(self, other: Self | float, /) -> Self: ...
    def __radd__(self, other: Self | float, /) -> Self: ...
    def __sub__(self, other: Self | float, /) -> Self: ...
    def __rsub__(self, other: Self | float, /) -> Self: ...
    def __mul__(self, other: Self | float, /) -> Self: ...
    def __rmul__(self, other: Self | float, /) -> Self: ...
    def __truediv__(self, other: Self | float, /) -> Self: ...
    def __rtruediv__(self, other: Self | float, /) -> Self: ...
    def __pow__(self, other: Self | float, /) -> Self: ...
    def __rpow__(self, other: Self | float, /) -> Self: ...


class Rows(Numbers, Protocol):
    """One number per ranked document. Arithmetic with ``Queries`` needs ``Lists.spread``."""

    def per_document(self) -> None:
        """For the type checker only: distinguishes ``Rows`` from ``Queries``."""


class Queries(Numbers, Protocol):
    """One number per query."""

    def per_query(self) -> None:
        """For the type checker only: distinguishes ``Queries`` from ``Rows``."""


class Preferences(ABC):
    """Preferences between judged documents. Each row is a judgment group or a pair of documents."""

    @property
    @abstractmethod
    def kept(self) -> Rows:
        """The number of preferences that the list keeps by ranking the other document lower or not retrieving it."""

    @property
    @abstractmethod
    def possible(self) -> Rows:
        """The number of all preferences that count, kept or not."""

    @abstractmethod
    def total(self, rows: Rows) -> Queries:
        """The sum over the groups or pairs of each query."""


def kept_in(cache: dict[Any, Any], name: Any, make: Callable[[], Any]) -> Any:
    """Returns the value with this name in a cache. At the first call, ``make`` computes it."""
    if name not in cache:
        cache[name] = make()
    return cache[name]


def once(word: Word) -> Word:
    """Decorates a method: its result for given arguments is computed only once, and then kept in ``self.made``."""

    @wraps(word)
    def answer(self: Any, *given: Any, **named: Any) -> Any:
        return kept_in(self.made, (word.__name__, given, *named.items()), lambda: word(self, *given, **named))

    return cast("Word", answer)


class Lists(ABC):
    """Ranked lists, one per query, with their judgments."""

    xp: Any
    """The array namespace with which the subclass computes."""
    asked: int | None
    """The depth of the cut; None for lists that are not cut."""

    # ------------------------------------------------------------ columns that every subclass has

    @property
    @abstractmethod
    def rank(self) -> Rows:
        """The rank of each document, from 1."""

    @property
    @abstractmethod
    def grade(self) -> Rows:
        """The grade of each document, or -1 if it was never pooled, or -2 if it was pooled but not judged."""

    @property
    @abstractmethod
    def length(self) -> Queries:
        """The number of documents retrieved (within the depth, if there is one)."""

    @abstractmethod
    def every(self, number: float) -> Queries:
        """Returns an array with the same number for every query."""

    @property
    def depth(self) -> Queries:
        """The depth of the cut or, without a cut, the number of documents retrieved."""
        return self.length if self.asked is None else self.every(self.asked)

    @property
    def horizon(self) -> Queries:
        """The last rank that a user may look at: the depth, or infinity without a cut."""
        return self.every(float("inf") if self.asked is None else self.asked)

    @property
    @abstractmethod
    def tied_rank(self) -> Rows:
        """The mean of the ranks of all documents with the same score as the document."""

    @property
    def listed(self) -> Rows:
        """The line number of each document in the run, from 1, or its rank if the policy has listing=ignored."""
        return self.rank

    @property
    def largest(self) -> float:
        """The largest gain allowed. It is so small that the sum of the squares of any number of gains stays finite."""
        return 2.0**500

    @abstractmethod
    def first_of(self, which: Any) -> tuple[int, float]:
        """Returns the list number (from 0) and the grade of the first marked document.

        If queries are marked, the grade is the highest grade of the first marked query.
        """

    @abstractmethod
    def n_graded(self, lowest: float, below: float) -> Queries:
        """The number of judgments of the query with a grade in [lowest, below), retrieved or not."""

    @abstractmethod
    def n_worth(self, gain: Gain) -> Queries:
        """The number of judgments of the query with a positive gain, retrieved or not."""

    @abstractmethod
    def highest_grade(self) -> Queries:
        """The largest grade of the query's judgments, or 0 without judgments."""

    # ------------------------------------------------------------ other lists

    @abstractmethod
    def top(self, depth: int) -> Lists:
        """The same lists, cut at ``depth``. Judgments are never cut."""

    @abstractmethod
    def ideal(self, gain: Gain, of: str) -> Lists:
        """The ideal ranking: all documents with a positive gain, highest gain first.

        The argument ``of`` selects the documents. ``judged`` uses all judged documents. ``uncut`` uses all judged
        documents and never cuts the ideal ranking. ``length`` uses all judged documents and cuts the ideal ranking at
        the length of the run's list. ``retrieved`` uses all documents that the run retrieved, and ``top`` uses only
        those within the depth. ``depth`` uses as many documents of grade 1 as the depth, and ``full`` uses as many
        documents of grade 1 as were retrieved. ``trec_eval`` uses all judged documents in trec_eval's order, in which
        gains that differ by less than 1 are equal (``comp_rel_gain``). Except with ``uncut``, the ideal ranking is cut
        at the same depth as the run.
        """

    @property
    @abstractmethod
    def groups(self) -> Lists:
        """One list per judgment group of each query.

        Raises:
            DataError: the judgments have no groups.
        """

    @abstractmethod
    def over_groups(self, values: Queries) -> Queries:
        """The mean over a query's judgment groups of one number per group."""

    def total_over_groups(self, values: Queries) -> Queries:
        """The sum over a query's judgment groups of one number per group.

        Raises:
            DataError: the judgments have no groups.
        """
        del values
        raise DataError(GROUPS_APART)

    def most_novel(self, alpha: float, rel: float) -> Lists:
        """Returns each query's greedy best list, split by judgment group. Each rank gets the document that adds most.

        Ranks are filled from the top. A document adds (1 - alpha)^m for each group in which it is relevant, where m is
        the number of documents above it that are relevant in the same group. Among documents that add the same amount,
        the document with the largest id comes first, as in ndeval.

        Raises:
            DataError: the lists do not identify documents across groups.
        """
        del alpha, rel
        raise DataError(GROUPS_APART)

    def preferences(self, of: str, among: str, nonrelevant: str = "all") -> Preferences:
        """The preferences that the judgments state between documents.

        Args:
            of: the unit of a row: a judgment ``group``, or a ``pair`` of documents.
            among: the preferences that count: ``all``, or those with ``either`` or ``both`` documents retrieved.
            nonrelevant: ``all`` nonrelevant documents, or ``capped`` at the number of relevant ones.

        Raises:
            DataError: the judgments are grades, not preferences.
        """
        raise DataError(
            f"This measure counts preferences ({of}, {among}, {nonrelevant}), but qrels contain none: evaluate a file "
            f"of preferences with 'carob trec-eval -R prefs' or '-R qrels_prefs'."
        )

    def all_above(self, rows: Rows | float) -> Rows:
        """The sum of ``rows`` over all queries' documents with a higher score, plus half the sum over those with an
        equal score.

        If ``rows`` is a single number, it counts for every document, judged or not. A document also counts as equal to
        itself.

        Raises:
            DataError: the lists have no scores.
        """
        del rows
        raise DataError(
            "This measure compares the scores of documents of different queries, but documents in rank "
            "order have no scores: pass judgments and a run."
        )

    def all_total(self, values: Queries) -> Queries:
        """The sum over all lists. It is the same for each list.

        Raises:
            DataError: these are the lists of only some of the queries.
        """
        del values
        raise DataError(
            "This measure needs the lists of all queries at once, but these lists are only some of them: "
            "evaluate all queries together."
        )

    # ------------------------------------------------------------ primitive methods, which every subclass implements

    @abstractmethod
    def total(self, rows: Rows) -> Queries:
        """The sum over each list, added up from rank 1."""

    @abstractmethod
    def best(self, rows: Rows) -> Queries:
        """The largest value of each list, or 0 for an empty list."""

    @abstractmethod
    def running(self, rows: Rows) -> Rows:
        """The sum from rank 1 down to and including each document."""

    @abstractmethod
    def product_above(self, rows: Rows) -> Rows:
        """The product over the documents ranked above each document, or 1 at rank 1."""

    @abstractmethod
    def following(self, rows: Rows) -> Rows:
        """The value of the next row of the list, or NaN at the end."""

    @abstractmethod
    def spread(self, values: Queries) -> Rows:
        """A number per query, repeated for each of the query's documents."""

    @abstractmethod
    def running_of(self, other: Lists, rows: Rows) -> Rows:
        """The sum of another list's ``rows`` from rank 1 down to the rank of each document of this list."""

    def latest(self, rows: Rows) -> Rows:
        """At each rank, the value of the document listed last in the run among the documents down to this rank.

        Raises:
            DataError: the carrier does not have the order of lines.
        """
        del rows
        raise DataError(NO_LINES)

    def outranked(self, rows: Rows, then: Rows) -> Rows:
        """The number of lower-ranked documents with a smaller value, or with an equal value and a smaller ``then``.

        A document with an equal score counts as one half.

        Raises:
            DataError: the carrier does not have the order of lines.
        """
        del rows, then
        raise DataError(NO_LINES)

    def powers(self, base: float, exponents: Either) -> Either:
        """The powers of ``base`` with the given whole exponents.

        A subclass may compute the powers by repeated multiplication, as a loop over ranks does.
        """
        return base**exponents

    def total_unjudged(self, p: float) -> Queries:
        """The sum of p^(rank - 1) over the unjudged documents of each list."""
        every = self.length if p == 1.0 else (1.0 - self.powers(p, self.length)) / (1.0 - p)
        return every - self.total(self.judged * self.powers(p, self.rank - 1.0))

    # ------------------------------------------------------------ derived methods

    def hits(self, rel: float) -> Rows:
        """1 for a document whose grade is at least ``rel``, else 0."""
        return self.at_least(self.grade, rel)

    @property
    def judged(self) -> Rows:
        """1 for a judged document, else 0. A negative grade means pooled but not judged."""
        return self.at_least(self.grade, 0.0)

    @property
    def pooled_unjudged(self) -> Rows:
        """1 for a document that was pooled but left unjudged (a negative grade), else 0."""
        return 1.0 - self.at_least(self.grade, -1.0)

    def misses(self, rel: float) -> Rows:
        """1 for a judged document with a grade below ``rel``, else 0."""
        return self.judged * (1.0 - self.hits(rel))

    def n_relevant(self, rel: float) -> Queries:
        """The number of judgments with a grade of at least ``rel``."""
        return self.n_graded(max(rel, 0.0), float("inf"))

    def n_nonrelevant(self, rel: float) -> Queries:
        """The number of judgments with a grade of at least 0 and below ``rel``."""
        return self.n_graded(0.0, rel)

    def documents(self, collection: float | str) -> Queries:
        """The number of documents in a query's collection, for example in a systematic review.

        ``known`` is the number of documents that were judged or retrieved. ``larger`` is the number of judged documents
        or the number of retrieved documents, whichever is larger. A document that was pooled but left unjudged counts
        only if it was retrieved.

        Raises:
            UncomputableError: ``collection`` is a number, but more documents than that were judged or retrieved.
        """
        judged = self.n_graded(0.0, float("inf"))
        if collection == "larger":
            return self.most(judged, self.length)
        known = judged + self.length - self.total(self.judged)
        if isinstance(collection, str):
            return known

        def why(_: float) -> str:
            return (
                f"more than collection={collection:g} documents were judged or retrieved: use the number of "
                "documents of the review, or collection=known for those that were judged or retrieved."
            )

        return self.checked(self.every(collection), cast("Any", known) > collection, why)

    def checked(self, numbers: Either, beyond: Any, why: Callable[[float], str]) -> Either:
        """Returns the numbers unchanged, after a check that each of them can be used in computations.

        Args:
            numbers: the numbers.
            beyond: marks the numbers that cannot be used.
            why: returns the reason, given the grade of the first marked number.

        Raises:
            UncomputableError: a number is marked.
        """
        if bool(beyond.any()):
            where, grade = self.first_of(beyond)
            raise UncomputableError(why(grade), where)
        return numbers

    def size(self, over: str, rel: float) -> Queries:
        """The divisor of a sum over relevant documents.

        ``relevant`` is the total number of relevant documents, and ``retrieved`` is the number of relevant documents in
        the list. ``capped`` is the total number of relevant documents, but at most the depth. ``length`` is the total
        number of relevant documents, but at most the length of the list. ``depth`` is the depth.
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
        """The gain of each document's grade, or 0 for an unjudged document.

        Raises:
            UncomputableError: a gain is too large to compute with.
        """
        return self.computable(cast("Rows", gain_of(self.xp, cast("Any", self.grade), gain)), gain)

    def computable(self, gains: Rows, gain: Gain) -> Rows:
        """Returns the gains unchanged, after a check that each gain is small enough to compute with.

        Raises:
            UncomputableError: a gain is too large to compute with.
        """
        if gain == "binary":
            return gains
        shown = gain if isinstance(gain, str) else "{…}"

        def why(grade: float) -> str:
            return (
                f"the gain of grade {grade:g} is too large to compute with (gain={shown}): use grades on a "
                "smaller scale, or another gain."
            )

        return self.checked(gains, abs(cast("Any", gains)) > self.largest, why)

    def unit_gains(self, gain: Gain, rel: float | str = "graded", highest: float | str = "query") -> Rows:
        """Gains from 0 to 1.

        If ``rel`` is a number, the gain is 1 for grades of at least ``rel``. If ``highest`` is a number, the gain is
        divided by the gain of that grade. If ``highest`` is ``none``, the gain is unchanged and may be above 1.
        Otherwise gains are scaled as in trec_eval's ``rbp``: into [0, 1] by the query's lowest and highest gain, if one
        of the two is outside [0, 1].

        Raises:
            UncomputableError: a grade is above ``highest``.
        """
        if not isinstance(rel, str):
            return self.hits(rel)
        if highest == "none":
            return self.gains(gain)
        if isinstance(highest, str):
            return self.own_unit_gains(gain)
        return self.up_to_1(self.gains(gain) / float(gain_of(np, np.float64(highest), gain)), highest)

    def stops(self, gain: Gain, highest: float) -> Rows:
        """The share of users that each document satisfies: its gain / (the gain of grade ``highest`` + 1).

        Raises:
            UncomputableError: a share is above 1, because a grade is above ``highest``.
        """
        scale = float(gain_of(np, np.float64(highest), gain)) + 1.0
        return self.up_to_1(self.gains(gain) / scale, highest)

    def up_to_1(self, rows: Rows, highest: float) -> Rows:
        """Returns the rows unchanged, after a check that no value is above 1.

        Raises:
            UncomputableError: a value is above 1.
        """

        def why(grade: float) -> str:
            return (
                f"grade {grade:g} has a larger gain than the highest grade of the scale, max={highest:g}: "
                f"use the highest grade that occurs, as in max={max(grade, highest + 1):g}."
            )

        return self.checked(rows, cast("Any", rows) > 1.0, why)

    def own_unit_gains(self, gain: Gain) -> Rows:
        """Gains scaled into [0, 1] by the query's lowest and highest gain, if one of the two is outside [0, 1].

        The lowest and the highest gain are computed from 0, the gains in the table, and the gains of all other grades
        up to the query's highest grade. A document without a gain keeps 0.
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
        """The divisor of each gain.

        ``log2`` is log2(rank + 1), ``ln`` is ln(rank + 1), and ``log(b)`` is the logarithm of rank + 1 to base b.
        ``jk(b)`` is 1 before rank b and log_b(rank) from rank b on, where b is the user's patience (Järvelin and
        Kekäläinen 2002). ``ln_rank`` and ``log_rank(b)`` are 1 at rank 1 and the logarithm of the rank from rank 2 on.
        ``rank`` is the rank, and ``none`` is 1.
        """
        return cast("Rows", discount_of(self.xp, cast("Any", self.rank), discount))

    def reciprocals(self, first: Either | float, last: Either, power: int = 1) -> Either:
        """The sum of 1 / m^power for m = first, first + 1, … up to ``last``, row by row or query by query.

        The numbers need not be whole. ``last`` may be infinite if ``power`` is 2.
        """
        return cast("Either", reciprocals_of(self.xp, first, last, power))

    def above(self, rows: Rows) -> Rows:
        """The sum over the documents ranked above each document."""
        return self.running(rows) - rows

    def within(self, n: Queries | float) -> Rows:
        """1 for a document at rank ``n`` or better, else 0."""
        return self.at_least(n if isinstance(n, (int, float)) else self.spread(n), self.rank)

    def at_least(self, rows: Rows | float, bound: Rows | float) -> Rows:
        """1 where ``rows`` reaches ``bound``, else 0."""
        return cast("Rows", self.xp.where(cast("Any", rows) >= bound, 1.0, 0.0))

    def changes(self, rows: Rows) -> Rows:
        """1 at the last row of each series of equal values, else 0."""
        return cast("Rows", self.xp.where(cast("Any", rows) != self.following(rows), 1.0, 0.0))

    def ratio(self, part: Either, whole: Either) -> Either:
        """``part / whole``, or 0 if ``whole`` is 0."""
        none = whole == 0
        return cast("Either", self.xp.where(none, 0.0, part / self.xp.where(none, 1.0, whole)))

    def least(self, a: Either, b: Either | float) -> Either:
        """The smaller of two numbers, element by element."""
        return cast("Either", self.xp.minimum(a, b))

    def most(self, a: Either, b: Either | float) -> Either:
        """The larger of two numbers, element by element."""
        return cast("Either", self.xp.maximum(a, b))

    def only(self, where: Either, values: Either, otherwise: float = 0.0) -> Either:
        """The argument ``values`` where ``where`` is positive, and ``otherwise`` elsewhere."""
        return cast("Either", self.xp.where(cast("Any", where) > 0, values, otherwise))

    def log2(self, rows: Rows) -> Rows:
        """The logarithm to base 2."""
        return cast("Rows", self.xp.log2(rows))

    def ln(self, values: Queries) -> Queries:
        """The natural logarithm."""
        return cast("Queries", self.xp.log(values))

    def whole(self, values: Queries, rounding: str) -> Queries:
        """A number of documents, rounded: ``nearest`` rounds halves up, and ``up`` rounds fractions above 0.1 up.

        ``even`` rounds halves to even numbers, ``floor`` rounds down and ``ceiling`` up. ``floor`` and ``ceiling``
        treat a number within 0.000001 of a whole number as that whole number, because 0.07 * 100 is slightly above 7 in
        floating point.
        """
        xp: Any = self.xp
        rounded = {
            "nearest": lambda: xp.floor(values) + xp.where(values - xp.floor(values) >= 0.5, 1.0, 0.0),
            "even": lambda: xp.round(values),
            "floor": lambda: xp.floor(values + NEARLY),
            "ceiling": lambda: xp.ceil(values - NEARLY),
            "up": lambda: xp.trunc(values + 0.9),
        }
        return cast("Queries", rounded[rounding]())

    def exceeds(self, values: Queries, bound: Queries | float) -> Queries:
        """1 where ``values`` is above ``bound``, else 0."""
        return cast("Queries", self.xp.where(cast("Any", values) > bound, 1.0, 0.0))


Gain: TypeAlias = "str | tuple[tuple[float, float], ...]"
"""The name of a gain, or pairs of grade and gain."""

NEARLY = 1e-6
"""The largest rounding error of a product that should be a whole number of documents."""
STEPS = 16
"""The number of terms that are added one by one. With 16 terms, the rest is approximated with an error below 1e-15."""


def gain_of(xp: Any, grade: Any, gain: Gain) -> Any:
    """Returns the gain of each grade, and 0 for a negative grade that the gain table does not contain."""
    if not isinstance(gain, str):
        worth = xp.where(grade >= 0, grade, 0.0)
        for level, value in gain:
            worth = xp.where(grade == level, value, worth)
        return worth
    word, lowest = opened(gain)
    if word == "binary":
        return xp.where(grade > 0 if lowest is None else grade >= lowest, 1.0, 0.0)
    if word == "exp2":
        worth = xp.exp2(grade if lowest is None else grade - (lowest - 1.0)) - 1
    else:
        worth = grade
    return xp.where(grade >= (lowest or 0.0), worth, 0.0)


def discount_of(xp: Any, rank: Any, discount: str) -> Any:
    """Returns the discount of each rank. Gains are divided by it."""
    word, base = opened(discount)
    if base is not None and word == "jk":
        return xp.log2(xp.maximum(rank, base)) / log2(base)
    if base is not None and word == "log_rank":
        return xp.where(rank > 1.0, xp.log2(rank) / log2(base), 1.0)
    if base is not None:
        return xp.log2(rank + 1.0) / log2(base)
    return {
        "log2": lambda: xp.log2(rank + 1.0),
        "ln": lambda: xp.log(rank + 1.0),
        "ln_rank": lambda: xp.where(rank > 1.0, xp.log(rank), 1.0),
        "rank": lambda: rank,
        "none": lambda: rank * 0.0 + 1.0,
    }[word]()


def opened(word: str) -> tuple[str, float | None]:
    """Splits a word such as ``jk(2)`` into its name and its number, which is None for a plain name."""
    name, bracket, number = word.partition("(")
    return name, float(number[:-1]) if bracket else None


def reciprocals_of(xp: Any, first: Any, last: Any, power: int) -> Any:
    """Returns the sum of 1 / m^power for m = first, first + 1, … up to last. ``last`` may be infinite if power is 2.

    The sum is the difference of two infinite sums. The first terms of each are added one by one, and the rest is
    approximated by the Euler-Maclaurin formula (Abramowitz and Stegun 6.3.18 and 6.4.12).
    """
    return xp.where(last >= first, tail(xp, first, power) - tail(xp, last + 1.0, power), 0.0)


def tail(xp: Any, first: Any, power: int) -> Any:
    """Returns the sum of 1 / m^power from ``first`` on. For power 1, an infinite constant is omitted."""
    first = xp.asarray(first)
    infinite = xp.isinf(first)
    start = xp.where(infinite, 1.0, first)
    added = sum(1.0 / (start + step) ** power for step in range(STEPS))
    x, square = start + STEPS, (start + STEPS) ** 2
    if power == 1:
        series = 1 / 12 - (1 / 120 - (1 / 252 - (1 / 240 - 1 / (132 * square)) / square) / square) / square
        rest = 1 / (2 * x) - xp.log(x) + series / square
    else:
        series = 1 / 6 - (1 / 30 - (1 / 42 - (1 / 30 - 5 / (66 * square)) / square) / square) / square
        rest = 1 / x + 1 / (2 * square) + series / (square * x)
    return xp.where(infinite, 0.0, added + rest)
