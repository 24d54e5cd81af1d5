"""Evaluates the run and qrels objects of ranx and ir_measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob.conventions.profiles import profile_named
from carob.conventions.request import conventions, needs_groups
from carob.evaluation.evaluate import evaluate_run
from carob.inputs.errors import refused
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.output.errors import by_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.scores import Scores
    from carob.measures import Measure

__all__ = ["calc_aggregate", "evaluate_ranx", "iter_calc"]


def evaluate_ranx(
    qrels: Any,
    run: Any,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> Scores:
    """Evaluates a ``ranx.Run`` against ``ranx.Qrels``.

    Args:
        qrels: ranx's judgments.
        run: ranx's run.
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions, for example for ties and unjudged documents; None for those of the profile or of carob.
        profile: the name of a tool whose conventions apply: ``ranx`` reads measure names as ranx does.

    Raises:
        DataError: judgments or a run cannot be read.
        MeasureError: a measure does not exist.

    Example:
        >>> from carob.adapters.objects import evaluate_ranx
        >>> evaluate_ranx(qrels, run, ["ndcg@10"], profile="ranx")  # doctest: +SKIP
    """
    name = getattr(run, "name", None)
    return evaluate_run(qrels.to_dict(), run.to_dict(), measures, policy=policy, profile=profile, name=name)


def calc_aggregate(
    measures: Iterable[Any],
    qrels: Any,
    run: Any,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = "ir_measures",
) -> dict[Any, float]:
    """Returns the mean of each measure, with the same arguments and result as ``ir_measures.calc_aggregate``.

    Args:
        measures: ir_measures' measures, or names.
        qrels: ``ir_measures.Qrel``s, with ``iteration`` for measures by subtopic; a data frame, or dicts.
        run: ``ir_measures.ScoredDoc``s, a data frame, or dicts.
        policy: axes that differ from the profile's.
        profile: the convention for names and policy; ``carob`` for carob's own.

    Raises:
        DataError: judgments or a run cannot be read.
        MeasureError: a measure does not exist, only ir_measures knows it, or its name stands for several measures.

    Example:
        >>> from carob.adapters.objects import calc_aggregate
        >>> calc_aggregate(["RR"], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
        {'RR': 0.5}
    """
    asked, scores = scores_of(measures, qrels, run, policy, profile)
    return {each: scores[measure] for each, measure in asked}


def iter_calc(
    measures: Iterable[Any],
    qrels: Any,
    run: Any,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = "ir_measures",
) -> Iterator[tuple[str, Any, float]]:
    """Yields the value of each query and measure, in the same order as ``ir_measures.iter_calc``.

    Args:
        measures: ir_measures' measures, or names.
        qrels: ``ir_measures.Qrel``s, with ``iteration`` for measures by subtopic; a data frame, or dicts.
        run: ``ir_measures.ScoredDoc``s, a data frame, or dicts.
        policy: axes that differ from the profile's.
        profile: the convention for names and policy; ``carob`` for carob's own.

    Raises:
        DataError: judgments or a run cannot be read.
        MeasureError: a measure does not exist, only ir_measures knows it, or its name stands for several measures.

    Example:
        >>> from carob.adapters.objects import iter_calc
        >>> list(iter_calc(["RR"], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}))
        [('q', 'RR', 0.5)]
    """
    asked, scores = scores_of(measures, qrels, run, policy, profile)
    for each, measure in asked:
        for query, value in scores.by_query(measure).items():
            yield query, each, value


def scores_of(
    measures: Iterable[Any], qrels: Any, run: Any, policy: Policy | None, profile: ProfileLike
) -> tuple[list[tuple[Any, Measure]], Scores]:
    """Returns each requested name with its measure, and the scores of ir_measures' objects.

    Raises:
        MeasureError: a name is unknown, or stands for several measures.
    """
    convention = profile_named(profile)
    asked = [(each, convention.read_one(str(each))) for each in measures]
    _, whole = conventions(profile, policy)
    groups = needs_groups({str(each): measure for each, measure in asked})
    judged = subtopical(qrels, whole) if groups else nested(qrels, ("relevance",), whole)
    names = [str(each) for each, _ in asked]
    runs = nested(run, ("score",), whole)
    return asked, evaluate_run(judged, runs, names, policy=policy, profile=profile)


def subtopical(qrels: Any, policy: Policy) -> Any:
    """Returns the judgments, with ``iteration`` as the subtopic."""
    if ready(qrels):
        by_column = hasattr(qrels, "columns") and "iteration" in qrels.columns
        return Qrels.of(qrels, policy, subtopics=True, subtopic="iteration" if by_column else None)
    return nested(qrels, ("iteration", "relevance"), policy)


def ready(rows: Any) -> bool:
    """Returns whether carob reads the rows directly, as dicts, a data frame or a path."""
    return (
        isinstance(rows, (dict, str, Qrels, Run)) or hasattr(rows, "columns") or hasattr(rows, "__fspath__")
    )


def nested(rows: Any, fields: tuple[str, ...], policy: Policy) -> Any:
    """Converts rows with ``query_id``, ``doc_id`` and other ``fields`` to nested dicts. The last field is the value.

    Raises:
        DataError: a row lacks one of these fields, or a document occurs twice and the policy forbids repeated
            documents.
    """
    if ready(rows):
        return rows
    *keys, value = fields
    found: dict[str, Any] = {}
    for number, row in enumerate(rows, 1):
        try:
            query, document, number_of = row.query_id, row.doc_id, getattr(row, value)
            within = [str(getattr(row, key)) for key in keys]
        except AttributeError as error:
            wanted = ", ".join(["query_id", "doc_id", *fields])
            raise refused(
                "Row {number} is {object!r:.60}, and {why}.",
                "Pass objects with {wanted}.",
                number=number,
                object=row,
                why=error,
                wanted=wanted,
            ) from None
        table = found.setdefault(query, {})
        for key in within:
            table = table.setdefault(key, {})
        table[document] = value_that_counts(table, query, document, number_of, policy.duplicates)
    return found


def value_that_counts(table: dict[str, Any], query: str, document: str, value: Any, rule: str) -> Any:
    """Returns the value to use for a repeated document.

    Raises:
        DataError: the policy forbids repeated documents.
    """
    if document not in table or rule == "last":
        return value
    if rule == "error":
        ways = by_policy("duplicates", "first", "last", "max")
        raise refused(
            "Document '{document}' is listed twice for query '{query}'.",
            "Remove one, or choose {rule}.",
            query=query,
            document=document,
            rule=ways,
        )
    return table[document] if rule == "first" else max(table[document], value)
