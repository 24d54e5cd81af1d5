"""Computes the values of formulas for lists, in the lists' own order and in other orders of tied documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from carob._numpy import np
from carob.lists.flat import Flat
from carob.lists.rows import JudgedRows, stacked
from carob.matching.axes import TieOrders, all_orders, arranged, extremes, turned_orders
from carob.matching.match import Match, finished, ranks_alone
from carob.measures import parse_measure
from carob.output.errors import MeasureError, UncomputableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from carob.conventions.policy import Policy
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure

MOST_MADE = 64
"""The maximum number of cut lists and of ideal lists that are cached at a time."""
ORDERS = ("pessimistic", "optimistic")
"""The worst and the best order of tied documents."""
AT_A_TIME = 2**17
"""The maximum number of rows or judgments of one run that are processed at a time, which limits memory."""
PER_LIST = 8
"""A shorter list counts as this number of rows, because its values need memory as well."""

ROWS_TOGETHER = 2**15
"""The maximum number of rows, from several runs, for which values are computed together.

Larger arrays do not fit in the cache of a core.
"""


def values_of(rows: JudgedRows, measures: Sequence[Measure], best: dict[Any, Any] | None = None) -> Floats:
    """Returns the value of each measure for each list.

    ``best`` caches ideal rankings and counts of judgments that other runs with the same qrels reuse.
    """
    values = np.empty((len(rows.length), len(measures)))
    whole = rows.group_offsets is not None or any(each.micro or each.definition.groups for each in measures)
    if rows.pool_of is not None:
        whole, best = True, None if best is None else best.setdefault((0, len(rows.judged_offsets) - 1), {})
    for kind, places in by_kind(measures).items():
        those = [measures[place] for place in places]
        needed = rows.relevant if kind == "relevant" else rows
        # Runs with the same judgments are split into the same parts, unless the parts contain every rank.
        sizes = rows.length if kind == "every" else np.diff(rows.judged_offsets)
        if whole:
            values[:, places] = columns_of(needed, those, best, before=0)
            continue
        for first, last in parts_of(sizes):
            shared = None if best is None or kind == "every" else best.setdefault((first, last), {})
            values[first:last, places] = columns_of(needed.part(first, last), those, shared, before=first)
    return values


def by_kind(measures: Sequence[Measure]) -> dict[str, list[int]]:
    """Groups the positions of measures by the kind of rows that they need."""
    kinds: dict[str, list[int]] = {}
    for place, measure in enumerate(measures):
        kinds.setdefault(measure.rows, []).append(place)
    return kinds


def columns_of(
    rows: JudgedRows,
    measures: Sequence[Measure],
    best: dict[Any, Any] | None,
    *,
    before: int,
) -> Floats:
    """Returns the values of measures, which either all need every rank or all need only judged rows.

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
    """Returns the values of one measure for all lists.

    Raises:
        UncomputableError: the measure has no value for the grades of a list.
    """
    try:
        values = cast("Floats", measure.values(lists))
    except UncomputableError as error:
        place = query_of(lists, error.place) if measure.definition.groups else error.place
        raise UncomputableError(error.reason, place + before, str(measure)) from None
    if not measure.may_be_undefined and not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values))) + before
        raise UncomputableError(measure.not_finite, place, str(measure))
    return values


def query_of(lists: Flat, group: int) -> int:
    """Returns the query to which a judgment group belongs."""
    offsets = cast("Integers", lists.groups.rows.group_offsets)
    return int(np.searchsorted(offsets, group, side="right")) - 1


def parts_of(sizes: Floats | Integers, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yields the bounds of parts of the lists. Each part has at most ``most`` rows or consists of a single list."""
    most = AT_A_TIME if most is None else most
    ends, first = np.cumsum(np.maximum(sizes + 1, PER_LIST)), 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield first, last
        first = last


def weights_of(rows: JudgedRows, measures: Sequence[Measure]) -> Floats | None:
    """Returns the weight of each value in the mean of its measure, or None if all weights are equal."""
    if not any(measure.definition.weighs for measure in measures):
        return None
    lists = Flat(rows)
    columns = [measure.weigh(lists) for measure in measures]
    if all(each is None for each in columns):
        return None
    return np.stack(
        [np.ones(len(rows.length)) if each is None else cast("Floats", each) for each in columns], axis=1
    )


End: TypeAlias = "tuple[int, Sequence[Floats], Sequence[Floats | None]]"
"""The position of a measure, and its values and weights under the worst and the best order of tied documents."""


class ValuesUnderTies(NamedTuple):
    """The values of one run under its own order of tied documents, and under the worst and the best order.

    Args:
        own: the values under the order of the policy [lists, measures].
        ends: the values under the worst and the best order, equal to ``own`` for lists without ties [lists, measures];
            empty if they are not needed.
    """

    own: Floats
    ends: tuple[Floats, ...]


def values_together(
    founds: Sequence[Match],
    measures: Sequence[Measure],
    policy: Policy,
    best: dict[Any, Any] | None,
    *,
    bounds: bool,
) -> Iterator[ValuesUnderTies]:
    """Yields the values of each run. Each formula is called once for many runs and for all orders of tied documents.

    Args:
        founds: the results of matching the runs with the same judgments. ``may_stack`` must hold for each.
        measures: the measures.
        policy: the policy.
        best: the cache of ideal rankings and counts of judgments; None to keep none.
        bounds: whether to compute the values under the worst and the best order.

    Raises:
        UncomputableError: a measure has no value for the grades of a list.
    """
    tables = [Tables(each.rows, each.whole) for each in founds]
    sizes = [(1 + len(ORDERS) * bounds) * (len(each.own.grade) + len(each.own.length)) for each in tables]
    for first, last in parts_of(np.array(sizes), ROWS_TOGETHER):
        several = tables[first:last]
        parts = list(parts_of(several[0].sizes(measures))) if len(several) == 1 else []
        if len(parts) > 1:
            yield values_in_parts(several[0], parts, measures, policy, best, bounds=bounds)
            continue
        values = stack_of(several, measures, policy, best, bounds=bounds)
        stops = np.cumsum([len(each.own.length) for each in several]).tolist()
        for start, stop in zip([0, *stops], stops):
            yield ValuesUnderTies(
                values.own[start:stop].copy(), tuple(each[start:stop].copy() for each in values.ends)
            )


def values_in_parts(
    tables: Tables,
    parts: Sequence[tuple[int, int]],
    measures: Sequence[Measure],
    policy: Policy,
    best: dict[Any, Any] | None,
    *,
    bounds: bool,
) -> ValuesUnderTies:
    """Returns the values of one run, whose lists are processed part by part."""

    def of_part(part: tuple[int, int]) -> ValuesUnderTies:
        shared = None if best is None else best.setdefault(part, {})
        try:
            return stack_of([tables.part(*part)], measures, policy, shared, bounds=bounds)
        except UncomputableError as error:
            raise UncomputableError(error.reason, error.place + part[0], error.measure) from None

    found = [of_part(part) for part in parts]
    ends = zip(*(each.ends for each in found), strict=True)
    return ValuesUnderTies(np.concatenate([each.own for each in found]), tuple(map(np.concatenate, ends)))


def shares_judged(founds: Sequence[Match], depth: int = 10) -> list[float]:
    """Returns each run's mean share of judged documents in the top ranks of answered queries, NaN without answers.

    Args:
        founds: the results of matching the runs with the same judgments.
        depth: the number of top ranks.
    """
    measures, shares = [parse_measure(f"Judged@{depth}")], list[float]()
    tables = [each.whole for each in founds]
    for first, last in parts_of(np.array([len(each.grade) for each in tables]), ROWS_TOGETHER):
        several = tables[first:last]
        values = values_of(stacked(several), measures)[:, 0]
        stops = np.cumsum([len(each.length) for each in several])
        for own, table in zip(np.split(values, stops[:-1]), several, strict=True):
            answered = own[table.length > 0]
            shares.append(float(answered.mean()) if len(answered) else math.nan)
    return shares


class Tables(NamedTuple):
    """The judged rows of one run: ``own`` under the whole policy, ``whole`` before its rules for ties and depth."""

    own: JudgedRows
    whole: JudgedRows

    def part(self, first: int, last: int) -> Tables:
        """Returns the lists from number ``first`` to number ``last`` - 1."""
        own = self.own.part(first, last)
        return Tables(own, own if self.own is self.whole else self.whole.part(first, last))

    def sizes(self, measures: Sequence[Measure]) -> Floats:
        """Returns the maximum number of rows or judgments of each list that any of the measures processes."""
        rows = self.own
        sizes = np.maximum(np.diff(rows.judged_offsets), np.diff(rows.offsets)).astype(np.float64)
        return np.maximum(sizes, rows.length) if any(each.every_rank for each in measures) else sizes


def may_stack(found: Match, measures: Sequence[Measure], policy: Policy) -> bool:
    """Returns whether ``values_together`` can process a run, which needs independent lists and one order of ties."""
    if (policy.ties == "expected" and found.counts.tied) or found.rows.group_offsets is not None:
        return False
    return weights_of(found.rows, measures) is None


def stack_of(
    founds: Sequence[Tables],
    measures: Sequence[Measure],
    policy: Policy,
    best: dict[Any, Any] | None,
    *,
    bounds: bool,
) -> ValuesUnderTies:
    """Returns the values of several runs in one table, one run after another."""
    best = {} if best is None else best
    rows = stacked([each.own for each in founds])
    same = all(each.own is each.whole for each in founds)
    whole = rows if same or not bounds else stacked([each.whole for each in founds])
    count = len(rows.length)
    own = np.empty((count, len(measures)))
    ends = tuple(np.empty_like(own) for _ in ORDERS if bounds)
    for kind, places in by_kind(measures).items():
        those = [measures[place] for place in places]
        relevant = kind == "relevant"
        tables, tied = [rows.relevant if relevant else rows], np.zeros(0, np.int64)
        if bounds:
            its = whole.relevant if relevant and ranks_alone(policy) else whole
            both, tied = extremes(its)
            tables.append(finished(both, policy))
        values = values_of(stacked(tables), those, best)
        own[:, places] = values[:count]
        for end, start in zip(ends, (count, count + len(tied))):
            end[:, places] = values[:count]
            end[tied[:, None], places] = values[start : start + len(tied)]
    return ValuesUnderTies(own, ends)


def extreme_values(
    found: Match, measures: Sequence[Measure], policy: Policy, best: dict[Any, Any] | None
) -> Iterator[End]:
    """Yields each measure's position, and its values and weights under the worst and the best order of tied documents.

    Measures by subtopic are left out because they have no best and worst order.

    Args:
        found: the match.
        measures: the measures.
        policy: the policy.
        best: the cache of ideal rankings and counts of judgments; None to keep none.
    """
    alone = [place for place, each in enumerate(measures) if not each.definition.groups]
    if len(alone) < len(measures):
        those = [measures[place] for place in alone]
        for place, both, weights in extreme_values(found, those, policy, best):
            yield alone[place], both, weights
        return
    if any(each.micro or each.definition.weighs for each in measures):
        orders = [finished(arranged(found.whole, rule), policy) for rule in ORDERS]
        ends = [values_of(rows, measures, best) for rows in orders]
        weighed = [weights_of(rows, measures) for rows in orders]
        for place in range(len(measures)):
            own = [None if each is None else each[:, place] for each in weighed]
            yield place, [end[:, place] for end in ends], own
        return
    tables = Tables(found.rows, found.whole)
    parts = list(parts_of(tables.sizes(measures)))
    values = values_in_parts(tables, parts, measures, policy, best, bounds=True)
    for place in range(len(measures)):
        yield place, [end[:, place] for end in values.ends], [None, None]


def expected_values(found: Match, measures: Sequence[Measure], policy: Policy) -> tuple[Floats, Floats]:
    """Returns each value as its mean over all orders of tied documents, and the standard errors of sampled means."""
    values = values_of(found.rows, measures)
    errors = np.zeros_like(values)
    # Cutting at a depth, or removing documents, depends on documents that a sum over judged documents does not include.
    sums = policy.depth is None and policy.unjudged == "nonrelevant"
    additive = np.array([sums and each.additive for each in measures], bool)
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
    """Returns whether the measure is independent of the order of ties, because it compares scores directly.

    Raises:
        MeasureError: a depth cuts through ties. Because the values of queries depend on one another, there are too many
            orders.
    """
    if measure.micro and (measure.depth or policy.depth):
        raise MeasureError(
            f"{measure} cannot be averaged over the orders of tied documents (ties=expected): leave out the depth, or "
            "choose another rule for ties."
        )
    return measure.micro


def put_means(
    values: Floats,
    errors: Floats,
    places: list[int],
    measures: Sequence[Measure],
    batches: Iterable[TieOrders],
    policy: Policy,
) -> None:
    """Writes the means over orders and their standard errors into the columns of some measures."""
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
        # Treat differences within rounding error as zero.
        away[np.abs(away) <= 1e-12 * np.maximum(np.abs(found), 1.0)] = 0.0
        spread = np.add.reduceat(weight * away**2, starts)
        drawn = orders.drawn[starts][:, None]
        errors[lists[:, None], places] = np.sqrt(drawn * spread / np.maximum(counts - 1, 1)[:, None])
