"""Reads runs in batches, so that they need not fit in memory: lazy frames, DuckDB, PyArrow datasets and streams."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from karat import _native
from karat.inputs import engine_of
from karat.inputs.columns import ROLES, choose
from karat.inputs.errors import refusals, row_errors
from karat.inputs.frames import Columns, FrameRun, fit, library_of, whole_frame
from karat.inputs.ids import unicode
from karat.inputs.sources import Provenance
from karat.inputs.spill import SpillFile
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from karat.inputs import Engine
    from karat.inputs.runs import MatchOptions, Row


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRun:
    """A run whose rows arrive in batches.

    If the rows of each query are adjacent, only one batch and one query are in memory. If a query occurs again
    later, all rows are read again and stored in memory and a spill file until the end.

    Args:
        batches: yields the rows.
        memory: the bytes of rows kept in memory where queries are mixed; None for the kernel's default.
    """

    batches: Batches
    memory: int | None = None
    alone: ClassVar[bool] = True

    @property
    def by_rank(self) -> bool:
        """Whether the run has ranks but no scores."""
        return "score" not in self.batches.roles

    @property
    def origin(self) -> Provenance:
        """The provenance of the run."""
        return self.batches.origin

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        options.refuse_without_ranks(ranks="rank" in self.batches.roles)
        try:
            return self.passed(judgments, options, gathered=not self.batches.again)
        except CameBack:
            return self.passed(judgments, options, gathered=True)

    def passed(
        self, judgments: _native.Judgments, options: MatchOptions, *, gathered: bool
    ) -> _native.Matched:
        """Matches the run in one pass over all rows.

        Raises:
            CameBack: the rows of a query are not together, and ``gathered`` is false.
        """
        with closing(SpillFile()) as spill, closing(self.batches.frames()) as frames:
            matcher = _native.FrameMatcher(
                judgments,
                **of_run(self.batches),
                **options.order,
                threads=options.threads,
                scores=options.scores,
                gathered=gathered,
                spill=spill,
                memory=self.memory,
            )
            for frame in frames:
                refuse_unfit(frame, self.batches)
                with row_errors("run"):
                    together = matcher.take(frame)
                if not together:
                    raise CameBack
                del frame  # before the next one is made
            return matcher.finish()

    def ranked(self, query: bytes, options: MatchOptions) -> tuple[list[bytes], list[float]]:
        """Returns every document of one query in the order of ``match``, with the scores compared."""
        return self.of_queries([query]).ranked(query, options)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row. Without scores, it yields minus the rank."""
        if queries is not None:
            yield from self.of_queries(queries).rows(queries)
            return
        with closing(self.batches.frames()) as frames:
            for frame in frames:
                yield from FrameRun(columns_of_batch(self.batches, frame)).rows()

    def of_queries(self, queries: Collection[bytes]) -> FrameRun:
        """Loads the rows of some queries into memory."""
        return FrameRun(columns_of_batch(self.batches, self.batches.only(queries)))


class CameBack(Exception):  # noqa: N818 -- not an error, but the signal to start again
    """Raised if a query occurs again after its rows were finished."""


def of_run(batches: Batches) -> dict[str, Any]:
    """Returns the kernel's column arguments."""
    return {
        role: batches.roles.index(role) if role in batches.roles else None
        for role in ("query", "document", "score", "rank")
    }


def columns_of_batch(batches: Batches, frame: _native.Frame) -> Columns:
    """Returns the columns of one batch."""
    refuse_unfit(frame, batches)
    places = of_run(batches)
    numbers = (places["query"], places["document"], places["score"], places["rank"])
    return Columns(frame, *numbers, None, batches.origin)


def refuse_unfit(frame: _native.Frame, batches: Batches) -> None:
    """Refuses columns whose type does not fit their role."""
    for column, role in zip(frame.fields, batches.roles, strict=True):
        fit(column, role, "run")


ROWS = 1 << 20
"""Rows of a batch: enough for all cores, and little compared with an engine's own memory."""


class Batches(Protocol):
    """A source of batches: columns of queries, documents, and scores or ranks or both."""

    @property
    def origin(self) -> Provenance:
        """The provenance of the batches, which names their library."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of each column."""

    @property
    def again(self) -> bool:
        """Whether the rows can be read again, in the same order."""

    def frames(self) -> Generator[_native.Frame, None, None]:
        """Yields all rows in order. It releases each frame after yielding it."""

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """Returns the rows of some queries, possibly together with other queries."""


def wanted_ids(queries: Collection[bytes], *, whole: bool) -> list[Any]:
    """Converts ids to a column's type, text or whole numbers, and drops ids that the type cannot represent."""
    texts = [text for query in queries if (text := unicode(query)) is not None]
    if not whole:
        return texts
    return [int(text) for text in texts if text.removeprefix("-").isdecimal() and str(int(text)) == text]


def frame_of(batch: Any) -> _native.Frame:
    """Returns the kernel's view of a batch."""
    return _native.Frame(batch.__arrow_c_stream__())


def frames_of(reader: Any, rows: int, names: Sequence[str] | None = None) -> Iterator[_native.Frame]:
    """Yields the wanted columns of a PyArrow reader in combined batches of about ``rows`` rows."""
    import pyarrow as pa

    part: list[Any] = []
    count = 0
    for batch in reader:
        part.append(batch if names is None else batch.select(names))
        count += len(batch)
        if count >= rows:
            yield frame_of(sound(pa.Table.from_batches(part)))
            part, count = [], 0
    if count:
        yield frame_of(sound(pa.Table.from_batches(part)))


def sound(table: Any, *, full: bool = False) -> Any:
    """Validates a table: all text lies within its buffers. ``full`` makes all of PyArrow's functions safe.

    Raises:
        ValueError: a damaged table.
    """
    table.validate(full=full)
    return table


def batches_in(given: Any, **asked: str | None) -> Batches | None:
    """Returns the batches of a frame, or None if the frame is in memory or its library has no batches.

    Args:
        given: the frame.
        asked: columns' names by role; None, or none given, looks for a usual name.

    Raises:
        DataError: a missing or ambiguous column.
    """
    roles = {role: asked.get(role) for role in ROLES["run"]}
    library = library_of(given)
    engine = engine_of(given)
    with refusals("run", library):
        if engine is not None:
            chosen = choose(list(engine.columns(given)), "run", roles)
            origin = Provenance("a frame", library=library, rows=True)
            return EngineBatches(engine, given, list(chosen.values()), tuple(chosen), origin)
        if library == "pyarrow":
            return arrow_batches(given, roles)
        if library in ("duckdb", "narwhals") or (library == "polars" and hasattr(given, "collect")):
            return lazy_batches(given, roles)
        return None


@dataclass(frozen=True, eq=False, repr=False)
class LazyBatches:
    """A lazy frame of Polars or a relation of DuckDB, which is computed again for each pass.

    Args:
        frame: narwhals' view of the wanted columns.
        roles: the role of each column.
        origin: its provenance.
        rows: the number of rows per batch.
        lock: locked while DuckDB computes, since a connection serves one thread at a time.
    """

    frame: Any
    roles: tuple[str, ...]
    origin: Provenance
    rows: int = ROWS
    again: bool = True
    lock: Any = field(default_factory=RLock)

    def frames(self) -> Generator[_native.Frame, None, None]:
        """Yields all rows in order."""
        import narwhals as nw

        with refusals("run", str(self.origin.library)), self.turn():
            # A relation of DuckDB can be exported only once, so this makes a new one.
            yield from batches_of(self.frame.select(nw.all()).to_native(), self.rows)

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """Returns the rows of some queries, which the library's own filter finds."""
        import narwhals as nw

        name = self.frame.columns[0]
        column = nw.col(name) if self.origin.whole else nw.col(name).cast(nw.String)
        with refusals("run", str(self.origin.library)), self.turn():
            found = self.frame.filter(column.is_in(wanted_ids(queries, whole=self.origin.whole)))
            return _native.Frame(found.collect().to_native().__arrow_c_stream__())

    def turn(self) -> AbstractContextManager[Any]:
        """Returns the lock to hold while the library computes. Polars serves many threads and needs no lock."""
        turn: AbstractContextManager[Any] = self.lock if self.origin.library == "duckdb" else nullcontext()
        return turn


def lazy_batches(given: Any, asked: dict[str, str | None]) -> LazyBatches | None:
    """Returns the batches of a lazy frame, or None for a frame in memory."""
    import narwhals as nw

    frame: Any = nw.from_native(given, pass_through=True)
    if not isinstance(frame, nw.LazyFrame):
        return None
    library = library_of(frame.to_native())
    # DuckDB yields batches through PyArrow. Without PyArrow, it returns all rows at once.
    if library != "polars" and not (library == "duckdb" and find_spec("pyarrow")):
        return None
    schema = frame.collect_schema()
    chosen = choose(schema.names(), "run", asked)
    whole = schema[chosen["query"]].is_integer()
    return LazyBatches(
        frame.select(*chosen.values()),
        tuple(chosen),
        Provenance("a frame", library=library, whole=whole, rows=True),
    )


def batches_of(native: Any, rows: int) -> Iterator[_native.Frame]:
    """Yields the batches of a lazy frame of Polars, or of a relation of DuckDB."""
    if library_of(native) == "duckdb":
        return relation_frames(native, rows)
    if hasattr(native, "collect_batches"):
        return map(frame_of, native.collect_batches(chunk_size=rows, maintain_order=True))
    return map(frame_of, [native.collect()])  # before 1.34


def relation_frames(relation: Any, rows: int) -> Iterator[_native.Frame]:
    """Yields the batches of a DuckDB relation, whose connection is busy until the reader is closed."""
    names = (
        "to_arrow_reader",
        "fetch_record_batch",
        "fetch_arrow_reader",
    )  # newer and older versions
    reader_of = next(getattr(relation, name) for name in names if hasattr(relation, name))
    with closing(reader_of(rows)) as reader:
        yield from frames_of(reader, rows)


@dataclass(frozen=True, eq=False, repr=False)
class EngineBatches:
    """A table of another package's engine, which is read again for each pass.

    Args:
        engine: the engine.
        table: the table.
        names: the wanted columns.
        roles: the role of each column.
        origin: its provenance.
    """

    engine: Engine
    table: Any
    names: list[str]
    roles: tuple[str, ...]
    origin: Provenance
    again: bool = True

    def frames(self) -> Generator[_native.Frame, None, None]:
        """Yields all rows in order."""
        with refusals("run", str(self.origin.library)):
            yield from map(frame_of, self.engine.batches(self.table, self.names))

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """Returns the rows of some queries, possibly together with other queries."""
        with refusals("run", str(self.origin.library)):
            wanted = wanted_ids(queries, whole=False)
            return whole_frame(self.engine.batches(self.table, self.names, wanted), self.names)


BATCH = 1 << 17
"""PyArrow's default number of rows per batch. PyArrow reads a dozen batches ahead."""
FEW = 1 << 22
"""Rows of a single-pass stream that are kept in memory, so that a short one can be read again."""


@dataclass(frozen=True, eq=False, repr=False)
class DatasetBatches:
    """A PyArrow dataset, which is scanned again for each pass.

    Args:
        dataset: the dataset.
        names: the wanted columns.
        roles: the role of each column.
        origin: its provenance.
        rows: the number of rows per batch.
    """

    dataset: Any
    names: list[str]
    roles: tuple[str, ...]
    origin: Provenance
    rows: int = ROWS
    again: bool = True

    def frames(self) -> Generator[_native.Frame, None, None]:
        """Yields all rows in order."""
        with refusals("run", "pyarrow"):
            size = min(self.rows, BATCH)
            scanner = self.dataset.scanner(columns=self.names, batch_size=size, **bounded(self.dataset))
            yield from frames_of(scanner.to_reader(), self.rows)

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """Returns the rows of some queries."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = pc.field(self.names[0])
        ids = wanted_ids(queries, whole=self.origin.whole)
        kept = column.isin(ids) if self.origin.whole else column.cast(pa.string()).isin(ids)
        with refusals("run", "pyarrow"):
            if bounded(self.dataset):  # Parquet: PyArrow decodes the rows itself
                return frame_of(self.dataset.scanner(columns=self.names, filter=kept).to_table())
            batches = self.dataset.scanner(columns=self.names, batch_size=BATCH).to_reader()
            parts = [
                sound(pa.Table.from_batches([batch]), full=True).filter(kept)
                for batch in batches
                if len(batch)
            ]
            return frame_of(pa.concat_tables(parts) if parts else batches.schema.empty_table())


def bounded(dataset: Any) -> dict[str, Any]:
    """Returns scan options that stop PyArrow from buffering whole Parquet files, as it does by default."""
    if getattr(getattr(dataset, "format", None), "default_extname", None) != "parquet":
        return {}
    import pyarrow.dataset as ds

    if dataset.format.default_fragment_scan_options != ds.ParquetFragmentScanOptions():
        return {}  # the caller has chosen options
    return {"fragment_scan_options": ds.ParquetFragmentScanOptions(pre_buffer=False)}


class StreamBatches:
    """The batches of a single-pass stream. A stream with few rows is stored, so that it can be read again.

    Args:
        reader: PyArrow's reader.
        names: the wanted columns.
        roles: the role of each column.
        origin: its provenance.
        few: the number of rows to keep.
    """

    def __init__(
        self, reader: Any, names: list[str], roles: tuple[str, ...], origin: Provenance, few: int
    ) -> None:
        self.names = names
        self.roles = roles
        self.origin = origin
        self.lock = Lock()
        self.rest = iter(reader)
        none = frame_of(reader.schema.empty_table().select(names))
        self.head: _native.Frame | None = next(frames_of(self.rest, few, names), none)
        self.again = self.head.rows < few

    def frames(self) -> Generator[_native.Frame, None, None]:
        """Yields all rows in order."""
        yield self.first()
        if not self.again:
            with refusals("run", "pyarrow"):
                yield from frames_of(self.rest, ROWS, self.names)

    def first(self) -> _native.Frame:
        """Returns the first rows; keeps them only if they are the whole stream.

        Raises:
            DataError: the stream was read before.
        """
        with self.lock:  # only one of several threads gets them
            head = self.head
            self.head = head if self.again else None
        if head is None:
            raise DataError(READ_ONCE, remedy=INSTEAD)
        return head

    def only(self, queries: Collection[bytes]) -> _native.Frame:  # noqa: ARG002 -- may hold more
        """Returns all rows of a stream that was stored.

        Raises:
            DataError: the rows were not stored.
        """
        if not self.again:
            raise DataError(READ_ONCE, remedy=INSTEAD)
        return self.first()


READ_ONCE = "The run is a stream that can be read only once, and its rows are needed again."
INSTEAD = "Give a dataset, a lazy frame or a table."


def arrow_batches(given: Any, asked: dict[str, str | None]) -> Batches | None:
    """Returns the batches of a dataset, a scanner or a stream, or None for a table in memory."""
    schema: Any = getattr(given, "projected_schema", getattr(given, "schema", None))
    once = hasattr(given, "read_next_batch") or hasattr(given, "projected_schema")
    if not once and not hasattr(given, "get_fragments"):
        return None
    import pyarrow as pa

    chosen = choose(schema.names, "run", asked)
    names, roles = list(chosen.values()), tuple(chosen)
    whole = pa.types.is_integer(schema.field(chosen["query"]).type)
    origin = Provenance("a frame", library="pyarrow", whole=whole, rows=True)
    if not once:
        return DatasetBatches(given, names, roles, origin)
    reader = given.to_reader() if hasattr(given, "projected_schema") else given
    return StreamBatches(reader, names, roles, origin, FEW)
