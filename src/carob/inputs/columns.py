"""Finds the role of each column of a table, from its name or from the caller's choice."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass
from carob.inputs.errors import SWAPPED, refused
from carob.output.errors import by_reading, worded
from carob.output.files import own_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


ROLES = {"qrels": ("query", "document", "grade"), "run": ("query", "document", "score", "rank")}
DRAW = ("probability", "sample_size")
"""The columns of judgments of a sample, which say how its documents were drawn."""
ASKED = {"qrels": (*ROLES["qrels"], *DRAW), "run": ROLES["run"]}
"""The columns that are sought in a table."""
IDS = ("query", "document", "subtopic")
INSISTED = "!"
"""The end of a column's name that insists on scores, even if they look like ranks."""
MOST_NAMES = 20
"""Columns that a sentence lists."""


Asked: TypeAlias = "Mapping[str, str | float | None]"
"""The columns' names by role, as the caller gave them. None looks for a usual name, and a number is in every row."""


def constant_in(asked: Asked) -> float | None:
    """Returns the grade of every row, if the caller gave a number, else None."""
    grade = asked.get("grade")
    return None if grade is None or isinstance(grade, str) else float(grade)


def named_in(asked: Asked) -> dict[str, str | None]:
    """Returns the columns' names by role, without the roles for which the caller gave a number."""
    return {role: name for role, name in asked.items() if name is None or isinstance(name, str)}


@cache  # a table of names, which never changes
def known_names() -> dict[str, dict[str, Any]]:
    """Returns the usual column names, from ``columns.toml``."""
    return own_table(__file__, "columns.toml")


def lists_documents(name: str, kind: str) -> bool:
    """Returns whether a column of lists has a usual name for the documents of ``qrels`` or a ``run``."""
    lists = known_names()["lists"]
    return plain_name(name) in (*lists[kind], *lists["either"])


def choose(names: Sequence[str], kind: str, wanted: Asked) -> dict[str, str]:
    """Maps each role to a column: the one that the caller named, or else one with a usual name.

    Raises:
        DataError: a missing or ambiguous column; a rank column named as scores.
    """
    asked = named_in(wanted)
    if kind == "run" and (score := asked.get("score")) is not None:
        asked = asked | {"score": no_rank(score, names)}
    there = ", ".join(f"'{name}'" for name in names[:MOST_NAMES]) or "none"
    there += f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    words = {"kind": kind, "there": there}
    chosen: dict[str, str] = {}
    for role, name in asked.items():
        if name is not None and name not in names:
            raise refused("no-such-column", **words, column=name, role=role)
        if name is None and role == "score" and asked["rank"] is not None:
            continue  # naming only the rank asks for its order
        free = [each for each in names if each not in asked.values()]
        found = [name] if name else usual(free, role)
        for each in found:
            refuse_namesakes(names, kind, each)
        if len(found) > 1:
            both, reading = " and ".join(f"'{each}'" for each in found), by_reading(kind, **{role: found[0]})
            raise refused("two-columns", **words, column=found[0], both=both, role=role, reading=reading)
        if found:
            chosen[role] = found[0]
    missing: list[str] = [role for role in (*IDS, "grade") if role in asked and role not in chosen]
    if "score" in asked and not {"score", "rank"} & chosen.keys():
        missing.append("score")
    if missing:
        ways = {role: by_reading(kind, **{role: ...}) for role in (missing[0], "rank")}
        words |= {"swapped": seems_swapped(names, kind, asked), "relevant": by_reading(kind, grade=1)}
        raise refused(missing[0], part="no-column", **words, reading=ways[missing[0]], rank=ways["rank"])
    if "sample_size" in chosen and "probability" in asked and "probability" not in chosen:
        ways = {"reading": by_reading(kind, probability=...), "complete": by_reading(kind, probability=1)}
        raise refused("sample-without-probability", **words, column=chosen["sample_size"], **ways)
    return chosen


def refuse_namesakes(names: Sequence[str], kind: str, wanted: str | None = None) -> None:
    """Refuses two columns with the same name. If ``wanted`` is given, only that name is checked.

    Raises:
        DataError: two columns have the same name.
    """
    for name in names if wanted is None else (wanted,):
        if names.count(name) > 1:
            raise refused("namesakes", kind=kind, count=names.count(name), column=name)


def seems_swapped(names: Sequence[str], kind: str, asked: dict[str, str | None]) -> str:
    """Returns a question if the column names suggest that qrels and run are swapped, otherwise an empty string."""
    run = kind == "run"
    if any(asked.values()) or not usual(names, "grade" if run else "rank"):
        return ""
    return f" This looks like {'qrels' if run else 'a run'}: {SWAPPED}"


def no_rank(name: str, names: Sequence[str]) -> str:
    """Returns the caller's name for the score column, without a trailing ``!``.

    Raises:
        DataError: the name suggests ranks.
    """
    if name not in names and name.endswith(INSISTED):
        return name.removesuffix(INSISTED)
    if says_rank(name):
        raise refused("named-like-a-rank", column=name, remedy=rank_or_score(name))
    return name


def rank_or_score(name: str) -> str:
    """Returns the remedy for a score column that seems to contain ranks."""
    rank, score = by_reading("run", rank=name), by_reading("run", score=f"{name}{INSISTED}")
    return worded("If it is a rank: ", rank, ". If it is a score: ", score, ".")


def says_rank(name: str) -> bool:
    """Returns whether a column's name suggests ranks."""
    words = set(re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()))
    scores, ranks = (set(chain(*known_names()["usual"][role])) for role in ("score", "rank"))
    return not words & scores and (plain_name(name) in ranks or bool(words & ranks))


def usual(names: Sequence[str], role: str) -> list[str]:
    """Returns the columns with a usual name, from the first group of names with a match."""
    plain = {name: plain_name(name) for name in names}
    for bracket in known_names()["usual"][role]:
        found = [name for name in names if plain[name] in bracket]
        if found:
            return found
    return []


def plain_name(name: object) -> str:
    """Returns a column's name in normal form: lower case, without separators."""
    return re.sub(r"[\s_-]+", "", str(name)).casefold()


Shape: TypeAlias = "str | tuple[str, ...]"
"""The shape of a column: ``one`` value per row, a ``list``, or the field names of a list of records."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The roles of a table's columns.

    Args:
        columns: by role: ``query``, ``document``, ``score``, ``rank``, ``grade``, ``subtopic``.
        records: the column with lists of records, whose fields are all roles but the query; or None.
        lists: whether all columns but the query are lists, one row per question.
        relevant: whether they list relevant documents, without grades.
    """

    columns: Mapping[str, str]
    records: str | None = None
    lists: bool = False
    relevant: bool = False

    @property
    def nested(self) -> bool:
        """Whether a row holds several documents."""
        return self.lists or self.records is not None

    @property
    def by_place(self) -> bool:
        """Whether the run has no scores or ranks, so that the order of each list is its ranking."""
        return self.lists and len(self.columns) == 2 and not self.relevant

    @property
    def flat(self) -> dict[str, str]:
        """The columns of the flat table, with a row for each document."""
        if not self.nested:
            return dict(self.columns)
        return {role: role for role in (*self.columns, *(["rank"] if self.by_place else []))}

    @property
    def inside(self) -> dict[str, str]:
        """The fields of the nested records or lists by role, without the query."""
        return {role: name for role, name in self.columns.items() if role != "query"}


def plan_of(fields: Mapping[str, Shape], kind: str, wanted: Asked) -> Plan:
    """Finds the columns of ``qrels`` or a ``run``.

    Args:
        fields: the shape of each column.
        kind: ``qrels`` or ``run``.
        wanted: columns' names by role; None looks for a usual name.

    Raises:
        DataError: a missing or ambiguous column.
    """
    asked = named_in(wanted)
    document = asked.get("document")
    flat = [each for each, shape in fields.items() if shape == "one"]
    lists = [each for each, shape in fields.items() if shape == "list"]
    records = [
        each for each, shape in fields.items() if isinstance(shape, tuple) and has_document(shape, document)
    ]
    listed = [each for each in lists if (each == document if document else lists_documents(each, kind))]
    if has_document(flat, document) or not (listed or records):
        return Plan(choose(list(fields), kind, asked))
    if len(listed) + len(records) > 1:
        both = "' and '".join((*listed, *records)[:2])
        raise refused("two-lists", both=both)
    query = choose(flat, kind, {"query": asked.get("query")})
    if records:
        inside = {role: column for role, column in asked.items() if role != "query"}
        return Plan(query | choose(fields[records[0]], kind, inside), records=records[0])
    value = value_of(lists, kind, asked, listed[0])
    drawn = [
        each
        for each in fields
        if "probability" in asked and plain_name(each) in known_names()["lists"]["draws"]
    ]
    if drawn:
        raise refused("sample-in-lists", column=drawn[0], complete=by_reading(kind, probability=1))
    columns = query | {"document": listed[0]} | value
    return Plan(columns, lists=True, relevant=kind == "qrels" and not value)


def has_document(names: Sequence[str], asked: str | None) -> bool:
    """Returns whether the table has a document column, either named by the caller or with a usual name."""
    return asked in names if asked else bool(usual(names, "document"))


def value_of(lists: list[str], kind: str, asked: Mapping[str, str | None], listed: str) -> dict[str, str]:
    """Returns the column with the lists of scores or grades. For a run, the column may be missing.

    Raises:
        DataError: the named column is missing, or qrels have none.
    """
    role = "grade" if kind == "qrels" else "score"
    if role not in asked:  # one grade for all
        return {}
    value = asked.get(role)
    if value and kind == "run":
        value = no_rank(value, lists)
    known = known_names()["lists"]
    found = [each for each in lists if (each == value if value else plain_name(each) in known[f"{role}s"])]
    if not found and (value or (kind == "qrels" and plain_name(listed) not in known["qrels"])):
        reading, relevant = by_reading(kind, **{role: ...}), by_reading(kind, grade=1)
        raise refused(role, part="no-lists", column=listed, reading=reading, relevant=relevant)
    return {role: found[0]} if found else {}
