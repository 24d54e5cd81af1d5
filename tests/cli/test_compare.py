"""``carob compare`` on files with per-query scores, and ``carob agreement``: what they print and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main
from cli.scores import TABLE, outcome
from judges.judgments import LIKES_A, LIKES_C, SYSTEMS


def test_a_table_of_scores_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    main(["compare", str(path), "-m", "nDCG@10"])
    said = capsys.readouterr().out
    assert said.startswith("7 queries | 2 runs\n")
    assert "values as given, policy unknown" in said
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


def test_missing_values_are_decided_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE + "q8,0.9,\n")
    assert outcome(["compare", str(path)]) == 2
    assert "Choose --missing zero or --missing skip." in capsys.readouterr().err
    main(["compare", str(path), "--missing", "zero"])
    assert "b lacks 1 of 8 judged queries, counted as 0: q8." in capsys.readouterr().out


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, qrels in {"a.txt": LIKES_A, "b.txt": LIKES_C}.items():
        Path(name).write_text("".join(f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items()))
    for name, run in SYSTEMS.items():
        Path(f"{name}.run").write_text(
            "".join(f"{q} Q0 {d} 0 {s} t\n" for q, its in run.items() for d, s in its.items())
        )
    files = ["a.txt", "b.txt", *(f"{name}.run" for name in SYSTEMS)]
    main(["agreement", *files, "-m", "RR"])
    text = capfd.readouterr().out
    assert text.startswith("same grade: 33% of 6 documents · weighted kappa -0.50 [-0.50, -0.50]\n")
    assert text.splitlines()[1].startswith("same order: tau -0.82 by RR · 2/3 pairs flip · ")
    main(["agreement", *files, "-m", "RR", "--format", "json"])
    document = json.loads(capfd.readouterr().out)
    assert document["confusion"] == [[2, 2], [2, 0]]
    assert document["systems"]["RR"]["a"] == [1, 1 / 2, 1 / 3]
    main(["agreement", *files, "-m", "RR", "--format", "markdown"])
    assert "| run | A | rank | B | rank | B - A |\n" in capfd.readouterr().out
    with pytest.raises(SystemExit) as end:
        main(["agreement", "a.txt", "-", "-"])
    assert end.value.code == 2
    assert "can be read only once" in capfd.readouterr().err
