"""Attacks by records: fields of a wrong type, numbers that are none, paths that are not the record's business."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from hostile.attack import attacked
from strategies import first
from toys import BETTER, QRELS, RUN

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "root:secret:0:0\n" * 3


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A record that lies in a folder of its own, beside its inputs."""
    (tmp_path / "its").mkdir()
    monkeypatch.chdir(tmp_path / "its")
    for name, text in (("qrels.txt", QRELS), ("one.run", RUN), ("two.run", BETTER)):
        Path(name).write_text(text)
    scores = [carob.evaluate("qrels.txt", f"{each}.run", ["AP", "RR"]) for each in ("one", "two")]
    carob.record(carob.compare(None, scores), "made.json")
    made: dict[str, Any] = json.loads(Path("made.json").read_text())
    return made


def verified(document: Any, *options: str) -> Any:
    Path("evil.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return attacked("verify", "evil.json", *options)


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """What sets a field of a record."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    """What leaves a field of a record out."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


WRONG: dict[str, Callable[[dict[str, Any]], None]] = {
    "columns of no name": put("inputs", 1, "columns", value={"evil": "x"}),
    "columns that are a list": put("inputs", 1, "columns", value=["query"]),
    "a column's name that is a number": put("inputs", 1, "columns", value={"query": 1}),
    "sha256 that is a number": put("inputs", 1, "sha256", value=7),
    "a path that is a dictionary": put("inputs", 1, "path", value={"q": {"a": 1}}),
    "a path that is a number": put("inputs", 1, "path", value=0),
    "a path with a NUL": put("inputs", 1, "path", value="one\0.run"),
    "an empty path": put("inputs", 1, "path", value=""),
    "bytes that are text": put("inputs", 1, "bytes", value="many"),
    "bytes below nothing": put("inputs", 1, "bytes", value=-1),
    "an unknown role": put("inputs", 1, "role", value="evil"),
    "a role that is a list": put("inputs", 1, "role", value=["run"]),
    "an input without a name": drop("inputs", 1, "name"),
    "an input without a role": drop("inputs", 1, "role"),
    "an input that is text": put("inputs", 1, value="one.run"),
    "inputs that are none": put("inputs", value=None),
    "inputs that are missing": drop("inputs"),
    "one input too few": drop("inputs", 1),
    "files that are text": put("inputs", 1, "files", value="one.run"),
    "files that are numbers": put("inputs", 1, "files", value=[1, 2]),
    "made_with that is a number": put("made_with", value=1),
    "made_with of numbers": put("made_with", "python", value=3.11),
    "a name that is a dictionary": put("runs", 0, "name", value={}),
    "no name": drop("runs", 0, "name"),
    "no counts": drop("runs", 0, "counts"),
    "counts that are text": put("runs", 0, "counts", "queries", value="two"),
    "counts that are a list": put("runs", 0, "counts", value=[]),
    "a profile that is a number": put("profile", value=1),
    "a profile that nobody knows": put("profile", value="evil"),
    "a value that is text": put("runs", 0, "queries", "q1", "AP", value="0.5"),
    "a value that is true": put("runs", 0, "queries", "q1", "AP", value=True),
    "a value of 400 digits": put("runs", 0, "queries", "q1", "AP", value=10**400),
    "a mean that is a list": put("runs", 0, "means", "AP", value=[0.5]),
    "a query that is a list": put("runs", 0, "queries", "q1", value=[0.5, 0.5]),
    "a query without a measure": drop("runs", 0, "queries", "q1", "AP"),
    "queries that are a list": put("runs", 0, "queries", value=[]),
    "no queries at all": put("runs", 0, "queries", value={}),
    "no runs": put("runs", value=[]),
    "runs that are an object": put("runs", value={"one": {}}),
    "ties that are not bounds": put("runs", 0, "ties", value={"AP": [1, 2, 3]}),
    "weights that are text": put("runs", 0, "weights", value={"q1": {"AP": "1"}}),
    "measures that are a list": put("measures", value=["AP"]),
    "a measure that is a number": put("measures", "AP", value=1),
    "a measure that nobody knows": put("measures", "AP", value="Evil"),
    "a policy that is text": put("policy", value="trec"),
    "an axis that nobody knows": put("policy", "evil", value=1),
    "an axis that is a list": put("policy", "ties", value=["trec"]),
    "a depth of 400 digits": put("policy", "depth", value=10**400),
    "a later format": put("record", value=99),
    "a format that is a list": put("record", value=[1]),
    "a comparison that is a list": put("comparison", value=[]),
    "a comparison without settings": drop("comparison", "settings"),
    "a comparison of other names": put("comparison", "names", value=["one"]),
    "resamples without end": put("comparison", "settings", "resamples", value=10**15),
    "resamples of a bootstrap without end": put(
        "comparison", "settings", "bootstrap_resamples", value=10**15
    ),
    "a test that nobody knows": put("comparison", "settings", "test", value="evil"),
    "no means": put("runs", 0, "means", value={}),
    "a mean too few": drop("runs", 0, "means", "AP"),
    "a mean of no measure": put("runs", 0, "means", "P@1", value=0.5),
    "a value of no measure": put("runs", 0, "queries", "q1", "P@1", value=0.5),
    "weights of other queries": put("runs", 0, "weights", value={"q9": {"AP": 1.0, "RR": 1.0}}),
    "weights of other measures": put("runs", 0, "weights", value={"q1": {"AP": 1.0}}),
    "a run with another name than its input": put("runs", 0, "name", value="x"),
    "an input with another name than its run": put("inputs", 1, "name", value="x"),
    "a name that is half a character": put("runs", 0, "name", value="\ud800"),
    "a path that is half a character": put("inputs", 1, "path", value="\ud800.run"),
    "a count of half a character": put("runs", 0, "counts", "\ud800", value=1),
    "a query of half a character": put("runs", 0, "queries", "\ud800", value={"AP": 1.0, "RR": 1.0}),
    "bytes that are null": put("inputs", 1, "bytes", value=None),
    "a hash that is null": put("inputs", 1, "sha256", value=None),
    "files that are none": put("inputs", 1, "files", value=[]),
    "no versions": put("made_with", value={}),
    "missing queries that are a number": put("runs", 0, "counts", "missing", value=5),
    "exceptions that are text": put("policy", "by_measure", value="AP"),
    "an alpha that is a list": put("comparison", "settings", "alpha", value=[0.05]),
}


@pytest.mark.parametrize("attack", first(WRONG, 20))
def test_a_field_of_a_wrong_kind_is_a_sentence(attack: str, record: dict[str, Any]) -> None:
    WRONG[attack](record)
    said = verified(record).refused().err
    assert "Error" not in said, said


def test_two_runs_of_one_name_are_refused(record: dict[str, Any]) -> None:
    record["runs"][0]["name"] = record["inputs"][1]["name"] = "two"
    verified(record).refused("two runs have the name text ('two')")


def test_what_a_query_lacks_is_named(record: dict[str, Any]) -> None:
    drop("runs", 0, "queries", "q1", "AP")(record)
    verified(record).refused(
        "evil.json is damaged (runs 1, queries, q1, AP is missing): create the record again."
    )


TEXTS = {
    "deep": '{"runs": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep values": '{"record": 1, "runs": [], "measures": {}, "policy": '
    + '{"a":' * 50_000
    + "1"
    + "}" * 50_000
    + "}",
    "not JSON": "query,score",
    "empty": "",
    "a number": "1",
    "a list": "[]",
    "binary": "\x00\x01\x02" * 100,
    "a number of 10,000 digits": '{"runs": ' + "9" * 10_000 + "}",
}


@pytest.mark.parametrize("attack", TEXTS)
def test_a_file_that_is_no_record_is_a_sentence(attack: str, record: dict[str, Any]) -> None:
    verified(TEXTS[attack]).refused("evil.json")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_record_of_what_is_no_number_is_refused(value: float, record: dict[str, Any]) -> None:
    for run in record["runs"]:
        for its in run["queries"].values():
            its["AP"] = value
        run["means"]["AP"] = value
    verified(record).refused("not a number")


def test_a_value_that_is_not_a_number_on_either_side_is_a_difference() -> None:
    from carob.testing.verify import distance

    nan, inf = float("nan"), float("inf")
    assert distance(nan, 0.5) == distance(0.5, nan) == distance(inf, 0.5) == distance(None, 0.5) == inf
    assert distance(nan, nan) == distance(None, None) == distance(0.25, 0.25) == 0


CHANGED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "another size of a file": (put("inputs", 1, "bytes", value=7), "input:"),
    "null for a value": (put("runs", 0, "queries", "q1", "AP", value=None), "values:"),
    "null for every mean": (put("runs", 0, "means", value={"AP": None, "RR": None}), "means:"),
    "another mean": (put("runs", 0, "means", "AP", value=0.9), "means:"),
    "bounds of ties": (put("runs", 0, "ties", value={"AP": [0.0, 1.0]}), "ties:"),
    "errors of means": (put("runs", 0, "errors", value={"AP": 0.1}), "errors:"),
    "a p of none": (
        put("comparison", "contests", "AP", "pairs", 0, "p_uncorrected", value=None),
        "comparison:",
    ),
    "a comparison of other queries": (put("runs", 0, "queries", "q9", value={"AP": 1, "RR": 1}), "queries:"),
    "a measure more": (put("measures", "P@1", value="P@1"), ""),
}


@pytest.mark.parametrize("attack", CHANGED)
def test_a_number_that_was_edited_is_never_equal(attack: str, record: dict[str, Any]) -> None:
    change, kind = CHANGED[attack]
    change(record)
    found = verified(record)
    assert found.code in (1, 2), found
    assert kind in found.out or found.code == 2
    assert "equal" not in found.out


def test_bounds_of_ties_that_were_edited_are_named(record: dict[str, Any]) -> None:
    Path("tied.run").write_text(RUN.replace("2.0", "1.0"))
    carob.record(carob.evaluate("qrels.txt", "tied.run", "AP"), "tied.json")
    document = json.loads(Path("tied.json").read_text())
    assert document["runs"][0]["ties"]["AP"] == [0.75, 1.0]
    assert verified(document).code == 0
    document["runs"][0]["ties"]["AP"] = [0.0, 1.0]
    found = verified(document)
    assert found.code == 1
    assert "  ties:       tied, AP, lower bound was 0.0, is 0.75" in found.out


# ---------------------------------------------------------------- paths


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("how", ["absolute", "upwards", "by a link", "a pattern"])
def test_a_path_out_of_the_records_folder_is_refused(
    how: str, role: int, record: dict[str, Any], secret: Path
) -> None:
    Path("link.txt").symlink_to(secret)
    named = {
        "absolute": str(secret),
        "upwards": "../secret.txt",
        "by a link": "link.txt",
        "a pattern": "../*.txt",
    }
    record["inputs"][role]["path"] = named[how]
    found = verified(record).refused("evil.json names", "--anywhere")
    assert "secret:0" not in found.err


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("path", ["s*/../../secret.txt", "li*.txt", "folder"])
def test_each_file_of_a_pattern_or_a_folder_lies_below_the_records_folder(
    path: str, role: int, record: dict[str, Any], secret: Path
) -> None:
    Path("some").mkdir()
    Path("folder").mkdir()
    Path("link.txt").symlink_to(secret)
    Path("folder/part.csv").symlink_to(secret)
    its = record["inputs"][role]
    its["files"] = [{key: its[key] for key in ("path", "bytes", "sha256")}]
    its["path"], its["sha256"] = path, None
    verified(record).refused("evil.json names", "--anywhere")


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("hashed", [True, False])
def test_nothing_is_shown_of_a_file_that_is_not_the_recorded_one(
    role: int, hashed: bool, record: dict[str, Any], secret: Path
) -> None:
    record["inputs"][role]["path"] = str(secret)
    if not hashed:
        record["inputs"][role]["sha256"] = None
    found = verified(record, "--anywhere").refused("is not the recorded file" if hashed else "sha256 is null")
    assert ":secret" not in found.err
    assert ":secret" not in found.out


@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "/dev/stdin", "/proc/self/fd/0", "-", "gone.txt", "."])
def test_what_is_no_file_is_not_read(path: str, record: dict[str, Any]) -> None:
    os.mkfifo("pipe")
    record["inputs"][1]["path"] = path
    verified(record, "--anywhere").refused()


@pytest.mark.parametrize(
    ("path", "why"), [("gone/q.txt", "there is no folder"), ("gone.txt", "Check the path")]
)
def test_a_file_that_is_not_there_can_be_handed_over(path: str, why: str, record: dict[str, Any]) -> None:
    record["inputs"][0]["path"] = path
    for options in ([], ["--anywhere"]):
        said = verified(record, *options).refused(why).err.strip()
        assert said.endswith(", or pass the file (--qrels FILE, --run NAME=FILE).")
    its = record["inputs"][0]
    its["files"] = [{key: its[key] for key in ("path", "bytes", "sha256")}]
    its["sha256"] = None
    verified(record).refused("pass the file (--qrels FILE, --run NAME=FILE).")


def test_the_help_of_anywhere_names_both_folders() -> None:
    found = " ".join(attacked("verify", "--help").out.split())
    assert "not only files below the record's folder or the working directory" in found


def test_a_file_below_the_folder_that_carob_runs_in_is_read(
    record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for each in record["inputs"]:
        each["path"] = f"its/{each['path']}"
    (tmp_path / "records").mkdir()
    Path("records/evil.json").write_text(json.dumps(record))
    assert attacked("verify", "records/evil.json").code == 0


def test_what_is_handed_over_may_lie_anywhere(record: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    record["inputs"][0]["path"] = "/nowhere/qrels.txt"
    assert verified(record, "--qrels", str(tmp_path / "qrels.txt")).code == 0


def test_a_gate_refuses_such_records_as_its_baseline(record: dict[str, Any]) -> None:
    for attack in ("a value that is text", "no name", "inputs that are none", "a value of 400 digits"):
        document = json.loads(Path("made.json").read_text())
        WRONG[attack](document)
        Path("evil.json").write_text(json.dumps(document))
        attacked("gate", "qrels.txt", "one.run", "--baseline", "evil.json").refused("evil.json")
