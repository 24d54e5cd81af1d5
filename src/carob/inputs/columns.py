"""Finds the role of each column of a table, from its name or from the caller's choice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from carob.inputs.errors import ANSWERS_NAMED, COLUMNS_ADVICE, SWAPPED, is_measure, refused
from carob.output.errors import DataError, NoSuchColumnsError, Worded, by_reading, one_of, worded
from carob.output.files import own_table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


ROLES = {"qrels": ("query", "document", "grade"), "run": ("query", "document", "score", "rank")}
DRAW = ("probability", "sample_size")
"""The columns that describe how the documents of a judged sample were drawn."""
ASKED = {"qrels": (*ROLES["qrels"], *DRAW), "run": ROLES["run"]}
"""The roles for which a column is sought in a table."""
ORDERING = {"score", "rank", "distance"}
"""The roles that can rank documents. One of them is enough."""
IDS = ("query", "document", "subtopic")
INSISTED = "!"
"""The suffix that a caller adds to a column's name to declare it as scores, even if its name suggests ranks."""
NUMBER = "number of the row"
"""The column of ids for queries that have no ids and are numbered by position."""
KEY = "key of the row"
"""The column of ids for queries that are the keys of an object."""
CONSTANT = ":="
"""The prefix of a query argument that assigns every row to one query, as in ``:=review1``."""
HITS = "hits.hits."
"""The prefix of document fields in an answer of Elasticsearch or OpenSearch."""
MOST_NAMES = 20
"""The maximum number of columns that a sentence lists."""


Asked: TypeAlias = "Mapping[str, str | float | None]"
"""The columns' names by role, as the caller gave them. None looks for a usual name; a number applies to every row."""


class Distance(str):
    """The name of a column of distances. The scores are the negated distances."""

    __slots__ = ()


def with_distance(named: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the columns' names by role, with a column of distances as the score column; ``plan_of`` negates it.

    Raises:
        DataError: both a score and a distance are named.
    """
    rest = {role: name for role, name in named.items() if role != "distance"}
    if (distance := named.get("distance")) is None:
        return rest
    if (score := rest.get("score")) is not None:
        raise refused(
            "'{score}' is named as the score and '{distance}' as the distance, but the score would be computed from "
            "the distance.",
            "Name only one of them.",
            score=score,
            distance=distance,
        )
    kind = DistanceOfProject if isinstance(distance, OfProject) else Distance
    return {**rest, "score": kind(distance)}


class OfProject(str):
    """The name of a column in a project's file. It applies to many runs, even to runs that do not have the column."""

    __slots__ = ()


class DistanceOfProject(Distance, OfProject):
    """The name of a column of distances in a project's file."""

    __slots__ = ()


def of_project(named: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the columns' names, including those in a mapping for one run, marked as names from a project's file."""
    marked: dict[Any, Callable[[Any], Any]] = {dict: of_project, str: OfProject}
    return {role: marked.get(type(name), lambda its: its)(name) for role, name in named.items()}


def insists(named: Mapping[str, Any]) -> bool:
    """Returns whether the caller named any column or word that does not come from a project's file."""
    return any(
        insists(name) if isinstance(name, Mapping) else not isinstance(name, OfProject)
        for name in named.values()
    )


def columns_of_run(named: Mapping[str, Any], *names: str | None) -> dict[str, Any]:
    """Returns the columns' names for one run, by role: the run's own names and, for other roles, those for all runs.

    Args:
        named: the names by role; the names for one run are in a mapping under the run's name.
        names: the run's name, or several names by which it may be known.
    """
    mine = [each for run, each in named.items() if isinstance(each, Mapping) and run in names]
    own = {role: name for each in mine for role, name in each.items()}
    replaced = {*own, *(ORDERING if own.keys() & ORDERING else ())}
    every = {role: name for role, name in named.items() if not isinstance(name, Mapping)}
    return {role: name for role, name in every.items() if role not in replaced} | own


def refuse_no_run(named: Mapping[str, Any], runs: Sequence[Sequence[str | None]]) -> None:
    """Refuses column names for a run that does not exist.

    Args:
        named: as in ``columns_of_run``.
        runs: the names by which each run may be known, with the usual name first.

    Raises:
        DataError: columns are named for a run that does not exist.
    """
    own = (run for run, each in named.items() if isinstance(each, Mapping) and insists(each))
    for run in own:
        if not any(run in names for names in runs):
            raise refused(
                "{columns} names columns of '{run}', which is not one of the runs: {there}.",
                columns=Worded("run_columns", "--run-columns"),
                run=run,
                there=", ".join(dict.fromkeys(f"'{names[0]}'" for names in runs)) or "there are none",
            )


def columns_named(named: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Returns the columns that a caller named, by the roles under which they were named."""
    return tuple(
        ("distance", str(name)) if isinstance(name, Distance) else (role, name)
        for role, name in named.items()
        if name is not None
    )


def refuse_distance(asked: Asked) -> None:
    """Refuses the name of a column of distances for a run that has no columns.

    Raises:
        DataError: a column of distances is named.
    """
    if isinstance(name := asked.get("score"), Distance):
        raise refused(
            "'{column}' is named as the distance, but a run of the form {{query: {{document: score}}}} has no columns.",
            "Use the negated distance as the score, and omit the column name.",
            error=NoSuchColumnsError,
            column=name,
        )


def role_said(role: str, name: object) -> str:
    """Returns the role under which a caller named a column."""
    return "distance" if isinstance(name, Distance) else role


def constant_in(asked: Asked) -> float | None:
    """Returns the grade of every row if the caller gave a number, otherwise None."""
    grade = asked.get("grade")
    return None if grade is None or isinstance(grade, str) else float(grade)


def named_in(asked: Asked) -> dict[str, str | None]:
    """Returns the columns' names by role, without the roles for which the caller gave a number."""
    return {role: name for role, name in asked.items() if name is None or isinstance(name, str)}


@cache  # the table of names never changes
def known_names() -> dict[str, dict[str, Any]]:
    """Returns the usual column names, from ``columns.toml``."""
    return own_table(__file__, "columns.toml")


def choose(
    names: Sequence[str], kind: str, wanted: Asked, listed: Sequence[str] | None = None
) -> dict[str, str]:
    """Maps each role to a column: the column that the caller named, otherwise a column with a usual name.

    Args:
        names: the columns.
        kind: ``qrels`` or ``run``.
        wanted: columns' names by role; None looks for a usual name.
        listed: the names to list in an error, if they differ from ``names``.

    Raises:
        DataError: a column is missing or ambiguous, or a rank column is named as scores.
    """
    asked = named_in(wanted)
    if kind == "run" and (score := asked.get("score")) is not None:
        asked = asked | {"score": no_rank(score, names)}
    words = {"kind": kind, "there": there(names if listed is None else listed)}
    own = {name: name for name in names}  # a name may be an object with the attribute ``parts``
    chosen: dict[str, str] = {}
    for role, name in asked.items():
        if name is not None and name not in names:
            raise no_such_column(asked, names, column=name, role=role_said(role, wanted[role]), **words)
        if name is None and role == "score" and asked["rank"] is not None:
            continue  # if the caller named only the rank, the ranks give the order
        free = [each for each in names if each not in asked.values()]
        found = [name] if name else nearest_of(usual(free, role))
        for each in found:
            refuse_namesakes(names, kind, each)
        if name is None and kind == "run" and role == "score" and found:
            near = [each for each in free if depth_of(each) <= depth_of(found[0])]
            found += [each for each in near if each not in found and names_score(each)]
        if len(found) > 1:
            raise several_columns(found, role, **words)
        if found:
            chosen[role] = own[found[0]]
    missing: list[str] = [role for role in (*IDS, "grade") if role in asked and role not in chosen]
    if "score" in asked and not {"score", "rank"} & chosen.keys():
        missing.append("score")
    if missing:
        # TREC text that is read as the table of one query contains none of the columns.
        error = DataError if chosen or "query" in asked else NoSuchColumnsError
        swapped = seems_other(names, kind, asked) or distances_in(names, missing)
        raise no_column(missing, swapped=swapped, error=error, **words)
    if "sample_size" in chosen and "probability" in asked and "probability" not in chosen:
        ways = {"reading": by_reading(kind, probability=...), "complete": by_reading(kind, probability=1)}
        raise refused(
            "The {kind} frame has a column '{column}', so it is a sample, but it has no column with a usual name for "
            "the probability with which each document was drawn. The columns are: {there}.",
            "Name the column: {reading}. If the judgments are complete, use {complete}.",
            **words,
            column=chosen["sample_size"],
            **ways,
        )
    return chosen


def no_such_column(asked: Mapping[str, str | None], names: Collection[str], **words: str) -> DataError:
    """Returns the error for a table that does not contain a column that the caller named."""
    error = DataError if any(each in names for each in asked.values()) else NoSuchColumnsError
    found = "The {kind} frame has no column '{column}' for the {role}. The columns are: {there}."
    return refused(found, error=error, **words)


def depth_of(name: str) -> int:
    """Returns the number of fields in the path of a column, which is greater than one for nested columns."""
    return len(getattr(name, "parts", (name,)))


def nearest_of(names: list[str]) -> list[str]:
    """Returns the least deeply nested columns, for example a hit's ``_score`` but not ``_source.score``."""
    return [each for each in names if depth_of(each) == min(map(depth_of, names))]


def several_columns(found: Sequence[str], role: str, kind: str, there: str) -> DataError:
    """Returns the error for a table in which several columns might have the same role."""
    words = {"kind": kind, "there": there, "column": found[0], "role": role}
    return refused(
        "The {kind} frame has {both}, either of which could be the {role}. The columns are: {there}.",
        "Name one: {reading}.",
        **words,
        both=" and ".join(f"'{each}'" for each in found),
        reading=by_reading(kind, **{role: str(found[0])}),
    )


def no_column(missing: Sequence[str], kind: str, **words: Any) -> DataError:
    """Returns the error for a table that does not contain columns for some roles."""
    if kind == "run" and "query" in missing and f"'{HITS}" in words["there"]:
        return refused("the answers of a search engine do not contain query ids.", ANSWERS_NAMED, file=kind)
    more: str = ""
    if missing[-1] == "score":
        more = worded(", or ", by_reading(kind, rank=...), " where 1 is the best")
    elif missing[-1] == "grade":
        more = worded("; if each row is relevant (implicit feedback), ", by_reading(kind, grade=1))
    if missing[0] == "query" and len(missing) == 1:
        every = by_reading(kind, query=f"{CONSTANT}q1")
        more = worded("; if every row belongs to one query, ", every, more)
    roles = one_of([f"the {each}" for each in (*missing, *["rank"] * (missing[-1] == "score"))])
    them, reading = "it" if len(missing) == 1 else "them", by_reading(kind, **dict.fromkeys(missing, ...))
    return refused(
        "The {kind} frame has no column with a usual name for {roles}. The columns are: {there}.",
        "Name {them}: {reading}{more}.{swapped}",
        kind=kind,
        **words | {"roles": roles, "them": them, "reading": reading, "more": more},
    )


def there(names: Sequence[str]) -> str:
    """Returns the columns' names as text for a sentence."""
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return (", ".join(f"'{name}'" for name in names[:MOST_NAMES]) or "none") + more


def distances_in(names: Sequence[str], missing: Sequence[str]) -> str | Worded:
    """Returns the advice for a run without scores that has a column of distances, otherwise an empty string."""
    found = usual(names, "distance") if missing == ["score"] else []
    if not found:
        return ""
    reading = by_reading("run", distance=found[0])
    return worded(
        f" '{found[0]}' seems to contain distances, where smaller is better: name it as the distance (",
        reading,
        ").",
    )


def refuse_namesakes(names: Sequence[str], kind: str, wanted: str | None = None) -> None:
    """Refuses two columns with the same name. If ``wanted`` is given, only that name is checked.

    Raises:
        DataError: two columns have the same name.
    """
    for name in names if wanted is None else (wanted,):
        if names.count(name) > 1:
            raise refused(
                "The {kind} frame has {count} columns named '{column}'.",
                "Rename all but one.",
                kind=kind,
                count=names.count(name),
                column=name,
            )


def seems_other(names: Sequence[str], kind: str, asked: dict[str, str | None]) -> str:
    """Returns a hint that the names suggest scores or swapped qrels and run, or an empty string if they do not."""
    run = kind == "run"
    if any(asked.values()):
        return ""
    if (
        usual(names, "query")
        and not usual(names, "document")
        and ("measure" in map(plain_name, names) or any(map(is_measure, names)))
    ):
        return f" {COLUMNS_ADVICE[kind]['values']}"
    own, other = ("rank", "grade") if run else ("grade", "rank")
    if usual(names, own) or not usual(names, other):
        return ""
    return f" This looks like {'qrels' if run else 'a run'}: {SWAPPED}"


def no_rank(name: str, names: Sequence[str]) -> str:
    """Returns the caller's name for the score column, without a trailing ``!``.

    Raises:
        DataError: the name suggests ranks.
    """
    if isinstance(name, Distance):
        return name
    if name not in names and name.endswith(INSISTED):
        return name.removesuffix(INSISTED)
    if says_rank(name):
        raise refused(
            "The name of column '{column}' of the run frame suggests ranks, which would turn each list upside down if "
            "used as scores.",
            column=name,
            remedy=rank_or_score(name),
        )
    if usual([name], "distance"):
        raise refused(
            "The name of column '{column}' of the run frame suggests distances, which would turn each list upside "
            "down if used as scores.",
            "If smaller values are better, use {distance}. If it is a score, use {score}.",
            column=name,
            distance=by_reading("run", distance=name),
            score=by_reading("run", score=f"{name}{INSISTED}"),
        )
    return name


def rank_or_score(name: str) -> str:
    """Returns the remedy for a score column that seems to contain ranks."""
    rank, score = by_reading("run", rank=name), by_reading("run", score=f"{name}{INSISTED}")
    return worded("If it is a rank, use ", rank, ". If it is a score, use ", score, ".")


def says_rank(name: str) -> bool:
    """Returns whether a column's name suggests ranks."""
    words = set(words_in(name))
    scores, ranks = (set(chain(*known_names()["usual"][role])) for role in ("score", "rank"))
    return not words & scores and (plain_name(name) in ranks or bool(words & ranks))


def names_score(name: str) -> bool:
    """Returns whether a name ends in the word "score" or "scores", such as ``rerank_score`` or ``bm25Scores``."""
    return words_in(name)[-1] in ("score", "scores")


def words_in(name: str) -> list[str]:
    """Returns the words of a column's name, in lower case."""
    return re.split(r"[\W_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name)).casefold())


def usual(names: Sequence[str], role: str) -> list[str]:
    """Returns the columns whose names are in the first group of usual names that matches any column."""
    plain = {name: plain_name(name) for name in names}
    for bracket in known_names()["usual"][role]:
        found = [name for name in names if plain[name] in bracket]
        if found:
            return found
    return []


def first_usual(names: Sequence[str], roles: Sequence[str]) -> dict[str, str]:
    """Returns the first column with a usual name for each role that has one."""
    found = {role: usual(names, role) for role in roles}
    return {role: its[0] for role, its in found.items() if its}


def names_column(name: str) -> bool:
    """Returns whether a name or its singular is a usual name for a column or a list, whatever the role."""
    known = set(chain(*chain(*known_names()["usual"].values()), *known_names()["lists"].values()))
    plain = plain_name(name)
    return plain in known or plain.removesuffix("s") in known


def plain_name(name: object) -> str:
    """Returns a column's name in normal form: lower case, without separators."""
    return re.sub(r"[\s_-]+", "", str(name)).casefold()
