"""Small tables in text files, row by row: CSV, TSV, and columns with semicolons between them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, TypeAlias

from carob.inputs.errors import refused, sentences
from carob.inputs.ids import twice
from carob.inputs.sources import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Lines: TypeAlias = "list[tuple[int, str]]"
"""Lines that are not blank, each with its number in the file."""


def text_in(path: str) -> str:
    """Returns the whole text of a file, or of standard input (``-``), decompressed and without a byte order mark.

    Raises:
        DataError: the file cannot be read, or is not UTF-8.
    """
    with sentences(name_of(path)):
        content = source_of(path).content()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused("table-not-utf-8", file=name_of(path)) from None


def name_of(path: str) -> str:
    """Returns the name of a file in errors."""
    return "standard input" if path == "-" else path


def lines_of(text: str) -> Lines:
    """Returns the lines of a text that are not blank."""
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


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


def rows_of(lines: Lines, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields the number of each line below the first, and its cells by the names in the first line.

    Raises:
        DataError: two columns with one name, a row with another number of columns, or a cell that is too long.
    """
    if not lines:
        return
    first, header = lines[0]
    names = names_in(header)
    again = twice(names)
    if again is not None:
        raise refused("two-names", file=path, line=first, column=again)
    rows = csv.reader((line for _, line in lines[1:]), delimiter=separator_of(header))
    try:
        for cells in rows:
            yield lines[rows.line_num][0], row_of(names, cells, path, lines[rows.line_num][0])
    except csv.Error as error:
        number = lines[min(rows.line_num + 1, len(lines) - 1)][0]
        raise refused("no-row", file=path, line=number, why=error) from None


def row_of(names: Sequence[str], cells: Sequence[str], path: str, line: int) -> dict[str, str]:
    """Returns the cells of a row by the names of their columns.

    Raises:
        DataError: another number of columns.
    """
    if len(cells) != len(names):
        raise refused("row-of-table", file=path, line=line, count=len(cells), expected=len(names))
    return dict(zip(names, cells, strict=True))
