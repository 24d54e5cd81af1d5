"""Why one run scores differently under two sets of judgments: from one to the other a kind of change at a time."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from karat.conventions.request import conventions, labelled, needs_groups
from karat.diagnosis.difference import Difference, Step
from karat.evaluation.evaluate import evaluate_one, warned
from karat.evaluation.score_tables import plural
from karat.inputs.ids import text_of
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run
from karat.output.errors import DataError, MeasureError

if TYPE_CHECKING:
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.evaluation.scores import Scores
    from karat.inputs.qrels import QrelsLike
    from karat.inputs.run import RunLike
    from karat.measures import Measure

__all__ = ["rejudged"]

Judged = dict[str, dict[str, float]]


def rejudged(
    a: QrelsLike,
    b: QrelsLike,
    measure: str,
    run: RunLike,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> Difference:
    """Say why a run's value differs between two sets of judgments.

    Four changes lead from the first to the second: queries that only the first has go, documents that only the first
    judges become unjudged, documents that both judge get the second's grades, and what only the second judges comes in.

    Args:
        a: the judgments to start from, as in ``karat.evaluate``.
        b: the judgments to end at.
        measure: one name.
        run: the run.
        policy: as in ``karat.evaluate``.
        profile: as in ``karat.evaluate``.

    Returns:
        Both values, and the steps between them; together they are the whole gap.

    Raises:
        DataError: judgments or a run that cannot be read, or judgments without a query in common.
        MeasureError: a measure that does not exist, several, or one that reads judgments by subtopic.

    Example:
        >>> from karat.diagnosis.rejudging import rejudged
        >>> full, sparse = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1}}
        >>> found = rejudged(full, sparse, "P@2", {"q": {"a": 2.0, "b": 1.0}})
        >>> found.values, found.blame
        ((1.0, 0.5), 'only A judged')
    """
    convention, policy = conventions(profile, policy)
    asked = labelled([measure], convention)
    if len(asked) != 1 or needs_groups(asked):
        fault = "reads judgments by subtopic" if len(asked) == 1 else f"stands for {len(asked)} measures"
        raise MeasureError(f"'{measure}' {fault}: name one measure of whole documents, such as nDCG@10.")
    (meant,) = asked.values()
    label = str(meant)
    ends = [Qrels.of(each, policy) for each in (a, b)]
    one, other = map(grades_of, ends)
    shared = [query for query in one if query in other]
    if not shared:
        raise DataError(f"{names_of(ends)[0]} and {names_of(ends)[1]} have no query in common.")
    both = {query: [each for each in one[query] if each in other[query]] for query in shared}
    kept = {query: one[query] for query in shared}
    without = {query: {each: one[query][each] for each in its} for query, its in both.items()}
    regraded = {query: {each: other[query][each] for each in its} for query, its in both.items()}
    whole = {query: other[query] for query in shared}
    changed = sum(one[query][each] != other[query][each] for query, its in both.items() for each in its)
    alone_a = sum(map(len, kept.values())) - sum(map(len, without.values()))
    alone_b = sum(map(len, whole.values())) - sum(map(len, regraded.values()))
    stages: list[tuple[str, str, str, Judged]] = [
        ("queries of A only", number(len(one) - len(shared), "query", "queries"), "left out", kept),
        ("only A judged", number(alone_a, "document", "documents"), "unjudged", without),
        ("grades", number(changed, "document", "documents"), "as in B", regraded),
        ("only B judged", "unjudged", number(alone_b, "document", "documents"), whole),
        ("queries of B only", "left out", number(len(other) - len(shared), "query", "queries"), other),
    ]
    stages = [each for each in stages if "no " not in (each[1][:3], each[2][:3])]
    scores = scored_under(ends, [each[-1] for each in stages[:-1]], Run.of(run), meant, policy)
    steps = []
    for (axis, before, after, _), (earlier, later) in zip(stages, pairwise(scores), strict=False):
        old, new = earlier[label], later[label]
        steps.append(Step(axis, before, after, new, new - old, moved(earlier, later, label)))
    first, last = names_of(ends)
    return Difference(
        asked=measure,
        profiles=(first, last),
        measures=(counted(one), counted(other)),
        values=(scores[0][label], scores[-1][label]),
        steps=tuple(steps),
        queries=len({query for each in scores for query in each.queries}),
        refusals={},
    )


def scored_under(
    ends: list[Qrels], between: list[Judged], run: Run, measure: Measure, policy: Policy
) -> list[Scores]:
    """A run's scores under the first judgments, under each stage, and under the last ones.

    What a run has to share with judgments, and what is to be said of it, is a matter of the two ends alone: what lies
    between them is nobody's file.

    Raises:
        DataError: a run that does not go with the judgments of one of the ends.
    """
    convention, _ = conventions(None, policy)
    asked = labelled([measure], convention)
    silent = policy.changed(overlap="none")
    first, last = (warned(evaluate_one(each, run, asked, convention, policy)[0]) for each in ends)
    # A query that loses its last judgment stays a query, without relevant documents.
    stages = [Qrels.of(filled(each), silent) for each in between]
    return [first, *(evaluate_one(each, run, asked, convention, silent)[0] for each in stages), last]


def grades_of(qrels: Qrels) -> Judged:
    """The grades by query and document."""
    judgments = qrels.judgments
    found: Judged = {}
    for place, query in enumerate(judgments.queries):
        first, last = judgments.offsets[place], judgments.offsets[place + 1]
        documents = map(text_of, judgments.documents(place))
        found[text_of(query)] = dict(zip(documents, judgments.grades[first:last].tolist(), strict=True))
    return found


def counted(judgments: Judged) -> str:
    """How many judgments there are."""
    return plural(sum(map(len, judgments.values())), "judgment", "judgments")


def filled(judgments: Judged) -> Judged:
    """The judgments, with a document that no run has where a query is left without any."""
    return {query: its or {"\ufdd0 none": 0.0} for query, its in judgments.items()}


def names_of(ends: list[Qrels]) -> tuple[str, str]:
    """The names of both judgments; their paths where the names are equal."""
    names = [os.path.basename(each.name) or letter for each, letter in zip(ends, "AB", strict=True)]
    if names[0] == names[1]:
        names = [each.name for each in ends] if ends[0].name != ends[1].name else ["A", "B"]
    return names[0], names[1]


def number(count: int, one: str, many: str) -> str:
    """How many there are; ``no`` of none."""
    return plural(count, one, many) if count else f"no {many}"


def moved(before: Scores, after: Scores, label: str) -> int:
    """How many queries have another value, or are on one side only."""
    old, new = before.by_query(label), after.by_query(label)
    return sum(old.get(query) != new.get(query) for query in old.keys() | new.keys())
