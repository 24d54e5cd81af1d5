"""Tables of a comparison in the width of a terminal: shorter names, fewer columns, and a line that says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from karat.output.tables import apart, columns_of, folded, in_bands, lay_out, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.showing import Sheet

__all__ = ["as_text", "shared_ends"]

LONGEST, WIDE = 40, 24
"""A name longer than the first is cut in its middle; names wider than the second leave out what all of them share."""
LEAST_SHARED = 4
"""Fewer characters at the start or end of all names are no burden."""


def shared_ends(names: Sequence[str]) -> tuple[str, str]:
    """What stands before and after every name, in whole words; empty where names are short, or would be nothing.

    Example:
        >>> from karat.comparison.fitting import shared_ends
        >>> shared_ends(["submission-2026_bm25_base.final", "submission-2026_dense_base.final"])
        ('submission-2026_', '_base.final')
    """
    if len(names) < 2 or max(map(width, names)) <= WIDE:
        return "", ""
    before = re.sub(r"[^-_./: ]*\Z", "", start_of(names))
    rests = [name[len(before) :] for name in names]
    after = start_of([rest[::-1] for rest in rests])[::-1]
    after = re.sub(r"\A[^-_./: ]*", "", after)
    if not all(len(rest) > len(after) for rest in rests):
        after = ""
    before = before if len(before) >= LEAST_SHARED and all(rests) else ""
    return before, after if len(after) >= LEAST_SHARED else ""


def start_of(words: Sequence[str]) -> str:
    """The letters with which every word starts."""
    first, last = min(words), max(words)
    same = next((place for place, pair in enumerate(zip(first, last)) if pair[0] != pair[1]), len(first))
    return first[:same]


def as_text(sheet: Sheet, columns: int, layout: str = "text") -> str:
    """A table and its note in so many columns: names make room first, then columns that say least; bands are last."""
    header, rows, keep, named = sheet.header, cut(sheet), sheet.keep, sheet.names
    left: list[str] = []
    if sheet.told and rows and columns_of(header, rows, 0) > columns:
        header, rows, left = with_names(sheet, rows, columns)
        if not header:
            # The letters say which runs they are.
            header, rows = [sheet.header[1], *sheet.header[2:]], [[row[0], *row[2:]] for row in cut(sheet)]
            keep, named = 1, frozenset({0})
            header, rows, left = without(header, rows, sheet.least, columns)
    tables = []
    for band in in_bands(header, rows, keep, columns):
        names = frozenset(place for place, column in enumerate(band) if column in named)
        cells = [[row[column] for column in band] for row in rows]
        tables.append(lay_out(layout, [header[column] for column in band], cells, names))
    notes = [sheet.note] if sheet.note else []
    notes += [f"Left out for want of width: {', '.join(left)}. The CSV has them."] if left else []
    return "\n".join(tables) + "".join(folded(note, columns) for note in notes)


def cut(sheet: Sheet) -> list[list[str]]:
    """The rows with names that are not too long."""
    found = [
        apart(cells, LONGEST) if place in sheet.names else list(cells)
        for place, cells in enumerate(zip(*sheet.rows, strict=True))
    ]
    return [list(row) for row in zip(*found, strict=True)]


def with_names(
    sheet: Sheet, rows: list[list[str]], columns: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """The table with its second column, the names, in full or cut, and what was left out; no header if it cannot be."""
    # A title that is wider than the names under it goes on two lines.
    header = [sheet.header[0], sheet.header[1].replace(", ", ",\n", 1), *sheet.header[2:]]
    if columns_of(header, rows, 0) <= columns:
        return header, rows, []
    longest = max(width(row[1]) for row in rows)
    if sheet.told < longest and sheet.fewer:
        fewer, cells, left = without(header, rows, sheet.least, columns)
        if columns_of(fewer, cells, 0) <= columns:
            return fewer, cells, left
        header, rows = fewer, cells
    else:
        left = []
    room = columns - columns_of(header, rows, 0) + max(longest, *map(width, header[1].split("\n")))
    if room < sheet.told:
        return [], rows, []
    lines = apart(header[1].split("\n"), room)
    names = apart([row[1] for row in rows], room)
    header = [header[0], "\n".join(lines), *header[2:]]
    return header, [[row[0], name, *row[2:]] for row, name in zip(rows, names, strict=True)], left


def without(
    header: list[str], rows: list[list[str]], least: Sequence[str], columns: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """The table without as many of its least columns as it takes to fit, and which these are."""
    left: list[str] = []
    for title in least:
        if columns_of(header, rows, 0) <= columns:
            break
        if title in header:
            place = header.index(title)
            header = header[:place] + header[place + 1 :]
            rows = [row[:place] + row[place + 1 :] for row in rows]
            left.append(title)
    return header, rows, left
