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
        DataError: an id that is no text, a score or grade that is no number, or NaN.
    """
    try:
        return make(mapping)
    except _native.MappingError as error:
        raise DataError(mapping_fault(error, kind)) from None


def mapping_fault(error: _native.MappingError, kind: str) -> str:
    """What the kernel found in a mapping, as a sentence; ``kind`` is ``qrels`` or ``run``."""
    value = "grade" if kind == "qrels" else "score"
    where = f"{kind}, query {error.query!r}"
    if error.document is not None:
        where += f", document {error.document!r}"
    reasons = {
        "nan": f"the {value} is NaN, which has no place in an order",
        "infinite": f"the {value} is infinite: give a finite number",
        "number": f"the {value} is not a number ({error.detail})",
        "query": f"the query id is not text ({error.detail}): write it as str",
        "document": f"the document id is not text ({error.detail}): write it as str",
        "mapping": f"expected {{document: {value}}} ({error.detail})",
        "changed": "the dictionary changed while it was read: let no other thread write to it meanwhile",
    }
    return f"{where}: {reasons.get(error.kind, f'{error.kind} ({error.detail})')}."
