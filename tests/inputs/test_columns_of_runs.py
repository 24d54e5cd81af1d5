"""Runs of one command whose tables have different column names."""

from __future__ import annotations

from pathlib import Path

import pytest

import carob
from carob import DataError
from carob.cli.options import columns_of_runs
from carob.inputs.columns import columns_of_run
from toys import command

MIXED = ["--run-columns", "query=qid", "--run-columns", "b:query=question,rank=place"]
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
A = "qid,document,score\nq1,a,2\nq1,b,1\nq2,c,1\n"
B = "question,document,place\nq1,a,2\nq1,b,1\nq2,c,1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with judgments, and with the runs of two tools."""
    for name, text in (("qrels", QRELS), ("a.csv", A), ("b.csv", B)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def said(capfd: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """What a command prints."""
    capfd.readouterr()
    assert command(*words) == status
    return "".join(capfd.readouterr())


def test_each_run_has_the_columns_that_are_named_for_it(capfd: pytest.CaptureFixture[str]) -> None:
    lines = said(capfd, "eval", "qrels", "a.csv", "b.csv", "-m", "RR", *MIXED).splitlines()
    assert lines[1:3] == ["a    1.0000", "b    0.7500"]
    assert "a and b are not shown to differ." in said(
        capfd, "compare", "qrels", "a.csv", "b.csv", "-m", "RR", *MIXED
    )
    renamed = [*MIXED[:3], MIXED[3].replace("b:", "new:")]
    assert "new  0.7500" in said(capfd, "eval", "qrels", "new=b.csv", "-m", "RR", *renamed[2:])
    gate = ["gate", "qrels", "new=b.csv", "--baseline", "a.csv", "--max-drop", "RR=0.5"]
    assert "gate passed" in said(capfd, *gate, *renamed)


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "qrels", "a.csv", "b.csv"),
        ("check", "qrels", "a.csv", "b.csv"),
        ("check", "qrels", "a=a.csv", "b=b.csv"),
        ("gate", "qrels", "a.csv", "--baseline", "b.csv"),
        ("fuse", "a.csv", "b.csv", "-o", "out"),
    ],
)
def test_a_run_that_does_not_exist_is_refused_with_those_that_do(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    error = said(capfd, *words, "--run-columns", "c:query=qid", status=2)
    assert error == "carob: --run-columns names columns of 'c', which is not one of the runs: 'a', 'b'.\n"


def test_a_collection_may_lack_the_run_whose_columns_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("x", "y"):
        Path("set", name).mkdir(parents=True)
        Path("set", name, "qrels.txt").write_text(QRELS)
        Path("set", name, "a.csv").write_text(A)
    Path("set", "x", "b.csv").write_text(B)
    assert "missing-run" in said(capfd, "check", "--collections", "set", *MIXED, status=1)
    assert "1.0000" in said(capfd, "eval", "--collections", "set", "-m", "RR", *MIXED)
    other = [*MIXED, "--run-columns", "c:query=x"]
    for words in (["check"], ["eval", "-m", "RR"]):
        error = said(capfd, *words, "--collections", "set", *other, status=2)
        assert "'c', which is not one of the runs: 'a', 'b'." in error


def test_check_and_verify_take_them_in_python() -> None:
    named = {"query": "qid", "b": {"query": "question", "rank": "place"}}
    assert not carob.check("qrels", "a.csv", "b.csv", run_columns=named).of("unreadable")
    with pytest.raises(
        DataError, match=r"^run_columns names columns of 'c', which is not one of the runs: 'a'"
    ):
        carob.check("qrels", "a.csv", run_columns={"c": {"query": "qid"}})
    runs = [carob.Run.of("a.csv", query="qid"), carob.Run.of("b.csv", query="question", rank="place")]
    carob.record(carob.evaluate("qrels", runs, "RR"), "made.json")
    assert carob.verify("made.json", runs={"a": "a.csv", "b": "b.csv"}, run_columns=named).equal
    assert carob.verify("made.json", run_columns={"b": {"query": "question", "rank": "place"}}).equal
    with pytest.raises(DataError, match="nope"):  # named for this run alone, it replaces what is recorded
        carob.verify("made.json", run_columns={"b": {"query": "nope"}})
    with pytest.raises(DataError, match="not one of the runs: 'a', 'b'"):
        carob.verify("made.json", run_columns={"c": {"query": "qid"}})


def test_a_runs_own_order_replaces_that_of_all_runs() -> None:
    named = {"query": "q", "score": "s", "b": {"distance": "d"}, "c": {"query": "other"}}
    assert columns_of_run(named, "b") == {"query": "q", "distance": "d"}
    assert columns_of_run(named, "c") == {"query": "other", "score": "s"}
    assert columns_of_run(named, "a") == {"query": "q", "score": "s"}


def test_a_prefix_is_told_from_a_constant_and_from_a_name_with_a_colon() -> None:
    assert columns_of_runs(["query:=r1,score=a:b"]) == {"query": ":=r1", "score": "a:b"}
    assert columns_of_runs(["k=60:x:query:=r1"]) == {"k=60:x": {"query": ":=r1"}}
    assert columns_of_runs(["query=q", "score=s"]) == {"query": "q", "score": "s"}
    with pytest.raises(DataError, match="the name of a column"):
        columns_of_runs(["score:query=x"])
    with pytest.raises(DataError, match="two columns are specified for the query, 'x' and 'y'"):
        columns_of_runs(["a:query=x", "a:query=y"])
    with pytest.raises(DataError, match="does not specify a column"):
        columns_of_runs(["a:page=x"])
