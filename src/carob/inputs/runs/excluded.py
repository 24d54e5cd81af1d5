"""Excludes documents from a run, such as the items of a training set, before the run is ranked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.inputs.qrels import Qrels
from carob.inputs.runs import Extracted, Wrapper
from carob.inputs.sources import fields_of, kept, source_of
from carob.lists.rows import offsets_of
from carob.output.errors import DataError, NoSuchColumnsError, NothingError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from carob.inputs.runs import Found, MatchOptions, Ranked, Row, RunSource
    from carob.inputs.sources import Provenance

NOBODY = b" \xff"
"""The id of a document that no run contains. It keeps a query that would otherwise have no judgments."""


@dataclass(frozen=True, eq=False, repr=False)
class ExcludingRun(Wrapper):
    """A run from which some documents of each query are excluded.

    The excluded documents are first matched as if they were judged, to find their ranks. Then they are removed, and the
    documents below them move up. This works for text, frames, streams and engines.

    Args:
        held: the source of the run.
        seen: the excluded documents, by query.
        source: the provenance of the excluded documents, for a record.
    """

    seen: dict[bytes, frozenset[bytes]]
    source: Provenance

    @property
    def origin(self) -> Provenance:
        """The run's provenance, including that of the excluded documents."""
        its = self.held.origin
        return replace(its, columns=(*its.columns, ("exclude", self.source)))

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents that are not excluded.

        Raises:
            PolicyError: the policy has ``listing=known``, which depends on every row of the run, or ``ranks=given``
                with a run of ranks, so no document could move up.
        """
        if options.policy.ranks == "given" and self.by_rank:
            raise refused(
                "exclude cannot be combined with ranks=given: excluding a document would move the documents below it "
                "up, but given ranks do not change. Choose ranks=counted.",
                error=PolicyError,
            )
        if options.policy.listing == "known":
            raise refused(
                "exclude cannot be combined with listing=known, which depends on every row of the run.",
                error=PolicyError,
            )
        queries, documents, grades, left_out, judgment = [], [], [], [], []
        for place, query in enumerate(judgments.queries):
            judged, seen = judgments.documents(place), self.seen.get(query, frozenset())
            more = sorted(seen.difference(judged)) or ([] if judged else [NOBODY])
            start = int(judgments.offsets[place])
            queries += [query] * (len(judged) + len(more))
            documents += [*judged, *more]
            grades += [*judgments.grades[start : start + len(judged)].tolist(), *[0.0] * len(more)]
            left_out += [*(each in seen for each in judged), *[True] * len(more)]
            judgment += [*range(start, start + len(judged)), *[-1] * len(more)]
        wider = _native.judgments_from_rows(queries, documents, np.array(grades, np.float64))
        found = self.held.match(wider, replace(options, relevant_only=False))
        again = self.duplicates(found, judgments)
        return moved_up(found, np.array(left_out, bool), np.array(judgment, np.int64), again)

    def duplicates(self, found: Found, judgments: _native.Judgments) -> list[Any]:
        """Returns the entries for documents that occur twice and are not excluded."""
        seen = {place: self.seen.get(query, frozenset()) for place, query in enumerate(judgments.queries)}
        return [each for each in found.duplicates if each[1] not in seen[each[0]]]

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with the scores by which the documents are ordered."""
        found: list[Ranked] = []
        for query, its in zip(queries, self.held.rankings(queries, options), strict=True):
            seen = self.seen.get(query, frozenset())
            rows = [each for each in zip(*its, strict=True) if each[0] not in seen][:depth]
            found.append(([document for document, _ in rows], [score for _, score in rows]))
        return found

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row that is not excluded."""
        for row in self.held.rows(queries):
            if row[1] not in self.seen.get(row[0], ()):
                yield row


def moved_up(found: Found, left_out: Any, judgment: Any, duplicates: list[Any]) -> Extracted:
    """Returns the match without the rows of excluded documents. The documents below them move up."""
    count = len(found.length)
    query = np.repeat(np.arange(count), np.diff(found.offsets))
    gone = left_out[found.judgment]
    # The ranks of all queries are in one ascending array, so a single search counts the rows removed above a rank. A
    # tie may extend below every judged rank.
    width = int(max(found.rank.max(initial=0), found.tie_last.max(initial=0))) + 1
    places = np.sort(query[gone] * width + found.rank[gone])
    first = np.searchsorted(places, np.arange(count) * width)

    def above(rank: Any, side: Any = "left") -> Any:
        return np.searchsorted(places, query * width + rank, side) - first[query]

    kept = ~gone
    taken = np.bincount(query[gone], minlength=count)
    scores = found.scores
    if scores is not None and len(scores):  # empty if not requested
        starts = np.append(0, np.cumsum(np.maximum(found.length, 0)))
        scores = np.delete(scores, starts[query[gone]] + found.rank[gone] - 1)
    return Extracted.of(
        found,
        length=np.where(found.length > 0, found.length - taken, found.length),
        offsets=offsets_of(query[kept], count),
        rank=(found.rank - above(found.rank))[kept],
        tie_first=(found.tie_first - above(found.tie_first))[kept],
        tie_last=(found.tie_last - above(found.tie_last, "right"))[kept],
        judgment=judgment[found.judgment[kept]],
        scores=scores,
        duplicates=duplicates,
        excluded=int(gone.sum()) + getattr(found, "excluded", 0),
    )


def pairs_of(given: Any) -> Qrels:
    """Reads pairs of query and document from any form of judgments, with or without grades."""
    if isinstance(given, Qrels):
        return given
    given = kept(given)  # the input may have to be read again
    pairs = two_columns(given) if isinstance(given, (str, os.PathLike, bytes)) else None
    first = Policy(duplicates="first")
    try:
        try:
            found = Qrels.of(pairs or given, first, grade=1, probability=1)
            return replace(found, origin=source_of(given).origin) if pairs else found
        except NoSuchColumnsError:
            return Qrels.of(given, first)
    except NothingError:
        return Qrels.of({"": []})  # nothing is excluded


def two_columns(given: Any) -> dict[str, set[str]] | None:
    """Returns the pairs of query and document in a text of lines ``query document``, or None for other text."""
    found: dict[str, set[str]] = {}
    try:
        for line in source_of(given).lines():
            fields = fields_of(line, 2)
            if not fields or fields[0].startswith(b"#"):
                continue
            if len(fields) != 2:
                return None
            found.setdefault(text_of(fields[0]), set()).add(text_of(fields[1]))
    except (DataError, OSError):
        return None
    return found or None


def excluding(held: RunSource, seen: Qrels) -> ExcludingRun:
    """Returns the run without the given pairs."""
    known = seen.judgments
    by_query = {query: frozenset(known.documents(place)) for place, query in enumerate(known.queries)}
    return ExcludingRun(held, by_query, seen.origin)
