"""Which columns of a file make qrels or a run: flat, or one row a question with lists in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from karat.inputs.frames import choose, no_rank, plain_name, usual
from karat.output.errors import DataError, by_reading, worded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Plan", "Shape", "plan_of"]

Shape: TypeAlias = "str | tuple[str, ...]"
"""What a column holds: ``one`` value a row, a ``list``, or the names of the fields of the records that it lists."""

RETRIEVED = (
    "retrievedids",
    "retrieved",
    "retrieveddocs",
    "retrievedcontextids",
    "retrieveddocids",
    "recommended",
)
WANTED = (
    "referenceids",
    "relevantids",
    "relevant",
    "relevantdocs",
    "referencecontextids",
    "expectedids",
    "groundtruthids",
    "relevantdocids",
)
EITHER = ("docids", "docnos", "documentids", "documents", "docs", "itemids", "items", "ids")
LISTS = {"run": (*RETRIEVED, *EITHER), "qrels": (*WANTED, *EITHER)}
VALUES = {"run": ("scores", "score"), "qrels": ("relevances", "grades", "labels", "scores")}


@dataclass(frozen=True)
class Plan:
    """Which column is what.

    Args:
        columns: by what they are: ``query``, ``document``, ``score``, ``rank``, ``grade``, ``subtopic``.
        records: the column of lists of records that all but the query are fields of, or None.
        lists: whether all but the query are lists, one row a question.
        relevant: whether these are lists of relevant documents, which have no grades.
    """

    columns: Mapping[str, str]
    records: str | None = None
    lists: bool = False
    relevant: bool = False

    @property
    def nested(self) -> bool:
        """Whether a row has more than one document."""
        return self.lists or self.records is not None

    @property
    def by_place(self) -> bool:
        """Whether the order of the lists is all that ranks."""
        return self.lists and len(self.columns) == 2 and not self.relevant

    @property
    def flat(self) -> dict[str, str]:
        """The columns of the table in which each document has a row."""
        if not self.nested:
            return dict(self.columns)
        return {role: role for role in (*self.columns, *(["rank"] if self.by_place else []))}

    @property
    def inside(self) -> dict[str, str]:
        """The fields of the records, or the lists, that the flat table's columns but the query come from."""
        return {role: name for role, name in self.columns.items() if role != "query"}


def plan_of(fields: Mapping[str, Shape], kind: str, asked: Mapping[str, str | None]) -> Plan:
    """Which columns make ``qrels`` or a ``run``.

    Args:
        fields: what each column holds.
        kind: ``qrels`` or ``run``.
        asked: a column's name for what it is; where it is None a usual name is looked for.

    Raises:
        DataError: a column that is not there, or cannot be told from others.
    """
    document = asked.get("document")
    flat = [each for each, shape in fields.items() if shape == "one"]
    lists = [each for each, shape in fields.items() if shape == "list"]
    records = [
        each for each, shape in fields.items() if isinstance(shape, tuple) and has_document(shape, document)
    ]
    listed = [each for each in lists if (each == document if document else plain_name(each) in LISTS[kind])]
    if has_document(flat, document) or not (listed or records):
        return Plan(choose(list(fields), kind, dict(asked)))
    if len(listed) + len(records) > 1:
        both = "' and '".join((*listed, *records)[:2])
        raise DataError(f"'{both}' may each list the documents: leave one, or name it (document=…).")
    query = choose(flat, kind, {"query": asked.get("query")})
    if records:
        inside = {role: column for role, column in asked.items() if role != "query"}
        return Plan(query | choose(fields[records[0]], kind, inside), records=records[0])
    value = value_of(lists, kind, asked, listed[0])
    columns = query | {"document": listed[0]} | value
    return Plan(columns, lists=True, relevant=kind == "qrels" and not value)


def has_document(names: Sequence[str], asked: str | None) -> bool:
    """Whether one of the columns is of documents: the one asked for, else one with a usual name."""
    return asked in names if asked else bool(usual(names, "document"))


def value_of(lists: list[str], kind: str, asked: Mapping[str, str | None], listed: str) -> dict[str, str]:
    """The column of lists of scores or grades that stand beside the documents; for a run there may be none.

    Raises:
        DataError: one was named and is not there, or qrels have none.
    """
    role = "grade" if kind == "qrels" else "score"
    if role not in asked:  # each is worth the same
        return {}
    value = asked.get(role)
    if value and kind == "run":
        value = no_rank(value, lists)
    found = [each for each in lists if (each == value if value else plain_name(each) in VALUES[kind])]
    if not found and (value or (kind == "qrels" and plain_name(listed) not in WANTED)):
        alike = worded("; ", by_reading(kind, grade=1), " if each of them is relevant")
        raise DataError(
            worded(
                f"There is no column of lists with the {role}s of '{listed}': name it, ",
                by_reading(kind, **{role: ...}),
                "." if kind == "run" else worded(alike, "."),
            )
        )
    return {role: found[0]} if found else {}
