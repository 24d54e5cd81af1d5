"""Chooses held-out queries, and keeps a ledger that records each time their values were seen."""

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

    from carob.inputs.qrels import Qrels

FIELDS = {"opening", "time", "salt", "share", "queries", "runs", "chosen", "after"}
"""The fields of a line of a ledger."""


@dataclass(frozen=True)
class Opening:
    """One opening of held-out values, recorded as one line of a ledger.

    Args:
        opening: a random id.
        time: the time in UTC.
        salt: the salt of the split.
        share: the proportion of held-out queries.
        queries: the hash of each held-out query's judgments by the hash of its id, as returned by ``query_hashes``.
        runs: the number of runs.
        chosen: the selected run, by measure.
        after: the SHA-256 hash of the line that was last when this line was written; empty in the first line.
    """

    opening: str
    time: str
    salt: str
    share: float
    queries: dict[str, str]
    runs: int
    chosen: dict[str, str]
    after: str

    def shares_queries(self, other: Opening) -> bool:
        """Returns whether another opening includes one of these queries, with equal judgments if both are known."""
        both = self.queries.keys() & other.queries.keys()
        return any(
            self.queries[each] == other.queries[each] or "" in (self.queries[each], other.queries[each])
            for each in both
        )


def held_out(queries: Iterable[bytes], share: float, salt: str) -> NDArray[np.bool_]:
    """Returns a mask of the held-out queries. Each decision depends only on the query's id, the share and the salt.

    A query is held out if the first 8 bytes of the SHA-256 hash of the salt, a zero byte and the id, as a big-endian
    number, are below ``share * 2**64``. Adding queries later does not change which queries are held out, and a larger
    share holds out the same queries and more.

    Args:
        queries: the ids of the queries.
        share: the expected proportion of held-out queries, between 0 and 1.
        salt: an arbitrary text; a different salt gives a different split.

    Raises:
        DataError: the share is not between 0 and 1.

    Example:
        >>> held_out([b"q1", b"q2", b"q3", b"q4"], 0.5, "tea").tolist()
        [False, True, True, False]
    """
    if not 0.0 < share < 1.0:
        raise DataError(f"hold_out={share:g} is not a proportion between 0 and 1: use a number such as 0.3.")
    start, limit = salt.encode("utf-8", "surrogateescape") + b"\0", int(share * 2**64)
    digests = (hashlib.sha256(start + query).digest() for query in queries)
    return np.array([int.from_bytes(each[:8], "big") < limit for each in digests], bool)


def query_hashes(queries: Iterable[bytes], qrels: Qrels | None) -> dict[str, str]:
    """Returns the hash of each query's judgments by the hash of its id. Without judgments, the hash is empty.

    Args:
        queries: the ids of the queries.
        qrels: the judgments.
    """
    judged: dict[bytes, list[bytes]] = {query: [] for query in queries}
    for query, document, grade in () if qrels is None else qrels.rows():
        if query in judged:
            judged[query].append(document + b" %r" % grade)
    return {short_hash(query): (rows and short_hash(*sorted(rows))) or "" for query, rows in judged.items()}


def short_hash(*parts: bytes) -> str:
    """Returns the first 64 bits of the SHA-256 hash of the parts, in hexadecimal."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def record_opening(
    path: str | os.PathLike[str],
    split: tuple[str, float],
    queries: Mapping[str, str],
    runs: int,
    chosen: Mapping[str, str],
) -> tuple[int, int]:
    """Appends an opening to a ledger, and counts the earlier openings: those that share a query with it, and all.

    A query is identified by its id and, if both openings contain judgments, by its judgments, regardless of the salt.
    The line is appended in a single write, so two processes cannot overwrite each other's line.

    Args:
        path: the ledger, a file with one JSON object per line. The file is created if there is none.
        split: the salt and the proportion of held-out queries.
        queries: the held-out queries, as returned by ``query_hashes``.
        runs: the number of runs.
        chosen: the selected run, by measure.

    Raises:
        DataError: the file cannot be read or written, a line is not an opening, or a line was changed or removed.
            Nothing is written in these cases.
    """
    refuse_taken(path)
    _, last = read_ledger(path)
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    own = Opening(os.urandom(8).hex(), time, *split, dict(queries), runs, dict(chosen), last)
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
    openings, _ = read_ledger(path)
    earlier = openings[: [each.opening for each in openings].index(own.opening)]
    return sum(own.shares_queries(each) for each in earlier), len(earlier)


def read_ledger(path: str | os.PathLike[str]) -> tuple[list[Opening], str]:
    """Returns the openings in a ledger, in file order, and the hash of its last line; both are empty without a file.

    If two processes write concurrently, both of their lines may refer to the same earlier line.

    Raises:
        DataError: the file cannot be read, a line is not an opening, or the line that it refers to is missing.
    """
    place = os.fspath(path)
    if os.path.exists(place) and not os.path.isfile(place):  # reading a device may never end
        raise DataError("this is a folder or a device, which cannot be a ledger. Pass a file.", file=place)
    try:
        with open(place, "rb") as file:
            lines = file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return [], ""
    except OSError as error:
        raise DataError(f"Cannot read {place}: {error.strerror or error}.") from None
    found, hashes = [], [""]
    for number, line in enumerate(lines, 1):
        fields = json_or_none(line, file=place, line=number)
        if not isinstance(fields, dict) or set(fields) != FIELDS or not line.endswith(b"\n"):
            raise DataError(
                "this line is not an opening recorded by carob best. Pass another file as the ledger, or remove the "
                "line.",
                file=place,
                line=number,
            )
        if fields["after"] not in hashes:
            raise DataError(
                "the line that this opening followed was changed or removed, so openings cannot be counted. "
                "Restore the ledger, or pass another file.",
                file=place,
                line=number,
            )
        found.append(Opening(**fields))
        hashes.append(hashlib.sha256(line).hexdigest())
    return found, hashes[-1]
