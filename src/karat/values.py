"""From judged rows to values: every formula on the same lists, and on other orders of their tied documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from karat.lists.flat import Flat
from karat.match import Match, finished
from karat.ties import Orders, all_orders, arranged, turned_orders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from karat.measures import Measure
    from karat.policy import Policy
    from karat.rows import Floats, JudgedRows

__all__ = ["expected_values", "extreme_values", "values_of", "weights_of"]

MOST_MADE = 64
"""Lists made of lists that are kept at the same time."""


def values_of(rows: JudgedRows, measures: Sequence[Measure]) -> Floats:
    """One value per list and measure; lists that carry many made ones (a cut for each depth) are let go."""
    carriers: dict[bool, Flat] = {}
    columns = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for measure in measures:
            every = measure.every_rank
            if every not in carriers or len(carriers[every].made) > MOST_MADE:
                carriers[every] = Flat(rows, every_rank=every)
            columns.append(cast("Floats", measure(carriers[every])))
    return np.stack(columns, axis=1)


def weights_of(rows: JudgedRows, measures: Sequence[Measure]) -> Floats | None:
    """What each value weighs in the mean of its measure; None if all weigh the same."""
    if not any(measure.definition.weighs for measure in measures):
        return None
    lists = Flat(rows)
    columns = [measure.weigh(lists) for measure in measures]
    return np.stack(
        [np.ones(len(rows.length)) if each is None else cast("Floats", each) for each in columns], axis=1
    )


def extreme_values(found: Match, measures: Sequence[Measure], policy: Policy) -> tuple[Floats, Floats]:
    """The values under the worst and under the best order of tied documents."""
    worst, best = (
        values_of(finished(arranged(found.whole, rule), policy), measures)
        for rule in ("pessimistic", "optimistic")
    )
    return worst, best


def expected_values(found: Match, measures: Sequence[Measure], policy: Policy) -> tuple[Floats, Floats]:
    """The means over all orders of tied documents, and the standard error of those that come from a sample."""
    values = values_of(found.rows, measures)
    errors = np.zeros_like(values)
    # A depth or a removal decides over documents that a measure of sums knows nothing of.
    sums = policy.depth is None and policy.unjudged == "nonrelevant"
    additive = np.array([sums and each.definition.additive for each in measures])
    for wanted, orders in ((additive, turned_orders), (~additive, all_orders)):
        places = np.flatnonzero(wanted).tolist()
        if places:
            chosen = [measures[place] for place in places]
            put_means(values, errors, places, chosen, orders(found.whole), policy)
    return values, errors


def put_means(
    values: Floats,
    errors: Floats,
    places: list[int],
    measures: Sequence[Measure],
    batches: Iterable[Orders],
    policy: Policy,
) -> None:
    """Write the means over orders, and their standard errors, into the columns of some measures."""
    for orders in batches:
        found = values_of(finished(orders.rows, policy), measures)
        starts = np.flatnonzero(np.diff(orders.of, prepend=-1))
        lists = orders.of[starts]
        weight = orders.weight[:, None]
        means = np.add.reduceat(weight * found, starts)
        values[lists[:, None], places] = means
        counts = np.diff(np.append(starts, len(orders.of)))
        away = found - np.repeat(means, counts, axis=0)
        # What rounding alone moves is no spread.
        away[np.abs(away) <= 1e-12 * np.maximum(np.abs(found), 1.0)] = 0.0
        spread = np.add.reduceat(weight * away**2, starts)
        drawn = orders.drawn[starts][:, None]
        errors[lists[:, None], places] = np.sqrt(drawn * spread / np.maximum(counts - 1, 1)[:, None])
