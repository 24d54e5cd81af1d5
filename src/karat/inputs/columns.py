"""Which column of a table is what: the usual names, and the ones given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from karat.output.errors import DataError, by_reading, worded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "IDS",
    "INSISTED",
    "LISTS",
    "ROLES",
    "USUAL",
    "Plan",
    "Shape",
    "choose",
    "plain_name",
    "plan_of",
    "usual",
]

# Of the names in one bracket a frame may have one; a bracket goes before those behind it. PyTerrier's frames hold the
# text of a query as "query" beside "qid", and a number of its own as "docid" beside "docno". Names are compared as
# ``plain_name`` has them, so "queryid" stands for query_id, Query-ID and queryId, and "id" for _id.
USUAL: dict[str, tuple[tuple[str, ...], ...]] = {
    "query": (
        ("queryid", "qid", "userid", "topicid", "questionid"),
        ("query", "user", "topic", "question"),
        ("uid",),
    ),
    "document": (
        ("docno",),
        ("docid", "documentid", "corpusid", "itemid", "pid", "passageid", "movieid", "productid"),
        ("doc", "document", "item"),
        ("id", "iid"),
    ),
    "score": (("score", "sim", "similarity", "prediction"),),
    "rank": (("rank",), ("position", "pos")),
    "subtopic": (("subtopic", "subtopicid", "intent", "aspect", "facet"), ("iteration", "iter")),
    "grade": (("relevance", "rel", "label", "grade", "rating", "qrel"), ("score",)),
    # What orders a user's items in recommendations, where it may be called a rating.
    "preference": (("score", "sim", "similarity", "prediction"), ("rating", "weight")),
}
"""The usual names of columns, by what the columns are: the one table of them."""
ROLES = {"qrels": ("query", "document", "grade"), "run": ("query", "document", "score", "rank")}
IDS = ("query", "document", "subtopic")
INSISTED = "!"
"""Behind the name of a column of scores: it is one, whatever it looks like."""
MOST_NAMES = 20
"""Columns that a sentence lists."""


def choose(names: Sequence[str], kind: str, asked: dict[str, str | None]) -> dict[str, str]:
    """Which column is what: the name given, else the usual one that the frame has.

    Raises:
        DataError: a column that is not there, or cannot be told from others; one of ranks that is named as scores.
    """
    if kind == "run" and (score := asked.get("score")) is not None:
        asked = asked | {"score": no_rank(score, names)}
    there = ", ".join(f"'{name}'" for name in names[:MOST_NAMES]) or "none"
    there += f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    chosen: dict[str, str] = {}
    for role, name in asked.items():
        if name is not None and name not in names:
            raise DataError(f"The {kind} frame has no column '{name}' for the {role}; there are: {there}.")
        if name is None and role == "score" and asked["rank"] is not None:
            continue  # who names the rank alone wants its order
        free = [each for each in names if each not in asked.values()]
        found = [name] if name else usual(free, role)
        for each in found:
            refuse_namesakes(names, kind, each)
        if len(found) > 1:
            both = " and ".join(f"'{each}'" for each in found)
            raise DataError(
                worded(
                    f"The {kind} frame has {both}, each of which may be the {role}: say which, ",
                    by_reading(kind, **{role: found[0]}),
                    f". There are: {there}.",
                )
            )
        if found:
            chosen[role] = found[0]
    missing: list[str] = [role for role in (*IDS, "grade") if role in asked and role not in chosen]
    if "score" in asked and not {"score", "rank"} & chosen.keys():
        missing.append("score")
    if missing:
        role = missing[0]
        by_rank = worded(", or ", by_reading(kind, rank=...), " where 1 is the best")
        alike = worded("; if each row is relevant (implicit feedback), ", by_reading(kind, grade=1))
        what, more = {"score": ("score, or the rank,", by_rank), "grade": ("grade", alike)}.get(
            role, (role, "")
        )
        raise DataError(
            worded(
                f"The {kind} frame has no column that is the {what} by its name; there are: {there}. Say which is: ",
                by_reading(kind, **{role: ...}),
                more,
                ".",
                seems_swapped(names, kind, asked),
            )
        )
    return chosen


def refuse_namesakes(names: Sequence[str], kind: str, wanted: str | None = None) -> None:
    """Refuse columns of one name, all of them or those of the name that is wanted.

    Raises:
        DataError: there are such.
    """
    for name in names if wanted is None else (wanted,):
        if names.count(name) > 1:
            raise DataError(
                f"The {kind} frame has {names.count(name)} columns named '{name}': rename all but one of them."
            )


def seems_swapped(names: Sequence[str], kind: str, asked: dict[str, str | None]) -> str:
    """A question to who hands over judgments as a run, or a run as judgments, as the columns' names say; else empty."""
    run = kind == "run"
    if any(asked.values()) or not usual(names, "grade" if run else "rank"):
        return ""
    return f" This looks like {'qrels' if run else 'a run'}: are qrels and run swapped?"


def no_rank(name: str, names: Sequence[str]) -> str:
    """The column of scores that was named.

    Raises:
        DataError: its name says that it holds ranks.
    """
    if name not in names and name.endswith(INSISTED):
        return name.removesuffix(INSISTED)
    if says_rank(name):
        raise DataError(
            worded(
                f"Column '{name}' of the run frame is a rank by its name, and as scores ranks are upside down. Name "
                "it as what it is: ",
                by_reading("run", rank=name),
                ". If it is a score all the same: ",
                by_reading("run", score=f"{name}{INSISTED}"),
                ".",
            )
        )
    return name


def says_rank(name: str) -> bool:
    """Whether a column's name says that it holds ranks."""
    words = set(re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()))
    scores = words & {each for bracket in USUAL["score"] for each in bracket}
    return not scores and any(
        plain_name(name) in bracket or words & set(bracket) for bracket in USUAL["rank"]
    )


def usual(names: Sequence[str], role: str) -> list[str]:
    """The columns that bear one of the usual names, of the first bracket that any is in."""
    plain = {name: plain_name(name) for name in names}
    for bracket in USUAL[role]:
        found = [name for name in names if plain[name] in bracket]
        if found:
            return found
    return []


def plain_name(name: object) -> str:
    """A column's name as it is compared: small letters, without what joins words."""
    return re.sub(r"[\s_-]+", "", str(name)).casefold()


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
