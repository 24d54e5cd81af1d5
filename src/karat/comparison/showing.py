"""What a table shows of a comparison: which runs in which order, which of many pairs, in what kind of table."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karat.comparison.wording import lettered

if TYPE_CHECKING:
    from karat.comparison.result import Comparison, Contest, Pair

__all__ = ["MOST_PAIRS", "Sheet", "chosen", "ranking", "turned"]

MOST_PAIRS = 10
MOST_AGAINST_BASELINE = 40


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


def ranking(comparison: Comparison) -> list[int]:
    """The runs in the order of the table: as given, or where they are many the best first."""
    runs = list(range(len(comparison.names)))
    if lettered(comparison):
        return runs
    contest = comparison.primary
    sign = 1 if contest.smaller_is_better else -1
    return sorted(runs, key=lambda run: (math.isnan(contest.means[run]), sign * contest.means[run], run))


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
        joint_low=-pair.joint_high,
        joint_high=-pair.joint_low,
    )
