"""What holds a run's ranked lists: text, a dictionary, a frame, an engine; each finds the judged rows in its own way.

A run is read when it is matched, not before. Every source of a run implements ``Held``, and ``Run`` asks it for nothing
else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from karat.inputs.ids import text_of
from karat.inputs.parallel import available_cores
from karat.inputs.sources import KARAT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence, Sized

    from karat import _native
    from karat.conventions.policy import Policy
    from karat.inputs.sources import Origin, Reading
    from karat.lists.rows import Integers

__all__ = ["Asked", "Extracted", "Found", "Held", "Row", "as_mapping", "listing"]

Found: TypeAlias = "_native.Matched | Extracted"
"""A run reduced to its judged rows, by the kernel or by an engine."""
Row: TypeAlias = "tuple[bytes, bytes, float]"
"""A query, a document and its score."""


@dataclass(frozen=True)
class Asked:
    """How a run is to be matched.

    Args:
        policy: the policy.
        ties: the kernel's rule for equal scores, where it is not the policy's.
        reading: how text is read.
        progress: counts the bytes read.
        scores: whether every document's score is wanted.
        cores: how many may be used; None for all.
    """

    policy: Policy
    ties: str | None = None
    reading: Reading = KARAT
    progress: _native.Progress | None = None
    scores: bool = False
    cores: int | None = None

    @property
    def rule(self) -> str:
        """The kernel's rule for equal scores: what the policy does beyond it is done on judged rows."""
        if self.ties is not None:
            return self.ties
        return self.policy.ties if self.policy.ties in ("ascending", "input", "rank-column") else "trec"

    @property
    def float32(self) -> bool:
        """Whether scores are rounded to single precision first."""
        return self.policy.scores == "float32"

    @property
    def duplicates(self) -> str:
        """What the kernel does about a document that stands twice: it keeps both where that is an error."""
        return "keep" if self.policy.duplicates == "error" else self.policy.duplicates

    @property
    def threads(self) -> int:
        """How many threads the kernel uses."""
        return self.cores or available_cores()


class Held(Protocol):
    """A run's ranked lists, wherever they are."""

    @property
    def origin(self) -> Origin:
        """Where they came from."""

    @property
    def by_rank(self) -> bool:
        """Whether it has ranks and no scores."""

    @property
    def alone(self) -> bool:
        """Whether no other run is read beside it: its engine answers one question at a time, with all cores."""

    def match(self, judgments: _native.Judgments, asked: Asked) -> Found:
        """The rows of judged documents.

        Raises:
            DataError: a line, row, score or id that cannot be used.
        """

    def ranked(self, query: bytes, asked: Asked) -> tuple[list[bytes], list[float]]:
        """Every document of one query in the order in which ``match`` ranks them, and the scores compared."""

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Query, document and score of each row of some queries, or of all, in the order in which they are held."""


def listing(held: Held, queries: Collection[bytes], *, last: bool) -> dict[bytes, list[str]]:
    """The documents of some queries in the order of the run's rows, each once: where it stands first, or last."""
    found: dict[bytes, dict[bytes, None]] = {}
    for query, document, _ in held.rows(queries):
        documents = found.setdefault(query, {})
        if last:
            documents.pop(document, None)
        documents[document] = None
    return {query: list(map(text_of, documents)) for query, documents in found.items()}


def as_mapping(held: Held, queries: Collection[bytes]) -> dict[str, dict[str, float]]:
    """What is held of some queries; of a document that stands twice the last row."""
    found: dict[str, dict[str, float]] = {}
    for query, document, score in held.rows(queries):
        found.setdefault(text_of(query), {})[text_of(document)] = score
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Extracted:
    """A run reduced to its judged rows by an engine: what ``_native.Matched`` is to the kernel.

    Args:
        length: documents of each judged query, -1 for one that the run does not mention [queries].
        offsets: rows ``offsets[q]`` to ``offsets[q + 1]`` belong to query ``q``, in rank order [queries + 1].
        rank: from 1 [rows].
        tie_first: the rank of the first document with the same score [rows].
        tie_last: of the last one [rows].
        judgment: the index of each row's judgment [rows].
        extra: as many as there are queries without judgments; the engine counts them and names none.
        dropped: rows that gave way to another of the same document.
        line_count: rows of the run.
        scores: every document's score, list after list; None if nobody asked for them.
        duplicates: documents that stand twice, as the kernel tells them.
        malformed: lines that were skipped.
        unordered: queries that are not listed in order of score.
        excluded: documents that were taken out of lists.
    """

    length: Integers
    offsets: Integers
    rank: Integers
    tie_first: Integers
    tie_last: Integers
    judgment: Integers
    extra: Sized
    dropped: int
    line_count: int
    scores: Any = None
    duplicates: Sequence[tuple[int, bytes, int, int, int, int]] = ()
    malformed: int = 0
    unordered: int = 0
    excluded: int = 0
