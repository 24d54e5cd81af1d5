"""Runs with documents excluded, such as the items that a user has seen; the others move up."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat import _native
from karat.conventions.policy import Policy
from karat.inputs.ids import text_of
from karat.inputs.runs import Extracted
from karat.inputs.sources import kept, source_of
from karat.lists.rows import offsets_of
from karat.output.errors import ColumnsOfTextError, DataError, NothingError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from karat.inputs.qrels import Qrels
    from karat.inputs.runs import Asked, Found, Held, Row
    from karat.inputs.sources import Origin

__all__ = ["ExcludingRun", "excluding", "pairs_of"]

NOBODY = b" \xff"
"""A document that no run has: it keeps a query whose judgments were all removed."""


@dataclass(frozen=True, eq=False, repr=False)
class ExcludingRun:
    """A run with some documents of each query excluded.

    The excluded documents are matched as if they were judged, which gives their ranks; then they are removed, and the
    documents below move up. This works for text, frames, streams and engines alike.

    Args:
        held: the source of the run.
        seen: the excluded documents, by query.
        source: the provenance of those, for a record.
    """

    held: Held
    seen: dict[bytes, frozenset[bytes]]
    source: str

    @property
    def origin(self) -> Origin:
        """The run's provenance."""
        its = self.held.origin
        return replace(its, columns=(*its.columns, ("exclude", self.source)))

    @property
    def alone(self) -> bool:
        """Whether it is read alone."""
        return self.held.alone

    @property
    def by_rank(self) -> bool:
        """Whether ranks alone order it."""
        return self.held.by_rank

    def match(self, judgments: _native.Judgments, asked: Asked) -> Found:
        """The rows of judged documents, without excluded ones.

        Raises:
            PolicyError: ``listing=known``, which uses the run's order of rows; ``ranks=given`` for a run of ranks,
                under which nothing moves up.
        """
        if asked.policy.ranks == "given" and self.by_rank:
            raise PolicyError(
                "exclude does not go with ranks=given: what is below an excluded document moves up, and ranks as given "
                "stay. Choose ranks=counted."
            )
        if asked.policy.listing == "known":
            raise PolicyError("exclude does not go with listing=known, which goes by every row of the run.")
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
        found = self.held.match(wider, asked)
        again = self.duplicates(found, judgments)
        return moved_up(found, np.array(left_out, bool), np.array(judgment, np.int64), again)

    def duplicates(self, found: Found, judgments: _native.Judgments) -> list[Any]:
        """The documents that occur twice and are not excluded."""
        seen = {place: self.seen.get(query, frozenset()) for place, query in enumerate(judgments.queries)}
        return [each for each in found.duplicates if each[1] not in seen[each[0]]]

    def ranked(self, query: bytes, asked: Asked) -> tuple[list[bytes], list[float]]:
        """Every document of one query in the order of ``match``, with the scores compared."""
        seen = self.seen.get(query, frozenset())
        rows = [each for each in zip(*self.held.ranked(query, asked), strict=True) if each[0] not in seen]
        return [document for document, _ in rows], [score for _, score in rows]

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Query, document and score of each row that is not excluded."""
        for row in self.held.rows(queries):
            if row[1] not in self.seen.get(row[0], ()):
                yield row


def moved_up(found: Found, left_out: Any, judgment: Any, duplicates: list[Any]) -> Extracted:
    """The match without the excluded rows, everything below them moved up."""
    count = len(found.length)
    query = np.repeat(np.arange(count), np.diff(found.offsets))
    gone = left_out[found.judgment]
    # The ranks of all queries in one ascending array: one search counts the rows removed above a rank.
    # A tie may extend below every judged rank.
    width = int(max(found.rank.max(initial=0), found.tie_last.max(initial=0))) + 1
    places = np.sort(query[gone] * width + found.rank[gone])
    first = np.searchsorted(places, np.arange(count) * width)

    def above(rank: Any, side: Any = "left") -> Any:
        return np.searchsorted(places, query * width + rank, side) - first[query]

    kept = ~gone
    taken = np.bincount(query[gone], minlength=count)
    scores = found.scores
    if scores is not None and len(scores):  # else not requested
        starts = np.append(0, np.cumsum(np.maximum(found.length, 0)))
        scores = np.delete(scores, starts[query[gone]] + found.rank[gone] - 1)
    return Extracted(
        np.where(found.length > 0, found.length - taken, found.length),
        offsets_of(query[kept], count),
        (found.rank - above(found.rank))[kept],
        (found.tie_first - above(found.tie_first))[kept],
        (found.tie_last - above(found.tie_last, "right"))[kept],
        judgment[found.judgment[kept]],
        extra=found.extra,
        dropped=found.dropped,
        line_count=found.line_count,
        scores=scores,
        duplicates=duplicates,
        malformed=found.malformed,
        unordered=found.unordered,
        excluded=int(gone.sum()) + getattr(found, "excluded", 0),
    )


def pairs_of(read: Callable[..., Qrels], given: Any) -> Qrels:
    """Pairs of query and document, in any form of judgments; grades are optional.

    Args:
        read: ``Qrels.of``.
        given: the pairs.
    """
    if isinstance(given, (str, os.PathLike)) or hasattr(given, "read"):
        given = kept(given)  # without grades it is read twice
    try:
        return with_or_without_grades(read, given)
    except NothingError:
        return read({"": []})  # nothing is excluded


def with_or_without_grades(read: Callable[..., Qrels], given: Any) -> Qrels:
    """The pairs, from judgments with or without grades."""
    first = Policy(duplicates="first")
    if isinstance(given, io.IOBase):  # text, which can be read once
        return read(given, first)
    if not isinstance(given, (str, os.PathLike, bytes)):
        return read(given, first, grade=1)
    try:
        return read(given, first)
    except NothingError:
        raise
    except DataError as error:
        refused = error
    pairs = two_columns(given)
    if pairs is not None:
        return read(pairs)
    try:
        return read(given, first, grade=1)  # a table may have no grades
    except ColumnsOfTextError:
        raise refused from None


def two_columns(given: Any) -> dict[str, set[str]] | None:
    """The pairs of text with ``query document`` on every line; None for other text."""
    found: dict[str, set[str]] = {}
    try:
        for line in source_of(given).lines():
            fields = line.split()
            if not fields or fields[0].startswith(b"#"):
                continue
            if len(fields) != 2:
                return None
            found.setdefault(text_of(fields[0]), set()).add(text_of(fields[1]))
    except (DataError, OSError):
        return None
    return found or None


def excluding(held: Held, seen: Qrels) -> ExcludingRun:
    """The run without the pairs."""
    known = seen.judgments
    by_query = {query: frozenset(known.documents(place)) for place, query in enumerate(known.queries)}
    return ExcludingRun(held, by_query, seen.origin.path or seen.name)
