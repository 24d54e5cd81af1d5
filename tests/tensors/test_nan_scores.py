"""A score that is NaN has one rule, in arrays of every library, on the host and where nobody may look."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from arrays import array, library
from carob import DataError, DataWarning, Meter, Policy, PolicyError
from carob.tensors import Evaluator, evaluate

NAN = float("nan")
SCORES = np.array([[0.9, NAN, 0.1], [0.9, 0.2, 0.1], [NAN, NAN, NAN], [0.4, 0.8, NAN]])
GRADES = np.array([[1, 0, 0], [1, 0, 0], [2, 0, 1], [0, 2, NAN]])
MASK = np.array([[True, True, True], [True, True, True], [True, True, True], [True, True, False]])
"""Two queries with NaN, and one in whose scores only a masked place is NaN."""

WORST = {
    "RR": [1 / 3, 1, 1 / 2, 1],  # the one of grade 1 is last; 0, 1, 2; as if there were no NaN
    "P@1": [0, 1, 0, 1],
    "E@1": [1, 0, 1, 0],  # the smaller the better
    "nDCG": [0.5, 1, (1 / np.log2(3) + 2 / 2) / (2 + 1 / np.log2(3)), 1],
}
LIBRARIES = ["numpy", "torch", "jax", "array_api_strict"]


def given(name: str) -> list[Any]:
    return [array(name, each) for each in (SCORES, GRADES)]


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_worst_order_is_that_of_ascending_grades(name: str) -> None:
    found = evaluate(*given(name), list(WORST), mask=array(name, MASK), per_query=True, nan_scores="worst")
    for label, wanted in WORST.items():
        assert np.asarray(found[label]).tolist() == pytest.approx(wanted, abs=1e-6), label


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_query_that_is_left_out_has_no_value_and_no_part_in_the_mean(name: str) -> None:
    how: dict[str, Any] = {"mask": array(name, MASK), "nan_scores": "skip"}
    found = evaluate(*given(name), list(WORST), per_query=True, **how)
    for label, wanted in WORST.items():
        values = np.asarray(found[label])
        assert np.isnan(values).tolist() == [True, False, True, False], label
        assert values[[1, 3]].tolist() == pytest.approx([wanted[1], wanted[3]], abs=1e-6)
    means = evaluate(*given(name), ["P@1", "NumRelRet"], weights=array(name, np.array([9, 1, 9, 3.0])), **how)
    assert float(means["P@1"]) == pytest.approx(1)
    assert float(means["NumRelRet"]) == 2


def test_by_default_the_host_refuses_it_and_other_devices_have_no_value() -> None:
    for name in ("numpy", "torch"):
        with pytest.raises(DataError, match=r"Query number 1 .* choose nan_scores='worst' or 'skip'"):
            evaluate(*given(name), "RR", mask=array(name, MASK))
    library("jax")
    values = evaluate(*given("jax"), "RR", mask=array("jax", MASK), per_query=True)["RR"]
    assert np.isnan(np.asarray(values)).tolist() == [True, False, True, False]


@pytest.mark.parametrize("ties", ["input", "trec", "optimistic", "pessimistic", "expected", "error"])
def test_a_model_without_a_number_gains_nothing_by_the_rule_for_ties(ties: str) -> None:
    policy = Policy(ties=ties)  # type: ignore[arg-type]
    found = evaluate(
        SCORES[:3], GRADES[:3], ["RR", "nDCG"], policy=policy, per_query=True, nan_scores="worst"
    )
    for label, values in found.items():
        assert values.tolist() == pytest.approx(WORST[label][:3]), label


def test_other_axes_of_a_policy_go_with_it() -> None:
    """A document at minus infinity stays unretrieved, one without a judgment may be removed, a depth cuts."""
    scores, grades = np.array([[NAN, -np.inf, 1.0, 2.0]]), np.array([[1.0, 2.0, NAN, 0.0]])
    for policy, wanted in (
        (Policy(retrieved="finite"), [1 / 3, 1 / 2]),
        (Policy(retrieved="finite", unjudged="removed"), [1 / 2, 1 / 2]),
        (Policy(depth=3), [1 / 3, 1 / 2]),
    ):
        found = evaluate(scores, grades, ["RR", "R"], policy=policy, nan_scores="worst")
        assert [float(each) for each in found.values()] == pytest.approx(wanted), policy


def test_a_meter_follows_the_rule_in_every_batch() -> None:
    for rule, wanted in (("worst", np.mean(WORST["RR"])), ("skip", 1.0)):
        for name in ("numpy", "torch"):
            meter = Meter("RR", nan_scores=rule)
            for some in (slice(0, 3), slice(3, 4)):
                parts = [array(name, each[some]) for each in (SCORES, GRADES, MASK)]
                meter.update(parts[0], parts[1], mask=parts[2])
            assert meter.compute()["RR"] == pytest.approx(wanted)


def test_where_no_query_counts_there_is_no_mean() -> None:
    """Whether all scores of a batch are NaN or no query has a relevant document, the mean is NaN, never 0 or 1."""
    cases: tuple[tuple[Any, Any, dict[str, Any]], ...] = (
        (SCORES[2:3], GRADES[2:3], {"nan_scores": "skip"}),
        (SCORES[1:2], np.zeros((1, 3)), {"policy": Policy(empty="skip")}),
    )
    for scores, grades, how in cases:
        assert np.isnan(evaluate(scores, grades, "RR", **how)["RR"])
        meter = Meter("RR", **how)
        meter.update(scores, grades)
        assert np.isnan(meter.compute()["RR"])
        meter.update(SCORES[1:2], GRADES[1:2])
        assert meter.compute()["RR"] == 1  # the batch in which none counted weighs nothing


def test_what_a_rule_does_is_said_once() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        evaluator = Evaluator("RR", nan_scores="worst")
        for _ in range(3):
            evaluator(SCORES, GRADES, mask=MASK)
            evaluator(SCORES[1:2], GRADES[1:2])
    assert [str(each.message) for each in said] == [
        "The scores contain NaN. A query with such a score is ranked in the worst order (nan_scores='worst')."
    ]
    assert said[0].category is DataWarning
    assert said[0].filename == __file__


def test_another_rule_is_refused() -> None:
    with pytest.raises(PolicyError, match=r"There is no nan_scores='wurst'\. Did you mean worst\?"):
        Meter("RR", nan_scores="wurst")


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_single_precision_is_computed_in_double_if_asked(name: str) -> None:
    """1/3 has 16 digits then. The type may be named, or be that of either library."""
    scores, grades = array(name, [[3, 2, 1]], "float32"), array(name, np.array([[0, 0, 1]]))
    types: list[Any] = ["float64", np.float64]
    if name == "torch":
        types.append(library("torch").float64)
    for dtype in types:
        assert abs(float(evaluate(scores, grades, "RR", dtype=dtype)["RR"]) - 1 / 3) < 1e-15
        meter = Meter("RR", dtype=dtype)
        meter.update(scores, grades)
        assert abs(meter.compute()["RR"] - 1 / 3) < 1e-15
    assert abs(float(evaluate(scores, grades, "RR")["RR"]) - 1 / 3) > 1e-9
    with pytest.raises(DataError, match="dtype is int64, which is not a floating-point type"):
        evaluate(scores, grades, "RR", dtype="int64")
