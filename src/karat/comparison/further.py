"""The further tables of a comparison as cells: groups of queries, and orders of runs and documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from karat.comparison.letters import letter
from karat.comparison.showing import MOST_PAIRS, Sheet, chosen, ranking, turned
from karat.comparison.wording import digits_of, interval, p_text, score, signed
from karat.output.escaping import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Findings, Pair

__all__ = ["orders", "strata"]

MOST_ORDERED = 12


def strata(comparison: Findings) -> list[Sheet]:
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
        *(f"{printable(each.name)}\nn={each.queries}" for each in contest.strata),
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
    pairs, _ = chosen(comparison, contest)
    if len(pairs) <= MOST_PAIRS:
        found.append(differences_by_group(comparison, pairs))
    return found


def differences_by_group(comparison: Findings, pairs: Sequence[Pair]) -> Sheet:
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


def orders(comparison: Findings) -> list[Sheet]:
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
