"""What a table shows of a comparison: which runs in which order, which of many pairs, in what kind of table."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karat.comparison.wording import lettered

if TYPE_CHECKING:
    from karat.comparison.findings import Contest, Findings, Pair

__all__ = ["EVERYTHING", "MOST_PAIRS", "Sheet", "View", "chosen", "ranked", "ranking", "turned"]

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
        least: columns that a narrow terminal may do without, the first of them first.
        fewer: whether such columns go before names are cut.
    """

    header: list[str]
    rows: list[list[str]]
    names: frozenset[int]
    keep: int = 2
    note: str = ""
    told: int = 0
    least: tuple[str, ...] = ()
    fewer: bool = False


@dataclass(frozen=True)
class View:
    """Which part of a comparison its tables show.

    Args:
        pairs: of many pairs the ``top`` ones, or ``all``.
        top: how many runs, the best ones; None for all.
        worst: how many queries of each pair, those on which its first run falls furthest behind.
    """

    pairs: str = "top"
    top: int | None = None
    worst: int = 0


EVERYTHING = View()


def ranked(contest: Contest) -> list[int]:
    """The runs, the best first."""
    sense = -1 if contest.smaller_is_better else 1
    means = contest.means
    return sorted(range(len(means)), key=lambda run: (math.isnan(means[run]), -sense * means[run], run))


def ranking(comparison: Findings, view: View = EVERYTHING) -> list[int]:
    """The runs in the order of the table: as given, or where they are many, or some are left out, the best first."""
    runs = list(range(len(comparison.names)))
    if lettered(comparison) and view.top is None:
        return runs
    best = ranked(comparison.primary)
    baseline = comparison.settings.baseline
    return [run for place, run in enumerate(best) if view.top is None or place < view.top or run == baseline]


def chosen(comparison: Findings, contest: Contest, view: View = EVERYTHING) -> tuple[list[Pair], str]:
    """The pairs that a table shows, by rank, and what it says of the others."""
    shown = set(ranking(comparison, view))
    order = ranked(contest)
    place = {run: number for number, run in enumerate(order)}
    pairs = [pair for pair in contest.pairs if {pair.a, pair.b} <= shown]
    if comparison.settings.baseline is not None:
        its = {run: number for number, run in enumerate(ranking(comparison, view))}
        pairs.sort(key=lambda pair: its[pair.a])
        if view.pairs == "all" or len(pairs) <= MOST_AGAINST_BASELINE:
            return pairs, ""
        return pairs[:MOST_AGAINST_BASELINE], (
            f"{len(pairs) - MOST_AGAINST_BASELINE} more runs below: pairs=all shows them, and the JSON."
        )
    if len(pairs) > 1:
        pairs = [turned(pair, min(pair.a, pair.b, key=place.__getitem__)) for pair in pairs]
        pairs.sort(key=lambda pair: (place[pair.a], place[pair.b]))
    if view.pairs == "all" or len(pairs) <= MOST_PAIRS:
        return pairs, ""
    best = min((pair.a for pair in pairs), key=place.__getitem__)
    top = [pair for pair in pairs if pair.a == best][:MOST_PAIRS]
    return top, (
        f"The best run against the next {len(top)}; pairs=all shows all {len(pairs)} pairs, and the JSON."
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
