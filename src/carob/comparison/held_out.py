"""Held-out queries: which queries are held out, and a ledger that counts how often their values were seen."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.output.errors import DataError
from carob.output.parsing import json_or_none
from carob.output.taken import refuse_taken, take

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

FIELDS = {"opening", "time", "salt", "share", "queries", "runs", "chosen"}
"""The fields of a line of a ledger."""


@dataclass(frozen=True)
class Opening:
    """One look at held-out values, which is one line of a ledger.

    Args:
        opening: a random id.
        time: the time in UTC.
        salt: the salt of the split.
        share: the share of held-out queries.
        queries: the number of held-out queries.
        runs: the number of runs.
        chosen: the selected run, by measure.
    """

    opening: str
    time: str
    salt: str
    share: float
    queries: int
    runs: int
    chosen: dict[str, str]


def held_out(queries: Iterable[bytes], share: float, salt: str) -> NDArray[np.bool_]:
    """Returns which queries are held out. The decision on a query depends only on its id, the share and the salt.

    A query is held out if the first 8 bytes of the SHA-256 hash of the salt, a zero byte and the id, as a big-endian
    number, are below ``share * 2**64``. Queries that are added later do not change this, and a larger share holds out
    the same queries and others.

    Args:
        queries: the ids of the queries.
        share: the expected share of held-out queries, between 0 and 1.
        salt: any text; another salt gives another split.

    Raises:
        DataError: the share is not between 0 and 1.

    Example:
        >>> held_out([b"q1", b"q2", b"q3", b"q4"], 0.5, "tea").tolist()
        [False, True, True, False]
    """
    if not 0.0 < share < 1.0:
        raise DataError(f"hold_out={share:g} is not a share between 0 and 1: use a number such as 0.3.")
    start, limit = salt.encode("utf-8", "surrogateescape") + b"\0", int(share * 2**64)
    digests = (hashlib.sha256(start + query).digest() for query in queries)
    return np.array([int.from_bytes(each[:8], "big") < limit for each in digests], bool)


def record_opening(
    path: str | os.PathLike[str], salt: str, share: float, queries: int, runs: int, chosen: Mapping[str, str]
) -> tuple[int, int]:
    """Appends an opening to a ledger, and returns the numbers of earlier openings: with this salt, and in all.

    The line is written at once and at the end of the file, so that two processes cannot overwrite each other's line.

    Args:
        path: the ledger, a file with one JSON object per line. The file is created if there is none.
        salt: the salt of the split.
        share: the share of held-out queries.
        queries: the number of held-out queries.
        runs: the number of runs.
        chosen: the selected run, by measure.

    Raises:
        DataError: the file cannot be read or written, or a line is not an opening. Nothing is written then.
    """
    refuse_taken(path)
    read_ledger(path)
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    own = Opening(os.urandom(8).hex(), time, salt, share, queries, runs, dict(chosen))
    line = json.dumps(asdict(own)).encode() + b"\n"
    try:
        file = os.open(os.fspath(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            take(path)
            os.write(file, line)
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise DataError(f"Cannot write {os.fspath(path)}: {error.strerror or error}.") from None
    openings = read_ledger(path)
    earlier = openings[: [each.opening for each in openings].index(own.opening)]
    return sum(each.salt == salt for each in earlier), len(earlier)


def read_ledger(path: str | os.PathLike[str]) -> list[Opening]:
    """Returns the openings in a ledger, in their order, or an empty list if there is no file.

    Raises:
        DataError: the file cannot be read, or a line is not an opening.
    """
    place = os.fspath(path)
    if os.path.exists(place) and not os.path.isfile(place):  # a device may have no end
        raise DataError("this is a folder or a device, which cannot be a ledger. Pass a file.", file=place)
    try:
        with open(place, "rb") as file:
            lines = file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"Cannot read {place}: {error.strerror or error}.") from None
    found = []
    for number, line in enumerate(lines, 1):
        fields = json_or_none(line, file=place, line=number)
        if not isinstance(fields, dict) or set(fields) != FIELDS or not line.endswith(b"\n"):
            raise DataError(
                "this line is not an opening that carob best recorded. Pass another file as the ledger, or "
                "remove the line.",
                file=place,
                line=number,
            )
        found.append(Opening(**fields))
    return found
