"""How similarly the measures order the runs, and how similarly the runs order the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.statistics import kendall, rbo, tau_ap
from karat.inputs.runs import Asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Contest
    from karat.comparison.runs import System
    from karat.lists.rows import Floats

__all__ = ["orders_of"]

PERSISTENCE = 0.9
"""The usual p of Webber et al.: a reader who sees ten documents on average."""
DEEPEST = 100
"""All documents below weigh 0.9 ** 100, a 40,000th."""
MOST_QUERIES = 50
"""At most this many queries are used, evenly spread, since each reads the run again."""


@dataclass(frozen=True, eq=False)
class Orders:
    """The similarity of orders.

    Args:
        labels: the measures.
        tau: Kendall's τ_b between the orders of the runs that two measures give [measures, measures].
        tau_ap: τ_AP, with the row's measure as the true one: swaps near the top cost more [measures, measures].
        rbo: mean rank-biased overlap of two runs' lists, extrapolated; NaN where only scores are known [runs, runs].
        queries: the number of queries in that mean.
        depth: the depth of the lists compared.
        persistence: the p of rank-biased overlap.
    """

    labels: tuple[str, ...]
    tau: Floats
    tau_ap: Floats
    rbo: Floats
    queries: int
    depth: int = DEEPEST
    persistence: float = PERSISTENCE


def orders_of(contests: Sequence[Contest], systems: Sequence[System], baseline: int | None) -> Orders:
    """Every pair of measures, and every pair of runs (with a baseline, each with it)."""
    means = [contest.means for contest in contests]
    count = len(means)
    tau, ap = np.ones((count, count)), np.ones((count, count))
    for one in range(count):
        for other in range(count):
            if one != other:
                tau[one, other] = kendall(means[one], means[other]).b
                ap[one, other] = tau_ap(means[one], means[other]).b
    overlaps, queries = overlaps_of(systems, baseline)
    return Orders(tuple(contest.label for contest in contests), tau, ap, overlaps, queries)


def overlaps_of(systems: Sequence[System], baseline: int | None) -> tuple[Floats, int]:
    """Mean rank-biased overlap of each two runs, over queries that both answer; and the number of queries used."""
    found = np.full((len(systems), len(systems)), np.nan)
    np.fill_diagonal(found, 1.0)
    matches = [each.found for each in systems if each.found is not None]
    if not matches:
        return found, 0
    names = matches[0].queries
    step = -(-len(names) // MOST_QUERIES)
    names = names[::step]
    lists = [lists_of(system, names) for system in systems]
    for one in range(len(systems)):
        for other in range(one):
            if baseline in (None, one, other) and lists[one] and lists[other]:
                values = [
                    rbo(a, b, PERSISTENCE).extrapolated
                    for a, b in zip(lists[one], lists[other], strict=True)
                    if a and b
                ]
                found[one, other] = found[other, one] = np.mean(values) if values else np.nan
    return found, len(names)


def lists_of(system: System, queries: Sequence[bytes]) -> list[list[bytes]]:
    """The first documents of each query's list; nothing where only scores were given."""
    if system.run is None:
        return []
    policy = system.scores.policy
    return [
        list(dict.fromkeys(system.run.held.ranked(query, Asked(policy))[0]))[:DEEPEST] for query in queries
    ]
