"""Finds problems in qrels: odd grades, repeated judgments, queries without relevant documents, too few queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.diagnosis.check.finding import ERROR, KINDS, NOTE, WARNING, found, moved, told
from carob.diagnosis.check.known import known
from carob.diagnosis.check.lenient import from_rows, read_leniently
from carob.diagnosis.check.text import EXAMPLES, queries_at, repeats_at
from carob.inputs.ids import text_of
from carob.inputs.spellings import alike
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from carob.diagnosis.check.finding import Finding
    from carob.diagnosis.check.lenient import LenientQrels, RunAndQrels


MOST_SPELLED = 50_000
"""The approximate maximum number of judgments whose ids are compared with other ids of the same query."""
LARGE = 10
"""Grades above this are reported because 2^grade becomes huge and the usual scale is 0 to 4."""
FEW, TOO_FEW = 20, 5
"""With fewer queries than the first number, a mean is uncertain; with fewer than the second, almost meaningless."""


def duplicates(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds documents judged twice for a query."""
    name, dropped, total = judged.text.name, judged.judgments.dropped, judged.judgments.count
    if not dropped:
        return
    if judged.by_subtopic:
        yield found("by-subtopic", name, judgments=dropped + total, documents=total)
        return
    every = read_leniently(judged.text, "keep").judgments
    grade_of = dict(zip(every.lines.tolist(), every.grades.tolist()))
    repeats = every.duplicates
    opposed = [each for each in repeats if grade_of[each[2]] != grade_of[each[3]]]
    grades = f"{len(opposed):,} of them with another grade" if opposed else "always with the same grade"
    where = repeats_at(judged.text, opposed or repeats, every.queries)
    values = {}
    if pair is not None and opposed:
        readings = {rule: read_leniently(judged.text, rule) for rule in ("first", "last", "max")}
        values = {rule: pair.means(qrels=qrels) for rule, qrels in readings.items()}
    yield found("duplicate-judgments", name, count=len(repeats), where=where, values=values, grades=grades)


def odd_grades(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds grades that are negative, not whole numbers, or too high for an exponential gain."""
    name, grades = judged.text.name, judged.judgments.grades
    total = len(grades)
    broken, negative, high = grades != np.floor(grades), grades < 0, grades > LARGE
    if broken.any():
        values = {}
        if pair is not None:
            whole = from_rows(judged.rows(), np.trunc(grades))
            values = {"unchanged": pair.means(), "cut to whole numbers": pair.means(qrels=whole)}
        below = int(np.count_nonzero((grades > 0) & (grades < 1)))
        yield found("float-grades", name, **first_of(judged, broken), values=values, total=total, below=below)
    if negative.any():
        rules: dict[str, Any] = {"unjudged": {}, "nonrelevant": {"negative": "nonrelevant"}}
        values = {} if pair is None else pair.alternatives(**rules)
        severity = WARNING if moved(values) else NOTE
        numbers: dict[str, Any] = {"lowest": grades.min(), "total": total}
        yield found(
            "negative-grades", name, **first_of(judged, negative), severity=severity, values=values, **numbers
        )
    if high.any():
        numbers = {"highest": grades.max(), "levels": len(set(grades.tolist()))}
        yield found("large-grades", name, **first_of(judged, high), **numbers)


def codes(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds grades that seem to be codes, such as 9 for a document that could not be judged."""
    grades = judged.judgments.grades
    if not judged.qrels.doubtful[1]:
        return
    top = float(grades.max())
    values = {}
    if pair is not None:
        rows = [row for row, grade in zip(judged.rows(), grades.tolist(), strict=True) if grade != top]
        values = {
            "unchanged": pair.means(),
            "without them": pair.means(qrels=from_rows(rows, grades[grades != top])),
        }
    numbers: dict[str, Any] = {"highest": top, "next": grades[grades != top].max()}
    yield found("code-grades", judged.text.name, **first_of(judged, grades == top), values=values, **numbers)


def similar(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds documents that are judged under two spellings of the same id."""
    del pair
    judgments = judged.judgments
    pairs: list[tuple[bytes, bytes]] = []
    for place in range(judgments.query_count):
        if judgments.offsets[place] > MOST_SPELLED:
            break
        ids = judgments.documents(place)
        plain = {each.lower().lstrip(b"0").removesuffix(b".0") for each in ids}
        if len(plain) < len(ids) or not b"".join(ids).isascii():  # otherwise, no two ids are similar
            pairs += alike(ids)
    if pairs:
        where = tuple(f"'{text_of(one)}' and '{text_of(other)}'" for one, other in pairs[:EXAMPLES])
        yield found("similar-documents", judged.text.name, count=len(pairs), where=where)


def levels(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds judgments with a single grade, or with only relevant grades."""
    del pair
    name, count = judged.text.name, judged.judgments.count
    if count < 2:
        return
    low, high = float(judged.judgments.grades.min()), float(judged.judgments.grades.max())
    if low == high >= 1:
        yield found("one-grade", name, count=count, grade=low)
    elif low >= 1:
        upper = math.ceil(low + 0.7 * (high - low))  # 4 on a scale of 1 to 5 stars
        remedy = KINDS["all-relevant"].remedy.replace("rel=4", f"rel={upper}")
        yield found("all-relevant", name, count=count, low=low, high=high, remedy=remedy)


def without_relevant(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds queries without a relevant document."""
    judgments = judged.judgments
    relevant, worth = (
        np.diff(np.append(0, np.cumsum(which))[judgments.offsets])
        for which in (judgments.grades >= 1, judgments.grades > 0)
    )
    empty = np.flatnonzero(relevant == 0)
    total = len(judged.qrels.names)
    if not len(empty):
        return
    values = {}
    if pair is not None and len(empty) < total:
        values = pair.alternatives(counted_as_0={}, omitted={"empty": "skip"})
    between = int(np.count_nonzero(worth[empty]))
    effect, remedy = KINDS["no-relevant"].effect, None
    if between:
        effect = filled(
            "Such a query counts as 0 in measures of relevance, whatever a run retrieves. "
            "{count:query has/queries have} grades between 0 and 1, which count only in measures of gain "
            "(nDCG). For other measures, set the lowest relevant grade with a parameter such as rel=0.5.",
            count=between,
        )
    if len(empty) == total:
        remedy = "Check that the last column contains the grades, and that higher grades are better."
    yield found(
        "no-relevant",
        judged.text.name,
        count=len(empty),
        where=queries_at(judgments.queries[each] for each in empty),
        effect=f"{effect} {told(values)}".strip(),
        remedy=remedy,
        severity=NOTE if 2 * len(empty) < total else WARNING if len(empty) < total else ERROR,
        values=values,
        total=total,
    )


def few(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds too few queries for a mean."""
    count = len(judged.qrels.names)
    if count < FEW:
        severity = WARNING if count < TOO_FEW else NOTE
        yield found("few-queries", judged.text.name, count=count, effect=uncertain(pair), severity=severity)


def uncertain(pair: RunAndQrels | None) -> str | None:
    """Returns a sentence with the confidence interval of the first measure's mean, or None without an interval."""
    scores = None if pair is None else pair.scores()
    if scores is None or len(scores.ids) < 2:
        return None
    from carob.statistics.estimates import margin

    label = scores.labels[0]
    half = float(margin(scores.matrix[:, :1])[0])
    if not half:
        return None
    reach = f"an interval of ± {half:.2f}" if half < 0.5 else "an interval over the whole scale"
    return f"{label} is {scores[label]:.4f} with {reach} (95%), so few differences are significant."


def first_of(judged: LenientQrels, rows: NDArray[Any]) -> dict[str, Any]:
    """Returns the number of marked judgments, and the place in the file of the first marked judgment."""
    judgments = judged.judgments
    marked, lines = np.flatnonzero(rows), judgments.lines
    place = int(marked[np.argmin(lines[marked])])
    query = int(np.searchsorted(judgments.offsets, place, side="right")) - 1
    where = judged.text.at(int(lines[place]))
    document, of = text_of(judgments.document(place)), text_of(judgments.queries[query])
    shown = f"document '{document}' of query '{of}' has {judgments.grades[place]:g}"
    return {"count": int(np.count_nonzero(rows)), "where": (f"{where}: {shown}".lstrip(": "),)}


def sampled(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Finds judgments that are only a sample, and therefore incomplete."""
    del pair
    if judged.text.drawn:
        yield found("sample", judged.text.name, count=judged.text.drawn)


IN_QRELS: tuple[Callable[[LenientQrels, RunAndQrels | None], Iterator[Finding]], ...] = (
    sampled,
    duplicates,
    without_relevant,
    odd_grades,
    codes,
    similar,
    levels,
    few,
    known,
)
"""All checks of readable judgments. The means of the first run show the effects."""
