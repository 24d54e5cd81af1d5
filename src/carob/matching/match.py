"""Matches a run with judgments under a policy, and ranks the documents of queries."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import field
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.inputs.errors import refused
from carob.inputs.ids import bytes_of, text_of, texts_of
from carob.inputs.names import Names
from carob.inputs.qrels import Qrels
from carob.inputs.runs import CONSTANT, Extracted, MatchOptions, Wrapper, listing
from carob.inputs.sources import ONE_COUNTS
from carob.inputs.systems import take_one_out
from carob.lists.rows import (
    NEVER_POOLED,
    POOLED,
    Floats,
    Integers,
    JudgedRows,
    refuse_more_than_judged,
)
from carob.matching.axes import (
    arranged,
    at_given_ranks,
    by_group,
    chosen,
    condensed,
    finite_only,
    knowing_retrieved_only,
    ranks_within,
    to_depth,
    without_negative,
)
from carob.matching.signs import FEWEST, Signs, rising_lists
from carob.output.errors import PolicyError, by_policy, worded
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from carob.conventions.policy import Policy
    from carob.inputs.run import Run
    from carob.inputs.runs import Found, Ranked


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts of a match: lines, queries, documents and the decisions of the policy.

    Args:
        queries: evaluated queries.
        judged: queries with judgments.
        missing: the names of judged queries that are missing from the run.
        extra: unjudged queries of the run.
        empty: queries without relevant documents for at least one measure.
        empty_for: the number of queries without relevant documents by the measure's label; empty if there are none.
        tied: queries in which a judged document has the same score as another document.
        duplicates: documents dropped because they occurred twice.
        malformed: unreadable lines that were skipped.
        commented: lines that begin with ``#`` and were left out as comments, although they have the same number of
            columns as other lines.
        negative: judgments with a negative grade.
        unordered: queries whose rows are not sorted by score.
        lines: lines of the run.
        excluded: documents removed from the lists of judged queries, for example because the users had seen these
            items.
        unanswered: judged queries for which the run has a list without documents.
        found: judged documents that the run retrieves.
        relevant_retrieved: retrieved documents with a grade above 0. The measure ``NumRel`` counts all in the
            judgments.
        retrieved: all documents that the run retrieves for judged queries.
        longest: the number of documents in the longest list.
        constant: lists of at least three documents, all with the same score.
        rising: lists whose scores rise from row to row, if nearly all lists do and neither ranks nor relevant documents
            show that the highest score is the best; else 0.
        misranked: compared pairs of documents that a rank column orders differently from the scores.
        infinite: infinite scores.
        perfect: evaluated queries, if every query has the best possible value of every measure, else 0.
        fractions: judgments with a grade between 0 and 1.
        lowest_ratings: judgments with a grade of 1, if no grade is lower and some grades are 4 or more; else 0.
        codes: judgments with a grade of 9, 99 or 999, if there are few and all other grades are far lower, or with a
            grade of -9, -99 or -999, if all other grades are far higher; else 0.
    """

    queries: int = 0
    judged: int = 0
    missing: tuple[str, ...] = ()
    extra: int = 0
    empty: int = 0
    empty_for: dict[str, int] = field(default_factory=dict)
    tied: int = 0
    duplicates: int = 0
    malformed: int = 0
    commented: int = 0
    negative: int = 0
    unordered: int = 0
    lines: int = 0
    excluded: int = 0
    unanswered: int = 0
    found: int = 0
    relevant_retrieved: int = 0
    retrieved: int = 0
    longest: int = 0
    constant: int = 0
    rising: int = 0
    misranked: int = 0
    infinite: int = 0
    perfect: int = 0
    fractions: int = 0
    lowest_ratings: int = 0
    codes: int = 0

    def merge(self, *others: Counts) -> Counts:
        """Adds the counts of all parts of a run."""
        parts = (self, *others)
        found: dict[str, Any] = {
            name: sum(getattr(each, name) for each in parts)
            for name in self.__dict__
            if name not in ("missing", "empty_for", "longest")
        }
        found["longest"] = max(each.longest for each in parts)
        labels = dict.fromkeys(label for each in parts for label in each.empty_for)
        empty_for = {label: sum(each.empty_for.get(label, 0) for each in parts) for label in labels}
        missing = sorted((query for each in parts for query in each.missing), key=bytes_of)
        return Counts(**found, missing=tuple(missing), empty_for=empty_for)

    def as_dict(self) -> dict[str, Any]:
        """Returns all counts by name."""
        return {**self.__dict__, "missing": list(self.missing)}


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """A run matched with judgments.

    Args:
        queries: the evaluated queries, in byte order.
        rows: the judged rows of these queries.
        counts: the counts of the match.
        missing: whether each query is missing from the run [queries].
        whole: the rows before the rules for ties, depth and unjudged documents are applied.
        signs: suspicious signs that the kernel found in the run; None without a run or for a run in an engine.
    """

    queries: Names
    rows: JudgedRows
    counts: Counts
    missing: NDArray[np.bool_] = field(repr=False)
    whole: JudgedRows = field(repr=False)
    signs: Signs | None = field(default=None, repr=False)

    def only(self, kept: NDArray[np.bool_]) -> Match:
        """Restricts the match to some of the queries."""
        if kept.all():
            return self
        return replace(
            self,
            queries=self.queries.chosen(kept),
            rows=chosen(self.rows, kept),
            counts=replace(self.counts, queries=int(kept.sum())),
            missing=self.missing[kept],
            whole=chosen(self.whole, kept),
            signs=self.signs and self.signs.only(kept),
        )


@dataclass(frozen=True, eq=False, repr=False)
class MatchedOnce(Wrapper):
    """A run that is read once for each order of documents, even if it is matched several times.

    Args:
        held: the run's source.
        found: the cached results.
    """

    found: dict[Any, Found] = field(default_factory=dict)

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents, from memory if this order was matched before.

        Raises:
            DataError: the run's source cannot be read.
        """
        policy = options.policy
        order = (options.rule, options.float32, options.duplicates, options.scores)
        depth = policy.depth if options.duplicates == "keep" else None
        key = (judgments, order, policy.malformed, policy.columns, depth, policy.listing)
        # Cached rows of all judged documents also serve a request for relevant documents only.
        known = self.found.get((*key, False)) or self.found.get((*key, options.relevant_only))
        if known is None:
            known = self.found[(*key, options.relevant_only)] = self.held.match(judgments, options)
        return known


def match(
    qrels: Qrels,
    run: Run,
    policy: Policy,
    progress: _native.Progress | None = None,
    *,
    scores: bool = False,
    relevant_only: bool = False,
    threads: int | None = None,
) -> Match:
    """Reduces a run to its judged rows, under a policy.

    With ``scores``, the rows contain all scores, for measures that compare documents of different queries. With
    ``relevant_only``, documents with a grade of 0 or less have no rows, unless the policy or the source requires them.
    The kernel uses ``threads`` threads; if None, one per core.

    Raises:
        DataError: the judgments are a sample; or there are duplicates, missing queries, ties or negative grades that
            the policy treats as errors.
    """
    judgments = qrels.complete.judgments
    by_rank = policy.ranks == "given" and run.held.by_rank
    if by_rank and scores:
        raise refused(
            "Measures that compare scores across queries cannot be used with ranks=given, since a run of ranks has no "
            "scores. Choose ranks=counted.",
            error=PolicyError,
        )
    every_score = scores or by_rank or policy.retrieved == "finite"
    few = relevant_only and not every_score and qrels.subtopics is None and ranks_alone(policy)
    options = MatchOptions(policy, progress=progress, scores=every_score, relevant_only=few, cores=threads)
    found = run.match(judgments, options)
    shortened = found if found.relevant_only else None
    if policy.duplicates == "error":
        refuse_duplicates(run, judgments, found, policy)
    rows = rows_of(judgments, found)
    if qrels.subtopics is not None:
        rows = replace(rows, document=found.judgment)
    if every_score:
        rows = replace(rows, scores=found.scores)
    if by_rank:
        rows = at_given_ranks(rows, run.name)
    counts = Counts(
        judged=len(qrels.names),
        extra=len(found.extra),
        duplicates=found.dropped,
        malformed=found.malformed + judgments.malformed,
        commented=sum(
            getattr(each, "commented", 0) for each in (judgments, found)
        ),  # engines have no comment lines
        unordered=found.unordered,
        lines=found.line_count,
        excluded=getattr(found, "excluded", 0),
        unanswered=int(np.count_nonzero(found.length == 0)),
        found=0 if shortened is None else int(shortened.judged.sum()),
        retrieved=int(rows.length.sum()),
        longest=int(rows.length.max(initial=0)),
        fractions=qrels.fractions,
        lowest_ratings=qrels.doubtful[0],
        codes=qrels.doubtful[1],
    )
    signs = Signs.of(found)
    if signs is not None:
        constant = int(np.count_nonzero(signs.have(CONSTANT, FEWEST)))
        rising = 0 if run.meant else rising_lists(signs, rows)
        misranked = 0 if run.meant else signs.accord[1]
        counts = replace(
            counts, constant=constant, rising=rising, misranked=misranked, infinite=signs.infinite
        )
    elif (
        isinstance(found, Extracted) and found.constant is not None
    ):  # an engine has no order of rows, so only these counts are available
        constant = int(np.count_nonzero(found.constant & (found.length >= FEWEST)))
        counts = replace(counts, constant=constant, infinite=found.infinite)
    first_tie = None if shortened is None else shortened.first_tie.copy()
    retrieved = found.length >= 0
    del found, shortened  # they need as much memory as the rows
    every = partial(every_row, judgments, run, policy) if policy.listing == "known" else None
    decided = decide(qrels.names, rows, retrieved, counts, policy, run.name, every, first_tie, signs)
    if not scores:
        rows, whole = (replace(each, scores=None) for each in (decided.rows, decided.whole))
        decided = replace(decided, rows=rows, whole=whole)
    return decided if qrels.subtopics is None else with_groups(decided, qrels, policy)


def ranks_alone(policy: Policy) -> bool:
    """Returns whether documents judged not relevant can be left out without changing measures of relevant documents."""
    return (
        policy.ties != "expected"
        and policy.judgments == "all"
        and policy.unjudged != "removed"
        and policy.listing == "ignored"
    )


def with_groups(found: Match, qrels: Qrels, policy: Policy) -> Match:
    """Repeats the lists of a match for each judgment group.

    If ties were reordered by overall grade, it is unknown which documents the rows are, so no lists by group are added.
    """
    whole = replace(found.whole, document=None)
    if qrels.subtopics is None or found.rows.document is None:
        return replace(found, whole=whole)
    number = {query: place for place, query in enumerate(qrels.judgments.queries)}
    groups = by_group(
        found.rows,
        found.rows.document,
        np.array([number[query] for query in found.queries], np.int64),
        qrels.subtopics,
        negative=policy.negative,
        judgments=policy.judgments,
    )
    return replace(found, rows=replace(found.rows, document=None, by_group=groups), whole=whole)


def match_judged_ranking(qrels: Qrels, policy: Policy) -> Match:
    """Uses the judgments as the ranking; their file lists documents in rank order."""
    judgments = qrels.judgments
    rank = ranks_within(judgments.offsets)
    rows = in_order(judgments.offsets, rank, judgments.grades, judgments.offsets, judgments.grades)
    counts = Counts(judged=len(qrels.names), malformed=judgments.malformed, lines=judgments.line_count)
    everywhere = np.ones(len(qrels.names), bool)
    return decide(qrels.names, rows, everywhere, counts, policy, qrels.name)


def match_grades(
    grades: list[list[float | None]], judged: list[list[float | None]] | None, policy: Policy
) -> Match:
    """Matches lists of grades in rank order (None for unjudged documents) with all judged grades of each query.

    Without ``judged``, the grades in each list are also the judgments of its query.

    Raises:
        DataError: a grade is not a number, the numbers of lists differ, or a list has more relevant documents than were
            judged.
    """
    pools = grades if judged is None else judged
    if len(pools) != len(grades):
        raise refused(
            "There are {lists} ranked lists but {pools} lists of judged grades.",
            lists=len(grades),
            pools=len(pools),
        )
    flat, full = end_to_end(grades, "Ranked list")
    pool, pool_offsets = without_none(*end_to_end(pools, "List of judged grades"))
    rank = ranks_within(full)[~np.isnan(flat)]
    flat, offsets = without_none(flat, full)
    rows = replace(in_order(offsets, rank, flat, pool_offsets, pool), length=np.diff(full).astype(np.float64))
    if judged is not None and policy.judgments == "all":
        refuse_more_than_judged(rows.list_of_row, rows.grade, rows.list_of_judgment, rows.judged_grades)
    queries = Names.of(map(str, range(1, len(grades) + 1)))
    everywhere = np.ones(len(queries), bool)
    return decide(queries, rows, everywhere, Counts(judged=len(queries)), policy, "grades")


def in_order(
    offsets: Integers, rank: Floats, grade: Floats, judged_offsets: Integers, judged_grades: Floats
) -> JudgedRows:
    """Returns the rows of lists that are given in rank order, without ties."""
    length = np.diff(offsets).astype(np.float64)
    return JudgedRows(length, offsets, rank, grade, rank, rank, judged_offsets, judged_grades)


def rows_of(judgments: _native.Judgments, found: Found) -> JudgedRows:
    """Converts the kernel's rows and adds their grades; the policy is applied later."""
    return JudgedRows(
        length=np.maximum(found.length, 0).astype(np.float64),
        offsets=found.offsets.copy(),  # a view would keep the kernel's columns in memory
        rank=found.rank.astype(np.float64),
        grade=judgments.grades[found.judgment],
        tie_first=found.tie_first.astype(np.float64),
        tie_last=found.tie_last.astype(np.float64),
        judged_offsets=judgments.offsets,
        judged_grades=judgments.grades,
    )


def every_row(judgments: _native.Judgments, run: Run, policy: Policy, rows: JudgedRows) -> JudgedRows:
    """Extends the lists to one row for every document, and adds each document's position in the run."""
    lines = listing(run.held, set(judgments.queries), last=policy.duplicates == "last")
    named: dict[str, dict[str, int | float]] = {
        text_of(query): dict.fromkeys(lines.get(query, ()), 0) for query in judgments.queries
    }
    everything = _native.judgments_from_mapping(named)
    found = run.match(everything, MatchOptions(policy))
    grade, document = np.full(len(found.rank), NEVER_POOLED), np.full(len(found.rank), -1)
    places = found.offsets[rows.list_of_row] + rows.rank.astype(np.int64) - 1
    grade[places] = rows.grade
    if rows.document is not None:
        document[places] = rows.document
    starts = np.repeat(everything.offsets[:-1], np.diff(found.offsets))
    listed = (found.judgment - starts + 1).astype(np.float64)
    every = rows_of(everything, found)
    return replace(
        rows,
        offsets=every.offsets,
        rank=every.rank,
        grade=grade,
        tie_first=every.tie_first,
        tie_last=every.tie_last,
        listed=listed,
        document=None if rows.document is None else document,
    )


def decide(
    queries: Names,
    rows: JudgedRows,
    retrieved: NDArray[np.bool_],
    counts: Counts,
    policy: Policy,
    name: str,
    every: Callable[[JudgedRows], JudgedRows] | None = None,
    first_tie: Integers | None = None,
    signs: Signs | None = None,
) -> Match:
    """Applies all policy settings in the right order, and counts the affected queries and documents.

    Args:
        queries: the judged queries.
        rows: the judged rows.
        retrieved: whether the run contains each query [queries].
        counts: the counts so far. They include ``found`` if only relevant documents have rows.
        policy: the policy.
        name: the name of the run.
        every: a function that adds a row for every document, or None.
        first_tie: for each query, the first rank that a judged document shares with another document, or 0 [queries];
            None to compute it from the rows.
        signs: suspicious signs that the kernel found.

    Raises:
        DataError: as in ``match``.
    """
    negative = int((rows.judged_grades < 0).sum())
    if negative and policy.negative == "error":
        raise refused(
            "{count:judgment has/judgments have} a negative grade, which the policy forbids (negative=error).",
            count=negative,
        )
    rows = without_negative(rows, policy.negative)
    if policy.judgments == "retrieved":
        rows = knowing_retrieved_only(rows)
    if policy.retrieved == "finite" and rows.scores is not None:
        rows = finite_only(rows)
    counts = replace(
        counts, found=counts.found or len(rows.grade), relevant_retrieved=int((rows.grade > 0).sum())
    )
    first_tie = first_ties(rows) if first_tie is None else first_tie
    tied = (first_tie > 0) & (first_tie <= (policy.depth or np.inf))
    if tied.any() and policy.ties == "error":
        query = text_of(queries[int(tied.argmax())])
        raise refused(
            "query '{query}' has a judged document whose score equals another document's, which the policy forbids "
            "(ties=error).",
            file=name,
            query=query,
        )
    whole = rows = rows if every is None else every(rows)
    if policy.ties in ("optimistic", "pessimistic"):
        rows = arranged(rows, policy.ties)
    rows = finished(rows, policy)
    if policy.missing == "nan":
        # If the mean of no values is undefined, an empty list counts as missing (Ragas, LensKit).
        retrieved = retrieved & (whole.length > 0)
    missing = tuple(text_of(queries[each]) for each in np.flatnonzero(~retrieved).tolist())
    # If all queries are missing, ``refuse_empty`` reports more clearly that the run is empty.
    empty = policy.overlap != "none" and not counts.extra and not retrieved.any()
    if missing and policy.missing == "error" and not empty:
        rule = by_policy("missing", "zero", "skip")
        lacking: dict[str, Any] = {"count": len(missing), "judged": len(queries), "rule": rule}
        raise refused(
            "the run lacks {count} of {judged} judged queries, starting with '{query}'.",
            "Complete it, or choose {rule}.",
            file=name,
            query=missing[0],
            **lacking,
        )
    counts = replace(counts, queries=len(queries), missing=missing, tied=int(tied.sum()), negative=negative)
    found = Match(queries, rows, counts, ~retrieved, whole, signs)
    return found.only(retrieved) if policy.missing == "skip" else found


def first_ties(rows: JudgedRows) -> Integers:
    """Returns, for each list, the first rank that a judged document shares with another document, or 0."""
    # If an element is assigned several times, the last assignment counts. In reverse order, that is the first tie.
    tied = np.flatnonzero(rows.tie_last > rows.tie_first)[::-1]
    first = np.zeros(len(rows.length), np.int64)
    first[rows.list_of_row[tied]] = rows.tie_first[tied]
    return first


def finished(rows: JudgedRows, policy: Policy) -> JudgedRows:
    """Cuts the rows at the depth, and removes unjudged documents if the policy requires it."""
    rows = to_depth(rows, policy.depth)
    return condensed(rows) if policy.unjudged == "removed" else rows


SEVERAL, JOINED = 10, 0.2
"""The minimum number and the minimum share of repeated documents that suggest two runs in one file."""
TWO_RUNS = (
    "{count:,} documents occur twice, as if two runs had been joined: if so, pass each as a separate run. "
    "Otherwise: "
)


def refuse_duplicates(run: Run, judgments: _native.Judgments, found: Found, policy: Policy) -> None:
    """Refuses a document that occurs twice within the depth of one list."""
    for query, document, *lines, rank, other in found.duplicates:
        if max(rank, other) > (policy.depth or np.inf):
            continue
        name = run.origin.path or (run.name if run.source is None else run.source.name)
        ids = {"query": judgments.queries[query], "document": document}
        what = "document '{document}' is listed twice for query '{query}'"
        how = {}
        if run.origin.systems:
            how = {"remedy": take_one_out(run.origin)}
        elif len(found.duplicates) >= max(SEVERAL, JOINED * int(np.maximum(found.length, 0).sum())):
            how = {"remedy": worded(filled(TWO_RUNS, count=len(found.duplicates)), ONE_COUNTS)}
        raise run.origin.twice(name, what, lines, ids, of_run=True, **how)


def end_to_end(lists: list[list[Any]], what: str) -> tuple[Floats, Integers]:
    """Concatenates lists of grades, with NaN for None. Returns the grades and the start of each list."""
    for number, each in enumerate(lists, 1):
        for place, grade in enumerate(each, 1):
            if grade is not None and (not isinstance(grade, Real) or not math.isfinite(grade)):
                raise refused(
                    "{what} number {number} has {grade!r} at position {place}.",
                    "A grade is a number, or None for an unjudged document.",
                    what=what,
                    number=number,
                    grade=grade,
                    place=place,
                )
    offsets = np.append(0, np.cumsum([len(each) for each in lists])).astype(np.int64)
    return np.array([grade for each in lists for grade in each], np.float64), offsets


def without_none(values: Floats, offsets: Integers) -> tuple[Floats, Integers]:
    """Removes NaN values from concatenated lists."""
    there = ~np.isnan(values)
    return values[there], np.append(0, np.cumsum(there))[offsets]


@dataclass(frozen=True)
class Ranking:
    """The documents of one query in rank order.

    Args:
        documents: the ids of the documents, in rank order.
        scores: the scores of the documents; empty if there are only ranks.
    """

    documents: tuple[str, ...]
    scores: tuple[float, ...] = ()


def of_query(qrels: Qrels, query: int) -> Qrels:
    """Returns the judgments of a single query."""
    return Qrels(qrels.name, qrels.judgments.only(query))


def keeps_order(policy: Policy) -> bool:
    """Returns whether a match keeps all documents in the order of ``RunSource.rankings``."""
    moving = policy.ties in ("optimistic", "pessimistic", "expected") or policy.ranks == "given"
    return not moving and policy.unjudged != "removed"


def rankings_of(
    several: Sequence[Qrels],
    run: Run,
    policy: Policy,
    grades: Sequence[Sequence[float]],
    depth: int | None = None,
) -> list[Ranking]:
    """Returns the ranked documents of some queries of a run under the policy.

    Args:
        several: the judgments, in a separate object for each query.
        run: the run, which is read once.
        policy: the policy of the match.
        grades: the grade at each rank of each query in the match, which shows which documents the policy moved within a
            tie or dropped.
        depth: the number of top documents to read if the policy keeps their order; None for all.
    """
    queries = [query for each in several for query in each.judgments.queries]
    ranked = run.held.rankings(queries, MatchOptions(policy), depth if keeps_order(policy) else None)
    return [as_matched(*each, policy) for each in zip(several, ranked, grades, strict=True)]


def as_matched(qrels: Qrels, ranked: Ranked, grades: Sequence[float], policy: Policy) -> Ranking:
    """Puts the documents of ``RunSource.rankings`` in the order of the match. For arguments, see ``rankings_of``."""
    ids, scores = ranked
    if keeps_order(policy):
        count = min(len(ids), len(grades))
        return Ranking(tuple(texts_of(ids[:count])), tuple(scores[:count]))
    grade_of = judged_grades(qrels, policy)
    own = [grade_of.get(document, NEVER_POOLED) for document in ids]
    if policy.unjudged == "removed":
        kept = [place for place, grade in enumerate(own) if grade >= 0]
        ids, scores = [ids[place] for place in kept], [scores[place] for place in kept]
        own = [own[place] for place in kept]
    count = min(len(ids), len(grades))
    return Ranking(tuple(texts_of(as_moved(ids, scores, own, grades)[:count])), tuple(scores[:count]))


def as_moved(ids: list[bytes], scores: list[float], own: list[float], grades: Sequence[float]) -> list[bytes]:
    """Returns the documents, with tied documents in the order that the policy chose."""
    moved = {score for score, mine, grade in zip(scores, own, grades) if mine != grade}
    if not moved:
        return ids
    waiting: dict[tuple[float, float], deque[bytes]] = defaultdict(deque)
    for document, score, grade in zip(ids, scores, own):
        if score in moved:
            waiting[score, grade].append(document)
    return [
        waiting[score, grade].popleft() if score in moved else document
        for document, score, grade in zip(ids, scores, grades)
    ]


def judged_grades(qrels: Qrels, policy: Policy) -> dict[bytes, float]:
    """Returns the grade of each judged document, with negative grades treated as the policy requires."""
    judgments = qrels.judgments
    negative = 0.0 if policy.negative == "nonrelevant" else POOLED
    grades = [grade if grade >= 0 else negative for grade in judgments.grades.tolist()]
    return dict(zip(judgments.documents(0), grades))
