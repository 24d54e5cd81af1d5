"""The queries that a page shows in full, and the texts of queries and documents."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.comparison.runs import parts_of
from karat.diagnosis.explain import Subject, explained
from karat.inputs.errors import sentences
from karat.inputs.sources import source_of
from karat.lists.flat import Flat
from karat.matching.match import of_query
from karat.output.errors import DataError, KaratError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from karat.comparison.compare import Comparison
    from karat.comparison.findings import Contest
    from karat.comparison.runs import Evaluation
    from karat.conventions.policy import Policy
    from karat.inputs.qrels import Qrels
    from karat.inputs.run import Run
    from karat.inputs.sources import Readable, Source
    from karat.lists.rows import Floats


MOST_QUERIES = 50
ALL_QUERIES = 2 * MOST_QUERIES
"""Up to this number, all queries are shown; of more, ``MOST_QUERIES``."""

MOST_DOCUMENTS = 20
MOST_DERIVATIONS = 400
"""For the primary measure over all runs, and as many for the others together: a third of a kilobyte each."""

EACH = 8
"""The number of queries chosen for each reason, where there are many."""


# ---------------------------------------------------------------- which queries


def chosen_queries(values: Floats, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the queries to show in full, the most informative first: all, or a selection if there are many.

    Args:
        values: each run's values of the primary measure [queries, runs].
        pairs: the pairs of runs whose largest differences count, the most important one first.
    """
    count = len(values)
    filled = np.nan_to_num(values)
    if count <= ALL_QUERIES:
        a, b = pairs[0]
        order: list[int] = np.argsort(-np.abs(filled[:, a] - filled[:, b]), kind="stable").tolist()
        return order
    wanted: dict[int, None] = {}
    for a, b in pairs[:1]:
        wanted |= extremes(filled[:, a] - filled[:, b])
    wanted |= extremes(filled.mean(axis=1))
    wanted |= dict.fromkeys(np.argsort(-np.ptp(filled, axis=1), kind="stable")[:EACH].tolist())
    for a, b in pairs[1:]:
        wanted |= extremes(filled[:, a] - filled[:, b])
    evenly = np.linspace(0, count - 1, MOST_QUERIES).astype(int)
    wanted |= dict.fromkeys(evenly.tolist())
    return list(wanted)[:MOST_QUERIES]


def extremes(column: Floats) -> dict[int, None]:
    """Returns the indices of the queries with the largest and the smallest values."""
    order = np.argsort(column, kind="stable")
    return dict.fromkeys([*order[::-1][:EACH].tolist(), *order[:EACH].tolist()])


# ---------------------------------------------------------------- lists and derivations

Derivations: TypeAlias = "list[dict[int, list[str | None]]]"
"""For each measure, query and run, how the value is computed, as HTML; None for a run without lists, or no value."""


@dataclass(frozen=True, eq=False)
class Closeup:
    """One query in full: its documents and their rank in each run.

    Args:
        query: its index among the comparison's queries.
        documents: each document with its grade, None if unjudged.
        lists: for each run, its first documents as indices into ``documents``; None for a run given as scores.
        judged: the number of judged documents of the query.
        relevant: the number with a grade of 1 or more.
    """

    query: int
    documents: tuple[tuple[str, float | None], ...]
    lists: tuple[tuple[int, ...] | None, ...]
    judged: int
    relevant: int


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Some queries, each with its judgments and its part of each run.

    Args:
        qrels: the judgments of each query, by its index among the comparison's queries.
        runs: for each run, the lists by query; None for a run given as scores.
    """

    qrels: dict[int, Qrels]
    runs: tuple[dict[int, Run] | None, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, queries: Sequence[str], chosen: Sequence[int]) -> Excerpt:
        """Returns the judgments and ranked lists of the chosen queries, without queries that are not judged."""
        qrels, runs = evaluation.qrels, [each.run for each in evaluation.systems.values()]
        if qrels is None or not any(runs):
            return cls({}, tuple(None for _ in runs))
        places = {query: place for place, query in enumerate(qrels.queries)}
        names = {query: queries[query] for query in chosen if queries[query] in places}
        ids = {query: name.encode("utf-8", "surrogateescape") for query, name in names.items()}
        lists = [None if run is None else parts_of(run, ids.values()) for run in runs]
        return cls(
            {query: of_query(qrels, places[name]) for query, name in names.items()},
            tuple(
                None if found is None else {query: found[ids[query]] for query in names} for found in lists
            ),
        )

    def subjects(self, query: int, name: str) -> list[Subject | None]:
        """Returns the ranked list of one query for each run, or None for a run given as scores."""
        return [
            None
            if lists is None
            else Subject(lists[query].name, name, qrels=self.qrels[query], run=lists[query], part=True)
            for lists in self.runs
        ]


def looked_at(excerpt: Excerpt, comparison: Comparison) -> tuple[list[Closeup], Derivations]:
    """Returns the queries of an excerpt in full, and derivations of their values up to a limit.

    Queries are processed one by one: each list is ranked once for all measures, and none is kept.
    """
    contests = list(comparison.contests.values())
    shares = [1, *[len(contests) - 1] * (len(contests) - 1)]
    rooms = [max(MOST_DERIVATIONS // (len(comparison.names) * share), 1) for share in shares]
    closeups: list[Closeup] = []
    derivations: Derivations = [{} for _ in contests]
    for number, query in enumerate(excerpt.qrels):
        subjects = excerpt.subjects(query, comparison.queries[query])
        closeups.append(closeup(query, excerpt.qrels[query], subjects, comparison.scores[0].policy))
        for contest, room, its in zip(contests, rooms, derivations, strict=True):
            if number < room:
                its[query] = [
                    derivation(contest, subject, scores.policy)
                    for subject, scores in zip(subjects, comparison.scores, strict=True)
                ]
    return closeups, derivations


def closeup(query: int, qrels: Qrels, subjects: Sequence[Subject | None], policy: Policy) -> Closeup:
    """Returns one query in full: the top documents of each run with their grades."""
    known: dict[str, int] = {}
    grades: list[float | None] = []
    lists: list[tuple[int, ...] | None] = []
    for subject in subjects:
        if subject is None:
            lists.append(None)
            continue
        ranked = []
        for document, grade in first_documents(subject, policy):
            if document not in known:
                known[document] = len(known)
                grades.append(grade)
            ranked.append(known[document])
        lists.append(tuple(ranked))
    judged = qrels.judgments.grades
    return Closeup(
        query, tuple(zip(known, grades)), tuple(lists), int((judged >= 0).sum()), int((judged >= 1).sum())
    )


def first_documents(subject: Subject, policy: Policy) -> list[tuple[str, float | None]]:
    """Returns the top documents of one query with the grades used in the evaluation."""
    found = subject.match(policy)
    if not found.queries:
        return []
    lists = Flat(found.rows, every_rank=True)
    ranking = subject.ranking(policy, lists)
    assert ranking is not None
    return [
        (document, grade if grade >= 0 else None)
        for document, grade in zip(ranking.documents[:MOST_DOCUMENTS], lists.rows.grade.tolist())
    ]


def derivation(contest: Contest, subject: Subject | None, policy: Policy) -> str | None:
    """Returns the derivation of a run's value for one query, or None without lists or a value."""
    if subject is None:
        return None
    try:
        found = explained(contest.label, contest.measure, subject, policy, rows=MOST_DOCUMENTS, digits=4)
    except KaratError:
        return None
    return found.document().html(4)


# ---------------------------------------------------------------- texts

TextsLike: TypeAlias = "Readable | Mapping[str, str | Mapping[str, str]]"

IDS = ("id", "_id", "qid", "query_id", "docid", "doc_id", "docno", "pid")
TEXTS = ("text", "contents", "body", "query", "question", "title")
LONGEST = 2**26
"""Bytes of the longest line, which may hold a whole document."""

SNIPPET = 300
"""Characters of a text that a page shows."""


@dataclass(frozen=True)
class Text:
    """A title, which may be empty, and the beginning of a text.

    Args:
        title: the title.
        text: its first characters.
    """

    title: str
    text: str


def texts_of(given: TextsLike, wanted: Container[str], kind: str) -> dict[str, Text]:
    """Returns the title and text of each wanted id.

    Args:
        given: a file with lines ``id<TAB>text`` or ``id<TAB>title<TAB>text``, or a JSON object a line with ``id``
            and ``text`` (or the names that BEIR and others use), compressed or not; or ``{id: text}``, or
            ``{id: {"title": …, "text": …}}``.
        wanted: the ids.
        kind: ``queries`` or ``documents``, for errors.

    Raises:
        DataError: a file or line that cannot be read.
    """
    if hasattr(given, "items"):
        pairs: Any = given.items()
        return {str(key): of_value(value, kind) for key, value in pairs if str(key) in wanted}
    source = source_of(given)
    with sentences(source.name):
        return dict(read(source, wanted, kind))


def read(source: Source, wanted: Container[str], kind: str) -> Iterator[tuple[str, Text]]:
    """Reads the texts of the wanted ids from a file.

    Raises:
        DataError: a line that is neither TSV nor JSON.
    """
    parse: Callable[[bytes], tuple[str, Text]] | None = None
    for number, line in enumerate(source.lines(LONGEST), 1):
        if not line.strip():
            continue
        parse = parse or (of_json if line.lstrip()[:1] == b"{" else of_tsv)
        try:
            key, text = parse(line)
        except (ValueError, KeyError, RecursionError) as error:
            raise DataError(
                f"{source.name}, line {number}: found no id and text ({error}). Write a file of {kind} as "
                'id<TAB>text, or as a JSON object a line: {"id": "q1", "text": "…"}.'
            ) from None
        if key in wanted:
            yield key, text


def of_tsv(line: bytes) -> tuple[str, Text]:
    """Parses a line ``id<TAB>text`` or ``id<TAB>title<TAB>text``.

    Raises:
        ValueError: the line has no tab.
    """
    cells = line.decode("utf-8", "surrogateescape").strip("\r\n").split("\t")
    if len(cells) < 2:
        raise ValueError("the line has no tab")
    return cells[0].strip(), made(cells[1] if len(cells) > 2 else "", cells[-1])


def of_json(line: bytes) -> tuple[str, Text]:
    """Parses a JSON object with an id, a text and an optional title.

    Raises:
        ValueError: the line is not a JSON object.
        KeyError: the object has no id or no text.
    """
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("the line is not a JSON object")
    key = next((found[name] for name in IDS if name in found), None)
    if key is None:
        raise KeyError("id")
    return str(key), of_value(found, "texts")


def of_value(value: Any, kind: str) -> Text:
    """Returns the title and text in a string, or in an object with a text and an optional title.

    Raises:
        DataError: neither.
    """
    if isinstance(value, str):
        return made("", value)
    if not hasattr(value, "get"):
        raise DataError(f"A text of the {kind} is {value!r}: give a string, or {{'title': …, 'text': …}}.")
    text = next((str(value[name]) for name in TEXTS if value.get(name)), "")
    title = str(value.get("title") or "")
    return made("" if title == text else title, text)


def made(title: str, text: str) -> Text:
    """Returns the beginning of a text on one line, as the page shows it."""
    flat = " ".join(text.split())
    return Text(" ".join(title.split()), flat if len(flat) <= SNIPPET else flat[: SNIPPET - 1] + "…")
