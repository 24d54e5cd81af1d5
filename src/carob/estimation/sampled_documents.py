"""Means estimated from single documents that people judged, drawn with known probabilities, and a judge's grades.

The estimator is the difference estimator of survey sampling (Särndal, Swensson and Wretman, *Model Assisted Survey
Sampling*, 1992, chapter 6). The value of a query is computed with people's grades where they exist, and with the
judge's grades elsewhere. Each document that people judged then also stands for the 1/π − 1 others like it that they did
not judge: the change in the value when people's grade replaces the judge's is added that many times.
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
    """The values of one run by one measure.

    Args:
        mean: the mean with people's grades where they exist, and the judge's elsewhere.
        judge: the mean with the judge's grades alone.
        people: what each sampled document with people's grade adds to the mean, compared with a grade of 0 [sample].
        change: by how much the mean changes if people's grade replaces the judge's, for each sampled document [sample].
    """

    mean: float
    judge: float
    people: Floats
    change: Floats


def changes_of(documents: Documents, run: Run, measures: Sequence[Measure], policy: Policy) -> list[Changes]:
    """Returns the values of a run by each measure, and how each judgment of people changes them.

    The value by which a measure such as nDCG is divided stays the same: the expected value of the ideal ranking.
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
    """Returns rows with grades in place of the documents' numbers.

    Args:
        numbered: rows whose grades are the numbers of documents.
        grades: the grade of each document.
        changed: for each list, the number of a document with another grade.
        other: these grades.
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
    """Estimated means of several series, which are runs or differences of runs. Each array is [series].

    Args:
        judge: the mean with the judge's grades alone.
        weight: λ, the weight of the judge's grades.
        probability: the probability of each document that was drawn at random [drawn].
        residuals: what remains of each of these documents in each series once the judge's grade is known
            [drawn, series].
        certain: the number of documents that people judged for certain.
    """

    judge: Floats
    weight: float
    probability: Floats
    residuals: Floats
    certain: int

    def needed(self, width: Floats, confidence: float) -> Floats:
        """Returns how many documents people must judge for intervals of at most these widths.

        The probabilities of a sample of another size are those of this one times a common factor, but at most 1, as
        ``carob next`` draws them. Each drawn document stands for 1/π documents, so that the sample also shows how many
        there are: the error vanishes once all of them are judged. The number is NaN for series without an error, and
        for samples so small that they do not show how documents vary.

        Args:
            width: the width of each interval, from end to end [series].
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
"""The number of times that the range of a sample's size is halved."""


def spread_at(factor: Floats, probability: Floats, residuals: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the variance of estimates if the probabilities were multiplied, by Hájek's formula.

    Args:
        factor: by how much they are multiplied, for each series; none becomes larger than 1 [series].
        probability: the probability of each drawn document [drawn].
        residuals: their residuals [drawn, series].

    Returns:
        The variance, up to a constant; the expected number of documents drawn with a probability below 1; and of all.
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
    """Estimates means from judgments of sampled documents.

    For a linear measure with a fixed λ, the estimate is unbiased. λ is fitted to all runs and all pairs of runs
    together. For measures such as nDCG, the ideal value of each query is the expected one, and counts as fixed. For
    other measures λ is 1, and the estimate is a linear approximation.
    The variance is that of Hájek (1964) for a sample of fixed size with unequal probabilities.

    Args:
        runs: the values of each run.
        probability: the probability of each sampled document.
        contrasts: the weights of the runs in each series [series, runs].
        fitted: whether λ is ``weight`` or fitted; otherwise it is 1.
        weight: λ; None fits it.
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
