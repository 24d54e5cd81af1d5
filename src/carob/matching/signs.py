"""Signs that a run does not hold what it is taken for: ranks or distances as scores, ids in another spelling."""

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
    from carob.conventions.policy import Policy
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
OFTEN = 0.1
"""The share of pairs in another order from which on a column of ranks contradicts the scores."""
ROWS = 200_000
"""The most rows of a run to inspect."""
MISSING, EXTRA, SPELLED = 200, 500, 20_000
"""The most queries that only one side has, and the most rows of a run, whose spelling is compared."""


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


def signs_of(judged: Qrels, run: Run, signs: Signs, rows: JudgedRows, policy: Policy) -> Iterator[str]:
    """Yields sentences about a run that may be upside down, or whose ids may be spelled otherwise.

    Raises:
        DataError: the caller named the column for scores, and it contains ranks.
    """
    turned = upside_down(run, signs, rows)
    agree, contradict = signs.accord
    if turned:
        yield turned
    elif contradict > max(1, OFTEN * (agree + contradict)):
        yield say("signs", "ranks", run=run.name, contradict=contradict, total=agree + contradict)
    if policy.overlap != "none" and signs.met:
        yield from spelled_otherwise(judged, run, signs)


def upside_down(run: Run, signs: Signs, rows: JudgedRows) -> str | None:
    """Returns a sentence if the scores look like ranks or distances, of which the lowest is the best; else None.

    Raises:
        DataError: the caller named the column for scores, and it contains ranks.
    """
    if run.doubted is not None and signs.mostly_count and are_ranks(signs, rows):
        raise refused("counts-up", file=run.name, column=run.doubted, remedy=rank_or_score(run.doubted))
    kind = turned(signs, rows)
    if kind is None:
        return None
    lists = int((signs.length >= 2).sum())
    return say("signs", kind, run=run.name, count=int(signs.have(RISING).sum()), total=lists)


def turned(signs: Signs, rows: JudgedRows, *, ranked: bool = True) -> str | None:
    """Returns ``counting`` if the scores seem to be ranks, ``rising`` if they seem to be distances, else None.

    Lists in order of score are as their scores say. In others, scores 1, 2, 3 … may be ranks, or the points of a vote:
    the column of ranks tells, or else whether the relevant documents are at the top.

    Args:
        signs: what was noticed.
        rows: the rows of judged documents.
        ranked: whether the run has a rank column of its own.
    """
    agree, contradict = signs.accord
    if ranked and agree > contradict:
        return None
    length, counting = signs.length, signs.have(COUNTING, FEWEST)
    if signs.mostly_count and (length[counting] - 2).sum() >= STEPS and not at_the_top(rows, counting):
        return "counting"
    rising, several = signs.have(RISING), length >= 2
    if not rising.any() or rising.sum() < MOSTLY * several.sum() or (length[rising] - 1).sum() < RISES:
        return None
    return None if at_the_top(rows, rising) else "rising"


def are_ranks(signs: Signs, rows: JudgedRows) -> bool:
    """Returns whether numbers 1, 2, 3 … that are named as scores may be ranks, as if they rise from row to row."""
    counting = signs.have(COUNTING, FEWEST)
    return bool(signs.have(RISING)[counting].all()) or not at_the_top(rows, counting)


def at_the_top(rows: JudgedRows, which: NDArray[np.bool_]) -> bool:
    """Returns whether the relevant documents of some lists are nearer to the top than chance puts them.

    The mean place of documents in a random order, as a share of the list, is 0.5. The mean of n such places has the
    standard deviation 1 / sqrt(12 n).
    """
    mine = which[rows.list_of_row] & (rows.grade > 0)
    if not mine.any():
        return False
    places = (rows.rank[mine] - 0.5) / rows.length[rows.list_of_row[mine]]
    return bool(places.mean() < 0.5 - (12 * len(places)) ** -0.5)


def spelled_otherwise(judged: Qrels, run: Run, signs: Signs) -> Iterator[str]:
    """Yields sentences about queries and documents that the run spells otherwise than the judgments."""
    from carob.inputs.spellings import how_written, written_otherwise

    judgments = judged.judgments
    if signs.extra and (signs.length >= 0).any():
        missing = [judgments.queries[each] for each in np.flatnonzero(signs.length < 0)[:MISSING].tolist()]
        pair = written_otherwise(list(map(text_of, missing)), list(map(text_of, signs.extra)))
        if pair is not None:
            yield say("signs", "query", run=run.name, judged=pair.judged, ranked=pair.ranked, why=pair.why)
    examples = list(signs.examples)
    if not examples and signs.beyond_ascii:
        examples = list(islice(in_other_forms(judgments, run), 1))
    for place, known, other in examples[:1]:
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
