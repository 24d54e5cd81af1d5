"""Reads the inputs of measures beyond accuracy from files: lists of runs, interactions, catalogues and features."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from carob.inputs.columns import first_usual, there
from carob.inputs.errors import refused, sentences
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.frames import is_frame
from carob.inputs.ids import text_of
from carob.inputs.judgment_tables import number_in
from carob.inputs.qrels import NO_SUBTOPIC, Qrels
from carob.inputs.query_files import Placed, is_empty, is_list
from carob.inputs.run import Run
from carob.inputs.runs import MatchOptions
from carob.inputs.sources import fields_of, source_of
from carob.output.parsing import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from carob.conventions.policy import Policy
    from carob.inputs.sources import Source


def is_file(given: object) -> bool:
    """Returns whether an input is a path, the bytes of a file, a ``Run`` or a ``Qrels``, not users and items."""
    return isinstance(given, (str, os.PathLike, bytes, Run, Qrels))


class ListsOfRun(dict[str, list[str]]):
    """The items of each user of a run in rank order, with the number of users who have items with equal scores."""

    __slots__ = ("tied",)
    tied: int


def lists_in(given: Any, policy: Policy) -> ListsOfRun:
    """Returns the items of each user of a run in rank order. The policy orders items with equal scores.

    Raises:
        DataError: the run cannot be read.
    """
    run = Run.of(given)
    users = list(dict.fromkeys(query for query, _, _ in run.held.rows()))
    ranked = run.held.rankings(users, MatchOptions(policy))
    pairs = zip(users, ranked, strict=True)
    found = ListsOfRun({text_of(user): [*map(text_of, items)] for user, (items, _) in pairs})
    found.tied = sum(any(one == other for one, other in pairwise(scores)) for _, scores in ranked)
    return found


def grades_in(given: Any, policy: Policy) -> dict[str, dict[str, float]]:
    """Returns the grade of each judged item by user; every grade is 1 if the table has no grades.

    Raises:
        DataError: the judgments cannot be read.
    """
    if isinstance(given, Qrels):
        return given.complete.table
    is_folder = isinstance(given, (str, os.PathLike)) and os.path.isdir(given)
    names = [] if is_folder else SmallTable.begun_in(source_of(given)).names
    graded = len(first_usual(names, ("query", "document"))) < 2 or first_usual(names, ("grade",))
    return Qrels.of(given, policy, grade=None if graded else 1).complete.table


def pairs_in(given: Any, what: str) -> dict[str, Any]:
    """Returns the user and item of each line of a table with a header, a file with lines ``user item``, or qrels.

    Raises:
        DataError: the file cannot be read, or the column of the users cannot be recognised.
    """
    if isinstance(given, (Run, Qrels)):
        rows = given.held.rows() if isinstance(given, Run) else given.rows()
        both = [(text_of(user), text_of(item)) for user, item, _ in rows]
    else:
        source = source_of(given)
        table = SmallTable.of_source(source)
        if isinstance(table.document, dict) and any(map(is_list, table.document.values())):
            return table.document  # {user: [item, …]}
        names = table.names
        roles = first_usual(names, ("query", "document"))
        if len(roles) == 2:
            user, item = roles["query"], roles["document"]
            both = [(cell(row, user, place), cell(row, item, place)) for place, row in table]
        elif table.frame is not None or table.has_objects:
            raise refused(
                "{what} has no columns for users and items. Its columns are: {there}.",
                "Name them user_id and item_id.",
                file=source.name,
                what=what,
                there=there(names),
            )
        else:
            both = list(pairs_of_lines(source))
    return {"user_id": [user for user, _ in both], "item_id": [item for _, item in both]}


def pairs_of_lines(source: Source) -> Iterator[tuple[str, str]]:
    """Yields the user and the item of each line: ``user item``, or ``user 0 item grade`` as in qrels.

    Raises:
        DataError: a line has other columns.
    """
    with sentences(source.name):
        for number, line in enumerate(source.lines(), 1):
            fields = fields_of(line, 2)
            if not fields or fields[0].startswith(b"#"):
                continue
            if len(fields) == 4 and fields[1] in NO_SUBTOPIC:
                del fields[1]
            elif len(fields) != 2:
                raise refused(
                    "expected 'user item' or 'user 0 item grade', found {found}.",
                    "If the file has other columns, name them in a header line, such as 'user_id,item_id,timestamp'.",
                    file=source.name,
                    line=number,
                    found=repr(text_of(line.strip())[:60]),
                )
            yield text_of(fields[0]), text_of(fields[1])


def table_of(given: Any, what: str) -> SmallTable:
    """Returns the rows of a file or of a data frame."""
    return SmallTable.of(given, what) if is_frame(given) else SmallTable.of_source(source_of(given))


def items_in(given: Any) -> list[str]:
    """Returns the items of a catalogue: the item column of a frame or a table, else one item per line.

    Raises:
        DataError: the file cannot be read, or its columns have no usual names.
    """
    table = table_of(given, "catalogue")
    if isinstance(table.document, list):
        return [str(each) for each in table.document]
    item = first_usual(table.names, ("document",)).get("document")
    if item is not None:
        return [cell(row, item, place) for place, row in table]
    if table.frame is not None or table.has_objects or len(table.names) > 1:
        raise refused(
            "the catalogue has no column for items. Its columns are: {there}.",
            "Name it item_id, or write one item per line.",
            file=table.name,
            there=there(table.names),
        )
    return [line.strip() for _, line in table.lines]


def features_in(given: Any) -> dict[str, list[float]]:
    """Returns the features of each item: the numbers in columns of numbers, and 0 or 1 for each word in other columns.

    Several words in a cell, such as genres, are separated by ``|`` or are given as a list.

    Raises:
        DataError: the file cannot be read, or has no column of items, or has a text that is different for each item.
    """
    table = table_of(given, "features")
    item = first_usual(table.names, ("document",)).get("document")
    others = [name for name in table.names if name != item]
    if item is None or not others:
        raise refused(
            "a table of features needs a column item_id and columns of numbers or words. The columns found are: "
            "{there}.",
            file=table.name,
            there=there(table.names),
        )
    rows = list(table)
    columns = [each for name in others for each in features_of(name, rows, table.name)]
    return {
        cell(row, item, place): list(its)
        for (place, row), its in zip(rows, zip(*columns, strict=True), strict=True)
    }


def features_of(name: str, rows: list[Placed], file: str) -> list[list[float]]:
    """Returns the features in a column: its numbers or, for each word, 1 for rows that contain the word and else 0.

    Raises:
        DataError: each row has a different word, so no two items would be similar.
    """
    cells = [row.get(name) for _, row in rows]
    barred = any(is_list(each) or "|" in str(each) for each in cells)
    if not barred and any(number_of(str(each)) is not None for each in cells):
        return [[number_in(each, name, place) for each, (place, _) in zip(cells, rows, strict=True)]]
    words = [words_of(each) for each in cells]
    different = list(dict.fromkeys(word for its in words for word in its))
    if len(different) >= max(2, len(rows)) and max(map(len, words)) <= 1:
        raise refused(
            "'{name}' has a different text for each item, such as {found}, so it is not a feature.",
            "Leave the column out.",
            file=file,
            name=name,
            found=repr(different[0]),
        )
    return [[float(word in its) for its in words] for word in different]


def words_of(value: Any) -> list[str]:
    """Returns the words in a cell: the elements of a list, or the parts of a text between ``|``."""
    parts = [str(each) for each in value] if is_list(value) else str(value).split("|")
    return [] if is_missing(value) else [each.strip() for each in parts if each.strip()]


def is_missing(value: Any) -> bool:
    """Returns whether a cell has no value: nothing, NaN, or a blank text."""
    return is_empty(value) or not str(value).strip()


def cell(row: Mapping[str, Any], column: str, place: Mapping[str, Any]) -> str:
    """Returns an id in a row.

    Raises:
        DataError: the row has no id.
    """
    if is_missing(row.get(column)):
        raise refused("the row has no '{column}'.", "Complete it.", column=column, **place)
    return str(row[column]).strip()
