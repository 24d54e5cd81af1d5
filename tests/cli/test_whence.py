"""``carob whence``: numbers, files and grades on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from carob.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["AP", "--grades", "1"], "'AP' is not a number"),
        (["0.5"], "pass QRELS and RUN, or --grades"),
        (["0.5", "--grades", "1", "--judged", "1", "--judged", "1"], "repeat both options"),
        (["0.5", "-m", "nonsense@3", "--grades", "1"], "a measure 'nonsense'"),
        (["0.5", "-m", "AP", "-m", "RR", "-m", "P@1", "--grades", "1,0"], "1 numbers and 3 measures"),
        (["0.5", "--grades", "1", "--query", "q"], "The search needs the ranked lists"),
    ],
)
def test_a_wrong_call_gets_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["whence", *words])
    assert stopped.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_files_are_read_once_for_all_conventions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    run.write_text("q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n")
    main(["whence", "0.5", str(qrels), str(run), "--query", "q", "-m", "MRR", "--format", "csv"])
    first = capsys.readouterr().out.splitlines()[1]
    assert first.startswith("1,RR@10,0.5,")
    assert f"{qrels} {run} --query q" in first
