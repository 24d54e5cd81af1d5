"""Verifying a record: what changed since it was made is named, and what is handed over anew is read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.testing.recorded import QRELS, kinds, record_of_two

import carob
from carob import DataError
from toys import RUN, command


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "qrels.txt").write_text(QRELS)
    return folder


@pytest.fixture
def made(folder: Path) -> Path:
    """A record of two runs, AP and RR."""
    return record_of_two(folder)


def test_all_as_recorded_is_equal(made: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert command("verify", "out.json") == 0
    assert capfd.readouterr().out == "out.json: equal (to the last digit) · 12 values recomputed\n"


def test_a_changed_run_is_named_with_the_queries_that_moved_and_by_how_much(
    made: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("one.run").write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\nq2 Q0 c 1 1.0 t\n")
    assert command("verify", "out.json") == 1
    out = capfd.readouterr().out
    assert out.startswith("out.json: differs · 12 values recomputed\n")
    out = " ".join(out.split())
    assert "one.run has 48 bytes" in out
    assert (
        "one, RR: 1 of 3 queries differ, largest difference: 'q1' (0.5, now 1); mean 0.5, now 0.666667" in out
    )
    found = carob.verify("out.json")
    assert kinds(found) == {"input", "values"}
    assert found.largest == 0.5
    assert found.findings[-1].numbers == {"q1": (0.5, 1.0)}
    assert [each["kind"] for each in json.loads(found.to_json())["findings"]] == ["input", "values", "values"]


def test_other_bytes_with_the_same_values_differ_in_the_input_alone(made: Path) -> None:
    Path("one.run").write_text(RUN.replace(" t\n", " another\n"))
    assert [(each.kind, each.what) for each in carob.verify("out.json").findings] == [("input", "one.run")]


def test_queries_that_went_or_came_are_named(made: Path) -> None:
    Path("qrels.txt").write_text(QRELS.replace("q3 0 d 1", "q4 0 d 1"))
    sentences = [each.sentence for each in carob.verify("out.json").findings if each.kind == "queries"]
    assert sentences[:2] == ["one: query 'q3' no longer there", "one: query 'q4' not in the record"]


@pytest.mark.parametrize(
    ("path", "value", "kind", "words"),
    [
        (
            ("runs", 0, "queries", "q1", "AP"),
            0.5000001,
            "values",
            "one, AP: 1 of 3 queries differ, largest difference: 'q1'",
        ),
        (("runs", 0, "means", "AP"), 0.9, "means", "one, AP: the mean was 0.9 and is now 0.5"),
        (("runs", 1, "counts", "lines"), 99, "counts", "two: lines was 99, is 3"),
        (("measures", "AP"), "AP(over=capped)", "measure", "AP was AP(over=capped), is AP"),
    ],
)
def test_what_was_edited_in_a_record_is_found(
    made: Path, path: tuple[Any, ...], value: Any, kind: str, words: str
) -> None:
    document = json.loads(made.read_text())
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    made.write_text(json.dumps(document))
    found = carob.verify(made)
    assert [each.kind for each in found.findings] == [kind]
    assert words in found.findings[0].sentence


def test_a_difference_within_the_tolerance_is_none_but_is_told(made: Path) -> None:
    document = json.loads(made.read_text())
    document["runs"][0]["queries"]["q1"]["AP"] += 2e-16
    made.write_text(json.dumps(document))
    found = carob.verify(made)
    assert found.equal
    assert found.to_text() == f"{made}: equal (largest difference 2.2e-16) · 12 values recomputed\n"
    assert not carob.verify(made, tolerance=0).equal


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_are_named_of_frames_that_are_handed_over(library: str, tmp_path: Path) -> None:
    frames = pytest.importorskip(library, reason="makes a frame")
    run = {"topic": ["q", "q"], "item": ["a", "b"], "old": [1.0, 2.0], "new": [2.0, 1.0]}
    judged = {"topic": ["q", "q"], "item": ["a", "b"], "level": [1, 0]}
    place = {"query": "topic", "document": "item"}
    path = tmp_path / "record.json"
    carob.record(carob.evaluate({"q": {"a": 1, "b": 0}}, {"mine": {"q": {"a": 2.0, "b": 1.0}}}, "RR"), path)
    for score, values in (("new", set()), ("old", {"values"})):
        found = carob.verify(
            path,
            frames.DataFrame(judged),
            {"mine": frames.DataFrame(run)},
            qrels_columns={**place, "grade": "level"},
            run_columns={**place, "score": score},
        )
        assert kinds(found) & {"values"} == values


def test_inputs_that_moved_are_found_by_name(made: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("elsewhere").mkdir()
    for name in ("qrels.txt", "one.run"):
        Path(name).rename(f"elsewhere/{name}")
    assert command("verify", "out.json") == 2
    assert capfd.readouterr().err == (
        "carob: qrels.txt: No such file or directory. Check the path, or pass the file "
        "(--qrels FILE, --run NAME=FILE).\n"
    )
    options = ["--qrels", "elsewhere/qrels.txt", "--run", "one=elsewhere/one.run"]
    assert command("verify", "out.json", *options) == 0
    assert command("verify", "out.json", *options, "--run", "nobody=x") == 2
    assert "expected NAME=FILE, with NAME one of: one, two" in capfd.readouterr().err


def test_other_versions_are_a_note_and_no_difference(made: Path) -> None:
    document = json.loads(made.read_text())
    document["made_with"]["numpy"] = "1.0"
    made.write_text(json.dumps(document))
    found = carob.verify(made)
    assert found.equal
    assert found.remarks[0].startswith("numpy: recorded with 1.0, now ")


def test_files_in_place_of_memory_are_read_with_the_columns_that_are_named_now(folder: Path) -> None:
    judged = {"q1": {"a": "Good", "b": "Bad"}}
    words = {"Good": 1, "Bad": 0}
    run = {"q1": {"a": 2.0, "b": 1.0}}
    carob.record(carob.evaluate(carob.Qrels.of(judged, words=words), run, "AP", name="mine"), "mine.json")
    (folder / "words.csv").write_text("qid,docno,how\nq1,a,Good\nq1,b,Bad\n")
    (folder / "places.csv").write_text("qid,docno,place\nq1,a,1\nq1,b,2\n")
    given = ["--qrels", "words.csv", "--run", "mine=places.csv", "--run-columns", "rank=place"]
    assert command("verify", "mine.json", *given, "--qrels-columns", "grade=how") == 2
    assert (
        command(
            "verify", "mine.json", *given, "--qrels-columns", "grade=how", "--grade-words", "Good=1,Bad=0"
        )
        == 0
    )


def test_a_verification_advises_no_other_policy_than_the_records(folder: Path) -> None:
    carob.record(carob.evaluate("qrels.txt", {"q1": {"a": 1.0}}, "AP", name="mine"), "mine.json")
    (folder / "twice.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    with pytest.raises(DataError, match="a record is verified under its own policy") as caught:
        carob.verify("mine.json", runs={"mine": "twice.run"})
    assert "duplicates" not in str(caught.value)
    (folder / "comma.run").write_text("q1 Q0 a 1 0,5 t\n")
    with pytest.raises(DataError, match="The number has a decimal comma") as caught:
        carob.verify("mine.json", runs={"mine": "comma.run"})
    assert "its own policy" not in str(caught.value)
