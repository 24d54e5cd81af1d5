"""Findings that compare qrels with a run (different ids, lost zeros, unjudged documents), or runs with each other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from karat.diagnosis.check.finding import ERROR, WARNING, found
from karat.diagnosis.check.lenient import DEPTH, told
from karat.diagnosis.check.text import EXAMPLES
from karat.inputs.ids import text_of
from karat.inputs.run import short
from karat.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.lenient import Pair

__all__ = ["QRELS_VS_RUN", "RUN_VS_RUN"]


ENOUGH = 20
"""With this many judged documents, a run that retrieves none is about another collection."""
SEVERAL = 5
"""With this many queries, a perfect score is not chance."""
COVERED = 0.9
"""The share of judged documents at the top below which a note is made."""


def strangers(pair: Pair) -> tuple[list[bytes], list[bytes]]:
    """Judged queries that the run lacks, and queries of the run that are not judged."""
    assert pair.matched is not None
    judged = pair.judged.qrels.judgments.queries
    return [judged[each] for each in np.flatnonzero(~pair.retrieved)], pair.matched.extra


def queries(pair: Pair) -> Iterator[Finding]:
    """Finds queries that only the judgments or only the run has."""
    if pair.matched is None:
        return
    if pair.queries:
        yield spelled_queries(pair)
    missing, extra = strangers(pair)
    total = len(pair.retrieved)
    if len(missing) == total and extra:
        what = (
            f"no query in common: {len(extra):,} here, {total:,} judged; it writes '{text_of(extra[0])}', the "
            f"judgments write '{text_of(missing[0])}'"
        )
        yield found("no-common-query", pair.name, what, count=len(extra))
        return
    if missing:
        values = pair.alternatives(counted_as_0={}, omitted={"missing": "skip"})
        yield found(
            "missing-queries",
            pair.name,
            f"lacks {len(missing):,} of {plural(total, 'judged query', 'judged queries')}",
            count=len(missing),
            where=tuple(f"query '{text_of(each)}'" for each in missing[:EXAMPLES]),
            effect=f"karat counts them as 0, as trec_eval -c does. {told(values)}".strip(),
            values=values,
        )
    if extra:
        yield found(
            "extra-queries",
            pair.name,
            plural(len(extra), "unjudged query", "unjudged queries"),
            count=len(extra),
            where=tuple(f"query '{text_of(each)}'" for each in extra[:EXAMPLES]),
        )


def spelled_queries(pair: Pair) -> Finding:
    """Returns the finding about queries that the run spells differently."""
    pairs = pair.queries
    values = {
        "as it is": pair.means(qrels=pair.spelled(queries=False, documents=True)),
        "written alike": pair.means(),
    }
    values = {name: means for name, means in values.items() if means}
    effect = told(values)
    if not effect and values:
        means = next(iter(values.values()))
        effect = (
            "With the ids equal: " + ", ".join(f"{name} {mean:.4f}" for name, mean in means.items()) + "."
        )
    return found(
        "query-spelling",
        pair.name,
        f"spelled differently than in the judgments: {plural(len(pairs), 'query', 'queries')} of "
        f"{len(pair.retrieved):,}",
        count=len(pairs),
        where=tuple(
            f"'{text_of(each)}' in the judgments, '{text_of(other)}' in the run"
            for each, other in list(pairs.items())[:EXAMPLES]
        ),
        effect=f"Such a query counts as missing. {effect} All other findings treat the ids as equal.",
        values=values,
    )


def documents(pair: Pair) -> Iterator[Finding]:
    """Finds documents that only the judgments or only the run has."""
    if pair.matched is None or not pair.retrieved.any():
        return
    pairs = pair.documents
    if pairs:
        other = pair.spelled(queries=True, documents=False)
        values = {"as it is": pair.means(qrels=other), "written alike": pair.means()}
        yield found(
            "document-spelling",
            pair.name,
            f"spelled differently than in the judgments: {plural(len(pairs), 'document')}",
            count=len(pairs),
            where=tuple(
                f"'{text_of(each)}' in the judgments, '{text_of(token)}' in the run"
                + (f" (line {line:,})" if pair.text.is_file else "")
                for each, (token, line) in list(pairs.items())[:EXAMPLES]
            ),
            effect=f"Such a document counts as not retrieved. {told(values)} All other findings treat the "
            "ids as equal.",
            values=values,
        )
    elif not len(pair.matched.rank):
        judgments = pair.judged.qrels.judgments
        asked = int(np.diff(judgments.offsets)[pair.retrieved].sum())
        example = pair.text.read().example
        what = (
            f"no judged document is in the run: it holds '{text_of(example[2])}' and the like, the judgments "
            f"'{text_of(judgments.document(0))}'"
        )
        yield found("no-common-document", pair.name, what, severity=ERROR if asked >= ENOUGH else WARNING)


def unjudged(pair: Pair) -> Iterator[Finding]:
    """Finds unjudged documents at the top."""
    if pair.matched is None or not len(pair.matched.rank):
        return
    judged, all_ = pair.judged_at_depth
    # If no document is judged not relevant, the unjudged documents take the place of nonrelevant ones.
    if judged >= COVERED * all_ or pair.judged.qrels.judgments.grades.min() >= 1:
        return
    values = pair.alternatives(as_not_relevant={}, removed={"unjudged": "removed"})
    yield found(
        "unjudged",
        pair.name,
        f"without a judgment: {(all_ - judged) / all_:.0%} of the documents in the first {DEPTH} of each list",
        count=all_ - judged,
        effect=f"They count as not relevant. {told(values)}",
        values=values,
    )


def perfect(pair: Pair) -> Iterator[Finding]:
    """Finds a run with a perfect score."""
    scores = pair.scores()
    if pair.matched is None or scores is None or len(scores.queries) < SEVERAL:
        return
    if (scores.matrix == 1).all() and int(pair.matched.length.max()) > 1:
        yield found("perfect", pair.name, f"1 in every query: {', '.join(scores.labels)}")


QRELS_VS_RUN: tuple[Callable[[Pair], Iterator[Finding]], ...] = (queries, documents, unjudged, perfect)
"""Every check of a run against the judgments."""


RATIO = 1.5
"""The least ratio of list lengths of two runs that is reported."""
GAP = 0.1
"""The least difference in the share of judged documents that is reported."""


def identical(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Finds runs that rank all judged documents alike."""
    matched = [pair for pair in pairs if pair.matched is not None and len(pair.matched.rank)]
    for one, other in combinations(matched, 2):
        mine, its = one.matched, other.matched
        assert mine is not None
        assert its is not None
        same = np.array_equal(mine.judgment, its.judgment) and np.array_equal(mine.rank, its.rank)
        if same and np.array_equal(mine.length, its.length):
            yield found("identical-runs", other.name, f"ranks every judged document as {one.name} does")


def names(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Finds files with the same name in different folders."""
    first: dict[str, str] = {}
    for pair in pairs:
        name = short(pair.name)
        if pair.text.is_file and first.setdefault(name, pair.name) != pair.name:
            yield found("same-name", pair.name, f"has the same name as {first[name]}: '{name}'")


def lengths(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Finds runs cut at different depths."""
    longest = {
        number: int(pair.matched.length.max())
        for number, pair in enumerate(pairs)
        if pair.matched is not None and pair.retrieved.any()
    }
    if len(longest) < 2 or max(longest.values()) < RATIO * min(longest.values()):
        return
    low = min(longest.values())
    deepest = max(longest, key=lambda each: longest[each])
    ordered = sorted(longest, key=lambda each: longest[each])
    pair = pairs[deepest]
    values = pair.alternatives(whole={}, **{f"cut_at_{low}": {"depth": low}})
    yield found(
        "list-lengths",
        "all runs",
        f"the longest list has {low:,} documents in one run and {longest[deepest]:,} in another",
        count=len(longest),
        where=tuple(
            f"{short(pairs[each].name)}: {longest[each]:,}" for each in (*ordered[: EXAMPLES - 1], deepest)
        ),
        effect=f"A longer list can only gain in AP and recall. {short(pair.name)}: {told(values)}",
        values=values,
    )


def gap(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Finds runs judged to different extents."""
    shares = {
        number: judged / all_
        for number, pair in enumerate(pairs)
        if pair.matched is not None
        and (all_ := pair.judged_at_depth[1])
        and (judged := pair.judged_at_depth[0])
    }
    if len(shares) < 2 or max(shares.values()) - min(shares.values()) < GAP:
        return
    ordered = sorted(shares, key=lambda each: shares[each])
    worst = pairs[ordered[0]]
    values = worst.alternatives(as_not_relevant={}, removed={"unjudged": "removed"})
    yield found(
        "unjudged-gap",
        "all runs",
        f"judged in the first {DEPTH}: {shares[ordered[0]]:.0%} of one run, {shares[ordered[-1]]:.0%} of another",
        count=len(shares),
        where=tuple(
            f"{short(pairs[each].name)}: {shares[each]:.0%}"
            for each in (*ordered[: EXAMPLES - 1], ordered[-1])
        ),
        effect=f"The first is underestimated. {short(worst.name)}: {told(values)}",
        values=values,
    )


RUN_VS_RUN: tuple[Callable[[Sequence[Pair]], Iterator[Finding]], ...] = (identical, names, lengths, gap)
"""Every check between runs."""
