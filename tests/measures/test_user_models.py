"""Holds the measures of user models to cwl_eval's values: recorded, and live where it is installed."""

from __future__ import annotations

from importlib import import_module
from random import Random

import pytest

from carob import evaluate_grades

GRADES: list[float | None] = [1, 0, 4, None, 2, 0, 0, 3]
# The measure here, cwl_eval's class and arguments, and what cwl_eval 1.0.12 says of GRADES. Its lists have 1,000
# ranks; its gains lie between 0 and 1: the grade / 4 where the measure says max=4, else 1 for a relevant document.
SAME = [
    ("INST@1000", "inst.INST", (1.0,), 0.7627972329942871),
    ("INST(T=2.5)@1000", "inst.INST", (2.5,), 0.4704865562177214),
    ("INST(gain=linear,max=4)@1000", "inst.INST", (1.0,), 0.2527481658880162),
    ("INST(T=3,gain=linear,max=4)@1000", "inst.INST", (3.0,), 0.20245875465934088),
    ("INSQ@1000", "insq.INSQ", (1.0,), 0.5476067422411477),
    ("INSQ(T=3,gain=linear,max=4)@1000", "insq.INSQ", (3.0,), 0.1774945582569714),
    ("BPM", "bpm.BPM", (1.0, 10), 1.0),
    ("BPM(T=2,K=5)", "bpm.BPM", (2.0, 5), 0.6666666666666666),
    ("BPM(T=1.5,K=20,gain=linear,max=4)", "bpm.BPM", (1.5, 20), 0.35),
    ("RBP(p=0.8,rel=1)", "rbp.RBP", (0.8,), 0.45186304),
    ("RBP(p=0.8,max=4)", "rbp.RBP", (0.8,), 0.25041728),
    ("SDCG@5", "dcg.NDCG", (5,), 0.6399453854227659),
    ("SDCG(gain=linear,max=4)@20", "dcg.NDCG", (20,), 0.16761080646248971),
    ("nDCG(ideal=depth,gain=binary)@5", "dcg.NDCG", (5,), 0.6399453854227659),
]


@pytest.mark.parametrize(("measure", "metric", "arguments", "value"), SAME, ids=[each[0] for each in SAME])
def test_value_is_cwl_evals(measure: str, metric: str, arguments: tuple[float, ...], value: float) -> None:
    assert evaluate_grades([GRADES], [measure]).matrix[0, 0] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(("measure", "metric", "arguments"), [each[:3] for each in SAME])
def test_random_lists_agree_with_cwl_eval(measure: str, metric: str, arguments: tuple[float, ...]) -> None:
    ranking = pytest.importorskip("cwl.ruler.ranking", reason="needs cwl-eval")
    import numpy as np

    file, _, name = metric.partition(".")
    theirs = getattr(import_module(f"cwl.ruler.measures.cwl_{file}"), f"{name}CWLMetric")(*arguments)
    random = Random(measure)
    for _ in range(100):
        grades = [random.choice([None, 0, 0, 1, 2, 3, 4]) for _ in range(random.randint(1, 30))]
        gains = [(grade or 0) / 4 if "max" in measure else float((grade or 0) > 0) for grade in grades]
        expected = theirs.measure(ranking.Ranking("1", np.array(gains), np.ones(len(gains))))
        found = evaluate_grades([grades], [measure]).matrix[0, 0]
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15), grades
