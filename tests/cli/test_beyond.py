"""The command ``carob beyond``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from toys import command

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"
RUNS = [str(TEA / "runs" / f"{name}.run") for name in ("bm25", "titles")]
QRELS = str(TEA / "qrels.txt")


def test_accuracy_is_that_of_eval(capsys: pytest.CaptureFixture[str]) -> None:
    command("beyond", *RUNS, "--relevant", QRELS, "-m", "nDCG@10", "-m", "NumItems@10", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    scores = carob.evaluate(QRELS, RUNS, "nDCG@10")
    assert {name: its["measures"]["nDCG@10"]["value"] for name, its in found["runs"].items()} == {
        name: pytest.approx(its["nDCG@10"]) for name, its in scores.items()
    }


def test_a_name_and_each_user(capsys: pytest.CaptureFixture[str]) -> None:
    command("beyond", RUNS[0], "--relevant", QRELS, "-m", "RR", "-q", "--format", "csv")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "user,RR"
    assert len(lines) == 25
    command("beyond", f"old={RUNS[0]}", RUNS[1], "-m", "NumItems@3")
    assert capsys.readouterr().out.splitlines()[1].startswith("old ")


def test_what_is_missing_is_named_as_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("beyond", RUNS[0], "-m", "Novelty") == 2
    assert "--train FILE" in capsys.readouterr().err


def test_seen_items_leave_all_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in Path(RUNS[0]).read_text().splitlines()]
    first = [line for line in lines if int(line[3]) <= 5]
    seen = tmp_path / "seen.txt"
    seen.write_text("".join(f"{query} {document}\n" for query, _, document, *_ in first))
    assert command("beyond", RUNS[0], "-b", RUNS[0], "--exclude", str(seen), "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bases"]["excluded"] == len(first)
    assert found["bases"]["recommendations"] == len(lines) - len(first)


def test_a_baseline_may_have_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("beyond", RUNS[0], "-m", "Unexpectedness(against=baseline)@5", "--format", "csv", "-b")
    assert command(*asked, RUNS[1]) == 0
    plain = capsys.readouterr().out
    assert command(*asked, f"old={RUNS[1]}") == 0
    assert capsys.readouterr().out == plain
