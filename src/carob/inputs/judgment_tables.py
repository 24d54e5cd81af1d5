"""Defines the table of judgments that ``next``, ``judge`` and ``compare`` use. It has a row per query and document.

Its columns are the query, the document and the grade. A sample also has the probability with which the document was
drawn and the number of documents in the sample. Judgments made by people also have the judge, the time and a note.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from carob.inputs.columns import DRAW, IDS, ROLES, first_usual
from carob.inputs.errors import number_error, refused
from carob.output.errors import DataError
from carob.output.parsing import number_of, parsed_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.inputs.files.small_tables import SmallTable

COLUMNS = ROLES["qrels"]
"""The columns that carob writes for all judgments."""
NUMBERS = ("grade", "sample_size", DRAW[0])
"""The columns that contain numbers."""
REMARKS = ("judge", "time", "note")
WRITTEN: dict[str, Callable[[Any], str]] = {"grade": "{:g}".format, "probability": "{:.9g}".format}
"""The functions that format the numbers in a column."""


class JudgmentRow(NamedTuple):
    """A row of a table of judgments.

    Args:
        query: the query.
        document: the document.
        grade: the grade; None if the document is still to be judged.
        probability: the probability with which the document was drawn; None if it was not drawn.
        size: the number of documents in the whole sample; None if it is not stated.
    """

    query: str
    document: str
    grade: float | None
    probability: float | None
    size: float | None


def judgment_columns(*, sampled: bool, remarks: bool = False) -> list[str]:
    """Returns the column names of a table of judgments, optionally with the columns for samples and for remarks."""
    return [*COLUMNS, *(DRAW if sampled else ()), *(REMARKS if remarks else ())]


def cells_written(values: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Returns the text of the cells in the given columns."""
    return [WRITTEN.get(name, str)(values[name]) for name in columns]


def rows_of_judgments(
    table: SmallTable, needed: Sequence[str], roles: Mapping[str, str] | None = None
) -> list[tuple[dict[str, Any], JudgmentRow]]:
    """Returns the place of each row and the judgment in it.

    Args:
        table: the table.
        needed: the roles for which a column is required.
        roles: the column of each role; None looks for usual names.

    Raises:
        DataError: a column or field is missing, or a field is not a number.
    """
    rows = list(table)
    if not rows:
        return []
    roles = roles or roles_of(list(rows[0][1]), needed, table.name)
    numbers = [role for role in NUMBERS if role in roles]
    read = iter(parsed_numbers([str(row.get(roles[role])) for _, row in rows for role in numbers]))
    return [(place, judgment_in(row, roles, place, dict(zip(numbers, read)))) for place, row in rows]


def roles_of(names: Sequence[str], needed: Sequence[str], file: str) -> dict[str, str]:
    """Returns the column of each role.

    Raises:
        DataError: there is no column for a required role, or there are sample sizes but no column of probabilities.
    """
    found = first_usual(names, (*COLUMNS, *DRAW))
    for role in (*needed, *(["probability"] if "sample_size" in found else [])):
        if role not in found:
            why = f"there is no column with a usual name for the {role}, such as '{role}'."
            raise DataError(why, file=file, remedy="Name it in the first line.")
    return found


def judgment_in(
    row: Mapping[str, Any],
    roles: Mapping[str, str],
    place: Mapping[str, Any],
    read: Mapping[str, float | None],
) -> JudgmentRow:
    """Returns the judgment in a row.

    Args:
        row: the row.
        roles: the column of each role.
        place: the place of the row, for errors.
        read: by role, the number parsed from each field that must contain one; None if the field contains no number.

    Raises:
        DataError: a field is missing, or is not a number.
    """
    for role, name in roles.items():
        if name not in row or (role in IDS and row[name] in (None, "")):
            raise refused("the row has no '{column}'.", "Complete it.", column=name, **place)
    grade, size, probability = (
        None
        if role not in read or (role != DRAW[0] and is_empty(row[roles[role]]))
        else finite(read[role], row[roles[role]], role, place)
        for role in NUMBERS
    )
    query, document = (str(row[roles[role]]).strip() for role in ("query", "document"))
    return JudgmentRow(query, document, grade, probability, size)


def is_empty(cell: object) -> bool:
    """Returns whether a cell is None or blank."""
    return cell is None or not str(cell).strip()


def number_in(value: object, role: str, place: Mapping[str, Any]) -> float:
    """Returns a field as a finite number.

    Raises:
        DataError: the field is not a number.
    """
    return finite(number_of(str(value)), value, role, place)


def finite(found: float | None, value: object, role: str, place: Mapping[str, Any]) -> float:
    """Returns the number that was found in a field, after a check that it is finite.

    Raises:
        DataError: no number was found, or it is infinite or NaN.
    """
    if found is None or not math.isfinite(found):
        error = number_error(str(value), "qrels" if role == "grade" else "run", **place)
        raise error.within(lambda said: f"the {role} {said}")
    return found
