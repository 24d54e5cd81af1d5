"""Padded or end to end, masked or left out, judged apart or not: every form of a batch has the same values.

Random queries go through every form in NumPy, PyTorch and JAX, and each value is compared with that of the same
documents as dicts. ``make forms`` takes 5,000 of them, the suite one batch for each policy.
"""

from __future__ import annotations

import os
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import pytest

import carob
from arrays import LIBRARIES, array, library
from carob import DataError, Policy
from carob.tensors import Evaluator, Ragged, evaluate_topk
from carob.tensors import evaluate as evaluate_arrays
from carob.tensors.meter import Meter
from tensors.batches import JUDGED, QUERIES, WIDTH, Batch, batch

MEASURES = ["AP", "RR", "nDCG@3", "R@2", "P@2", "Bpref", "Q", "infAP", "INST@3", "NumRelRet", "GMAP", "AUC"]
POLICIES = [
    Policy(ties="ascending"),
    Policy(ties="trec"),
    Policy(ties="optimistic"),
    Policy(ties="pessimistic", unjudged="removed", depth=4),
    Policy(ties="ascending", negative="nonrelevant", empty="skip", depth=3),
    Policy(ties="ascending", judgments="retrieved", empty="one"),
    Policy(ties="ascending", empty="nan", scores="float32"),
]
BATCHES = int(os.environ.get("BATCHES", len(POLICIES)))


def forms(name: str, its: Batch, random: np.random.Generator) -> dict[str, tuple[bool, dict[str, Any]]]:
    """The arguments of every form, and whether judgments are given apart."""
    queries = np.broadcast_to(np.arange(len(its.scores))[:, None], its.scores.shape)
    order = random.permutation(len(its.scores))  # the queries in any order, the documents of each in theirs
    where = np.where(
        its.mask, queries, random.integers(-3, 999, queries.shape)
    )  # masked: belongs to anything
    # What is masked may hold anything.
    scores, grades = np.where(its.mask, its.scores, np.nan), np.where(its.mask, its.grades, 77.0)
    kept = its.mask[order].ravel()

    def end_to_end(rows: np.ndarray) -> np.ndarray:
        return rows[order].ravel()

    documents = {
        "padded": {
            "scores": array(name, scores),
            "relevance": array(name, grades),
            "mask": array(name, its.mask, "bool"),
        },
        "flat": {
            "scores": array(name, end_to_end(scores)),
            "relevance": array(name, end_to_end(grades)),
            "queries": array(name, end_to_end(where), "int64"),
            "mask": array(name, end_to_end(its.mask), "bool"),
            "n_queries": len(order),
        },
        "left out": {
            "scores": array(name, end_to_end(scores)[kept]),
            "relevance": array(name, end_to_end(grades)[kept]),
            "queries": array(name, end_to_end(queries)[kept], "int64"),
            "n_queries": len(order),
            "longest": WIDTH,
        },
    }
    if name == "jax":
        del documents["left out"]  # a shape of its own for each batch, which JAX compiles anew
    shape = its.judged.shape
    rows = np.broadcast_to(np.arange(shape[0])[:, None], shape)
    judgments: dict[str, dict[str, Any]] = {
        "not": {},
        "padded": {"judged": array(name, its.judged)},
        "flat": {
            "judged": array(name, end_to_end(its.judged)),
            "judged_queries": array(name, end_to_end(rows), "int64"),
            "longest_judged": shape[1],
        },
    }
    return {
        f"documents {how}, judged {other}": (other != "not", {**its_documents, **its_judgments})
        for how, its_documents in documents.items()
        for other, its_judgments in judgments.items()
    }


def check_batch(seed: int, name: str) -> None:
    """Every form of a batch gives what dicts give, per query and in the weighted mean."""
    its, policy = batch(seed), POLICIES[seed % len(POLICIES)]
    asked = Evaluator(MEASURES, policy=policy)
    wanted = {}
    for judged in (False, True):
        qrels, run, weights = its.dicts(judged=judged)
        wanted[judged] = carob.evaluate(qrels, run, MEASURES, policy=policy, weights=weights)
    for form, (judged, arguments) in forms(name, its, np.random.default_rng(seed)).items():
        scores = wanted[judged]
        values = asked(**arguments, per_query=True)
        means = asked(**arguments, weights=array(name, its.weights))
        for label in MEASURES:
            of_dicts = scores.by_query(label)
            expected = [of_dicts.get(f"{number:03}", np.nan) for number in range(QUERIES)]
            found = np.asarray(values[label])
            assert np.allclose(found, expected, rtol=0, atol=1e-12, equal_nan=True), (form, label)
            assert float(means[label]) == pytest.approx(scores[label], abs=1e-11, nan_ok=True), (form, label)


@pytest.mark.parametrize("name", ["numpy", "torch", "jax"])
def test_every_form_of_a_batch_gives_what_dicts_give(name: str) -> None:
    for seed in range(BATCHES):
        check_batch(seed, name)


def test_jax_compiles_every_form() -> None:
    jax = pytest.importorskip("jax", reason="needs JAX")
    asked, owner = Evaluator(["AP", "nDCG@3"]), {"longest": "queries", "longest_judged": "judged_queries"}
    sizes = {"n_queries": QUERIES, "longest": WIDTH, "longest_judged": JUDGED + WIDTH}
    for form, (_, arguments) in forms("jax", batch(1), np.random.default_rng(1)).items():
        arrays = {each: value for each, value in arguments.items() if each not in sizes}
        numbers = {each: size for each, size in sizes.items() if owner.get(each, "queries") in arrays}
        compiled = jax.jit(partial(asked, **numbers, per_query=True))(**arrays)
        for label, value in asked(**arguments, per_query=True).items():
            assert np.allclose(compiled[label], value, rtol=0, atol=1e-12), (form, label)


@pytest.mark.parametrize("judged", [False, True])
def test_a_meter_takes_every_form(judged: bool) -> None:
    its = batch(3, queries=12)
    means = {}
    for form, (apart, arguments) in forms("numpy", its, np.random.default_rng(2)).items():
        if apart == judged:
            meter = Meter(["AP", "RR"])
            meter.update(**arguments, weights=its.weights)
            means[form] = meter.compute()
    first = next(iter(means.values()))
    for form, each in means.items():
        assert each == pytest.approx(first, abs=1e-12), form


def evaluate(*given: Any, **named: Any) -> dict[str, Any]:
    """``carob.tensors.evaluate`` with the query of each document or judgment among the arguments."""
    layout = {each.name: named.pop(each.name) for each in fields(Ragged) if each.name in named}
    return evaluate_arrays(*given, **named, ragged=Ragged(**layout) if layout else None)


FLAT = {"scores": np.array([0.9, 0.5, 0.1]), "relevance": np.array([0, 1, 1]), "measures": ["RR"]}


@pytest.mark.parametrize(
    ("count", "numbers", "floats"),
    [
        (256, "uint8", "float64"),
        (128, "int8", "float64"),
        (5000, "int64", "float16"),
        (300, "uint16", "float32"),
    ],
)
@pytest.mark.parametrize("masked", [False, True])
def test_query_numbers_of_every_type_stay_apart(count: int, numbers: str, floats: str, masked: bool) -> None:
    queries = np.repeat(np.arange(count), 2)
    scores, grades = np.tile([2.0, 1.0], count), np.stack([queries[::2] % 2, np.ones(count)], axis=1).ravel()
    mask = np.ones(len(queries), bool) if masked else None
    for name in ("numpy", "torch"):
        of = library(name)
        values = evaluate(
            array(name, scores),
            array(name, grades),
            ["RR"],
            queries=array(name, queries, numbers),
            mask=None if mask is None else array(name, mask, "bool"),
            dtype=getattr(of, floats),
            per_query=True,
        )["RR"]
        assert np.asarray(values).tolist() == [0.5, 1.0] * (count // 2)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("kind", ["int8", "uint8", "uint16", "uint32", "uint64"])
def test_ids_of_every_type_are_ids(kind: str, name: str) -> None:
    ids, relevant = array(name, [[0, 7, 100], [5, 6, 7]], kind), array(name, [[7, 100], [5, 8]], kind)
    values = evaluate_topk(ids, relevant, ["RR", "P@3"], per_query=True)
    assert np.asarray(values["RR"]).tolist() == [0.5, 1.0]
    assert np.asarray(values["P@3"]).tolist() == pytest.approx([2 / 3, 1 / 3])


def test_ids_past_the_largest_number_of_64_bits_are_refused_or_masked() -> None:
    ids, relevant = np.array([[1, 2**64 - 1]], np.uint64), np.array([[1]], np.uint64)
    with pytest.raises(DataError, match="number 1 of the batch has an id in ids of 2\\*\\*63 or more"):
        evaluate_topk(ids, relevant, ["P@2"])
    assert evaluate_topk(ids, relevant, ["P@2"], mask=np.array([[True, False]])) == {"P@2": 0.5}


def test_a_mask_counts_end_to_end() -> None:
    mask = np.array([False, True, True])
    assert evaluate(**FLAT, queries=np.array([0, 0, 0]), mask=mask) == {"RR": 1.0}


def test_judgments_count_end_to_end() -> None:
    queries = np.array([0, 0, 0])
    four = {"scores": FLAT["scores"], "relevance": FLAT["relevance"], "measures": ["R@2"], "queries": queries}
    assert evaluate(**four, judged=np.array([[0.0, 1, 1, 1]])) == {"R@2": pytest.approx(1 / 3)}
    apart = {"judged": np.array([1.0, 1, 1, 0]), "judged_queries": np.array([0, 0, 0, 1])}
    assert evaluate(**four, **apart, per_query=True)["R@2"].tolist() == pytest.approx([1 / 3, 0.0])
    padded = {"scores": FLAT["scores"][None], "relevance": FLAT["relevance"][None], "measures": ["R@2"]}
    assert evaluate(**padded, judged=np.array([1, 1, 1, 0]), judged_queries=queries.repeat(2)[:4]) == {
        "R@2": pytest.approx(1 / 3)
    }


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"queries": [0, -1, 0]}, "'queries' contains -1 at place 1.* from 0 to 0"),
        ({"queries": [0, 2, 0], "n_queries": 2}, "'queries' contains 2 at place 1.* from 0 to 1"),
        (
            {"queries": [0, 0, 0], "longest": 2},
            "Query 0 of 'queries' has more than 2 documents: pass a larger longest=",
        ),
        ({"queries": [0.0, 0.5, 1.0]}, "queries is of type float64: pass whole numbers"),
        ({"queries": [0, 0, 0], "mask": [True]}, "'mask' has 1 entry, but 'scores' has 3"),
        ({"queries": [0, 0]}, "'queries' has 2 entries, but 'scores' has 3"),
        ({"queries": [[0, 0, 0]]}, r"queries is \[1, 3\]: with queries= .* are \[document\]"),
        ({"queries": [0, 0, 0], "judged": [1.0]}, r"'judged' has shape \[1\]\. Pass \[query, judgment\], or"),
        ({"queries": [0, 1, 2], "judged": [[1.0], [0.0]]}, "'queries' contains 2 at place 2"),
        ({"queries": [0, 0, 0], "judged": [1.0, 1.0], "judged_queries": [0]}, "'judged_queries' has 1 entry"),
        (
            {"queries": [0, 0, 0], "judged": [1.0], "judged_queries": [4], "n_queries": 1},
            "'judged_queries' contains 4",
        ),
        ({"queries": [0, 0, 0], "judged_queries": [0]}, "judged_queries= needs judged="),
        ({"n_queries": 1}, "n_queries= needs queries="),
        ({"longest": 3}, "longest= needs queries="),
        ({"longest_judged": 3}, "longest_judged= needs judged_queries="),
    ],
)
def test_no_argument_is_dropped_in_silence(named: dict[str, Any], sentence: str) -> None:
    arrays = {each: np.asarray(value) if isinstance(value, list) else value for each, value in named.items()}
    with pytest.raises(DataError, match=sentence):
        evaluate(**FLAT, **arrays)


def test_where_nobody_may_look_a_document_of_no_query_makes_values_undefined() -> None:
    def rr(queries: list[int], **named: Any) -> list[float]:
        arrays = {each: array("jax", FLAT[each]) for each in ("scores", "relevance")}
        queries = array("jax", queries, "int64")
        return np.asarray(
            evaluate(**arrays, measures=["RR"], queries=queries, per_query=True, **named)["RR"]
        ).tolist()

    assert rr([0, 0, 1], n_queries=2, longest=2) == [0.5, 1.0]
    assert np.isnan(rr([0, 0, 2], n_queries=2)).all()
    assert np.isnan(rr([0, 0, 1], n_queries=2, longest=1)).tolist() == [True, False]


@pytest.mark.parametrize("ties", ["input", "expected"])
def test_torch_compiles_documents_and_judgments_end_to_end(ties: Any) -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    asked = Evaluator(["nDCG@3", "R@2"], policy=Policy(ties=ties, missing="nan", negative="error"))
    arguments = forms("torch", batch(2, queries=5), np.random.default_rng(1))["documents flat, judged flat"][
        1
    ]
    arguments |= {"longest": WIDTH}

    @torch.compile(backend="eager", fullgraph=True)
    def compiled(arrays: dict[str, Any]) -> dict[str, Any]:
        return asked(**arrays, per_query=True)

    for name in ("relevance", "judged"):
        arguments[name] = arguments[name].clamp(min=0)
    for label, value in asked(**arguments, per_query=True).items():
        assert np.allclose(compiled(arguments)[label], value, rtol=0, atol=1e-12, equal_nan=True), label


def test_lists_of_different_lengths_are_sent_to_ragged() -> None:
    lists, grades = [[0.9, 0.2], [0.3]], [[0, 1], [1]]
    with pytest.raises(DataError, match=r"lists of different lengths: .*Ragged\(queries=numpy.repeat"):
        evaluate_arrays(lists, grades, ["RR"])
    ragged = Ragged(queries=np.repeat(range(2), [len(each) for each in lists]))
    found = evaluate_arrays(np.concatenate(lists), np.concatenate(grades), ["RR"], ragged=ragged)
    assert float(found["RR"]) == 0.75
