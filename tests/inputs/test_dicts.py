"""Dictionaries in which queries have lists or sets of ids in place of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carob
from carob import DataError


@pytest.mark.parametrize(
    "qrels",
    [
        {"q": ["a", "b"]},
        {"q": ("a", "b")},
        {"q": {"a", "b"}},
        {"q": frozenset("ab")},
        {"q": np.array(["a", "b"])},
        {"q": {"a": 1, "b": 1}.keys()},
    ],
    ids=lambda qrels: type(qrels["q"]).__name__,
)
def test_relevant_documents_may_be_a_list_or_a_set(qrels: Any) -> None:
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    assert carob.evaluate(qrels, run, "AP")["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert carob.evaluate(qrels, {"q": ["x", "a", "b"]}, "AP")["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert "few-queries" in {each.code for each in carob.check(qrels, {"q": ["x", "a", "b"]}).findings}


def test_what_has_no_order_or_stands_twice_is_no_ranking() -> None:
    with pytest.raises(DataError, match="query 'q': a set has no order"):
        carob.evaluate({"q": ["a"]}, {"q": {"a", "b"}}, "AP")
    with pytest.raises(DataError, match="document 'a' is listed twice"):
        carob.evaluate({"q": ["a"]}, {"q": ["a", "b", "a"]}, "AP")
    with pytest.raises(DataError, match="query 'q'"):
        carob.evaluate({"q": "abc"}, {"q": ["a"]}, "AP")
