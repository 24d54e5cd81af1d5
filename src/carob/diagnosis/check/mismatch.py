"""Finds problems by comparing qrels with a run (different ids, unjudged documents) or runs with one another."""

from __future__ import annotations

import os
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.diagnosis.check.finding import ERROR, KINDS, WARNING, found, told
from carob.diagnosis.check.lenient import DEPTH
from carob.diagnosis.check.text import EXAMPLES, queries_at
from carob.evaluation.score_tables import RULES, SEVERAL, counting
from carob.evaluation.scores import lists_only_relevant
from carob.evaluation.suspects import RATIO, copies, fingerprint
from carob.evaluation.suspects import perfect as perfect_by
from carob.inputs.errors import ANSWERS_NAMED
from carob.inputs.ids import text_of
from carob.inputs.sources import called
from carob.matching.signs import in_other_forms, with_affix
from carob.output.errors import worded
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from carob.diagnosis.check.finding import Finding, Values
    from carob.diagnosis.check.lenient import RunAndQrels


ENOUGH = 20
"""If there are at least this many judged documents and a run retrieves none, the run is from another collection."""
COVERED = 0.9
"""If a smaller share of the top documents is judged, a note reports it."""


RAISES = (
    " Omitting these queries raises the means, and carob gate does not allow it if the baseline answers them."
)
"""The sentence added to the remedy for missing queries if omitting these queries raises the means."""

POSITIONS = "The run's answers do not contain query ids, so the queries are numbered by position. "


def raised(values: Values) -> bool:
    """Returns whether omitting missing queries raises a mean."""
    before, after = values.get("counted as 0", {}), values.get("omitted", {})
    return any(mean > before.get(label, mean) for label, mean in after.items())


def queries(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds queries that only the judgments or only the run contains."""
    total = len(pair.retrieved)
    if pair.queries:
        yield spelled_queries(pair)
    missing = [pair.judgments.queries[each] for each in np.flatnonzero(~pair.retrieved)]
    extra = pair.found.extra
    if len(missing) == total and extra:
        ids: dict[str, Any] = {"run": text_of(extra[0]), "judged": text_of(missing[0])}
        remedy = POSITIONS + filled(ANSWERS_NAMED) if pair.text.by_position else None
        yield found("no-common-query", pair.name, count=len(extra), total=total, remedy=remedy, **ids)
        return
    values = pair.alternatives(counted_as_0={}, omitted={"missing": "skip"}) if missing else {}
    remedy = worded(KINDS["missing-queries"].remedy, RAISES) if raised(values) else None
    unanswered = [pair.judgments.queries[each] for each in np.flatnonzero(pair.found.length == 0)]
    rule = RULES[pair.request.policy.missing]
    for fact in (*counting("missing", len(missing), rule=rule), *counting("unanswered", len(unanswered))):
        own: dict[str, Any] = {"where": queries_at(unanswered)}
        if fact.kind == "missing":
            own = {"where": queries_at(missing), "values": values, "remedy": remedy}
        yield found(f"{fact.kind}-queries", pair.name, count=fact.count, said=fact.told(), total=total, **own)
    if extra:
        yield found("extra-queries", pair.name, count=len(extra), where=queries_at(extra))


def spelled_queries(pair: RunAndQrels) -> Finding:
    """Returns the finding about queries that the run spells differently."""
    other = pair.spelled(queries=False, documents=True)
    values = pair.alternatives(unchanged={"qrels": other}, with_equal_ids={})
    effect = None
    if len(values) == 1:  # without equal ids, there are no scores to compare
        ((_, means),) = values.items()
        shown = ", ".join(f"{name} {mean:.4f}" for name, mean in means.items())
        effect = f"{KINDS['query-spelling'].effect} With matching ids: {shown}."
    return found(
        "query-spelling",
        pair.name,
        count=len(pair.queries),
        where=spellings_at(pair.queries.items()),
        effect=effect,
        values=values,
        total=len(pair.retrieved),
    )


def spellings_at(pairs: Iterable[tuple[bytes, bytes]]) -> tuple[str, ...]:
    """Returns the first ids in both spellings, for the field ``where`` of a finding."""
    return tuple(
        f"'{text_of(each)}' in the judgments, '{text_of(other)}' in the run"
        for each, other in islice(pairs, EXAMPLES)
    )


def documents(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds documents that the run spells differently from the judgments, and runs without a judged document."""
    if not pair.retrieved.any():
        return
    if pair.documents:
        tokens, lines = zip(*pair.documents.values(), strict=True)
        where = spellings_at(zip(pair.documents, tokens, strict=True))
        if pair.text.is_file:
            where = tuple(f"{each} (line {line:,})" for each, line in zip(where, lines))
        other = pair.spelled(queries=True, documents=False)
        values = {"unchanged": pair.means(qrels=other), "with equal ids": pair.means()}
        yield found("document-spelling", pair.name, count=len(tokens), where=where, values=values)
    elif others := other_spellings(pair):
        yield found("document-spelling", pair.name, count=len(others), where=spellings_at(others))
    elif not len(pair.found.rank):
        judged = int(np.diff(pair.judgments.offsets)[pair.retrieved].sum())
        severity = ERROR if judged >= ENOUGH else WARNING
        ids: dict[str, Any] = {
            "run": text_of(pair.survey.example[2]),
            "judged": text_of(pair.judgments.document(0)),
        }
        yield found("no-common-document", pair.name, severity=severity, **ids)


def other_spellings(pair: RunAndQrels) -> list[tuple[bytes, bytes]]:
    """Returns judged documents that the run spells differently in at least one list, with the run's spelling."""
    noticed = pair.found.respelled
    if pair.found.beyond_ascii and pair.run is not None:
        noticed = [*noticed, *in_other_forms(pair.judgments, pair.run)]
    noticed = noticed or with_affix(pair.judgments, getattr(pair.found, "affixed", ()))
    return [(known, other) for _, known, other in noticed]


def unjudged(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds unjudged documents in the top ranks."""
    judged, all_ = pair.judged_at_depth
    if not len(pair.found.rank) or judged >= COVERED * all_ or lists_only_relevant(pair.judgments.grades):
        return
    values = pair.alternatives(as_not_relevant={}, removed={"unjudged": "removed"})
    share = (all_ - judged) / all_
    yield found("unjudged", pair.name, count=all_ - judged, values=values, share=share, depth=DEPTH)


def perfect(pair: RunAndQrels) -> Iterator[Finding]:
    """Finds a run with a perfect score."""
    scores = pair.scores()
    labels = [] if scores is None else perfect_by(scores, pair.rows)
    if scores is not None and labels and len(scores.queries) >= SEVERAL:
        yield found("perfect", pair.name, measures=", ".join(labels))


QRELS_VS_RUN: tuple[Callable[[RunAndQrels], Iterator[Finding]], ...] = (queries, documents, unjudged, perfect)
"""All checks that compare a run with the judgments."""


GAP = 0.1
"""The smallest reported difference between runs in the share of judged documents."""


def identical(pairs: Sequence[RunAndQrels]) -> Iterator[Finding]:
    """Finds runs that rank all judged documents as an earlier run does. Each is compared with the first such run."""
    known = [pair for pair in pairs if pair.matched is not None and len(pair.matched.rank)]
    prints = [fingerprint(each.found.judgment, each.found.rank, each.found.length) for each in known]
    for place, first in copies(prints).items():
        pair, one = known[place], known[first]
        if same_file(one, pair):
            same = one.name == pair.name
            what = "the same file was given twice" if same else f"the same file was also given as {one.name}"
            yield found("identical-runs", pair.name, what)
        else:
            yield found("identical-runs", pair.name, other=one.name)


def same_file(one: RunAndQrels, other: RunAndQrels) -> bool:
    """Returns whether two runs come from the same file, perhaps with different paths or names."""
    first, second = one.text.given, other.text.given
    if not (isinstance(first, (str, os.PathLike)) and isinstance(second, (str, os.PathLike))):
        return False
    try:
        return os.path.samefile(first, second)
    except OSError:  # the text is a pattern or stands for standard input
        return os.fspath(first) == os.fspath(second)


def names(pairs: Sequence[RunAndQrels]) -> Iterator[Finding]:
    """Finds files with the same name in different folders."""
    first: dict[str, str] = {}
    for pair in pairs:
        name = called(pair.name)
        if pair.text.is_file and first.setdefault(name, pair.name) != pair.name:
            yield found("same-name", pair.name, other=first[name], name=name)


def lengths(pairs: Sequence[RunAndQrels]) -> Iterator[Finding]:
    """Finds runs whose lists were cut at different depths."""
    found_in = [pair for pair in pairs if pair.matched is not None and pair.retrieved.any()]
    depths = sorted(((int(pair.found.length.max()), pair) for pair in found_in), key=itemgetter(0))
    if len(depths) > 1 and depths[-1][0] >= RATIO * depths[0][0]:
        low, high = depths[0][0], depths[-1][0]
        pair = next(pair for depth, pair in depths if depth == high)
        values = pair.alternatives(whole={}, **{f"cut_at_{low}": {"depth": low}})
        depths[-1] = (high, pair)
        yield across("list-lengths", [(f"{depth:,}", its) for depth, its in depths], pair, values, low, high)


def gap(pairs: Sequence[RunAndQrels]) -> Iterator[Finding]:
    """Finds runs with different shares of judged documents."""
    counts = [(*pair.judged_at_depth, pair) for pair in pairs if pair.matched is not None]
    shares = sorted(((judged / all_, pair) for judged, all_, pair in counts if judged), key=itemgetter(0))
    apart = len(shares) > 1 and shares[-1][0] - shares[0][0] >= GAP
    if apart and not lists_only_relevant(pairs[0].judgments.grades):
        low, high, pair = shares[0][0], shares[-1][0], shares[0][1]
        values = pair.alternatives(as_not_relevant={}, removed={"unjudged": "removed"})
        yield across(
            "unjudged-gap", [(f"{share:.0%}", its) for share, its in shares], pair, values, low, high
        )


def across(
    code: str,
    shown: Sequence[tuple[str, RunAndQrels]],
    pair: RunAndQrels,
    values: Values,
    low: float,
    high: float,
) -> Finding:
    """Returns a finding about a number that differs between runs.

    Args:
        code: the kind of the finding.
        shown: the number of each run as text, in ascending order.
        pair: the run whose means show the effect.
        values: the means of this run under the alternatives.
        low: the lowest number.
        high: the highest number.
    """
    return found(
        code,
        "all runs",
        count=len(shown),
        where=tuple(f"{called(its.name)}: {number}" for number, its in (*shown[: EXAMPLES - 1], shown[-1])),
        effect=f"{KINDS[code].effect} {called(pair.name)}: {told(values)}",
        values=values,
        low=low,
        high=high,
        depth=DEPTH,
    )


RUN_VS_RUN: tuple[Callable[[Sequence[RunAndQrels]], Iterator[Finding]], ...] = (
    identical,
    names,
    lengths,
    gap,
)
"""All checks that compare runs with one another."""
