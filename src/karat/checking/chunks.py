"""A text's bytes in chunks of whole lines, read to wherever they end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from karat.read import Reopened, damage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.read import Kept, Source

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


class Unbroken(Reopened):
    """A handle that simply ends where a decompressor finds its data damaged or cut short.

    Args:
        handle: what is read.
    """

    def __init__(self, handle: Reopened | Kept) -> None:
        """Read nothing yet."""
        self.handle = handle
        self.fault: str | None = None

    def readinto(self, buffer: memoryview) -> int:
        """Fill ``buffer``; 0 at the end, of whatever kind."""
        try:
            return self.handle.readinto(buffer)
        except Exception as error:
            # gzip and bz2 complain of damaged data in OSError.
            if not isinstance(error, (*damage(), OSError)):
                raise
            self.fault = str(error)
            return 0

    def rewind(self) -> None:
        """Start again from the first byte."""
        self.handle.rewind()


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
