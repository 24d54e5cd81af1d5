"""The tables of a comparison as cells: scores, pairs and what follows; how they are laid out is decided elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.further import orders, strata
from karat.comparison.letters import letter
from karat.comparison.showing import EVERYTHING, Sheet, View, chosen, ranked, ranking
from karat.comparison.wording import (
    declared_negative,
    digits_of,
    effect,
    interval,
    lettered,
    p_text,
    p_titles,
    score,
    signed,
    smallest_p,
    tied_best,
)
from karat.output.tables import Marked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Contest, Findings, Pair

__all__ = ["sheets_of"]

LEAST_NAME, LEAST_PAIR = 10, 18


def sheets_of(comparison: Findings, view: View = EVERYTHING) -> list[Sheet]:
    """The tables of what a view shows, in reading order."""
    found = [board(comparison, view), against(comparison, comparison.primary, view)]
    found += [worst(comparison, view)] if view.worst else []
    found += strata(comparison)
    found += orders(comparison)
    return found


def board(comparison: Findings, view: View) -> Sheet:
    """A row a run: scores with their letters, the primary one with its interval, and how much is judged."""
    digits = digits_of(len(comparison.queries))
    counted = not lettered(comparison)
    header, columns = ["#", "run"], []
    for label, contest in comparison.contests.items():
        header.append(label)
        columns.append(score_cells(contest, digits, lettered=not counted))
        if contest is comparison.primary:
            header.append(f"{comparison.settings.confidence * 100:g}% CI")
            kind = contest.measure.definition.aggregate
            columns.append(
                [interval(*ends, digits, kind) for ends in zip(contest.low, contest.high, strict=True)]
            )
            if counted:
                header.append("beats")
                columns.append([str(each) for each in beaten(contest, comparison)])
    if len({score(each, 3) for each in comparison.judged}) > 1 and not declared_negative(comparison):
        header.append(f"judged@{comparison.judged_depth}")
        columns.append([score(each, 3) for each in comparison.judged])
    shown = ranking(comparison, view)
    rows = [[letter(run), comparison.names[run], *(column[run] for column in columns)] for run in shown]
    notes = []
    if counted:
        notes.append(
            f"Best {comparison.labels[0]} first. beats: how many runs it is significantly better than. The JSON has "
            "all letters and pairs."
        )
        if comparison.settings.baseline is None:
            header.insert(1, "group")
            groups = groups_of(comparison)
            rows = [[row[0], str(groups[run]), *row[1:]] for row, run in zip(rows, shown, strict=True)]
            notes.append(
                "group: its first run is significantly worse than the first of the group before; the others "
                "are not shown to be worse than their first."
            )
    if len(shown) < len(comparison.names):
        notes.append(f"{len(comparison.names) - len(shown)} more runs are tested and not shown (top).")
    note = " ".join(notes)
    names = frozenset({0, header.index("run")})
    return Sheet(header, rows, names, keep=header.index("run") + 1, note=note)


def score_cells(contest: Contest, digits: int, *, lettered: bool) -> list[str]:
    """The means, the best ones in bold, with the letters of the runs they are significantly better than."""
    kind = contest.measure.definition.aggregate
    room = max(map(len, contest.letters)) if lettered else 0
    return [
        Marked(score(mean, digits, kind), raised if lettered else "", bold=best, room=room)
        for mean, raised, best in zip(contest.means, contest.letters, tied_best(contest, digits), strict=True)
    ]


def beaten(contest: Contest, comparison: Findings) -> list[int]:
    """How many runs each one is significantly better than."""
    counts = [0] * len(contest.means)
    sign = -1 if contest.smaller_is_better else 1
    for pair in contest.pairs:
        if pair.adjusted < comparison.settings.alpha and pair.difference:
            counts[pair.a if sign * pair.difference > 0 else pair.b] += 1
    return counts


def against(comparison: Findings, contest: Contest, view: View) -> Sheet:
    """A row a pair: difference, interval, effect, wins, p."""
    shown, note = chosen(comparison, contest, view)
    baseline = comparison.settings.baseline
    if baseline is not None:
        title = f"vs {comparison.names[baseline]}, {contest.label}"
        names = [[letter(pair.a), comparison.names[pair.a]] for pair in shown]
    else:
        title = f"{contest.label}"
        names = [
            [f"{letter(pair.a)}-{letter(pair.b)}", f"{comparison.names[pair.a]} - {comparison.names[pair.b]}"]
            for pair in shown
        ]
    header, rows = numbers_of(comparison, contest, shown)
    cells = [[*name, *row] for name, row in zip(names, rows, strict=True)]
    return Sheet(
        ["", title, *header],
        cells,
        frozenset({0, 1}),
        note=note,
        told=LEAST_PAIR if baseline is None else LEAST_NAME,
        # Where there is a corrected p, that is the one to keep.
        least=("d_z", *(raw for raw, corrected in [p_titles(comparison.settings)] if corrected), "W/T/L"),
        fewer=baseline is not None,
    )


def worst(comparison: Findings, view: View) -> Sheet:
    """A row a pair and query: those on which the first run falls furthest behind the second, or behind the baseline."""
    contest, digits = comparison.primary, max(digits_of(len(comparison.queries)), 4)
    sign = -1 if contest.smaller_is_better else 1
    rows = []
    for pair in chosen(comparison, contest, view)[0]:
        values = contest.values[:, [pair.a, pair.b]]
        change = sign * (values[:, 0] - values[:, 1])
        behind = [place for place in np.argsort(change, kind="stable").tolist() if change[place] < 0]
        names = f"{comparison.names[pair.a]} - {comparison.names[pair.b]}"
        rows += [
            [
                names if not number else "",
                comparison.queries[place],
                *(score(value, digits) for value in values[place].tolist()),
                signed(float(values[place, 0] - values[place, 1]), digits),
            ]
            for number, place in enumerate(behind[: view.worst])
        ]
    header = [f"{contest.label}, worst queries", "query", "first", "second", "first minus second"]
    note = "" if rows else "No first run falls behind on any query."
    return Sheet(header, rows, frozenset({0, 1}), note=note)


def groups_of(comparison: Findings) -> dict[int, int]:
    """Each run's group: down the ranking, one that is significantly worse than its group's first begins another."""
    contest, alpha = comparison.primary, comparison.settings.alpha
    sure = {
        frozenset((pair.a, pair.b)) for pair in contest.pairs if pair.adjusted < alpha and not pair.identical
    }
    found: dict[int, int] = {}
    first, number = -1, 0
    for run in ranked(contest):
        if first < 0 or frozenset((first, run)) in sure:
            first, number = run, number + 1
        found[run] = number
    return found


def numbers_of(
    comparison: Findings, contest: Contest, pairs: Sequence[Pair]
) -> tuple[list[str], list[list[str]]]:
    """Titles and cells of what is known of pairs; effects before p."""
    settings, digits = comparison.settings, digits_of(len(comparison.queries))
    kind = contest.measure.definition.aggregate
    raw, corrected = p_titles(settings)
    least, least_corrected = smallest_p(settings, adjusted=False), smallest_p(settings, adjusted=True)
    columns: dict[str, list[str]] = {
        "diff": [signed(pair.difference, digits, kind) for pair in pairs],
        f"{settings.confidence * 100:g}% CI": [
            interval(pair.low, pair.high, digits, kind, sign=True) for pair in pairs
        ],
        "d_z": [effect(pair.d_z) for pair in pairs],
        "W/T/L": [f"{pair.wins}/{pair.ties}/{pair.losses}" for pair in pairs],
    }
    if len({pair.n for pair in contest.pairs}) > 1:
        columns["n"] = [str(pair.n) for pair in pairs]
    columns[raw] = [p_text(pair.p, settings.alpha, 0.0 if pair.exact else least) for pair in pairs]
    if corrected is not None:
        columns[corrected] = [
            p_text(pair.adjusted, settings.alpha, 0.0 if pair.exact else least_corrected) for pair in pairs
        ]
    if settings.margin is not None:
        columns["p(equiv.)"] = [p_text(chance(pair.p_equivalent), settings.alpha) for pair in pairs]
    if settings.rope is not None:
        columns["P(worse)"] = [score(chance(pair.p_worse), 3) for pair in pairs]
        columns["P(same)"] = [score(chance(pair.p_same), 3) for pair in pairs]
        columns["P(better)"] = [score(chance(pair.p_better), 3) for pair in pairs]
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def chance(value: float | None) -> float:
    """A probability, NaN where there is none."""
    return math.nan if value is None else value
