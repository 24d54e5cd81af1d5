"""Files that appear whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import os
import stat

from karat.errors import DataError

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part; an old one keeps its mode.

    Args:
        path: the file; a link is followed, and what is no file (``/dev/null``, a pipe) is written to as it is.
        content: text, written as UTF-8, or bytes.

    Raises:
        DataError: it cannot be written there.
    """
    # What is left of ids that are not UTF-8 becomes \udcXX, which is how JSON spells it.
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    place = os.path.realpath(os.fspath(path))
    beside = f"{place}.{os.getpid()}.part"
    try:
        mode = mode_of(place)
        if mode is not None and not stat.S_ISREG(mode):
            with open(place, "wb") as file:
                file.write(data)
            return
        try:
            with open(beside, "wb") as file:
                file.write(data)
            if mode is not None:
                os.chmod(beside, stat.S_IMODE(mode))
            os.replace(beside, place)
        finally:
            if os.path.exists(beside):
                os.remove(beside)
    except OSError as error:
        raise DataError(f"Cannot write {os.fspath(path)}: {error.strerror or error}.") from None


def mode_of(path: str) -> int | None:
    """The mode of what stands there; None if nothing does.

    Raises:
        OSError: a folder on the way is missing or closed.
    """
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
