"""A run's text with something changed on the way to the kernel: what it would be worth if it were written otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.diagnosis.check.chunks import chunks
from karat.diagnosis.check.fields import Column, fields_of
from karat.inputs.cursors import Cursor
from karat.inputs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from karat.diagnosis.check.fields import Fields

__all__ = ["by_rank", "negated", "rewritten", "without_own"]

ZERO, MINUS, END = (0, 3), (3, 4), (4, 7)
CONSTANTS = b" 0 - t\n"
"""What stands between the parts of a line, and where in this text."""


class Rewritten(Cursor):
    """A text that is another's, line by line in another form.

    Args:
        source: the text.
        change: the new text of some lines.
    """

    def __init__(self, source: Source, change: Callable[[Fields], NDArray[np.uint8]]) -> None:
        """Read nothing yet."""
        super().__init__()
        self.source, self.change = source, change
        self.rewind()

    def rewind(self) -> None:
        """Start again from the first line."""
        self.parts = self.made()
        self.rest: NDArray[np.uint8] = np.zeros(0, np.uint8)

    def made(self) -> Iterator[NDArray[np.uint8]]:
        """The new text in parts."""
        for chunk in chunks(self.source):
            fields = fields_of(chunk)
            fields = fields.of_rows(np.flatnonzero(fields.count >= 6))
            if len(fields.line):
                yield self.change(fields)

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        while not len(self.rest):
            part = next(self.parts, None)
            if part is None:
                return 0
            self.rest = part
        count = min(len(buffer), len(self.rest))
        buffer[:count] = self.rest[:count].data
        self.rest = self.rest[count:]
        return count


def rewritten(source: Source, change: Callable[[Fields], NDArray[np.uint8]]) -> Source:
    """The source with its lines changed on the way."""
    return Source(source.name, lambda: Rewritten(source, change), None)


def negated(fields: Fields) -> NDArray[np.uint8]:
    """The lines with their scores negated."""
    score = fields.column(4)
    first = score.first_byte()
    signed = (first == ord("-")) | (first == ord("+"))
    return assembled(fields, score.start + signed, score.end, minus=first != ord("-"))


def by_rank(fields: Fields) -> NDArray[np.uint8]:
    """The lines with the negated rank for a score."""
    rank = fields.column(3)
    return assembled(fields, rank.start, rank.end, minus=np.ones(len(rank), bool))


def without_own(fields: Fields) -> NDArray[np.uint8]:
    """The lines without those whose document has the query's own id."""
    own = fields.column(0).hashes() == fields.column(2).hashes()
    fields = fields.of_rows(np.flatnonzero(~own))
    score = fields.column(4)
    return assembled(fields, score.start, score.end, minus=np.zeros(len(score), bool))


def assembled(
    fields: Fields, start: NDArray[np.int64], end: NDArray[np.int64], *, minus: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """Lines 'query 0 document 0 score t' with the scores that stand at the places given."""
    data = np.concatenate([fields.data, np.frombuffer(CONSTANTS, np.uint8)])
    query, document = fields.column(0), fields.column(2)
    lines = len(fields.line)

    def constant(place: tuple[int, int], kept: NDArray[np.bool_] | None = None) -> Column:
        begin = np.full(lines, len(fields.data) + place[0])
        width = place[1] - place[0]
        return Column(data, begin, begin + (width if kept is None else kept * width))

    parts = [
        query,
        constant(ZERO),
        document,
        constant(ZERO),
        constant(MINUS, minus),
        Column(data, start, end),
        constant(END),
    ]
    starts = np.stack([part.start for part in parts], axis=1).ravel()
    lengths = np.stack([part.length for part in parts], axis=1).ravel()
    total = int(lengths.sum())
    shift = starts - np.append(0, np.cumsum(lengths)[:-1])
    return np.asarray(data[np.repeat(shift, lengths) + np.arange(total)])
