"""Reads files with the weight or the group of each query."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.errors import refused, sentences
from carob.inputs.ids import text_of
from carob.inputs.sources import source_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from carob.inputs.sources import Readable, Source
    from carob.lists.rows import Integers


SMALLEST, LARGEST = 1e-30, 1e30
"""Limits of weights other than 0: their sums and products fit every floating type."""
A_WEIGHT = "a weight is a number of at least 0, and 0 or between 1e-30 and 1e30"


def is_weight(given: Any) -> bool:
    """Returns whether a value is a valid weight. A whole number may be too large for a float."""
    return isinstance(given, Real) and bool(given == 0 or SMALLEST <= cast("float", given) <= LARGEST)


def read_weights(where: Readable) -> dict[str, float]:
    """Reads the weight of each query: lines ``query weight``, plain or compressed.

    Raises:
        DataError: an unreadable line, an invalid weight, or a query that occurs twice.
    """
    source = source_of(where)
    with sentences(source.name, "weights"):
        (queries,), values, lines = _native.read_rows(source.from_start(), columns=2, numbers="strict")
    weights: dict[str, float] = {}
    for query, weight, line in zip(map(text_of, queries), values.tolist(), lines.tolist(), strict=True):
        if query in weights:
            raise refused("weight-twice", file=source.name, line=line, query=query)
        if not is_weight(weight):
            place = {"file": source.name, "line": line, "query": query}
            raise refused("weight", **place, weight=weight, expected=A_WEIGHT)
        weights[query] = weight
    return weights


GroupsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, object]"


@dataclass(frozen=True, eq=False)
class Groups:
    """The queries of each group.

    Args:
        name: the file, or empty.
        names: the groups, in order of their names.
        codes: the group of each query, as its place in ``names`` [queries].
    """

    name: str
    names: tuple[str, ...]
    codes: Integers


def groups_of(given: GroupsLike, queries: Sequence[str]) -> Groups:
    """Returns the groups of all queries.

    Raises:
        DataError: a query without a group, or an unreadable file.
    """
    if isinstance(given, Mapping):
        name, mapping = "", {str(query): str(group) for query, group in given.items()}
    else:
        source = source_of(given)
        name, mapping = source.name, read_groups(source)
    without = [query for query in queries if query not in mapping]
    if without:
        others = f", nor have {len(without) - 1} others" if len(without) > 1 else ""
        raise refused("no-group", file=name or "groups", query=without[0], others=others)
    names = sorted({mapping[query] for query in queries})
    code = {each: place for place, each in enumerate(names)}
    return Groups(name, tuple(names), np.array([code[mapping[query]] for query in queries], np.int64))


def text_lines(source: Source) -> Iterator[str]:
    """Yields the lines as text."""
    with sentences(source.name):
        for line in source.lines():
            yield line.decode("utf-8", "surrogateescape")


def read_groups(source: Source) -> dict[str, str]:
    """Reads the lines ``query group`` of a file. A group's name may contain blanks.

    Raises:
        DataError: a line without a group, or a query in two groups.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text_lines(source), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        query, _, group = line.strip().replace("\t", " ").partition(" ")
        if not group.strip():
            raise refused("not-a-group", file=source.name, line=number, found=line.strip()[:80])
        if found.setdefault(query, group.strip()) != group.strip():
            raise refused("group-twice", file=source.name, line=number, query=query, group=found[query])
    return found
