"""Ids of queries and documents: text for people, bytes for the kernel."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["as_text", "bytes_of", "text_of", "texts", "twice", "unicode"]


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


def twice(names: Iterable[str]) -> str | None:
    """The first name that occurs again; None if none does."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def as_text(identifier: object) -> str:
    """A dictionary's id as text: text as it is, a whole number as its decimal text.

    Raises:
        DataError: anything else.
    """
    if isinstance(identifier, str):
        return str(identifier)
    if isinstance(identifier, bool) or not hasattr(identifier, "__index__"):
        kind = type(identifier).__name__
        raise DataError(f"The id {identifier!r} is {kind}, not text or a whole number: write it as str.")
    return str(operator.index(identifier))


def texts(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    """A dictionary with its ids as text, as the kernel reads them."""
    return {as_text(identifier): value for identifier, value in mapping.items()}
