"""The cautions of a comparison: what limits its conclusions, each as a sentence with its figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.findings import FAMILY_WISE, Caution, ranked
from karat.comparison.unjudged import doubts_of
from karat.comparison.verdict import detectable_span, digits_of, listed, score
from karat.evaluation.score_tables import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat.comparison.findings import Contest, Findings, Pair
    from karat.comparison.runs import System

__all__ = ["cautions_of"]

FEW = 25
"""With fewer queries, intervals are so wide that most differences between systems are missed."""
MANY = 1000
"""With more queries, nearly every difference is significant (Ihemelandu and Ekstrand, SIGIR 2023)."""


def cautions_of(comparison: Findings, systems: Sequence[System]) -> tuple[Caution, ...]:
    """All cautions that apply, the gravest kinds first."""
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
    """Runs without any judged document: their zeros mean nothing."""
    for place, each in enumerate(comparison.scores):
        for sentence in each.warnings:
            yield Caution("apart", (place,), sentence, {})


def missing(comparison: Findings) -> Iterator[Caution]:
    """Queries that a run lacks, and unjudged queries."""
    told = {"zero": "counted 0", "skip": "left out", "nan": "left out"}
    for place, each in enumerate(comparison.scores):
        lacking, extra = each.counts.missing, each.counts.extra
        name = comparison.names[place]
        if lacking:
            words = told.get(each.policy.missing, "")
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
                f"{name} answers {plural(extra, 'query', 'queries')} without judgments, left out.",
                {"queries": extra},
            )


def undefined(comparison: Findings) -> Iterator[Caution]:
    """Undefined values, so that pairs are compared on fewer queries."""
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
            together = f"; the test of all pairs uses the {shared} that all runs have"
        yield Caution(
            "undefined",
            runs,
            f"{contest.label} has no value for some of {len(comparison.queries)} queries ({listed(names)}): each "
            f"pair is compared on the queries that both have, {fewest} at least{together}.",
            {"absent": absent.tolist(), "fewest": fewest},
        )


def ties(comparison: Findings) -> Iterator[Caution]:
    """Pairs that another order of tied documents could reverse."""
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
    runs = sorted({run for pair in turning for run in (pair.a, pair.b)})
    shown = [
        f"{comparison.names[run]} {score(reach[run][0], digits)}-{score(reach[run][1], digits)}"
        for run in ranked(contest)
        if run in runs
    ]
    yield Caution(
        "ties",
        tuple(runs),
        f"{pairs_words(places_of(turning), comparison)} so close in {contest.label} that another order of equal "
        f"scores could turn them: {listed(shown, 4)}.",
        {"pairs": [[pair.a, pair.b] for pair in turning], "bounds": [list(each) for each in reach]},
    )


def identical(comparison: Findings) -> Iterator[Caution]:
    """Runs that are equal on every query, under some measures or all."""
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
        yield Caution(
            "identical",
            tuple(sorted({run for pair in places for run in pair})),
            f"{pairs_words(places, comparison)} identical on all {len(comparison.queries)} queries {where} (p = 1).",
            {"pairs": [list(pair) for pair in places], "measures": list(same)},
        )


def constant(comparison: Findings) -> Iterator[Caution]:
    """Pairs without a spread, so that t is undefined."""
    for contest in comparison.contests.values():
        flat = [pair for pair in contest.pairs if not pair.identical and pair.n > 1 and math.isinf(pair.d_z)]
        if flat:
            yield Caution(
                "constant",
                tuple(sorted({run for pair in flat for run in (pair.a, pair.b)})),
                f"{contest.label}: {pairs_words(places_of(flat), comparison)} different by the same amount on every "
                "query; without a spread there is no t and no interval, and p is that of the sign-flip test.",
                {"pairs": [[pair.a, pair.b] for pair in flat], "measure": contest.label},
            )


def resamples(comparison: Findings) -> Iterator[Caution]:
    """Too few resamples for any pair to be significant, or for a decision near alpha."""
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
        yield Caution(
            "resamples",
            tuple(sorted({run for pair in near for run in (pair.a, pair.b)})),
            f"{pairs_words(places_of(near), comparison)} so near alpha in {contest.label} that another seed could "
            "decide otherwise: take more resamples.",
            {"pairs": [[pair.a, pair.b] for pair in near]},
        )


def times(comparison: Findings) -> int:
    """The factor by which the correction multiplies the smallest p."""
    settings = comparison.settings
    if settings.test in FAMILY_WISE:
        return len(comparison.labels)
    return 1 if settings.correction == "none" else settings.comparisons


def uncertain(pair: Pair, comparison: Findings) -> bool:
    """Whether the Monte Carlo interval of a corrected p includes alpha."""
    factor = pair.adjusted / pair.p if comparison.settings.test not in FAMILY_WISE and pair.p > 0 else 1.0
    return abs(pair.adjusted - comparison.settings.alpha) < 1.96 * pair.error * factor


def queries(comparison: Findings) -> Iterator[Caution]:
    """Too few queries to detect anything, or so many that every difference is significant."""
    n, contest = len(comparison.queries), comparison.primary
    if n == 1:
        yield Caution("few", (), "One query says nothing about others: there is no interval.", {"queries": 1})
    elif n < FEW:
        known = sorted(pair.detectable for pair in contest.pairs if math.isfinite(pair.detectable))
        span = detectable_span(comparison, contest)
        comma = "," if "," in span else ""
        unseen = f": a true difference below {span}{comma} would mostly go unseen" if span else ""
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
    """Tests whose hypothesis is not about means."""
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
    """Aggregates that are not plain means, and what is tested instead."""
    words = {
        "sum": "is a sum: difference and interval are of the sums, the test of the queries' counts",
        "geometric": "is a geometric mean: the test sees logarithms (values below 0.00001 count as that), and the "
        "interval of the difference is a bootstrap over queries",
    }
    for contest in comparison.contests.values():
        if kind(contest) in words:
            yield Caution(
                "aggregate", (), f"{contest.label} {words[kind(contest)]}.", {"measure": contest.label}
            )
    pooled = [contest.label for contest in comparison.contests.values() if contest.measure.micro]
    if pooled:
        yield Caution(
            "pooled",
            (),
            f"{listed(pooled)}: a query's value depends on other queries' documents, so that queries are not "
            "independent: p and intervals are rough.",
            {"measures": pooled},
        )
    weighing = [
        label
        for place, label in enumerate(comparison.labels)
        if any(has_weights(each.weights, place) for each in comparison.scores)
        and kind(comparison.contests[label]) != "sum"
    ]
    if weighing:
        yield Caution(
            "weights",
            (),
            f"{listed(weighing)}: queries weigh differently; tests see weight times value, so they are of the weighted "
            "means.",
            {"measures": weighing},
        )
    falling = [label for label, contest in comparison.contests.items() if contest.smaller_is_better]
    if falling:
        yield Caution("smaller", (), f"{listed(falling)}: smaller is better.", {"measures": falling})


def has_weights(weights: Any, place: int) -> bool:
    """Whether queries have different weights under a measure."""
    return weights is not None and bool((weights[:, place] != weights[:1, place]).any())


def kind(contest: Contest) -> str:
    """How the measure's values are aggregated."""
    return contest.measure.definition.aggregate


def pairs_words(pairs: Sequence[tuple[int, int]], comparison: Findings) -> str:
    """Pairs by name, those of the best runs first, with the verb that follows."""
    place = {run: number for number, run in enumerate(ranked(comparison.primary))}
    order = [sorted(pair, key=place.__getitem__) for pair in pairs]
    order.sort(key=lambda pair: [place[run] for run in pair])
    if len(order) == 1:
        return f"{comparison.names[order[0][0]]} and {comparison.names[order[0][1]]} are"
    names = [f"{comparison.names[one]}/{comparison.names[other]}" for one, other in order]
    return f"{len(pairs)} pairs ({listed(names, 3)}) are"


def places_of(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """The indices of the runs of each pair."""
    return [(pair.a, pair.b) for pair in pairs]
