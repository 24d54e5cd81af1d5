"""Finds faults in a run without using judgments: several systems in one file, ranks that contradict the scores."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.inputs.dicts import MappingRun
from carob.inputs.ids import text_of
from carob.inputs.runs import MatchOptions, TextRun, innermost
from carob.inputs.sources import is_pattern
from carob.inputs.systems import named_systems, one_system
from carob.output.errors import worded
from carob.output.escaping import shown
from carob.output.parsing import is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from carob.inputs.run import Run

OFTEN = 0.1
"""A column of ranks contradicts the scores if it orders more than this proportion of document pairs differently."""
OF_LINES = 0.25
"""If the sixth column contains more distinct words than this share of the first lines, the words are not tags."""
FIRST, LAST = 1 << 16, 1 << 12
"""The number of bytes to read at the start and at the end of a file."""


def doubts_of_lines(run: Run, *, tags: bool = True, ranks: bool = True) -> Iterator[str]:
    """Yields warnings based on the first and last lines of a run, for commands that write its lists.

    Args:
        run: the run.
        tags: whether all its tags should belong to one system.
        ranks: whether its rank column should agree with its scores.
    """
    held = trec_text_of(run)
    systems = several_systems(run)
    if systems is not None:
        yield systems
    if held is None:
        return
    first, last = ends_of_text(held)
    if tags and last and (said := other_tags(run, last[-1][5])) is not None:
        yield said
    if not ranks or run.meant:
        return
    said = contradicted(run, *accord_of(first), where="in its first lines, ")
    if said is not None:
        yield said


def contradicted(run: Run, agree: int, contradict: int, where: str = "") -> str | None:
    """Returns a sentence if a column of ranks often contradicts the scores, else None.

    Args:
        run: the run.
        agree: the number of document pairs that the ranks order as the scores do.
        contradict: the number of document pairs that the ranks order differently.
        where: the part of the run that contains these pairs, in words; empty for the whole run.
    """
    pairs = agree + contradict
    if contradict <= max(1, OFTEN * pairs):
        return None
    return (
        f"{run.name}: {where}the rank column orders {contradict:,} of {pairs:,} pairs of documents differently from "
        "the scores, which decide. If the ranks are right, write scores that decrease from rank to rank."
    )


def trec_text_of(run: Run) -> TextRun | None:
    """Returns the source of a run that is text, or None for other runs."""
    held = innermost(run.held)
    return held if isinstance(held, TextRun) else None


def numbered_by_position(run: Run) -> bool:
    """Returns whether the queries of a run are only positions, because its answers do not name their queries."""
    held = innermost(run.held)
    return isinstance(held, MappingRun) and held.by_position


def ends_of_text(held: TextRun) -> tuple[list[list[bytes]], list[list[bytes]]]:
    """Returns the fields of a text's first lines, and of its last lines if they can be read without the rest."""
    handle: Any = held.source.handle
    if isinstance(handle, bytes):
        return six_fields(handle[:FIRST].split(b"\n")), six_fields(handle[-LAST:].split(b"\n")[1:])
    if not isinstance(handle, str):
        return six_fields(held.source.start().split(b"\n")[:-1]), []
    with open(handle, "rb") as file:
        first = file.read(FIRST).split(b"\n")[:-1]
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - LAST))
        return six_fields(first), six_fields(file.read().split(b"\n")[1:])


def six_fields(lines: list[bytes]) -> list[list[bytes]]:
    """Returns the fields of each line that has six fields."""
    found = [line.split(b"\t" if line.count(b"\t") == 5 else None) for line in lines if line[:1] != b"#"]
    return [each for each in found if len(each) == 6 and each[5].strip()]


def is_shifted(fields: list[bytes]) -> bool:
    """Returns whether fields resemble ``web 02 Q0 D60 1 0.9``, a line with a blank in the query and without a tag."""
    return len(fields) == 6 and fields[2] == b"Q0" and not is_number(fields[3])


def shifted_line(run: Run, starts: list[bytes]) -> dict[str, Any] | None:
    """Returns the place of a line such as ``web 02 Q0 D60 1 0.9``, with its query and its apparent rank.

    Args:
        run: the run.
        starts: the queries that may be the first words of other queries.
    """
    held = trec_text_of(run)
    if held is None or held.made:
        return None
    sought = _native.judgments_from_mapping({text_of(each): {"Q0": 1} for each in starts})
    if not np.any(held.match(sought, MatchOptions(Policy(duplicates="first"))).judged):
        return None
    for number, line in enumerate(held.source.lines(), 1):
        fields = line.split()
        if is_shifted(fields) and fields[0] in starts:
            query = text_of(b" ".join(fields[:2]))
            return {**held.origin.place(number), "query": query, "rank": text_of(fields[3])}
    return None


def accord_of(rows: list[list[bytes]]) -> tuple[int, int]:
    """Returns how many document pairs the ranks order as the scores do, and how many they order differently."""
    every = _native.judgments_from_mapping({text_of(each[0]): {} for each in rows} or {"": {}})
    lines = b"\n".join(map(b"\t".join, rows))
    return _native.match_text(every, lines, duplicates="first", lenient=True).accord


def several_systems(run: Run) -> str | None:
    """Warns about a table with rows of several systems, which were ranked together."""
    if isinstance(run.held, TextRun) or not run.origin.systems:
        return None
    found = f"{run.name}: {named_systems(run.origin, start=False)} Their rows were ranked together. "
    return worded(found, one_system(run.origin))


def other_tags(run: Run, tag: bytes) -> str | None:
    """Warns about a text whose last line has a different tag from its first lines, as if it contained two runs."""
    held = trec_text_of(run)
    last = b" ".join(tag.split()[:1])
    if not last or held is None:
        return None
    text = held.source.head or held.source.start()
    if sum(text.count(blank + last + b"\n") for blank in (b"\t", b" ")) == text.count(b"\n"):
        return None
    tags = [each[5].split()[0] for each in six_fields(text.split(b"\n")[:-1])]
    distinct = list(dict.fromkeys([*tags, last]))
    if tags and tags[0].startswith(last) and tags[0] != last and held.source.may_be_cut():
        distinct.remove(last)
    if not tags or len(distinct) < 2 or len(distinct) > max(2, OF_LINES * len(tags)):
        return None
    if is_pattern(held.source.name):  # the parts of a run may have different tags
        return None
    one, other = (shown(text_of(each)) for each in (tags[0], distinct[1]))
    return (
        f"{run.name}: the sixth column has the tags {one} and {other}, as if several runs were in one file, and all "
        "lines are ranked together. If these are several systems, write each to a separate file."
    )
