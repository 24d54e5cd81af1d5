"""The spill file, which stores rows of a run that exceed the memory budget."""

from __future__ import annotations

from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator


class SpillFile:
    """The spill file, which the kernel writes and reads back, one call at a time.

    Example:
        >>> from contextlib import closing
        >>> with closing(SpillFile()) as file:
        ...     place = file.append(memoryview(b"rows"))
        ...     back = bytearray(4)
        ...     file.fill(place, memoryview(back))
        >>> bytes(back)
        b'rows'
    """

    def __init__(self) -> None:
        self.file: IO[bytes] | None = None
        self.size = 0

    def append(self, rows: memoryview) -> int:
        """Appends rows and returns their start position."""
        place = self.size
        with failures():
            if self.file is None:
                import tempfile  # which few runs need, and which imports a dozen modules

                self.file = tempfile.TemporaryFile(prefix="karat-", buffering=0)  # noqa: SIM115 -- close() is
            self.file.seek(place)
            written = 0
            while written < len(rows):
                written += self.file.write(rows[written:])
        self.size += len(rows)
        return place

    def fill(self, place: int, room: memoryview) -> None:
        """Reads bytes from a position until ``room`` is full."""
        with failures():
            if self.file is None:
                raise OSError("nothing was written to it")
            self.file.seek(place)
            while room:
                room = room[self.file.readinto(room) or end_of_file() :]  # type: ignore[attr-defined]

    def close(self) -> None:
        """Closes and deletes the file."""
        if self.file is not None:
            self.file.close()


def end_of_file() -> int:
    """Raises the error for a file that is shorter than the data written to it."""
    raise OSError("the file is shorter than the data written to it")


@contextmanager
def failures() -> Iterator[None]:
    """Turns errors of the disk into an error with a readable sentence."""
    try:
        yield
    except OSError as error:
        import tempfile

        where = tempfile.tempdir or "the folder for temporary files"
        raise DataError(
            f"Rows that exceed the memory budget cannot be written to a file in {where}: {error.strerror or error}.",
            remedy="Free some space there, set TMPDIR to another folder, or sort the run by query.",
        ) from None
