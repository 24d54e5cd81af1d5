"""How a comparison would change if documents with equal scores were ordered differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob.comparison.findings import ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.comparison.findings import Contest, Findings, Pair

BROKEN = {
    "trec": "if ties are broken as trec_eval does",
    "ascending": "if ties are broken by document id, ascending",
    "input": "if ties keep the order of the run",
    "rank-column": "if ties are broken by the rank column",
    "optimistic": "if ties are in their best order",
    "pessimistic": "if ties are in their worst order",
    "expected": "on average over the orders of ties",
}
"""The words that a headline adds, by the rule for ties, if its verdict depends on this rule."""


def reach_of(comparison: Findings, contest: Contest) -> list[tuple[float, float]]:
    """Returns the smallest and the largest mean of each run over all orders of documents with equal scores."""
    bounds = [each.bounds.get(contest.label) for each in comparison.scores]
    return [
        (mean, mean) if bound is None else (min(bound[0], mean), max(bound[1], mean))
        for mean, bound in zip(contest.means, bounds, strict=True)
    ]


def reversible(comparison: Findings, contest: Contest) -> list[Pair]:
    """Returns the pairs that another order of tied documents could reverse; none if there is a judge."""
    if comparison.judge is not None:
        return []
    reach = reach_of(comparison, contest)
    tied = [low < high for low, high in reach]
    return [
        pair
        for pair in contest.pairs
        if not pair.identical
        and (tied[pair.a] or tied[pair.b])
        and reach[pair.a][0] <= reach[pair.b][1]
        and reach[pair.b][0] <= reach[pair.a][1]
    ]


def overturned(comparison: Findings, contest: Contest, pairs: Sequence[Pair]) -> list[Pair]:
    """Returns the reversible pairs whose verdict could change with the order of tied documents.

    A pair is returned if it differs significantly, or if its difference can exceed half the width of its interval.
    """
    reach, alpha = reach_of(comparison, contest), comparison.settings.alpha

    def largest(pair: Pair) -> float:
        (low, high), (least, most) = reach[pair.a], reach[pair.b]
        return max(high - least, most - low)

    return [pair for pair in pairs if pair.p_corrected < alpha or largest(pair) > (pair.high - pair.low) / 2]


def of_leader(contest: Contest, pairs: Sequence[Pair]) -> list[Pair]:
    """Returns the pairs that contain the best run."""
    best = ranked(contest)[0]
    return [pair for pair in pairs if best in (pair.a, pair.b)]


def with_ties(comparison: Findings, contest: Contest, headline: str) -> str:
    """Returns the headline; if another order of ties could overturn it, the headline states how ties are broken."""
    pairs = reversible(comparison, contest)
    if comparison.settings.baseline is not None or len(comparison.names) == 2:
        pairs = overturned(comparison, contest, pairs)
    else:
        pairs = of_leader(contest, pairs)
    rule = BROKEN.get(comparison.scores[0].policy.of_measure(contest.measure).ties)
    return f"{headline.removesuffix('.')}, {rule}." if pairs and rule else headline
