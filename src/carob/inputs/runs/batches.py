"""Reads runs in batches, so they need not fit in memory: lazy frames, DuckDB, PyArrow datasets and streams."""

from __future__ import annotations

import math
from contextlib import closing, contextmanager
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

from carob import _native
from carob._dataclasses import dataclass, replace
from carob.inputs import engine_of
from carob.inputs.columns import ROLES, choose
from carob.inputs.errors import refusals, refuse_written_out, refused, sentences
from carob.inputs.frames import Columns, fit, library_of, named_in, system_column, systems_in, whole_frame
from carob.inputs.ids import unicode
from carob.inputs.runs import SpillFile
from carob.inputs.sources import Provenance
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence

    from carob.inputs.runs import MatchOptions, Ranked, Row

ROWS = 1 << 20
"""The number of rows in a batch: enough to occupy all cores, but small compared with an engine's own memory."""
BATCH = 1 << 17
"""PyArrow's default number of rows per batch. PyArrow reads a dozen batches ahead."""
FEW = 1 << 22
"""The number of rows of a single-pass stream that are kept in memory, so a short stream can be read again."""


class CameBack(Exception):  # noqa: N818 -- not an error, but the signal to start again
    """Raised if a query occurs again after its rows were finished."""


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRun:
    """A run whose rows arrive in batches with columns of queries, documents, and scores, ranks or both.

    If the rows of each query are adjacent, only one batch and one query are in memory. If a query occurs again later,
    all rows are read again and kept in memory and in a spill file until the end.

    Args:
        roles: the role of each column.
        origin: the provenance of the rows, including their library.
        every: yields all rows in order, as frames of about the given number of rows, and releases each frame.
        only: returns the rows of some queries, possibly together with rows of other queries.
        again: whether the rows can be read again, in the same order.
        size: the number of rows in a batch.
        memory: the number of bytes of rows to keep in memory if the rows of queries are mixed; None for the kernel's
            default.
        most: the maximum number of bytes that the texts of the rows may take in memory.
    """

    roles: tuple[str, ...]
    origin: Provenance
    every: Callable[[int], Iterable[_native.Frame]]
    only: Callable[[Collection[bytes]], _native.Frame]
    again: bool = True
    size: int = ROWS
    memory: int | None = None
    most: float = math.inf
    alone: ClassVar[bool] = True

    @property
    def by_rank(self) -> bool:
        """Whether the run has ranks but no scores."""
        return "score" not in self.roles

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        options.refuse_without_ranks(ranks="rank" in self.roles)
        try:
            return self.passed(judgments, options, gathered=not self.again)
        except CameBack:
            return self.passed(judgments, options, gathered=True)

    def passed(
        self, judgments: _native.Judgments, options: MatchOptions, *, gathered: bool
    ) -> _native.Matched:
        """Matches the run in one pass over all rows.

        Raises:
            CameBack: the rows of a query are not adjacent, and ``gathered`` is false.
        """
        with closing(SpillFile()) as spill, closing(self.frames()) as frames:
            matcher = _native.FrameMatcher(
                judgments,
                **self.places,
                **options.order,
                threads=options.threads,
                **options.returned,
                gathered=gathered,
                spill=spill,
                memory=self.memory,
            )
            for frame in frames:
                with sentences("run frame", "run"):
                    together = matcher.take(frame)
                if not together:
                    raise CameBack
                del frame  # frees the frame before the next is made
            return matcher.finish()

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with the scores by which the documents are ordered."""
        return self.columns(self.of_queries(queries)).rankings(queries, options, depth)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row. Without scores, the score is the negated rank."""
        if queries is not None:
            yield from self.columns(self.of_queries(queries)).rows(queries)
            return
        with closing(self.frames()) as frames:
            before = 0
            for frame in frames:
                with rows_after(before):
                    yield from self.columns(frame).rows()
                before += frame.rows

    def frames(self) -> Generator[_native.Frame, None, None]:
        """Yields all rows in order, in batches, after a check that the columns fit their roles."""
        with refusals("run", str(self.origin.library)):
            size = 0
            for frame in self.every(self.size):
                self.refuse_unfit(frame)
                size = refuse_written_out(frame, self.most, size)
                yield frame
                del frame

    def of_queries(self, queries: Collection[bytes]) -> _native.Frame:
        """Returns a frame in memory with the rows of some queries."""
        with refusals("run", str(self.origin.library)):
            frame = self.only(queries)
        self.refuse_unfit(frame)
        refuse_written_out(frame, self.most)
        return frame

    @property
    def places(self) -> dict[str, Any]:
        """The kernel's column arguments."""
        return places_of(self.roles)

    def columns(self, frame: _native.Frame) -> Columns:
        """Returns the columns of one batch."""
        return Columns(frame, {role: place for place, role in enumerate(self.roles)}, self.origin)

    def refuse_unfit(self, frame: _native.Frame) -> None:
        """Refuses columns whose type does not fit their role."""
        for column, role in zip(frame.fields, self.roles, strict=True):
            fit(column, role, "run")


def places_of(roles: Sequence[str]) -> dict[str, Any]:
    """Returns the kernel's column arguments for a run whose columns have the given roles, in this order."""
    return {role: roles.index(role) if role in roles else None for role in ROLES["run"]}


@contextmanager
def rows_after(before: int) -> Iterator[None]:
    """Adds the number of rows in earlier frames to the row number in errors.

    Raises:
        DataError: a row cannot be used. The error contains its number within the whole run.
    """
    try:
        yield
    except DataError as error:
        raise error if error.row is None else error.at(row=error.row + before) from None


def streamed(
    given: Any, named: dict[str, str | None], blocks: Callable[[], Iterator[Any]] | None = None
) -> StreamedRun | None:
    """Returns the run in a frame, or None if the frame is in memory or its library has no batches.

    Args:
        given: the frame.
        named: the columns' names by role. If a role is None or missing, a column with a usual name is used.
        blocks: yields the same rows block by block, in lazy frames; None to read ``given`` itself.

    Raises:
        DataError: a column is missing or ambiguous.
    """
    asked = {role: named.get(role) for role in ROLES["run"]}
    library = library_of(given)
    with refusals("run", library):
        if engine_of(given) is not None:
            return in_engine(given, asked)
        if library == "pyarrow":
            schema = getattr(given, "projected_schema", getattr(given, "schema", None))
            if hasattr(given, "read_next_batch") or hasattr(given, "projected_schema"):
                return in_stream(given, schema, asked)
            return in_dataset(given, schema, asked) if hasattr(given, "get_fragments") else None
        if library in ("duckdb", "narwhals") or (library == "polars" and hasattr(given, "collect")):
            return in_lazy_frame(given, asked, blocks)
        return None


def in_engine(given: Any, asked: dict[str, str | None]) -> StreamedRun:
    """Returns the run in a table of a registered engine. The table is read again for each pass."""
    engine: Any = engine_of(given)
    every = list(engine.columns(given))
    chosen = choose(every, "run", asked)
    names = list(chosen.values())

    def only(queries: Collection[bytes]) -> _native.Frame:
        return whole_frame(engine.batches(given, names, wanted_ids(queries, whole=False)), names)

    systems = systems_in(given, every, names)
    origin = Provenance("a frame", library=library_of(given), rows=True, systems=systems)
    return StreamedRun(tuple(chosen), origin, lambda _: map(frame_of, engine.batches(given, names)), only)


def in_lazy_frame(
    given: Any, asked: dict[str, str | None], blocks: Callable[[], Iterator[Any]] | None
) -> StreamedRun | None:
    """Returns the run in a Polars lazy frame or a DuckDB relation, which is computed again for each pass.

    Returns None for a frame in memory.
    """
    import narwhals as nw

    frame: Any = nw.from_native(given, pass_through=True)
    if not isinstance(frame, nw.LazyFrame):
        return None
    library = library_of(frame.to_native())
    # DuckDB yields batches only through PyArrow. Without PyArrow, it returns all rows in one piece.
    if library != "polars" and not (library == "duckdb" and find_spec("pyarrow")):
        return None
    schema = frame.collect_schema()
    chosen = choose(schema.names(), "run", asked)
    whole = schema[chosen["query"]].is_integer()
    wanted = frame.select(*chosen.values())
    query = nw.col(chosen["query"]) if whole else nw.col(chosen["query"]).cast(nw.String)

    def every(rows: int) -> Iterator[_native.Frame]:
        if blocks is not None:
            return (frame_of(each.select(*chosen.values()).collect()) for each in blocks())
        native = wanted.select(nw.all()).to_native()  # a DuckDB relation can be exported only once
        if library == "duckdb":
            return relation_frames(native, rows)
        if hasattr(native, "collect_batches"):
            return map(frame_of, native.collect_batches(chunk_size=rows, maintain_order=True))
        return map(frame_of, [native.collect()])  # before 1.34

    def only(queries: Collection[bytes]) -> _native.Frame:
        return frame_of(wanted.filter(query.is_in(wanted_ids(queries, whole=whole))).collect().to_native())

    systems = systems_in(frame.to_native(), schema.names(), chosen.values())
    origin = Provenance("a frame", library=library, whole=whole, rows=True, systems=systems)
    return StreamedRun(tuple(chosen), origin, every, only)


def in_dataset(given: Any, schema: Any, asked: dict[str, str | None]) -> StreamedRun:
    """Returns the run in a PyArrow dataset, which is scanned again for each pass."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen, origin = columns_in(schema, asked)
    origin = replace(origin, systems=systems_in(given, schema.names, chosen.values()))
    names = list(chosen.values())

    def every(rows: int) -> Iterator[_native.Frame]:
        scanner = given.scanner(
            columns=names, batch_size=min(rows, BATCH), **in_turn(given), **bounded(given)
        )
        return frames_of(scanner.to_reader(), rows)

    def only(queries: Collection[bytes]) -> _native.Frame:
        column, ids = pc.field(names[0]), wanted_ids(queries, whole=origin.whole)
        kept = column.isin(ids) if origin.whole else column.cast(pa.string()).isin(ids)
        if bounded(given):  # a Parquet file: PyArrow decodes its rows, so their texts are sound
            return frame_of(given.scanner(columns=names, filter=kept).to_table())
        batches = given.scanner(columns=names, batch_size=BATCH).to_reader()
        tables = (pa.Table.from_batches([batch]) for batch in batches if len(batch))
        parts = [sound(table, full=True).filter(kept) for table in tables]
        return frame_of(pa.concat_tables(parts) if parts else batches.schema.empty_table())

    return StreamedRun(tuple(chosen), origin, every, only)


def bounded(dataset: Any) -> dict[str, Any]:
    """Returns scan options that prevent PyArrow from buffering whole Parquet files, which it does by default."""
    if getattr(getattr(dataset, "format", None), "default_extname", None) != "parquet":
        return {}
    import pyarrow.dataset as ds

    if dataset.format.default_fragment_scan_options != ds.ParquetFragmentScanOptions():
        return {}  # the caller has chosen options
    return {"fragment_scan_options": ds.ParquetFragmentScanOptions(pre_buffer=False)}


def in_turn(dataset: Any) -> dict[str, Any]:
    """Returns scan options that prevent PyArrow from reading a whole Arrow file ahead of a slower consumer."""
    if getattr(getattr(dataset, "format", None), "default_extname", "") not in ("arrow", "feather"):
        return {}
    return {"use_threads": False, "batch_readahead": 0, "fragment_readahead": 0}


def in_stream(given: Any, schema: Any, asked: dict[str, str | None]) -> StreamedRun:
    """Returns the run in a PyArrow scanner or reader, which can be read only once unless it has few rows."""
    chosen, origin = columns_in(schema, asked)
    names = list(chosen.values())
    reader = given.to_reader() if hasattr(given, "projected_schema") else given
    seen: list[Any] = []
    column = system_column(schema.names, names)
    rest, lock = noted(reader, column, seen), Lock()
    head = next(frames_of(rest, FEW, names), frame_of(reader.schema.empty_table().select(names)))
    if column is not None:
        origin = replace(origin, systems=named_in(column, seen))
    again = head.rows < FEW
    left = [head]

    def first(*, whole: bool = False) -> _native.Frame:
        with lock:  # if the stream is long, only one of several threads gets its rows
            if left and (again or not whole):
                return left[0] if again else left.pop()
        raise refused(
            "The run is a stream that can be read only once, but carob must read its rows more than once.",
            "Pass a dataset, a lazy frame or a table.",
        )

    def every(rows: int) -> Iterator[_native.Frame]:
        yield first()
        yield from frames_of(rest, rows, names)

    return StreamedRun(tuple(chosen), origin, every, lambda _: first(whole=True), again)


def noted(batches: Iterable[Any], column: str | None, seen: list[Any]) -> Iterator[Any]:
    """Yields the batches. Adds tables with the distinct values of a column in the first batches to ``seen``."""
    import pyarrow as pa

    size = 0
    for batch in batches:
        if column is not None and size < FEW:
            seen.append(pa.table({column: batch[column].unique()}))
            size += len(batch)
        yield batch


def columns_in(schema: Any, asked: dict[str, str | None]) -> tuple[dict[str, str], Provenance]:
    """Returns the columns of a PyArrow schema by role, and the provenance of the rows."""
    import pyarrow as pa

    chosen = choose(schema.names, "run", asked)
    whole = pa.types.is_integer(schema.field(chosen["query"]).type)
    return chosen, Provenance("a frame", library="pyarrow", whole=whole, rows=True)


def wanted_ids(queries: Collection[bytes], *, whole: bool) -> list[Any]:
    """Converts ids to the type of a column (text or whole numbers), and drops ids that the type cannot represent."""
    texts = [text for query in queries if (text := unicode(query)) is not None]
    if not whole:
        return texts
    return [int(text) for text in texts if text.removeprefix("-").isdecimal() and str(int(text)) == text]


def frame_of(batch: Any) -> _native.Frame:
    """Returns a batch in the form that the kernel reads."""
    return _native.Frame(batch.__arrow_c_stream__())


def frames_of(reader: Any, rows: int, names: Sequence[str] | None = None) -> Iterator[_native.Frame]:
    """Yields the requested columns of a PyArrow reader in combined batches of about ``rows`` rows."""
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
    """Checks that all text of a table lies within its buffers.

    ``full`` also runs PyArrow's full validation, after which all of its functions are safe.

    Raises:
        ValueError: the table is damaged.
    """
    table.validate(full=full)
    return table


def relation_frames(relation: Any, rows: int) -> Iterator[_native.Frame]:
    """Yields the batches of a DuckDB relation. Its connection is busy until the reader is closed."""
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")  # newer and older versions
    reader_of = next(getattr(relation, name) for name in names if hasattr(relation, name))
    with closing(reader_of(rows)) as reader:
        yield from frames_of(reader, rows)
