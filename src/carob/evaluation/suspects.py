"""Detects suspicious runs: equal scores, values that are too good or out of range, a copy of another run's ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.evaluation.score_tables import NOT_FEW, Cap, aggregate
from carob.evaluation.values import values_of
from carob.lists.flat import Flat
from carob.matching.axes import ranks_within, to_depth
from carob.output.errors import warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from carob.conventions.policy import Policy
    from carob.evaluation.score_tables import QueryValues
    from carob.lists.rows import Floats, Integers, JudgedRows
    from carob.measures import Measure

RATIO = 1.5
"""The minimum ratio of the lengths of two runs' longest lists that is reported."""
ROUNDING = 1e-9
"""The largest difference between values that count as equal, because sums may be rounded differently."""
PER_CENT = 1.5
"""If a measure is at most 1, values above this are probably percentages, not values of another definition."""


def constant_lists(rows: JudgedRows) -> list[int]:
    """Returns the judged queries for which the run lists several documents, all with the same score.

    If these are only a few of the lists with several documents, the result is empty, because such lists count as ties.

    Args:
        rows: the rows before the policy's rule for ties.
    """
    alone = (rows.tie_first == 1) & (rows.tie_last == rows.length[rows.list_of_row]) & (rows.tie_last > 1)
    found = sorted(set(rows.list_of_row[alone].tolist()))
    return found if len(found) >= NOT_FEW * np.count_nonzero(rows.length > 1) else []


def reading_beyond(measures: Mapping[str, Measure], policy: Policy, length: float) -> list[str]:
    """Returns the labels of the measures that read ranks below the end of lists of a given length."""
    cuts = [each.depth or np.inf for each in policy.of_each(measures.values())]
    return [
        label
        for (label, each), cut in zip(measures.items(), cuts, strict=True)
        if min(each.depth or np.inf, cut) > length
    ]


@dataclass(frozen=True)
class CutLists:
    """Runs whose lists are much shorter than another run's lists.

    Args:
        runs: the runs with short lists.
        shortest: the smallest of the runs' maximum list lengths.
        longest: the largest of the runs' maximum list lengths.
        labels: the measures that read ranks below the end of the short lists.
    """

    runs: list[str]
    shortest: int
    longest: int
    labels: list[str]

    @classmethod
    def of(cls, scores: Mapping[str, QueryValues]) -> CutLists | None:
        """Returns the runs with short lists, or None if all lengths are similar or no measure reads beyond them."""
        longest = {run: each.counts.longest for run, each in scores.items() if each.counts.longest}
        low, high = min(longest.values(), default=0), max(longest.values(), default=0)
        if high < RATIO * low or not longest:
            return None
        first = scores[next(iter(longest))]
        measures = dict(zip(first.labels, first.measures, strict=True))
        labels = reading_beyond(measures, first.policy, low)
        if not labels:
            return None
        return cls([run for run, length in longest.items() if RATIO * length <= high], low, high, labels)


def fingerprint(*columns: NDArray[np.generic]) -> bytes:
    """Returns a hash of arrays, which is equal only for equal arrays."""
    from hashlib import sha256  # imported here because a single run does not need it

    found = sha256()
    for each in columns:
        found.update(f"{each.dtype}{each.shape}".encode())
        found.update(each.tobytes())
    return found.digest()


def copies(prints: Sequence[bytes]) -> dict[int, int]:
    """Maps the index of each fingerprint that repeats an earlier one to the index of the first equal one."""
    first: dict[bytes, int] = {}
    for place, each in enumerate(prints):
        first.setdefault(each, place)
    return {place: first[each] for place, each in enumerate(prints) if first[each] != place}


def perfect(scores: QueryValues, rows: JudgedRows | None) -> list[str]:
    """Returns the measures if a run has the best possible value of each for every query, else an empty list.

    With fewer than ``SEVERAL`` queries, the best possible values may be due to chance.

    All relevant documents must precede all other documents. Measures that also depend on documents that are not
    relevant, sums, and measures by subtopic are ignored.

    Args:
        scores: the run's values.
        rows: the rows from which the values were computed; None if only the values are known. The best value is then 1.
    """
    # A real system may rank a relevant document first for every query, but not all relevant documents before all
    # others.
    if rows is not None and not _native.relevant_first(rows.grade, rows.rank, rows.offsets):
        return []  # true for nearly all runs, so test it first
    places = [place for place, each in enumerate(scores.measures) if has_best(each)]
    values, labels = scores.matrix[:, places], [scores.labels[place] for place in places]
    if not len(values) or not places:
        return []
    if rows is None:
        return labels if (values == 1).all() else []
    if len(rows.length) != len(values) or rows.length.max() <= 1:
        return []
    answered = np.diff(rows.relevant.offsets) > 0
    wanted = np.bincount(rows.list_of_judgment[rows.judged_grades > 0], minlength=len(values)) > 0
    if not wanted.any() or (wanted & ~answered).any():
        return []
    best = values_of(ideal(rows), [scores.measures[place] for place in places])
    return labels if np.allclose(values, best, rtol=0.0, atol=ROUNDING) else []


def beyond_range(
    run: str, label: str, measure: Measure, values: Floats, queries: Sequence[str] = ()
) -> str | None:
    """Returns a sentence if another tool's values are outside the measure's range, as percentages are, else None.

    Args:
        run: the run.
        label: the measure's name.
        measure: the measure.
        values: the values of the measure, which may contain NaN.
        queries: the query of each value; empty for means.
    """
    low, high = measure.definition.values
    if any(each in str(measure) for each in ("ideal=", "gain=")):
        return None  # these options allow values outside the range
    with np.errstate(invalid="ignore"):
        outside = (values < low - ROUNDING) | (values > high + ROUNDING)
    if not outside.any():
        return None
    first = int(outside.argmax())
    where = f" for query '{queries[first]}'" if len(queries) else ""
    count, total = int(outside.sum()), int(np.count_nonzero(~np.isnan(values)))
    often = (
        f", and in {count:,} of {total:,} queries outside its range"
        if len(queries) > 1
        else ", outside its range"
    )
    its_range = f"from {low:g} to {high:g}" if np.isfinite(high) else f"at least {low:g}"
    per_cent = high == 1 and np.nanmin(values) >= 0 and np.nanmax(values) > PER_CENT
    advice = "If these are percentages, divide them by 100." if per_cent else "Check how they were computed."
    return f"{run}: {label} is {values[first]:g}{where}{often}, which is {its_range}. {advice}"


def warned_of(doubts: Iterable[str]) -> tuple[str, ...]:
    """Issues warnings and returns their sentences."""
    found = tuple(dict.fromkeys(doubts))
    for each in found:
        warn(each)
    return found


DIVISORS = {"R": "relevant", "AP": "relevant", "P": "depth"}
"""The measures that cannot reach 1 for some numbers of relevant documents, and the quantity by which they divide."""
NOTED = 0.05
"""The smallest reported loss of a mean that is due to queries with more or fewer relevant documents than the depth."""


def caps_of(scores: QueryValues, rows: JudgedRows, best: dict[Any, Any] | None = None) -> dict[str, Cap]:
    """Returns the highest possible mean of each label for which it is well below 1 because of the measure's depth.

    For a query with R relevant documents, R@k and AP@k are at most min(1, k/R), and P@k is at most min(1, R/k).

    Args:
        scores: the run's values.
        rows: the rows from which the values were computed.
        best: the cache of counts of judgments, shared by runs with the same judgments.
    """
    found, lists = {}, Flat(rows, best=best)
    counted: dict[float, tuple[Integers, Integers]] = {}
    for place, (label, measure) in enumerate(zip(scores.labels, scores.measures, strict=True)):
        depths = [each for each in (measure.depth, scores.policy.depth) if each is not None]
        over = DIVISORS.get(measure.name)
        # If the relevance threshold is below 0, unjudged documents count as relevant.
        if over is None or measure.arguments["over"] != over or not depths or measure.arguments["rel"] < 0:
            continue
        depth, rel = min(depths), measure.arguments["rel"]
        if over == "depth" and depth != measure.depth:
            continue  # The policy's depth lowers the value of every query.
        if rel not in counted:
            of_queries = np.asarray(lists.n_relevant(rel)).astype(np.intp)
            counted[rel] = of_queries, np.bincount(of_queries)
        # Queries with the same number of relevant documents have the same cap, and there are far fewer such numbers
        # than queries.
        of_queries, queries = counted[rel]
        weights = None if scores.weights is None else scores.weights[:, place]
        weight = np.asarray(queries if weights is None else np.bincount(of_queries, weights), np.float64)
        relevant = np.arange(len(queries), dtype=np.float64)
        whole = np.maximum(relevant, 1) if over == "relevant" else depth
        # Queries without relevant documents are treated separately below.
        reached = np.where(relevant > 0, np.minimum(relevant, depth) / whole, 1.0)
        if not aggregate(1.0 - reached, "mean", weight) >= NOTED:
            continue
        nothing = 1.0 if scores.policy.empty == "one" else 0.0
        highest = aggregate(np.where(relevant > 0, reached, nothing), "mean", weight)
        beyond = relevant > depth if over == "relevant" else relevant < depth
        found[label] = Cap(highest, int(queries[beyond].sum()), depth)
    return found


def has_best(measure: Measure) -> bool:
    """Returns whether the measure depends only on the order of relevant documents, and larger values are better."""
    kind = measure.definition
    return not (
        measure.rows != "relevant"
        or measure.micro
        or kind.groups
        or kind.smaller_is_better
        or kind.aggregate == "sum"
    )


def ideal(rows: JudgedRows) -> JudgedRows:
    """Returns the ideal ranking of each list: its judged documents, highest grades first."""
    order = np.lexsort((-rows.judged_grades, rows.list_of_judgment))
    rank = ranks_within(rows.judged_offsets)
    best = replace(
        rows,
        length=np.diff(rows.judged_offsets).astype(np.float64),
        offsets=rows.judged_offsets,
        rank=rank,
        grade=rows.judged_grades[order],
        tie_first=rank,
        tie_last=rank,
        listed=None,
        scores=None,
        document=None,
        by_group=None,
    )
    return to_depth(best, rows.depth)
