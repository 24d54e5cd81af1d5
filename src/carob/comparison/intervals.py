"""The kinds of confidence intervals of means and of differences, one class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np
from carob.statistics.estimates import NOISE
from carob.statistics.resampling import resample_means

if TYPE_CHECKING:
    from carob.lists.rows import Floats
    from carob.statistics.resampling import Draw


class IntervalKind:
    """A kind of interval, as ``Test.interval`` names it by its word."""

    word = ""
    named = ""
    """Its name in a sentence about methods."""
    narrow = ("", "")
    """What may be too narrow where many values are equal, and what else may be computed."""
    equal = ""
    """Why it does not exist where all values are equal."""
    worst_point = False
    """Whether a worst-point interval may take its place."""
    of_ratio = False
    """Whether that of geometric means is of their ratio, since their difference has none."""
    draws = False
    """Whether it consists of percentiles over random resamples."""
    on_collections = False
    """Whether it exists on several collections."""

    def replicates(self, seen: Floats, draw: Draw) -> Floats | None:
        """Returns the means of parts of the queries, from which ``ends`` follow; None for those of a formula.

        Args:
            seen: the values of the runs [queries, runs].
            draw: the settings of resamples, and the clusters of queries.
        """

    def ends(self, replicates: Floats, whole: Floats, confidence: float) -> Floats:
        """Returns both ends of the intervals, which are NaN where the replicates do not vary [2, series].

        Args:
            replicates: the statistic of parts of the queries [replicates, series].
            whole: the statistic of all queries [series].
            confidence: the confidence level.
        """
        raise NotImplementedError


class StudentIntervals(IntervalKind):
    """Student's t, of logarithms for geometric means."""

    word = named = "t"
    worst_point = of_ratio = on_collections = True


class PercentileIntervals(IntervalKind):
    """Percentiles over resampled queries, or clusters of queries."""

    word, named = "bootstrap", "percentile bootstrap"
    narrow = "Percentiles", "without the bootstrap"
    equal = "All resamples have the same mean, so they do not show how often other values occur."
    draws = on_collections = True

    def replicates(self, seen: Floats, draw: Draw) -> Floats:
        """Returns the means over resamples."""
        return resample_means(seen, draw)

    def ends(self, replicates: Floats, whole: Floats, confidence: float) -> Floats:
        """Returns percentiles."""
        del whole
        tail = (1 - confidence) / 2
        ends = np.quantile(replicates, [tail, 1 - tail], axis=0)
        return np.where(ends[1] - ends[0] > NOISE, ends, np.nan)


INTERVALS = {each.word: each() for each in IntervalKind.__subclasses__()}
