"""Lists on which measures that are sums over documents have their mean over all orders of tied documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from carob.lists import kept_in
from carob.lists.padded import Padded
from carob.output.errors import MeasureError

if TYPE_CHECKING:
    from carob.lists import Gain, Rows


class Expected(Padded):
    """Padded lists in which each tied document has the average hits, gains and other values of its tie.

    If a measure is a sum over documents of a value that depends on the document and its rank, its value on these lists
    is the mean over all orders of the tied documents, even if the depth cuts through a tie (McSherry and Najork 2008,
    Computing information retrieval performance measures efficiently in the presence of tied scores). This does not hold
    for other measures.

    Args:
        plain: the lists, not cut, with tied documents in any order.
        width: the number of columns to keep.
        length: the number of columns that are documents; None for the length of ``plain`` [query].

    Example:
        >>> import numpy as np
        >>> from carob.lists.arrays import arrays_of
        >>> from carob.lists.expected import Expected
        >>> from carob.lists.padded import Padded
        >>> from carob.measures import parse_measure
        >>> grade, scores = np.array([[0.0, 1.0, 1.0]]), np.array([[2.0, 2.0, 1.0]])
        >>> parse_measure("P@1").values(Expected(Padded(arrays_of(grade), grade, scores=lambda: scores)))
        array([0.5])
    """

    def __init__(self, plain: Padded, width: int | None = None, length: Any = None) -> None:
        """Takes the first columns of ``plain`` and averages them over each tie."""
        width = plain.shape[1] if width is None else min(width, plain.shape[1])
        length = plain.lengths if length is None else length
        super().__init__(
            plain.xp, plain.grades[:, :width], length, plain.pool, plain.scores_down_to(width), plain.levels
        )
        self.plain = plain

    # ------------------------------------------------------------ methods that read a grade

    def hits(self, rel: float) -> Rows:
        return self.averaged(("hits", rel), self.plain.hits(rel))

    def misses(self, rel: float) -> Rows:
        return self.averaged(("misses", rel), self.plain.misses(rel))

    @property
    def judged(self) -> Rows:
        return self.averaged("judged", self.plain.judged)

    @property
    def pooled_unjudged(self) -> Rows:
        return self.averaged("pooled_unjudged", self.plain.pooled_unjudged)

    def gains(self, gain: Gain) -> Rows:
        return self.averaged(("gains", gain), self.plain.gains(gain))

    def unit_gains(self, gain: Gain, rel: float | str = "graded", highest: float | str = "query") -> Rows:
        return self.averaged(("unit", gain, rel, highest), self.plain.unit_gains(gain, rel, highest))

    @property
    def grade(self) -> Rows:
        raise MeasureError(
            "The tied documents have different grades: use 'hits' or 'gains' instead of 'grade'."
        )

    # ------------------------------------------------------------ averages

    def averaged(self, name: Any, rows: Rows) -> Rows:
        """Returns the rows averaged over each tie. They are computed only once for all depths."""
        whole = kept_in(self.plain.made, ("averaged", name), lambda: self.over_ties(rows))
        return cast("Rows", whole[:, : self.shape[1]])

    def over_ties(self, rows: Rows) -> Any:
        """Returns the mean of the rows over the documents of each tie [query, document]."""
        plain, xp = self.plain, self.plain.xp
        if not plain.shape[1]:
            return rows
        first, last = plain.tie_span
        reached = cast("Any", plain.running(rows))
        before = xp.library.concat([xp.full((plain.shape[0], 1), 0.0), reached], axis=1)
        total = xp.take(before, xp.places(last)) - xp.take(before, xp.places(first - 1.0))
        return xp.where(plain.inside, total / (last - first + 1.0), 0.0)

    def part(self, width: int, length: Any) -> Expected:
        return Expected(self.plain, min(width, self.shape[1]), length)
