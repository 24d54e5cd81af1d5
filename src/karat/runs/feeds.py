"""Where rows come from that need not fit in memory: each library's own way to hand them over batch after batch."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from karat import _native
from karat.columns import ROLES, choose, library_of, refusals
from karat.errors import DataError
from karat.ids import text_of
from karat.read import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence

__all__ = ["Feed", "feed_of"]

ROWS = 1 << 20
"""How many rows are asked for at once: enough for every core, little beside what engines hold themselves."""

BATCH = 1 << 17
"""PyArrow reads some dozen batches ahead: what it chooses itself unless told otherwise."""

FEW = 1 << 22
"""Of a stream that can be read once, so many rows are held, to be read as often as one likes."""


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


def wanted_ids(queries: Collection[bytes], *, whole: bool) -> list[Any]:
    """Ids as a column holds them, text or whole numbers; those that it cannot hold are left out."""
    texts = [text_of(query) for query in queries]
    if not whole:
        return [
            text for text in texts if text.isprintable() or text.encode("utf-8", "ignore").decode() == text
        ]
    return [int(text) for text in texts if text.removeprefix("-").isdecimal() and str(int(text)) == text]


def frame_of(batch: Any) -> _native.Frame:
    """The kernel's view of a batch."""
    return _native.Frame(batch.__arrow_c_stream__())


def frames_of(reader: Any, rows: int, names: Sequence[str] | None = None) -> Iterator[_native.Frame]:
    """The batches of PyArrow's reader, put together to so many rows, of the columns wanted, decimals as doubles."""
    import pyarrow as pa

    part: list[Any] = []
    count = 0
    for batch in reader:
        part.append(batch if names is None else batch.select(names))
        count += len(batch)
        if count >= rows:
            yield frame_of(plain(pa.Table.from_batches(part)))
            part, count = [], 0
    if count:
        yield frame_of(plain(pa.Table.from_batches(part)))


def plain(table: Any) -> Any:
    """The table with decimals as doubles."""
    import pyarrow as pa

    kinds = [pa.float64() if pa.types.is_decimal(kind) else kind for kind in table.schema.types]
    return table.cast(pa.schema(list(zip(table.schema.names, kinds, strict=True))))


# ---------------------------------------------------------------- engines


@dataclass(frozen=True, eq=False, repr=False)
class LazyFeed:
    """A lazy frame of Polars or a relation of DuckDB, computed anew each time.

    Args:
        frame: narwhals' view of the columns wanted.
        roles: what each column is.
        origin: which library it is of.
        rows: how many are asked for at once.
    """

    frame: Any
    roles: tuple[str, ...]
    origin: Origin
    rows: int = ROWS
    again: bool = True

    def frames(self) -> Generator[_native.Frame, None, None]:
        """All rows in their order."""
        import narwhals as nw

        with refusals("run", str(self.origin.library)):
            # A relation of DuckDB hands itself over once: this makes a new one.
            yield from batches_of(self.frame.select(nw.all()).to_native(), self.rows)

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """The rows of some queries, which the engine's own filter finds."""
        import narwhals as nw

        name = self.frame.columns[0]
        column = nw.col(name) if self.origin.whole else nw.col(name).cast(nw.String)
        with refusals("run", str(self.origin.library)):
            found = self.frame.filter(column.is_in(wanted_ids(queries, whole=self.origin.whole)))
            return _native.Frame(found.collect().to_native().__arrow_c_stream__())


def lazy_feed(given: Any, asked: dict[str, str | None]) -> LazyFeed | None:
    """The feed of a lazy frame, decimals as doubles; None for a frame in memory."""
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
    columns = [
        nw.col(name).cast(nw.Float64) if wide(schema[name], role) else nw.col(name)
        for role, name in chosen.items()
    ]
    whole = schema[chosen["query"]].is_integer()
    return LazyFeed(
        frame.select(*columns), tuple(chosen), Origin("a frame", library=library, whole=whole, rows=True)
    )


def wide(kind: Any, role: str) -> bool:
    """Whether a column of numbers is of a kind that Arrow hands over as decimals."""
    import narwhals as nw

    return role in ("score", "rank") and kind in (nw.Decimal, nw.Int128, nw.UInt128)


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


# ---------------------------------------------------------------- Arrow


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
            scanner = self.dataset.scanner(columns=self.names, batch_size=min(self.rows, BATCH))
            yield from frames_of(scanner.to_reader(), self.rows)

    def only(self, queries: Collection[bytes]) -> _native.Frame:
        """The rows of some queries."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = pc.field(self.names[0])
        ids = wanted_ids(queries, whole=self.origin.whole)
        kept = column.isin(ids) if self.origin.whole else column.cast(pa.string()).isin(ids)
        with refusals("run", "pyarrow"):
            return frame_of(plain(self.dataset.scanner(columns=self.names, filter=kept).to_table()))


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
        self.rest = iter(reader)
        none = frame_of(plain(reader.schema.empty_table().select(names)))
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
        if self.head is None:
            raise DataError(READ_ONCE)
        head = self.head
        self.head = head if self.again else None
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
