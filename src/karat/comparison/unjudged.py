"""Unjudged documents: which runs have more of them than others, and what they could change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.findings import Caution, ranked
from karat.comparison.runs import Table
from karat.comparison.statistics import paired
from karat.comparison.verdict import declared_negative, digits_of, interval, listed, score, signed
from karat.evaluation.engine import values_of
from karat.inputs.ids import text_of
from karat.lists.rows import offsets_of
from karat.matching.match import finished
from karat.matching.ties import arranged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Findings
    from karat.comparison.runs import System
    from karat.conventions.policy import Policy
    from karat.lists.rows import Floats, JudgedRows
    from karat.matching.match import Match
    from karat.measures import Measure

__all__ = ["alternatives", "doubts_of"]

LEAST_JUDGED = 0.9
WIDEST_GAP = 0.05
"""Below the first, or further apart than the second, a comparison may reflect the judgments and not the runs."""

SHOWN = 4


@dataclass(frozen=True, eq=False)
class Alternatives:
    """A run's values of one measure if its unjudged documents counted differently; NaN where there is none.

    Args:
        removed: with unjudged documents removed from the lists [queries].
        relevant: with the unjudged ones among the first documents counted as of the highest grade [queries].
    """

    removed: Floats
    relevant: Floats


def doubts_of(comparison: Findings, systems: Sequence[System]) -> list[Caution]:
    """A caution for each run with a gap, one for both runs of a pair, or one for all where they are many.

    None where the policy declares unjudged documents negative, as in recommendation what a user did not choose.
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
        # The caution of the pair's other run names this one, with the same figures.
        if len(others) > 1 or not any(each.runs == (others[0], run) for each in found):
            both = len(others) == 1 and others[0] in flagged and partners(comparison, others[0]) == [run]
            found.append(doubt(comparison, run, readings, (run, *others) if both else (run,)))
    return found


def readings_of(comparison: Findings, system: System) -> Alternatives | None:
    """The run's values if its unjudged documents were removed, or relevant; None where that is unknown.

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
    # An empty query that is left out is in the match but not in the comparison.
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
    """One run's gap, and the differences that it makes doubtful."""
    share = 100 * (1 - comparison.judged[run])
    depth = comparison.judged_depth
    others = [
        f"{comparison.names[other]} {100 * (1 - comparison.judged[other]):.1f}%"
        for other in partners(comparison, run)
        if not math.isnan(comparison.judged[other])
    ]
    compared = f" ({listed(others, 3)})" if others else ""
    sentence = (
        f"{comparison.names[run]}: {share:.1f}% of its top {depth} is unjudged{compared}; unjudged counts as not "
        "relevant."
    )
    numbers: dict[str, object] = {"judged": comparison.judged[run], "depth": depth}
    if readings[run] is not None:
        more, figures = what_if(comparison, run, readings)
        sentence, numbers = f"{sentence} {more}", numbers | figures
    return Caution("unjudged", runs, sentence, numbers)


def partners(comparison: Findings, run: int) -> list[int]:
    """The runs that a run is compared with: the baseline if there is one, else the others, the best first."""
    baseline = comparison.settings.baseline
    if baseline is not None and run != baseline:
        return [baseline]
    return [other for other in ranked(comparison.primary) if other != run]


def what_if(
    comparison: Findings, run: int, readings: dict[int, Alternatives | None]
) -> tuple[str, dict[str, object]]:
    """The run's alternative means, or its differences from the one run that it is compared with."""
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
        f"Unjudged removed, the difference in {contest.label} is {signed(float(test.mean[0]), digits)} "
        f"{interval(low, high, digits, sign=True)}; counted as relevant, in one run or the other, "
        f"{signed(lowest, digits)} to {signed(highest, digits)}."
    ), figures


def mean(comparison: Findings, values: Floats) -> float:
    """The primary measure's aggregate of these values, unweighted."""
    contest = comparison.primary
    return Table(contest.label, contest.measure, values[:, None]).means[0]


def together(comparison: Findings, flagged: list[int], readings: dict[int, Alternatives | None]) -> Caution:
    """The gaps of many runs in one sentence, the widest first."""
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
    """The values of a run if its unjudged documents counted differently.

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
    """The rows as if every unjudged document among the first ``depth`` had this grade."""
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
