"""The tables of a comparison as cells: scores, pairs, strata, orders; how they are laid out is decided elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat.comparison.letters import letter
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

__all__ = ["Sheet", "sheets_of"]

MOST_PAIRS = 10
LEAST_NAME, LEAST_PAIR = 10, 18
MOST_AGAINST_BASELINE = 40
MOST_ORDERED = 12


@dataclass(frozen=True)
class Sheet:
    """One table.

    Args:
        header: the titles.
        rows: the cells.
        names: which columns hold names.
        keep: how many first columns every band repeats.
        note: what is to be said under it.
        told: where the second column only says what the first one's letters do, how short it may be cut; 0: not at all.
    """

    header: list[str]
    rows: list[list[str]]
    names: frozenset[int]
    keep: int = 2
    note: str = ""
    told: int = 0


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


def ranking(comparison: Comparison) -> list[int]:
    """The runs in the order of the table: as given, or where they are many the best first."""
    runs = list(range(len(comparison.names)))
    if lettered(comparison):
        return runs
    contest = comparison.primary
    sign = 1 if contest.smaller_is_better else -1
    return sorted(runs, key=lambda run: (math.isnan(contest.means[run]), sign * contest.means[run], run))


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


def chosen(comparison: Comparison, contest: Contest, *, every: bool) -> tuple[list[Pair], str]:
    """The pairs that a table shows, and what it says of the others."""
    place = {run: number for number, run in enumerate(ranking(comparison))}
    pairs = list(contest.pairs)
    if comparison.settings.baseline is not None:
        pairs.sort(key=lambda pair: place[pair.a])
        if every or len(pairs) <= MOST_AGAINST_BASELINE:
            return pairs, ""
        return pairs[:MOST_AGAINST_BASELINE], (
            f"{len(pairs) - MOST_AGAINST_BASELINE} more runs below: --pairs all, or --format json."
        )
    if every or len(pairs) <= MOST_PAIRS:
        return pairs, ""
    order = sorted(
        range(len(contest.means)),
        key=lambda run: -contest.means[run] * (-1 if contest.smaller_is_better else 1),
    )
    best = order[0]
    top = [turned(pair, best) for run in order[1:] for pair in pairs if {pair.a, pair.b} == {best, run}]
    return top[:MOST_PAIRS], (
        f"The best run against the next {min(MOST_PAIRS, len(top))}; all {len(pairs)} pairs: --pairs all, or "
        "--format json."
    )


def turned(pair: Pair, first: int) -> Pair:
    """The pair with this run first."""
    from dataclasses import replace

    if pair.a == first:
        return pair
    return replace(
        pair,
        a=pair.b,
        b=pair.a,
        difference=-pair.difference,
        low=-pair.high,
        high=-pair.low,
        d_z=-pair.d_z,
        wins=pair.losses,
        losses=pair.wins,
        p_worse=pair.p_better,
        p_better=pair.p_worse,
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


def strata(comparison: Comparison) -> list[Sheet]:
    """The primary measure by group of queries: each run's means, the worst marked, and differences of few pairs."""
    contest = comparison.primary
    if not contest.strata:
        return []
    kind = contest.measure.definition.aggregate
    digits = digits_of(min(each.queries for each in contest.strata))
    sign = -1 if contest.smaller_is_better else 1
    header = [
        "#",
        f"{contest.label} by group",
        *(f"{each.name}\nn={each.queries}" for each in contest.strata),
        "worst",
    ]
    rows = []
    for run in ranking(comparison):
        means = [each.means[run] for each in contest.strata]
        known = [place for place, mean in enumerate(means) if not math.isnan(mean)]
        worst = min(known, key=lambda place: sign * means[place]) if known else None
        name = "-" if worst is None else contest.strata[worst].name
        rows.append(
            [letter(run), comparison.names[run], *(score(mean, digits, kind) for mean in means), name]
        )
    found = [Sheet(header, rows, frozenset({0, 1, len(header) - 1}))]
    pairs, _ = chosen(comparison, contest, every=False)
    if len(pairs) <= MOST_PAIRS:
        found.append(differences_by_group(comparison, pairs))
    return found


def differences_by_group(comparison: Comparison, pairs: Sequence[Pair]) -> Sheet:
    """A row a pair and group: difference, interval, wins; the group where the first run does worst is marked."""
    contest = comparison.primary
    digits = digits_of(min(each.queries for each in contest.strata))
    kind = contest.measure.definition.aggregate
    sign = -1 if contest.smaller_is_better else 1
    rows = []
    for pair in pairs:
        name = f"{comparison.names[pair.a]} - {comparison.names[pair.b]}"
        its = [
            (each, turned(own, pair.a))
            for each in contest.strata
            for own in each.pairs
            if {own.a, own.b} == {pair.a, pair.b}
        ]
        worst = min(its, key=lambda each: sign * each[1].difference)[0]
        for stratum, own in its:
            rows.append(
                [
                    name,
                    stratum.name + (" (worst)" if stratum is worst and len(its) > 1 else ""),
                    str(own.n),
                    signed(own.difference, digits, kind),
                    interval(own.low, own.high, digits, kind, sign=True),
                    f"{own.wins}/{own.ties}/{own.losses}",
                    p_text(own.p, comparison.settings.alpha),
                ]
            )
    header = [
        f"{contest.label}",
        "group",
        "n",
        "diff",
        f"{comparison.settings.confidence * 100:g}% CI",
        "W/T/L",
        "p(t)",
    ]
    return Sheet(
        header, rows, frozenset({0, 1}), note="Groups describe: their p is of the t-test, not corrected."
    )


def orders(comparison: Comparison) -> list[Sheet]:
    """How alike measures order the runs, and runs the documents."""
    found: list[Sheet] = []
    orders = comparison.orders
    if orders is None:
        return found
    if len(orders.labels) > 1:
        rows = [
            [label, *(score(orders.tau[one, other], 3) for other in range(len(orders.labels)))]
            for one, label in enumerate(orders.labels)
        ]
        found.append(Sheet(["Kendall τ_b", *orders.labels], rows, frozenset({0}), keep=1))
        rows = [
            [label, *(score(orders.tau_ap[one, other], 3) for other in range(len(orders.labels)))]
            for one, label in enumerate(orders.labels)
        ]
        found.append(Sheet(["τ_AP,b", *orders.labels], rows, frozenset({0}), keep=1))
    if orders.queries and len(comparison.names) > 1:
        runs = ranking(comparison)[:MOST_ORDERED]
        baseline = comparison.settings.baseline
        against = runs if baseline is None else [baseline]
        rows = [
            [letter(run), comparison.names[run], *(score(orders.rbo[run, other], 3) for other in against)]
            for run in runs
        ]
        note = (
            f"RBO: mean overlap of the ranked documents over {orders.queries} queries, p = {orders.persistence:g}, "
            f"first {orders.depth} documents, extrapolated."
        )
        found.append(
            Sheet(
                ["#", f"RBO (p={orders.persistence:g})", *map(letter, against)],
                rows,
                frozenset({0, 1}),
                note=note,
            )
        )
    return found
