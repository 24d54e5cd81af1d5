"""The command line: its lists and version, and how it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from carob.cli import main
from cli.printed import refused, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["eval", "qrels.txt", "none.run"], "carob: none.run: No such file or directory."),
        (["eval", "one.run", "qrels.txt"], "one.run, line 1: found 6 columns, expected 4"),
        (["eval", "qrels.txt"], "Pass a QRELS file and at least one RUN."),
        (
            ["eval", "qrels.txt", "one.run", "-m", "nDGC"],
            "carob: There is no measure 'nDGC'. Did you mean nDCG",
        ),
        (["eval", "qrels.txt", "one.run", "--profile", "trec"], "There is no profile 'trec'"),
        (["eval", "--judged-ranking", "qrels.txt", "x"], "pass either --judged-ranking, or QRELS and RUN"),
        (["eval", "-", "-"], "can be read only once"),
        (["eval", "qrels.txt", "one.run", "--ties", "random"], "'random' is not one of"),
        (["evaluate", "qrels.txt", "one.run"], "There is no command 'evaluate'. Did you mean eval?"),
        (["score"], "There is no command 'score'. Did you mean eval?"),
        (["evl"], "There is no command 'evl'. Did you mean eval"),
        (["help", "evl"], "There is no command 'evl'. Did you mean eval"),
        (
            ["qrels.txt", "one.run"],
            "'qrels.txt' is a file, not a command. To score a run, use 'carob eval QRELS RUN'.",
        ),
        (["zzzz"], "There is no command 'zzzz'. 'carob help' lists all commands."),
    ],
)
def test_a_mistake_gets_a_sentence(
    folder: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    err = refused(capfd, *arguments)
    assert says in err
    assert "Traceback" not in err


def test_the_version(capfd: pytest.CaptureFixture[str]) -> None:
    import carob

    assert run(capfd, "--version").strip() == carob.__version__


@pytest.mark.parametrize("written", [["--format", "json"], ["--format=json"]])
def test_errors_and_warnings_are_json_where_the_results_are(
    folder: Path, capfd: pytest.CaptureFixture[str], written: list[str]
) -> None:
    (folder / "bad.run").write_text("q1 Q0 a 1 zero t\n")
    for command in (
        ["eval", "qrels.txt"],
        ["compare", "qrels.txt", "one.run"],
        ["gate", "qrels.txt", "--max-drop", "AP=1", "--baseline", "one.run"],
        ["agreement", "qrels.txt", "qrels.txt"],
    ):
        error = json.loads(refused(capfd, *command, "bad.run", *written))
        assert error == {
            "kind": "DataError",
            "message": "bad.run, line 1: 'zero' is not a number: 'q1 Q0 a 1 zero t'. Correct the line, or skip such "
            "lines with --lenient.",
            "file": "bad.run",
            "line": 1,
            "column": "score",
            "remedy": "Correct the line, or skip such lines with --lenient.",
        }
    usage = json.loads(refused(capfd, "eval", "qrels.txt", *written))
    assert usage["kind"] == "UsageError"
    assert usage["message"].startswith("Pass a QRELS file and at least one RUN.")
    assert (
        json.loads(refused(capfd, "eval", "qrels.txt", "one.run", "--tis", *written))["kind"] == "UsageError"
    )
    (folder / "other.run").write_text("q1 Q0 zz 1 2 t\n")
    main(["eval", "qrels.txt", "other.run", *written])
    assert json.loads(capfd.readouterr().err)["kind"] == "DataWarning"
