"""Which documents two judges both judged, and which only one of them did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat import _native
from karat.inputs.ids import text_of
from karat.inputs.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Container

    from karat.lists.rows import Floats, Integers

__all__ = ["Pairing", "pair", "restricted"]


@dataclass(frozen=True, eq=False)
class Pairing:
    """The judgments of two judges, side by side.

    Args:
        queries: those that both judged, in byte order.
        a: the first judge's grades of the documents that both judged, query by query.
        b: the second judge's.
        query: the place of each such document's query.
        documents: their ids.
        only_a: documents that only the first judged, in queries that both did.
        only_b: documents that only the second judged there.
        queries_a: queries that only the first judged.
        queries_b: queries that only the second judged.
        negative: judgments with a negative grade, which stand for unjudged documents.
    """

    queries: tuple[str, ...]
    a: Floats
    b: Floats
    query: Integers
    documents: list[bytes] = field(repr=False)
    only_a: int
    only_b: int
    queries_a: tuple[str, ...]
    queries_b: tuple[str, ...]
    negative: int


def pair(a: Qrels, b: Qrels) -> Pairing:
    """Put the grades of the documents that both judged side by side."""
    one, other = a.judgments, b.judgments
    place_b = {query: place for place, query in enumerate(other.queries)}
    shared = [(place, place_b[query]) for place, query in enumerate(one.queries) if query in place_b]
    known = set(one.queries)
    grades_a, grades_b, owner, documents = [], [], [], []
    only_a = only_b = 0
    for number, (place, twin) in enumerate(shared):
        mine, theirs = graded(one, place), graded(other, twin)
        both = [document for document in mine if document in theirs]
        only_a += len(mine) - len(both)
        only_b += len(theirs) - len(both)
        grades_a += [mine[document] for document in both]
        grades_b += [theirs[document] for document in both]
        owner += [number] * len(both)
        documents += both
    return Pairing(
        queries=tuple(text_of(one.queries[place]) for place, _ in shared),
        a=np.array(grades_a, np.float64),
        b=np.array(grades_b, np.float64),
        query=np.array(owner, np.int64),
        documents=documents,
        only_a=only_a,
        only_b=only_b,
        queries_a=tuple(text_of(query) for query in one.queries if query not in place_b),
        queries_b=tuple(text_of(query) for query in other.queries if query not in known),
        negative=int((one.grades < 0).sum() + (other.grades < 0).sum()),
    )


def graded(judgments: _native.Judgments, query: int) -> dict[bytes, float]:
    """The grades of one query's documents, without negative ones; a document's first judgment counts."""
    first, last = judgments.offsets[query], judgments.offsets[query + 1]
    found: dict[bytes, float] = {}
    for document, grade in zip(
        judgments.documents(query), judgments.grades[first:last].tolist(), strict=True
    ):
        if grade >= 0:
            found.setdefault(document, grade)
    return found


def restricted(
    qrels: Qrels, queries: Container[str], documents: set[tuple[str, bytes]] | None = None
) -> Qrels:
    """The judgments of some queries, and of some of their documents."""
    judgments = qrels.judgments
    if documents is None and all(text_of(query) in queries for query in judgments.queries):
        return qrels
    ids: list[bytes] = []
    kept: list[bytes] = []
    grades: list[float] = []
    for place, query in enumerate(judgments.queries):
        name = text_of(query)
        if name not in queries:
            continue
        first, last = judgments.offsets[place], judgments.offsets[place + 1]
        for document, grade in zip(
            judgments.documents(place), judgments.grades[first:last].tolist(), strict=True
        ):
            if documents is None or (name, document) in documents:
                ids.append(query)
                kept.append(document)
                grades.append(grade)
    return Qrels(qrels.name, _native.judgments_from_rows(ids, kept, np.array(grades)), qrels.origin)
