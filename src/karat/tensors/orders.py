"""The mean over all orders of tied documents, for arrays: as a sum where a measure is one, else order by order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.evaluation.formulas import expected_values
from karat.lists.expected import Expected
from karat.lists.rows import NEVER_POOLED, JudgedRows
from karat.matching.match import Counts, Match, finished
from karat.output.errors import TOO_LARGE, MeasureError, UncomputableError
from karat.tensors.ranking import ranked

if TYPE_CHECKING:
    from karat.conventions.policy import Policy
    from karat.lists.padded import Padded
    from karat.measures import Measure
    from karat.tensors.batch import Batch

__all__ = ["means_over_orders", "values_of"]


def means_over_orders(
    batch: Batch, policy: Policy, measures: dict[str, Measure], highest: int | None
) -> dict[str, Any]:
    """The value of each measure and query, by label [query].

    A measure that is a sum over documents has its mean from one list in which tied documents are alike. Any other one
    takes the orders one by one, or a sample of them, as ``karat.evaluate`` does; that needs the host.

    Args:
        batch: the documents.
        policy: how they are ranked, ``ties="expected"``.
        measures: by label.
        highest: the highest grade, where all grades are whole numbers.

    Raises:
        MeasureError: a measure that is no sum, where nobody may look at the ties.
    """
    whole = ranked(batch, replace(policy, depth=None, unjudged="nonrelevant"), highest)
    # A depth or a removal decides over documents that a measure of sums knows nothing of.
    sums = policy.depth is None and policy.unjudged == "nonrelevant"
    additive = {label: each for label, each in measures.items() if sums and each.definition.additive}
    lists = Expected(whole)
    values: dict[str, Any] = {label: values_of(batch, lists, each) for label, each in additive.items()}
    others = {label: each for label, each in measures.items() if label not in additive}
    if others and not batch.arrays.on_host:
        label = next(iter(others))
        raise MeasureError(
            f"{label} has no mean over orders of tied documents (ties='expected') on a device, where nobody may look "
            "for ties: choose another rule for ties, or hand over arrays in the host's memory."
        )
    if others:
        rows = rows_of(whole)
        missing = np.zeros(len(rows.length), bool)
        found = Match([], finished(rows, policy), Counts(), missing, rows)
        try:
            columns, _ = expected_values(found, list(others.values()), policy)
        except UncomputableError as error:
            raise UncomputableError(error.reason, error.place + batch.first, error.measure) from None
        values |= {label: batch.arrays.floats(columns[:, place]) for place, label in enumerate(others)}
    return values


def rows_of(lists: Padded) -> JudgedRows:
    """Padded lists in the host's memory as judged rows."""
    first, last = (np.asarray(each, np.float64) for each in lists.tie_span)
    grades, pool = np.asarray(lists.grades, np.float64), np.asarray(lists.pool, np.float64)
    kept = np.broadcast_to(lists.inside, grades.shape) & (grades != NEVER_POOLED)
    rank = np.broadcast_to(np.asarray(lists.rank, np.float64), grades.shape)
    return JudgedRows(
        length=np.asarray(lists.length, np.float64),
        offsets=offsets_of_each(kept),
        rank=rank[kept],
        grade=grades[kept],
        tie_first=first[kept],
        tie_last=last[kept],
        judged_offsets=offsets_of_each(pool >= 0.0),
        judged_grades=pool[pool >= 0.0],
    )


def offsets_of_each(kept: Any) -> Any:
    """Where each query's entries begin and end, once they stand end to end [query + 1]."""
    return np.append(0, np.cumsum(kept.sum(axis=1))).astype(np.int64)


def values_of(batch: Batch, lists: Padded, measure: Measure) -> Any:
    """The values of a measure.

    Raises:
        UncomputableError: on the host, a query whose grades give none.
    """
    try:
        values: Any = measure.values(lists)
    except UncomputableError as error:
        raise UncomputableError(error.reason, error.place + batch.first, str(measure)) from None
    if batch.arrays.on_host and not measure.may_be_undefined and not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values))) + batch.first
        raise UncomputableError(TOO_LARGE, place, str(measure))
    return values
