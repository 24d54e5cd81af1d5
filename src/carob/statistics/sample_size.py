"""Computes how many queries a paired t-test needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from carob._numpy import np

if TYPE_CHECKING:
    from collections.abc import Callable

Aim: TypeAlias = Literal["difference", "equivalence", "non-inferiority"]
"""What to show: that two runs differ, that they differ by less than a margin, or that one is not worse by a margin."""

MOST = 1e9
"""The maximum number of queries to plan for."""
FEWEST_JUDGED = 12.0
"""The minimum number of queries judged by people for which an estimate with a model is planned."""
LIMIT = 0.9
"""The nominal level of the upper confidence limit of a pilot's spread. Because retrieval data are not normal, plans
based on this limit reach the intended power for only about 80% of simulated pilots (``python -m bench.plans``)."""


def power_of(aim: Aim, size: float, queries: float, alpha: float) -> float:
    """Returns the power of a paired t-test for a number of queries.

    A difference is tested by a two-sided test, whose power includes significance in the wrong direction, as is usual.
    Equivalence is tested by two one-sided tests and non-inferiority by one, each at level ``alpha``, on the assumption
    that the runs are equal. The power for equivalence is the usual approximation by two noncentral t distributions,
    which is slightly too low if there are few queries.

    Args:
        aim: what to show.
        size: the difference or the margin, divided by the standard deviation of the differences.
        queries: the number of queries, which need not be an integer.
        alpha: the significance level.

    Example:
        >>> from carob.statistics.sample_size import power_of
        >>> round(power_of("difference", 0.5, 33.36713, 0.05), 6)
        0.8
    """
    return power_at(aim, size * math.sqrt(queries), queries - 1.0, alpha)


def power_at(aim: Aim, shift: float, freedom: float, alpha: float) -> float:
    """Returns the power of a t-test for a standardised shift.

    Args:
        aim: what to show.
        shift: the difference or the margin, divided by the standard error.
        freedom: the degrees of freedom.
        alpha: the significance level.
    """
    from scipy.special import nctdtr, stdtrit

    level = alpha / 2.0 if aim == "difference" else alpha
    critical = float(stdtrit(freedom, 1.0 - level))
    if aim == "equivalence":
        below, above = nctdtr(freedom, -shift, -critical), nctdtr(freedom, shift, critical)
        return max(0.0, float(below - above))
    # nctdtr(freedom, shift, -critical) is NaN for large shifts, so its mirror image is used.
    wrong = 1.0 - float(nctdtr(freedom, -shift, critical)) if aim == "difference" else 0.0
    return 1.0 - float(nctdtr(freedom, shift, critical)) + wrong


NODES = 100
"""The number of quadrature nodes over the estimated error; results are exact to four digits from two queries on."""


def errors_if_significant(shift: float, freedom: float, alpha: float) -> tuple[float, float]:
    """Returns the type S and type M errors of a result that is significant in a two-sided t-test.

    Args:
        shift: the true difference divided by its standard error, which must be above 0.
        freedom: the degrees of freedom.
        alpha: the significance level.

    Returns:
        The probability that a significant difference has the wrong sign, and the mean absolute size of a significant
        difference divided by the true difference (the exaggeration).

    Source: Gelman and Carlin, Perspectives on Psychological Science, 2014, but with an estimated standard error.

    Example:
        >>> from carob.statistics.sample_size import errors_if_significant
        >>> [round(each, 3) for each in errors_if_significant(1.0, 23.0, 0.05)]
        [0.011, 2.458]
    """
    from scipy.special import chdtri, ndtr, stdtrit

    critical = float(stdtrit(freedom, 1.0 - alpha / 2.0))
    places, weights = np.polynomial.legendre.leggauss(NODES)
    # The smallest significant difference, in true standard errors, at the quantiles of the estimated error.
    bound = critical * np.sqrt(chdtri(freedom, (1.0 - places) / 2.0) / freedom)
    right, wrong = ndtr(shift - bound), ndtr(-shift - bound)
    densities = (np.exp(-((bound + side * shift) ** 2) / 2.0) for side in (-1.0, 1.0))
    size = sum(densities) / math.sqrt(2.0 * math.pi) + shift * (right - wrong)
    significant = float(weights @ (right + wrong))
    return float(weights @ wrong) / significant, float(weights @ size) / significant / shift


def queries_for(aim: Aim, size: float, power: float, alpha: float) -> float:
    """Returns how many queries are needed to reach the power. The number is not rounded, and is infinite beyond 10⁹.

    The test cases come from the R package pwr, ``pwr.t.test(type="paired")``.

    Args:
        aim: what to show.
        size: the difference or the margin, divided by the standard deviation of the differences; must be above 0.
        power: the probability of success.
        alpha: the significance level.

    Example:
        >>> from carob.statistics.sample_size import queries_for
        >>> round(queries_for("difference", 0.2, 0.8, 0.05), 5)
        198.15082
    """
    low, high = 2.0, 4.0
    while power_of(aim, size, high, alpha) < power:
        low, high = high, high * 2.0
        if high > MOST:
            return math.inf
    return least(lambda queries: power_of(aim, size, queries, alpha) >= power, low, high)


def least(enough: Callable[[float], bool], low: float, high: float) -> float:
    """Returns, by bisection, the smallest number in a range that is enough; all larger numbers must also be enough."""
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def upper_limit(sd: float, freedom: float, confidence: float = LIMIT) -> float:
    """Returns the upper confidence limit of the standard deviation of normally distributed values.

    Args:
        sd: the standard deviation of a sample.
        freedom: the degrees of freedom of ``sd``.
        confidence: the confidence level.

    Example:
        >>> from carob.statistics.sample_size import upper_limit
        >>> round(upper_limit(1.0, 19), 3)
        1.277
    """
    from scipy.special import chdtri

    return sd * math.sqrt(freedom / float(chdtri(freedom, confidence)))


def judged_by_people(
    aim: Aim, size: float, power: float, alpha: float, correlation: float, judged: float
) -> float:
    """Returns how many queries people must judge to reach the power if a model judges more queries.

    If people judge n queries and the model judges N, and r is the correlation between people's and the model's
    differences, the variance of the regression estimate of a difference is s² ((1 - r²) (1/n - 1/N) (1 + 1/(n - 3)) +
    1/N). The factor 1 + 1/(n - 3) is the cost of fitting the slope (Cochran 1977, chapter 7). Student's t has n - 2
    degrees of freedom.

    Args:
        aim: what to show.
        size: the difference or the margin, divided by the standard deviation of the differences.
        power: the probability of success.
        alpha: the significance level.
        correlation: the correlation between differences under people's and under the model's judgments.
        judged: the number of queries that the model judges.

    Returns:
        The number of queries, which is at least ``FEWEST_JUDGED`` unless people alone reach the power with fewer
        queries; infinite if the model judges too few queries.

    Example:
        >>> from carob.statistics.sample_size import judged_by_people
        >>> round(judged_by_people("difference", 0.2, 0.8, 0.05, 0.8, 1000.0), 1)
        83.9
    """

    def enough(queries: float) -> bool:
        rest = (1.0 - correlation**2) * (1.0 / queries - 1.0 / judged) * (1.0 + 1.0 / (queries - 3.0))
        return power_at(aim, size / math.sqrt(rest + 1.0 / judged), queries - 2.0, alpha) >= power

    alone = queries_for(aim, size, power, alpha)
    most = float(max(judged, FEWEST_JUDGED))
    if judged < FEWEST_JUDGED or not enough(most):
        return alone if alone <= judged else math.inf
    return min(alone, FEWEST_JUDGED if enough(FEWEST_JUDGED) else least(enough, FEWEST_JUDGED, most))
