"""Judgments and runs as ranx and ir_measures hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.evaluate import evaluate
from karat.measures import parse_measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from karat.asking import MeasuresLike
    from karat.policy import Policy
    from karat.scores import Scores

__all__ = ["calc_aggregate", "evaluate_ranx", "iter_calc"]


def evaluate_ranx(
    qrels: Any,
    run: Any,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: str | None = None,
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
    return evaluate(
        floats(qrels.to_dict()), floats(run.to_dict()), measures, policy=policy, profile=profile, name=name
    )


def floats(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """ranx's typed numbers as Python's."""
    return {query: {each: float(value) for each, value in its.items()} for query, its in table.items()}


def calc_aggregate(measures: Iterable[Any], qrels: Any, run: Any) -> dict[Any, float]:
    """What ``ir_measures.calc_aggregate`` takes and gives.

    Args:
        measures: ir_measures' measures, or names.
        qrels: ``ir_measures.Qrel``s, or dicts.
        run: ``ir_measures.ScoredDoc``s, or dicts.

    Raises:
        DataError: as ``karat.evaluate``.
        MeasureError: as there; also for what ir_measures alone calls so.

    Example:
        >>> from karat.adapters.objects import calc_aggregate
        >>> calc_aggregate(["RR"], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
        {'RR': 0.5}
    """
    asked = list(measures)
    scores = scores_of(asked, qrels, run)
    return {each: scores[parse_measure(str(each))] for each in asked}


def iter_calc(measures: Iterable[Any], qrels: Any, run: Any) -> Iterator[tuple[str, Any, float]]:
    """Query, measure and value of each, as ``ir_measures.iter_calc`` has them in that order.

    Args:
        measures: as in ``calc_aggregate``.
        qrels: as there.
        run: as there.

    Raises:
        DataError: as there.
        MeasureError: as there.

    Example:
        >>> from karat.adapters.objects import iter_calc
        >>> list(iter_calc(["RR"], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}))
        [('q', 'RR', 0.5)]
    """
    asked = list(measures)
    scores = scores_of(asked, qrels, run)
    for each in asked:
        for query, value in scores.by_query(parse_measure(str(each))).items():
            yield query, each, value


def scores_of(measures: list[Any], qrels: Any, run: Any) -> Scores:
    """The scores of ir_measures' objects."""
    return evaluate(nested(qrels, "relevance"), nested(run, "score"), [str(each) for each in measures])


def nested(rows: Any, value: str) -> Any:
    """Rows with ``query_id`` and ``doc_id`` as dicts of dicts; dicts as they are."""
    if isinstance(rows, dict):
        return rows
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row.query_id, {})[row.doc_id] = getattr(row, value)
    return found
