"""Reading what ``karat eval --format json`` and ``--record`` wrote back into scores."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.conventions.policy import Policy
from karat.evaluation.scores import Scores
from karat.inputs.sources import sentences
from karat.matching.match import Counts
from karat.measures import parse_measure
from karat.output.errors import DataError, KaratError, Worded, worded
from karat.output.escaping import sentence
from karat.testing.records.making import FORMAT
from karat.testing.records.shape import check_record, check_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.lists.rows import Floats

__all__ = ["Record", "damaged", "read"]

BY_RECORD = Worded("karat.record", "--record")
"""What writes a record."""


@dataclass(frozen=True, eq=False)
class Record:
    """A file of scores, read.

    Args:
        path: the file.
        document: what it holds; ``inputs`` and ``made_with`` only if it is a record.
        scores: of each run.
    """

    path: str
    document: dict[str, Any]
    scores: tuple[Scores, ...]

    @property
    def complete(self) -> bool:
        """Whether it is a record, with hashes and versions, and not only a table of values."""
        return "record" in self.document

    @property
    def names(self) -> list[str]:
        """The runs."""
        return [each.name for each in self.scores]


def read(path: str | os.PathLike[str]) -> Record:
    """Read a record, or what ``karat eval -q --format json`` printed.

    Args:
        path: the file.

    Raises:
        DataError: it cannot be read, or is neither of them.
        MeasureError: a measure that this karat does not know.
        PolicyError: a policy that this karat does not know.
    """
    name = os.fspath(path)
    with sentences(name), open(name, "rb") as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig", "surrogateescape")
        document = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise DataError(
            worded(f"{name} is not JSON ({sentence(str(error))}): expected what ", BY_RECORD, " writes.")
        ) from None
    return record_in(document, name)


def record_in(document: Any, name: str) -> Record:
    """What a file holds, as scores.

    Raises:
        DataError: it is no record, or of a later format, or without the queries' values.
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


def no_number(word: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have and records have as null.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"it holds {word}, which is no number")


@contextmanager
def damaged(name: str) -> Iterator[None]:
    """Turn what goes wrong while a file's own parts are looked up into a sentence.

    Raises:
        DataError: always in place of an error that is not karat's.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        if isinstance(error, KaratError):
            raise
        raise DataError(f"{name} is damaged ({type(error).__name__}: {error}): write it again.") from None


def scores_in(run: dict[str, Any], document: dict[str, Any]) -> Scores:
    """One run's scores; a value that is null is undefined, or left out of its mean where that is defined."""
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
        values=values,
        policy=policy_in(document),
        counts=Counts(**{**counts, "missing": tuple(counts.get("missing", ()))}),
        bounds={label: (low, high) for label, (low, high) in run.get("ties", {}).items()},
        profile=document.get("profile"),
        counted=None if counted.all() else counted,
        weights=matrix(run["weights"], labels) if "weights" in run else None,
        errors=run.get("errors", {}),
    )


def policy_in(document: dict[str, Any]) -> Policy:
    """The policy of a record, whole: an axis that an older karat did not know is at its default."""
    return Policy().changed(**document["policy"]).over(Policy())


def matrix(rows: dict[str, dict[str, float | None]], labels: tuple[str, ...]) -> Floats:
    """A row per query, a column per measure, NaN for null."""
    values: NDArray[np.float64] = np.array(
        [[row[label] for label in labels] for row in rows.values()], dtype=np.float64
    ).reshape(len(rows), len(labels))
    return values
