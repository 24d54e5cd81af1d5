"""Signs that a run is suspicious: ranks or distances as scores, ids in another spelling."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.inputs.columns import rank_or_score
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.matching.lines import numbered_by_position
from carob.output.errors import DataError, Doubt
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from carob.inputs.qrels import Qrels
    from carob.inputs.run import Run
    from carob.inputs.runs import Found, Row
    from carob.lists.rows import Floats, Integers, JudgedRows


REVERSED = {
    "counting": "{run}: the scores are 1, 2, 3 … or other equal steps in {count:,} of {total:list}, as ranks are, and "
    "the highest comes first: if these are ranks, {these} upside down. Write scores that decrease from the first "
    "document to the last.",
    "rising": "{run}: the scores rise from row to row in {count:,} of {total:list}, as ranks and distances do, and the "
    "highest comes first: if these are ranks or distances, {these} upside down. Write the negated values as scores.",
    "below": "{run}: relevant documents are nearer to the end than to the top in {count:,} of {total:list}, far more "
    "than by chance, and the highest score comes first: if the lowest is the best, as with ranks or distances, every "
    "list is upside down. Write the negated scores.",
    "some": "{run}: relevant documents are far nearer to the end than by chance in {count:,} of {total:list}, such as "
    "the list of query '{query}', but not in the others, and the highest score comes first: if these lists, "
    "perhaps from one shard, have ranks or distances as scores, they are upside down. Write the negated scores there.",
}
"""The sentences about lists that seem to be upside down."""
RISING, COUNTING = 2, 4
"""The kernel's other signs of a list: scores that rise from row to row, and scores that are 1, 2, 3 …."""
FEWEST = 3
"""Shorter lists do not count."""
STEPS = 10
"""The number of steps from score to score needed to suspect ranks or distances."""
MOSTLY = 0.9
"""The share of lists with rising scores from which the order counts as intended, not as an accident."""
BY_CHANCE = 4
"""Lists of up to this many documents may look upside down by chance: if their rows list relevant documents first,
exactly the lists with wrong scores count or rise from row to row."""
LOOKING = 2.0
"""How many standard deviations below chance relevant documents must be to suspect scores that look like ranks or
distances. In files that are sorted from the worst to the best, the scores of random lists also look like this, and so
do the points of a vote. Of such lists, at most one in 25 is suspected (tested)."""
ALONE, SOME = 3.5, 3.5
"""The same for scores that look like neither, and for some lists that lean towards the end while others do not."""
BELOW, LISTS = 2 / 3, 3
"""The share of lists that are better upside down, and the minimum number of lists, to suspect a run for that alone."""
FAR = 1.0
"""The lean of a list that counts as upside down where not all lists are."""
ENOUGH = 10_000
"""The number of rows of the first lists that show whether all are upside down."""
ROWS = 200_000
"""The maximum number of rows of a run to inspect."""
MOST_QUERIES = 64
"""The maximum number of queries whose judged documents show which affixes are usual."""
SEVERAL = 3
"""The fewest documents under other ids that show a broken run: a single one may be another document."""
MISSING, EXTRA, SPELLED = 200, 500, 20_000
"""The largest number of queries that only one side has, and of rows of a run, whose spelling is compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Signs:
    """The signs that the kernel noticed in a run while matching it.

    Args:
        length: the number of documents of each query, -1 for one that the run lacks [queries].
        lists: the signs of each query's list [queries].
        infinite: infinite scores.
        accord: pairs of documents that the rank column orders as the scores do, and as they do not.
        respelled: how many relevant documents were found in another spelling only, of those that were looked for.
        examples: the first of them: the query's number, the judged document, and the one retrieved.
        affixed: relevant documents that were not retrieved and unjudged ones, one of whose ids has all words of the
            other, in some queries, as in ``examples``.
        beyond_ascii: whether some ids are beyond ASCII, or have blanks or ``%``.
        met: whether a judged document was retrieved.
        extra: some queries that only the run has, if it lacks others.
        tag: the tag of the last line of a text.
        strangers: some queries that only the run has.
    """

    length: Integers
    lists: Integers
    infinite: int
    accord: tuple[int, int]
    respelled: int
    examples: list[tuple[int, bytes, bytes]]
    affixed: list[tuple[int, bytes, bytes]]
    beyond_ascii: bool
    met: bool
    extra: tuple[bytes, ...]
    tag: bytes = b""
    strangers: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, found: Found) -> Signs | None:
        """Returns what was noticed in a match; None for an engine's, which sees no list as a whole."""
        lists: Any = getattr(found, "signs", None)
        if lists is None:
            return None
        length = np.array(found.length)
        strangers = tuple(islice(found.extra, EXTRA)) if isinstance(found.extra, list) else ()
        return cls(
            length,
            np.array(lists),
            found.infinite,
            found.accord,
            found.respelled_count,
            list(found.respelled),
            list(getattr(found, "affixed", ())),
            found.beyond_ascii,
            len(found.rank) > 0 or bool(np.any(found.judged)),
            strangers if (length < 0).any() else (),
            getattr(found, "tag", b""),
            strangers,
        )

    def only(self, kept: NDArray[np.bool_]) -> Signs:
        """Restricts the signs of lists to some of the queries."""
        return replace(self, length=self.length[kept], lists=self.lists[kept])

    def have(self, sign: int, fewest: int = 2) -> NDArray[np.bool_]:
        """Returns a mask of the lists with a sign, of at least so many documents."""
        return np.asarray((self.lists & sign).astype(bool) & (self.length >= fewest))


@dataclass(frozen=True, eq=False)
class Lean:
    """Whether relevant documents are mostly near the end of the lists (lean), as they are if the lists are upside down.

    For each list, Σ grade · place is compared with its mean over all orders of the list, in standard deviations: a
    linear rank test. All lists have the same weight (Stouffer). Lists without relevant documents, and those with equal
    grades, do not count.

    Args:
        of_lists: by how many standard deviations the relevant documents of each list are nearer to its end than chance
            puts them; negative if they are nearer to the top, and NaN if the list does not count.
        lists: the number of lists that count.
        upside_down: how many of them are better upside down.
        sum: the sum of their leans.
        squares: the sum of the squares of those above 0.
    """

    of_lists: Floats
    lists: int
    upside_down: int
    sum: float
    squares: float

    @classmethod
    def of(
        cls, rows: JudgedRows, which: NDArray[np.bool_] | None = None, *, until: Floats | None = None
    ) -> Lean:
        """Returns how far relevant documents lean in some lists, or in all. Tied documents share their mean place.

        The variance is a list's without ties, which is the largest.

        Args:
            rows: the rows of judged documents.
            which: a mask of the lists; None for all.
            until: how many documents at the top of each list count; None for all [lists].
        """
        length = rows.length if until is None else until
        if which is not None:
            length = np.where(which, length, 0.0)
        return cls(*_native.leans(rows.grade, rows.tie_first, rows.tie_last, rows.offsets, length))

    @property
    def below(self) -> NDArray[np.bool_]:
        """A mask of the lists that are better upside down."""
        return self.of_lists > 0

    @property
    def excess(self) -> float:
        """By how many standard deviations relevant documents are nearer to the end of all lists than by chance."""
        return self.sum / self.lists**0.5 if self.lists else 0.0

    @property
    def of_all(self) -> bool:
        """Whether this alone suggests that the lists are upside down."""
        return self.lists >= LISTS and self.excess >= ALONE and self.upside_down >= BELOW * self.lists

    @property
    def of_some(self) -> bool:
        """Whether this alone suggests that some lists are upside down.

        Σ max(z, 0)² over n lists in random order has a mean of n / 2 and a variance of 5 n / 4, as z is nearly normal.
        """
        excess = self.squares - self.lists / 2
        return self.lists >= LISTS and excess >= SOME * (1.25 * self.lists) ** 0.5


@dataclass(frozen=True, eq=False)
class Reversal:
    """Lists whose lowest scores seem to be the best.

    Args:
        kind: what shows it: the scores are ``counting``, as ranks are, or ``rising`` from row to row, as distances do;
            or the relevant documents alone show it, of all lists (``below``) or of a few (``some``).
        which: a mask of the lists.
        lists: the number of lists that might be upside down.
    """

    kind: str
    which: NDArray[np.bool_]
    lists: int

    @property
    def count(self) -> int:
        """The number of lists."""
        return int(self.which.sum())


def upside_down(run: Run, signs: Signs | None, rows: JudgedRows, queries: Sequence[bytes]) -> str | None:
    """Returns a sentence if the scores look like ranks or distances, the lowest of which is the best; else None.

    Args:
        run: the run.
        signs: what was noticed in it; None if nothing could be inspected.
        rows: its rows of judged documents.
        queries: the queries of its lists.

    Raises:
        DataError: the caller named the column for scores, and it contains ranks.
    """
    found = reversal(signs, rows, ranked=run.doubted is None)
    if found is None:
        return None
    if found.kind == "counting" and run.doubted is not None:
        raise refused(
            "the values of column '{column}' are 1, 2, 3 … or other equal steps in each list, as ranks are, and ranks "
            "used as scores turn each list upside down.",
            file=run.name,
            column=run.doubted,
            remedy=rank_or_score(run.doubted),
        )
    first = text_of(queries[int(found.which.argmax())])
    these = "every list is" if found.count == found.lists else "these lists are"
    said = filled(
        REVERSED[found.kind], run=run.name, count=found.count, total=found.lists, query=first, these=these
    )
    return said if found.kind == "some" else Doubt(said, "reversed")


def reversal(signs: Signs | None, rows: JudgedRows, *, ranked: bool = True) -> Reversal | None:
    """Returns the lists of a run that seem to be upside down, or None.

    Scores that are 1, 2, 3 …, or that rise from row to row, may also be the points of a vote, or be written from the
    worst to the best. The rank column decides, or else the places of the relevant documents. If these are near the end
    of most lists, or far too near in some, that is enough, whatever the scores look like.

    Args:
        signs: what was noticed; None if nothing could be inspected.
        rows: the rows of judged documents.
        ranked: whether the run may have a rank column of its own.
    """
    found = None if signs is None else by_shape(signs, rows, ranked=ranked)
    if found is not None:
        return found
    some = min(len(rows.length), max(LISTS, int(np.searchsorted(rows.offsets, ENOUGH))))
    lean = Lean.of(rows if some == len(rows.length) else rows.part(0, some))
    if not (lean.of_all or lean.of_some):
        return None
    if some < len(rows.length):
        lean = Lean.of(rows)
    if second_list_follows(lean, rows):
        return None
    if lean.of_all:
        return Reversal("below", lean.below, lean.lists)
    return Reversal("some", lean.of_lists > FAR, lean.lists) if lean.of_some else None


def second_list_follows(lean: Lean, rows: JudgedRows) -> bool:
    """Returns whether lists lean to the end because a second list was appended: their first half is in good order.

    The same holds for a fusion with a list of low weight, or of weight 0, and where a second stage ranks only the first
    documents again. In a list that is upside down, relevant documents also become more frequent towards the end of its
    first half, or there are none.

    Args:
        lean: the lean of the lists.
        rows: the rows of judged documents.
    """
    return Lean.of(rows, lean.below, until=rows.length // 2).excess < -LOOKING


def by_shape(signs: Signs, rows: JudgedRows, *, ranked: bool) -> Reversal | None:
    """Returns the lists that look upside down, unless relevant documents or ranks show that the highest is best."""
    agree, contradict = signs.accord
    if ranked and agree > contradict:
        return None
    length = signs.length
    several, rising = length >= 2, signs.have(RISING)
    if rising.sum() < MOSTLY * several.sum():
        rising &= length > BY_CHANCE
    for kind, which in (("counting", signs.have(COUNTING, BY_CHANCE + 1)), ("rising", rising)):
        if (length[which] - 1).sum() >= STEPS and Lean.of(rows, which).excess > LOOKING:
            return Reversal(kind, which, int(several.sum()))
    return None


def rising_lists(signs: Signs, rows: JudgedRows) -> int:
    """Returns how many lists have scores that rise from row to row, if nearly all do and nothing justifies it."""
    rising, (agree, contradict) = signs.have(RISING), signs.accord
    lists = int(rising.sum())
    if not lists or lists < MOSTLY * (signs.length >= 2).sum() or (signs.length[rising] - 1).sum() < STEPS:
        return 0
    return 0 if agree > contradict or Lean.of(rows, rising).excess < -LOOKING else lists


def spelled_otherwise(judged: Qrels, run: Run, signs: Signs) -> Iterator[str]:
    """Yields sentences about queries and documents that the run spells differently from the judgments."""
    judgments = judged.judgments
    by_id = not numbered_by_position(run)
    if by_id and signs.extra and (signs.length >= 0).any() and (signs.length < 0).any():
        from carob.inputs.spellings import some_affixed, written_otherwise

        missing = [judgments.queries[each] for each in np.flatnonzero(signs.length < 0)[:MISSING].tolist()]
        mine, its = list(map(text_of, missing)), list(map(text_of, signs.extra))
        pair = written_otherwise(mine, its) or some_affixed(mine, its)
        if pair is not None:
            yield (
                f"{run.name} may have judged queries under other ids, which count as missing: the run writes "
                f"'{pair.ranked}' for '{pair.judged}'; {pair.why}."
            )
    examples = list(signs.examples)
    if not examples and signs.beyond_ascii:
        examples = list(islice(in_other_forms(judgments, run), SEVERAL))
    examples = examples or with_affix(judgments, signs.affixed)
    several = max(len(examples), signs.respelled) >= SEVERAL
    for place, known, other in examples[:1]:
        from carob.inputs.spellings import how_written

        words = {
            "judged": text_of(known),
            "ranked": text_of(other),
            "query": text_of(judgments.queries[place]),
        }
        why = how_written(words["judged"], words["ranked"])
        said = filled(
            "{run} may retrieve judged documents under other ids, which count as unjudged: in query "
            "'{query}' the run writes '{ranked}', the judgments write '{judged}'; {why}.",
            run=run.name,
            why=why,
            **words,
        )
        yield Doubt(said, "spelled-otherwise") if several else said


def with_affix(
    judgments: _native.Judgments, pairs: Sequence[tuple[int, bytes, bytes]]
) -> list[tuple[int, bytes, bytes]]:
    """Returns those pairs of a judged and a ranked document that differ by one affix, if several do, or none."""
    if not pairs:
        return []
    from carob.inputs.spellings import same_affix

    some = range(0, judgments.query_count, 1 + judgments.query_count // MOST_QUERIES)
    judged = [text_of(each) for query in some for each in judgments.documents(query)]
    ids = [(text_of(known), text_of(other)) for _, known, other in pairs]
    return [pairs[each] for each in same_affix(ids, judged)]


def in_other_forms(judgments: _native.Judgments, run: Run) -> Iterator[tuple[int, bytes, bytes]]:
    """Yields judged documents of which the run, among its first rows, has only the same normal form."""
    from carob.inputs.runs.batches import StreamedRun

    if isinstance(run.held, StreamedRun):
        return  # a lazy frame would be computed again
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
