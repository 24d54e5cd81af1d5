"""Files with the weight or the groups of each query: tables, objects, lines, and what cannot be used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError
from carob.inputs.query_files import groups_of, named_groups, queries_in, read_weights, strangers

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"q0": {"a": 1}}
RUNS = {"one": {"q0": {"a": 1.0}}}


def golden(folder: Path, rows: list[dict[str, object]], *, lines: bool) -> str:
    path = folder / f"golden.json{'l' * lines}"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows, indent=2))
    return str(path)


@pytest.mark.parametrize("lines", [False, True])
def test_a_golden_set_has_groups_and_weights(lines: bool, tmp_path: Path) -> None:
    tags: dict[str, list[str]] = {"q1": ["easy"], "q2": ["hard", "easy"], "q3": ["easy", "hard"], "q4": []}
    rows = [
        {
            "id": name,
            "question": f"what is {name}?",
            "expectedIds": ["a"],
            "tags": its,
            "weight": len(its) + 1,
        }
        for name, its in tags.items()
    ]
    path = golden(tmp_path, rows, lines=lines)
    run = {"q1": ["a"], "q2": ["b", "a"], "q3": ["b", "c", "a"], "q4": ["a"]}
    found = carob.evaluate(path, run, "RR", by=path)
    assert found.by_query("RR") == {"q1": 1.0, "q2": 0.5, "q3": pytest.approx(1 / 3), "q4": 1.0}
    assert named_groups(path, overlap=True)[1] == {name: tuple(sorted(its)) for name, its in tags.items()}
    clusters = {name: ("easy + hard",) if len(its) > 1 else tuple(its) for name, its in tags.items()}
    assert named_groups(path)[1] == clusters
    assert read_weights(path) == {"q1": 2, "q2": 3, "q3": 3, "q4": 1}


def test_an_array_without_groups_names_its_fields(tmp_path: Path) -> None:
    path = golden(tmp_path, [{"id": "q0", "level": 1}], lines=False)
    with pytest.raises(
        DataError, match=r"no field with a usual name for the query or for the group.*'id', 'level'"
    ):
        carob.evaluate(QRELS, RUNS, "RR", by=path)
    (tmp_path / "cut.json").write_text('[{"id": "q0", "tags"')
    with pytest.raises(DataError, match="not an array of objects in JSON"):
        carob.evaluate(QRELS, RUNS, "RR", by=str(tmp_path / "cut.json"))


@pytest.mark.parametrize("group", [None, float("nan")])
def test_a_missing_value_is_no_group(group: object) -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    with pytest.raises(carob.DataError, match="'q2' has no group"):
        carob.evaluate(qrels, run, "RR", by={"q1": "one", "q2": group})


def test_groups_in_utf_16_are_refused_as_weights_are(tmp_path: Path) -> None:
    path = tmp_path / "groups.txt"
    path.write_text("q1 one\nq2 two\n", encoding="utf-16")
    with pytest.raises(carob.DataError, match=r"line 1: the text is UTF-16\. Save it as UTF-8"):
        carob.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "RR", by=path)


def test_a_tag_that_later_rows_state_is_the_group_of_the_query() -> None:
    rows = [{"id": "q1", "tags": []}, {"id": "q1", "tags": ["x"]}]
    assert named_groups(rows, overlap=True)[1] == {"q1": ("x",)}
    with pytest.raises(DataError, match="query 'q1' is already in group 'none'"):
        named_groups(rows)


def test_lines_are_weights_groups_or_queries(tmp_path: Path) -> None:
    weights, groups = tmp_path / "weights.txt", tmp_path / "groups.txt"
    weights.write_text("q1 2\nq2 0.5\n")
    assert read_weights(weights) == {"q1": 2.0, "q2": 0.5}
    groups.write_text("# a note\nq2 long ones\n\nq1\tshort\n")
    assert named_groups(str(groups)) == (str(groups), {"q2": ("long ones",), "q1": ("short",)})
    assert queries_in(groups) == ["q2", "q1"]
    assert queries_in(("q3", "q1")) == ["q3", "q1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1 2\nq1 3\n", "line 2: query 'q1' already has a weight. Remove one line."),
        (
            "q1 -1\n",
            "the weight of query 'q1' is -1.0: a weight must be 0 or a number between 1e-30 and 1e30",
        ),
        (
            "q1 1e31\n",
            "the weight of query 'q1' is 1e+31: a weight must be 0 or a number between 1e-30 and 1e30",
        ),
    ],
)
def test_a_weight_that_cannot_be_used_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.txt"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_weights(path)
    assert said in str(error.value)


def test_groups_that_overlap_have_a_member_for_each_of_their_queries() -> None:
    tags = {"q1": ["b", "a"], "q2": [], "q3": ["a"]}
    found = groups_of(tags, ["q1", "q2", "q3"], overlap=True)
    assert (found.name, found.names, found.ungrouped) == ("", ("a", "b", "(none)"), True)
    assert (found.codes.tolist(), found.queries.tolist()) == ([0, 1, 2, 0], [0, 0, 1, 2])
    assert (found.of_each(), found.in_several_groups) == ([[0, 1], [2], [0]], 1)
    clusters = groups_of(tags, ["q1", "q3"])
    assert (clusters.names, clusters.of_each(), clusters.ungrouped) == (("a", "a + b"), [[1], [0]], False)


def test_queries_that_do_not_exist_are_told_beyond_those_that_may() -> None:
    known = {"q1"}
    said = "groups names 3 queries that the judgments do not have, such as 'x' and 'y'."
    assert strangers("groups", ["q1", "x", "y", "z"], known, 2) == said
    assert strangers("groups", ["q1", "x", "y", "z"], known, 3) is None
    assert (
        strangers("w", ["x"], known, owner="the run does")
        == "w names 1 query that the run does not have, 'x'."
    )
