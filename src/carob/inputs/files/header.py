"""Reads tables in text files: their columns (from a header, or those of MS MARCO runs), numbered lines and cells."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.inputs.columns import IDS, INSISTED, usual
from carob.inputs.decompression import unpacked
from carob.inputs.errors import (
    CARRIAGE_RETURN,
    LINE_FAULTS,
    NOT_UTF_8,
    WHOLE,
    columns_remedy,
    holds_value,
    number_error,
    refused,
    sentences,
)
from carob.inputs.ids import twice
from carob.inputs.nested import lists_documents, shapes_of
from carob.inputs.sources import BYTE_ORDER_MARK
from carob.output.parsing import is_number, number_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from carob.inputs.nested import ColumnRoles, Shape
    from carob.inputs.sources import Source


HEAD = 2**16
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
RANKED = ("query", "document", "rank")
TABLE_NOT_UTF_8 = ("the text is not UTF-8.", "Save it as UTF-8.")
NO_ROW = ("the row cannot be read ({why}).", "Correct it.")


@dataclass(frozen=True)
class Delimited:
    """The layout of a table in a text file.

    Args:
        separator: the character between two columns.
        names: the columns.
        header: whether the first line contains the names; otherwise the columns are those of MS MARCO runs.
    """

    separator: str
    names: tuple[str, ...]
    header: bool


def head_of(path: str, size: int = HEAD) -> bytes:
    """Reads the first bytes of a file, decompressed and without a byte order mark.

    Raises:
        DataError: a file cannot be read.
    """
    with sentences(path), unpacked(path) as file:
        head = file.read(size)
    return head.removeprefix(BYTE_ORDER_MARK)


def delimited(
    path: str, head: bytes, kind: str, asked: Collection[str], *, sure: bool = False
) -> Delimited | None:
    """Returns the layout of a text table from its first bytes, or None if the layout is unknown.

    The first line is a header if it contains usual names for query and document, or the names that the caller gave. If
    a run has no header, three columns are MS MARCO's query, document and rank; a fourth column is the score.

    Args:
        path: the file.
        head: its first bytes.
        kind: ``qrels`` or ``run``.
        asked: the columns' names that the caller gave.
        sure: whether the file's ending shows that it is a table, so the first line must be a header.

    Raises:
        DataError: the text is UTF-16, the first line is a separator line for Excel, a header contains a name twice, a
            required header is missing, or the third of three columns may be a rank or a score.
    """
    if head.startswith(UTF_16):
        raise refused(*LINE_FAULTS["utf-16"], file=path)
    lines = [each.rstrip("\r") for each in head.decode("utf-8", "surrogateescape").split("\n")]
    if not is_text(lines[0]):
        if sure:
            raise refused(NOT_UTF_8, file=path)
        return None
    if lines[0].strip('"').lower()[:-1] == "sep=":  # Excel writes and reads this line above a table
        raise refused(
            "the first line states the separator for Excel ('{found}'), which other programs read as column names.",
            "Delete the line.",
            file=path,
            line=1,
            found=lines[0],
        )
    separator = separator_of(lines[0]) if sure else "\t"
    if "\r" in lines[0]:
        raise refused(CARRIAGE_RETURN, file=path, line=1)
    names = cells_of(lines[0], separator)
    if not sure and kind == "qrels" and usual(names_in(lines[0]), "probability"):
        separator, names = (
            separator_of(lines[0]),
            names_in(lines[0]),
        )  # the table of a sample, whatever the file's ending
    if is_header(names, asked) or (sure and not any(is_number(each) for each in names)):
        refuse_two_names(names, path, 1)
        return Delimited(separator, tuple(names), header=True)
    if sure:
        value = "relevance" if kind == "qrels" else "score"
        raise refused(
            "expected the columns' names, such as query_id,doc_id,{value}; found '{found}'.",
            "Write a header line.",
            file=path,
            line=1,
            value=value,
            found=lines[0][:80],
        )
    return msmarco_layout(path, lines[:-1] if len(head) >= HEAD else lines) if kind == "run" else None


def shapes_of_text(how: Delimited, head: bytes) -> dict[str, Shape]:
    """Returns the shape of each column of a text table. A cell may contain a list in JSON or Python notation.

    Args:
        how: the layout.
        head: the first bytes of the file.
    """
    if b"[" not in head:
        return dict.fromkeys(how.names, "one")
    rows = table_rows(io.StringIO(head.decode("utf-8", "replace"), newline=""), how)
    sample = []
    try:
        for _, cells in islice(rows, SAMPLED):
            sample.append({name: list_in(cell) for name, cell in zip(how.names, cells, strict=False)})
    except csv.Error:
        pass  # the head may end within a row
    return {**dict.fromkeys(how.names, "one"), **shapes_of(sample)}


SAMPLED = 100
"""The number of rows that are searched for lists."""


def table_rows(file: Iterable[str], how: Delimited) -> Iterator[tuple[int, list[str]]]:
    """Yields, for each row below the header, the number of its last line and its cells."""
    rows = csv.reader(file, delimiter=how.separator)
    for number, cells in enumerate(rows):
        if cells and (number or not how.header):
            yield rows.line_num, cells


def list_in(cell: str) -> Any:
    """Returns the list in a cell (JSON or Python notation), None for an empty cell, or otherwise the cell itself."""
    from ast import literal_eval  # only few tables need it

    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return cell or None
    for read in (json.loads, literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return cell


def rows_of_text(
    files: Iterable[str], how: Delimited, plan: ColumnRoles
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields the rows of a text table with lists in its cells, each preceded by its place.

    Raises:
        DataError: a row has more or fewer cells than the header, a cell does not contain a list, or the text is not
            UTF-8.
    """
    query = plan.columns["query"]
    wanted = set(plan.needed)
    for path in files:
        line = 1
        with (
            sentences(path),
            unpacked(path) as opened,
            io.TextIOWrapper(opened, "utf-8-sig", newline="") as file,
        ):
            try:
                for line, cells in table_rows(file, how):
                    place: dict[str, Any] = {"file": path, "line": line}
                    row = row_of(how.names, cells, path, line)
                    yield place, {name: row[name] if name == query else list_in(row[name]) for name in wanted}
            except UnicodeDecodeError:
                raise refused(*TABLE_NOT_UTF_8, file=path) from None
            except csv.Error as error:
                raise refused(*NO_ROW, file=path, line=line + 1, why=error) from None


def with_numbers(
    rows: Iterable[tuple[dict[str, Any], dict[str, Any]]], plan: ColumnRoles, kind: str
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields the rows of a text table with one row per document, with the numbers converted from text.

    Raises:
        DataError: a cell is not a number, or no double represents it.
    """
    names = [name for role, name in plan.inside.items() if role not in IDS]
    for place, row in rows:
        numbers: dict[str, float] = {}
        for name in names:
            text = row[name]
            if text is None:
                continue  # an empty cell is refused later, when the row is read
            number = number_of(str(text))
            wide = re.fullmatch(WHOLE, str(text)) is not None and number is not None and int(text) != number
            if number is None or wide:
                raise number_error(str(text), kind, wide=wide, column=name, **place)
            numbers[name] = number
        yield place, {**row, **numbers}


def is_text(line: str) -> bool:
    """Returns whether a line is text in UTF-8 without NUL."""
    return not any("\udc80" <= letter <= "\udcff" or letter == "\0" for letter in line)


def is_header(names: Sequence[str], asked: Collection[str]) -> bool:
    """Returns whether the fields of a line are column names."""
    given = {each if each in names else each.removesuffix(INSISTED) for each in asked}
    by_name = bool(given) and given <= set(names)
    listed = lists_documents(names, "qrels", "run")
    return by_name or bool(usual(names, "query") and (listed or usual(names, "document")))


def msmarco_layout(path: str, lines: list[str]) -> Delimited | None:
    """Returns MS MARCO's layout of a run: query, document, rank and, if there is a fourth column, score.

    Raises:
        DataError: there are three columns, and the third may be a score.
    """
    rows = [each.split("\t") for each in lines if each]
    width = len(rows[0]) if rows else 0
    if width not in (3, 4) or any(len(row) != width for row in rows):
        return None
    if width == 4:
        whole = all(is_whole(row[2]) and is_number(row[3]) for row in rows)
        judged = all(row[1] in ("0", "Q0") and is_whole(row[3].lstrip("-")) for row in rows)
        return Delimited("\t", (*RANKED, "score"), header=False) if whole and not judged else None
    if not is_number(rows[0][2]):
        return None
    last: dict[str, int] = {}
    for query, _, rank in rows:
        before = last.get(query, -1)
        if not is_whole(rank) or int(rank) <= before or (before < 0 and int(rank) > 1):
            remedy = columns_remedy("run", "3", "\t".join(rows[0])) if holds_value(rows[0]) else None
            found = refused(
                "three columns without names are read as MS MARCO's query, document and rank, and the ranks of each "
                "query must count up from 1; found '{rank}' for query '{query}'.",
                "If the third column is a score, write a header line, separated by tabs: query_id, doc_id, score.",
                file=path,
                query=query,
                rank=rank,
            )
            raise found if remedy is None else found.at(remedy=remedy)
        last[query] = int(rank)
    return Delimited("\t", RANKED, header=False)


def is_whole(text: str) -> bool:
    """Returns whether a text is a whole number in decimal digits."""
    return text.isascii() and text.isdigit()


# ---------------------------------------------------------------- small tables, row by row

FILLED = re.compile(r"[^\r\n]+")

ROWS_AT_ONCE = 1000
"""The number of rows in a block."""

Row: TypeAlias = "tuple[dict[str, Any], dict[str, str]]"
"""The place of a row (as the fields of an error) and its cells by column name."""


class NumberedLines:
    """The lines of a text that are not blank, each with its line number from 1. Iteration yields them one at a time.

    A list of the lines would take many times the memory of the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yields the number of each line, and the line without its line break."""
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
    except csv.Error:  # a cell has more than 131,072 characters
        return [line]


def names_in(line: str) -> list[str]:
    """Returns the names of the columns in the first line of a table."""
    return [each.strip() for each in cells_of(line)]


def separator_of(line: str) -> str:
    """Returns the character that separates the columns: a comma, a semicolon or a tab."""
    return max(",;\t", key=line.count)


def rows_of(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Row]:
    """Returns, for each line below the first, its place (as the fields of an error) and its cells by column.

    The rows are parsed in blocks, which is faster than one by one.

    Raises:
        DataError: two columns have the same name, a row has another number of columns, or a cell is too long.
    """
    rows = parsed_rows(lines, path)
    return chain.from_iterable(iter(lambda: list(islice(rows, ROWS_AT_ONCE)), []))


def parsed_rows(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Row]:
    """Yields the rows one by one, for ``rows_of``.

    Raises:
        DataError: two columns have the same name, a row has another number of columns, or a cell is too long.
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
        DataError: the row has a different number of columns.
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
