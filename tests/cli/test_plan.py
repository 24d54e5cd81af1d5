"""``carob plan``: the number of queries from files and from scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from carob.cli import main

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"


def test_the_command_plans_from_files_and_from_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tea = [str(TEA / each) for each in ("qrels.txt", "runs/bm25.run", "runs/titles.run")]
    how = ["--difference", "0.05", "-m", "AP", "--format", "json"]
    main(["plan", *tea, *how])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(each["first"], each["second"], each["pilot"]) for each in rows] == [("bm25", "titles", 24)]
    scores = carob.evaluate(tea[0], {"bm25": tea[1], "titles": tea[2]}, "AP")
    lines = ["run,query,measure,value"]
    lines += [
        f"{run},{query},AP,{value}" for run in scores for query, value in scores[run].by_query("AP").items()
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    main(["plan", str(path), *how])
    assert json.loads(capsys.readouterr().out)["rows"][0]["queries"] == pytest.approx(rows[0]["queries"])
    with pytest.raises(SystemExit):
        main(["plan", *tea])
    assert "exactly one" in capsys.readouterr().err
