"""SHA-256 of input files, as they lie on the disk: the digest that ``sha256sum`` prints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from karat.inputs.sources import sentences
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.inputs.sources import Origin

__all__ = ["digests", "refuse_changed"]

BLOCK = 2**20


def digests(paths: Sequence[str]) -> dict[str, tuple[int, str]]:
    """How many bytes each file has and their SHA-256; a compressed file is not unpacked.

    SHA-256 and not a faster hash, because every system has a program that prints it. No file is held in memory.

    Raises:
        DataError: a file that cannot be read.
    """
    from concurrent.futures import ThreadPoolExecutor

    distinct = list(dict.fromkeys(paths))
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(distinct, pool.map(digest, distinct), strict=True))


def digest(path: str) -> tuple[int, str]:
    """The same of one file, in one pass."""
    from hashlib import sha256

    found, block = sha256(), memoryview(bytearray(BLOCK))
    size = 0
    with sentences(path), open(path, "rb", buffering=0) as file:
        while count := file.readinto(block):
            found.update(block[:count])
            size += count
    return size, found.hexdigest()


def refuse_changed(origin: Origin) -> None:
    """Refuse a file that is no longer the one that was scored.

    Raises:
        DataError: it has gone, or was changed since.
    """
    for part in origin.parts:
        refuse_changed(part)
    if origin.parts:
        return
    path = origin.path or ""
    with sentences(path):
        now = os.stat(path)
    if (now.st_size, now.st_mtime_ns) != (origin.size, origin.changed):
        raise DataError(f"{path} was changed after it had been scored: score it again, then record.")
