"""Reads the texts of queries and documents from TSV or JSON lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass
from carob.inputs.errors import refused, sentences
from carob.inputs.sources import source_of
from carob.output.errors import DataError
from carob.output.parsing import json_in

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping

    from carob.inputs.sources import Readable, Source

TextsLike: TypeAlias = "Readable | Mapping[str, str | Mapping[str, str]]"

IDS = ("id", "_id", "qid", "query_id", "docid", "doc_id", "docno", "pid")
TEXTS = ("text", "contents", "body", "query", "question", "title")
DETAILS = ("description", "narrative")
LONGEST = 2**26
"""The maximum number of bytes in a line, which may contain a whole document."""


@dataclass(frozen=True)
class Text:
    """The text of a query or a document.

    Args:
        title: the title, which may be empty.
        text: the text.
        details: the description and the narrative of a query; empty if there are none.
    """

    title: str
    text: str
    details: str = ""

    def snippet(self, most: int) -> Text:
        """Shortens the text to ``most`` characters, and puts the title and the text on one line each.

        Example:
            >>> from carob.inputs.texts import Text
            >>> Text("Green tea", "One.\\nTwo three.").snippet(10).text
            'One. Two …'
        """
        flat = " ".join(self.text.split())
        return Text(" ".join(self.title.split()), flat if len(flat) <= most else flat[: most - 1] + "…")


def texts_of(given: TextsLike, wanted: Container[str], kind: str, most: int | None = None) -> dict[str, Text]:
    """Returns the title and text for each requested id.

    Args:
        given: a file, which may be compressed, or a dictionary. A file contains lines ``id<TAB>text`` or
            ``id<TAB>title<TAB>text``, or a JSON object per line with ``id`` and ``text`` (or the names that BEIR and
            other collections use). A dictionary is ``{id: text}`` or ``{id: {"title": …, "text": …}}``.
        wanted: the requested ids.
        kind: ``queries`` or ``documents``, for errors.
        most: the number of characters to which texts are cut; None keeps whole texts with their line breaks.

    Raises:
        DataError: a file or line cannot be read, or an id has two different texts.
    """

    def kept(text: Text) -> Text:
        return text if most is None else text.snippet(most)

    if hasattr(given, "items"):
        pairs: Any = given.items()
        return {str(key): kept(of_value(value, kind)) for key, value in pairs if str(key) in wanted}
    source = source_of(given)
    with sentences(source.name):
        return {key: kept(text) for key, text in read(source, wanted, kind)}


def read(source: Source, wanted: Container[str], kind: str) -> Iterator[tuple[str, Text]]:
    """Yields each requested id in a file with its text.

    Raises:
        DataError: a line is neither TSV nor JSON, or an id occurs again with another text.
    """
    seen: dict[str, tuple[int, int]] = {}
    parse: Callable[[bytes], tuple[str, Text | None]] | None = None
    for number, line in enumerate(source.lines(LONGEST), 1):
        if not line.strip() or is_other(line, wanted):
            continue
        parse = parse or (of_json if line.lstrip()[:1] == b"{" else of_tsv)
        try:
            key, text = parse(line)
            if text is None and key in wanted:
                raise KeyError("text")
        except (ValueError, KeyError) as error:
            raise DataError(
                f"{source.name}, line {number}: found no id and text ({error}). Write a file of {kind} as "
                'id<TAB>text, or as one JSON object per line: {"id": "q1", "text": "…"}.'
            ) from None
        if text is None or key not in wanted:
            continue
        # Hashes are stored because the caller may cut the texts that it keeps.
        first, digest = seen.setdefault(key, (number, hash(text)))
        if digest != hash(text):
            raise refused(
                "the id '{id}' has a different text on line {first}.",
                "Remove one of the lines.",
                file=source.name,
                line=number,
                id=key,
                first=first,
            )
        if first == number:
            yield key, text


FIRST_FIELD = re.compile(rb'\s*\{\s*"([a-z_]+)"\s*:\s*(?:"([^"\\]*)"|(\d+))\s*[,}]')


def is_other(line: bytes, wanted: Container[str]) -> bool:
    """Returns whether a JSON object begins with an id that is not wanted, so the line need not be parsed.

    Example:
        >>> from carob.inputs.texts import is_other
        >>> is_other(b'{"_id": "d1", "text": "tea"}', {"d2"}), is_other(b'{"_id": "d1", "id": "d2"}', {"d2"})
        (True, False)
    """
    found = FIRST_FIELD.match(line)
    name = found[1].decode() if found else ""
    if found is None or name not in IDS:
        return False
    try:
        key = (found[2] if found[3] is None else found[3]).decode()
    except UnicodeDecodeError:
        return False
    return key not in wanted and not any(f'"{each}"'.encode() in line for each in IDS[: IDS.index(name)])


def of_tsv(line: bytes) -> tuple[str, Text]:
    """Parses a line ``id<TAB>text`` or ``id<TAB>title<TAB>text``.

    Raises:
        ValueError: the line has no tab.
    """
    cells = line.decode("utf-8", "surrogateescape").strip("\r\n").split("\t")
    if len(cells) < 2:
        raise ValueError("the line has no tab")
    return cells[0].strip(), Text(cells[1] if len(cells) > 2 else "", cells[-1])


def of_json(line: bytes) -> tuple[str, Text | None]:
    """Parses a JSON object with an id, a text and an optional title. Returns None for an object without a text.

    Raises:
        ValueError: the line is not a JSON object.
        KeyError: the object has no id.
    """
    found = json_in(line)
    if not isinstance(found, dict):
        raise ValueError("the line is not a JSON object")
    key = next((found[name] for name in IDS if name in found), None)
    if key is None:
        raise KeyError("id")
    return str(key), of_value(found, "texts") if has_text(found) else None


def has_text(fields: Any) -> bool:
    """Returns whether an object has a field that contains a text, which may be empty."""
    return any(fields.get(name) is not None for name in (*TEXTS, *DETAILS))


def of_value(value: Any, kind: str) -> Text:
    """Returns the title and text from a string, or from an object with a text and an optional title.

    Raises:
        DataError: the value is neither a string nor an object with a text.
    """
    if isinstance(value, str):
        return Text("", value)
    if not hasattr(value, "get") or not has_text(value):
        raise DataError(f"A text of the {kind} is {value!r}: pass a string, or {{'title': …, 'text': …}}.")
    text = next((str(value[name]) for name in TEXTS if value.get(name)), "")
    title = str(value.get("title") or "")
    details = "\n\n".join(str(value[name]) for name in DETAILS if value.get(name))
    return Text("" if title == text else title, text, details)
