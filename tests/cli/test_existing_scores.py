"""``carob compare`` on values of queries, without qrels and runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from carob.cli import main

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "query,a,b\n" + "".join(f"q{n},0.{n},0.{n + 2}\n" for n in range(1, 7)) + "q7,0.9,0.5\n"


def outcome(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def test_a_table_of_scores_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    main(["compare", str(path), "-m", "nDCG@10"])
    said = capsys.readouterr().out
    assert said.startswith("7 queries | 2 runs\n")
    assert "values computed by another tool" in said
    assert "nDCG@10" in said


@pytest.mark.parametrize(
    "option",
    [["--ties", "expected"], ["--orders"], ["--profile", "ranx"], ["--judged-at", "5"], ["--names", "tag"]],
    ids=lambda option: option[0],
)
def test_options_about_lists_are_refused(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    assert outcome(["compare", str(path), *option]) == 2
    assert f"{option[0]}" in (said := capsys.readouterr().err)
    assert "needs judgments and ranked lists" in said


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "{scores}"],
        ["compare", "--people", "{scores}", "--judge", "{scores}"],
        ["eval", "--people", "{scores}", "--judge", "{scores}"],
        ["plan", "{scores}", "--difference", "0.1"],
        ["best", "{scores}"],
        ["gate", "{one}", "--min", "AP=0.1"],
    ],
    ids=lambda command: " ".join(command),
)
@pytest.mark.parametrize(
    "option",
    [["--depth", "5"], ["--profile", "ranx"], ["--exclude", "{scores}"], ["--lenient"]],
    ids=lambda option: option[0],
)
def test_every_command_refuses_options_about_lists(
    command: list[str], option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scores.csv").write_text(TABLE)
    (tmp_path / "one.csv").write_text("query,a\nq1,0.5\nq2,0.25\n")
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("scores", "one")}
    assert outcome([each.format(**paths) for each in (*command, *option)]) == 2
    assert f"{option[0]} needs judgments and ranked lists" in capsys.readouterr().err


def test_missing_values_are_decided_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE + "q8,0.9,\n")
    assert outcome(["compare", str(path)]) == 2
    assert "Choose --missing zero or --missing skip." in capsys.readouterr().err
    main(["compare", str(path), "--missing", "zero"])
    assert "b lacks 1 of 8 judged queries, counted as 0: q8." in capsys.readouterr().out


def test_a_gate_compares_scores_with_a_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, drop in (("old", 0.0), ("new", 0.2)):
        rows = [f"nDCG@10\tq{n}\t{0.3 + n / 20 - drop + n % 3 / 50}\n" for n in range(12)]
        (tmp_path / f"{name}.txt").write_text("".join(rows))
    old, new = str(tmp_path / "old.txt"), str(tmp_path / "new.txt")
    main(["gate", old, "--baseline", old, "--max-drop", "nDCG@10=0.01"])
    assert "passed" in capsys.readouterr().out.lower()
    assert outcome(["gate", new, "--baseline", old, "--max-drop", "nDCG@10=0.01"]) == 1
    assert "nDCG@10 fell by 0.2000" in capsys.readouterr().out
    table = tmp_path / "scores.csv"
    table.write_text(TABLE)
    assert outcome(["gate", str(table), "--baseline", old, "--max-drop", "nDCG@10=0.01"]) == 2
    assert "a gate needs one run, and the file has 2 (a, b)" in capsys.readouterr().err
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    assert outcome(["gate", str(tmp_path / "qrels.txt"), "--min", "AP=0.1"]) == 2
    assert "Missing argument 'RUN'." in capsys.readouterr().err
