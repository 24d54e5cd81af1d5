"""Sentences about a comparison: the better run, the certainty of this result, and the method."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.findings import CORRECTIONS, FAMILY_WISE, NOUNS, SHORT_NAMES, TESTS, ranked
from carob.comparison.ties import with_ties
from carob.estimation.people_and_judge import FEWEST_BIASES, FEWEST_PAIRS, TYPICAL
from carob.estimation.sums import is_weighted
from carob.evaluation.score_tables import conventions_of, signature
from carob.evaluation.suspects import reads_beyond
from carob.output.language import filled, plural
from carob.output.layout import column, decimals, listed, signed
from carob.statistics.estimates import NOISE
from carob.statistics.sample_size import FEWEST_JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.comparison.findings import Contest, Findings, Judging, Pair, Settings

VERDICTS = {
    "value": "{leader} has {label} {mean} ({confidence:g}% interval {low} to {high}).",
    "value alone": "{leader} has {label} {mean}.",
    "small": "{label} over {queries:query/queries}",
    "same": "{leader} and {second} have the same {label} on every {unit}.",
    "better": "{leader} is better than {second}.",
    "open": "{leader} and {second} are not shown to differ.",
    "exact": (
        "On these {queries:query/queries}, all of which people judged, {leader} is better than {second} "
        "by {size} in {label}."
    ),
    "exact:best": (
        "On these {queries:query/queries}, all of which people judged, {leader} is the best of {count} "
        "runs, better than {second} by {size} in {label}."
    ),
    "exact:equal": (
        "On these {queries:query/queries}, all of which people judged, {leader} and {second} have the "
        "same {label}."
    ),
    "leads": "{leader} leads, but {rivals} may be as good.",
    "leads by chance": "No run stands out: {leader} leads, but not significantly.",
    "tied": "{tied} have the best {label}.",
    "tied:leads": "{tied} have the best {label}, but {rivals} may be as good.",
    "tied:leads by chance": "No run stands out: {tied} have the best {label}, but not significantly.",
    "tied:all": "No run stands out: {tied} have the same {label}.",
    "none better": "No run is shown to be better than {baseline}.",
    "all worse": "{baseline} is better than every other run.",
    "one better": "{better} is better than {baseline}.",
    "some better": "{count} of {others} runs are better than {baseline}.",
    "significantly better": "Significantly better: {runs}.",
    "significantly worse": "Significantly worse: {runs}.",
    "not different": "Not significantly different: {runs}.",
    "identical": "{run} has {label} {mean}, {other} {its}: they are identical on all {n:,} queries{bound}.",
    "no interval": (
        "{run} has {label} {mean}, {other} {its}: a difference of {difference}, without an interval, since "
        "{n:query/queries} cannot give one."
    ),
    "ratio": (
        "{run} has {label} {mean}, {other} {its}: {ratio} times as much ({kind}{confidence:g}% interval {low} to "
        "{high}{sure}; {p})."
    ),
    "joint": (
        "{run} has {label} {mean}, {other} {its}: a difference of {difference} (corrected {level:g}% interval {low} to "
        "{high}; {p})."
    ),
    "difference": (
        "{run} has {label} {mean}, {other} {its}: a difference of {difference} ({kind}{confidence:g}% "
        "interval {low} to {high}{sure}; {p})."
    ),
}
"""Which run is better, by what is known about it."""
JUDGE = {
    "borrowed": (
        "A pair that varies less than most borrows variance from the median pair, which counts for {typical} queries: "
        "its p and interval depend on the other runs."
    ),
    "heading": "people: {people} | judge: {judge} | {sample} of {queries:query/queries} judged by people",
    "heading documents": (
        "people: {people} | judge: {judge} | {documents:document/documents} of {queries:query/queries} "
        "judged by people"
    ),
    "target": (
        "Means and differences are estimates for {which}: people judged {sample} of {queries:query/queries}, "
        "and the judge judged all. They assume that people's queries were drawn at random{strata}{fixed}."
    ),
    "target documents": (
        "Means and differences are estimates for these {queries} queries, not for other queries: people "
        "judged {documents} documents, and the judge's grades cover the others. They assume that people's "
        "documents were drawn with the probabilities in the file, that their number was fixed{fixed}."
    ),
    "exact": (
        "Means and differences come from people's judgments of these {queries:query/queries}. Given these judgments, "
        "they are exact. Nothing is estimated, so there is neither an interval nor a test. They say nothing about "
        "other queries."
    ),
    "complete": (
        "Means and differences come from people's judgments of these {queries:query/queries}, and say nothing about "
        "other queries."
    ),
    "fixed": ", and that the judge was fixed without their judgments",
    "fixed after tuning": (
        ", and that the judge was fixed without their judgments of the {clean:query/queries} on which it was not tuned"
    ),
    "unequal": (
        "The judge's {label} does not differ from people's by the same amount for all runs: from {least} ({lowest}) to "
        "{most} ({highest}), judge minus people."
    ),
    "these": "these {queries} queries, not for other queries",
    "similar": "queries like these {queries}, as if these were a random sample of them",
    "bias": (
        "The judge's {label} is {how} than people's by {size}{over} ({confidence:g}% CI {low} to {high})."
    ),
    "no known bias": "The judge's {label} equals people's{over}.",
    "known bias": "The judge's {label} is {how} than people's by {size}{over}.",
    "no bias": (
        "The judge's {label} differs from people's by {size}{over} ({confidence:g}% CI "
        "{low} to {high}), which may be chance."
    ),
    "bias of few": (
        "On the queries that people judged, the judge's {label} differs from theirs by {size}{over}, without an "
        "interval: fewer than {least} queries may be alike by chance."
    ),
    "needed": (
        "For {what} with an interval of width {width}, people need to judge about "
        "{count:more query/more queries} ({total} in all)."
    ),
    "needed documents": (
        "For {what} with an interval of width {width}, people need to judge about "
        "{count:more document/more documents} ({total} in all), drawn in the same way."
    ),
    "few": (
        "People judged {sample:query/queries}. How much queries vary is not known well from fewer than {least}, so "
        "neither what the judge's grades are worth nor how many queries people need to judge is projected."
    ),
    "few documents": (
        "Fewer than {least} of the documents that people judged were drawn at random. How much documents vary is not "
        "known well from so few, so the number that people need to judge is not projected."
    ),
}
"""The estimates from people's and a judge's values."""
ASSESSORS = {
    "judged": (
        "Two assessors: {name} also judged {shared:,} of {documents:,} documents of {queries:query/queries}, "
        "{equal:.0%} of them with the same grade."
    ),
    "contained": (
        "Intervals and p concern queries like these, each judged by one assessor like these two. They contain the "
        "assessors' noise already, as part of the variance between queries, if assessors err independently from query "
        "to query.{tendency}"
    ),
    "added": (
        "Intervals and p concern the mean of all assessors like these two on these queries: the assessors' noise is "
        "added to the errors, on the assumption that assessors err independently from query to query.{worst}{tendency}"
    ),
    "tendency": (
        " They cover less often if assessors have a tendency of their own for one run of a pair, which two assessors "
        "cannot show."
    ),
    "worst": " Worst-point intervals do not contain it.",
}
"""What a second assessor shows."""
BOUNDS = {
    "letters": "A {mark}: significantly better than that run{after}.",
    "chosen": (
        "{baseline} has the best {label}: if it became the baseline for this reason, leave out the baseline, so that "
        "all pairs are tested."
    ),
    "margin": "p(equiv.): two one-sided tests of whether the runs differ by less than {margin:g}{alone}.",
    "rope": (
        "P(worse), P(same), P(better): Student posterior, differences within {rope:g} count as the same; not "
        "a significance test."
    ),
    "effects": (
        "d_z: the mean difference divided by the standard deviation of the differences; interval by noncentral t, "
        "which assumes nearly normal differences. Superiority: the probability that the first run is better on a "
        "query like these, where a tie counts one half; score interval, adjusted for ties."
    ),
}
"""What columns of the table mean."""
RESAMPLED = "{count:resample}, seed {seed}"


FEW_FOR_FOUR_DIGITS = 50
"""With fewer queries the fourth decimal of a mean is noise."""

MOST_NAMED = 4
"""The maximum number of pairs whose detectable differences are listed. For more pairs, the median says more."""

MOST_LETTERED = 9
"""The maximum number of runs for which the table has letters.

For more runs, it says how many runs each run outperforms.
"""


@dataclass(frozen=True)
class Verdict:
    """The answer of a comparison, in words.

    Args:
        headline: the sentence that names the better run.
        sentences: the sentences that say by how much the run is better, and how certain this is.
        small: the sentence with the measure, the number of queries and the meaning of significant.
        against: the run that all others are compared with: the baseline, else the best.
        pair: the two runs of the first sentence.
    """

    headline: str
    sentences: tuple[str, ...]
    small: str
    against: int
    pair: tuple[int, int]


def reference_of(comparison: Findings, contest: Contest | None = None) -> tuple[int, int]:
    """Returns the pair that a report opens with: the best other run and the baseline, or the best two runs.

    A single run is both.

    Args:
        comparison: the runs.
        contest: the measure; the primary one if None.
    """
    order = ranked(contest or comparison.primary)
    baseline = comparison.settings.baseline
    if baseline is None:
        return order[0], order[:2][-1]
    return next(run for run in order if run != baseline), baseline


def verdict_of(comparison: Findings, contest: Contest | None = None) -> Verdict:
    """Returns the verdict for a measure, by default for the primary measure.

    A headline says so if another order of ties could overturn it, and if people judged so few of the judge's documents
    that they may be a sample.
    """
    contest = contest or comparison.primary
    found = plain_verdict(comparison, contest)
    found = replace(found, headline=with_ties(comparison, contest, found.headline))
    doubt = next((each.numbers for each in comparison.warnings if each.kind == "sparse"), None)
    if doubt is None:
        return found
    words = {"verdict": found.headline, "depth": comparison.judged_depth, **doubt}
    return replace(
        found,
        headline=filled(
            "! Only if people's judgments are complete (people judged {people:.0%} of the top {depth}, and "
            "the judge {judge:.0%}): {verdict}",
            **words,
        ),
    )


def plain_verdict(comparison: Findings, contest: Contest) -> Verdict:
    """Returns the verdict for a measure, whatever the warnings."""
    if not contest.pairs:
        small = filled(VERDICTS["small"], label=contest.label, queries=len(comparison.ids))
        return Verdict(value_said(comparison, contest), (), f"{small}.", 0, (0, 0))
    settings, baseline = comparison.settings, comparison.settings.baseline
    if baseline is not None and len(comparison.names) > 2:
        pair = contest.between(*reference_of(comparison, contest))
        headline, others = against_baseline(comparison, contest, pair)
    else:
        pair = contest.between(*ranked(contest)[:2])
        headline, others = among_all(comparison, contest, pair)
    if comparison.exact and not pair.identical:
        return Verdict(
            exact(comparison, contest, pair),
            (),
            "",
            pair.a if baseline is None else baseline,
            (pair.a, pair.b),
        )
    small = filled(
        VERDICTS["small"] + "; significant means {p} below {alpha:g}. The test does not say "
        "whether a difference matters to users.",
        label=contest.label,
        queries=len(comparison.ids),
        p="a corrected p" if corrected(settings) else "p",
        alpha=settings.alpha,
    )
    sentences = [said_of(comparison, contest, pair), *others]
    signs = tuple(each.replace(" -", " −") for each in sentences if each)
    return Verdict(headline, signs, small, pair.a if baseline is None else baseline, (pair.a, pair.b))


def exact(comparison: Findings, contest: Contest, pair: Pair) -> str:
    """Returns the headline where people judged every query, so that the order on these queries is known.

    Args:
        comparison: the runs.
        contest: the measure.
        pair: the best two runs, or the best other run and the baseline.
    """
    order = (
        (pair.a, pair.b)
        if ranked(contest).index(pair.a) < ranked(contest).index(pair.b)
        else (pair.b, pair.a)
    )
    size = decimals(abs(pair.difference), digits_of(len(comparison.ids), contest))
    words = dict(zip(("leader", "second"), (comparison.names[run] for run in order), strict=True))
    alone = len(comparison.names) == 2 or comparison.settings.baseline is not None
    key = "exact:equal" if pair.difference == 0 else "exact" if alone else "exact:best"
    return filled(
        VERDICTS[key],
        **words,
        count=len(comparison.names),
        label=contest.label,
        size=size,
        queries=len(comparison.ids),
    )


def value_said(comparison: Findings, contest: Contest) -> str:
    """Returns the sentence about the value of the best run."""
    digits, best = digits_of(len(comparison.ids), contest), ranked(contest)[0]
    ends = (contest.means[best], contest.low[best], contest.high[best])
    mean, low, high = column(decimals, ends, digits=digits)
    key = "value alone" if comparison.exact or math.isnan(ends[1]) else "value"
    return filled(
        VERDICTS[key],
        leader=comparison.names[best],
        label=contest.label,
        mean=mean,
        low=low,
        high=high,
        confidence=comparison.settings.confidence * 100,
    )


def among_all(comparison: Findings, contest: Contest, pair: Pair) -> tuple[str, list[str]]:
    """Returns the headline about the best run, and the sentences that compare this run with all others.

    Args:
        comparison: the runs.
        contest: the measure.
        pair: the best two runs.
    """
    headline, surely = best_said(comparison.names, contest)
    others = len(comparison.names) - 1
    if others == 1:
        return headline, [] if pair.identical else [missed(comparison, contest)]
    if len(contest.beaten[ranked(contest)[0]]) == others:
        return headline, []
    return headline, [alone(comparison, pair), *surely, missed(comparison, contest)]


def best_said(names: Sequence[str], contest: Contest) -> tuple[str, list[str]]:
    """Returns the headline about the best run, and the runs that it is better than if other runs may be as good."""
    best, *others = ranked(contest)
    beaten = [run for run in others if run in contest.beaten[best]]
    rivals = [run for run in others if run not in beaten]
    tied = [run for run in rivals if abs(contest.means[run] - contest.means[best]) <= NOISE]
    near = [run for run in rivals if run not in tied]
    words = {
        "leader": names[best],
        "tied": names_in(names, [best, *tied]),
        "second": names[others[0]],
        "label": contest.label,
        "unit": "collection" if contest.counts else "query",
        "others": len(others),
        "beaten": names_in(names, beaten),
        "rivals": names_in(names, near),
        "first": names[best] if tied else "It",
    }
    if len(others) == 1:
        identical = contest.between(best, others[0]).identical
        return filled(VERDICTS["same" if identical else "better" if beaten else "open"], **words), []
    if not rivals:
        key = "{leader} is better than " + ("{beaten}." if len(others) == 2 else "all {others} others.")
        return filled(key, **words), []
    surely = [filled("{first} is significantly better than {beaten}.", **words)] if beaten else []
    key = "leads" if beaten else "leads by chance"
    if tied:
        key = f"tied:{key}" if near else "tied" if beaten else "tied:all"
    return filled(VERDICTS[key], **words), surely


def against_baseline(comparison: Findings, contest: Contest, pair: Pair) -> tuple[str, list[str]]:
    """Returns the headline about the runs that are better than the baseline, and the sentences about all runs.

    Args:
        comparison: the runs.
        contest: the measure.
        pair: the best other run and the baseline.
    """
    headline, sides = baseline_said(comparison.names, contest, pair.b)
    decided = len(contest.beaten[pair.b]) + sum(pair.b in each for each in contest.beaten)
    unsure = "" if decided == len(comparison.names) - 1 else missed(comparison, contest)
    return headline, [alone(comparison, pair), *sides, unsure]


def baseline_said(names: Sequence[str], contest: Contest, baseline: int) -> tuple[str, list[str]]:
    """Returns the headline about the runs that are better than the baseline, and the runs of each side."""
    others = [run for run in ranked(contest) if run != baseline]
    better = [run for run in others if baseline in contest.beaten[run]]
    worse = [run for run in others if run in contest.beaten[baseline]]
    rest = [run for run in others if run not in better and run not in worse]
    key = ("none better" if rest else "all worse", "one better", "some better")[min(len(better), 2)]
    headline = filled(
        VERDICTS[key],
        baseline=names[baseline],
        better=names_in(names, better),
        count=len(better),
        others=len(others),
    )
    groups = {
        "significantly better": better if len(better) > 1 else [],
        "significantly worse": worse,
        "not different": rest,
    }
    return headline, [
        filled(VERDICTS[side], runs=names_in(names, runs)) for side, runs in groups.items() if runs
    ]


def names_in(names: Sequence[str], runs: Sequence[int], most: int = 4) -> str:
    """Returns names of runs such as ``a, b and c``, or the first few and the number of others."""
    some = [names[run] for run in runs]
    if len(some) > most:
        some[most - 1 :] = [f"{len(some) - most + 1} others"]
    return " and ".join(filter(None, (", ".join(some[:-1]), *some[-1:])))


def said_of(comparison: Findings, contest: Contest, pair: Pair) -> str:
    """Returns a sentence about a pair: means, difference, interval, p."""
    settings, digits = comparison.settings, digits_of(len(comparison.ids), contest)
    ends, none = (pair.low, pair.high), 0
    low, high = column(signed, ends, digits=digits)
    key = "difference" if math.isfinite(pair.low) else "no interval"
    if pair.ratio_low is not None and pair.ratio_high is not None and key == "no interval":
        ends, none, key = (pair.ratio_low, pair.ratio_high), 1, "ratio"
        low, high = column(decimals, ends, digits=2)
    open_still = pair.p_corrected >= settings.alpha and ends[0] <= none <= ends[1]
    return filled(
        VERDICTS["identical" if pair.identical else key],
        run=comparison.names[pair.a],
        other=comparison.names[pair.b],
        label=contest.label,
        mean=decimals(contest.means[pair.a], digits),
        its=decimals(contest.means[pair.b], digits),
        n=pair.n,
        bound=f", and queries like these differ by at most {decimals(pair.high, digits)} on average"
        if pair.worst_point
        else "",
        difference=signed(pair.difference, digits),
        kind="uncorrected " if corrected(settings) else "",
        confidence=settings.confidence * 100,
        low=low,
        high=high,
        ratio=decimals(pair.ratio, 2),
        sure=f", which includes {none}" if open_still else "",
        p=p_said(pair.p_corrected, settings),
    )


def margin_said(comparison: Findings) -> str:
    """Returns a sentence about the best two runs by the primary measure, with the corrected interval if it is known."""
    contest, settings = comparison.primary, comparison.settings
    pair, digits = contest.between(*ranked(contest)[:2]), digits_of(len(comparison.ids), contest)
    if pair.identical or not (corrected(settings) and math.isfinite(pair.joint_low)):
        return said_of(comparison, contest, pair)
    low, high = column(signed, (pair.joint_low, pair.joint_high), digits=digits)
    return filled(
        VERDICTS["joint"],
        run=comparison.names[pair.a],
        other=comparison.names[pair.b],
        label=contest.label,
        mean=decimals(contest.means[pair.a], digits),
        its=decimals(contest.means[pair.b], digits),
        difference=signed(pair.difference, digits),
        level=100 * (1 - settings.alpha),
        low=low,
        high=high,
        p=p_said(pair.p_corrected, settings),
    )


def p_said(p: float, settings: Settings) -> str:
    """Returns p as text: ``p = 0.03``, or ``corrected p < 0.001`` for multiple comparisons."""
    text = p_text(p, settings.alpha, smallest_p(settings, adjusted=True))
    name = "corrected p" if corrected(settings) else "p"
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<≤" else f"{name} = {text}"


def corrected(settings: Settings) -> bool:
    """Returns whether p is corrected for multiple comparisons."""
    return settings.comparisons > 1 and (settings.correction != "none" or settings.test in FAMILY_WISE)


def alone(comparison: Findings, pair: Pair) -> str:
    """Returns why a pair is not significant although its interval excludes 0, or an empty text for other pairs."""
    settings = comparison.settings
    if (
        pair.identical
        or not pair.p_uncorrected < settings.alpha <= pair.p_corrected
        or not corrected(settings)
    ):
        return ""
    return (
        f"Uncorrected, this pair would be significant (p = {p_text(pair.p_uncorrected, settings.alpha)}, and its "
        f"interval excludes {0 if pair.ratio is None else 1}), but among {settings.comparisons} comparisons such a "
        "difference can arise by chance."
    )


def missed(comparison: Findings, contest: Contest) -> str:
    """Returns a sentence about the smallest difference that the queries can detect."""
    span = detectable_span(contest)
    return (
        f"The smallest difference that these {len(comparison.ids):,} queries detect four times out of five "
        f"is {span}. Smaller differences are detected less often."
        if span
        else ""
    )


def digits_of(queries: int, contest: Contest | None = None) -> int:
    """Returns the number of decimals for a measure's scores: 4, or 3 for few queries, or 0 for counts."""
    if contest is not None and contest.measure.definition.aggregate == "sum":
        return 0
    return 3 if queries < FEW_FOR_FOUR_DIGITS else 4


def p_text(p: float | None, alpha: float, smallest: float = 0.0) -> str:
    """Returns a p-value with three decimals, or with more if rounding would move it across α, but never as 0.

    Args:
        p: the value.
        alpha: the level of significance.
        smallest: the smallest possible p of a Monte Carlo test, 0 for others.
    """
    if p is None or math.isnan(p):
        return "-"
    # An exact p, or the p of another test, may be smaller than any p from resampling.
    if smallest * 0.999 < p <= smallest * 1.0000001 and p < 1:
        return f"≤{p:.1g}"
    if p < 0.0005:
        return "<0.001"
    for digits in range(3, 17):
        text = f"{p:.{digits}f}"
        if (float(text) < alpha) == (p < alpha):
            return text
    return repr(p)


def smallest_p(settings: Settings, *, adjusted: bool) -> float:
    """Returns the smallest p that resampling can give, or 0 without resampling."""
    if not settings.resamples or (not adjusted and settings.test in FAMILY_WISE):
        return 0.0
    return 0.0 if adjusted and settings.correction != "none" else 1 / (settings.resamples + 1)


def p_titles(settings: Settings) -> tuple[str, str | None]:
    """Returns the titles of the columns of p and of corrected p.

    The title of the corrected p is None without a correction.
    """
    if settings.test in FAMILY_WISE:
        return "p(t)", f"p({SHORT_NAMES[settings.test]})"
    return "p", None if settings.correction == "none" else f"p({SHORT_NAMES[settings.correction]})"


def lettered(comparison: Findings) -> bool:
    """Returns whether tables show letters after scores, as they do unless there are too many runs."""
    return len(comparison.names) <= MOST_LETTERED


def heading(comparison: Findings) -> str:
    """Returns one line above the table: the qrels, the queries and the runs."""
    baseline, known = comparison.settings.baseline, comparison.judge
    shares: dict[str, Any] = {}
    if known is not None:
        shares = {"sample": known.sample, "queries": known.queries, "documents": known.documents}
    parts = [
        *(
            [comparison.qrels_name, plural(len(comparison.ids), "query", "queries")]
            if known is None
            else [
                filled(
                    JUDGE["heading" if known.documents is None else "heading documents"],
                    people=comparison.qrels_name or "scores",
                    judge=known.name or "scores",
                    **shares,
                )
            ]
        ),
        plural(len(comparison.names), "run", "runs"),
        f"primary: {comparison.labels[0]}" if len(comparison.labels) > 1 else "",
        "" if baseline is None else f"baseline: {comparison.names[baseline]}",
    ]
    return " | ".join(filter(None, parts))


def method(comparison: Findings) -> list[str]:
    """Returns sentences about the method: test, family, correction, intervals and detectable difference."""
    settings, pairs = comparison.settings, len(comparison.primary.pairs)
    exact = sum(pair.exact for pair in comparison.primary.pairs)
    judged = comparison.judge
    name = TESTS[settings.test] if judged is None else "t-test of the estimates"
    test = f"{name}, two-sided, alpha {settings.alpha:g}"
    if settings.clusters is not None:
        test += f", {settings.clusters} clusters of queries"
    parts = [test[0].upper() + test[1:], family_words(settings, len(comparison.labels))]
    if resampled(comparison):
        parts.append(filled(RESAMPLED, count=settings.resamples, seed=settings.seed))
    if exact:
        parts.append("exact p" if exact == pairs else f"exact p for {exact} of {pairs}")
    sentences = ["; ".join(parts) + "."] if pairs and not comparison.exact else []
    sentences += [crowded_said(comparison), chosen_said(comparison), *judge_words(comparison)]
    sentences += [letters_said(comparison), interval_words(comparison), joint_said(comparison)]
    sentences += assessor_words(comparison)
    bounds = {"margin": settings.margin, "rope": settings.rope, "effects": settings.effects or None}
    alone = ", of each pair alone, not corrected for the number of pairs" if pairs > 1 else ""
    sentences += [
        filled(BOUNDS[key], **bounds, alone=alone) for key, each in bounds.items() if each is not None
    ]
    sentences += [*settings.departures, plan_said(comparison), *others_said(comparison)]
    sentences += [detectable_words(comparison), judged_words(comparison)]
    sentences.append(signature(comparison.scores[0], conventions_of_all(comparison)))
    return [each for each in sentences if each]


def crowded_said(comparison: Findings) -> str:
    """Returns what is that of the worst-point interval in place of the t-test, or an empty text where p is not."""
    settings, contest = comparison.settings, comparison.primary
    worst = any(pair.worst_point for each in comparison.contests.values() for pair in each.pairs)
    decides = settings.test == "t"
    what = [p_titles(settings)[0]] if decides or settings.test in FAMILY_WISE else []
    bounded = any(each.worst_point and not each.identical for each in contest.pairs)
    what += ["p(equiv.)"] * (bounded and settings.margin is not None)
    what += ["posterior"] * (bounded and settings.rope is not None)
    if not worst or not what or comparison.exact:
        return ""
    what = ["interval", *what, *["verdict"] * decides]
    known = [pair for pair in contest.pairs if pair.p_t_test is not None]
    shown = [p_text(pair.p_t_test, settings.alpha) for pair in known]
    if len(contest.pairs) > 1:
        shown = [f"{pair_letters(comparison, pair)} {p}" for pair, p in zip(known, shown, strict=True)]
    return filled(
        "Where many values are equal, {what} are of the worst-point interval{also}{student}.",
        what=f"{', '.join(what[:-1])} and {what[-1]}",
        also="" if decides or what[1] != "p(t)" else ", and the corrected p is not smaller",
        student=f" (the t-test gives {', '.join(sorted(shown))})" if 0 < len(shown) <= MOST_NAMED else "",
    )


def letters_said(comparison: Findings) -> str:
    """Returns what the letters, or the numbers in their place, mean; an empty text where tables have none."""
    settings = comparison.settings
    if not lettered(comparison) or not any(any(each.beaten) for each in comparison.contests.values()):
        return ""
    plain = settings.correction == "none" and settings.test not in FAMILY_WISE
    mark = "number after a score" if comparison.primary.numbered else "letter"
    return filled(BOUNDS["letters"], mark=mark, after="" if plain else " after correction")


def chosen_said(comparison: Findings) -> str:
    """Returns the advice for a baseline that was perhaps chosen because it leads, or an empty text for others."""
    baseline, contest = comparison.settings.baseline, comparison.primary
    if len(comparison.names) < 3 or comparison.exact or ranked(contest)[0] != baseline:
        return ""
    return filled(BOUNDS["chosen"], baseline=comparison.names[baseline], label=contest.label)


def assessor_words(comparison: Findings) -> list[str]:
    """Returns sentences about a second assessor, and about what intervals then mean, or none without one."""
    found, known, contest = comparison.assessors, comparison.judge, comparison.primary
    if found is None:
        return []
    words = {"queries": found.measures[contest.label].queries, "equal": found.equal / found.shared}
    worst = any(contest.worst_point) or any(each.worst_point for each in contest.pairs)
    added = known is not None and known.assessed
    more = {"worst": ASSESSORS["worst"] if worst else "", "tendency": ASSESSORS["tendency"]}
    meaning = filled(ASSESSORS["added" if added else "contained"], **more)
    counts = {"name": found.name, "shared": found.shared, "documents": found.documents}
    return [filled(ASSESSORS["judged"], **counts, **words), meaning]


def plan_said(comparison: Findings) -> str:
    """Returns the sentence about the preregistration that the comparison was held to, or an empty text without one."""
    plan = comparison.preregistration
    if plan is None:
        return ""
    apart = "with {count:deviation/deviations} from" if plan.deviations else "no deviation from"
    open_still = ", not {unstated}" if plan.unstated else ""
    return filled(
        f"Preregistered in {{file}} (SHA-256 {{start}} …), {apart} what the file states: {{stated}}{open_still}.",
        file=plan.file,
        start=plan.sha256[:12],
        count=len(plan.deviations),
        stated=listed(plan.stated, len(plan.stated + plan.unstated)),
        unstated=listed(plan.unstated, len(plan.stated + plan.unstated)),
    )


def others_said(comparison: Findings) -> list[str]:
    """Returns what the other tests decide about the pair of the verdict, and about all pairs, in sentences."""
    found, settings = comparison.other_tests, comparison.settings
    if not found or all(math.isnan(each.p_corrected) for each in found):
        return []
    contest = comparison.primary
    pair, count = contest.between(found[0].a, found[0].b), len(contest.pairs)
    own = pair.p_corrected < settings.alpha
    sides: dict[bool, list[str]] = {own: [], not own: []}
    for each in found:
        opposite = " for the other run" if each.p_corrected < settings.alpha and not each.significant else ""
        p = p_text(each.p_corrected, settings.alpha)
        sides[each.significant].append(f"{NOUNS[each.test]} {p}{opposite}")
    parts = [
        f"{also}{'' if side else 'not '}significant by {listed(names, len(found))}"
        for also, (side, names) in zip(("also ", ""), sides.items(), strict=True)
        if names
    ]
    apart = [f"{NOUNS[each.test]} {each.turned}" for each in found if each.turned]
    said = [
        filled(
            "Other tests of {pair} in {label} ({p}): {parts}. Wilcoxon and the sign test do not test means.",
            pair=pair_letters(comparison, pair),
            label=contest.label,
            p="corrected p" if corrected(settings) else "p",
            parts="; ".join(parts),
        )
    ]
    if apart and count > 1:
        said.append(f"Of {count} pairs, they decide otherwise: {listed(apart, len(found))}.")
    elif count > 1:
        said.append(f"They decide all {count} pairs alike.")
    return said


def conventions_of_all(comparison: Findings) -> str:
    """Returns the conventions of the scores, with the names of the runs if they differ."""
    owners: dict[str, list[str]] = {}
    for name, each in zip(comparison.names, comparison.scores, strict=True):
        owners.setdefault(conventions_of(each), []).append(name)
    if len(owners) == 1:
        return next(iter(owners))
    return "; ".join(f"{listed(names)}: {its}" for its, names in owners.items())


def resampled(comparison: Findings) -> bool:
    """Returns whether p of any pair comes from resamples, whose number and seed the sentence about the test says."""
    together = comparison.settings.test in FAMILY_WISE

    def counted(pair: Pair) -> bool:
        by_interval = together and pair.worst_point and pair.p_corrected == pair.p_uncorrected
        return pair.exact or by_interval

    return comparison.settings.resamples > 0 and not all(map(counted, comparison.primary.pairs))


def drawn_said(comparison: Findings) -> str:
    """Returns the number and the seed of the resamples of a bootstrap, unless the sentence about the test says both."""
    settings = comparison.settings
    if resampled(comparison) or comparison.judge is not None:
        return ""
    return f" ({filled(RESAMPLED, count=settings.bootstrap_resamples, seed=settings.seed)})"


def judge_words(comparison: Findings) -> list[str]:
    """Returns sentences about the estimation from people's and a judge's values, or none without a judge."""
    known = comparison.judge
    if known is None:
        return []
    sizes = {"sample": known.sample, "queries": known.queries}
    strata = "" if known.strata is None else filled(" within each of {count} strata", count=known.strata)
    which = filled(JUDGE[known.target], **sizes)
    key = "target" if known.documents is None else "target documents"
    clean = known.sample - (known.tuned or 0)
    fixed = filled(JUDGE["fixed after tuning" if known.tuned else "fixed"], clean=clean)
    if known.complete:
        return [filled(JUDGE["exact" if known.exact else "complete"], queries=known.queries)]
    said = [
        filled(JUDGE[key], which=which, strata=strata, fixed=fixed, documents=known.documents, **sizes),
        weight_words(comparison, known),
    ]
    if known.documents is None and len(comparison.primary.pairs) >= FEWEST_PAIRS:
        said.append(filled(JUDGE["borrowed"], typical=TYPICAL))
    return said


def weight_words(comparison: Findings, known: Judging) -> str:
    """Returns the sentence about λ, which is 1 for sampled documents and measures for which it cannot be fitted."""
    sums = {
        label: known.documents is None or is_weighted(comparison.contests[label].measure)
        for label in known.measures
    }
    fitted = [
        f"{decimals(each.weight, 2)} for {label}" for label, each in known.measures.items() if sums[label]
    ]
    parts = []
    if fitted:
        parts.append(f"fitted, {', '.join(fitted)}" if known.fixed is None else f"fixed at {known.fixed:g}")
    others = [label for label, linear in sums.items() if not linear]
    if others:
        parts.append(
            f"1 for {listed(others)}, as for all measures but sums over documents, also divided by the ideal sum"
        )
    return f"λ, the weight of the judge's values: {'; '.join(parts)}."


def judge_said(comparison: Findings) -> list[str]:
    """Returns sentences about the judge: its bias on each measure, its worth, and the judgments that are still needed.

    Without a judge, there are no sentences.
    """
    known = comparison.judge
    if known is None:
        return []
    said = []
    for label, each in known.measures.items():
        digits = digits_of(len(comparison.ids), comparison.contests[label])
        sure = each.low > 0 or each.high < 0
        if math.isnan(each.low):
            if known.documents is None and known.sample - (known.tuned or 0) < FEWEST_BIASES:
                said.append(
                    filled(
                        JUDGE["bias of few"],
                        label=label,
                        size=signed(each.bias, digits),
                        over=", on average over the runs" if len(comparison.names) > 1 else "",
                        least=FEWEST_BIASES,
                    )
                )
            continue
        if each.unequal:
            least, most = (function(each.biases) for function in (min, max))
            said.append(
                filled(
                    JUDGE["unequal"],
                    label=label,
                    least=signed(least, digits),
                    lowest=comparison.names[each.biases.index(least)],
                    most=signed(most, digits),
                    highest=comparison.names[each.biases.index(most)],
                )
            )
            continue
        said.append(
            filled(
                JUDGE[("" if sure else "no ") + ("known bias" if known.complete else "bias")],
                label=label,
                how="larger" if each.bias > 0 else "smaller",
                size=decimals(abs(each.bias), digits) if sure else signed(each.bias, digits),
                over=", on average over the runs" if len(comparison.names) > 1 else "",
                confidence=comparison.settings.confidence * 100,
                low=signed(each.low, digits),
                high=signed(each.high, digits),
            )
        )
    if known.sample == known.queries and known.documents is None:
        return said
    if known.documents is None and known.sample < FEWEST_JUDGED:
        return [*said, filled(JUDGE["few"], sample=known.sample, least=f"{FEWEST_JUDGED:.0f}")]
    return [each for each in (*said, worth_said(comparison), needed_said(comparison)) if each]


def worth_said(comparison: Findings) -> str:
    """Returns the sentence about the number of queries that the judge's values are worth."""
    known = comparison.judge
    if known is None:
        return ""
    its = known.measures[comparison.labels[0]]
    said = []
    for kind, worth in (("a difference", its.worth_pairs), ("a value", its.worth)):
        known_worth = np.array(worth)[np.isfinite(worth)]
        if len(known_worth):
            ends = [f"{end:.0f}" for end in (known_worth.min(), known_worth.max())]
            several = kind == "a difference" and ends[0] != ends[1]
            said.append(
                filled(
                    "For {what}, the {sample} queries judged by people and the judge's grades are worth "
                    "{count} queries judged by people alone{spread}.",
                    what=kind,
                    sample=known.sample,
                    count=f"{np.median(known_worth):.0f}",
                    spread=filled(
                        " (median of the pairs; {least} to {most})",
                        least=ends[0],
                        most=ends[1],
                    )
                    if several
                    else "",
                )
            )
    return " ".join(said)


def needed_said(comparison: Findings) -> str:
    """Returns the sentence about the number of queries that people must judge for the target width."""
    known = comparison.judge
    if known is None:
        return ""
    its, pairs = known.measures[comparison.labels[0]], bool(comparison.primary.pairs)
    needed = np.array(its.needed_pairs if pairs else its.needed)
    kind = "a value" if not pairs else "a median difference" if len(needed) > 1 else "a difference"
    digits = digits_of(len(comparison.ids), comparison.primary)
    words = {
        "what": kind,
        "width": decimals(known.width_pairs if pairs else known.width, digits),
        "queries": known.queries,
    }
    total = float(np.median(np.where(np.isnan(needed), np.inf, needed))) if len(needed) else math.nan
    if not (known.width_pairs if pairs else known.width) > 0:
        return ""  # no error is known
    if known.documents is not None and not math.isfinite(total):
        return filled(JUDGE["few documents"], least=f"{FEWEST_JUDGED:.0f}")
    if not math.isfinite(total):
        return filled(
            "Even if people judged all {queries} queries, {what} would not have an interval of width "
            "{width}: more queries are needed.",
            **words,
        )
    present = known.sample if known.documents is None else known.documents
    more = math.ceil(total) - present
    if more <= 0:
        return filled("For {what} with an interval of width {width}, the present judgments suffice.", **words)
    key = "needed" if known.documents is None else "needed documents"
    return filled(JUDGE[key], **words, count=more, total=math.ceil(total))


def family_words(settings: Settings, measures: int) -> str:
    """Returns the number of comparisons for which p was corrected, as text."""
    count = settings.comparisons
    where = "of all measures together" if settings.family == "all" else "per measure"
    many = f"{count} comparisons {where}" if measures > 1 else f"{count} comparisons"
    if count == 1:
        return (
            "one comparison" if measures == 1 else "one comparison per measure, not corrected across measures"
        )
    if settings.test in FAMILY_WISE:
        also = ", Bonferroni across measures" if settings.family == "all" else ""
        return f"holds for all {many} at once{also}"
    if settings.correction == "none":
        return f"NOT corrected for {many}"
    return f"{CORRECTIONS[settings.correction]} over {many}"


def interval_words(comparison: Findings) -> str:
    """Returns sentences about the kind of the confidence intervals, or none where nothing is estimated."""
    if comparison.exact:
        return ""
    settings, contest = comparison.settings, comparison.primary
    pairs = [*contest.pairs, *(pair for group in contest.groups for pair in group.pairs)]
    worst = any(contest.worst_point) or any(each.worst_point for each in pairs)
    kind = "Student's t or, where many values are equal, worst point" if worst else "Student's t"
    if settings.interval == "bootstrap":
        kind = f"percentile bootstrap over queries{drawn_said(comparison)}"
    of = (
        ("mean", "mean difference")
        if comparison.judge is None
        else ("estimated mean", "estimated difference")
    )
    if contest.measure.definition.aggregate == "geometric" and settings.interval != "bootstrap":
        kind, of = "Student's t of logarithms", ("geometric mean", "ratio of two, first by second")
    sampled = comparison.judge is not None and comparison.judge.documents is not None
    skewed = "" if settings.interval == "bootstrap" or sampled else " (wider if skewed)"
    known = not np.isnan(contest.low).all() or not contest.pairs
    each = " and of each ".join([of[0] + skewed] * known + [*of[1:]] * bool(contest.pairs))
    said = [f"{settings.confidence * 100:g}% CI: {kind}, of each {each}, one at a time."]
    lowest, highest = np.nanmin(contest.values, initial=0.0), np.nanmax(contest.values, initial=1.0)
    if (lowest == 0 and min(contest.low) < 0) or (highest == 1 and max(contest.high) > 1):
        said.append("An interval may extend below 0 or above 1, where no mean can lie.")
    return " ".join(said)


def joint_said(comparison: Findings) -> str:
    """Returns what the column of corrected intervals means, or an empty text where no pair has one."""
    settings = comparison.settings
    if comparison.exact or not joint_shown(comparison, comparison.primary):
        return ""
    return (
        f"Corr. {100 * (1 - settings.alpha):g}% CI: corrected like p, so it excludes 0 exactly where the corrected "
        f"p is significant. {at_once(settings)}"
    )


SINGLE_STEP = ("tukey", "max-t", "bonferroni")
"""The tests and corrections whose intervals cover all differences at once."""


def at_once(settings: Settings) -> str:
    """Returns whether corrected intervals cover all differences at once.

    The intervals of stepwise procedures need not: on 7 and 10 pairs that all differ, .90 to .92 of simulated
    comparisons were covered where .95 is the level (``python -m bench.corrected``).
    """
    if settings.test in SINGLE_STEP or (
        settings.test not in FAMILY_WISE and settings.correction in SINGLE_STEP
    ):
        same = (
            " if all pairs have the same variance and are"
            if settings.test == "tukey"
            else ", where these are"
        )
        return f"It covers all {settings.comparisons} differences at once{same} not very skewed."
    return f"After a stepwise correction, it need not cover all {settings.comparisons} differences at once."


def joint_shown(comparison: Findings, contest: Contest) -> bool:
    """Returns whether the pairs of a measure have joint intervals that differ from the single ones."""
    return corrected(comparison.settings) and any(math.isfinite(each.joint_low) for each in contest.pairs)


def detectable_words(comparison: Findings) -> str:
    """Returns a sentence about the smallest difference that the queries of a comparison detect."""
    contest, known = comparison.primary, detectable(comparison.primary)
    if not known:
        return ""
    digits = digits_of(len(comparison.ids), contest)
    named = sorted(
        f"{pair_letters(comparison, pair)} {decimals(pair.detectable, digits)}"
        for pair in contest.pairs
        if math.isfinite(pair.detectable)
    )
    which = ", ".join(named) if len(known) <= MOST_NAMED else detectable_span(contest)
    return filled(
        "Smallest difference in {label} that these queries detect with 80% power{after}: {which}.",
        label=contest.label,
        after=" after correction" if corrected(comparison.settings) else "",
        which=which,
    )


def detectable(contest: Contest) -> list[float]:
    """Returns the detectable difference of each pair that has one, in ascending order.

    A difference that no two means can have is left out.
    """
    definition = contest.measure.definition
    least, greatest = definition.values
    most = greatest - least if definition.aggregate == "mean" else math.inf
    known = (pair.detectable for pair in contest.pairs)
    return sorted(each for each in known if math.isfinite(each) and each <= most)


def detectable_span(contest: Contest) -> str:
    """Returns the smallest and the largest difference that the queries detect with 80% power, as text.

    The text is empty where no pair has a detectable difference.
    """
    digits = digits_of(len(contest.values), contest)
    known = detectable(contest)
    ends = list(dict.fromkeys(column(decimals, known, digits=digits)))
    if len(known) > MOST_NAMED:
        least, middle, most = column(decimals, np.quantile(known, [0.25, 0.5, 0.75]), digits=digits)
        return f"{middle} (median of the pairs; half of them: {least} to {most})"
    return f"{ends[0]} to {ends[-1]} (depending on the pair)" if len(ends) > 1 else "".join(ends)


def declared_negative(comparison: Findings) -> bool:
    """Returns whether the policy of the primary measure declares unjudged documents not relevant."""
    policy = comparison.scores[0].policy.of_measure(comparison.primary.measure)
    return policy.unjudged == "negative"


def judged_words(comparison: Findings) -> str:
    """Returns a sentence with the share of judged documents, if all runs have the same share."""
    shares = set(column(decimals, comparison.judged, digits=3))
    if len(shares) > 1 or shares == {"-"} or declared_negative(comparison):
        return ""
    depth = comparison.judged_depth
    policy = comparison.scores[0].policy
    deeper = [
        label for label, each in comparison.contests.items() if reads_beyond(each.measure, policy, depth)
    ]
    further = f" {listed(deeper)} {'reads' if len(deeper) == 1 else 'read'} further down." if deeper else ""
    return f"judged@{depth}: {shares.pop()} in every run.{further}"


def pair_letters(comparison: Findings, pair: Pair) -> str:
    """Returns the letters of both runs of a pair or, with a baseline, only the letter of the other run."""
    its = comparison.primary
    runs = (pair.a, pair.b) if comparison.settings.baseline is None else (pair.a,)
    return "-".join(its.marks[run] for run in sorted(runs, key=its.places.__getitem__))


def tied_best(contest: Contest, digits: int) -> list[bool]:
    """Returns whether each run has the best mean, as printed."""
    texts = column(decimals, contest.means, digits=digits)
    written = [-math.inf if math.isnan(each) else float(text) for each, text in zip(contest.means, texts)]
    return [each == max(written) > -math.inf for each in written]
