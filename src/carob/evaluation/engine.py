"""Computes scores from matched data: the values of formulas, their weighted means, and the bounds of ties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.request import refuse_other_orders
from carob.evaluation.score_tables import aggregates
from carob.evaluation.scores import Scores, side_by_side
from carob.evaluation.suspects import caps_of, perfect
from carob.evaluation.values import (
    AT_A_TIME,
    ORDERS,
    ROWS_TOGETHER,
    ValuesUnderTies,
    expected_values,
    extreme_values,
    may_stack,
    parts_of,
    values_of,
    values_together,
    weights_of,
)
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run, text_name
from carob.inputs.runs import available_cores, in_threads
from carob.inputs.sources import Provenance, called
from carob.lists import kept_in
from carob.lists.flat import Flat
from carob.matching.match import Match, match, match_grades, match_judged_ranking
from carob.matching.mismatch import doubts
from carob.output.errors import (
    DataError,
    UncomputableError,
    by_policy,
    warn,
)
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from carob import _native
    from carob.conventions.policy import Policy
    from carob.conventions.request import Request
    from carob.evaluation.values import End
    from carob.inputs.qrels import QrelsLike
    from carob.lists.rows import Floats
    from carob.measures import Measure
    from carob.measures.names import RequiredJudgments

MOST_SHARED = 2**20
"""The maximum number of judgments whose ideal rankings are kept for other runs.

The ideal rankings need about 60 bytes per judgment.
"""
MOST_TOGETHER = 8
"""The maximum number of runs that one thread matches before their values are computed together."""

Ideals: TypeAlias = "dict[tuple[Policy, RequiredJudgments | str | None], dict[Any, Any]]"
"""Ideal rankings shared by runs on the same judgments, by policy and by the kind of empty queries left out."""


@dataclass(eq=False, repr=False)
class Matches:
    """A run or lists of grades, matched with the judgments once for each policy that the measures use.

    Args:
        match: the function that matches the run or the grades with the judgments under a policy.
        name: the name of the run in tables.
        inputs: the origin of the data, by role.
        judgments: the file of the judgments, as named in errors.
        doubts: a function that returns, for the first match, sentences that say why the values are doubtful; or None.
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

        With ``scores_only``, the matches may omit rows that the scores of the request do not need.
        """
        few = scores_only and all(each.rows == "relevant" for each in request.asked.values())
        how: dict[str, Any] = {"scores": request.scores, "relevant_only": few, "threads": threads}
        return cls(
            lambda policy: match(judged, run, policy, progress, **how),
            run.name,
            {"qrels": judged.origin, "run": run.origin},
            judged.name,
            lambda found, policy: [
                *doubts(judged, run, found, policy),
                *weights_of_others(request.weights, judged, found, policy),
            ],
        )

    @classmethod
    def of_grades(cls, grades: Any, judged: Any, name: str) -> Matches:
        """Returns the result of matching lists of grades with all grades in the judgments.

        Raises:
            DataError: ``grades`` or ``judged`` is not a list of lists of grades.
        """
        lists, pools = nested(grades), None if judged is None else nested(judged)
        return cls(lambda policy: match_grades(lists, pools, policy), name, {"grades": Provenance("grades")})

    @classmethod
    def of_judged_ranking(cls, ranking: QrelsLike, policy: Policy, name: str | None) -> Matches:
        """Returns the result of matching a judged ranking, which is both the run and the judgments.

        Raises:
            DataError: the ranking cannot be read, or contains a document twice.
        """
        judged = Qrels.of(ranking, policy).complete
        inputs = {"judged ranking": judged.origin}
        of_policy = partial(match_judged_ranking, judged)
        return cls(of_policy, name or called(judged.name), inputs, judged.name)

    def under(self, policy: Policy) -> Match:
        """Returns the result of matching under a policy."""
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
            best: a cache of ideal rankings that other runs with the same judgments reuse.
            bounds: whether to compute the means under the worst and the best order of tied documents.

        Raises:
            DataError: no query remains, or no measure has a value.
            PolicyError: the policy names an unknown measure.
        """
        return scores_of([self], request, best, bounds=bounds)[0]

    def parts(self, request: Request, best: Ideals | None) -> RequestParts:
        """Returns the parts of the request, each of which has one policy and the queries that count for its measures.

        Raises:
            DataError: a query has no relevant documents, and the policy makes that an error.
            PolicyError: the policy names an unknown measure.
        """
        text_name(self.name)
        found_parts: list[RequestPart] = []
        empty: dict[str, tuple[str, ...]] = {}
        for own, its in request.by_policy.items():
            found = self.under(own)
            caches = best if best is not None and same_for_all(own) else None
            known = {} if caches is None else caches.setdefault((own, "nothing"), {})
            nothing = kept_in(known, "nothing", partial(without_wanted, found, its.values()))
            without = {
                wanted: found.queries.chosen(those).texts if those.any() else ()
                for wanted, those in nothing.items()
            }
            alike: dict[RequiredJudgments | None, dict[str, Measure]] = {}
            for label, measure in its.items():
                empty[label] = without[measure.wanted]
                if own.empty == "error" and empty[label]:
                    raise no_relevant(empty[label][0], label, measure)
                alike.setdefault(measure.wanted if own.empty == "skip" else None, {})[label] = measure
            for wanted, those in alike.items():
                kept = found if wanted is None else found.only(~nothing[wanted])
                shared = None if caches is None else caches.setdefault((own, wanted), {})
                found_parts.append(RequestPart(kept, replace(request, asked=those, policy=own), shared))
        if not any(len(part.found.queries) for part in found_parts):
            raise DataError(f"{self.name}: under this policy, no query is left to evaluate.")
        return RequestParts(found_parts, empty)

    def together(self, request: Request, parts: list[Scores], empty: dict[str, tuple[str, ...]]) -> Scores:
        """Returns the scores of all parts of a request.

        Raises:
            DataError: no measure has a value.
        """
        asked, policy = request.asked, request.policy
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

    def computable(self, part: RequestPart, ready: ValuesUnderTies | None, *, bounds: bool) -> Scores:
        """Returns the scores of the measures that have a value for every query.

        ``failed`` of the result contains the reasons why the other measures have no value.
        """
        failed: dict[str, str] = {}
        while True:
            asked = {label: each for label, each in part.request.asked.items() if label not in failed}
            try:
                its = part._replace(request=replace(part.request, asked=asked)) if failed else part
                scores = computed(its, self.name, ready, bounds=bounds)
            except UncomputableError as error:
                label = next(label for label, measure in asked.items() if str(measure) == error.measure)
                queries = part.found.queries
                query = text_of(queries[error.place]) if error.place < len(queries) else "?"
                file = "" if self.judgments[:1] in ("", "<") else f"{self.judgments}, "
                failed[label] = f"{label} has no value: {file}query '{query}': {error.reason}"
            else:
                return replace(scores, failed=failed)


class RequestPart(NamedTuple):
    """The measures of a request that use the same policy and the same queries.

    Args:
        found: the match, restricted to the queries that count.
        request: the request with only these measures and this policy.
        best: the cache of ideal rankings; None if the policy uses different judgments for different runs.
    """

    found: Match
    request: Request
    best: dict[Any, Any] | None


class RequestParts(NamedTuple):
    """The parts of a request, and the queries without relevant documents for each label."""

    each: list[RequestPart]
    empty: dict[str, tuple[str, ...]]


def judgments_for(runs: Any, given: Any, policy: Policy | None = None, *, subtopics: bool = False) -> Qrels:
    """Returns the given judgments, or the judgments in runs that are one-file logs.

    Args:
        runs: the runs, by name or in a list.
        given: the judgments; None if the runs are logs with judgments.
        policy: see ``Qrels.of``.
        subtopics: see ``Qrels.of``.

    Raises:
        DataError: there are no judgments, or they cannot be read.
    """
    if given is None:
        from carob.inputs.logs import judgments_in

        given = judgments_in(runs, policy, subtopics=subtopics)
    if given is None:
        raise refused(
            "Runs cannot be scored without judgments: pass qrels, or pass scores instead of every run."
        )
    return Qrels.of(given, policy, subtopics=subtopics)


def scores_of(
    several: Sequence[Matches], request: Request, best: Ideals | None = None, *, bounds: bool = True
) -> list[Scores]:
    """Returns the scores of several runs with the same judgments. Each formula is called once for many runs.

    Args:
        several: the runs.
        request: the measures and conventions.
        best: a cache of ideal rankings that other runs with the same judgments reuse.
        bounds: whether to compute the means under the worst and the best order of tied documents.

    Raises:
        DataError: no query remains, or no measure has a value.
        PolicyError: the policy names an unknown measure.
    """
    return scores_of_parts(several, [each.parts(request, best) for each in several], request, bounds=bounds)


def scores_of_parts(
    several: Sequence[Matches], plans: Sequence[RequestParts], request: Request, *, bounds: bool = True
) -> list[Scores]:
    """Returns the scores of several runs, as ``scores_of`` does, from their parts of the request."""
    scores: list[list[Scores]] = [[] for _ in several]
    for parts in zip(*(plan.each for plan in plans), strict=True):
        ready = ready_values(parts, bounds=bounds)
        for own, matched, part, values in zip(scores, several, parts, ready, strict=True):
            own.append(matched.computable(part, values, bounds=bounds))
    return [
        matched.together(request, own, plan.empty)
        for matched, own, plan in zip(several, scores, plans, strict=True)
    ]


def ready_values(parts: Sequence[RequestPart], *, bounds: bool) -> Sequence[ValuesUnderTies | None]:
    """Returns the values of the same part for several runs, or None for each run that must be computed by itself.

    Runs must be computed separately for measures that compare documents of several queries or judge documents by
    subtopic.
    """
    none = [None] * len(parts)
    request = parts[0].request
    measures, policy = list(request.asked.values()), request.policy
    if any(each.micro or each.definition.groups for each in measures):
        return none
    if not all(may_stack(each.found, measures, policy) for each in parts):
        return none
    bounds = bounds and any(each.found.counts.tied for each in parts)
    founds, best = [each.found for each in parts], parts[0].best
    batches = [founds] if best is not None else [[found] for found in founds]
    try:
        return [
            values
            for batch in batches
            for values in values_together(batch, measures, policy, best, bounds=bounds)
        ]
    except UncomputableError:
        return none


def nested(lists: Any) -> list[list[float | None]]:
    """Returns lists of grades, one per query. A flat list of grades becomes the list of one query.

    Raises:
        DataError: the value is not a list.
    """
    if not isinstance(lists, Iterable) or isinstance(lists, (str, bytes, Mapping)):
        raise DataError(f"Pass lists of grades, such as [[2, 0, 1], [0, 1]], not {lists!r:.80}.")
    outer: list[Any] = [each.tolist() if isinstance(each, np.ndarray) else each for each in lists]
    if outer and not any(isinstance(each, (list, tuple)) for each in outer):
        return [outer]
    return [list(each) for each in outer]


def same_for_all(policy: Policy) -> bool:
    """Returns whether the policy uses the same judgments for every run."""
    return policy.judgments == "all" and policy.missing != "skip"


# ---------------------------------------------------------------- queries without relevant documents


def without_wanted(found: Match, measures: Iterable[Measure]) -> dict[RequiredJudgments, NDArray[np.bool_]]:
    """Returns a mask of the queries without relevant documents for each definition of relevance."""
    wanted = dict.fromkeys(measure.wanted for measure in measures)
    nothing = {each: np.empty(len(found.rows.length), bool) for each in wanted}
    with np.errstate(over="ignore"):  # a gain that overflows to infinity still counts as a gain
        for first, last in parts_of(np.diff(found.rows.judged_offsets)):
            lists = Flat(found.rows.part(first, last))
            for each, its in nothing.items():
                its[first:last] = np.asarray(each.count(lists)) == 0
    return nothing


def no_relevant(query: str, label: str, measure: Measure) -> DataError:
    """Returns the error for a query that has no relevant documents for a measure although the policy requires some."""
    choice = by_policy("empty", "zero", "skip")
    return DataError(
        filled(
            "Query '{query}' has no relevant document: {label} looks for {wanted}. The policy does not allow this "
            "(empty=error): judge more documents, leave the query out, or choose {choice}.",
            query=query,
            label=label,
            wanted=measure.wanted,
            choice=choice,
        )
    )


def computed(part: RequestPart, name: str, ready: ValuesUnderTies | None, *, bounds: bool) -> Scores:
    """Returns the scores of all measures, after the policy's rules for missing and empty queries.

    Raises:
        UncomputableError: a measure has no value for the grades of a query.
    """
    found, request, best = part
    asked, policy, convention = request.asked, request.policy, request.convention
    wanted = list(asked.values())
    column = None if request.weights is None else given_weights(found, request.weights)
    errors = None
    ends: Iterable[End]
    if ready is not None:
        values = ready.own
        ends = ((place, [end[:, place] for end in ready.ends], [None, None]) for place in range(len(wanted)))
    else:
        refuse_other_orders(asked, policy)
        if best is None and len(found.rows.judged_grades) <= AT_A_TIME:
            best = {}  # for more judgments, the ideal rankings of all lists would need too much memory
        rows, whole = (replace(each, weight=column) for each in (found.rows, found.whole))
        found = replace(found, rows=rows, whole=whole)
        if policy.ties == "expected" and found.counts.tied:
            values, errors = expected_values(found, wanted, policy)
        else:
            values = values_of(found.rows, wanted, best)
        ends = extreme_values(found, wanted, policy, best)
    extremes = tie_bounds(asked, ends, column) if bounds and found.counts.tied else {}
    weights = combined_weights(column, weights_of(found.rows, wanted), wanted)
    nothing = without_wanted(found, wanted) if policy.empty in ("one", "nan") else {}
    for place, measure in enumerate(wanted):
        if measure.definition.aggregate == "sum":
            continue
        if nothing:
            values[nothing[measure.wanted], place] = 1.0 if policy.empty == "one" else np.nan
        if policy.missing == "nan":
            values[found.missing, place] = np.nan
    scores = Scores(
        name=name,
        labels=tuple(asked),
        measures=tuple(asked.values()),
        ids=found.queries,
        matrix=values,
        policy=policy,
        counts=found.counts,
        bounds=extremes,
        weights=weights,
        errors={} if errors is None else mean_errors(errors, asked, weights),
        profile=None if convention.name == "carob" else convention.name,
        digits=convention.digits,
        pools={label: found.rows for label, measure in asked.items() if measure.micro},
    )
    # Without weights, the caps depend only on the judgments.
    known = {} if best is None or weights is not None else best
    caps = kept_in(known, ("caps", *asked), lambda: caps_of(scores, found.rows, best))
    if caps:
        scores = replace(scores, caps=caps)
    if perfect(scores, found.rows):
        scores = replace(scores, counts=replace(scores.counts, perfect=len(found.queries)))
    return scores


def tie_bounds(
    asked: dict[str, Measure], ends: Iterable[End], column: Floats | None
) -> dict[str, tuple[float, float]]:
    """Returns each measure's mean under the worst and the best order of ties, without sums and measures by subtopic.

    Args:
        asked: the measures by label.
        ends: each measure's position, and its values and weights under the two orders.
        column: the weight that the caller gave to each query, or None.
    """
    hows = [each.definition.aggregate for each in asked.values()]
    places: list[int] = []
    columns: list[Floats] = []
    weights: list[Floats | None] = []
    for place, values, own in ends:
        if hows[place] != "sum":
            places.append(place)
            columns += values
            weights += [one if column is None else column * (1.0 if one is None else one) for one in own]
    means = aggregates(columns, [hows[place] for place in places for _ in ORDERS], weights)
    pairs = dict(zip(places, zip(means[::2], means[1::2]), strict=True))
    return {
        label: (min(pairs[place]), max(pairs[place])) for place, label in enumerate(asked) if place in pairs
    }


def mean_errors(errors: Floats, asked: dict[str, Measure], weights: Floats | None) -> dict[str, float]:
    """Returns the standard error of each mean that is estimated from a sample of tie orders."""
    shares = np.ones_like(errors) if weights is None else weights
    shares = shares / np.maximum(shares.sum(axis=0), 1e-300)
    whole = np.sqrt(((shares * errors) ** 2).sum(axis=0))
    return {
        label: float(error)
        for label, measure, error in zip(asked, asked.values(), whole, strict=True)
        if error > 0 and measure.definition.aggregate == "mean"
    }


def weights_of_others(
    given: Mapping[str, float] | None, judged: Qrels, found: Match, policy: Policy
) -> list[str]:
    """Returns a sentence about weights for queries that do not exist, or an empty list."""
    if given is None or policy.overlap == "none" or not hasattr(given, "keys"):
        return []
    from carob.inputs.query_files import strangers

    said = strangers("weights", map(str, given), {text_of(each) for each in judged.names}, found.counts.extra)
    return [] if said is None else [said]


def given_weights(found: Match, given: Mapping[str, float]) -> Floats:
    """Returns the weight that the caller gave to each query.

    Raises:
        DataError: a query has no weight, or a weight is not valid.
    """
    if not hasattr(given, "keys"):
        raise DataError(f"weights={given!r}: pass a weight for each query, as in {{'q1': 2.0, 'q2': 1.0}}.")
    column = np.array([weight_of(query, given) for query in found.queries.texts])
    if len(column) and not column.any():
        raise DataError(
            "Every query has the weight 0, so the mean is undefined. Set a positive weight for at least one query."
        )
    return column


def combined_weights(column: Floats | None, own: Floats | None, wanted: Sequence[Measure]) -> Floats | None:
    """Returns the weight of each query for each measure: the caller's weight times the measure's."""
    if column is None:
        return own
    return column[:, None] * (np.ones((1, len(wanted))) if own is None else own)


def weight_of(query: str, given: Mapping[str, float]) -> float:
    """Returns the weight that the caller gave to a query."""
    from reprlib import repr as shortened  # imported here because weights are rarely used

    from carob.inputs.query_files import A_WEIGHT, is_weight

    if query not in given:
        raise DataError(f"Query '{query}' has no weight: set one for each query that is evaluated.")
    weight: object = given[query]
    if not is_weight(weight):
        raise DataError(f"The weight of query '{query}' is {shortened(weight)}: {A_WEIGHT}.")
    return float(cast("float", weight))


Evaluated: TypeAlias = "tuple[Scores, Matches]"
"""A run's scores, and the matches from which they were computed."""


SMALL = 64 * 2**20
"""Files up to this size are read in parallel, one core per file; larger files are read one by one on all cores."""

LIGHT = 8
"""The maximum number of measures of relevant documents for which one thread computes all formulas while other threads
match.

NumPy releases the interpreter at each step of a formula. With few formulas, threads that take turns spend more time on
switching than on the steps. With many formulas, they wait less for one another.
"""


def evaluate_together(
    judged: Qrels,
    runs: Sequence[Run],
    request: Request,
    progress: _native.Progress | None = None,
    *,
    scores_only: bool = False,
) -> Iterator[Evaluated]:
    """Yields each run's scores in order. Runs are read in parallel, and the qrels are processed only once.

    Args:
        judged: the judgments.
        runs: the runs.
        request: the measures and conventions.
        progress: as in ``evaluate``.
        scores_only: whether the matches may omit rows that the scores do not need.

    Raises:
        DataError: as in ``evaluate``.
    """
    several = len(runs) > 1 and judged.judgments.count <= MOST_SHARED
    best: Ideals | None = {} if several else None

    def matched(batch: Sequence[Run], threads: int | None = None) -> tuple[list[Matches], list[RequestParts]]:
        matches = [
            Matches.of_run(judged, run, request, progress, threads, scores_only=scores_only) for run in batch
        ]
        return matches, [each.parts(request, best) for each in matches]

    def scored(matches: Sequence[Matches], plans: Sequence[RequestParts]) -> list[Evaluated]:
        return list(zip(scores_of_parts(matches, plans, request), matches, strict=True))

    cores, small = available_cores(), all(map(beside_others, runs))
    size = max(1, min(MOST_TOGETHER, len(runs) // (2 * cores))) if small else 1
    batches = [runs[first : first + size] for first in range(0, len(runs), size)]
    measures = request.asked.values()
    work = partial(matched, threads=max(1, cores // max(1, len(batches))))
    light = len(measures) <= LIGHT and all(each.rows == "relevant" for each in measures)
    found: Iterator[list[Evaluated]]
    if len(batches) < 2 or cores < 2 or not small:
        found = starmap(scored, gathered(map(matched, batches)))
    elif light:
        found = starmap(scored, gathered(in_threads(work, batches, min(cores, len(batches)))))
    else:
        # Use more threads than cores: while one thread waits for the interpreter, another one runs native code.
        found = in_threads(lambda batch: scored(*work(batch)), batches, min(2 * cores, len(batches)))
    # Issue the warnings here, because the caller's line is known here.
    yield from ((warned(scores), matches) for batch in found for scores, matches in batch)


def gathered(
    batches: Iterable[tuple[list[Matches], list[RequestParts]]],
) -> Iterator[tuple[list[Matches], list[RequestParts]]]:
    """Joins batches of matched runs until they contain enough rows to justify a call of each formula."""
    matches: list[Matches] = []
    plans: list[RequestParts] = []
    rows = 0
    for several, their_parts in batches:
        matches, plans = [*matches, *several], [*plans, *their_parts]
        rows += sum(len(part.found.rows.grade) for plan in their_parts for part in plan.each)
        if rows >= ROWS_TOGETHER:
            yield matches, plans
            matches, plans, rows = [], [], 0
    if matches:
        yield matches, plans


def beside_others(run: Run) -> bool:
    """Returns whether to read a run on one core while other cores read other runs."""
    return not run.alone and run.origin.size <= SMALL


def warned(scores: Scores) -> Scores:
    """Issues the warnings of the scores and returns the scores."""
    for reason in (*scores.warnings, *scores.failed.values()):
        warn(reason)
    return scores
