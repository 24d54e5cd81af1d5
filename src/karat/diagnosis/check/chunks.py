"""A text's bytes in chunks of whole lines, read to wherever they end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.inputs.cursors import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from karat.inputs.sources import Source

__all__ = ["NEWLINE", "PAD", "Chunk", "Unbroken", "chunks", "padded"]

AT_ONCE = 2**19
"""Bytes read at a time."""
LONGEST = 64 * 2**20
"""A line that is longer is not one of a run or of judgments."""
PAD = 16
"""Bytes of room on either side of a chunk, so that eight bytes can be loaded from any place in it."""
NEWLINE = 10
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False, repr=False)
class Chunk:
    """Some whole lines.

    Args:
        data: ``PAD`` newlines, the lines, each with its newline, and ``PAD`` newlines more.
        line: how many lines stand before these in the text.
        last: whether the text ends here.
        closed: whether its last line has a newline of its own; one is added where it has not.
        marked: whether a byte-order mark stood before these lines; it is left out.
    """

    data: NDArray[np.uint8]
    line: int
    last: bool = False
    closed: bool = True
    marked: bool = False

    @property
    def text(self) -> NDArray[np.uint8]:
        """The lines without the room around them."""
        return self.data[PAD:-PAD]


class Unbroken:
    """Makes cursors that simply end where data are damaged or cut short.

    Args:
        start: makes the cursors over the data.
    """

    def __init__(self, start: Callable[[], Cursor]) -> None:
        """Read nothing yet."""
        self.start = start
        self.fault: str | None = None

    def __call__(self) -> Cursor:
        """A cursor at the first byte."""
        return Ending(self.start(), self)


class Ending(Cursor):
    """A cursor that ends at a fault, and notes it.

    Args:
        over: the cursor over the data.
        noted: where the fault is noted.
    """

    def __init__(self, over: Cursor, noted: Unbroken) -> None:
        """Begin at the first byte."""
        super().__init__()
        self.over, self.noted = over, noted

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer``; 0 at the end, of whatever kind."""
        try:
            return self.over.readinto(buffer) or 0
        except OSError as error:
            self.noted.fault = getattr(error, "fault", str(error))
            return 0

    def rewind(self) -> None:
        """Start again from the first byte."""
        self.over.rewind()

    def close(self) -> None:
        """Close the data."""
        self.over.close()
        super().close()


def pieces(source: Source) -> Iterator[NDArray[np.uint8]]:
    """The bytes of a source, some at a time; each piece is read over by the next."""
    handle = source.from_start()
    if isinstance(handle, bytes):
        whole = np.frombuffer(handle, np.uint8)
        yield from (whole[start : start + AT_ONCE] for start in range(0, len(whole), AT_ONCE))
        return
    room = np.empty(AT_ONCE, np.uint8)
    view = room.data
    if isinstance(handle, str):
        with open(handle, "rb", buffering=0) as file:
            while count := file.readinto(view):
                yield room[:count]
        return
    while count := handle.readinto(view):
        yield room[:count]


def chunks(source: Source) -> Iterator[Chunk]:
    """The text in chunks that end with a line, the last of which may be empty."""
    kept: list[NDArray[np.uint8]] = []
    lines, held = 0, 0
    for piece in pieces(source):
        newlines = np.flatnonzero(piece == NEWLINE)
        if len(newlines):
            end = int(newlines[-1]) + 1
            yield unmarked(Chunk(padded([*kept, piece[:end]]), lines))
            lines += len(newlines)
            kept, held = [piece[end:].copy()], len(piece) - end
        elif held < LONGEST:
            kept.append(piece.copy())
            held += len(piece)
    rest = [part for part in kept if len(part)]
    if rest:
        whole = padded([*rest, np.array([NEWLINE], np.uint8)])
        yield unmarked(Chunk(whole, lines, last=True, closed=False))
    else:
        yield Chunk(padded([]), lines, last=True)


def unmarked(chunk: Chunk) -> Chunk:
    """The chunk without the byte-order mark that the first one may begin with."""
    if chunk.line or chunk.text[: len(MARK)].tobytes() != MARK:
        return chunk
    data = chunk.data[len(MARK) :]
    data[:PAD] = NEWLINE
    return replace(chunk, data=data, marked=True)


def padded(parts: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The parts end to end with room around them."""
    room = np.full(PAD, NEWLINE, np.uint8)
    return np.concatenate([room, *parts, room])
