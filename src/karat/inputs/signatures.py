"""What a file is by its first bytes, where it is no text: named, so that nobody has to read them."""

from __future__ import annotations

__all__ = ["content_of"]

SIGNATURES = {
    b"PAR1": "a Parquet file: give its path",
    b"ARROW1": "an Arrow file: give its path",
    b"\x93NUMPY": "a NumPy file",
    b"\x04\x22\x4d\x18": "compressed by LZ4: unpack it first (lz4 -d)",
    b"\xff\x06\x00\x00sNaPpY": "compressed by Snappy: unpack it first",
    b"\x1f\x8b": "compressed twice: unpack it first (gunzip)",
    b"\x28\xb5\x2f\xfd": "compressed twice: unpack it first (unzstd)",
    b"BZh": "compressed twice: unpack it first (bunzip2)",
    b"\xfd7zXZ\x00": "compressed twice: unpack it first (unxz)",
    b"\x1f\x9d": "compressed by compress: unpack it first (uncompress)",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: unpack it first",
    b"Rar!": "a RAR archive: unpack it first",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel file: save it as CSV",
    b"\x7fELF": "a program",
    b"version https://git-lfs": "a Git LFS pointer: the file itself was not fetched (git lfs pull)",
    b"<!doctype html": "an HTML page, perhaps what a failed download left",
    b"<html": "an HTML page, perhaps what a failed download left",
    b"<?xml": "XML",
    b"\xff\xfe\x00\x00": "UTF-32 text: save it as UTF-8",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}
TAR_AT = 257
"""Where a tar archive says that it is one."""
LETTERS = b"\t\n\v\f\r\x1b"
"""Control characters that text may hold."""
SHARE = 0.1
"""From so many other control characters on, of all bytes, it is no text."""


def content_of(head: bytes) -> str | None:
    """What the bytes at the start of a file are; None for what may be text.

    Args:
        head: the first bytes, unpacked if the file is compressed.
    """
    lower = head[:64].lstrip().lower()
    for signature, what in SIGNATURES.items():
        if head.startswith(signature) or (signature[:1] == b"<" and lower.startswith(signature)):
            return None if signature in (b"ORC", b"BZh", b"Rar!") and is_word(head) else what
    if head.startswith(b"PK\x03\x04"):
        excel = b"xl/" in head or b"[Content_Types].xml" in head
        return "an Excel file: save it as CSV" if excel else "a ZIP archive: unpack it first (unzip)"
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "a Python pickle: write it as JSON, or hand the object over in Python"
    if head[TAR_AT : TAR_AT + 5] == b"ustar":
        return "a tar archive: unpack it first (tar -xf)"
    odd = sum(byte < 32 and byte not in LETTERS for byte in head[:1024])
    return "no text" if odd > SHARE * min(len(head), 1024) and not is_word(head[:64]) else None


def is_word(head: bytes) -> bool:
    """Whether the first line is text after all, such as an id that begins as a signature does."""
    line = head.split(b"\n", 1)[0]
    return len(line.split()) > 1 and all(byte >= 32 or byte in LETTERS for byte in line)
