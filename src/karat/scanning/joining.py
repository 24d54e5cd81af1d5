"""Several text files as one: the parts of a run that several machines wrote."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

from karat.cursors import Reopened
from karat.read import BYTE_ORDER_MARK, Source, unpacked
from karat.scanning.telling import PACKED

if TYPE_CHECKING:
    from karat.scanning.places import Place

__all__ = ["joined"]


class Chain(io.RawIOBase):
    """Files one behind the other; each ends with its line, and lines are counted through.

    Args:
        paths: the files.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        """Open the first when it is read."""
        super().__init__()
        self.waiting = list(reversed(paths))
        self.file: IO[bytes] | None = None
        self.last = b"\n"

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        view = memoryview(buffer).cast("B")
        while self.file is not None or self.waiting:
            if self.file is None:
                self.file = opened(self.waiting.pop())
            part = self.file.read(len(view))
            if not part:
                self.file.close()
                self.file = None
                part = b"" if self.last == b"\n" else b"\n"
            if part:
                view[: len(part)] = part
                self.last = part[-1:]
                return len(part)
        return 0

    def close(self) -> None:
        """Close the file that is open."""
        if self.file is not None:
            self.file.close()
            self.file = None
        super().close()


def opened(path: str) -> Any:
    """A file from its first byte, unpacked, behind a byte order mark."""
    found: Any = unpacked(path)
    if found.peek(3)[:3] == BYTE_ORDER_MARK:
        found.read(3)
    return found


def joined(place: Place) -> Source:
    """The files as one text, which is not read yet."""
    origin = place.origin
    plain = not any(each.endswith(PACKED) for each in place.files)
    return Source(
        place.name, lambda: Reopened(lambda: Chain(place.files)), origin.size if plain else None, origin
    )
