"""Detects runs and qrels that do not belong together, for example because they have no common ids or are swapped."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from carob import _native
from carob.inputs.dicts import MappingRun
from carob.inputs.errors import ANSWERS_NAMED, SWAPPED, refused, skipped_all
from carob.inputs.ids import text_of
from carob.inputs.run import by_rank_column
from carob.inputs.runs import MatchOptions
from carob.inputs.runs.excluded import ExcludingRun
from carob.matching.lines import contradicted, numbered_by_position, other_tags, several_systems, shifted_line
from carob.matching.match import rows_of
from carob.matching.signs import SPELLED, Lean, first_rows, spelled_otherwise, upside_down
from carob.output.errors import DataError, Doubt, by_policy, by_reading, worded
from carob.output.language import filled, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from carob.conventions.policy import Policy
    from carob.inputs.qrels import Qrels
    from carob.inputs.run import Run
    from carob.matching.match import Match


LEVELS = 10
"""The largest usual number of distinct grades, and the largest usual grade."""
SWAPPED_IDS = 0.5
"""The share of a run's ids found in the wrong place, above which columns or query numbers seem to be wrong."""
JUDGED, RANKED = 400, 2000
"""The maximum numbers of distinct ids to compare, from the judgments and from the run."""
ABOVE = 2.0
"""If relevant documents are higher than by chance by this many standard deviations, the order is a real ranking."""
AGAIN = 1_000_000
"""Runs with more lines than this are not read again to inspect their lines or their rank column."""


def doubts(judged: Qrels, run: Run, found: Match, policy: Policy) -> list[str]:
    """Returns sentences that say why a run's scores are doubtful.

    Raises:
        DataError: the run is empty, no query is in common, a line has a blank in its query, or a column of ranks was
            named as scores.
    """
    refuse_shifted(judged, run, found, policy)
    said = [
        without_judged_documents(judged, run, found, policy),
        blank_ids(judged),
        missing_ids(judged),
        several_systems(run),
        None if found.signs is None else other_tags(run, found.signs.tag),
        *signs_of(judged, run, found, policy),
        swapped(judged, run, policy),
        not_excluded(judged, run, found, policy),
        positions_for_ids(run, found, policy),
    ]
    return [each for each in said if each is not None]


def refuse_shifted(judged: Qrels, run: Run, found: Match, policy: Policy) -> None:
    """Refuses a line with a blank in its query and no tag, which therefore has the expected six columns.

    The run is read again only if an unjudged query is the beginning of a judged query.

    Raises:
        DataError: there is such a line.
    """
    strict = policy.columns == "equal" and policy.malformed == "error"
    if found.signs is None or not strict or found.counts.lines > AGAIN:
        return
    known = judged.judgments.queries
    starts = [
        each
        for each in found.signs.strangers
        if not each.isdigit()
        and (place := bisect(known, each)) < len(known)
        and known[place].startswith(each)
    ]
    line = shifted_line(run, starts) if starts else None
    if line is not None:
        raise refused(
            "the third column is the document 'Q0' and the fourth, '{rank}', is not a rank: the query id '{query}' "
            "seems to contain a blank, and the tag seems to be missing.",
            "Write the query's id without blanks, and a tag.",
            file=run.name if run.source is None else run.source.name,
            **line,
        )


def signs_of(judged: Qrels, run: Run, found: Match, policy: Policy) -> Iterator[str]:
    """Yields sentences about a run that may be upside down, or whose ids may be spelled differently from the judgments.

    Raises:
        DataError: the column that the caller named for scores contains ranks.
    """
    signs, rows = found.signs, found.whole
    if not run.meant:
        turned = upside_down(run, signs, rows, found.queries)
        agree, contradict = (0, 0) if signs is None else signs.accord
        if turned:
            yield turned
        elif (said := contradicted(run, agree, contradict)) and not reranked(judged, run, found, policy):
            yield said
    if signs is not None and policy.overlap != "none" and signs.met:
        yield from spelled_otherwise(judged, run, signs)


def positions_for_ids(run: Run, found: Match, policy: Policy) -> str | None:
    """Warns about answers without query names, if only some of the answers' positions are judged ids."""
    counts = found.counts
    if policy.overlap == "none" or not (counts.extra and counts.missing and numbered_by_position(run)):
        return None
    return (
        f"{run.name}: the answers do not contain query ids, so the queries are numbered by position. Not all "
        f"positions are judged query ids, so answers may be scored for the wrong queries. {filled(ANSWERS_NAMED)}"
    )


def reranked(judged: Qrels, run: Run, found: Match, policy: Policy) -> bool:
    """Returns whether the rank column is a real ranking, such as a first stage's, and the scores rank better."""
    held = by_rank_column(run.held) if found.counts.lines <= AGAIN else None
    if held is None:
        return False
    with suppress(DataError, OSError):
        judgments = judged.judgments
        other = Lean.of(rows_of(judgments, held.match(judgments, MatchOptions(policy))))
        return Lean.of(found.whole).excess < other.excess < -ABOVE
    return False


def blank_ids(judged: Qrels) -> str | None:
    """Warns about judgments with a blank query or document id, because they match blank ids in a run."""
    count = judged.judgments.blank
    if not count:
        return None
    return (
        f"{judged.name} has {plural(count, 'judgment')} whose query or document is blank text, which matches blank "
        "text in a run. Leave such rows out, or fill in the ids."
    )


def missing_ids(judged: Qrels) -> str | None:
    """Warns about judgments of documents with ids such as ``nan``, which may be missing values written as text."""
    if judged.written_missing is None:
        return None
    query, document = judged.written_missing
    return (
        f"{judged.name} judges a document called '{document}' (in query '{query}'), which may be a missing value. If "
        f"it is, remove such rows on both sides."
    )


def swapped(judged: Qrels, run: Run, policy: Policy) -> str | None:
    """Warns that run and judgments may be swapped, if grades are fractional and scores look like grades."""
    if policy.overlap == "none" or not judged.fractional:
        return None
    scores = [(query, score) for query, _, score in first_rows(run)]
    levels = {score for _, score in scores}
    # Scores that are really grades are a few whole numbers with ties within a list. Ranks have no ties.
    tied = len(set(scores)) < len(scores)
    if not tied or len(levels) > LEVELS or any(not 0 <= each <= LEVELS or each % 1 for each in levels):
        return None
    if len(levels) >= len(set(judged.judgments.grades.tolist())):
        return None
    return (
        f"{judged.name} has fractional grades, and {run.name} only the scores "
        f"{', '.join(f'{each:g}' for each in sorted(levels))}: {SWAPPED} The order of arguments is evaluate(qrels, "
        f"run)."
    )


def without_judged_documents(judged: Qrels, run: Run, found: Match, policy: Policy) -> str | None:
    """Returns a warning if a run contains no judged document, unless the policy allows it, else None.

    Raises:
        DataError: the run is empty, contains no judged query or, if the policy forbids it, contains no judged document.
    """
    if policy.overlap == "none":
        return None
    refuse_empty(run, found, policy)
    counts = found.counts
    if len(counts.missing) == counts.judged:
        raise DataError(no_common_query(judged, run, counts.extra))
    if counts.found:
        return None
    sentence = no_common_document(judged, run, found, policy)
    if policy.overlap == "document":
        raise DataError(sentence, remedy="The policy forbids it (overlap=document).")
    return Doubt(sentence, "nothing-judged")


def not_excluded(judged: Qrels, run: Run, found: Match, policy: Policy) -> str | None:
    """Returns a sentence if no pairs, or not all, were excluded because they spell ids differently from the run."""
    held = run.held
    if policy.overlap == "none" or not isinstance(held, ExcludingRun):
        return None
    if found.counts.excluded:
        return partly_excluded(judged, run, held)
    queries = [query for query in judged.judgments.queries if query in held.seen]
    if queries:
        theirs = list(islice((each for query in queries for each in sorted(held.seen[query])), JUDGED))
        its = some_documents(run, queries, policy)
    else:
        theirs, its = list(islice(held.seen, JUDGED)), judged.judgments.queries[:RANKED]
    what = "document" if queries else "query"
    from carob.inputs.spellings import why_apart  # imported only if ids do not match

    why = why_apart(theirs, its, "query")  # compare as queries: excluded ids never have passages
    if why is None and not queries:
        from carob.inputs.query_files import strangers

        said = strangers("exclude", map(text_of, held.seen), ())
        return said and f"Nothing was excluded from {run.name}: {said}"
    if why is None:
        return None
    return (
        f"Nothing was excluded from {run.name}: exclude has the {what} '{why.judged}', but the run has "
        f"'{why.ranked}'; {why.why}."
    )


def partly_excluded(judged: Qrels, run: Run, held: ExcludingRun) -> str | None:
    """Returns a sentence if some pairs to exclude spell a query or a document differently from the other inputs."""
    from carob.inputs.runs.batches import StreamedRun
    from carob.inputs.spellings import folded, how_written

    queries = set(judged.judgments.queries)
    said = f"Some pairs were not excluded from {run.name}: exclude has the"
    without = {folded(each): each for each in queries - held.seen.keys()}
    unknown = (each for each in islice(held.seen, SPELLED) if each not in queries) if without else ()
    for each in unknown:
        its = without.get(folded(each))
        if its is not None:
            names = text_of(each), text_of(its)
            return f"{said} query '{names[0]}', but the judgments have '{names[1]}'; {how_written(*names)}."
    if isinstance(held.held, StreamedRun):
        return None  # reading a lazy frame would compute it again
    forms: dict[bytes, dict[str, bytes]] = {}
    for query, document, _ in first_rows(run, None if run.source else queries & held.seen.keys(), SPELLED):
        if query not in held.seen or query not in queries:
            continue
        if query not in forms:
            forms[query] = {folded(each): each for each in held.seen[query]}
        excluded = forms[query].get(folded(document))
        if excluded is not None:
            names = text_of(excluded), text_of(document)
            return (
                f"{said} document '{names[0]}' of query '{text_of(query)}', but the run has '{names[1]}'; "
                f"{how_written(*names)}."
            )
    return None


def refuse_empty(run: Run, found: Match, policy: Policy) -> None:
    """Refuses a run that contains no query.

    Raises:
        DataError: the run is empty, or all its lines were skipped.
    """
    counts = found.counts
    if policy.overlap == "none" or counts.extra or len(counts.missing) < counts.judged:
        return
    name = run.origin.path or run.name
    if counts.malformed and run.source is not None:
        judgments = _native.judgments_from_mapping({"": {"": 0}})
        strict = MatchOptions(policy.changed(malformed="error"))
        raise skipped_all(name, counts.lines, lambda: run.match(judgments, strict))
    said, cure = "the run is empty.", "Write the run's lines."
    if isinstance(run.held, MappingRun):
        said = "the run is empty: the dictionary has neither queries nor runs."
        cure = "Pass {{query: {{document: score}}}}, or several runs as {{name: run}}."
    part = "If this is part of a run, allow it: {rule}."
    raise refused(said, f"{cure} {part}", file=name, rule=by_policy("overlap", "none"))


def no_common_query(judged: Qrels, run: Run, extra: int) -> str:
    """Returns the sentence about a run and judgments that have no query in common, with the likely cause."""
    from carob.inputs.spellings import why_apart  # imported only if ids do not match

    if isinstance(run.held, MappingRun) and not any(run.held.mapping.values()):
        first, *others = run.held.mapping
        which = f"Run '{first}' and {len(others):,} more are" if others else f"Run '{first}' is"
        return (
            f"{which} empty. If '{first}' is a query, {run.name} and {judged.name} have no query in common; the "
            f"judgments begin with '{judged.queries[0]}'."
        )
    ranked = list(dict.fromkeys(query for query, _, _ in first_rows(run)))[:RANKED]
    queries = "query is" if extra == 1 else "queries is"
    sentence = (
        f"{run.name} and {judged.name} have no query in common: none of the run's {extra:,} {queries} judged; the "
        f"judgments begin with '{judged.queries[0]}'"
    )
    if ranked:
        sentence += f", the run with '{text_of(ranked[0])}'"
    documents = {each for query in range(len(judged.queries)) for each in judged.judgments.documents(query)}
    if ranked and sum(each in documents for each in ranked) > SWAPPED_IDS * len(ranked):
        return f"{sentence}. The run's queries are the judgments' documents: are its columns swapped?"
    if numbered_by_position(run):
        said = "The run's answers do not contain query ids, so the queries are numbered by position."
        return f"{sentence}. {said} {filled(ANSWERS_NAMED)}"
    found = why_apart(judged.judgments.queries[:JUDGED], ranked, "query")
    positions = {b"%d" % place for place in range(1, len(ranked) + 1)}
    if not run.source and set(ranked) == positions and len(ranked) == extra > 1:
        named = filled(ANSWERS_NAMED)
        return (
            f"{sentence}. If the run's queries are numbered by position, as for search engine answers without ids, "
            f"{named[0].lower()}{named[1:]}"
        )
    if found is not None:
        return f"{sentence}. The run writes '{found.ranked}' for '{found.judged}': {found.why}."
    texts = [
        all(b" " in each for each in ids) for ids in (judged.judgments.queries[:JUDGED], ranked or [b""])
    ]
    if texts[0] != texts[1]:
        kind, one, other = ("run", "judgments", "run") if texts[0] else ("qrels", "run", "judgments")
        named = by_reading(kind, query="COLUMN")
        unlike = f"{sentence}. The queries of the {one} are texts, and those of the {other} are ids. "
        return worded(unlike, f"If a column of the {other} has the texts, name it: ", named, ".")
    return f"{sentence}. Check that both use the same ids and belong to the same collection."


def no_common_document(judged: Qrels, run: Run, found: Match, policy: Policy) -> str:
    """Returns the sentence about a run that retrieves no judged document, with the likely cause."""
    from carob.inputs.spellings import why_apart  # imported only if ids do not match

    judgments = judged.judgments
    missing = set(found.counts.missing)
    shared = [place for place, query in enumerate(judgments.queries) if text_of(query) not in missing]
    mine = list(islice((each for place in shared for each in judgments.documents(place)), JUDGED))
    its = some_documents(run, [judgments.queries[place] for place in shared], policy)
    count = len(shared)
    where = (
        "the one query that both contain" if count == 1 else f"any of the {count:,} queries that both contain"
    )
    sentence = f"{run.name} retrieves no document that {judged.name} judges, in {where}"
    if found.counts.excluded:
        return f"{sentence}, after exclude removed {found.counts.excluded:,} documents from its lists."
    lists = found.rows.length
    if its and policy.retrieved == "finite" and not lists.any():
        return f"{sentence}: every score is minus infinity, so nothing is retrieved (retrieved=finite)."
    if not its:
        return f"{sentence}: every list is empty." if not lists.any() else f"{sentence}."
    if not mine:
        return f"{sentence}: no document is judged there."
    if set(judgments.queries).issuperset(its):
        return f"{sentence}: its documents are the judgments' queries. Are its columns swapped?"
    moved = of_other_query(judgments, run)
    if moved is not None:
        return f"{sentence}: {moved}"
    why = why_apart(mine, its, "document")
    if why is not None:
        return f"{sentence}: the run has '{why.ranked}' where the judgments have '{why.judged}'; {why.why}."
    return (
        f"{sentence}: the run has ids such as '{text_of(its[0])}', the judgments '{text_of(mine[0])}'. Check that "
        f"both belong to the same collection; carob check reports more details."
    )


def of_other_query(judgments: _native.Judgments, run: Run) -> str | None:
    """Returns a sentence if most documents of a run are judged for other queries, as if query numbers were shifted."""
    of: dict[bytes, int] = {}
    for place in range(judgments.query_count):
        for document in judgments.documents(place):
            of.setdefault(document, place)
    rows = list(islice(first_rows(run, None, SPELLED), RANKED))
    pairs = Counter((query, of[document]) for query, document, _ in rows if document in of)
    if pairs.total() <= SWAPPED_IDS * len(rows):
        return None
    (query, place), _ = pairs.most_common(1)[0]
    theirs, its = text_of(judgments.queries[place]), text_of(query)
    said = f"what it retrieves for query '{its}' is judged for query '{theirs}'. "
    if its.isdecimal() and theirs.isdecimal() and abs(int(its) - int(theirs)) == 1:
        return f"{said}Start numbering the queries at the same number on both sides."
    return f"{said}Check how the queries were numbered."


def some_documents(run: Run, queries: Sequence[bytes], policy: Policy) -> list[bytes]:
    """Returns distinct documents of some queries, or an empty list if the run cannot be read again.

    In a text, the first rows are inspected. If they contain none of these queries, the documents of the first query are
    ranked.
    """
    wanted = set(queries)
    found: dict[bytes, None] = {}
    for query, document, _ in first_rows(run, None if run.source else wanted, SPELLED):
        if query in wanted:
            found[document] = None
        if len(found) == RANKED:
            break
    if run.source and queries and not found:
        return run.held.rankings([queries[0]], MatchOptions(policy), RANKED)[0][0]
    return list(found)
