"""Reads dictionaries as qrels or runs: ``{query: {document: number}}``, or a list of documents for each query."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from karat import _native
from karat.inputs.errors import sentences
from karat.inputs.ids import as_text, bytes_of, text_of, texts
from karat.inputs.sources import Provenance
from karat.output.errors import DataError
from karat.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Collection

    from karat.inputs.runs import MatchOptions, Row


def plain(mapping: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the mapping as a dict of dicts for the kernel. Only other types of mapping are copied."""
    if type(mapping) is dict and all(type(inner) is dict for inner in mapping.values()):
        return cast("dict[str, Any]", mapping)
    rows: dict[str, Any] = dict(mapping)
    return {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in rows.items()}


def graded(mapping: Mapping[Any, Any], grade: float | None = None) -> dict[Any, Any]:
    """Returns judgments with ``{id: grade}`` for each query. Ids in a list or a set get grade 1.

    Args:
        mapping: the judgments.
        grade: the grade of every document, overriding the judgments; None to use theirs.
    """
    return {query: grades_of(query, its, grade) for query, its in mapping.items()}


def grades_of(query: Any, its: Any, grade: float | None) -> Any:
    """Returns a query's documents with their grades. Ids in a list or a set get grade 1 unless one is given."""
    if isinstance(its, Mapping):
        return its if grade is None else dict.fromkeys(its, grade)
    if isinstance(its, (str, bytes)) or not isinstance(its, Iterable):
        return its
    return dict.fromkeys(listed(its, "qrels", query), 1 if grade is None else grade)


def ranked(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    """Returns a run with ``{id: score}`` for each query. In a list of ids, each score is minus the rank.

    Raises:
        DataError: a set, which has no order, or a list with an id twice.
    """
    return {query: scores_of(query, its) for query, its in mapping.items()}


def scores_of(query: Any, its: Any) -> Any:
    """Returns a query's documents with their scores. Only a list of ids is converted."""
    if isinstance(its, (set, frozenset)):
        raise DataError(
            f"query {shown(query)}: a set has no order, so it cannot be a ranking.",
            file="run",
            query=str(query),
            remedy="Give the ids as a list, best first.",
        )
    if isinstance(its, (Mapping, str, bytes)) or not isinstance(its, Iterable):
        return its
    ids = listed(its, "run", query)
    found = {each: -rank for rank, each in enumerate(ids, 1)}
    if len(found) < len(ids):
        again = next(each for place, each in enumerate(ids) if each in ids[:place])
        raise DataError(
            f"document {shown(again)} is listed twice for query {shown(query)}.",
            file="run",
            query=str(query),
            document=str(again),
            remedy="Remove one; list(dict.fromkeys(ids)) keeps the first.",
        )
    return found


def listed(ids: Any, kind: str, query: Any) -> list[Any]:
    """Returns the ids of a list, an array or a column as a list of Python objects.

    Raises:
        DataError: an item that cannot be an id, such as a row or a pair.
    """
    found: list[Any] = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    for each in found:
        if not isinstance(each, Hashable):
            value = "grade" if kind == "qrels" else "score"
            raise DataError(
                f"query {shown(query)}: found a {type(each).__name__} in the list of ids: {shown(each)}.",
                file=kind,
                query=str(query),
                remedy=f"Give ids, or {{id: {value}}}.",
            )
    return found


MAPPING = Provenance("a mapping")


@dataclass(frozen=True, eq=False, repr=False)
class MappingRun:
    """A run in a dictionary.

    Args:
        mapping: dicts of dicts.
        origin: its provenance.
    """

    mapping: dict[str, Any]
    origin: Provenance = MAPPING
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        how: dict[str, Any] = {"ties": options.rule, "float32": options.float32, **options.returned}
        with sentences("run", "run"):
            return _native.match_mapping(judgments, self.mapping, **how)

    def ranked(self, query: bytes, options: MatchOptions) -> tuple[list[bytes], list[float]]:
        """Returns every document of one query in rank order, with its score."""
        scores = texts(texts(self.mapping).get(text_of(query), {}))
        ids = list(map(bytes_of, scores))
        everything = _native.judgments_from_rows([query] * len(ids), ids, np.zeros(len(ids)))
        order = self.match(everything, options).judgment.tolist() if ids else []
        compared = np.float32 if options.float32 else np.float64
        values = [float(compared(value)) for value in scores.values()]
        return [ids[each] for each in order], [values[each] for each in order]

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each entry."""
        for query, its in self.mapping.items():
            name = bytes_of(as_text(query))
            if queries is None or name in queries:
                for document, score in texts(its).items():
                    try:
                        value = float(score)
                    except (TypeError, ValueError, OverflowError):
                        said = f"query '{query}', document '{document}': the score is not a number that fits a float."
                        raise DataError(said, file="run", query=str(query), document=document) from None
                    yield name, bytes_of(document), value
