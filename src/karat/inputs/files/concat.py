"""Several text files as one: the parts of a run that several machines wrote."""

from __future__ import annotations

import io
import re
from typing import IO, TYPE_CHECKING, Any

from karat.inputs.cursors import Reopened
from karat.inputs.files.sniff import PACKED
from karat.inputs.sources import BYTE_ORDER_MARK, Source, unpacked

if TYPE_CHECKING:
    from karat.inputs.files.paths import Place

__all__ = ["joined"]


BLOCK = 2**20
DATA = re.compile(rb"(?m)^([ \t]*)(?=[^\s#])")
"""Where a line of data begins, behind its blanks."""


class Prefixed(io.RawIOBase):
    """A text with something before the first field of each line of data.

    Args:
        file: the text.
        prefix: what.
    """

    def __init__(self, file: IO[bytes], prefix: bytes) -> None:
        """Read nothing yet."""
        super().__init__()
        self.file = file
        self.prefix = prefix
        self.rest = b""
        self.ready = b""

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most so many; none at the end."""
        while not self.ready:
            block = self.file.read(BLOCK)
            if not block and not self.rest:
                return b""
            whole, end, self.rest = (self.rest + block).rpartition(b"\n") if block else (self.rest, b"", b"")
            self.ready = DATA.sub(lambda found: found[1] + self.prefix, whole) + end
        part = self.ready if size < 0 else self.ready[:size]
        self.ready = self.ready[len(part) :]
        return part

    def close(self) -> None:
        """Close the text."""
        self.file.close()
        super().close()


class Chain(io.RawIOBase):
    """Files one behind the other; each ends with its line, and lines are counted through.

    Args:
        paths: the files.
        labels: what stands before the queries of each, with a slash between; nothing if there are none.
    """

    def __init__(self, paths: tuple[str, ...], labels: tuple[str, ...] = ()) -> None:
        """Open the first when it is read."""
        super().__init__()
        self.waiting = list(reversed(list(zip(paths, labels or (None,) * len(paths), strict=True))))
        self.file: IO[bytes] | Prefixed | None = None
        self.last = b"\n"

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        view = memoryview(buffer).cast("B")
        while self.file is not None or self.waiting:
            if self.file is None:
                path, label = self.waiting.pop()
                file = opened(path)
                before = None if label is None else f"{label}/".encode("utf-8", "surrogateescape")
                self.file = file if before is None else Prefixed(file, before)
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
    size = origin.size if plain and not place.labels else None
    return Source(place.name, lambda: Reopened(lambda: Chain(place.files, place.labels)), size, origin)
