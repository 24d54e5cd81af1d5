"""Refuses Parquet files that contradict themselves before a library trusts them, which may end the process."""

from __future__ import annotations

import mmap

from karat import _native
from karat.inputs.sources import sentences
from karat.output.errors import DataError

__all__ = ["refuse_damaged"]


def refuse_damaged(path: str) -> None:
    """Refuse a Parquet file whose footer or page headers contradict themselves or the file's length.

    Raises:
        DataError: such a file, or one that cannot be read.
    """
    with sentences(path), open(path, "rb") as file:
        if not file.seek(0, 2):
            raise DataError(f"{path} is empty: fetch or write it again.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            damage = _native.parquet_damage(content)
    if damage is not None:
        raise DataError(
            f"{path} cannot be read: {damage}. It is damaged or cut short: fetch or write it again."
        )
