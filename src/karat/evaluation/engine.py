"""Computes scores from matched data: the values of formulas, their weighted means, and the bounds of ties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from karat.conventions.request import refuse_other_orders
from karat.evaluation.score_tables import aggregate, sentence
from karat.evaluation.scores import Scores, side_by_side
from karat.inputs.ids import text_of
from karat.inputs.run import Run, text_name
from karat.inputs.runs import available_cores, in_threads
from karat.inputs.sources import Provenance
from karat.lists.flat import Flat
from karat.matching.axes import Orders, all_orders, arranged, chosen, turned_orders
from karat.matching.match import Match, finished, match, match_grades, ranks_alone
from karat.matching.mismatch import doubts
from karat.measures import REGISTER, Measure
from karat.output.errors import (
    TOO_LARGE,
    DataError,
    MeasureError,
    PolicyError,
    UncomputableError,
    by_policy,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from karat import _native
    from karat.conventions.policy import Policy
    from karat.conventions.request import Request
    from karat.inputs.qrels import Qrels
    from karat.lists.rows import Floats, Integers, JudgedRows
    from karat.measures.names import Wanted

MOST_MADE = 64
"""The most cuts and ideal lists kept at a time."""
ORDERS = ("pessimistic", "optimistic")
"""The worst and the best order of tied documents."""
AT_A_TIME = 2**17
"""The most rows or judgments processed at a time, which limits memory and keeps arrays in the cache of a core."""
MOST_SHARED = 2**20
"""The most judgments whose ideal rankings are kept for other runs. They take some 60 bytes per judgment."""


def values_of(rows: JudgedRows, measures: Sequence[Measure], best: dict[Any, Any] | None = None) -> Floats:
    """Returns the value of each measure for each list.

    ``best`` caches ideal rankings and counts of judgments, which other runs with the same qrels reuse.
    """
    values = np.empty((len(rows.length), len(measures)))
    whole = rows.group_offsets is not None or any(each.micro or each.definition.groups for each in measures)
    for kind, places in by_kind(measures).items():
        those = [measures[place] for place in places]
        needed = rows.relevant if kind == "relevant" else rows
        # Runs with the same judgments have the same parts, unless a part holds every rank.
        sizes = rows.length if kind == "every" else np.diff(rows.judged_offsets)
        if whole:
            values[:, places] = columns_of(needed, those, best)
            continue
        for first, last in parts_of(sizes):
            shared = None if best is None or kind == "every" else best.setdefault((first, last), {})
            values[first:last, places] = columns_of(needed.part(first, last), those, shared, before=first)
    return values


def by_kind(measures: Sequence[Measure]) -> dict[str, list[int]]:
    """Groups the places of measures by the rows that they need."""
    kinds: dict[str, list[int]] = {}
    for place, measure in enumerate(measures):
        kinds.setdefault(measure.rows, []).append(place)
    return kinds


def columns_of(
    rows: JudgedRows,
    measures: Sequence[Measure],
    best: dict[Any, Any] | None = None,
    *,
    before: int = 0,
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
        raise UncomputableError(TOO_LARGE, place, str(measure))
    return values


def query_of(lists: Flat, group: int) -> int:
    """Returns the query to which a judgment group belongs."""
    offsets = cast("Integers", lists.groups.rows.group_offsets)
    return int(np.searchsorted(offsets, group, side="right")) - 1


def parts_of(sizes: Floats | Integers) -> Iterator[tuple[int, int]]:
    """Yields the bounds of parts of the lists, each with at most ``AT_A_TIME`` rows, or with a single list."""
    ends, first = np.cumsum(sizes + 1), 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + AT_A_TIME, side="right")))
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


def extreme_values(
    found: Match, measures: Sequence[Measure], policy: Policy, values: Floats, best: dict[Any, Any] | None
) -> Iterator[tuple[int, list[Floats], list[Floats | None]]]:
    """Yields each measure's place, and its values and weights under the worst and the best order of tied documents.

    Args:
        found: the match.
        measures: the measures.
        policy: the policy.
        values: the values under the policy's own order, which hold for every list without ties.
        best: the cache of ideal rankings and counts of judgments.
    """
    if any(each.micro or each.definition.weighs for each in measures):
        orders = [finished(arranged(found.whole, rule), policy) for rule in ORDERS]
        ends = [values_of(rows, measures, best) for rows in orders]
        weights = [weights_of(rows, measures) for rows in orders]
        for place in range(len(measures)):
            own = [None if each is None else each[:, place] for each in weights]
            yield place, [end[:, place] for end in ends], own
        return
    for kind, places in by_kind(measures).items():
        whole = found.whole.relevant if kind == "relevant" and ranks_alone(policy) else found.whole
        tied = lists_with_ties(whole)
        few = 2 * int(tied.sum()) < len(tied)
        part = replace(chosen(whole, tied) if few else whole, weight=None)
        those = [measures[place] for place in places]
        ends = [
            values_of(finished(arranged(part, rule), policy), those, None if few else best) for rule in ORDERS
        ]
        for column, place in enumerate(places):
            both = [values[:, place].copy() for _ in ORDERS]
            for its, end in zip(both, ends, strict=True):
                its[tied] = end[:, column] if few else end[tied, column]
            yield place, both, [None, None]


def lists_with_ties(rows: JudgedRows) -> NDArray[np.bool_]:
    """Returns a mask of the lists in which a judged document is tied with another document."""
    tied = np.zeros(len(rows.length), bool)
    tied[rows.list_of_row[rows.tie_last > rows.tie_first]] = True
    return tied


def expected_values(found: Match, measures: Sequence[Measure], policy: Policy) -> tuple[Floats, Floats]:
    """Returns the means over all orders of tied documents, and the standard errors of sampled means."""
    values = values_of(found.rows, measures)
    errors = np.zeros_like(values)
    # A depth or a removal affects documents that are unknown to a measure of sums.
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
    """Returns whether the measure is independent of the order of ties, because it compares scores directly.

    Raises:
        MeasureError: a depth cuts through ties, and queries with dependent values have too many orders.
    """
    if measure.micro and (measure.depth or policy.depth):
        raise MeasureError(sentence("engine", "no_mean", measure=measure))
    return measure.micro


def put_means(
    values: Floats,
    errors: Floats,
    places: list[int],
    measures: Sequence[Measure],
    batches: Iterable[Orders],
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
        # Rounding errors do not count as a spread.
        away[np.abs(away) <= 1e-12 * np.maximum(np.abs(found), 1.0)] = 0.0
        spread = np.add.reduceat(weight * away**2, starts)
        drawn = orders.drawn[starts][:, None]
        errors[lists[:, None], places] = np.sqrt(drawn * spread / np.maximum(counts - 1, 1)[:, None])


Ideals: TypeAlias = "dict[tuple[Policy, Wanted | str | None], dict[Any, Any]]"
"""Ideal lists that runs on the same judgments share, by policy and by the kind of empty queries left out."""


@dataclass(eq=False, repr=False)
class Matches:
    """A run, or lists of grades, matched with the judgments once for each policy that the measures use.

    Args:
        match: the function that matches them under a policy.
        name: the name of the run in tables.
        inputs: the origin of the data, by their role.
        judgments: the file of the judgments, which errors name.
        doubts: returns sentences that say why the values are doubtful, from the first match; None for none.
    """

    match: Callable[[Policy], Match]
    name: str
    inputs: dict[str, Provenance]
    judgments: str = ""
    doubts: Callable[[Match, Policy], list[str]] | None = None
    found: dict[Policy, Match] = field(default_factory=dict, init=False)
    warnings: list[str] = field(default_factory=list, init=False)

    @classmethod
    def of_run(
        cls,
        judged: Qrels,
        run: Run,
        request: Request,
        progress: _native.Progress | None = None,
        threads: int | None = None,
        *,
        scores_only: bool = False,
    ) -> Matches:
        """Returns the result of matching a run with the judgments.

        With ``scores_only``, they may lack rows that the scores of the request do not need.
        """
        few = scores_only and all(each.rows == "relevant" for each in request.asked.values())
        how: dict[str, Any] = {"scores": request.scores, "relevant_only": few, "threads": threads}
        return cls(
            lambda policy: match(judged, run, policy, progress, **how),
            run.name,
            {"qrels": judged.origin, "run": run.origin},
            judged.name,
            lambda found, policy: doubts(judged, run, found, policy),
        )

    @classmethod
    def of_grades(cls, grades: Any, judged: Any, name: str) -> Matches:
        """Returns the result of matching lists of grades with all grades in the judgments.

        Raises:
            DataError: one of them is not a list of lists of grades.
        """
        lists, pools = nested(grades), None if judged is None else nested(judged)
        return cls(lambda policy: match_grades(lists, pools, policy), name, {"grades": Provenance("grades")})

    def under(self, policy: Policy) -> Match:
        """Returns the match under a policy."""
        if policy not in self.found:
            found = self.match(policy)
            if not self.found and self.doubts is not None:
                self.warnings += self.doubts(found, policy)
            self.found[policy] = found
        return self.found[policy]

    def scores(self, request: Request, best: Ideals | None = None, *, bounds: bool = True) -> Scores:
        """Returns the scores.

        Args:
            request: the measures and conventions.
            best: a cache of ideal rankings, which other runs with the same judgments reuse.
            bounds: whether to compute the means under the worst and the best order of tied documents.

        Raises:
            DataError: no query remains, or no measure has a value.
            PolicyError: the policy names an unknown measure.
        """
        text_name(self.name)
        asked, policy = request.asked, request.policy
        strangers = [key for key in policy.exceptions if key.rstrip("@").partition("(")[0] not in REGISTER]
        if strangers:
            raise PolicyError(sentence("engine", "no_measure", name=strangers[0]))
        groups: dict[Policy, dict[str, Measure]] = {}
        for label, measure in asked.items():
            groups.setdefault(policy.of_measure(str(measure)), {})[label] = measure
        parts: list[Scores] = []
        empty: dict[str, list[bytes]] = {}
        for own, its in groups.items():
            found = self.under(own)
            caches = best if best is not None and same_for_all(own) else None
            counts = None if caches is None else caches.setdefault((own, "counts"), {})
            nothing = without_wanted(found, its.values(), counts)
            alike: dict[Wanted | None, dict[str, Measure]] = {}
            for label, measure in its.items():
                empty[label] = [found.queries[each] for each in np.flatnonzero(nothing[measure.wanted])]
                if own.empty == "error" and empty[label]:
                    raise no_relevant(empty[label][0], label, measure)
                alike.setdefault(measure.wanted if own.empty == "skip" else None, {})[label] = measure
            for wanted, those in alike.items():
                kept = found if wanted is None else found.only(~nothing[wanted])
                shared = None if caches is None else caches.setdefault((own, wanted), {})
                part = replace(request, asked=those, policy=own)
                parts.append(self.computable(kept, part, shared, bounds=bounds))
        if not any(part.queries for part in parts):
            raise DataError(f"{self.name}: the policy leaves no query to evaluate.")
        alone = len(parts) == 1 and not parts[0].failed
        scores = replace(parts[0], policy=policy) if alone else side_by_side(parts, asked, policy)
        if len(scores.failed) == len(asked):
            raise DataError(next(iter(scores.failed.values())))
        counts = {label: len(empty[label]) for label in asked}
        several = len(set().union(*empty.values()))
        return replace(
            scores,
            counts=replace(scores.counts, empty=several, empty_for=counts if several else {}),
            inputs=self.inputs,
            warnings=(*self.warnings, *scores.warnings),
        )

    def computable(
        self, found: Match, request: Request, best: dict[Any, Any] | None, *, bounds: bool
    ) -> Scores:
        """Returns the scores of the measures that have a value for every query.

        ``failed`` contains the reasons why other measures have no value.
        """
        failed: dict[str, str] = {}
        while True:
            computable = {label: each for label, each in request.asked.items() if label not in failed}
            try:
                scores = computed(found, replace(request, asked=computable), self.name, best, bounds=bounds)
            except UncomputableError as error:
                label = next(label for label, measure in computable.items() if str(measure) == error.measure)
                query = text_of(found.queries[error.place]) if error.place < len(found.queries) else "?"
                file = "" if self.judgments[:1] in ("", "<") else f"{self.judgments}, "
                failed[label] = f"{label} has no value: {file}query '{query}': {error.reason}"
            else:
                return replace(scores, failed=failed)


def nested(lists: Any) -> list[list[float | None]]:
    """Returns lists of grades, one per query. A flat list of grades becomes the list of one query.

    Raises:
        DataError: the value is not a list.
    """
    if not isinstance(lists, Iterable) or isinstance(lists, (str, bytes, Mapping)):
        raise DataError(f"Give lists of grades, such as [[2, 0, 1], [0, 1]], not {lists!r:.80}.")
    outer: list[Any] = [each.tolist() if isinstance(each, np.ndarray) else each for each in lists]
    if outer and not any(isinstance(each, (list, tuple)) for each in outer):
        return [outer]
    return [list(each) for each in outer]


def same_for_all(policy: Policy) -> bool:
    """Returns whether the policy uses the same judgments for every run."""
    return policy.judgments == "all" and policy.missing != "skip"


# ---------------------------------------------------------------- queries in which there is nothing to find


def without_wanted(
    found: Match, measures: Iterable[Measure], best: dict[Any, Any] | None = None
) -> dict[Wanted, NDArray[np.bool_]]:
    """Returns a mask of the queries without relevant documents, for each definition of relevance."""
    lists = Flat(found.rows, best=best)
    wanted = dict.fromkeys(measure.wanted for measure in measures)
    with np.errstate(over="ignore"):  # a gain too large to compute with is one that the query has
        return {each: np.asarray(each.count(lists)) == 0 for each in wanted}


def no_relevant(query: bytes, label: str, measure: Measure) -> DataError:
    """Returns the error for a query without documents that are relevant to a measure, which the policy forbids."""
    choice = by_policy("empty", "zero", "skip")
    facts = {"query": text_of(query), "label": label, "wanted": measure.wanted, "choice": choice}
    return DataError(sentence("engine", "no_relevant", **facts))


def computed(
    found: Match, request: Request, name: str, best: dict[Any, Any] | None, *, bounds: bool
) -> Scores:
    """Returns the scores of all measures, after the policy's rules for missing and empty queries.

    Raises:
        UncomputableError: a measure has no value for the grades of a query.
    """
    asked, policy, convention = request.asked, request.policy, request.convention
    if best is None and len(found.rows.judged_grades) <= AT_A_TIME:
        best = {}  # else the ideal rankings of all lists would take much memory
    refuse_other_orders(asked, policy)
    wanted = list(asked.values())
    column = None if request.weights is None else given_weights(found, request.weights)
    found = replace(found, rows=replace(found.rows, weight=column), whole=replace(found.whole, weight=column))
    if policy.ties == "expected" and found.counts.tied:
        values, errors = expected_values(found, wanted, policy)
    else:
        values, errors = values_of(found.rows, wanted, best), None
    extremes = tie_bounds(found, asked, policy, column, values, best) if bounds and found.counts.tied else {}
    weights = together(column, weights_of(found.rows, wanted), wanted)
    nothing = without_wanted(found, wanted) if policy.empty in ("one", "nan") else {}
    for place, measure in enumerate(wanted):
        if measure.definition.aggregate == "sum":
            continue
        if nothing:
            values[nothing[measure.wanted], place] = 1.0 if policy.empty == "one" else np.nan
        if policy.missing == "nan":
            values[found.missing, place] = np.nan
    return Scores(
        name=name,
        labels=tuple(asked),
        measures=tuple(asked.values()),
        queries=tuple(map(text_of, found.queries)),
        matrix=values,
        policy=policy,
        counts=found.counts,
        bounds=extremes,
        weights=weights,
        errors={} if errors is None else mean_errors(errors, asked, weights),
        profile=None if convention.name == "karat" else convention.name,
        digits=convention.digits,
        pools={label: found.rows for label, measure in asked.items() if measure.micro},
    )


def tie_bounds(
    found: Match,
    asked: dict[str, Measure],
    policy: Policy,
    column: Floats | None,
    values: Floats,
    best: dict[Any, Any] | None,
) -> dict[str, tuple[float, float]]:
    """Returns each measure's mean under the worst and the best order of ties, except for measures by subtopics."""
    alone = [not measure.definition.groups for measure in asked.values()]
    asked = {label: measure for label, measure in asked.items() if not measure.definition.groups}
    if not asked:
        return {}
    bounds = {}
    labels, wanted = list(asked), list(asked.values())
    for place, ends, weights in extreme_values(found, wanted, policy, values[:, alone], best):
        how = wanted[place].definition.aggregate
        if how != "sum":
            its = [own if column is None else column * (1.0 if own is None else own) for own in weights]
            low, high = (aggregate(end, how, own) for end, own in zip(ends, its, strict=True))
            bounds[labels[place]] = (min(low, high), max(low, high))
    return {label: bounds[label] for label in labels if label in bounds}


def mean_errors(errors: Floats, asked: dict[str, Measure], weights: Floats | None) -> dict[str, float]:
    """Returns the standard error of each mean that is computed from a sample of orders."""
    shares = np.ones_like(errors) if weights is None else weights
    shares = shares / np.maximum(shares.sum(axis=0), 1e-300)
    whole = np.sqrt(((shares * errors) ** 2).sum(axis=0))
    return {
        label: float(error)
        for label, measure, error in zip(asked, asked.values(), whole, strict=True)
        if error > 0 and measure.definition.aggregate == "mean"
    }


def given_weights(found: Match, given: Mapping[str, float]) -> Floats:
    """Returns the weight that the caller gave to each query.

    Raises:
        DataError: a query has no weight, or a weight is not valid.
    """
    if not hasattr(given, "keys"):
        raise DataError(f"weights={given!r}: give the weight of each query, as in {{'q1': 2.0, 'q2': 1.0}}.")
    column = np.array([weight_of(text_of(query), given) for query in found.queries])
    if len(column) and not column.any():
        raise DataError(sentence("engine", "no_weight"))
    return column


def together(column: Floats | None, own: Floats | None, wanted: Sequence[Measure]) -> Floats | None:
    """Returns the weight of each query for each measure: the caller's weight times the measure's."""
    if column is None:
        return own
    return column[:, None] * (np.ones((1, len(wanted))) if own is None else own)


def weight_of(query: str, given: Mapping[str, float]) -> float:
    """Returns the weight that the caller gave to a query."""
    from reprlib import repr as shortened  # only here, as few give weights

    from karat.inputs.query_files import A_WEIGHT, is_weight

    if query not in given:
        raise DataError(f"Query '{query}' has no weight: give one to each query that is evaluated.")
    weight: object = given[query]
    if not is_weight(weight):
        raise DataError(f"The weight of query '{query}' is {shortened(weight)}: {A_WEIGHT}.")
    return float(cast("float", weight))


Evaluated: TypeAlias = "tuple[Scores, Matches]"
"""A run's scores, and the matches that they come from."""


SMALL = 64 * 2**20
"""Files up to this size are read side by side, one core each; larger ones one by one, by all cores."""


def evaluate_together(
    judged: Qrels,
    runs: Sequence[Run],
    request: Request,
    progress: _native.Progress | None = None,
    *,
    scores_only: bool = False,
) -> Iterator[Evaluated]:
    """Returns each run's scores in order. Runs are read in parallel, and the qrels are processed only once.

    Args:
        judged: the judgments.
        runs: the runs.
        request: the measures and conventions.
        progress: as in ``evaluate``.
        scores_only: whether the matches may lack rows that the scores do not need.

    Raises:
        DataError: as in ``evaluate``.
    """
    several = len(runs) > 1 and len(judged.judgments.grades) <= MOST_SHARED
    best: Ideals | None = {} if several else None

    def one(run: Run, threads: int | None = None) -> Evaluated:
        matched = Matches.of_run(judged, run, request, progress, threads, scores_only=scores_only)
        return matched.scores(request, best), matched

    cores = available_cores()
    if len(runs) < 2 or cores < 2 or not all(map(beside_others, runs)):
        yield from ((warned(scores), found) for scores, found in map(one, runs))
        return
    every = in_threads(lambda run: one(run, max(1, cores // len(runs))), runs, min(cores, len(runs)))
    # The warnings are issued here, where the caller's line is known.
    yield from ((warned(scores), found) for scores, found in every)


def beside_others(run: Run) -> bool:
    """Returns whether to read a run on one core, while other cores read other runs."""
    return not run.alone and run.origin.size <= SMALL


def warned(scores: Scores) -> Scores:
    """Issues the warnings of the scores and returns the scores."""
    for reason in (*scores.warnings, *scores.failed.values()):
        warn(reason)
    return scores
