"""Reads files with the weight or the group of each query."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.columns import first_usual, plain_name, there
from carob.inputs.errors import LINE_FAULTS, refused, sentences
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.ids import text_of
from carob.inputs.judgment_tables import number_in
from carob.inputs.nested import id_beside_text
from carob.inputs.sources import source_of
from carob.output.errors import warn
from carob.output.language import filled, plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from carob.inputs.sources import Readable, Source
    from carob.lists.rows import Integers


SMALLEST, LARGEST = 1e-30, 1e30
"""Limits of weights other than 0: their sums and products fit every floating type."""
A_WEIGHT = "a weight is 0, or a number between 1e-30 and 1e30"


def is_weight(given: Any) -> bool:
    """Returns whether a value is a valid weight. A whole number may be too large for a float."""
    return isinstance(given, Real) and bool(given == 0 or SMALLEST <= cast("float", given) <= LARGEST)


COLUMNS = {
    "weight": ("weight", "weights"),
    "group": ("group", "stratum", "strata", "cluster", "category", "tags", "tag"),
}
"""The usual names of the column beside the query, in normal form."""


def named_rows(source: Source, what: str) -> Iterator[tuple[dict[str, Any], str, Any]] | None:
    """Returns the place, the query and the value of each row of a table whose columns have names, else None.

    Args:
        source: the file, which may be a table of any kind.
        what: the value, a name in ``COLUMNS``.

    Raises:
        DataError: the file cannot be read, or a row has no query.
    """
    begun = SmallTable.begun_in(source)
    array = array_in(source) if begun.first.startswith("[") else None
    names = begun.names if array is None else list(dict.fromkeys(name for _, row in array for name in row))
    query = id_beside_text(names) or first_usual(names, ["query"]).get("query")
    value = next((name for name in names if plain_name(name) in COLUMNS[what]), None)
    if query is None or value is None:
        if array is not None:
            raise refused(
                "the objects have no fields with usual names for the query and the {what}. Their fields are: {there}.",
                "Name them query_id and {what}.",
                file=source.name,
                what=what,
                there=there(names),
            )
        return None
    table = SmallTable.of_source(source) if array is None else array
    return ((place, str(row.get(query, "")).strip(), row.get(value)) for place, row in table)


def array_in(source: Source) -> list[tuple[dict[str, Any], Mapping[str, Any]]]:
    """Returns the rows of a file that is an array of objects, such as a golden set, each after its place.

    Raises:
        DataError: the file is not such an array.
    """
    found = SmallTable.of_source(source).document
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise refused("this is not an array of objects in JSON.", "Is the file complete?", file=source.name)
    return [({"file": source.name, "row": number}, row) for number, row in enumerate(found)]


def read_weights(where: Readable) -> dict[str, float]:
    """Reads the weight of each query: lines ``query weight``, or a table with columns of these names.

    Raises:
        DataError: an unreadable line, an invalid weight, or a query that occurs twice.
    """
    source = source_of(where)
    named = named_rows(source, "weight")
    if named is not None:
        rows = [(place, query, number_in(cell, "weight", place)) for place, query, cell in named]
    else:
        with sentences(source.name, "weights"):
            (queries,), values, lines = _native.read_rows(source.from_start(), columns=2, numbers="strict")
        places = ({"file": source.name, "line": line} for line in lines.tolist())
        rows = list(zip(places, map(text_of, queries), values.tolist(), strict=True))
    weights: dict[str, float] = {}
    for place, query, weight in rows:
        if query in weights:
            raise refused("query '{query}' already has a weight.", "Remove one line.", **place, query=query)
        if not is_weight(weight):
            raise refused(
                "the weight of query '{query}' is {weight!r}: {expected}.",
                **place,
                query=query,
                weight=weight,
                expected=A_WEIGHT,
            )
        weights[query] = weight
    return weights


def queries_in(given: str | os.PathLike[str] | Collection[str]) -> list[str]:
    """Returns the queries that are given by their ids, or by a file with one in each line.

    Raises:
        DataError: the file cannot be read.
    """
    if isinstance(given, (str, os.PathLike)):
        return [query for _, query, _ in group_lines(source_of(given))]
    return list(map(str, given))


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


def groups_of(
    given: GroupsLike, queries: Sequence[str], unit: str = "query", others: int | None = None
) -> Groups:
    """Returns the groups of all queries, or of other units, and warns of groups of queries that do not exist.

    Args:
        given: the group of each query.
        queries: the queries.
        unit: what has a group.
        others: further queries that may have one, such as unjudged ones of a run; None if all may exist.

    Raises:
        DataError: a query without a group, or an unreadable file.
    """
    if isinstance(given, Mapping):
        name, mapping = "", {str(query): str(its) for query, its in given.items() if not is_empty(its)}
    else:
        source = source_of(given)
        name, mapping = source.name, read_groups(source)
    without = [query for query in queries if query not in mapping]
    if without:
        more = len(without) - 1
        also = filled(" ({count:more has/more have} none)", count=more) if more else ""
        raise refused(
            "{unit} '{query}' has no group{others}.",
            "Give every {unit} a group, as in the line '{unit} group'.",
            file=name or "groups",
            unit=unit,
            query=without[0],
            others=also,
        )
    said = None if others is None else strangers(name or "groups", mapping, set(queries), others)
    if said is not None:
        warn(said)
    names = sorted({mapping[query] for query in queries})
    code = {each: place for place, each in enumerate(names)}
    return Groups(name, tuple(names), np.array([code[mapping[query]] for query in queries], np.int64))


def strangers(
    what: str, named: Iterable[str], known: Collection[str], others: int = 0, owner: str = "the judgments do"
) -> str | None:
    """Returns a sentence about queries that are named and do not exist, or None.

    Args:
        what: what names them, such as ``weights``.
        named: the queries that it names.
        known: the queries that exist.
        others: further queries that may exist, such as unjudged ones of a run.
        owner: what does not have them, with its verb.
    """
    odd = [each for each in named if each not in known]
    if len(odd) <= others:
        return None
    examples = " and ".join(f"'{each}'" for each in odd[:2])
    such = "such as " if len(odd) > 2 else ""
    return f"{what} names {plural(len(odd), 'query', 'queries')} that {owner} not have, {such}{examples}."


def group_lines(source: Source) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yields the place, the query and the group of each line ``query group``. A group's name may contain spaces.

    Raises:
        DataError: a line that cannot be read.
    """
    with sentences(source.name):
        for number, line in enumerate(source.lines(), 1):
            if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                raise refused(*LINE_FAULTS["utf-16"], file=source.name, line=number)
            text = line.decode("utf-8", "surrogateescape").strip()
            if text and not text.startswith("#"):
                query, _, group = text.replace("\t", " ").partition(" ")
                yield {"file": source.name, "line": number}, query, group


def is_empty(cell: Any) -> bool:
    """Returns whether a cell has no value: None, NaN, or what pandas writes for a missing one."""
    return cell is None or (isinstance(cell, float) and cell != cell) or repr(cell) in ("<NA>", "NaT")


def label_of(cell: Any) -> str:
    """Returns the group in a cell. Several tags are one group, such as ``easy + french``, and no tag is ``none``."""
    if isinstance(cell, (list, tuple)):
        return " + ".join(sorted(str(each).strip() for each in cell)) or "none"
    return str(cell).strip()


def read_groups(source: Source) -> dict[str, str]:
    """Reads the group of each query: lines ``query group``, or a table with columns of these names.

    Raises:
        DataError: a line without a group, or a query in two groups.
    """
    found: dict[str, str] = {}
    for place, query, cell in named_rows(source, "group") or group_lines(source):
        group = "" if is_empty(cell) else label_of(cell)
        if not group:
            raise refused("expected 'query group', found '{found}'.", **place, found=query[:80])
        if found.setdefault(query, group) != group:
            raise refused(
                "query '{query}' is already in group '{group}'.",
                "A query has one group: remove one line.",
                **place,
                query=query,
                group=found[query],
            )
    return found
