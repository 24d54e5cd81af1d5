"""Groups of queries on the page: the means of each run and the differences between pairs within each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob.comparison.findings import ranked
from carob.comparison.tables import MARKED, WORST_POINT
from carob.comparison.verdict import digits_of, p_text
from carob.output.layout import label_apart
from carob.reports.data import seven_digits
from carob.reports.page import near

if TYPE_CHECKING:
    from carob.comparison.compare import Comparison
    from carob.comparison.findings import Contest

MOST_ROWS = 5_000
"""The maximum number of rows for pairs, over all groups and measures.

Each row takes 45 bytes. If there are more rows, the page contains only the pairs of the best runs.
"""


def groups_on_page(comparison: Comparison) -> dict[str, Any] | None:
    """Returns the groups, the group of each query, and the results by group and measure; None without groups."""
    groups, contests = comparison.groups, list(comparison.contests.values())
    if groups is None:
        return None
    best = {ranked(contest)[0] for contest in contests}
    pairs = contests[0].pairs
    whole = len(pairs) * len(groups.names) * len(contests) <= MOST_ROWS
    kept = [place for place, pair in enumerate(pairs) if whole or {pair.a, pair.b} & best]
    worst_points = any(each.worst_point for its in contests for group in its.groups for each in group.pairs)
    return {
        "by": "" if groups.name == "standard input" else near(groups.name),
        "names": groups.names,
        "marked": MARKED if worst_points else "",
        "whole": label_apart("all queries", groups.names),
        "codes": groups.of_each(),
        "in_several_groups": groups.in_several_groups,
        "contests": [
            {
                "digits": digits_of(min(each.queries for each in contest.groups), contest),
                "queries": [each.queries for each in contest.groups],
                "means": [seven_digits(each.means) for each in contest.groups],
                "pairs": {place: pair_by_group(contest, place, comparison.settings.alpha) for place in kept},
            }
            for contest in contests
        ],
    }


def pair_by_group(contest: Contest, place: int, alpha: float) -> list[list[Any]]:
    """Returns one pair's row in each group: queries, difference, low, high, wins, ties, losses, p-value.

    A p-value from the worst-point interval is marked.

    Args:
        contest: the comparison by one measure.
        place: the index of the pair among the contest's pairs, which is the same in each group.
        alpha: the significance level.
    """
    found = [each.pairs[place] for each in contest.groups]
    return [
        [
            *(own.n, *seven_digits([own.difference, own.low, own.high])),
            *(own.wins, own.ties, own.losses),
            p_text(own.p_uncorrected, alpha) + f" {WORST_POINT}" * own.worst_point,
        ]
        for own in found
    ]
