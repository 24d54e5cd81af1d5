"""The part of the variance of scores that is due to assessors, from queries that two assessors judged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.statistics.estimates import NOISE, t_quantile

if TYPE_CHECKING:
    from carob.lists.rows import Floats

__all__ = ["AssessorNoise", "assessor_noise"]


@dataclass(frozen=True, eq=False)
class AssessorNoise:
    """The variation of a query's scores from one assessor to another. Each array is [series].

    Args:
        variance: the variance of a query's value from one assessor to another: half the mean square of the differences
            between two assessors, since each of the two contributes the same variance.
        shift: the mean of these differences, the second assessor's value minus the first's.
        shift_error: its standard error over the queries; NaN with one query.
        queries: the number of queries that both assessors judged.
    """

    variance: Floats
    shift: Floats
    shift_error: Floats
    queries: int

    def half_width(self, size: float, confidence: float) -> Floats:
        """Returns half the width of the interval of a mean over fixed queries, each judged by one assessor.

        The assessors' errors must be independent from query to query.

        Args:
            size: the number of queries in the mean.
            confidence: the confidence level.
        """
        return np.asarray(t_quantile(confidence, float(self.queries)) * np.sqrt(self.variance / size))

    def shift_half_width(self, confidence: float) -> Floats:
        """Returns half the width of the interval of the shift; NaN with one query."""
        freedom = self.queries - 1.0 if self.queries > 1 else math.nan
        return np.asarray(t_quantile(confidence, freedom) * self.shift_error)

    def share(self, spread: Floats) -> Floats:
        """Returns the variance as a share of the variance between queries, which contains it; NaN without any.

        Args:
            spread: the variance of the first assessor's values between queries.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(spread > NOISE**2, self.variance / spread, np.nan)


def assessor_noise(first: Floats, second: Floats) -> AssessorNoise:
    """Returns how much scores vary from one assessor to another.

    The model: an assessor's value of a query is the mean over all assessors who might have judged it, plus an error of
    the same variance for each, and the errors of two assessors are independent. The variance is that of a single
    determination from duplicates (Dahlberg, 1940; Bland and Altman, BMJ 1996).

    Args:
        first: values of queries by the first assessor's grades [queries, series].
        second: the same by the second assessor's.

    Example:
        >>> import numpy as np
        >>> found = assessor_noise(np.array([[0.5], [0.4]]), np.array([[0.7], [0.4]]))
        >>> found.variance.round(3).tolist(), found.shift.round(3).tolist()
        ([0.01], [0.1])
    """
    apart = second - first
    queries = len(apart)
    spread = apart.std(axis=0, ddof=1) if queries > 1 else np.full(apart.shape[1], np.nan)
    return AssessorNoise(
        (apart**2).mean(axis=0) / 2, apart.mean(axis=0), spread / math.sqrt(max(queries, 1)), queries
    )
