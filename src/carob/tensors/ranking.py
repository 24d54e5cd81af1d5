"""Ranks the documents of a batch on its device under the policy, and computes means over all orders of ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.evaluation.values import expected_values
from carob.inputs.names import Names
from carob.lists.expected import Expected
from carob.lists.padded import MOST_LEVELS, Padded
from carob.lists.rows import MERIT_OF_ZERO, NEVER_POOLED, POOLED, JudgedRows, refuse_more_than_judged
from carob.matching.match import Counts, Match, finished
from carob.output.errors import DataError, MeasureError, PolicyError, UncomputableError

if TYPE_CHECKING:
    from carob.lists.arrays import Arrays
    from carob.measures import Measure
    from carob.tensors.batch import Batch


def refuse_axes(policy: Policy) -> None:
    """Refuses a policy that cannot be applied to arrays.

    Raises:
        PolicyError: the rule for ties requires a rank column.
    """
    if policy.ties == "rank-column":
        raise PolicyError(
            "ties='rank-column' does not work with arrays, because a batch has no rank column: pass scores that "
            "decrease with the rank."
        )


def checked(batch: Batch, policy: Policy) -> Batch:
    """Checks a batch for what the policy forbids. On the host, a faulty query is an error. On a device, it is marked.

    Raises:
        DataError: on the host, there is a tie that includes a judged document, a negative grade, swapped scores and
            grades, or a document whose grade is missing from ``judged``.
    """
    if policy.negative == "unjudged":
        refuse_swapped(batch)
    if policy.judgments == "all" and batch.judged is not None and batch.scores is not None:
        batch = within_judged(batch)
    if policy.negative == "error":
        marked, advice = negative(batch), "correct it, or choose negative='unjudged' or 'nonrelevant'"
        batch = batch.marked(marked, "a negative grade, which the policy forbids", advice)
    if policy.ties == "error":
        what = "a judged document with the same score as another document, which the policy forbids"
        batch = batch.marked(tied(batch, policy), what, "choose an order, such as ties='input'")
    return batch


def refuse_swapped(batch: Batch) -> None:
    """On the host, refuses arguments that seem swapped: some grades are negative fractions, and all scores are whole.

    Raises:
        DataError: the arguments seem swapped; under ``negative="nonrelevant"``, they are accepted.
    """
    xp, found = batch.arrays, batch.arrays.range_of(batch.grades)
    if batch.scores is None or found is None or not found[0] < 0.0:
        return
    here = slice(None) if batch.mask is None else batch.mask
    grades, scores = batch.grades[here], batch.scores[here]
    low = grades[(grades < 0) & (xp.library.trunc(grades) != grades)]
    if low.size and xp.is_whole(scores):
        raise DataError(
            f"'relevance' contains {float(low[0]):.4g} and 'scores' contains only whole numbers: are the two swapped? "
            "The order is evaluate(scores, relevance). If negative grades are intended, choose "
            "Policy(negative='nonrelevant')."
        )


def within_judged(batch: Batch) -> Batch:
    """Checks that each positive grade of a document also occurs among its query's judgments.

    The host compares grade by grade. A device sorts the documents' grades and the judged grades: no document may have a
    higher grade than the judgment at the same position, which keeps values within a measure's range.

    Raises:
        DataError: on the host, more documents than judgments have a given positive grade.
    """
    xp = batch.arrays
    grades, judged = xp.floats(batch.grades), xp.floats(batch.judged)
    there = grades > 0.0 if batch.mask is None else (grades > 0.0) & batch.mask
    if xp.on_host:
        lists, known = there.nonzero()[0], judged > 0.0
        refuse_more_than_judged(lists, grades[there], known.nonzero()[0], judged[known], batch.first)
        return batch
    best = xp.sorted_down(xp.where(judged > 0.0, judged, 0.0))
    ranked = xp.sorted_down(xp.where(there, grades, 0.0))
    width = min(best.shape[1], ranked.shape[1])
    higher = xp.library.any(ranked[:, :width] > best[:, :width], axis=1)
    return batch.marked(higher | xp.library.any(ranked[:, width:] > 0.0, axis=1), "", "")


def negative(batch: Batch) -> Any:
    """Marks queries with a negative grade [query]."""
    xp = batch.arrays
    found = xp.full(tuple(batch.grades.shape[:1]), 0.0) > 0.0  # none
    for grades, there in ((batch.grades, batch.mask), (batch.judged, None)):
        if grades is not None and not xp.library.isdtype(grades.dtype, "bool"):
            below = xp.floats(grades) < 0.0
            found = found | xp.library.any(below if there is None else below & there, axis=1)
    return found


def tied(batch: Batch, policy: Policy) -> Any:
    """Marks queries with a tie that includes a judged document within the policy's depth [query]."""
    lists = ranked(batch, Policy(scores=policy.scores, ties="input"))
    first, last = lists.tie_span
    judged = (lists.grades != NEVER_POOLED) & lists.inside
    here = judged & (last > first) & (first <= (policy.depth or float("inf")))
    return lists.xp.library.any(here, axis=1)


def ranked(batch: Batch, policy: Policy, highest: int | None = None) -> Padded:
    """Ranks the documents of each query under a policy.

    Args:
        batch: the documents.
        policy: the policy, of which all axes except those for missing and empty queries are applied.
        highest: the highest grade, if all grades are whole numbers.
    """
    xp = batch.arrays
    grades, levels = graded(xp, batch.grades, policy, highest)
    if batch.mask is not None:
        grades = xp.where(batch.mask, grades, NEVER_POOLED)
    pool = grades
    if policy.retrieved == "finite" and batch.scores is not None:
        batch = retrieved(batch)
        grades = xp.where(batch.mask, grades, NEVER_POOLED)
    if batch.judged is not None and policy.judgments == "all":
        pool, others = graded(xp, batch.judged, policy, highest)
        levels = None if levels is None or others is None else max(levels, others)
    length = None if batch.mask is None else xp.library.sum(xp.floats(batch.mask), axis=1, dtype=xp.dtype)
    keys = keys_of(batch, policy, grades)
    order = order_of(batch, keys, grades, policy)
    scores = None if keys is None else lambda: xp.take(keys, order)
    lists = Padded(xp, grades if order is None else xp.take(grades, order), length, pool, scores, levels)
    if policy.depth is not None:
        lists = lists.part(policy.depth, xp.minimum(lists.length, float(policy.depth)))
    return condensed(lists) if policy.unjudged == "removed" else lists


def retrieved(batch: Batch) -> Batch:
    """Removes the documents with score minus infinity, which count as not retrieved."""
    there = batch.scores != -float("inf")  # NaN is handled by ``nan_scores``
    return replace(batch, mask=there if batch.mask is None else there & batch.mask)


def graded(xp: Arrays, grades: Any, policy: Policy, highest: int | None) -> tuple[Any, int | None]:
    """Returns the grades under a policy, and the highest grade if all grades are known to be small whole numbers."""
    found = xp.range_of(grades)
    truth = xp.library.isdtype(grades.dtype, "bool")
    floats = xp.floats(grades)
    if truth:
        return floats, 1
    if found is None or not found[0] >= 0.0:
        negative = 0.0 if policy.negative == "nonrelevant" else POOLED
        floats = xp.where(floats < 0.0, negative, floats)
        if not xp.library.isdtype(grades.dtype, "integral"):
            floats = xp.where(xp.isnan(floats), NEVER_POOLED, floats)
        found = xp.range_of(floats)
    if found is None:
        return floats, highest
    whole = found[1] <= MOST_LEVELS and xp.is_whole(floats)
    return floats, max(int(found[1]), 0) if whole else None


def keys_of(batch: Batch, policy: Policy, grades: Any) -> Any:
    """Returns the scores to rank by, with NaN for padding, or None if documents are already in rank order."""
    keys, xp = batch.scores, batch.arrays
    if keys is None:
        return None
    if policy.scores == "float32":
        keys = xp.library.astype(keys, xp.library.float32, copy=False)
    if batch.worst is not None:
        worst = -xp.floats(xp.library.argsort(xp.order_down(-merit_of(xp, grades)), axis=1))
        keys = xp.where(batch.worst[:, None], worst, xp.floats(keys))
    return keys if batch.mask is None else xp.where(batch.mask, keys, float("nan"))


def order_of(batch: Batch, keys: Any, grades: Any, policy: Policy) -> Any:
    """Returns the position of the document at each rank, with padding last, or None if the order is unchanged."""
    xp = batch.arrays
    if keys is None:
        return None if batch.mask is None else xp.order_down(xp.floats(batch.mask))
    if policy.ties == "trec":
        return (grades.shape[1] - 1) - xp.order_down(xp.library.flip(keys, axis=1))
    if policy.ties in ("optimistic", "pessimistic"):
        merit = merit_of(xp, grades)
        first = xp.order_down(merit if policy.ties == "optimistic" else -merit)
        return xp.take(first, xp.order_down(xp.take(keys, first)))
    return xp.order_down(keys)


def merit_of(xp: Arrays, grades: Any) -> Any:
    """Returns the merit of each document for orders that depend on the grades: grade 0 has the least merit."""
    return xp.where(grades == 0.0, MERIT_OF_ZERO, grades)


def condensed(lists: Padded) -> Padded:
    """Removes the unjudged documents from the lists."""
    xp, whole = lists.xp, lists.scores
    judged = xp.floats((lists.grades >= 0.0) & lists.inside)
    order = xp.order_down(judged)
    scores = None if whole is None else lambda: xp.take(whole(), order)
    length = xp.library.sum(judged, axis=1, dtype=xp.dtype)
    return Padded(xp, xp.take(lists.grades, order), length, lists.pool, scores, lists.levels)


def beyond(batch: Batch, highest: int) -> Any:
    """Marks queries with a grade that is not a whole number up to ``highest`` [query]."""
    xp, flaws = batch.arrays, None
    for grades in (batch.grades, batch.judged):
        if grades is not None and grades.shape[1]:
            floats = xp.floats(grades)
            wrong = (floats > float(highest)) | (xp.trunc(floats) < floats)
            marked = xp.library.any(wrong, axis=1)
            flaws = marked if flaws is None else flaws | marked
    return flaws


def means_over_orders(
    batch: Batch, policy: Policy, measures: dict[str, Measure], highest: int | None
) -> dict[str, Any]:
    """Returns the per-query scores of each measure, as means over all orders of tied documents, by label [query].

    For a measure that is a sum over documents, a single list in which tied documents share their ranks gives the mean.
    Any other measure requires all orders or a sample of them, as in ``carob.evaluate``, and is computed on the host.

    Args:
        batch: the documents.
        policy: the policy, with ``ties="expected"``.
        measures: the measures, by label.
        highest: the highest grade, if all grades are whole numbers.

    Raises:
        MeasureError: on a device, a measure is not a sum over documents.
    """
    whole = ranked(batch, replace(policy, depth=None, unjudged="nonrelevant"), highest)
    # Cutting at a depth and removing documents depend on the order, so the sum over documents no longer suffices.
    sums = policy.depth is None and policy.unjudged == "nonrelevant"
    additive = {label: each for label, each in measures.items() if sums and each.additive}
    lists = Expected(whole)
    values: dict[str, Any] = {label: values_of(batch, lists, each) for label, each in additive.items()}
    others = {label: each for label, each in measures.items() if label not in additive}
    if others and not batch.arrays.on_host:
        label = next(iter(others))
        raise MeasureError(
            f"{label} has no mean over orders of tied documents (ties='expected') on a device, where carob "
            "does not inspect scores: choose another rule for ties, or pass arrays in the host's memory."
        )
    if others:
        rows = rows_of(whole)
        missing = np.zeros(len(rows.length), bool)
        found = Match(Names.of(()), finished(rows, policy), Counts(), missing, rows)
        try:
            columns, _ = expected_values(found, list(others.values()), policy)
        except UncomputableError as error:
            raise UncomputableError(error.reason, error.place + batch.first, error.measure) from None
        values |= {label: batch.arrays.floats(columns[:, place]) for place, label in enumerate(others)}
    return values


def rows_of(lists: Padded) -> JudgedRows:
    """Converts padded lists to rows of judged documents in the host's memory."""
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
    """Returns the offsets of each query's entries in the concatenated array [query + 1]."""
    return np.append(0, np.cumsum(kept.sum(axis=1))).astype(np.int64)


def values_of(batch: Batch, lists: Padded, measure: Measure) -> Any:
    """Returns the value of a measure for each query [query].

    Raises:
        UncomputableError: on the host, a measure is undefined for the grades of a query.
    """
    try:
        values: Any = measure.values(lists)
    except UncomputableError as error:
        raise UncomputableError(error.reason, error.place + batch.first, str(measure)) from None
    if batch.arrays.on_host and not measure.may_be_undefined and not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values))) + batch.first
        raise UncomputableError(measure.not_finite, place, str(measure))
    return values
