"""Runs as dictionaries: ``{query: {document: score}}``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from karat import _native
from karat.inputs.dicts import from_mapping
from karat.inputs.ids import as_text, bytes_of, text_of, texts
from karat.inputs.sources import Origin
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from karat.inputs.runs import Asked, Row

__all__ = ["MappingRun"]

MAPPING = Origin("a mapping")


@dataclass(frozen=True, eq=False, repr=False)
class MappingRun:
    """A run as a dictionary.

    Args:
        mapping: dicts of dicts.
        origin: where it came from.
    """

    mapping: dict[str, Any]
    origin: Origin = MAPPING
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    def match(self, judgments: _native.Judgments, asked: Asked) -> _native.Matched:
        """The rows of judged documents."""
        matched: _native.Matched = from_mapping(
            lambda run: _native.match_mapping(
                judgments, run, ties=asked.rule, float32=asked.float32, scores=asked.scores
            ),
            self.mapping,
            "run",
        )
        return matched

    def ranked(self, query: bytes, asked: Asked) -> tuple[list[bytes], list[float]]:
        """Every document of one query in order: with all of them judged, ``match`` says where each one stands."""
        scores = texts(texts(self.mapping).get(text_of(query), {}))
        ids = list(map(bytes_of, scores))
        everything = _native.judgments_from_rows([query] * len(ids), ids, np.zeros(len(ids)))
        order = self.match(everything, asked).judgment.tolist() if ids else []
        compared = np.float32 if asked.float32 else np.float64
        values = [float(compared(value)) for value in scores.values()]
        return [ids[each] for each in order], [values[each] for each in order]

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Query, document and score of each entry."""
        for query, its in self.mapping.items():
            name = bytes_of(as_text(query))
            if queries is None or name in queries:
                for document, score in texts(its).items():
                    try:
                        value = float(score)
                    except (TypeError, ValueError, OverflowError):
                        where = f"the run, query '{query}', document '{document}'"
                        raise DataError(f"{where}: the score is no number that fits a float.") from None
                    yield name, bytes_of(document), value
