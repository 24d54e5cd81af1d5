"""Files that appear whole or not at all, and never in place of what was read."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["refuse_overwriting", "write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part; an old one keeps its mode.

    The content is written beside its place, under a name that nobody can foresee, and renamed. Any number of threads
    and processes may write the same file: the last one stays.

    Args:
        path: the file; a link is followed, and what is no file (``/dev/null``, a pipe) is written to as it is.
        content: text, written as UTF-8, or bytes.

    Raises:
        DataError: it cannot be written there.
    """
    # What is left of ids that are not UTF-8 becomes \udcXX, which is how JSON spells it.
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    place = os.path.realpath(os.fspath(path))
    try:
        mode = mode_of(place)
        if mode is not None and not stat.S_ISREG(mode):
            with open(place, "wb") as file:
                file.write(data)
            return
        beside = os.path.join(os.path.dirname(place), f".karat-{os.urandom(8).hex()}.part")
        try:
            write_new(beside, data, mode)
            os.replace(beside, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
    except OSError as error:
        raise DataError(f"Cannot write {os.fspath(path)}: {error.strerror or error}.") from None


def write_new(path: str, data: bytes, mode: int | None) -> None:
    """Write a file that is not there yet, with the mode of an old one, or that of any new file of this process.

    Raises:
        OSError: it is there, even as a link, or cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    # The kernel takes off what the process's mask forbids; to ask for the mask is to change it for all threads.
    with open(os.open(path, flags, 0o666), "wb") as file:
        file.write(data)
        if mode is not None:
            os.chmod(path, stat.S_IMODE(mode))
        file.flush()
        os.fsync(file.fileno())


def mode_of(path: str) -> int | None:
    """The mode of what stands there; None if nothing does.

    Raises:
        OSError: a folder on the way is missing or closed.
    """
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def refuse_overwriting(path: str | os.PathLike[str], inputs: Iterable[object]) -> None:
    """Refuse to write to a file that is read: the same one under any name, or one of a folder's or pattern's.

    Args:
        path: where is to be written.
        inputs: what is read; what is no path is passed over.

    Raises:
        DataError: it is an input.
    """
    place = os.fspath(path)
    if not os.path.isfile(place):
        return
    for given in inputs:
        if isinstance(given, (str, os.PathLike)) and is_part_of(place, os.fspath(given)):
            raise DataError(
                f"{place} is an input, {os.fspath(given)}: it is not overwritten. Name another file."
            )


def is_part_of(path: str, given: str) -> bool:
    """Whether a file is the one that a path means, or one of several."""
    if os.path.isdir(given):
        inside = os.path.join(os.path.realpath(given), "")
        return os.path.realpath(path).startswith(inside)
    found = [given]
    if not os.path.lexists(given):
        import glob

        found = glob.glob(given, recursive=True)
    with contextlib.suppress(OSError):  # what is not there is no input that could be lost
        return any(os.path.samefile(path, each) for each in found)
    return False
