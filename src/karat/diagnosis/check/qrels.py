"""Findings in qrels: grades, repeated judgments, queries without a relevant document, too few queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.diagnosis.check.finding import ERROR, NOTE, WARNING, found
from karat.diagnosis.check.inputs import COLUMNS
from karat.diagnosis.check.lenient import moved, told
from karat.diagnosis.check.text import EXAMPLES, malformed
from karat.inputs.ids import text_of
from karat.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.lenient import Judged, Pair

__all__ = ["IN_QRELS"]

LARGE = 10
"""Grades above this are reported: 2^grade becomes huge, and the usual scale is 0 to 4."""
FEW, TOO_FEW = 20, 5
"""Fewer queries than these leave the mean uncertain, or almost meaningless."""


def lines(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds unreadable lines."""
    del pair
    if judged.table is not None:
        judgments = judged.qrels.judgments
        yield from malformed(judged.text, judgments.malformed, judgments.malformed_lines)
    elif judged.text.source is not None and judged.text.read().rows:
        survey = judged.text.read()
        whys = [(seen.line, why_unread(width, seen.excerpt)) for width, seen in survey.widths.items()]
        yield from malformed(judged.text, survey.rows, whys)


def why_unread(width: int, line: str) -> str:
    """Returns the reason why lines are not valid qrels, where no line of the file is valid."""
    fields = line.split()
    if width == len(fields) == COLUMNS["qrels"]:
        return f"'{fields[-1]}' is not a number"
    return f"it has {plural(width, 'column')}"


def duplicates(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds documents judged twice for a query."""
    if judged.table is None or not judged.qrels.judgments.dropped:
        return
    if judged.by_subtopic:
        count = judged.qrels.judgments.dropped + len(judged.qrels.judgments.grades)
        what = f"{plural(count, 'judgment')} of {plural(len(judged.qrels.judgments.grades), 'document')}, by subtopic"
        yield found("by-subtopic", judged.text.name, what)
        return
    every = judged.deciding("keep").judgments
    grade_of = dict(zip(every.lines.tolist(), every.grades.tolist()))
    repeats = every.duplicates
    opposed = [each for each in repeats if grade_of[each[2]] != grade_of[each[3]]]
    what = f"judged twice for the same query: {plural(len(repeats), 'document')}, "
    what += f"{len(opposed):,} of them with another grade" if opposed else "always with the same grade"
    where = tuple(
        f"{judged.text.at(second)}: document '{text_of(document)}' of query '{text_of(every.queries[query])}', "
        f"first on line {first:,}".lstrip(": ")
        for query, document, first, second in (opposed or repeats)[:EXAMPLES]
    )
    values = {}
    if pair is not None and opposed:
        values = {rule: pair.means(qrels=judged.deciding(rule)) for rule in ("first", "last", "max")}
    effect = f"karat eval refuses them. {told(values)}".rstrip() if values else None
    yield found(
        "duplicate-judgments",
        judged.text.name,
        what,
        count=len(repeats),
        where=where,
        effect=effect,
        values=values,
    )


def negative(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds negative grades."""
    if judged.table is None:
        return
    grades = judged.qrels.judgments.grades
    count = int(np.count_nonzero(grades < 0))
    if not count:
        return
    values = {}
    if pair is not None:
        values = pair.alternatives(unjudged={}, nonrelevant={"negative": "nonrelevant"})
    what = f"negative grades, down to {grades.min():g}, in {plural(count, 'judgment')} of {len(grades):,}"
    effect = f"They are pooled but count as unjudged, as in trec_eval. {told(values)}".strip()
    yield found(
        "negative-grades",
        judged.text.name,
        what,
        count=count,
        where=(first_line(judged, grades < 0),),
        effect=effect,
        severity=WARNING if moved(values) else NOTE,
        values=values,
    )


def fractions(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds grades that are not whole numbers."""
    if judged.table is None:
        return
    grades = judged.qrels.judgments.grades
    broken = grades != np.floor(grades)
    count = int(np.count_nonzero(broken))
    if not count:
        return
    values = {}
    if pair is not None:
        whole = judged.regraded(np.trunc(grades))
        values = {"as they are": pair.means(), "cut to whole numbers": pair.means(qrels=whole)}
    below = int(np.count_nonzero((grades > 0) & (grades < 1)))
    what = f"no whole number: {plural(count, 'grade')} of {len(grades):,}, {below:,} of them between 0 and 1"
    effect = "karat keeps the fraction; relevant is 1 or more. trec_eval cuts 0.9 to 0. " + told(values)
    yield found(
        "float-grades",
        judged.text.name,
        what,
        count=count,
        where=(first_line(judged, broken),),
        effect=effect.strip(),
        values=values,
    )


def large(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds grades too high for an exponential gain."""
    del pair
    if judged.table is None:
        return
    grades = judged.qrels.judgments.grades
    high = grades > LARGE
    if high.any():
        levels = len(set(grades.tolist()))
        what = f"grades go up to {grades.max():g}, in {plural(levels, 'level')}"
        yield found(
            "large-grades",
            judged.text.name,
            what,
            count=int(np.count_nonzero(high)),
            where=(first_line(judged, high),),
        )


def levels(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds judgments with a single grade, or with relevant grades only."""
    del pair
    if judged.table is None:
        return
    grades = judged.qrels.judgments.grades
    if len(grades) > 1 and grades.min() == grades.max() >= 1:
        what = f"all {len(grades):,} judgments have the grade {grades[0]:g}"
        yield found("one-grade", judged.text.name, what, count=len(grades))
    elif len(grades) > 1 and grades.min() >= 1:
        low, high = float(grades.min()), float(grades.max())
        what = f"all {len(grades):,} judgments have grades from {low:g} to {high:g}, none below 1"
        upper = math.ceil(low + 0.7 * (high - low))  # of 5 stars the fourth
        remedy = (
            f"Set the lowest relevant grade, as in AP(rel={upper}), or give documents that are not "
            "relevant the grade 0."
        )
        yield found("all-relevant", judged.text.name, what, count=len(grades), remedy=remedy)


def counts_0(between: int) -> str:
    """Describes the effect of queries without a grade of 1 or more; ``between`` of them have one between 0 and 1."""
    if not between:
        return "Such a query scores 0, whatever is retrieved."
    return (
        "Such a query counts as 0 in measures of relevance, whatever is retrieved. "
        f"{plural(between, 'query has', 'queries have')} grades between 0 and 1, which measures of gain (nDCG) count: "
        "for the others a parameter such as rel=0.5 says what is relevant."
    )


def without_relevant(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds queries without a relevant document."""
    if judged.table is None:
        return
    judgments = judged.qrels.judgments
    relevant, worth = (
        np.diff(np.append(0, np.cumsum(which))[judgments.offsets])
        for which in (judgments.grades >= 1, judgments.grades > 0)
    )
    empty = np.flatnonzero(relevant == 0)
    if not len(empty):
        return
    between = int(np.count_nonzero(worth[empty]))
    total = len(judgments.queries)
    values = {}
    if pair is not None and len(empty) < total:
        values = pair.alternatives(counted_as_0={}, omitted={"empty": "skip"})
    severity = NOTE if 2 * len(empty) < total else WARNING if len(empty) < total else ERROR
    remedy = None
    if len(empty) == total:
        remedy = "Check that the last column holds the grades, and that higher grades are better."
    what = f"no document of grade 1 or more for {plural(len(empty), 'query', 'queries')} of {total:,}"
    yield found(
        "no-relevant",
        judged.text.name,
        what,
        count=len(empty),
        where=tuple(f"query '{text_of(judgments.queries[each])}'" for each in empty[:EXAMPLES]),
        effect=f"{counts_0(between)} {told(values)}".strip(),
        remedy=remedy,
        severity=severity,
        values=values,
    )


def few(judged: Judged, pair: Pair | None) -> Iterator[Finding]:
    """Finds too few queries for a mean."""
    if judged.table is None:
        return
    count = len(judged.qrels.judgments.queries)
    if count >= FEW:
        return
    effect = uncertain(pair) or None
    severity = WARNING if count < TOO_FEW else NOTE
    what = f"judgments of only {plural(count, 'query', 'queries')}"
    yield found("few-queries", judged.text.name, what, count=count, effect=effect, severity=severity)


def uncertain(pair: Pair | None) -> str:
    """Returns a sentence with the confidence interval of the first measure's mean."""
    scores = None if pair is None else pair.scores()
    if scores is None or len(scores.queries) < 2:
        return ""
    from karat.comparison.statistics.t_test import margin

    label = scores.labels[0]
    half = float(margin(scores.matrix[:, :1])[0])
    if not half:
        return ""
    reach = f"an interval of ± {half:.2f}" if half < 0.5 else "an interval over the whole scale"
    return f"{label} is {scores[label]:.4f} with {reach} (95 %): few differences can be told from chance."


def first_line(judged: Judged, rows: NDArray[Any]) -> str:
    """Returns the place of the first judgment concerned."""
    judgments = judged.qrels.judgments
    place = min(np.flatnonzero(rows).tolist(), key=lambda each: judgments.lines[each])
    query = int(np.searchsorted(judgments.offsets, place, side="right")) - 1
    where = judged.text.at(int(judgments.lines[place]))
    shown = (
        f"document '{text_of(judgments.document(place))}' of query '{text_of(judgments.queries[query])}' has "
        f"{judgments.grades[place]:g}"
    )
    return f"{where}: {shown}".lstrip(": ")


IN_QRELS: tuple[Callable[[Judged, Pair | None], Iterator[Finding]], ...] = (
    lines,
    duplicates,
    without_relevant,
    fractions,
    negative,
    large,
    levels,
    few,
)
"""Every check of judgments; the first run shows the effect on the means."""
