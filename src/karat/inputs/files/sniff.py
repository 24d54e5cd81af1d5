"""What a path and the first bytes tell of a file: asked of every file, and so cheap."""

from __future__ import annotations

import os

from karat.inputs.sources import BYTE_ORDER_MARK

__all__ = [
    "ENDINGS",
    "PACKED",
    "called",
    "is_number",
    "is_pattern",
    "is_trec",
    "kind_of",
]

ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
}
"""What a file is by its ending; any other ending is text, of which the first line says more."""

PACKED = (".gz", ".zst", ".bz2", ".xz")


def kind_of(path: str) -> str:
    """What a file is by its ending, compressed or not."""
    stem, ending = os.path.splitext(path)
    if ending in PACKED:
        ending = os.path.splitext(stem)[1]
    return ENDINGS.get(ending.casefold(), "text")


def is_pattern(path: str) -> bool:
    """Whether a path is a pattern of paths; one that is there as it stands is none."""
    return any(letter in path for letter in "*?[") and not os.path.lexists(path)


def called(path: str) -> str:
    """What tables call a run in files: the file's name without its endings, of parts the folder's that they lie in."""
    stem = os.path.basename(os.path.normpath(path))
    while os.path.splitext(stem)[1] in (*ENDINGS, *PACKED, ".tsv", ".txt", ".run"):
        stem = os.path.splitext(stem)[0]
    plain = stem.strip("*?-_. ")
    if plain in ("", "part"):
        folder = os.path.dirname(os.path.normpath(path))
        return called(folder) if folder.strip("*?.") else path
    return plain if is_pattern(path) and plain else stem


def is_trec(head: bytes, kind: str) -> bool:
    """Whether the first line is one of TREC's, or nothing that is known here: cheap, for it is asked of every file.

    Args:
        head: the first bytes of the file.
        kind: ``qrels`` or ``run``.
    """
    line = head[:1024].removeprefix(BYTE_ORDER_MARK).split(b"\n", 1)[0]
    fields = line.split(None, 6)
    if not fields or fields[0].startswith(b"#"):
        return True
    place = 3 if kind == "qrels" else 4
    if len(fields) > place and is_number(fields[place]) and (kind == "run" or len(fields) == 4):
        return not line.startswith((b"{", b"["))
    return False


def is_number(field: bytes | str) -> bool:
    """Whether a field is a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True
