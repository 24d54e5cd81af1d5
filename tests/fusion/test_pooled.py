"""The lists of several runs: documents twice, doubtful lists, ranks without scores, and theoretical bounds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from fusion.runs import BM25, ONE, OTHER, RUNS, of_q1, scores

if TYPE_CHECKING:
    from pathlib import Path


def test_theoretical_bounds_replace_the_observed_ones() -> None:
    found = carob.fuse(RUNS, "sum", bounds={"dense": (-1, 1), "bm25": (0, None)})
    assert found.explain("q1", "d").shares[1].points == 0.75
    assert found.explain("q1", "c").shares[0].points == 3 / 9
    with pytest.raises(carob.DataError, match=r"dense has the score 0\.9, which is outside the bounds"):
        carob.fuse(RUNS, "sum", bounds={"dense": (0, 0.5)})


def test_a_document_twice_in_a_list_is_refused_or_kept_by_the_policy() -> None:
    twice = b"q1 Q0 a 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 b 3 1 t\n"
    with pytest.raises(carob.DataError, match="document 'a' is listed twice for query 'q1'"):
        carob.fuse({"one": twice, "two": OTHER})
    assert of_q1({"one": twice, "two": OTHER}, policy=carob.Policy(duplicates="first"))["a"] == 1 / 61


def test_doubts_about_lists_are_warnings() -> None:
    with pytest.warns(carob.DataWarning, match="Run b has no documents for 1 of 2 queries, such as 'q2'"):
        assert "q2 Q0 x 1" in carob.fuse({"a": BM25, "b": OTHER}).text.decode()
    negative = {"q1": {"x": 2.0, "y": -1.0}}
    with pytest.warns(carob.DataWarning, match="Run b has negative scores in 1 of 1 lists"):
        carob.fuse({"a": ONE, "b": negative}, "sum", "max")


def test_ranks_without_scores_are_fused_by_rank_only() -> None:
    pytest.importorskip("pandas", reason="needs pandas, which is not installed")
    pytest.importorskip("narwhals", reason="needs narwhals, which is not installed")
    import pandas as pd

    ranks = pd.DataFrame({"query": ["q1", "q1"], "document": ["b", "a"], "rank": [1, 2]})
    assert of_q1({"one": ONE, "two": ranks}) == {"b": 1 / 62 + 1 / 61, "a": 1 / 61 + 1 / 62}
    with pytest.raises(carob.DataError, match="sum adds up scores, but run two has only ranks"):
        carob.fuse({"one": ONE, "two": ranks}, "sum")


@pytest.mark.parametrize("form", ["dict", "json", "rows", "golden", "npy", "column"])
def test_lists_of_ids_have_no_scores_to_add_up(form: str, tmp_path: Path) -> None:
    """Their scores, minus the ranks, are carob's own."""
    lists = {"1": ["7", "8"], "2": ["9"]}
    rows = [{"query": query, "retrieved_ids": ids} for query, ids in lists.items()]
    given: Any = {"dict": lists, "rows": rows}.get(form)
    if form in ("json", "golden"):
        given = tmp_path / "lists.json"
        given.write_text(json.dumps(lists if form == "json" else rows))
    if form == "npy":
        given = tmp_path / "lists.npy"
        np.save(given, np.array([[7, 8], [9, -1]]))
    if form == "column":
        given = pytest.importorskip("pandas", reason="needs pandas, which is not installed").DataFrame(rows)
    other = {"1": {"8": 0.5}, "2": {"9": 0.2}}
    assert "1 Q0 8 1" in carob.fuse({"one": given, "two": other}).text.decode()
    with pytest.raises(carob.DataError, match="sum adds up scores, but run one has only ranks"):
        carob.fuse({"one": given, "two": other}, "sum")
    scored = {"1": {"7": -1.5, "8": -2.0}, "2": {"9": -1.0}}
    assert carob.fuse({"one": scored, "two": other}, "sum").text


@pytest.mark.parametrize(
    "form", ["dict", "json", "text", "run", "frame", "rows", "array", "nested", "nested frame"]
)
def test_scores_of_minus_one_minus_two_are_scores_where_they_were_passed(form: str, tmp_path: Path) -> None:
    """They are refused only where carob made them of lists of ids, and the refusal says how scores are passed."""
    ranked = {"1": {"7": -1.0, "8": -2.0, "6": -3.0}}
    given: Any = ranked
    if form == "json":
        given = tmp_path / "scores.json"
        given.write_text(json.dumps(ranked))
    if form == "text":
        given = b"1 Q0 7 1 -1 t\n1 Q0 8 2 -2 t\n1 Q0 6 3 -3 t\n"
    if form == "run":
        given = carob.Run.of(ranked, exclude={"1": ["5"]})
    if form in ("rows", "array"):
        given = [{"query": "1", "document": its, "score": score} for its, score in ranked["1"].items()]
    if form.startswith("nested"):
        given = [{"query": "1", "hits": [{"id": its, "score": score} for its, score in ranked["1"].items()]}]
    if form in ("array", "nested"):
        (tmp_path / "array.json").write_text(json.dumps(given))
        given = tmp_path / "array.json"
    if form == "nested frame":
        given = pytest.importorskip("pandas", reason="needs pandas, which is not installed").DataFrame(given)
    if form == "frame":
        rows = {"query": ["1"] * 3, "document": ["7", "8", "6"], "score": [-1.0, -2.0, -3.0]}
        given = pytest.importorskip("pandas", reason="needs pandas, which is not installed").DataFrame(rows)
    other = {"1": {"8": 2.0, "9": 1.0}}
    assert scores(carob.fuse({"one": given, "two": other}, "sum"))["1"] == {
        "8": 1.5,
        "7": 1.0,
        "9": 0.0,
        "6": 0.0,
    }
    with pytest.raises(carob.DataError, match="Scores that are -1, -2, -3 … in each list are read from"):
        carob.fuse({"one": {"1": ["7", "8", "6"]}, "two": other}, "sum")
