"""Measures beyond accuracy: values worked by hand, what may be handed in, and refusals."""

from __future__ import annotations

import importlib.util
import json
from itertools import combinations
from math import log, log2, sqrt
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import carob
from carob.measures import REGISTER
from carob.output.errors import DataError, MeasureError

# Four users, who all get item 1 first; a catalogue of six. Train: item 1 with all four, 2 with two, 3 and 5 with one.
BEYOND = {name: each for name, each in REGISTER.items() if each.takes == "recommendations"}
LISTS = {0: [1, 2], 1: [1, 2], 2: [1, 3], 3: [1, 4]}
TRAIN = {"user_id": [0, 1, 2, 3, 0, 1, 2, 3], "item_id": [1, 1, 1, 1, 2, 2, 3, 5]}
CATALOGUE = range(1, 7)
RELEVANT = {0: [2], 1: [6], 2: [3, 1], 3: [4]}
BASELINE = {0: [1, 5], 1: [1, 2], 2: [2, 1]}
FEATURES = {1: [1, 0], 2: [1, 1], 3: [0, 2], 4: [0, 0]}
DISTANCES = {(1, 2): 0.5, (3, 1): 0.25, (1, 3): 0.25, (4, 1): 0.0, (1, 1): 0.0, (5, 6): 9.0}
COS = 1 / sqrt(2)

CASES = [
    ("NumItems", 4),
    ("NumItems@1", 1),
    ("Coverage", 4 / 6),
    ("Coverage(of=train)", 3 / 4),
    ("Coverage(of=train,counting=all)", 4 / 4),
    # Counts 0 0 1 1 2 4: the sum of (2i - 7) x is -1 + 1 + 3*2 + 5*4.
    ("Gini", 26 / (6 * 8)),
    ("Gini(scale=n-1)", 26 / (5 * 8)),
    ("Gini(scale=n-1,better=high)", 1 - 26 / (5 * 8)),
    # Counts 1 1 2 4 and weights -3 -1 1 3.
    ("Gini(of=recommended)", (-3 - 1 + 2 + 12) / (4 * 8)),
    ("Gini@1", 5 * 4 / (6 * 4)),
    ("Gini(of=train)@1", 3 * 4 / (4 * 4)),
    ("Entropy", 1 / 2 * 1 + 1 / 4 * 2 + 2 * (1 / 8 * 3)),
    ("Entropy(unit=nats)", 1.75 * log(2)),
    ("Entropy(unit=nats,scale=items)", 1.75 * log(2) / 4),
    ("Entropy(scale=most)", 1.75 / log2(6)),
    ("Entropy@1", 0),
    # Self-information of 1: 0, of 2: 1, of 3: 2, of 4, which train lacks: as of one user's, 2.
    ("Novelty", (1 / 2 + 1 / 2 + 2 / 2 + 2 / 2) / 4),
    ("Novelty(scale=most)", (1 / 2 + 1 / 2 + 2 / 2 + 2 / 2) / 4 / 2),
    ("Novelty(cold=zero)", (1 / 2 + 1 / 2 + 2 / 2 + 0) / 4),
    ("Novelty(cold=out)", (1 / 2 + 1 / 2 + 2 / 2 + 0 / 1) / 4),
    ("Novelty(of=interactions,mean=recommendations,cold=zero)", (4 * 1 + 2 * 2 + 3 + 0) / 8),
    ("Novelty(over=depth)@4", (1 / 4 + 1 / 4 + 2 / 4 + 2 / 4) / 4),
    ("Popularity", ((4 + 2) / 2 + (4 + 2) / 2 + (4 + 1) / 2 + 4 / 2) / 4),
    ("Popularity(scale=share)", ((4 + 2) / 2 + (4 + 2) / 2 + (4 + 1) / 2 + 4 / 2) / 4 / 8),
    ("Popularity(of=users,scale=share)@1", 1),
    ("Popularity(scale=log2)@1", log2(5)),
    ("Unseen", 1 / 8),
    # Popular: 1 and 2. Not among them: 3 and 4.
    ("Unexpectedness", 2 / 8),
    # The baseline of user 3 is empty; 0's 2 and 2's 3 are not in theirs.
    ("Unexpectedness(against=baseline)", (1 / 2 + 0 + 1 / 2 + 2 / 2) / 4),
    # Relevant: 0 has 2, 2 has 1 and 3, 3 has 4; popular are 1 and 2.
    ("Serendipity", (0 + 0 + 1 / 2 + 1 / 2) / 4),
    ("Serendipity(against=baseline)", (1 / 2 + 0 + 1 / 2 + 1 / 2) / 4),
    # p at rank 1 is 6/6, at rank 2 5/6; by popularity 1 has 6/6, 2 has 5/6, 3 has 4/6, 4 has 0.
    ("Serendipity(against=popularity_rank)", (0 + 0 + (0 + 1 / 6) / 2 + (5 / 6) / 2) / 4),
    # User 0 had 1 and 2: the cosines of 2 to them are 2/sqrt(8) and 1. User 2 had 1 and 3: 1's are 1 and 1/2, and 3's
    # too. User 3 gets 4, which nobody had.
    (
        "Serendipity(against=history)",
        ((1 - (COS + 1) / 2) / 2 + 0 + 2 * (1 - (1 + 1 / 2) / 2) / 2 + 1 / 2) / 4,
    ),
    # Shared items of the six pairs: 2, and five times 1, of two each.
    ("Personalisation", 1 - (2 / 2 + 5 * 1 / 2) / 6),
    ("Personalisation(similarity=overlap)@4", 1 - (2 / 4 + 5 * 1 / 4) / 6),
    ("Personalisation@1", 0),
    ("ILD", ((1 - COS) * 2 + 1 + 1) / 4),
    ("ILD(distance=hamming)", (1 + 1 + 2 + 1) / 4),
    ("ILD(distance=euclidean)", (1 + 1 + sqrt(5) + 1) / 4),
    ("ILD(single=zero)@1", 0),
    ("ILD(distance=given)", (0.5 + 0.5 + 0.25 + 0.0) / 4),
    ("ILD(by=train)", ((1 - COS) * 2 + (1 - 1 / 2) + 1) / 4),
]


def measured(name: str | list[str], lists: Any = LISTS, **more: Any) -> carob.Beyond:
    given = {
        "train": TRAIN,
        "catalogue": CATALOGUE,
        "relevant": RELEVANT,
        "baseline": BASELINE,
        "features": FEATURES,
        "distances": DISTANCES,
    }
    return carob.beyond_accuracy(lists, name, **(given | more))


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


# ---------------------------------------------------------------- what may be handed in


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
    with pytest.raises(DataError, match="one number for all lists"):
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
        ([], {}, "No measure"),
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


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Ginny", "There is no measure 'Ginny'"),
        ("Gini(base=all)", "Gini has no parameter 'base'. Its parameters are: of, scale, better"),
        ("Gini(of=all)", "of is one of catalogue, train, recommended"),
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


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "Coverage",
            r"beyond_accuracy\(recommended, 'Coverage', catalogue=…\), .* write CoverageRatio: The share",
        ),
        (
            "Novelty@5",
            r"beyond_accuracy\(recommended, 'Novelty@5', train=…\), .* write NoveltyRatio: The share",
        ),
        (
            "ILD",
            r"ILD measures recommended items, not judged documents: use carob.beyond_accuracy.*or carob beyond",
        ),
    ],
)
def test_a_measure_of_recommendations_does_not_measure_judged_documents(name: str, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, name)


def test_a_measure_of_judged_documents_needs_relevant_items() -> None:
    with pytest.raises(DataError, match=r"nDCG@5 measures accuracy and needs relevant.*add relevant=…"):
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


def test_one_item_with_two_grades_is_refused() -> None:
    twice = {"user_id": ["u", "u"], "item_id": ["a", "a"], "grade": [1, 2]}
    with pytest.raises(DataError, match="item 'a' has two grades for user 'u'"):
        carob.beyond_accuracy({"u": ["a"]}, "RR", relevant=twice)
    assert carob.beyond_accuracy({"u": ["a"]}, "RR", relevant=twice | {"grade": [1, 1]})["RR"] == 1


def test_measures_are_named_as_everywhere() -> None:
    recommended = {"u": ["a", "b"], "v": ["a", "c"]}
    found = carob.beyond_accuracy(recommended, [carob.NumItems @ 1, "Personalisation, NumItems"])
    assert [*found] == ["NumItems@1", "Personalisation", "NumItems"]
    assert found["NumItems@1"] == carob.beyond_accuracy(recommended, carob.NumItems @ 1)["NumItems@1"] == 1
    with pytest.raises(carob.MeasureError, match="measures=5: use a name"):
        carob.beyond_accuracy(recommended, cast("Any", 5))


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
