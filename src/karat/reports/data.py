"""The data of a page: numbers for its script, the leaderboard, correlations of measures, and curves along the ranks."""

from __future__ import annotations

import base64
import gzip
import json
import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from karat._version import __version__
from karat.comparison.findings import letter, ranked
from karat.comparison.statistics.rank_correlation import kendall
from karat.comparison.verdict import (
    digits_of,
    interval,
    p_text,
    p_titles,
    reference_of,
    score,
    seen_from,
    smallest_p,
    split,
    verdict_of,
)
from karat.conventions.request import request_of
from karat.evaluation.scores import whole
from karat.measures import Measure, parse_measure
from karat.output.tables import decimals
from karat.reports.charts import MOST_BARS, MOST_DOTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.compare import Comparison
    from karat.comparison.findings import Contest, Pair, Settings
    from karat.comparison.runs import Evaluation
    from karat.lists.rows import Floats
    from karat.measures.define import Definition
    from karat.reports.queries import Closeup, Text


MOST_VALUES = 500_000
"""Per-query values in a page, 4 bytes each: all measures of a track, or the first ones of a large set."""

MOST_GROUPS = 4
"""Groups of letters next to a score."""

MOST_ROWS = 100
"""Rows of the table of queries."""


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
        "karat": __version__,
        "names": comparison.names,
        "letters": [letter(run) for run in range(len(comparison.names))],
        "labels": comparison.labels,
        "queries": comparison.queries,
        "texts": texts if any(texts) else None,
        "pair": reference_of(comparison),
        "alpha": settings.alpha,
        "p_titles": p_titles(settings),
        "digits": digits_of(len(comparison.queries)),
        "most_bars": MOST_BARS,
        "most_dots": MOST_DOTS,
        "most_rows": MOST_ROWS,
        "contests": [contest_row(each, comparison) for each in comparison.contests.values()],
        "values": values_block(list(comparison.contests.values())),
        "curves": [
            {"name": each.name, "says": each.says, "at": each.at, "runs": each.runs} for each in curves
        ],
        "grades": {"shown": few(grades), "max": max(grades, default=0)},
        "closeups": [closeup_row(each, documents) for each in closeups],
    }


def contest_row(contest: Contest, comparison: Comparison) -> dict[str, Any]:
    """Returns one measure's verdict, means with intervals, and pairs as rows of numbers."""
    verdict = verdict_of(comparison, contest)
    counted = contest.measure.definition.aggregate == "sum"
    return {
        "verdict": [verdict.headline, verdict.sentences, verdict.small],
        "against": verdict.against,
        "smaller": contest.smaller_is_better,
        "digits": 0 if counted else digits_of(len(comparison.queries)),
        "means": [number(each) for each in contest.means],
        "low": [number(each) for each in contest.low],
        "high": [number(each) for each in contest.high],
        "order": ranked(contest),
        "pairs": [pair_row(each, comparison.settings) for each in contest.pairs],
    }


def pair_row(pair: Pair, settings: Settings) -> list[Any]:
    """Returns the numbers of one pair. The script's ``pairOf`` names the fields."""
    return [
        pair.a,
        pair.b,
        *map(number, (pair.difference, pair.low, pair.high, pair.d_z)),
        pair.wins,
        pair.ties,
        pair.losses,
        number(pair.adjusted),
        p_text(pair.p, settings.alpha, smallest_p(settings, adjusted=False)),
        p_text(pair.adjusted, settings.alpha, smallest_p(settings, adjusted=True)),
        number(pair.detectable),
        pair.identical,
        *map(number, (pair.joint_low, pair.joint_high)),
    ]


def number(value: float) -> float | None:
    """Returns a number with seven digits, more than the page shows, or None if undefined."""
    return float(f"{value:.7g}") if math.isfinite(value) else None


def values_block(contests: Sequence[Contest]) -> dict[str, Any]:
    """Returns the values by measure, run and query as 32-bit numbers, or only the first measures of many queries."""
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


def packed(derivations: list[dict[int, list[str | None]]]) -> str:
    """Returns the compressed derivations by measure, query and run. The same data give the same bytes."""
    text = json.dumps(derivations, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()


# ---------------------------------------------------------------- the leaderboard


def board(comparison: Comparison) -> dict[str, Any]:
    """Returns the table of scores, best run first, and the whiskers of the primary measure."""
    primary = comparison.primary
    ends = [each for each in (*primary.low, *primary.high, *primary.means) if math.isfinite(each)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    digits = digits_of(len(comparison.queries))
    order = ranked(primary)
    judged = [share for share in comparison.judged if share == share]
    return {
        "low": score(low, 2),
        "high": score(high, 2),
        "depth": comparison.judged_depth,
        "judged": bool(judged),
        "letters": any(any(contest.letters) for contest in comparison.contests.values()),
        "rows": [board_row(comparison, run, place, low, high, digits) for place, run in enumerate(order)],
    }


def board_row(
    comparison: Comparison, run: int, place: int, low: float, high: float, digits: int
) -> dict[str, Any]:
    """Returns the row of one run in the leaderboard."""
    primary, alpha = comparison.primary, comparison.settings.alpha
    kind = primary.measure.definition.aggregate
    share = comparison.judged[run]
    ends = interval(primary.low[run], primary.high[run], digits, kind)
    return {
        "run": run,
        "place": -place,
        "letter": letter(run),
        "name": comparison.names[run],
        "whisker": whisker(primary, run, low, high),
        "interval": f"{score(primary.means[run], digits, kind)} {ends}",
        "cells": [cell(contest, run, digits, alpha) for contest in comparison.contests.values()],
        "judged": {"value": number(share), "text": decimals(share, 3, undefined="–")},
    }


def cell(contest: Contest, run: int, digits: int, alpha: float) -> dict[str, Any]:
    """Returns a score as a cell of the leaderboard."""
    kind = contest.measure.definition.aggregate
    written = [score(each, digits, kind) for each in contest.means]
    top = contest.means[ranked(contest)[0]]
    return {
        "value": number(contest.means[run]),
        "text": written[run],
        "letters": in_ranges(split(seen_from(contest, run), alpha)[0]),
        "best": written[run] == score(top, digits, kind),
    }


def in_ranges(beaten: Sequence[int]) -> str:
    """Returns the letters of runs, with ranges such as ``b–f``, or the number of runs if the letters are too long."""
    places = sorted(beaten)
    groups: list[list[int]] = []
    for place in places:
        if groups and place == groups[-1][-1] + 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    if len(groups) > MOST_GROUPS:
        return f"{len(places)} runs"
    said = [
        f"{letter(group[0])}–{letter(group[-1])}" if len(group) > 2 else ",".join(map(letter, group))
        for group in groups
    ]
    return ",".join(said)


def whisker(contest: Contest, run: int, low: float, high: float) -> dict[str, str] | None:
    """Returns the positions of the interval and the mean in the chart's units, or None if one is undefined."""
    values = {"low": contest.low[run], "high": contest.high[run], "mean": contest.means[run]}
    if not all(map(math.isfinite, values.values())):
        return None
    span = high - low or 1.0
    return {name: f"{6 + 164 * (value - low) / span:.1f}" for name, value in values.items()}


# ---------------------------------------------------------------- measures


def correlation(comparison: Comparison) -> dict[str, Any] | None:
    """Returns the rank correlation of the runs under two measures, and the correlation of their values."""
    contests = list(comparison.contests.values())
    if len(contests) < 2:
        return None
    enough = len(comparison.names) >= 3
    rows = [
        [
            "·"
            if one is other
            else orders(one, other)
            if across > down and enough
            else alike(one.values, other.values)
            for across, other in enumerate(contests)
        ]
        for down, one in enumerate(contests)
    ]
    return {"orders": enough, "rows": rows}


def orders(one: Contest, other: Contest) -> str:
    """Returns Kendall's τ between the orders in which two measures put the runs."""
    found = kendall(np.array(one.means), np.array(other.means))
    return score(found, 2).replace("-", "−") if math.isfinite(found) else "–"


def alike(one: Floats, other: Floats) -> str:
    """Returns Pearson's r of two measures, over the queries and runs for which both have a value."""
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
        says: a sentence that says what the chart shows.
        along: the title of the x axis.
        up: the title of the y axis.
        at: the depths or recall levels.
        runs: for each run, its means at these.
    """

    name: str
    says: str
    along: str
    up: str
    at: tuple[float, ...]
    runs: tuple[tuple[float, ...], ...]


def alongside(evaluation: Evaluation, primary: Measure) -> list[Alongside]:
    """Returns the charts along the ranks: precision by recall, and measure and share judged by depth."""
    systems = list(evaluation.systems.values())
    deep = primary if takes_depth(primary) else parse_measure("nDCG@10")
    bare = replace(deep, depth=None)
    curves: tuple[tuple[str, str, str, str, tuple[float, ...]], ...] = (
        ("recall", "Interpolated precision at eleven recall levels.", "recall", "precision", TENTHS),
        ("depth", f"{bare} down to each depth k.", "depth k", f"{bare}@k", DEPTHS),
        ("judged", "The share of the first k documents that is judged.", "depth k", "judged@k", DEPTHS),
    )
    wanted = {
        "recall": [parse_measure(f"IPrec@{level}") for level in TENTHS],
        "depth": [replace(deep, depth=depth) for depth in DEPTHS],
        "judged": [parse_measure(f"Judged@{depth}") for depth in DEPTHS],
    }
    request = request_of(list(chain(*wanted.values())), None, systems[0].scores.policy)
    found = [whole(each.matched.scores(request, bounds=False)) for each in systems if each.matched]
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
    """Returns whether the measure has a depth that can be changed."""
    definition: Definition = measure.definition
    return measure.depth is not None and definition.at == "depth" and definition.aggregate == "mean"
