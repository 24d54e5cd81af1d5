"""Detects suspicious runs: ranks or distances used as scores, ids in another spelling."""

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
    "counting": "{run}: the scores are 1, 2, 3 … or other equal steps in {count:,} of {total:list}, like ranks, but "
    "the highest score comes first: if the scores are ranks, {these} upside down. Write scores that decrease from the "
    "first document to the last.",
    "rising": "{run}: the scores rise from row to row in {count:,} of {total:list}, like ranks or distances, but the "
    "highest score comes first: if the scores are ranks or distances, {these} upside down. Write the negated values "
    "as scores.",
    "below": "{run}: relevant documents are nearer to the end than to the top in {count:,} of {total:list}, far more "
    "than by chance, and the highest score comes first: if the lowest is the best, as with ranks or distances, every "
    "list is upside down. Write the negated scores.",
    "some": "{run}: relevant documents are far nearer to the end than by chance in {count:,} of {total:list}, such as "
    "the list of query '{query}', but not in the others, and the highest score comes first: if these lists, "
    "perhaps from one shard, have ranks or distances as scores, they are upside down. Write the negated scores there.",
}
"""The sentences about lists that seem to be upside down, by the kind of evidence."""
RISING, COUNTING = 2, 4
"""Bits of the kernel's signs of a list: scores that rise from row to row, and scores that are 1, 2, 3 …."""
FEWEST = 3
"""Lists with fewer documents than this do not count as constant."""
STEPS = 10
"""Ranks or distances are suspected only if all lists together have this many steps from one score to the next."""
MOSTLY = 0.9
"""If at least this share of lists has rising scores, the order counts as intended, not as an accident."""
BY_CHANCE = 4
"""Lists of up to this many documents may look upside down by chance. If rows are written with relevant documents first,
exactly the lists with wrong scores count 1, 2, 3 … or rise from row to row."""
LOOKING = 2.0
"""Scores that look like ranks or distances are suspicious if relevant documents are lower than by chance by this many
standard deviations. In files sorted from worst to best, the scores of random lists look like ranks or distances as
well, and so do the points of a vote. At most one in 25 of such lists is suspected (tested)."""
ALONE, SOME = 3.5, 3.5
"""The same threshold for other scores, if all lists or only some lists lean towards the end."""
BELOW, LISTS = 2 / 3, 3
"""The minimum share of lists that are better upside down, and the minimum number of lists, to suspect other scores."""
FAR = 1.0
"""If only some lists are upside down, these are the lists with a lean above this value."""
ENOUGH = 10_000
"""The approximate number of rows inspected first to see whether lists are upside down."""
ROWS = 200_000
"""The maximum number of rows of a run to inspect."""
MOST_QUERIES = 64
"""The maximum number of queries whose judged documents are used to find usual affixes."""
SEVERAL = 3
"""The minimum number of respelled documents that shows a broken run. A single one may be a different document."""
MISSING, EXTRA, SPELLED = 200, 500, 20_000
"""The maximum numbers of missing queries, of extra queries, and of rows of a run whose spelling is compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Signs:
    """Signs of faults that the kernel found in a run while matching it.

    Args:
        length: the number of documents of each query; -1 for a query that is missing from the run [queries].
        lists: the signs of each query's list [queries].
        infinite: the number of infinite scores.
        accord: the numbers of document pairs that the rank column orders as the scores do, and differently.
        respelled: the number of relevant documents, among those searched for, that were found only in another spelling.
        examples: the first respelled documents: the query's number, the judged document, and the retrieved document.
        affixed: for some queries, pairs of a relevant document that was not retrieved and an unjudged document, where
            one id contains all words of the other, in the form of ``examples``.
        beyond_ascii: whether some ids contain characters beyond ASCII, blanks, or ``%``.
        met: whether a judged document was retrieved.
        extra: some queries that only the run contains, if judged queries are missing from it; else empty.
        tag: the tag in the last line of a text.
        strangers: some queries that only the run contains.
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
        """Returns the signs in a match, or None for a match in an engine, which does not process whole lists."""
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
        """Returns a mask of the lists that have a sign and at least ``fewest`` documents."""
        return np.asarray((self.lists & sign).astype(bool) & (self.length >= fewest))


@dataclass(frozen=True, eq=False)
class Lean:
    """How far relevant documents lean towards the end of the lists, as they do if the lists are upside down.

    For each list, Σ grade · place is compared with its mean over all orders of the list, in standard deviations: a
    linear rank test. All lists have the same weight (Stouffer). Lists without relevant documents and lists whose grades
    are all equal do not count.

    Args:
        of_lists: the lean of each list: how much nearer to its end relevant documents are than by chance, in standard
            deviations; negative if they are nearer to the top, and NaN if the list does not count.
        lists: the number of lists that count.
        upside_down: the number of lists that would be better upside down.
        sum: the sum of the leans of the lists that count.
        squares: the sum of the squares of the positive leans.
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
        """Measures the lean of some or all lists. Tied documents share the mean of their places.

        The variance is that of a list without ties, which is the largest possible variance.

        Args:
            rows: the rows of judged documents.
            which: a mask of the lists; None for all.
            until: the number of documents at the top of each list that count; None for all [lists].
        """
        length = rows.length if until is None else until
        if which is not None:
            length = np.where(which, length, 0.0)
        return cls(*_native.leans(rows.grade, rows.tie_first, rows.tie_last, rows.offsets, length))

    @property
    def below(self) -> NDArray[np.bool_]:
        """A mask of the lists that would be better upside down."""
        return self.of_lists > 0

    @property
    def excess(self) -> float:
        """How much nearer to the end relevant documents are than by chance, over all lists, in standard deviations."""
        return self.sum / self.lists**0.5 if self.lists else 0.0

    @property
    def of_all(self) -> bool:
        """Whether the lean is sufficient evidence that all lists are upside down."""
        return self.lists >= LISTS and self.excess >= ALONE and self.upside_down >= BELOW * self.lists

    @property
    def of_some(self) -> bool:
        """Whether the lean is sufficient evidence that some lists are upside down.

        Σ max(z, 0)² over n lists in random order has a mean of n / 2 and a variance of 5 n / 4, because z is nearly
        normal.
        """
        excess = self.squares - self.lists / 2
        return self.lists >= LISTS and excess >= SOME * (1.25 * self.lists) ** 0.5


@dataclass(frozen=True, eq=False)
class Reversal:
    """Lists whose lowest scores seem to be the best.

    Args:
        kind: the evidence: the scores are ``counting`` 1, 2, 3 …, as ranks do, or ``rising`` from row to row, as
            distances do; or only the places of relevant documents are evidence, in all lists (``below``) or in a few
            (``some``).
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
    """Returns a sentence if the scores seem to be ranks or distances, of which the lowest is the best, else None.

    Args:
        run: the run.
        signs: the signs in the run; None if the run could not be inspected.
        rows: the run's rows of judged documents.
        queries: the query of each list.

    Raises:
        DataError: the column that the caller named for scores contains ranks.
    """
    found = reversal(signs, rows, ranked=run.doubted is None)
    if found is None:
        return None
    if found.kind == "counting" and run.doubted is not None:
        raise refused(
            "the values of column '{column}' are 1, 2, 3 … or other equal steps in each list, like ranks, which turn "
            "each list upside down if they are used as scores.",
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

    Scores that are 1, 2, 3 …, or that rise from row to row, may also be the points of a vote, or rows may be written
    from worst to best. The rank column or, without one, the places of the relevant documents decide. If relevant
    documents are near the end of most lists, or very near the end in some, that is sufficient evidence, whatever the
    scores look like.

    Args:
        signs: the signs in the run; None if the run could not be inspected.
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
    """Returns whether lists lean to the end because a second list was appended, so their first half is in good order.

    The first half is also in good order in a fusion with a list of low or zero weight, or if a second stage reranks
    only the first documents. In a list that is upside down, relevant documents become more frequent towards the end of
    the first half, or the first half contains none.

    Args:
        lean: the lean of the lists.
        rows: the rows of judged documents.
    """
    return Lean.of(rows, lean.below, until=rows.length // 2).excess < -LOOKING


def by_shape(signs: Signs, rows: JudgedRows, *, ranked: bool) -> Reversal | None:
    """Returns lists whose scores look upside down, unless relevant documents or ranks show that the highest is best."""
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
    """Returns the number of lists whose scores rise from row to row, or 0 if not nearly all do or it is justified."""
    rising, (agree, contradict) = signs.have(RISING), signs.accord
    lists = int(rising.sum())
    if not lists or lists < MOSTLY * (signs.length >= 2).sum() or (signs.length[rising] - 1).sum() < STEPS:
        return 0
    return 0 if agree > contradict or Lean.of(rows, rising).excess < -LOOKING else lists


def spelled_otherwise(judged: Qrels, run: Run, signs: Signs) -> Iterator[str]:
    """Yields sentences about ids of queries and documents that the run spells differently from the judgments."""
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
            "'{query}' the run has '{ranked}' where the judgments have '{judged}'; {why}.",
            run=run.name,
            why=why,
            **words,
        )
        yield Doubt(said, "spelled-otherwise") if several else said


def with_affix(
    judgments: _native.Judgments, pairs: Sequence[tuple[int, bytes, bytes]]
) -> list[tuple[int, bytes, bytes]]:
    """Returns the pairs of a judged and a ranked document that differ by the same affix, if there are several."""
    if not pairs:
        return []
    from carob.inputs.spellings import same_affix

    some = range(0, judgments.query_count, 1 + judgments.query_count // MOST_QUERIES)
    judged = [text_of(each) for query in some for each in judgments.documents(query)]
    ids = [(text_of(known), text_of(other)) for _, known, other in pairs]
    return [pairs[each] for each in same_affix(ids, judged)]


def in_other_forms(judgments: _native.Judgments, run: Run) -> Iterator[tuple[int, bytes, bytes]]:
    """Yields judged documents that occur in the run's first rows only under another id with the same normal form."""
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
    """Yields the first rows of a run, for some or all queries, as far as the run can be read again."""
    with suppress(DataError, ValueError):
        yield from islice(run.held.rows(queries), most)
