"""Runs as tables in files: whatever holds the rows answers, and the files are named in what it refuses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from karat import _native
    from karat.inputs.files.table import Table
    from karat.inputs.runs import Asked, Found, Held, Row
    from karat.inputs.sources import Origin

__all__ = ["FileRun"]


@dataclass(frozen=True, eq=False, repr=False)
class FileRun:
    """A run as Parquet, CSV, JSON and the like.

    Args:
        held: what holds the rows.
        table: the files.
    """

    held: Held
    table: Table

    @property
    def origin(self) -> Origin:
        """The files."""
        return replace(self.table.origin, whole=self.held.origin.whole)

    @property
    def by_rank(self) -> bool:
        """Whether it has ranks and no scores."""
        return self.held.by_rank

    @property
    def alone(self) -> bool:
        """Whether no other run is read beside it."""
        return self.held.alone

    def match(self, judgments: _native.Judgments, asked: Asked) -> Found:
        """The rows of judged documents."""
        with self.table.named():
            return self.held.match(judgments, asked)

    def ranked(self, query: bytes, asked: Asked) -> tuple[list[bytes], list[float]]:
        """Every document of one query in the order in which ``match`` ranks them, and the scores compared."""
        with self.table.named():
            return self.held.ranked(query, asked)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Query, document and score, or minus the rank, of each row."""
        with self.table.named():
            yield from self.held.rows(queries)
