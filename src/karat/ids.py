"""Ids of queries and documents: text for people, bytes for the kernel."""

from __future__ import annotations

__all__ = ["bytes_of", "text_of", "unicode"]


def text_of(identifier: bytes) -> str:
    """An id as text; bytes that are not UTF-8 survive the way there and back."""
    return identifier.decode("utf-8", "surrogateescape")


def bytes_of(identifier: str) -> bytes:
    """An id as the kernel holds it."""
    return identifier.encode("utf-8", "surrogateescape")


def unicode(identifier: bytes) -> str | None:
    """An id as text; None if it is none, so that no engine holds it."""
    try:
        return identifier.decode()
    except UnicodeDecodeError:
        return None
