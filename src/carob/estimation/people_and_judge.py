"""Estimates means over many queries from a judge's values for all queries and people's values for a sample of them.

The estimator is the regression estimator of survey sampling (Cochran, *Sampling Techniques*, 1977, chapter 7), which is
also called prediction-powered inference (Angelopoulos et al., Science 2023): λ times the judge's mean over all queries,
plus the mean over the sample of people's value minus λ times the judge's value. The same λ is used for all runs and all
pairs of runs, so the estimated difference between two runs is the difference between their estimated means.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.output.errors import DataError
from carob.statistics.estimates import NOISE, Estimates, half_width, t_quantile
from carob.statistics.sample_size import FEWEST_JUDGED
from carob.statistics.skewness import wider_for_skewness
from carob.statistics.worst_point import BoundedValues, worst_point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from carob.lists.rows import Floats, Integers
    from carob.statistics.assessors import AssessorNoise

LEAST_FREEDOM = 2
"""With fewer degrees of freedom than this, λ is 0, so only people's values are used."""

FEWEST_CLEAN = 8
"""If people judged fewer queries on which the judge was not tuned, only people's values are used."""

FEWEST_BIASES = 3
"""With fewer queries than this, the judge's bias has no interval, because two values may be equal by chance."""

TYPICAL = 8
"""The weight, as a number of queries, of the typical variance of all pairs when the variance of a pair is estimated.

The difference between two similar runs may be due to one query in fifty, which a small sample may not contain. For AP
of 24 runs (TREC Deep Learning 2021, ``python -m bench.coverage``) and samples of 12 to 30 queries judged by people
alone, the interval of one pair covered the true difference in only 67% of samples. With the typical variance, coverage
is at least 86% for every pair, and with a judge and ``unlike_sampled`` it is at least 85%. Intervals are wider by a
tenth with 8 queries, and by a thirtieth with 30.
"""

FEWEST_PAIRS = 10
"""With fewer pairs of runs than this, no variance is typical, so each pair has its own variance."""

MOST_UNLIKE = 3.0
"""The maximum increase in the variance on queries that people did not judge, as a multiple of that on other queries."""

MOST_SEARCHED = 10_000_000
"""The maximum number of judged queries that ``JudgedEstimates.needed`` considers."""


@dataclass(frozen=True, eq=False)
class JudgedEstimates(Estimates):
    """Estimated means for several series, which are runs or differences between runs. Each array is [series].

    Args:
        people: the mean of people's values over the sample.
        judge: the mean of the judge's values over all queries.
        weight: λ, the weight of the judge's values.
        sample: the number of queries that people judged.
        queries: the number of queries that the judge judged.
        unaided: the variance between queries of people's values.
        aided: the variance between queries that remains when the judge's values are known.
        lasting: the part of the squared standard error that additional judgments by people cannot reduce.
        apart: the judge's mean over the sample minus the judge's mean over all queries, in standard errors.
        noise: the part of the squared standard error that is due to the assessors; 0 if unknown.
        borrowed: the part of the squared standard error that comes from the typical variance of other pairs.
        pairs: whether a series is a difference of two runs.
        unlike: the part of the squared standard error that is added if the judge's values vary more on the queries that
            people did not judge.
    """

    people: Floats
    judge: Floats
    weight: float
    sample: int
    queries: int
    unaided: Floats
    aided: Floats
    lasting: Floats
    apart: Floats
    borrowed: Floats
    pairs: NDArray[np.bool_]
    unlike: Floats
    noise: Floats | float = 0.0

    @property
    def worth(self) -> Floats:
        """The number of queries that people would have to judge without the judge for the same standard error."""
        with np.errstate(divide="ignore", invalid="ignore"):
            # Without the judge, the noise and the borrowed part of the error would be the same.
            per_query = (self.error**2 - self.noise - self.borrowed) / self.unaided
            lasting = 0.0 if self.lasting.any() else 1 / self.queries
            return np.where(self.worst_point, float(self.sample), 1 / (per_query + lasting))

    def half_widths(self, sample: Floats | float, confidence: float) -> Floats:
        """Returns half the expected width of the intervals for a different number of queries judged by people.

        Args:
            sample: the number of queries judged by people, for each series.
            confidence: the confidence level.
        """
        size = np.asarray(sample, np.float64)
        # On average, fitting λ increases the variance by a factor of 1 + 1 / (n − 3).
        fitted = 1 + 1 / np.maximum(size - 3, 1)
        freedom = np.maximum(size - 2, 1)
        variance = np.maximum(1 / size - 1 / self.queries, 0) * self.aided * fitted + self.lasting
        # The queries that people do not judge are assumed to remain as different from the others as they are now.
        unseen = np.maximum(self.queries - size, 0) / max(self.queries - self.sample, 1)
        variance = variance + np.where(self.worst_point, 0.0, self.unlike) * unseen
        variance = no_less_than_typical(variance, freedom, self.pairs & ~self.worst_point) + self.noise
        return t_quantile(confidence, freedom) * np.sqrt(variance)

    def needed(self, width: float, confidence: float) -> Floats:
        """Returns how many queries people must judge for intervals of at most this width, or NaN if no number suffices.

        It is also NaN if people judged fewer than ``FEWEST_JUDGED`` queries, because so few do not show how queries
        vary.

        Args:
            width: the full width of the interval.
            confidence: the confidence level.
        """
        if self.sample < FEWEST_JUDGED:
            return np.full(len(self.value), np.nan)
        low = np.full(len(self.value), FEWEST_JUDGED - 1)
        high = np.full(len(self.value), float(min(self.queries, MOST_SEARCHED)))
        possible = 2 * self.half_widths(high, confidence) <= width
        while (high - low > 1).any():
            middle = np.floor((low + high) / 2)
            enough = 2 * self.half_widths(middle, confidence) <= width
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
        return np.where(possible, high, np.nan)


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """People's values for a sample of queries, and the judge's values for all queries.

    Args:
        people: people's values for the sampled queries [sample, runs].
        judge: the judge's values for all queries [queries, runs].
        rows: the index of each sampled query's row in ``judge`` [sample].
        strata: the stratum of each query, counted from 0; if None, all queries are in one stratum [queries].
        names: the names of the strata, for error messages.
        tuned: for each sampled query, whether the judge was tuned on people's judgments of it, so that the judge's
            values for it do not show how good its values for other queries are. None if the judge was not tuned on any
            of them. If not None, there must be no strata [sample].
    """

    people: Floats
    judge: Floats
    rows: Integers
    strata: Integers | None = None
    names: tuple[str, ...] = ()
    tuned: NDArray[np.bool_] | None = None

    @property
    def clean(self) -> JudgedSample:
        """The sample without the queries on which the judge was tuned."""
        if self.tuned is None:
            return self
        return replace(self, people=self.people[~self.tuned], rows=self.rows[~self.tuned], tuned=None)

    @property
    def codes(self) -> Integers:
        """The stratum of each query."""
        return np.zeros(len(self.judge), np.int64) if self.strata is None else self.strata


def estimated(
    sample: JudgedSample,
    contrasts: Floats,
    *,
    weight: float | None = None,
    similar: bool = False,
    confidence: float = 0.95,
    values: tuple[float, float] = (-math.inf, math.inf),
) -> JudgedEstimates:
    """Estimates means over all queries from a judge's values and from people's values for a random sample.

    Within each stratum, the sampled queries must be a simple random sample. λ is fitted by least squares to all runs
    and all pairs of runs together. The squared standard error includes the uncertainty of λ. For one run, it is
    ``s²((1 − n/N)/n + D²/S)``, where s² is the residual variance with n − 2 degrees of freedom, D is the difference
    between the judge's means over all queries and over the sample, and S is the sum of squares of the judge's values.
    This is exact if the residuals are normal with equal variances.

    If the judge was tuned on some of the sampled queries, people's values are used for all sampled queries, but the
    judge's values only for the other, clean queries. λ is fitted to the r clean queries, and D is replaced by the
    difference between the judge's means over the u queries that people did not judge and over the clean queries, times
    ``(1/n) / (1/u + 1/r)``. With fewer than ``FEWEST_CLEAN`` clean queries, only people's values are used.

    Args:
        sample: the values.
        contrasts: the weights of the runs in each series, such as (1, 0) for a run and (1, -1) for a difference
            [series, runs].
        weight: λ. If None, λ is fitted, with a minimum of 0. If λ is given, the estimate and the squared standard error
            are unbiased.
        similar: whether to estimate the mean over an infinite population of similar queries instead of these queries.
        confidence: the confidence level of the intervals.
        values: the range of a run's value for a query. Worst-point intervals are computed from people's values alone
            and are extended, if necessary, to contain the estimate.

    Raises:
        DataError: people judged fewer than two queries of a stratum, but not all of its queries.

    Example:
        >>> import numpy as np
        >>> judge = np.array([[0.60], [0.90], [0.35], [0.70], [0.95], [0.50], [0.75], [0.80]])
        >>> people = np.array([[0.42], [0.10], [0.65], [0.55]])
        >>> found = estimated(JudgedSample(people, judge, np.array([0, 2, 3, 6])), np.eye(1))
        >>> round(found.weight, 6), round(float(found.value[0]), 6), int(found.freedom[0])
        (1.289474, 0.550888, 2)
    """
    whole, size, queries = parts_of(sample), len(sample.people), len(sample.judge)
    left = 1 / size - 1 / queries
    mean_people = whole.share @ whole.means(sample.people, sample.codes[sample.rows])
    mean_judge = whole.share @ whole.means(sample.judge, sample.codes)
    if sample.tuned is not None and (~sample.tuned).sum() < FEWEST_CLEAN:
        sample, weight = replace(sample, tuned=None), 0.0
    honest = sample.clean
    people, sampled = honest.people, honest.judge[honest.rows]
    drawn = honest.codes[honest.rows]
    # The estimate for each run is a sum over strata. Within each stratum, values are centred.
    if sample.tuned is None:
        parts, moved, usable = whole, left, sample.judge
        shift = mean_judge - parts.share @ parts.means(sampled, drawn)
    else:
        unseen, clean = np.delete(sample.judge, sample.rows, axis=0), len(people)
        parts = replace(whole, sampled=np.array([clean]), scale=np.array([left / (clean - 1)]))
        share = (1 / size) / (1 / len(unseen) + 1 / clean) if len(unseen) else 0.0
        moved, usable = share / size, np.concatenate([sampled, unseen])
        shift = share * (unseen.mean(axis=0) - sampled.mean(axis=0)) if len(unseen) else 0.0 * mean_judge
    centred_people = people - parts.means(people, drawn)[drawn]
    centred_judge = sampled - parts.means(sampled, drawn)[drawn]
    scale = parts.scale[drawn][:, None]
    if weight is None and parts.freedom < LEAST_FREEDOM:
        weight = 0.0
    fit = Fit.of(np.sqrt(scale) * centred_people, np.sqrt(scale) * centred_judge, weight)
    residuals = centred_people - fit.weight * centred_judge
    gap = contrasts @ shift
    squared, excess = fit.residual(contrasts, parts.freedom)
    variance = squared + gap**2 * fit.variance(parts.freedom)
    own = np.stack([quadratic(contrasts, residuals[drawn == code]) for code in range(parts.strata)])
    freedom = welch(own * parts.scale[:, None], parts.sampled - 1.0) - (0 if weight is not None else 1)
    freedom = np.maximum(freedom, 0)
    spread_judge = quadratic(contrasts, centre(usable)) / max(len(usable) - 1, 1)
    unmoved = fit.weight**2 * spread_judge * (left - moved)
    if sample.tuned is not None:
        freedom = welch(np.stack([variance, unmoved]), np.stack([freedom, np.full(len(freedom), size - 1.0)]))
        variance = variance + unmoved
    pairs = np.abs(contrasts.sum(axis=1)) <= NOISE
    unlike = np.zeros(len(contrasts))
    if weight is None and fit.weight > 0 and sample.tuned is None:
        unlike = np.where(pairs, unlike_sampled(sample, contrasts, whole, own), 0.0)
        variance = variance + unlike
    finite = variance
    lasting = np.zeros(len(contrasts))
    if similar:
        residual = own / np.maximum(parts.sampled - 1, 1)[:, None]
        spread = (
            np.stack(
                [
                    quadratic(contrasts, centre(sample.judge[sample.codes == code]))
                    for code in range(parts.strata)
                ]
            )
            / np.maximum(parts.whole - 1, 1)[:, None]
            if sample.tuned is None
            else spread_judge[None]
        )
        lasting = (parts.share**2 / parts.whole) @ (residual + fit.weight**2 * spread)
        variance = variance + lasting
        freedom = welch(
            np.stack([finite, lasting]), np.stack([freedom, np.full(len(freedom), len(sample.judge) - 1.0)])
        )
    alone = quadratic(contrasts, np.sqrt(scale) * centred_people)
    plain = quadratic(contrasts, centre(sample.people)) / max(size - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(spread_judge * moved > NOISE, -gap / np.sqrt(spread_judge * moved), 0.0)
    borrowed = no_less_than_typical(variance, freedom, pairs) - variance
    value, error = contrasts @ (mean_people + fit.weight * shift), np.sqrt(variance + borrowed)
    half = half_width(error, freedom, confidence)
    found = JudgedEstimates(
        value,
        value - half,
        value + half,
        error,
        freedom,
        people=contrasts @ mean_people,
        judge=contrasts @ mean_judge,
        weight=fit.weight,
        sample=size,
        queries=queries,
        unaided=alone / left if left else plain,
        aided=(squared + unmoved) / left if left else excess * plain,
        lasting=lasting,
        apart=apart,
        borrowed=borrowed,
        pairs=pairs,
        unlike=unlike,
    )
    least, greatest = ends_of(contrasts, values)
    judged = BoundedValues(
        sample.people @ contrasts.T,
        least,
        greatest,
        pairs,
        (whole.share / np.maximum(whole.sampled, 1))[sample.codes[sample.rows]],
        math.inf if similar else queries - size,
    )
    found = around_values(worst_point(found, judged, confidence), least, greatest, confidence)
    shares = (parts.share / np.maximum(parts.sampled, 1))[drawn]
    return wider_for_skewness(found, replace(judged, shares=shares), confidence, residuals @ contrasts.T)


def with_noise(
    found: JudgedEstimates, noise: AssessorNoise, confidence: float, ends: tuple[Floats, Floats]
) -> JudgedEstimates:
    """Returns estimates of means over these queries whose standard errors include the noise of human assessors.

    The sampling error is the error relative to the mean of one judgment per query. The distance of this mean from the
    mean over all assessors does not depend on which queries were sampled, so the two variances are added. The errors of
    an estimate for similar queries already include this noise, because it is part of the variation of people's values
    between queries. Worst-point intervals are not changed.

    Args:
        found: the estimates.
        noise: the noise of each series.
        confidence: the confidence level of the intervals.
        ends: the lowest and the highest possible value of each series.
    """
    added = np.where(found.worst_point, 0.0, noise.variance / found.queries)
    freedom = welch(
        np.stack([found.error**2, added]),
        np.stack([found.freedom, np.full(len(added), float(noise.queries))]),
    )
    error = np.sqrt(found.error**2 + added)
    half = half_width(error, freedom, confidence)
    known = half_width(found.error, found.freedom, confidence)
    longer = half / np.where(known > 0, known, 1.0)
    low, high = (
        np.where(
            found.worst_point,
            end,
            found.value + np.where(known > 0, (end - found.value) * longer, sign * half),
        )
        for end, sign in ((found.low, -1), (found.high, 1))
    )
    # An estimate from people's and the judge's values can itself be outside the range.
    low, high = (
        np.maximum(low, np.minimum(ends[0], found.value)),
        np.minimum(high, np.maximum(ends[1], found.value)),
    )
    return replace(found, low=low, high=high, error=error, freedom=freedom, noise=added)


def ends_of(contrasts: Floats, values: tuple[float, float]) -> tuple[Floats, Floats]:
    """Returns the lowest and the highest possible value of each series.

    Args:
        contrasts: the weights of the runs in each series [series, runs].
        values: the range of a run's value for a query.
    """
    low, high = (np.where(contrasts == 0, 0.0, end) for end in values)
    ends = contrasts * low, contrasts * high
    return np.minimum(*ends).sum(axis=1), np.maximum(*ends).sum(axis=1)


def around_values(
    found: JudgedEstimates, least: Floats, greatest: Floats, confidence: float
) -> JudgedEstimates:
    """Extends worst-point intervals, which are computed from people's values alone, so that they contain the estimate.

    The estimate is still computed from people's and the judge's values, as it is for other series. Otherwise, runs
    would be ordered by two kinds of estimates, and the difference between two runs would not be the difference between
    their means. Widening an interval does not reduce its coverage. If an interval contains 0 only because it was
    extended, p is set to 1.

    Args:
        found: the estimates.
        least: the smallest possible value of each series.
        greatest: the largest possible value of each series.
        confidence: the confidence level.
    """
    left = 1 / found.sample - 1 / found.queries
    if found.worst_p is None or not (found.worst_point.any() and left):
        return found
    value = np.where(found.worst_point, np.clip(found.value, least, greatest), found.value)
    low, high = np.minimum(found.low, value), np.maximum(found.high, value)
    within = (low <= 0) & (high >= 0) & (found.worst_p <= 1 - confidence)
    return replace(
        found,
        value=value,
        low=np.where(found.worst_point, low, found.low),
        high=np.where(found.worst_point, high, found.high),
        worst_p=np.where(within, 1.0, found.worst_p),
        aided=np.where(found.worst_point, np.maximum(found.error**2 - found.lasting, 0) / left, found.aided),
    )


def no_less_than_typical(variance: Floats, freedom: Floats, pairs: NDArray[np.bool_]) -> Floats:
    """Returns the variances, in which small variances of pairs are shrunk upwards to the typical variance of pairs.

    This is the moderated variance of Smyth (Statistical Applications in Genetics and Molecular Biology 2004), with the
    median variance of all pairs that differ and with a fixed weight. It is never smaller than the pair's own variance.

    Args:
        variance: the variance of each series.
        freedom: the degrees of freedom of each variance.
        pairs: whether a series is a difference of two runs.
    """
    vary = pairs & (variance > NOISE**2)
    if vary.sum() < FEWEST_PAIRS:
        return variance
    typical = np.median(variance[vary])
    drawn = (TYPICAL * typical + freedom * variance) / (TYPICAL + freedom)
    return np.where(vary, np.maximum(drawn, variance), variance)


def unlike_sampled(sample: JudgedSample, contrasts: Floats, parts: Strata, own: Floats) -> Floats:
    """Returns the variance to add if the judge's values vary more on the queries that people did not judge.

    The squared residuals of these queries are assumed to be proportional to the squared deviations of the judge's
    values from their mean, as in the ratio estimator of a variance (Isaki, JASA 1983). If the sample does not contain
    the query on which two runs differ most according to the judge, it does not show how far the judge errs on this
    query. If the judge's values vary less on these queries, nothing is added.

    Args:
        sample: the values.
        contrasts: the weights of the runs in each series [series, runs].
        parts: the strata of the sample.
        own: the sum of squared residuals in each stratum [strata, series].
    """
    added = np.zeros(len(contrasts))
    judged = np.zeros(len(sample.judge), np.bool_)
    judged[sample.rows] = True
    for code, (share, whole, sampled) in enumerate(zip(parts.share, parts.whole, parts.sampled, strict=True)):
        if 1 < sampled < whole:
            its = sample.codes == code
            values = sample.judge - sample.judge[its].mean(axis=0)
            seen, unseen = (quadratic(contrasts, values[its & rows]) for rows in (judged, ~judged))
            seen, unseen = seen / sampled, unseen / (whole - sampled)
            there = seen > NOISE**2
            ratio = np.where(there, unseen / np.where(there, seen, 1.0), 1.0)
            residual = own[code] / (sampled - 1)
            added += share**2 * (whole - sampled) / whole**2 * residual * np.clip(ratio - 1, 0, MOST_UNLIKE)
    return added


def centre(values: Floats) -> Floats:
    """Returns the values minus the mean of their column."""
    return values - values.mean(axis=0) if len(values) else values


def quadratic(contrasts: Floats, values: Floats) -> Floats:
    """Returns the sum of squares of each series [series], given the values of the runs [queries, runs]."""
    return np.asarray(np.einsum("sr,sr->s", contrasts @ (values.T @ values), contrasts))


def welch(variances: Floats, freedom: Any) -> Floats:
    """Returns the degrees of freedom of a sum of variances (Welch, 1947; Satterthwaite, 1946).

    Args:
        variances: the variances [parts, series].
        freedom: the degrees of freedom of the variances [parts] or [parts, series].
    """
    each = np.broadcast_to(freedom if freedom.ndim == 2 else freedom[:, None], variances.shape)
    total = variances.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = total**2 / np.where(variances > 0, variances**2 / np.maximum(each, NOISE), 0.0).sum(axis=0)
    return np.asarray(np.where(total > 0, found, each.sum(axis=0)))


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a sample of queries. Each array is [strata].

    Args:
        share: the share of all queries that are in each stratum.
        whole: the number of queries in each stratum.
        sampled: the number of queries that people judged in each stratum.
        scale: the amount that a squared residual of 1 adds to the variance of the mean.
    """

    share: Floats
    whole: Integers
    sampled: Integers
    scale: Floats

    @property
    def strata(self) -> int:
        """The number of strata."""
        return len(self.share)

    @property
    def freedom(self) -> int:
        """The degrees of freedom of residuals around the mean of each stratum."""
        return int(self.sampled.sum() - self.strata)

    def means(self, values: Floats, codes: Integers) -> Floats:
        """Returns the mean of the values in each stratum [strata, runs]."""
        counts = np.bincount(codes, minlength=self.strata)[:, None]
        if self.strata == 1:
            return np.asarray(values.sum(axis=0)[None] / counts)
        sums = np.zeros((self.strata, values.shape[1]))
        np.add.at(sums, codes, values)
        return np.asarray(sums / counts)


def parts_of(sample: JudgedSample) -> Strata:
    """Returns the strata of a sample.

    Raises:
        DataError: people judged too few queries of a stratum.
    """
    codes = sample.codes
    whole = np.bincount(codes)
    sampled = np.bincount(codes[sample.rows], minlength=len(whole))
    few = np.flatnonzero((sampled < 2) & (sampled < whole))
    if len(few):
        place = int(few[0])
        name = f"the stratum '{sample.names[place]}'" if sample.names else "the judge's queries"
        raise DataError(
            f"People judged {sampled[place]} of {whole[place]} queries in {name}: a standard error needs at least two. "
            "Let people judge more of these queries."
        )
    share = whole / whole.sum()
    scale = share**2 * (1 - sampled / whole) / (sampled * np.maximum(sampled - 1, 1))
    return Strata(share, whole, sampled, scale)


@dataclass(frozen=True, eq=False)
class Fit:
    """The regression of people's values on the judge's values, with one slope λ for all runs and all pairs of runs.

    Args:
        weight: λ.
        people: the sums of products of the residuals [runs, runs].
        judge: the sums of products of the judge's values [runs, runs].
        total: the sum of squares of the judge's values over all runs and all pairs; 0 if λ was not fitted.
    """

    weight: float
    people: Floats
    judge: Floats
    total: float

    @classmethod
    def of(cls, people: Floats, judge: Floats, weight: float | None) -> Fit:
        """Fits λ if it is not given.

        The sum of products of differences over all pairs of runs is the number of runs times the sum over runs of
        products of values, from which the mean over runs has been subtracted.

        Args:
            people: people's values, centred and scaled [sample, runs].
            judge: the judge's values, centred and scaled [sample, runs].
            weight: λ, or None to fit it.
        """
        runs = people.shape[1]
        pool = pooling(runs)
        products = judge.T @ people
        squares = judge.T @ judge
        total = float((pool * squares).sum())
        fitted = weight is None and total > NOISE**2
        if weight is None:
            weight = max(float((pool * products).sum()) / total, 0.0) if fitted else 0.0
        residuals = people - weight * judge
        return cls(weight, residuals.T @ residuals, squares, total if fitted and weight > 0 else 0.0)

    def residual(self, contrasts: Floats, freedom: int) -> tuple[Floats, Floats]:
        """Returns each series' scaled sum of squared residuals, corrected for the fit of λ, and the correction factor.

        Fitting λ costs a series w degrees of freedom: 1 if there is a single run, and less if many runs share λ. The
        expected sum of squares of series p is σ²(freedom − w). With the products of residuals G, the products of the
        judge's values C, and the sum of squares S in ``total``, ``w = (2 Σ C_pq G_pq / S − C_pp Σ C G / S²) / G_pp``.
        """
        own = np.einsum("sr,sr->s", contrasts @ self.people, contrasts)
        factor = np.ones(len(own))
        if self.total and freedom > 1:
            pool = pooling(len(self.people))
            mixed = np.einsum("sr,rt,st->s", contrasts @ self.people, pool, contrasts @ self.judge)
            judge = np.einsum("sr,sr->s", contrasts @ self.judge, contrasts)
            with np.errstate(divide="ignore", invalid="ignore"):
                lost = (2 * mixed / self.total - judge * self.products / self.total**2) / own
            lost = np.clip(np.where(own > NOISE**2, lost, 0.0), 0.0, 1.0)
            factor = freedom / (freedom - lost)
        return np.maximum(own, 0.0) * factor, factor

    @property
    def products(self) -> float:
        """The sum, over all pairs of series, of the product of residuals times the product of the judge's values."""
        pool = pooling(len(self.people))
        return float(np.einsum("ab,bc,cd,da->", pool, self.people, pool, self.judge))

    def variance(self, freedom: int) -> float:
        """Returns the variance of λ."""
        return self.products / self.total**2 / max(freedom - 1, 1) if self.total else 0.0


def pooling(runs: int) -> Floats:
    """Returns the matrix with which products are summed over all runs and all pairs of runs [runs, runs].

    If M contains the sums of products of the runs, the sum over runs is the trace of M, and the sum over pairs is the
    number of runs times the trace, minus the sum of all elements of M.
    """
    return np.asarray((1.0 + runs) * np.eye(runs) - 1.0) if runs > 1 else np.eye(1)
