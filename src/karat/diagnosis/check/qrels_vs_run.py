"""Findings between qrels and a run: queries and documents that do not match, lost zeros, unjudged documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.diagnosis.check.finding import ERROR, WARNING, found, plural
from karat.diagnosis.check.lenient import DEPTH, told
from karat.diagnosis.check.text import EXAMPLES
from karat.inputs.ids import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.lenient import Pair

__all__ = ["QRELS_VS_RUN"]

ENOUGH = 20
"""So many judged documents that a run which finds none of them speaks of other documents."""
SEVERAL = 5
"""So many queries that a perfect value in all of them is no luck."""
COVERED = 0.9
"""The share of judged documents at the top below which a note is made."""


def strangers(pair: Pair) -> tuple[list[bytes], list[bytes]]:
    """Judged queries that the run lacks, and queries of the run that are not judged."""
    assert pair.matched is not None
    judged = pair.judged.qrels.judgments.queries
    return [judged[each] for each in np.flatnonzero(~pair.retrieved)], pair.matched.extra


def queries(pair: Pair) -> Iterator[Finding]:
    """Queries that only one side has."""
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
        values = pair.alternatives(counted_0={}, left_out={"missing": "skip"})
        yield found(
            "missing-queries",
            pair.name,
            f"lacks {len(missing):,} of {plural(total, 'judged query', 'judged queries')}",
            count=len(missing),
            where=tuple(f"query '{text_of(each)}'" for each in missing[:EXAMPLES]),
            effect=f"karat counts them 0, as trec_eval -c does. {told(values)}".strip(),
            values=values,
        )
    if extra:
        yield found(
            "extra-queries",
            pair.name,
            f"{plural(len(extra), 'query', 'queries')} without judgments",
            count=len(extra),
            where=tuple(f"query '{text_of(each)}'" for each in extra[:EXAMPLES]),
        )


def spelled_queries(pair: Pair) -> Finding:
    """Queries that both sides have, in different writing."""
    pairs = pair.queries
    values = {
        "as it is": pair.means(qrels=pair.spelled(queries=False, documents=True)),
        "written alike": pair.means(),
    }
    values = {name: means for name, means in values.items() if means}
    effect = told(values)
    if not effect and values:
        means = next(iter(values.values()))
        effect = "Written alike: " + ", ".join(f"{name} {mean:.4f}" for name, mean in means.items()) + "."
    return found(
        "query-spelling",
        pair.name,
        f"written otherwise than in the judgments: {plural(len(pairs), 'query', 'queries')} of "
        f"{len(pair.retrieved):,}",
        count=len(pairs),
        where=tuple(
            f"'{text_of(each)}' in the judgments, '{text_of(other)}' in the run"
            for each, other in list(pairs.items())[:EXAMPLES]
        ),
        effect=f"Such a query counts as missing. {effect} What else is said takes them as written alike.",
        values=values,
    )


def documents(pair: Pair) -> Iterator[Finding]:
    """Documents that only one side has."""
    if pair.matched is None or not pair.retrieved.any():
        return
    pairs = pair.documents
    if pairs:
        other = pair.spelled(queries=True, documents=False)
        values = {"as it is": pair.means(qrels=other), "written alike": pair.means()}
        yield found(
            "document-spelling",
            pair.name,
            f"written otherwise than in the judgments: {plural(len(pairs), 'document')}",
            count=len(pairs),
            where=tuple(
                f"'{text_of(each)}' in the judgments, '{text_of(token)}' in the run"
                + (f" (line {line:,})" if pair.text.is_file else "")
                for each, (token, line) in list(pairs.items())[:EXAMPLES]
            ),
            effect=f"Such a document counts as not retrieved. {told(values)} What else is said takes them as "
            "written alike.",
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
    """Unjudged documents at the top."""
    if pair.matched is None or not len(pair.matched.rank):
        return
    judged, all_ = pair.judged_at_depth
    # Where no document is judged not relevant, unjudged ones are as good as such.
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
    """A run that is too good to be true."""
    scores = pair.scores()
    if pair.matched is None or scores is None or len(scores.queries) < SEVERAL:
        return
    if (scores.values == 1).all() and int(pair.matched.length.max()) > 1:
        yield found("perfect", pair.name, f"1 in every query: {', '.join(scores.labels)}")


QRELS_VS_RUN: tuple[Callable[[Pair], Iterator[Finding]], ...] = (queries, documents, unjudged, perfect)
"""Every finding between a run and the judgments."""
