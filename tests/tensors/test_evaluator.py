"""Arrays give what files give, in every library, compiled or not, and refuse in sentences what they cannot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

import carob
from arrays import array, library
from carob import DataError, MeasureError, Policy, PolicyError
from carob.tensors import Evaluator, Ragged, evaluate, evaluate_topk
from strategies import examples, judgments, runs

MEASURES = [
    "AP",
    "RR",
    "nDCG",
    "nDCG@3",
    "P@2",
    "R@2",
    "Bpref",
    "AUC",
    "GMAP",
    "GAUC",
    "NumRelRet",
    "Q",
    "infAP",
    "INST@3",
]
POLICIES = [
    {},
    {"ties": "ascending"},
    {"ties": "optimistic"},
    {"ties": "pessimistic"},
    {"unjudged": "removed", "depth": 3},
    {"negative": "nonrelevant", "empty": "skip", "depth": 2},
    {"judgments": "retrieved", "empty": "one", "scores": "float32"},
]


def laid_out(qrels: dict, run: dict) -> tuple[np.ndarray, ...]:
    """The judged queries as arrays: documents in the order of their ids, so that a place stands for an id."""
    queries = sorted(qrels, key=str.encode)
    scores, grades = np.full((len(queries), 13), 7.5), np.full((len(queries), 13), 3.0)
    mask, judged = np.zeros((len(queries), 13), bool), np.full((len(queries), 8), np.nan)
    for row, query in enumerate(queries):
        for place, document in enumerate(sorted(run.get(query, {}), key=str.encode)):
            scores[row, place], mask[row, place] = run[query][document], True
            grades[row, place] = qrels[query].get(document, np.nan)
        judged[row, : len(qrels[query])] = list(qrels[query].values())
    return scores, grades, mask, judged


def expected(qrels: dict, run: dict, policy: Policy) -> carob.Scores:
    try:
        return carob.evaluate(qrels, run, MEASURES, policy=policy)
    except DataError:
        assume(False)
        raise


@pytest.mark.parametrize("axes", POLICIES, ids=str)
@settings(max_examples=examples(12), deadline=None)
@given(qrels=judgments(), run=runs())
def test_arrays_give_what_dicts_give(axes: dict, qrels: dict, run: dict) -> None:
    policy = Policy(**{"ties": "trec", **axes})
    scores = expected(qrels, run, policy)
    its = dict(zip(("scores", "relevance", "mask", "judged"), laid_out(qrels, run), strict=True))
    values = evaluate(measures=MEASURES, policy=policy, per_query=True, **its)
    queries = sorted(qrels, key=str.encode)
    for label in MEASURES:
        of_files = scores.by_query(label)
        for query, value in zip(queries, values[label], strict=True):
            assert value == pytest.approx(of_files.get(query, math.nan), abs=1e-12, nan_ok=True), label
    for label, mean in evaluate(measures=MEASURES, policy=policy, **its).items():
        assert mean == pytest.approx(scores[label], abs=1e-12, nan_ok=True), label


def example(name: str) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(5)
    scores = np.round(random.random((6, 11)), 1)
    grades, mask = random.integers(-1, 4, scores.shape).astype(float), random.random(scores.shape) < 0.8
    grades[0, 3] = np.nan
    return array(name, scores), array(name, grades), array(name, mask, "bool")


def check_close(found: dict[str, Any], wanted: dict[str, Any], tolerance: float = 1e-12) -> None:
    assert set(found) == set(wanted)  # jax.jit sorts them
    for label, value in found.items():
        assert np.allclose(np.asarray(value), np.asarray(wanted[label]), rtol=0, atol=tolerance), label


@pytest.mark.parametrize("ties", ["input", "trec", "pessimistic"])
@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
def test_every_library_gives_the_same_in_its_own_arrays(name: str, ties: str) -> None:
    policy = Policy(ties=ties)
    scores, grades, mask = example(name)
    for per_query in (True, False):
        found = evaluate(scores, grades, MEASURES, mask=mask, policy=policy, per_query=per_query)
        wanted = evaluate(
            *example("numpy")[:2], MEASURES, mask=example("numpy")[2], policy=policy, per_query=per_query
        )
        assert {type(each) for each in found.values()} == {type(scores)}
        check_close({k: np.asarray(v) for k, v in found.items()}, wanted)


@pytest.mark.thorough
def test_torch_compiles_it_whole() -> None:
    torch = library("torch")
    asked = Evaluator(MEASURES)
    scores, grades, mask = example("torch")

    @torch.compile(backend="eager", fullgraph=True)
    def compiled(scores: Any, grades: Any, mask: Any) -> dict[str, Any]:
        return asked(scores, grades, mask=mask)

    check_close(compiled(scores, grades, mask), asked(scores, grades, mask=mask))


@pytest.mark.thorough
def test_torch_compiles_ideal_lists_that_are_counted() -> None:
    """They were empty under torch.compile, and every nDCG was 0: a trace makes NumPy's numbers tensors."""
    torch = library("torch")
    asked = Evaluator(["nDCG@2", "nDCG(gain=exp2)@2"], max_grade=3)
    compiled = torch.compile(lambda s, g: asked(s, g), backend="eager", fullgraph=True)
    found = compiled(torch.tensor([[0.9, 0.3, 0.1]]), torch.tensor([[1, 0, 3]]))
    for label, best in (("nDCG@2", 3), ("nDCG(gain=exp2)@2", 7)):
        assert float(found[label]) == pytest.approx(1 / (best + 1 / np.log2(3)), abs=1e-6), label


def test_jax_compiles_it_and_a_score_that_is_none_becomes_undefined() -> None:
    library("jax")
    jax = pytest.importorskip("jax")
    names = ["AP", "nDCG@3", "AUC"]
    scores, grades, mask = example("jax")
    compiled = jax.jit(lambda s, g, m: evaluate(s, g, names, mask=m, per_query=True))
    its = example("numpy")
    check_close(compiled(scores, grades, mask), evaluate(its[0], its[1], names, mask=its[2], per_query=True))
    its[0][2, 0] = np.nan
    values = compiled(jax.numpy.asarray(its[0]), grades, mask.at[2, 0].set(True))["AP"]
    assert np.isnan(np.asarray(values)).tolist() == [False, False, True, False, False, False]


def test_scores_end_to_end_with_the_numbers_of_their_queries() -> None:
    scores, grades = np.array([0.5, 0.9, 0.1, 0.7, 0.2]), np.array([1, 0, 1, 1, 0])
    queries = np.array([2, 0, 2, 0, 2])
    values = evaluate(scores, grades, ["AP", "NumRet"], ragged=Ragged(queries, n_queries=3), per_query=True)
    assert values["NumRet"].tolist() == [2, 0, 3]
    assert values["AP"].tolist() == pytest.approx([1 / 2, 0, (1 / 1 + 2 / 3) / 2])
    sized = evaluate(scores, grades, ["AP"], ragged=Ragged(queries, n_queries=4, longest=5), per_query=True)
    assert sized["AP"].tolist() == pytest.approx([1 / 2, 0, (1 / 1 + 2 / 3) / 2, 0])
    strict = library("array_api_strict")
    other = evaluate(
        *map(strict.asarray, (scores, grades)),
        ["AP"],
        ragged=Ragged(strict.asarray(queries), n_queries=3),
        per_query=True,
    )
    assert np.asarray(other["AP"]).tolist() == values["AP"].tolist()


@pytest.mark.parametrize("name", ["numpy", "array_api_strict", "torch"])
def test_numbers_of_queries_with_gaps_are_refused_where_no_count_is_passed(name: str) -> None:
    """A gap may be a list without documents, or no query: a batch of a data set has a part of its numbers."""
    scores, grades = array(name, [0.9, 0.1, 0.9, 0.1]), array(name, [1, 0, 1, 0])
    for numbers, found in (
        ([101, 101, 102, 102], "2 numbers of the 103"),
        ([2, 2, 3, 3], "2 numbers of the 4"),
    ):
        with pytest.raises(DataError, match=f"queries has {found} from 0 to .*pass n_queries=.*numpy.unique"):
            evaluate(scores, grades, ["RR"], ragged=Ragged(array(name, numbers, "int64")))
    judged = Ragged(array(name, [0, 0, 2, 2], "int64"), array(name, [0, 1, 2], "int64"))
    values = evaluate(scores, grades, ["RR"], judged=array(name, [1, 1, 1]), ragged=judged, per_query=True)
    assert np.asarray(values["RR"]).tolist() == [1, 0, 1]
    assert evaluate(scores, grades, ["RR"], ragged=Ragged(array(name, [0, 0, 1, 1], "int64"))) == {"RR": 1.0}


@pytest.mark.parametrize("name", ["numpy", "array_api_strict", "torch"])
def test_retrieved_ids_against_relevant_ones(name: str) -> None:
    ids = array(name, [[7, 3, 5, -1], [2, 9, -1, 4]], "int64")
    relevant = array(name, [[3, 8, -1], [4, 2, 6]], "int64")
    grades = array(name, [[2, 1, 9], [1, 0, 3]])
    values = evaluate_topk(ids, relevant, ["RR", "R", "DCG", "NumRet"], grades=grades, per_query=True)
    assert np.asarray(values["RR"]).tolist() == pytest.approx([1 / 2, 1 / 3])
    assert np.asarray(values["R"]).tolist() == pytest.approx([1 / 2, 1 / 2])
    assert np.asarray(values["DCG"]).tolist() == pytest.approx([2 / math.log2(3), 1 / math.log2(4)], rel=1e-6)
    assert np.asarray(values["NumRet"]).tolist() == [3, 3]


def test_an_id_that_stands_twice_is_refused_or_counts_once() -> None:
    ids, relevant = np.array([[4, 7, 4, 5]]), np.array([[5, 4, 5]])
    with pytest.raises(DataError, match="number 1 of the batch has an id twice in ids: remove one"):
        evaluate_topk(ids, relevant, ["P@2"])
    for rule, value in (("first", (1 / 1 + 2 / 3) / 2), ("last", (1 / 2 + 2 / 3) / 2)):
        assert evaluate_topk(ids, relevant, ["AP"], policy=Policy(duplicates=rule))["AP"] == pytest.approx(
            value
        )
    strict = library("array_api_strict")
    elsewhere = evaluate_topk(strict.asarray(ids), strict.asarray(relevant), ["P@2"])
    assert math.isnan(float(elsewhere["P@2"]))


def test_weights_and_skipped_queries_count_in_the_mean() -> None:
    scores, grades = np.array([[3.0, 2, 1]] * 3), np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert evaluate(scores, grades, ["RR"], weights=np.array([3, 1, 0]))["RR"] == pytest.approx(
        (3 / 2 + 1) / 4
    )
    skipped = Policy(ties="input", empty="skip")
    assert evaluate(scores, grades, ["RR", "NumRet"], policy=skipped) == {"RR": 3 / 4, "NumRet": 6}
    values = evaluate(scores, grades, ["RR"], policy=skipped, per_query=True)["RR"]
    assert values[:2].tolist() == [1 / 2, 1]
    assert math.isnan(values[2])


def test_the_batch_may_be_large_and_is_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    scores, grades = random.random((40, 30)), random.integers(0, 3, (40, 30))
    whole = evaluate(scores, grades, MEASURES, per_query=True)
    monkeypatch.setattr("carob.tensors.batch.AT_A_TIME", 100)
    parts = evaluate(scores, grades, MEASURES, per_query=True)
    for label in MEASURES:
        assert np.allclose(parts[label], whole[label], rtol=0, atol=1e-12), label


def test_a_declared_highest_grade_counts_the_best_list_and_is_held_to() -> None:
    strict = library("array_api_strict")
    scores, grades = strict.asarray([[1.0, 2.0, 3.0]] * 2), strict.asarray([[0, 2, 1], [0, 1, 3]])
    plain = evaluate(scores, grades, ["nDCG", "nDCG(gain=exp2)@2"], per_query=True)
    counted = evaluate(scores, grades, ["nDCG", "nDCG(gain=exp2)@2"], max_grade=3, per_query=True)
    for label in plain:
        assert np.asarray(counted[label]).tolist() == pytest.approx(
            np.asarray(plain[label]).tolist(), abs=1e-12
        )
    low = evaluate(scores, grades, ["nDCG"], max_grade=2, per_query=True)["nDCG"]
    assert np.isnan(np.asarray(low)).tolist() == [False, True]
    with pytest.raises(
        DataError, match="number 2 of the batch has a grade that is not a whole number up to 2"
    ):
        evaluate(np.ones((2, 3)), np.array([[0, 2, 1], [0, 1, 3]]), ["nDCG"], max_grade=2)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "int64"])
def test_short_and_whole_scores_of_torch_are_taken(kind: str) -> None:
    torch = library("torch")
    scores = torch.tensor([[3, 1, 2]], dtype=getattr(torch, kind))
    assert float(evaluate(scores, torch.tensor([[False, True, True]]), ["AP"])["AP"]) == pytest.approx(
        (1 / 2 + 2 / 3) / 2
    )


def test_scores_that_a_model_still_learns_from_are_taken() -> None:
    torch = library("torch")
    scores = torch.tensor([[3.0, 1.0]], requires_grad=True)
    assert evaluate(scores, torch.tensor([[0, 1]]), ["RR"])["RR"].item() == 0.5


ONE = np.ones((2, 3))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: evaluate(ONE, np.ones((2, 4)), ["AP"]),
            DataError,
            r"\[2, 3\], but 'relevance' has shape \[2, 4\]",
        ),
        (lambda: evaluate(ONE[0], ONE[0], ["AP"]), DataError, "two axes .* pass ragged="),
        (lambda: evaluate([[1.0]], ONE, ["AP"]), DataError, "scores is a list, not an array"),
        (lambda: evaluate(ONE, [[1.0]], ["AP"]), DataError, "relevance is a list, not an array"),
        (
            lambda: evaluate(ONE[0], [1.0], ["AP"], ragged=Ragged(ONE[0])),
            DataError,
            "relevance is a list, not an array",
        ),
        (
            lambda: evaluate(ONE, ONE, ["AP"], judged=ONE[:1]),
            DataError,
            "'scores' has 2 rows and 'judged' has 1 row",
        ),
        (lambda: evaluate(ONE, ONE, ["AP"], weights=ONE[0]), DataError, "one weight for each of 2 queries"),
        (lambda: evaluate(ONE * np.nan, ONE, ["AP"]), DataError, "number 1 .* score that is not a number"),
        (lambda: evaluate(ONE, ONE * 9, ["ERR"]), DataError, "larger gain than the highest"),
        (lambda: evaluate(ONE, ONE, ["Prefs"]), MeasureError, "an array of grades contains none"),
        (lambda: evaluate(ONE, ONE, ["nDGC"]), MeasureError, "Did you mean nDCG"),
        (
            lambda: evaluate(ONE, ONE, policy=Policy(ties="rank-column")),
            PolicyError,
            "does not work with arrays",
        ),
        (
            lambda: evaluate(ONE, ONE, policy=Policy(ties="error")),
            DataError,
            "number 1 of the batch has a judged document with the same score",
        ),
        (
            lambda: evaluate(ONE, ONE - 2, policy=Policy(negative="error")),
            DataError,
            "number 1 of the batch has a negative grade, which the policy forbids",
        ),
        (
            lambda: evaluate(ONE, ONE * 0, policy=Policy(empty="error", ties="input")),
            DataError,
            "number 1 of the batch has no document of grade 1 or more, which the policy forbids",
        ),
        (
            lambda: evaluate(ONE, ONE, mask=ONE * 0, policy=Policy(missing="error", ties="input")),
            DataError,
            "number 1 of the batch has no document, which the policy forbids",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(call: Any, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_masked_places_may_hold_anything() -> None:
    scores, grades = np.array([[np.nan, 2.0, 1.0, -np.inf]]), np.array([[5.0, 0.0, 1.0, 1.0]])
    mask = np.array([[False, True, True, True]])
    assert evaluate(scores, grades, ["AP", "NumRel"], mask=mask) == {"AP": (1 / 2 + 2 / 3) / 2, "NumRel": 2}
