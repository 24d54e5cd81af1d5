"""``carob correlate``: judges, runs and leaderboards on the command line, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import carob
from carob.cli import main
from judges.boards import board, written
from toys import command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Judgments of a truth and of a judge, four runs, and a leaderboard."""
    return written(tmp_path)


def test_only_the_measures_with_the_highest_coefficient_are_shown_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {name: ([place / 8, 0.5], None) for place, name in enumerate("abcde")}
    files = [str(board(tmp_path / "truth.jsonl", values))]
    for number, order in enumerate(("edcba", "abced", "abcde")):
        its = {name: ([order.index(name) / 8, 0.5], None) for name in values}
        files.append(str(board(tmp_path / f"judge{number}.jsonl", its)))
    asked = ["correlate", *files, "--resamples", "10"]

    def judges(*more: str) -> tuple[list[str], str]:
        main([*asked, *more])
        printed = capsys.readouterr().out
        return [line.split()[0] for line in printed.splitlines() if line.startswith("judge")], printed

    assert judges()[0].count("judge0") == 2
    shown, printed = judges("--top", "2")
    assert [each for each in shown if each != "judge"] == ["judge2", "judge1"] * 2
    assert "1 more row is not shown; --top 3 shows all." in printed
    main([*asked, "--top", "2", "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["judges"]) == 3


def test_the_command_tells_judges_from_runs(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [files[f"{name}.run"] for name in "abcd"]
    assert command("correlate", files["people.qrels"], f"gpt={files['model.qrels']}", *runs, "-m", "AP") == 0
    first = capsys.readouterr().out
    assert first.startswith("gpt (by AP) against people.qrels: kendall")
    assert command("correlate", files["people.qrels"], *runs, "-m", "AP", "-m", "P@3", "--format", "csv") == 0
    assert "people.qrels,AP,P@3,4,12,kendall," in capsys.readouterr().out
    assert command("correlate", files["board.jsonl"], files["board.jsonl"], "--over", "runs") == 0
    said = capsys.readouterr().out
    assert "kendall 1.000." in said
    assert "[1.00, 1.00]" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Pass a TRUTH"),
        (("people.qrels", "model.qrels", "a.run", "b.run"), "at least three RUNs"),
        (
            ("people.qrels", "a.run", "b.run", "c.run", "--missing-runs", "skip"),
            "--missing-runs applies only to leaderboards",
        ),
        (("board.jsonl", "board.jsonl", "--pool", "both"), "--pool needs judgments"),
        (("board.jsonl", "board.jsonl", "--depth", "5"), "--depth needs judgments"),
        (("board.jsonl",), "only one measure"),
        (("board.jsonl", "people.qrels"), "not recognised"),
        (("people.qrels", "/nowhere", "a.run", "b.run", "c.run"), "/nowhere: No such file"),
    ],
)
def test_misuse_of_the_command_is_refused(
    arguments: tuple[str, ...], said: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("correlate", *(files.get(each, each) for each in arguments)) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_empty_files_and_standard_input_are_named(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "EMPTY"
    empty.write_text("\n", encoding="utf-8")
    assert command("correlate", str(empty), files["board.jsonl"]) == 2
    assert "EMPTY: the file is empty." in capsys.readouterr().err
    for arguments in ((files["board.jsonl"], "-"), ("-", files["board.jsonl"])):
        assert command("correlate", *arguments) == 2
        assert "Leaderboards cannot be read from standard input ('-')" in capsys.readouterr().err
    with pytest.raises(carob.DataError, match="standard input"):
        carob.read_leaderboard("-")
