"""The shape of a record: which fields it has and what they hold, checked before anything is done with them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import starmap
from typing import Any, TypeAlias

from karat.inputs.files.paths import FOLDERS
from karat.output.errors import DataError
from karat.output.escaping import printable, shortened

__all__ = ["check_record", "check_scores"]

Kind: TypeAlias = Callable[[Any, str], None]
"""Refuses a value that is of another kind, and says where it stands."""

MOST_RESAMPLES = 10**8
"""What a record may ask for: a comparison of so many resamples takes hours."""


class ShapeError(Exception):
    """A field that holds what it must not."""


def is_a(what: str, holds: Callable[[Any], bool]) -> Kind:
    """The kind of values for which something holds."""

    def check(value: Any, where: str) -> None:
        if not holds(value):
            raise ShapeError(f"{where} is {named(value)}, expected {what}")

    return check


def named(value: Any) -> str:
    """A value as a sentence names it."""
    kinds = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    if type(value) in kinds:
        return kinds[type(value)]
    if isinstance(value, str):
        return f"text ('{printable(shortened(value, 40))}')"
    return "a number out of range" if not number_holds(value) else f"the number {value!r}"


def number_holds(value: Any) -> bool:
    """Whether a value is a number that a double can hold."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max  # not NaN either
    )


def optional(kind: Kind) -> Kind:
    """The kind, or null."""
    return lambda value, where: None if value is None else kind(value, where)


def each_of(kind: Kind) -> Kind:
    """A list of the kind."""

    def check(value: Any, where: str) -> None:
        is_a("a list", lambda given: isinstance(given, list))(value, where)
        for place, each in enumerate(value, 1):
            kind(each, f"{where} {place}")

    return check


def table_of(kind: Kind) -> Kind:
    """An object whose every value is of the kind."""

    def check(value: Any, where: str) -> None:
        is_a("an object", lambda given: isinstance(given, dict))(value, where)
        for key, each in value.items():
            kind(each, f"{where}, {printable(shortened(key, 40))}")

    return check


def fields(needed: dict[str, Kind], more: dict[str, Kind] | None = None) -> Kind:
    """An object with certain fields, and perhaps others."""
    more = more or {}

    def check(value: Any, where: str) -> None:
        is_a("an object", lambda given: isinstance(given, dict))(value, where)
        before = f"{where}, " if where else ""
        for name, kind in needed.items():
            if name not in value:
                raise ShapeError(f"{before}{name} is missing")
            kind(value[name], f"{before}{name}")
        for name, kind in more.items():
            if name in value:
                kind(value[name], f"{before}{name}")

    return check


# ---------------------------------------------------------------- the fields

TEXT = is_a("text", lambda value: isinstance(value, str))
PATH = is_a("a path", lambda value: isinstance(value, str) and bool(value) and "\0" not in value)
NUMBER = is_a("a number", number_holds)
COUNT = is_a(
    "a count", lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
)
COUNTED = is_a(
    "a count, a list of ids or counts by name",
    lambda value: (
        number_holds(value)
        or (isinstance(value, list) and all(isinstance(each, str) for each in value))
        or (isinstance(value, dict) and all(map(number_holds, value.values())))
    ),
)
BOUNDS = is_a(
    "two numbers",
    lambda value: isinstance(value, list) and len(value) == 2 and all(map(number_or_null, value)),
)
ROLE = is_a(
    "qrels, run, judged ranking or grades",
    lambda value: value in ("qrels", "run", "judged ranking", "grades"),
)
COLUMN = ("query", "document", "score", "rank", "grade", "subtopic")
COLUMNS = is_a(
    f"an object of columns' names by {', '.join(COLUMN[:-1])} or {COLUMN[-1]}",
    lambda value: isinstance(value, dict) and all(starmap(names_column, value.items())),
)


def names_column(role: Any, name: Any) -> bool:
    """Whether this says which column is what, what every row is worth, or what folders are."""
    if role == "folders":
        return name in FOLDERS
    return role in COLUMN and (isinstance(name, str) or (role == "grade" and number_holds(name)))


def number_or_null(value: Any) -> bool:
    """Whether a value is a number, or null for what is undefined."""
    return value is None or number_holds(value)


VALUES = table_of(table_of(optional(NUMBER)))
FILE = fields({"path": PATH, "bytes": COUNT, "sha256": TEXT})
INPUT = fields(
    {"role": ROLE, "path": optional(PATH), "bytes": optional(COUNT), "sha256": optional(TEXT)},
    {"name": TEXT, "why": TEXT, "columns": COLUMNS, "files": each_of(FILE)},
)
RUN = fields(
    {"name": TEXT, "means": table_of(optional(NUMBER))},
    {
        "queries": VALUES,
        "counts": table_of(COUNTED),
        "warnings": each_of(TEXT),
        "weights": VALUES,
        "errors": table_of(optional(NUMBER)),
        "ties": table_of(BOUNDS),
    },
)
SCORES = fields(
    {"runs": each_of(RUN), "measures": table_of(TEXT), "policy": fields({})},
    {"profile": optional(TEXT), "karat": TEXT, "inputs": each_of(INPUT)},
)
SETTINGS = fields(
    {},
    {
        "resamples": optional(
            is_a(f"at most {MOST_RESAMPLES:,}", lambda value: number_holds(value) and value <= MOST_RESAMPLES)
        )
    },
)
RECORD = fields(
    {"made_with": table_of(TEXT), "inputs": each_of(INPUT), "karat": TEXT},
    {"comparison": fields({"settings": SETTINGS, "names": each_of(TEXT), "contests": table_of(fields({}))})},
)
RUN_RECORDED = fields({"queries": VALUES, "counts": table_of(COUNTED)})


def check_scores(document: dict[str, Any], name: str) -> None:
    """Refuse scores that hold what they must not.

    Args:
        document: the scores.
        name: the file's.

    Raises:
        DataError: a field that is missing or of another kind.
    """
    refuse(SCORES, document, name)


def check_record(document: dict[str, Any], name: str) -> None:
    """The same of a record, whose scores were checked.

    Raises:
        DataError: as ``check_scores``, or an input without a run, or runs without their input.
    """
    refuse(RECORD, document, name)
    for place, run in enumerate(document["runs"], 1):
        refuse(RUN_RECORDED, run, name, f"runs {place}")
    inputs = [each for each in document["inputs"] if each["role"] != "qrels"]
    if len(inputs) != len(document["runs"]):
        raise broken(name, f"it has {len(inputs)} inputs of runs for {len(document['runs'])} runs")
    for each in inputs:
        if each["role"] == "run" and "name" not in each:
            raise broken(name, "the input of a run has no name")


def refuse(kind: Kind, value: Any, name: str, where: str = "") -> None:
    """Refuse a value that is of another kind.

    Raises:
        DataError: it is.
    """
    try:
        kind(value, where)
    except ShapeError as error:
        raise broken(name, str(error)) from None


def broken(name: str, how: str) -> DataError:
    """The error for a file that is no record as karat writes it."""
    return DataError(f"{name} is damaged ({how}): write it again.")
