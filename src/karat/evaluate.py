"""From judgments and a run to scores: match once, then call every formula on the same lists."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.cores import available_cores
from karat.errors import DataError, PolicyError
from karat.ids import text_of
from karat.match import Match, match, match_grades, match_judged_ranking
from karat.measures import REGISTER, Measure
from karat.policy import Policy
from karat.profiles import Profile, profile_named
from karat.read import Origin
from karat.scores import Scores, aggregate, side_by_side
from karat.tables import Qrels, QrelsLike, Run, RunLike, short
from karat.values import expected_values, extreme_values, values_of, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from karat import _native
    from karat.lists.flat import Flat
    from karat.rows import Floats

__all__ = [
    "DEFAULT_MEASURES",
    "MeasuresLike",
    "evaluate",
    "evaluate_grades",
    "evaluate_judged_ranking",
    "evaluate_together",
    "needs_groups",
    "values_of",
]

DEFAULT_MEASURES = ("AP", "RR", "nDCG@10", "nDCG", "P@10", "R@1000")

MeasuresLike: TypeAlias = "str | Measure | Iterable[str | Measure] | None"


def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: str | None = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    progress: _native.Progress | None = None,
) -> Scores:
    """Measure a run against relevance judgments.

    Args:
        qrels: a path (plain, .gz, .zst; ``-`` is standard input), bytes, an open binary file, a ``Qrels``,
            ``{query: {document: grade}}``, or a data frame (pandas, Polars, PyArrow, DuckDB …) with columns of
            usual names; of others ``Qrels.of(frame, query=…, document=…, grade=…)``. Measures by subtopic read
            ``query subtopic document grade``, or ``{query: {subtopic: {document: grade}}}``.
        run: the same for a run, ``{query: {document: score}}``, or a data frame, see ``Run.of``.
        measures: names or ``Measure``s; the profile's or karat's default ones if None.
        policy: what is decided about ties, duplicates, missing queries …; the profile's if None.
        profile: a named convention, see ``karat.profiles()``.
        weights: what each query weighs in the means, ``{query: weight}``; all the same if None.
        name: what tables call the run.
        progress: counts the bytes read, for a progress bar in another thread.

    Returns:
        The scores, per query and on average.

    Raises:
        DataError: text or values that cannot be used as they are.
        MeasureError: a measure that does not exist.
        PolicyError: a profile or policy that does not exist.

    Example:
        >>> import karat
        >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
        >>> run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}
        >>> karat.evaluate(qrels, run, ["RR", "nDCG@10"])["RR"]
        0.75
    """
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    judged = Qrels.of(qrels, policy, subtopics=needs_groups(asked))
    ranked = Run.of(run, name)

    scores, _ = evaluate_one(judged, ranked, asked, convention, policy, weights=weights, progress=progress)
    return scores


def evaluate_judged_ranking(
    ranking: QrelsLike,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: str | None = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
) -> Scores:
    """Measure a judged ranking: one file of ``query Q0 document grade`` in rank order.

    The file is run and judgments in one: what it does not list is not known.

    Args:
        ranking: as ``qrels`` of ``evaluate``.
        measures: as there.
        policy: as there.
        profile: as there.
        weights: as there.
        name: what tables call it.

    Raises:
        DataError: text that cannot be read, or a document listed twice.
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> karat.evaluate_judged_ranking(b"q Q0 a 0\\nq Q0 b 1\\n", ["RR"])["RR"]
        0.5
    """
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    judged = Qrels.of(ranking, policy)
    scores = scored(
        lambda policy: match_judged_ranking(judged, policy),
        asked,
        policy,
        convention,
        name or short(judged.name),
        weights,
    )
    return replace(scores, inputs={"judged ranking": judged.origin})


def evaluate_grades(
    grades: Sequence[Sequence[float | None]],
    measures: MeasuresLike = None,
    judged: Sequence[Sequence[float | None]] | None = None,
    *,
    policy: Policy | None = None,
    profile: str | None = None,
    weights: Sequence[float] | None = None,
) -> Scores:
    """Measure lists of grades in rank order.

    Args:
        grades: for each query the grades of its ranked documents, best rank first; None for an unjudged
            document; one flat list is one query.
        measures: as in ``evaluate``.
        judged: for each query all grades of its judgments, retrieved or not, in any order; the ranked grades
            themselves if None.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        weights: what each query weighs in the means; all the same if None.

    Raises:
        DataError: a grade that is no number, or lists that do not pair.
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> karat.evaluate_grades([[2, 1, 0, 3, 0, 1], [3, 0, 1, 2]], ["DCG@6"]).by_query("DCG@6")
        {'1': 4.279166614899659, '2': 4.361353116146786}
    """
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    lists, pools = nested(grades), None if judged is None else nested(judged)
    its = None if weights is None else {str(number): each for number, each in enumerate(weights, 1)}
    scores = scored(
        lambda policy: match_grades(lists, pools, policy), asked, policy, convention, "grades", its
    )
    return replace(scores, inputs={"grades": Origin("grades")})


# ---------------------------------------------------------------- runs

Evaluated: TypeAlias = "tuple[Scores, dict[Policy, Match]]"
"""A run's scores, and the matches that they come from, by the policies that its measures stand under."""

SMALL = 64 * 2**20
"""Bytes up to which a file is read by one core, others beside it: of larger ones each is read by all cores."""


def evaluate_together(
    judged: Qrels,
    runs: Sequence[Run],
    asked: dict[str, Measure],
    convention: Profile,
    policy: Policy,
    *,
    weights: Mapping[str, float] | None = None,
    progress: _native.Progress | None = None,
) -> Iterator[Evaluated]:
    """Each run's scores, in order: read side by side, what depends on the judgments alone made once.

    Args:
        judged: the judgments.
        runs: the runs.
        asked: the measures by label, as ``labelled`` gives them.
        convention: the profile.
        policy: the policy.
        weights: as in ``evaluate``.
        progress: as there.

    Raises:
        DataError: as there.
    """
    best: dict[Policy, dict[Any, Flat]] = {}

    def one(run: Run, threads: int | None = None) -> Evaluated:
        return evaluate_one(
            judged,
            run,
            asked,
            convention,
            policy,
            weights=weights,
            progress=progress,
            best=best,
            threads=threads,
        )

    cores = available_cores()
    small = all(run.source is None or (run.source.size or 0) <= SMALL for run in runs)
    if len(runs) < 2 or cores < 2 or not small:
        yield from map(one, runs)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(cores, len(runs))) as pool:
        yield from pool.map(lambda run: one(run, max(1, cores // len(runs))), runs)


def evaluate_one(
    judged: Qrels,
    run: Run,
    asked: dict[str, Measure],
    convention: Profile,
    policy: Policy,
    *,
    weights: Mapping[str, float] | None = None,
    progress: _native.Progress | None = None,
    best: dict[Policy, dict[Any, Flat]] | None = None,
    threads: int | None = None,
) -> Evaluated:
    """One run's scores, and its matches; ``best`` keeps ideal lists for other runs on the same judgments."""
    matches: dict[Policy, Match] = {}

    def matched(own: Policy) -> Match:
        found = match(judged, run, own, progress, scores=needs_scores(asked), threads=threads)
        refuse_strangers(judged, run, found)
        matches[own] = found
        return found

    scores = scored(matched, asked, policy, convention, run.name, weights, best)
    return replace(scores, inputs={"qrels": judged.origin, "run": run.origin}), matches


def same_for_all(policy: Policy) -> bool:
    """Whether the judgments that count are the same for every run."""
    return policy.judgments == "all" and policy.missing != "skip"


# ---------------------------------------------------------------- steps


def conventions(profile: str | None, policy: Policy | None) -> tuple[Profile, Policy]:
    """The profile, and the policy: the one given, else the profile's."""
    convention = profile_named(profile)
    if policy is not None and not isinstance(policy, Policy):
        raise PolicyError(f"policy is a karat.Policy, not {policy!r}.")
    return convention, policy or convention.policy


def labelled(measures: MeasuresLike, convention: Profile) -> dict[str, Measure]:
    """What is asked for: each measure by its label, read as the profile reads it."""
    if measures is None:
        measures = convention.measures or DEFAULT_MEASURES
    names = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    asked = dict(pair for name in names for pair in convention.read(name))
    if not asked:
        raise DataError("No measure was asked for.")
    return asked


def needs_scores(asked: Mapping[str, Measure]) -> bool:
    """Whether a measure compares scores of documents of different queries, which ranks do not tell."""
    return any(measure.pooled for measure in asked.values())


def needs_groups(asked: Mapping[str, Measure]) -> bool:
    """Whether a measure is taken over judgment groups, which the second column of qrels names."""
    return any(measure.definition.groups for measure in asked.values())


def refuse_other_orders(asked: Mapping[str, Measure], policy: Policy) -> None:
    """Refuse orders of tied documents that are chosen by one grade, where a document has one for each subtopic.

    Raises:
        PolicyError: a measure by subtopics, and ties that are not broken by ids, lines or ranks.
    """
    label = next((label for label, measure in asked.items() if measure.definition.groups), None)
    if label is not None and policy.ties in ("optimistic", "pessimistic", "expected"):
        raise PolicyError(
            f"{label} has no {policy.ties} order of tied documents (ties={policy.ties}), since a document has a grade "
            "for each subtopic: choose another rule for ties, such as trec."
        )


def nested(lists: Any) -> list[list[float | None]]:
    """A list of lists of numbers; one flat list becomes a list of one."""
    outer: list[Any] = [each.tolist() if isinstance(each, np.ndarray) else each for each in lists]
    if outer and not any(isinstance(each, (list, tuple)) for each in outer):
        return [outer]
    return [list(each) for each in outer]


def refuse_strangers(judged: Qrels, ranked: Run, found: Match) -> None:
    """Refuse a run that shares no query with the judgments: its zeros would say nothing.

    Raises:
        DataError: the run has queries, and none of them is judged.
    """
    counts = found.counts
    if counts.extra and len(counts.missing) == counts.judged:
        raise DataError(
            f"{ranked.name} and {judged.name} have no query in common: none of the run's {counts.extra} queries is "
            f"judged; the judgments begin with '{judged.queries[0]}'. Check that both use the same ids."
        )


def scored(
    matched: Callable[[Policy], Match],
    asked: dict[str, Measure],
    policy: Policy,
    convention: Profile,
    name: str,
    weights: Mapping[str, float] | None = None,
    best: dict[Policy, dict[Any, Flat]] | None = None,
) -> Scores:
    """Match and evaluate once for each policy that the measures stand under."""
    strangers = [key for key in policy.exceptions if key.rstrip("@").partition("(")[0] not in REGISTER]
    if strangers:
        raise PolicyError(
            f"by_measure speaks of '{strangers[0]}', which is no measure; 'karat measures' lists them."
        )
    groups: dict[Policy, dict[str, Measure]] = {}
    for label, measure in asked.items():
        groups.setdefault(policy.of_measure(str(measure)), {})[label] = measure
    parts = []
    for own, its in groups.items():
        shared = best.setdefault(own, {}) if best is not None and same_for_all(own) else None
        parts.append(scores_of(matched(own), its, own, convention, name, weights, shared))
    if not any(part.queries for part in parts):
        raise DataError(f"{name}: no query is left to evaluate.")
    return side_by_side(parts, asked, policy) if len(parts) > 1 else parts[0]


def scores_of(
    found: Match,
    asked: dict[str, Measure],
    policy: Policy,
    convention: Profile,
    name: str,
    given: Mapping[str, float] | None = None,
    best: dict[Any, Flat] | None = None,
) -> Scores:
    """Call every formula and keep what it gives, with what was decided on the way."""
    refuse_other_orders(asked, policy)
    wanted = list(asked.values())
    column = None if given is None else given_weights(found, given)
    found = replace(found, rows=replace(found.rows, weight=column), whole=replace(found.whole, weight=column))
    if policy.ties == "expected" and found.counts.tied:
        values, errors = expected_values(found, wanted, policy)
    else:
        values, errors = values_of(found.rows, wanted, best), None
    weights = together(column, weights_of(found.rows, wanted), wanted)
    for place, measure in enumerate(asked.values()):
        if measure.definition.aggregate == "sum":
            continue
        if policy.empty in ("one", "nan"):
            values[found.empty, place] = 1.0 if policy.empty == "one" else np.nan
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
        pools={label: found.rows for label, measure in asked.items() if measure.pooled},
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
    """What the caller says each query weighs.

    Raises:
        DataError: a query without a weight, or a weight that is none.
    """
    column = np.array([weight_of(text_of(query), given) for query in found.queries])
    if len(column) and not column.any():
        raise DataError("Every query weighs 0: there is no mean.")
    return column


def together(column: Floats | None, own: Floats | None, wanted: Sequence[Measure]) -> Floats | None:
    """What each query weighs for each measure: what the caller gives, times what the measure says."""
    if column is None:
        return own
    return column[:, None] * (np.ones((1, len(wanted))) if own is None else own)


def weight_of(query: str, given: Mapping[str, float]) -> float:
    """The weight given to a query."""
    if query not in given:
        raise DataError(f"Query '{query}' has no weight: give one to each query that is evaluated.")
    weight: object = given[query]
    if not isinstance(weight, Real) or not 0 <= float(weight) < math.inf:
        raise DataError(f"The weight of query '{query}' is {weight!r}: a weight is a number from 0 on.")
    return float(weight)
