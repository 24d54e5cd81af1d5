"""The warnings of a comparison: sentences about the limits of its conclusions."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import replace
from carob._numpy import np
from carob.comparison.findings import FAMILY_WISE, NOT_OF_MEANS, Caution, better_first, pair_names, ranked
from carob.comparison.intervals import INTERVALS
from carob.comparison.significance import (
    corrected,
    differing,
    in_parts,
    least_p,
    outcome_of,
    pairs_in,
    pairs_of,
    times,
)
from carob.comparison.ties import of_leader, overturned, reach_of, reversible
from carob.comparison.verdict import corrected as corrected_p
from carob.comparison.verdict import (
    declared_negative,
    detectable,
    detectable_span,
    digits_of,
)
from carob.estimation.people_and_judge import FEWEST_CLEAN, LEAST_FREEDOM
from carob.estimation.sums import is_linear
from carob.evaluation.evidence import RunTable, ranges_apart, sparse, tables_of
from carob.evaluation.notes import notes_of_runs, other_judgments, summaries
from carob.evaluation.score_tables import GEOMETRIC_FLOOR, some_of
from carob.evaluation.scores import lists_only_relevant
from carob.evaluation.suspects import CutLists
from carob.evaluation.values import parts_of, values_of
from carob.lists.rows import offsets_of
from carob.matching.axes import arranged
from carob.matching.match import finished
from carob.output.errors import Worded, one_of
from carob.output.language import filled, plural
from carob.output.layout import column, decimals, interval, listed, signed
from carob.statistics.coefficients import LEAST_ALIKE, SUSPICIOUS
from carob.statistics.effect_sizes import FEWEST as FEWEST_FOR_EFFECTS
from carob.statistics.estimates import NOISE
from carob.statistics.multiple_comparisons import range_beyond
from carob.statistics.skewness import skewness
from carob.statistics.worst_point import FEWEST, crowded_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from carob.comparison.findings import Contest, Findings, Judging, Pair, Settings
    from carob.conventions.policy import Policy
    from carob.evaluation.evidence import Read, System
    from carob.evaluation.scores import Scores
    from carob.lists.rows import Floats, JudgedRows
    from carob.matching.match import Match
    from carob.measures import Measure

HYPOTHESES = {
    "wilcoxon": "the differences are symmetric around 0. If they are skewed",
    "sign": "wins and losses are equally likely. If the differences are skewed",
}
"""The hypotheses of the tests that do not compare means."""

MEANINGS = {
    "micro": (
        "the value of a query depends on the documents of other queries. Queries are therefore not independent, and p "
        "and intervals are approximate."
    ),
    "weights": "queries have different weights, so intervals and tests concern the weighted means.",
    "smaller": "smaller is better.",
}
"""Sentences about what to consider with certain kinds of measures, by kind."""

UNSIZED = {
    "dependent": (
        "effect sizes have no intervals, since the intervals assume that the values of queries are independent."
    ),
    "weights": "effect sizes have no intervals, since the intervals assume that all queries have the same weight.",
    "geometric": "d_z has no interval, since the logarithms of values near 0 are far from normally distributed.",
    "few": (
        f"with fewer than {FEWEST_FOR_EFFECTS} queries, effect sizes have no intervals, because the coverage of such "
        "intervals is unknown."
    ),
}
"""The reasons why effect sizes have no interval."""

FEW = 25
"""With fewer queries than this, intervals are so wide that most differences between systems are missed."""
MANY = 1000
"""With more queries, nearly all differences between real systems are significant (Ihemelandu & Ekstrand, SIGIR '23)."""


def cautions_of(comparison: Findings, systems: Sequence[System], read: Read) -> tuple[Caution, ...]:
    """Returns all warnings that apply, the most severe kinds first.

    Args:
        comparison: the comparison.
        systems: the runs whose scores the comparison shows.
        read: the judgments and runs that were read.
    """
    alone = comparison.judge is None
    tied = tuple(ties(comparison)) if alone else ()
    overturning = any(each.numbers["overturns"] for each in tied)
    doubted = comparison.judge is None or comparison.judge.complete
    # Each group of warnings is paired with the condition under which it applies.
    looks: tuple[tuple[bool, Iterable[Caution]], ...] = (
        (overturning, tied),
        (True, apart(comparison)),
        (True, exchanged(comparison)),
        (True, copied(read)),
        (True, scales(read)),
        (True, sparsely_judged(comparison)),
        (True, judge(comparison)),
        (alone, data(comparison, systems)),
        (doubted, doubts_of(comparison, systems) if doubted else ()),
        (True, assessors(comparison)),
        (alone, lengths(comparison)),
        (alone, judgments(comparison)),
        (alone, missing(comparison)),
        (alone, undefined(comparison)),
        (not overturning, tied),
        (alone, unjudged(comparison)),
        (alone, identical(comparison)),
        (alone, constant(comparison)),
        (True, shapes(comparison)),
        (not alone, missing(comparison)),
        (alone, variances(comparison)),
        (alone, narrower(comparison)),
        (alone, disagree(comparison)),
        (alone, resamples(comparison)),
        (alone, queries(comparison)),
        (True, meanings(comparison)),
    )
    return tuple(chain.from_iterable(found for holds, found in looks if holds))


def apart(comparison: Findings) -> Iterator[Caution]:
    """Warns about runs that retrieved no judged document at all, because their zeros mean nothing."""
    runs: dict[str, list[int]] = {}
    for place, each in enumerate(comparison.scores):
        for sentence in each.warnings:
            runs.setdefault(sentence, []).append(place)
    for sentence, its in runs.items():
        yield Caution("apart", tuple(its), sentence)


def judgments(comparison: Findings) -> Iterator[Caution]:
    """Warns about runs scored with other judgments than most runs, or than the first run if there is a tie."""
    first, others = other_judgments(comparison.scores)
    if others:
        said = (
            f"{run_names(comparison, others)}: scored with different judgments from {comparison.names[first]}, which "
            "may cause part of the differences. Score these runs with the same judgments."
        )
        yield Caution("judgments", tuple(others), said)


DATA = (
    "perfect",
    "unanswered",
    "constant",
    "rising",
    "misranked",
    "infinite",
    "covered",
    "nearly covered",
    "fractions",
    "lowest ratings",
    "codes",
    "duplicates",
    "malformed",
)
"""The kinds of facts about a run's data that a comparison repeats as warnings. Its other warnings give more figures."""


def data(comparison: Findings, systems: Sequence[System]) -> Iterator[Caution]:
    """Warns about suspicious runs and about dropped or skipped rows, in the words of an evaluation's footer."""
    named = dict(zip(comparison.names, systems, strict=True))
    notes = [note for note in notes_of_runs("", named) if note.fact.kind in DATA]
    for kind, said in summaries(notes, {"": len(systems)}):
        own = [note for note in notes if note.fact.kind == kind]
        runs = [comparison.names.index(note.run) for note in own]
        # The name "constant" is already used for pairs of runs with a constant difference.
        name = "equal-scores" if kind == "constant" else kind
        yield Caution(name, tuple(runs), said, {"counts": [note.count for note in own]})


def lengths(comparison: Findings) -> Iterator[Caution]:
    """Warns about runs whose lists are shorter than another run's, if a measure reads below their ends."""
    cut = CutLists.of(dict(zip(comparison.names, comparison.scores, strict=True)))
    if cut is not None:
        said = (
            f"{listed(cut.runs)}: the longest list has {cut.shortest:,} documents, but {cut.longest:,} in another "
            f"run. In {listed(cut.labels)}, shorter lists are at a disadvantage: cut all runs at the same depth."
        )
        runs = tuple(comparison.names.index(run) for run in cut.runs)
        yield Caution("lengths", runs, said, {"shortest": cut.shortest, "longest": cut.longest})


def missing(comparison: Findings) -> Iterator[Caution]:
    """Warns about judged queries that are missing from a run, and about unjudged queries in a run."""
    for place, (name, each) in enumerate(zip(comparison.names, comparison.scores, strict=True)):
        counts = each.counts
        if counts.missing:
            numbers = {"queries": list(counts.missing), "judged": counts.judged}
            yield Caution("missing", (place,), missing_said(each, [name]), numbers)
        if counts.extra and comparison.judge is None:
            yield Caution("extra", (place,), extra_said(each, [name]), {"queries": counts.extra})


def missing_said(scores: Scores, names: list[str]) -> str:
    """Returns the sentence about judged queries that are missing from the named runs, given the scores of one run."""
    lacking, judged = scores.counts.missing, plural(scores.counts.judged, "judged query", "judged queries")
    treated = "counted as 0" if scores.policy.missing == "zero" else "left out"
    lack = "lack" if len(names) > 1 else "lacks"
    return f"{some_of(names)} {lack} {len(lacking)} of {judged}, {treated}: {listed(lacking)}."


def extra_said(scores: Scores, names: list[str]) -> str:
    """Returns the sentence about unjudged queries in the named runs, given the scores of one run."""
    queries = plural(scores.counts.extra, "unjudged query", "unjudged queries")
    return f"{some_of(names)} {'have' if len(names) > 1 else 'has'} {queries}, ignored."


OF_EACH = {"missing": missing_said, "extra": extra_said}
"""The functions that write sentences about single runs, each of which can be shared by several runs."""


def sentences_of(comparison: Findings) -> list[str]:
    """Returns the sentences of all warnings; runs whose warnings differ only in the run's name share one sentence."""
    alike: dict[object, list[Caution]] = {}
    for place, each in enumerate(comparison.warnings):
        key: object = place
        if each.kind in OF_EACH:
            lacking = comparison.scores[each.runs[0]].counts.missing
            key = each.kind, repr(each.numbers), len(lacking), listed(lacking)
        alike.setdefault(key, []).append(each)
    said = []
    for first, *others in alike.values():
        sentence = first.sentence
        if others:
            names = [comparison.names[each.runs[0]] for each in (first, *others)]
            sentence = OF_EACH[first.kind](comparison.scores[first.runs[0]], names)
        said.append(sentence)
    return said


def sparsely_judged(comparison: Findings) -> Iterator[Caution]:
    """Warns if people judged few of the judge's documents, which suggests a sample given without its probabilities."""
    known = comparison.judge
    if known is None or declared_negative(comparison):
        return
    few = sparse(comparison.judged, known.judged)
    if few:
        shares = shares_of(comparison, known, few)
        said = (
            f"People judged {shares['people']:.0%} of the top {comparison.judged_depth} of "
            f"{run_names(comparison, few)}, and the judge {shares['judge']:.0%}. In people's scores, documents that "
            "they did not judge count as not relevant, so the estimates are valid only if people's judgments are "
            "complete. If people judged a sample of the documents, the sampling probabilities are missing: pass the "
            "complete table, including its column 'probability'."
        )
        yield Caution("sparse", tuple(few), said, shares)


def shares_of(comparison: Findings, known: Judging, runs: Sequence[int]) -> dict[str, Any]:
    """Returns the mean shares of the runs' top documents that were judged by people and by the judge, respectively."""
    sides = {"people": comparison.judged, "judge": known.judged}
    return {side: float(np.mean([shares[run] for run in runs])) for side, shares in sides.items()}


LACKING = 0.1
"""The share of people's queries that the judge may have left unjudged, for example because a model did not answer."""


def exchanged(comparison: Findings) -> Iterator[Caution]:
    """Warns if people judged everything that the judge did and more, which suggests that the two were swapped."""
    known = comparison.judge
    if known is None or known.documents is not None:
        return
    few, alone = sparse(known.judged, comparison.judged), len(known.alone)
    swapped = "were people's judgments and the judge's judgments swapped?"
    if known.sample == known.queries and alone > LACKING * known.queries:
        queries = plural(known.queries, "query", "queries")
        said = f"The judge judged {queries}, and people judged these and {plural(alone, 'other')}: {swapped}"
        yield Caution("swapped", (), said, {"queries": known.queries, "alone": alone})
    elif few:
        shares = shares_of(comparison, known, few)
        said = (
            f"The judge judged {shares['judge']:.0%} of the top {comparison.judged_depth} of "
            f"{run_names(comparison, few)}, and people {shares['people']:.0%}: {swapped}"
        )
        yield Caution("swapped", tuple(few), said, shares)


def copied(read: Read) -> Iterator[Caution]:
    """Warns if people's judgments are identical to the judge's, as they then cannot show how far the judge errs."""
    people, judge = read.qrels, None if read.judge is None else read.judge.qrels
    if people is None or judge is None or people.judgments.count != judge.judgments.count:
        return
    if people.table == judge.table:
        count = people.judgments.count
        said = (
            f"People's judgments and the judge's judgments of all {count:,} documents are the same: is one file a "
            "copy of the other?"
        )
        yield Caution("copy", (), said, {"count": count})


def scales(read: Read) -> Iterator[Caution]:
    """Warns if people and the judge seem to grade on different scales."""
    ranges = None if read.judge is None else ranges_apart(read.qrels, read.judge.qrels)
    if ranges is not None:
        said = (
            f"People's grades are {ranges[0]}, and the judge's are {ranges[1]}. If these scales differ, convert both "
            "to one scale: otherwise, the bias and the worth of the judge also reflect the difference between the "
            "scales."
        )
        yield Caution("scales", (), said, {"people": ranges[0], "judge": ranges[1]})


def assessors(comparison: Findings) -> Iterator[Caution]:
    """Warns if the second assessor judged few queries or documents, used another scale, or gave the first's grades."""
    found = comparison.assessors
    if found is None:
        return
    contest, its, share = (
        comparison.primary,
        found.measures[comparison.labels[0]],
        found.shared / found.documents,
    )
    if its.queries < FEW_FOR_PEOPLE:
        queries = plural(its.queries, "query", "queries")
        said = f"Two assessors judged {queries}: with fewer than {FEW_FOR_PEOPLE}, their noise is a rough estimate."
        yield Caution("assessors", (), said, {"count": its.queries, "least": FEW_FOR_PEOPLE})
    if found.shared < LEAST_JUDGED * found.documents:
        said = (
            f"The second assessor judged {share:.0%} of the documents of these queries, and the other documents keep "
            "the first assessor's grades: the noise of assessors is probably larger than stated."
        )
        yield Caution("assessors", (), said, {"share": share})
    if found.equal == found.shared >= LEAST_ALIKE:
        said = (
            f"The second assessor's grades of all {found.shared:,} documents are the same as the first assessor's: "
            "are they a copy?"
        )
        yield Caution("assessors", (), said, {"shared": found.shared})
    if found.ranges is not None:
        first, second = found.ranges
        said = (
            f"The first assessor's grades are {first}, and the second's are {second}. If these scales differ, "
            "convert both to one scale: otherwise, the noise of assessors includes the difference between the scales."
        )
        yield Caution("assessors", (), said)
    if its.shifted:
        digits = digits_of(len(comparison.ids), contest)
        named = pair_names(comparison.names, [contest.pairs[place] for place in its.shifted])
        shifts = column(signed, its.pairs.shift[list(its.shifted)].tolist(), digits=digits)
        pairs = [" ".join(each) for each in zip(named, shifts, strict=True)]
        said = (
            f"With the second assessor's grades, {plural(len(pairs), 'difference')} in {contest.label} would be "
            f"shifted by more than chance explains: {listed(pairs, 4)}. If one assessor judged all queries, such an "
            "error does not average out over queries, and no interval accounts for it."
        )
        yield Caution("assessors", (), said, {"count": len(pairs), "shifted": list(its.shifted)})
    if found.unused:
        labels = listed(found.unused)
        said = f"{labels}: not a plain mean over queries, so the noise of assessors is not estimated."
        yield Caution("assessors", (), said)


FEW_FOR_PEOPLE = 12
"""With fewer queries judged by people, nominal 95% intervals missed the mean in more than 6% of simulated cases."""
FAR = 2.0
"""The absolute z above which people's queries no longer look like a random sample."""


def judge(comparison: Findings) -> Iterator[Caution]:
    """Warns if people judged few queries, if their sample may not be random, or if the judge may mislead."""
    known, label = comparison.judge, comparison.labels[0]
    if known is None:
        return
    approximate = no_sums(comparison, known)
    yield from without_error(comparison, known, approximate)
    yield from seen(known)
    if known.documents is not None:
        yield from sampled(known.documents, approximate)
        yield from reordered(comparison, known)
        return
    sizes = {"sample": known.sample, "queries": known.queries}
    if known.alone:
        count, first = len(known.alone), listed(known.alone)
        were = plural(count, "query was", "queries were")
        said = f"{were} judged by people but not by the judge, and were left out: {first}."
        yield Caution("alone", (), said, {"count": count})
    for each, count in known.undefined.items():
        were = plural(count, "query was", "queries were")
        said = f"{each}: {were} left out, because a run has no value under people's or the judge's judgments."
        yield Caution("undefined", (), said, {"count": count})
    if known.complete:
        if known.exact:
            said = (
                f"People judged all {known.queries} queries, so means and differences are exact for these queries. "
                "Choose the target 'similar' to get intervals and p for queries like these."
            )
            yield Caution("complete", (), said)
        return
    if known.sample < FEW_FOR_PEOPLE:
        said = (
            f"People judged only {known.sample} queries: with fewer than {FEW_FOR_PEOPLE}, the intervals may be too "
            "narrow if the values are far from normally distributed."
        )
        yield Caution("few", (), said, {**sizes, "least": FEW_FOR_PEOPLE})
    z = known.measures[label].apart
    if abs(z) > FAR:
        how = "harder" if (z > 0) == comparison.primary.smaller_is_better else "easier"
        said = (
            f"By the judge's {label}, the {known.sample} queries that people judged are {how} than the other "
            f"queries (z = {z:+.1f}). If they were not drawn at random, the estimates may be wrong."
        )
        yield Caution("sample", (), said, {"z": z})
    yield from of_judge(comparison, known)
    yield from unused(known)
    yield from reordered(comparison, known)


def unused(known: Judging) -> Iterator[Caution]:
    """Warns about measures for which the judge's values have no weight, unless tuning left too few other queries."""
    if known.fixed is not None or (known.tuned and known.sample - known.tuned < FEWEST_CLEAN):
        return
    few = known.sample - (known.strata or 1) < LEAST_FREEDOM
    for label, its in known.measures.items():
        why = f"The judge's scores by {label} do not correlate positively with people's scores, so"
        if known.sample == known.queries:
            why = f"{label}: people judged all {known.sample} queries, so the judge adds nothing, and"
        elif few:
            why = f"{label}: people judged too few queries to fit λ, so"
        if its.weight == 0.0:
            yield Caution("judge", (), f"{why} only people's judgments count (λ = 0).")


def without_error(comparison: Findings, known: Judging, approximate: Sequence[str]) -> Iterator[Caution]:
    """Warns about estimates whose error is unknown because the judgments of the sample do not vary.

    Args:
        comparison: the comparison.
        known: the judge.
        approximate: the measures that are not sums over sampled documents.
    """
    for label, contest in comparison.contests.items():
        # ``sampled`` already warns that means from sampled documents have no interval if the measure is not a sum.
        means = () if label in approximate else contest.low
        if np.isnan([*means, *(pair.low for pair in contest.pairs)]).any():
            its = known.measures[label]
            why = (
                "people's judgments of the sample show no variation, for example because all grades are equal"
            )
            remedy = "Let people judge more."
            if its.weight and not any(its.biases):
                why = "people's and the judge's values do not differ on these queries"
                remedy = "Let people judge more, independently of the judge."
            said = (
                f"{label}: {why}, so some standard errors are unknown, and the affected estimates have neither an "
                f"interval nor p. {remedy}"
            )
            yield Caution("no error", (), said)


def seen(known: Judging) -> Iterator[Caution]:
    """Warns about a judge that agrees with people so well that it may have seen their grades."""
    if known.kappa > SUSPICIOUS and not known.complete:
        rest = "the queries whose grades the judge has seen"
        advice = Worded(
            f": pass {rest} as design=carob.Design(tuned_on=…)", f": list {rest} in a file for --tuned-on"
        )
        said = filled(
            "The judge's grades agree with people's by a weighted kappa of {kappa:.2f}. Above {most:.2f}, the judge "
            "may have seen people's grades, for example in its training or prompt, and then the intervals are too "
            "narrow{advice}. A lower kappa does not rule this out.",
            kappa=known.kappa,
            most=SUSPICIOUS,
            advice=advice if known.documents is None else "",
        )
        yield Caution("seen", (), said, {"kappa": known.kappa})


def of_judge(comparison: Findings, known: Judging) -> Iterator[Caution]:
    """Warns if the judge was tuned on nearly all queries that people judged, or if it favours a run."""
    clean = known.sample - (known.tuned or 0)
    if known.tuned and clean < FEWEST_CLEAN:
        said = (
            f"The judge was tuned on {known.tuned} of the {known.sample} queries that people judged: the other "
            f"{clean} are too few for estimates with the judge, so only people's judgments count."
        )
        yield Caution("clean", (), said)
    for label, its in known.measures.items():
        if its.favoured:
            digits = digits_of(len(comparison.ids), comparison.contests[label])
            biases, favoured = np.array(its.biases), list(its.favoured)
            own, others = float(biases[favoured].mean()), float(np.delete(biases, favoured).mean())
            said = (
                f"The judge favours {run_names(comparison, favoured)} in {label}: the judge's scores exceed people's "
                f"scores by {signed(own, digits)} there, and by {signed(others, digits)} on average for the other "
                f"runs. The estimates correct for this bias, but the judge's own "
                "scores and order do not."
            )
            yield Caution("favours", its.favoured, said, {"bias": own, "others": others})


FEW_DOCUMENTS = 100
"""With fewer sampled documents, nominal 95% intervals missed the mean in up to a tenth of simulated cases."""


def no_sums(comparison: Findings, known: Judging) -> list[str]:
    """Returns the measures that are not sums over documents, if people judged a sample of documents."""
    if known.documents is None:
        return []
    return [label for label, contest in comparison.contests.items() if not is_linear(contest.measure)]


def sampled(documents: int, approximate: Sequence[str]) -> Iterator[Caution]:
    """Warns if few documents were sampled, and about measures whose estimates from the sample are approximate."""
    if documents < FEW_DOCUMENTS:
        said = f"People judged {documents} documents: with fewer than {FEW_DOCUMENTS}, intervals may be too narrow."
        yield Caution("few", (), said, {"documents": documents, "least": FEW_DOCUMENTS})
    for label in approximate:
        said = (
            f"{label} is not a sum over documents, so its means from sampled documents have no interval, and "
            "differences are approximate: nominal 95% intervals covered the true value in 88 to 91% of trials on TREC "
            "data."
        )
        yield Caution("approximate", (), said)


def reordered(comparison: Findings, known: Judging) -> Iterator[Caution]:
    """Warns about pairs of runs that the judge's values alone would put in the opposite order."""
    for label, contest in comparison.contests.items():
        judge = known.measures[label].judge
        swapped = [pair for pair in contest.pairs if (judge[pair.a] - judge[pair.b]) * pair.difference < 0]
        sure = [pair for pair in swapped if pair.p_corrected < comparison.settings.alpha]
        if swapped:
            turned, pairs = len(swapped), len(contest.pairs)
            names = listed(facing_names(comparison, contest, sure or swapped)) + " (significant)" * bool(sure)
            order = f"{turned} of {plural(pairs, 'pair')} differently in {label}: {names}"
            said = f"The judge alone would order {order}."
            yield Caution("order", (), said, {"turned": turned, "pairs": pairs})


def undefined(comparison: Findings) -> Iterator[Caution]:
    """Warns about undefined values, because a run that has them is compared on fewer queries."""
    for contest in comparison.contests.values():
        absent = np.isnan(contest.values).sum(axis=0)
        runs = np.flatnonzero(absent).tolist()
        if not runs:
            continue
        fewest = min(pair.n for pair in contest.pairs)
        together = ""
        if comparison.settings.test in FAMILY_WISE:
            shared = int((~np.isnan(contest.values).any(axis=1)).sum())
            together = f"; the test of all pairs uses the {shared} queries for which all runs have a value"
        names = listed([f"{comparison.names[run]} {absent[run]}" for run in runs])
        said = (
            f"{contest.label} has no value for some of {len(comparison.ids)} queries ({names}): each pair is compared "
            f"on the queries for which both runs have a value, which are at least {fewest}{together}."
        )
        yield Caution("undefined", tuple(runs), said, {"absent": absent.tolist(), "fewest": fewest})


def ties(comparison: Findings) -> Iterator[Caution]:
    """Warns about pairs of runs whose order could be reversed by another order of tied documents."""
    contest = comparison.primary
    turning = reversible(comparison, contest)
    if not turning:
        return
    digits, reach = digits_of(len(comparison.ids), contest), reach_of(comparison, contest)
    runs = [run for run in ranked(contest) if any(run in (pair.a, pair.b) for pair in turning)]
    ends = [
        f"{comparison.names[run]} {'-'.join(dict.fromkeys(decimals(each, digits) for each in reach[run]))}"
        for run in runs
    ]
    whose = listed([comparison.names[run] for run in runs if reach[run][0] < reach[run][1]], 4)
    changed = [*of_leader(contest, turning), *overturned(comparison, contest, turning)]
    overturns = sorted({(pair.a, pair.b) for pair in changed})
    said = (
        f"Because of ties in {whose}, another order of equal scores could reverse "
        f"{names_of_pairs(comparison, turning)} in {contest.label}: {listed(ends, 4)}."
    )
    numbers = {"bounds": list(map(list, reach)), "overturns": list(map(list, overturns))}
    yield Caution("ties", runs_among(turning), said, {"pairs": runs_of(turning), **numbers})


def unjudged(comparison: Findings) -> Iterator[Caution]:
    """Warns about pairs of runs whose order depends on the grades of unjudged documents."""
    if comparison.unjudged is None:
        return
    for label, contest in comparison.contests.items():
        turning = comparison.unjudged.turning(label)
        if turning:
            pairs = [each for each in contest.pairs if (each.a, each.b) in turning]
            shown = listed(facing_names(comparison, contest, pairs), 10)
            said = (
                f"Judgments of unjudged documents can still reverse {len(turning)} of "
                f"{plural(len(contest.pairs), 'difference')} in {label}: {shown}."
            )
            numbers = {"measure": label, "pairs_turning": list(map(list, turning))}
            yield Caution("turn", runs_among(pairs), said, numbers)


def identical(comparison: Findings) -> Iterator[Caution]:
    """Warns about runs that have equal values on every query under some or all measures."""
    same: dict[tuple[int, int], dict[str, Pair]] = {}
    for label, contest in comparison.contests.items():
        for pair in contest.pairs:
            if pair.identical:
                same.setdefault((pair.a, pair.b), {})[label] = pair
    queries = len(comparison.ids)
    total = "the only query" if queries == 1 else f"all {queries:,} queries"
    for labels in dict.fromkeys(map(tuple, same.values())):
        everywhere = len(labels) == len(comparison.labels) > 1
        where = "under every measure" if everywhere else f"in {listed(labels)}"
        alike = [its[labels[-1]] for its in same.values() if tuple(its) == labels]
        without = of_spread(comparison.settings) if any(map(spreadless, alike)) else []
        unknown = f"; without variation, no {one_of(without)}" if without else ""
        p = f" (p = 1{unknown})" if queries > 1 else ""
        said = f"identical on {total} {where}{p}."
        yield from of_pairs(comparison, "identical", alike, said, measures=list(labels))


def constant(comparison: Findings) -> Iterator[Caution]:
    """Warns about pairs of runs whose differences are the same on every query, so t is undefined."""
    p = "p of every pair" if comparison.settings.test == "t" else "the uncorrected p"
    nothing = one_of(["t", "interval", *of_spread(comparison.settings)])
    said = (
        f"different by the same amount on every query: without variation there is no {nothing}, so {p} is from the "
        "sign-flip test."
    )
    for label, contest in comparison.contests.items():
        flat = [pair for pair in contest.pairs if not pair.identical and pair.n > 1 and math.isinf(pair.d_z)]
        yield from of_pairs(comparison, "constant", flat, said, f"{label}: ", measure=label)


def of_spread(settings: Settings) -> list[str]:
    """Returns the names of the requested results that are undefined if differences do not vary."""
    return ["p(equiv.)"] * (settings.margin is not None) + ["posterior"] * (settings.rope is not None)


def spreadless(pair: Pair) -> bool:
    """Returns whether the equivalence p or the posterior was requested for a pair but is undefined."""
    return any(each is not None and math.isnan(each) for each in (pair.p_equivalent, pair.p_same))


VERY_SKEWED, OFTEN = 1.5, 0.1
"""A pair is reported if the skewness of its differences exceeds the first number, and if the square of the skewness
exceeds the second number times the number of queries."""
MANY_ENOUGH = 200
"""With this many queries or more, skewness does no harm."""


def shapes(comparison: Findings) -> Iterator[Caution]:
    """Warns about worst-point intervals, missing intervals, and very skewed differences."""
    known, contest = comparison.judge, comparison.primary
    if known is not None and (known.exact or known.documents is not None):
        return
    yield from crowded(comparison)
    yield from equal(comparison)
    if contest.pairs and comparison.settings.test not in NOT_OF_MEANS:
        said = (
            f"skewed in {contest.label}: a few queries have large differences of one sign. Student's t and sign flips "
            "need nearly symmetric differences or more queries, so p and the interval are approximate."
        )
        yield from of_pairs(comparison, "skewed", skewed_pairs(contest), said)


def equal(comparison: Findings) -> Iterator[Caution]:
    """Warns about runs and, with a bootstrap, differences that have no interval because all their values are equal."""
    given = INTERVALS[comparison.settings.interval]
    for label, each in comparison.contests.items():
        flat = [run for run, low in enumerate(each.low) if math.isnan(low)]
        names = [comparison.names[run] for run in flat]
        if not given.worst_point:
            pairs = [pair for pair in each.pairs if math.isnan(pair.low) and not math.isnan(pair.difference)]
            names += facing_names(comparison, each, pairs)
        known = comparison.judge is not None or len(each.values) < 2
        unbounded = not all(map(math.isfinite, each.measure.definition.values))
        if names and not known and (not given.worst_point or unbounded or len(each.values) < FEWEST):
            why = f"If all values are equal, fewer than {FEWEST} queries do not show how often other values occur."
            if not given.worst_point:
                why = given.equal
            elif unbounded:
                why = f"All values are equal, and {label} has no largest value that could limit those of other queries."
            said = f"{label}: no interval for {listed(names)}. {why}"
            yield Caution("equal", tuple(flat), said, {"least": FEWEST})


def crowded_series(contest: Contest) -> tuple[list[int], int]:
    """Returns the runs with many equal values, and the number of pairs with many equal differences."""
    values, bounded = contest.values, all(map(math.isfinite, contest.measure.definition.values))
    if not bounded or kind(contest) != "mean" or len(values) < 2:
        return [], 0
    first, second = (np.array([getattr(pair, side) for pair in contest.pairs], np.int64) for side in "ab")
    count = 0
    for part in in_parts(np.arange(len(first)), len(values)):
        differences = values[:, first[part]] - values[:, second[part]]
        count += int(crowded_values(differences, differences=True).sum())
    return np.flatnonzero(crowded_values(values, differences=False)).tolist(), count


def crowded(comparison: Findings) -> Iterator[Caution]:
    """Warns, once for all measures, how many runs and differences have worst-point intervals."""
    found: dict[str, str] = {}
    several: set[int] = set()
    given = INTERVALS[comparison.settings.interval]
    for label, each in comparison.contests.items():
        if not given.worst_point:
            runs, differences = crowded_series(each)
        else:
            runs = [run for run, worst in enumerate(each.worst_point) if worst]
            differences = sum(pair.worst_point for pair in each.pairs)
        counts = {"run": len(runs), "difference": differences}
        if any(counts.values()):
            found[label] = " and ".join(plural(count, noun) for noun, count in counts.items() if count)
            several.update(runs)
    if not found:
        return
    labels = listed([*found], most=len(found))
    which = listed(
        [f"{its} in {label}" if len(found) > 1 else its for label, its in found.items()], most=len(found)
    )
    if not given.worst_point:
        p = ", and the t-test too small a p" if comparison.settings.test == "t" else ""
        said = (
            f"{labels}: many values are equal. {given.narrow[0]} may give too narrow an interval for {which}{p}: "
            f"{given.narrow[1]}, their worst-point intervals allow for values that were not seen."
        )
    else:
        alone = (
            " They are computed from people's judgments alone, and extended to include the estimate from both kinds "
            "of judgments if it lies outside."
        )
        said = (
            f"{labels}: many values are equal, or they are few and near the end of their range. Student's t may give "
            f"too narrow an interval, or one that leaves the range, for {which}. Their worst-point intervals count "
            "one more query, with the worst possible value, as two fifths of a query. They covered the true mean in "
            "97.5% of simulated cases, and in 91% of cases in the worst "
            f"setting.{alone if comparison.judge is not None else ''}{missed_by_worst_point(comparison)}"
        )
    yield Caution("crowded", tuple(sorted(several)), said, {"measures": [*found]})


def missed_by_worst_point(comparison: Findings) -> str:
    """Returns a sentence about pairs that differ by the t-test but not by the worst-point interval, or ""."""
    settings, contest = comparison.settings, comparison.primary
    missed = [
        pair
        for pair in contest.pairs
        if pair.p_t_test is not None and pair.p_t_test < settings.alpha <= pair.p_uncorrected
    ]
    if settings.test != "t" or not missed:
        return ""
    pairs = listed(facing_names(comparison, contest, missed), 3)
    return (
        f" They are conservative for differences far smaller than the range of the measure: for {pairs}, only the "
        "t-test would find a significant difference. Judge more queries, or choose another test, such as "
        "randomisation, before looking at the results."
    )


def skewed_pairs(contest: Contest) -> list[Pair]:
    """Returns the pairs whose differences are too skewed for Student's t with so few queries."""
    pairs = [pair for pair in contest.pairs if not pair.worst_point]
    if not pairs or len(contest.values) >= MANY_ENOUGH:
        return []
    first, second = ([getattr(pair, side) for pair in pairs] for side in "ab")
    values = contest.values
    if kind(contest) == "geometric":
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    differences = values[:, first] - values[:, second]
    there = ~np.isnan(differences)
    queries = np.maximum(there.sum(axis=0), 1)
    found = skewness(np.where(there, differences, 0.0), there / queries)
    skewed = (np.abs(found) > VERY_SKEWED) & (found**2 > OFTEN * queries)
    return [pair for pair, own in zip(pairs, skewed, strict=True) if own]


UNEQUAL = 2.0
"""The ratio of the widest to the narrowest interval from which variances count as different. With equal variances and
50 queries, the ratio is 1.5 to 1.7. At ratios of 2 and more, the family-wise error of Tukey's test left the range .05 ±
.015 in simulations."""


def variances(comparison: Findings) -> Iterator[Caution]:
    """Warns if pairs differ in variance, and the test assumes that they do not or would decide otherwise if it did."""
    settings, contest = comparison.settings, comparison.primary
    if settings.test not in FAMILY_WISE or settings.baseline is not None or len(contest.pairs) < 2:
        return
    if least_possible(comparison) >= settings.alpha:
        return  # a test of signs cannot decide otherwise
    widths = np.array([pair.high - pair.low for pair in contest.pairs])
    seen = widths[widths > 0]
    other = other_p(comparison)
    if other is None or not len(seen) or seen.max() < UNEQUAL * seen.min():
        return
    turned = [
        pair
        for pair, p in zip(contest.pairs, other.tolist(), strict=True)
        if not pair.identical and (p < settings.alpha) != (pair.p_corrected < settings.alpha)
    ]
    ends, pairs = [float(seen.min()), float(seen.max())], len(contest.pairs)
    least, most = column(decimals, ends, digits=digits_of(len(comparison.ids), contest))
    start = f"The pairs' intervals in {contest.label} are {least} to {most} wide"
    if turned:
        names = f"{len(turned)} of {pairs} pairs differently: {listed(facing_names(comparison, contest, turned), 3)}."
        said = (
            f"{start}, but this test assumes one variance for all pairs. Holm's t-tests do not assume this, and "
            f"decide {names} The test romano-wolf allows for different variances."
        )
        if settings.test == "romano-wolf":
            said = (
                f"{start}. The test allows for this. Tukey's test assumes one variance for all pairs and would decide "
                f"{names}"
            )
        numbers = {"count": len(turned), "pairs": pairs, "widths": ends, "turned": runs_of(turned)}
        yield Caution("variances", runs_among(turned), said, numbers)
    elif settings.test != "romano-wolf" and not any(narrower(comparison)):
        assumes, narrow = "has one width", ""
        if settings.test == "tukey":
            assumes, narrow = "assumes one variance", ", and may be too narrow for pairs that vary most"
        said = (
            f"{start}, but this test {assumes} for all pairs: its corrected intervals are wider than needed for pairs "
            f"that vary little{narrow}. Holm's t-tests do not assume this, and decide all {pairs} pairs in the "
            "same way. "
            "The test romano-wolf has a separate width for each pair."
        )
        yield Caution("variances", (), said, {"pairs": pairs, "widths": ends})


def narrower(comparison: Findings) -> Iterator[Caution]:
    """Warns about pairs whose corrected interval is narrower than the uncorrected, in a test with one width for all."""
    settings, contest = comparison.settings, comparison.primary
    if settings.test not in ("tukey", "max-t") or not math.isclose(settings.confidence, 1 - settings.alpha):
        return
    less = [
        pair
        for pair in contest.pairs
        if not pair.identical and pair.joint_high - pair.joint_low < (pair.high - pair.low) * (1 - ROUNDED)
    ]
    if less:
        count, pairs, names = (
            len(less),
            len(contest.pairs),
            listed(facing_names(comparison, contest, less), 3),
        )
        said = (
            f"{count} of {pairs} corrected intervals in {contest.label} {'is' if count == 1 else 'are'} narrower than "
            f"the uncorrected intervals: {names}. This test has one width for all pairs, which may be too narrow for "
            "the pairs that vary most. The test romano-wolf has a separate width for each pair."
        )
        yield Caution("narrower", runs_among(less), said, {"count": count, "pairs": pairs})


def disagree(comparison: Findings) -> Iterator[Caution]:
    """Warns about pairs for which the test and the interval of the difference disagree at the same level."""
    settings, contest = comparison.settings, comparison.primary
    if kind(contest) == "geometric" or not math.isclose(settings.confidence, 1 - settings.alpha):
        return
    several = corrected_p(settings)
    interval = f"{'uncorrected ' * several}{settings.confidence * 100:g}% interval of the difference"
    reason = "Test and interval are computed in different ways, so the decision depends on the method."
    sure = [
        pair
        for pair in contest.pairs
        if pair.p_corrected < settings.alpha and pair.low < -NOISE < NOISE < pair.high
    ]
    said = f"significantly different in {contest.label}, although the {interval} contains 0. {reason}"
    yield from of_pairs(comparison, "disagree", sure, said)
    if several or least_possible(comparison) >= settings.alpha:
        return
    unsure = [
        pair
        for pair in contest.pairs
        if pair.p_corrected >= settings.alpha and max(pair.low, -pair.high) > NOISE
    ]
    said = f"not significantly different in {contest.label}, although the {interval} excludes 0. {reason}"
    yield from of_pairs(comparison, "disagree", unsure, said)


ROUNDED = 1e-9
"""The largest relative difference between two widths that counts as rounding."""


def other_p(comparison: Findings) -> Floats | None:
    """Returns each pair's p under the other assumption about variances, or None if it cannot be computed.

    For the test ``romano-wolf``, this is the p of Tukey's paired test (its normal limit), which assumes one variance
    for all pairs. For the tests that have one width for all pairs, it is the p of the paired t-tests with Holm's
    correction.
    """
    settings, contest = comparison.settings, comparison.primary
    times = len(comparison.labels) if settings.family == "all" else 1
    if settings.test != "romano-wolf":
        return corrected(np.array([pair.p_uncorrected for pair in contest.pairs]), "holm") * times
    table = contest.anova
    if table is None or not table.ms_rest or settings.clusters is not None or kind(contest) == "geometric":
        return None
    means = contest.values.mean(axis=0)
    apart = np.array([abs(means[pair.a] - means[pair.b]) for pair in contest.pairs])
    return range_beyond(apart / math.sqrt(table.ms_rest / table.queries), table.runs) * times


def least_possible(comparison: Findings) -> float:
    """Returns the smallest corrected p that the number of queries and of resamples allows for the primary measure."""
    settings, pairs = comparison.settings, comparison.primary.pairs
    least = least_p(settings, max((pair.n for pair in pairs), default=0), len(comparison.names))
    if not settings.resamples or all(pair.exact for pair in pairs):
        return least
    return max(least, times(settings, len(pairs)) / (settings.resamples + 1))


ENOUGH_RESAMPLES = 1000
"""The minimum number of resamples that a warning recommends: 25 of 1,000 lie beyond each end of a 95% interval."""


def percentiles(comparison: Findings) -> Iterator[Caution]:
    """Warns if a bootstrap has so few resamples that fewer than one is expected beyond each end of an interval."""
    settings = comparison.settings
    needed = resamples_needed(settings.bootstrap_resamples, settings.confidence)
    if INTERVALS[settings.interval].draws and needed:
        count = settings.bootstrap_resamples
        numbers = {"resamples": count, "needed": needed}
        yield Caution("resamples", (), few_resamples_said(count, settings.confidence, needed), numbers)


def few_resamples_said(resamples: int, confidence: float, needed: int) -> str:
    """Returns the sentence that says that there are too few resamples for percentiles."""
    return (
        f"{plural(resamples, 'resample is', 'resamples are')} too few for the percentiles of a {confidence * 100:g}% "
        f"interval, since fewer than one is expected beyond each end: use at least {needed:,} resamples."
    )


def resamples_needed(resamples: int, confidence: float) -> int:
    """Returns how many resamples the percentiles of an interval need, or 0 if there are enough."""
    tail = (1 - confidence) / 2
    # The product is rounded because 1 - 0.95 is slightly more than 0.05 in floating point.
    enough = round(resamples * tail, 9) >= 1
    return 0 if enough else max(ENOUGH_RESAMPLES, math.ceil(round(10 / tail, 6)))


def resamples(comparison: Findings) -> Iterator[Caution]:
    """Warns if there are too few resamples for any pair to be significant, or to decide pairs whose p is near alpha."""
    settings, contest = comparison.settings, comparison.primary
    yield from percentiles(comparison)
    if not settings.resamples:
        return
    family_wise = settings.test in FAMILY_WISE
    least = times(settings, len(contest.pairs)) / (settings.resamples + 1)
    if least >= settings.alpha and not all(pair.exact for pair in contest.pairs):
        needed = math.ceil(20 * settings.comparisons / settings.alpha)
        said = (
            f"With {settings.resamples:,} resamples, no corrected p can be below {min(least, 1.0):.3f}, so no "
            f"difference can be significant: use at least {needed:,} resamples."
        )
        yield Caution("resamples", (), said, {"least": least, "needed": needed})
    near = [
        pair
        for pair in contest.pairs
        if abs(pair.p_corrected - settings.alpha) < 1.96 * pair.error * (1.0 if family_wise else factor(pair))
    ]
    said = f"so close to alpha in {contest.label} that another seed could change the decision: use more resamples."
    yield from of_pairs(comparison, "resamples", near, said)


def factor(pair: Pair) -> float:
    """Returns the factor by which the correction multiplies p and, therefore, the Monte Carlo error of p."""
    return pair.p_corrected / pair.p_uncorrected if pair.p_uncorrected > 0 else 1.0


NORMAL = " Student's t assumes nearly normal differences, which so few queries cannot confirm."


def queries(comparison: Findings) -> Iterator[Caution]:
    """Warns if there are too few queries to detect anything, or so many that negligible differences are significant."""
    n, known = len(comparison.ids), detectable(comparison.primary)
    settings, pairs = comparison.settings, comparison.primary.pairs
    of = ("cluster", "clusters") if settings.clusters else ("query", "queries")
    units = settings.clusters or n
    counted = plural(units, *of)
    least = least_p(settings, max((pair.n for pair in pairs), default=0), len(comparison.names))
    if n == 1:
        p = " and no p" if pairs else ""
        said = f"A single query does not show how queries vary, so there is no interval{p}."
        yield Caution("few", (), said, {"queries": 1})
    elif pairs and least >= settings.alpha and all(pair.p_corrected >= settings.alpha for pair in pairs):
        said = filled(
            "{units} {are} too few for this test: its smallest p{after} is {least:.2g}, so no difference can be "
            "significant. {t} can find a difference if the per-query differences are nearly normally distributed.",
            units=counted,
            are="is" if settings.clusters == 1 else "are",
            after=" after correction" if times(settings, len(pairs)) > 1 else "",
            least=least,
            t=Worded("The t-test (test='t')", "The t-test (--test t)"),
        )
        yield Caution("few", (), said, {"queries": n, "least": least})
    elif units < FEW:
        by_t = settings.test == "t" and not all(pair.worst_point or pair.identical for pair in pairs)
        span, said = detectable_span(comparison.primary), f"{counted} are few"
        if span:
            said += (
                f": if differences vary as they do on these queries, they detect a true difference of {span} four "
                "times out of five, and smaller differences less often"
            )
        normal = NORMAL if by_t and units < FEW_FOR_PEOPLE else ""
        yield Caution("few", (), f"{said}.{normal}", {"queries": n, "detectable": [*known[:1], *known[-1:]]})
    if INTERVALS[settings.interval].draws and 1 < units < FEW:
        covered = covered_by_percentiles(units, settings.confidence)
        said = (
            f"With {counted}, {settings.confidence * 100:g}% percentile intervals cover the mean in about "
            f"{covered:.0%} of samples of normal values, and in fewer if values are skewed."
        )
        yield Caution("few", (), said, {"queries": n, "covered": covered})
    if n > MANY and pairs:
        said = (
            f"With {n:,} queries, even a difference too small to matter may be significant: judge by the difference "
            "and its interval, not by p."
        )
        yield Caution("many", (), said, {"queries": n})


def covered_by_percentiles(units: int, confidence: float) -> float:
    """Returns how often the percentile interval of a bootstrap covers the mean of normal values.

    The half-width of the interval is a normal quantile times √((n - 1) / n) standard errors, but the error of the mean,
    in standard errors, follows Student's t. The percentile interval is inside the range of the values, so it cannot
    cover the mean more often than that range does.
    """
    from scipy.special import ndtri, stdtr

    half = float(ndtri((1 + confidence) / 2)) * math.sqrt((units - 1) / units)
    return min(1 - 2 * float(stdtr(units - 1, -half)), 1 - 2.0 ** (1 - units))


def meanings(comparison: Findings) -> Iterator[Caution]:
    """Warns about tests whose hypothesis is not about means, and about measures that are not plain means."""
    settings, primary = comparison.settings, comparison.primary
    if settings.test in NOT_OF_MEANS:
        said = (
            f"This test does not compare means: its hypothesis is that {HYPOTHESES[settings.test]}, the test can "
            "reject equal means, and does so more often the more queries there are."
        )
        yield Caution("test", (), said)
        apart = [
            pair
            for pair, sure in zip(primary.pairs, differing(primary), strict=True)
            if pair.p_corrected < settings.alpha and pair.difference and not sure
        ]
        said = (
            f"called neither better nor worse in {primary.label}: the test favours one run, but the means favour the "
            "other run."
        )
        yield from of_pairs(comparison, "opposite", apart, said)
    contests = comparison.contests.values()
    for contest in contests:
        if kind(contest) != "mean":
            yield Caution("aggregate", (), aggregate_said(contest, settings), {"measure": contest.label})
    measures = {
        "micro": [contest.label for contest in contests if contest.measure.micro],
        "weights": [
            contest.label
            for place, contest in enumerate(contests)
            if kind(contest) != "sum" and any(has_weights(each.weights, place) for each in comparison.scores)
        ],
        "smaller": [contest.label for contest in contests if contest.smaller_is_better],
    }
    for key, labels in measures.items():
        if labels:
            yield Caution(key, (), f"{listed(labels)}: {MEANINGS[key]}", {"measures": labels})
    if settings.effects and not comparison.exact:
        yield from unsized(comparison, measures)


def aggregate_said(contest: Contest, settings: Settings) -> str:
    """Returns the sentence about the test and interval of a measure that is a sum or a geometric mean over queries."""
    if kind(contest) == "sum":
        return (
            f"{contest.label} is a sum: the difference and its interval concern the sums, and the test concerns the "
            "counts per query."
        )
    given = settings.margin is not None or settings.rope is not None
    scale = " Margins and ropes are differences, so they are not applied to ratios." if given else ""
    start, floor = f"{contest.label} is a geometric mean:", "(values below 0.00001 count as 0.00001)"
    intervals = INTERVALS[settings.interval]
    if not intervals.of_ratio:
        return (
            f"{start} the test concerns the ratio of two means, by logarithms {floor}, so it need not agree with the "
            f"interval of their difference, a {intervals.named} over queries.{scale}"
        )
    return (
        f"{start} test and interval concern the ratio of two means, by logarithms {floor}. Their difference has no "
        f"interval, since it also depends on the level of the means.{scale}"
    )


def unsized(comparison: Findings, measures: Mapping[str, list[str]]) -> Iterator[Caution]:
    """Warns about effect sizes that have no interval, with the reason.

    Args:
        comparison: the comparison.
        measures: under ``micro``, the measures whose values depend on other queries; under ``weights``, the measures
            whose queries have different weights.
    """
    if comparison.judge is not None:
        strata = ", without an interval, since their queries were drawn within strata"
        said = (
            "d_z has no interval, since its difference is an estimate from people's and the judge's values. "
            "Superiority is computed from people's values "
            f"alone{strata if comparison.judge.strata is not None else ''}."
        )
        yield Caution("effects", (), said)
        return
    reasons: dict[str, list[str]] = {}
    for label, contest in comparison.contests.items():
        known = {
            "dependent": comparison.settings.clusters is not None or label in measures["micro"],
            "weights": label in measures["weights"],
            "geometric": kind(contest) == "geometric",
            "few": min((pair.n for pair in contest.pairs), default=FEWEST_FOR_EFFECTS) < FEWEST_FOR_EFFECTS,
        }
        for reason in (name for name, holds in known.items() if holds):
            reasons.setdefault(reason, []).append(label)
    for reason, labels in reasons.items():
        yield Caution("effects", (), f"{listed(labels)}: {UNSIZED[reason]}", {"measures": labels})


def has_weights(weights: Any, place: int) -> bool:
    """Returns whether the weights of the queries under a measure differ."""
    return weights is not None and bool((weights[:, place] != weights[:1, place]).any())


def kind(contest: Contest) -> str:
    """Returns how the measure's values are aggregated over queries: as a mean, a sum or a geometric mean."""
    return contest.measure.definition.aggregate


def facing_names(comparison: Findings, contest: Contest, pairs: Sequence[Pair]) -> list[str]:
    """Returns the names of the two runs of each pair, in the order that the tables use."""
    return pair_names(comparison.names, better_first(contest, pairs, comparison.settings.baseline))


def run_names(comparison: Findings, runs: Iterable[int]) -> str:
    """Returns the names of runs as text, of which only the first few if there are many."""
    return listed([comparison.names[run] for run in runs])


def of_pairs(
    comparison: Findings, kind: str, pairs: Sequence[Pair], said: str, start: str = "", **numbers: Any
) -> Iterator[Caution]:
    """Yields a caution about pairs of runs, or nothing if there are no pairs.

    Args:
        comparison: the comparison.
        kind: the kind of the caution.
        pairs: the pairs.
        said: the end of the sentence, which says what the pairs have in common.
        start: the start of the sentence, which precedes the names of the runs.
        numbers: the figures of the caution.
    """
    if pairs:
        sentence = f"{start}{names_of_pairs(comparison, pairs)} are {said}"
        yield Caution(kind, runs_among(pairs), sentence, {"pairs": runs_of(pairs), **numbers})


def names_of_pairs(comparison: Findings, pairs: Sequence[Pair]) -> str:
    """Returns the names of a single pair, or the number of pairs and the names of the first few, best runs first."""
    best = ranked(comparison.primary)
    place = {run: number for number, run in enumerate(best)}
    places = sorted(sorted((place[pair.a], place[pair.b])) for pair in pairs)
    names = [[comparison.names[best[number]] for number in each] for each in places]
    if len(pairs) == 1:
        return " and ".join(names[0])
    return f"{len(pairs)} pairs ({listed(list(map('/'.join, names)), 3)})"


def runs_of(pairs: Sequence[Pair]) -> list[list[int]]:
    """Returns the two runs of each pair."""
    return [[pair.a, pair.b] for pair in pairs]


def runs_among(pairs: Sequence[Pair]) -> tuple[int, ...]:
    """Returns all runs that occur in the pairs, in ascending order."""
    return tuple(sorted(set(chain(*runs_of(pairs)))))


# ---------------------------------------------------------------- unjudged documents

LEAST_JUDGED = 0.9
WIDEST_GAP = 0.05
"""If the share of judged documents is below the first number, or differs between runs by more than the second, a
comparison may only reflect which documents were judged."""

SHOWN = 4

Readings: TypeAlias = "dict[int, Floats | None]"
"""For each run, its values with unjudged documents removed and with unjudged documents counted as relevant [queries,
2], or None if they are unknown."""


def doubts_of(comparison: Findings, systems: Sequence[System]) -> list[Caution]:
    """Returns a warning for each run with many unjudged documents, or one warning for more than four such runs.

    There is no warning if the policy declares unjudged documents negative, as is usual in recommendation.
    """
    judged = np.array(comparison.judged)
    if np.isnan(judged).all() or declared_negative(comparison):
        return []
    best = np.nanmax(judged)
    flagged = np.flatnonzero((judged < LEAST_JUDGED) | (best - judged > WIDEST_GAP)).tolist()
    if not flagged:
        return []
    grades = next((each.found.whole.judged_grades for each in systems if each.found is not None), None)
    negative = any(each.scores.counts.negative for each in systems)
    if grades is not None and lists_only_relevant(grades) and not negative:
        each, policy = len(grades) / len(comparison.ids), policy_of(comparison)
        return [only_relevant(each, policy, flagged, depth=comparison.judged_depth)]
    apart = len(flagged) <= SHOWN
    needed = {*flagged, *(other for run in flagged for other in partners(comparison, run) if apart)}
    readings = {run: readings_of(comparison, systems[run], run) for run in needed}
    if not apart:
        return [together(comparison, flagged, readings)]
    found: list[Caution] = []
    for run in flagged:
        others = partners(comparison, run)
        # A caution about the other run of the pair already covers this run, with the same figures.
        if len(others) > 1 or not any(each.runs == (others[0], run) for each in found):
            both = len(others) == 1 and others[0] in flagged and partners(comparison, others[0]) == [run]
            found.append(doubt(comparison, run, readings, (run, *others) if both else (run,)))
    return found


def only_relevant(each: float, policy: Policy, runs: Iterable[int] = (), **numbers: Any) -> Caution:
    """Returns the caution about judgments that list only relevant documents.

    Args:
        each: the number of judgments per query.
        policy: the policy of the measure.
        runs: the indices of the runs with many unjudged documents.
        numbers: the figures of the caution.
    """
    said = (
        f"The judgments list only relevant documents, {each:.3g} per query, so the proportion of a run's documents "
        f"that is judged does not show whether judgments are missing; unjudged documents {treated(policy)}."
    )
    return Caution("unjudged", tuple(runs), said, numbers)


def readings_of(comparison: Findings, system: System, run: int) -> Floats | None:
    """Returns the run's values with unjudged documents removed and with them counted as relevant, or None.

    The values are unknown if only scores were given, or if the measure needs the subtopics for which an unjudged
    document would be relevant. They are not needed if the policy already removes unjudged documents.
    """
    contest = comparison.primary
    policy = system.scores.policy.of_measure(contest.measure)
    if system.found is None or contest.measure.definition.groups or policy.unjudged == "removed":
        return None
    highest = max(1.0, float(system.found.whole.judged_grades.max(initial=1.0)))
    found = alternatives(system.found, contest.measure, policy, comparison.judged_depth, highest)
    # A query that is left out because it is empty is in the match but not in the comparison.
    own = system.found.queries.places_in(comparison.ids)
    values = np.full((len(comparison.ids), 2), np.nan)
    values[own[own >= 0]] = found[own >= 0]
    values[np.isnan(contest.values[:, run])] = np.nan
    return values


def doubt(comparison: Findings, run: int, readings: Readings, runs: tuple[int, ...]) -> Caution:
    """Returns a caution about one run's unjudged documents and the difference that they make doubtful."""
    contest, judged, names = comparison.primary, comparison.judged, comparison.names
    others, mine = partners(comparison, run), readings[run]
    shares = [
        f"{names[other]} {100 * (1 - judged[other]):.1f}%"
        for other in others
        if not math.isnan(judged[other])
    ]
    compared = ", on average over the queries" + (f" ({listed(shares, 3)})" if shares else "")
    said = (
        f"{names[run]}: {100 * (1 - judged[run]):.1f}% of its top {comparison.judged_depth} is unjudged{compared}; "
        f"unjudged documents {treated(policy_of(comparison))}."
    )
    numbers: dict[str, Any] = {"judged": judged[run], "depth": comparison.judged_depth}
    if mine is None:
        return Caution("unjudged", runs, said, numbers)
    digits = digits_of(len(comparison.ids), contest)
    removed, relevant = values_as(comparison, mine, [run, run]).means
    numbers |= {"measure": contest.label, "removed": removed, "relevant": relevant}
    alike = len(others) == 1 and contest.between(run, others[0]).identical
    its = readings[others[0]] if len(others) == 1 and not alike else None
    if its is None:
        now, without, with_them = column(decimals, (contest.means[run], removed, relevant), digits=digits)
        said += (
            f" Its {contest.label} of {now} would be {without} if all unjudged documents were removed, and "
            f"{with_them} if all those in the top {comparison.judged_depth} had the highest grade."
        )
        return Caution("unjudged", runs, said, numbers)
    # The order of the pair is that of the table: the baseline last, or the better run first.
    order, baseline = ranked(contest), comparison.settings.baseline
    first, second = sorted((run, others[0]), key=lambda each: (each == baseline, order.index(each)))
    condensed = {run: mine[:, 0], others[0]: its[:, 0]}
    columns = np.column_stack([condensed[first], condensed[second]])
    found = difference_of(values_as(comparison, columns, [first, second]), comparison.settings)
    if comparison.exact:
        found = replace(found, low=math.nan, high=math.nan)
    ends = "" if math.isnan(found.low) else f" {interval(found.low, found.high, digits, sign=True)}"
    bounds = (
        " Bounds over unjudged documents show how much judging these documents could change the difference."
    )
    said += (
        f" With all unjudged documents removed, the difference in {contest.label} ({names[first]} - {names[second]}) "
        f"is {signed(found.difference, digits)}{ends}.{bounds if comparison.unjudged is None else ''}"
    )
    numbers |= {"pair": [first, second], "difference_removed": found.difference}
    numbers |= {"low_removed": found.low, "high_removed": found.high}
    return Caution("unjudged", runs, said, numbers)


def policy_of(comparison: Findings) -> Policy:
    """Returns the policy of the primary measure."""
    return comparison.scores[0].policy.of_measure(comparison.primary.measure)


def treated(policy: Policy) -> str:
    """Returns the end of a sentence, which says how the policy treats unjudged documents."""
    return "are removed" if policy.unjudged == "removed" else "count as not relevant"


def partners(comparison: Findings, run: int) -> list[int]:
    """Returns the runs with which a run is compared: the baseline, or otherwise all other runs, the best first."""
    baseline = comparison.settings.baseline
    if baseline is not None and run != baseline:
        return [baseline]
    return [other for other in ranked(comparison.primary) if other != run]


def values_as(comparison: Findings, values: Floats, runs: list[int]) -> RunTable:
    """Returns a table of the given values of the primary measure, with the weights of the queries.

    Args:
        comparison: the comparison, which provides the measure and the weights.
        values: the values [queries, columns].
        runs: the run of each column.
    """
    contest, weights = comparison.primary, tables_of(comparison.scores)[1][0].weights
    return RunTable(contest.label, contest.measure, values, None if weights is None else weights[:, runs])


def difference_of(table: RunTable, settings: Settings) -> Pair:
    """Returns the difference between two runs, with its interval unless the queries have clusters."""
    plain = replace(settings, test="t", margin=None, rope=None, effects=False)
    found: Pair = pairs_in(outcome_of(table, *pairs_of(2, None), plain)[0], plain)[0]
    return found if settings.clusters is None else replace(found, low=math.nan, high=math.nan)


def together(comparison: Findings, flagged: list[int], readings: Readings) -> Caution:
    """Returns one caution for many runs, starting with the run that has the most unjudged documents."""
    names, judged, depth = comparison.names, comparison.judged, comparison.judged_depth
    order = sorted(flagged, key=judged.__getitem__)
    best = max(range(len(names)), key=lambda run: np.nan_to_num(judged[run]))
    would = {}
    for run in order:
        each = readings[run]
        if each is not None:
            removed, relevant = values_as(comparison, each, [run, run]).means
            would[names[run]] = {"judged": judged[run], "removed": removed, "relevant": relevant}
    shares = listed([f"{names[run]} {judged[run]:.3f}" for run in order], 6)
    said = (
        f"{len(flagged)} of {len(names)} runs have unjudged documents in their top {depth}, which "
        f"{treated(policy_of(comparison))}. Proportion judged: {shares}; the highest is {judged[best]:.3f} "
        f"({names[best]})."
    )
    return Caution("unjudged", tuple(flagged), said, {"depth": depth, "runs": would})


def alternatives(found: Match, measure: Measure, policy: Policy, depth: int, grade: float) -> Floats:
    """Returns the values that a run would have if its unjudged documents counted differently [queries, 2].

    The first column has the values that result if unjudged documents are removed from the lists. The second column has
    the values that result if unjudged documents down to rank ``depth`` have the grade ``grade``. Undefined values are
    NaN.

    Args:
        found: the match of the run.
        measure: the measure.
        policy: the policy under which the run was evaluated.
        depth: the rank down to which unjudged documents are counted as relevant.
        grade: the grade that is assigned to unjudged documents.
    """
    whole = (
        arranged(found.whole, policy.ties) if policy.ties in ("optimistic", "pessimistic") else found.whole
    )
    values = np.empty((len(whole.length), 2))
    for first, last in [(0, len(values))] if measure.micro else parts_of(np.diff(whole.judged_offsets)):
        part = whole.part(first, last)
        condensed = finished(part, policy.changed(unjudged="removed"))
        raised = finished(counted_as(part, depth, grade), policy)
        values[first:last] = np.hstack([values_of(each, [measure]) for each in (condensed, raised)])
    return values


def counted_as(rows: JudgedRows, depth: int, grade: float) -> JudgedRows:
    """Returns the rows with the grade ``grade`` assigned to every unjudged document down to rank ``depth``."""
    lists = len(rows.length)
    reach = np.minimum(rows.length, depth).astype(np.int64)
    first = rows.rank <= depth
    held = np.zeros((lists, depth), bool)
    held[rows.list_of_row[first], rows.rank[first].astype(np.int64) - 1] = rows.grade[first] >= 0
    owner, place = np.nonzero(~held & (np.arange(depth) < reach[:, None]))
    kept = ~(first & (rows.grade < 0))  # pooled documents without a grade are also raised
    number = np.concatenate([rows.list_of_row[kept], owner])
    rank = np.concatenate([rows.rank[kept], place + 1.0])
    order = np.argsort(number * 2**32 + rank.astype(np.int64), kind="stable")
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
