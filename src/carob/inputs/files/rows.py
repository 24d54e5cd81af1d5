"""Small tables in text files, row by row: CSV, TSV, and columns with semicolons between them."""

from __future__ import annotations

import csv
import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._cached import cached_property
from carob.inputs.errors import NO_ROW, TABLE_NOT_UTF_8, refused, sentences
from carob.inputs.ids import twice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from carob.inputs.sources import Source

FILLED = re.compile(r"[^\r\n]+")

ROWS_AT_ONCE = 1000
"""The number of rows in a block."""

Row: TypeAlias = "tuple[dict[str, Any], dict[str, str]]"
"""A row's place, as the fields of an error, and its cells by the names of the columns."""


class NumberedLines:
    """The lines of a text that are not blank, each with its number from 1. Each loop takes them one after the other.

    A list of the lines would take many times the memory of the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yields the number of each line, and the line without its end."""
        number, end = 1, 0
        for found in FILLED.finditer(self.text):
            ends = self.text[end : found.start()]
            number, end = number + ends.count("\n") + ends.count("\r") - ends.count("\r\n"), found.end()
            if not found[0].isspace():
                yield number, found[0]

    @cached_property
    def first(self) -> tuple[int, str] | None:
        """The first line, or None if all are blank."""
        return next(iter(self), None)


def text_of(source: Source) -> str:
    """Returns the whole text of a source, decompressed and without a byte order mark.

    Raises:
        DataError: the source cannot be read, or is not UTF-8.
    """
    with sentences(source.name):
        content = source.content()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused(*TABLE_NOT_UTF_8, file=source.name) from None


def cells_of(line: str, separator: str | None = None) -> list[str]:
    """Splits a line of a table into cells, which may be quoted. By default, the most frequent separator splits it."""
    try:
        return next(csv.reader([line], delimiter=separator or separator_of(line)), [])
    except csv.Error:  # a cell of more than 131,072 characters
        return [line]


def names_in(line: str) -> list[str]:
    """Returns the names of the columns in the first line of a table."""
    return [each.strip() for each in cells_of(line)]


def separator_of(line: str) -> str:
    """Returns the character that separates the columns: a comma, a semicolon or a tab."""
    return max(",;\t", key=line.count)


def rows_of(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Row]:
    """Returns the place of each line below the first, as the fields of an error, and its cells by column.

    Rows are parsed in blocks, each of which is taken at once.

    Raises:
        DataError: two columns with the same name, a row with another number of columns, or a cell that is too long.
    """
    rows = parsed_rows(lines, path)
    return chain.from_iterable(iter(lambda: list(islice(rows, ROWS_AT_ONCE)), []))


def parsed_rows(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Row]:
    """Yields the rows of ``rows_of``.

    Raises:
        DataError: two columns with the same name, a row with another number of columns, or a cell that is too long.
    """
    below = iter(lines)
    first, header = next(below, (1, ""))
    if not header:
        return
    names = names_in(header)
    refuse_two_names(names, path, first)
    number = first

    def numbered() -> Iterator[str]:
        nonlocal number
        for number, line in below:  # noqa: B007 -- the last row that the reader took
            yield line

    try:
        for cells in csv.reader(numbered(), delimiter=separator_of(header)):
            yield {"file": path, "line": number}, row_of(names, cells, path, number)
    except csv.Error as error:
        raise refused(*NO_ROW, file=path, line=number, why=error) from None


def refuse_two_names(names: Sequence[str], path: str, line: int) -> None:
    """Refuses a first line in which two columns have the same name.

    Raises:
        DataError: two columns have the same name.
    """
    again = twice(names)
    if again is not None:
        raise refused("two columns are named '{column}'.", "Rename one.", file=path, line=line, column=again)


def row_of(names: Sequence[str], cells: Sequence[str], path: str, line: int) -> dict[str, str]:
    """Returns the cells of a row by the names of their columns.

    Raises:
        DataError: another number of columns.
    """
    if len(cells) != len(names):
        raise refused(
            "found {count:column}, but the first line has {expected}.",
            "Complete the row, or quote cells that contain the separator.",
            file=path,
            line=line,
            count=len(cells),
            expected=len(names),
        )
    return dict(zip(names, cells, strict=True))
