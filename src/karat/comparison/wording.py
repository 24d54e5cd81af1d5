"""How a comparison is put into words: numbers with their digits, and the lines under a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from karat._version import __version__
from karat.comparison.findings import FAMILY_WISE
from karat.comparison.letters import letter
from karat.evaluation.score_tables import conventions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Contest, Findings, Pair, Settings

__all__ = [
    "TEST_NAMES",
    "declared_negative",
    "detectable_span",
    "digits_of",
    "effect",
    "family_words",
    "heading",
    "interval",
    "lettered",
    "listed",
    "method",
    "p_text",
    "score",
    "signed",
]

FEW_FOR_FOUR_DIGITS = 50
"""Below so many queries the fourth decimal of a mean says nothing."""

MOST_LETTERED = 12
"""So many runs may show their letters; of more the table says how many each one beats, best first."""

TEST_NAMES = {
    "t": "paired t-test",
    "randomisation": "randomisation test (sign flips)",
    "tukey": "randomised Tukey HSD test",
    "max-t": "max-T randomisation test (sign flips)",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
}
CORRECTION_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg (false discovery rate: exploratory)",
}
SHORT_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonf.",
    "bh": "BH",
    "tukey": "Tukey",
    "max-t": "max-T",
}


def digits_of(queries: int) -> int:
    """Decimals of scores: 4, or 3 for few queries."""
    return 3 if queries < FEW_FOR_FOUR_DIGITS else 4


def score(value: float, digits: int, kind: str = "mean") -> str:
    """A score; a count without decimals, - for one that is not defined."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if kind == "sum" else f"{value:.{digits}f}"


def signed(value: float, digits: int, kind: str = "mean") -> str:
    """A difference: always with its sign."""
    if math.isnan(value):
        return "-"
    text = f"{value:+.0f}" if kind == "sum" else f"{value:+.{digits}f}"
    return text if float(text) else text.replace("-", "+")


def interval(low: float, high: float, digits: int, kind: str = "mean", *, sign: bool = False) -> str:
    """An interval, with signs if it is one of a difference."""
    if math.isnan(low) or math.isnan(high):
        return "-"
    write = signed if sign else score
    return f"[{write(low, digits, kind)},{write(high, digits, kind)}]"


def effect(value: float) -> str:
    """An effect size."""
    return "-" if not math.isfinite(value) else signed(value, 2)


def p_text(p: float, alpha: float, smallest: float = 0.0) -> str:
    """A p-value: three decimals, more where three would put it on the other side of α; never 0.

    Args:
        p: the value.
        alpha: what it is compared with.
        smallest: the smallest that a Monte Carlo test could give, 0 for others.
    """
    if math.isnan(p):
        return "-"
    # An exact p, or one of another test in its place, may be smaller than any that is drawn.
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
    """The smallest p that resampling could give a pair; 0 where nothing is drawn."""
    if not settings.resamples or (not adjusted and settings.test in FAMILY_WISE):
        return 0.0
    return 0.0 if adjusted and settings.correction != "none" else 1 / (settings.resamples + 1)


def p_titles(settings: Settings) -> tuple[str, str | None]:
    """The titles of the columns of p and of the corrected p; None where nothing was corrected."""
    if settings.test in FAMILY_WISE:
        return "p(t)", f"p({SHORT_NAMES[settings.test]})"
    return "p", None if settings.correction == "none" else f"p({SHORT_NAMES[settings.correction]})"


def listed(words: Sequence[str], most: int = 5) -> str:
    """Some names, and how many there are beside."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def lettered(comparison: Findings) -> bool:
    """Whether scores carry letters: there are not too many runs."""
    return len(comparison.names) <= MOST_LETTERED


def heading(comparison: Findings) -> str:
    """One line over the table: what is compared on what."""
    parts = [comparison.qrels_name] if comparison.qrels_name else []
    count = len(comparison.queries)
    parts.append(f"{count:,} {'query' if count == 1 else 'queries'}")
    parts.append(f"{len(comparison.names)} runs")
    if len(comparison.labels) > 1:
        parts.append(f"primary: {comparison.labels[0]}")
    if comparison.settings.baseline is not None:
        parts.append(f"baseline: {comparison.names[comparison.settings.baseline]}")
    return " | ".join(parts)


def method(comparison: Findings) -> list[str]:
    """What was done, in sentences: the test, its family and correction, the intervals, what could be detected."""
    settings, primary = comparison.settings, comparison.primary
    exact = sum(pair.exact for pair in primary.pairs)
    parts = [f"{TEST_NAMES[settings.test]}, two-sided, alpha {settings.alpha:g}"]
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
    """Over how many comparisons p was corrected."""
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
    return f"{CORRECTION_NAMES[settings.correction]} over {many}"


def interval_words(comparison: Findings) -> str:
    """Which intervals these are."""
    settings = comparison.settings
    kind = "percentile bootstrap over queries" if settings.interval == "bootstrap" else "Student's t"
    said = (
        f"{settings.confidence * 100:g}% CI: {kind}, of each mean and of each mean difference, one at a time."
    )
    pairs = comparison.primary.pairs
    alone = sum((each.low > 0 or each.high < 0) and each.adjusted >= settings.alpha for each in pairs)
    if not alone or p_titles(settings)[1] is None:
        return said
    those = "1 pair's interval leaves" if alone == 1 else f"{alone} pairs' intervals leave"
    return f"{said} Verdicts follow the corrected p: {those} out 0 where it finds no difference."


def detectable_words(comparison: Findings) -> str:
    """The smallest difference that these queries would detect."""
    contest = comparison.primary
    known = [pair for pair in contest.pairs if math.isfinite(pair.detectable)]
    if not known:
        return ""
    digits, kind = digits_of(len(comparison.queries)), contest.measure.definition.aggregate
    start = f"Smallest difference in {contest.label} that these queries detect with 80% power, uncorrected: "
    if len(known) <= 4:
        named = [f"{pair_name(comparison, pair)} {score(pair.detectable, digits, kind)}" for pair in known]
        return start + ", ".join(named) + "."
    values = sorted(pair.detectable for pair in known)
    low, middle, high = (score(values[place], digits, kind) for place in (0, len(values) // 2, -1))
    return f"{start}{low} to {high}, median {middle}."


def detectable_span(comparison: Findings, contest: Contest) -> str:
    """The smallest and the largest difference that the queries detect with 80 % power, over the pairs, or the one.

    Every sentence that speaks of all pairs takes it from here; empty where no pair has one.
    """
    digits, kind = digits_of(len(comparison.queries)), contest.measure.definition.aggregate
    known = [pair.detectable for pair in contest.pairs if math.isfinite(pair.detectable)]
    if not known:
        return ""
    low, high = (score(each, digits, kind) for each in (min(known), max(known)))
    return low if low == high else f"{low} to {high}, depending on the pair"


def declared_negative(comparison: Findings) -> bool:
    """Whether the policy of the primary measure says that what is not judged is not relevant."""
    policy = comparison.scores[0].policy.of_measure(str(comparison.primary.measure))
    return policy.unjudged == "negative"


def judged_words(comparison: Findings) -> str:
    """How much is judged, where it is the same for all runs and no column says so."""
    shares = {score(each, 3) for each in comparison.judged}
    if len(shares) > 1 or shares == {"-"} or declared_negative(comparison):
        return ""
    return f"judged@{comparison.judged_depth}: {shares.pop()} in every run."


def pair_name(comparison: Findings, pair: Pair) -> str:
    """A pair by its letters; with a baseline, or of two runs, by the first one's."""
    if comparison.settings.baseline is not None:
        return letter(pair.a)
    return f"{letter(pair.a)}-{letter(pair.b)}"


def tied_best(contest: Contest, digits: int) -> list[bool]:
    """Which runs have the best mean, as printed."""
    kind = contest.measure.definition.aggregate
    written = [
        float("-inf") if math.isnan(each) else float(score(each, digits, kind)) for each in contest.means
    ]
    return [each == max(written) and each > float("-inf") for each in written]
