"""Measures beyond accuracy: values worked by hand, names, what is shown, and refusals."""

from __future__ import annotations

import importlib.util
import json
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import carob
from carob.output.errors import DataError, MeasureError
from evaluation.recommendations import (
    BEYOND,
    CASES,
    COS,
    LISTS,
    measured,
)


@pytest.mark.parametrize(("name", "value"), CASES)
def test_value_is_the_arithmetic(name: str, value: float) -> None:
    assert measured(name)[name] == pytest.approx(value, abs=1e-14)


def test_every_measure_and_every_convention_has_a_case() -> None:
    asked = [name for name, _ in CASES]
    for name, entry in BEYOND.items():
        assert entry.sentence.endswith((".", ":"))
        assert entry.source
        own = [each for each in asked if each.partition("(")[0].partition("@")[0] == name]
        assert own, name
        for parameter, words in entry.parameters.items():
            for word in words.words[1:]:
                shown = any(f"{parameter}={word}" in each for each in own)
                assert shown or parameter == "over", (name, parameter, word)


@pytest.mark.parametrize("seed", range(5))
def test_sums_over_pairs_are_what_a_loop_over_pairs_gives(seed: int) -> None:
    draw = np.random.default_rng(seed)
    lists = {user: draw.permutation(12)[: draw.integers(1, 7)].tolist() for user in range(9)}
    vectors = {item: draw.integers(0, 3, 4).tolist() for item in range(12)}
    names = [
        "Personalisation",
        "ILD",
        *(f"ILD(distance={each})" for each in ("hamming", "euclidean", "given")),
    ]
    far = {pair: float(draw.integers(0, 4)) for pair in combinations(range(12), 2)}
    found = carob.beyond_accuracy(lists, names, features=vectors, distances=far)
    alike = [len(set(a) & set(b)) / sqrt(len(a) * len(b)) for a, b in combinations(lists.values(), 2)]
    assert found["Personalisation"] == pytest.approx(1 - np.mean(alike), abs=1e-12)

    def cosine(a: Any, b: Any) -> float:
        size = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
        return 1 - (sum(x * y for x, y in zip(a, b)) / size if size else 0.0)

    apart = {
        "ILD": cosine,
        "ILD(distance=hamming)": lambda a, b: sum(x != y for x, y in zip(a, b)),
        "ILD(distance=euclidean)": lambda a, b: sqrt(sum((x - y) ** 2 for x, y in zip(a, b))),
    }
    for user, value in found.by_user("ILD(distance=given)").items():
        own = [far[min(pair), max(pair)] for pair in combinations(lists[user], 2)]
        assert value == pytest.approx(np.mean(own) if own else np.nan, abs=1e-12, nan_ok=True)
    for name, distance in apart.items():
        means = [
            np.mean([distance(vectors[a], vectors[b]) for a, b in combinations(its, 2)])
            for its in lists.values()
            if len(its) > 1
        ]
        assert found[name] == pytest.approx(np.mean(means), abs=1e-12), name


# ---------------------------------------------------------------- what is measured and shown


def test_all_that_the_inputs_allow_for_is_measured_if_nobody_says() -> None:
    assert list(carob.beyond_accuracy(LISTS)) == ["NumItems", "Entropy", "Personalisation"]
    assert {"Coverage", "Gini", "Novelty", "ILD"} <= set(measured(None))  # type: ignore[arg-type]


def test_a_depth_holds_where_the_name_has_none() -> None:
    found = measured(["NumItems", "Entropy@2"], depth=1)
    assert (found["NumItems"], found["Entropy@2"]) == (1, 1.75)
    assert found.of("NumItems").measure.full == "NumItems@1"


def test_users_without_a_value_are_left_out_and_counted() -> None:
    lists = {**LISTS, 4: [], 5: [2]}
    found = measured(["ILD", "Novelty", "Gini"], lists)
    assert found["ILD"] == pytest.approx(((1 - COS) * 2 + 1 + 1) / 4, abs=1e-14)
    assert np.isnan(found.by_user("ILD")[5])
    assert found.by_user("Novelty")[5] == 1
    assert "ILD is undefined for 2 users, omitted from its mean" in str(found)
    assert "6 users · 9 recommendations · 4 items · 6 in catalogue" in str(found)
    with pytest.raises(DataError, match="computed over all lists"):
        found.by_user("Gini")


def test_it_is_printed_with_its_conventions_and_written_as_json() -> None:
    found = measured(["Gini", "ILD@1"])
    assert "Gini(of=catalogue, scale=n, better=low)" in str(found)
    assert found["Gini(of=catalogue, scale=n, better=low)"] == found["Gini"]
    written = json.loads(found.to_json())
    assert written["measures"]["ILD@1"]["value"] is None
    assert written["bases"]["train interactions"] == 8
    assert "| Gini |" in found.to_markdown()


def test_the_page_is_what_the_register_says() -> None:
    path = Path(__file__).parents[2] / "docs" / "write_recommendation.py"
    specification = importlib.util.spec_from_file_location("write_recommendation", path)
    assert specification
    assert specification.loader
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    written = script.PAGE.read_text(encoding="utf-8")
    assert written == script.page(), (
        "run 'python docs/write_recommendation.py' and commit docs/recommendation.md"
    )


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Ginny", "There is no measure 'Ginny'"),
        ("Gini(base=all)", "Gini has no parameter 'base'. Its parameters are: of, scale, better"),
        ("Gini(of=all)", "of must be one of catalogue, train, recommended"),
        ("Gini@0", "a depth is a whole number"),
        ("Gini@x", "a number must follow '@', not 'x'"),
    ],
)
def test_names_that_are_none_are_refused(name: str, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        measured(name)


def test_equally_popular_items_are_popular_together() -> None:
    train = {0: ["a", "b", "c"], 1: ["a", "c", "b"], 2: ["d"]}
    for lists in ({0: ["b"], 1: ["c"], 2: ["d"]}, {2: ["d"], 1: ["c"], 0: ["b"]}):
        assert carob.beyond_accuracy(lists, "Unexpectedness@1", train=train)["Unexpectedness@1"] == 1 / 3


def test_a_measure_of_judged_documents_needs_relevant_items() -> None:
    with pytest.raises(
        DataError, match=r"nDCG@5 measures accuracy, which needs relevant items.*add relevant=…"
    ):
        carob.beyond_accuracy({"u": ["a"]}, "nDCG@5")


def test_accuracy_is_what_evaluate_finds_and_shares_the_table() -> None:
    recommended = {"u": ["a", "b"], "v": ["c", "a"], 3: ["b"]}
    relevant = {"u": {"b": 2, "a": 0}, "v": {"z": 1}, "w": {"a": 1}, "3": {"b": 1}}
    found = carob.beyond_accuracy(recommended, ["nDCG@2", "HR", "NumItems"], relevant=relevant, depth=1)
    run = {str(user): {item: -rank for rank, item in enumerate(its)} for user, its in recommended.items()}
    scores = carob.evaluate(relevant, run, ["nDCG@2", "Success@1"])
    assert (found["nDCG@2"], found["HR"], found["NumItems"]) == (scores["nDCG@2"], scores["Success@1"], 3)
    assert found.by_user("HR") == {"u": 0, "v": 0, 3: 1}
    assert "4 queries · 1 missing query counted as 0" in str(found)
    skipped = carob.beyond_accuracy(
        recommended, "HR", relevant=relevant, depth=1, policy=carob.Policy(missing="skip")
    )
    assert skipped["HR"] == pytest.approx(1 / 3)


def test_measures_are_named_as_everywhere() -> None:
    recommended = {"u": ["a", "b"], "v": ["a", "c"]}
    found = carob.beyond_accuracy(recommended, [carob.NumItems @ 1, "Personalisation, NumItems"])
    assert [*found] == ["NumItems@1", "Personalisation", "NumItems"]
    assert found["NumItems@1"] == carob.beyond_accuracy(recommended, carob.NumItems @ 1)["NumItems@1"] == 1
    with pytest.raises(carob.MeasureError, match="measures=5: use a name"):
        carob.beyond_accuracy(recommended, cast("Any", 5))
