"""``carob best``: runs, scores and held-out queries on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from carob.cli import main

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"


def test_the_command_reads_runs_and_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = sorted((TEA / "runs").iterdir())
    how = ["-m", "AP", "--format", "json", "--resamples", "500"]
    main(["best", str(TEA / "qrels.txt"), *map(str, runs), *how])
    found = json.loads(capsys.readouterr().out)["measures"][0]
    expected = carob.evaluate(TEA / "qrels.txt", runs, "AP")
    means = {name: expected[name]["AP"] for name in expected}
    assert {each["run"]: each["mean"] for each in found["candidates"]} == pytest.approx(means)
    path = tmp_path / "scores.csv"
    lines = ["run,query,measure,value"]
    lines += [
        f"{run},{query},AP,{value!r}"
        for run in expected
        for query, value in expected[run].by_query("AP").items()
    ]
    path.write_text("\n".join(lines) + "\n")
    main(["best", str(path), *how])
    again = json.loads(capsys.readouterr().out)["measures"][0]
    assert again["run"] == found["run"]
    assert again["honest"]["value"] == pytest.approx(found["honest"]["value"])


def test_the_command_shows_few_runs_and_opens_held_out_queries_with_a_ledger(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tea = [str(TEA / "qrels.txt"), *map(str, sorted((TEA / "runs").iterdir()))]
    split = ["-m", "AP", "--resamples", "100", "--hold-out", "0.4", "--salt", "2026"]
    for before in ("no earlier opening", "opened 1 time before"):
        main(["best", *tea, *split, "--top", "2", "--open", "--ledger", str(tmp_path / "openings.jsonl")])
        text = capsys.readouterr().out
        assert before in " ".join(text.split())
        assert "2 more runs are not shown (--top 2)." in text
        assert max(map(len, text.splitlines())) <= 80
    with pytest.raises(SystemExit):
        main(["best", *tea, *split, "--open"])
    assert "--ledger" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["best", *tea, *split, "--open", "--ledger", tea[0]])
    assert "not overwritten" in capsys.readouterr().err
