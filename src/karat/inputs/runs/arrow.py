"""Datasets, scanners and streams of PyArrow, whose rows come batch after batch."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from karat.inputs.frames import choose, refusals
from karat.inputs.runs.batches import ROWS, frame_of, frames_of, sound, wanted_ids
from karat.inputs.sources import Origin
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Generator

    from karat import _native
    from karat.inputs.runs.batches import Feed

__all__ = ["OnceFeed", "arrow_feed", "bounded"]

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
