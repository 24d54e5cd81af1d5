"""The groups of queries in the data of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.test_page import NEW, OLD, QRELS, data_of

if TYPE_CHECKING:
    import pytest

    from reports.test_page import Make


def test_of_many_pairs_in_groups_those_of_the_best_run_are_kept(
    quick: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = {"q1": "b", "q2": "a", "q3": "b", "q4": "a"}
    runs = {"old": OLD, "new": NEW, "third": {"q1": {"a": 1.0}}}
    every = data_of(quick(QRELS, runs, ["RR", "P@2"], by=by).html)["groups"]
    assert (every["by"], every["names"], every["codes"]) == ("", ["a", "b"], [[1], [0], [1], [0]])
    assert sorted(every["contests"][0]["pairs"]) == ["0", "1", "2"]
    monkeypatch.setattr("carob.reports.groups.MOST_ROWS", 11)
    some = data_of(quick(QRELS, runs, ["RR", "P@2"], by=by).html)["groups"]
    best = [pair for pair in ("0", "1", "2") if pair in some["contests"][0]["pairs"]]
    assert best == ["0", "2"]  # of (old, new), (old, third), (new, third)
    assert some["contests"][1]["pairs"]["2"] == every["contests"][1]["pairs"]["2"]
    assert data_of(quick(QRELS, runs).html)["groups"] is None


def test_a_page_says_that_groups_share_queries(quick: Make) -> None:
    runs = {"old": OLD, "new": NEW}
    page = quick(QRELS, runs, "RR", by={"q1": ["b", "a"], "q2": "a", "q3": "b", "q4": "a"}).html
    found = data_of(page)["groups"]
    assert (found["codes"], found["contests"][0]["queries"]) == ([[0, 1], [0], [1], [0]], [3, 2])
    assert "Queries with several groups (1) count in each" in page
    assert page.count("p are from the worst-point interval") == 2  # in the text and in the data
    assert found["contests"][0]["pairs"]["0"][0][-1].endswith(" w")
    assert "count in each" not in quick(QRELS, runs, "RR", by=dict.fromkeys(QRELS, "a")).html
