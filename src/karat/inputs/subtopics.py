"""Judgments by subtopic: which line belongs to which group of its query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.inputs.dicts import grades_of
from karat.inputs.ids import texts
from karat.output.errors import DataError, by_policy, worded
from karat.output.escaping import shown

if TYPE_CHECKING:
    from karat import _native
    from karat.inputs.sources import Origin
    from karat.lists.rows import Floats, Integers

__all__ = ["Lines", "Subtopics", "lines_of_mapping", "subtopics_of"]

NO_SUBTOPIC = (b"0", b"Q0", b"q0")
"""The second column of qrels without subtopics."""


@dataclass(frozen=True, eq=False, repr=False)
class Lines:
    """Judgments as they were read, one per line.

    Args:
        ids: the queries, the subtopics and the documents.
        grades: the grade of each.
        numbers: its line in the file, or 0.
    """

    ids: list[list[bytes]]
    grades: Floats
    numbers: Integers


@dataclass(frozen=True, eq=False, repr=False)
class Subtopics:
    """Which judgment group each line of the judgments belongs to.

    Args:
        group: the group of each line; those of a query have numbers that follow one another [lines].
        document: its document, as a row of the judgments [lines].
        grade: its grade [lines].
        offsets: the groups of each query [queries + 1].
        place: the number of each document within its query, by id, descending by bytes [judgments].
    """

    group: Integers
    document: Integers
    grade: Floats
    offsets: Integers
    place: Integers


def subtopics_of(
    lines: Lines, judgments: _native.Judgments, duplicates: str, name: str, origin: Origin
) -> Subtopics:
    """Arrange lines by query and subtopic.

    Args:
        lines: the lines.
        judgments: the same lines, each document of a query once.
        duplicates: the policy for a document that is judged twice for one subtopic.
        name: the file.
        origin: where they came from.

    Raises:
        DataError: there are no subtopics, or a document is judged twice for one, and that is an error.
    """
    query_of, subtopic_of, document_of = lines.ids
    labels = set(subtopic_of)
    if origin.kind != "a mapping" and len(labels) == 1 and labels <= set(NO_SUBTOPIC):
        raise DataError(
            f"{name} holds no subtopics: its second column is '{labels.pop().decode()}' on every line. A measure by "
            "subtopics (judgment groups) reads 'query subtopic document grade'."
        )
    number = {query: place for place, query in enumerate(judgments.queries)}
    row, place = documents_of(judgments)
    named: list[dict[bytes, int]] = [{} for _ in number]
    kept = once_each(lines, duplicates, name, origin)
    own = [
        (number[query_of[each]], subtopic_of[each], row[query_of[each], document_of[each]]) for each in kept
    ]
    within = [named[query].setdefault(subtopic, len(named[query])) for query, subtopic, _ in own]
    offsets = np.append(0, np.cumsum([len(each) for each in named])).astype(np.int64)
    queries = np.array([query for query, _, _ in own], np.int64)
    return Subtopics(
        group=offsets[queries] + np.array(within, np.int64),
        document=np.array([document for _, _, document in own], np.int64),
        grade=lines.grades[kept],
        offsets=offsets,
        place=place,
    )


def documents_of(judgments: _native.Judgments) -> tuple[dict[tuple[bytes, bytes], int], Integers]:
    """The row of each query's document, and each row's number within its query, by id descending."""
    row: dict[tuple[bytes, bytes], int] = {}
    place = np.empty(len(judgments.grades), np.int64)
    for query, name in enumerate(judgments.queries):
        start, documents = int(judgments.offsets[query]), judgments.documents(query)
        row.update({(name, document): start + at for at, document in enumerate(documents)})
        order = sorted(range(len(documents)), key=documents.__getitem__, reverse=True)
        place[start + np.array(order, np.int64)] = np.arange(len(order))
    return row, place


def once_each(lines: Lines, duplicates: str, name: str, origin: Origin) -> Integers:
    """The lines that count, one for each query, subtopic and document."""
    found: dict[tuple[bytes, ...], int] = {}
    for each, key in enumerate(zip(*lines.ids, strict=True)):
        first = found.setdefault(key, each)
        if first == each:
            continue
        if duplicates == "error":
            query, subtopic, document = (part.decode("utf-8", "surrogateescape") for part in key)
            raise DataError(
                worded(
                    f"{name}: document '{document}' is judged twice for subtopic '{subtopic}' of query '{query}', "
                    f"{origin.places(int(lines.numbers[first]), int(lines.numbers[each]))}. Remove one, or choose "
                    "which counts: ",
                    by_policy("duplicates", "first", "last", "max"),
                    ".",
                )
            )
        if duplicates == "last" or (duplicates == "max" and lines.grades[each] > lines.grades[first]):
            found[key] = each
    return np.array(list(found.values()), np.int64)


def lines_of_mapping(
    mapping: Mapping[Any, Any], grade: float | None = None
) -> tuple[dict[str, dict[str, Any]], list[tuple[Any, ...]]]:
    """``{query: {subtopic: {document: grade}}}`` as each query's highest grades, and line by line.

    Args:
        mapping: the judgments.
        grade: the grade of every document; None to use the judgments' own.

    Raises:
        DataError: a subtopic without documents of its own.
    """
    highest: dict[str, dict[str, Any]] = {}
    lines = []
    for query, subtopics in texts(mapping).items():
        own = highest.setdefault(query, {})
        for subtopic, its in subtopics.items() if isinstance(subtopics, Mapping) else [("", None)]:
            documents = grades_of(query, its, grade)
            if not isinstance(documents, Mapping):
                raise DataError(
                    f"qrels, query {shown(query)}: a measure by subtopics (judgment groups) wants {{query: {{subtopic: "
                    f"{{document: grade}}}}}}, and found {shown(documents)} in the place of documents."
                )
            for document, worth in texts(documents).items():
                lines.append((query, str(subtopic), document, worth))
                known = own.get(document)
                if not isinstance(known, Real) or not isinstance(worth, Real) or float(worth) > float(known):
                    own[document] = worth
    return highest, lines
