"""``carob gate`` and ``carob verify``: their files and limits, and the comment of a gate without a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from carob import DataError
from carob.cli import main
from carob.cli.gate import limits, name_and_file, undecided
from cli.scores import TABLE, outcome

if TYPE_CHECKING:
    from pathlib import Path


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
    assert "a gate checks only one run, but the file contains 2 (a, b)" in capsys.readouterr().err
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    assert outcome(["gate", str(tmp_path / "qrels.txt"), "--min", "AP=0.1"]) == 2
    assert "Missing argument 'RUN'." in capsys.readouterr().err


def test_an_undecided_gate_and_a_missing_baseline_are_said() -> None:
    lines = undecided("x.run, line 3: 'high' is not a number.").splitlines()
    assert lines[1] == "**gate undecided: no verdict**"
    assert "'high' is not a number. The gate reached no verdict, which does not mean" in lines[3]
    lines = undecided("base.json: No such file.", "base.json").splitlines()
    assert lines[1] == "**gate undecided: no baseline**"
    assert lines[3].startswith(
        "The baseline base.json does not exist. To store the results of the current run"
    )
    assert lines[3].endswith("--record base.json.")


def test_a_tolerance_may_stand_alone_and_a_minimum_may_not() -> None:
    assert limits(("0.05",), "--max-drop") == 0.05
    assert limits(("nDCG(gain=exp2)@5=0.05", "RR= 1e-2"), "--max-drop") == {
        "nDCG(gain=exp2)@5": 0.05,
        "RR": 0.01,
    }
    assert limits((), "--min") is None
    with pytest.raises(DataError, match=r"--min 0\.6 needs a measure, such as nDCG@10=0\.6\."):
        limits(("0.6",), "--min")
    with pytest.raises(DataError, match=r"--min RR=0\.7 is given twice\."):
        limits(("RR=0.6", "RR=0.7"), "--min")
    with pytest.raises(DataError, match=r"--max-drop RR: expected MEASURE=NUMBER, such as nDCG@10=0\.005\."):
        limits(("RR",), "--max-drop")


def test_the_name_of_a_recorded_run_may_contain_an_equals_sign() -> None:
    names = ["a", "a=b"]
    assert name_and_file("a=b=c.run", names) == ("a=b", "c.run")
    assert name_and_file("a=c=d.run", names) == ("a", "c=d.run")
    with pytest.raises(DataError, match=r"--run x=y: expected NAME=FILE, with NAME one of: a, a=b\."):
        name_and_file("x=y", names)
