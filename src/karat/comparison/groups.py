"""Which group a query belongs to, as a file or a mapping says: clusters of dependent queries, and strata."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from karat.errors import DataError
from karat.read import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.rows import Integers

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
    mapping = (
        {str(query): str(group) for query, group in given.items()} if isinstance(given, Mapping) else None
    )
    name = "" if mapping is not None else os.fspath(given)  # type: ignore[arg-type]
    if mapping is None:
        mapping = read_groups(name)
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


def read_groups(path: str) -> dict[str, str]:
    """The lines ``query group`` of a file; a group may have blanks in it.

    Raises:
        DataError: a line without a group, or a query in two groups.
    """
    found: dict[str, str] = {}
    with sentences(path), open(path, "rb") as file:
        lines = file.read().decode("utf-8-sig", "surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        query, _, group = line.strip().replace("\t", " ").partition(" ")
        if not group.strip():
            raise DataError(f"{path}, line {number}: expected 'query group', found '{line.strip()[:80]}'.")
        if found.setdefault(query, group.strip()) != group.strip():
            raise DataError(
                f"{path}, line {number}: query '{query}' is in '{found[query]}' already: a query has one group."
            )
    return found
