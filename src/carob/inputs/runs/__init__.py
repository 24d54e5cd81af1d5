"""Defines the protocol of run sources, the options and results of a match, and runs in TREC text.

A source receives judgments and options, and returns the judged rows or the documents of queries. It is read at each
match. Text, dictionaries, frames, batches and engines implement ``RunSource``, and ``Run`` uses no other methods. A
source writes rows that exceed the memory budget to a spill file.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import closing, contextmanager, nullcontext
from dataclasses import fields
from typing import IO, TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

from carob import _native
from carob._dataclasses import dataclass
from carob.inputs.errors import refused, sentences
from carob.inputs.ids import text_of
from carob.inputs.sources import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
    from concurrent.futures import Future
    from contextlib import AbstractContextManager

    from carob.conventions.policy import Policy
    from carob.inputs.sources import Provenance, Source
    from carob.lists.rows import Integers


Found: TypeAlias = "_native.Matched | Extracted"
"""The judged rows of a run, as found by the kernel or by an engine."""
Row: TypeAlias = "tuple[bytes, bytes, float]"
"""A query, a document and its score."""
Ranked: TypeAlias = "tuple[list[bytes], list[float]]"
"""The documents of one query in rank order, with the scores by which they are ordered."""


@dataclass(frozen=True, eq=False, repr=False)
class MatchOptions:
    """The options of a match.

    Args:
        policy: the policy.
        ties: the kernel's rule for equal scores; None for the rule of the policy.
        progress: the counter of bytes read; None if progress is not shown.
        scores: whether to return every document's score.
        relevant_only: whether the result may omit the rows of documents with a grade of 0 or less.
        cores: the number of cores to use; None for all.
    """

    policy: Policy
    ties: str | None = None
    progress: _native.Progress | None = None
    scores: bool = False
    relevant_only: bool = False
    cores: int | None = None

    @property
    def rule(self) -> str:
        """The kernel's rule for equal scores. Rules that the kernel does not implement are applied later."""
        if self.ties is not None:
            return self.ties
        return self.policy.ties if self.policy.ties in ("ascending", "input", "rank-column") else "trec"

    @property
    def float32(self) -> bool:
        """Whether scores are rounded to single precision before they are compared."""
        return self.policy.scores == "float32"

    @property
    def duplicates(self) -> str:
        """The kernel's rule for repeated documents.

        The kernel keeps all repeated documents if the policy treats them as an error.
        """
        return "keep" if self.policy.duplicates == "error" else self.policy.duplicates

    @property
    def order(self) -> dict[str, Any]:
        """The kernel's arguments for the order of documents."""
        return {"ties": self.rule, "float32": self.float32, "duplicates": self.duplicates}

    @property
    def reading(self) -> dict[str, Any]:
        """The kernel's arguments for reading lines of text."""
        return reading_of(self.policy)

    @property
    def returned(self) -> dict[str, Any]:
        """The kernel's arguments that select which results it returns."""
        return {"scores": self.scores, "relevant_only": self.relevant_only}

    def refuse_without_ranks(self, *, ranks: bool) -> None:
        """Refuses a run without ranks if the rule for ties needs ranks.

        Args:
            ranks: whether the run has ranks.

        Raises:
            DataError: the rule for ties needs ranks, but the run has no ranks.
        """
        if self.rule == "rank-column" and not ranks:
            raise refused(
                "The run has no ranks, but ties=rank-column requires ranks.",
                "If a column of a table contains ranks, name it. Otherwise, choose another rule for ties.",
            )

    @property
    def threads(self) -> int:
        """The number of threads that the kernel uses."""
        return self.cores or available_cores()


def reading_of(policy: Policy) -> dict[str, Any]:
    """Returns the kernel's arguments for reading lines of text with a policy."""
    return {"lenient": policy.malformed == "skip", "loose": policy.columns == "trec_eval"}


class RunSource(Protocol):
    """The source of a run's ranked lists."""

    @property
    def origin(self) -> Provenance:
        """The provenance of the ranked lists."""

    @property
    def by_rank(self) -> bool:
        """Whether the run has ranks but no scores."""

    @property
    def alone(self) -> bool:
        """Whether no other run may be read at the same time, because the source uses all cores or serves one thread."""

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents.

        Raises:
            DataError: a line, row, score or id cannot be used.
        """

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns each query's documents (the first ``depth``, if given) in the order of ``match``. Reads once."""

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row, for some or all queries, in the source's order."""


@dataclass(frozen=True, eq=False, repr=False)
class Wrapper:
    """A run source that passes each call on to another source, unless a subclass overrides the method.

    Args:
        held: the other source.
    """

    held: RunSource

    @property
    def origin(self) -> Provenance:
        """The provenance of the ranked lists."""
        return self.held.origin

    @property
    def by_rank(self) -> bool:
        """Whether the run has ranks but no scores."""
        return self.held.by_rank

    @property
    def alone(self) -> bool:
        """Whether no other run may be read at the same time as this run."""
        return self.held.alone

    def named(self, policy: Policy | None = None) -> AbstractContextManager[None]:
        """Returns a context manager that adds the names of files to errors about rows."""
        del policy
        return nullcontext()

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        with self.named(options.policy):
            return self.held.match(judgments, options)

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in the order of ``match``, with the scores that determine the order."""
        with self.named():
            return self.held.rankings(queries, options, depth)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row, for some or all queries, in the source's order."""
        with self.named():
            yield from self.held.rows(queries)


def innermost(held: Any) -> Any:
    """Returns the source inside all wrappers, or the source itself if it is not a wrapper."""
    while isinstance(held, Wrapper):
        held = held.held
    return held


def add_to_pool(pool: _native.Pool, held: RunSource, queries: Collection[bytes], policy: Policy) -> None:
    """Adds a run's documents for some queries to a pool, in the order of the rows."""
    if isinstance(held, TextRun):
        with sentences(held.source.name, "run", held.source.origin.files):
            pool.take(held.source.from_start(), **reading_of(policy))
    elif rows := list(held.rows(set(queries))):
        ids, documents, _ = zip(*rows, strict=True)
        pool.take_rows(list(ids), list(documents))


def listing(held: RunSource, queries: Collection[bytes], *, last: bool) -> dict[bytes, list[str]]:
    """Returns the documents of some queries in the order of the rows.

    A repeated document keeps its last position if ``last`` is true, otherwise its first.
    """
    found: dict[bytes, dict[bytes, None]] = {}
    for query, document, _ in held.rows(queries):
        documents = found.setdefault(query, {})
        if last:
            documents.pop(document, None)
        documents[document] = None
    return {query: list(map(text_of, documents)) for query, documents in found.items()}


def as_mapping(held: RunSource, queries: Collection[bytes] | None) -> dict[str, dict[str, float]]:
    """Returns the lists of some or all queries as a mapping. If a document occurs twice, its last row counts."""
    found: dict[str, dict[str, float]] = {}
    for query, document, score in held.rows(queries):
        found.setdefault(text_of(query), {})[text_of(document)] = score
    return found


CONSTANT = 1
"""The kernel's flag for a list in which all documents have the same score."""


@dataclass(frozen=True, eq=False, repr=False)
class Extracted:
    """The judged rows that an engine found in a run. ``_native.Matched`` is the kernel's counterpart.

    Args:
        length: the number of documents of each judged query, or -1 if the run does not contain the query [queries].
        offsets: rows ``offsets[q]`` to ``offsets[q + 1]`` belong to query ``q``, in rank order [queries + 1].
        rank: the rank of the document, from 1 [rows].
        tie_first: the rank of the first document with the same score [rows].
        tie_last: the rank of the last document with the same score [rows].
        judgment: the index of each row's judgment [rows].
        extra: one entry for each unjudged query. Only the length has a meaning, because an engine counts these queries
            without returning their ids.
        dropped: the number of rows dropped in favour of another row of the same document.
        line_count: the number of rows in the run.
        scores: every document's score, list after list; None if not requested.
        duplicates: documents that occur twice, in the kernel's form.
        malformed: the number of skipped lines.
        unordered: the number of queries whose rows are not in order of score.
        excluded: the number of documents that were removed from the lists.
        judged: the number of judged documents retrieved for each query, with or without a row [queries].
        first_tie: the first rank that a judged document of each query shares with another document, or 0 [queries].
        relevant_only: whether documents with a grade of 0 or less have no rows. ``judged`` and ``first_tie`` are then
            required.
        signs: flags for what the kernel noticed in each list; None if an engine ranked. The remaining fields are those
            of ``_native.Matched``.
        infinite: the number of infinite scores of judged queries.
        constant: whether all documents of each query have the same score [queries]; None if ``signs`` contains this.
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
    judged: Any = None
    first_tie: Any = None
    relevant_only: bool = False
    signs: Any = None
    infinite: int = 0
    accord: tuple[int, int] = (0, 0)
    respelled_count: int = 0
    respelled: Sequence[tuple[int, bytes, bytes]] = ()
    affixed: Sequence[tuple[int, bytes, bytes]] = ()
    beyond_ascii: bool = False
    constant: Any = None

    @classmethod
    def of(cls, found: Found, **changed: Any) -> Extracted:
        """Returns the rows of a match with some fields changed."""
        given: dict[str, Any] = {each.name: getattr(found, each.name, 0) for each in fields(cls)}
        return cls(**{**given, **changed})


Given = TypeVar("Given")
Made = TypeVar("Made")


def available_cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


AHEAD = 2
"""The number of results per thread that may wait, so a thread can compute the next result in the meantime."""


def in_threads(work: Callable[[Given], Made], given: Iterable[Given], threads: int) -> Iterator[Made]:
    """Runs ``work`` on each item in several threads and yields the results in the order of the items.

    At most ``AHEAD`` results per thread wait to be consumed.

    On Ctrl-C or an error, it returns immediately without waiting for running work, which may take minutes. Work that
    has not begun is cancelled.

    Args:
        work: the function.
        given: the items.
        threads: the number of threads.
    """
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    pool = ThreadPoolExecutor(threads)
    try:
        begun: deque[Future[Made]] = deque()
        for each in given:
            if len(begun) == AHEAD * threads:
                yield begun.popleft().result()
            begun.append(pool.submit(copy_context().run, work, each))
        while begun:
            yield begun.popleft().result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def all_in_threads(work: Callable[[Given], Made], given: Iterable[Given], threads: int) -> list[Made]:
    """Returns all results of ``in_threads`` as a list."""
    return list(in_threads(work, given, threads))


class SpillFile:
    """The spill file, which the kernel writes and reads back. Only one call runs at a time.

    Args:
        folder: the folder of the file; None for the system's folder for temporary files.

    Example:
        >>> from contextlib import closing
        >>> with closing(SpillFile()) as file:
        ...     place = file.append(memoryview(b"rows"))
        ...     back = bytearray(4)
        ...     file.fill(place, memoryview(back))
        >>> bytes(back)
        b'rows'
    """

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder
        self.file: IO[bytes] | None = None
        self.size = 0

    def append(self, rows: memoryview) -> int:
        """Appends rows and returns their start position."""
        place = self.size
        with failures(self.folder):
            if self.file is None:
                import tempfile  # few runs need it, and it imports a dozen modules

                self.file = tempfile.TemporaryFile(prefix="carob-", buffering=0, dir=self.folder)  # noqa: SIM115 -- close() is
            self.file.seek(place)
            written = 0
            while written < len(rows):
                written += self.file.write(rows[written:])
        self.size += len(rows)
        return place

    def fill(self, place: int, room: memoryview) -> None:
        """Reads bytes from a position until ``room`` is full."""
        with failures(self.folder):
            if self.file is None:
                raise OSError("nothing was written to it")
            self.file.seek(place)
            while room:
                count: int = self.file.readinto(room)  # type: ignore[attr-defined]
                if not count:
                    raise OSError("the file is shorter than the data written to it")
                room = room[count:]

    def close(self) -> None:
        """Closes and deletes the file."""
        if self.file is not None:
            self.file.close()


@contextmanager
def failures(folder: str | None = None) -> Iterator[None]:
    """Turns disk errors into an error with a readable sentence that names the folder."""
    try:
        yield
    except OSError as error:
        import tempfile

        where = folder or tempfile.tempdir or "the folder for temporary files"
        raise refused(
            "Rows that exceed the memory budget cannot be written to a file in {where}: {why}.",
            "Free some space there, set TMPDIR to another folder, or sort the run by query.",
            where=where,
            why=error.strerror or error,
        ) from None


@dataclass(frozen=True, eq=False, repr=False)
class TextRun:
    """A run in TREC text.

    Args:
        source: the text.
        ranks: whether the lines have ranks.
        made: whether the lines are made from another format, so the rules for lines of text do not apply.
    """

    source: Source
    ranks: bool = True
    made: bool = False
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    @property
    def origin(self) -> Provenance:
        """The provenance of the run."""
        return self.source.origin

    def reading(self, options: MatchOptions) -> dict[str, Any]:
        """Returns the kernel's arguments for reading the lines.

        Raises:
            DataError: the rule for ties needs ranks, but the lines have no ranks.
        """
        options.refuse_without_ranks(ranks=self.ranks)
        return {} if self.made else options.reading

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        with closing(SpillFile()) as spill, sentences(self.source.name, "run", self.source.origin.files):
            return _native.match_text(
                judgments,
                self.source.from_start(),
                **options.order,
                **self.reading(options),
                threads=options.threads,
                progress=options.progress,
                **options.returned,
                spill=spill,
            )

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with their scores."""
        with sentences(self.source.name, "run", self.source.origin.files):
            found = _native.rankings(
                self.source.from_start(), queries, depth, **options.order, **self.reading(options)
            )
        return [(documents, scores.tolist()) for documents, scores in found]

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each line with six fields."""
        with sentences(self.source.name, "run", self.source.origin.files):
            for line in self.source.lines():
                fields = fields_of(line, 6)
                if len(fields) < 6 or fields[0].startswith(b"#"):
                    continue
                if queries is None or fields[0] in queries:
                    yield fields[0], fields[2], float(fields[4])
