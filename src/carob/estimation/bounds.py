"""Computes the lowest and the highest value that measures can have once the unjudged documents are judged."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.estimation.fillings import Rule, Unknown, relevance_levels
from carob.estimation.shown_documents import UNJUDGED, ShownDocuments, depth_of
from carob.evaluation.values import values_of
from carob.lists.rows import untied
from carob.matching.match import finished
from carob.output.errors import DataError, UncomputableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from carob.conventions.policy import Policy
    from carob.inputs.qrels import Qrels
    from carob.inputs.run import Run
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure

CELLS_AT_A_TIME = 2**21
"""The maximum number of ranks and judgments in filled lists that are held in memory at a time."""


class Bounds(NamedTuple):
    """The lowest and the highest value of a mean, or of the difference between two means.

    Args:
        low: the lowest value.
        high: the highest value.
        exact: whether no grades of the unjudged documents yield a value outside these bounds. Otherwise, the true
            bounds may be wider.
    """

    low: float
    high: float
    exact: bool


@dataclass(frozen=True, eq=False)
class MeasureBounds:
    """The bounds of one measure.

    Args:
        runs: the bounds of each run's mean.
        pairs: the bounds of each pair's difference, by the indices of the two runs.
        unjudged: the number of unjudged documents that each run retrieves within the depth of the measure.
        shown: the number of all documents that each run retrieves within this depth.
    """

    runs: tuple[Bounds, ...]
    pairs: dict[tuple[int, int], Bounds]
    unjudged: tuple[int, ...]
    shown: tuple[int, ...]


def bounds_of(
    qrels: Qrels,
    runs: Sequence[Run],
    measures: Mapping[str, Measure],
    policy: Policy,
    *,
    pairs: Iterable[tuple[int, int]] = (),
    max_grade: float | None = None,
    unseen: int = 0,
) -> dict[str, MeasureBounds]:
    """Returns the bounds of each measure over all possible grades of the unjudged documents.

    The unjudged documents are those that at least one run retrieves within the depth of the measure. All other
    documents without judgments count as not relevant.

    Args:
        qrels: the judgments.
        runs: the runs.
        measures: the measures by label.
        policy: the policy.
        pairs: the indices of the two runs of each pair whose difference is to be bounded.
        max_grade: the highest grade that judges can give; None for the highest grade in the judgments.
        unseen: the number of additional documents per query that no run retrieves and whose grades are unknown.

    Raises:
        DataError: a measure is not a plain mean over queries, its formula is undefined for a grade, or ``max_grade`` is
            below a grade in the judgments.
        PolicyError: the policy leaves the order of documents undetermined, or it removes documents.
    """
    for label, measure in measures.items():
        refuse_unfit_measure(label, measure)
    shown = ShownDocuments.of(qrels, runs, policy)
    highest = shown.highest() if max_grade is None else max_grade
    if highest < shown.highest() and max_grade is not None and (shown.grade > max_grade).any():
        raise DataError(
            f"The judgments contain the grade {shown.highest():g}, but the highest possible grade was set to "
            f"{max_grade:g}. Set a higher grade."
        )
    levels = relevance_levels(highest, shown.grade)
    pairs = list(pairs)
    return {
        label: one_measure(shown, measure, policy.of_measure(measure), levels, pairs, unseen)
        for label, measure in measures.items()
    }


def refuse_unfit_measure(label: str, measure: Measure) -> None:
    """Rejects a measure unless it is a plain mean of values, each of which depends on one query's grades.

    Raises:
        DataError: the measure is not such a mean.
    """
    definition = measure.definition
    if (
        definition.aggregate != "mean"
        or definition.takes != "grades"
        or definition.groups
        or measure.micro
        or measure.may_be_undefined
    ):
        raise DataError(
            f"{label} is not a plain mean over queries of values from grades, so its bounds are unknown. Choose "
            "another measure, such as nDCG@10."
        )


def one_measure(
    shown: ShownDocuments,
    measure: Measure,
    policy: Policy,
    levels: Floats,
    pairs: list[tuple[int, int]],
    unseen: int,
) -> MeasureBounds:
    """Returns the bounds of one measure.

    Raises:
        DataError: the formula of the measure is undefined for a grade.
    """
    depth = depth_of(measure, policy)
    ranks = np.where(shown.ranks <= depth, shown.ranks, np.inf)
    unjudged = shown.grade == UNJUDGED
    inside = np.isfinite(ranks)
    deepest = int(max(shown.lengths.max(initial=1), np.diff(shown.offsets).max(initial=1) + unseen))
    hidden = np.pad(ranks, ((0, 0), (0, unseen)), constant_values=np.inf)
    rule = Rule.of(measure, levels, deepest)
    series = [(run, None) for run in range(len(ranks))] + [(a, b) for a, b in pairs]
    try:
        found = [
            bounds_in(shown, Series(hidden, unjudged, *each), rule, policy, levels, depth) for each in series
        ]
    except UncomputableError as error:
        raise DataError(
            f"{measure} has no value for the grade {levels[-1]:g} of a judgment: {error.reason}"
        ) from None
    return MeasureBounds(
        tuple(found[: len(ranks)]),
        dict(zip(pairs, found[len(ranks) :], strict=True)),
        tuple((inside & unjudged).sum(axis=1).tolist()),
        tuple(inside.sum(axis=1).tolist()),
    )


@dataclass(frozen=True, eq=False)
class Series:
    """A run, or two runs whose difference is to be bounded.

    Args:
        ranks: the ranks of documents within the depth of the measure, otherwise infinite, followed by an infinite rank
            for each unseen document [runs, documents and unseen].
        unjudged: whether each document is unjudged [documents].
        first: the index of the run.
        second: the index of the run that is subtracted, or None.
    """

    ranks: Floats
    unjudged: NDArray[np.bool_]
    first: int
    second: int | None

    @property
    def members(self) -> list[int]:
        """The indices of the runs."""
        return [self.first] if self.second is None else [self.first, self.second]


@dataclass(frozen=True, eq=False)
class Filled:
    """The documents of a query that are judged or filled, with their grades in each filling.

    Args:
        query: the index of the query.
        documents: the indices of the documents.
        grades: the grades of the documents in each filling [fillings, documents].
    """

    query: int
    documents: Integers
    grades: Floats


def bounds_in(
    shown: ShownDocuments, series: Series, rule: Rule, policy: Policy, levels: Floats, depth: float
) -> Bounds:
    """Returns the bounds of a run's mean, or of the difference between two runs' means."""
    low = high = 0.0
    exact, waiting, cells = True, [], 0
    own: NDArray[np.bool_] = np.asarray(np.isfinite(series.ranks).any(axis=0))
    offsets = shown.offsets
    queries = len(offsets) - 1
    unseen = np.arange(len(series.unjudged), series.ranks.shape[1])
    for query in range(queries):
        start, stop = int(offsets[query]), int(offsets[query + 1])
        hidden = series.unjudged[start:stop]
        wanted = np.append(np.flatnonzero(hidden & own[start:stop]) + start, unseen)
        judged = np.flatnonzero(~hidden) + start
        first: Floats = series.ranks[series.first]
        second: Floats | None = None if series.second is None else series.ranks[series.second]
        graded = judged[shown.grade[judged] >= 0]
        tried = rule.tried(
            Unknown(
                first=first[wanted],
                second=None if second is None else second[wanted],
                known=shown.grade[graded],
                known_first=first[graded],
                known_second=None if second is None else second[graded],
                levels=levels,
                depth=depth,
            )
        )
        exact = exact and tried.exact
        documents = np.append(judged, wanted)
        known = np.broadcast_to(shown.grade[judged], (len(tried.fillings), len(judged)))
        waiting.append(Filled(query, documents, np.concatenate([known, tried.fillings], axis=1)))
        cells += waiting[-1].grades.size + len(tried.fillings)
        if cells >= CELLS_AT_A_TIME or query == queries - 1:
            lows, highs = ends_of(shown, series, waiting, rule.measure, policy)
            low, high, waiting, cells = low + lows, high + highs, [], 0
    return Bounds(low / queries, high / queries, exact)


def ends_of(
    shown: ShownDocuments, series: Series, filled: list[Filled], measure: Measure, policy: Policy
) -> tuple[float, float]:
    """Returns the sums of the lowest and of the highest value over the given queries."""
    own, *others = (
        values_of_filled(shown, series.ranks, run, filled, measure, policy) for run in series.members
    )
    values = own - others[0] if others else own
    starts = np.cumsum([0, *(len(each.grades) for each in filled[:-1])])
    return float(np.minimum.reduceat(values, starts).sum()), float(np.maximum.reduceat(values, starts).sum())


def values_of_filled(
    shown: ShownDocuments, ranks: Floats, run: int, filled: list[Filled], measure: Measure, policy: Policy
) -> Floats:
    """Returns the values of a run for all fillings of the first query, then of the second, and so on."""
    lengths, counts, rank, grade, pools, pool = [], [], [], [], [], []
    for each in filled:
        fillings = len(each.grades)
        its = ranks[run][each.documents]
        order = np.argsort(its, kind="stable")[: int(np.isfinite(its).sum())]
        lengths.append(np.full(fillings, shown.lengths[run, each.query]))
        counts.append(np.full(fillings, len(order)))
        rank.append(np.tile(its[order], fillings))
        grade.append(each.grades[:, order].ravel())
        judged = each.grades >= 0
        pools.append(judged.sum(axis=1))
        pool.append(each.grades[judged])
    count = np.concatenate(counts)
    rows = untied(
        np.concatenate(lengths),
        np.repeat(np.arange(len(count)), count),
        np.concatenate(rank),
        np.concatenate(grade),
        np.append(0, np.cumsum(np.concatenate(pools))).astype(np.int64),
        np.concatenate(pool),
    )
    return values_of(finished(rows, policy), [measure])[:, 0]


def all_pairs(runs: int) -> list[tuple[int, int]]:
    """Returns the indices of the two runs of every pair."""
    return list(combinations(range(runs), 2))
