"""Reads runs in TREC text, with lines ``query Q0 document rank score tag``, from a file, bytes or a stream."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from karat import _native
from karat.inputs.errors import sentences
from karat.inputs.spill import SpillFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from karat.inputs.runs import MatchOptions, Row
    from karat.inputs.sources import Provenance, Source


@dataclass(frozen=True, eq=False, repr=False)
class TextRun:
    """A run in TREC text.

    Args:
        source: the text.
    """

    source: Source
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    @property
    def origin(self) -> Provenance:
        """The provenance of the run."""
        return self.source.origin

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        with closing(SpillFile()) as spill, sentences(self.source.name, "run", self.source.origin.files):
            return _native.match_text(
                judgments,
                self.source.from_start(),
                **options.order,
                lenient=options.policy.malformed == "skip",
                threads=options.threads,
                progress=options.progress,
                scores=options.scores,
                spill=spill,
            )

    def ranked(self, query: bytes, options: MatchOptions) -> tuple[list[bytes], list[float]]:
        """Returns every document of one query in rank order, with the scores by which the documents are ordered."""
        with sentences(self.source.name, "run", self.source.origin.files):
            documents, scores = _native.ranked_documents(
                self.source.from_start(),
                query,
                **options.order,
                lenient=options.policy.malformed == "skip",
            )
        return documents, scores.tolist()

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each line with six fields."""
        with sentences(self.source.name, "run", self.source.origin.files):
            for line in self.source.lines():
                fields = line.split(None, 5)
                if len(fields) != 6 or fields[0].startswith(b"#"):
                    continue
                if queries is None or fields[0] in queries:
                    yield fields[0], fields[2], float(fields[4])
