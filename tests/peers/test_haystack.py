"""Haystack against its profile: lists of documents, compared by their content."""

from __future__ import annotations

import pytest

import carob
from peers.small_cases import DOUBLE, small_cases

evaluators = pytest.importorskip(
    "haystack.components.evaluators", reason="needs Haystack: pip install haystack-ai"
)
haystack = pytest.importorskip("haystack", reason="needs Haystack: pip install haystack-ai")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {
    "DocumentMAPEvaluator": lambda: evaluators.DocumentMAPEvaluator(),
    "DocumentMRREvaluator": lambda: evaluators.DocumentMRREvaluator(),
    "DocumentNDCGEvaluator": lambda: evaluators.DocumentNDCGEvaluator(),
    "DocumentRecallEvaluator": lambda: evaluators.DocumentRecallEvaluator(),
    "DocumentRecallEvaluator(mode=multi_hit)": lambda: evaluators.DocumentRecallEvaluator(mode="multi_hit"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("highest", [1, 3])
def test_every_query(name: str, highest: int) -> None:
    cases = small_cases(highest=highest, empty=False, count=300)
    graded = highest > 1 and name == "DocumentNDCGEvaluator"
    truth = [
        [
            haystack.Document(content=each, score=float(grade) if graded else None)
            for each, grade in its.items()
            if grade > 0
        ]
        for its in cases.qrels.values()
    ]
    retrieved = [[haystack.Document(content=each) for each in its] for its in cases.orders().values()]
    found = NAMES[name]().run(ground_truth_documents=truth, retrieved_documents=retrieved)
    qrels = (
        cases.qrels
        if graded
        else {q: {d: min(g, 1) for d, g in its.items()} for q, its in cases.qrels.items()}
    )
    ours = carob.evaluate(qrels, cases.run, name, profile="haystack")
    assert list(ours.by_query(name).values()) == pytest.approx(found["individual_scores"], abs=DOUBLE)
    assert ours[name] == pytest.approx(found["score"], abs=DOUBLE)
