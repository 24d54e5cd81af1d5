"""``--people`` and ``--judge`` of ``carob compare`` and ``carob eval``."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

import carob
from carob.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Judgments of 14 of 30 queries by people, of all by a model, and two runs."""
    draw = random.Random(4)
    people, model, runs = [], [], {"a": [], "b": []}
    for number in range(30):
        for document in range(8):
            grade = draw.choice([0, 0, 1, 2])
            model.append(f"q{number} 0 d{document} {min(2, grade + (draw.random() < 0.3))}\n")
            if number % 2 == 0 and number < 28:
                people.append(f"q{number} 0 d{document} {grade}\n")
            for lines in runs.values():
                lines.append(f"q{number} Q0 d{document} 0 {draw.random():.6f} x\n")
    contents = {"people.txt": people, "model.txt": model, "a.run": runs["a"], "b.run": runs["b"]}
    for name, lines in contents.items():
        (tmp_path / name).write_text("".join(lines))
    return {name: str(tmp_path / name) for name in contents}


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def test_compare_and_eval_give_what_python_gives(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--people", files["people.txt"], "--judge", files["model.txt"], files["a.run"], files["b.run"]]
    expected = carob.compare(
        files["people.txt"],
        [files["a.run"], files["b.run"]],
        "AP",
        judge=files["model.txt"],
        design=carob.Design(target="similar"),
    )
    main(["compare", *given, "-m", "AP", "--target", "similar", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["contests"]["AP"]["means"] == list(expected["AP"].means)
    assert document["judge"]["target"] == "similar"
    main(["eval", *given, "-m", "AP", "--format", "csv"])
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert [row[1] for row in rows] == ["run", "a", "b"]
    assert float(rows[1][3]) == expected["AP"].means[0]


def test_scores_of_people_and_judge(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [files["a.run"], files["b.run"]]
    for who in ("people", "model"):
        main(["eval", files[f"{who}.txt"], *runs, "-m", "AP", "-q", "--format", "csv"])
        (tmp_path / f"{who}.csv").write_text(capsys.readouterr().out)
    main(
        [
            "compare",
            "--people",
            files["people.txt"],
            "--judge",
            files["model.txt"],
            *runs,
            "-m",
            "AP",
            "--format",
            "csv",
        ]
    )
    one = capsys.readouterr().out
    people, model = str(tmp_path / "people.csv"), str(tmp_path / "model.csv")
    main(["compare", "--people", people, "--judge", model, "--format", "csv"])
    assert capsys.readouterr().out == one
    assert "leave out the RUNs" in refused(["compare", "--people", people, "--judge", model, *runs], capsys)
    assert "must both be judgments or both be scores" in refused(
        ["compare", "--people", people, "--judge", files["model.txt"]], capsys
    )


def test_options_that_do_not_go_together(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    people, judge, run = files["people.txt"], files["model.txt"], files["a.run"]
    both = ["--people", people, "--judge", judge]
    assert "--people needs --judge" in refused(["compare", "--people", people, run], capsys)
    assert "--judge needs --people" in refused(["eval", people, run, "--judge", judge], capsys)
    assert "--judge-weight needs --people and --judge" in refused(
        ["compare", people, run, run, "--judge-weight", "1"], capsys
    )
    assert "--target needs --people and --judge, or --collections" in refused(
        ["compare", people, run, run, "--target", "similar"], capsys
    )
    assert "--target needs --people and --judge." in refused(
        ["eval", people, run, "--target", "similar"], capsys
    )
    assert "at least one RUN" in refused(["eval", *both], capsys)
    assert f"--people replaces QRELS: leave out {judge}." in refused(["compare", judge, *both, run], capsys)
    main(["eval", *both, run])
    assert "separately for each estimated mean (wider if skewed)." in " ".join(
        capsys.readouterr().out.split()
    )
    assert "--test has no meaning" in refused(["compare", *both, run, "--test", "tukey"], capsys)
    assert "--bootstrap has no meaning" in refused(["compare", *both, run, "--bootstrap"], capsys)
    assert "--per-query needs complete judgments" in refused(["eval", *both, run, "-q"], capsys)
    assert "--record stores scores" in refused(["compare", *both, run, "--record", "x.json"], capsys)
