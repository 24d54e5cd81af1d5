"""Contests whose means are estimated from people's judgments of some queries and a judge's judgments of all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.evidence import RunTable, tables_of
from carob.comparison.findings import Contest, JudgeComparison, Judging
from carob.comparison.significance import beaten, correct_together, empty_outcome, join, pairs_in, pairs_of
from carob.estimation.people_and_judge import JudgedEstimates, JudgedSample, estimated
from carob.estimation.sampled_documents import SampledEstimates
from carob.inputs.names import Names
from carob.inputs.query_files import groups_of
from carob.output.errors import DataError
from carob.statistics.estimates import NOISE
from carob.statistics.paired import wins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from carob.comparison.design import Design
    from carob.comparison.evidence import Read
    from carob.comparison.findings import Settings
    from carob.comparison.significance import Outcome
    from carob.lists.rows import Floats, Integers
    from carob.statistics.estimates import Estimates


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
    people: Read, judge: Read, settings: Settings, design: Design
) -> tuple[Names, dict[str, Contest], Judging]:
    """Returns the queries that people and the judge judged, the comparison by each measure, and facts about the judge.

    Args:
        people: the runs under people's judgments.
        judge: the same runs under the judge's.
        settings: the settings of the test, which is ``t``.
        design: how to estimate.

    Raises:
        DataError: people judged fewer than two of the judge's queries, or a measure has no estimate.
    """
    own_ids, tables = tables_of(people.scores)
    its_ids, others = tables_of(judge.scores)
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
        estimates_of(
            table.part(rows), other, shared, design, contrasts_of(runs, first, second), settings.confidence
        )
        for table, other in zip(tables, others, strict=True)
    ]
    outcomes = [outcome_of(values.table, values.values, first, second, settings) for values in found]
    correct_together(outcomes, settings)
    contests = {}
    for values, outcome in zip(found, outcomes, strict=True):
        join(outcome, settings, geometric=False)
        contests[values.table.label] = contest_of(values.table, values.values, outcome, settings, runs)
    widths = [design.width or half_median(found[0].values, own) for own in (slice(runs), slice(runs, -1))]
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
    values: JudgedEstimates
    biases: JudgedEstimates
    lost: int


def estimates_of(
    table: RunTable,
    other: RunTable,
    shared: Shared,
    design: Design,
    contrasts: Floats,
    confidence: float,
) -> Estimated:
    """Estimates the means of a measure.

    Args:
        table: people's values of the queries that both judged.
        other: the judge's values of all its queries.
        shared: the queries.
        design: how to estimate.
        contrasts: the series to estimate.
        confidence: the confidence level of the intervals.

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
    found = estimated(sample, contrasts, weight=design.judge_weight, similar=similar, confidence=confidence)
    plain = estimated(sample, contrasts, weight=1.0, confidence=confidence)
    if found.sample < found.queries:
        found, plain = without_unknown(found), without_unknown(plain)
    return Estimated(table, found, plain, int((~known).sum()))


Known = TypeVar("Known", JudgedEstimates, SampledEstimates)


def without_unknown(found: Known) -> Known:
    """Returns estimates without the errors of 0 that only say that the sample's judgments are alike.

    Series that are 0 under both judges keep theirs, as of two runs with the same documents.
    """
    unknown = (found.error <= NOISE) & (np.maximum(np.abs(found.value), np.abs(found.judge)) > NOISE)
    low, high, error = (np.where(unknown, np.nan, each) for each in (found.low, found.high, found.error))
    return replace(found, low=low, high=high, error=error)


def outcome_of(
    table: RunTable, found: JudgedEstimates, first: Integers, second: Integers, settings: Settings
) -> Outcome:
    """Returns the difference, interval and p of every pair."""
    runs, pairs = table.values.shape[1], len(first)
    outcome = empty_outcome(first, second)
    own = slice(runs, runs + pairs)
    there = table.values[~np.isnan(table.values).any(axis=1)]
    differences = there[:, first] - there[:, second]
    outcome.n[:] = found.sample
    if pairs:
        outcome.wins[:], outcome.ties[:], outcome.losses[:] = wins(table.sign * differences)
    error, unaided = found.error[own], found.unaided[own]
    tested(outcome, found, own, settings)
    outcome.identical[:] = (np.abs(outcome.difference) <= NOISE) & (unaided <= NOISE) & (error <= NOISE)
    outcome.p[outcome.identical] = 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        outcome.d_z[:] = np.where(unaided > NOISE, outcome.difference / np.sqrt(unaided), 0.0)
    return outcome


def tested(outcome: Outcome, found: Estimates, own: slice, settings: Settings) -> None:
    """Writes p, the probabilities that the settings request, and the detectable difference of every pair.

    Args:
        outcome: the pairs.
        found: the estimates.
        own: the places of the pairs' differences among them.
        settings: the settings of the test.
    """
    outcome.difference[:], outcome.low[:], outcome.high[:] = found.value[own], found.low[own], found.high[own]
    outcome.freedom[:] = found.freedom[own]
    if settings.margin is not None:
        outcome.p_equivalent[:] = found.equivalence(settings.margin)[own]
    if settings.rope is not None:
        outcome.p_worse[:], outcome.p_same[:], outcome.p_better[:] = (
            each[own] for each in found.bayes(settings.rope)
        )
    outcome.p[:], outcome.detectable[:] = found.student_p[own], found.detectable(settings.confidence)[own]
    outcome.error[:] = 0.0


def contest_of(table: RunTable, found: Estimates, outcome: Outcome, settings: Settings, runs: int) -> Contest:
    """Returns the comparison by one measure."""
    return Contest(
        label=table.label,
        measure=table.measure,
        values=table.values,
        means=tuple(found.value[:runs].tolist()),
        low=tuple(found.low[:runs].tolist()),
        high=tuple(found.high[:runs].tolist()),
        beaten=beaten(runs, outcome, settings.alpha, table.sign),
        pairs=pairs_in(outcome, settings),
        smaller_is_better=table.sign < 0,
    )


def half_median(found: Estimates, own: slice) -> float:
    """Returns half the median width of the intervals of some series, or NaN if there are none."""
    widths = found.width[own]
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
    lows, highs = plain.judge - plain.high, plain.judge - plain.low
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
