"""``carob run``: its files, its last line, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from toys import command

TEXT = "q1 Q0 a 1 3 bm25\nq1 Q0 b 2 2 bm25\nq2 Q0 a 1 1 bm25\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("bm25.run").write_text(TEXT)
    return "bm25.run"


def test_the_last_line_counts_what_was_written_and_left_out(
    run: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command("run", run, "-o", "top.tsv", "--depth", "1", "--tag", "mine", "--to", "trec") == 0
    out, said = capfd.readouterr()
    assert Path("top.tsv").read_text() == "q1 Q0 a 1 3.0 mine\nq2 Q0 a 1 1.0 mine\n"
    assert said == "top.tsv: 2 queries, 2 documents, 38 bytes. Left out: 1 document below the depth.\n"
    assert out == ""


def test_standard_output_gets_the_run_alone(run: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("queries.txt").write_text("q2\n")
    assert command("run", run, "-o", "-", "--queries", "queries.txt") == 0
    out, said = capfd.readouterr()
    assert out == "q2 Q0 a 1 1.0 bm25\n"
    assert "Left out: 2 documents of other queries." in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Pass at least one RUN."),
        (["bm25.run", "-o", "bm25.run"], "this file is the input"),
        (["bm25.run", "-o", "x.npy"], "carob cannot write runs as .npy files"),
        (["bm25.run", "-o", "x.run", "--split-by", "tag"], "must contain {} for the name"),
        (["bm25.run", "-o", "x.run", "--depth", "0"], "0 is not in the range"),
        (["none.run", "-o", "x.run"], "No such file"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(
    run: str, arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run == "bm25.run"
    assert command("run", *(arguments or ["-o", "x.run"])) == 2
    assert said in capfd.readouterr().err
    assert not Path("x.run").exists()
