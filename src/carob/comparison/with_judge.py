"""Estimates runs from people's and a judge's judgments, if people judged whole queries or sampled documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.findings import JudgeComparison, Judging
from carob.comparison.significance import Estimated, MethodResult, effect_sizes, empty_outcome
from carob.estimation.expected_ideal import RELATIVE_ERROR
from carob.estimation.numbered_documents import Documents
from carob.estimation.people_and_judge import (
    FEWEST_BIASES,
    JudgedEstimates,
    JudgedSample,
    ends_of,
    estimated,
    parts_of,
    with_noise,
)
from carob.estimation.sampled_documents import (
    SampledEstimates,
    changes_of,
    estimated_documents,
)
from carob.estimation.sums import is_linear, is_weighted, numerator_of
from carob.evaluation.evidence import RunTable, tables_of
from carob.evaluation.scores import uncounted
from carob.inputs.errors import refused
from carob.inputs.ids import bytes_of
from carob.inputs.names import Names
from carob.inputs.qrels import graded
from carob.inputs.query_files import groups_of, queries_in
from carob.output.errors import DataError, PolicyError
from carob.output.language import plural
from carob.statistics.coefficients import LEAST_ALIKE, quadratic_kappa
from carob.statistics.estimates import NOISE, half_width, wins
from carob.statistics.resampling import Draw, all_pairs, max_flip
from carob.statistics.sample_size import FEWEST_JUDGED
from carob.statistics.worst_point import BoundedValues, worst_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from carob.comparison.design import Design
    from carob.comparison.significance import Asked, Outcome
    from carob.evaluation.evidence import Read
    from carob.inputs.qrels import Qrels
    from carob.lists.rows import Floats, Integers
    from carob.statistics.estimates import Estimates


@dataclass(frozen=True, eq=False)
class Shared:
    """The queries of a comparison with a judge.

    Args:
        names: the queries that the judge judged.
        rows: for each query that people also judged, its index in ``names``.
        alone: the queries that only people judged.
        tuned: for each query that both judged, whether the judge was tuned on it; None if no such queries were
            declared.
    """

    names: tuple[str, ...]
    rows: Integers
    alone: tuple[str, ...]
    tuned: NDArray[np.bool_] | None = None


def people_and_judge(read: Read, asked: Asked) -> MethodResult:
    """Estimates runs and pairs of runs from people's judgments of some queries and a judge's judgments of all queries.

    Args:
        read: the runs' scores under people's and under the judge's judgments.
        asked: what is requested; the test is ``t``.

    Raises:
        DataError: people judged fewer than two of the judge's queries, or a measure cannot be estimated.
    """
    judge = read.judge
    assert judge is not None
    own_ids, tables = tables_of(read.scores)
    its_ids, others = tables_of(judge.scores)
    ours, theirs, design = own_ids.texts, its_ids.texts, asked.design
    place = {query: row for row, query in enumerate(theirs)}
    common = [query for query in ours if query in place]
    alone = tuple(query for query in ours if query not in place)
    if len(common) < 2:
        raise DataError(
            f"People judged {plural(len(ours), 'query', 'queries')} and the judge {len(theirs):,}, but only "
            f"{len(common)} of these queries were judged by both: an estimate needs at least two. Check that both "
            "use the same query ids."
        )
    tuned = None if design.tuned_on is None else tuned_in(common, design)
    shared = Shared(theirs, np.array([place[query] for query in common], np.int64), alone, tuned)
    own = {query: row for row, query in enumerate(ours)}
    rows = np.array([own[query] for query in common], np.int64)
    parts = [table.part(rows) for table in tables]
    found = [estimates_of(part, other, shared, asked) for part, other in zip(parts, others, strict=True)]
    values = [each.values for each in found]
    strata = None
    if design.strata is not None:
        beside = uncounted(judge.scores, len(theirs))
        strata = len(set(groups_of(design.strata, theirs, others=beside).codes.tolist()))
    widths = widths_of(values[0], asked)
    return result_of(
        Names.of(common),
        [outcome_of_queries(*each, asked) for each in zip(parts, values, strict=True)],
        parts,
        values,
        asked,
        judge,
        [judged_queries(each, widths, asked) for each in found],
        sample=values[0].sample,
        queries=values[0].queries,
        strata=strata,
        width=widths[0],
        width_pairs=widths[1],
        alone=alone,
        kappa=kappa_of(*grades_of_both(read.qrels, judge.qrels, design)),
        tuned=None if tuned is None else int(tuned.sum()),
        undefined={part.label: each.lost for part, each in zip(parts, found, strict=True) if each.lost},
        assessed=asked.twice is not None and design.target == "these",
    )


def tuned_in(judged: list[str], design: Design) -> NDArray[np.bool_]:
    """Returns, for each query that people and the judge judged, whether the judge was tuned on it.

    Raises:
        DataError: the judge was tuned on a query that people and the judge did not both judge.
        PolicyError: the queries have strata.
    """
    assert design.tuned_on is not None
    if design.strata is not None:
        raise PolicyError(
            "Queries on which the judge was tuned cannot have strata: leave one of the two out."
        )
    tuned = queries_in(design.tuned_on)
    strange = sorted({*tuned} - {*judged})
    if strange:
        raise refused(
            "query '{query}' is listed as a query on which the judge was tuned, but people and the judge did not both "
            "judge it ({count:such query/such queries} in all).",
            "List only queries that both judged, or pass the missing judgments as well.",
            query=strange[0],
            count=len(strange),
        )
    return np.isin(judged, tuned)


def sampled_documents(read: Read, asked: Asked) -> MethodResult:
    """Estimates runs and pairs from sampled documents that people judged, and from a judge's grades of all documents.

    Args:
        read: the runs' scores under the judge's grades, and people's judgments.
        asked: what is requested; the test is ``t``.

    Raises:
        DataError: scores were given instead of runs, a measure is not a mean over queries, or people judged too few
            documents.
    """
    sample, judge = read.sample, read.judge
    assert sample is not None
    assert judge is not None
    if judge.qrels is None:
        raise DataError("Judgments of sampled documents need the runs and the judge's grades, not scores.")
    ids, tables = tables_of(judge.scores)
    for table in tables:
        refuse_unfit(table, judge)
    documents = Documents.of(sample, judge.qrels)
    if (documents.probability < 1).sum() < 3:
        raise DataError(
            "People judged fewer than 3 documents with a probability below 1: a standard error needs at least 3."
        )
    found = estimates_of_documents(documents, judge, tables, asked)
    size = len(documents.sampled)
    widths = widths_of(found[0], asked)
    return result_of(
        ids,
        [outcome_of_pairs(each, size, asked) for each in found],
        tables,
        found,
        asked,
        judge,
        [judged_documents(each, widths, asked) for each in found],
        sample=len(sample),
        queries=len(ids),
        strata=None,
        width=widths[0],
        width_pairs=widths[1],
        alone=(),
        undefined={},
        documents=size,
        kappa=kappa_of(*(each[documents.sampled] for each in (documents.people, documents.judge))),
    )


def grades_of_both(people: Qrels | None, judge: Qrels | None, design: Design) -> tuple[Floats, Floats]:
    """Returns people's and the judge's grades of documents that both judged, except in queries used to tune the judge.

    Args:
        people: people's judgments; None if scores were given, which contain no documents.
        judge: the judge's judgments; None if scores were given.
        design: the sampling design, which states the queries on which the judge was tuned.
    """
    if people is None or judge is None:
        return np.empty(0), np.empty(0)
    tuned = () if design.tuned_on is None else queries_in(design.tuned_on)
    own = graded(people)
    other = graded(judge, own.keys() - {bytes_of(query) for query in tuned})
    pairs = [
        (grade, other[query][document])
        for query in other
        for document, grade in own[query].items()
        if document in other[query]
    ]
    first, second = np.array(pairs, np.float64).reshape(-1, 2).T
    return first, second


def kappa_of(people: Floats, judge: Floats) -> float:
    """Returns the quadratically weighted κ between people's and the judge's grades; NaN for too few documents."""
    return quadratic_kappa(people, judge) if len(people) >= LEAST_ALIKE else np.nan


def result_of(
    ids: Names,
    outcomes: Sequence[Outcome],
    tables: Sequence[RunTable],
    found: Sequence[Estimates],
    asked: Asked,
    judge: Read,
    beside: Sequence[JudgeComparison],
    **facts: Any,
) -> MethodResult:
    """Returns the result of a method with a judge.

    Args:
        ids: the queries.
        outcomes: the outcomes of the pairs under each measure.
        tables: the runs' per-query values under each measure, which the contests store.
        found: the estimates under each measure.
        asked: what was requested.
        judge: the runs' scores under the judge's judgments.
        beside: the judge's values of each measure, compared with people's.
        facts: the values of the other fields of ``Judging``.
    """
    runs = slice(asked.runs)
    estimated = [
        Estimated(
            table,
            tuple(each.value[runs].tolist()),
            each.low[runs],
            each.high[runs],
            outcome,
            more={"worst_point": tuple(each.worst_point[runs].tolist())},
        )
        for table, each, outcome in zip(tables, found, outcomes, strict=True)
    ]
    known = Judging(
        name="" if judge.qrels is None else judge.qrels.name,
        target=asked.design.target,
        fixed=asked.design.judge_weight,
        measures={table.label: each for table, each in zip(tables, beside, strict=True)},
        judged=judge.judged,
        **facts,
    )
    return MethodResult(ids, estimated, asked.settings, known)


@dataclass(frozen=True, eq=False)
class OfQueries:
    """The estimates of one measure, if people judged whole queries.

    Args:
        values: the estimates for all runs, for all pairs, and for the mean of the runs.
        biases: the estimates for the runs and for their mean with λ = 1; the judge's means minus these estimates are
            the judge's biases.
        lost: the number of queries that are left out because a run has no value.
        above: the judge's values minus people's, on queries on which the judge was not tuned [queries, runs].
    """

    values: JudgedEstimates
    biases: JudgedEstimates
    lost: int
    above: Floats


def estimates_of(table: RunTable, other: RunTable, shared: Shared, asked: Asked) -> OfQueries:
    """Estimates the means of one measure.

    Args:
        table: the runs' values under people's judgments, for the queries that both judged.
        other: the runs' values under the judge's judgments, for all queries that the judge judged.
        shared: the queries of the comparison.
        asked: what is requested.

    Raises:
        DataError: the measure is not a plain mean over queries, or too few queries have a value.
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
    design = asked.design
    groups = None if design.strata is None else groups_of(design.strata, shared.names)
    sample = JudgedSample(
        table.values[kept] * scale,
        other.values[known] * scale,
        new[shared.rows[kept]],
        None if groups is None else np.unique(groups.codes[known], return_inverse=True)[1].reshape(-1),
        ()
        if groups is None
        else tuple(groups.names[code] for code in np.unique(groups.codes[known]).tolist()),
        None if shared.tuned is None else shared.tuned[kept],
    )
    contrasts, confidence = asked.contrasts, asked.settings.confidence
    similar = design.target == "similar"
    found = estimated(
        sample,
        contrasts,
        weight=design.judge_weight,
        similar=similar,
        confidence=confidence,
        values=table.limits,
    )
    clean = sample.clean if len(sample.clean.people) > 1 else sample
    plain = bias_of(
        clean, np.delete(contrasts, asked.pairs, axis=0), confidence, similar=similar, limits=table.limits
    )
    if found.sample < found.queries:
        found, plain = without_unknown(found), without_unknown(plain)
    noise = None if asked.twice is None or similar else asked.twice.noise_of(table.label, contrasts)
    if noise is not None:
        found = with_noise(found, noise, confidence, ends_of(contrasts, table.limits))
    return OfQueries(found, plain, int((~known).sum()), clean.judge[clean.rows] - clean.people)


def bias_of(
    sample: JudgedSample,
    contrasts: Floats,
    confidence: float,
    *,
    similar: bool,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> JudgedEstimates:
    """Estimates means with λ = 1; the judge's means minus these estimates are the judge's biases.

    The intervals concern the bias on these queries or on similar queries. The bias on similar queries is unknown even
    if people judged all of these queries. If Student's t interval would be too narrow or leave the range of the bias, a
    worst-point interval is used. If any run has a worst-point interval, the mean of the runs has one, too.

    Args:
        sample: the queries on which the judge was not tuned.
        contrasts: the weights of the runs in each series; the last series is the mean of the runs [series, runs].
        confidence: the confidence level.
        similar: whether the estimates concern similar queries.
        limits: the range of a run's value for a query.
    """
    found = estimated(sample, contrasts, weight=1.0, confidence=confidence)
    above = replace(
        sample,
        people=sample.people - sample.judge[sample.rows],
        judge=np.zeros_like(sample.judge),
        tuned=None,
    )
    student = estimated(above, contrasts, weight=0.0, similar=similar, confidence=confidence)
    reach, parts = limits[1] - limits[0], parts_of(sample)
    values = BoundedValues(
        above.people @ contrasts.T,
        *ends_of(contrasts, (-reach, reach)),
        np.ones(len(contrasts), np.bool_),
        (parts.share / np.maximum(parts.sampled, 1))[sample.codes[sample.rows]],
        math.inf if similar else len(sample.judge) - len(sample.people),
    )
    own = worst_point(student, values, confidence)
    if own.worst_point.any():  # Student's t interval for the mean of the runs would be too narrow
        mean = np.arange(len(contrasts)) == len(contrasts) - 1
        own = worst_point(student, values, confidence, also=mean)
    known = len(sample.people) >= FEWEST_BIASES or (own.error <= NOISE)
    low, high = (np.where(known, found.judge + end, np.nan) for end in (own.low, own.high))
    return replace(found, low=low, high=high, error=own.error, freedom=own.freedom)


Known = TypeVar("Known", JudgedEstimates, SampledEstimates)


def without_unknown(found: Known) -> Known:
    """Returns estimates without those standard errors of 0 that only occur because the sample's judgments do not vary.

    Series that are 0 under people's and the judge's judgments, such as two runs with the same documents, keep their
    errors.
    """
    alike = np.maximum(np.abs(found.value), np.abs(found.judge)) <= NOISE
    return without_errors(found, (found.error <= NOISE) & ~alike)


def without_errors(found: Known, places: NDArray[np.bool_]) -> Known:
    """Returns the estimates, with the standard errors and intervals at the given places set to NaN."""
    low, high, error = (np.where(places, np.nan, each) for each in (found.low, found.high, found.error))
    return replace(found, low=low, high=high, error=error)


def outcome_of_queries(table: RunTable, found: JudgedEstimates, asked: Asked) -> Outcome:
    """Returns the difference, interval, effect size, wins and p of every pair."""
    outcome = outcome_of_pairs(found, found.sample, asked, found.unaided)
    there = table.values[~np.isnan(table.values).any(axis=1)]
    differences = there[:, asked.first] - there[:, asked.second]
    if len(outcome):
        outcome.wins[:], outcome.ties[:], outcome.losses[:] = wins(table.sign * differences)
    unaided = found.unaided[asked.pairs]
    with np.errstate(divide="ignore", invalid="ignore"):
        outcome.d_z[:] = np.where(unaided > NOISE, outcome.difference / np.sqrt(unaided), 0.0)
    if asked.settings.effects:  # the queries that people judged are a random sample, unless there are strata
        known = found.sample == found.queries and asked.design.target == "these"
        drawn = asked.design.strata is None and not known
        effect_sizes(outcome, asked.settings.confidence, of_means=False, of_queries=drawn)
    return outcome


def outcome_of_pairs(
    found: JudgedEstimates | SampledEstimates, size: int, asked: Asked, unaided: Floats | None = None
) -> Outcome:
    """Returns the difference, interval and p of every pair, and the requested probabilities.

    Args:
        found: the estimates of the series.
        size: the number of sampled queries or documents.
        asked: what is requested.
        unaided: the variance of each series in people's values alone; a pair with a nonzero variance is not identical.
    """
    settings, own, outcome = asked.settings, asked.pairs, empty_outcome(asked.first, asked.second)
    outcome.n[:] = size
    outcome.difference[:], outcome.low[:], outcome.high[:] = found.value[own], found.low[own], found.high[own]
    outcome.spread[:], outcome.freedom[:] = found.error[own], found.freedom[own]
    if settings.margin is not None:
        outcome.p_equivalent[:] = found.equivalence(settings.margin)[own]
    if settings.rope is not None:
        outcome.p_worse[:], outcome.p_same[:], outcome.p_better[:] = (
            each[own] for each in found.bayes(settings.rope)
        )
    outcome.p_uncorrected[:] = found.two_sided_p[own]
    outcome.error[:], outcome.worst_point[:] = 0.0, found.worst_point[own]
    outcome.identical[:] = (np.abs(outcome.difference) <= NOISE) & (np.abs(found.judge[own]) <= NOISE)
    outcome.identical &= (found.error[own] if unaided is None else unaided[own]) <= NOISE
    outcome.p_uncorrected[outcome.identical] = 1.0
    for each in (outcome.p_equivalent, outcome.p_worse, outcome.p_same, outcome.p_better):
        each[outcome.identical] = np.nan  # their difference has a bound but no spread
    return outcome


def widths_of(found: Estimates, asked: Asked) -> tuple[float, float]:
    """Returns the target widths of the intervals of means and of differences: by default, half the median widths."""
    width = asked.design.width
    of_runs, of_pairs = (
        width or (float(np.nanmedian(its)) / 2 if not np.isnan(its).all() else np.nan)
        for its in (found.width[: asked.runs], found.width[asked.pairs])
    )
    return of_runs, of_pairs


def judged_queries(given: OfQueries, widths: Sequence[float], asked: Asked) -> JudgeComparison:
    """Compares the judge's values of one measure with people's, if people judged whole queries."""
    found, plain = given.values, given.biases
    needed = [found.needed(width, asked.settings.confidence) for width in widths]
    biases = [plain.judge - end for end in (plain.value, plain.high, plain.low)]
    worth = found.worth if found.sample >= FEWEST_JUDGED else np.full(len(found.value), np.nan)
    made = compared_with_people(found, biases, found.people, worth, needed, asked)
    return replace(made, apart=float(found.apart[-1]), **favours(given.above, asked))


def favours(above: Floats, asked: Asked) -> dict[str, Any]:
    """Returns whether the judge's bias differs between runs, and which runs the judge favours over most others.

    All pairs of runs are tested at once by sign flips of queries (max-T), so the probability that a judge without
    favourites appears to have one is at most alpha.

    Args:
        above: the judge's values minus people's [queries, runs].
        asked: what was requested.
    """
    runs = asked.runs
    if runs < 2 or not np.ptp(above, axis=1).any():
        return {}
    alpha, pairs = asked.settings.alpha, all_pairs(runs)
    unequal = max_flip(above, draw=Draw(seed=asked.settings.seed, alpha=alpha)).p < alpha
    over = np.zeros(runs, np.int64)
    mean = above.mean(axis=0)
    for (one, other), differs in zip(pairs.tolist(), unequal.tolist(), strict=True):
        if differs:
            over[one if mean[one] > mean[other] else other] += 1
    favoured = tuple(np.flatnonzero(over > (runs - 1) / 2).tolist())
    return {"unequal": bool(unequal.any()), "favoured": favoured}


def judged_documents(found: SampledEstimates, widths: Sequence[float], asked: Asked) -> JudgeComparison:
    """Compares the judge's values of one measure with people's, if people judged sampled documents."""
    bias, half, nothing = found.judge - found.value, found.width / 2, np.full(len(found.value), np.nan)
    width = np.full(len(bias), widths[1])
    width[: asked.runs] = widths[0]
    needed = found.needed(width, asked.settings.confidence)
    return compared_with_people(
        found, [bias, bias - half, bias + half], nothing, nothing, [needed] * 2, asked
    )


def compared_with_people(
    found: JudgedEstimates | SampledEstimates,
    biases: Sequence[Floats],
    people: Floats,
    worth: Floats,
    needed: Sequence[Floats],
    asked: Asked,
) -> JudgeComparison:
    """Returns the judge's values of one measure, compared with people's.

    Args:
        found: the estimates.
        biases: the judge's bias in each series, and the ends of its interval.
        people: the mean of each series under people's judgments.
        worth: for each series, how many queries people would have to judge without the judge for an equally narrow
            interval.
        needed: the numbers of judgments needed to reach the target widths, for the intervals of means and of
            differences.
        asked: what was requested.
    """

    def of_runs(each: Floats) -> tuple[float, ...]:
        return tuple(each[: asked.runs].tolist())

    (bias, low, high), (of_each, lows, highs) = (float(each[-1]) for each in biases), map(of_runs, biases)
    return JudgeComparison(
        found.weight,
        bias,
        low,
        high,
        of_runs(people),
        of_runs(found.judge),
        of_each,
        lows,
        highs,
        worth=of_runs(worth),
        worth_pairs=tuple(worth[asked.pairs].tolist()),
        needed=of_runs(needed[0]),
        needed_pairs=tuple(needed[1][asked.pairs].tolist()),
        apart=0.0,
    )


def refuse_unfit(table: RunTable, judge: Read) -> None:
    """Rejects measures and policies for which it is not possible to compute how a single grade changes a value.

    Raises:
        DataError: the measure is not a plain mean over queries, or its values are not computed from grades.
        PolicyError: documents with equal scores have no fixed order, or unjudged documents are removed.
    """
    definition = table.measure.definition
    if definition.aggregate != "mean" or definition.takes != "grades" or table.weights is not None:
        raise DataError(
            f"{table.label} is not a plain mean over queries, which estimates from sampled documents need. Choose "
            "another measure, such as P@10 or nDCG@10."
        )
    policy = judge.scores[0].policy.of_measure(table.measure)
    if policy.ties in ("expected", "optimistic", "pessimistic") or policy.unjudged == "removed":
        raise PolicyError(
            "Sampled documents need a fixed order of documents (ties=trec or another fixed order) and all documents of "
            "each list (not unjudged=removed)."
        )


def estimates_of_documents(
    documents: Documents, judge: Read, tables: list[RunTable], asked: Asked
) -> list[SampledEstimates]:
    """Estimates each measure from sampled documents."""
    changes = []
    measures = [table.measure for table in tables]
    for name, system in judge.systems.items():
        if system.run is None:
            raise DataError(f"{name} was passed as scores: pass the run, since its documents are needed.")
        changes.append(changes_of(documents, system.run, measures, system.scores.policy))
    found = []
    for place, measure in enumerate(measures):
        own = [each[place] for each in changes]
        made = estimated_documents(
            own,
            documents.probability,
            asked.contrasts,
            fitted=is_weighted(measure),
            weight=asked.design.judge_weight,
            confidence=asked.settings.confidence,
        )
        if numerator_of(measure) is not None:
            made = with_error(made, RELATIVE_ERROR * np.abs(made.value), asked.settings.confidence)
        found.append(without_unknown(made if is_linear(measure) else without_means(made, asked)))
    return found


def with_error(found: SampledEstimates, added: Floats, confidence: float) -> SampledEstimates:
    """Returns estimates whose standard errors include another source of error, which more judgments do not reduce.

    Args:
        found: the estimates.
        added: the standard error of this source, for each estimate.
        confidence: the confidence level of the intervals.
    """
    error = np.where(found.error > NOISE, np.hypot(found.error, added), found.error)
    half = half_width(error, found.freedom, confidence)
    return replace(found, error=error, low=found.value - half, high=found.value + half)


def without_means(found: SampledEstimates, asked: Asked) -> SampledEstimates:
    """Returns estimates without intervals for means, whose coverage is only right if the measure is a sum."""
    return without_errors(found, np.asarray(np.abs(asked.contrasts.sum(axis=1)) > NOISE))
