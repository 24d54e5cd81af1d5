"""Expected ideal rankings: enumeration of all grades, calibration by the sample, and judges that are far off."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import carob
from carob.estimation.expected_ideal import chances, expected_ideals
from carob.estimation.numbered_documents import Documents
from carob.inputs.qrels import Qrels
from carob.inputs.samples import SampledJudgment

WEIGHT = 1 / np.log2(np.arange(2, 5))


def test_the_expectation_is_that_over_all_grades() -> None:
    draw = np.random.default_rng(1)
    chance = np.sort(draw.random((5, 2)), axis=1)[:, ::-1]  # of a grade of at least 1, and of 2
    expected = 0.0
    for grades in product((0, 1, 2), repeat=5):
        each = [(1 - c[0], c[0] - c[1], c[1])[grade] for grade, c in zip(grades, chance, strict=True)]
        best = sorted((float(grade) for grade in grades), reverse=True)[:3]
        expected += float(np.prod(each)) * float(np.dot(best, WEIGHT))
    found = expected_ideals(chance, np.zeros(5, np.int64), 1, WEIGHT, np.ones(2))
    assert found[0] == pytest.approx(expected, abs=1e-12)


def test_lists_without_documents_have_no_ideal() -> None:
    found = expected_ideals(np.ones((2, 1)), np.array([1, 1]), 3, WEIGHT, np.ones(1))
    assert found == pytest.approx([0.0, WEIGHT[:2].sum(), 0.0])


def test_a_sample_shows_what_a_judges_grade_means() -> None:
    """Half of the documents with the judge's grade 2 have people's grade 1, and the others 0."""
    judge = {f"q{n}": {f"d{m}": 2.0 for m in range(20)} for n in range(20)}
    people = {
        q: {d: SampledJudgment(float(int(d[1:]) % 2), 0.5) for d in list(its)[:10]}
        for q, its in judge.items()
    }
    documents = Documents.of(people, Qrels.of(judge))
    found = chances(documents, np.array([0.0, 1.0, 2.0]))
    assert found[-1] == pytest.approx([0.5, 0.0], abs=0.01)


@pytest.mark.parametrize("generous", [0.0, 1.0])
def test_a_judge_who_is_too_generous_or_too_strict_moves_ndcg_little(generous: float) -> None:
    draw = np.random.default_rng(2)
    truth = {f"q{n}": {f"d{m}": float(draw.integers(0, 3)) for m in range(30)} for n in range(60)}
    judge = {
        q: {d: min(g + generous, 2.0) * (generous or g / 2) for d, g in its.items()}
        for q, its in truth.items()
    }
    runs = {
        name: {q: {d: float(draw.random() + more * its[d]) for d in its} for q, its in truth.items()}
        for name, more in (("good", 0.5), ("poor", 0.0))
    }
    sample = {q: {d: (g, 0.4) for d, g in its.items() if draw.random() < 0.4} for q, its in truth.items()}
    found = carob.compare({q: its for q, its in sample.items() if its}, runs, "nDCG@10", judge=judge)[
        "nDCG@10"
    ]
    true = carob.compare(truth, runs, "nDCG@10")["nDCG@10"]
    assert found.means == pytest.approx(true.means, rel=0.12)
    assert found.pairs[0].low < true.pairs[0].difference < found.pairs[0].high
