"""``carob fuse``: weights and bounds as they are written, files of weights, and what tuning refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from carob.cli.fuse import bounds_in
from toys import command

SMALL = """
q1 Q0 a 1 2.5 one
q1 Q0 b 2 1 one
q2 Q0 b 1 9 one
q2 Q0 a 2 1 one
q3 Q0 a 1 4 one
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two runs and the judgments of their three queries, in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("one.run").write_text(SMALL.lstrip())
    Path("two.run").write_text(SMALL.lstrip().replace("one", "two").replace("q1 Q0 b 2 1", "q1 Q0 b 2 2"))
    Path("qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n")
    return ["one.run", "two.run"]


def test_a_file_of_weights_brings_method_norm_and_profile(
    small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--tune", "RR", "--qrels", "qrels.txt", "--save-weights", "w.json"]
    assert command("fuse", *small, *asked, "--method", "sum", "--norm", "z-score(deviation=sample)") == 0
    assert command("fuse", *small, "--weights", "w.json", "-o", "-") == 0
    weights = json.loads(Path("w.json").read_text())["weights"]
    same = carob.fuse(small, "sum", "z-score(deviation=sample)", weights=weights)
    assert capsys.readouterr().out.endswith(same.text.decode())
    assert (
        command("fuse", *small, "--weights", "w.json", "-o", "-", "--method", "sum", "--norm", "z-score") == 0
    )
    for name, other in (("method", "rrf"), ("norm", "z-score(deviation=population)"), ("profile", "ranx")):
        assert command("fuse", *small, "--weights", "w.json", "-o", "-", f"--{name}", other) == 2
        said = capsys.readouterr().err
        assert f"but --{name} is {other}" in said
        assert "Leave out" in said
    Path("w.json").write_text(json.dumps({"weights": weights}))
    assert command("fuse", *small, "--weights", "w.json", "-o", "-", "--method", "max") == 2
    assert "max does not support weights" in capsys.readouterr().err


def test_weights_may_name_the_runs(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for weights in ("0.3,0.7", "one=0.3,two=0.7", "two=0.7, one=0.3"):
        assert command("fuse", *small, "--weights", weights, "-o", "-") == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2] != ""


@pytest.mark.parametrize("content", [b"[", b"\xff\xfe{}", b"[" * 100_000, b'{"weights": 1}'])
def test_a_file_without_weights_is_refused(
    small: list[str], content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("w.json").write_bytes(content)
    assert command("fuse", *small, "--weights", "w.json", "-o", "-") == 2
    assert (
        "w.json: the file contains no weights. Pass a file written by --save-weights."
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("nope.json", "nope.json: No such file or directory."),
        ("no/nope", "no/nope: No such file or directory. Check the path: there is no folder 'no'."),
        (
            "nope",
            (
                "'nope' in --weights is neither an existing file nor a list of numbers: pass a file written by "
                "--save-weights, or"
            ),
        ),
        ("", "'' in --weights is neither an existing file nor a list of numbers"),
        ("0.3,x", "'x' in --weights is not a number"),
        ("0.3,", "'' in --weights is not a number"),
        ("one=0.3,two=x", "'x' in --weights is not a number: write it as in 0.3,0.7 or bm25=0.3,dense=0.7."),
        (
            "one=0.3,0.7",
            (
                "specifies names for only some of the weights: write exactly one weight for each run, as in 0.3,0.7 or "
                "bm25=0.3,dense=0.7"
            ),
        ),
        ("one=0.3,one=0.7", "specifies a run twice"),
        ("one=0.3,three=0.7", "There is a weight for run three, but the runs are: one, two."),
    ],
)
def test_weights_that_are_neither_a_file_nor_numbers_are_told_for_what_they_look_like(
    small: list[str], weights: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("fuse", *small, "--weights", weights, "-o", "-") == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--depth", "5"], ["--bounds", "one=0:9", "--method", "sum"]])
def test_what_tuning_would_ignore_is_refused(
    small: list[str], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("fuse", *small, "--tune", "RR", "--qrels", "qrels.txt", *options) == 2
    assert f"{options[0]} cannot be used with --tune" in capsys.readouterr().err


def test_judgments_of_other_queries_are_refused(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("qrels.txt").write_text("x1 0 a 1\nx2 0 a 1\nx3 0 a 1\n")
    assert command("fuse", *small, "--tune", "RR", "--qrels", "qrels.txt") == 2
    said = capsys.readouterr().err
    assert "No run has a judged query: the judgments have 'x1', and the runs have 'q1'. Pass" in said


def test_bounds_may_lack_an_end() -> None:
    assert bounds_in(("dense=-1:1", "bm25=0:", "a=b=:2")) == {
        "dense": (-1, 1),
        "bm25": (0, None),
        "a=b": (None, 2),
    }
    assert bounds_in(()) is None


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("dense", "--bounds dense is not of the form dense=-1:1 or bm25=0: (no upper bound)."),
        ("dense=1", "--bounds dense=1 is not of the form dense=-1:1 or bm25=0: (no upper bound)."),
        ("dense=low:1", "'low' in --bounds is not a number: write it as in dense=-1:1."),
    ],
)
def test_other_bounds_are_refused(written: str, said: str) -> None:
    with pytest.raises(carob.DataError) as refused:
        bounds_in((written,))
    assert str(refused.value) == said
