"""Attacks by dictionaries: ids and scores of types that none should have, in places that are seldom read."""

from __future__ import annotations

from typing import Any

import pytest

import karat
from hostile.attack import asked

RUNS: dict[str, tuple[Any, Any]] = {
    "a score that nobody reads is a list": ({"q": {"d": 1}}, {"other": {"d": []}}),
    "a score that nobody reads is too large": ({"q": {"d": 1}}, {"other": {"d": 10**400}}),
    "a score is text": ({"q": {"d": 1}}, {"q": {"d": "1"}}),
    "a score is too large": ({"q": {"d": 1}}, {"q": {"d": 10**400}}),
    "a grade is not finite": ({"q": {"d": float("inf")}}, {"q": {"d": 1.0}}),
}


@pytest.mark.parametrize("attack", RUNS)
def test_what_is_no_id_or_number_is_refused(attack: str) -> None:
    qrels, run = RUNS[attack]
    asked(lambda: karat.evaluate(qrels, run, "AP")).refused()


@pytest.mark.filterwarnings("ignore::karat.DataWarning")
@pytest.mark.parametrize(
    ("judged", "retrieved"), [({}, {"d": 1.0}), ({"": 1}, {"d": 1.0}), ({"d": 1}, {"": 1.0})]
)
def test_an_empty_list_or_id_shares_nothing(judged: Any, retrieved: Any) -> None:
    answer = asked(lambda: karat.evaluate({"q": judged}, {"q": retrieved}, "AP"))
    assert answer.code == 2 or answer.out["AP"] in (0.0, None) or answer.out["AP"] != answer.out["AP"]


def test_a_later_id_that_is_a_number_is_its_text() -> None:
    assert karat.evaluate({"q": {"1": 1}}, {"q": {"a": 2.0, 1: 3.0}}, "AP")["AP"] == 1.0
