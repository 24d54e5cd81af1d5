"""Reads files with the weight or the group of each query."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.columns import first_usual, plain_name, there
from carob.inputs.errors import LINE_FAULTS, refused, sentences
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.frames import is_frame
from carob.inputs.ids import text_of
from carob.inputs.judgment_tables import number_in
from carob.inputs.layouts import unwrapped
from carob.inputs.nested import id_beside_text
from carob.inputs.sources import source_of
from carob.output.errors import warn
from carob.output.language import filled, plural
from carob.output.layout import UNGROUPED, label_apart

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from carob.inputs.frames import Frame
    from carob.inputs.sources import Provenance, Readable, Source
    from carob.lists.rows import Integers


Placed: TypeAlias = "tuple[dict[str, Any], Mapping[str, Any]]"
"""The place of a row (as the fields of an error) and its cells by column name."""
Row: TypeAlias = "tuple[dict[str, Any], str, Any]"
"""The place of a row (as the fields of an error), its query and its value."""

SMALLEST, LARGEST = 1e-30, 1e30
"""The limits for weights other than 0. Within them, sums and products do not overflow in any floating-point type."""
A_WEIGHT = "a weight must be 0 or a number between 1e-30 and 1e30"


def is_weight(given: Any) -> bool:
    """Returns whether a value is a valid weight. A whole number may be too large for a float."""
    return isinstance(given, Real) and bool(given == 0 or SMALLEST <= cast("float", given) <= LARGEST)


COLUMNS = {
    "weight": ("weight", "weights"),
    "group": ("group", "stratum", "strata", "cluster", "category", "tags", "tag"),
}
"""The usual names of the column next to the query, in normal form."""


def named_rows(
    given: Any, what: str, column: str | None = None, query: str | None = None
) -> Iterable[Row] | None:
    """Returns the place, query and value of each row of a table with suitable column names; None for other files.

    Args:
        given: the source of a file (which may be a table of any kind), a list of rows or a data frame.
        what: the kind of value, a key of ``COLUMNS``.
        column: the column of the values; None looks for a usual name.
        query: the column of the queries; None looks for a usual name.

    Raises:
        DataError: the table cannot be read, objects have no fields with usual names, or ``column`` does not exist.
    """
    names, rows = placed_rows(given, what)
    query = query or id_beside_text(names) or first_usual(names, ["query"]).get("query")
    fitting = [name for name in names if plain_name(name) in COLUMNS[what]] if column is None else [column]
    value = next((name for name in fitting if name in names), None)
    if query is not None and value is None and column is not None:
        raise refused(
            "'{column}' is neither a file nor a field of the judgments. Their fields are: {there}.",
            file=given.name,
            column=column,
            there=there(names),
        )
    if query is None or value is None:
        if isinstance(rows, list):
            raise refused(
                "the rows have no field with a usual name for the query or for the {what}. Their fields are: {there}.",
                "Name them query_id and {what}.",
                file=getattr(given, "name", f"{what}s"),
                what=what,
                there=there(names),
            )
        return None
    return ((place, str(row.get(query, "")).strip(), row.get(value)) for place, row in rows)


def placed_rows(given: Any, what: str) -> tuple[list[str], Iterable[Placed]]:
    """Returns a table's column names and its rows, each preceded by its place. Rows that are objects are in a list.

    Raises:
        DataError: the table cannot be read, or a JSON array contains anything other than objects.
    """
    name, found = getattr(given, "name", f"{what}s"), given
    if is_frame(given):
        table = SmallTable.of(given, what)
        return table.names, list(table)
    if not isinstance(given, list):
        table = SmallTable.begun_in(given)
        if not table.has_objects:
            # The rows are read only if the names fit, because other files, such as lines `query group`, are not tables.
            return table.names, chain.from_iterable(map(SmallTable.of_source, [given]))
        table = SmallTable.of_source(given)
        found = unwrapped(table.document, "qrels").content
        if isinstance(found, Mapping) and not any(isinstance(each, (str, int)) for each in found.values()):
            return [], iter(())  # {query: {document: grade}}, not a row
        if not isinstance(found, list) and not table.first.startswith("["):
            rows = list(table)
            return fields_among(rows), rows
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise refused("this is not an array of objects in JSON.", "Is the file complete?", file=name)
    rows = [({"file": name, "row": number}, row) for number, row in enumerate(found)]
    return fields_among(rows), rows


def fields_among(rows: list[Placed]) -> list[str]:
    """Returns the names of all fields of some objects. The objects may have different fields."""
    return list(dict.fromkeys(str(name) for _, row in rows for name in row))


def read_weights(where: Readable) -> dict[str, float]:
    """Reads the weight of each query from lines ``query weight`` or from a table with columns for both.

    Raises:
        DataError: a line cannot be read, a weight is invalid, or a query occurs twice.
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
    """Returns the query ids in a collection, or in a file with one id per line.

    Raises:
        DataError: the file cannot be read.
    """
    if isinstance(given, (str, os.PathLike)):
        return [query for _, query, _ in group_lines(source_of(given))]
    return list(map(str, given))


GroupsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, object] | list[dict[str, Any]] | Frame"


@dataclass(frozen=True, eq=False)
class Groups:
    """The queries in each group. Groups overlap if a query is in several groups.

    Args:
        name: the file or field that defines the groups; empty for data in memory.
        names: the groups, in alphabetical order. The last name stands for the queries without a group, if there are
            any.
        codes: the group of each member, as an index into ``names`` [members].
        queries: the index of each member's query, in ascending order. If groups do not overlap, each query occurs once
            [members].
        ungrouped: whether the last name stands for the queries without a group.
    """

    name: str
    names: tuple[str, ...]
    codes: Integers
    queries: Integers
    ungrouped: bool = False

    def of_each(self) -> list[list[int]]:
        """Returns the groups of each query, as indices into ``names``."""
        ends = np.flatnonzero(np.diff(self.queries)) + 1
        return [part.tolist() for part in np.split(self.codes, ends)] if len(self.codes) else []

    @property
    def in_several_groups(self) -> int:
        """The number of queries in several groups."""
        return int((np.bincount(self.queries) > 1).sum())


def groups_of(
    given: GroupsLike,
    queries: Sequence[str],
    unit: str = "query",
    others: int | None = None,
    *,
    overlap: bool = False,
    judgments: Provenance | None = None,
) -> Groups:
    """Returns the groups of all queries, or of other units, and warns about queries in ``given`` that do not exist.

    Args:
        given: the groups of each query, or the name of a field in the file of the judgments.
        queries: the queries.
        unit: the word for what is grouped, such as ``query``.
        others: the number of further queries that may have a group, such as a run's unjudged queries; None for no
            limit.
        overlap: whether a query may be in several groups; otherwise its tags together are one group.
        judgments: the origin of the judgments, if ``given`` may be the name of one of their fields.

    Raises:
        DataError: a query has no group, or a file cannot be read.
    """
    name, mapping = named_groups(given, overlap=overlap, judgments=judgments)
    without = [query for query in queries if query not in mapping]
    if without:
        more = len(without) - 1
        also = filled(" ({count:more has/more have} none)", count=more) if more else ""
        raise refused(
            "{unit} '{query}' has no group{others}.",
            "Assign every {unit} to a group, as in the line '{unit} group'.",
            file=name or "groups",
            unit=unit,
            query=without[0],
            others=also,
        )
    said = None if others is None else strangers(name or "groups", mapping, set(queries), others)
    if said is not None:
        warn(said)
    names = sorted({group for query in queries for group in mapping[query]})
    code = {each: place for place, each in enumerate(names)}
    none = len(names)
    members = [
        (place, query)
        for query, its in enumerate(map(mapping.__getitem__, queries))
        for place in (map(code.__getitem__, its) if its else [none])
    ]
    codes, of = np.array(members, np.int64).reshape(-1, 2).T
    ungrouped = bool((codes == none).any())
    names += [label_apart(UNGROUPED, code)] * ungrouped
    return Groups(name, tuple(names), codes, of, ungrouped)


def named_groups(
    given: GroupsLike, *, overlap: bool = False, judgments: Provenance | None = None
) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Returns the name of the file or field with the groups (empty for data in memory), and the groups of each query.

    Args:
        given: as for ``groups_of``.
        overlap: as for ``groups_of``.
        judgments: as for ``groups_of``.

    Raises:
        DataError: ``given`` cannot be read or is not a field of the judgments, or for the reasons in ``memberships``.
    """
    name = ""
    rows: Iterable[Row] | None
    if isinstance(given, Mapping):
        rows = (({}, str(query), its) for query, its in given.items() if not is_empty(its))
    elif holds_rows(given):
        rows = named_rows(given, "group")
    elif field := field_in(judgments, given):
        name, rows = str(given), field
    else:
        source = source_of(cast("Readable", given))
        name, rows = source.name, named_rows(source, "group") or group_lines(source)
    return name, memberships(list(rows or ()), overlap=overlap)


def holds_rows(given: object) -> bool:
    """Returns whether an object in memory is a list of rows or a data frame. A series is not a data frame."""
    if isinstance(given, list):
        return all(isinstance(each, Mapping) for each in given)
    return is_frame(given) and hasattr(given, "columns")


def field_in(judgments: Provenance | None, given: object) -> list[Row]:
    """Returns the rows of a field in the judgments' file, or an empty list if ``given`` is a file.

    Raises:
        DataError: the judgments have fields, but no field with this name.
    """
    files = () if judgments is None else judgments.files
    if len(files) != 1 or not isinstance(given, str) or given == "-" or os.path.exists(given):
        return []
    named = dict(judgments.columns).get("query") if judgments else None
    return list(named_rows(source_of(files[0]), "group", given, named) or ())


def strangers(
    what: str, named: Iterable[str], known: Collection[str], others: int = 0, owner: str = "the judgments do"
) -> str | None:
    """Returns a sentence about queries that are named but do not exist, or None.

    Args:
        what: the word for the data that name the queries, such as ``weights``.
        named: the queries that these data name.
        known: the queries that exist.
        others: the number of further queries that may exist, such as a run's unjudged queries.
        owner: subject and verb of the clause that says where the queries do not exist, such as ``the judgments do``.
    """
    odd = [each for each in named if each not in known]
    if len(odd) <= others:
        return None
    examples = " and ".join(f"'{each}'" for each in odd[:2])
    such = "such as " if len(odd) > 2 else ""
    return f"{what} names {plural(len(odd), 'query', 'queries')} that {owner} not have, {such}{examples}."


def group_lines(source: Source) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yields the place, query and group from each line ``query group``. The name of a group may contain spaces.

    Raises:
        DataError: a line cannot be read.
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
    """Returns whether a cell has no value: None, NaN, or pandas' marks for missing values."""
    return cell is None or (isinstance(cell, float) and cell != cell) or repr(cell) in ("<NA>", "NaT")


def is_list(cell: Any) -> bool:
    """Returns whether a cell contains a collection of tags, such as a list of texts."""
    return isinstance(cell, Iterable) and not isinstance(cell, (str, bytes, Mapping))


def labels_of(cell: Any) -> set[str]:
    """Returns the groups in a cell: each tag in a list, or any other value as one group. A text is not split."""
    if is_list(cell):
        return {label for each in cell for label in labels_of(each)}
    return set() if is_empty(cell) else {str(cell).strip()} - {""}


def memberships(rows: Sequence[Row], *, overlap: bool) -> dict[str, tuple[str, ...]]:
    """Returns the sorted groups of each query. If any query has a list of tags, other queries may have no group.

    Args:
        rows: the place, the query and the group or groups of each row.
        overlap: whether a query may be in several groups; otherwise its tags together are one group.

    Raises:
        DataError: a row has no group, or a query is in two groups even though groups must not overlap.
    """
    found: dict[str, tuple[str, ...]] = {}
    tagged = any(is_list(cell) for _, _, cell in rows)
    for place, query, cell in rows:
        groups = sorted(labels_of(cell))
        if not groups and not tagged:
            raise refused("expected 'query group', found '{found}'.", **place, found=query[:80])
        its = tuple(groups if overlap or not groups else [" + ".join(groups)])
        had = found.setdefault(query, its)
        if had != its and not overlap:
            raise refused(
                "query '{query}' is already in group '{group}'.",
                "A query can be in only one group: remove one of the lines.",
                **place,
                query=query,
                group=(had or (UNGROUPED,))[0],
            )
        if had != its:
            found[query] = tuple(sorted({*had, *its}))
    return found
