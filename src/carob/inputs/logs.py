"""Logs of RAG systems: tables that contain both the retrieved and the relevant documents of each query."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._numpy import np
from carob.inputs.columns import ASKED, with_distance
from carob.inputs.dicts import MAPPING
from carob.inputs.errors import refused
from carob.inputs.frames import is_frame, shapes_in
from carob.inputs.ids import text_of
from carob.inputs.nested import plan_of, shapes_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import are_several
from carob.output.errors import DataError, UnclearGradesError, Worded
from carob.output.escaping import shown

if TYPE_CHECKING:
    from carob.conventions.policy import Policy
    from carob.inputs.columns import Asked
    from carob.inputs.nested import Shape


def is_log(given: Any, columns: Mapping[str, Asked] | None = None, folders: str | None = None) -> bool:
    """Returns whether a table lists the documents of a run and, in another column, the documents of qrels.

    Args:
        given: a path, a frame, or rows.
        columns: the columns that the caller named, by ``qrels`` and ``run``.
        folders: see ``Qrels.of``.
    """
    try:
        return holds_both(given, columns, folders)
    except (DataError, OSError):
        return False  # the reader of the table reports the error


def holds_both(given: Any, columns: Mapping[str, Asked] | None = None, folders: str | None = None) -> bool:
    """Returns whether a table is a log, as ``is_log`` does.

    Raises:
        DataError: the table cannot be read, or columns are missing or ambiguous.
    """
    named: dict[str, Asked] = {
        kind: with_distance({**dict.fromkeys(ASKED[kind]), **(columns or {}).get(kind, {})})
        for kind in ("run", "qrels")
    }
    fields = fields_of(given, named["run"], folders)
    if fields is None or all(shape == "one" for shape in fields.values()):
        return False
    try:
        run, qrels = (plan_of(fields, kind, named[kind]) for kind in ("run", "qrels"))
    except UnclearGradesError:
        return True  # the reader of the judgments reports the error
    return run.nested and qrels.nested and run.documents != qrels.documents


def fields_of(given: Any, named: Asked, folders: str | None) -> Mapping[str, Shape] | None:
    """Returns the shape of each column of a table, or None for an object that cannot list documents."""
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        from carob.inputs.files.table import fields_in

        return fields_in(path, named, folders)
    if isinstance(given, list):
        return shapes_of(given) if given and all(isinstance(each, Mapping) for each in given) else None
    return shapes_in(given, named, "run") if is_frame(given) else None


def judged_by(
    logs: Mapping[str, Any],
    policy: Policy | None = None,
    *,
    subtopics: bool = False,
    columns: Asked | None = None,
    folders: str | None = None,
    remedy: str | None = None,
) -> Qrels:
    """Returns the judgments in logs. Logs that contain the same query must agree on its judgments.

    Args:
        logs: the logs, by name.
        policy: as in ``Qrels.of``.
        subtopics: as in ``Qrels.of``.
        columns: the columns of the judgments that the caller named.
        folders: as in ``Qrels.of``.
        remedy: the advice if two logs disagree.

    Raises:
        DataError: a log cannot be read, or two logs have different relevant documents for the same query.
    """
    its: Any = columns or {}
    read = {
        name: Qrels.of(log, policy, subtopics=subtopics, folders=folders, **its) for name, log in logs.items()
    }
    found: dict[bytes, tuple[str, dict[bytes, float]]] = {}
    for name, qrels in read.items():
        for query, documents, values in qrels.rows_by_query():
            grades = dict(zip(documents, values, strict=True))
            first, others = found.setdefault(query, (name, grades))
            if others != grades:
                raise differing(query, (first, others), (name, grades), remedy)
    whole = next((qrels for qrels in read.values() if qrels.judgments.query_count == len(found)), None)
    if whole is not None:
        return whole
    rows = [(query, *each) for query, (_, grades) in found.items() for each in grades.items()]
    ids, judged, numbers = (list(each) for each in zip(*rows, strict=True))
    judgments = _native.judgments_from_rows(ids, judged, np.array(numbers, np.float64))
    return Qrels(" + ".join(read), judgments, MAPPING)


def differing(
    query: bytes,
    one: tuple[str, dict[bytes, float]],
    other: tuple[str, dict[bytes, float]],
    remedy: str | None,
) -> DataError:
    """Returns the error for two logs that disagree on the judgments of a query."""
    (first, its), (second, others) = one, other
    document = min(each for each in its.keys() | others.keys() if its.get(each) != others.get(each))
    grades = [f"{grades[document]:g}" if document in grades else "none" for grades in (its, others)]
    words = {"first": first, "second": second, "one": grades[0], "other": grades[1]}
    name, its_document = shown(text_of(query)), shown(text_of(document))
    return refused(
        "The logs {first} and {second} disagree about the relevant documents of query {name}: document {its} has the "
        "grade {one} in the first log and {other} in the second.",
        **words,
        name=name,
        its=its_document,
        remedy=remedy or ONE_JUDGMENT,
    )


ONE_JUDGMENT = Worded(
    "Make the logs agree, or pass the correct judgments as qrels.",
    "Make the logs agree, or pass the correct judgments as QRELS, before the logs.",
)


def apart(given: Any, policy: Policy | None = None, *, subtopics: bool = False) -> tuple[Qrels, Any]:
    """Returns the judgments and the runs in one log, or in several logs (``{name: log}`` or a list of logs).

    Raises:
        DataError: the data are not a log, or the logs cannot be read or disagree.
    """
    several = given if are_several(given) else [given]
    logs = logs_in(several)
    for name, each in named_logs(several):
        if name not in logs:
            holds_both(each)  # raises the error for what is missing in the log
            raise refused(
                "Only one of qrels and run was given, and {what} is not a table with both retrieved and relevant "
                "documents, for example in the columns retrieved_ids and reference_ids.",
                "Pass qrels and a run.",
                what=name if several is given else "the data",
            )
    return judged_by(logs, policy, subtopics=subtopics), given


def judgments_in(runs: Any, policy: Policy | None = None, *, subtopics: bool = False) -> Qrels | None:
    """Returns the judgments in the runs that are logs, or None if no run is a log.

    Raises:
        DataError: the logs cannot be read or disagree.
    """
    logs = logs_in(runs)
    return judged_by(logs, policy, subtopics=subtopics) if logs else None


def logs_in(runs: Any) -> dict[str, Any]:
    """Returns the runs that are logs, by the names that identify them in errors."""
    return {name: each for name, each in named_logs(runs) if is_log(each)}


def named_logs(runs: Any) -> list[tuple[str, Any]]:
    """Returns logs and runs with the names that identify them in errors: keys, paths or numbers."""
    if isinstance(runs, Mapping):
        return [(str(name), each) for name, each in runs.items()]
    return [
        (os.fspath(each) if isinstance(each, (str, os.PathLike)) else f"log {number}", each)
        for number, each in enumerate(runs, 1)
    ]
