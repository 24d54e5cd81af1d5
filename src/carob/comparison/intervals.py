"""The kinds of intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np
from carob.statistics.estimates import NOISE
from carob.statistics.resampling import resample_means

if TYPE_CHECKING:
    from carob.lists.rows import Floats
    from carob.statistics.resampling import Draw


class IntervalKind:
    """A kind of interval: its name in ``Test.interval`` (``word``) and in sentences (``named``)."""

    word = named = ""
    narrow = ("", "")
    """Two phrases: which intervals may be too narrow if many values are equal, and how to avoid them."""
    equal = ""
    """The sentence that explains why there is no interval if all values are equal."""
    worst_point = False
    """Whether a worst-point interval can replace this interval."""
    of_ratio = False
    """For geometric means, whether the interval is for the ratio of two means instead of their difference."""
    draws = on_collections = False
    """Whether the interval requires resamples, and whether it is available for comparisons over several collections."""
    of_parts = False
    """Whether the ends are computed from means over subsets or resamples of the queries instead of a formula."""

    def replicates(self, seen: Floats, draw: Draw) -> Floats:
        """Returns means over subsets or resamples of the queries [replicates, runs]."""
        raise NotImplementedError

    def ends(self, replicates: Floats, whole: Floats, confidence: float) -> Floats:
        """Returns the ends, NaN where replicates are equal [2, series]; ``whole`` is the value over all queries."""
        raise NotImplementedError


class StudentIntervals(IntervalKind):
    """Student's t."""

    word = named = "t"
    worst_point = of_ratio = on_collections = True


class PercentileIntervals(IntervalKind):
    """Intervals whose ends are percentiles over resampled queries."""

    word, named = "bootstrap", "percentile bootstrap"
    narrow = "Percentiles", "without the bootstrap"
    equal = "All resamples have the same mean, so they do not show how often other values occur."
    draws = on_collections = of_parts = True

    def replicates(self, seen: Floats, draw: Draw) -> Floats:
        """Returns the means over resampled queries."""
        return resample_means(seen, draw)

    def ends(self, replicates: Floats, whole: Floats, confidence: float) -> Floats:
        """Returns percentiles."""
        del whole
        tail = (1 - confidence) / 2
        ends = np.quantile(replicates, [tail, 1 - tail], axis=0)
        return np.where(ends[1] - ends[0] > NOISE, ends, np.nan)


INTERVALS = {each.word: each() for each in IntervalKind.__subclasses__()}
