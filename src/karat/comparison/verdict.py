"""Sentences about a comparison: the better run, the certainty of this result, and the method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat._version import __version__
from karat.comparison.findings import CORRECTIONS, FAMILY_WISE, SHORT_NAMES, TESTS, letter, ranked, turned
from karat.evaluation.score_tables import conventions_of
from karat.output.document import decimals
from karat.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Contest, Findings, Pair, Settings


FEW_FOR_FOUR_DIGITS = 50
"""With fewer queries the fourth decimal of a mean is noise."""

MOST_LETTERED = 12
"""Runs up to which the table has letters; of more it has the number of runs that each one beats, best first."""


@dataclass(frozen=True)
class Verdict:
    """The answer of a comparison, in words.

    Args:
        headline: the sentence that names the better run.
        sentences: by how much, and how sure that is.
        small: the measure, the number of queries and the meaning of significant.
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

    Args:
        comparison: the runs.
        contest: the measure; the primary one if None.
    """
    order = ranked(contest or comparison.primary)
    baseline = comparison.settings.baseline
    if baseline is None:
        return order[0], order[1]
    return next(run for run in order if run != baseline), baseline


def seen_from(contest: Contest, run: int) -> dict[int, tuple[float, float, Pair]]:
    """Returns a run's lead over each other run, with p and the pair, best runs first."""
    sense = -1 if contest.smaller_is_better else 1
    found = {}
    for pair in contest.pairs:
        if run in (pair.a, pair.b):
            sign = sense if pair.a == run else -sense
            found[pair.b if pair.a == run else pair.a] = (sign * pair.difference, pair.adjusted, pair)
    return {other: found[other] for other in ranked(contest) if other in found}


def verdict_of(comparison: Findings, contest: Contest | None = None) -> Verdict:
    """Returns the verdict for a measure, the primary one if None."""
    contest = contest or comparison.primary
    baseline = comparison.settings.baseline
    told = against_baseline if baseline is not None and len(comparison.names) > 2 else among_all
    headline, sentences, pair = told(comparison, contest)
    settings = comparison.settings
    p_word = "a corrected p" if corrected(settings) else "p"
    small = (
        f"{contest.label} over {counted(comparison)}; significant means {p_word} below "
        f"{settings.alpha:g}. The test does not say whether a difference matters to those who search."
    )
    return Verdict(
        headline,
        tuple(each.replace(" -", " −") for each in sentences if each),
        small,
        pair[0] if baseline is None else baseline,
        pair,
    )


def among_all(comparison: Findings, contest: Contest) -> tuple[str, list[str], tuple[int, int]]:
    """Describes the best run against all others."""
    names = comparison.names
    best, second = ranked(contest)[:2]
    others = seen_from(contest, best)
    beaten, open_still, equal = split(others, comparison.settings.alpha)
    leader, unseen = names[best], missed(comparison, contest)
    nearest = said_of(comparison, contest, best, second)
    if len(names) == 2:
        if equal:
            return f"{leader} and {names[second]} are the same.", [nearest], (best, second)
        if beaten:
            return f"{leader} is better than {names[second]}.", [nearest, unseen], (best, second)
        return f"{leader} and {names[second]} cannot be told apart.", [nearest, unseen], (best, second)
    if not open_still and not equal:
        return f"{leader} is better than all {len(beaten)} others.", [nearest], (best, second)
    rivals = [run for run in others if run in equal or run in open_still]
    sure = [f"It is significantly better than {names_in(comparison, beaten)}."] if beaten else []
    sentences = [nearest, alone(comparison, others[second][2]), *sure, unseen]
    headline = (
        f"{leader} leads, but {names_in(comparison, rivals)} may be as good."
        if beaten
        else f"No run stands out: {leader} leads, but not significantly."
    )
    return headline, sentences, (best, second)


def against_baseline(comparison: Findings, contest: Contest) -> tuple[str, list[str], tuple[int, int]]:
    """Describes every run against the baseline."""
    names, settings = comparison.names, comparison.settings
    baseline = settings.baseline
    assert baseline is not None
    seen = {
        run: (-difference, p, pair) for run, (difference, p, pair) in seen_from(contest, baseline).items()
    }
    sure = [run for run, (_, p, pair) in seen.items() if p < settings.alpha and not pair.identical]
    better = [run for run in sure if seen[run][0] > 0]
    worse = [run for run in sure if seen[run][0] < 0]
    rest = [run for run in seen if run not in better and run not in worse]
    best, _ = reference_of(comparison, contest)
    held = names[baseline]
    sentences = [said_of(comparison, contest, best, baseline), alone(comparison, seen[best][2])]
    if not better:
        headline = (
            f"No run is shown to be better than {held}."
            if rest
            else f"{held} is better than every other run."
        )
    elif len(better) == 1:
        headline = f"{names[better[0]]} is better than {held}."
    else:
        headline = f"{len(better)} of {len(seen)} runs are better than {held}."
        sentences.append(f"Significantly better: {names_in(comparison, better)}.")
    if worse:
        sentences.append(f"Significantly worse: {names_in(comparison, worse)}.")
    if rest:
        sentences.append(f"Not significantly different: {names_in(comparison, rest)}.")
        sentences.append(missed(comparison, contest))
    return headline, sentences, (best, baseline)


def split(
    others: dict[int, tuple[float, float, Pair]], alpha: float
) -> tuple[list[int], list[int], list[int]]:
    """Returns the runs that are significantly worse, those that are not significantly different, and identical ones."""
    beaten = [run for run, (d, p, pair) in others.items() if d > 0 and p < alpha and not pair.identical]
    equal = [run for run, (_, _, pair) in others.items() if pair.identical]
    return beaten, [run for run in others if run not in beaten and run not in equal], equal


def counted(comparison: Findings) -> str:
    """Returns the number of queries as text, such as ``24 queries``."""
    return plural(len(comparison.queries), "query", "queries")


def names_in(comparison: Findings, runs: Sequence[int], most: int = 4) -> str:
    """Returns names of runs such as ``a, b and c``, or the first few and the number of others."""
    names = [comparison.names[run] for run in runs]
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def said_of(comparison: Findings, contest: Contest, run: int, other: int) -> str:
    """Returns a sentence about a pair: means, difference, interval, p."""
    settings = comparison.settings
    digits, kind = digits_of(len(comparison.queries)), contest.measure.definition.aggregate
    names, means = comparison.names, contest.means
    one, two = (score(means[each], digits, kind) for each in (run, other))
    start = f"{names[run]} has {contest.label} {one}, {names[other]} {two}"
    pair = next((each for each in contest.pairs if {each.a, each.b} == {run, other}), None)
    if pair is None:
        return f"{start}."
    if pair.identical:
        return f"{start}: they are identical on all {pair.n:,} queries."
    pair = turned(pair, run)
    said = f"{start}: a difference of {signed(pair.difference, digits, kind)}"
    if not math.isfinite(pair.low):
        return f"{said}, without an interval, since {plural(pair.n, 'query', 'queries')} cannot give one."
    sure = (
        "" if pair.adjusted < settings.alpha else ", which includes 0" if pair.low <= 0 <= pair.high else ""
    )
    ends = f"{signed(pair.low, digits, kind)} to {signed(pair.high, digits, kind)}"
    kind = "uncorrected " if corrected(settings) else ""
    p = p_said(pair.adjusted, settings)
    return f"{said} ({kind}{settings.confidence * 100:g} % interval {ends}{sure}; {p})."


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
    if pair.identical or not pair.p < settings.alpha <= pair.adjusted or not corrected(settings):
        return ""
    return (
        f"Uncorrected, this pair would be significant (p = {p_text(pair.p, settings.alpha)}, and its interval "
        f"excludes 0), but among {settings.comparisons} comparisons such a difference can arise by chance."
    )


def missed(comparison: Findings, contest: Contest) -> str:
    """Returns a sentence about the smallest difference that the queries can detect."""
    span = detectable_span(comparison, contest)
    if not span:
        return ""
    return (
        f"The smallest difference that these {len(comparison.queries):,} queries detect four times out of five is "
        f"{span}; they often miss smaller ones."
    )


def digits_of(queries: int) -> int:
    """Returns the decimals of scores: 4, or 3 for few queries."""
    return 3 if queries < FEW_FOR_FOUR_DIGITS else 4


def score(value: float | None, digits: int, kind: str = "mean") -> str:
    """Returns a score as text. A count has no decimals, and an undefined score is ``-``."""
    return decimals(value, 0 if kind == "sum" else digits)


def signed(value: float, digits: int, kind: str = "mean") -> str:
    """Returns a difference as text, with its sign."""
    text = decimals(value, 0 if kind == "sum" else digits, sign=True)
    return text if text == "-" or float(text) else text.replace("-", "+")


def interval(low: float, high: float, digits: int, kind: str = "mean", *, sign: bool = False) -> str:
    """Returns an interval as text, with signs if it is the interval of a difference."""
    if math.isnan(low) or math.isnan(high):
        return "-"
    write = signed if sign else score
    return f"[{write(low, digits, kind)},{write(high, digits, kind)}]"


def p_text(p: float | None, alpha: float, smallest: float = 0.0) -> str:
    """Returns a p-value with three decimals, more where rounding would move it across α; never 0.

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
    """Returns the smallest p that resampling can give; 0 without resampling."""
    if not settings.resamples or (not adjusted and settings.test in FAMILY_WISE):
        return 0.0
    return 0.0 if adjusted and settings.correction != "none" else 1 / (settings.resamples + 1)


def p_titles(settings: Settings) -> tuple[str, str | None]:
    """Returns the titles of the columns of p and of corrected p. The second is None without a correction."""
    if settings.test in FAMILY_WISE:
        return "p(t)", f"p({SHORT_NAMES[settings.test]})"
    return "p", None if settings.correction == "none" else f"p({SHORT_NAMES[settings.correction]})"


def listed(words: Sequence[str], most: int = 5) -> str:
    """Returns the first names as text, with the number of other names."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def lettered(comparison: Findings) -> bool:
    """Returns whether scores have letters, which they do unless there are too many runs."""
    return len(comparison.names) <= MOST_LETTERED


def heading(comparison: Findings) -> str:
    """Returns one line above the table: the qrels, the queries and the runs."""
    parts = [comparison.qrels_name] if comparison.qrels_name else []
    parts += [counted(comparison), f"{len(comparison.names)} runs"]
    if len(comparison.labels) > 1:
        parts.append(f"primary: {comparison.labels[0]}")
    if comparison.settings.baseline is not None:
        parts.append(f"baseline: {comparison.names[comparison.settings.baseline]}")
    return " | ".join(parts)


def method(comparison: Findings) -> list[str]:
    """Returns sentences about the method: test, family, correction, intervals and detectable difference."""
    settings, primary = comparison.settings, comparison.primary
    exact = sum(pair.exact for pair in primary.pairs)
    parts = [f"{TESTS[settings.test]}, two-sided, alpha {settings.alpha:g}"]
    if settings.clusters is not None:
        parts[0] += f", {settings.clusters} clusters of queries"
    parts.append(family_words(settings, len(comparison.labels)))
    if settings.resamples and exact < len(primary.pairs):
        parts.append(f"{settings.resamples:,} resamples, seed {settings.seed}")
    if exact:
        parts.append(
            "exact p" if exact == len(primary.pairs) else f"exact p for {exact} of {len(primary.pairs)}"
        )
    sentences = ["; ".join(parts) + "."]
    sentences[0] = sentences[0][0].upper() + sentences[0][1:]
    if lettered(comparison) and any(any(contest.letters) for contest in comparison.contests.values()):
        after = (
            "" if settings.correction == "none" and settings.test not in FAMILY_WISE else " after correction"
        )
        sentences.append(f"A letter: significantly better than that run{after}.")
    sentences.append(interval_words(comparison))
    if settings.margin is not None:
        sentences.append(
            f"p(equiv.): two one-sided t-tests that the runs differ by less than {settings.margin:g}."
        )
    if settings.rope is not None:
        sentences.append(
            f"P(worse), P(same), P(better): Student posterior, within {settings.rope:g} is the same; not a test."
        )
    sentences += settings.notes
    sentences += [detectable_words(comparison), judged_words(comparison)]
    sentences.append(f"karat {__version__}, {conventions_of(comparison.scores[0])}.")
    return [each for each in sentences if each]


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
    """Returns a sentence about the kind of the confidence intervals."""
    settings = comparison.settings
    kind = "percentile bootstrap over queries" if settings.interval == "bootstrap" else "Student's t"
    said = (
        f"{settings.confidence * 100:g}% CI: {kind}, of each mean and of each mean difference, one at a time."
    )
    contest, pairs = comparison.primary, comparison.primary.pairs
    lowest, highest = np.nanmin(contest.values, initial=0.0), np.nanmax(contest.values, initial=1.0)
    if (lowest == 0 and min(contest.low) < 0) or (highest == 1 and max(contest.high) > 1):
        said += " An interval may extend below 0 or above 1, where no mean can lie."
    alone = sum((each.low > 0 or each.high < 0) and each.adjusted >= settings.alpha for each in pairs)
    if not alone or p_titles(settings)[1] is None:
        return said
    those = "1 pair's interval excludes" if alone == 1 else f"{alone} pairs' intervals exclude"
    return (
        f"{said} Verdicts follow the corrected p: {those} 0 although the corrected test finds no difference."
    )


def detectable_words(comparison: Findings) -> str:
    """Returns a sentence about the smallest difference that the queries of a comparison detect."""
    contest, values = comparison.primary, detectable(comparison.primary)
    if not values:
        return ""
    digits, kind = digits_of(len(comparison.queries)), contest.measure.definition.aggregate
    start = f"Smallest difference in {contest.label} that these queries detect with 80% power, without correction: "
    if len(values) <= 4:
        named = [
            f"{pair_name(comparison, pair)} {score(pair.detectable, digits, kind)}"
            for pair in contest.pairs
            if math.isfinite(pair.detectable)
        ]
        return start + ", ".join(named) + "."
    low, middle, high = (score(values[place], digits, kind) for place in (0, len(values) // 2, -1))
    return f"{start}{low} to {high}, median {middle}."


def detectable(contest: Contest) -> list[float]:
    """Returns the detectable difference of each pair that has one, in ascending order."""
    return sorted(pair.detectable for pair in contest.pairs if math.isfinite(pair.detectable))


def detectable_span(comparison: Findings, contest: Contest) -> str:
    """Returns the smallest and the largest difference that the queries detect with 80 % power, as text.

    The text is empty where no pair has a detectable difference.
    """
    digits, kind = digits_of(len(comparison.queries)), contest.measure.definition.aggregate
    known = detectable(contest)
    if not known:
        return ""
    low, high = (score(each, digits, kind) for each in (known[0], known[-1]))
    return low if low == high else f"{low} to {high}, depending on the pair"


def declared_negative(comparison: Findings) -> bool:
    """Returns whether the policy of the primary measure declares unjudged documents not relevant."""
    policy = comparison.scores[0].policy.of_measure(str(comparison.primary.measure))
    return policy.unjudged == "negative"


def judged_words(comparison: Findings) -> str:
    """Returns a sentence with the share of judged documents, if all runs have the same share."""
    shares = {score(each, 3) for each in comparison.judged}
    if len(shares) > 1 or shares == {"-"} or declared_negative(comparison):
        return ""
    return f"judged@{comparison.judged_depth}: {shares.pop()} in every run."


def pair_name(comparison: Findings, pair: Pair) -> str:
    """Returns the letters of both runs of a pair or, with a baseline, only the letter of the other run."""
    if comparison.settings.baseline is not None:
        return letter(pair.a)
    return f"{letter(pair.a)}-{letter(pair.b)}"


def tied_best(contest: Contest, digits: int) -> list[bool]:
    """Returns whether each run has the best mean, as printed."""
    kind = contest.measure.definition.aggregate
    written = [
        float("-inf") if math.isnan(each) else float(score(each, digits, kind)) for each in contest.means
    ]
    return [each == max(written) and each > float("-inf") for each in written]
