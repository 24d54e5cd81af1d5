"""Contests whose means are estimated from people's judgments of some queries and a judge's judgments of all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.findings import Contest, JudgeComparison, Judging
from carob.comparison.runs import RunTable, tables_of
from carob.comparison.significance import beaten, correct_together, empty_outcome, join, pairs_in, pairs_of
from carob.estimation.people_and_judge import Estimates, JudgedSample, estimated
from carob.inputs.names import Names
from carob.inputs.query_files import groups_of
from carob.output.errors import DataError
from carob.statistics.paired import NOISE, Located, one_sided_quantile, wins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from carob.comparison.design import Design
    from carob.comparison.findings import Settings
    from carob.comparison.runs import Evaluation
    from carob.comparison.significance import Outcome
    from carob.lists.rows import Floats, Integers


@dataclass(frozen=True, eq=False)
class Shared:
    """The queries of a comparison with a judge.

    Args:
        names: the queries that the judge judged.
        rows: the row in ``names`` of each query that people also judged.
        alone: the queries that only people judged.
    """

    names: tuple[str, ...]
    rows: Integers
    alone: tuple[str, ...]


def judged_contests(
    people: Evaluation, judge: Evaluation, settings: Settings, design: Design
) -> tuple[Names, dict[str, Contest], Judging]:
    """Returns the queries that people and the judge judged, the comparison by each measure, and facts about the judge.

    Args:
        people: the evaluation of the runs under people's judgments.
        judge: the evaluation of the same runs under the judge's.
        settings: the settings of the test, which is ``t``.
        design: how to estimate.

    Raises:
        DataError: people judged fewer than two of the judge's queries, or a measure has no estimate.
    """
    own_ids, tables = tables_of([each.scores for each in people.systems.values()])
    its_ids, others = tables_of([each.scores for each in judge.systems.values()])
    ours, theirs = own_ids.texts, its_ids.texts
    place = {query: row for row, query in enumerate(theirs)}
    common = [query for query in ours if query in place]
    alone = tuple(query for query in ours if query not in place)
    if len(common) < 2:
        raise DataError(
            f"People and the judge share {len(common)} of {len(ours)} queries that people judged and {len(theirs)} "
            "that the judge judged: an estimate needs at least two. Do both name queries in the same way?"
        )
    shared = Shared(theirs, np.array([place[query] for query in common], np.int64), alone)
    own = {query: row for row, query in enumerate(ours)}
    rows = np.array([own[query] for query in common], np.int64)
    runs = len(people.systems)
    first, second = pairs_of(runs, settings.baseline)
    found = [
        estimates_of(table.part(rows), other, shared, design, contrasts_of(runs, first, second))
        for table, other in zip(tables, others, strict=True)
    ]
    outcomes = [outcome_of(values.table, values.values, first, second, settings) for values in found]
    correct_together(outcomes, settings)
    contests = {}
    for values, outcome in zip(found, outcomes, strict=True):
        join(outcome, settings, geometric=False)
        contests[values.table.label] = contest_of(values.table, values.values, outcome, settings, runs)
    widths = [
        design.width or half_median(found[0].values, own, settings) for own in (slice(runs), slice(runs, -1))
    ]
    known = {values.table.label: judged_of(values, runs, widths, settings) for values in found}
    undefined = {values.table.label: values.lost for values in found if values.lost}
    info = Judging(
        name="" if judge.qrels is None else judge.qrels.name,
        target=design.target,
        sample=found[0].values.sample,
        queries=found[0].values.queries,
        fixed=design.judge_weight,
        strata=None if design.strata is None else len(set(groups_of(design.strata, theirs).codes.tolist())),
        width=widths[0],
        width_pairs=widths[1],
        alone=alone,
        undefined=undefined,
        measures=known,
        judged=judge.judged,
    )
    return Names.of(common), contests, info


def contrasts_of(runs: int, first: Integers, second: Integers) -> Floats:
    """Returns the weights of the runs in each series: every run, every pair, and the mean over the runs."""
    each = np.eye(runs)
    return np.concatenate([each, each[first] - each[second], np.full((1, runs), 1 / runs)])


@dataclass(frozen=True, eq=False)
class Estimated:
    """The estimates of one measure.

    Args:
        table: people's values.
        values: the estimates of all runs, of all pairs, and of the mean over the runs.
        biases: the same with λ = 1, whose distance from the judge's means is the judge's bias.
        lost: the number of queries that are left out because a run has no value.
    """

    table: RunTable
    values: Estimates
    biases: Estimates
    lost: int


def estimates_of(
    table: RunTable, other: RunTable, shared: Shared, design: Design, contrasts: Floats
) -> Estimated:
    """Estimates the means of a measure.

    Args:
        table: people's values of the queries that both judged.
        other: the judge's values of all its queries.
        shared: the queries.
        design: how to estimate.
        contrasts: the series to estimate.

    Raises:
        DataError: the measure's aggregate is not a mean over queries, or too few queries have a value.
    """
    for each in (table, other):
        if each.geometric or each.weights is not None:
            kind = "a geometric mean" if each.geometric else "a mean with a weight for each query"
            raise DataError(
                f"{table.label} is {kind}, and estimates from people and a judge need a plain mean over queries. "
                "Choose another measure, such as AP or nDCG@10."
            )
    known: NDArray[np.bool_] = np.asarray(~np.isnan(other.values).any(axis=1))
    known[shared.rows[np.isnan(table.values).any(axis=1)]] = False
    kept = known[shared.rows]
    if kept.sum() < 2:
        raise DataError(
            f"{table.label} has a value under people's and the judge's judgments for {int(kept.sum())} queries: an "
            "estimate needs at least two. Let people judge more queries."
        )
    scale = len(known) if table.measure.definition.aggregate == "sum" else 1
    new = np.cumsum(known) - 1
    groups = None if design.strata is None else groups_of(design.strata, shared.names)
    sample = JudgedSample(
        table.values[kept] * scale,
        other.values[known] * scale,
        new[shared.rows[kept]],
        None if groups is None else np.unique(groups.codes[known], return_inverse=True)[1].reshape(-1),
        ()
        if groups is None
        else tuple(groups.names[code] for code in np.unique(groups.codes[known]).tolist()),
    )
    similar = design.target == "similar"
    found = estimated(sample, contrasts, weight=design.judge_weight, similar=similar)
    plain = estimated(sample, contrasts, weight=1.0)
    if found.sample < found.queries:
        found, plain = (replace(each, error=known_errors(each)) for each in (found, plain))
    return Estimated(table, found, plain, int((~known).sum()))


def known_errors(found: EstimatedSeries) -> Floats:
    """Returns the standard errors, or NaN for an error of 0, which only says that the sample's judgments are alike.

    Series that are 0 under both judges keep theirs, as of two runs with the same documents.
    """
    unknown = (found.error <= NOISE) & (np.maximum(np.abs(found.value), np.abs(found.judge)) > NOISE)
    return np.where(unknown, np.nan, found.error)


class EstimatedSeries(Protocol):
    """Estimated means of several series, which are runs or differences of runs. Each array is [series]."""

    @property
    def value(self) -> Floats:
        """The estimates."""

    @property
    def error(self) -> Floats:
        """Their standard errors."""

    @property
    def freedom(self) -> Floats:
        """The degrees of freedom of the errors."""

    @property
    def judge(self) -> Floats:
        """The means of the judge's values alone."""


def interval_of(found: EstimatedSeries, confidence: float) -> tuple[Floats, Floats]:
    """Returns the ends of the interval of each series."""
    half = (
        one_sided_quantile((1 + confidence) / 2, np.where(found.freedom > 0, found.freedom, np.nan))
        * found.error
    )
    half = np.where(found.error <= 0, 0.0, half)
    return found.value - half, found.value + half


def outcome_of(
    table: RunTable, found: Estimates, first: Integers, second: Integers, settings: Settings
) -> Outcome:
    """Returns the difference, interval and p of every pair."""
    runs, pairs = table.values.shape[1], len(first)
    outcome = empty_outcome(first, second)
    own = slice(runs, runs + pairs)
    low, high = interval_of(found, settings.confidence)
    there = table.values[~np.isnan(table.values).any(axis=1)]
    differences = there[:, first] - there[:, second]
    outcome.n[:] = found.sample
    outcome.difference[:], outcome.low[:], outcome.high[:] = found.value[own], low[own], high[own]
    outcome.freedom[:] = found.freedom[own]
    if pairs:
        outcome.wins[:], outcome.ties[:], outcome.losses[:] = wins(table.sign * differences)
    error, freedom = found.error[own], np.where(found.freedom[own] > 0, found.freedom[own], np.nan)
    tested(outcome, error, freedom, settings)
    unaided = found.unaided[own]
    outcome.identical[:] = (np.abs(outcome.difference) <= NOISE) & (unaided <= NOISE) & (error <= NOISE)
    outcome.p[outcome.identical] = 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        outcome.d_z[:] = np.where(unaided > NOISE, outcome.difference / np.sqrt(unaided), 0.0)
    return outcome


def tested(outcome: Outcome, error: Floats, freedom: Floats, settings: Settings) -> None:
    """Writes p, the probabilities that the settings request, and the detectable difference of every pair.

    Args:
        outcome: the pairs with their differences.
        error: the standard error of each difference.
        freedom: its degrees of freedom, or NaN.
        settings: the settings of the test.
    """
    found = Located(outcome.difference, error, freedom, ~(error <= NOISE))
    if settings.margin is not None:
        outcome.p_equivalent[:] = found.equivalence(settings.margin)
    if settings.rope is not None:
        outcome.p_worse[:], outcome.p_same[:], outcome.p_better[:] = found.bayes(settings.rope)
    outcome.p[:], outcome.detectable[:] = found.p, found.detectable(settings.confidence)
    outcome.error[:] = 0.0


def contest_of(
    table: RunTable, found: EstimatedSeries, outcome: Outcome, settings: Settings, runs: int
) -> Contest:
    """Returns the comparison by one measure."""
    low, high = interval_of(found, settings.confidence)
    return Contest(
        label=table.label,
        measure=table.measure,
        values=table.values,
        means=tuple(found.value[:runs].tolist()),
        low=tuple(low[:runs].tolist()),
        high=tuple(high[:runs].tolist()),
        beaten=beaten(runs, outcome, settings.alpha, table.sign),
        pairs=pairs_in(outcome, settings),
        smaller_is_better=table.sign < 0,
    )


def half_median(found: EstimatedSeries, own: slice, settings: Settings) -> float:
    """Returns half the median width of the intervals of some series, or NaN if there are none."""
    low, high = interval_of(found, settings.confidence)
    widths = (high - low)[own]
    widths = widths[~np.isnan(widths)]
    return float(np.median(widths)) / 2 if len(widths) else np.nan


def judged_of(values: Estimated, runs: int, widths: Sequence[float], settings: Settings) -> JudgeComparison:
    """Returns what people's judgments say about the judge on one measure.

    Args:
        values: the estimates.
        runs: the number of runs.
        widths: the wanted widths of the intervals of values and of differences.
        settings: the settings of the test.
    """
    found, plain = values.values, values.biases
    bias = plain.judge - plain.value
    low, high = interval_of(plain, settings.confidence)
    lows, highs = plain.judge - high, plain.judge - low
    needed, needed_pairs = (found.needed(width, settings.confidence) for width in widths)
    return JudgeComparison(
        weight=found.weight,
        bias=float(bias[-1]),
        low=float(lows[-1]),
        high=float(highs[-1]),
        people=tuple(found.people[:runs].tolist()),
        judge=tuple(found.judge[:runs].tolist()),
        biases=tuple(bias[:runs].tolist()),
        lows=tuple(lows[:runs].tolist()),
        highs=tuple(highs[:runs].tolist()),
        worth=tuple(found.worth[:runs].tolist()),
        worth_pairs=tuple(found.worth[runs:-1].tolist()),
        needed=tuple(needed[:runs].tolist()),
        needed_pairs=tuple(needed_pairs[runs:-1].tolist()),
        apart=float(found.apart[-1]),
    )
