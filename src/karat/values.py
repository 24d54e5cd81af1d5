"""From judged rows to values: every formula on the same lists, and on other orders of their tied documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from karat.lists.flat import Flat
from karat.match import Match, finished
from karat.ties import Orders, all_orders, arranged, turned_orders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from karat.measures import Measure
    from karat.policy import Policy
    from karat.rows import Floats, JudgedRows

__all__ = ["expected_values", "extreme_values", "values_of", "weights_of"]

MOST_MADE = 64
"""Cuts and ideal lists that are kept at the same time."""
RANKS_AT_A_TIME = 2**17
"""Ranks that have a row each at the same time."""


def values_of(rows: JudgedRows, measures: Sequence[Measure]) -> Floats:
    """One value per list and measure."""
    values = np.empty((len(rows.length), len(measures)))
    every = np.array([measure.every_rank for measure in measures], bool)
    if not every.all():
        values[:, ~every] = columns_of(rows, [each for each in measures if not each.every_rank])
    if every.any():
        for first, last in parts_of(rows):
            part = rows.part(first, last)
            values[first:last, every] = columns_of(part, [each for each in measures if each.every_rank])
    return values


def columns_of(rows: JudgedRows, measures: Sequence[Measure]) -> Floats:
    """The values of measures that all need every rank, or all do not."""
    every, columns = measures[0].every_rank, []
    lists = Flat(rows, every_rank=every)
    with np.errstate(divide="ignore", invalid="ignore"):
        for measure in measures:
            if len(lists.made) > MOST_MADE:
                lists = Flat(rows, every_rank=every)
            columns.append(cast("Floats", measure(lists)))
    return np.stack(columns, axis=1)


def parts_of(rows: JudgedRows) -> Iterator[tuple[int, int]]:
    """The first and last list of parts in which a row for every rank takes little memory."""
    if rows.group_offsets is not None:
        yield 0, len(rows.length)
        return
    ends, first = np.cumsum(rows.length), 0
    while first < len(ends):
        before = ends[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(ends, before + RANKS_AT_A_TIME, side="right")))
        yield first, last
        first = last


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
