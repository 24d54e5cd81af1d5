"""Reads scores from records and from the output of ``carob eval --format json``, after checking the fields."""

from __future__ import annotations

import math
import os
import sys
from contextlib import contextmanager
from dataclasses import fields
from itertools import starmap
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.evaluation.score_tables import Cap
from carob.evaluation.scores import Scores
from carob.inputs.digests import exclusion_of, identity
from carob.inputs.errors import sentences
from carob.inputs.files.json import is_record
from carob.inputs.files.paths import FOLDERS
from carob.inputs.ids import twice
from carob.inputs.names import Names
from carob.matching.match import Counts
from carob.measures import parse_measure
from carob.output.errors import SIGNS, CarobError, DataError, Doubt, Worded
from carob.output.escaping import printable, sentence, shortened
from carob.output.language import filled
from carob.output.parsing import json_in
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from carob.lists.rows import Floats


FORMAT = 1
"""The format version of records; newer versions are refused."""

BY_RECORD = Worded("carob.record", "--record")
"""The function and the option that write a record."""


@dataclass(frozen=True, eq=False)
class Record:
    """The content of a score file.

    Args:
        path: the file.
        document: the JSON content; it has ``inputs`` and ``made_with`` only if the file is a record.
        scores: the scores of each run.
    """

    path: str
    document: dict[str, Any]
    scores: tuple[Scores, ...]

    @property
    def complete(self) -> bool:
        """Returns whether the file is a full record with hashes and versions, not only a table of values."""
        return "record" in self.document

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [each.name for each in self.scores]

    def named(self, name: str) -> Record:
        """Returns the record with another name for its only run.

        Raises:
            DataError: there are several runs.
        """
        refuse_one_name(name, self.names, self.path)
        return replace(self, scores=(replace(self.scores[0], name=name),))


def refuse_one_name(name: str, runs: Sequence[str], file: str) -> None:
    """Refuses a name if there are several runs.

    Raises:
        DataError: there are several runs.
    """
    if len(runs) > 1:
        raise DataError(
            f"the file has {len(runs)} runs ({', '.join(runs[:MOST_NAMED])}), so they cannot all be named '{name}': "
            "leave out the name, or pass a file with one run.",
            file=file,
        )


def read_record(path: str | os.PathLike[str]) -> Record:
    """Reads a record, or the output of ``carob eval -q --format json``.

    Args:
        path: the file.

    Raises:
        DataError: the file cannot be read, or is in neither format.
        MeasureError: this version of carob does not know a measure.
        PolicyError: this version of carob does not know the policy.
    """
    name = os.fspath(path)
    take(name)
    with sentences(name), open(name, "rb") as file:
        content = file.read()
    try:
        document, words = document_in(content, name)
    except DataError:
        raise
    except ValueError as error:
        raise no_json(name, sentence(str(error))) from None
    refuse_words(words, name)
    return record_in(document, name)


def document_in(content: bytes, name: str) -> tuple[Any, list[str]]:
    """Returns the JSON document in a file, and any words NaN and Infinity in it, which are not valid JSON.

    Raises:
        ValueError: the file is not JSON, or it is nested too deeply.
        DataError: a key occurs twice in one object.
    """
    words: list[str] = []
    text = content.decode("utf-8-sig", "surrogateescape")
    return json_in(text, constant=words.append, file=name), words


def refuse_words(words: list[str], name: str) -> None:
    """Refuses NaN and Infinity, which records store as null.

    Raises:
        DataError: the file contains NaN or Infinity.
    """
    for word in words:
        raise no_json(name, f"it contains {word}, which is not a number")


def no_json(name: str, why: str) -> DataError:
    """Returns the error for a file that is not JSON."""
    return DataError(
        filled(
            "{name} is not JSON ({why}): expected a record written by {writer}.",
            name=name,
            why=why,
            writer=BY_RECORD,
        )
    )


def damaged_record(name: str, why: object) -> DataError:
    """Returns the error for a record that was changed since it was written."""
    return DataError(f"{name} is damaged ({why}): create the record again.")


def record_in(document: Any, name: str) -> Record:
    """Returns the scores in the JSON document of a file.

    Raises:
        DataError: the file is not a record, has a newer format, or does not contain the queries' values.
    """
    if not is_record(document):
        raise DataError(
            f"{name} contains neither a record nor scores: expected the output of 'carob eval --record FILE' or "
            "'carob eval -q --format json'."
        )
    found, carob = document.get("record", FORMAT), document.get("carob")
    if found != FORMAT:
        raise DataError(
            f"{name} has the record format {found}, but this version of carob reads format {FORMAT}: read "
            f"the record with the version that wrote it ({carob}), or with a later one."
        )
    refuse_damaged(document, name)
    with damaged(name):
        scores = tuple(scores_in(run, document) for run in document["runs"])
    without = next((each.name for each in scores if not each.queries), None)
    if without is not None or not scores:
        also = Worded("to_json()", "-q --format json")
        raise DataError(
            filled(
                "{name} has no per-query scores: write it with {writer}, or with {also}.",
                name=name,
                writer=BY_RECORD,
                also=also,
            )
        )
    return Record(name, document, scores)


@contextmanager
def damaged(name: str) -> Iterator[None]:
    """Turns errors from reading a damaged file into a sentence for the user.

    Raises:
        DataError: instead of any error that carob did not raise itself.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        if isinstance(error, CarobError):
            raise
        why = f"{type(error).__name__}: {error}"
        raise damaged_record(name, why) from None


def scores_in(run: dict[str, Any], document: dict[str, Any]) -> Scores:
    """Returns the scores of one run. A null is an undefined value or a value that the mean leaves out."""
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
        ids=Names.of(rows),
        matrix=values,
        policy=policy_in(document),
        counts=Counts(**{**counts, "missing": tuple(counts.get("missing", ()))}),
        bounds={label: (low, high) for label, (low, high) in run.get("ties", {}).items()},
        caps={label: Cap(**cap) for label, cap in run.get("caps", {}).items()},
        profile=document.get("profile"),
        counted=None if counted.all() else counted,
        weights=matrix(run["weights"], labels) if "weights" in run else None,
        errors=run.get("errors", {}),
        judged=float(run.get("judged", math.nan)),
        warnings=tuple(map(warning_in, run.get("warnings", ()))),
        failed=run.get("failed", {}),
        judgments=judgments_in(document),
        exclusion=exclusion_of(run["name"], document.get("inputs", ()), counts.get("excluded", 0)),
    )


def warning_in(said: dict[str, Any]) -> str:
    """Returns a warning in a record, with its sign if the record stores one."""
    return Doubt(said["sentence"], said["kind"]) if said.get("kind") in SIGNS else said["sentence"]


def judgments_in(document: dict[str, Any]) -> str:
    """Returns the identity of the judgments, or an empty text if the file has none."""
    return identity(next((each for each in document.get("inputs", ()) if each["role"] == "qrels"), None))


def policy_in(document: dict[str, Any]) -> Policy:
    """Returns the complete policy of a record. A setting that is absent from the record has its default value."""
    return Policy().changed(**document["policy"]).over(Policy())


def matrix(rows: dict[str, dict[str, float | None]], labels: tuple[str, ...]) -> Floats:
    """Returns a matrix with a row per query and a column per measure; null becomes NaN."""
    values = [[row[label] for label in labels] for row in rows.values()]
    return np.array(values, np.float64).reshape(len(rows), len(labels))


MOST_NAMED = 5

MOST_RESAMPLES = 10**8
"""The maximum number of resamples that a record may request. More resamples would take hours."""


class ShapeError(Exception):
    """Raised if a field of a record has a value that is not allowed."""


def in_words(value: Any) -> str:
    """Describes a value in the words of an error."""
    kinds = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    if type(value) in kinds:
        return kinds[type(value)]
    if isinstance(value, str):
        kind = "text" if is_text(value) else "text that ends within a character"
        return f"{kind} ('{printable(shortened(value, 40))}')"
    return f"the number {value!r}" if is_number(value) else "a number out of range"


def is_number(value: Any) -> bool:
    """Returns whether a value is a number that fits in a double."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max  # also excludes NaN
    )


def is_text(value: Any) -> bool:
    """Returns whether a value is text that can be encoded to bytes. JSON can also contain half of a surrogate pair."""
    try:
        return isinstance(value, str) and value.encode("utf-8", "surrogateescape") is not None
    except UnicodeEncodeError:
        return False


def is_counted(value: Any) -> bool:
    """Returns whether a value is a count, a list of ids, or counts by name."""
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return all(map(is_number, value.values())) if isinstance(value, dict) else is_number(value)


def names_column(role: Any, name: Any) -> bool:
    """Returns whether a name or number is valid for a column's role, for ``folders`` or for ``words``."""
    if role == "folders":
        return name in FOLDERS
    if role == "words":
        return isinstance(name, dict) and all(map(is_number, name.values()))
    return role in COLUMN and (
        isinstance(name, str) or (role in ("grade", "probability") and is_number(name))
    )


def is_plain(row: Any) -> bool:
    """Returns whether every measure's value is a finite float or null."""
    return isinstance(row, dict) and all(
        each is None or (type(each) is float and each - each == 0) for each in row.values()
    )


ROLES = ("qrels", "run", "exclude", "judged ranking", "grades")
COLUMN = ("query", "document", "score", "rank", "distance", "grade", "probability", "sample_size", "subtopic")
VALUES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("text", is_text),
    "path": ("a path", lambda value: is_text(value) and bool(value) and "\0" not in value),
    "number": ("a number", is_number),
    "count": ("a count", lambda value: type(value) is int and 0 <= value < 2**63),
    "counted": ("a count, a list of ids or counts by name", is_counted),
    "bounds": (
        "two numbers",
        lambda value: (
            isinstance(value, list)
            and len(value) == 2
            and all(each is None or is_number(each) for each in value)
        ),
    ),
    "role": ("qrels, run, exclude, judged ranking or grades", lambda value: value in ROLES),
    "columns": (
        f"an object of columns' names by {', '.join(COLUMN[:-1])} or {COLUMN[-1]}",
        lambda value: isinstance(value, dict) and all(starmap(names_column, value.items())),
    ),
    "resamples": (
        f"at most {MOST_RESAMPLES:,}",
        lambda value: is_number(value) and value <= MOST_RESAMPLES,
    ),
}
"""For each kind of value: the description for error messages, and the function that tests a value."""

OBJECTS = {
    "object": "",
    "file": "path:path bytes:count sha256:text",
    "input": "role:role path:path? bytes:count? sha256:text? [name:text why:text columns:columns files:file*]",
    "run": "name:text means:number?+ [queries:values counts:counted+ counts:counts warnings:warning* weights:values "
    "errors:number?+ ties:bounds+ caps:cap+ "
    "judged:number failed:text+]",
    "counts": "[missing:text*]",
    "cap": "mean:number queries:count depth:count",
    "warning": "sentence:text",
    "policy": "[by_measure:object+]",
    "scores": "runs:run* measures:text+ policy:policy [profile:text? carob:text inputs:input*]",
    "versions": "python:text numpy:text platform:text",
    "settings": "[resamples:resamples? bootstrap_resamples:resamples?]",
    "comparison": "settings:settings names:text* contests:object+",
    "record": "made_with:versions inputs:input* carob:text [comparison:comparison]",
    "recorded run": "queries:object counts:object",
}
"""Kinds of objects, with the kind of each field. Field names in brackets are optional.

``kind?`` means that the value may be null, ``kind*`` is a list of values of that kind, and ``kind+`` is an object whose
values have that kind.
"""


def check(value: Any, kind: str, where: str = "") -> None:
    """Checks that a value has a kind.

    Args:
        value: the value.
        kind: a kind of value or object, perhaps with ``?``, ``*`` or ``+``.
        where: the place of the value in the file.

    Raises:
        ShapeError: the value has another kind.
    """
    if kind == "values":
        # To save time, the wrong value is located only if the check fails.
        if not (isinstance(value, dict) and is_text("".join(value)) and all(map(is_plain, value.values()))):
            check(value, "number?++", where)
    elif kind[-1] == "?":
        if value is not None:
            check(value, kind[:-1], where)
    elif kind[-1] in "*+":
        many = kind[-1] == "*"
        refuse_other(value, list if many else dict, "a list" if many else "an object", where)
        for key, each in enumerate(value, 1) if many else value.items():
            place = f"{where} {key}" if many else inside(where, str(key))
            check(each, kind[:-1], place)
    elif kind in OBJECTS:
        check_fields(value, OBJECTS[kind], where)
    else:
        what, holds = VALUES[kind]
        if not holds(value):
            raise ShapeError(f"{where} is {in_words(value)}, expected {what}")


def inside(where: str, key: str) -> str:
    """Returns the place of an object's key in the file."""
    if not is_text(key):
        raise ShapeError(f"a key of {where} is {in_words(key)}, expected text")
    return f"{where}, {printable(shortened(key, 40))}"


def check_fields(value: Any, fields: str, where: str) -> None:
    """Checks that a value is an object with the given fields, written as in ``OBJECTS``.

    Raises:
        ShapeError: a field is missing or has another kind.
    """
    refuse_other(value, dict, "an object", where)
    needed, _, more = fields.partition("[")
    for field in (*needed.split(), *more.strip("]").split()):
        name, _, kind = field.partition(":")
        place = f"{where}, {name}" if where else name
        if name in value:
            check(value[name], kind, place)
        elif field in needed.split():
            raise ShapeError(f"{place} is missing")


def refuse_other(value: Any, kind: type, what: str, where: str) -> None:
    """Refuses a value that is not of the given type.

    Raises:
        ShapeError: the value has another type.
    """
    if not isinstance(value, kind):
        raise ShapeError(f"{where} is {in_words(value)}, expected {what}")


def refuse_damaged(document: dict[str, Any], name: str) -> None:
    """Refuses a score file, or a record, with fields that are not allowed.

    Args:
        document: the content of the file.
        name: the path of the file.

    Raises:
        DataError: a field is missing or has another kind, or two fields contradict each other.
    """
    try:
        check(document, "scores")
        for place, run in enumerate(document["runs"], 1):
            check_measured(run, set(document["measures"]), f"runs {place}")
        if "record" not in document:
            return
        check(document, "record")
        for place, run in enumerate(document["runs"], 1):
            check(run, "recorded run", f"runs {place}")
        check_inputs(document["inputs"], [run["name"] for run in document["runs"]])
        compared = document.get("comparison", {}).get("names", document["runs"])
        if len(compared) != len(document["runs"]):
            raise ShapeError(
                f"the comparison has {len(compared)} names, but there are {len(document['runs'])} runs"
            )
    except ShapeError as error:
        raise damaged_record(name, error) from None


def check_measured(run: dict[str, Any], labels: set[str], where: str) -> None:
    """Checks that the means and the per-query scores contain exactly the listed measures.

    Raises:
        ShapeError: a measure has no value, or a value has no measure.
    """
    tables = [("means", run["means"])]
    for key in ("queries", "weights"):
        tables += [
            (f"{key}, {printable(shortened(query, 40))}", row) for query, row in run.get(key, {}).items()
        ]
    for place, row in tables:
        if row.keys() != labels:
            missing = sorted(labels - row.keys())
            why = (
                f"{missing[0]} is missing"
                if missing
                else f"{min(row.keys() - labels)} is not a measure of the file"
            )
            raise ShapeError(f"{where}, {place}, {printable(shortened(why, 80))}")
    if "weights" in run and run["weights"].keys() != run.get("queries", {}).keys():
        raise ShapeError(f"{where}, the weights are for different queries than the values")


def check_inputs(inputs: list[dict[str, Any]], runs: list[str]) -> None:
    """Checks that the inputs of a record match its runs, and that each file has a size and a hash.

    Raises:
        ShapeError: an input has no run or no size, or its name differs from the name of its run.
    """
    of_runs = [each for each in inputs if each["role"] not in ("qrels", "exclude")]
    if len(of_runs) != len(runs):
        raise ShapeError(f"the record has {len(of_runs)} run inputs, but {len(runs)} runs")
    if any(each["role"] == "run" and "name" not in each for each in of_runs):
        raise ShapeError("the input of a run has no name")
    if any(each["role"] == "exclude" and each.get("name") not in runs for each in inputs):
        raise ShapeError("excluded pairs are listed, but no run")
    for each, name in zip(of_runs, runs, strict=True):
        if each.get("name", name) != name:
            raise ShapeError(f"the input of run {in_words(name)} has the name {in_words(each['name'])}")
    again = twice(runs)
    if again is not None:
        raise ShapeError(f"two runs have the name {in_words(again)}")
    for place, each in enumerate(inputs, 1):
        if each["path"] is not None:  # an input without a path was in memory, and has no hash
            files = each.get("files")
            size = each["bytes"] if files is None else sum(file["bytes"] for file in files)
            if size is None or size != each["bytes"] or files == []:
                why = f"bytes is {in_words(each['bytes'])}, expected the size of its files"
                raise ShapeError(f"inputs {place}, {why}")
            if (files is None) == (each["sha256"] is None):
                why = "expected the hash of its file" if files is None else "expected null beside files"
                raise ShapeError(f"inputs {place}, sha256 is {in_words(each['sha256'])}, {why}")
