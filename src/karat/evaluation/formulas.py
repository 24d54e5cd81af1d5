"""Calls formulas on judged rows: values per query, and bounds and means over orders of tied documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from karat.lists.flat import Flat
from karat.matching.match import Match, finished
from karat.matching.ties import Orders, all_orders, arranged, turned_orders
from karat.output.errors import TOO_LARGE, MeasureError, UncomputableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from karat.conventions.policy import Policy
    from karat.lists.rows import Floats, Integers, JudgedRows
    from karat.measures import Measure

__all__ = ["expected_values", "extreme_values", "values_of", "weights_of"]

MOST_MADE = 64
"""Cuts and ideal lists that are kept at the same time."""
RANKS_AT_A_TIME = 2**17
"""Ranks that have a row each at the same time."""


def values_of(rows: JudgedRows, measures: Sequence[Measure], best: dict[Any, Flat] | None = None) -> Floats:
    """One value per list and measure; ``best`` keeps ideal lists for other runs with the same judgments."""
    values = np.empty((len(rows.length), len(measures)))
    every = np.array([measure.every_rank for measure in measures], bool)
    if not every.all():
        values[:, ~every] = columns_of(rows, [each for each in measures if not each.every_rank], best)
    if every.any():
        those = [each for each in measures if each.every_rank]
        for first, last in parts_of(rows, whole=any(each.micro for each in those)):
            values[first:last, every] = columns_of(rows.part(first, last), those, before=first)
    return values


def columns_of(
    rows: JudgedRows,
    measures: Sequence[Measure],
    best: dict[Any, Flat] | None = None,
    *,
    before: int = 0,
) -> Floats:
    """The values of measures that all need every rank, or all do not; ``before`` lists precede these.

    Raises:
        UncomputableError: a measure has no value for the grades of a list.
    """
    every, columns = measures[0].every_rank, []
    lists = Flat(rows, every_rank=every, best=best)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for measure in measures:
            if len(lists.made) > MOST_MADE:
                lists = Flat(rows, every_rank=every, best=best)
            if len(lists.shared) > MOST_MADE:
                lists.shared.clear()
            columns.append(column_of(measure, lists, before))
    return np.stack(columns, axis=1)


def column_of(measure: Measure, lists: Flat, before: int) -> Floats:
    """The values of one measure.

    Raises:
        UncomputableError: it has none for the grades of a list.
    """
    try:
        values = cast("Floats", measure.values(lists))
    except UncomputableError as error:
        place = query_of(lists, error.place) if measure.definition.groups else error.place
        raise UncomputableError(error.reason, place + before, str(measure)) from None
    if not measure.may_be_undefined and not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values))) + before
        raise UncomputableError(TOO_LARGE, place, str(measure))
    return values


def query_of(lists: Flat, group: int) -> int:
    """The query to which a judgment group belongs."""
    offsets = cast("Integers", lists.groups.rows.group_offsets)
    return int(np.searchsorted(offsets, group, side="right")) - 1


def parts_of(rows: JudgedRows, *, whole: bool) -> Iterator[tuple[int, int]]:
    """The first and last list of parts in which a row for every rank takes little memory, or of the whole."""
    if whole or rows.group_offsets is not None:
        yield 0, len(rows.length)
        return
    ends, first = np.cumsum(rows.length), 0
    while first < len(ends):
        before = ends[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(ends, before + RANKS_AT_A_TIME, side="right")))
        yield first, last
        first = last


def weights_of(rows: JudgedRows, measures: Sequence[Measure]) -> Floats | None:
    """The weight of each value in the mean of its measure; None if all weigh the same."""
    if not any(measure.definition.weighs for measure in measures):
        return None
    lists = Flat(rows)
    columns = [measure.weigh(lists) for measure in measures]
    if all(each is None for each in columns):
        return None
    return np.stack(
        [np.ones(len(rows.length)) if each is None else cast("Floats", each) for each in columns], axis=1
    )


def extreme_values(
    found: Match, measures: Sequence[Measure], policy: Policy
) -> Iterator[tuple[Floats, Floats | None]]:
    """The values, and what they weigh, under the worst and then under the best order of tied documents."""
    for rule in ("pessimistic", "optimistic"):
        rows = finished(arranged(found.whole, rule), policy)
        yield values_of(rows, measures), weights_of(rows, measures)


def expected_values(found: Match, measures: Sequence[Measure], policy: Policy) -> tuple[Floats, Floats]:
    """The means over all orders of tied documents, and the standard error of those that come from a sample."""
    values = values_of(found.rows, measures)
    errors = np.zeros_like(values)
    # A depth or a removal decides over documents that a measure of sums knows nothing of.
    sums = policy.depth is None and policy.unjudged == "nonrelevant"
    additive = np.array([sums and each.definition.additive for each in measures], bool)
    alone = np.array([not stands(each, policy) for each in measures], bool)
    for wanted, orders in ((additive & alone, turned_orders), (~additive & alone, all_orders)):
        places = np.flatnonzero(wanted).tolist()
        if places:
            chosen = [measures[place] for place in places]
            try:
                put_means(values, errors, places, chosen, orders(found.whole), policy)
            except UncomputableError as error:
                raise UncomputableError(error.reason, error.place, error.measure or str(chosen[0])) from None
    return values, errors


def stands(measure: Measure, policy: Policy) -> bool:
    """Whether no order of tied documents can move the measure, since it compares the scores themselves.

    Raises:
        MeasureError: a depth cuts through ties, and queries whose values hang together have too many orders.
    """
    if measure.micro and (measure.depth or policy.depth):
        raise MeasureError(
            f"{measure} has no mean over orders of tied documents (ties=expected): leave out the depth, or choose "
            "another rule for ties."
        )
    return measure.micro


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
        try:
            found = values_of(finished(orders.rows, policy), measures)
        except UncomputableError as error:
            raise UncomputableError(error.reason, int(orders.of[error.place]), error.measure) from None
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
