"""How a page is written: beside its place under another name, and renamed when it is complete."""

from __future__ import annotations

import contextlib
import os
import tempfile

from karat.errors import DataError

__all__ = ["save"]


def save(path: str, text: str) -> None:
    """Write a file, or leave what was there as it was.

    Raises:
        DataError: it cannot be written.
    """
    # A link keeps pointing to the file that it names.
    place = os.path.realpath(path)
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            with open(
                place, "w", encoding="utf-8"
            ) as file:  # a pipe or a device: there is nothing to replace
                file.write(text)
            return
        mode = os.stat(place).st_mode & 0o777 if os.path.exists(place) else 0o666 & ~umask()
        handle, beside = tempfile.mkstemp(prefix=".karat-", suffix=".part", dir=os.path.dirname(place) or ".")
        try:
            with open(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(beside, mode)
            os.replace(beside, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
    except OSError as error:
        raise DataError(f"Cannot write {path}: {error.strerror or error}.") from None


def umask() -> int:
    """What new files are not allowed; asking means setting it for a moment."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
