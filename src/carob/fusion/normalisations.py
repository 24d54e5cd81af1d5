"""Turns each list of a run into points: normalised scores, or points by rank.

Every function gets the lists of one run and returns the points of each row. Sums run from the best document down, so
the order of a file's lines changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.fusion.rules import EQUAL_POINTS, Rules
from carob.inputs.errors import refused
from carob.output.errors import warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.fusion.pooled import RunLists
    from carob.lists.rows import Floats, Integers


@dataclass(frozen=True, eq=False)
class Context:
    """What a normalisation may depend on besides the scores of a list.

    Args:
        rules: the decisions.
        candidates: the number of documents that any run retrieves for each query [queries].
        bounds: the theoretical lowest and highest score of the run; None stands for the observed one.
    """

    rules: Rules
    candidates: Integers
    bounds: tuple[float | None, float | None] = (None, None)


def spread(values: Floats | Integers, lists: RunLists) -> Floats:
    """Returns a value for each query as one for each row."""
    return np.repeat(values.astype(np.float64, copy=False), lists.lengths)


def total(values: Floats, lists: RunLists) -> Floats:
    """Returns the sum of each list, from the best document down [queries]."""
    return _native.total(
        np.ascontiguousarray(values, np.float64), np.ascontiguousarray(lists.offsets, np.int64)
    )


def ends(lists: RunLists) -> tuple[Floats, Floats]:
    """Returns the lowest and the highest score of each list, 0 for an empty one [queries]."""
    count = len(lists.lengths)
    low, high = np.zeros(count), np.zeros(count)
    some = lists.lengths > 0
    starts = lists.offsets[:-1][some]
    if len(starts):
        low[some] = np.minimum.reduceat(lists.score, starts)
        high[some] = np.maximum.reduceat(lists.score, starts)
    return low, high


def divided(above: Floats, below: Floats, lists: RunLists, rules: Rules) -> Floats:
    """Returns the quotients, or the points of equal scores where the divisor of a list is not positive.

    Args:
        above: the dividend of each row [rows].
        below: the divisor of each list [queries].
        lists: the lists.
        rules: the rule for equal scores.
    """
    equal = below <= 0
    found = above / spread(np.where(equal, 1.0, below), lists)
    if not equal.any():
        return found
    points = (lists.score > 0).astype(np.float64) if rules.equal == "sign" else EQUAL_POINTS[rules.equal]
    return np.where(np.repeat(equal, lists.lengths), points, found)


def unchanged(lists: RunLists, _context: Context) -> Floats:
    """Returns the scores themselves."""
    return lists.score


def min_max(lists: RunLists, context: Context) -> Floats:
    """Returns (s − min) / (max − min), with theoretical bounds in place of the observed ones where these are given."""
    low, high = ends(lists)
    least, greatest = context.bounds
    low = low if least is None else np.full(len(low), least)
    high = high if greatest is None else np.full(len(high), greatest)
    return divided(lists.score - spread(low, lists), high - low, lists, context.rules)


def by_max(lists: RunLists, context: Context) -> Floats:
    """Returns s / max."""
    low, high = ends(lists)
    some = lists.lengths > 0
    upside_down = some & (high <= 0) & (low < high)
    if upside_down.any():
        raise refused(
            "Run {name} has a list without a positive score, and a division by its highest score would turn the "
            "list upside down.",
            "Choose another normalisation, such as min-max.",
            name=lists.name,
        )
    negative = int((some & (low < 0)).sum())
    if negative:
        warn(
            f"Run {lists.name} has negative scores in {negative:,} of {int(some.sum()):,} lists: normalised by the "
            "highest score, its last documents get fewer points than documents that it lacks."
        )
    return divided(lists.score, high, lists, context.rules)


def by_sum(lists: RunLists, context: Context) -> Floats:
    """Returns (s − min) / Σ (s − min)."""
    low, _ = ends(lists)
    above = lists.score - spread(low, lists)
    return divided(above, total(lists.score, lists) - low * lists.lengths, lists, context.rules)


def moments(lists: RunLists, rules: Rules) -> tuple[Floats, Floats]:
    """Returns the mean and the standard deviation of each list, 0 for an empty one [queries]."""
    count = np.maximum(lists.lengths, 1)
    low, high = ends(lists)
    mean = np.where(low == high, low, total(lists.score, lists) / count)
    squares = total((lists.score - spread(mean, lists)) ** 2, lists)
    divisor = count if rules.deviation == "population" else np.maximum(count - 1, 1)
    return mean, np.sqrt(squares / divisor)


def z_score(lists: RunLists, context: Context) -> Floats:
    """Returns (s − mean) / deviation; 0 where all scores of a list are equal."""
    mean, deviation = moments(lists, context.rules)
    below = spread(np.where(deviation > 0, deviation, 1.0), lists)
    return (lists.score - spread(mean, lists)) / below


def dbsf(lists: RunLists, context: Context) -> Floats:
    """Returns (s − (mean − 3 deviations)) / (6 deviations), which is not cut at 0 or 1."""
    mean, deviation = moments(lists, context.rules)
    low = mean - 3 * deviation
    high = mean + 3 * deviation
    return divided(lists.score - spread(low, lists), high - low, lists, context.rules)


def l2(lists: RunLists, context: Context) -> Floats:
    """Returns s / √Σs²; 0 where all scores of a list are 0."""
    del context
    length = np.sqrt(total(lists.score**2, lists))
    return lists.score / spread(np.where(length > 0, length, 1.0), lists)


def by_rank(lists: RunLists, context: Context) -> Floats:
    """Returns 1 − (rank − 1) / n, for a list of n documents."""
    del context
    return 1 - (lists.rank - 1) / spread(lists.lengths, lists)


def by_borda(lists: RunLists, context: Context) -> Floats:
    """Returns 1 − (rank − 1) / c, for c documents that any run retrieves for the query."""
    return 1 - (lists.rank - 1) / spread(context.candidates, lists)


NORMALISATIONS: dict[str, Callable[[RunLists, Context], Floats]] = {
    "none": unchanged,
    "min-max": min_max,
    "max": by_max,
    "sum": by_sum,
    "z-score": z_score,
    "l2": l2,
    "dbsf": dbsf,
    "rank": by_rank,
    "borda": by_borda,
}
BY_RANK = ("rank", "borda")
"""The normalisations that do not read scores."""


def shared_points(lists: RunLists, candidates: Integers) -> Floats:
    """Returns the Borda points of each document that a list lacks: those that are left, shared [queries]."""
    return (candidates - lists.lengths + 1) / 2


def shared_share(lists: RunLists, candidates: Integers) -> Floats:
    """Returns what the normalisation by Borda gives a document that a list lacks [queries]."""
    return np.asarray(0.5 - (lists.lengths - 1) / (2 * np.maximum(candidates, 1)))
