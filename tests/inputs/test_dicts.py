"""Dictionaries in which queries have lists or sets of ids in place of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carob
from carob import DataError, Policy
from carob.inputs.dicts import MappingRun, is_sample, numbered
from carob.inputs.runs import MatchOptions


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


def test_lists_and_sets_become_numbers_by_id() -> None:
    graded = {"q": {"a": 2}}
    assert numbered(graded, "qrels") is graded
    assert numbered({"q": ["a", "b"], "p": {"c": 3}}, "qrels") == {"q": {"a": 1, "b": 1}, "p": {"c": 3}}
    assert numbered({"q": {"a": 5}, "p": {"b"}}, "qrels", 2.0) == {"q": {"a": 2.0}, "p": {"b": 2.0}}
    assert numbered({"q": np.array(["a", "b", "-1"])}, "run") == {"q": {"a": -1, "b": -2}}
    with pytest.raises(DataError) as error:
        numbered({"q": ["a", {"b": 1}]}, "run")
    assert str(error.value).endswith("found a dict in the list of ids: {'b': 1}. Pass ids, or {id: score}.")


def test_a_sample_is_known_by_its_first_judgment() -> None:
    assert is_sample({"p": {}, "q": {"a": (1, 0.5)}})
    assert not is_sample({"q": {"a": 1, "b": (1, 0.5)}})
    assert not is_sample({"q": ["a"]})


def test_a_run_in_a_dictionary_has_rows_and_rankings() -> None:
    run = MappingRun({"q": {"a": 1, "b": 2.5, "c": 1}, "p": {"a": 0.1}})
    assert [*run.rows([b"p"])] == [(b"p", b"a", 0.1)]
    assert [*run.rows()][:2] == [(b"q", b"a", 1.0), (b"q", b"b", 2.5)]
    first, second, none = run.rankings([b"q", b"p", b"x"], MatchOptions(Policy(scores="float32")), 2)
    assert first == ([b"b", b"c"], [2.5, 1.0])
    assert second == ([b"a"], [float(np.float32(0.1))])
    assert none == ([], [])
    with pytest.raises(
        DataError, match="query 'q', document 'a': the score is not a number that fits a float"
    ):
        list(MappingRun({"q": {"a": "one"}}).rows())
