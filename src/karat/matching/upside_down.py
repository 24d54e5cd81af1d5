"""Runs whose scores count 1, 2, 3 … down each list, as ranks do: ranked by them, the worst document comes first."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from karat.inputs.frames import INSISTED
from karat.inputs.ids import text_of
from karat.inputs.runs.text import TextRun
from karat.output.errors import DataError, by_reading, worded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.inputs.run import Run
    from karat.inputs.runs import Row
    from karat.matching.match import Match

__all__ = ["refuse_ranks"]

QUERIES = 5
"""So many queries are looked at."""
LINES = 5000
"""Of text, so many lines."""
FEWEST = 3
"""A list shorter than this says nothing."""
SURE = 10
"""Where nobody named the column, several lists of which one is as long as this make it sure."""


def refuse_ranks(run: Run, found: Match) -> str | None:
    """What is to be said of scores that look like ranks; None of others.

    Raises:
        DataError: the caller named the column as that of scores.
    """
    counts = found.counts
    if not counts.unordered or 2 * counts.unordered < counts.judged - len(counts.missing):
        return None
    lists = [each for each in lists_of(run, found) if len(each) > 1]
    if not lists or max(map(len, lists)) < FEWEST or not all(map(counting, lists)):
        return None
    if run.doubted is not None:
        first = max(lists, key=len)
        raise DataError(
            worded(
                f"{run.name}: column '{run.doubted}' counts {first[0]:g}, {first[1]:g}, {first[2]:g} … down each "
                "list, as ranks do, and as scores ranks are upside down. Name it as what it is: ",
                by_reading("run", rank=run.doubted),
                ". If it is a score all the same: ",
                by_reading("run", score=f"{run.doubted}{INSISTED}"),
                ".",
            )
        )
    if len(lists) < 2 or max(map(len, lists)) < SURE:
        return None
    return (
        f"{run.name}: the scores count up, 1, 2, 3 …, down each list, as ranks do, and the highest comes first: if "
        "these are ranks, the lists are read upside down. Write scores that fall from the first document to the last."
    )


def counting(scores: list[float]) -> bool:
    """Whether numbers count up from 0 or 1, as they are listed."""
    return scores[0] in (0.0, 1.0) and scores == [scores[0] + place for place in range(len(scores))]


def lists_of(run: Run, found: Match) -> list[list[float]]:
    """The scores of some queries, as the run lists them; nothing where looking costs more than it tells."""
    from karat.inputs.runs.streamed import StreamedRun

    missing = set(found.counts.missing)
    few = set(islice((each for each in found.queries if text_of(each) not in missing), QUERIES))
    if isinstance(run.held, StreamedRun) and run.doubted is None:
        return []
    try:
        if isinstance(run.held, TextRun):
            lists = by_query(islice(run.held.rows(), LINES))
            return lists[:-1] if sum(map(len, lists)) == LINES else lists
        return by_query(run.held.rows(few))
    except (DataError, ValueError):
        return []


def by_query(rows: Iterable[Row]) -> list[list[float]]:
    """The scores of each query, in the order of the rows."""
    found: dict[bytes, list[float]] = {}
    for query, _, score in rows:
        found.setdefault(query, []).append(score)
    return list(found.values())
