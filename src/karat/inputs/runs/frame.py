"""Runs as data frames in memory: columns that the kernel reads where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from karat import _native
from karat.inputs.frames import row_sentences
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from karat.inputs.frames import Columns
    from karat.inputs.runs import Asked, Row
    from karat.inputs.sources import Origin

__all__ = ["FrameRun"]


@dataclass(frozen=True, eq=False, repr=False)
class FrameRun:
    """A run as columns of a frame.

    Args:
        columns: the columns.
    """

    columns: Columns
    alone: ClassVar[bool] = False

    @property
    def by_rank(self) -> bool:
        """Whether it has ranks and no scores."""
        return self.columns.value is None

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return self.columns.origin

    def match(self, judgments: _native.Judgments, asked: Asked) -> _native.Matched:
        """The rows of judged documents."""
        if asked.rule == "rank-column" and self.columns.rank is None:
            raise DataError(
                "The run frame has no column of ranks to settle ties by: name it, or choose another rule."
            )
        with row_sentences("run"):
            return _native.match_frame(
                judgments,
                self.columns.frame,
                **self.columns.of_run,
                ties=asked.rule,
                float32=asked.float32,
                duplicates=asked.duplicates,
                threads=asked.threads,
                scores=asked.scores,
            )

    def ranked(self, query: bytes, asked: Asked) -> tuple[list[bytes], list[float]]:
        """Every document of one query in the order in which ``match`` ranks them, and the scores compared."""
        with row_sentences("run"):
            documents, scores = _native.ranked_in_frame(
                self.columns.frame,
                query,
                **self.columns.of_run,
                ties=asked.rule,
                float32=asked.float32,
                duplicates=asked.duplicates,
            )
        return documents, scores.tolist()

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Query, document and score, or minus the rank, of each row."""
        with row_sentences("run"):
            return self.columns.rows(queries)
