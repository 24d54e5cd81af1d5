"""The texts of queries and documents that a page shows, from TSV or JSON Lines files or mappings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from karat.inputs.errors import sentences
from karat.inputs.sources import source_of
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping

    from karat.inputs.sources import Readable, Source

__all__ = ["Text", "TextsLike", "texts_of"]

TextsLike: TypeAlias = "Readable | Mapping[str, str | Mapping[str, str]]"

IDS = ("id", "_id", "qid", "query_id", "docid", "doc_id", "docno", "pid")
TEXTS = ("text", "contents", "body", "query", "question", "title")
LONGEST = 2**26
"""Bytes of the longest line, which may hold a whole document."""

SNIPPET = 300
"""Characters of a text that a page shows."""


@dataclass(frozen=True)
class Text:
    """A title, which may be empty, and the beginning of a text.

    Args:
        title: the title.
        text: its first characters.
    """

    title: str
    text: str


def texts_of(given: TextsLike, wanted: Container[str], kind: str) -> dict[str, Text]:
    """The texts of the wanted ids.

    Args:
        given: a file with lines ``id<TAB>text`` or ``id<TAB>title<TAB>text``, or a JSON object a line with ``id``
            and ``text`` (or the names that BEIR and others use), compressed or not; or ``{id: text}``, or
            ``{id: {"title": …, "text": …}}``.
        wanted: the ids.
        kind: ``queries`` or ``documents``, for errors.

    Raises:
        DataError: a file or line that cannot be read.
    """
    if hasattr(given, "items"):
        pairs: Any = given.items()
        return {str(key): of_value(value, kind) for key, value in pairs if str(key) in wanted}
    source = source_of(given)
    with sentences(source.name):
        return dict(read(source, wanted, kind))


def read(source: Source, wanted: Container[str], kind: str) -> Iterator[tuple[str, Text]]:
    """The wanted lines of a file.

    Raises:
        DataError: a line that is neither TSV nor JSON.
    """
    parse: Callable[[bytes], tuple[str, Text]] | None = None
    for number, line in enumerate(source.lines(LONGEST), 1):
        if not line.strip():
            continue
        parse = parse or (of_json if line.lstrip()[:1] == b"{" else of_tsv)
        try:
            key, text = parse(line)
        except (ValueError, KeyError, RecursionError) as error:
            raise DataError(
                f"{source.name}, line {number}: found no id and text ({error}). Write a file of {kind} as "
                'id<TAB>text, or as a JSON object a line: {"id": "q1", "text": "…"}.'
            ) from None
        if key in wanted:
            yield key, text


def of_tsv(line: bytes) -> tuple[str, Text]:
    """``id<TAB>text`` or ``id<TAB>title<TAB>text``.

    Raises:
        ValueError: there is no tab.
    """
    cells = line.decode("utf-8", "surrogateescape").strip("\r\n").split("\t")
    if len(cells) < 2:
        raise ValueError("no tab in it")
    return cells[0].strip(), made(cells[1] if len(cells) > 2 else "", cells[-1])


def of_json(line: bytes) -> tuple[str, Text]:
    """A JSON object with an id, a text and an optional title.

    Raises:
        ValueError: no JSON object.
        KeyError: no id, or no text.
    """
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    key = next((found[name] for name in IDS if name in found), None)
    if key is None:
        raise KeyError("id")
    return str(key), of_value(found, "texts")


def of_value(value: Any, kind: str) -> Text:
    """A text, or an object with a text and an optional title.

    Raises:
        DataError: neither.
    """
    if isinstance(value, str):
        return made("", value)
    if not hasattr(value, "get"):
        raise DataError(f"A text of the {kind} is {value!r}: give a string, or {{'title': …, 'text': …}}.")
    text = next((str(value[name]) for name in TEXTS if value.get(name)), "")
    title = str(value.get("title") or "")
    return made("" if title == text else title, text)


def made(title: str, text: str) -> Text:
    """The text as a page shows it: its beginning, on one line."""
    flat = " ".join(text.split())
    return Text(" ".join(title.split()), flat if len(flat) <= SNIPPET else flat[: SNIPPET - 1] + "…")
