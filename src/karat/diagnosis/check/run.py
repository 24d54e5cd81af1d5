"""Findings in a run: unreadable and repeated lines, tags, tied or reversed scores, ranks that contradict scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.diagnosis.check.finding import ERROR, NOTE, WARNING, found
from karat.diagnosis.check.lenient import LENIENT, moved, told
from karat.diagnosis.check.text import EXAMPLES, malformed, of_lines, truncated_line
from karat.inputs.ids import text_of
from karat.inputs.runs import MatchOptions
from karat.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.lenient import Pair

__all__ = ["IN_RUN"]

MOST_REPEATS = 1_000_000
"""The most repeated documents that are examined one by one; more are only counted."""
MOST_TAGS = 1000
"""The most tags that the kernel counts."""
OFTEN = 0.1
"""The share of queries from which on one's own document is no accident."""
KEEP = LENIENT.changed(duplicates="error")
"""The policy under which the kernel keeps and reports repeats."""


def lines(pair: Pair) -> Iterator[Finding]:
    """Finds unreadable lines, and scores that are not finite numbers."""
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
    """Finds documents listed twice for a query."""
    if pair.matched is None or pair.run is None or not pair.matched.dropped:
        return
    where: tuple[str, ...] = ()
    queries = ""
    if pair.matched.dropped <= MOST_REPEATS:
        repeats = pair.run.match(pair.judged.qrels.judgments, MatchOptions(KEEP)).duplicates
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
    """Finds queries that retrieve themselves."""
    survey = pair.text.read()
    queries = survey.own_queries
    if not queries or queries < OFTEN * survey.query_count or survey.own_first < queries / 2:
        return
    values = {"as it is": pair.means(), "without them": pair.means(change="without-own")}
    values = {name: means for name, means in values.items() if means}
    what = (
        f"a document with the query's own id for {plural(queries, 'query', 'queries')} of {survey.query_count:,}, "
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
    """Finds different run tags in one file."""
    survey = pair.text.read()
    tags = survey.tags
    if len(tags) > 1 and not truncated_line(pair.text):
        where = tuple(
            f"'{text_of(tag)}' from {pair.text.at(line)} on" for tag, line in list(tags.items())[:EXAMPLES]
        )
        count = f"{len(tags):,}" if len(tags) < MOST_TAGS else f"{MOST_TAGS:,} or more"
        yield found("several-tags", pair.name, f"holds {count} run tags", count=len(tags), where=where)


MOSTLY = 0.9
SURE = 10
"""With this many rising scores, the run is certainly upside down."""
NOT_FEW = 0.2
"""The share of lists without any order from which on it is no accident; fewer are among the ties."""


def constant(pair: Pair) -> list[int]:
    """Returns the judged queries whose lists have several documents and one score."""
    if pair.matched is None:
        return []
    rows = pair.rows
    alone = (rows.tie_first == 1) & (rows.tie_last == rows.length[rows.list_of_row]) & (rows.tie_last > 1)
    return sorted(set(rows.list_of_row[alone].tolist()))


def ties(pair: Pair) -> Iterator[Finding]:
    """Finds lists in which some or all scores are equal."""
    scores = pair.scores()
    if pair.matched is None or scores is None:
        return
    names, same = pair.judged.qrels.judgments.queries, constant(pair)
    lists = int(np.count_nonzero(pair.matched.length > 1))
    if len(same) < NOT_FEW * lists:
        same = []
    if same:
        values = pair.alternatives(by_document_id={}, in_order_of_lines={"ties": "input"})
        yield found(
            "constant-scores",
            pair.name,
            f"all scores equal in {len(same):,} of {plural(lists, 'list')}",
            count=len(same),
            where=tuple(f"query '{text_of(names[each])}'" for each in same[:EXAMPLES]),
            effect=f"The order is that of document ids. {told(values)}",
            severity=ERROR if 2 * len(same) >= lists else WARNING,
            values=values,
        )
    tied = scores.counts.tied - len(same)
    if tied <= 0 or 2 * len(same) >= lists:
        return
    bounds = {
        name: {label: scores.bounds.get(label, (scores[label],) * 2)[place] for label in scores.labels}
        for place, name in enumerate(("worst", "best"))
    }
    values = {"worst": bounds["worst"], "by document id": scores.means(), "best": bounds["best"]}
    rows = pair.rows
    touched = rows.list_of_row[rows.tie_last > rows.tie_first]
    places = sorted(set(touched.tolist()) - set(same))[:EXAMPLES]
    yield found(
        "ties",
        pair.name,
        f"judged documents have tied scores in {tied:,} of {plural(lists, 'list')}",
        count=tied,
        where=tuple(f"query '{text_of(names[each])}'" for each in places),
        effect=f"Their order is decided by document ids. {told(values)}",
        severity=WARNING if moved(values) else NOTE,
        values=values,
    )


def single_precision(pair: Pair) -> Iterator[Finding]:
    """Finds scores that are equal in single precision only."""
    if pair.matched is None or pair.run is None:
        return
    survey, exact = pair.text.read(), pair.matched
    if not (survey.blurred or exact.unordered or survey.groups > survey.query_count):
        return  # no neighbours in order of score become equal
    rounded = pair.run.match(pair.judged.qrels.judgments, MatchOptions(LENIENT.changed(scores="float32")))
    if np.array_equal(exact.judgment, rounded.judgment) and np.array_equal(exact.rank, rounded.rank):
        return
    order = np.argsort(exact.judgment), np.argsort(rounded.judgment)
    if len(exact.judgment) != len(rounded.judgment):
        return
    count = int(np.count_nonzero(exact.rank[order[0]] != rounded.rank[order[1]]))
    values = pair.alternatives(double={}, float32={"scores": "float32"})
    yield found(
        "single-precision",
        pair.name,
        f"another rank when scores are rounded to float32: {plural(count, 'judged document')}",
        count=count,
        effect=f"trec_eval 9, pytrec_eval and ir_measures round so. {told(values)}",
        severity=WARNING if moved(values) else NOTE,
        values=values,
    )


def order(pair: Pair) -> Iterator[Finding]:
    """Finds scores that contradict the order of lines or the rank column."""
    survey, matched = pair.text.read(), pair.matched
    if matched is None or not survey.usable:
        return
    yield from ranks(pair)
    falling = matched.unordered == 0
    if rises := upside_down(pair):
        values = {"as it is": pair.means(), "scores negated": pair.means(change="negated")}
        yield found(
            "ascending-scores",
            pair.name,
            f"scores that rise from line to line in {matched.unordered:,} of {plural(survey.query_count, 'list')}",
            count=matched.unordered,
            effect=f"The run is measured upside down. {told(values)}",
            severity=ERROR if rises >= SURE else WARNING,
            values=values,
        )
        return
    ranked = survey.rank_odd.count == 0 and survey.low_rank < survey.high_rank and pair.text.is_file
    if falling and (not ranked or not survey.rank_falls.count):
        return
    if ranked and (differ := displaced(pair)):
        values = {"by score": pair.means(), "by rank column": pair.means(change="by-rank")}
        yield found(
            "rank-order",
            pair.name,
            f"another rank by score than in the rank column: {plural(differ, 'judged document')} of "
            f"{len(matched.rank):,}",
            count=differ,
            effect=f"karat and trec_eval go by score. {told(values)}",
            values=values,
        )
    elif not falling:
        what = f"lines that are not in order of score in {plural(matched.unordered, 'list')}"
        yield found("unsorted", pair.name, what, count=matched.unordered)


def ranks(pair: Pair) -> Iterator[Finding]:
    """Finds a rank column without usable ranks."""
    survey = pair.text.read()
    if not pair.text.is_file:
        return
    if survey.rank_odd.count:
        what = f"no whole number: {plural(survey.rank_odd.count, 'rank')} of {survey.usable:,}"
        yield of_lines("odd-ranks", pair.text, what, survey.rank_odd)
    elif survey.low_rank == survey.high_rank and survey.usable > survey.query_count:
        what = f"the same rank, {survey.low_rank}, on every line"
        yield found("constant-ranks", pair.name, what, count=survey.usable)


def upside_down(pair: Pair) -> int:
    """Returns the number of rising scores if nearly all scores rise although the ranks do not, else 0."""
    survey, matched = pair.text.read(), pair.matched
    assert matched is not None
    lists = int(np.count_nonzero(matched.length > 1))
    if matched.unordered < max(1, MOSTLY * lists) or survey.low_rank > survey.high_rank:
        return 0
    if survey.rank_falls.count > (1 - MOSTLY) * survey.usable and survey.low_rank < survey.high_rank:
        return 0
    return survey.rises if survey.rises > MOSTLY * (survey.rises + survey.falls) else 0


def displaced(pair: Pair) -> int:
    """Returns the number of judged documents whose rank by score differs from the rank column."""
    assert pair.matched is not None
    other = pair.changed("by-rank").match(pair.judged.qrels.judgments, MatchOptions(LENIENT))
    if len(other.judgment) != len(pair.matched.judgment):
        return 0
    by_judgment = np.argsort(pair.matched.judgment), np.argsort(other.judgment)
    # Documents with equal scores may be in either order.
    first, last = pair.matched.tie_first[by_judgment[0]], pair.matched.tie_last[by_judgment[0]]
    rank = other.rank[by_judgment[1]]
    return int(np.count_nonzero((rank < first) | (rank > last)))


IN_RUN: tuple[Callable[[Pair], Iterator[Finding]], ...] = (
    lines,
    duplicates,
    own_documents,
    tags,
    ties,
    single_precision,
    order,
)
"""Every check of a run."""
