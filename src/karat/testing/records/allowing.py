"""Which files a record may have read: regular ones, below its own folder or the one that karat runs in."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from karat.inputs.files.sniff import is_pattern
from karat.inputs.sources import sentences
from karat.output.errors import DataError, Worded, worded

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["refuse_elsewhere", "refuse_irregular"]

OVER = Worded("qrels=, runs={name: run}", "--qrels FILE, --run NAME=FILE")
"""How inputs are handed over."""


def refuse_elsewhere(path: str, record: str) -> None:
    """Refuse a path that leads out of the record's folder and the working folder, also by a link.

    Args:
        path: a file, a folder or a pattern that the record names, or a file that one of these means.
        record: the record's own path.

    Raises:
        DataError: it does.
    """
    root = os.path.dirname(re.split(r"[*?[]", path)[0]) if is_pattern(path) else path
    found = os.path.realpath(root or ".")
    climbs = os.pardir in re.split(r"[/\\]", path[len(root) :])  # behind a wildcard, where no root tells it
    homes = [os.path.realpath(each) for each in (os.path.dirname(record) or ".", ".")]
    if climbs or not any(found == home or found.startswith(os.path.join(home, "")) for home in homes):
        raise DataError(
            worded(
                f"{record} names {path}, which is not below the record's folder or the one that this runs in: hand "
                "the file over (",
                OVER,
                "), or let the record name any file (",
                Worded("anywhere=True", "--anywhere"),
                ").",
            )
        )


def refuse_irregular(paths: Iterable[str], record: str) -> None:
    """Refuse what is no file: a pipe or a device that a record names may never end.

    Raises:
        DataError: such a path, or nothing there.
    """
    for path in paths:
        with sentences(path):
            mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise DataError(
                worded(f"{record} names {path}, which is no file: hand a file over (", OVER, ").")
            )
