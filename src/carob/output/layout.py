"""Lays out tables as text, CSV and TSV, text of a given width, and results at a prompt."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import (
    Callable,
    Collection,
    Container,
    ItemsView,
    Iterable,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from carob.output import escaping
from carob.output.escaping import printable, shortened

if TYPE_CHECKING:
    from typing_extensions import Self


Row = Sequence[str]
Rows = Sequence[Row]
Names = Container[int]
COLUMNS = 80
"""The width of text for a log or a file."""
GAP = "  "
EVERY_QUERY, UNGROUPED = "all", "none"
"""The labels of all queries and of queries without a group, shown beside the groups; see ``label_apart``."""


def label_apart(word: str, names: Collection[str]) -> str:
    """Returns a word in parentheses, adding more parentheses while the label equals a name in the data.

    Args:
        word: the word, such as ``EVERY_QUERY``.
        names: the names in the data that appear beside the label.
    """
    label = f"({word})"
    while label in names:
        label = f"({label})"
    return label


class Marked(str):
    """A table cell with superscript letters, optionally in bold. In plain text, a blank separates number and letters.

    Args:
        text: the cell.
        raised: the letters.
        bold: whether the cell is in bold.
        room: the maximum number of letters of any cell in the column, which keeps the numbers aligned.
    """

    __slots__ = ("bold", "plain", "raised")
    plain: str
    raised: str
    bold: bool

    def __new__(cls, text: str, raised: str = "", *, bold: bool = False, room: int = 0) -> Self:
        """Makes a cell whose text is the plain form, and stores its parts."""
        self = super().__new__(cls, text + (" " + raised.ljust(room) if room else ""))
        self.plain, self.raised, self.bold = text, raised, bold
        return self


def decimals(value: float | None, digits: int, *, sign: bool = False, undefined: str = "-") -> str:
    """Returns the number with the given number of decimals, or ``undefined`` for None, NaN and infinity."""
    if value is None or not math.isfinite(value):
        return undefined
    return f"{value:{'+' if sign else ''}.{digits}f}"


def signed(value: float, digits: int) -> str:
    """Returns a difference as text, with its sign. A difference that rounds to 0 has a plus sign."""
    text = decimals(value, digits, sign=True)
    return text if text == "-" or float(text) else text.replace("-", "+")


def interval(low: float, high: float, digits: int, *, sign: bool = False) -> str:
    """Returns an interval as text, with signs if it is the interval of a difference."""
    if math.isnan(low) or math.isnan(high):
        return "-"
    write = signed if sign else decimals
    return f"[{write(low, digits)},{write(high, digits)}]"


def column(write: Callable[..., str], *values: Iterable[Any], **options: Any) -> list[str]:
    """Returns the cells of a column, formatted by one of the functions above.

    Args:
        write: ``decimals``, ``signed`` or ``interval``.
        values: the function's arguments for the cells: their values, or both ends of their intervals.
        options: the arguments that all cells share.

    Example:
        >>> from carob.output.layout import column, interval, signed
        >>> column(signed, [0.25, -0.5], digits=2), column(interval, [0.1], [0.2], digits=1)
        (['+0.25', '-0.50'], ['[0.1,0.2]'])
    """
    return [write(*each, **options) for each in zip(*values, strict=True)]


def marked(texts: Iterable[str], raised: Sequence[str], bold: Iterable[bool]) -> list[str]:
    """Returns the cells of a column with superscript letters, some of them in bold."""
    room = max(map(len, raised), default=0)
    parts = zip(texts, raised, bold, strict=True)
    return [Marked(text, letters, bold=best, room=room) for text, letters, best in parts]


def width(cell: str) -> int:
    """Returns the number of columns that a cell occupies on a terminal."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def apart(names: Sequence[str], room: int = escaping.LONGEST) -> list[str]:
    """Returns the names, each on one line of at most ``room`` characters. Distinct names stay distinct.

    Example:
        >>> from carob.output.layout import apart
        >>> apart(["covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr", "bm25"], 10)
        ['cov…s.lr~1', 'cov…s.lr~2', 'bm25']
    """
    return told_apart(escaping.each(printable, names), room)


def told_apart(written: list[str], room: int = escaping.LONGEST) -> list[str]:
    """Does what ``apart`` does, for names that are already printable."""
    if max(map(len, written), default=0) <= room:
        return written
    short = escaping.each(partial(shortened, room=room), written)
    owners: dict[str, dict[str, None]] = {}
    for name, its in zip(written, short, strict=True):
        owners.setdefault(its, {})[name] = None
    alike = {its: list(mine) for its, mine in owners.items() if len(mine) > 1}
    result = []
    for name, its in zip(written, short, strict=True):
        if its in alike:
            number = f"~{alike[its].index(name) + 1}"
            its = shortened(name, max(room - len(number), 3)) + number
        result.append(its)
    return result


def listed(words: Sequence[str], most: int = 5) -> str:
    """Returns the first names as text, followed by the number of remaining names."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def folded(sentence: str, columns: int, indent: str = "", start: str = "") -> str:
    """Wraps a sentence into lines of at most ``columns`` columns. Words are never cut.

    Args:
        sentence: the text.
        columns: the maximum width of a line.
        indent: the indent of all lines except the first.
        start: the indent of the first line.
    """
    return folded_each([sentence], columns, indent, start)[0]


def folded_each(sentences: Sequence[str], columns: int, indent: str = "", start: str = "") -> list[str]:
    """Wraps several sentences as ``folded`` does, each starting on a new line."""
    return [wrapped(each, columns, indent, start) for each in escaping.each(escaping.sentence, sentences)]


def wrapped(text: str, columns: int, indent: str, start: str) -> str:
    """Wraps text that has already been escaped."""
    if width(text) > len(text):
        return folded_wide(text, columns, indent, start)
    lines = textwrap.wrap(
        text,
        columns,
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "".join(f"{line}\n" for line in lines)


CLOSING = "，。；：、！？）》”’,.;:!?)]}%…"
"""Characters that must not begin a line."""


def folded_wide(text: str, columns: int, indent: str, start: str) -> str:
    """Wraps text with characters that are two columns wide. A line may end between any two wide characters."""
    lines, line, kept = [], start, len(start)
    for part in re.findall(r"\s+|[\x21-\u2e7f]+|.", text):
        fits = width(line) + width(part) <= columns
        if fits or len(line) <= kept or part in CLOSING:
            line += part if len(line) > kept or not part.isspace() else ""
            continue
        lines.append(line.rstrip())
        line, kept = indent + ("" if part.isspace() else part), len(indent)
    return "".join(f"{each}\n" for each in [*lines, line.rstrip()])


def text(header: Sequence[str], rows: Rows, names: Names, bold: str = "%s") -> str:
    """Lays out a table as aligned text, with names on the left, numbers on the right and marked cells in ``bold``."""
    lines = [*header_lines(header), *plain_cells(rows, names)]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for place, (cell, space) in enumerate(zip(cells, widths, strict=True)):
            blanks = " " * (space - width(cell))
            shown = bold % cell if isinstance(cell, Marked) and cell.bold else cell
            padded.append(shown + blanks if place in names else blanks + shown)
        return GAP.join(padded).rstrip()

    return "\n".join(map(line, lines)) + "\n"


def plain_cells(rows: Rows, names: Names) -> list[list[str]]:
    """Returns the cells on one line each, with names shortened."""
    columns = list(zip(*rows, strict=True))
    written = iter(escaping.each(printable, chain.from_iterable(columns)))
    found = []
    for place, column in enumerate(columns):
        texts = list(islice(written, len(rows)))
        if place not in names:
            found.append([its if isinstance(its, Marked) else text for its, text in zip(column, texts)])
        elif any(len(cell) > escaping.LONGEST and " " in cell for cell in column):
            found.append(escaping.each(escaping.sentence, column))
        else:
            found.append(told_apart(texts))
    return [list(row) for row in zip(*found, strict=True)]


def header_lines(header: Sequence[str]) -> list[list[str]]:
    """Returns the text lines of a table header. Titles with fewer lines are aligned at the bottom."""
    cells = [cell.split("\n") for cell in header]
    titles = iter(escaping.each(escaping.short, chain.from_iterable(cells)))
    cells = [list(islice(titles, len(lines))) for lines in cells]
    height = max(map(len, cells), default=1)
    padded = [[""] * (height - len(lines)) + lines for lines in cells]
    return [list(line) for line in zip(*padded, strict=True)]


def short_names(rows: Rows, names: Names) -> list[list[str]]:
    """Returns the rows with names shortened."""
    if max((len(cell) for row in rows for cell in row), default=0) <= escaping.LONGEST:
        return [list(row) for row in rows]
    return plain_cells(rows, names)


def separated(header: Sequence[str], rows: Rows, names: Names, delimiter: str = ",") -> str:
    """Lays out rows of cells separated by a delimiter, without shortening names."""
    del names
    return escaping.separated([header, *rows], delimiter)


BOLD = "\x1b[1m%s\x1b[22m"

LAYOUTS: dict[str, Callable[[Sequence[str], Rows, Names], str]] = {
    "text": text,
    "terminal": partial(text, bold=BOLD),
    "csv": separated,
    "tsv": partial(separated, delimiter="\t"),
}


def column_widths(header: Sequence[str], rows: Rows) -> list[int]:
    """Returns the width on a terminal of each column of a table of printable cells, including the gap before it."""
    lines = [*header_lines(header), *rows]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    return [*widths[:1], *(len(GAP) + each for each in widths[1:])]


def table_width(header: Sequence[str], rows: Rows, names: int | Names) -> int:
    """Returns the width of a table on a terminal."""
    return sum(column_widths(header, plain_cells(rows, range(names) if isinstance(names, int) else names)))


def bands_of(
    header: Row, rows: Rows, names: Names, keep: int, columns: int
) -> list[tuple[list[str], list[list[str]], list[int]]]:
    """Splits a wide table into bands of columns, and returns the header, the rows and the name columns of each band.

    Every band repeats the first ``keep`` columns.
    """
    table = [*header_lines(header), *rows]
    widths = [len(GAP) + max(map(width, column)) for column in zip(*table, strict=True)]
    room = columns + len(GAP) - sum(widths[:keep])
    bands: list[list[int]] = [[]]
    used = 0
    for place in range(keep, len(header)):
        if bands[-1] and used + widths[place] > room:
            bands.append([])
            used = 0
        bands[-1].append(place)
        used += widths[place]
    places = [[*range(keep), *band] for band in bands]
    return [
        (
            [header[place] for place in band],
            [[row[place] for place in band] for row in rows],
            [at for at, place in enumerate(band) if place in names],
        )
        for band in places
    ]


MOST_LINES = 60
"""The maximum number of lines of a result in a prompt or notebook."""


class Display:
    """A mixin for results that a prompt shows as text and a notebook shows as tables.

    Example:
        >>> import carob
        >>> carob.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "RR")
        run      RR
        run  1.0000
        1 query · policy trec
    """

    def __repr__(self) -> str:
        """Returns the text, cut if it is long. ``print`` shows the whole text."""
        lines = str(self).rstrip("\n").split("\n")
        if len(lines) > MOST_LINES:
            left = len(lines) - MOST_LINES + 1
            lines = [*lines[: MOST_LINES - 1], f"… {left} more lines: print() shows them"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Returns the text for a notebook, escaped."""
        lines = "\n".join(escaping.each(escaping.html, repr(self).split("\n")))
        return f"<pre>{lines}</pre>\n"


Value = TypeVar("Value", covariant=True)


class Listed(Mapping[str, Value]):
    """A mapping whose ``keys()``, ``values()`` and ``items()`` display their own content instead of the whole table.

    Example:
        >>> import carob
        >>> carob.evaluate({"q": {"a": 1}}, {"old": {"q": {"a": 2.0}}, "new": {"q": {"b": 2.0}}}, "RR").items()
        Items([('old', {'RR': 1.0}), ('new', {'RR': 0.0})])
    """

    def keys(self) -> KeysView[str]:
        """Returns the keys."""
        return Keys(self)

    def values(self) -> ValuesView[Value]:
        """Returns the values."""
        return MappingValues(self)

    def items(self) -> ItemsView[str, Value]:
        """Returns the pairs of keys and values."""
        return MappingItems(self)


class Keys(KeysView[str]):
    """The keys of a mapping."""

    def __repr__(self) -> str:
        """Returns the keys in a list."""
        return f"Keys({list(self)})"


class MappingValues(ValuesView[Any]):
    """The values of a mapping."""

    def __repr__(self) -> str:
        """Returns the values in a list."""
        return f"Values({list(map(shown_plainly, self))})"


class MappingItems(ItemsView[str, Any]):
    """The pairs of keys and values of a mapping."""

    def __repr__(self) -> str:
        """Returns the pairs in a list."""
        return f"Items({[(key, shown_plainly(value)) for key, value in self]})"


def shown_plainly(value: Any) -> Any:
    """Returns the value, or a mapping as a dict."""
    return dict(value) if isinstance(value, Mapping) else value
