"""Dictionaries as the kernel reads them, and what it refuses of them as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from karat import _native
from karat.errors import DataError

__all__ = ["from_mapping", "mapping_fault", "plain"]


def plain(mapping: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The mapping as dicts of dicts, which the kernel walks; nothing is copied where they are dicts already."""
    if type(mapping) is dict and all(type(inner) is dict for inner in mapping.values()):
        return cast("dict[str, Any]", mapping)
    rows: dict[str, Any] = dict(mapping)
    return {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in rows.items()}


def from_mapping(make: Any, mapping: Any, kind: str) -> Any:
    """Call the kernel on a mapping and turn its refusals into sentences.

    Raises:
        DataError: an id that is neither text nor a whole number, a score or grade that is no number, or NaN.
    """
    try:
        return make(mapping)
    except _native.MappingError as error:
        raise DataError(mapping_fault(error, kind)) from None


def mapping_fault(error: _native.MappingError, kind: str) -> str:
    """What the kernel found in a mapping, as a sentence; ``kind`` is ``qrels`` or ``run``."""
    value = "grade" if kind == "qrels" else "score"
    where = (
        kind
        if error.query is None and error.kind in ("changed", "mapping")
        else f"{kind}, query {error.query!r}"
    )
    if error.document is not None or error.kind == "document":
        where += f", document {error.document!r}"
    reasons = {
        "nan": f"the {value} is NaN, which has no place in an order",
        "infinite": f"the {value} is infinite: give a finite number",
        "number": f"the {value} is not a number ({error.detail})",
        "wide": f"the {value} is a whole number that a double does not hold, so different ones would be equal: "
        "subtract a constant, or write it as float",
        "query": f"the query id is neither text nor a whole number ({error.detail}): write it as str",
        "document": f"the document id is neither text nor a whole number ({error.detail}): write it as str",
        "surrogates": "the id holds surrogates that stand for no bytes, so it matches nothing: write it as the text "
        "that it is",
        "twice": "the id is there twice, as text and as a whole number: keep one",
        "mapping": f"expected {{document: {value}}} ({error.detail})",
        "changed": "the dictionary, or a number in it, changed while it was read: let nobody write to it meanwhile",
    }
    return f"{where}: {reasons.get(error.kind, f'{error.kind} ({error.detail})')}."
