"""Two runs have two names: one rule in every command that takes several."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from carob.cli import main

ALIKE = "2 runs are called 'a': give each run a different name, as in"
MORE = {"report": ["-o", "page.html"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    for name, documents in {"x/new": "axc", "y/new": "xbc"}.items():
        Path(name).parent.mkdir()
        lines = (f"q{number} Q0 {each} 1 1 t\n" for number, each in enumerate(documents, 1))
        Path(name).write_text("".join(lines))


@pytest.fixture
def command(request: pytest.FixtureRequest) -> str:
    if request.param == "report":
        request.getfixturevalue("report_libraries")
    return str(request.param)


def ran(command: str, *runs: str) -> int:
    judgments = ["qrels", "qrels"] if command == "agreement" else ["qrels"]
    try:
        main([command, *judgments, *runs, *MORE.get(command, [])])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.parametrize("command", ["eval", "compare", "report", "agreement", "check"], indirect=True)
def test_two_runs_under_one_name_are_refused(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert ran(command, "a=x/new", "a=y/new") == 2
    assert f"{ALIKE} old=a/x.run new=b/x.run." in capfd.readouterr().err


@pytest.mark.parametrize("command", ["eval", "compare", "report", "agreement"], indirect=True)
def test_one_file_twice_needs_two_names(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert ran(command, "x/new", "x/new") == 2
    assert "2 runs are called 'x/new'" in capfd.readouterr().err
    assert ran(command, "a=x/new", "b=x/new") == 0


@pytest.mark.parametrize("command", ["eval", "compare"], indirect=True)
def test_files_of_one_name_go_by_their_paths(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert ran(command, "x/new", "y/new") == 0
    out = capfd.readouterr().out
    assert "x/new" in out
    assert "y/new" in out


def test_a_file_called_part_is_no_part_of_a_folder(capfd: pytest.CaptureFixture[str]) -> None:
    """Only a pattern such as ``dense/part-*.csv`` names the files of a folder."""
    rows = "query,document,score\nq1,a,1\nq2,b,1\n"
    Path("x/part.csv").write_text(rows)
    Path("x/part.txt").write_text("q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\n")
    Path("x/other.csv").write_text("q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\n")
    for run, name in {
        "x/part.csv": "part",
        "x/part.txt": "part",
        "x/other.csv": "other",
        "x/part*.csv": "x",
    }.items():
        assert carob.Run.of(run).name == name
        main(["eval", "qrels", run, "-m", "RR", "--format", "json"])
        assert json.loads(capfd.readouterr().out)["runs"][0]["name"] == name
        main(["gate", "qrels", run, "--min", "RR=0.1", "--format", "json"])
        assert json.loads(capfd.readouterr().out)["run"] == name


def test_some_runs_of_a_check_may_have_names(capfd: pytest.CaptureFixture[str]) -> None:
    assert ran("check", "a=x/new", "y/new") < 2
    assert "called" not in capfd.readouterr().err


def test_names_that_were_given_are_never_dropped() -> None:
    runs = [carob.Run.of("x/new", "a"), carob.Run.of("y/new", "a")]
    with pytest.raises(carob.DataError, match=f"{ALIKE} {{'old': run"):
        carob.compare("qrels", runs)
    assert carob.compare("qrels", ["x/new", "y/new"]).names == ("x/new", "y/new")
