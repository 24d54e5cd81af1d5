"""Dictionaries as the kernel reads them, and what it refuses of them as sentences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, cast

from karat import _native
from karat.inputs.faults import WIDE
from karat.output.errors import DataError

__all__ = ["from_mapping", "graded", "mapping_fault", "plain", "ranked"]


def plain(mapping: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The mapping as dicts of dicts, which the kernel walks; nothing is copied where they are dicts already."""
    if type(mapping) is dict and all(type(inner) is dict for inner in mapping.values()):
        return cast("dict[str, Any]", mapping)
    rows: dict[str, Any] = dict(mapping)
    return {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in rows.items()}


def graded(mapping: Mapping[Any, Any], grade: float | None = None) -> dict[Any, Any]:
    """Judgments, of which a query may have a list or a set of ids in the place of ``{id: grade}``: each has grade 1.

    Args:
        mapping: the judgments.
        grade: what every document is worth, whatever the judgments say; None for what they say.
    """
    return {query: grades_of(query, its, grade) for query, its in mapping.items()}


def grades_of(query: Any, its: Any, grade: float | None) -> Any:
    """The documents of a query with their grades; what is neither a mapping nor a list of ids stays what it is."""
    if isinstance(its, Mapping):
        return its if grade is None else dict.fromkeys(its, grade)
    if isinstance(its, (str, bytes)) or not isinstance(its, Iterable):
        return its
    return dict.fromkeys(listed(its, "qrels", query), 1 if grade is None else grade)


def ranked(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    """A run, of which a query may have a list of ids in rank order in the place of ``{id: score}``.

    Raises:
        DataError: a set, which has no order, or a list with an id twice.
    """
    return {query: scores_of(query, its) for query, its in mapping.items()}


def scores_of(query: Any, its: Any) -> Any:
    """The documents of a query with scores; what is neither a mapping nor a list of ids stays what it is."""
    if isinstance(its, (set, frozenset)):
        raise DataError(f"run, query {query!r}: a set has no order: give the ids as a list, best first.")
    if isinstance(its, (Mapping, str, bytes)) or not isinstance(its, Iterable):
        return its
    ids = listed(its, "run", query)
    found = {each: -rank for rank, each in enumerate(ids, 1)}
    if len(found) < len(ids):
        again = next(each for place, each in enumerate(ids) if each in ids[:place])
        raise DataError(
            f"run, query {query!r}: document {again!r} is listed twice. Remove one; list(dict.fromkeys(ids)) keeps the "
            "first."
        )
    return found


def listed(ids: Any, kind: str, query: Any) -> list[Any]:
    """Ids as a list, those of an array or a column as Python's own.

    Raises:
        DataError: a row, a pair or the like in the place of an id.
    """
    found: list[Any] = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    for each in found:
        if not isinstance(each, Hashable):
            value = "grade" if kind == "qrels" else "score"
            raise DataError(
                f"{kind}, query {query!r}: its list holds a {type(each).__name__} in the place of an id: {each!r}. "
                f"Give ids, or {{id: {value}}}."
            )
    return found


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
        "wide": f"the {value} {WIDE}: subtract a constant, or write it as float",
        "query": f"the query id is neither text nor a whole number ({error.detail}): write it as str",
        "document": f"the document id is neither text nor a whole number ({error.detail}): write it as str",
        "surrogates": "the id holds surrogates that stand for no bytes, so it matches nothing: write it as the text "
        "that it is",
        "twice": "the id is there twice, as text and as a whole number: keep one",
        "mapping": f"expected {{document: {value}}} ({error.detail})",
        "changed": "the dictionary, or a number in it, changed while it was read: let nobody write to it meanwhile",
    }
    return f"{where}: {reasons.get(error.kind, f'{error.kind} ({error.detail})')}."
