"""Converts query and document ids between text and bytes."""

from __future__ import annotations

import operator
from numbers import Integral
from typing import TYPE_CHECKING, Any

from carob.inputs.errors import refused
from carob.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from carob.output.errors import DataError


def text_of(identifier: bytes) -> str:
    """Returns an id as text. Even bytes that are not UTF-8 can be converted back without loss."""
    return identifier.decode("utf-8", "surrogateescape")


def texts_of(identifiers: Iterable[bytes]) -> list[str]:
    """Returns ids as texts."""
    ids = list(identifiers)
    texts = b"\n".join(ids).decode("utf-8", "surrogateescape").split("\n")
    return texts if len(texts) == len(ids) else [*map(text_of, ids)]  # an id may contain a line break


def bytes_of(identifier: str) -> bytes:
    """Returns an id as bytes for the kernel."""
    return identifier.encode("utf-8", "surrogateescape")


def unicode(identifier: bytes) -> str | None:
    """Returns an id as text, or None if it is not UTF-8, which engines cannot represent."""
    try:
        return identifier.decode()
    except UnicodeDecodeError:
        return None


def twice(names: Iterable[Any]) -> Any:
    """Returns the first repeated name, or None if all names are distinct."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def as_text(identifier: object) -> str:
    """Returns a dictionary's id as text. A whole number becomes its decimal text.

    Raises:
        DataError: the id is neither text nor a whole number.
    """
    if isinstance(identifier, str):
        return str(identifier)
    if isinstance(identifier, bool) or not hasattr(identifier, "__index__"):
        kind = type(identifier).__name__
        raise refused(
            "The id {identifier} is {kind}, not text or a whole number.",
            "Write it as str.",
            identifier=shown(identifier),
            kind=kind,
        )
    try:
        return str(operator.index(identifier))
    except ValueError as error:  # Python refuses to write so many digits
        raise refused(
            "An id is a whole number that cannot be written as decimal text: {why}.", why=error
        ) from None


def texts(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns a dictionary with its ids converted to text, as the kernel requires."""
    return {as_text(identifier): value for identifier, value in mapping.items()}


INNER_PADDING = (
    "query {name} lists the document -1 before other documents{where}.",
    "The id -1 is allowed only at the end of a list, as padding (as in faiss). Remove it elsewhere.",
)
"""The message and the remedy for a list of documents with the id -1 before its end."""


def unpadded(ids: Sequence[Any], query: Any, column: str | None = None) -> int:
    """Returns the number of ids before the padding of a list. Padding is -1, as a whole number or text, at the end.

    Args:
        ids: the documents of a list.
        query: its query, for the error.
        column: the column of the list, for the error; None if the list is not in a column.

    Raises:
        DataError: -1 occurs before another id.
    """
    pads = [is_padding(each) or (isinstance(each, str) and each == "-1") for each in ids]
    kept = len(pads) - sum(pads)
    if any(pads[:kept]):
        raise inner_padding(query, column)
    return kept


def inner_padding(query: Any, column: str | None) -> DataError:
    """Returns the error for a list of documents with the id -1 before its end."""
    where = "" if column is None else f" in '{column}'"
    return refused(*INNER_PADDING, query=str(query), name=shown(str(query)), where=where, document="-1")


def lists_nothing_but_padding(query: Any, column: str) -> DataError:
    """Returns the error for judgments with a list in which every document is -1."""
    return refused(
        "query {name}: '{column}' contains only -1, which is padding.",
        "Write an empty list for a question without relevant documents, or leave such rows out.",
        query=str(query),
        name=shown(str(query)),
        column=column,
    )


def odd_list(query: Any, sizes: Mapping[str, int | None]) -> DataError | None:
    """Returns the error if a list of a row is missing or the lists differ in length; None if they are correct."""
    place = {"query": str(query), "name": shown(str(query))}
    missing = next((name for name, size in sizes.items() if size is None), None)
    if missing is not None:
        return refused(
            "query {name} has no list in '{column}'.",
            "Fill in a list, which may be empty, or leave such rows out.",
            column=missing,
            **place,
        )
    if len({*sizes.values()}) == 1:
        return None
    lengths = " and ".join(f"{size} in '{name}'" for name, size in sizes.items())
    return refused(
        "query {name} has {lengths}.", "Use one number for each document.", lengths=lengths, **place
    )


def is_padding(identifier: object) -> bool:
    """Returns whether an id is the whole number -1, which faiss and other libraries use to pad short lists."""
    return isinstance(identifier, Integral) and identifier == -1
