"""The entry of an input in a record: its path, size and hash. The hash shows whether judgments have changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from carob.inputs.errors import sentences
from carob.output.escaping import json_text
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.inputs.sources import Provenance


def described(
    role: str, name: str | None, origin: Provenance, hashes: dict[str, tuple[int, str]]
) -> dict[str, Any]:
    """Returns an input's entry in the record. For input from memory, a reason replaces the hash."""
    named = {"role": role} | ({} if name is None else {"name": name})
    if origin.path is None:
        return {**named, "path": None, "bytes": None, "sha256": None, "why": f"{origin.kind} in memory"}
    columns = dict(origin.columns)
    seen = columns.pop("exclude", None)
    if seen is not None and seen.path is None:
        why = f"{origin.path} without documents that were excluded"
        return {**named, "path": None, "bytes": None, "sha256": None, "why": why}
    made: dict[str, Any] = {**named, "path": origin.path}
    if columns and role != "exclude":  # excluded pairs are read without column names
        made["columns"] = columns
    if not origin.parts:
        size, found = hashes[origin.path]
        return {**made, "bytes": size, "sha256": found}
    files = [{"path": path, "bytes": hashes[path][0], "sha256": hashes[path][1]} for path in origin.files]
    return {**made, "bytes": sum(hashes[path][0] for path in origin.files), "sha256": None, "files": files}


def entry_of_judgments(origin: Provenance | None) -> dict[str, Any] | None:
    """Returns the record entry of judgments, or None if they came from memory or the files have changed since."""
    if origin is None or origin.path is None or not unchanged(origin):
        return None
    return described("qrels", None, origin, digests(origin.files))


STREAMS = ("standard input", "a stream")
"""The kinds of input that cannot be read again."""


def entry_of_run(name: str, origin: Provenance | None) -> dict[str, Any] | None:
    """Returns the path and size of a run, or None for data in memory.

    The entry has no hash, because hashing a large run would take a sixth of the time of an evaluation. A record
        contains the hash.
    """
    entry: dict[str, Any] = {"role": "run", "name": name, "path": None, "bytes": None, "sha256": None}
    if origin is not None and origin.kind in STREAMS:
        return {**entry, "why": f"{origin.kind}, which can be read only once"}
    if origin is None or origin.path is None:
        return None
    size = sum(each.size for each in origin.parts or (origin,))
    return {**entry, "path": origin.path, "bytes": size, "why": "not hashed: a record has the hash"}


def identity(entry: dict[str, Any] | None) -> str:
    """Returns a text that identifies the judgments and how they were read, or an empty text if there is no hash.

    Args:
        entry: the entry of the judgments in a record.
    """
    if entry is None:
        return ""
    hashes = [entry["sha256"]] if entry.get("sha256") else [each["sha256"] for each in entry.get("files", ())]
    columns = dict(sorted(entry.get("columns", {}).items()))
    read = [json_text(columns, None)] if hashes and columns else []
    return " ".join([*hashes, *read])


def unchanged(origin: Provenance) -> bool:
    """Returns whether the files of an input have the same sizes and modification times as when they were read."""
    if origin.parts:
        return all(map(unchanged, origin.parts))
    path = origin.path or ""
    if not os.path.isfile(path):  # a pipe cannot be read again
        return False
    now = os.stat(path)
    return (now.st_size, now.st_mtime_ns) == (origin.size, origin.changed)


class Exclusion(NamedTuple):
    """The documents that were removed from a run before it was ranked.

    Args:
        name: the file with the excluded documents; empty if the file is unknown or the data were in memory.
        identity: the identity of that file, or an empty text if it is unknown.
    """

    name: str = ""
    identity: str = ""


def entry_of_exclusion(name: str, origin: Provenance | None) -> dict[str, Any] | None:
    """Returns the record entry of a run's excluded pairs, or None if they are not in a file that can be read again.

    Args:
        name: the run.
        origin: the provenance of the run.
    """
    seen = None if origin is None else dict(origin.columns).get("exclude")
    if seen is None or seen.path is None or not unchanged(seen):
        return None
    return described("exclude", name, seen, digests(seen.files))


def exclusion_of(name: str, inputs: Sequence[dict[str, Any]], excluded: int) -> Exclusion | None:
    """Returns the documents that were excluded from a run, or None if none were.

    Args:
        name: the run.
        inputs: the entries of a record.
        excluded: the number of documents that were removed from the run.
    """
    for each in inputs:
        if each.get("name") == name and each["role"] == "exclude":
            return Exclusion(each["path"] or "", identity(each))
    return Exclusion() if excluded else None


BLOCK = 2**20
THREADED = 2**25
"""The total size of the files, in bytes, above which a second thread saves more time than it takes to start."""


def digests(paths: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Returns the size and SHA-256 hash of each file as stored, without decompression.

    SHA-256 is used because every system has a program that prints it. The files are read in blocks and never held in
    memory as a whole.

    Raises:
        DataError: a file cannot be read.
    """
    distinct = list(dict.fromkeys(paths))
    # If memory runs out, Python waits forever for a thread that could not start.
    if len(distinct) == 1 or sum(map(size_of, distinct)) < THREADED:
        return {path: digest(path) for path in distinct}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(distinct, pool.map(digest, distinct), strict=True))


def size_of(path: str) -> int:
    """Returns the size of a file in bytes.

    Raises:
        DataError: there is no such file.
    """
    with sentences(path):
        return os.stat(path).st_size


def digest(path: str) -> tuple[int, str]:
    """Returns the size and SHA-256 of one file, in one pass."""
    from hashlib import sha256

    found, block = sha256(), memoryview(bytearray(BLOCK))
    size = 0
    take(path)
    with sentences(path), open(path, "rb", buffering=0) as file:
        while count := file.readinto(block):
            found.update(block[:count])
            size += count
    return size, found.hexdigest()
