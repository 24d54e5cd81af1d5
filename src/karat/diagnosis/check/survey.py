"""One pass over a text: counts of its lines, columns, ids, ranks and scores, and ids that are spelled differently."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat.diagnosis.check.fields import Fields, chunks, column_of, fields_of, hashes_of
from karat.inputs.ids import folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat import _native
    from karat.diagnosis.check.fields import Chunk, Fields, Words
    from karat.inputs.sources import Source

__all__ = ["COLUMNS", "MOST_TAGS", "Seen", "Spellings", "Survey", "survey"]

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
