"""Finds problems in a run: unreadable or repeated lines, several tags, tied or reversed scores, contradictory ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob._numpy import np
from carob.diagnosis.check.finding import ERROR, KINDS, NOTE, WARNING, found, moved
from carob.diagnosis.check.inputs import fields_in
from carob.diagnosis.check.text import EXAMPLES, of_lines, queries_at, repeats_at, truncated_line, unreadable
from carob.evaluation.suspects import constant_lists
from carob.inputs.ids import text_of
from carob.inputs.runs import MatchOptions
from carob.inputs.sources import is_pattern, several_runs
from carob.matching.lines import is_shifted
from carob.matching.signs import Signs, reversal
from carob.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from carob.diagnosis.check.finding import Finding
    from carob.diagnosis.check.lenient import RunAndQrels


MOST_REPEATS = 1_000_000
"""The maximum number of repeated documents to examine one by one. If there are more, they are only counted."""
MOST_TAGS = 1000
"""The maximum number of tags that the kernel counts."""
MOST_RANKS = 1_000_000
"""The maximum number of lines of a run whose ranks are searched for gaps."""
OFTEN = 0.1
"""If at least this proportion of queries retrieves the document with the query's own id, that is not an accident."""


def lines(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds unreadable lines."""
    return unreadable(pair.text, pair.matched)


def duplicates(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds documents listed twice for a query."""
    dropped = pair.found.dropped
    if pair.run is None or not dropped:
        return
    where: tuple[str, ...] = ()
    queries = ""
    if dropped <= MOST_REPEATS:
        repeats = pair.rematched(duplicates="error").duplicates
        queries = f" in {plural(len({each[0] for each in repeats}), 'query', 'queries')}"
        where = repeats_at(pair.text, repeats, pair.judgments.queries)
    values = pair.alternatives(**{rule: {"duplicates": rule} for rule in ("first", "last", "max")})
    yield found(
        "duplicate-documents",
        pair.name,
        count=dropped,
        where=where,
        values=values,
        queries=queries,
        remedy=several(pair, KINDS["duplicate-documents"].remedy),
    )


def several(pair: RunAndQrels, otherwise: str = "") -> str | None:
    """Returns the remedy for a pattern that may match several runs, or None for a single file."""
    return several_runs(pair.name, otherwise) if is_pattern(pair.name) else None


def own_documents(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds queries that retrieve a document with their own id."""
    survey = pair.survey
    queries, total, first = survey.own_queries, survey.query_count, survey.own_first
    if not queries or queries < OFTEN * total or first < queries / 2:
        return
    values = pair.alternatives(unchanged={}, without_them={"change": "without-own"})
    where = (pair.text.at(survey.own.line, survey.own.excerpt),)
    numbers: dict[str, Any] = {"queries": queries, "total": total, "first": first}
    yield found("self-retrieval", pair.name, count=survey.own.count, where=where, values=values, **numbers)


def tags(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds different run tags in one file."""
    tags = pair.survey.tags
    if len(tags) > 1 and not truncated_line(pair.text):
        where = tuple(
            f"'{text_of(tag)}' from {pair.text.at(line)} on" for tag, line in list(tags.items())[:EXAMPLES]
        )
        shown = f"{len(tags):,}" if len(tags) < MOST_TAGS else f"{MOST_TAGS:,} or more"
        yield found("several-tags", pair.name, count=len(tags), where=where, tags=shown, remedy=several(pair))


MOSTLY = 0.9


def ties(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds lists with equal scores."""
    scores = pair.scores()
    if scores is None:
        return
    names, same, lists = pair.judgments.queries, constant_lists(pair.rows), pair.lists
    if same:
        yield found(
            "constant-scores",
            pair.name,
            count=len(same),
            where=queries_at(names[each] for each in same),
            severity=ERROR if 2 * len(same) >= lists else WARNING,
            values=pair.alternatives(by_document_id={}, in_order_of_lines={"ties": "input"}),
            lists=lists,
        )
    tied = scores.counts.tied - len(same)
    if tied <= 0 or 2 * len(same) >= lists:
        return
    worst, best = (
        {label: scores.bounds.get(label, (scores[label],) * 2)[place] for label in scores.labels}
        for place in (0, 1)
    )
    values = {"worst": worst, "by document id": scores.means(), "best": best}
    touched = pair.rows.list_of_row[pair.rows.tie_last > pair.rows.tie_first]
    yield found(
        "ties",
        pair.name,
        count=tied,
        where=queries_at(names[each] for each in sorted(set(touched.tolist()) - set(same))),
        severity=WARNING if moved(values) else NOTE,
        values=values,
        lists=lists,
    )


def single_precision(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds scores that are equal only in single precision."""
    survey, exact = pair.survey, pair.found
    if pair.run is None or not (
        survey.blurred or exact.unordered or survey.groups > survey.query_count
    ):  # rounding makes no adjacent scores equal
        return
    rounded = pair.rematched(scores="float32")
    if len(exact.judgment) != len(rounded.judgment):
        return
    order = np.argsort(exact.judgment), np.argsort(rounded.judgment)
    count = int(np.count_nonzero(exact.rank[order[0]] != rounded.rank[order[1]]))
    if np.array_equal(exact.judgment, rounded.judgment) and not count:
        return
    values = pair.alternatives(double={}, float32={"scores": "float32"})
    severity = WARNING if moved(values) else NOTE
    yield found("single-precision", pair.name, count=count, severity=severity, values=values)


def order(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds scores that contradict the order of lines or the rank column."""
    survey, matched = pair.survey, pair.found
    if not survey.usable:
        return
    yield from ranks(pair)
    turned = reversal(Signs.of(matched), pair.rows, ranked=pair.text.is_file)
    if turned is not None and turned.kind != "rising":
        yield found(
            "ranks-as-scores" if turned.kind == "counting" else "relevant-last",
            pair.name,
            count=turned.count,
            where=queries_at(pair.judgments.queries[each] for each in np.flatnonzero(turned.which)),
            values={"unchanged": pair.means(), "with negated scores": pair.means(change="negated")},
            lists=turned.lists,
        )
        return
    if turned is not None or rise(pair):
        yield found(
            "ascending-scores",
            pair.name,
            count=matched.unordered,
            severity=WARNING if turned is None else ERROR,
            values={"unchanged": pair.means(), "with negated scores": pair.means(change="negated")},
            lists=survey.query_count,
        )
        return
    ranked = survey.rank_odd.count == 0 and survey.low_rank < survey.high_rank and pair.text.is_file
    # If no score and no rank is out of order in the lines, both columns agree with the order of the lines.
    if ranked and (matched.unordered or survey.rank_falls.count) and (differ := displaced(pair)):
        values = {"by score": pair.means(), "by rank column": pair.means(change="by-rank")}
        yield found("rank-order", pair.name, count=differ, values=values, total=len(matched.rank))
    elif matched.unordered:
        yield found("unsorted", pair.name, count=matched.unordered)


def ranks(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds a rank column without usable ranks."""
    survey = pair.survey
    if not pair.text.is_file:
        return
    if survey.rank_odd.count and is_shifted(fields_in(survey.rank_odd.excerpt.encode())):
        yield replace(
            of_lines("odd-ranks", pair.text, survey.rank_odd),
            severity=ERROR,
            effect=(
                "The query seems to contain a blank, and the tag seems to be missing, so only the first word was read "
                "as the query id."
            ),
            remedy="Write the query's id without blanks, and a tag.",
        )
    elif survey.rank_odd.count:
        yield of_lines("odd-ranks", pair.text, survey.rank_odd)
    elif survey.low_rank == survey.high_rank and survey.usable > survey.query_count:
        yield found("constant-ranks", pair.name, count=survey.usable, rank=survey.low_rank)


def rise(pair: RunAndQrels) -> bool:
    """Returns whether nearly all scores rise although ranks do not fall, even if the lists are few and short."""
    survey = pair.survey
    if pair.found.unordered < max(1, MOSTLY * pair.lists) or survey.low_rank > survey.high_rank:
        return False
    if survey.rank_falls.count > (1 - MOSTLY) * survey.usable and survey.low_rank < survey.high_rank:
        return False
    return survey.rises > MOSTLY * (survey.rises + survey.falls)


def gaps(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds lists whose ranks skip numbers, as if lines had been removed."""
    survey = pair.survey
    ranked = survey.rank_odd.count == 0 and survey.low_rank < survey.high_rank and pair.text.is_file
    if not ranked or survey.usable > MOST_RANKS or pair.found.dropped:
        return
    options = MatchOptions(pair.request.policy, scores=True)
    other = pair.changed("by-rank").match(pair.judgments, options)
    length = np.maximum(other.length, 0)
    several = np.flatnonzero(length > 1)
    if other.scores is None or not len(several):
        return
    starts = (np.cumsum(length) - length)[several]
    bounds = np.stack([starts, starts + length[several]], axis=1).ravel()
    ends = bounds[:-1] if bounds[-1] == len(other.scores) else bounds
    spans = np.maximum.reduceat(other.scores, ends)[::2] - np.minimum.reduceat(other.scores, ends)[::2]
    lists = several[spans >= length[several]]
    if len(lists):
        yield found(
            "rank-gaps",
            pair.name,
            count=len(lists),
            where=queries_at(pair.judgments.queries[each] for each in lists.tolist()),
            lists=len(several),
        )


def displaced(pair: RunAndQrels) -> int:
    """Returns the number of judged documents whose rank by score differs from the rank column."""
    mine = pair.found
    other = pair.changed("by-rank").match(pair.judgments, MatchOptions(pair.request.policy))
    if len(other.judgment) != len(mine.judgment):
        return 0
    by_judgment = np.argsort(mine.judgment), np.argsort(other.judgment)
    # Documents with equal scores may be in any order.
    first, last = mine.tie_first[by_judgment[0]], mine.tie_last[by_judgment[0]]
    rank = other.rank[by_judgment[1]]
    return int(np.count_nonzero((rank < first) | (rank > last)))


IN_ANY_RUN: tuple[Callable[[RunAndQrels], Iterator[Finding]], ...] = (lines, own_documents, tags)
"""All checks of a run that need no judgments."""
IN_RUN: tuple[Callable[[RunAndQrels], Iterator[Finding]], ...] = (
    duplicates,
    ties,
    single_precision,
    order,
    gaps,
)
"""All checks of a run after matching it with judgments."""
