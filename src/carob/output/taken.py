"""Tracks the files that the running command has read, so it overwrites none of them."""

from __future__ import annotations

import contextlib
import os
import stat
from contextvars import ContextVar
from typing import TYPE_CHECKING

from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

TAKEN: ContextVar[dict[tuple[int, int], str] | None] = ContextVar("TAKEN", default=None)
"""The files that the running command has read or written, by device and number; None outside commands."""


@contextlib.contextmanager
def remembered() -> Iterator[None]:
    """Remembers each file that is read or written within the context, so ``refuse_taken`` can reject writing it."""
    before = TAKEN.set({})
    try:
        yield
    finally:
        TAKEN.reset(before)


def take(path: str | os.PathLike[str]) -> None:
    """Remembers a file that the running command reads or has written.

    All code that opens a file in Python, or passes a file name for the kernel or a library to open, calls this
    function.
    """
    taken = TAKEN.get()
    if taken is not None:
        with contextlib.suppress(OSError, ValueError):  # opening the file will report the error
            found = os.stat(path)
            taken.setdefault((found.st_dev, found.st_ino), os.fspath(path))


def refuse_taken(path: str | os.PathLike[str]) -> None:
    """Rejects writing a file that the running command has read or written, under any name or link.

    Raises:
        DataError: the running command has read or written the file.
    """
    taken = TAKEN.get()
    if not taken:
        return
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return  # no file can be lost, or the writer will report the reason
    given = taken.get((found.st_dev, found.st_ino))
    if given is not None and stat.S_ISREG(found.st_mode):
        raise own_input(path, given)


def own_input(path: str | os.PathLike[str], given: str | os.PathLike[str]) -> DataError:
    """Returns the error for an output that is also an input."""
    text = f"this file is the input {os.fspath(given)}, so it is not overwritten."
    return DataError(text, file=os.fspath(path), remedy="Pass another file.")
