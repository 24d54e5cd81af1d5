"""One pass over a text: counts of its lines, columns, ids, ranks and scores, and ids that are spelled differently."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.inputs.ids import folded
from karat.inputs.sources import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from karat import _native
    from karat.inputs.sources import Source

__all__ = [
    "COLUMNS",
    "MOST_TAGS",
    "NEWLINE",
    "PAD",
    "Chunk",
    "Column",
    "Fields",
    "Seen",
    "Spellings",
    "Survey",
    "Unbroken",
    "Words",
    "chunks",
    "column_of",
    "fields_of",
    "hashes_of",
    "padded",
    "survey",
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


SPARSE = 16
"""Places in the filter for each judged document."""


class Spellings:
    """Looks among a run's documents for judged ones, and for judged ones written in another way.

    Args:
        judgments: whose documents are known.
    """

    def __init__(self, judgments: _native.Judgments) -> None:
        """Take the judged documents' hashes; nothing is seen yet."""
        tokens = [each for query in range(len(judgments.queries)) for each in judgments.documents(query)]
        self.tokens = column_of(tokens)
        forms = self.tokens.hashes(folded=True)
        order = np.argsort(forms, kind="stable")
        forms = forms[order]
        first = np.append(True, forms[1:] != forms[:-1])[: len(forms)]
        self.forms, self.token_of = forms[first], order[first]
        self.exact = np.sort(self.tokens.hashes())
        places = 1 << (SPARSE * len(self.forms) + 1).bit_length()
        self.mask = np.uint64(places - 1)
        self.filter = np.zeros(places, bool)
        self.filter[self.forms & self.mask] = True
        self.literal = np.zeros(len(self.forms), bool)
        self.other: dict[int, tuple[bytes, int]] = {}

    def see(self, fields: Fields) -> None:
        """Look at the documents of some lines of a run."""
        column = fields.column(2)
        words = column.hashes(folded=True)
        rows = np.flatnonzero(self.filter[words & self.mask])
        if not len(rows):
            return
        places = np.minimum(np.searchsorted(self.forms, words[rows]), len(self.forms) - 1)
        known = self.forms[places] == words[rows]
        rows, places = rows[known], places[known]
        exact = column[rows].hashes()
        at = np.minimum(np.searchsorted(self.exact, exact), len(self.exact) - 1)
        literal = self.exact[at] == exact
        self.literal[places[literal]] = True
        for row, place in zip(rows[~literal].tolist(), places[~literal].tolist()):
            if place not in self.other:
                self.other[place] = (column.token(row), int(fields.line[row]))

    def pairs(self) -> dict[bytes, tuple[bytes, int]]:
        """Judged documents that the run has under another writing only: the run's id and its first line."""
        found = {}
        for place, (token, line) in self.other.items():
            judged = self.tokens.token(int(self.token_of[place]))
            if not self.literal[place] and folded(judged) == folded(token):
                found[judged] = (token, line)
        return found


COLUMNS = {"qrels": 4, "run": 6}
INVISIBLE = re.compile(
    rb"\xc2\xa0|\xc2\xad|\xe2\x80[\x8b\x8e\x8f\xaa-\xae]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf"
)
"""No-break and ideographic spaces, soft hyphens, zero-width marks and marks of direction, as UTF-8 writes them."""
SIGNED = [sign + word for sign in (b"", b"+", b"-") for word in (b"inf", b"infinity")]
INFINITE = np.sort(hashes_of(SIGNED, folded=True))
NOT_A_NUMBER = np.sort(hashes_of([b"nan", b"+nan", b"-nan"], folded=True))
DOT = ord(".")
MOST_TAGS = 1000
"""Tags that are kept; a file with more has one on every line."""


@dataclass(eq=False)
class Seen:
    """How often something was seen, and where first.

    Args:
        count: how many lines.
        line: the first one, 0 if there is none.
        excerpt: its beginning.
    """

    count: int = 0
    line: int = 0
    excerpt: str = ""

    def add(self, fields: Fields, rows: NDArray[np.bool_] | NDArray[np.int64]) -> None:
        """See it in some rows."""
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        if not len(places):
            return
        if not self.count:
            self.line = int(fields.line[places[0]])
            self.excerpt = fields.excerpt(int(places[0]))
        self.count += len(places)


@dataclass(eq=False)
class Survey:
    """The counts of one pass over a text.

    Args:
        kind: ``qrels`` or ``run``.
        lines: all lines.
        rows: lines with data, however many columns they have.
        usable: those that have the columns wanted.
        marked: whether the text begins with a byte-order mark.
        closed: whether the last line has a newline.
        widths: how many lines have how many fields.
        returns: lines that end with CR LF.
        bare_returns: CR anywhere else.
        padded: lines with more blanks than one between fields.
        tabs: tabs.
        spaces: spaces.
        comments: lines that begin with ``#``.
        blank: lines without a field, but for the last.
        nul: lines with a byte 0.
        undecodable: lines that are not UTF-8.
        invisible: lines with invisible characters.
        queries: every query with the line of its first occurrence.
        groups: how often the query changes from line to line.
        tags: every run tag with its first line, as long as there are few.
        nan: scores that are no number.
        infinite: infinite scores.
        decimal_comma: scores with a comma.
        rank_falls: lines whose rank is not above that of the line before, in the same query.
        rank_odd: ranks that are no whole number.
        ranks: the lowest and the highest rank.
        own: lines whose document has the query's own id.
        own_first: how many of them are first in their list.
        own_queries: queries with such a line.
        first: the fields of the first line with data.
        example: those of the first line that has the columns wanted.
        last: the fields of the last one.
        last_line: its number.
        last_group: lines of the last query, in a row.
        group_lengths: the shortest and longest such group before the last one.
    """

    kind: str
    lines: int = 0
    rows: int = 0
    usable: int = 0
    marked: bool = False
    closed: bool = True
    widths: dict[int, Seen] = field(default_factory=dict)
    returns: Seen = field(default_factory=Seen)
    bare_returns: int = 0
    padded: Seen = field(default_factory=Seen)
    tabs: int = 0
    spaces: int = 0
    comments: int = 0
    blank: int = 0
    nul: Seen = field(default_factory=Seen)
    undecodable: Seen = field(default_factory=Seen)
    invisible: Seen = field(default_factory=Seen)
    queries: dict[bytes, int] = field(default_factory=dict)
    groups: int = 0
    tags: dict[bytes, int] = field(default_factory=dict)
    nan: Seen = field(default_factory=Seen)
    infinite: Seen = field(default_factory=Seen)
    decimal_comma: Seen = field(default_factory=Seen)
    rank_falls: Seen = field(default_factory=Seen)
    rank_odd: Seen = field(default_factory=Seen)
    ranks: tuple[int, int] = (0, 0)
    own: Seen = field(default_factory=Seen)
    own_first: int = 0
    own_queries: set[int] = field(default_factory=set)
    first: list[bytes] = field(default_factory=list)
    example: list[bytes] = field(default_factory=list)
    last: list[bytes] = field(default_factory=list)
    last_line: int = 0
    last_group: int = 0
    group_lengths: tuple[int, int] = (0, 0)

    @property
    def interleaved(self) -> bool:
        """Whether the lines of a query are not contiguous."""
        return self.groups > len(self.queries)


def survey(source: Source, kind: str, spellings: Spellings | None = None) -> Survey:
    """Read a text once.

    Args:
        source: the text.
        kind: ``qrels`` or ``run``.
        spellings: is shown the documents of a run.

    Raises:
        OSError: the file cannot be read.
    """
    found = Survey(kind)
    walk = Walk(found)
    for chunk in chunks(source):
        fields = fields_of(chunk)
        see_text(found, chunk, fields)
        see_lines(found, fields)
        wanted = COLUMNS[kind]
        usable = fields.count == wanted if kind == "qrels" else fields.count >= wanted
        if not len(usable) or not usable.any():
            continue
        whole = fields if usable.all() else fields.of_rows(np.flatnonzero(usable))
        found.example = found.example or whole.of(0)
        found.usable += len(whole.line)
        starts = walk.see_queries(whole)
        if kind == "run":
            walk.see_ranks(whole, starts)
            see_scores(found, whole)
            see_tags(found, whole)
            if spellings is not None:
                spellings.see(whole)
    return found


def see_text(found: Survey, chunk: Chunk, fields: Fields) -> None:
    """Counts byte-order marks, line ends and encoding faults."""
    text = chunk.text
    found.marked |= chunk.marked
    found.closed = chunk.closed
    found.lines = chunk.line + len(fields.line_ends)
    found.comments += fields.comments
    found.tabs += fields.tabs
    found.spaces += fields.spaces
    found.blank += fields.blank
    if fields.returns:
        at_end = fields.data[fields.end - 1] == ord("\r")
        found.returns.add(fields, at_end)
        ended = int(np.count_nonzero(fields.data[fields.line_ends - 1] == ord("\r")))
        found.bare_returns += fields.returns - ended
    if len(text) and not text.min():
        found.nul.add(fields, fields.rows_at(np.flatnonzero(chunk.data == 0)))
    if len(text) and text.max() >= 0x80:
        see_encoding(found, chunk, fields)


def see_encoding(found: Survey, chunk: Chunk, fields: Fields) -> None:
    """Counts bytes that are not UTF-8, and invisible characters."""
    content = chunk.data.tobytes()
    hidden = [match.start() for match in INVISIBLE.finditer(content)]
    if hidden:
        found.invisible.add(fields, fields.rows_at(np.array(hidden)))
    try:
        content.decode()
    except UnicodeDecodeError:
        rows = fields.rows_at(np.flatnonzero(chunk.data >= 0x80))
        wrong = [row for row in rows.tolist() if not is_utf8(content[fields.begin[row] : fields.end[row]])]
        found.undecodable.add(fields, np.array(wrong, np.int64))


def is_utf8(text: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def see_lines(found: Survey, fields: Fields) -> None:
    """Counts columns and the blanks between them."""
    if not len(fields.line):
        return
    if not found.rows:
        found.first = fields.of(0)
    found.rows += len(fields.line)
    found.last, found.last_line = fields.of(-1), int(fields.line[-1])
    usual = int(fields.count[0])
    if (fields.count == usual).all():
        found.widths.setdefault(usual, Seen()).add(fields, np.arange(len(fields.line)))
    else:
        # Not np.unique, which imports numpy.ma.
        for width in sorted(set(fields.count.tolist())):
            found.widths.setdefault(width, Seen()).add(fields, fields.count == width)
    if fields.tabs + fields.spaces > int(fields.count.sum()) - len(fields.line):
        found.padded.add(fields, fields.padded())


def see_scores(found: Survey, fields: Fields) -> None:
    """Scores that end with no digit, or have a comma."""
    scores = fields.column(4)
    last = scores.last_byte()
    strange = np.flatnonzero(((last < ord("0")) & (last != DOT)) | (last > ord("9")))
    if not len(strange):
        return
    words = scores[strange].hashes(folded=True)
    found.infinite.add(fields, strange[is_among(words, INFINITE)])
    found.nan.add(fields, strange[is_among(words, NOT_A_NUMBER)])


def see_tags(found: Survey, fields: Fields) -> None:
    """The run's name on each line, where it is not that of the line before."""
    tags = fields.column(5)
    words = tags.hashes()
    changes = np.flatnonzero(np.append(True, words[1:] != words[:-1]))
    for row in changes[:MOST_TAGS].tolist():
        tag = tags.token(row)
        if len(found.tags) < MOST_TAGS:
            found.tags.setdefault(tag, int(fields.line[row]))


def is_among(words: Words, known: Words) -> NDArray[np.bool_]:
    """Which words are among the known ones, which are in order."""
    if not len(known):
        return np.zeros(len(words), bool)
    places = np.minimum(np.searchsorted(known, words), len(known) - 1)
    return np.asarray(known[places] == words)


class Walk:
    """State that goes from one chunk to the next.

    Args:
        found: where it is written.
    """

    def __init__(self, found: Survey) -> None:
        """Initialise the state."""
        self.found = found
        self.query = np.uint64(0)
        self.rank = -1
        self.known: set[int] = set()
        self.open = 0
        self.ranked = False

    def see_queries(self, fields: Fields) -> NDArray[np.bool_]:
        """Note each query's first line; say which rows begin another query than the row before."""
        found, column = self.found, fields.column(0)
        words = column.hashes()
        new = np.append(True, words[1:] != words[:-1])
        new[0] = not self.open or words[0] != self.query
        starts = np.flatnonzero(new)
        self.measure_groups(starts, len(words))
        found.groups += len(starts)
        for row, word in zip(starts.tolist(), words[starts].tolist()):
            if word not in self.known:
                self.known.add(word)
                found.queries[column.token(row)] = int(fields.line[row])
        self.query = words[-1]
        self.words = words
        return new

    def measure_groups(self, starts: NDArray[np.int64], rows: int) -> None:
        """How long the groups of lines of one query are that end here."""
        found = self.found
        if not len(starts):
            self.open += rows
        else:
            closed = np.diff(starts).tolist()
            head = self.open + int(starts[0])
            lengths = ([head] if head else []) + closed
            if lengths:
                low, high = found.group_lengths
                found.group_lengths = (
                    min(low or min(lengths), min(lengths)),
                    max(high, max(lengths)),
                )
            self.open = rows - int(starts[-1])
        found.last_group = self.open

    def see_ranks(self, fields: Fields, new: NDArray[np.bool_]) -> None:
        """Whether the rank column rises from line to line, and which documents are the query's own."""
        found = self.found
        ranks, whole = fields.column(3).whole_numbers()
        if not whole.all():
            found.rank_odd.add(fields, ~whole)
        low, high = int(ranks[whole].min(initial=2**31)), int(ranks.max(initial=0))
        if low <= high:
            found.ranks = (
                (min(found.ranks[0], low), max(found.ranks[1], high)) if self.ranked else (low, high)
            )
            self.ranked = True
        before = np.append(self.rank, ranks[:-1])
        found.rank_falls.add(fields, ~new & (ranks <= before))
        self.rank = int(ranks[-1])
        query, document = fields.column(0), fields.column(2)
        near = (document.length == query.length) & (document.last_byte() == query.last_byte())
        same = np.flatnonzero(near)
        same = same[document[same].hashes() == self.words[same]]
        if len(same):
            found.own.add(fields, same)
            found.own_first += int(np.count_nonzero(new[same]))
            found.own_queries.update(self.words[same].tolist())
