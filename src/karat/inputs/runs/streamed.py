"""Runs that need not fit in memory: their rows go to the kernel batch after batch, in one pass."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from karat import _native
from karat.inputs.frames import Columns, fit, row_sentences
from karat.inputs.runs.frame import FrameRun
from karat.inputs.spill import Overflow
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from karat.inputs.runs import Asked, Row
    from karat.inputs.runs.batches import Feed
    from karat.inputs.sources import Origin

__all__ = ["StreamedRun"]


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRun:
    """A run whose rows come in batches.

    While the rows of each query stand together, a batch and a query are all that is held. Where a query comes back,
    the rows are asked for once more, and kept in memory and a temporary file until the end.

    Args:
        feed: hands the rows over.
        memory: how many bytes of rows are kept in memory where queries are mixed; None for what the kernel chooses.
    """

    feed: Feed
    memory: int | None = None
    alone: ClassVar[bool] = True

    @property
    def by_rank(self) -> bool:
        """Whether it has ranks and no scores."""
        return "score" not in self.feed.roles

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return self.feed.origin

    def match(self, judgments: _native.Judgments, asked: Asked) -> _native.Matched:
        """The rows of judged documents."""
        if asked.rule == "rank-column" and "rank" not in self.feed.roles:
            raise DataError(
                "The run frame has no column of ranks to settle ties by: name it, or choose another rule."
            )
        try:
            return self.passed(judgments, asked, gathered=not self.feed.again)
        except CameBack:
            return self.passed(judgments, asked, gathered=True)

    def passed(self, judgments: _native.Judgments, asked: Asked, *, gathered: bool) -> _native.Matched:
        """One pass over all rows.

        Raises:
            CameBack: the rows of a query are not together, and rows are not gathered.
        """
        with closing(Overflow()) as overflow, closing(self.feed.frames()) as frames:
            matcher = _native.FrameMatcher(
                judgments,
                **of_run(self.feed),
                ties=asked.rule,
                float32=asked.float32,
                duplicates=asked.duplicates,
                threads=asked.threads,
                scores=asked.scores,
                gathered=gathered,
                spill=overflow,
                memory=self.memory,
            )
            for frame in frames:
                refuse_unfit(frame, self.feed)
                with row_sentences("run"):
                    together = matcher.take(frame)
                if not together:
                    raise CameBack
                del frame  # before the next one is made
            return matcher.finish()

    def ranked(self, query: bytes, asked: Asked) -> tuple[list[bytes], list[float]]:
        """Every document of one query in the order in which ``match`` ranks them, and the scores compared."""
        return self.of_queries([query]).ranked(query, asked)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Query, document and score, or minus the rank, of each row."""
        if queries is not None:
            yield from self.of_queries(queries).rows(queries)
            return
        with closing(self.feed.frames()) as frames:
            for frame in frames:
                yield from FrameRun(columns_of_feed(self.feed, frame)).rows()

    def of_queries(self, queries: Collection[bytes]) -> FrameRun:
        """What some queries hold, in memory."""
        return FrameRun(columns_of_feed(self.feed, self.feed.only(queries)))


class CameBack(Exception):  # noqa: N818 -- no error: the signal to begin again
    """A query came back after its rows were done with."""


def of_run(feed: Feed) -> dict[str, Any]:
    """The kernel's arguments for which column is what."""
    return {
        role: feed.roles.index(role) if role in feed.roles else None
        for role in ("query", "document", "score", "rank")
    }


def columns_of_feed(feed: Feed, frame: _native.Frame) -> Columns:
    """The columns of one batch."""
    refuse_unfit(frame, feed)
    places = of_run(feed)
    numbers = (places["query"], places["document"], places["score"], places["rank"])
    return Columns(frame, *numbers, None, feed.origin)


def refuse_unfit(frame: _native.Frame, feed: Feed) -> None:
    """Refuse columns that cannot be what they are taken for."""
    for field, role in zip(frame.fields, feed.roles, strict=True):
        fit(field, role, "run")
