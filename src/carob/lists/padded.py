"""Lists for arrays: a batch of ranked lists [query, document] in any array library, on the device of the arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from carob._numpy import np
from carob.lists import Gain, Lists, Queries, Rows, gain_of, once
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.lists.arrays import Arrays

RETRIEVED = ("retrieved", "top")
"""The kinds of ideal rankings that contain only documents that the run retrieved."""

MOST_LEVELS = 8
"""The highest grade up to which the ideal ranking is computed by counting instead of sorting."""


class PythonNumbers:
    """Python numbers as an array library. torch.compile would trace NumPy numbers, and find no gain positive."""

    @staticmethod
    def where(condition: bool, a: float, b: float) -> float:
        """Returns ``a`` if the condition holds, otherwise ``b``."""
        return a if condition else b

    @staticmethod
    def exp2(x: float) -> float:
        """Returns 2 to the power of x."""
        return cast("float", 2.0**x)


class Padded(Lists):
    """Ranked lists side by side, each padded to the width of the batch.

    The shapes of results depend only on the shapes of the arguments and on depths, never on the numbers, and no
    computation waits for a device. A formula can therefore be traced and compiled. Each column is a rank. Numbers per
    document have the shape [query, document], with length 1 along an axis on which they are constant.

    Args:
        arrays: the array library.
        grade: the grades in rank order; -1 for documents outside the pool and for padding, -2 for pooled but unjudged
            documents [query, document].
        length: the number of columns that are documents; None if all columns are documents [query].
        judged: the grades of all judgments in any order, padded with negative numbers; None if ``grade`` contains all
            judgments [query, judgment].
        scores: returns the scores in rank order, for measures that need ties; None if there are only ranks
            [query, document].
        levels: the highest grade, if all grades are known to be whole numbers.

    Example:
        >>> import numpy as np
        >>> from carob.lists.arrays import arrays_of
        >>> from carob.lists.padded import Padded
        >>> from carob.measures import parse_measure
        >>> grade = np.array([[0.0, 1.0, -1.0], [2.0, 0.0, 1.0]])
        >>> parse_measure("RR").values(Padded(arrays_of(grade), grade))
        array([0.5, 1. ])
    """

    def __init__(
        self,
        arrays: Arrays,
        grade: Any,
        length: Any = None,
        judged: Any = None,
        scores: Callable[[], Any] | None = None,
        levels: int | None = None,
    ) -> None:
        """Stores the padded lists."""
        self.xp, self.grades, self.lengths, self.scores = arrays, grade, length, scores
        self.pool, self.levels = grade if judged is None else judged, levels
        self.asked = None
        self.uncut = self
        self.made: dict[Any, Any] = {}

    # ------------------------------------------------------------ columns

    # functools.cached_property uses a lock before Python 3.12, and torch.compile cannot trace locks.
    @property
    @once
    def rank(self) -> Rows:
        return cast("Rows", self.xp.count(self.shape[1])[None, :])

    @property
    def grade(self) -> Rows:
        return cast("Rows", self.grades)

    @property
    def length(self) -> Queries:
        return cast("Queries", self.every(self.shape[1]) if self.lengths is None else self.lengths)

    @property
    @once
    def tied_rank(self) -> Rows:
        if self.scores is None or not self.shape[1]:
            return self.rank
        first, last = self.tie_span
        return cast("Rows", (first + last) / 2.0)

    @property
    @once
    def tie_span(self) -> tuple[Any, Any]:
        """The first and the last rank of the documents that share each document's score [query, document]."""
        if self.scores is None:
            return self.whole_rows(self.rank), self.whole_rows(self.rank)
        here, rank, length = self.scores(), cast("Any", self.rank), cast("Any", self.length)[:, None]
        end = self.xp.library.ones_like(self.inside[:, :1])
        other = here[:, 1:] != here[:, :-1]
        first = self.xp.running_largest(self.xp.where(self.joined(end, other), rank, 0.0))
        # Seen from the end of the list, the last document of a tie comes first.
        back = self.xp.where(self.joined(other, end) | (rank == length), self.shape[1] + 1.0 - rank, 0.0)
        flipped = self.xp.library.flip(back, axis=1)
        last = self.shape[1] + 1.0 - self.xp.library.flip(self.xp.running_largest(flipped), axis=1)
        return first, last

    @property
    def largest(self) -> float:
        return cast("float", self.xp.largest)

    def first_of(self, which: Any) -> tuple[int, float]:
        query = int(np.argmax(which.any(axis=1) if which.ndim > 1 else which))
        if which.ndim == 1:
            return query, float(cast("Any", self.highest_grade())[query])
        return query, float(self.whole_rows(self.grades)[query, int(np.argmax(which[query]))])

    def n_graded(self, lowest: float, below: float) -> Queries:
        if below != float("inf"):
            return self.n_graded(lowest, float("inf")) - self.n_graded(below, float("inf"))
        return self.uncut.n_from(lowest)  # The judgments are the same at every depth.

    @once
    def n_from(self, lowest: float) -> Queries:
        """Returns the number of each query's judgments that have a grade of at least ``lowest``."""
        return cast("Queries", self.xp.counted(self.pool >= lowest))

    def n_worth(self, gain: Gain) -> Queries:
        worth = gain_of(self.xp, self.pool, gain) > 0
        return cast("Queries", self.xp.counted(worth & (self.pool >= 0)))

    def highest_grade(self) -> Queries:
        if not self.pool.shape[1]:
            return self.every(0.0)
        return cast("Queries", self.xp.maximum(self.xp.library.max(self.pool, axis=1), 0.0))

    # ------------------------------------------------------------ other lists

    @once
    def top(self, depth: int) -> Padded:
        cut = self.part(depth, None if self.lengths is None else self.xp.minimum(self.lengths, float(depth)))
        cut.asked, cut.uncut = depth, self.uncut
        return cut

    @once
    def ideal(self, gain: Gain, of: str) -> Padded:
        ordered = (self if of in ("top", "depth", "full") else self.uncut).ordered(gain, of)
        if of == "length":
            return ordered.part(self.shape[1], self.xp.minimum(ordered.length, self.length))
        return ordered if of == "uncut" or self.asked is None else ordered.top(self.asked)

    @property
    def groups(self) -> Padded:
        raise DataError(
            "This measure averages over judgment groups, but an array of grades has no groups: evaluate files of "
            "judgment groups with 'carob trec-eval -R qrels_jg'."
        )

    def over_groups(self, values: Queries) -> Queries:
        return values

    # ------------------------------------------------------------ primitives

    def total(self, rows: Rows) -> Queries:
        return cast("Queries", self.xp.library.sum(self.kept(rows), axis=1, dtype=self.xp.dtype))

    def best(self, rows: Rows) -> Queries:
        if not self.shape[1]:
            return self.every(0.0)
        if self.lengths is None:
            return cast("Queries", self.xp.library.max(self.whole_rows(rows), axis=1))
        largest = self.xp.library.max(self.xp.where(self.inside, rows, -float("inf")), axis=1)
        return cast("Queries", self.xp.where(self.lengths > 0, largest, 0.0))

    def running(self, rows: Rows) -> Rows:
        return cast("Rows", self.xp.running(self.kept(rows)))

    def product_above(self, rows: Rows) -> Rows:
        product = self.xp.running_product(self.whole_rows(rows)[:, : max(self.shape[1] - 1, 0)])
        return cast("Rows", self.joined(self.xp.full((self.shape[0], min(self.shape[1], 1)), 1.0), product))

    def following(self, rows: Rows) -> Rows:
        end = self.xp.full((self.shape[0], min(self.shape[1], 1)), float("nan"))
        following = self.joined(self.whole_rows(rows)[:, 1:], end)
        last = cast("Any", self.rank) >= cast("Any", self.length)[:, None]
        return cast("Rows", self.xp.where(last, float("nan"), following))

    def spread(self, values: Queries) -> Rows:
        return cast("Rows", cast("Any", values)[:, None])

    def running_of(self, other: Lists, rows: Rows) -> Rows:
        reached, width = cast("Any", other.running(rows)), self.shape[1]
        if not reached.shape[1]:
            return cast("Rows", self.xp.full(self.shape, 0.0))
        if reached.shape[1] < width:
            missing = (self.shape[0], width - reached.shape[1])
            reached = self.joined(reached, self.xp.library.broadcast_to(reached[:, -1:], missing))
        return cast("Rows", reached[:, :width])

    def checked(self, numbers: Any, beyond: Any, why: Callable[[float], str]) -> Any:
        if self.xp.on_host:
            return super().checked(numbers, beyond, why)
        return self.xp.where(
            beyond, float("nan"), numbers
        )  # numbers cannot be read here, so no error is raised

    # ------------------------------------------------------------ methods that several measures call

    @once
    def hits(self, rel: float) -> Rows:
        return super().hits(rel)

    @once
    def gains(self, gain: Gain) -> Rows:
        return super().gains(gain)

    # ------------------------------------------------------------ shapes

    @property
    def shape(self) -> tuple[int, int]:
        """The number of queries and the number of columns."""
        return cast("tuple[int, int]", self.grades.shape)

    @property
    @once
    def inside(self) -> Any:
        """A mask of the columns that are documents."""
        return cast("Any", self.rank) <= cast("Any", self.length)[:, None]

    def every(self, number: float) -> Queries:
        return cast("Queries", self.xp.full(self.shape[:1], number))

    def whole_rows(self, rows: Any) -> Any:
        """Returns an array with a number per document, broadcast to the full shape."""
        return rows if rows.shape == self.shape else self.xp.library.broadcast_to(rows, self.shape)

    def kept(self, rows: Any) -> Any:
        """Returns the numbers per document with 0 in the columns of padding."""
        return self.whole_rows(rows) if self.lengths is None else self.xp.where(self.inside, rows, 0.0)

    def joined(self, left: Any, right: Any) -> Any:
        """Returns arrays joined along their columns."""
        return self.xp.library.concat([left, right], axis=1)

    # ------------------------------------------------------------ how other lists are made

    def part(self, width: int, length: Any) -> Padded:
        """Returns lists with the first ``width`` columns and a new length."""
        width = min(width, self.shape[1])
        scores = self.scores_down_to(width)
        return Padded(self.xp, self.grades[:, :width], length, self.pool, scores, self.levels)

    def scores_down_to(self, width: int) -> Callable[[], Any] | None:
        """Returns a function that returns the scores of the first columns, or None without scores."""
        whole = self.scores
        return None if whole is None else lambda: whole()[:, :width]

    @once
    def ordered(self, gain: Gain, of: str) -> Padded:
        """Returns the ideal ranking without a cut."""
        if of in ("depth", "full"):
            asked = cast("Any", self.depth if of == "depth" else self.length)
            width = self.asked if of == "depth" and self.asked is not None else self.shape[1]
            return self.best_list(
                gain, self.xp.where(self.xp.count(width)[None, :] <= asked[:, None], 1.0, -1.0)
            )
        if isinstance(gain, tuple):
            return self.best_list(gain, self.by_worth(gain, of))
        if self.levels is not None and self.levels <= MOST_LEVELS:
            return self.by_counting(gain, of)
        return self.best_list(gain, self.by_grade(of in RETRIEVED))

    def best_list(self, gain: Gain, grades: Any, length: Any = None) -> Padded:
        """Returns lists whose grades are in descending order of gain, cut after the last positive gain."""
        if length is None:
            worthless = cast("Any", Padded(self.xp, grades).gains(gain)) <= 0
            length = self.xp.counted(~worthless)  # NaN marks gains that are too large
        return Padded(self.xp, grades, length, self.pool, None, self.levels)

    def candidates(self, retrieved: bool) -> Any:
        """Returns the grades of the documents that can be in the ideal ranking, in any order."""
        return self.grades if retrieved else self.pool

    @once
    def by_grade(self, retrieved: bool) -> Any:
        """Returns the grades in descending order, in which the gains also descend for every named gain."""
        return self.xp.sorted_down(self.candidates(retrieved))

    @once
    def reach(self, retrieved: bool) -> list[Any]:
        """Returns, for each whole grade from 0 on, the number of documents of each query with at least this grade."""
        grades = self.candidates(retrieved)
        return [self.xp.counted(grades >= float(level)) for level in range(cast("int", self.levels) + 1)]

    def by_counting(self, gain: str, of: str) -> Padded:
        """Returns the ideal ranking without a sort, from the number of documents with at least each grade."""
        reach = self.reach(of in RETRIEVED)
        worth = [gain_of(PythonNumbers, float(level), gain) > 0 for level in range(len(reach))]
        if True not in worth:
            return self.part(0, self.every(0.0))
        length = reach[worth.index(True)]
        longest = self.xp.range_of(length)
        width = self.candidates(of in RETRIEVED).shape[1] if longest is None else int(longest[1])
        rank = self.xp.count(width)[None, :]
        rows = self.xp.full((self.shape[0], width), 0.0)
        for each in reach[1:]:
            rows = rows + self.xp.where(rank <= each[:, None], 1.0, 0.0)
        return self.best_list(gain, rows, length)

    def by_worth(self, gain: tuple[tuple[float, float], ...], of: str) -> Any:
        """Returns the grades in descending order of their gains in a gain table."""
        if of == "trec_eval":
            raise DataError(
                "ideal=trec_eval with a gain table requires trec_eval's sort, which is not available for arrays: "
                "choose "
                "ideal=judged, or evaluate files."
            )
        there = self.inside if of in RETRIEVED else self.pool >= 0.0
        grades = self.xp.where(there, self.candidates(of in RETRIEVED), -float("inf"))
        worth = cast("Any", Padded(self.xp, grades).gains(gain))
        return self.xp.take(grades, self.xp.order_down(worth))
