"""Converts grades in words, such as Good, Fair and Bad, to numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob.inputs.columns import ASKED, DRAW, choose
from carob.inputs.errors import number_error, refused
from carob.inputs.files.header import delimited
from carob.inputs.files.json import content_in
from carob.inputs.files.libraries import reading
from carob.inputs.files.neighbours import refuse_array
from carob.inputs.frames import is_frame
from carob.inputs.nested_rows import mapping_of_rows
from carob.inputs.sources import Provenance, kind_of, source_of
from carob.measures.grammar import is_number

if TYPE_CHECKING:
    from carob.inputs.columns import Asked
    from carob.inputs.files.header import Delimited
    from carob.inputs.sources import Source

__all__ = ["in_numbers", "words_in"]

TABLE = Provenance("a frame", rows=True)
_FOURTH = re.compile(rb"((?:[^\t]*\t){3}|[ \r]*(?:[^ \t]+ +){3})([^ \t\r\n]+)")
"""Matches the first three columns of a line, separated by tabs or by spaces, and the fourth column."""


def words_in(text: str) -> dict[str, float]:
    """Parses ``Good=3,Fair=2,Bad=0``.

    Raises:
        DataError: a part does not consist of a word, an equals sign and a number, or a word occurs twice.

    Example:
        >>> words_in("Good=3, Bad=0")
        {'Good': 3.0, 'Bad': 0.0}
    """
    found: dict[str, float] = {}
    for part in re.split("[,，]", text):
        word, _, number = (each.strip() for each in part.partition("="))
        if not word or word in found or not is_number(number):
            raise refused(
                "'{text}' contains a word without a grade, or the same word twice.",
                "Write word=number for each word, as in Good=3,Fair=2,Bad=0.",
                text=part.strip(),
            )
        found[word] = float(number)
    return found


def number_of(grade: Any, words: Mapping[str, float], **place: Any) -> Any:
    """Returns the number for a grade in words. A grade that is already a number is returned unchanged.

    Raises:
        DataError: the grade is text that is neither in ``words`` nor a number. ``place`` is its position.
    """
    if not isinstance(grade, str):
        return grade
    number = words.get(grade.strip())
    if number is None and not is_number(grade.strip()):
        ids = "document" in place
        raise refused(
            "{at}the grade '{word}' is neither a number nor one of the words {words}.",
            at=f"query '{place['query']}', document '{place['document']}': " if ids else "",
            word=grade,
            words=", ".join(f"{each}={words[each]:g}" for each in words),
            **place,
        )
    return float(grade) if number is None else number


def in_numbers(qrels: Any, asked: Asked, words: Mapping[str, float]) -> tuple[Any, str, Provenance | None]:
    """Returns judgments with words replaced by numbers, and the name and origin of the file (if they are in a file).

    Args:
        qrels: the judgments, in any form that ``Qrels.of`` reads.
        asked: columns' names by role.
        words: the number for each word.

    Raises:
        DataError: the judgments cannot be read, or a grade is neither a number nor one of the words.
    """
    if isinstance(qrels, list):
        qrels = mapping_of_rows(qrels, "qrels", asked)
    if isinstance(qrels, Mapping):
        return in_mapping(qrels, words), "", None
    if not isinstance(qrels, (str, bytes, os.PathLike)) and is_frame(qrels):
        return in_frame(qrels, asked, words), "", None
    source = source_of(qrels)
    # A record stores the columns and words, so it can be verified.
    told = (*((role, name) for role, name in asked.items() if name is not None), ("words", dict(words)))
    origin = replace(source.origin, columns=told)
    kind = kind_of(source.origin.path or "")
    refuse_array(source, "qrels", {**asked, "grade": next(iter(words), None)})
    if kind == "json":
        content = content_in(os.fspath(qrels))
        its = mapping_of_rows(content, "qrels", asked) if isinstance(content, list) else content
        return in_mapping(its, words), source.name, origin
    how = None
    if kind in ("text", "csv") and source.origin.path is not None:
        names = [name for name in asked.values() if isinstance(name, str)]
        how = delimited(source.name, source.start(), "qrels", names, sure=kind == "csv")
    if how is None and kind == "text":
        return in_text(source, words), source.name, origin
    rows = replace(origin, rows=True, first=None if how is None else 2)
    return in_frame(frame_in(source, kind, how), asked, words, source.name, rows), source.name, origin


def in_mapping(qrels: Mapping[Any, Any], words: Mapping[str, float]) -> dict[Any, Any]:
    """Returns ``{query: {document: grade}}``, with or without subtopics, with words replaced by numbers."""

    def numbered(its: Any, query: Any) -> Any:
        if not isinstance(its, Mapping):
            return its
        return {
            each: numbered(grade, query)
            if isinstance(grade, Mapping)
            else number_of(grade, words, query=str(query), document=str(each))
            for each, grade in its.items()
        }

    return {query: numbered(its, query) for query, its in qrels.items()}


def in_text(source: Source, words: Mapping[str, float]) -> bytes:
    """Returns TREC text with the words in its fourth column replaced by numbers. Line numbers stay the same."""
    lines = source.content().split(b"\n")
    for number, text in enumerate(lines):
        found = None if text.lstrip().startswith(b"#") else _FOURTH.match(text)
        if found:
            grade = number_of(found[2].decode(errors="replace"), words, file=source.name, line=number + 1)
            lines[number] = b"%b%b%b" % (found[1], repr(grade).encode(), text[found.end() :])
    return b"\n".join(lines)


def frame_in(source: Source, kind: str, how: Delimited | None) -> Any:
    """Returns the table in a file as a frame. carob's other readers cannot be used, as they parse grades as numbers.

    Args:
        source: the file.
        kind: its kind.
        how: the layout of a table in text.

    Raises:
        DataError: the file cannot be read, or Polars, which is needed to read it, is not installed.
    """
    try:
        import polars as pl
    except ImportError:
        raise refused(
            "reading grades in words from a table needs polars, which is not installed.",
            "Install it: pip install polars.",
            file=source.name,
        ) from None
    with reading(source.name, "polars"):
        content = source.content()
        if how is not None:
            return pl.read_csv(content, infer_schema=False, separator=how.separator)
        return {"lines": pl.read_ndjson, "parquet": pl.read_parquet, "arrow": pl.read_ipc}[kind](content)


def in_frame(
    frame: Any,
    asked: Asked,
    words: Mapping[str, float],
    name: str = "qrels frame",
    origin: Provenance = TABLE,
) -> Any:
    """Returns a frame with the words in its grade column replaced by numbers. A lazy frame is collected."""
    import narwhals as nw

    table = nw.from_native(frame)
    held = table.collect() if isinstance(table, nw.LazyFrame) else table
    columns = choose(held.columns, "qrels", {**dict.fromkeys(ASKED["qrels"]), **asked})
    column = columns.get("grade")
    if column is None:
        return frame
    places = [{"file": name} | origin.place(number) for number in range(1, len(held) + 1)]
    cells = zip(held[column].to_list(), places, strict=True)
    read = {column: [number_of(each, words, **place) for each, place in cells]}
    for role in DRAW:  # probabilities are text if the whole table was read as text
        its = columns.get(role)
        if isinstance(its, str) and held[its].dtype == nw.String():
            cells = zip(held[its].to_list(), places, strict=True)
            read[its] = [drawn_in(each, column=its, **place) for each, place in cells]
    made = [nw.new_series(*each, nw.Float64(), backend=held.implementation) for each in read.items()]
    return held.with_columns(*made).to_native()


def drawn_in(cell: str | None, **place: Any) -> float | None:
    """Returns the number in a cell of a sample's table, or None for an empty cell. ``place`` is the cell's position.

    Raises:
        DataError: the cell contains something else.
    """
    if cell is None or not cell.strip():
        return None
    if not is_number(cell.strip()):
        raise number_error(cell, "run", **place)  # the qrels message would suggest that words are grades
    return float(cell)
