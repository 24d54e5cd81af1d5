"""The data for a page: numbers for its script, the leaderboard, curves along the ranks, and queries shown in full."""

from __future__ import annotations

import base64
import gzip
import json
import math
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob._version import __version__
from carob.comparison.findings import letter, ranked
from carob.comparison.significance import differing
from carob.comparison.tables import EVERYTHING, in_overview, overview
from carob.comparison.verdict import (
    digits_of,
    p_text,
    p_titles,
    reference_of,
    smallest_p,
    verdict_of,
)
from carob.conventions.request import request_of
from carob.diagnosis.explain import Subject, explained
from carob.evaluation.engine import scores_of
from carob.evaluation.evidence import lists_held
from carob.evaluation.values import values_of
from carob.inputs.ids import bytes_of, text_of
from carob.lists.flat import Flat, fill, kept_down_to
from carob.lists.rows import stacked
from carob.matching.match import keeps_order, of_query, rankings_of
from carob.measures import Measure, parse_measure
from carob.output.errors import CarobError
from carob.output.formats.html import Html
from carob.output.layout import decimals, interval
from carob.reports.page import MOST_BARS, MOST_DOTS, MOST_IN_FOREST
from carob.statistics.rank_correlation import kendall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from carob.comparison.compare import Comparison
    from carob.comparison.findings import Contest, Pair, Settings
    from carob.conventions.policy import Policy
    from carob.evaluation.evidence import Read, System
    from carob.evaluation.scores import Scores
    from carob.inputs.qrels import Qrels
    from carob.inputs.texts import Text
    from carob.lists.rows import Floats
    from carob.measures.define import Definition


MOST_QUERIES = 50
ALL_QUERIES = 2 * MOST_QUERIES
"""Up to this number of queries, the page shows every query in full. If there are more, it shows ``MOST_QUERIES``."""

MOST_DOCUMENTS = 20
MOST_DERIVATIONS = 400
"""The maximum number of derivations, over all runs, for the primary measure, and for all other measures together.

Each derivation takes about a third of a kilobyte.
"""

EACH = 8
"""The number of queries chosen for each criterion if not all queries are shown."""


# ---------------------------------------------------------------- which queries


def chosen_queries(values: Floats, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the queries to show in full, the most informative first. If there are many, only a selection is returned.

    Args:
        values: each run's per-query scores by the primary measure [queries, runs].
        pairs: the pairs of runs whose largest differences are considered, the most important pair first; empty for a
            single run.
    """
    count = len(values)
    filled = np.nan_to_num(values)
    if count <= ALL_QUERIES:
        key = -np.abs(np.subtract(*filled[:, pairs[0]].T)) if pairs else filled.mean(axis=1)
        order: list[int] = np.argsort(key, kind="stable").tolist()
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
"""The derivation of each score as HTML, by measure, query and run; None if the run has no ranked lists or no score."""


Shares: TypeAlias = "list[dict[int, list[list[float] | None]]]"
"""The contributions of the first documents to a score and of all later ones together, by measure, query and run."""


@dataclass(frozen=True, eq=False)
class Closeup:
    """A query shown in full: its documents, and each run's ranking of them.

    Args:
        query: the index of the query among the comparison's queries.
        documents: each document with its grade, which is None if the document is unjudged.
        lists: the first documents of each run, as indices into ``documents``; None for a run passed as scores.
        judged: the number of judged documents of the query.
        relevant: the number of documents with a grade of 1 or more.
    """

    query: int
    documents: tuple[tuple[str, float | None], ...]
    lists: tuple[tuple[int, ...] | None, ...]
    judged: int
    relevant: int


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A selection of a comparison's queries, with their judgments.

    Args:
        systems: the runs. The lists of runs that are not text are kept in memory.
        qrels: the judgments of each query, by its index among the comparison's queries.
        ids: the id of each query in ``qrels``, by the same index.
    """

    systems: tuple[System, ...]
    qrels: dict[int, Qrels]
    ids: dict[int, bytes]

    @classmethod
    def of(cls, read: Read, queries: Sequence[str], chosen: Sequence[int]) -> Excerpt:
        """Selects the judgments of the chosen queries. Queries without judgments are omitted."""
        qrels, systems = read.qrels, tuple(read.systems.values())
        if qrels is None or not any(each.run for each in systems):
            return cls(systems, {}, {})
        places = {query: place for place, query in enumerate(qrels.queries)}
        ids = {query: bytes_of(queries[query]) for query in chosen if queries[query] in places}
        systems = tuple(
            each if each.run is None else replace(each, run=lists_held(each.run, ids.values()))
            for each in systems
        )
        return cls(systems, {query: of_query(qrels, places[queries[query]]) for query in ids}, ids)

    def subjects(self) -> list[Subject | None]:
        """Returns the lists of each run to explain; None for a run passed as scores."""
        qrels = {text_of(self.ids[query]): each for query, each in self.qrels.items()}
        return [
            Subject(each.run.name, each.matched, qrels, each.run) if each.run and each.matched else None
            for each in self.systems
        ]


def first_documents(subject: Subject, policy: Policy, *, whole: bool) -> list[list[tuple[str, float | None]]]:
    """Returns the top documents of each query, with the grades used in the evaluation.

    Args:
        subject: the lists of a run.
        policy: the policy.
        whole: whether to read whole lists and keep them for derivations.
    """
    assert subject.run is not None
    depth = MOST_DOCUMENTS if keeps_order(policy) and not whole else None
    found = subject.part(subject.qrels).matches.under(policy)
    rows = fill(found.rows if depth is None else Flat(found.rows).top(depth).rows)
    by_query = [each.tolist() for each in np.split(rows.grade, rows.offsets[1:-1])]
    known = dict(zip(found.queries.texts, by_query))
    grades = [known.get(query, []) for query in subject.qrels]
    tops = rankings_of(list(subject.qrels.values()), subject.run, policy, grades, depth)
    if whole:
        subject.know(list(subject.qrels), policy, tops)
    return [
        [
            (document, grade if grade >= 0 else None)
            for document, grade in zip(top.documents[:MOST_DOCUMENTS], own)
        ]
        for top, own in zip(tops, grades, strict=True)
    ]


def looked_at(excerpt: Excerpt, comparison: Comparison) -> tuple[list[Closeup], Derivations]:
    """Returns the data of each query that the page shows in full, and the derivations of scores up to a limit.

    Each run is read once for the first documents of all queries, and once for the whole lists of some queries.
    """
    contests, queries = list(comparison.contests.values()), comparison.queries
    policy, subjects = comparison.scores[0].policy, excerpt.subjects()
    shares = [1, *[len(contests) - 1] * (len(contests) - 1)]
    rooms = [max(MOST_DERIVATIONS // (len(comparison.names) * share), 1) for share in shares]
    whole = max(rooms) >= len(excerpt.ids)
    tops = [None if each is None else first_documents(each, policy, whole=whole) for each in subjects]
    closeups = [
        closeup(query, excerpt.qrels[query], [None if run is None else run[place] for run in tops])
        for place, query in enumerate(excerpt.qrels)
    ]
    derivations: Derivations = [{query: [] for query in list(excerpt.ids)[:room]} for room in rooms]
    for system, subject in zip(excerpt.systems, subjects, strict=True):
        parts: dict[int, Subject] = {}  # matched once for all measures
        for contest, own in zip(contests, derivations, strict=True):
            names = [queries[query] for query in own]
            if subject is not None and len(own) not in parts:
                parts[len(own)] = subject.part(names)
            found = {} if subject is None else derived(parts[len(own)], contest, system.scores)
            for query, name in zip(own, names, strict=True):
                own[query].append(found.get(name))
    return closeups, derivations


def closeup(query: int, qrels: Qrels, tops: Sequence[Sequence[tuple[str, float | None]] | None]) -> Closeup:
    """Returns the data of one query: the top documents of each run, with their grades."""
    known: dict[str, int] = {}
    grades: list[float | None] = []
    lists: list[tuple[int, ...] | None] = []
    for top in tops:
        if top is None:
            lists.append(None)
            continue
        for document, grade in top:
            if document not in known:
                known[document] = len(known)
                grades.append(grade)
        lists.append(tuple(known[document] for document, _ in top))
    judged = qrels.judgments.grades
    return Closeup(
        query, tuple(zip(known, grades)), tuple(lists), int((judged >= 0).sum()), int((judged >= 1).sum())
    )


def shares_of(excerpt: Excerpt, comparison: Comparison) -> Shares:
    """Returns the contribution of each document to the score by each measure.

    The contribution of a document is the score of the list down to this document minus the score of the list above it.
    For a measure that is a sum over documents, the contributions are the terms of the sum. The last number in a list is
    the contribution of all documents that are not shown, so the numbers add up to the score.
    """
    policy, contests = comparison.scores[0].policy, list(comparison.contests.values())
    found: Shares = [{query: [] for query in excerpt.ids} for _ in contests]
    for subject in excerpt.subjects():
        part = None if subject is None else subject.part(subject.qrels)
        for contest, own in zip(contests, found, strict=True):
            known = {} if part is None else steps_of(part, contest.measure, policy)
            for query, name in excerpt.ids.items():
                own[query].append(known.get(text_of(name)))
    return found


def steps_of(subject: Subject, measure: Measure, policy: Policy) -> dict[str, list[float]]:
    """Returns the contributions of the first documents in each list and of all later ones together, by query."""
    policy = policy.of_measure(measure)
    match = subject.matches.under(policy)
    rows = match.rows
    if policy.ties == "expected" or rows.by_group is not None or measure.micro or not len(rows.length):
        return {}
    depths = np.array([*range(MOST_DOCUMENTS + 1), np.inf])
    cut = kept_down_to(stacked([rows] * len(depths)), np.repeat(depths, len(rows.length)))
    try:
        values = values_of(cut, [measure])[:, 0].reshape(len(depths), -1)
    except CarobError:
        return {}
    steps = np.diff(values, axis=0).T.round(13)
    return {
        query: own.tolist()
        for query, own, start in zip(match.queries.texts, steps, values[0], strict=True)
        if start == 0 and np.isfinite(own).all()
    }


def derived(subject: Subject, contest: Contest, scores: Scores) -> dict[str, str]:
    """Returns the derivation of a run's score for each query. Queries without a score are omitted."""
    measure, values = contest.measure, scores.by_query(contest.label)
    policy = scores.policy.of_measure(measure)
    try:
        found = explained(subject, contest.label, measure, policy, values, rows=MOST_DOCUMENTS, digits=4)
    except CarobError:
        alone = [subject.part([query]) for query in subject.qrels] if len(subject.qrels) > 1 else []
        return {query: text for each in alone for query, text in derived(each, contest, scores).items()}
    form = Html(4)
    return {each.query: each.document("html").written(form) for each in found}


# ---------------------------------------------------------------- numbers

SNIPPET = 300
"""The maximum number of characters that the page shows of a text."""

MOST_VALUES = 500_000
"""The maximum number of per-query scores on a page.

Each score takes 4 bytes. If there are more scores, the page contains only those of the first measures.
"""

MOST_GROUPS = 4
"""The maximum number of letter groups next to a score."""

MOST_ROWS = 100
"""The maximum number of rows in the table of queries."""


def numbers_of(
    comparison: Comparison,
    curves: Sequence[Alongside],
    closeups: Sequence[Closeup],
    queries: dict[str, Text],
    documents: dict[str, Text],
) -> dict[str, Any]:
    """Returns the data that the page's script uses."""
    settings = comparison.settings
    grades = sorted({grade for each in closeups for _, grade in each.documents if grade is not None})
    texts = [queries[name].text if name in queries else "" for name in comparison.queries]
    return {
        "carob": __version__,
        "names": comparison.names,
        "letters": comparison.primary.marks,
        "labels": comparison.labels,
        "queries": comparison.queries,
        "texts": texts if any(texts) else None,
        "pair": reference_of(comparison),
        "alpha": settings.alpha,
        "p_titles": p_titles(settings),
        "digits": digits_of(len(comparison.ids)),
        "most_bars": MOST_BARS,
        "most_dots": MOST_DOTS,
        "most_rows": MOST_ROWS,
        "most_in_forest": MOST_IN_FOREST,
        "contests": [contest_row(each, comparison) for each in comparison.contests.values()],
        "confidence": f"{settings.confidence * 100:g}%",
        "values": values_block(list(comparison.contests.values())),
        "curves": [
            {"name": each.name, "says": each.says, "at": each.at, "runs": each.runs} for each in curves
        ],
        "grades": {"shown": few(grades), "max": max(grades, default=0)},
        "closeups": [closeup_row(each, documents) for each in closeups],
    }


def contest_row(contest: Contest, comparison: Comparison) -> dict[str, Any]:
    """Returns one measure's verdict, means with intervals, and pairs as rows of numbers."""
    verdict, settings = verdict_of(comparison, contest), comparison.settings
    least = [smallest_p(settings, adjusted=adjusted) for adjusted in (False, True)]
    numbers = iter(
        seven_digits(
            number
            for each, sure in zip(contest.pairs, differing(contest), strict=True)
            for number in (
                *(each.difference, each.low, each.high, each.d_z),
                # If a test of signs favours the run with the worse mean, it shows no difference between means.
                math.nan if each.p_corrected < settings.alpha and not sure else each.p_corrected,
                *(each.detectable, each.joint_low, each.joint_high),
            )
        )
    )
    standing = overview(contest)
    return {
        "verdict": [verdict.headline, verdict.sentences, verdict.small],
        "against": verdict.against,
        "smaller": contest.smaller_is_better,
        "depth": contest.measure.depth,
        "digits": digits_of(len(comparison.ids), contest),
        "means": seven_digits(contest.means),
        "low": seven_digits(contest.low),
        "high": seven_digits(contest.high),
        "order": ranked(contest),
        "rank": standing["rank"],
        "doubt": list(map(bool, standing["best?"])),
        "pairs": [pair_row(each, list(islice(numbers, 8)), settings, least) for each in contest.pairs],
    }


def pair_row(
    pair: Pair, numbers: Sequence[float | None], settings: Settings, least: Sequence[float]
) -> list[Any]:
    """Returns the row of numbers for one pair. ``pairOf`` in the page's script assigns them to named fields.

    Args:
        pair: the pair.
        numbers: the difference, the ends of its interval, d_z, the adjusted p-value, the detectable difference, and the
            ends of the joint interval.
        settings: the settings of the comparison.
        least: the smallest p-value that the test can return, and the smallest adjusted p-value.
    """
    *effect, adjusted, detectable, low, high = numbers
    return [
        pair.a,
        pair.b,
        *effect,
        pair.wins,
        pair.ties,
        pair.losses,
        adjusted,
        p_text(pair.p_uncorrected, settings.alpha, least[0]),
        p_text(pair.p_corrected, settings.alpha, least[1]),
        detectable,
        int(pair.identical),  # 1 is shorter than true, and there are many pairs
        low,
        high,
    ]


def seven_digits(values: Iterable[float]) -> list[float | None]:
    """Rounds numbers to seven digits, more than the page shows. Undefined numbers become None."""
    numbers = list(values)
    texts = ("%.7g " * len(numbers) % tuple(numbers)).split()  # in one call, because there are many pairs
    return [float(text) if math.isfinite(each) else None for text, each in zip(texts, numbers, strict=True)]


def values_block(contests: Sequence[Contest]) -> dict[str, Any]:
    """Returns the scores by measure, run and query as 32-bit floats, limited to the first measures if too many."""
    size = max(contests[0].values.size, 1)
    kept = contests[: max(MOST_VALUES // size, 1)]
    block = np.stack([contest.values.T for contest in kept]).astype("<f4")
    return {"measures": len(kept), "data": base64.b64encode(block.tobytes()).decode()}


def closeup_row(closeup: Closeup, documents: dict[str, Text]) -> dict[str, Any]:
    """Returns the data of a query that the page shows in full."""
    rows: list[list[Any]] = []
    for name, grade in closeup.documents:
        own = documents.get(name)
        whole = None if grade is None else int(grade) if grade == int(grade) else grade
        rows.append([name, whole] if own is None else [name, whole, own.title, own.text])
    known = f"{closeup.judged} documents judged, {closeup.relevant} of them relevant (grade 1 or more)."
    return {"query": closeup.query, "documents": rows, "lists": closeup.lists, "says": known}


def few(grades: Sequence[float]) -> list[float]:
    """Returns up to five grades for a legend, including the lowest and the highest."""
    if len(grades) <= 5:
        return list(grades)
    return [grades[round(step * (len(grades) - 1) / 4)] for step in range(5)]


def packed(derivations: Derivations | Shares) -> str:
    """Compresses derivations or contributions. The same data always yields the same bytes."""
    text = json.dumps(derivations, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode()


# ---------------------------------------------------------------- the leaderboard


def board(comparison: Comparison) -> dict[str, Any]:
    """Returns the table of scores, best run first, with the interval bars of the primary measure."""
    primary = comparison.primary
    ends = [each for each in (*primary.low, *primary.high, *primary.means) if math.isfinite(each)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    order = ranked(primary)
    judged = [share for share in comparison.judged if share == share]
    shorter, standing = in_overview(comparison, EVERYTHING), overview(primary)
    return {
        "low": decimals(low, 2),
        "high": decimals(high, 2),
        "depth": comparison.judged_depth,
        "judged": bool(judged),
        "letters": not shorter and any(any(contest.letters) for contest in comparison.contests.values()),
        "numbered": primary.numbered,
        "overview": shorter,
        "rows": [
            board_row(comparison, run, place, low, high)
            | {"doubt": standing["best?"][run], "rank": standing["rank"][run].replace("-", "–")}
            for place, run in enumerate(order)
        ],
    }


def board_row(comparison: Comparison, run: int, place: int, low: float, high: float) -> dict[str, Any]:
    """Returns the leaderboard row of one run."""
    primary, share = comparison.primary, comparison.judged[run]
    digits = digits_of(len(comparison.ids), primary)
    ends = interval(primary.low[run], primary.high[run], digits)
    return {
        "run": run,
        "place": -place,
        "letter": primary.marks[run],
        "name": comparison.names[run],
        "whisker": whisker(primary, run, low, high),
        "interval": f"{decimals(primary.means[run], digits)} {ends}",
        "cells": [cell(contest, run) for contest in comparison.contests.values()],
        "judged": {"value": seven_digits([share])[0], "text": decimals(share, 3, undefined="–")},
    }


def cell(contest: Contest, run: int) -> dict[str, Any]:
    """Returns a run's mean by one measure as a leaderboard cell."""
    digits = digits_of(len(contest.values), contest)
    top = contest.means[ranked(contest)[0]]
    return {
        "value": seven_digits([contest.means[run]])[0],
        "text": decimals(contest.means[run], digits),
        "letters": in_ranges(
            [contest.places[each] for each in contest.beaten[run]], numbered=contest.numbered
        ),
        "best": decimals(contest.means[run], digits) == decimals(top, digits),
    }


def in_ranges(beaten: Sequence[int], *, numbered: bool = False) -> str:
    """Returns the letters for places, with ranges such as ``b–f``, or the number of runs if ranges are too many."""
    groups: list[list[int]] = []
    for place in sorted(beaten):
        if groups and place == groups[-1][-1] + 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    if len(groups) > MOST_GROUPS:
        return f"{len(beaten)} runs"
    marks = [[letter(place, numbered=numbered) for place in group] for group in groups]
    return ",".join(f"{each[0]}–{each[-1]}" if len(each) > 2 else ",".join(each) for each in marks)


def whisker(contest: Contest, run: int, low: float, high: float) -> dict[str, str] | None:
    """Returns the positions of the mean and of the interval's ends in chart units, or None if any is undefined."""
    values = {"low": contest.low[run], "high": contest.high[run], "mean": contest.means[run]}
    if not all(map(math.isfinite, values.values())):
        return None
    span = high - low or 1.0
    return {name: f"{6 + 164 * (value - low) / span:.1f}" for name, value in values.items()}


# ---------------------------------------------------------------- measures


def correlation(comparison: Comparison) -> dict[str, Any] | None:
    """Returns, for each pair of measures, the correlations of the runs' ranks and of the per-query scores."""
    contests = list(comparison.contests.values())
    if len(contests) < 2:
        return None
    enough = len(comparison.names) >= 3
    rows = [
        [
            "·"
            if one is other
            else tau_of_measures(one, other)
            if across > down and enough
            else alike(one.values, other.values)
            for across, other in enumerate(contests)
        ]
        for down, one in enumerate(contests)
    ]
    return {"orders": enough, "rows": rows}


def tau_of_measures(one: Contest, other: Contest) -> str:
    """Returns Kendall's τ between the rankings of the runs by two measures."""
    found = kendall(np.array(one.means), np.array(other.means))
    return decimals(found, 2).replace("-", "−") if math.isfinite(found) else "–"


def alike(one: Floats, other: Floats) -> str:
    """Returns Pearson's r between two measures, over the queries and runs with a value for both measures."""
    x, y = one.ravel(), other.ravel()
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return "–"
    return f"{np.corrcoef(x, y)[0, 1]:.2f}".replace("-", "−")


# ---------------------------------------------------------------- measures along the ranks

DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100)
TENTHS = tuple(number / 10 for number in range(11))


@dataclass(frozen=True, eq=False)
class Alongside:
    """A chart of a measure at several depths or recall levels, for every run.

    Args:
        name: the name of the chart.
        says: a sentence that describes the chart.
        along: the title of the x axis.
        up: the title of the y axis.
        at: the depths or recall levels.
        runs: for each run, the means at the positions in ``at``.
    """

    name: str
    says: str
    along: str
    up: str
    at: tuple[float, ...]
    runs: tuple[tuple[float, ...], ...]


def alongside(read: Read, primary: Measure) -> list[Alongside]:
    """Returns the charts along the ranks: precision by recall, the primary measure and the judged share by depth."""
    systems = list(read.systems.values())
    deep = primary if takes_depth(primary) else parse_measure("nDCG@10")
    bare = replace(deep, depth=None)
    curves: tuple[tuple[str, str, str, str, tuple[float, ...]], ...] = (
        ("recall", "Interpolated precision at eleven recall levels.", "recall", "precision", TENTHS),
        ("depth", f"{bare} at each depth k.", "depth k", f"{bare}@k", DEPTHS),
        ("judged", "Share of judged documents among the first k.", "depth k", "judged@k", DEPTHS),
    )
    wanted = {
        "recall": [parse_measure(f"IPrec@{level}") for level in TENTHS],
        "depth": [replace(deep, depth=depth) for depth in DEPTHS],
        "judged": [parse_measure(f"Judged@{depth}") for depth in DEPTHS],
    }
    request = request_of(list(chain(*wanted.values())), None, systems[0].scores.policy)
    matched = [each.matched for each in systems if each.matched]
    found = [each.complete() for each in scores_of(matched, request, {}, bounds=False)] if matched else []
    return [
        Alongside(
            *curve,
            tuple(
                tuple(np.nan_to_num([each[str(it)] for it in wanted[curve[0]]]).tolist()) for each in found
            ),
        )
        for curve in (curves if len(found) == len(systems) else ())
    ]


def takes_depth(measure: Measure) -> bool:
    """Returns whether the measure is computed to a depth that can be changed."""
    definition: Definition = measure.definition
    return measure.depth is not None and definition.at == "depth" and definition.aggregate == "mean"
