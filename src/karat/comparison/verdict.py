"""The answer in words: which run is better, by how much, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat.comparison.findings import FAMILY_WISE
from karat.comparison.showing import ranked, turned
from karat.comparison.wording import detectable_span, digits_of, p_text, score, signed, smallest_p
from karat.evaluation.score_tables import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Contest, Findings, Pair, Settings

__all__ = [
    "Verdict",
    "counted",
    "names_in",
    "reference_of",
    "seen_from",
    "split",
    "verdict_of",
]


@dataclass(frozen=True)
class Verdict:
    """The first thing that a reader reads.

    Args:
        headline: the answer.
        sentences: by how much, and how sure.
        small: what it rests on.
        against: the run that all others are held against: the baseline, else the one that leads.
        pair: the two runs of the first sentence.
    """

    headline: str
    sentences: tuple[str, ...]
    small: str
    against: int
    pair: tuple[int, int]


def reference_of(comparison: Findings, contest: Contest | None = None) -> tuple[int, int]:
    """The pair that a page opens with: with a baseline the best other run and it, else the best run and the second.

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
    """For each run that this one was tested against, the best first: by how much this one is better, p, the pair."""
    sense = -1 if contest.smaller_is_better else 1
    found = {}
    for pair in contest.pairs:
        if run in (pair.a, pair.b):
            sign = sense if pair.a == run else -sense
            found[pair.b if pair.a == run else pair.a] = (sign * pair.difference, pair.adjusted, pair)
    return {other: found[other] for other in ranked(contest) if other in found}


def verdict_of(comparison: Findings, contest: Contest | None = None) -> Verdict:
    """The answer for a measure, the primary one if None is named."""
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
    """The best run against all others."""
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
    """Every run against the baseline."""
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
        sentences.append(f"Not told apart from it: {names_in(comparison, rest)}.")
        sentences.append(missed(comparison, contest))
    return headline, sentences, (best, baseline)


def split(
    others: dict[int, tuple[float, float, Pair]], alpha: float
) -> tuple[list[int], list[int], list[int]]:
    """Runs that are significantly worse, runs that leave the question open, runs that are identical."""
    beaten = [run for run, (d, p, pair) in others.items() if d > 0 and p < alpha and not pair.identical]
    equal = [run for run, (_, _, pair) in others.items() if pair.identical]
    return beaten, [run for run in others if run not in beaten and run not in equal], equal


def counted(comparison: Findings) -> str:
    """How many queries there are."""
    count = len(comparison.queries)
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def names_in(comparison: Findings, runs: Sequence[int], most: int = 4) -> str:
    """Some runs by name: ``a, b and c``; of many the first, and how many more."""
    names = [comparison.names[run] for run in runs]
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def said_of(comparison: Findings, contest: Contest, run: int, other: int) -> str:
    """One pair in a sentence: means, difference, interval, p."""
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
    p = p_said(pair.adjusted, settings)
    return f"{said} ({settings.confidence * 100:g} % interval {ends}{sure}; {p})."


def p_said(p: float, settings: Settings) -> str:
    """``p = 0.03``, or ``corrected p < 0.001`` where there were several comparisons."""
    text = p_text(p, settings.alpha, smallest_p(settings, adjusted=True))
    name = "corrected p" if corrected(settings) else "p"
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<≤" else f"{name} = {text}"


def corrected(settings: Settings) -> bool:
    """Whether p says more than of its own pair."""
    return settings.comparisons > 1 and (settings.correction != "none" or settings.test in FAMILY_WISE)


def alone(comparison: Findings, pair: Pair) -> str:
    """Why a pair whose interval leaves out 0 is not called significant."""
    settings = comparison.settings
    if pair.identical or not pair.p < settings.alpha <= pair.adjusted or not corrected(settings):
        return ""
    return (
        f"Looked at alone, this pair would be significant (p = {p_text(pair.p, settings.alpha)}, and its interval "
        f"leaves out 0); but among {settings.comparisons} comparisons such a difference can come up by chance."
    )


def missed(comparison: Findings, contest: Contest) -> str:
    """How small a difference the queries could have shown."""
    span = detectable_span(comparison, contest)
    if not span:
        return ""
    return (
        f"The smallest difference that these {len(comparison.queries):,} queries find four times out of five is "
        f"{span}; smaller ones they often miss."
    )
