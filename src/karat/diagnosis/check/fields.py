"""Lines and fields of a text as arrays, chunk by chunk: where each begins and ends, its number, its hash."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.inputs.sources import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from karat.inputs.sources import Source

__all__ = [
    "NEWLINE",
    "PAD",
    "Chunk",
    "Column",
    "Fields",
    "Unbroken",
    "Words",
    "chunks",
    "column_of",
    "fields_of",
    "hashes_of",
    "padded",
]

AT_ONCE = 2**19
"""Bytes read at a time."""
LONGEST = 64 * 2**20
"""A line that is longer is not one of a run or of judgments."""
PAD = 16
"""Bytes of room on either side of a chunk, so that eight bytes can be loaded from any place in it."""
NEWLINE = 10
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False, repr=False)
class Chunk:
    """Some whole lines.

    Args:
        data: ``PAD`` newlines, the lines, each with its newline, and ``PAD`` newlines more.
        line: how many lines precede these in the text.
        last: whether the text ends here.
        closed: whether its last line has a newline of its own; one is added where it has not.
        marked: whether a byte-order mark preceded these lines; it is left out.
    """

    data: NDArray[np.uint8]
    line: int
    last: bool = False
    closed: bool = True
    marked: bool = False

    @property
    def text(self) -> NDArray[np.uint8]:
        """The lines without the room around them."""
        return self.data[PAD:-PAD]


class Unbroken:
    """Makes cursors that simply end where data are damaged or cut short.

    Args:
        start: makes the cursors over the data.
    """

    def __init__(self, start: Callable[[], Cursor]) -> None:
        """Read nothing yet."""
        self.start = start
        self.fault: str | None = None

    def __call__(self) -> Cursor:
        """A cursor at the first byte."""
        return Ending(self.start(), self)


class Ending(Cursor):
    """A cursor that ends at a fault, and notes it.

    Args:
        over: the cursor over the data.
        noted: where the fault is noted.
    """

    def __init__(self, over: Cursor, noted: Unbroken) -> None:
        """Begin at the first byte."""
        super().__init__()
        self.over, self.noted = over, noted

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer``; 0 at the end, also where compressed data breaks off."""
        try:
            return self.over.readinto(buffer) or 0
        except OSError as error:
            self.noted.fault = getattr(error, "fault", str(error))
            return 0

    def rewind(self) -> None:
        """Start again from the first byte."""
        self.over.rewind()

    def close(self) -> None:
        """Close the data."""
        self.over.close()
        super().close()


def pieces(source: Source) -> Iterator[NDArray[np.uint8]]:
    """The bytes of a source, some at a time; each piece is read over by the next."""
    handle = source.from_start()
    if isinstance(handle, bytes):
        whole = np.frombuffer(handle, np.uint8)
        yield from (whole[start : start + AT_ONCE] for start in range(0, len(whole), AT_ONCE))
        return
    room = np.empty(AT_ONCE, np.uint8)
    view = room.data
    if isinstance(handle, str):
        with open(handle, "rb", buffering=0) as file:
            while count := file.readinto(view):
                yield room[:count]
        return
    while count := handle.readinto(view):
        yield room[:count]


def chunks(source: Source) -> Iterator[Chunk]:
    """The text in chunks that end with a line, the last of which may be empty."""
    kept: list[NDArray[np.uint8]] = []
    lines, held = 0, 0
    for piece in pieces(source):
        newlines = np.flatnonzero(piece == NEWLINE)
        if len(newlines):
            end = int(newlines[-1]) + 1
            yield unmarked(Chunk(padded([*kept, piece[:end]]), lines))
            lines += len(newlines)
            kept, held = [piece[end:].copy()], len(piece) - end
        elif held < LONGEST:
            kept.append(piece.copy())
            held += len(piece)
    rest = [part for part in kept if len(part)]
    if rest:
        whole = padded([*rest, np.array([NEWLINE], np.uint8)])
        yield unmarked(Chunk(whole, lines, last=True, closed=False))
    else:
        yield Chunk(padded([]), lines, last=True)


def unmarked(chunk: Chunk) -> Chunk:
    """The chunk without the byte-order mark that the first one may begin with."""
    if chunk.line or chunk.text[: len(MARK)].tobytes() != MARK:
        return chunk
    data = chunk.data[len(MARK) :]
    data[:PAD] = NEWLINE
    return replace(chunk, data=data, marked=True)


def padded(parts: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The parts end to end with room around them."""
    room = np.full(PAD, NEWLINE, np.uint8)
    return np.concatenate([room, *parts, room])


Words: TypeAlias = "NDArray[np.uint64]"
Places: TypeAlias = "NDArray[np.int64]"

BLANK = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
COMMENT = ord("#")
# Masks of the low bytes of a word, for tokens of 0 to 8 bytes.
LOW = np.array([(1 << (8 * count)) - 1 for count in range(9)], np.uint64)
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93))
SHIFT = np.uint64(32)


def of_bytes(byte: int) -> np.uint64:
    """A word of eight equal bytes."""
    word: np.uint64 = np.uint64(int.from_bytes(bytes([byte]) * 8, "little"))
    return word


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One field of many lines.

    Args:
        data: the bytes that hold them.
        start: where each begins.
        end: where each ends.
    """

    data: NDArray[np.uint8]
    start: Places
    end: Places

    def __getitem__(self, lines: slice | NDArray[np.bool_] | Places) -> Column:
        """The field of some of the lines."""
        return Column(self.data, self.start[lines], self.end[lines])

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self.start)

    @property
    def length(self) -> Places:
        """How many bytes each has."""
        return self.end - self.start

    def token(self, line: int) -> bytes:
        """The field of one line."""
        return self.data[self.start[line] : self.end[line]].tobytes()

    @property
    def loads(self) -> Words:
        """The eight bytes from each place of the data on, as a word."""
        words: Words = np.ndarray((len(self.data) - 7,), "<u8", self.data.data, strides=(1,))
        return words

    def last_byte(self) -> NDArray[np.uint8]:
        """The byte that each ends with."""
        return self.data[self.end - 1]

    def first_byte(self) -> NDArray[np.uint8]:
        """The byte that each begins with."""
        return self.data[self.start]

    def hashes(self, *, folded: bool = False) -> Words:
        """A number for each that is the same for the same bytes.

        Args:
            folded: the same also for small and capital letters, and without zeros before other bytes.
        """
        start = self.without_zeros() if folded else self.start
        length = self.end - start
        loads, small = self.loads, of_bytes(0x20)
        found = length.astype(np.uint64)
        for step in range(0, int(length.max(initial=0)), 8):
            longer = None if step == 0 else np.flatnonzero(length > step)
            at, left = (start, length) if longer is None else (start[longer] + step, length[longer] - step)
            word = loads[at]
            if folded:
                word |= small
            word &= LOW[np.minimum(left, 8)]
            if longer is None:
                found = mixed(found, word)
            else:
                found[longer] = mixed(found[longer], word)
        return found

    def without_zeros(self) -> Places:
        """Where each begins behind the zeros that it begins with; its last byte stays."""
        start = self.start
        left = np.flatnonzero((self.data[start] == ord("0")) & (self.length > 1))
        if len(left):
            start = start.copy()
        while len(left):
            start[left] += 1
            left = left[(self.data[start[left]] == ord("0")) & (self.end[left] - start[left] > 1)]
        return start

    def whole_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The number of each that is one of at most eight digits, and which are; the others' number is -1."""
        length = self.length
        fits = length <= 8
        word = self.loads[self.end - 8]
        # The bytes before the token become leading zeros.
        strange = LOW[8 - np.minimum(length, 8)]
        word = (word & ~strange) | (of_bytes(ord("0")) & strange)
        high = of_bytes(0xF0)
        fits &= (word & high) == of_bytes(0x30)
        fits &= ((word + of_bytes(6)) & high) == of_bytes(0x30)
        # Pairs of digits, then of pairs, then of those: three multiplications for eight digits.
        word = (word & of_bytes(0x0F)) * np.uint64(2561) >> np.uint64(8)
        word = (word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
        word = (word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> SHIFT
        return np.where(fits, word.astype(np.int64), -1), fits


def mixed(found: Words, word: Words) -> Words:
    """A hash with eight bytes more."""
    mixture: Words = (found ^ word) * MIX[0]
    mixture ^= mixture >> SHIFT
    mixture *= MIX[1]
    mixture ^= mixture >> SHIFT
    return mixture


@dataclass(frozen=True, eq=False, repr=False)
class Fields:
    """The lines of a chunk that hold data, and counts of everything else.

    Args:
        line: the number of each line of data, from 1 in the whole text.
        count: how many fields each has.
        begin: where each begins.
        end: where its newline is.
        first: which field of all is each line's first.
        start: where every field begins.
        stop: where every field ends.
        data: the bytes.
        comments: lines that begin with ``#``.
        blank: lines without a field.
        tabs: tabs anywhere.
        spaces: spaces anywhere.
        returns: carriage returns anywhere.
        line_ends: where the newline of every line is, with data or not.
        even: how many fields each line has, where all hold data and have the same number; else 0.
    """

    line: Places
    count: Places
    begin: Places
    end: Places
    first: Places
    start: Places
    stop: Places
    data: NDArray[np.uint8]
    comments: int
    blank: int
    tabs: int
    spaces: int
    returns: int
    line_ends: Places
    even: int

    def column(self, number: int) -> Column:
        """One field, from 0, which every line must have."""
        if self.even:
            return Column(self.data, self.start[number :: self.even], self.stop[number :: self.even])
        places = self.first + number
        return Column(self.data, self.start[places], self.stop[places])

    def of(self, row: int) -> list[bytes]:
        """All fields of one line."""
        fields = range(self.first[row], self.first[row] + self.count[row])
        return [self.data[self.start[each] : self.stop[each]].tobytes() for each in fields]

    def of_rows(self, rows: Places) -> Fields:
        """Some of the lines."""
        return replace(
            self,
            line=self.line[rows],
            count=self.count[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            first=self.first[rows],
            even=0,
        )

    def rows_at(self, places: Places) -> Places:
        """The lines that contain the bytes at these places, each once."""
        if not len(self.line):
            return np.zeros(0, np.int64)
        row = np.searchsorted(self.end, places)
        row = row[(row < len(self.end))]
        return np.flatnonzero(np.bincount(row, minlength=len(self.end)))

    def excerpt(self, row: int, most: int = 60) -> str:
        """The beginning of a line, for a reader."""
        text = self.data[self.begin[row] : self.end[row]].tobytes()
        return text[:most].decode("utf-8", "replace").rstrip() + ("…" if len(text) > most else "")

    def padded(self) -> NDArray[np.bool_]:
        """Which lines have blanks besides one after each field but the last."""
        width = np.append(0, np.cumsum(self.stop - self.start))
        inside = width[self.first + self.count] - width[self.first]
        # A line's CR belongs to its end.
        returned = self.data[self.end - 1] == ord("\r")
        lines: NDArray[np.bool_] = (self.end - self.begin - returned) != inside + self.count - 1
        return lines


def fields_of(chunk: Chunk) -> Fields:
    """Take the lines of a chunk apart as the kernel does: a blank is C's isspace, only a newline ends a line."""
    data = chunk.data
    where = np.flatnonzero(data <= ord(" "))
    byte = data[where]
    if (odd := ~BLANK[byte]).any():
        where, byte = where[~odd], byte[~odd]
    gap = np.diff(where) > 1
    start, stop = where[:-1][gap] + 1, where[1:][gap]
    ends = where[PAD:-PAD][byte[PAD:-PAD] == NEWLINE]
    begins = np.append(PAD, ends + 1)[: len(ends)]
    even = evenly(start, ends)
    first = np.arange(0, len(start), even) if even else np.searchsorted(start, np.append(-1, ends[:-1]))
    count = np.full(len(ends), even) if even else np.diff(np.append(first, len(start)))
    line = chunk.line + 1 + np.arange(len(ends))
    # A line without fields has no first byte: it gets another's here, and is left out below.
    comment = (count > 0) & (data[np.append(start, 0)[first]] == COMMENT)
    kept = (count > 0) & ~comment
    comments = int(np.count_nonzero(comment))
    empty = len(ends) - comments - int(np.count_nonzero(kept))
    tabs, spaces, returns = (int(np.count_nonzero(byte == ord(each))) for each in "\t \r")
    found = Fields(
        line,
        count,
        begins,
        ends,
        first,
        start,
        stop,
        data,
        comments,
        empty,
        tabs,
        spaces,
        returns,
        ends,
        even,
    )
    return found if kept.all() else found.of_rows(np.flatnonzero(kept))


def evenly(start: Places, ends: Places) -> int:
    """How many fields every line has, or 0 if not all have the same number."""
    even, rest = divmod(len(start), max(len(ends), 1))
    if rest or not even:
        return 0
    leading, trailing = start[::even], start[even - 1 :: even]
    return even if (leading[1:] > ends[:-1]).all() and (trailing < ends).all() else 0


def column_of(tokens: list[bytes]) -> Column:
    """Some tokens, which hold no newline, as a column."""
    data = padded([np.frombuffer(b"".join(token + b"\n" for token in tokens), np.uint8)])
    length = np.fromiter(map(len, tokens), np.int64, len(tokens))
    end = PAD + np.cumsum(length + 1) - 1
    return Column(data, end - length, end)


def hashes_of(tokens: list[bytes], *, folded: bool = False) -> Words:
    """The hash of each token, as ``Column.hashes`` gives it."""
    return column_of(tokens).hashes(folded=folded)
