"""Signs that a run is not what it seems: ranks or distances as scores, ids in another spelling."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.columns import rank_or_score
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.output.errors import DataError
from carob.output.language import Sentences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from carob import _native
    from carob.inputs.qrels import Qrels
    from carob.inputs.run import Run
    from carob.inputs.runs import Found, Row
    from carob.lists.rows import Integers, JudgedRows


say = Sentences(__file__)
"""Returns a sentence of this package."""

CONSTANT, RISING, COUNTING = 1, 2, 4
"""The kernel's signs of a list: equal scores, scores that rise from row to row, and scores that are 1, 2, 3 …."""
FEWEST = 3
"""Shorter lists do not count."""
STEPS = 8
"""The documents beyond two of each list that must count, before one suspects ranks."""
RISES = 10
"""The rises from row to row before one suspects distances."""
MOSTLY = 0.9
"""The share of lists in which the scores of a run of distances rise."""
IN_ORDER, SHUFFLED, ALONE = 0.5, 1.0, 3.5
"""How many standard deviations below chance relevant documents are, before one suspects a run upside down: one whose
rows are in that order, one whose scores are 1, 2, 3 … in any order, and any other."""
BELOW, LISTS = 2 / 3, 3
"""The share of lists that are better upside down, and the fewest lists, before one suspects a run for that alone."""
ENOUGH = 10_000
"""The rows of the first lists that show whether all are upside down."""
ROWS = 200_000
"""The most rows of a run to inspect."""
MISSING, EXTRA, SPELLED = 200, 500, 20_000
"""The largest number of queries that only one side has, and of rows of a run, whose spelling is compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Signs:
    """What the kernel noticed in a run, on the way.

    Args:
        length: the number of documents of each query, -1 for one that the run lacks [queries].
        lists: the signs of each query's list [queries].
        infinite: infinite scores.
        accord: pairs of documents that the rank column orders as the scores do, and as they do not.
        respelled: how many relevant documents were found in another spelling only, of those that were looked for.
        examples: the first of them: the query's number, the judged document, and the one retrieved.
        beyond_ascii: whether some ids are beyond ASCII, or have blanks or ``%``.
        met: whether a judged document was retrieved.
        extra: some queries that only the run has, if it lacks others.
    """

    length: Integers
    lists: Integers
    infinite: int
    accord: tuple[int, int]
    respelled: int
    examples: list[tuple[int, bytes, bytes]]
    beyond_ascii: bool
    met: bool
    extra: tuple[bytes, ...]

    @classmethod
    def of(cls, found: Found) -> Signs | None:
        """Returns what was noticed in a match; None for an engine's, which sees no list as a whole."""
        lists: Any = getattr(found, "signs", None)
        if lists is None:
            return None
        length = np.array(found.length)
        extra: Any = found.extra if (length < 0).any() and isinstance(found.extra, list) else ()
        return cls(
            length,
            np.array(lists),
            found.infinite,
            found.accord,
            found.respelled_count,
            list(found.respelled),
            found.beyond_ascii,
            len(found.rank) > 0 or bool(np.any(found.judged)),
            tuple(islice(extra, EXTRA)),
        )

    def only(self, kept: NDArray[np.bool_]) -> Signs:
        """Restricts the signs of lists to some of the queries."""
        return replace(self, length=self.length[kept], lists=self.lists[kept])

    def have(self, sign: int, fewest: int = 2) -> NDArray[np.bool_]:
        """Returns a mask of the lists with a sign, of at least so many documents."""
        return np.asarray((self.lists & sign).astype(bool) & (self.length >= fewest))

    @property
    def mostly_count(self) -> bool:
        """Whether the scores of at least half of the lists are 1, 2, 3 …, but do not fall from row to row."""
        counting = self.have(COUNTING, FEWEST)
        return bool(counting.any() and 2 * counting.sum() >= (self.length >= FEWEST).sum())


@dataclass(frozen=True)
class Lean:
    """Whether relevant documents lean to the end of the lists, as they do if the lists are upside down.

    For each list, Σ grade · place is compared with its mean over all orders of the list, in standard deviations: a
    linear rank test. All lists count alike (Stouffer). Lists without relevant documents, and those of equal grades, say
    nothing.

    Args:
        lists: the lists that say something.
        below: those that are better upside down.
        excess: by how many standard deviations relevant documents are nearer to the end than chance puts them; negative
            if they are nearer to the top.
    """

    lists: int
    below: int
    excess: float

    @classmethod
    def of(cls, rows: JudgedRows, which: NDArray[np.bool_] | None = None) -> Lean:
        """Returns how far relevant documents lean in some lists, or in all. Tied documents share their mean place.

        The variance is a list's without ties, which is the largest.
        """
        grade, place, length = np.maximum(rows.grade, 0.0), rows.list_of_row, rows.length
        middle = (rows.tie_first + rows.tie_last) / 2 - (length[place] + 1) / 2
        moved, total, squares = (
            np.bincount(place, each, len(length)) for each in (grade * middle, grade, grade * grade)
        )
        spread = (squares - total * total / np.maximum(length, 1.0)) * length * (length + 1) / 12
        telling = (length > 1) & (spread > 1e-9 * squares)
        if which is not None:
            telling &= which
        found = moved[telling] / np.sqrt(spread[telling])
        count = len(found)
        return cls(count, int((found > 0).sum()), float(found.sum() / count**0.5) if count else 0.0)

    @property
    def upside_down(self) -> bool:
        """Whether this alone suggests that the lists are upside down."""
        return self.lists >= LISTS and self.excess >= ALONE and self.below >= BELOW * self.lists


def upside_down(run: Run, signs: Signs | None, rows: JudgedRows) -> str | None:
    """Returns a sentence if the scores look like ranks or distances, of which the lowest is the best; else None.

    Raises:
        DataError: the caller named the column for scores, and it contains ranks.
    """
    kind = turned(signs, rows, ranked=run.doubted is None)
    if kind == "counting" and run.doubted is not None:
        raise refused("counts-up", file=run.name, column=run.doubted, remedy=rank_or_score(run.doubted))
    if kind is None:
        return None
    if kind == "below" or signs is None:
        lean = Lean.of(rows)
        return say("signs", "below", run=run.name, count=lean.below, total=lean.lists)
    lists = int((signs.length >= 2).sum())
    return say("signs", kind, run=run.name, count=int(signs.have(RISING).sum()), total=lists)


def turned(signs: Signs | None, rows: JudgedRows, *, ranked: bool = True) -> str | None:
    """Returns what the scores of a run that is upside down seem to be, or None.

    ``counting`` means ranks, ``rising`` distances. In lists that are not in order of score, these scores may as well be
    the points of a vote, or written from the worst to the best: the column of ranks tells, or else where the relevant
    documents are. If these are near the end of most lists, that is enough, whatever the scores look like (``below``).

    Args:
        signs: what was noticed; None if nothing could be.
        rows: the rows of judged documents.
        ranked: whether the run may have a rank column of its own.
    """
    shape = None if signs is None else shape_of(signs, rows, ranked=ranked)
    some = min(len(rows.length), max(LISTS, int(np.searchsorted(rows.offsets, ENOUGH))))
    return shape or ("below" if Lean.of(rows.part(0, some)).upside_down else None)


def shape_of(signs: Signs, rows: JudgedRows, *, ranked: bool) -> str | None:
    """Returns what the scores look like, unless the relevant documents or the ranks show that the highest is best."""
    agree, contradict = signs.accord
    if ranked and agree > contradict:
        return None
    length, counting, rising = signs.length, signs.have(COUNTING, FEWEST), signs.have(RISING)
    counted = signs.mostly_count and (length[counting] - 2).sum() >= STEPS
    if counted and Lean.of(rows, counting).excess > (0 if rising[counting].all() else SHUFFLED):
        return "counting"
    several = length >= 2
    if not rising.any() or rising.sum() < MOSTLY * several.sum() or (length[rising] - 1).sum() < RISES:
        return None
    return "rising" if Lean.of(rows, rising).excess > IN_ORDER else None


def spelled_otherwise(judged: Qrels, run: Run, signs: Signs) -> Iterator[str]:
    """Yields sentences about queries and documents that the run spells differently from the judgments."""
    judgments = judged.judgments
    if signs.extra and (signs.length >= 0).any() and (signs.length < 0).any():
        from carob.inputs.spellings import written_otherwise

        missing = [judgments.queries[each] for each in np.flatnonzero(signs.length < 0)[:MISSING].tolist()]
        pair = written_otherwise(list(map(text_of, missing)), list(map(text_of, signs.extra)))
        if pair is not None:
            yield say("signs", "query", run=run.name, judged=pair.judged, ranked=pair.ranked, why=pair.why)
    examples = list(signs.examples)
    if not examples and signs.beyond_ascii:
        examples = list(islice(in_other_forms(judgments, run), 1))
    for place, known, other in examples[:1]:
        from carob.inputs.spellings import how_written

        words = {
            "judged": text_of(known),
            "ranked": text_of(other),
            "query": text_of(judgments.queries[place]),
        }
        why = how_written(words["judged"], words["ranked"])
        yield say("signs", "document", run=run.name, why=why, **words)


def in_other_forms(judgments: _native.Judgments, run: Run) -> Iterator[tuple[int, bytes, bytes]]:
    """Yields judged documents of which the run, among its first rows, has only the same normal form."""
    from carob.inputs.runs.batches import StreamedRun

    if isinstance(run.held, StreamedRun):
        return  # a lazy frame would be computed once more
    from carob.inputs.spellings import folded

    retrieved: dict[bytes, dict[bytes, None]] = {}
    for query, document, _ in first_rows(run, None, SPELLED):
        retrieved.setdefault(query, {})[document] = None
    for place, query in enumerate(judgments.queries):
        its = retrieved.get(query, {})
        judged = dict.fromkeys(judgments.documents(place) if its else ())
        unjudged = {folded(each): each for each in its if each not in judged}
        for each in judged if unjudged else ():
            other = None if each in its else unjudged.get(folded(each))
            if other is not None:
                yield place, each, other


def first_rows(run: Run, queries: Collection[bytes] | None = None, most: int = ROWS) -> Iterator[Row]:
    """Yields the first rows of a run, for some queries or all, as far as they can be read again."""
    with suppress(DataError, ValueError):
        yield from islice(run.held.rows(queries), most)
