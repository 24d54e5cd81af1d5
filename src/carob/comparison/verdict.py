"""Writes sentences about a comparison: which run is better, how certain this is, and which method was used."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.findings import CORRECTIONS, FAMILY_WISE, NOUNS, SHORT_NAMES, TESTS, ranked
from carob.comparison.intervals import INTERVALS
from carob.comparison.ties import with_ties
from carob.estimation.people_and_judge import FEWEST_BIASES, FEWEST_PAIRS, TYPICAL
from carob.estimation.sums import is_weighted
from carob.evaluation.score_tables import conventions_of, signature
from carob.evaluation.suspects import reading_beyond
from carob.output.language import plural
from carob.output.layout import column, decimals, listed, signed
from carob.statistics.estimates import NOISE
from carob.statistics.sample_size import FEWEST_JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.comparison.findings import Contest, Findings, Judging, Pair, Settings

FEW_FOR_FOUR_DIGITS = 50
"""With fewer queries than this, the fourth decimal of a mean is noise."""

MOST_NAMED = 4
"""The maximum number of pairs whose detectable differences are listed. For more pairs, the median is reported."""

MOST_LETTERED = 9
"""The maximum number of runs for which the table shows letters.

For more runs, the table shows how many runs each run outperforms.
"""


@dataclass(frozen=True)
class Verdict:
    """The verdict of a comparison, in words.

    Args:
        headline: the sentence that names the better run.
        sentences: the sentences that state by how much the run is better and how certain this is.
        small: the sentence that states the measure, the number of queries and the meaning of "significant".
        against: the index of the run with which the others are compared: the baseline, or the best run without a
            baseline.
        pair: the indices of the two runs in the first sentence.
    """

    headline: str
    sentences: tuple[str, ...]
    small: str
    against: int
    pair: tuple[int, int]


def reference_of(comparison: Findings, contest: Contest | None = None) -> tuple[int, int]:
    """Returns the pair that a report mentions first: the best other run and the baseline, or the best two runs.

    If there is only one run, it is both runs of the pair.

    Args:
        comparison: the comparison of the runs.
        contest: the comparison under one measure; by default, under the primary measure.
    """
    order = ranked(contest or comparison.primary)
    baseline = comparison.settings.baseline
    if baseline is None:
        return order[0], order[:2][-1]
    return next(run for run in order if run != baseline), baseline


def verdict_of(comparison: Findings, contest: Contest | None = None) -> Verdict:
    """Returns the verdict under a measure, by default under the primary measure.

    The headline contains a warning if another order of ties could overturn it, or if people judged so few of the
    judge's documents that they may only be a sample.
    """
    contest = contest or comparison.primary
    found = plain_verdict(comparison, contest)
    headline = with_ties(comparison, contest, found.headline)
    shares = next((each.numbers for each in comparison.warnings if each.kind == "sparse"), None)
    if shares is not None:
        headline = (
            f"! Valid only if people's judgments are complete (people judged {shares['people']:.0%} of the top "
            f"{comparison.judged_depth}, and the judge {shares['judge']:.0%}): {headline}"
        )
    return replace(found, headline=headline)


def plain_verdict(comparison: Findings, contest: Contest) -> Verdict:
    """Returns the verdict under a measure, without regard to warnings."""
    size = f"{contest.label} over {plural(len(comparison.ids), 'query', 'queries')}"
    if not contest.pairs:
        return Verdict(value_said(comparison, contest), (), f"{size}.", 0, (0, 0))
    settings, baseline = comparison.settings, comparison.settings.baseline
    if baseline is not None and len(comparison.names) > 2:
        pair = contest.between(*reference_of(comparison, contest))
        headline, others = against_baseline(comparison, contest, pair)
    else:
        pair = contest.between(*ranked(contest)[:2])
        headline, others = among_all(comparison, contest, pair)
    against, both = pair.a if baseline is None else baseline, (pair.a, pair.b)
    if comparison.exact and not pair.identical:
        return Verdict(exact(comparison, contest, pair), (), "", against, both)
    small = (
        f"{size}; significant means {'a ' * corrected(settings)}{corrected_p(settings)} below {settings.alpha:g}. "
        "A significant difference does not necessarily matter to users."
    )
    sentences = [said_of(comparison, contest, pair), *others]
    signs = tuple(each.replace(" -", " −") for each in sentences if each)
    return Verdict(headline, signs, small, against, both)


def exact(comparison: Findings, contest: Contest, pair: Pair) -> str:
    """Returns the headline if people judged every query, in which case the order of the runs on these queries is known.

    Args:
        comparison: the comparison of the runs.
        contest: the comparison under one measure.
        pair: the best two runs, or the best other run and the baseline.
    """
    leader, second = (comparison.names[run] for run in ranked(contest) if run in (pair.a, pair.b))
    queries = plural(len(comparison.ids), "query", "queries")
    start = f"On these {queries}, all of which people judged, {leader}"
    if pair.difference == 0:
        return f"{start} and {second} have the same {contest.label}."
    size = f"{decimals(abs(pair.difference), digits_of(len(comparison.ids), contest))} in {contest.label}"
    if len(comparison.names) == 2 or comparison.settings.baseline is not None:
        return f"{start} is better than {second} by {size}."
    return f"{start} is the best of {len(comparison.names)} runs, better than {second} by {size}."


def value_said(comparison: Findings, contest: Contest) -> str:
    """Returns the sentence about the value of the best run."""
    digits, best = digits_of(len(comparison.ids), contest), ranked(contest)[0]
    ends = (contest.means[best], contest.low[best], contest.high[best])
    mean, low, high = column(decimals, ends, digits=digits)
    said = f"{comparison.names[best]} has {contest.label} {mean}"
    if comparison.exact or math.isnan(ends[1]):
        return f"{said}."
    return f"{said} ({comparison.settings.confidence * 100:g}% interval {low} to {high})."


def among_all(comparison: Findings, contest: Contest, pair: Pair) -> tuple[str, list[str]]:
    """Returns the headline about the best run, and the sentences that compare the best run with all others.

    Args:
        comparison: the comparison of the runs.
        contest: the comparison under one measure.
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
    """Returns the headline about the best run and, if other runs may be as good, which runs it outperforms."""
    best, *others = ranked(contest)
    beaten = [run for run in others if run in contest.beaten[best]]
    rivals = [run for run in others if run not in beaten]
    tied = [run for run in rivals if abs(contest.means[run] - contest.means[best]) <= NOISE]
    leader, second, label = names[best], names[others[0]], contest.label
    if len(others) == 1 and contest.between(best, others[0]).identical:
        return (
            f"{leader} and {second} have the same {label} on every {'collection' if contest.counts else 'query'}.",
            [],
        )
    if len(others) == 1 and not beaten:
        return f"{leader} and {second} are not shown to differ.", []
    if not rivals:
        worse = names_in(names, beaten) if len(others) < 3 else f"all {len(others)} others"
        return f"{leader} is better than {worse}.", []
    near = names_in(names, [run for run in rivals if run not in tied])
    leads = f"{names_in(names, [best, *tied])} have the best {label}" if tied else f"{leader} leads"
    if not beaten:
        if tied and not near:
            return f"No run stands out: {names_in(names, [best, *tied])} have the same {label}.", []
        return f"No run stands out: {leads}, but not significantly.", []
    surely = f"{leader if tied else 'It'} is significantly better than {names_in(names, beaten)}."
    return f"{leads}, but {near} may be as good." if near else f"{leads}.", [surely]


def against_baseline(comparison: Findings, contest: Contest, pair: Pair) -> tuple[str, list[str]]:
    """Returns the headline about runs that outperform the baseline, and sentences about every run's difference.

    Args:
        comparison: the comparison of the runs.
        contest: the comparison under one measure.
        pair: the best other run and the baseline.
    """
    headline, sides = baseline_said(comparison.names, contest, pair.b)
    decided = len(contest.beaten[pair.b]) + sum(pair.b in each for each in contest.beaten)
    unsure = "" if decided == len(comparison.names) - 1 else missed(comparison, contest)
    return headline, [alone(comparison, pair), *sides, unsure]


def baseline_said(names: Sequence[str], contest: Contest, baseline: int) -> tuple[str, list[str]]:
    """Returns the headline about runs that outperform the baseline, and lists of the better, worse and other runs."""
    others = [run for run in ranked(contest) if run != baseline]
    better = [run for run in others if baseline in contest.beaten[run]]
    worse = [run for run in others if run in contest.beaten[baseline]]
    rest = [run for run in others if run not in better and run not in worse]
    if len(better) > 1:
        headline = f"{len(better)} of {len(others)} runs are better than {names[baseline]}."
    elif better:
        headline = f"{names[better[0]]} is better than {names[baseline]}."
    elif rest:
        headline = f"No run is shown to be better than {names[baseline]}."
    else:
        headline = f"{names[baseline]} is better than every other run."
    sides = {
        "Significantly better": better if len(better) > 1 else [],
        "Significantly worse": worse,
        "Not significantly different": rest,
    }
    return headline, [f"{side}: {names_in(names, runs)}." for side, runs in sides.items() if runs]


def names_in(names: Sequence[str], runs: Sequence[int], most: int = 4) -> str:
    """Returns the names of runs as in ``a, b and c``, or the first few names and the number of others."""
    some = [names[run] for run in runs]
    if len(some) > most:
        some[most - 1 :] = [f"{len(some) - most + 1} others"]
    return " and ".join(filter(None, (", ".join(some[:-1]), *some[-1:])))


def said_of(comparison: Findings, contest: Contest, pair: Pair) -> str:
    """Returns a sentence about a pair: its means, difference, interval and p."""
    settings, digits = comparison.settings, digits_of(len(comparison.ids), contest)
    means = means_said(comparison, contest, pair)
    if pair.identical:
        bound = f", and queries like these differ by at most {decimals(pair.high, digits)} on average"
        return f"{means} they are identical on all {pair.n:,} queries{bound if pair.worst_point else ''}."
    size, none = f"a difference of {signed(pair.difference, digits)}", 0
    ends = (pair.low, pair.high)
    low, high = column(signed, ends, digits=digits)
    if not math.isfinite(pair.low):
        if pair.ratio_low is None or pair.ratio_high is None:
            queries = plural(pair.n, "query", "queries")
            return f"{means} {size}. No interval can be computed from {queries}."
        size, none = f"{decimals(pair.ratio, 2)} times as high", 1
        ends = (pair.ratio_low, pair.ratio_high)
        low, high = column(decimals, ends, digits=2)
    open_still = pair.p_corrected >= settings.alpha and ends[0] <= none <= ends[1]
    kind = f"{'uncorrected ' if corrected(settings) else ''}{settings.confidence * 100:g}%"
    sure = f", which includes {none}" if open_still else ""
    return f"{means} {size} ({kind} interval {low} to {high}{sure}; {p_said(pair.p_corrected, settings)})."


def means_said(comparison: Findings, contest: Contest, pair: Pair) -> str:
    """Returns the start of a sentence about a pair, which states the means of its two runs."""
    digits = digits_of(len(comparison.ids), contest)
    first, second = (
        f"{comparison.names[run]}{verb} {decimals(contest.means[run], digits)}"
        for run, verb in ((pair.a, f" has {contest.label}"), (pair.b, ""))
    )
    return f"{first}, {second}:"


def margin_said(comparison: Findings) -> str:
    """Returns a sentence about the best two runs under the primary measure, with the corrected interval if possible."""
    contest, settings = comparison.primary, comparison.settings
    pair, digits = contest.between(*ranked(contest)[:2]), digits_of(len(comparison.ids), contest)
    if pair.identical or not (corrected(settings) and math.isfinite(pair.joint_low)):
        return said_of(comparison, contest, pair)
    size, low, high = column(signed, (pair.difference, pair.joint_low, pair.joint_high), digits=digits)
    return (
        f"{means_said(comparison, contest, pair)} a difference of {size} (corrected {100 * (1 - settings.alpha):g}% "
        f"interval {low} to {high}; {p_said(pair.p_corrected, settings)})."
    )


def p_said(p: float, settings: Settings) -> str:
    """Returns p as text, such as ``p = 0.03``, or ``corrected p < 0.001`` for multiple comparisons."""
    text, name = p_text(p, settings.alpha, smallest_p(settings, adjusted=True)), corrected_p(settings)
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<≤" else f"{name} = {text}"


def corrected_p(settings: Settings) -> str:
    """Returns ``p``, or ``corrected p`` for multiple comparisons."""
    return "corrected p" if corrected(settings) else "p"


def corrected(settings: Settings) -> bool:
    """Returns whether p is corrected for multiple comparisons."""
    return settings.comparisons > 1 and (settings.correction != "none" or settings.test in FAMILY_WISE)


def alone(comparison: Findings, pair: Pair) -> str:
    """Returns why a pair is not significant even though its interval excludes 0; empty for other pairs."""
    settings = comparison.settings
    if (
        pair.identical
        or not pair.p_uncorrected < settings.alpha <= pair.p_corrected
        or not corrected(settings)
    ):
        return ""
    return (
        f"Without correction, this pair would be significant (p = {p_text(pair.p_uncorrected, settings.alpha)}, and "
        f"its interval excludes {0 if pair.ratio is None else 1}), but among {settings.comparisons} comparisons, such "
        "a difference can arise by chance."
    )


def missed(comparison: Findings, contest: Contest) -> str:
    """Returns a sentence about the smallest difference that these queries can detect."""
    span = detectable_span(contest)
    return (
        f"The smallest difference that these {len(comparison.ids):,} queries detect four times out of five "
        f"is {span}. Smaller differences are detected less often."
        if span
        else ""
    )


def digits_of(queries: int, contest: Contest | None = None) -> int:
    """Returns how many decimals of a measure's scores to print: 4, but 3 if queries are few, and 0 for counts."""
    if contest is not None and contest.measure.definition.aggregate == "sum":
        return 0
    return 3 if queries < FEW_FOR_FOUR_DIGITS else 4


def p_text(p: float | None, alpha: float, smallest: float = 0.0) -> str:
    """Returns a p-value with three decimals, or with more if rounding would move it across α, and never as 0.

    Args:
        p: the value.
        alpha: the level of significance.
        smallest: the smallest possible p of a Monte Carlo test; 0 for other tests.
    """
    if p is None or math.isnan(p):
        return "-"
    # An exact p, or the p of another test, can be smaller than any p from resampling.
    if smallest * 0.999 < p <= smallest * 1.0000001 and p < 1:
        return f"≤{p:.1g}"
    if p < 0.0005:
        return "<0.001"
    for digits in range(3, 17):
        text = f"{p:.{digits}f}"
        if (float(text) < alpha) == (p < alpha):
            return text
    return repr(p)


def p_texts(
    values: Sequence[float | None], alpha: float, smallest: Sequence[float] | None = None
) -> list[str]:
    """Returns the cells of a column of p-values, each formatted by ``p_text``."""
    least = [0.0] * len(values) if smallest is None else smallest
    return [p_text(p, alpha, its) for p, its in zip(values, least, strict=True)]


def smallest_p(settings: Settings, *, adjusted: bool) -> float:
    """Returns the smallest p that resampling can yield, or 0 without resampling."""
    if not settings.resamples or (not adjusted and settings.test in FAMILY_WISE):
        return 0.0
    return 0.0 if adjusted and settings.correction != "none" else 1 / (settings.resamples + 1)


def p_titles(settings: Settings) -> tuple[str, str | None]:
    """Returns the titles of the columns that contain p and corrected p.

    The title for corrected p is None if there is no correction.
    """
    if settings.test in FAMILY_WISE:
        return "p(t)", f"p({SHORT_NAMES[settings.test]})"
    return "p", None if settings.correction == "none" else f"p({SHORT_NAMES[settings.correction]})"


def lettered(comparison: Findings) -> bool:
    """Returns whether tables show letters after scores, which they do unless there are too many runs."""
    return len(comparison.names) <= MOST_LETTERED


def heading(comparison: Findings) -> str:
    """Returns the line above the table, which states the qrels, the queries and the runs."""
    baseline, known = comparison.settings.baseline, comparison.judge
    queries = plural(len(comparison.ids), "query", "queries")
    parts = [comparison.qrels_name, queries]
    if known is not None:
        queries = plural(known.queries, "query", "queries")
        judged = (
            f"{known.sample} of {queries}"
            if known.documents is None
            else f"{plural(known.documents, 'document')} of {queries}"
        )
        parts = [f"people: {comparison.qrels_name or 'scores'}", f"judge: {known.name or 'scores'}"]
        parts.append(f"{judged} judged by people")
    parts.append(plural(len(comparison.names), "run"))
    parts.append(f"primary: {comparison.labels[0]}" if len(comparison.labels) > 1 else "")
    parts.append("" if baseline is None else f"baseline: {comparison.names[baseline]}")
    return " | ".join(filter(None, parts))


def method(comparison: Findings) -> list[str]:
    """Returns sentences about the method: its test, family, correction, intervals and detectable difference."""
    settings, pairs = comparison.settings, len(comparison.primary.pairs)
    exact = sum(pair.exact for pair in comparison.primary.pairs)
    name = TESTS[settings.test] if comparison.judge is None else "t-test of the estimates"
    test = f"{name[0].upper()}{name[1:]}, two-sided, alpha {settings.alpha:g}"
    if settings.clusters is not None:
        test += f", {settings.clusters} clusters of queries"
    parts = [test, family_words(settings, len(comparison.labels))]
    if resampled(comparison):
        parts.append(resamples_said(settings.resamples, settings))
    if exact:
        parts.append("exact p" if exact == pairs else f"exact p for {exact} of {pairs}")
    sentences = ["; ".join(parts) + "."] if pairs and not comparison.exact else []
    sentences += [crowded_said(comparison), chosen_said(comparison), *judge_words(comparison)]
    sentences += [letters_said(comparison), interval_words(comparison), joint_said(comparison)]
    sentences += [*assessor_words(comparison), *requested_said(comparison), *settings.departures]
    sentences += [plan_said(comparison), *others_said(comparison)]
    sentences += [detectable_words(comparison), judged_words(comparison)]
    sentences.append(signature(comparison.scores[0], conventions_of_all(comparison)))
    return [each for each in sentences if each]


def requested_said(comparison: Findings) -> list[str]:
    """Returns sentences that explain the optional columns: equivalence, posterior and effect sizes."""
    settings, said = comparison.settings, []
    if settings.margin is not None:
        several = len(comparison.primary.pairs) > 1
        alone = ", separately for each pair and not corrected for the number of pairs" if several else ""
        said.append(
            f"p(equiv.): two one-sided tests of whether the runs differ by less than {settings.margin:g}{alone}."
        )
    if settings.rope is not None:
        said.append(
            "P(worse), P(same), P(better): posterior probabilities from Student's t distribution, in which differences "
            f"within {settings.rope:g} count as the same. These probabilities are not a significance test."
        )
    if settings.effects:
        said.append(
            "d_z: the mean difference divided by the standard deviation of the differences. Its interval is from the "
            "noncentral t distribution, which assumes nearly normal differences. Superiority: the probability that the "
            "first run is better on a query like these, where a tie counts as one half. Its interval is a score "
            "interval, adjusted for ties."
        )
    return said


def resamples_said(count: int, settings: Settings) -> str:
    """Returns text that states the number of resamples and the seed."""
    return f"{plural(count, 'resample')}, seed {settings.seed}"


def crowded_said(comparison: Findings) -> str:
    """Returns the sentence about p-values and other numbers from the worst-point interval; empty if there are none."""
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
    shown = p_texts([pair.p_t_test for pair in known], settings.alpha)
    if len(contest.pairs) > 1:
        shown = [f"{pair_letters(comparison, pair)} {p}" for pair, p in zip(known, shown, strict=True)]
    also = "" if decides or what[1] != "p(t)" else ", and the corrected p is at least as large"
    student = f" (the t-test gives {', '.join(sorted(shown))})" if 0 < len(shown) <= MOST_NAMED else ""
    return (
        f"Where many values are equal, {', '.join(what[:-1])} and {what[-1]} are from the worst-point interval"
        f"{also}{student}."
    )


def letters_said(comparison: Findings) -> str:
    """Returns the sentence that explains the letters, or the numbers used instead; empty if tables have neither."""
    settings = comparison.settings
    if not lettered(comparison) or not any(any(each.beaten) for each in comparison.contests.values()):
        return ""
    plain = settings.correction == "none" and settings.test not in FAMILY_WISE
    mark = "number" if comparison.primary.numbered else "letter"
    after = "" if plain else ", after correction"
    return f"A {mark} after a score: significantly better than the run with this {mark}{after}."


def chosen_said(comparison: Findings) -> str:
    """Returns advice if the baseline is the best run, which may be the reason for its choice; otherwise empty."""
    baseline, contest = comparison.settings.baseline, comparison.primary
    if len(comparison.names) < 3 or comparison.exact or ranked(contest)[0] != baseline:
        return ""
    return (
        f"{comparison.names[baseline]} has the best {contest.label}: if you chose it as the baseline for this reason, "
        "leave out the baseline, so that all pairs are tested."
    )


def assessor_words(comparison: Findings) -> list[str]:
    """Returns sentences about a second assessor and about what intervals then mean; none without a second assessor."""
    found, known, contest = comparison.assessors, comparison.judge, comparison.primary
    if found is None:
        return []
    queries = plural(found.measures[contest.label].queries, "query", "queries")
    judged = (
        f"Two assessors: {found.name} also judged {found.shared:,} of {found.documents:,} documents of {queries}, and "
        f"gave the same grade to {found.equal / found.shared:.0%} of the shared documents."
    )
    meaning = (
        "Intervals and p concern queries like these, each judged by one assessor like these two. They already include "
        "the assessors' noise, as part of the variance between queries, if assessors err independently from query to "
        "query."
    )
    if known is not None and known.assessed:
        meaning = (
            "Intervals and p concern the mean of all assessors like these two on these queries: the assessors' noise "
            "is added to the errors, on the assumption that assessors err independently from query to query."
        )
        if any(contest.worst_point) or any(each.worst_point for each in contest.pairs):
            meaning += " Worst-point intervals do not include this noise."
    meaning += (
        " Intervals cover the true value less often if assessors favour one run of a pair, which cannot be detected "
        "with two assessors."
    )
    return [judged, meaning]


def plan_said(comparison: Findings) -> str:
    """Returns the sentence about the preregistration of the comparison; empty if it was not preregistered."""
    plan = comparison.preregistration
    if plan is None:
        return ""
    count = len(plan.deviations)
    apart = plural(count, "deviation") if count else "no deviation"
    stated, unstated = (listed(each, len(each)) for each in (plan.stated, plan.unstated))
    open_still = f", but not {unstated}" if unstated else ""
    start = f"Preregistered in {plan.file} (SHA-256 {plan.sha256[:12]} …)"
    return f"{start}: {apart}. The file specifies {stated}{open_still}."


def others_said(comparison: Findings) -> list[str]:
    """Returns sentences about the decisions of the other tests for the pair of the verdict and for all pairs."""
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
        f"{also}{'' if side else 'not '}significant under {listed(names, len(found))}"
        for also, (side, names) in zip(("also ", ""), sides.items(), strict=True)
        if names
    ]
    apart = [f"{NOUNS[each.test]} {each.turned}" for each in found if each.turned]
    said = (
        f"Other tests of {pair_letters(comparison, pair)} in {contest.label} ({corrected_p(settings)}): "
        f"{'; '.join(parts)}. Wilcoxon and the sign test do not test means."
    )
    if count == 1:
        return [said]
    if apart:
        return [said, f"Pairs (of {count}) that they decide differently: {listed(apart, len(found))}."]
    return [said, f"They reach the same decision for all {count} pairs."]


def conventions_of_all(comparison: Findings) -> str:
    """Returns the conventions of the scores, with the names of the runs if conventions differ between runs."""
    known = {(each.profile, each.policy): each for each in comparison.scores}
    said = {key: conventions_of(each) for key, each in known.items()}
    owners: dict[str, list[str]] = {}
    for name, each in zip(comparison.names, comparison.scores, strict=True):
        owners.setdefault(said[each.profile, each.policy], []).append(name)
    if len(owners) == 1:
        return next(iter(owners))
    return "; ".join(f"{listed(names)}: {its}" for its, names in owners.items())


def resampled(comparison: Findings) -> bool:
    """Returns whether any p comes from resamples; if so, the sentence about the test states their number and seed."""
    together = comparison.settings.test in FAMILY_WISE

    def counted(pair: Pair) -> bool:
        by_interval = together and pair.worst_point and pair.p_corrected == pair.p_uncorrected
        return pair.exact or by_interval

    return comparison.settings.resamples > 0 and not all(map(counted, comparison.primary.pairs))


def drawn_said(comparison: Findings) -> str:
    """Returns text with the number and seed of bootstrap resamples, unless the sentence about the test states them."""
    settings = comparison.settings
    if resampled(comparison) or comparison.judge is not None:
        return ""
    return f" ({resamples_said(settings.bootstrap_resamples, settings)})"


def judge_words(comparison: Findings) -> list[str]:
    """Returns sentences about the estimation from people's and a judge's values; none without a judge."""
    known = comparison.judge
    if known is None:
        return []
    queries = plural(known.queries, "query", "queries")
    if known.complete:
        start = f"Means and differences come from people's judgments of these {queries}"
        if not known.exact:
            return [f"{start}, and do not generalise to other queries."]
        nothing = "Nothing is estimated, so there is neither an interval nor a test."
        return [
            f"{start}. Given these judgments, they are exact. {nothing} They do not generalise to other queries."
        ]
    fixed = "and that the judge was fixed without people's judgments"
    if known.tuned:
        clean = plural(known.sample - known.tuned, "query", "queries")
        fixed += f" of the {clean} on which it was not tuned"
    weight = weight_words(comparison, known)
    if known.documents is not None:
        target = (
            f"Means and differences are estimates for these {known.queries} queries, not for other queries: people "
            f"judged {known.documents} documents, and the judge's grades cover the others. They assume that people's "
            f"documents were drawn with the probabilities in the file, that their number was fixed, {fixed}."
        )
        return [target, weight]
    which = f"these {known.queries} queries, not for other queries"
    if known.target == "similar":
        which = f"queries like these {known.queries}, which are treated as a random sample of such queries"
    strata = "" if known.strata is None else f" within each of {known.strata} strata"
    target = (
        f"Means and differences are estimates for {which}: people judged {known.sample} of {queries}, and the judge "
        f"judged all of them. They assume that people's queries were drawn at random{strata}, {fixed}."
    )
    sentences = [target, weight]
    fitted = known.fixed is None and any(each.weight > 0 for each in known.measures.values())
    if fitted and not known.tuned:
        sentences.append(
            "If the judge's differences between two runs vary more on the queries that people did not judge, the "
            "interval of the pair is wider: the judge may err more there."
        )
    if len(comparison.primary.pairs) < FEWEST_PAIRS:
        return sentences
    borrowed = (
        "If a pair varies less than most pairs, its variance is averaged with that of the median pair, which has the "
        f"weight of {TYPICAL} queries. The p and the interval of this pair then depend on the other runs."
    )
    return [*sentences, borrowed]


def weight_words(comparison: Findings, known: Judging) -> str:
    """Returns the sentence about λ, which is 1 if documents were sampled and the measure does not allow fitting λ."""
    fitted, others = [], []
    for label, each in known.measures.items():
        if known.documents is None or is_weighted(comparison.contests[label].measure):
            fitted.append(f"{decimals(each.weight, 2)} for {label}")
        else:
            others.append(label)
    parts = []
    if fitted:
        parts.append(f"fitted, {', '.join(fitted)}" if known.fixed is None else f"fixed at {known.fixed:g}")
    if others:
        parts.append(
            f"1 for {listed(others)}, since another weight is possible only for measures that are sums over documents, "
            "or such sums divided by the ideal sum"
        )
    return f"λ, the weight of the judge's values: {'; '.join(parts)}."


def judge_said(comparison: Findings) -> list[str]:
    """Returns sentences about the judge: its bias in each measure, its worth, and the judgments that are still needed.

    Returns an empty list if there is no judge.
    """
    known = comparison.judge
    if known is None:
        return []
    said = [bias_said(comparison, known, label) for label in known.measures]
    if known.documents is None and known.sample < min(FEWEST_JUDGED, known.queries):
        said.append(
            f"People judged {plural(known.sample, 'query', 'queries')}. Fewer than {FEWEST_JUDGED:.0f} queries give a "
            "poor estimate of the variance, so neither the worth of the judge's grades nor the number of queries that "
            "people must judge is projected."
        )
    elif known.documents is not None or known.sample < known.queries:
        said += [worth_said(comparison, known), needed_said(comparison, known)]
    return [each for each in said if each]


def bias_said(comparison: Findings, known: Judging, label: str) -> str:
    """Returns the sentence about the judge's bias in one measure; empty if the bias is unknown."""
    each, digits = known.measures[label], digits_of(len(comparison.ids), comparison.contests[label])
    over = ", on average over the runs" if len(comparison.names) > 1 else ""
    bias = f"{signed(each.bias, digits)}{over}"
    if math.isnan(each.low):
        if known.documents is not None or known.sample - (known.tuned or 0) >= FEWEST_BIASES:
            return ""
        return (
            f"On the queries that people judged, the judge's {label} differs from people's by {bias}, without an "
            f"interval, because fewer than {FEWEST_BIASES} queries may be similar by chance."
        )
    if each.unequal:
        least, most = (
            f"{signed(end, digits)} ({comparison.names[each.biases.index(end)]})"
            for end in (min(each.biases), max(each.biases))
        )
        return (
            f"The judge's {label} does not differ from people's by the same amount for all runs: from {least} to "
            f"{most}, judge minus people."
        )
    low, high = column(signed, (each.low, each.high), digits=digits)
    ends = f" ({comparison.settings.confidence * 100:g}% CI {low} to {high})" if not known.complete else ""
    if each.low > 0 or each.high < 0:
        how = "larger" if each.bias > 0 else "smaller"
        return (
            f"The judge's {label} is {how} than people's by {decimals(abs(each.bias), digits)}{over}{ends}."
        )
    if known.complete:
        return f"The judge's {label} equals people's{over}."
    return f"The judge's {label} differs from people's by {bias}{ends}, which may be chance."


def worth_said(comparison: Findings, known: Judging) -> str:
    """Returns sentences about how many queries people alone would have to judge for equally narrow intervals."""
    its, said = known.measures[comparison.labels[0]], []
    for kind, worth in (("a difference", its.worth_pairs), ("a value", its.worth)):
        known_worth = np.array(worth)[np.isfinite(worth)]
        if len(known_worth):
            least, most = (f"{end:.0f}" for end in (known_worth.min(), known_worth.max()))
            several = kind == "a difference" and least != most
            spread = f" (median of the pairs; {least} to {most})" if several else ""
            said.append(
                f"For {kind}, the {known.sample} queries judged by people and the judge's grades are worth as much as "
                f"{np.median(known_worth):.0f} queries judged by people alone{spread}."
            )
    return " ".join(said)


def needed_said(comparison: Findings, known: Judging) -> str:
    """Returns the sentence about how much more people must judge to reach the target width."""
    its, pairs = known.measures[comparison.labels[0]], bool(comparison.primary.pairs)
    needed = np.array(its.needed_pairs if pairs else its.needed)
    width = known.width_pairs if pairs else known.width
    if not width > 0:
        return ""  # no standard error is known
    total = float(np.median(np.where(np.isnan(needed), np.inf, needed))) if len(needed) else math.nan
    if known.documents is not None and not math.isfinite(total):
        return (
            f"Fewer than {FEWEST_JUDGED:.0f} of the documents that people judged were drawn at random. So few "
            "documents give a poor estimate of the variance, so the number of documents that people must judge is not "
            "projected."
        )
    kind = "a value" if not pairs else "a median difference" if len(needed) > 1 else "a difference"
    size = f"of width {decimals(width, digits_of(len(comparison.ids), comparison.primary))}"
    if not math.isfinite(total):
        return (
            f"Even if people judged all {known.queries} queries, {kind} would not have an interval {size}: more "
            "queries are needed."
        )
    more = math.ceil(total) - (known.sample if known.documents is None else known.documents)
    start = f"For {kind} with an interval {size}"
    if more <= 0:
        return f"{start}, the present judgments suffice."
    what = (
        plural(more, "more query", "more queries")
        if known.documents is None
        else plural(more, "more document")
    )
    drawn = "" if known.documents is None else ", drawn in the same way"
    return f"{start}, people need to judge about {what} ({math.ceil(total)} in all){drawn}."


def family_words(settings: Settings, measures: int) -> str:
    """Returns text that states for how many comparisons p was corrected, and how."""
    count, whole = settings.comparisons, settings.family == "all"
    if count == 1:
        return "one comparison" + " per measure, not corrected across measures" * (measures > 1)
    where = " of all measures together" if whole else " per measure"
    many = f"{count} comparisons{where if measures > 1 else ''}"
    if settings.test in FAMILY_WISE:
        return f"corrects for all {many} at once{', by Bonferroni across measures' if whole else ''}"
    if settings.correction == "none":
        return f"NOT corrected for {many}"
    return f"{CORRECTIONS[settings.correction]} over {many}"


def interval_words(comparison: Findings) -> str:
    """Returns sentences about the kind of confidence intervals; empty if nothing is estimated."""
    if comparison.exact:
        return ""
    settings, contest, judge = comparison.settings, comparison.primary, comparison.judge
    pairs = [*contest.pairs, *(pair for group in contest.groups for pair in group.pairs)]
    worst = any(contest.worst_point) or any(each.worst_point for each in pairs)
    kind = "Student's t or, where many values are equal, worst point" if worst else "Student's t"
    mean, difference = (
        ("mean", "mean difference") if judge is None else ("estimated mean", "estimated difference")
    )
    intervals = INTERVALS[settings.interval]
    if not intervals.of_ratio:
        kind = f"{intervals.named} over queries{drawn_said(comparison) if intervals.draws else ''}"
    elif contest.measure.definition.aggregate == "geometric":
        kind, mean, difference = (
            "Student's t of logarithms",
            "geometric mean",
            "ratio of two such means, the first divided by the second",
        )
    if intervals.worst_point and (judge is None or judge.documents is None):
        mean += " (wider if skewed)"
    known = not np.isnan(contest.low).all() or not contest.pairs
    each = " and for each ".join([mean] * known + [difference] * bool(contest.pairs))
    said = f"{settings.confidence * 100:g}% CI: {kind}, separately for each {each}."
    lowest, highest = np.nanmin(contest.values, initial=0.0), np.nanmax(contest.values, initial=1.0)
    if (lowest == 0 and min(contest.low) < 0) or (highest == 1 and max(contest.high) > 1):
        said += " An interval may extend below 0 or above 1, where no mean can lie."
    return said


def joint_said(comparison: Findings) -> str:
    """Returns sentences that explain the column of corrected intervals; empty if no pair has a corrected interval."""
    settings = comparison.settings
    if comparison.exact or not joint_shown(comparison, comparison.primary):
        return ""
    return (
        f"Corr. {100 * (1 - settings.alpha):g}% CI: corrected in the same way as p, so it excludes 0 exactly if the "
        f"corrected p is significant. {at_once(settings)}"
    )


SINGLE_STEP = ("tukey", "max-t", "bonferroni")
"""The tests and corrections whose corrected intervals cover all differences simultaneously."""


def at_once(settings: Settings) -> str:
    """Returns a sentence that states whether corrected intervals cover all differences simultaneously.

    The intervals of stepwise procedures do not guarantee this: with 7 and 10 pairs that all differ, 95% intervals
    covered all differences in only 90 to 92% of simulated comparisons (``python -m bench.corrected``).
    """
    if (settings.test if settings.test in FAMILY_WISE else settings.correction) in SINGLE_STEP:
        one = settings.test == "tukey"
        same = "all pairs have the same variance and are" if one else "they are"
        return f"It covers all {settings.comparisons} differences simultaneously if {same} not very skewed."
    return f"After a stepwise correction, it may not cover all {settings.comparisons} differences simultaneously."


def joint_shown(comparison: Findings, contest: Contest) -> bool:
    """Returns whether the pairs under a measure have joint intervals that differ from their uncorrected intervals."""
    return corrected(comparison.settings) and any(math.isfinite(each.joint_low) for each in contest.pairs)


def detectable_words(comparison: Findings) -> str:
    """Returns a sentence about the smallest difference that each pair's queries detect."""
    contest, known = comparison.primary, detectable(comparison.primary)
    if not known:
        return ""
    digits = digits_of(len(comparison.ids), contest)
    shown = [pair for pair in contest.pairs if math.isfinite(pair.detectable)]
    texts = column(decimals, [pair.detectable for pair in shown], digits=digits)
    named = sorted(f"{pair_letters(comparison, pair)} {text}" for pair, text in zip(shown, texts))
    which = ", ".join(named) if len(known) <= MOST_NAMED else detectable_span(contest)
    after = " after correction" if corrected(comparison.settings) else ""
    return f"Smallest difference in {contest.label} that these queries detect with 80% power{after}: {which}."


def detectable(contest: Contest) -> list[float]:
    """Returns the detectable differences of all pairs for which they are known, in ascending order.

    Differences that are larger than any two means can differ are omitted.
    """
    definition = contest.measure.definition
    least, greatest = definition.values
    most = greatest - least if definition.aggregate == "mean" else math.inf
    known = (pair.detectable for pair in contest.pairs)
    return sorted(each for each in known if math.isfinite(each) and each <= most)


def detectable_span(contest: Contest) -> str:
    """Returns text with the smallest and the largest difference that the queries detect with 80% power.

    The text is empty if no pair has a detectable difference.
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
    """Returns a sentence that states the share of judged documents; empty if the share differs between runs."""
    shares = set(column(decimals, comparison.judged, digits=3))
    if len(shares) > 1 or shares == {"-"} or declared_negative(comparison):
        return ""
    depth = comparison.judged_depth
    measures = {label: each.measure for label, each in comparison.contests.items()}
    deeper = reading_beyond(measures, comparison.scores[0].policy, depth)
    further = (
        f" {listed(deeper)} also {'uses' if len(deeper) == 1 else 'use'} deeper ranks." if deeper else ""
    )
    return f"judged@{depth}: {shares.pop()} in every run.{further}"


def pair_letters(comparison: Findings, pair: Pair) -> str:
    """Returns the letters of the two runs of a pair or, with a baseline, only the letter of the other run."""
    its = comparison.primary
    runs = (pair.a, pair.b) if comparison.settings.baseline is None else (pair.a,)
    return "-".join(its.marks[run] for run in sorted(runs, key=its.places.__getitem__))
