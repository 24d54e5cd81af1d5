"""Places in bytes that are read: each reader of a file or stream has its own, so that many threads can read one."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Begun", "Cursor", "Kept", "Reopened"]

IN_MEMORY = 64 * 2**20


class Cursor(io.RawIOBase):
    """Bytes that can be read from their start any number of times, by one reader."""

    def readable(self) -> bool:
        """It is."""
        return True

    def rewind(self) -> None:
        """Start again from the first byte."""
        raise NotImplementedError


class Reopened(Cursor):
    """A file that is opened anew for each reading, and is open only while it is read.

    Args:
        start: opens it.
    """

    def __init__(self, start: Callable[[], IO[bytes] | io.RawIOBase]) -> None:
        """Open nothing yet."""
        super().__init__()
        self.start = start
        self.file: Any = None

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end, where the file is closed."""
        if self.file is None:
            self.file = self.start()
        count = 0 if self.file.closed else int(self.file.readinto(buffer) or 0)
        if count == 0:
            self.file.close()
        return count

    def rewind(self) -> None:
        """Start again from the first byte."""
        if self.file is not None:
            self.file.close()
            self.file = None

    def close(self) -> None:
        """Close the file."""
        self.rewind()
        super().close()


class Begun(io.RawIOBase):
    """A stream whose first bytes were looked at, from its first byte.

    Args:
        file: the stream, which stays open when this object is closed: it is the caller's.
        most: how many bytes are looked at.
    """

    def __init__(self, file: Any, most: int) -> None:
        """Look at the first bytes."""
        super().__init__()
        self.stream = file
        self.head = b""
        room = bytearray(most)
        while len(self.head) < most and (count := self.stream.readinto(memoryview(room)[len(self.head) :])):
            self.head = bytes(room[: len(self.head) + count])
        self.waiting = self.head

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        if not self.waiting:
            return int(self.stream.readinto(buffer) or 0)
        view = memoryview(buffer).cast("B")
        part, self.waiting = self.waiting[: len(view)], self.waiting[len(view) :]
        view[: len(part)] = part
        return len(part)


class Kept:
    """A stream that can be read once: what was read is kept, in memory and then in a temporary file.

    Args:
        file: the stream.
    """

    def __init__(self, file: io.RawIOBase) -> None:
        """Keep nothing yet."""
        from tempfile import SpooledTemporaryFile
        from threading import Lock

        self.file = file
        self.kept = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed with this object
        self.size = 0
        self.ended = False
        self.fault: Exception | None = None
        self.lock = Lock()

    def fill(self, place: int, buffer: memoryview) -> int:
        """Fill ``buffer`` with bytes from a place on, that of a cursor; 0 at the end.

        Raises:
            Exception: whatever the stream raised, to every reader alike.
        """
        with self.lock:
            if place < self.size:
                self.kept.seek(place)
                old = self.kept.read(len(buffer))
                buffer[: len(old)] = old
                return len(old)
            if self.fault is not None:
                raise self.fault.with_traceback(None)
            if self.ended:
                return 0
            return self.fetch(buffer)

    def fetch(self, buffer: memoryview) -> int:
        """Fill ``buffer`` with bytes that nobody has read before."""
        try:
            count = int(self.file.readinto(buffer) or 0)
            self.kept.seek(self.size)
            self.kept.write(buffer[:count])
        except Exception as error:
            self.fault = error
            raise
        self.size += count
        self.ended = count == 0
        return count

    def cursor(self) -> Cursor:
        """A reader's own place in it."""
        return KeptCursor(self)

    def __del__(self) -> None:
        """Let the temporary file go."""
        self.kept.close()


class KeptCursor(Cursor):
    """A place in a stream that is kept.

    Args:
        kept: the stream.
    """

    def __init__(self, kept: Kept) -> None:
        """Begin at the first byte."""
        super().__init__()
        self.kept = kept
        self.place = 0

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        count = self.kept.fill(self.place, memoryview(buffer).cast("B"))
        self.place += count
        return count

    def rewind(self) -> None:
        """Start again from the first byte."""
        self.place = 0
