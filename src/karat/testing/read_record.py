"""Reads scores from records and from the output of ``karat eval --format json``, after a check of their fields."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import starmap
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.conventions.policy import Policy
from karat.evaluation.scores import Scores
from karat.inputs.errors import sentences
from karat.inputs.files.paths import FOLDERS
from karat.matching.match import Counts
from karat.measures import parse_measure
from karat.output.errors import DataError, KaratError, Worded, worded
from karat.output.escaping import printable, sentence, shortened
from karat.testing.record import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.lists.rows import Floats


BY_RECORD = Worded("karat.record", "--record")
"""The function or option that writes a record."""


@dataclass(frozen=True, eq=False)
class Record:
    """The content of a file of scores.

    Args:
        path: the file.
        document: the JSON content; it has ``inputs`` and ``made_with`` only if the file is a record.
        scores: of each run.
    """

    path: str
    document: dict[str, Any]
    scores: tuple[Scores, ...]

    @property
    def complete(self) -> bool:
        """Returns whether the file is a full record with hashes and versions, and not only a table of values."""
        return "record" in self.document

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [each.name for each in self.scores]


def read(path: str | os.PathLike[str]) -> Record:
    """Reads a record, or the output of ``karat eval -q --format json``.

    Args:
        path: the file.

    Raises:
        DataError: the file cannot be read, or has neither format.
        MeasureError: a measure that this karat does not know.
        PolicyError: a policy that this karat does not know.
    """
    name = os.fspath(path)
    with sentences(name), open(name, "rb") as file:
        content = file.read()
    try:
        document, words = document_in(content)
    except (ValueError, RecursionError) as error:
        raise no_json(name, sentence(str(error))) from None
    refuse_words(words, name)
    return record_in(document, name)


def document_in(content: bytes) -> tuple[Any, list[str]]:
    """Returns the JSON document in a file, and the words NaN and Infinity in it, which are not valid JSON.

    Raises:
        ValueError: the file is not JSON.
        RecursionError: the JSON is nested too deeply.
    """
    words: list[str] = []
    return json.loads(content.decode("utf-8-sig", "surrogateescape"), parse_constant=words.append), words


def refuse_words(words: list[str], name: str) -> None:
    """Refuses NaN and Infinity, which records store as null.

    Raises:
        DataError: the file contains NaN or Infinity.
    """
    for word in words:
        raise no_json(name, f"it holds {word}, which is no number")


def no_json(name: str, why: str) -> DataError:
    """Returns the error for a file that is not JSON."""
    return DataError(worded(f"{name} is not JSON ({why}): expected a record written by ", BY_RECORD, "."))


def record_in(document: Any, name: str) -> Record:
    """Returns the scores in the document of a file.

    Raises:
        DataError: the file is not a record, has a later format, or lacks the queries' values.
    """
    if not isinstance(document, dict) or not {"runs", "measures", "policy"} <= set(document):
        raise DataError(
            f"{name} is neither a record nor scores: expected what 'karat eval --record FILE' or 'karat eval -q "
            "--format json' writes."
        )
    if document.get("record", FORMAT) != FORMAT:
        raise DataError(
            f"{name} has format {document['record']}, and this karat reads {FORMAT}: read it with the karat that wrote "
            f"it ({document.get('karat')}) or a later one."
        )
    check_scores(document, name)
    if "record" in document:
        check_record(document, name)
    with damaged(name):
        scores = tuple(scores_in(run, document) for run in document["runs"])
    without = next((each.name for each in scores if not each.queries), None)
    if without is not None or not scores:
        also = Worded("to_json(per_query=True)", "-q --format json")
        raise DataError(
            worded(f"{name} has no values by query: write it with ", BY_RECORD, ", or with ", also, ".")
        )
    return Record(name, document, scores)


@contextmanager
def damaged(name: str) -> Iterator[None]:
    """Turns errors from reading a damaged file into a sentence for the user.

    Raises:
        DataError: replaces any error that is not karat's.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        if isinstance(error, KaratError):
            raise
        raise DataError(f"{name} is damaged ({type(error).__name__}: {error}): write it again.") from None


def scores_in(run: dict[str, Any], document: dict[str, Any]) -> Scores:
    """Returns the scores of one run. A null is an undefined value, or one that the mean leaves out."""
    labels = tuple(document["measures"])
    rows = run.get("queries", {})
    values = matrix(rows, labels)
    there = np.isfinite(values)
    defined = np.array([run["means"].get(label) is not None for label in labels], bool)
    counted = there | ~defined
    known = {each.name for each in fields(Counts)}
    counts = {key: value for key, value in run.get("counts", {}).items() if key in known}
    return Scores(
        name=run["name"],
        labels=labels,
        measures=tuple(parse_measure(measure) for measure in document["measures"].values()),
        queries=tuple(rows),
        matrix=values,
        policy=policy_in(document),
        counts=Counts(**{**counts, "missing": tuple(counts.get("missing", ()))}),
        bounds={label: (low, high) for label, (low, high) in run.get("ties", {}).items()},
        profile=document.get("profile"),
        counted=None if counted.all() else counted,
        weights=matrix(run["weights"], labels) if "weights" in run else None,
        errors=run.get("errors", {}),
    )


def policy_in(document: dict[str, Any]) -> Policy:
    """Returns the complete policy of a record. An axis that the record lacks has its default."""
    return Policy().changed(**document["policy"]).over(Policy())


def matrix(rows: dict[str, dict[str, float | None]], labels: tuple[str, ...]) -> Floats:
    """Returns a matrix with a row per query, a column per measure, and NaN for null."""
    values: NDArray[np.float64] = np.array(
        [[row[label] for label in labels] for row in rows.values()], dtype=np.float64
    ).reshape(len(rows), len(labels))
    return values


Kind: TypeAlias = Callable[[Any, str], None]
"""A function that refuses values of another kind; it takes the value and its place."""

MOST_RESAMPLES = 10**8
"""The most that a record may request: more resamples would take hours."""


class ShapeError(Exception):
    """Raised if a field has a value that is not allowed."""


def is_a(what: str, holds: Callable[[Any], bool]) -> Kind:
    """Returns the kind of values that meet a condition."""

    def check(value: Any, where: str) -> None:
        if not holds(value):
            raise ShapeError(f"{where} is {named(value)}, expected {what}")

    return check


def named(value: Any) -> str:
    """Returns the description of a value in an error."""
    kinds = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    if type(value) in kinds:
        return kinds[type(value)]
    if isinstance(value, str):
        return f"text ('{printable(shortened(value, 40))}')"
    return "a number out of range" if not number_holds(value) else f"the number {value!r}"


def number_holds(value: Any) -> bool:
    """Returns whether a value is a number that a double can hold."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max  # not NaN either
    )


def optional(kind: Kind) -> Kind:
    """Returns the kind that also accepts null."""
    return lambda value, where: None if value is None else kind(value, where)


def each_of(kind: Kind) -> Kind:
    """Returns the kind of lists whose items all have this kind."""

    def check(value: Any, where: str) -> None:
        is_a("a list", lambda given: isinstance(given, list))(value, where)
        for place, each in enumerate(value, 1):
            kind(each, f"{where} {place}")

    return check


def table_of(kind: Kind) -> Kind:
    """Returns the kind of objects whose values all have this kind."""

    def check(value: Any, where: str) -> None:
        is_a("an object", lambda given: isinstance(given, dict))(value, where)
        for key, each in value.items():
            kind(each, f"{where}, {printable(shortened(key, 40))}")

    return check


def an_object(needed: dict[str, Kind], more: dict[str, Kind] | None = None) -> Kind:
    """Returns the kind of objects with certain fields, and perhaps others."""
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
    """Returns whether a name or number is valid for a column's role, or for ``folders``."""
    if role == "folders":
        return name in FOLDERS
    return role in COLUMN and (isinstance(name, str) or (role == "grade" and number_holds(name)))


def number_or_null(value: Any) -> bool:
    """Returns True if a value is a number or null (which means undefined)."""
    return value is None or number_holds(value)


def is_plain(row: Any) -> bool:
    """Returns whether every measure's value is a finite float or null."""
    return isinstance(row, dict) and all(
        each is None or (type(each) is float and each - each == 0) for each in row.values()
    )


def values_by_query(value: Any, where: str) -> None:
    """Refuses values that are neither numbers nor null, and names the first of them."""
    plain = isinstance(value, dict) and all(map(is_plain, value.values()))
    if not plain:
        table_of(table_of(optional(NUMBER)))(value, where)


VALUES: Kind = values_by_query
FILE = an_object({"path": PATH, "bytes": COUNT, "sha256": TEXT})
INPUT = an_object(
    {"role": ROLE, "path": optional(PATH), "bytes": optional(COUNT), "sha256": optional(TEXT)},
    {"name": TEXT, "why": TEXT, "columns": COLUMNS, "files": each_of(FILE)},
)
RUN = an_object(
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
SCORES = an_object(
    {"runs": each_of(RUN), "measures": table_of(TEXT), "policy": an_object({})},
    {"profile": optional(TEXT), "karat": TEXT, "inputs": each_of(INPUT)},
)
SETTINGS = an_object(
    {},
    {
        "resamples": optional(
            is_a(f"at most {MOST_RESAMPLES:,}", lambda value: number_holds(value) and value <= MOST_RESAMPLES)
        )
    },
)
RECORD = an_object(
    {"made_with": table_of(TEXT), "inputs": each_of(INPUT), "karat": TEXT},
    {
        "comparison": an_object(
            {"settings": SETTINGS, "names": each_of(TEXT), "contests": table_of(an_object({}))}
        )
    },
)
RUN_RECORDED = an_object({"queries": an_object({}), "counts": an_object({})})


def check_scores(document: dict[str, Any], name: str) -> None:
    """Refuses scores with fields that are not allowed.

    Args:
        document: the scores.
        name: the file's.

    Raises:
        DataError: a field that is missing or of another kind.
    """
    refuse(SCORES, document, name)


def check_record(document: dict[str, Any], name: str) -> None:
    """Refuses a record with fields that are not allowed. The scores are checked separately.

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
    """Refuses a value of the wrong kind.

    Raises:
        DataError: the value has the wrong kind.
    """
    try:
        kind(value, where)
    except ShapeError as error:
        raise broken(name, str(error)) from None


def broken(name: str, how: str) -> DataError:
    """Returns the error for a damaged record."""
    return DataError(f"{name} is damaged ({how}): write it again.")
