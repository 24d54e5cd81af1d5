"""Writes files atomically, never replacing a file that the same command reads, and reads carob's own tables."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from carob.output.errors import DataError
from carob.output.parsing import read_toml
from carob.output.taken import own_input, refuse_taken, take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


Data: TypeAlias = "bytes | Callable[[BinaryIO], None]"
"""The content of a file, or a function that writes the content to the open file."""


def write_whole(path: str | os.PathLike[str], content: str | Data) -> None:
    """Writes a file atomically: a reader sees either the old or the new content, never an incomplete file.

    The content is written to a file with a random name in the same folder, which is then renamed. Several threads and
    processes may write the same file; the last one wins. An existing file keeps its mode.

    Args:
        path: the file. If it is a link, the target of the link is written, because the user may have created the link
            on purpose; the temporary file never follows a link. Devices and pipes (``/dev/null``) are written directly.
        content: text, which is written as UTF-8; bytes; or a function that writes to the file.

    Raises:
        DataError: the file cannot be written, or the running command has read it.
    """
    # Bytes of ids that are not UTF-8 become \udcXX, as JSON writes them.
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with whole_file(path) as file:
        data(file) if callable(data) else file.write(data)


@contextlib.contextmanager
def whole_file(
    path: str | os.PathLike[str], is_wanted: Callable[[], bool] = lambda: True
) -> Iterator[BinaryIO]:
    """Opens a file for writing as ``write_whole`` does.

    Args:
        path: the file.
        is_wanted: a function, called at the end, that returns whether to keep the file. If not, the path is left
            unchanged.

    Raises:
        DataError: as for ``write_whole``.
    """
    place = os.path.realpath(os.fspath(path))
    refuse_taken(path)
    try:
        mode = mode_of(os.fspath(path))  # the real path of /dev/stdout does not exist if it is a pipe
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, "wb") as file:
                yield file
            return
        beside = os.path.join(os.path.dirname(place), f".carob-{os.urandom(8).hex()}.part")
        try:
            with new_file(beside, mode) as file:
                yield file
            if is_wanted():
                os.replace(beside, place)
                take(place)
            else:
                os.unlink(beside)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
    except OSError as error:
        raise DataError(f"Cannot write {os.fspath(path)}: {error.strerror or error}.") from None


@contextlib.contextmanager
def new_file(path: str, mode: int | None) -> Iterator[BinaryIO]:
    """Creates a new file with the given mode, or with the process's default mode, and opens it for writing.

    Raises:
        OSError: the path exists, even as a link, or the file cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    # The kernel applies the process's umask; reading the umask would change it for all threads.
    with open(os.open(path, flags, 0o666), "wb") as file:
        yield file
        if mode is not None:
            os.chmod(path, stat.S_IMODE(mode))
        file.flush()
        os.fsync(file.fileno())


def mode_of(path: str) -> int | None:
    """Returns the mode of the file at a path, or None if there is no file.

    Raises:
        OSError: a folder of the path cannot be searched.
    """
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def refuse_overwriting(path: str | os.PathLike[str], inputs: Iterable[object]) -> None:
    """Rejects a path that is an input file under any name, or a file in an input folder or pattern.

    Args:
        path: the file to write.
        inputs: the inputs; inputs that are not paths are ignored.

    Raises:
        DataError: the file is an input.
    """
    place = os.fspath(path)
    if not os.path.isfile(place):
        return
    for given in inputs:
        if isinstance(given, (str, os.PathLike)) and is_part_of(place, os.fspath(given)):
            raise own_input(place, given)


def is_part_of(path: str, given: str) -> bool:
    """Returns whether a file is the file at a path, is in the folder at the path, or matches the pattern."""
    if os.path.isdir(given):
        inside = os.path.join(os.path.realpath(given), "")
        return os.path.realpath(path).startswith(inside)
    found = [given]
    if not os.path.lexists(given):
        import glob

        found = glob.glob(given, recursive=True)
    with contextlib.suppress(OSError):  # there is no file to lose
        return any(os.path.samefile(path, each) for each in found)
    return False


def own_table(module: str, name: str) -> dict[str, Any]:
    """Returns the content of one of carob's own TOML files, in the folder of a module.

    Args:
        module: the path of the module, ``__file__``.
        name: the name of the TOML file.
    """
    return read_toml(os.path.join(os.path.dirname(module), name))
