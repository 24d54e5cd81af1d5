"""How the documents of a batch are ranked on its device under a policy, and batches that no policy lets rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carob
from arrays import array
from carob import DataError, Policy, PolicyError
from carob.lists.arrays import arrays_of
from carob.tensors import evaluate
from carob.tensors.batch import Batch
from carob.tensors.ranking import beyond, checked, ranked, refuse_axes, rows_of


def test_scores_and_grades_that_are_swapped_are_found() -> None:
    similarity = np.array([[0.9, -0.2, 0.1], [0.3, 0.8, -0.4], [0.1, 0.2, 0.7]])
    with pytest.raises(
        DataError,
        match=r"'relevance' contains -0.2 and 'scores' contains only whole numbers: are the two swapped",
    ):
        evaluate(np.eye(3), similarity, ["RR"])
    assert evaluate(similarity, np.eye(3), ["RR"]) == {"RR": 1.0}
    meant = Policy(ties="input", negative="nonrelevant")
    assert set(evaluate(np.eye(3), similarity, ["RR"], policy=meant)) == {"RR"}
    assert set(evaluate(np.eye(3), np.abs(similarity), ["RR"])) == {"RR"}


@pytest.mark.parametrize("name", ["numpy", "array_api_strict", "torch", "jax"])
@pytest.mark.parametrize(
    "judged", [[[2, 1], [1, 0]], [[3, 3], [2, math.nan]], [[2, 1], [math.nan, math.nan]]]
)
def test_documents_better_than_the_judgments_have_no_value(name: str, judged: list[list[float]]) -> None:
    scores, grades = [[3.0, 2, 1], [3, 2, 1]], [[0.0, 2, 1], [2, 0, 1]]
    scores, grades, judged = (array(name, each) for each in (scores, grades, judged))
    asked = carob.tensors.Evaluator(["AP", "nDCG"])
    if name in ("numpy", "torch"):
        with pytest.raises(
            DataError, match=r"Query number [12] ranks 1 document of grade [12], but has only 0 judgments"
        ):
            asked(scores, grades, judged=judged)
        with pytest.raises(DataError, match="judged= needs all grades"):
            carob.Meter(["AP"]).update(scores, grades, judged=judged)
    else:
        values = asked(scores, grades, judged=judged, per_query=True)
        assert all(math.isnan(float(each[1])) for each in values.values())
    whole = array(name, [[2, 1, 0], [1, 3, 2]])
    assert 0 < float(asked(scores, grades, judged=whole)["AP"]) <= 1
    condition = Policy(judgments="retrieved")
    assert float(evaluate(scores, grades, ["AP"], judged=judged, policy=condition)["AP"]) <= 1


def test_the_place_of_such_a_query_counts_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carob.tensors.batch.AT_A_TIME", 6)
    scores = np.tile([3.0, 2.0, 1.0], (9, 1))
    judged = np.tile([1.0, 1.0], (9, 1))
    judged[7, 1] = 0.0
    with pytest.raises(
        DataError, match="Query number 8 ranks 2 documents of grade 1, but has only 1 judgment"
    ):
        evaluate(scores, np.tile([1, 0, 1], (9, 1)), ["AP"], judged=judged)


def batch_of(scores: Any, grades: Any, **others: Any) -> Batch:
    scores, grades = np.array(scores, float), np.array(grades, float)
    return Batch(arrays_of(grades), scores, grades, **{name: np.array(each) for name, each in others.items()})


EQUAL = [[2.0, 2.0, 3.0, 2.0]]
GRADES = [[1.0, 0.0, 0.0, 2.0]]


@pytest.mark.parametrize(
    ("axes", "grades"),
    [
        ({"ties": "input"}, [0.0, 1.0, 0.0, 2.0]),
        ({"ties": "trec"}, [0.0, 2.0, 0.0, 1.0]),
        ({"ties": "optimistic"}, [0.0, 2.0, 1.0, 0.0]),
        ({"ties": "pessimistic"}, [0.0, 0.0, 1.0, 2.0]),
        ({"ties": "trec", "depth": 2}, [0.0, 2.0]),
    ],
)
def test_the_rule_for_ties_orders_documents_of_equal_scores(
    axes: dict[str, Any], grades: list[float]
) -> None:
    assert ranked(batch_of(EQUAL, GRADES), Policy(**axes)).grades.tolist() == [grades]


def test_documents_that_are_not_retrieved_or_not_judged_leave_the_list() -> None:
    scores, grades = [[-math.inf, 1.0, 3.0, 2.0]], [[1.0, 2.0, math.nan, 0.0]]
    whole = ranked(batch_of(scores, grades), Policy(ties="input"))
    assert (whole.grades.tolist(), whole.length.tolist()) == ([[-1.0, 0.0, 2.0, 1.0]], [4])
    finite = ranked(batch_of(scores, grades), Policy(ties="input", retrieved="finite"))
    assert (finite.grades.tolist(), finite.length.tolist()) == ([[-1.0, 0.0, 2.0, -1.0]], [3])
    judged = ranked(batch_of(scores, grades), Policy(ties="input", unjudged="removed"))
    assert (judged.grades.tolist(), judged.length.tolist()) == ([[0.0, 2.0, 1.0, -1.0]], [3])
    masked = batch_of(scores, grades, mask=[[True, True, False, False]])
    assert ranked(masked, Policy(ties="input")).grades.tolist() == [[2.0, 1.0, -1.0, -1.0]]


def test_rows_have_the_ranks_and_ties_of_judged_documents() -> None:
    rows = rows_of(ranked(batch_of(EQUAL, [[1.0, math.nan, 0.0, 2.0]]), Policy(ties="input")))
    assert (rows.length.tolist(), rows.offsets.tolist()) == ([4.0], [0, 3])
    assert (rows.grade.tolist(), rows.rank.tolist()) == ([0.0, 1.0, 2.0], [1.0, 2.0, 4.0])
    assert (rows.tie_first.tolist(), rows.tie_last.tolist()) == ([1.0, 2.0, 2.0], [1.0, 4.0, 4.0])
    assert (rows.judged_offsets.tolist(), sorted(rows.judged_grades.tolist())) == ([0, 3], [0.0, 1.0, 2.0])


def test_what_a_policy_forbids_is_refused_with_the_number_of_its_query() -> None:
    with pytest.raises(PolicyError, match="ties='rank-column' does not work with arrays"):
        refuse_axes(Policy(ties="rank-column"))
    tied = batch_of([[3.0, 2.0], [2.0, 2.0]], [[1.0, 0.0], [1.0, math.nan]])
    with pytest.raises(DataError, match=r"Query number 2 .* a judged document with the same score"):
        checked(tied, Policy(ties="error"))
    unjudged = batch_of([[3.0, 2.0, 2.0]], [[1.0, math.nan, math.nan]])
    assert checked(unjudged, Policy(ties="error")).flaws is None
    below = batch_of([[3.0, 2.0], [2.5, 2.0]], [[1.0, 0.0], [1.0, -1.0]])
    with pytest.raises(DataError, match=r"Query number 2 .* a negative grade, which the policy forbids"):
        checked(below, Policy(negative="error"))


def test_grades_that_are_no_level_are_marked() -> None:
    batch = batch_of([[2.0, 1.0]] * 4, [[3.0, 0.0], [4.0, 0.0], [0.5, 0.0], [math.nan, -1.0]])
    assert beyond(batch, 3).tolist() == [False, True, True, False]
