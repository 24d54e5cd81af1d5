"""Judgments and runs as ranx and ir_measures hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.conventions.profiles import profile_named
from karat.conventions.request import conventions, needs_groups
from karat.evaluation.evaluate import evaluate_run
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run
from karat.output.errors import DataError, MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike
    from karat.evaluation.scores import Scores
    from karat.measures import Measure

__all__ = ["calc_aggregate", "evaluate_ranx", "iter_calc"]


def evaluate_ranx(
    qrels: Any,
    run: Any,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> Scores:
    """Measure a ``ranx.Run`` against ``ranx.Qrels``.

    Args:
        qrels: ranx's judgments.
        run: ranx's run.
        measures: as in ``karat.evaluate``.
        policy: as there.
        profile: as there; ``ranx`` reads names as ranx does.

    Raises:
        DataError: as there.
        MeasureError: as there.

    Example:
        >>> from karat.adapters.objects import evaluate_ranx
        >>> evaluate_ranx(qrels, run, ["ndcg@10"], profile="ranx")  # doctest: +SKIP
    """
    name = getattr(run, "name", None)
    return evaluate_run(
        floats(qrels.to_dict()), floats(run.to_dict()), measures, policy=policy, profile=profile, name=name
    )


def floats(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """ranx's typed numbers as Python's."""
    return {query: {each: float(value) for each, value in its.items()} for query, its in table.items()}


def calc_aggregate(
    measures: Iterable[Any],
    qrels: Any,
    run: Any,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = "ir_measures",
) -> dict[Any, float]:
    """What ``ir_measures.calc_aggregate`` takes and gives.

    Args:
        measures: ir_measures' measures, or names.
        qrels: ``ir_measures.Qrel``s, with ``iteration`` for measures by subtopic; a data frame, or dicts.
        run: ``ir_measures.ScoredDoc``s, a data frame, or dicts.
        policy: what is decided otherwise than in the profile.
        profile: how names are read and what is decided; ``karat`` for karat's own conventions.

    Raises:
        DataError: as ``karat.evaluate``.
        MeasureError: as there; also for what ir_measures alone calls so, or a name that means several measures.

    Example:
        >>> from karat.adapters.objects import calc_aggregate
        >>> calc_aggregate(["RR"], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
        {'RR': 0.5}
    """
    asked = read(measures, profile)
    scores = scores_of(asked, qrels, run, policy, profile)
    return {each: scores[measure] for each, measure in asked}


def iter_calc(
    measures: Iterable[Any],
    qrels: Any,
    run: Any,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = "ir_measures",
) -> Iterator[tuple[str, Any, float]]:
    """Query, measure and value of each, as ``ir_measures.iter_calc`` has them in that order.

    Args:
        measures: as in ``calc_aggregate``.
        qrels: as there.
        run: as there.
        policy: as there.
        profile: as there.

    Raises:
        DataError: as there.
        MeasureError: as there.

    Example:
        >>> from karat.adapters.objects import iter_calc
        >>> list(iter_calc(["RR"], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}))
        [('q', 'RR', 0.5)]
    """
    asked = read(measures, profile)
    scores = scores_of(asked, qrels, run, policy, profile)
    for each, measure in asked:
        for query, value in scores.by_query(measure).items():
            yield query, each, value


def read(measures: Iterable[Any], profile: ProfileLike) -> list[tuple[Any, Measure]]:
    """What was asked for, each with the measure that the profile reads in its name.

    Raises:
        MeasureError: there is no such measure, or the name means several.
    """
    convention, found = profile_named(profile), []
    for each in measures:
        meant = convention.read(str(each))
        if len(meant) != 1:
            names = ", ".join(label for label, _ in meant)
            raise MeasureError(f"'{each}' means several measures ({names}): ask for each one.")
        found.append((each, meant[0][1]))
    return found


def scores_of(
    asked: list[tuple[Any, Measure]], qrels: Any, run: Any, policy: Policy | None, profile: ProfileLike
) -> Scores:
    """The scores of ir_measures' objects."""
    _, whole = conventions(profile, policy)
    groups = needs_groups({str(each): measure for each, measure in asked})
    judged = subtopical(qrels, whole) if groups else nested(qrels, ("relevance",), whole)
    names = [str(each) for each, _ in asked]
    return evaluate_run(judged, nested(run, ("score",), whole), names, policy=policy, profile=profile)


def subtopical(qrels: Any, policy: Policy) -> Any:
    """Judgments whose ``iteration`` names a subtopic."""
    if ready(qrels):
        by_column = hasattr(qrels, "columns") and "iteration" in qrels.columns
        return Qrels.of(qrels, policy, subtopics=True, subtopic="iteration" if by_column else None)
    return nested(qrels, ("iteration", "relevance"), policy)


def ready(rows: Any) -> bool:
    """Whether karat reads it as it is: dicts, a data frame, a path."""
    return (
        isinstance(rows, (dict, str, Qrels, Run)) or hasattr(rows, "columns") or hasattr(rows, "__fspath__")
    )


def nested(rows: Any, fields: tuple[str, ...], policy: Policy) -> Any:
    """Rows with ``query_id``, ``doc_id`` and such fields as nested dicts, whose last field is the value.

    Raises:
        DataError: a row without these fields, or a document twice, where the policy forbids that.
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
            raise DataError(
                f"Row {number} is {row!r:.60}, and {error}: give objects with {wanted}."
            ) from None
        table = found.setdefault(query, {})
        for key in within:
            table = table.setdefault(key, {})
        table[document] = chosen(table, query, document, number_of, policy.duplicates)
    return found


def chosen(table: dict[str, Any], query: str, document: str, value: Any, rule: str) -> Any:
    """The value that counts where a document is listed again.

    Raises:
        DataError: the policy forbids that.
    """
    if document not in table or rule == "last":
        return value
    if rule == "error":
        raise DataError(
            f"Document '{document}' is listed twice for query '{query}': remove one, or choose which counts, as in "
            "policy=karat.Policy(duplicates='first')."
        )
    return table[document] if rule == "first" else max(table[document], value)
