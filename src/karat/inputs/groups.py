"""Which group a query belongs to, as a file or a mapping says: clusters of dependent queries, and strata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from karat.inputs.sources import sentences, source_of
from karat.output.errors import DataError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from karat.inputs.sources import Source
    from karat.lists.rows import Integers

__all__ = ["Groups", "GroupsLike", "groups_of"]

GroupsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, object]"


class Groups:
    """Queries in groups.

    Args:
        name: the file, or empty.
        names: the groups, in order of their names.
        codes: the group of each query, as its place in ``names`` [queries].
    """

    def __init__(self, name: str, names: tuple[str, ...], codes: Integers) -> None:
        """Hold them."""
        self.name, self.names, self.codes = name, names, codes


def groups_of(given: GroupsLike | None, queries: Sequence[str]) -> Groups | None:
    """The group of every query; None if none are given.

    Raises:
        DataError: a query has no group, or a file that cannot be read.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        name, mapping = "", {str(query): str(group) for query, group in given.items()}
    else:
        source = source_of(given)
        name, mapping = source.name, read_groups(source)
    without = [query for query in queries if query not in mapping]
    if without:
        raise DataError(
            f"Query '{without[0]}' has no group in {name or 'the mapping'}"
            + (f", nor have {len(without) - 1} others" if len(without) > 1 else "")
            + ": give every query one, as in the line 'query group'."
        )
    names = sorted({mapping[query] for query in queries})
    code = {each: place for place, each in enumerate(names)}
    return Groups(name, tuple(names), np.array([code[mapping[query]] for query in queries], np.int64))


def text_lines(source: Source) -> Iterator[str]:
    """The lines as text."""
    with sentences(source.name):
        for line in source.lines():
            yield line.decode("utf-8", "surrogateescape")


def read_groups(source: Source) -> dict[str, str]:
    """The lines ``query group`` of a file, ``-`` for standard input; a group may have blanks in it.

    Raises:
        DataError: a line without a group, or a query in two groups.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text_lines(source), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        query, _, group = line.strip().replace("\t", " ").partition(" ")
        if not group.strip():
            raise DataError(
                f"{source.name}, line {number}: expected 'query group', found '{line.strip()[:80]}'."
            )
        if found.setdefault(query, group.strip()) != group.strip():
            raise DataError(
                f"{source.name}, line {number}: query '{query}' is in '{found[query]}' already: a query has one group."
            )
    return found
