"""Scores of a match: groups measures by policy, calls their formulas, and weighs the means."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from karat.conventions.request import refuse_other_orders
from karat.evaluation.formulas import expected_values, extreme_values, values_of, weights_of
from karat.evaluation.scores import Scores, side_by_side
from karat.evaluation.values import aggregate
from karat.inputs.ids import text_of
from karat.inputs.run import text_name
from karat.lists.flat import Flat
from karat.measures import REGISTER, Measure
from karat.output.errors import DataError, PolicyError, UncomputableError, by_policy, worded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from karat.conventions.policy import Policy
    from karat.conventions.profiles import Profile
    from karat.lists.rows import Floats
    from karat.matching.match import Match
    from karat.measures.names import Wanted

__all__ = ["Ideals", "scored"]

Ideals: TypeAlias = "dict[tuple[Policy, Wanted | None], dict[Any, Flat]]"
"""Ideal lists that runs on the same judgments share, by the policy and by what the queries left out lack."""


def scored(
    matched: Callable[[Policy], Match],
    asked: dict[str, Measure],
    policy: Policy,
    convention: Profile,
    name: str,
    weights: Mapping[str, float] | None = None,
    best: Ideals | None = None,
    judgments: str = "",
) -> Scores:
    """Match and evaluate once for each policy of the measures."""
    text_name(name)
    strangers = [key for key in policy.exceptions if key.rstrip("@").partition("(")[0] not in REGISTER]
    if strangers:
        raise PolicyError(
            f"by_measure speaks of '{strangers[0]}', which is no measure; 'karat measures' lists them."
        )
    groups: dict[Policy, dict[str, Measure]] = {}
    for label, measure in asked.items():
        groups.setdefault(policy.of_measure(str(measure)), {})[label] = measure
    parts: list[Scores] = []
    empty: dict[str, list[bytes]] = {}
    for own, its in groups.items():
        found = matched(own)
        nothing = without_wanted(found, its.values())
        for label, measure in its.items():
            empty[label] = [found.queries[each] for each in np.flatnonzero(nothing[measure.wanted])]
        refuse_where_nothing_is_wanted(found, its, nothing, own)
        for wanted, those in left_out_alike(its, own).items():
            kept = found if wanted is None else found.only(~nothing[wanted])
            shared = best.setdefault((own, wanted), {}) if best is not None and same_for_all(own) else None
            parts.append(scores_of(kept, those, own, convention, name, weights, shared, judgments))
    if not any(part.queries for part in parts):
        raise DataError(f"{name}: no query is left to evaluate.")
    scores = side_by_side(parts, asked, policy) if len(parts) > 1 else replace(parts[0], policy=policy)
    if len(scores.failed) == len(asked):
        raise DataError(next(iter(scores.failed.values())))
    counts = {label: len(empty[label]) for label in asked}
    several = len(set().union(*empty.values()))
    return replace(scores, counts=replace(scores.counts, empty=several, empty_for=counts if several else {}))


def same_for_all(policy: Policy) -> bool:
    """Whether the judgments that count are the same for every run."""
    return policy.judgments == "all" and policy.missing != "skip"


# ---------------------------------------------------------------- queries in which there is nothing to find


def without_wanted(found: Match, measures: Iterable[Measure]) -> dict[Wanted, NDArray[np.bool_]]:
    """Which queries hold nothing of what each measure looks for."""
    lists = Flat(found.rows)
    wanted = dict.fromkeys(measure.wanted for measure in measures)
    with np.errstate(over="ignore"):  # a gain too large to compute with is one that the query has
        return {each: np.asarray(each.count(lists)) == 0 for each in wanted}


def left_out_alike(asked: dict[str, Measure], policy: Policy) -> dict[Wanted | None, dict[str, Measure]]:
    """The measures by what they look for, where a query without that is left out; all under None where none is."""
    if policy.empty != "skip":
        return {None: asked}
    groups: dict[Wanted | None, dict[str, Measure]] = {}
    for label, measure in asked.items():
        groups.setdefault(measure.wanted, {})[label] = measure
    return groups


def refuse_where_nothing_is_wanted(
    found: Match, asked: dict[str, Measure], nothing: dict[Wanted, NDArray[np.bool_]], policy: Policy
) -> None:
    """Hold queries to what the policy says of empty ones.

    Raises:
        DataError: a query holds nothing of what a measure looks for, and the policy calls that an error.
    """
    if policy.empty != "error":
        return
    for label, measure in asked.items():
        which = nothing[measure.wanted]
        if which.any():
            query = text_of(found.queries[int(which.argmax())])
            raise DataError(
                worded(
                    f"Query '{query}' has no relevant document: {label} looks for {measure.wanted}. The policy forbids "
                    "that (empty=error): judge more, leave the query out, or choose ",
                    by_policy("empty", "zero", "skip"),
                    ".",
                )
            )


def scores_of(
    found: Match,
    asked: dict[str, Measure],
    policy: Policy,
    convention: Profile,
    name: str,
    given: Mapping[str, float] | None = None,
    best: dict[Any, Flat] | None = None,
    judgments: str = "",
) -> Scores:
    """The scores; a measure that has no value for the grades of a query is undefined for all, and says why."""
    computable, failed = dict(asked), {}
    while True:
        try:
            scores = computed(found, computable, policy, convention, name, given, best)
        except UncomputableError as error:
            label = next(label for label, measure in computable.items() if str(measure) == error.measure)
            query = text_of(found.queries[error.place]) if error.place < len(found.queries) else "?"
            where = f"{judgments}, query '{query}'" if judgments[:1] not in ("", "<") else f"query '{query}'"
            failed[label] = f"{label} has no value: {where}: {error.reason}"
            del computable[label]
        else:
            return with_failed(scores, asked, failed) if failed else scores


def with_failed(scores: Scores, asked: dict[str, Measure], failed: dict[str, str]) -> Scores:
    """The scores with undefined values of the measures that have none."""

    def widened(columns: Floats, missing: float) -> Floats:
        wide = np.full((len(scores.queries), len(asked)), missing)
        wide[:, [place for place, label in enumerate(asked) if label not in failed]] = columns
        return wide

    return replace(
        scores,
        labels=tuple(asked),
        measures=tuple(asked.values()),
        values=widened(scores.values, math.nan),
        weights=None if scores.weights is None else widened(scores.weights, 1.0),
        failed=failed,
    )


def computed(
    found: Match,
    asked: dict[str, Measure],
    policy: Policy,
    convention: Profile,
    name: str,
    given: Mapping[str, float] | None,
    best: dict[Any, Flat] | None,
) -> Scores:
    """Call every formula and keep what it gives, with what was decided on the way.

    Raises:
        UncomputableError: a measure has no value for the grades of a query.
    """
    refuse_other_orders(asked, policy)
    wanted = list(asked.values())
    column = None if given is None else given_weights(found, given)
    found = replace(found, rows=replace(found.rows, weight=column), whole=replace(found.whole, weight=column))
    if policy.ties == "expected" and found.counts.tied:
        values, errors = expected_values(found, wanted, policy)
    else:
        values, errors = values_of(found.rows, wanted, best), None
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
        values=values,
        policy=policy,
        counts=found.counts,
        bounds=tie_bounds(found, asked, policy, column) if found.counts.tied else {},
        weights=weights,
        errors={} if errors is None else mean_errors(errors, asked, weights),
        profile=None if convention.name == "karat" else convention.name,
        digits=convention.digits,
        pools={label: found.rows for label, measure in asked.items() if measure.micro},
    )


def tie_bounds(
    found: Match, asked: dict[str, Measure], policy: Policy, column: Floats | None
) -> dict[str, tuple[float, float]]:
    """The mean of each measure under the worst and the best order of tied documents; none of one by subtopics."""
    asked = {label: measure for label, measure in asked.items() if not measure.definition.groups}
    if not asked:
        return {}
    wanted = list(asked.values())
    orders = [
        (values, together(column, own, wanted)) for values, own in extreme_values(found, wanted, policy)
    ]
    bounds = {}
    for place, (label, measure) in enumerate(asked.items()):
        how = measure.definition.aggregate
        if how != "sum":
            low, high = (
                aggregate(values[:, place], how, None if weights is None else weights[:, place])
                for values, weights in orders
            )
            bounds[label] = (min(low, high), max(low, high))
    return bounds


def mean_errors(errors: Floats, asked: dict[str, Measure], weights: Floats | None) -> dict[str, float]:
    """The standard error of each mean that comes from a sample of orders; the queries' samples are independent."""
    shares = np.ones_like(errors) if weights is None else weights
    shares = shares / np.maximum(shares.sum(axis=0), 1e-300)
    whole = np.sqrt(((shares * errors) ** 2).sum(axis=0))
    return {
        label: float(error)
        for label, measure, error in zip(asked, asked.values(), whole, strict=True)
        if error > 0 and measure.definition.aggregate == "mean"
    }


def given_weights(found: Match, given: Mapping[str, float]) -> Floats:
    """The caller's weight of each query.

    Raises:
        DataError: a query without a weight, or a weight that is none.
    """
    if not hasattr(given, "keys"):
        raise DataError(f"weights={given!r}: give what each query weighs, as in {{'q1': 2.0, 'q2': 1.0}}.")
    column = np.array([weight_of(text_of(query), given) for query in found.queries])
    if len(column) and not column.any():
        raise DataError("Every query weighs 0: there is no mean.")
    return column


def together(column: Floats | None, own: Floats | None, wanted: Sequence[Measure]) -> Floats | None:
    """The weight of each query for each measure: the caller's times the measure's own."""
    if column is None:
        return own
    return column[:, None] * (np.ones((1, len(wanted))) if own is None else own)


def weight_of(query: str, given: Mapping[str, float]) -> float:
    """The weight given to a query."""
    from reprlib import repr as shortened  # only here, as few give weights

    from karat.inputs.query_files import A_WEIGHT, is_weight

    if query not in given:
        raise DataError(f"Query '{query}' has no weight: give one to each query that is evaluated.")
    weight: object = given[query]
    if not is_weight(weight):
        raise DataError(f"The weight of query '{query}' is {shortened(weight)}: {A_WEIGHT}.")
    return float(cast("float", weight))
