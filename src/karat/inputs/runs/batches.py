"""What hands a run's rows over that need not fit in memory: batch after batch, as the kernel reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from karat import _native
from karat.inputs.ids import unicode

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence

    from karat.inputs.sources import Origin

__all__ = ["ROWS", "Feed", "frame_of", "frames_of", "sound", "wanted_ids"]

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
