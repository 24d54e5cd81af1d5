"""Arrays that hold no real numbers, or numbers that rounding makes equal, are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carob
from arrays import array
from carob import DataError
from carob.tensors import evaluate, evaluate_topk

SCORES, GRADES = np.array([[3.0, 2, 1], [1, 2, 3]]), np.array([[0, 1, 1], [1, 0, 0]])
HIDDEN = [[True, False, False], [False, False, False]]


@pytest.mark.parametrize("name", ["scores", "relevance", "judged", "mask", "weights"])
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda each: np.ma.array(each, mask=np.resize(HIDDEN, each.shape)), "is a masked array"),
        (lambda each: each + 1j, "is of type complex128"),
        (lambda each: each.astype("U5"), "is of type <U5"),
        (lambda each: each.astype(object), "is of type object"),
        (lambda each: each.astype("m8[s]"), r"is of type timedelta64\[s\]"),
    ],
    ids=["masked", "complex", "text", "object", "time"],
)
def test_what_holds_no_real_numbers_is_refused(name: str, make: Any, text: str) -> None:
    arrays = {"scores": SCORES, "relevance": GRADES, "judged": GRADES, "mask": GRADES, "weights": np.ones(2)}
    arrays[name] = make(arrays[name].astype(float))
    with pytest.raises(DataError, match=f"{name} {text}"):
        evaluate(**arrays, measures=["AP"])
    with pytest.raises(DataError, match=f"{name} {text}"):
        carob.Meter(["AP"]).update(**arrays)


@pytest.mark.parametrize("dtype", [">f8", ">i8", ">i4", np.longdouble])
def test_other_orders_of_bytes_and_long_doubles_are_reckoned_with_in_double(dtype: Any) -> None:
    value = evaluate(SCORES.astype(dtype), GRADES.astype(dtype), ["AP"])["AP"]
    assert value.dtype == np.float64
    assert value == pytest.approx((7 / 12 + 1 / 3) / 2, abs=1e-15)
    assert evaluate(SCORES.astype(">f4"), GRADES, ["AP"])["AP"].dtype == np.float32


@pytest.mark.parametrize(
    ("one", "other"),
    [(2**53, 2**53 + 1), (2**63 - 1, 1), (-(2**53) - 1, 1)],
    ids=["2**53", "largest", "negative"],
)
def test_whole_scores_that_a_double_does_not_hold_are_refused(one: int, other: int) -> None:
    with pytest.raises(
        DataError, match="Query number 1 of the batch has a score that floating point cannot represent"
    ):
        evaluate(np.array([[one, other]]), np.array([[0, 1]]), ["AP"])
    masked = {"mask": np.array([[False, False, True]])}
    assert evaluate(np.array([[one, other, 1]]), np.array([[0, 1, 1]]), ["AP"], **masked)["AP"] == 1.0


def test_whole_scores_that_a_double_holds_are_taken_also_in_single_precision() -> None:
    grades = np.array([[0, 1]])
    assert evaluate(np.array([[2**60 + 256, 2**60]]), grades, ["AP"])["AP"] == 0.5
    assert evaluate(np.array([[2**24, 2**24 + 1]]), grades, ["AP"], dtype=np.float32)["AP"] == 1.0


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps == np.finfo(float).eps, reason="long doubles are doubles here"
)
def test_long_doubles_that_a_double_does_not_hold_are_refused() -> None:
    scores = np.array([[1, 1 + np.finfo(np.longdouble).eps]], np.longdouble)
    with pytest.raises(DataError, match="that floating point cannot represent"):
        evaluate(scores, np.array([[0, 1]]), ["AP"])


def test_whole_scores_in_single_precision_that_may_tie_have_no_value_where_nobody_looks() -> None:
    jax = pytest.importorskip("jax", reason="needs JAX: pip install 'carob[jax]'")
    jax.config.update("jax_enable_x64", False)
    grades = jax.numpy.asarray([[0, 1]])
    for second, value in ((2**24 + 1, math.nan), (2**24 + 2, 1.0)):
        found = evaluate(jax.numpy.asarray([[2**24, second]], dtype="int32"), grades, ["AP"])["AP"]
        assert float(found) == pytest.approx(value, nan_ok=True)


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([math.nan, 1], "'weights' contains nan at place 0"),
        ([1, -1], "'weights' contains -1.0 at place 1"),
        ([math.inf, 1], "'weights' contains inf at place 0"),
        ([1, 1e31], "'weights' contains 1e\\+31 at place 1"),
        ([1e-31, 1], "'weights' contains 1e-31 at place 0"),
        ([0, 0], "Every query has the weight 0"),
    ],
)
@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_weights_that_give_no_mean_are_refused(name: str, weights: list[float], text: str) -> None:
    scores, grades, weights = (array(name, each) for each in (SCORES, GRADES, weights))
    with pytest.raises(DataError, match=text):
        evaluate(scores, grades, ["AP"], weights=weights)
    with pytest.raises(DataError, match=text):
        evaluate_topk(
            array(name, [[1], [2]], "int64"), array(name, [[1], [2]], "int64"), ["AP"], weights=weights
        )


@pytest.mark.parametrize(
    "weights", [[math.nan, 1], [1, -1], [1, -0.5], [math.inf, 1], [1e308, 1e308], [1e-31, 1]]
)
@pytest.mark.parametrize("name", ["array_api_strict", "jax"])
def test_such_weights_leave_no_mean_where_nobody_looks(name: str, weights: list[float]) -> None:
    found = evaluate(array(name, SCORES), array(name, GRADES), ["AP"], weights=array(name, weights))
    assert math.isnan(float(found["AP"]))


def test_a_meter_takes_a_batch_that_weighs_nothing() -> None:
    meter = carob.Meter(["AP"])
    meter.update(SCORES, GRADES, weights=np.array([0.0, 0.0]))
    meter.update(SCORES, GRADES, weights=np.array([1.0, 0.0]))
    assert meter.compute()["AP"] == pytest.approx(7 / 12)


# ---------------------------------------------------------------- ids


@pytest.mark.parametrize("name", ["numpy", "array_api_strict", "torch", "jax"])
def test_ids_are_whole_numbers(name: str) -> None:
    whole, broken = array(name, [[1, 2]], "int64"), array(name, [[math.nan, 2.0]])
    for ids, relevant, which in ((broken, whole, "ids"), (whole, broken, "relevant_ids")):
        with pytest.raises(DataError, match=f"^{which} is of type .*float64: ids are whole numbers"):
            evaluate_topk(ids, relevant, ["AP"])
    with pytest.raises(DataError, match=r"ids is a masked array, .*: pass ids\.filled\(-1\)"):
        evaluate_topk(np.ma.array([[1, 2]], mask=[[True, False]]), np.array([[1]]), ["AP"])
