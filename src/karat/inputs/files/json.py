"""JSON files: one object of objects, ``{query: {document: number}}``, or objects line by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from karat.inputs.ids import twice
from karat.inputs.sources import sentences, unpacked
from karat.output.errors import DataError, KaratError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.inputs.files.columns import Shape

__all__ = ["first_objects", "is_by_line", "mapping_in", "shapes_of"]

# Brackets within thousands of brackets are deeper than Python looks.
NO_JSON = (ValueError, RecursionError)
SAMPLED = 1000
"""Lines that tell which fields objects have."""


def mapping_in(path: str) -> dict[str, Any]:
    """The object that a file holds.

    Raises:
        DataError: a file that cannot be read, is no JSON or no object, or names a query or document twice.
    """
    with sentences(path), unpacked(path) as file:
        content = file.read()
    try:
        found = json.loads(content.decode("utf-8-sig"), object_pairs_hook=lambda pairs: distinct(pairs, path))
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no text in UTF-8 (byte {error.start}): save it so.") from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}, line {error.lineno}: no JSON here ({error.msg}). Is the file cut short, or one of lines? Those "
            "end in .jsonl."
        ) from None
    except KaratError:
        raise
    except NO_JSON as error:
        raise DataError(f"{path} is no run or qrels in JSON ({error}).") from None
    if not isinstance(found, dict):
        kind = "a list" if isinstance(found, list) else "one value"
        raise DataError(
            f"{path} holds {kind}: expected {{query: {{document: number}}}}, or an object on each line (.jsonl)."
        )
    return found


def distinct(pairs: list[tuple[str, Any]], path: str) -> dict[str, Any]:
    """An object whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        again = twice(key for key, _ in pairs)
        raise DataError(
            f"{path}: '{again}' stands twice in one object: of what it is would be unclear. Remove one."
        )
    return found


def first_objects(path: str, head: bytes) -> list[dict[str, Any]]:
    """The objects on the first lines.

    Raises:
        DataError: a line that is no object.
    """
    lines = head.split(b"\n")
    found = []
    for number, line in enumerate(lines[:SAMPLED], 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except NO_JSON as error:
            if number == len(lines):
                break  # the head may end within it
            raise DataError(
                f"{path}, line {number}: no JSON ({error}): expected an object on each line."
            ) from None
        if not isinstance(value, dict):
            raise DataError(
                f"{path}, line {number}: expected an object, found '{line[:60].decode(errors='replace')}'."
            )
        found.append(value)
    return found


def is_by_line(head: bytes) -> bool:
    """Whether JSON has a whole row on its first line, and is not one object ``{query: {document: number}}``."""
    first, _, rest = head.lstrip().partition(b"\n")
    try:
        value = json.loads(first)
    except NO_JSON:
        return False
    one = isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())
    return isinstance(value, dict) and (bool(rest.strip()) or not one)


def shapes_of(objects: Iterable[dict[str, Any]]) -> dict[str, Shape]:
    """What each field of objects holds, by the first that has something in it."""
    found: dict[str, Shape | None] = {}
    for each in objects:
        for key, value in each.items():
            found.setdefault(key, None)
            if value is not None and found[key] in (None, "list"):
                found[key] = shape_of(value)
    return {key: shape or "one" for key, shape in found.items()}


def shape_of(value: Any) -> Shape:
    """What a value is."""
    if isinstance(value, list):
        records = [each for each in value if isinstance(each, dict)]
        return tuple(dict.fromkeys(key for each in records for key in each)) if records else "list"
    return "one"
