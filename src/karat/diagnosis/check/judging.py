"""Judgments as a check reads them: leniently, and again with something changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat import _native
from karat.diagnosis.check.finding import found, without_stop
from karat.inputs.qrels import Qrels
from karat.inputs.sources import sentences
from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.diagnosis.check.inputs import Text
    from karat.lists.rows import Floats

__all__ = ["Judged", "strictly"]


@dataclass(eq=False)
class Judged:
    """Judgments, read leniently.

    Args:
        text: their text.
        table: what was read; None if there is nothing to measure with.
        by_subtopic: whether documents are judged once for each subtopic; the highest grade stands then.
    """

    text: Text
    table: Qrels | None = None
    by_subtopic: bool = False

    @classmethod
    def of(cls, text: Text) -> Judged:
        """Read them; what the kernel refuses even so becomes a finding."""
        strictly(text, Qrels.of)
        table = None
        if text.source is not None:
            try:
                table = read(text, "first")
                if by_subtopic(text, table):
                    return cls(text, read(text, "max"), by_subtopic=True)
            except DataError as error:
                text.refuse("refused", without_stop(error))
        return cls(text, table if table and table.judgments.queries else None)

    @property
    def qrels(self) -> Qrels:
        """What was read, where there is something."""
        assert self.table is not None
        return self.table

    def deciding(self, rule: str) -> Qrels:
        """The judgments where another of several for one document stands; with ``keep`` all stand."""
        return read(self.text, rule)

    def respelled(self, queries: dict[bytes, bytes], documents: dict[bytes, bytes]) -> Qrels:
        """The judgments with some ids written otherwise."""
        rows = [(queries.get(query, query), documents.get(each, each)) for query, each in self.rows()]
        return from_rows(rows, self.qrels.judgments.grades)

    def regraded(self, grades: Floats) -> Qrels:
        """The judgments with other grades."""
        return from_rows(self.rows(), grades)

    def rows(self) -> list[tuple[bytes, bytes]]:
        """Query and document of each judgment."""
        judgments = self.qrels.judgments
        return [
            (query, each)
            for place, query in enumerate(judgments.queries)
            for each in judgments.documents(place)
        ]


def read(text: Text, duplicates: str) -> Qrels:
    """Read judgments leniently.

    Raises:
        DataError: what the kernel refuses even so.
    """
    assert text.source is not None
    with sentences(text.name, "qrels"):
        judgments = _native.read_judgments(text.source.from_start(), duplicates=duplicates, lenient=True)
    return Qrels(text.name, judgments)


def by_subtopic(text: Text, table: Qrels) -> bool:
    """Whether what is judged several times for a query is so once for each label in the second column."""
    if not table.judgments.dropped:
        return False
    assert text.source is not None
    with sentences(text.name, "qrels"):
        ids, _, _ = _native.read_rows(text.source.from_start(), columns=4, number="grade", lenient=True)
    return len(set(zip(*ids, strict=True))) == len(ids[0])


def from_rows(rows: list[tuple[bytes, bytes]], grades: Floats) -> Qrels:
    """Judgments, one a row."""
    queries, documents = [query for query, _ in rows], [document for _, document in rows]
    return Qrels("<rows>", _native.judgments_from_rows(queries, documents, grades, duplicates="first"))


def strictly(text: Text, reader: Callable[[Any], Any]) -> None:
    """Note what the kernel says of a dict, which it takes as it is; a check goes on with its lines."""
    if isinstance(text.given, Mapping) and text.source is not None:
        try:
            reader(text.given)
        except DataError as error:
            text.faults.append(found("refused", text.name, without_stop(error)))
