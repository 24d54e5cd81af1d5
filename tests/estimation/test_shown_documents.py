"""The documents that runs show: numbers, ranks, lengths and grades of all of them, and policies that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from carob import DataError, Policy, PolicyError
from carob.estimation.shown_documents import UNJUDGED, ShownDocuments, alone_at, depth_of, tables_of
from carob.evaluation.values import values_of
from carob.inputs.ids import texts_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.lists.rows import POOLED
from carob.measures import parse_measure

QRELS = {"q1": {"a": 2, "b": -1}, "q2": {"c": 0}}
ONE = {"q1": {"x": 3.0, "a": 2.0}, "q2": {"y": 1.0}}
TWO = {"q1": {"b": 2.0, "x": 1.0, "z": 0.5}}
INF = float("inf")


def by_document(shown: ShownDocuments, values: object) -> dict[str, list[float]]:
    """The values of each document in each row."""
    names = [each for place in range(2) for each in texts_of(shown.judgments.documents(place))]
    return dict(zip(names, np.atleast_2d(np.asarray(values)).T.tolist(), strict=True))


def test_every_document_of_a_judged_query_has_its_grade_and_its_rank_in_each_run() -> None:
    shown = ShownDocuments.of(Qrels.of(QRELS), [Run.of(ONE), Run.of(TWO)], Policy())
    assert by_document(shown, shown.grade) == {
        "a": [2.0], "b": [POOLED], "x": [UNJUDGED], "z": [UNJUDGED], "c": [0.0], "y": [UNJUDGED],
    }  # fmt: skip
    assert by_document(shown, shown.ranks) == {
        "a": [2.0, INF], "b": [INF, 1.0], "x": [1.0, 2.0], "z": [INF, 3.0], "c": [INF, INF], "y": [1.0, INF],
    }  # fmt: skip
    assert shown.lengths.tolist() == [[2.0, 1.0], [3.0, 0.0]]
    assert (shown.offsets.tolist(), shown.query.tolist()) == ([0, 4, 6], [0, 0, 0, 0, 1, 1])
    assert (shown.highest(), shown.judge, shown.graded) == (2.0, None, None)


def test_a_judges_grades_stand_beside_and_are_not_known() -> None:
    judge = Qrels.of({"q1": {"x": 3, "a": 1, "w": -2}, "q2": {"c": 1}})
    shown = ShownDocuments.of(Qrels.of(QRELS), [Run.of(ONE)], Policy(), judge)
    assert by_document(shown, shown.grade)["x"] == by_document(shown, shown.grade)["w"] == [UNJUDGED]
    assert by_document(shown, [shown.judge, shown.graded]) == {
        "a": [1, 1], "b": [0, 0], "x": [3, 1], "w": [0, 1], "c": [1, 1], "y": [0, 0],
    }  # fmt: skip
    alone = ShownDocuments.of(None, [Run.of(ONE)], Policy(), judge)
    assert (alone.grade == UNJUDGED).all()
    assert alone.highest() == 1.0


def test_a_negative_grade_is_none_or_in_the_pool() -> None:
    judged = Qrels.of(QRELS)
    assert tables_of(judged, Policy()) == {"q1": {"a": 2.0, "b": POOLED}, "q2": {"c": 0.0}}
    nothing = tables_of(judged, Policy(negative="nonrelevant"))
    assert nothing == {"q1": {"a": 2.0, "b": 0.0}, "q2": {"c": 0.0}}
    assert tables_of(None, Policy()) == {}


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            Policy(ties="optimistic"),
            (
                "Unjudged documents need a fixed order, but ties=optimistic has none. "
                "Choose another rule for ties, such as ties=trec."
            ),
        ),
        (
            Policy(unjudged="removed"),
            "Unjudged documents cannot be filled in under unjudged=removed. Choose unjudged=nonrelevant.",
        ),
        (
            Policy(missing="skip"),
            "Unjudged documents cannot be filled in under ranks=given, missing=skip or listing=known: leave them out.",
        ),
    ],
)
def test_policies_without_an_order_or_without_unjudged_documents_are_refused(
    policy: Policy, said: str
) -> None:
    with pytest.raises(PolicyError, match=r".") as caught:
        ShownDocuments.of(Qrels.of(QRELS), [Run.of(ONE)], policy)
    assert str(caught.value) == said


def test_runs_of_other_queries_are_refused() -> None:
    with pytest.raises(DataError, match=r"^No run contains a judged query\."):
        ShownDocuments.of(Qrels.of(QRELS), [Run.of({"q9": {"a": 1.0}})], Policy())


def test_a_measure_reads_to_its_own_depth_or_that_of_the_policy() -> None:
    nowhere, ten = parse_measure("AP"), parse_measure("P@10")
    assert [depth_of(each, Policy()) for each in (nowhere, ten)] == [INF, 10.0]
    assert [depth_of(each, Policy(depth=5)) for each in (nowhere, ten)] == [5.0, 5.0]


def test_lists_with_one_judged_document_have_its_value_alone() -> None:
    rows = alone_at(np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 0.0]), 5.0)
    values = values_of(rows, [parse_measure("RR"), parse_measure("P@5")])
    assert values.tolist() == [[1.0, 0.2], [0.5, 0.2], [0.0, 0.0]]
