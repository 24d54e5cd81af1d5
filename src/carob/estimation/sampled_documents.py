"""Estimates means from a judge's grades and from people's grades of documents drawn with known probabilities.

The estimator is the difference estimator of survey sampling (Särndal, Swensson and Wretman, *Model Assisted Survey
Sampling*, 1992, chapter 6). The value of a query is computed with people's grades where they exist, and with the
judge's grades elsewhere. Each document that people judged also represents the 1/π − 1 similar documents that they did
not judge, so the change in the value that results from replacing the judge's grade by people's is added that many
times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.estimation.expected_ideal import scales_of
from carob.estimation.people_and_judge import pooling
from carob.estimation.sums import numerator_of
from carob.evaluation.values import values_of
from carob.lists.rows import JudgedRows, joined
from carob.matching.match import finished, match
from carob.statistics.estimates import NOISE, Estimates, half_width, t_quantile
from carob.statistics.sample_size import FEWEST_JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.conventions.policy import Policy
    from carob.estimation.numbered_documents import Documents
    from carob.inputs.run import Run
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure


@dataclass(frozen=True, eq=False)
class Changes:
    """The values of one run under one measure.

    Args:
        mean: the mean value with people's grades where they exist, and with the judge's grades elsewhere.
        judge: the mean with the judge's grades alone.
        people: for each sampled document, the mean with people's grade minus the mean with grade 0 [sample].
        change: for each sampled document, the mean with people's grade minus the mean with the judge's grade [sample].
    """

    mean: float
    judge: float
    people: Floats
    change: Floats


def changes_of(documents: Documents, run: Run, measures: Sequence[Measure], policy: Policy) -> list[Changes]:
    """Returns the values of a run under each measure, and how each of people's judgments changes them.

    The divisor of a measure such as nDCG, which is the expected value of the ideal ranking, remains the same.
    """
    found = match(documents.qrels, run, policy)
    numbered = found.whole
    place = np.full(len(documents.people), -1)
    place[numbered.judged_grades.astype(np.int64)] = numbered.list_of_judgment
    lists, sampled = place[documents.sampled], documents.sampled
    repeated = joined([numbered], lists)
    people, judge = (with_grades(numbered, each) for each in (documents.people, documents.judge))
    own = joined([people], lists)
    without, judged = (
        with_grades(repeated, documents.people, sampled, other)
        for other in (np.zeros(len(sampled)), documents.judge[sampled])
    )
    divided = [numerator_of(each) is not None for each in measures]
    tables = [people, judge, own, without, judged]
    stops = np.cumsum([len(each.length) for each in tables])
    values = np.empty((stops[-1], len(measures)))
    for fixed in {*divided}:
        those = np.flatnonzero(np.equal(divided, fixed)).tolist()
        pool = own.judged_grades
        its = [replace(each, judged_grades=pool) for each in tables[3:]] if fixed else tables[3:]
        rows = joined([*tables[:3], *its], np.arange(stops[-1]))
        values[:, those] = values_of(finished(rows, policy), [measures[each] for each in those])
    scales = scales_of(documents, numbered, measures, policy)
    by_people, by_judge, own_values, *others = np.split(values, stops[:-1])
    mean, of_judge = (scales * by_people).mean(axis=0), by_judge.mean(axis=0)
    added, changed = (scales[lists] * (own_values - each) / documents.queries for each in others)
    return [
        Changes(float(mean[column]), float(of_judge[column]), added[:, column], changed[:, column])
        for column in range(len(measures))
    ]


def with_grades(
    numbered: JudgedRows, grades: Floats, changed: Integers | None = None, other: Floats | None = None
) -> JudgedRows:
    """Returns the rows with documents' numbers replaced by grades.

    Args:
        numbered: rows in which the number of each document replaces its grade.
        grades: the grade of each document.
        changed: for each list, the number of one document that has a different grade in this list.
        other: for each list, the grade of this document.
    """
    rows, pool = numbered.grade.astype(np.int64), numbered.judged_grades.astype(np.int64)
    row_grades = np.where(rows >= 0, grades[np.maximum(rows, 0)], numbered.grade)
    pool_grades = grades[pool]
    if changed is not None and other is not None:
        for numbers, those, owner in (
            (rows, row_grades, numbered.list_of_row),
            (pool, pool_grades, numbered.list_of_judgment),
        ):
            here = numbers == changed[owner]
            those[here] = other[owner[here]]
    return replace(numbered, grade=row_grades, judged_grades=pool_grades)


@dataclass(frozen=True, eq=False)
class SampledEstimates(Estimates):
    """Estimated means for several series, which are runs or differences between runs. Each array is [series].

    Args:
        judge: the mean with the judge's grades alone.
        weight: λ, the weight of the judge's grades.
        probability: the probability of each document that was drawn with a probability below 1 [drawn].
        residuals: each of these documents' contribution to each series minus the contribution predicted from the
            judge's grade [drawn, series].
        certain: the number of documents that were drawn with probability 1.
    """

    judge: Floats
    weight: float
    probability: Floats
    residuals: Floats
    certain: int

    def needed(self, width: Floats, confidence: float) -> Floats:
        """Returns how many documents people must judge for intervals of at most the given widths.

        The probabilities of a sample of another size are the present probabilities times a common factor, but at most
        1, as in samples drawn by ``carob next``. Each drawn document represents 1/π documents, so the sample also shows
        how many documents there are in total, and the error is 0 if all of them are judged. The result is NaN for
        series without a standard error, and for samples that are too small to show how documents vary.

        Args:
            width: the full width of each interval [series].
            confidence: the confidence level.
        """
        size, pi = len(self.probability), self.probability
        if size < FEWEST_JUDGED:
            return np.full(len(self.value), np.nan)
        lost = size - self.freedom
        now = spread_at(np.ones(len(self.value)), pi, self.residuals)[0]
        low, high = np.zeros(len(width)), np.full(len(width), 1 / pi.min())
        with np.errstate(divide="ignore", invalid="ignore"):
            for _ in range(STEPS):
                middle = (low + high) / 2
                spread, drawn, count = spread_at(middle, pi, self.residuals)
                error = self.error * np.sqrt(spread / now)
                half = t_quantile(confidence, np.maximum(drawn - lost, 1)) * np.where(error > 0, error, 0.0)
                enough = (2 * half <= width) & (count >= FEWEST_JUDGED)
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        needed = self.certain + spread_at(high, pi, self.residuals)[2]
        return np.where(np.isfinite(self.error) & (width > 0), np.ceil(needed - 0.01), np.nan)


STEPS = 30
"""The number of bisection steps for the size of a sample."""


def spread_at(factor: Floats, probability: Floats, residuals: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns, by Hájek's formula, the variance of the estimates if the probabilities were multiplied by a factor.

    Args:
        factor: the factor for each series; products are limited to 1 [series].
        probability: the probability of each drawn document [drawn].
        residuals: the residuals of the drawn documents [drawn, series].

    Returns:
        The variance up to a constant, the expected number of documents drawn with a probability below 1, and the
        expected number of all drawn documents.
    """
    pi = np.minimum(probability[:, None] * factor, 1.0)
    each = pi / probability[:, None]
    share = each * (1 - pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = residuals / pi
        centre = (share * values).sum(axis=0) / np.maximum(share.sum(axis=0), NOISE)
        spread = (share * (values - centre) ** 2).sum(axis=0)
    return spread, np.where(pi < 1, each, 0.0).sum(axis=0), each.sum(axis=0)


def estimated_documents(
    runs: Sequence[Changes],
    probability: Floats,
    contrasts: Floats,
    *,
    fitted: bool,
    weight: float | None = None,
    confidence: float = 0.95,
) -> SampledEstimates:
    """Estimates means from people's judgments of sampled documents and a judge's grades.

    For a linear measure with a given λ, the estimate is unbiased. A fitted λ is fitted to all runs and all pairs of
    runs together. For measures such as nDCG, each query is divided by its expected ideal value, which is treated as
    fixed. For other measures, λ is 1, and the estimate is a linear approximation. The variance is Hájek's (1964) for a
    sample of fixed size with unequal probabilities.

    Args:
        runs: the values of each run.
        probability: the probability of each sampled document.
        contrasts: the weights of the runs in each series [series, runs].
        fitted: whether λ is ``weight`` or, if that is None, fitted. Otherwise, λ is 1.
        weight: λ; None to fit it.
        confidence: the confidence level of the intervals.
    """
    drawn = probability < 1
    size = int(drawn.sum())
    pi = probability[drawn]
    change = np.stack([each.change[drawn] for each in runs], axis=1) / pi[:, None]
    people = np.stack([each.people[drawn] for each in runs], axis=1) / pi[:, None]
    judged = people - change
    share = (1 - pi) * size / max(size - 1, 1)
    root = np.sqrt(share)[:, None]

    def centred(values: Floats) -> Floats:
        return np.asarray(root * (values - (share[:, None] * values).sum(axis=0) / max(share.sum(), NOISE)))

    lost = 1 if fitted and weight is None else 0
    if not fitted:
        weight = 1.0
    elif weight is None:
        pool = pooling(len(runs))
        fixed = centred(judged)
        total = float((pool * (fixed.T @ fixed)).sum())
        shared = float((pool * (fixed.T @ centred(people))).sum())
        weight = max(shared / total, 0.0) if total > NOISE**2 and size > 2 else 0.0
    residual = centred(people - weight * judged)
    squared = np.einsum("sr,sr->s", contrasts @ (residual.T @ residual), contrasts)
    represented = ((1 - pi)[:, None] * (people - weight * judged)).sum(axis=0)
    with_judge = np.array([each.mean for each in runs])
    alone = np.array([each.people.sum() for each in runs])
    value = contrasts @ (weight * with_judge + (1 - weight) * alone + represented)
    error = np.sqrt(np.maximum(squared, 0.0) * (max(size - 1, 1) / max(size - 1 - lost, 1)))
    freedom = np.full(len(value), float(size - 1 - lost))
    judge = contrasts @ np.array([each.judge for each in runs])
    half = half_width(error, freedom, confidence)
    return SampledEstimates(
        value,
        value - half,
        value + half,
        error,
        freedom,
        judge,
        weight,
        pi,
        (pi[:, None] * (people - weight * judged)) @ contrasts.T,
        len(drawn) - size,
        unit="documents",
    )
