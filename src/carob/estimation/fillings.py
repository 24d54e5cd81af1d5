"""Fillings: grades for a query's unjudged documents, among which a measure has its lowest and highest value.

For some measures, a few fillings suffice, and the rule for each such measure is proven here or was verified by brute
force. For all other measures, every filling is tried if there are few. If there are many, only a selection of fillings
is tried, and the resulting bounds are inner bounds, so the true bounds may be wider.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.estimation.shown_documents import alone_at
from carob.estimation.sums import has_known_parameters, is_linear, numerator_of
from carob.evaluation.values import values_of
from carob.inputs.errors import refused
from carob.output.errors import UncomputableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.lists.rows import Floats
    from carob.measures.names import Measure

MOST_TRIED = 4096
"""The maximum number of possible fillings of one query for which all of them are tried."""

MOST_PREFIXES = 16
"""The maximum number of prefixes of each order of the documents that are tried for a measure without a rule."""


@dataclass(frozen=True, eq=False)
class Unknown:
    """The unjudged documents of a query that one of the evaluated runs retrieves within the depth of a measure.

    Args:
        first: the rank of each document in the run, infinite outside the depth [documents].
        second: the rank of each document in the other run; None for a single run.
        known: the grades of the judged documents of the query [judged].
        known_first: the ranks of the judged documents in the run [judged].
        known_second: the ranks of the judged documents in the other run; None for a single run.
        levels: the grades that a document can have, ascending from 0.
        depth: the last rank that affects the measure, or infinity.
    """

    first: Floats
    second: Floats | None
    known: Floats
    known_first: Floats
    known_second: Floats | None
    levels: Floats
    depth: float

    @property
    def size(self) -> int:
        """The number of unjudged documents."""
        return len(self.first)


class Tried(NamedTuple):
    """Fillings of one query [fillings, documents], and whether they contain those with the lowest and highest value."""

    fillings: Floats
    exact: bool


@dataclass(frozen=True, eq=False)
class Rule:
    """Determines which fillings must be tried for a measure.

    Args:
        kind: the name of the rule: ``linear``, ``ideal``, or a key of ``RULES``; empty if there is no rule.
        measure: the measure.
        weight: the weight of each rank, starting with rank 1, for the kinds ``linear`` and ``ideal`` [ranks].
        steps: the gain of each level minus the gain of the level below [levels - 1].
    """

    kind: str
    measure: Measure
    weight: Floats
    steps: Floats

    @classmethod
    def of(cls, measure: Measure, levels: Floats, deepest: int) -> Rule:
        """Returns the rule for a measure, including the weights that the measure's formula assigns to ranks.

        Args:
            measure: the measure.
            levels: the grades that a document can have, ascending from 0.
            deepest: the largest number of documents in a list or in a query's judgments.
        """
        nothing = np.zeros(0)
        sums = numerator_of(measure)
        if not has_known_parameters(measure) or measure.definition.takes != "grades" or measure.every_rank:
            return cls("", measure, nothing, nothing)
        if sums is not None:
            kind, probed = "ideal", sums
        elif is_linear(measure):
            kind, probed = "linear", measure
        else:
            kind, probed = measure.name if measure.name in RULES else "", measure
        if not kind:
            return cls("", measure, nothing, nothing)
        length = float(max(deepest, 1))
        ranks = np.arange(1, deepest + 1, dtype=np.float64)
        try:
            gains = values_of(alone_at(np.ones(len(levels)), levels, length), [probed])[:, 0]
            full = np.full(len(ranks), levels[-1])
            weight = values_of(alone_at(ranks, full, length), [probed])[:, 0]
        except UncomputableError:
            return cls("", measure, nothing, nothing)
        steps = np.diff(gains)
        if gains[0] != 0 or (steps < 0).any():
            return cls("", measure, nothing, nothing)
        if gains[-1] > 0:
            weight = weight / gains[-1]
        return cls(kind, measure, weight, steps)

    def tried(self, unknown: Unknown) -> Tried:
        """Returns the fillings that are tried for one query."""
        levels = unknown.levels
        binary = self.measure.by_role("gain") is None and isinstance(
            self.measure.by_role("relevance"), (int, float)
        )
        if unknown.size == 0:
            return Tried(np.zeros((1, 0)), True)
        if self.kind == "linear":
            return Tried(self.by_sign(unknown), True)
        if self.kind == "ideal":
            return Tried(self.by_ideal(unknown), True)
        if self.kind:
            found = RULES[self.kind](unknown)
            if found is not None:
                return Tried(found, True)
        used = levels[[0, -1]] if binary else levels
        if len(used) ** unknown.size <= MOST_TRIED:
            return Tried(np.array(list(product(used, repeat=unknown.size))), True)
        return Tried(chosen_fillings(unknown), False)

    def advantage(self, first: Floats, second: Floats | None) -> Floats:
        """Returns the weight of each document's rank minus the weight of its rank in the other run.

        A rank outside the depth is infinite and has the weight 0.
        """
        weight = np.append(self.weight, 0.0)
        own, other = (
            0.0 if ranks is None else weight[np.minimum(ranks - 1, len(self.weight)).astype(np.int64)]
            for ranks in (first, second)
        )
        return np.asarray(own - other)

    def by_sign(self, unknown: Unknown) -> Floats:
        """Returns the two fillings that suffice for sums over documents.

        Each document adds its advantage times its gain to the sum, so its grade can be chosen independently of the
        others.
        """
        advantage, top = self.advantage(unknown.first, unknown.second), unknown.levels[-1]
        return np.stack([np.where(advantage > 0, top, 0.0), np.where(advantage < 0, top, 0.0)])

    def by_ideal(self, unknown: Unknown) -> Floats:
        """Returns fillings that include those with the lowest and the highest quotient of a sum and its ideal value.

        The ideal value depends only on how many documents have each grade. Given these numbers, the sum is largest if
        documents with a larger advantage have a higher grade (rearrangement inequality). A filling is therefore
        described by the number n(g) of documents with grade g or higher, which does not increase with g. Both the sum
        and the ideal value are sums over g of terms that depend only on n(g). Dinkelbach's method (1967) maximises
        their quotient by repeatedly maximising sum - quotient · ideal, which is a longest-path problem over g.
        """
        advantage = self.advantage(unknown.first, unknown.second)
        fillings = [np.zeros(unknown.size), np.full(unknown.size, unknown.levels[-1])]
        for sign in (1.0, -1.0):
            order = np.argsort(-sign * advantage, kind="stable")
            counts = self.best_counts(sign, sign * advantage[order], unknown)
            filling = np.zeros(unknown.size)
            for level, count in zip(unknown.levels[1:], counts):
                filling[order[:count]] = level
            fillings.append(filling)
        return np.stack(fillings)

    def best_counts(self, sign: float, advantage: Floats, unknown: Unknown) -> list[int]:
        """Returns how many documents have at least each grade in the filling with the highest quotient.

        Args:
            sign: 1 for the highest quotient, -1 for the lowest.
            advantage: the advantages times ``sign``, in descending order.
            unknown: the documents.
        """
        steps, size = self.steps, unknown.size
        reached = np.append(0.0, np.cumsum(advantage))
        inside = self.weight[: int(min(unknown.depth, len(self.weight)))]
        ideal = np.append(0.0, np.cumsum(inside))
        judged = [(unknown.known >= level).sum() for level in unknown.levels[1:]]
        possible = [ideal[np.minimum(count + np.arange(size + 1), len(ideal) - 1)] for count in judged]
        gains = np.append(0.0, np.cumsum(steps))[np.searchsorted(unknown.levels, unknown.known)]
        base = sign * float(gains @ self.advantage(unknown.known_first, unknown.known_second))
        counts, best = [size] * len(steps), -np.inf
        kept = counts
        for _ in range(100):
            total = base + sum(s * reached[n] for s, n in zip(steps, counts))
            scale = sum(s * p[n] for s, p, n in zip(steps, possible, counts))
            quotient = total / scale if scale > 0 else 0.0
            if quotient <= best + 1e-15:
                break
            best, kept = quotient, counts
            counts = longest_path([s * (reached - best * p) for s, p in zip(steps, possible)])
        return kept


def longest_path(terms: list[Floats]) -> list[int]:
    """Returns one index into each term, such that indices never increase and the sum of the terms is largest."""
    best, came = np.zeros(len(terms[-1])), []
    for term in reversed(terms):
        best = term + best
        top = np.maximum.accumulate(best)
        came.append(np.maximum.accumulate(np.where(best == top, np.arange(len(top)), 0)))
        best = top
    counts, place = [], len(best) - 1
    for each in reversed(came):
        place = int(each[place])
        counts.append(place)
    return counts


# ---------------------------------------------------------------- rules for measures, by name


def ends(unknown: Unknown) -> Floats:
    """Returns two fillings: all documents have grade 0, or all have the highest grade.

    They suffice for a measure that increases with each grade and ignores documents that were not retrieved.
    """
    return np.stack([np.zeros(unknown.size), np.full(unknown.size, unknown.levels[-1])])


def rising(unknown: Unknown) -> Floats | None:
    """Returns the fillings for one run and a measure that never decreases if a retrieved document's grade increases."""
    return ends(unknown) if unknown.second is None else None


def first_relevant(unknown: Unknown) -> Floats | None:
    """Returns the fillings for a measure that depends only on the first relevant document.

    For two runs, at most one unjudged document is relevant in an optimal filling, which is the favoured run's first.
    Any other relevant document could only help the other run.
    """
    if unknown.second is None:
        return ends(unknown)
    return np.concatenate([np.zeros((1, unknown.size)), np.eye(unknown.size) * unknown.levels[-1]])


def by_count(unknown: Unknown) -> Floats | None:
    """Returns the fillings for a measure that depends on how many relevant documents exist and how many are retrieved.

    Given the number of relevant documents, the difference increases with relevant documents that only one run
    retrieves.
    """
    if unknown.second is None:
        return prefixes(unknown.first, unknown)
    return prefixes(np.isinf(unknown.first) * 1.0 - np.isinf(unknown.second), unknown)


def in_rank_order(unknown: Unknown) -> Floats | None:
    """Returns the fillings for a measure of one run: the first documents are relevant, or the last documents are.

    Documents that were not retrieved are last.
    """
    return prefixes(unknown.first, unknown) if unknown.second is None else None


def average_precision(unknown: Unknown) -> Floats | None:
    """Returns the fillings for one run's average precision: the first documents are relevant, or the last are.

    A relevant document that was not retrieved always lowers the value, so all documents that were not retrieved have
    the same grade.
    """
    if unknown.second is not None:
        return None
    found = prefixes(unknown.first, unknown)
    kept = int(np.isfinite(unknown.first).sum()) + 1
    return np.concatenate([found[:kept], found[unknown.size + 1 : unknown.size + 1 + kept]])


def prefixes(key: Floats, unknown: Unknown, most: int | None = None) -> Floats:
    """Returns fillings in which the documents with the smallest keys, or those with the largest keys, are relevant.

    Args:
        key: the number by which the documents are ordered.
        unknown: the documents.
        most: the maximum number of different counts of relevant documents; None for all counts.
    """
    place = np.argsort(np.argsort(key, kind="stable"), kind="stable")
    counts = np.arange(unknown.size + 1)
    if most is not None and len(counts) > most:
        counts = np.unique(np.linspace(0, unknown.size, most).astype(np.int64))
    counts = counts[:, None]
    top = unknown.levels[-1]
    return np.concatenate([(place < counts) * top, (place >= counts) * top])


def chosen_fillings(unknown: Unknown) -> Floats:
    """Returns likely fillings for a measure without a rule: prefixes by the ranks in each run and in both runs."""
    keys = [unknown.first]
    if unknown.second is not None:
        keys += [unknown.second, 1 / unknown.second - 1 / unknown.first]
    return np.concatenate([prefixes(key, unknown, MOST_PREFIXES) for key in keys])


RULES: dict[str, Callable[[Unknown], Floats | None]] = {
    "Success": first_relevant,
    "RR": first_relevant,
    "ERR": rising,
    "R": by_count,
    "F": by_count,
    "AP": average_precision,
    "Rprec": in_rank_order,
}
"""The rules for measures that are neither sums over documents nor divided by such a sum. Each rule returns fillings, or
None if it does not apply to two runs."""


MOST_LEVELS = 10_000
"""The maximum highest grade; all integers up to the highest grade are tried."""


def relevance_levels(highest: float, grades: Floats) -> Floats:
    """Returns the grades that an unjudged document can have: the integers up to the highest grade, and all used grades.

    Raises:
        DataError: there are too many grades.
    """
    if not highest <= MOST_LEVELS:
        raise refused(
            "Unjudged documents may have any whole grade up to {highest:g}, but the highest grade that carob "
            "supports here is {most:,}.",
            "Specify the highest grade that judges can give.",
            highest=highest,
            most=MOST_LEVELS,
        )
    whole = np.arange(0, np.floor(highest) + 1)
    used = grades[(grades >= 0) & (grades <= highest)]
    return np.unique(np.concatenate([whole, used, [highest]]))
