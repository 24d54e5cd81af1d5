"""``carob history``: records by name, and one run of several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import carob
from toys import command

if TYPE_CHECKING:
    import pytest

QRELS = {f"q{place}": {"a": 1} for place in range(20)}


def test_the_command_follows_one_run_of_records_with_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, score in (("old", 2.0), ("new", 0.5)):
        runs = {
            "x": {query: {"a": score, "b": 1.0} for query in QRELS},
            "y": {query: {"b": 1.0} for query in QRELS},
        }
        carob.record(carob.evaluate(QRELS, runs, "RR"), Path(f"{name}.json"))
    assert command("history", "old.json", "new.json") == 2
    assert "old.json has 2 runs (x, y): choose one of them with --run." in capsys.readouterr().err
    assert command("history", "before=old.json", "new.json", "--run", "x", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["records"], found["fell"]) == ("History/1", ["before", "new"], ["new"])
    assert found["means"] == {"RR": [1.0, 0.5]}
