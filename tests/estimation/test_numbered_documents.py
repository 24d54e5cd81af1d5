"""Documents that people or a judge judged, and their numbers."""

from __future__ import annotations

import pytest

from carob import DataError
from carob.estimation.numbered_documents import Documents
from carob.inputs.qrels import Qrels
from carob.inputs.samples import SampledJudgment

JUDGE = {"q1": {"a": 2.0, "b": -1.0}, "q2": {"c": 1.0}}


def test_each_document_has_a_number_and_both_grades() -> None:
    people = {"q1": {"b": SampledJudgment(3.0, 0.25), "d": SampledJudgment(1.0, 1.0)}}
    found = Documents.of(people, Qrels.of(JUDGE))
    assert found.qrels.table == {"q1": {"a": 0.0, "b": 1.0, "d": 2.0}, "q2": {"c": 3.0}}
    assert found.people.tolist() == [2.0, 3.0, 1.0, 1.0]
    assert found.judge.tolist() == [2.0, 0.0, 0.0, 1.0]
    assert found.judged.tolist() == [False, True, True, False]
    assert found.probability.tolist() == [0.25, 1.0]
    assert found.queries == 2


def test_a_query_that_the_judge_did_not_judge_is_refused() -> None:
    with pytest.raises(DataError, match="query 'q3'"):
        Documents.of({"q3": {"a": SampledJudgment(1.0, 0.5)}}, Qrels.of(JUDGE))
