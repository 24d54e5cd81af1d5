"""Estimates how much of a comparison's variance is due to assessors, from a second assessor of the same documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.findings import AssessedMeasure, AssessedSeries, Assessors
from carob.evaluation.evidence import Evidence, ranges_apart, tables_of
from carob.inputs.qrels import Qrels, graded
from carob.output.errors import DataError, PolicyError
from carob.statistics.assessors import assessor_noise
from carob.statistics.estimates import NOISE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from carob.comparison.findings import Contest, Settings
    from carob.evaluation.evidence import Read
    from carob.inputs.qrels import QrelsLike
    from carob.lists.rows import Floats
    from carob.measures import Measure
    from carob.statistics.assessors import AssessorNoise


@dataclass(frozen=True, eq=False)
class JudgedTwice:
    """The runs' per-query values for the queries that two assessors judged.

    Args:
        name: the name of the second assessor's judgments.
        values: for each measure, the values under the first and under the second assessor's grades, without the queries
            for which a run has no value [queries, runs].
        documents: the number of documents that the first assessor judged for the queries that both judged.
        shared: the number of these documents that the second assessor also judged.
        equal: the number of shared documents to which both assessors gave the same grade.
        unused: the measures whose noise is not estimated, because they are not plain means over queries.
        ranges: the ranges of the two assessors' grades if the assessors seem to use different scales, otherwise None.
    """

    name: str
    values: Mapping[str, tuple[Floats, Floats]]
    documents: int
    shared: int
    equal: int
    unused: tuple[str, ...]
    ranges: tuple[str, str] | None

    def noise_of(self, label: str, contrasts: Floats) -> AssessorNoise | None:
        """Returns the assessors' noise in each series, or None if the noise of the measure is not estimated.

        Args:
            label: the measure.
            contrasts: the weights of the runs in each series [series, runs].
        """
        if label not in self.values:
            return None
        first, second = self.values[label]
        return assessor_noise(first @ contrasts.T, second @ contrasts.T)


def judged_twice(second: QrelsLike, evidence: Evidence, read: Read) -> JudgedTwice:
    """Scores the runs with the second assessor's grades.

    Only the grades differ, because the judged documents are always the first assessor's: a document that the second
    assessor did not judge keeps its first grade, and documents that only the second assessor judged are left out.

    Args:
        second: the second assessor's judgments of some of the same documents.
        evidence: the runs and the conventions.
        read: the runs under the first assessor's judgments.

    Raises:
        DataError: scores were given instead of judgments, the assessors have no document in common, or the primary
            measure is not a plain mean.
        PolicyError: the judged documents are a sample, or the queries have weights.
    """
    runs = {name: each.run for name, each in read.systems.items() if each.run is not None}
    if read.qrels is None or len(runs) < len(read.systems):
        raise DataError(
            "A second assessor can only be compared with judgments and runs, but scores were passed: pass qrels and "
            "runs."
        )
    if read.sample is not None or evidence.weights is not None:
        raise PolicyError(
            "The noise of assessors can only be estimated from fully judged queries of equal weight: leave out either "
            "the second assessor, or the sample or weights."
        )
    ids, tables = tables_of(read.scores)
    known = [table for table in tables if is_plain(table.measure)]
    if not known or known[0] is not tables[0]:
        raise DataError(
            f"{tables[0].label} is not a plain mean over queries, so its noise of assessors cannot be estimated. "
            "Choose another primary measure, such as nDCG@10."
        )
    other = Qrels.of(second, read.scores[0].policy).known
    qrels, counts = regraded(read.qrels, other)
    again = Evidence(qrels, runs, None, evidence.policy, evidence.profile)
    scores = again.read([table.measure for table in known], least=1).scores
    its_ids, its_tables = tables_of(scores)
    place = {query: row for row, query in enumerate(ids.texts)}
    rows = np.array([place[query] for query in its_ids.texts if query in place], np.int64)
    own = np.array([query in place for query in its_ids.texts], np.bool_)
    theirs = {its.measure: its.values[own] for its in its_tables}  # a measure may have several labels
    values = {table.label: both_known(table.values[rows], theirs[table.measure]) for table in known}
    unused = tuple(table.label for table in tables if table.label not in values)
    return JudgedTwice(other.name, values, *counts, unused, ranges_apart(read.qrels, other))


def is_plain(measure: Measure) -> bool:
    """Returns whether a measure is a plain mean of values, each of which depends on the judgments of a single query."""
    definition = measure.definition
    return definition.aggregate == "mean" and not definition.groups and not measure.micro


def both_known(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Returns the values of the queries for which every run has a value under both assessors' grades.

    Raises:
        DataError: no query has a value for every run under both assessors' grades.
    """
    kept = ~np.isnan(first + second).any(axis=1)
    if not kept.any():
        raise DataError(
            "No query that both assessors judged has a value: let the second assessor judge more of the documents."
        )
    return first[kept], second[kept]


def regraded(first: Qrels, second: Qrels) -> tuple[Qrels, tuple[int, int, int]]:
    """Returns the first assessor's judgments of the shared queries, with the second assessor's grades where they exist.

    Args:
        first: the first assessor's judgments.
        second: the second assessor's judgments.

    Returns:
        The judgments, and three numbers of documents: those that the first assessor judged, those that both judged, and
        those with equal grades.

    Raises:
        DataError: the assessors have no document in common.
    """
    other = graded(second)
    own = graded(first, other.keys())
    common = {query: both for query, its in own.items() if (both := its.keys() & other[query].keys())}
    if not common:
        raise DataError(
            f"{first.name} and {second.name} have no document in common: check that both use the same ids."
        )
    rows = [
        (query, document, other[query][document] if document in common[query] else grade)
        for query, document, grade in first.rows()
        if query in common
    ]
    equal = sum(own[query][each] == other[query][each] for query, both in common.items() for each in both)
    counts = sum(len(own[query]) for query in common), sum(map(len, common.values())), equal
    ids, documents, grades = map(list, zip(*rows, strict=True))
    judgments = _native.judgments_from_rows(ids, documents, np.array(grades))
    return Qrels(second.name, judgments, second.origin), counts


def assessors_of(
    twice: JudgedTwice, contests: Mapping[str, Contest], contrasts: Floats, settings: Settings, *, judge: bool
) -> Assessors:
    """Returns the assessors' noise in a comparison.

    Args:
        twice: the runs' values for the queries that two assessors judged.
        contests: the results of each measure.
        contrasts: the weights of the runs in each series: one series per run, one per pair, and the mean of the runs
            [series, runs].
        settings: the settings of the test, which contain its level and the confidence of the intervals.
        judge: whether means are estimated with a judge, in which case their intervals already allow for other
            assessors.
    """
    runs, pairs = slice(contrasts.shape[1]), slice(contrasts.shape[1], -1)
    confidence, measures = settings.confidence, {}
    joint = 1 - settings.alpha / max(len(contrasts[pairs]), 1)
    for label in twice.values:
        noise = twice.noise_of(label, contrasts)
        assert noise is not None
        values = contests[label].values
        values = values[~np.isnan(values).any(axis=1)] @ contrasts.T
        spread = values.var(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan)
        shift_half = noise.shift_half_width(confidence)
        half = np.full(len(spread), np.nan) if judge else noise.half_width(len(values), confidence)
        each = AssessedSeries(
            np.sqrt(noise.variance),
            noise.share(spread),
            noise.shift,
            noise.shift - shift_half,
            noise.shift + shift_half,
            half,
        )
        sure = np.abs(noise.shift) > noise.shift_half_width(joint) + NOISE
        shifted = tuple(np.flatnonzero(sure[pairs]).tolist())
        measures[label] = AssessedMeasure(noise.queries, each.part(runs), each.part(pairs), shifted)
    counts = twice.documents, twice.shared, twice.equal
    return Assessors(twice.name, *counts, twice.unused, measures, twice.ranges)
