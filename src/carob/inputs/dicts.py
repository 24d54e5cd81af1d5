"""Reads dictionaries as qrels or runs: ``{query: {document: number}}``, or a list of documents for each query."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.errors import refused, sentences
from carob.inputs.ids import as_text, bytes_of, text_of, texts, twice, unpadded
from carob.inputs.sources import Provenance
from carob.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Collection

    from carob.inputs.runs import MatchOptions, Ranked, Row


class WithScores(dict[Any, Any]):
    """``{query: {document: score}}`` whose scores come from rows, not from the order of lists of ids or from ranks."""


class ByPosition(WithScores):
    """``{position: {document: score}}`` for answers without query ids, such as the responses of an msearch."""


def plain(mapping: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the mapping as a dict of dicts for the kernel. Only mappings that are not dicts are copied."""
    if type(mapping) is dict and all(type(inner) is dict for inner in mapping.values()):
        return cast("dict[str, Any]", mapping)
    rows: dict[str, Any] = dict(mapping)
    return {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in rows.items()}


def numbered(mapping: Mapping[Any, Any], kind: str, grade: float | None = None) -> Mapping[Any, Any]:
    """Returns qrels or a run with ``{id: number}`` for each query, including queries with a list or a set of ids.

    Args:
        mapping: the data.
        kind: ``qrels`` or ``run``.
        grade: the grade of every document, instead of the grades in the qrels; None to use the grades in the qrels, or
            1 for documents in a list.

    Raises:
        DataError: a list contains an item that cannot be an id, or a run contains a set or a list with an id twice.
    """
    if grade is None and all(isinstance(its, dict) for its in mapping.values()):
        return mapping
    return {query: numbers_of(query, its, kind, grade) for query, its in mapping.items()}


def is_sample(qrels: Mapping[Any, Any]) -> bool:
    """Returns whether a dictionary contains judgments with probabilities. The first judgment decides."""
    inner = (each for its in qrels.values() if isinstance(its, Mapping) for each in its.values())
    return isinstance(next(inner, None), (tuple, list))


def numbers_of(query: Any, its: Any, kind: str, grade: float | None) -> Any:
    """Returns a query's ids with their grades or scores. The scores in a list of ids are the negated ranks."""
    if isinstance(its, Mapping):
        return its if grade is None else dict.fromkeys(its, grade)
    if isinstance(its, (str, bytes)) or not isinstance(its, Iterable):
        return its
    place = {"file": kind, "query": str(query), "name": shown(query)}
    if kind == "run" and isinstance(its, (set, frozenset)):
        raise refused(
            "query {name}: a set has no order, so it cannot be a ranking.",
            "Pass the ids as a list, best first.",
            **place,
        )
    ids: list[Any] = its.tolist() if hasattr(its, "tolist") else list(its)
    if not isinstance(its, (set, frozenset)):
        ids = ids[: unpadded(ids, query)]
    for each in ids:
        if not isinstance(each, Hashable):
            value, its_type = "grade" if kind == "qrels" else "score", type(each).__name__
            raise refused(
                "query {name}: found a {type} in the list of ids: {item}.",
                "Pass ids, or {{id: {value}}}.",
                **place,
                type=its_type,
                item=shown(each),
                value=value,
            )
    if kind == "qrels":
        return dict.fromkeys(ids, 1 if grade is None else grade)
    found = {each: -rank for rank, each in enumerate(ids, 1)}
    if len(found) < len(ids):
        again = twice(ids)
        raise refused(
            "document {again} is listed twice for query {name}.",
            "Remove one; list(dict.fromkeys(ids)) keeps the first.",
            **place,
            document=str(again),
            again=shown(again),
        )
    return found


MAPPING = Provenance("a mapping")


@dataclass(frozen=True, eq=False, repr=False)
class MappingRun:
    """A run in a dictionary.

    Args:
        mapping: the run as a dict of dicts.
        origin: the provenance of the run.
        scored: whether the numbers are known to be scores, not negated ranks in lists of ids.
        by_position: whether the query ids are positions, because the answers contain no query ids.
    """

    mapping: dict[str, Any]
    origin: Provenance = MAPPING
    scored: bool = False
    by_position: bool = False
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        options.refuse_without_ranks(ranks=False)
        how: dict[str, Any] = {"ties": options.rule, "float32": options.float32, **options.returned}
        with sentences("run", "run"):
            return _native.match_mapping(judgments, self.mapping, **how)

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with their scores."""
        found = [self.ranked(query, options) for query in queries]
        return [(documents[:depth], scores[:depth]) for documents, scores in found]

    def ranked(self, query: bytes, options: MatchOptions) -> Ranked:
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
                        ids = {"query": str(query), "document": document}
                        raise refused(
                            "query '{query}', document '{document}': the score is not a number that fits a float.",
                            file="run",
                            **ids,
                        ) from None
                    yield name, bytes_of(document), value
