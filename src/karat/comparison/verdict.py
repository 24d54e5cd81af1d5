"""The answer in words: which run is better, by how much, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat.boards import plural
from karat.comparison.deciding import FAMILY_WISE
from karat.comparison.wording import digits_of, p_text, score, signed, smallest_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison import Comparison, Contest, Pair, Settings

__all__ = ["Verdict", "counted", "names_in", "reference_of", "seen_from", "split", "verdict_of"]


@dataclass(frozen=True)
class Verdict:
    """The first thing that a reader reads.

    Args:
        headline: the answer.
        sentences: by how much, and how sure.
        small: what it rests on.
    """

    headline: str
    sentences: tuple[str, ...]
    small: str


def reference_of(comparison: Comparison) -> tuple[int, int]:
    """The pair that a page opens with: with a baseline the best other run and it, else the best run and the second."""
    means = comparison.primary.means
    order = sorted(
        range(len(means)),
        key=lambda run: (math.isnan(means[run]), -means[run] if means[run] == means[run] else 0, run),
    )
    baseline = comparison.settings.baseline
    if baseline is None:
        return order[0], order[1]
    return next(run for run in order if run != baseline), baseline


def seen_from(contest: Contest, run: int) -> dict[int, tuple[float, float, Pair]]:
    """For each run that this one was tested against: the difference as this one sees it, the corrected p, the pair."""
    found = {}
    for pair in contest.pairs:
        if run in (pair.a, pair.b):
            sign = 1 if pair.a == run else -1
            found[pair.b if pair.a == run else pair.a] = (sign * pair.difference, pair.adjusted, pair)
    return found


def verdict_of(comparison: Comparison) -> Verdict:
    """The answer for the primary measure."""
    told = (
        against_baseline
        if comparison.settings.baseline is not None and len(comparison.names) > 2
        else among_all
    )
    headline, sentences = told(comparison)
    settings = comparison.settings
    p_word = "a corrected p" if corrected(settings) else "p"
    small = (
        f"{comparison.labels[0]} over {counted(comparison)}; significant means {p_word} below "
        f"{settings.alpha:g}. The test does not say whether a difference matters to those who search."
    )
    return Verdict(headline, tuple(each.replace(" -", " −") for each in sentences if each), small)


def among_all(comparison: Comparison) -> tuple[str, list[str]]:
    """The best run against all others."""
    contest, names = comparison.primary, comparison.names
    best, second = reference_of(comparison)
    if comparison.settings.baseline == best or contest.means[best] < contest.means[second]:
        best, second = second, best
    others = seen_from(contest, best)
    beaten, open_still, equal = split(others, comparison.settings.alpha)
    leader = names[best]
    nearest = said_of(comparison, best, second)
    if len(names) == 2:
        if equal:
            return f"{leader} and {names[second]} are the same.", [nearest]
        if beaten:
            return f"{leader} is better than {names[second]}.", [
                nearest,
                missed(comparison, others[second][2]),
            ]
        return f"{leader} and {names[second]} cannot be told apart.", [
            nearest,
            missed(comparison, others[second][2]),
        ]
    if not open_still and not equal:
        return f"{leader} is better than all {len(beaten)} others.", [nearest]
    rivals = [*equal, *open_still]
    sure = [f"It is significantly better than {names_in(comparison, beaten)}."] if beaten else []
    sentences = [nearest, alone(comparison, others[second][2]), *sure, missed(comparison, others[second][2])]
    if beaten:
        if len(rivals) == 1:
            return f"{leader} leads, but {names[rivals[0]]} may be as good.", sentences
        return f"{leader} leads, but {names_in(comparison, rivals)} may be as good.", sentences
    return f"No run stands out: {leader} leads, but not significantly.", sentences


def against_baseline(comparison: Comparison) -> tuple[str, list[str]]:
    """Every run against the baseline."""
    contest, names, settings = comparison.primary, comparison.names, comparison.settings
    baseline = settings.baseline
    assert baseline is not None
    seen = {
        run: (-difference, p, pair) for run, (difference, p, pair) in seen_from(contest, baseline).items()
    }
    sure = [run for run, (_, p, pair) in seen.items() if p < settings.alpha and not pair.identical]
    better = sorted((run for run in sure if seen[run][0] > 0), key=lambda run: -seen[run][0])
    worse = sorted((run for run in sure if seen[run][0] < 0), key=lambda run: seen[run][0])
    rest = [run for run in seen if run not in better and run not in worse]
    best, _ = reference_of(comparison)
    held = names[baseline]
    sentences = [said_of(comparison, best, baseline), alone(comparison, seen[best][2])]
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
        sentences.append(missed(comparison, seen[rest[0]][2]))
    return headline, sentences


def split(
    others: dict[int, tuple[float, float, Pair]], alpha: float
) -> tuple[list[int], list[int], list[int]]:
    """Runs that are significantly worse, runs that leave the question open, runs that are identical."""
    beaten = [run for run, (d, p, pair) in others.items() if d > 0 and p < alpha and not pair.identical]
    equal = [run for run, (_, _, pair) in others.items() if pair.identical]
    return beaten, [run for run in others if run not in beaten and run not in equal], equal


def counted(comparison: Comparison) -> str:
    """How many queries there are."""
    count = len(comparison.queries)
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def names_in(comparison: Comparison, runs: Sequence[int], most: int = 4) -> str:
    """Some runs by name: ``a, b and c``; of many the first, and how many more."""
    names = [comparison.names[run] for run in runs]
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def said_of(comparison: Comparison, run: int, other: int) -> str:
    """One pair in a sentence: means, difference, interval, p."""
    contest, settings = comparison.primary, comparison.settings
    digits, kind = digits_of(len(comparison.queries)), contest.measure.definition.aggregate
    names, means = comparison.names, contest.means
    one, two = (score(means[each], digits, kind) for each in (run, other))
    start = f"{names[run]} has {contest.label} {one}, {names[other]} {two}"
    found = seen_from(contest, run).get(other)
    if found is None:
        return f"{start}."
    difference, p, pair = found
    if pair.identical:
        return f"{start}: they are identical on all {pair.n:,} queries."
    said = f"{start}: a difference of {signed(difference, digits, kind)}"
    if not math.isfinite(pair.low):
        return f"{said}, without an interval, since {plural(pair.n, 'query', 'queries')} cannot give one."
    low, high = (pair.low, pair.high) if pair.a == run else (-pair.high, -pair.low)
    sure = "" if p < settings.alpha else ", which includes 0" if low <= 0 <= high else ""
    ends = f"{signed(low, digits, kind)} to {signed(high, digits, kind)}"
    return f"{said} ({settings.confidence * 100:g} % interval {ends}{sure}; {p_said(p, settings)})."


def p_said(p: float, settings: Settings) -> str:
    """``p = 0.03``, or ``corrected p < 0.001`` where there were several comparisons."""
    text = p_text(p, settings.alpha, smallest_p(settings, adjusted=True))
    name = "corrected p" if corrected(settings) else "p"
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<≤" else f"{name} = {text}"


def corrected(settings: Settings) -> bool:
    """Whether p says more than of its own pair."""
    return settings.comparisons > 1 and (settings.correction != "none" or settings.test in FAMILY_WISE)


def alone(comparison: Comparison, pair: Pair) -> str:
    """Why a pair whose interval leaves out 0 is not called significant."""
    settings = comparison.settings
    if pair.identical or not pair.p < settings.alpha <= pair.adjusted or not corrected(settings):
        return ""
    return (
        f"Looked at alone, this pair would be significant (p = {p_text(pair.p, settings.alpha)}, and its interval "
        f"leaves out 0); but among {settings.comparisons} comparisons such a difference comes up by chance."
    )


def missed(comparison: Comparison, pair: Pair) -> str:
    """How small a difference the queries could have shown."""
    if not math.isfinite(pair.detectable):
        return ""
    digits = digits_of(len(comparison.queries))
    kind = comparison.primary.measure.definition.aggregate
    return (
        f"Between such runs these {len(comparison.queries):,} queries would find a difference of "
        f"{score(pair.detectable, digits, kind)} or more four times out of five; smaller ones they often miss."
    )
