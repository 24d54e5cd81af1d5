"""Findings in a run's lines: what cannot be read, what stands twice, whose own document, whose tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.diagnosis.check.finding import found, plural
from karat.diagnosis.check.pairing import LENIENT, told
from karat.diagnosis.check.rewriting import without_own
from karat.diagnosis.check.survey import MOST_TAGS
from karat.diagnosis.check.texts import EXAMPLES, malformed, of_lines, truncated_line
from karat.inputs.ids import text_of
from karat.inputs.runs import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.pairing import Pair

__all__ = ["IN_LINES"]

MOST_REPEATS = 1_000_000
"""Repeated documents that are looked at one by one; more are only counted."""
OFTEN = 0.1
"""The share of queries from which on one's own document is no accident."""
KEEP = LENIENT.changed(duplicates="error")
"""The kernel keeps repeats, and names them."""


def lines(pair: Pair) -> Iterator[Finding]:
    """Lines that cannot be read, and scores that are no numbers."""
    survey = pair.text.read()
    if survey.nan.count:
        what = f"NaN: {plural(survey.nan.count, 'score')} of {survey.rows:,}"
        yield of_lines("nan-scores", pair.text, what, survey.nan)
    if survey.infinite.count:
        what = f"infinite: {plural(survey.infinite.count, 'score')} of {survey.rows:,}"
        yield of_lines("infinite-scores", pair.text, what, survey.infinite)
    if pair.matched is not None:
        yield from malformed(pair.text, pair.matched.malformed, pair.matched.malformed_lines)
    elif pair.text.source is not None and survey.rows:
        whys = [
            (seen.line, f"it has {plural(width, 'column')}")
            for width, seen in survey.widths.items()
            if width < 6
        ]
        yield from malformed(pair.text, survey.rows - survey.usable, whys)


def duplicates(pair: Pair) -> Iterator[Finding]:
    """A document twice in one list."""
    if pair.matched is None or pair.run is None or not pair.matched.dropped:
        return
    where: tuple[str, ...] = ()
    queries = ""
    if pair.matched.dropped <= MOST_REPEATS:
        repeats = pair.run.match(pair.judged.qrels.judgments, Asked(KEEP)).duplicates
        names = pair.judged.qrels.judgments.queries
        queries = f" in {plural(len({each[0] for each in repeats}), 'query', 'queries')}"
        where = tuple(
            f"{pair.text.at(second)}: document '{text_of(document)}' of query '{text_of(names[query])}', first on "
            f"line {first:,}".lstrip(": ")
            for query, document, first, second, _, _ in repeats[:EXAMPLES]
        )
    values = pair.alternatives(**{rule: {"duplicates": rule} for rule in ("first", "last", "max")})
    what = f"twice in the same list: {plural(pair.matched.dropped, 'document')}{queries}"
    yield found(
        "duplicate-documents",
        pair.name,
        what,
        count=pair.matched.dropped,
        where=where,
        effect=f"karat eval refuses them. {told(values)}".strip(),
        values=values,
    )


def own_documents(pair: Pair) -> Iterator[Finding]:
    """Queries that find themselves."""
    survey = pair.text.read()
    queries = len(survey.own_queries)
    if not queries or queries < OFTEN * len(survey.queries) or survey.own_first < queries / 2:
        return
    values = {"as it is": pair.means(), "without them": pair.means(change=without_own)}
    values = {name: means for name, means in values.items() if means}
    what = (
        f"a document with the query's own id for {plural(queries, 'query', 'queries')} of {len(survey.queries):,}, "
        f"{survey.own_first:,} times at the top"
    )
    yield found(
        "self-retrieval",
        pair.name,
        what,
        count=survey.own.count,
        where=(pair.text.at(survey.own.line, survey.own.excerpt),),
        effect=f"BEIR leaves such documents out, MTEB does not. {told(values)}".strip(),
        values=values,
    )


def tags(pair: Pair) -> Iterator[Finding]:
    """Several run tags in one file."""
    survey = pair.text.read()
    if len(survey.tags) > 1 and not truncated_line(pair.text):
        names = list(survey.tags)
        where = tuple(
            f"'{text_of(tag)}' from {pair.text.at(survey.tags[tag])} on" for tag in names[:EXAMPLES]
        )
        count = f"{len(names):,}" if len(names) < MOST_TAGS else f"{MOST_TAGS:,} or more"
        yield found("several-tags", pair.name, f"holds {count} run tags", count=len(names), where=where)


IN_LINES: tuple[Callable[[Pair], Iterator[Finding]], ...] = (lines, duplicates, own_documents, tags)
"""Every finding in a run's lines."""
