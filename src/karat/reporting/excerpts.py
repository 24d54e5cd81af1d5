"""Excerpts of runs: the lines of some queries, each query's as a run of its own, from one pass over the run."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from karat.checking.chunks import NEWLINE, chunks
from karat.checking.fields import BLANK, Column
from karat.runs import as_mapping
from karat.runs.mapping import MappingRun
from karat.tables import Run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from karat.checking.chunks import Chunk
    from karat.read import Source

__all__ = ["excerpt_of"]


def excerpt_of(run: Run, queries: Collection[str]) -> dict[str, Run]:
    """For each of these queries the run without the lines of others; the run is read once.

    Args:
        run: the run.
        queries: whose lists are wanted.
    """
    ids = {query.encode("utf-8", "surrogateescape"): query for query in queries}
    if run.source is None:
        mapping = as_mapping(run.held, set(ids))
        return {query: Run(run.name, MappingRun({query: mapping.get(query, {})})) for query in queries}
    kept: dict[bytes, list[bytes]] = {each: [] for each in ids}
    for query, lines in stretches(run.source, set(ids)):
        kept[query].append(lines)
    return {ids[query]: Run.of(b"".join(lines), run.name) for query, lines in kept.items()}


def stretches(source: Source, ids: Collection[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Lines that follow each other and begin with the same one of these ids: the id, and the lines."""
    wanted = column_of(ids).hashes()
    for chunk in chunks(source):
        first = first_fields(chunk)
        hashes = first.hashes()
        inside = np.flatnonzero(np.isin(hashes, wanted))
        if not len(inside):
            continue
        # A stretch ends where lines are left out, or where another query begins.
        ends = np.flatnonzero((np.diff(inside) > 1) | (np.diff(hashes[inside].astype(np.int64)) != 0))
        bounds = [0, *(ends + 1).tolist(), len(inside)]
        for start, stop in pairwise(bounds):
            query = first.token(inside[start])
            if query in ids:
                last = int(first.end[inside[stop - 1]])
                end = last + int(np.argmax(chunk.data[last:] == NEWLINE))
                yield query, chunk.data[first.start[inside[start]] : end].tobytes() + b"\n"


def first_fields(chunk: Chunk) -> Column:
    """The first field of each line that has one."""
    data = chunk.data
    blank = BLANK[data]
    # Where a field begins: a byte that is no blank, after one; the chunk has blanks around it.
    begins = np.flatnonzero(~blank[1:] & blank[:-1]) + 1
    ends = np.flatnonzero(blank[1:] & ~blank[:-1]) + 1
    lines = np.flatnonzero(data == NEWLINE)
    places = np.unique(np.searchsorted(begins, lines))
    places = places[places < len(begins)]
    return Column(data, begins[places], ends[places])


def column_of(words: Collection[bytes]) -> Column:
    """Words as a column, so that their hashes are those of fields."""
    lengths = np.array([len(word) for word in words], np.int64)
    room = bytes([NEWLINE]) * 16
    data = np.frombuffer(room + b"".join(words) + room, np.uint8)
    ends = len(room) + np.cumsum(lengths)
    return Column(data, ends - lengths, ends)
