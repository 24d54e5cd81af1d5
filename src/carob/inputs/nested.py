"""Finds the columns of tables in which a row contains several documents: in lists, records or nested objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass, replace
from carob.inputs.columns import (
    INSISTED,
    Distance,
    choose,
    constant_in,
    known_names,
    named_in,
    names_score,
    no_rank,
    no_such_column,
    plain_name,
    role_said,
    several_columns,
    there,
    usual,
)
from carob.inputs.errors import SWAPPED, refused
from carob.output.errors import DataError, UnclearGradesError, Worded, by_reading, worded
from carob.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from carob.inputs.columns import Asked

NO_LISTS = {
    "run": "Name it: {reading}.",
    "qrels": "Name it: {reading}. If all listed documents are relevant, use {relevant}.",
}
"""The remedy for a table whose rows list documents but not their scores or grades."""


Shape: TypeAlias = "str | tuple[str, ...]"
"""The shape of a column: ``one`` for one value per row, ``list``, or, for a list of records, their field names."""
DEEPEST = 4
"""The maximum nesting depth of objects whose fields become columns."""
MOST = 1000
"""The maximum number of fields that become columns. An object with more fields is read as a dictionary by id."""


class Inner(str):
    """The name of a nested field, such as ``hits.hits``: its ``parts``, joined by dots."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    @classmethod
    def of(cls, parts: tuple[str, ...]) -> str:
        """Returns the name of a field. If the field is not nested, the name is a plain ``str``."""
        if len(parts) == 1:
            return parts[0]
        made = cls(".".join(parts))
        made.parts = parts
        return made


def field_path(name: str) -> tuple[str, ...]:
    """Returns the names of the fields on the path to a column."""
    return name.parts if isinstance(name, Inner) else (name,)


def value_at(row: Mapping[str, Any], name: str) -> Any:
    """Returns the value of a column in a row, or None if the row does not contain the column."""
    found: Any = row
    for part in field_path(name):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def leaves(row: Mapping[str, Any], outer: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yields the columns of a row with their values. Each field of an object is a separate column."""
    for key, value in row.items():
        path = (*outer, str(key))
        if isinstance(value, dict) and 0 < len(value) <= MOST and len(path) < DEEPEST:
            yield from leaves(value, path)
        else:
            yield Inner.of(path), value


def shapes_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Shape]:
    """Returns the shape of each column, as shown by its first value."""
    found: dict[str, Shape | None] = {}
    for row in rows:
        for name, value in leaves(row):
            found.setdefault(name, None)
            if value is not None and found[name] in (None, "list"):
                shape = shape_of(value)
                if found[name] is None or isinstance(shape, tuple):  # an empty list may precede records
                    found[name] = shape
    return {name: shape or "one" for name, shape in found.items()}


def shape_of(value: Any) -> Shape:
    """Returns the shape of a value."""
    if isinstance(value, (list, tuple)) or is_array(value):
        records = [each for each in value if isinstance(each, dict)]
        return (
            tuple(dict.fromkeys(name for each in records for name, _ in leaves(each))) if records else "list"
        )
    return "one"


def is_array(value: Any) -> bool:
    """Returns whether a value is a NumPy array. pandas stores lists from Parquet as NumPy arrays."""
    return hasattr(value, "tolist") and bool(getattr(value, "shape", ()))


def shapes_of_types(schema: Mapping[str, Any], outer: tuple[str, ...] = ()) -> dict[str, Shape]:
    """Returns the shape of each column of a frame, from narwhals' types."""
    import narwhals as nw

    found: dict[str, Shape] = {}
    for name, held in schema.items():
        path = (*outer, name)
        if isinstance(held, nw.Struct) and len(path) < DEEPEST:
            found |= shapes_of_types({field.name: field.dtype for field in held.fields}, path)
        elif isinstance(held, (nw.List, nw.Array)) and isinstance(held.inner, nw.Struct):
            found[Inner.of(path)] = tuple(
                shapes_of_types({field.name: field.dtype for field in held.inner.fields})
            )
        else:
            found[Inner.of(path)] = "list" if isinstance(held, (nw.List, nw.Array)) else "one"
    return found


def query_in_two_rows(query: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> DataError:
    """Returns the error for a query whose documents are listed in two rows. Their ranks cannot be merged.

    Args:
        query: the query.
        one: the place of the first row (its file and line, or its number from 0), as the fields of an error.
        other: the place of the second row, in the same form.
    """
    several = one.get("file") != other.get("file")
    first, second = (
        ", ".join(
            f"{each[name]}" if name == "file" else f"{name} {each[name]}"
            for name in each
            if several or name != "file"
        )
        for each in (one, other)
    )
    name = str(query)
    return refused(
        "query {name} has two rows that list documents, {one} and {other}.",
        "Merge them if they belong to one question, number the questions, or pass each of several systems as a run.",
        query=name,
        name=shown(name),
        one=first,
        other=second,
    )


def twice_among(queries: Iterable[Any]) -> tuple[Any, int, int] | None:
    """Returns the first query that occurs twice, and the numbers of its two rows, or None. Nulls are ignored."""
    first: dict[Any, int] = {}
    for number, query in enumerate(queries):
        if query is not None and first.setdefault(query, number) != number:
            return query, first[query], number
    return None


# ---------------------------------------------------------------- the layout of a table


@dataclass(frozen=True, eq=False, repr=False)
class ColumnRoles:
    """The roles of a table's columns.

    Args:
        columns: by role: ``query``, ``document``, ``score``, ``rank``, ``grade``, ``subtopic``.
        records: the column with lists of records, or None. The fields of the records fill all roles except the query.
        lists: whether all columns except the query contain lists, with one row per query.
        relevant: whether the lists or records contain relevant documents without grades.
        minus: whether the score column contains distances, which are negated.
    """

    columns: Mapping[str, str]
    records: str | None = None
    lists: bool = False
    relevant: bool = False
    minus: bool = False

    @property
    def nested(self) -> bool:
        """Whether a row contains several documents."""
        return self.lists or self.records is not None

    @property
    def by_place(self) -> bool:
        """Whether the run has no scores or ranks, so the order of each list is the ranking."""
        return self.nested and len(self.columns) == 2 and not self.relevant

    @property
    def by_row(self) -> bool:
        """Whether carob reads the rows one by one, because a column is nested in an object or records have no score."""
        inner = any(isinstance(each, Inner) for each in (*self.columns.values(), self.records))
        return inner or (self.records is not None and self.by_place)

    @property
    def flat(self) -> dict[str, str]:
        """The columns, by role, of the flat table that has a row for each document."""
        if not self.nested:
            return dict(self.columns)
        return {role: role for role in (*self.columns, *(["rank"] if self.by_place else []))}

    @property
    def inside(self) -> dict[str, str]:
        """The fields of the nested records or lists by role, without the query."""
        return {role: name for role, name in self.columns.items() if role != "query"}

    @property
    def lists_of(self) -> list[str]:
        """The columns that contain several documents in each row."""
        return [self.records] if self.records is not None else list(self.inside.values())

    @property
    def needed(self) -> list[str]:
        """The columns of the table to read. A column may occur twice."""
        return [self.columns["query"], *self.lists_of]

    @property
    def documents(self) -> str:
        """The column with the documents, or with the records that contain them."""
        return self.records or self.columns["document"]


# ---------------------------------------------------------------- rows of a frame


def rows_of_frame(given: Any, plan: ColumnRoles) -> Iterable[dict[str, Any]]:
    """Returns the rows of a frame with only the columns that a plan needs."""
    import narwhals as nw

    names = dict.fromkeys(field_path(name)[0] for name in plan.needed)
    frame = nw.from_native(as_table(given)).select(*names)
    return (frame.collect() if isinstance(frame, nw.LazyFrame) else frame).iter_rows(named=True)


def negated(frame: Any, plan: ColumnRoles) -> Any:
    """Returns the rows of a table, with distances converted to scores."""
    return with_negated(frame, plan.flat["score"]) if plan.minus else frame


def with_negated(frame: Any, column: str) -> Any:
    """Returns a frame with a negated column. A column without numbers is left unchanged, and later refused as scores.

    Raises:
        DataError: the frame comes from a library whose columns carob cannot change.
    """
    import narwhals as nw

    try:
        known = nw.from_native(as_table(frame))
    except TypeError:
        raise refused(
            "carob cannot negate the column '{column}' of a table from this library.",
            "Use the negated distance as the score.",
            column=column,
        ) from None
    held = known.collect_schema().get(column)
    if held is None or not (held.is_numeric() or held == nw.Object):
        return frame
    distance = nw.col(column)
    # Unsigned integers would overflow.
    score = 0 - (distance.cast(nw.Int64) if held.is_integer() else distance)
    return known.with_columns(score.alias(column)).to_native()


def as_table(given: Any) -> Any:
    """Returns a PyArrow reader or data set as a table. Other frames are returned unchanged."""
    if type(given).__module__.partition(".")[0] != "pyarrow":
        return given
    read = getattr(given, "read_all", None) or getattr(given, "to_table", None)
    return given if read is None else read()


# ---------------------------------------------------------------- the roles of columns


def plan_of(fields: Mapping[str, Shape], kind: str, wanted: Asked) -> ColumnRoles:
    """Finds the columns of ``qrels`` or a ``run``. Columns that the caller named are used; the others are found by
    their usual names.

    Args:
        fields: the shape of each column.
        kind: ``qrels`` or ``run``.
        wanted: columns' names by role; None looks for a usual name.

    Raises:
        DataError: a column is missing or ambiguous.
    """
    found = roles_of(fields, kind, wanted)
    return replace(found, minus=True) if isinstance(wanted.get("score"), Distance) else found


def roles_of(fields: Mapping[str, Shape], kind: str, wanted: Asked) -> ColumnRoles:
    """Finds the columns for ``plan_of``, without distinguishing scores from distances."""
    asked = named_in(wanted)
    homes = homes_of(fields, kind, asked)
    taken = {bare(name, fields) for name in asked.values() if name is not None}
    if homes is not None:
        return in_records(fields, kind, asked, homes, nearest(kind, sorted(homes, key=nesting)))
    document = asked.get("document")
    shape = "" if document is None else fields.get(document, "")
    if shape == "list":
        return in_lists(fields, kind, asked, str(document))
    values = {fields.get(bare(asked.get(role) or "", fields)) for role in ("score", "rank", "grade")}
    found = [] if shape == "one" or "one" in values else documents_in(fields, kind, taken)
    if "list" in values:
        found = [each for each in found if fields[each] == "list"]
    if not found or ("list" not in values and is_flat(fields, kind, wanted, found[0])):
        cells = [name for name, shape in fields.items() if not isinstance(shape, tuple)]
        try:
            return ColumnRoles(choose(cells, kind, asked, names_of(fields)))
        except DataError as error:
            raise error if any(asked.values()) else with_other_side(error, fields, kind) from None
    chosen = nearest(kind, found)
    if fields[chosen] == "list":
        return in_lists(fields, kind, asked, chosen)
    return in_records(fields, kind, asked, {chosen: {}}, chosen)


TEXTS_OF = {"run": ("retrievedcontexts", "contexts"), "qrels": ("referencecontexts", "groundtruthcontexts")}
"""Names of lists of texts, which Ragas and other tools write next to the lists of ids."""


def with_other_side(error: DataError, fields: Mapping[str, Shape], kind: str) -> DataError:
    """Returns the error for a table without usable columns. It points out lists of texts, or of the other kind."""
    texts = [name for name in fields if last_name(name) in TEXTS_OF[kind]]
    if texts:
        return refused(
            "'{column}' contains lists of texts without ids, which cannot be matched.",
            "Add the ids of the retrieved texts, as retrieved_context_ids, and of the relevant texts, as "
            "reference_context_ids.",
            column=texts[0],
        )
    other, listed = ("qrels", "relevant") if kind == "run" else ("run", "retrieved")
    its = [name for name, shape in fields.items() if shape != "one" and side_of(name, shape) == other]
    if not its:
        return error
    swapped = f" '{its[0]}' lists {listed} documents: {SWAPPED}"
    return error.at(remedy=worded(error.remedy or "", swapped))


def names_of(fields: Mapping[str, Shape]) -> list[str]:
    """Returns the names that a caller may use: column names and names of record fields, written ``column.field``."""
    return [
        name
        for column, shape in fields.items()
        for name in ((f"{column}.{each}" for each in shape) if isinstance(shape, tuple) else (column,))
    ]


def bare(name: str, fields: Mapping[str, Shape]) -> str:
    """Returns a name without the trailing ``!`` with which the caller insists on scores."""
    known = name in fields or not name.endswith(INSISTED)
    return name if known else name.removesuffix(INSISTED)


def nesting(name: str) -> int:
    """Returns the nesting depth of a column. It is 1 for a column that is not in an object."""
    return len(field_path(name))


def nearest(kind: str, found: Sequence[str]) -> str:
    """Returns the only candidate at the depth of the first or, if there are several, the only one ending in ``ids``.

    Raises:
        DataError: there are several candidates.
    """
    first = [each for each in found if nesting(each) == nesting(found[0])]
    ids = [each for each in first if last_name(each).endswith("ids")]
    if len(ids) == 1:
        return ids[0]  # the other columns, such as retrieved_docs, contain texts
    if len(first) > 1:
        both, reading = "' and '".join(first[:2]), by_reading(kind, document=str(first[0]))
        raise refused(
            "Each of the columns '{both}' could contain the documents.",
            "Name one: {reading}.",
            both=both,
            reading=reading,
        )
    return first[0]


# ---------------------------------------------------------------- what the caller named


def homes_of(
    fields: Mapping[str, Shape], kind: str, asked: Mapping[str, str | None]
) -> dict[str, dict[str, str | None]] | None:
    """Returns the columns of records that contain every field that the caller named, with the named fields by role.

    A field is named by itself (``_id``) or with its column (``hits._id``). A column of records may be named as the
    document, or as the rank, which is then the position in the list. Returns None if the caller named no field of
    records.

    Raises:
        DataError: there is no column or field with a given name, or the fields belong to different columns.
    """
    records = {name: shape for name, shape in fields.items() if isinstance(shape, tuple)}
    found: dict[str, dict[str, str | None]] | None = None
    for role, given in asked.items():
        if given is None or (bare(given, fields) in fields and bare(given, fields) not in records):
            continue
        name, mark = given, ""
        like = Distance if isinstance(given, Distance) else str
        if role == "score" and given.endswith(INSISTED):
            name, mark = given.removesuffix(INSISTED), INSISTED
        homes: dict[str, str | None] = {
            column: like(name[len(column) + 1 :] + mark)
            for column, shape in records.items()
            if name.startswith(f"{column}.") and name[len(column) + 1 :] in shape
        } or {column: like(name + mark) for column, shape in records.items() if name in shape}
        if role in ("document", "rank") and name in records:
            homes = {name: None}
        words = {
            "kind": kind,
            "there": there(names_of(fields)),
            "column": given,
            "role": role_said(role, given),
        }
        if not homes:
            known = {*fields, *chain(*records.values()), *names_of(fields)}
            raise no_such_column(asked=asked, names=known, **words)
        if role == "query":
            raise refused(
                "Column '{column}', named for the query, is inside the list of the query's documents. The "
                "columns are: {there}.",
                "Name a column with one value in each row.",
                **words,
            )
        before: dict[str, dict[str, str | None]] = {each: {} for each in homes} if found is None else found
        found = {column: {**its, role: homes[column]} for column, its in before.items() if column in homes}
        if not found:
            raise refused(
                "Column '{column}' of the {kind} frame, named for the {role}, is in a different list from "
                "the columns named before.",
                kind=kind,
                column=given,
                role=role,
            )
    return found


# ---------------------------------------------------------------- what the names say

WEAK = ("id", "iid")
"""Names that mean the document's id in a row for one document, but the query's id in a row with lists."""


AGAIN = "rerank|reorder|rescore|fused|final"
"""Words in the names of lists that were ranked by a later stage."""
LISTED_IDS = "ids|docs|docnos|documents|items"


def last_name(name: str) -> str:
    """Returns the last part of a field's name, in normal form."""
    return plain_name(field_path(name)[-1])


def lists_documents(names: Iterable[str], *kinds: str) -> bool:
    """Returns whether any column has a usual name for lists of documents of the given kinds (``qrels``, ``run``)."""
    known = {each for side in (*kinds, "either") for each in sides()[side]}
    return any(plain_name(name) in known for name in names)


def side_of(name: str, shape: Shape) -> str | None:
    """Returns whether a column may list documents of the ``run``, of the ``qrels`` or of ``either``; otherwise None.

    Records of documents with scores but no grades belong to a run.
    """
    its = last_name(name)
    lists, listed = known_names()["lists"], isinstance(shape, tuple)
    more = {side: lists[f"{side}_records"] if listed else () for side in ("run", "qrels")}
    if not listed:
        more["run"] = lists["ranked"]
    by_name = next((side for side, known in sides().items() if its in (*known, *more.get(side, ()))), None)
    if by_name is None and re.search(AGAIN, its) and re.search(LISTED_IDS, its):
        by_name = "run"
    if not isinstance(shape, tuple):
        return by_name if shape == "list" else None
    if not usual(shape, "document"):
        return None
    if by_name in ("run", "qrels"):
        return by_name
    graded = any(plain_name(each) in known_names()["usual"]["grade"][0] for each in shape)
    scored = bool(usual(shape, "score") or usual(shape, "rank"))
    return "either" if graded == scored else "qrels" if graded else "run"


def sides() -> dict[str, list[str]]:
    """Returns the usual names for columns of lists, separately for a ``run``, for ``qrels`` and for ``either``."""
    lists = known_names()["lists"]
    return {side: lists[side] for side in ("run", "qrels", "either")}


def documents_in(fields: Mapping[str, Shape], kind: str, taken: Iterable[str]) -> list[str]:
    """Returns the columns that may list the documents: columns specific to ``kind``, otherwise ambiguous columns.

    A run is never read from the columns of qrels, nor qrels from the columns of a run. The exception is records with
    scores in a table that lists nothing else: they may be qrels, because ``score`` is also a name for grades.
    """
    found: dict[str | None, list[str]] = {}
    for name, shape in sorted(fields.items(), key=lambda each: nesting(each[0])):
        if name not in taken:
            found.setdefault(side_of(name, shape), []).append(name)
    lists = [name for name, shape in fields.items() if shape == "list"]
    numbers = [name for role in ("score", "rank", "grade") for name in usual_lists(lists, role)]
    if numbers and not found.get("either"):  # the table was grouped: columns of single values became lists
        found["either"] = [name for name in lists if name not in taken and usual([name], "document")]
    own = found.get(kind) or found.get("either")
    if own or kind == "run":
        return own or []
    alone = sum(shape != "one" for shape in fields.values()) == 1
    return [each for each in found.get("run", []) if alone and isinstance(fields[each], tuple)]


def is_flat(fields: Mapping[str, Shape], kind: str, wanted: Asked, listed: str) -> bool:
    """Returns whether the other columns of a table with lists form complete rows of qrels or of a run."""
    asked = named_in(wanted)
    own = {role: name for role, name in asked.items() if name is not None}
    free = [name for name, shape in fields.items() if shape == "one" and name not in own.values()]
    document = [own["document"]] if "document" in own else usual(free, "document")
    rest = [name for name in free if name not in document]
    number = ("grade",) if kind == "qrels" else ("score", "rank")
    value = [name for role in number for name in usual(rest, role)]
    held = bool(value) or any(role in own for role in number) or constant_in(wanted) is not None
    if not document or not held or not ("query" in own or usual(rest, "query")):
        return False
    if side_of(listed, fields[listed]) == "either":
        return True
    doubtful = kind == "qrels" and all(plain_name(each) in SCORES for each in value)
    return "document" in own or not (doubtful or plain_name(document[0]) in WEAK)


SCORES = ("score", "scores")
"""Names that may mean grades or scores."""


# ---------------------------------------------------------------- the columns of each layout


TEXTS = ("query", "question", "userinput", "querytext")
"""Names for the text of a query. If a table has such a column, ``id`` is the id of the query."""


def id_beside_text(names: Sequence[str]) -> str | None:
    """Returns the column ``id`` if every column with a usual name for the query contains its text, otherwise None."""
    rows = [name for name in names if plain_name(name) == "id"]
    text = all(plain_name(each) in TEXTS for each in usual(names, "query"))
    return rows[0] if len(rows) == 1 and text else None


def query_in(fields: Mapping[str, Shape], kind: str, asked: Mapping[str, str | None]) -> dict[str, str]:
    """Returns the query column of a table with a row per query, in which ``id`` cannot be the id of a document."""
    named = asked.get("query")
    free = [name for name, shape in fields.items() if shape == "one"]
    named = named or id_beside_text(free)
    return choose(free, kind, {"query": named}, names_of(fields))


def in_records(
    fields: Mapping[str, Shape],
    kind: str,
    asked: Mapping[str, str | None],
    homes: Mapping[str, Mapping[str, str | None]],
    column: str,
) -> ColumnRoles:
    """Returns the plan of a table whose rows contain records, such as ``{"doc_id": …, "score": …}``."""
    own = next(each for each in fields if each == column)
    inside = [*fields[own]]
    named = {role: homes[column].get(role) for role in asked if role != "query"}
    placed = asked.get("rank") == column
    only = kind == "run" and len(inside) == 1 and not named.get("score") and not named.get("rank")
    if placed or only:  # the records contain only documents, in rank order
        named = {"document": named.get("document")}
    listed = [f"{own}.{name}" for name in inside]
    if kind == "qrels" and "grade" in named and named["grade"] is None and lists_relevant(own, inside):
        del named["grade"]
        chosen = query_in(fields, kind, asked) | choose(inside, kind, named, listed)
        return ColumnRoles(chosen, records=own, relevant=True)
    return ColumnRoles(query_in(fields, kind, asked) | choose(inside, kind, named, listed), records=own)


def lists_relevant(name: str, inside: Sequence[str]) -> bool:
    """Returns whether a column lists records of relevant documents that have no grades."""
    known = (*sides()["qrels"], *known_names()["lists"]["qrels_records"])
    grades = known_names()["usual"]["grade"][0]
    return last_name(name) in known and not any(plain_name(each) in grades for each in inside)


def in_lists(
    fields: Mapping[str, Shape], kind: str, asked: Mapping[str, str | None], listed: str
) -> ColumnRoles:
    """Returns the plan of a table whose rows contain a list of documents and, optionally, a list of numbers."""
    own = next(each for each in fields if each == listed)
    value = numbers_in(fields, kind, asked, own)
    draws = known_names()["lists"]["draws"]
    drawn = [name for name in fields if "probability" in asked and plain_name(name) in draws]
    if drawn:
        raise refused(
            "column '{column}' contains lists that describe how documents were drawn, which carob reads only from "
            "tables with one row for each document.",
            "Write one row for each document. If the column means something else, use {complete}.",
            column=drawn[0],
            complete=by_reading(kind, probability=1),
        )
    columns = query_in(fields, kind, asked) | {"document": own} | value
    return ColumnRoles(columns, lists=True, relevant=kind == "qrels" and not value)


def numbers_in(
    fields: Mapping[str, Shape], kind: str, asked: Mapping[str, str | None], listed: str
) -> dict[str, str]:
    """Returns the columns with lists of scores, ranks or grades, by role. A run may have no such columns.

    Raises:
        DataError: the named column is missing or ambiguous, or qrels have no column of grades.
    """
    lists = [name for name, shape in fields.items() if shape == "list" and name != listed]
    # Numbers that the caller did not name must be nested in the same objects as the documents.
    beside = [name for name in lists if field_path(name)[:-1] == field_path(listed)[:-1]]
    if kind == "run":
        named = {role: asked.get(role) for role in ("score", "rank")}
        if (score := named["score"]) is not None:
            named["score"] = no_rank(score, lists)
        # Numbers next to a column with a usual name for a run's documents belong to it, not to another list that the
        # caller names.
        others = side_of(listed, "list") != "run" and any(side_of(name, "list") == "run" for name in beside)
        unnamed = not (others or any(named.values()))
        found = {
            role: [each for each in lists if each == name] if name else unnamed * usual_lists(beside, role)
            for role, name in named.items()
        }
        if unnamed and found["score"]:
            found["score"] += other_scores(found["score"], listed, beside)
    elif "grade" not in asked:  # all documents get the same grade
        return {}
    else:
        named = {"grade": asked["grade"]}
        if named["grade"] is None:
            found = {"grade": usual_lists(beside, "grade") or scores_as_grades(fields, listed, beside)}
            refuse_unclear(found["grade"], listed, beside)
        else:
            found = {"grade": [each for each in lists if each == named["grade"]]}
    if not any(found.values()) and asked.get("document") is None and not any(named.values()):
        found = named_after(listed, kind, beside)
    for role, its in found.items():
        if len(its) > 1:
            raise several_columns(its, role, kind, there(names_of(fields)))
        needs = kind == "qrels" and last_name(listed) not in sides()["qrels"]
        if not its and (named[role] or needs):
            reading, relevant = by_reading(kind, **{role: ...}), by_reading(kind, grade=1)
            missing = f"There is no column that lists the {role}s of '{{column}}'."
            raise refused(missing, NO_LISTS[kind], column=listed, reading=reading, relevant=relevant)
    return {role: its[0] for role, its in found.items() if its}


def other_scores(found: Sequence[str], listed: str, beside: Sequence[str]) -> list[str]:
    """Returns further lists of scores, such as ``rerank_scores``, that belong to no other list of documents."""
    others = [stem_of(each) for each in beside if each != listed and side_of(each, "list")]
    return [
        each
        for each in beside
        if each not in found
        and names_score(field_path(each)[-1])
        and not last_name(each).startswith(tuple(others))
    ]


def refuse_unclear(found: Sequence[str], listed: str, beside: Sequence[str]) -> None:
    """Refuses a list in a log, such as ``relevance``, that may grade either the retrieved or the relevant documents.

    The length of the lists cannot decide, because all lists of a row may have the same length.

    Raises:
        UnclearGradesError: the list has a name other than ``grade`` or ``grades``.
    """
    retrieved = [name for name in beside if side_of(name, "list") == "run"]
    known = last_name(listed) in sides()["qrels"]  # such lists need no grades
    if len(found) != 1 or not retrieved or not known or last_name(found[0]) in ("grade", "grades"):
        return
    words = {"column": found[0], "listed": listed, "other": retrieved[0]}
    grades, relevant = by_reading("qrels", grade=str(found[0])), by_reading("qrels", grade=1)
    its = by_reading("qrels", document=str(retrieved[0]), grade=str(found[0]))
    words |= {"grades": grades, "relevant": relevant, "retrieved": its}
    raise refused(
        "'{column}' could be the grades of '{listed}' or of '{other}'.",
        "For '{listed}', use {grades}. For '{other}', whose documents are then the only judged documents, use "
        "{retrieved}. If all documents of '{listed}' are relevant, use {relevant}.",
        error=UnclearGradesError,
        **words,
    )


LIKE_NUMBERS = {
    "run": {"score": r"^scores.+|(score|similarit[yi]|prediction|logit)(e?s)?$", "rank": r"rank(ing)?s?$"},
    "qrels": {"grade": r"(relevance|grade|label|rating|gain|isrelevant)s?$"},
}
"""Patterns for the names of lists that may contain the scores, ranks or grades of documents, by role."""
DOUBTFUL_LISTS = {
    "run": (
        "'{column}' could be the scores or ranks of '{listed}'.",
        "If so, use {reading}. If the order of each list is its ranking, use {without}.",
    ),
    "qrels": (
        "'{column}' could be the grades of '{listed}'.",
        "If so, use {reading}. If all documents of '{listed}' are relevant, use {without}.",
    ),
}


def named_after(listed: str, kind: str, beside: Sequence[str]) -> dict[str, list[str]]:
    """Returns, by role, the lists that are named after the list of documents, such as ``retrieved_scores``.

    Raises:
        DataError: a list with a different name, such as ``rerank_scores``, may also contain the numbers.
    """
    stem = stem_of(listed)
    others = tuple(stem_of(each) for each in beside if side_of(each, "list"))
    free = [each for each in beside if side_of(each, "list") is None]
    own = [each for each in free if last_name(each).startswith(stem)]
    doubtful = [each for each in free if each not in own and not last_name(each).startswith(others)]
    found: dict[str, list[str]] = {}
    for role, names in LIKE_NUMBERS[kind].items():
        known = f"{names}|scores$" if kind == "qrels" else names
        found[role] = [each for each in own if re.search(known, last_name(each))]
        other = next((each for each in doubtful if re.search(names, last_name(each))), None)
        if other is not None and not found[role]:
            how = {"grade": 1} if kind == "qrels" else {"document": str(listed)}
            reading, without = by_reading(kind, **{role: str(other)}), by_reading(kind, **how)
            words = {"column": other, "listed": listed, "reading": reading, "without": without}
            raise refused(*DOUBTFUL_LISTS[kind], **words)
    return found


def stem_of(listed: str) -> str:
    """Returns the stem of the name of a list of documents, for example ``retrieved`` for ``retrieved_context_ids``."""
    its = last_name(listed)
    return re.sub(r"(context|doc(ument)?|item)?(ids?|nos|s)?$", "", its) or its


def usual_lists(lists: Sequence[str], role: str) -> list[str]:
    """Returns the lists whose names are usual for a role, in singular or plural. ``scores`` are not grades."""
    usual_names = known_names()["usual"][role]
    known = set(chain(*(usual_names[:1] if role == "grade" else usual_names)))
    return [each for each in lists if known & {last_name(each), *singular(last_name(each))}]


def singular(name: str) -> tuple[str, ...]:
    """Returns the possible singular forms of a word."""
    return (name.removesuffix("s"), name.removesuffix("ies") + "y") if name.endswith("s") else ()


def scores_as_grades(fields: Mapping[str, Shape], listed: str, lists: Sequence[str]) -> list[str]:
    """Returns the lists of ``scores`` that are grades. This is possible only in a table without other lists.

    If there are other lists, ``scores`` may be the scores of retrieved documents.

    Raises:
        DataError: ``scores`` could be the grades of documents that need none.
    """
    found = [each for each in lists if last_name(each) in SCORES]
    columns = sum(shape != "one" for shape in fields.values())
    others = columns > len(found) + 1  # more lists than the documents and their scores
    if not found or others:
        return []
    if last_name(listed) in sides()["qrels"]:
        grades = Worded(
            f"carob.Qrels.of(qrels, grade={str(found[0])!r})", f"--qrels-columns grade={found[0]}"
        )
        relevant = by_reading("qrels", grade=1)
        raise refused(
            "'{column}' could be the grades of '{listed}', or scores of documents that are not in the table.",
            "If they are grades, use {grades}. If all documents of '{listed}' are relevant, use {relevant}.",
            column=found[0],
            listed=listed,
            grades=grades,
            relevant=relevant,
        )
    return found
