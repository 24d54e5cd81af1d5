"""Lazy frames of Polars and relations of DuckDB, whose rows come batch after batch."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from threading import RLock
from typing import TYPE_CHECKING, Any

from karat import _native
from karat.inputs.frames import choose, library_of, refusals
from karat.inputs.runs.batches import ROWS, frame_of, frames_of, wanted_ids
from karat.inputs.sources import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator
    from contextlib import AbstractContextManager

__all__ = ["lazy_feed"]


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
