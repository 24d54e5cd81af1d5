"""Numbers of queries that a paired t-test needs."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

Aim: TypeAlias = Literal["difference", "equivalence", "non-inferiority"]
"""What to show: that the runs differ, that they differ by less than a margin, or that one is not worse by a margin."""

MOST = 1e9
"""The most queries to plan for."""


def power_of(aim: Aim, size: float, queries: float, alpha: float) -> float:
    """Returns the probability that a paired t-test succeeds.

    A difference is shown by a two-sided test, whose power includes significance in the wrong direction, as is usual.
    Equivalence is shown by two one-sided tests and non-inferiority by one, each at level ``alpha``, and the runs are
    taken to be equal. The power for equivalence is the usual approximation by two noncentral t distributions, which is
    slightly too low for few queries.

    Args:
        aim: what to show.
        size: the difference or the margin, divided by the standard deviation of the differences.
        queries: the number of queries, which need not be whole.
        alpha: the significance level.

    Example:
        >>> from carob.statistics.sample_size import power_of
        >>> round(power_of("difference", 0.5, 33.36713, 0.05), 6)
        0.8
    """
    from scipy.special import nctdtr, stdtrit

    freedom, shift = queries - 1.0, size * math.sqrt(queries)
    level = alpha / 2.0 if aim == "difference" else alpha
    critical = float(stdtrit(freedom, 1.0 - level))
    if aim == "equivalence":
        below, above = nctdtr(freedom, -shift, -critical), nctdtr(freedom, shift, critical)
        return max(0.0, float(below - above))
    wrong = float(nctdtr(freedom, shift, -critical)) if aim == "difference" else 0.0
    return 1.0 - float(nctdtr(freedom, shift, critical)) + wrong


def queries_for(aim: Aim, size: float, power: float, alpha: float) -> float:
    """Returns the number of queries that reaches the power. The number is not rounded, and infinite beyond 10⁹.

    Source of the test cases: the package pwr for R, ``pwr.t.test(type="paired")``.

    Args:
        aim: what to show.
        size: the difference or the margin, divided by the standard deviation of the differences; above 0.
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
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        if power_of(aim, size, middle, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def interval_of_sd(sd: float, freedom: float, confidence: float = 0.95) -> tuple[float, float]:
    """Returns the interval of a standard deviation, for normally distributed values.

    Args:
        sd: the standard deviation of a sample.
        freedom: its degrees of freedom.
        confidence: the confidence level.

    Example:
        >>> from carob.statistics.sample_size import interval_of_sd
        >>> [round(each, 3) for each in interval_of_sd(1.0, 49)]
        [0.835, 1.246]
    """
    from scipy.special import chdtri

    tail = (1.0 - confidence) / 2.0
    low, high = (float(chdtri(freedom, each)) for each in (tail, 1.0 - tail))
    return sd * math.sqrt(freedom / low), sd * math.sqrt(freedom / high)


def judged_by_people(needed: float, correlation: float, judged: float) -> float:
    """Returns how many queries people must judge if a model judges more, to be as exact as with ``needed`` queries.

    The variance of the combined estimate is s² ((1 - r²) / n + r² / N) for n queries judged by people and N judged by
    the model, whose differences correlate by r with those of people (Angelopoulos and others 2023, PPI++, at the best
    weight).

    Args:
        needed: the number of queries without a model.
        correlation: the correlation between the differences by people's and by the model's judgments.
        judged: the number of queries that the model judges.

    Returns:
        The number, infinite if the model judges too few queries.

    Example:
        >>> from carob.statistics.sample_size import judged_by_people
        >>> round(judged_by_people(200.0, 0.8, 1000.0), 1)
        82.6
    """
    square = correlation * correlation
    rest = 1.0 / needed - square / judged
    return min(needed, (1.0 - square) / rest) if rest > 0 else math.inf
