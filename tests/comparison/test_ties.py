"""Verdicts that another order of equal scores could overturn."""

from __future__ import annotations

import pytest

import carob

QUERIES = [f"q{number}" for number in range(30)]
QRELS: dict[str, dict[str, int]] = {query: {"a": 2, "b": 0, "c": 1} for query in QUERIES}


def flat(found: carob.Comparison) -> str:
    return " ".join(found.to_text(100).split())


def test_a_verdict_that_ties_alone_could_overturn_says_so_first() -> None:
    # The order of trec_eval puts the relevant document last among equal scores: its RR is .25, and may be 1.
    tied = {query: dict.fromkeys("abcd", 1.0) for query in QUERIES}
    lead = {
        query: {"x": 3.0, "a": 2.0, "b": 1.0} if n % 3 else {"a": 2.0, "b": 1.0}
        for n, query in enumerate(QUERIES)
    }
    runs = {"tied": tied, "lead": lead}
    rule = ", if ties are broken as trec_eval does."
    found = carob.compare(QRELS, runs, "RR")
    assert found.warnings[0].kind == "ties"
    assert found.warnings[0].numbers["overturns"] == [[0, 1]]
    assert f"lead is better than tied{rule}" in flat(found)
    pytest.importorskip("jinja2", reason="carob[report] is not installed")
    assert f"lead is better than tied{rule}" in carob.report(QRELS, runs, "RR").html
    low = {query: {"x": 9.0, "y": 8.0, "z": 7.0, "u": 6.0, "a": 5.0} for query in QUERIES}
    three = carob.compare(QRELS, runs | {"low": low}, "RR")
    assert f"lead is better than tied and low{rule}" in flat(three)
    assert rule not in flat(carob.compare(QRELS, runs | {"low": low}, "RR", baseline="low"))
    for baseline in ("tied", "lead"):
        assert rule in flat(carob.compare(QRELS, runs | {"low": low}, "RR", baseline=baseline))
    by_id = carob.compare(QRELS, runs, "RR", policy=carob.Policy(ties="pessimistic"))
    assert "lead is better than tied, if ties are in their worst order." in flat(by_id)


def test_ties_that_move_no_verdict_leave_the_headline_and_the_order_of_warnings() -> None:
    # In one query, ties move RR by a half, so two close runs may change places, but neither becomes better.
    close = {
        query: {"a": 2.0, "b": 1.0} if n % 2 else {"b": 2.0, "a": 1.0} for n, query in enumerate(QUERIES)
    }
    other = {
        query: {"a": 2.0, "b": 1.0} if n % 2 == 0 else {"b": 2.0, "a": 1.0} for n, query in enumerate(QUERIES)
    }
    other["q0"] = {"a": 1.0, "b": 1.0}
    found = carob.compare(QRELS, {"close": close, "other": other}, "RR")
    assert any(each.kind == "ties" for each in found.warnings)
    assert "close and other are not shown to differ." in flat(found)
