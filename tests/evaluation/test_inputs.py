"""What may be handed in for measures beyond accuracy: forms, frames, grades and ids, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carob
from carob.output.errors import DataError
from evaluation.recommendations import (
    BEYOND,
    CASES,
    LISTS,
    RELEVANT,
    TRAIN,
    measured,
)


def test_forms_of_the_same_recommendations_give_the_same() -> None:
    names = [name for name, _ in CASES]
    expected = [measured(names)[name] for name in names]
    rows = [(user, item, rank) for user, its in LISTS.items() for rank, item in enumerate(its, 1)]
    turned = rows[::-1]
    columns = {
        "user": [u for u, _, _ in turned],
        "item": [i for _, i, _ in turned],
        "rank": [r for *_, r in turned],
    }
    scored = {user: {item: 1.0 / rank for rank, item in enumerate(its, 1)} for user, its in LISTS.items()}
    by_score = {
        "user_id": np.array([u for u, _, _ in turned]),
        "item_id": np.array([i for _, i, _ in turned]),
        "score": [-r for *_, r in turned],
    }
    for form in (columns, scored, by_score):
        found = measured(names, form)
        assert [found[name] for name in names] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_give_the_same(library: str) -> None:
    made = pytest.importorskip(library, reason=f"needs {library}")
    rows = [(user, item, rank) for user, its in LISTS.items() for rank, item in enumerate(its, 1)]
    columns = {
        "user_id": [u for u, _, _ in rows],
        "item_id": [i for _, i, _ in rows],
        "rank": [r for *_, r in rows],
    }
    frame = made.table if library == "pyarrow" else made.DataFrame
    names = ["Gini", "Novelty", "Serendipity(against=popularity_rank)"]
    found = measured(names, frame({**columns, "other": ["x"] * len(rows)}), train=frame(TRAIN))
    assert [found[name] for name in names] == [measured(names)[name] for name in names]
    if library == "polars":
        assert measured("Gini", frame(columns).lazy())["Gini"] == measured("Gini")["Gini"]


@pytest.mark.parametrize(
    ("names", "more", "says"),
    [
        ("Novelty", {"train": None}, "Novelty needs train"),
        ("Coverage", {"catalogue": None}, "Coverage needs catalogue"),
        ("Gini(of=train)", {}, "1 recommended items are missing from train=, such as 4"),
        ("Unexpectedness(against=baseline)", {"baseline": None}, "needs baseline"),
        ("ILD", {"features": {1: [1.0]}}, "item 2 has no features"),
        ("ILD", {"features": {1: [1.0], 2: [1.0, 2.0]}}, r"different lengths \(1, 2\)"),
        ("ILD(by=train,distance=hamming)", {}, "supports only the cosine"),
        ("ILD(distance=given)", {"distances": None}, "needs distances"),
        ("ILD(distance=given)", {"distances": {(1, 2): 1.0}}, "list of user 2 has no distance"),
        ("ILD", {"distances": {"ab": 1.0}}, "'ab' is not a pair of items"),
        ("ILD", {"distances": {(1, 2): 1.0, (2, 1): 2.0}}, "have different distances"),
        ("Gini", {"train": {"person": [1], "thing": 2}}, "user 'thing' has 2"),
        ("Gini", {"train": 5}, "train is int"),
        ("Gini", {"train": {"user": [1, 2], "item": [3]}}, "column user has 2 rows and item has 1"),
        ("Gini", {"relevant": {0: [[1]]}}, r"An id is text or a number, not \[1\]"),
        ([], {}, "The list of measures is empty"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(names: Any, more: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        measured(names, **more)


def test_lists_that_are_none_are_refused() -> None:
    with pytest.raises(DataError, match="item 'a' is listed twice for user 'u'"):
        carob.beyond_accuracy({"u": ["a", "b", "a"]})
    with pytest.raises(DataError, match="no recommendations"):
        carob.beyond_accuracy({})
    with pytest.raises(DataError, match="is not a list of items"):
        carob.beyond_accuracy({"u": "abc"})


def test_one_item_with_two_grades_is_refused() -> None:
    twice = {"user_id": ["u", "u"], "item_id": ["a", "a"], "grade": [1, 2]}
    with pytest.raises(DataError, match="two grades are listed for item 'a' and user 'u'"):
        carob.beyond_accuracy({"u": ["a"]}, "RR", relevant=twice)
    assert carob.beyond_accuracy({"u": ["a"]}, "RR", relevant=twice | {"grade": [1, 1]})["RR"] == 1


@pytest.mark.parametrize("form", ["columns", "pandas", "polars", "pyarrow", "dict", "score"])
def test_relevant_items_of_grade_0_are_not_relevant(form: str) -> None:
    chosen = {(user, item) for user, items in RELEVANT.items() for item in items}
    every = sorted(chosen | {(user, item) for user, items in LISTS.items() for item in items})
    user, item = (list(each) for each in zip(*every))
    grade = [int(each in chosen) for each in every]
    given: Any = {"user_id": user, "item_id": item, "score" if form == "score" else "relevance": grade}
    if form == "dict":
        given = {each: {i: g for u, i, g in zip(user, item, grade) if u == each} for each in RELEVANT}
    elif form in ("pandas", "polars"):
        given = pytest.importorskip(form).DataFrame(given)
    elif form == "pyarrow":
        given = pytest.importorskip(form).table(given)
    names = [name for name, entry in BEYOND.items() if "relevant" in entry.needs]
    assert names
    assert dict(measured(names, relevant=given)) == dict(measured(names))


def test_ids_that_are_numbers_here_and_text_there_are_the_same() -> None:
    """Lists come from JSON, whose keys are text, and interactions from a frame of numbers."""
    lists, history = {"1": ["10", "11"], "2": ["10", "12"]}, {1: [10], 2: [10]}
    as_text = {"1": ["10"], "2": ["10"]}
    for train in (
        history,
        as_text,
        {1.0: [10.0], 2.0: [10]},
        {"user_id": np.array([1, 2]), "item_id": [10, 10]},
    ):
        found = carob.beyond_accuracy(lists, ["Unseen", "Coverage"], train=train, catalogue=[10, 11, 12, 13])
        assert found["Unseen"] == 0.5
        assert found["Coverage"] == 0.75
    assert (
        carob.beyond_accuracy({1: [10**400, "a"]}, ["Unseen"], train={"1": [str(10**400)]})["Unseen"] == 0.5
    )
