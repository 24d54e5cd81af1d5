"""Estimates how much of the variance of scores is due to assessors, from queries that two assessors judged."""

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
    """How much a query's value varies between assessors. Each array is [series].

    Args:
        variance: the variance of a query's value between assessors, which is half the mean square of the differences
            between two assessors, because each of the two contributes the same variance.
        shift: the mean over queries of the second assessor's value minus the first's.
        shift_error: the standard error of the shift over the queries; NaN for a single query.
        queries: the number of queries that both assessors judged.
    """

    variance: Floats
    shift: Floats
    shift_error: Floats
    queries: int

    def half_width(self, size: float, confidence: float) -> Floats:
        """Returns half the width of the interval for a mean over fixed queries, each of which one assessor judged.

        The assessors' errors must be independent between queries.

        Args:
            size: the number of queries in the mean.
            confidence: the confidence level.
        """
        return np.asarray(t_quantile(confidence, float(self.queries)) * np.sqrt(self.variance / size))

    def shift_half_width(self, confidence: float) -> Floats:
        """Returns half the width of the interval for the shift; NaN for a single query."""
        freedom = self.queries - 1.0 if self.queries > 1 else math.nan
        return np.asarray(t_quantile(confidence, freedom) * self.shift_error)

    def share(self, spread: Floats) -> Floats:
        """Returns the variance as a share of the variance between queries, which includes it; NaN if the latter is 0.

        Args:
            spread: the variance between queries of the first assessor's values.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(spread > NOISE**2, self.variance / spread, np.nan)


def assessor_noise(first: Floats, second: Floats) -> AssessorNoise:
    """Returns how much scores vary between assessors.

    The model is that an assessor's value for a query is the mean over all assessors who might have judged the query,
    plus an error. The errors of two assessors are independent and have the same variance. The estimator is that of the
    variance of a single measurement from duplicate measurements (Dahlberg, 1940; Bland and Altman, BMJ 1996).

    Args:
        first: the values of queries under the first assessor's grades [queries, series].
        second: the values of the same queries under the second assessor's grades [queries, series].

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
