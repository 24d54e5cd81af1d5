"""The mean over all orders of tied documents of arrays: that of dicts, of scikit-learn and of torchmetrics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carob
from arrays import array, library
from carob import MeasureError, Policy
from carob.measures import REGISTER
from carob.tensors import Evaluator, Ragged, evaluate
from tensors.batches import batch

EXPECTED = Policy(ties="expected")
ADDITIVE = [
    *(name for name, each in REGISTER.items() if each.additive and not each.whole),
    *(f"{name}@3" for name, each in REGISTER.items() if each.additive and each.at == "depth"),
    *("R(over=capped)@2", "P(over=retrieved)@12", "R(rel=2)", "Judged(over=depth)@4", "nDCG(gain=exp2)@2"),
    *(
        "nDCG(ideal=length)@4",
        "nDCG(ideal=retrieved)@4",
        "DCG(gain=binary(2),discount=rank)",
        "RBP(rel=1,p=0.5)",
    ),
    *("RBP(max=3)@4", "CG(gain={0:-1,1:2,2:5})@3", "Rprec(times=2)", "nCG(gain={0:0.5})@5"),
]
OTHERS = ["AP", "RR", "Success@2", "Bpref", "ERR@5", "AUC", "Q", "NumRet", "AP(over=retrieved)@3"]


def of_dicts(seed: int, measures: list[str], policy: Policy, *, judged: bool) -> dict[str, list[float]]:
    qrels, run, _ = batch(seed).dicts(judged=judged)
    scores = carob.evaluate(qrels, run, measures, policy=policy)
    return {label: list(scores.by_query(label).values()) for label in scores}


def of_arrays(name: str, seed: int, measures: list[str], policy: Policy, *, judged: bool) -> dict[str, Any]:
    its = batch(seed)
    apart = {"judged": array(name, its.judged)} if judged else {}
    arrays = {"mask": array(name, its.mask, "bool"), **apart}
    return evaluate(
        array(name, its.scores), array(name, its.grades), measures, policy=policy, per_query=True, **arrays
    )


def check_values(found: dict[str, Any], wanted: dict[str, list[float]]) -> None:
    for label, values in wanted.items():
        assert np.allclose(np.asarray(found[label]), values, rtol=0, atol=1e-9, equal_nan=True), label


@pytest.mark.parametrize("judged", [False, True], ids=["judged not", "judged"])
@pytest.mark.parametrize("name", ["numpy", "torch", "array_api_strict", "jax"])
def test_sums_over_documents_have_their_mean_in_every_library(name: str, judged: bool) -> None:
    library(name)
    found = of_arrays(name, 5, ADDITIVE, EXPECTED, judged=judged)
    check_values(found, of_dicts(5, ADDITIVE, EXPECTED, judged=judged))


@pytest.mark.parametrize(
    "policy",
    [
        EXPECTED,
        EXPECTED.changed(depth=3),
        EXPECTED.changed(unjudged="removed"),
        EXPECTED.changed(negative="nonrelevant", judgments="retrieved", scores="float32"),
    ],
    ids=Policy.describe,
)
@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_every_measure_has_its_mean_on_the_host(name: str, policy: Policy) -> None:
    library(name)
    measures = [*OTHERS, "nDCG@3", "P@2"]
    found = of_arrays(name, 6, measures, policy, judged=True)
    check_values(found, of_dicts(6, measures, policy, judged=True))


def test_a_sum_does_not_depend_on_where_a_tie_is_cut() -> None:
    scores, grades = np.array([[2.0, 2.0, 2.0, 1.0]]), np.array([[3, 0, 0, 1]])
    assert evaluate(scores, grades, ["CG@1", "CG@2", "CG@3"], policy=EXPECTED) == {
        "CG@1": 1.0,
        "CG@2": 2.0,
        "CG@3": 3.0,
    }
    first = sum(1 / math.log2(rank + 1) for rank in (1, 2, 3))
    assert evaluate(scores, grades, ["DCG@3"], policy=EXPECTED)["DCG@3"] == pytest.approx(first)


def test_jax_compiles_the_mean_over_orders() -> None:
    library("jax")
    jax = pytest.importorskip("jax")
    its, asked = batch(7), Evaluator(["nDCG@3", "R"], policy=EXPECTED)
    arguments = {
        "scores": array("jax", its.scores),
        "relevance": array("jax", its.grades),
        "mask": array("jax", its.mask, "bool"),
        "judged": array("jax", its.judged),
    }
    check_values(
        jax.jit(lambda given: asked(**given, per_query=True))(arguments),
        of_dicts(7, ["nDCG@3", "R"], EXPECTED, judged=True),
    )


def test_where_nobody_may_look_other_measures_are_refused() -> None:
    strict = library("array_api_strict")
    with pytest.raises(MeasureError, match=r"^RR has no mean over orders of tied documents .* on a device"):
        evaluate(strict.ones((1, 2)), strict.ones((1, 2)), ["nDCG", "RR"], policy=EXPECTED)


def test_scikit_learns_profile_goes_with_arrays() -> None:
    sklearn = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn, of the extra 'peers'")
    random = np.random.default_rng(3)
    scores, grades = random.integers(0, 3, (20, 6)).astype(float), random.integers(0, 4, (20, 6))
    found = evaluate(scores, grades, ["ndcg_score@3", "ndcg_score", "dcg_score"], profile="sklearn")
    assert found["ndcg_score@3"] == pytest.approx(sklearn.ndcg_score(grades, scores, k=3), abs=1e-12)
    assert found["ndcg_score"] == pytest.approx(sklearn.ndcg_score(grades, scores), abs=1e-12)
    assert found["dcg_score"] == pytest.approx(sklearn.dcg_score(grades, scores), abs=1e-12)
    assert set(evaluate(scores, grades, profile="sklearn")) == {"ndcg_score", "LRAP"}


@pytest.mark.parametrize(
    "axes", [{"ties": "error"}, {"negative": "error"}, {"empty": "error"}, {"missing": "error"}]
)
def test_what_a_policy_forbids_is_undefined_where_nobody_may_look(axes: dict[str, Any]) -> None:
    strict = library("array_api_strict")
    scores = strict.asarray([[2.0, 1.0], [1.0, 1.0], [2.0, 1.0], [2.0, 1.0], [2.0, 1.0]])
    grades = strict.asarray([[1.0, 0.0], [1.0, 0.0], [1.0, -1.0], [0.0, 0.0], [1.0, 1.0]])
    mask = strict.asarray([[True, True]] * 4 + [[False, False]])
    policy = Policy(**{"ties": "input", **axes})
    values = evaluate(scores, grades, ["RR"], mask=mask, policy=policy, per_query=True)["RR"]
    forbidden = {"ties": [1], "negative": [2], "empty": [3, 4], "missing": [4]}[next(iter(axes))]
    assert np.flatnonzero(np.isnan(np.asarray(values))).tolist() == forbidden


def test_a_query_without_a_document_is_missing() -> None:
    scores, grades = np.array([[2.0, 1.0], [2.0, 1.0]]), np.array([[1, 0], [1, 0]])
    mask = np.array([[True, True], [False, False]])
    judged = np.array([[1.0], [1.0]])
    for rule, mean in (("zero", 0.5), ("skip", 1.0), ("nan", math.nan)):
        policy = Policy(ties="input", missing=rule)
        found = evaluate(scores, grades, ["RR"], mask=mask, judged=judged, policy=policy)["RR"]
        assert found == pytest.approx(mean, nan_ok=True), rule
    flat = {"ragged": Ragged(np.array([0, 0]), n_queries=2), "judged": judged}
    skipped = Policy(ties="input", missing="skip")
    assert evaluate(scores[0], grades[0], ["RR"], policy=skipped, **flat) == {"RR": 1.0}
