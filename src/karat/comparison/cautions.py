"""The warnings of a comparison: sentences on the limits of its conclusions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.findings import FAMILY_WISE, Caution, ranked
from karat.comparison.runs import Table
from karat.comparison.statistics.paired import paired
from karat.comparison.verdict import (
    declared_negative,
    detectable,
    detectable_span,
    digits_of,
    interval,
    listed,
    score,
    signed,
)
from karat.evaluation.engine import values_of
from karat.inputs.ids import text_of
from karat.lists.rows import offsets_of
from karat.matching.axes import arranged
from karat.matching.match import finished
from karat.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat.comparison.findings import Contest, Findings, Pair
    from karat.comparison.runs import System
    from karat.conventions.policy import Policy
    from karat.lists.rows import Floats, JudgedRows
    from karat.matching.match import Match
    from karat.measures import Measure


FEW = 25
"""With fewer queries, intervals are so wide that most differences between systems are missed."""
MANY = 1000
"""With more queries, nearly every difference is significant (Ihemelandu and Ekstrand, SIGIR 2023)."""


def cautions_of(comparison: Findings, systems: Sequence[System]) -> tuple[Caution, ...]:
    """Returns all warnings that apply, the most severe kinds first."""
    found: list[Caution] = []
    for kind in (
        apart,
        missing,
        undefined,
        ties,
        identical,
        constant,
        resamples,
        queries,
        kinds_of_test,
        aggregates,
    ):
        found += kind(comparison)
        found += doubts_of(comparison, systems) if kind is apart else ()
    return tuple(found)


def apart(comparison: Findings) -> Iterator[Caution]:
    """Warns of runs without any judged document, whose zeros mean nothing."""
    for place, each in enumerate(comparison.scores):
        for sentence in each.warnings:
            yield Caution("apart", (place,), sentence, {})


def missing(comparison: Findings) -> Iterator[Caution]:
    """Warns of queries that a run lacks, and of unjudged queries."""
    treated = {"zero": "counted as 0", "skip": "left out", "nan": "left out"}
    for place, each in enumerate(comparison.scores):
        lacking, extra = each.counts.missing, each.counts.extra
        name = comparison.names[place]
        if lacking:
            words = treated.get(each.policy.missing, "")
            yield Caution(
                "missing",
                (place,),
                f"{name} lacks {len(lacking)} of {plural(each.counts.judged, 'judged query', 'judged queries')}, "
                f"{words}: {listed(lacking)}.",
                {"queries": list(lacking), "judged": each.counts.judged},
            )
        if extra:
            yield Caution(
                "extra",
                (place,),
                f"{name} has {plural(extra, 'unjudged query', 'unjudged queries')}, ignored.",
                {"queries": extra},
            )


def undefined(comparison: Findings) -> Iterator[Caution]:
    """Warns of undefined values, because runs with undefined values are compared on fewer queries."""
    for contest in comparison.contests.values():
        absent = np.isnan(contest.values).sum(axis=0)
        runs = tuple(np.flatnonzero(absent).tolist())
        if not runs:
            continue
        names = [f"{comparison.names[run]} {absent[run]}" for run in runs]
        fewest = min(pair.n for pair in contest.pairs)
        together = ""
        if comparison.settings.test in FAMILY_WISE:
            shared = int((~np.isnan(contest.values).any(axis=1)).sum())
            together = f"; the test of all pairs uses the {shared} for which all runs have one"
        yield Caution(
            "undefined",
            runs,
            f"{contest.label} has no value for some of {len(comparison.queries)} queries ({listed(names)}): each "
            f"pair is compared on the queries for which both have one, at least {fewest}{together}.",
            {"absent": absent.tolist(), "fewest": fewest},
        )


def ties(comparison: Findings) -> Iterator[Caution]:
    """Warns of pairs that another order of tied documents could reverse."""
    contest = comparison.primary
    digits = digits_of(len(comparison.queries))
    bounds = [each.bounds.get(contest.label) for each in comparison.scores]
    reach = [
        (mean, mean) if bound is None else (min(bound[0], mean), max(bound[1], mean))
        for mean, bound in zip(contest.means, bounds, strict=True)
    ]
    turning = [
        pair
        for pair in contest.pairs
        if not pair.identical
        and (bounds[pair.a] or bounds[pair.b])
        and reach[pair.a][0] <= reach[pair.b][1]
        and reach[pair.b][0] <= reach[pair.a][1]
    ]
    if not turning:
        return
    shown = [
        f"{comparison.names[run]} {score(reach[run][0], digits)}-{score(reach[run][1], digits)}"
        for run in ranked(contest)
        if any(run in (pair.a, pair.b) for pair in turning)
    ]
    rest = f"so close in {contest.label} that another order of equal scores could reverse them: {listed(shown, 4)}."
    yield of_pairs(comparison, "ties", places_of(turning), rest, bounds=[list(each) for each in reach])


def identical(comparison: Findings) -> Iterator[Caution]:
    """Warns of runs that are equal on every query under some or all measures."""
    found: dict[tuple[int, int], list[str]] = {}
    for label, contest in comparison.contests.items():
        for pair in contest.pairs:
            if pair.identical:
                found.setdefault((pair.a, pair.b), []).append(label)
    alike: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for runs, labels in found.items():
        alike.setdefault(tuple(labels), []).append(runs)
    for same, places in alike.items():
        everywhere = len(same) == len(comparison.labels) > 1
        where = "under every measure" if everywhere else f"in {listed(same)}"
        rest = f"identical on all {len(comparison.queries)} queries {where} (p = 1)."
        yield of_pairs(comparison, "identical", places, rest, measures=list(same))


def constant(comparison: Findings) -> Iterator[Caution]:
    """Warns of pairs whose differences do not vary, so that t is undefined."""
    for contest in comparison.contests.values():
        flat = [pair for pair in contest.pairs if not pair.identical and pair.n > 1 and math.isinf(pair.d_z)]
        if flat:
            rest = (
                "different by the same amount on every query: without a spread there is no t and no interval; p is "
                "that of the sign-flip test."
            )
            found = of_pairs(comparison, "constant", places_of(flat), rest, measure=contest.label)
            yield replace(found, sentence=f"{contest.label}: {found.sentence}")


def resamples(comparison: Findings) -> Iterator[Caution]:
    """Warns if there are too few resamples for any pair to be significant, or for a decision near alpha."""
    settings = comparison.settings
    if not settings.resamples:
        return
    least = 1 / (settings.resamples + 1)
    least *= 1 if settings.test in FAMILY_WISE and settings.family == "measure" else times(comparison)
    if least >= settings.alpha and not all(pair.exact for pair in comparison.primary.pairs):
        needed = math.ceil(20 * settings.comparisons / settings.alpha)
        yield Caution(
            "resamples",
            (),
            f"With {settings.resamples:,} resamples no corrected p can be below {min(least, 1.0):.3f}, so nothing can "
            f"be significant: take {needed:,} resamples.",
            {"least": least, "needed": needed},
        )
    contest = comparison.primary
    near = [pair for pair in contest.pairs if pair.error and uncertain(pair, comparison)]
    if near:
        rest = (
            f"so near alpha in {contest.label} that another seed could decide otherwise: take more resamples."
        )
        yield of_pairs(comparison, "resamples", places_of(near), rest)


def times(comparison: Findings) -> int:
    """Returns the factor by which the correction multiplies the smallest p."""
    settings = comparison.settings
    if settings.test in FAMILY_WISE:
        return len(comparison.labels)
    return 1 if settings.correction == "none" else settings.comparisons


def uncertain(pair: Pair, comparison: Findings) -> bool:
    """Returns whether the Monte Carlo interval of a corrected p includes alpha."""
    factor = pair.adjusted / pair.p if comparison.settings.test not in FAMILY_WISE and pair.p > 0 else 1.0
    return abs(pair.adjusted - comparison.settings.alpha) < 1.96 * pair.error * factor


def queries(comparison: Findings) -> Iterator[Caution]:
    """Warns if there are too few queries to detect anything, or so many that every difference is significant."""
    n, contest = len(comparison.queries), comparison.primary
    if n == 1:
        yield Caution("few", (), "One query says nothing about others: there is no interval.", {"queries": 1})
    elif n < FEW:
        known = detectable(contest)
        span = detectable_span(comparison, contest)
        comma = "," if "," in span else ""
        unseen = f": a true difference below {span}{comma} would mostly go undetected" if span else ""
        yield Caution(
            "few",
            (),
            f"{n} queries are few{unseen}.",
            {"queries": n, "detectable": [known[0], known[-1]] if known else []},
        )
    if n > MANY:
        yield Caution(
            "many",
            (),
            f"With {n:,} queries differences too small to matter are significant: read difference and interval, not p.",
            {"queries": n},
        )


def kinds_of_test(comparison: Findings) -> Iterator[Caution]:
    """Warns of a test whose hypothesis is not about means."""
    hypotheses = {
        "wilcoxon": "that the differences lie symmetrically around 0",
        "sign": "that wins and losses are equally likely",
    }
    test = comparison.settings.test
    if test in hypotheses:
        yield Caution(
            "test",
            (),
            f"This test does not compare means: its hypothesis is {hypotheses[test]}. With more queries it rejects "
            "equal means ever more often.",
        )


def aggregates(comparison: Findings) -> Iterator[Caution]:
    """Warns of aggregates that are not plain means, and states the hypothesis that is tested instead."""
    words = {
        "sum": "is a sum: the difference and its interval are of sums, the test is of the queries' counts",
        "geometric": "is a geometric mean: the test uses logarithms (values below 0.00001 count as 0.00001), and the "
        "interval of the difference is a bootstrap over queries",
    }
    for contest in comparison.contests.values():
        if kind(contest) in words:
            yield Caution(
                "aggregate", (), f"{contest.label} {words[kind(contest)]}.", {"measure": contest.label}
            )
    contests = comparison.contests.values()
    micro = [contest.label for contest in contests if contest.measure.micro]
    weighing = [
        label
        for place, label in enumerate(comparison.labels)
        if any(has_weights(each.weights, place) for each in comparison.scores)
        and kind(comparison.contests[label]) != "sum"
    ]
    falling = [contest.label for contest in contests if contest.smaller_is_better]
    dependent = (
        "a query's value depends on other queries' documents, so that queries are not independent: p and intervals "
        "are approximate"
    )
    unequal = "queries have different weights; tests use weight times value, so they compare weighted means"
    for name, labels, rest in (
        ("micro", micro, dependent),
        ("weights", weighing, unequal),
        ("smaller", falling, "smaller is better"),
    ):
        if labels:
            yield Caution(name, (), f"{listed(labels)}: {rest}.", {"measures": labels})


def has_weights(weights: Any, place: int) -> bool:
    """Returns whether queries have different weights under a measure."""
    return weights is not None and bool((weights[:, place] != weights[:1, place]).any())


def kind(contest: Contest) -> str:
    """Returns the kind of aggregate of the measure's values."""
    return contest.measure.definition.aggregate


def of_pairs(
    comparison: Findings, kind: str, pairs: Sequence[tuple[int, int]], rest: str, **numbers: Any
) -> Caution:
    """Returns a caution about pairs of runs. The sentence begins with their names, those of the best runs first."""
    place = {run: number for number, run in enumerate(ranked(comparison.primary))}
    order = [sorted(pair, key=place.__getitem__) for pair in pairs]
    order.sort(key=lambda pair: [place[run] for run in pair])
    names = [f"{comparison.names[one]}/{comparison.names[other]}" for one, other in order]
    words = f"{len(pairs)} pairs ({listed(names, 3)}) are"
    if len(pairs) == 1:
        words = f"{comparison.names[order[0][0]]} and {comparison.names[order[0][1]]} are"
    runs = tuple(sorted(set(chain(*pairs))))
    return Caution(kind, runs, f"{words} {rest}", {"pairs": list(map(list, pairs)), **numbers})


def places_of(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Returns the indices of both runs of each pair."""
    return [(pair.a, pair.b) for pair in pairs]


# ---------------------------------------------------------------- unjudged documents

LEAST_JUDGED = 0.9
WIDEST_GAP = 0.05
"""Below the first, or further apart than the second, a comparison may reflect the judgments and not the runs."""

SHOWN = 4


@dataclass(frozen=True, eq=False)
class Alternatives:
    """The values that a run would have if its unjudged documents counted differently, NaN if undefined.

    Args:
        removed: with unjudged documents removed from the lists [queries].
        relevant: with the unjudged ones among the first documents counted as of the highest grade [queries].
    """

    removed: Floats
    relevant: Floats


def doubts_of(comparison: Findings, systems: Sequence[System]) -> list[Caution]:
    """Returns warnings about runs with many unjudged documents, or a single one if more than four runs have many.

    There is no caution where the policy declares unjudged documents negative, as is usual in recommendation.
    """
    judged = np.array(comparison.judged)
    if np.isnan(judged).all() or declared_negative(comparison):
        return []
    best = np.nanmax(judged)
    flagged = np.flatnonzero((judged < LEAST_JUDGED) | (best - judged > WIDEST_GAP)).tolist()
    if not flagged:
        return []
    apart = len(flagged) <= SHOWN
    needed = {*flagged, *(other for run in flagged for other in partners(comparison, run) if apart)}
    readings = {run: readings_of(comparison, systems[run]) for run in needed}
    if not apart:
        return [together(comparison, flagged, readings)]
    found: list[Caution] = []
    for run in flagged:
        others = partners(comparison, run)
        # The caution about the pair's other run also names this run, with the same figures.
        if len(others) > 1 or not any(each.runs == (others[0], run) for each in found):
            both = len(others) == 1 and others[0] in flagged and partners(comparison, others[0]) == [run]
            found.append(doubt(comparison, run, readings, (run, *others) if both else (run,)))
    return found


def readings_of(comparison: Findings, system: System) -> Alternatives | None:
    """Returns the run's values with its unjudged documents removed, and with them as relevant, or None if unknown.

    Scores have no lists, and the subtopics for which an unjudged document would be relevant are unknown.
    """
    contest, scores = comparison.primary, system.scores
    if system.found is None or contest.measure.definition.groups:
        return None
    policy = scores.policy.of_measure(str(contest.measure))
    grades = system.found.whole.judged_grades
    highest = max(1.0, float(grades.max(initial=1.0)))
    found = alternatives(system.found, contest.measure, policy, comparison.judged_depth, highest)
    row = {query: place for place, query in enumerate(comparison.queries)}
    # A query that is left out because it is empty occurs in the match but not in the comparison.
    own = np.array([row.get(text_of(query), -1) for query in system.found.queries])

    def spread(values: Floats) -> Floats:
        column = np.full(len(comparison.queries), np.nan)
        column[own[own >= 0]] = values[own >= 0]
        column[np.isnan(contest.values[:, comparison.scores.index(scores)])] = np.nan
        return column

    return Alternatives(spread(found.removed), spread(found.relevant))


def doubt(
    comparison: Findings, run: int, readings: dict[int, Alternatives | None], runs: tuple[int, ...]
) -> Caution:
    """Returns a caution about one run's unjudged documents and the differences that they make doubtful."""
    share = 100 * (1 - comparison.judged[run])
    depth = comparison.judged_depth
    others = [
        f"{comparison.names[other]} {100 * (1 - comparison.judged[other]):.1f}%"
        for other in partners(comparison, run)
        if not math.isnan(comparison.judged[other])
    ]
    compared = f" ({listed(others, 3)})" if others else ""
    sentence = (
        f"{comparison.names[run]}: {share:.1f}% of its top {depth} is unjudged{compared}; unjudged documents count as "
        "not relevant."
    )
    numbers: dict[str, object] = {"judged": comparison.judged[run], "depth": depth}
    if readings[run] is not None:
        more, figures = what_if(comparison, run, readings)
        sentence, numbers = f"{sentence} {more}", numbers | figures
    return Caution("unjudged", runs, sentence, numbers)


def partners(comparison: Findings, run: int) -> list[int]:
    """Returns the runs to compare a run with: the baseline, or else all other runs, the best first."""
    baseline = comparison.settings.baseline
    if baseline is not None and run != baseline:
        return [baseline]
    return [other for other in ranked(comparison.primary) if other != run]


def what_if(
    comparison: Findings, run: int, readings: dict[int, Alternatives | None]
) -> tuple[str, dict[str, object]]:
    """Returns a sentence on how unjudged documents could change a run's mean or difference, and its numbers."""
    contest, digits = comparison.primary, digits_of(len(comparison.queries))
    mine, others = readings[run], partners(comparison, run)
    assert mine is not None
    removed, relevant = mean(comparison, mine.removed), mean(comparison, mine.relevant)
    figures: dict[str, object] = {"measure": contest.label, "removed": removed, "relevant": relevant}
    other = readings[others[0]] if len(others) == 1 else None
    if other is None:
        return (
            f"Its {contest.label} of {score(contest.means[run], digits)} would be {score(removed, digits)} with them "
            f"removed, {score(relevant, digits)} if they were relevant."
        ), figures
    difference = mine.removed - other.removed
    shared = ~np.isnan(difference)
    test = paired(difference[shared], confidence=comparison.settings.confidence)
    low, high = float(test.low[0]), float(test.high[0])
    lowest = contest.means[run] - mean(comparison, other.relevant)
    highest = relevant - contest.means[others[0]]
    figures |= {"difference_removed": float(test.mean[0]), "low_removed": low, "high_removed": high}
    figures |= {"difference_least": lowest, "difference_most": highest}
    return (
        f"With unjudged documents removed, the difference in {contest.label} is {signed(float(test.mean[0]), digits)} "
        f"{interval(low, high, digits, sign=True)}; with those of one run counted as relevant, "
        f"{signed(lowest, digits)} to {signed(highest, digits)}."
    ), figures


def mean(comparison: Findings, values: Floats) -> float:
    """Returns the unweighted mean, or other aggregate, of a run's values of the primary measure."""
    contest = comparison.primary
    return Table(contest.label, contest.measure, values[:, None]).means[0]


def together(comparison: Findings, flagged: list[int], readings: dict[int, Alternatives | None]) -> Caution:
    """Returns one caution for many runs, starting with the run that has the most unjudged documents."""
    order = sorted(flagged, key=lambda run: comparison.judged[run])
    named = [f"{comparison.names[run]} {comparison.judged[run]:.3f}" for run in order]
    best = max(range(len(comparison.names)), key=lambda run: np.nan_to_num(comparison.judged[run]))
    would = {
        comparison.names[run]: {
            "judged": comparison.judged[run],
            "removed": mean(comparison, each.removed),
            "relevant": mean(comparison, each.relevant),
        }
        for run in order
        if (each := readings[run]) is not None
    }
    return Caution(
        "unjudged",
        tuple(flagged),
        f"{len(flagged)} of {len(comparison.names)} runs have unjudged documents in their top "
        f"{comparison.judged_depth}, which count as not relevant; judged: {listed(named, 6)}; the most, "
        f"{comparison.names[best]}, {comparison.judged[best]:.3f}.",
        {"depth": comparison.judged_depth, "runs": would},
    )


def alternatives(found: Match, measure: Measure, policy: Policy, depth: int, grade: float) -> Alternatives:
    """Returns the values that a run would have if its unjudged documents counted differently.

    Args:
        found: the run, matched.
        measure: the measure.
        policy: the policy under which it was evaluated.
        depth: the depth to which unjudged documents are counted as relevant.
        grade: their grade.
    """
    whole = (
        arranged(found.whole, policy.ties) if policy.ties in ("optimistic", "pessimistic") else found.whole
    )
    condensed = finished(whole, policy.changed(unjudged="removed"))
    raised = finished(counted_as(whole, depth, grade), policy)
    return Alternatives(values_of(condensed, [measure])[:, 0], values_of(raised, [measure])[:, 0])


def counted_as(rows: JudgedRows, depth: int, grade: float) -> JudgedRows:
    """Returns the rows, with this grade for every unjudged document down to rank ``depth``."""
    lists = len(rows.length)
    reach = np.minimum(rows.length, depth).astype(np.int64)
    first = rows.rank <= depth
    held = np.zeros((lists, depth), bool)
    held[rows.list_of_row[first], rows.rank[first].astype(np.int64) - 1] = rows.grade[first] >= 0
    owner, place = np.nonzero(~held & (np.arange(depth) < reach[:, None]))
    kept = ~(first & (rows.grade < 0))  # in the pool but without a grade: raised as well
    number = np.concatenate([rows.list_of_row[kept], owner])
    rank = np.concatenate([rows.rank[kept], place + 1.0])
    order = np.lexsort((rank, number))
    pool = np.concatenate([rows.list_of_judgment, owner])
    arranged_pool = np.argsort(pool, kind="stable")

    def together(old: Floats, new: Floats) -> Floats:
        return np.asarray(np.concatenate([old[kept], new])[order])

    return replace(
        rows,
        offsets=offsets_of(number[order], lists),
        rank=rank[order],
        grade=together(rows.grade, np.full(len(owner), grade)),
        tie_first=together(rows.tie_first, place.astype(np.float64) + 1),
        tie_last=together(rows.tie_last, place.astype(np.float64) + 1),
        judged_offsets=offsets_of(pool[arranged_pool], lists),
        judged_grades=np.concatenate([rows.judged_grades, np.full(len(owner), grade)])[arranged_pool],
    )
