"""Runs read batch by batch, which need not fit in memory: lazy frames, DuckDB, datasets and streams of PyArrow."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from karat import _native
from karat.inputs.columns import ROLES, choose
from karat.inputs.errors import refusals, row_sentences
from karat.inputs.frames import Columns, FrameRun, fit, library_of
from karat.inputs.ids import unicode
from karat.inputs.sources import Origin
from karat.inputs.spill import Overflow
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from karat.inputs.runs import Asked, Row

__all__ = ["Feed", "OnceFeed", "StreamedRun", "arrow_feed", "bounded", "feed_of", "lazy_feed"]


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
    for column, role in zip(frame.fields, feed.roles, strict=True):
        fit(column, role, "run")


ROWS = 1 << 20
"""How many rows are asked for at once: enough for every core, little beside what engines hold themselves."""


class Feed(Protocol):
    """The rows of a run, in batches: columns of queries, documents, scores and ranks, as far as there are any."""

    @property
    def origin(self) -> Origin:
        """Which library they come from."""

    @property
    def roles(self) -> tuple[str, ...]:
        """What each column is."""

    @property
    def again(self) -> bool:
        """Whether the rows can be asked for once more, and come in the same order."""

    def frames(self) -> Generator[_native.Frame, None, None]:
        """All rows in their order. No frame is held once it is handed over."""

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """The rows of some queries, and perhaps of others."""


def wanted_ids(queries: Collection[bytes], *, whole: bool) -> list[Any]:
    """Ids as a column holds them, text or whole numbers; those that it cannot hold are left out."""
    texts = [text for query in queries if (text := unicode(query)) is not None]
    if not whole:
        return texts
    return [int(text) for text in texts if text.removeprefix("-").isdecimal() and str(int(text)) == text]


def frame_of(batch: Any) -> _native.Frame:
    """The kernel's view of a batch."""
    return _native.Frame(batch.__arrow_c_stream__())


def frames_of(reader: Any, rows: int, names: Sequence[str] | None = None) -> Iterator[_native.Frame]:
    """The batches of PyArrow's reader, put together to so many rows, of the columns wanted."""
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
    """The table, if its text ends within its memory; with ``full``, all of it is fit for PyArrow's own functions.

    Raises:
        ValueError: a damaged table.
    """
    table.validate(full=full)
    return table


def feed_of(given: Any, **asked: str | None) -> Feed | None:
    """How the rows of a frame come in batches; None for one that is in memory, or of a library that has no batches.

    Args:
        given: the frame.
        asked: a column's name for what it is; where it is None or missing a usual name is looked for.

    Raises:
        DataError: a column that is not there, or cannot be told from others.
    """
    roles = {role: asked.get(role) for role in ROLES["run"]}
    library = library_of(given)
    with refusals("run", library):
        if library == "pyarrow":
            return arrow_feed(given, roles)
        if library in ("duckdb", "narwhals") or (library == "polars" and hasattr(given, "collect")):
            return lazy_feed(given, roles)
        return None


@dataclass(frozen=True, eq=False, repr=False)
class LazyFeed:
    """A lazy frame of Polars or a relation of DuckDB, computed anew each time.

    Args:
        frame: narwhals' view of the columns wanted.
        roles: what each column is.
        origin: which library it is of.
        rows: how many are asked for at once.
        lock: held while DuckDB answers, whose connection answers one thread at a time.
    """

    frame: Any
    roles: tuple[str, ...]
    origin: Origin
    rows: int = ROWS
    again: bool = True
    lock: Any = field(default_factory=RLock)

    def frames(self) -> Generator[_native.Frame, None, None]:
        """All rows in their order."""
        import narwhals as nw

        with refusals("run", str(self.origin.library)), self.turn():
            # A relation of DuckDB hands itself over once: this makes a new one.
            yield from batches_of(self.frame.select(nw.all()).to_native(), self.rows)

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """The rows of some queries, which the engine's own filter finds."""
        import narwhals as nw

        name = self.frame.columns[0]
        column = nw.col(name) if self.origin.whole else nw.col(name).cast(nw.String)
        with refusals("run", str(self.origin.library)), self.turn():
            found = self.frame.filter(column.is_in(wanted_ids(queries, whole=self.origin.whole)))
            return _native.Frame(found.collect().to_native().__arrow_c_stream__())

    def turn(self) -> AbstractContextManager[Any]:
        """What is waited for before the library is asked; nothing for Polars, which answers many threads at once."""
        turn: AbstractContextManager[Any] = self.lock if self.origin.library == "duckdb" else nullcontext()
        return turn


def lazy_feed(given: Any, asked: dict[str, str | None]) -> LazyFeed | None:
    """The feed of a lazy frame; None for a frame in memory."""
    import narwhals as nw

    frame: Any = nw.from_native(given, pass_through=True)
    if not isinstance(frame, nw.LazyFrame):
        return None
    library = library_of(frame.to_native())
    # DuckDB hands batches over by way of PyArrow, and all rows at once without it.
    if library != "polars" and not (library == "duckdb" and find_spec("pyarrow")):
        return None
    schema = frame.collect_schema()
    chosen = choose(schema.names(), "run", asked)
    whole = schema[chosen["query"]].is_integer()
    return LazyFeed(
        frame.select(*chosen.values()),
        tuple(chosen),
        Origin("a frame", library=library, whole=whole, rows=True),
    )


def batches_of(native: Any, rows: int) -> Iterator[_native.Frame]:
    """The batches of a lazy frame of Polars, or of a relation of DuckDB."""
    if library_of(native) == "duckdb":
        return relation_frames(native, rows)
    if hasattr(native, "collect_batches"):
        return map(frame_of, native.collect_batches(chunk_size=rows, maintain_order=True))
    return map(frame_of, [native.collect()])  # before 1.34


def relation_frames(relation: Any, rows: int) -> Iterator[_native.Frame]:
    """The batches of a relation of DuckDB, whose connection answers nothing else until its reader is closed."""
    names = (
        "to_arrow_reader",
        "fetch_record_batch",
        "fetch_arrow_reader",
    )  # as newer and older versions have it
    reader_of = next(getattr(relation, name) for name in names if hasattr(relation, name))
    with closing(reader_of(rows)) as reader:
        yield from frames_of(reader, rows)


BATCH = 1 << 17
"""PyArrow reads some dozen batches ahead: what it chooses itself unless told otherwise."""
FEW = 1 << 22
"""Of a stream that can be read once, so many rows are held, to be read as often as one likes."""


@dataclass(frozen=True, eq=False, repr=False)
class DatasetFeed:
    """A dataset of PyArrow, scanned anew each time.

    Args:
        dataset: the dataset.
        names: the columns wanted.
        roles: what each column is.
        origin: which library it is of.
        rows: how many are asked for at once.
    """

    dataset: Any
    names: list[str]
    roles: tuple[str, ...]
    origin: Origin
    rows: int = ROWS
    again: bool = True

    def frames(self) -> Generator[_native.Frame, None, None]:
        """All rows in their order."""
        with refusals("run", "pyarrow"):
            size = min(self.rows, BATCH)
            scanner = self.dataset.scanner(columns=self.names, batch_size=size, **bounded(self.dataset))
            yield from frames_of(scanner.to_reader(), self.rows)

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """The rows of some queries."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = pc.field(self.names[0])
        ids = wanted_ids(queries, whole=self.origin.whole)
        kept = column.isin(ids) if self.origin.whole else column.cast(pa.string()).isin(ids)
        with refusals("run", "pyarrow"):
            if bounded(self.dataset):  # of Parquet, whose rows PyArrow makes itself
                return frame_of(self.dataset.scanner(columns=self.names, filter=kept).to_table())
            batches = self.dataset.scanner(columns=self.names, batch_size=BATCH).to_reader()
            parts = [
                sound(pa.Table.from_batches([batch]), full=True).filter(kept)
                for batch in batches
                if len(batch)
            ]
            return frame_of(pa.concat_tables(parts) if parts else batches.schema.empty_table())


def bounded(dataset: Any) -> dict[str, Any]:
    """How a dataset is scanned so that PyArrow does not hold a whole Parquet file, as it does unless told otherwise."""
    if getattr(getattr(dataset, "format", None), "default_extname", None) != "parquet":
        return {}
    import pyarrow.dataset as ds

    if dataset.format.default_fragment_scan_options != ds.ParquetFragmentScanOptions():
        return {}  # somebody has said what they want
    return {"fragment_scan_options": ds.ParquetFragmentScanOptions(pre_buffer=False)}


class OnceFeed:
    """Batches that can be read once. Those of few rows are held, and then read as often as one likes.

    Args:
        reader: PyArrow's reader.
        names: the columns wanted.
        roles: what each column is.
        origin: which library it is of.
        few: how many rows are held.
    """

    def __init__(
        self, reader: Any, names: list[str], roles: tuple[str, ...], origin: Origin, few: int
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
        """All rows in their order."""
        yield self.first()
        if not self.again:
            with refusals("run", "pyarrow"):
                yield from frames_of(self.rest, ROWS, self.names)

    def first(self) -> _native.Frame:
        """The first rows, which are not held any longer if there are more.

        Raises:
            DataError: they were read before.
        """
        with self.lock:  # of several threads one gets them
            head = self.head
            self.head = head if self.again else None
        if head is None:
            raise DataError(READ_ONCE)
        return head

    def only(self, queries: Collection[bytes]) -> _native.Frame:  # noqa: ARG002 -- may hold more
        """All rows, if they are few.

        Raises:
            DataError: they are not.
        """
        if not self.again:
            raise DataError(READ_ONCE)
        return self.first()


READ_ONCE = (
    "The run's rows come in a stream that can be read once, and they are needed again. Hand over a dataset, a lazy "
    "frame or a table."
)


def arrow_feed(given: Any, asked: dict[str, str | None]) -> Feed | None:
    """The feed of a dataset, a scanner or a stream of batches; None for a table in memory."""
    schema: Any = getattr(given, "projected_schema", getattr(given, "schema", None))
    once = hasattr(given, "read_next_batch") or hasattr(given, "projected_schema")
    if not once and not hasattr(given, "get_fragments"):
        return None
    import pyarrow as pa

    chosen = choose(schema.names, "run", asked)
    names, roles = list(chosen.values()), tuple(chosen)
    whole = pa.types.is_integer(schema.field(chosen["query"]).type)
    origin = Origin("a frame", library="pyarrow", whole=whole, rows=True)
    if not once:
        return DatasetFeed(given, names, roles, origin)
    reader = given.to_reader() if hasattr(given, "projected_schema") else given
    return OnceFeed(reader, names, roles, origin, FEW)
