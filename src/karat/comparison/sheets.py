"""The tables of a comparison as cells: scores, pairs and what follows; how they are laid out is decided elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from karat.comparison.further import orders, strata
from karat.comparison.letters import letter
from karat.comparison.showing import Sheet, chosen, ranking
from karat.comparison.wording import (
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
from karat.layout import Marked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.result import Comparison, Contest, Pair

__all__ = ["sheets_of"]

LEAST_NAME, LEAST_PAIR = 10, 18


def sheets_of(comparison: Comparison, *, pairs: str = "top") -> list[Sheet]:
    """The tables in reading order.

    Args:
        comparison: what was compared.
        pairs: ``top``: where there are many pairs, those that matter most; ``all``.
    """
    found = [board(comparison), against(comparison, comparison.primary, every=pairs == "all")]
    found += strata(comparison)
    found += orders(comparison)
    return found


def board(comparison: Comparison) -> Sheet:
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
    if len({score(each, 3) for each in comparison.judged}) > 1:
        header.append(f"judged@{comparison.judged_depth}")
        columns.append([score(each, 3) for each in comparison.judged])
    rows = [
        [letter(run), comparison.names[run], *(column[run] for column in columns)]
        for run in ranking(comparison)
    ]
    note = ""
    if counted:
        note = (
            f"Best {comparison.labels[0]} first. beats: how many runs it is significantly better than. All letters and "
            "pairs: --format json."
        )
    return Sheet(header, rows, frozenset({0, 1}), note=note)


def score_cells(contest: Contest, digits: int, *, lettered: bool) -> list[str]:
    """The means, the best ones in bold, with the letters of the runs they are significantly better than."""
    kind = contest.measure.definition.aggregate
    room = max(map(len, contest.letters)) if lettered else 0
    return [
        Marked(score(mean, digits, kind), raised if lettered else "", bold=best, room=room)
        for mean, raised, best in zip(contest.means, contest.letters, tied_best(contest, digits), strict=True)
    ]


def beaten(contest: Contest, comparison: Comparison) -> list[int]:
    """How many runs each one is significantly better than."""
    counts = [0] * len(contest.means)
    sign = -1 if contest.smaller_is_better else 1
    for pair in contest.pairs:
        if pair.adjusted < comparison.settings.alpha and pair.difference:
            counts[pair.a if sign * pair.difference > 0 else pair.b] += 1
    return counts


def against(comparison: Comparison, contest: Contest, *, every: bool = False) -> Sheet:
    """A row a pair: difference, interval, effect, wins, p."""
    shown, note = chosen(comparison, contest, every=every)
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
    )


def numbers_of(
    comparison: Comparison, contest: Contest, pairs: Sequence[Pair]
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
