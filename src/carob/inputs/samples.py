"""Judgments of documents that were drawn with known probabilities: their table in a file.

The table is written by ``carob next`` and ``carob judge``, and read wherever judgments of a sample are taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from carob._numpy import np
from carob.inputs.columns import plain_name, usual
from carob.inputs.files.header import head_of
from carob.inputs.files.rows import lines_of, name_of, names_in, rows_of, text_in
from carob.output.errors import DataError
from carob.output.parsing import json_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PROBABILITY = ("probability", "inclusionprobability", "pi")
"""The usual names of the column of probabilities, in lower case and without separators."""

SAMPLE_SIZE = "samplesize"
"""The column with the number of documents in the sample, in lower case and without separators."""


class Judgment(NamedTuple):
    """A person's judgment of a document that was drawn with a known probability.

    Args:
        grade: the grade.
        probability: the probability with which the document was drawn, above 0 and at most 1.
    """

    grade: float
    probability: float


def has_probabilities(path: str) -> bool:
    """Returns whether a file is a table of judgments with a column of probabilities."""
    try:
        first = head_of(path).decode("utf-8", "replace").split("\n", 1)[0].strip()
    except DataError:
        return False
    if first.startswith("{"):
        row = json_or_none(first, file=path, line=1)
        names = list(row) if isinstance(row, dict) else []
    else:
        names = names_in(first)
    return probability_in(names) is not None


def probability_in(names: Iterable[str]) -> str | None:
    """Returns the column of probabilities among the names of columns, or None."""
    return next((name for name in names if plain_name(name) in PROBABILITY), None)


def read_sample(path: str) -> dict[str, dict[str, Judgment]]:
    """Reads judgments of sampled documents: a table in CSV, TSV or JSON lines.

    Its columns are the query, the document, the grade, and the probability with which the document was drawn. A column
    ``sample_size`` has the number of documents of the whole sample.

    Raises:
        DataError: a missing column; a grade or a probability that is not allowed; a document that occurs twice; a part
            of a sample.
    """
    found: dict[str, dict[str, Judgment]] = {}
    roles: dict[str, str] = {}
    sizes: set[str] = set()
    for line, row in rows_in(path):
        roles = roles or roles_of(list(row), path)
        query, document = (str(row[roles[role]]).strip() for role in ("query", "document"))
        grade = number_in(row[roles["grade"]], "grade", path, line)
        probability = number_in(row[roles["probability"]], "probability", path, line)
        if not 0 < probability <= 1:
            raise DataError(
                f"the probability {probability:g} is not above 0 and at most 1.", file=path, line=line
            )
        its = found.setdefault(query, {})
        if document in its:
            raise DataError(
                f"document '{document}' is listed twice for query '{query}'. Remove one.",
                file=path,
                line=line,
            )
        its[document] = Judgment(grade, probability)
        sizes.update(str(value) for name, value in row.items() if plain_name(name) == SAMPLE_SIZE)
    if not found:
        raise DataError("there are no judgments.", file=path)
    count = sum(map(len, found.values()))
    if sizes and sizes != {str(count)}:
        whole = ", ".join(sorted(sizes))
        raise DataError(
            f"the sample has {whole} documents, but {count} are judged. Judge the others, since a part of a sample "
            "gives biased estimates.",
            file=path,
        )
    return found


def rows_in(path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields the number of each line of a file and its row.

    Raises:
        DataError: the text is not UTF-8, or a row has another number of columns.
    """
    yield from rows_of_text(text_in(path), name_of(path))


def rows_of_text(text: str, path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields the number of each line of a file's text and its row.

    Raises:
        DataError: a row has another number of columns, or is not a JSON object.
    """
    lines = lines_of(text)
    if not lines or not lines[0][1].lstrip().startswith("{"):
        yield from rows_of(lines, path)
        return
    for number, line in lines:
        row = json_or_none(line, file=path, line=number)
        if not isinstance(row, dict):
            raise DataError("the line is not a JSON object.", file=path, line=number)
        yield number, row


def roles_of(names: Sequence[str], path: str) -> dict[str, str]:
    """Returns the column of each role.

    Raises:
        DataError: a column is missing.
    """
    found = {role: next(iter(usual(names, role)), None) for role in ("query", "document", "grade")}
    found["probability"] = probability_in(names)
    for role, name in found.items():
        if name is None:
            raise DataError(
                f"there is no column with a usual name for the {role}, such as '{role}'.", file=path
            )
    return {role: name for role, name in found.items() if name is not None}


def number_in(value: object, role: str, path: str, line: int) -> float:
    """Returns a field as a finite number.

    Raises:
        DataError: the field is empty or not a number.
    """
    try:
        number = float(str(value))
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise DataError(
            f"the {role} '{value}' is not a number. Fill it in, or remove the row.", file=path, line=line
        )
    return number
